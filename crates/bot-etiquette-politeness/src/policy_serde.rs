//! Policies as people write them: which keys there are, what may stand in each, and what to write instead.
//!
//! Every check is made where the value is read, so that a format that knows its lines names the right one.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, Unexpected, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::host_policy::{
    BusyScope, DelayAnchor, HostPolicy, OverCap, RateLimitRule, RetryAfterRule, RetryAfterScope,
    host_policy_keys,
};
use crate::policy::{GroupPolicy, HostPattern, Policy, Rate};
use crate::quota::Quota;
use crate::{Host, Hours, HoursWindow};

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

/// The forms that values have in a file, and the values that they stand for.
macro_rules! numbers {
    ($($wire:ident($value:ty): $expected:literal, $accept:expr, $show:expr;)*) => {
        $(
            struct $wire($value);

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
struct Count(u32);

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
            struct $wire($value);

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

/// One of some keys; the error of any other stands where the key stands.
#[derive(Clone, Copy)]
struct KeyOf<'k> {
    lists: &'k [&'static [&'static str]],
}

impl<'de> DeserializeSeed<'de> for KeyOf<'_> {
    type Value = &'static str;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<&'static str, D::Error> {
        let key = String::deserialize(deserializer)?;
        let known = || self.lists.iter().copied().flatten().copied();
        known().find(|known| *known == key).ok_or_else(|| {
            let known: Vec<&str> = known().collect();
            D::Error::custom(format_args!("unknown key `{key}`, expected one of: {}", known.join(", ")))
        })
    }
}

macro_rules! read_and_write {
    ($($(#[$doc:meta])* $key:ident: $type:ty => $wire:ty,)*) => {
        impl HostPolicy {
            /// Reads the value of `key`, if it is one of a host's.
            fn read<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
                $(if key == stringify!($key) {
                    self.$key = Some(map.next_value::<$wire>()?.into());
                })*
                Ok(())
            }

            fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                $(if let Some(value) = &self.$key {
                    map.serialize_entry(stringify!($key), &<$wire>::from(value.clone()))?;
                })*
                Ok(())
            }
        }
    };
}
host_policy_keys!(read_and_write);

impl Serialize for HostPolicy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.write(&mut map)?;
        map.end()
    }
}

/// Keys that one kind of table has beside those of a host.
trait More: Default {
    const KEYS: &'static [&'static str];
    fn read<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error>;
}

/// A table of a host's keys and some more.
#[derive(Default)]
struct Table<M> {
    policy: HostPolicy,
    more: M,
}

impl<'de, M: More> Deserialize<'de> for Table<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys<M>(PhantomData<M>);
        impl<'de, M: More> Visitor<'de> for Keys<M> {
            type Value = Table<M>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of policy keys")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Table<M>, A::Error> {
                let mut table = Table { policy: HostPolicy::default(), more: M::default() };
                let lists = [HostPolicy::KEYS, M::KEYS];
                while let Some(key) = map.next_key_seed(KeyOf { lists: &lists })? {
                    if M::KEYS.contains(&key) {
                        table.more.read(key, &mut map)?;
                    } else {
                        table.policy.read(key, &mut map)?;
                    }
                }
                Ok(table)
            }
        }
        deserializer.deserialize_map(Keys(PhantomData))
    }
}

impl More for () {
    const KEYS: &'static [&'static str] = &[];

    fn read<'de, A: MapAccess<'de>>(&mut self, _: &str, _: &mut A) -> Result<(), A::Error> {
        Ok(())
    }
}

impl<'de> Deserialize<'de> for HostPolicy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Table::<()>::deserialize(deserializer).map(|table| table.policy)
    }
}

/// `closed` of `[default]`.
#[derive(Default)]
struct Closed(bool);

impl More for Closed {
    const KEYS: &'static [&'static str] = &["closed"];

    fn read<'de, A: MapAccess<'de>>(&mut self, _: &str, map: &mut A) -> Result<(), A::Error> {
        self.0 = map.next_value()?;
        Ok(())
    }
}

/// `hosts` of `[host."name"]`: other names of the same machine.
#[derive(Default)]
struct OtherNames(Vec<Host>);

impl More for OtherNames {
    const KEYS: &'static [&'static str] = &["hosts"];

    fn read<'de, A: MapAccess<'de>>(&mut self, _: &str, map: &mut A) -> Result<(), A::Error> {
        self.0 = map.next_value()?;
        Ok(())
    }
}

/// `per_path` of a group.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct PerPath {
    max_open: Count,
}

