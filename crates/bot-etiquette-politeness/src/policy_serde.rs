//! Policies as people write them: which keys there are, and in which table.
//!
//! Every check is made where the key or the value is read, so that a format that knows its lines names the
//! right one.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::Host;
use crate::host_policy::{
    BusyScope, DelayAnchor, HostPolicy, OverCap, RateLimitRule, RetryAfterRule, RetryAfterScope,
    host_policy_keys,
};
use crate::policy::{GroupPolicy, Policy};
use crate::policy_values::{
    Count, Counts, Factor, Fraction, HoursList, Intervals, PerSecond, QuotaList, Seconds, Statuses,
};

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
