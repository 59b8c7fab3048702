//! [`Number`]: a quantity in a configuration.

use std::fmt;

/// A finite number of 0 or more: seconds, a factor, a rate.
///
/// ```
/// use bot_etiquette_identity::Number;
///
/// let pause = Number::new(1.5).unwrap();
/// assert_eq!((pause.value(), pause.to_string().as_str()), (1.5, "1.5"));
/// assert_eq!(Number::new(-1.0), None);
/// assert_eq!(Number::new(f64::NAN), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Number(f64);

/// No NaN is ever inside.
impl Eq for Number {}

impl Number {
    /// Takes a number, if it is one that can be promised.
    #[must_use]
    pub fn new(value: f64) -> Option<Self> {
        // Adding zero turns -0 into 0.
        (value.is_finite() && value >= 0.0).then_some(Self(value + 0.0))
    }

    /// The number.
    #[must_use]
    pub const fn value(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Number {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = f64::deserialize(deserializer)?;
        Self::new(value).ok_or_else(|| {
            serde::de::Error::custom(format_args!("{value} is not a finite number of 0 or more"))
        })
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Number {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}