impl Serialize for GroupPolicy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(hosts) = &self.hosts {
            map.serialize_entry("hosts", hosts)?;
        }
        if let Some(rate) = self.per_second {
            map.serialize_entry("per_second", &PerSecond(rate))?;
        }
        if let Some(open) = self.max_open {
            map.serialize_entry("max_open", &open)?;
        }
        if let Some(quotas) = &self.quota {
            map.serialize_entry("quota", quotas)?;
        }
        if let Some(open) = self.path_max_open {
            map.serialize_entry("per_path", &PerPath { max_open: Count(open) })?;
        }
        if let Some(scope) = self.retry_after_scope {
            map.serialize_entry("retry_after_scope", &scope)?;
        }
        if let Some(each) = &self.each {
            map.serialize_entry("each", each)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for GroupPolicy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = GroupPolicy;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of group keys")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<GroupPolicy, A::Error> {
                let mut group = GroupPolicy::default();
                while let Some(key) = map.next_key_seed(KeyOf { lists: &[GroupPolicy::KEYS] })? {
                    match key {
                        "hosts" => group.hosts = Some(map.next_value()?),
                        "per_second" => group.per_second = Some(map.next_value::<PerSecond>()?.0),
                        "max_open" => group.max_open = Some(map.next_value::<Count>()?.0),
                        "quota" => group.quota = Some(map.next_value::<QuotaList>()?.0),
                        "per_path" => group.path_max_open = Some(map.next_value::<PerPath>()?.max_open.0),
                        "retry_after_scope" => group.retry_after_scope = Some(map.next_value()?),
                        _ => group.each = Some(map.next_value()?),
                    }
                }
                Ok(group)
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

/// The keys of a policy file.
const FILE_KEYS: &[&str] = &["max_hosts", "default", "host", "group"];

impl<'de> Deserialize<'de> for Policy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Policy;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a policy: max_hosts, [default], [host.\"name\"], [group.name]")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Policy, A::Error> {
                let mut policy = Policy::default();
                while let Some(key) = map.next_key_seed(KeyOf { lists: &[FILE_KEYS] })? {
                    match key {
                        "max_hosts" => {
                            policy.max_hosts = usize::try_from(map.next_value::<Count>()?.0).ok();
                        }
                        "default" => {
                            let table: Table<Closed> = map.next_value()?;
                            (policy.default, policy.closed) = (table.policy, table.more.0);
                        }
                        "host" => policy = map.next_value_seed(Lines(policy))?,
                        _ => {
                            let groups: BTreeMap<String, GroupPolicy> = map.next_value()?;
                            policy.groups =
                                groups.into_iter().map(|(name, group)| (name.into(), group)).collect();
                        }
                    }
                }
                Ok(policy)
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

/// Reads the `[host."name"]` tables into a policy.
struct Lines(Policy);

impl<'de> DeserializeSeed<'de> for Lines {
    type Value = Policy;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Policy, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Lines {
    type Value = Policy;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("tables of policy keys by host name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Policy, A::Error> {
        let mut policy = self.0;
        while let Some(host) = map.next_key_seed(NewName(&policy))? {
            let line = map.next_value_seed(Line { policy: &policy, host: &host })?;
            for name in line.more.0 {
                policy = policy.shared_clock(host.clone(), name);
            }
            policy = policy.host(host, line.policy);
        }
        Ok(policy)
    }
}

/// The name of a host that no line has named before.
struct NewName<'p>(&'p Policy);

impl NewName<'_> {
    fn check<E: Error>(&self, host: &Host) -> Result<(), E> {
        if self.0.hosts.contains_key(host) || self.0.aliases.contains_key(host) {
            return Err(E::custom(format_args!(
                "{host} is named twice (give each host one [host.\"name\"] table)"
            )));
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for NewName<'_> {
    type Value = Host;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Host, D::Error> {
        let host = Host::deserialize(deserializer)?;
        self.check(&host)?;
        Ok(host)
    }
}

/// One `[host."name"]` table.
struct Line<'p> {
    policy: &'p Policy,
    host: &'p Host,
}

impl<'de> DeserializeSeed<'de> for Line<'_> {
    type Value = Table<OtherNames>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let line = Table::<OtherNames>::deserialize(deserializer)?;
        let mut names = HashSet::new();
        for name in line.more.0.iter().filter(|name| *name != self.host) {
            NewName(self.policy).check(name)?;
            if !names.insert(name) {
                return Err(D::Error::custom(format_args!(
                    "{name} is named twice in `hosts` (once is enough)"
                )));
            }
        }
        Ok(line)
    }
}

/// A policy file that was not understood: the line, the key and what to write instead.
#[cfg(feature = "toml")]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PolicyError {
    message: String,
    line: Option<usize>,
}

#[cfg(feature = "toml")]
impl PolicyError {
    /// The line of the file, counted from 1.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.line
    }
}

#[cfg(feature = "toml")]
impl Policy {
    /// Reads a policy file.
    ///
    /// Durations are seconds. The tables are `[default]` (which may say `closed = true`), `[host."name"]`
    /// (where `hosts` lists other names of the same machine) and `[group.name]`; the keys are
    /// [`HostPolicy::KEYS`] and [`GroupPolicy::KEYS`]. At the top, `max_hosts` bounds the memory.
    ///
    /// ```
    /// use bot_etiquette_politeness::Policy;
    ///
    /// let policy = Policy::from_toml(r#"
    ///     [default]
    ///     min_delay = 1.0
    ///     [host."example.com"]
    ///     hosts = ["www.example.com"]
    ///     min_delay = 10.0
    /// "#)?;
    /// assert_eq!(policy.rules(&"www.example.com".parse()?).min_delay().as_secs(), 10);
    ///
    /// let error = Policy::from_toml("[default]\nmin_delay = -1\n").unwrap_err();
    /// assert_eq!(error.line(), Some(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<Self, PolicyError> {
        toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| {
                let before = text.as_bytes().iter().take(span.start);
                before.filter(|byte| **byte == b'\n').count().saturating_add(1)
            });
            PolicyError { message: error.to_string().trim_end().to_owned(), line }
        })
    }
}
