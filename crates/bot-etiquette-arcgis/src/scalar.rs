//! Scalars as servers really write them: numbers as text, floats for integers, null, empty text.

use std::borrow::Cow;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess};

use crate::shape::{self, Shape};

/// One JSON value, of which only scalars are kept.
pub(crate) enum Scalar<'a> {
    Null,
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(Cow<'a, str>),
    /// An array or object.
    Nested,
}

impl Scalar<'_> {
    /// The number meant; NaN for null, `"NaN"` and empty text; none where no number can be meant.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Self::Null => Some(f64::NAN),
            #[allow(clippy::cast_precision_loss, reason = "coordinates and scales are floats")]
            Self::Integer(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            Self::Text(text) => match text.trim() {
                "" => Some(f64::NAN),
                text => text.parse().ok(),
            },
            Self::Bool(_) | Self::Nested => None,
        }
    }

    /// The whole number meant: `1.0` and `"1"` are 1; none for fractions and all else.
    pub(crate) fn integer(&self) -> Option<i64> {
        match self {
            Self::Integer(value) => Some(*value),
            Self::Text(text) if text.trim().parse::<i64>().is_ok() => text.trim().parse().ok(),
            _ => self.number().filter(|value| value.fract() == 0.0 && value.abs() < 9.0e15).map(whole),
        }
    }

    fn truth(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            Self::Integer(value) => Some(*value != 0),
            Self::Text(text) if text.trim().eq_ignore_ascii_case("true") => Some(true),
            Self::Text(text) if text.trim().eq_ignore_ascii_case("false") => Some(false),
            _ => None,
        }
    }

    fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.into_owned()),
            Self::Integer(value) => Some(value.to_string()),
            Self::Float(value) => Some(value.to_string()),
            Self::Bool(value) => Some(value.to_string()),
            Self::Null | Self::Nested => None,
        }
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the caller checked the range")]
fn whole(value: f64) -> i64 {
    value as i64
}

impl<'de> Deserialize<'de> for Scalar<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        shape::read::<Self, D>(deserializer)
    }
}

impl<'de> Shape<'de> for Scalar<'de> {
    type Value = Self;

    fn other(scalar: Self) -> Self {
        scalar
    }
}

/// A finite number or none.
pub(crate) fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    Ok(Scalar::deserialize(deserializer)?.number().filter(|value| value.is_finite()))
}

/// A coordinate: NaN where the server wrote null, `"NaN"` or nonsense, so that it differs from a key that is missing.
pub(crate) fn coordinate<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    Ok(Some(Scalar::deserialize(deserializer)?.number().unwrap_or(f64::NAN)))
}

pub(crate) fn integer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    Ok(Scalar::deserialize(deserializer)?.integer())
}

/// A whole number of zero or more, without which there is no item.
pub(crate) fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    unsigned(deserializer)?.ok_or_else(|| D::Error::custom("id is no whole number"))
}

/// A whole number of zero or more.
pub(crate) fn unsigned<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Ok(Scalar::deserialize(deserializer)?.integer().and_then(|value| value.try_into().ok()))
}

/// A code of a coordinate system; 0, negative and oversized ones mean that there is none.
pub(crate) fn code<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let code = Scalar::deserialize(deserializer)?.integer().filter(|code| *code > 0);
    Ok(code.and_then(|code| code.try_into().ok()))
}

pub(crate) fn truth<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    Ok(Scalar::deserialize(deserializer)?.truth())
}

/// Text that is not empty.
pub(crate) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Scalar::deserialize(deserializer)?.text().filter(|text| !text.trim().is_empty()))
}

/// A comma-separated list or an array of text; null is none.
pub(crate) fn words<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    shape::read::<Words, D>(deserializer)
}

struct Words;

impl<'de> Shape<'de> for Words {
    type Value = Vec<String>;

    fn other(scalar: Scalar<'de>) -> Self::Value {
        let Scalar::Text(text) = scalar else { return Vec::new() };
        text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    fn array<A: SeqAccess<'de>>(mut items: A) -> Result<Self::Value, A::Error> {
        let mut words = Vec::new();
        while let Some(item) = items.next_element::<Scalar<'de>>()? {
            words.extend(item.text());
        }
        Ok(words)
    }
}

/// An array whose items are all read, or nothing where the value is no array.
pub(crate) fn list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    maybe_list(deserializer).map(Option::unwrap_or_default)
}

/// An array, or none where the value is no array.
pub(crate) fn maybe_list<'de, D, T>(deserializer: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    shape::read::<List<T>, D>(deserializer)
}

struct List<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Shape<'de> for List<T> {
    type Value = Option<Vec<T>>;

    fn other(_: Scalar<'de>) -> Self::Value {
        None
    }

    fn array<A: SeqAccess<'de>>(mut items: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        // Layers hold thousands of short lists, which doubling leaves a third empty.
        list.shrink_to_fit();
        Ok(Some(list))
    }
}

/// An object, or none where the value is anything else.
pub(crate) fn object<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    shape::read::<Object<T>, D>(deserializer)
}

struct Object<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Shape<'de> for Object<T> {
    type Value = Option<T>;

    fn other(_: Scalar<'de>) -> Self::Value {
        None
    }

    fn object<A: MapAccess<'de>>(members: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(members)).map(Some)
    }
}
