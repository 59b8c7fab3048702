//! What is remembered, on its way to a disk and back.

use crate::state::{Groups, HostState};
use crate::{Host, Timestamp};

/// All that a [`Politeness`](crate::Politeness) remembers: clocks, holds, counters, kills; not the policy.
///
/// With the feature `serde` it is written as `[version, body]`. A body of another version than
/// [`VERSION`](Self::VERSION) is read for its kills alone, and every host then waits one pause, as it would
/// had it just been asked: what was running is not known.
///
/// ```
/// use bot_etiquette_politeness::{HostPolicy, Policy, Politeness, Timestamp};
///
/// let policy = Policy::new(HostPolicy::new());
/// let before = Politeness::new(policy.clone());
/// before.kill(&"example.com".parse()?, Timestamp::from_millis(5));
/// let snapshot = before.export(Timestamp::from_millis(10));
///
/// let after = Politeness::new(policy);
/// after.import(snapshot, Timestamp::from_millis(20));
/// let url = url::Url::parse("https://example.com/")?;
/// let ask = bot_etiquette_politeness::Ask::new(&url);
/// assert!(after.check(&ask, Timestamp::from_millis(20)).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    pub(crate) saved_at: Timestamp,
    pub(crate) hosts: Vec<(Host, HostState)>,
    /// The latest moment at which a host was last asked that is not among them: it was forgotten.
    pub(crate) forgotten: Option<Timestamp>,
    pub(crate) groups: Groups,
    /// Hosts to kill whose state could not be read.
    pub(crate) killed: Vec<Host>,
    /// Whether the states were of a version that is not known here.
    pub(crate) foreign: bool,
}

impl Snapshot {
    /// The version of the states that this crate writes.
    pub const VERSION: u32 = 1;

    /// When it was made.
    #[must_use]
    pub const fn saved_at(&self) -> Timestamp {
        self.saved_at
    }

    /// The states of the hosts.
    pub fn hosts(&self) -> impl ExactSizeIterator<Item = (&Host, &HostState)> {
        self.hosts.iter().map(|(host, state)| (host, state))
    }

    /// Whether the states were of an unknown version, and only kills could be read.
    #[must_use]
    pub const fn is_foreign(&self) -> bool {
        self.foreign
    }
}

/// How moments of a snapshot become moments of the clock that reads it.
///
/// A clock that stands before the snapshot was stepped back: everything moves with it, so that what was left
/// of a hold is still left, and no more. A moment that is past when it is told cannot lie ahead.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rebase {
    back: u64,
    now: Timestamp,
}

impl Rebase {
    pub(crate) fn new(saved_at: Timestamp, now: Timestamp) -> Self {
        Self { back: saved_at.as_millis().saturating_sub(now.as_millis()), now }
    }

    pub(crate) fn moment(self, past: Timestamp) -> Timestamp {
        past.minus_millis(self.back).min(self.now)
    }

    pub(crate) fn past(self, moment: &mut Option<Timestamp>) {
        *moment = moment.map(|moment| self.moment(moment));
    }

    pub(crate) fn deadline(self, moment: &mut Option<Timestamp>) {
        // The end of time is no matter of any clock.
        *moment =
            moment.map(|until| if until == Timestamp::MAX { until } else { until.minus_millis(self.back) });
    }
}

#[cfg(feature = "serde")]
mod serde_impls {
    use std::collections::HashSet;
    use std::fmt;

    use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
    use serde::ser::{Serialize, SerializeTuple, Serializer};

    use super::{Groups, Host, HostState, Snapshot, Timestamp};

    #[derive(serde::Serialize)]
    struct BodyOut<'a> {
        saved_at: Timestamp,
        #[serde(skip_serializing_if = "Option::is_none")]
        forgotten: Option<Timestamp>,
        killed: Vec<&'a Host>,
        groups: &'a Groups,
        hosts: HostsOut<'a>,
    }

    struct HostsOut<'a>(&'a [(Host, HostState)]);

    impl Serialize for HostsOut<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map(self.0.iter().map(|(host, state)| (host, state)))
        }
    }

    impl Serialize for Snapshot {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let of_states = self.hosts.iter().filter(|(_, state)| state.is_killed()).map(|(host, _)| host);
            let body = BodyOut {
                saved_at: self.saved_at,
                forgotten: self.forgotten,
                killed: of_states.chain(&self.killed).collect(),
                groups: &self.groups,
                hosts: HostsOut(&self.hosts),
            };
            let mut tuple = serializer.serialize_tuple(2)?;
            tuple.serialize_element(if self.foreign { &0 } else { &Self::VERSION })?;
            tuple.serialize_element(&body)?;
            tuple.end()
        }
    }

    #[derive(serde::Deserialize)]
    struct BodyIn {
        saved_at: Timestamp,
        #[serde(default)]
        forgotten: Option<Timestamp>,
        #[serde(default)]
        killed: Vec<Host>,
        #[serde(default)]
        groups: Groups,
        hosts: HostsIn,
    }

    /// What a body of every version has.
    #[derive(serde::Deserialize)]
    struct ForeignBody {
        #[serde(default)]
        killed: Vec<Host>,
    }

    struct HostsIn(Vec<(Host, HostState)>);

    impl<'de> Deserialize<'de> for HostsIn {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Hosts;
            impl<'de> Visitor<'de> for Hosts {
                type Value = HostsIn;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("a map of host names and their states")
                }

                fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<HostsIn, A::Error> {
                    let mut hosts = Vec::new();
                    while let Some(host) = map.next_entry()? {
                        hosts.push(host);
                    }
                    Ok(HostsIn(hosts))
                }
            }
            deserializer.deserialize_map(Hosts)
        }
    }

    impl<'de> Deserialize<'de> for Snapshot {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Versioned;
            impl<'de> Visitor<'de> for Versioned {
                type Value = Snapshot;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("a snapshot: [version, body]")
                }

                fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Snapshot, A::Error> {
                    let version: u32 =
                        seq.next_element()?.ok_or_else(|| A::Error::invalid_length(0, &self))?;
                    let no_body = || A::Error::invalid_length(1, &"a snapshot: [version, body]");
                    if version == Snapshot::VERSION {
                        let body: BodyIn = seq.next_element()?.ok_or_else(no_body)?;
                        let BodyIn { saved_at, forgotten, mut killed, groups, hosts: HostsIn(hosts) } = body;
                        let known: HashSet<&Host> = hosts
                            .iter()
                            .filter(|(_, state)| state.is_killed())
                            .map(|(host, _)| host)
                            .collect();
                        killed.retain(|host| !known.contains(host));
                        Ok(Snapshot { saved_at, hosts, forgotten, groups, killed, foreign: false })
                    } else {
                        let body: ForeignBody = seq.next_element()?.ok_or_else(no_body)?;
                        Ok(Snapshot {
                            saved_at: Timestamp::ZERO,
                            hosts: Vec::new(),
                            forgotten: None,
                            groups: Groups::default(),
                            killed: body.killed,
                            foreign: true,
                        })
                    }
                }
            }
            deserializer.deserialize_tuple(2, Versioned)
        }
    }
}
