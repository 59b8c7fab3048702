//! The values of a policy file: what may stand for each, and what is told of anything else.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::policy::{HostPattern, Rate};
use crate::quota::Quota;
use crate::{Hours, HoursWindow};

/// A number of a given kind; tells what is wrong with any other.
struct Number<T>(PhantomData<T>);

/// What a kind of number accepts.
trait Kind: Sized {
    const EXPECTED: &'static str;
    fn accept(number: f64) -> Option<Self>;
}

impl<T: Kind> Visitor<'_> for Number<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        T::accept(number).ok_or_else(|| E::invalid_value(Unexpected::Float(number), &self))
    }

    #[allow(clippy::cast_precision_loss)] // beyond 2^53 no one counts
    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        T::accept(number as f64).ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    #[allow(clippy::cast_precision_loss)]
    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        T::accept(number as f64).ok_or_else(|| E::invalid_value(Unexpected::Signed(number), &self))
    }
}

/// A value and the form in which files write it, from one to the other.
macro_rules! wraps {
    ($wire:ident, $value:ty) => {
        impl From<$wire> for $value {
            fn from(wire: $wire) -> Self {
                wire.0
            }
        }

        impl From<$value> for $wire {
            fn from(value: $value) -> Self {
                Self(value)
            }
        }
    };
}

/// The forms that values have in a file, and the values that they stand for.
macro_rules! numbers {
    ($($wire:ident($value:ty): $expected:literal, $accept:expr, $show:expr;)*) => {
        $(
            pub(crate) struct $wire(pub(crate) $value);

            impl Kind for $wire {
                const EXPECTED: &'static str = $expected;
                fn accept(number: f64) -> Option<Self> {
                    let accept: fn(f64) -> Option<$value> = $accept;
                    accept(number).map(Self)
                }
            }

            impl<'de> Deserialize<'de> for $wire {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    deserializer.deserialize_any(Number(PhantomData))
                }
            }

            impl Serialize for $wire {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    let show: fn(&$value) -> f64 = $show;
                    serializer.serialize_f64(show(&self.0))
                }
            }

            wraps!($wire, $value);
        )*
    };
}

numbers! {
    Seconds(Duration): "a number of seconds: finite, 0 or more",
        |number| Duration::try_from_secs_f64(number).ok(), Duration::as_secs_f64;
    Fraction(f64): "a number from 0 to 1", |number| (0.0..=1.0).contains(&number).then_some(number), |number| *number;
    Factor(f64): "a finite number, 1 or more", |number| (number.is_finite() && number >= 1.0).then_some(number), |number| *number;
    PerSecond(Rate): "a number above 0 (starts per second)", |number| Rate::new(number).ok(), |rate| rate.per_second();
}

/// A whole number, 1 or more.
pub(crate) struct Count(pub(crate) u32);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Whole;
        impl Whole {
            fn count<E: Error>(self, number: Option<u32>, unexpected: Unexpected<'_>) -> Result<Count, E> {
                match number {
                    Some(number) if number > 0 => Ok(Count(number)),
                    _ => Err(E::invalid_value(unexpected, &self)),
                }
            }
        }
        impl Visitor<'_> for Whole {
            type Value = Count;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number, 1 or more (to ask nothing at all, set blocked = true)")
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Count, E> {
                self.count(u32::try_from(number).ok(), Unexpected::Unsigned(number))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Count, E> {
                self.count(u32::try_from(number).ok(), Unexpected::Signed(number))
            }
        }
        deserializer.deserialize_any(Whole)
    }
}

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(self.0)
    }
}

impl From<Count> for u32 {
    fn from(count: Count) -> Self {
        count.0
    }
}

impl From<u32> for Count {
    fn from(count: u32) -> Self {
        Self(count)
    }
}

/// A status that an answer can have.
#[derive(serde::Deserialize)]
#[serde(try_from = "u16")]
struct Status(u16);

impl TryFrom<u16> for Status {
    type Error = String;

    fn try_from(status: u16) -> Result<Self, String> {
        if (100..1000).contains(&status) {
            Ok(Self(status))
        } else {
            Err(format!("{status} is not an HTTP status (give one from 100 to 999)"))
        }
    }
}

/// Lists and maps, value by value.
macro_rules! collections {
    ($($wire:ident($value:ty) = $form:ty: $read:expr, $show:expr;)*) => {
        $(
            pub(crate) struct $wire(pub(crate) $value);

            impl<'de> Deserialize<'de> for $wire {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    let read: fn($form) -> Result<$value, String> = $read;
                    read(<$form>::deserialize(deserializer)?).map(Self).map_err(D::Error::custom)
                }
            }

            impl Serialize for $wire {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    let show: fn(&$value, S) -> Result<S::Ok, S::Error> = $show;
                    show(&self.0, serializer)
                }
            }

            wraps!($wire, $value);
        )*
    };
}

collections! {
    Statuses(Vec<u16>) = Vec<Status>:
        |statuses| Ok(statuses.into_iter().map(|status| status.0).collect()), |statuses, to| statuses.serialize(to);
    HoursList(Hours) = Vec<HoursWindow>:
        |windows| Hours::new(windows).map_err(|error| error.to_string()), |hours, to| hours.windows().serialize(to);
    QuotaList(Vec<Quota>) = Vec<Quota>: distinct, |quotas, to| quotas.serialize(to);
    Intervals(BTreeMap<String, Duration>) = BTreeMap<String, Seconds>:
        |intervals| Ok(intervals.into_iter().map(|(class, interval)| (class, interval.0)).collect()),
        |intervals, to| to.collect_map(intervals.iter().map(|(class, interval)| (class, Seconds(*interval))));
    Counts(BTreeMap<String, u32>) = BTreeMap<String, Count>:
        |counts| Ok(counts.into_iter().map(|(class, count)| (class, count.0)).collect()), |counts, to| counts.serialize(to);
}

/// Two quotas of one name would count into one another.
fn distinct(quotas: Vec<Quota>) -> Result<Vec<Quota>, String> {
    let mut names = HashSet::new();
    match quotas.iter().find(|quota| !names.insert(&quota.name)) {
        Some(quota) => Err(format!("two quotas are named {:?} (give each a name of its own)", quota.name)),
        None => Ok(quotas),
    }
}

/// The form of a quota.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct QuotaForm {
    name: String,
    limit: Count,
    window: Seconds,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    classes: Vec<String>,
}

impl Serialize for Quota {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (name, classes) = (self.name.clone(), self.classes.clone());
        QuotaForm { name, limit: Count(self.limit), window: Seconds(self.window), classes }
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Quota {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let form = QuotaForm::deserialize(deserializer)?;
        let quota = Self::new(form.name, form.limit.0, form.window.0).map_err(D::Error::custom)?;
        Ok(quota.classes(form.classes))
    }
}

impl Serialize for HostPattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for HostPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
