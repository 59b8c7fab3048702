//! The rules of all hosts, and which of them hold for one.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::host::InvalidHost;
use crate::host_policy::RetryAfterScope;
use crate::quota::Quota;
use crate::rules::{GroupRules, Rules};
use crate::table::RulesKey;
use crate::{Host, HostPolicy};

/// Hosts that are remembered where the policy names no bound.
pub const DEFAULT_MAX_HOSTS: usize = 1_000_000;

/// The rules of a crawler: a default, hosts with their own, and groups of hosts that share limits.
///
/// A key is looked up at the host, then in its groups' `each` (the closest pattern first), then in the
/// default, then in the library. See `Policy::from_toml` (feature `toml`) for the form of a file.
///
/// ```
/// use std::time::Duration;
/// use bot_etiquette_politeness::{GroupPolicy, HostPolicy, Policy};
///
/// let second = Duration::from_secs(1);
/// let policy = Policy::new(HostPolicy::new().min_delay(second))
///     .host("slow.example".parse()?, HostPolicy::new().min_delay(10 * second))
///     .group("cdn", GroupPolicy::new(["*.cdn.example".parse()?]).per_second(8.0)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[must_use]
pub struct Policy {
    pub(crate) default: HostPolicy,
    pub(crate) closed: bool,
    pub(crate) max_hosts: Option<usize>,
    pub(crate) hosts: BTreeMap<Host, HostPolicy>,
    /// Names that share the clock of another.
    pub(crate) aliases: HashMap<Host, Host>,
    pub(crate) groups: BTreeMap<Arc<str>, GroupPolicy>,
    pub(crate) host_overrides: HashMap<Host, HostPolicy>,
    pub(crate) group_overrides: HashMap<Arc<str>, GroupPolicy>,
}

impl Policy {
    /// A policy of one default for every host.
    pub fn new(default: HostPolicy) -> Self {
        Self { default, ..Self::default() }
    }

    /// The rules of one host.
    pub fn host(mut self, host: Host, policy: HostPolicy) -> Self {
        self.hosts.insert(host, policy);
        self
    }

    /// Gives `name` the clock, and the rules, of `host`: both are one machine.
    pub fn shared_clock(mut self, host: Host, name: Host) -> Self {
        if name != host {
            self.aliases.insert(name, host);
        }
        self
    }

    /// A group of hosts.
    pub fn group(mut self, name: impl Into<Arc<str>>, group: GroupPolicy) -> Self {
        self.groups.insert(name.into(), group);
        self
    }

    /// Only hosts that are listed, by name or in a group, may be asked.
    pub fn closed(mut self, closed: bool) -> Self {
        self.closed = closed;
        self
    }

    /// How many hosts are remembered; [`DEFAULT_MAX_HOSTS`] by default.
    pub fn max_hosts(mut self, hosts: usize) -> Self {
        self.max_hosts = Some(hosts);
        self
    }

    /// The name under which the clocks of `host` are kept.
    #[must_use]
    pub fn clock_of<'a>(&'a self, host: &'a Host) -> &'a Host {
        self.aliases.get(host).unwrap_or(host)
    }

    pub(crate) fn clock_name<'a>(&'a self, name: &'a str) -> &'a str {
        if self.aliases.is_empty() {
            return name;
        }
        self.aliases.get(name).map_or(name, Host::as_str)
    }

    /// Which tables speak for a host.
    pub(crate) fn rules_key(&self, host: &Host) -> RulesKey {
        let own = self.hosts.contains_key(host) || self.host_overrides.contains_key(host);
        let groups = self.groups_of(host).into_iter().map(|(_, name, _)| name).collect();
        (own.then(|| host.clone()), groups)
    }

    /// The groups of a host, the closest pattern first; those as close as each other by name.
    fn groups_of(&self, host: &Host) -> Vec<(usize, Arc<str>, Cow<'_, GroupPolicy>)> {
        let mut groups: Vec<_> = self
            .groups
            .iter()
            .filter_map(|(name, group)| {
                let group = match self.group_overrides.get(name) {
                    Some(over) => Cow::Owned(over.or(group)),
                    None => Cow::Borrowed(group),
                };
                Some((group.closeness(host)?, name.clone(), group))
            })
            .collect();
        groups.sort_by_key(|(closeness, ..)| std::cmp::Reverse(*closeness));
        groups
    }

    /// Replaces what was laid over the file's rules of this host; empty rules take the override away.
    pub fn override_host(&mut self, host: &Host, policy: HostPolicy) {
        let host = self.clock_of(host).clone();
        if policy == HostPolicy::default() {
            self.host_overrides.remove(&host);
        } else {
            self.host_overrides.insert(host, policy);
        }
    }

    /// The same for a group.
    pub fn override_group(&mut self, name: &str, policy: GroupPolicy) -> Result<(), UnknownGroup> {
        let Some((name, _)) = self.groups.get_key_value(name) else {
            return Err(UnknownGroup { name: name.to_owned() });
        };
        self.group_overrides.insert(name.clone(), policy);
        Ok(())
    }

    /// The rules that hold for a host.
    #[must_use]
    pub fn rules(&self, host: &Host) -> Rules {
        let host = self.clock_of(host);
        let own = self.hosts.get(host);
        let groups = self.groups_of(host);
        let mut policy = self.host_overrides.get(host).cloned().unwrap_or_default();
        if let Some(own) = own {
            policy = policy.or(own);
        }
        for (_, _, group) in &groups {
            policy = policy.or(&group.each_of_its_hosts());
        }
        policy = policy.or(&self.default);
        let may_be_asked = !self.closed || own.is_some() || !groups.is_empty();
        let groups = groups.into_iter().map(|(_, name, group)| GroupRules::new(name, &group)).collect();
        Rules::new(&policy, groups, may_be_asked)
    }
}

/// The rules of a group of hosts: what they share, and what holds for each.
///
/// ```
/// use bot_etiquette_politeness::{GroupPolicy, HostPolicy};
///
/// let group = GroupPolicy::new(["cdn.example".parse()?, "*.cdn.example".parse()?])
///     .per_second(8.0)?
///     .each(HostPolicy::new().max_open(4));
/// assert!(GroupPolicy::new([]).per_second(-1.0).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[must_use]
pub struct GroupPolicy {
    pub(crate) hosts: Option<Vec<HostPattern>>,
    pub(crate) per_second: Option<Rate>,
    pub(crate) max_open: Option<u32>,
    pub(crate) quota: Option<Vec<Quota>>,
    pub(crate) path_max_open: Option<u32>,
    pub(crate) retry_after_scope: Option<RetryAfterScope>,
    pub(crate) each: Option<HostPolicy>,
}

impl GroupPolicy {
    /// The keys of a `[group.name]` table.
    pub const KEYS: &[&'static str] =
        &["hosts", "per_second", "max_open", "quota", "per_path", "each", "retry_after_scope"];

    /// A group of these hosts, that shares nothing yet.
    pub fn new(hosts: impl IntoIterator<Item = HostPattern>) -> Self {
        Self { hosts: Some(hosts.into_iter().collect()), ..Self::default() }
    }

    /// Starts are at least `1/rate` seconds apart over all hosts of the group; no burst.
    pub fn per_second(mut self, rate: f64) -> Result<Self, InvalidRate> {
        self.per_second = Some(Rate::new(rate)?);
        Ok(self)
    }

    /// Requests open at one time over all hosts of the group; 0 counts as 1.
    pub fn max_open(mut self, open: u32) -> Self {
        self.max_open = Some(open.max(1));
        self
    }

    /// Quotas over all hosts of the group.
    pub fn quota(mut self, quotas: Vec<Quota>) -> Self {
        self.quota = Some(quotas);
        self
    }

    /// Requests open at one time on one host below one first segment of the path; 0 counts as 1.
    pub fn path_max_open(mut self, open: u32) -> Self {
        self.path_max_open = Some(open.max(1));
        self
    }

    /// What a Retry-After of one host holds; [`RetryAfterScope::Group`] holds them all.
    pub fn retry_after_scope(mut self, scope: RetryAfterScope) -> Self {
        self.retry_after_scope = Some(scope);
        self
    }

    /// Rules of each host that the host's own do not name.
    pub fn each(mut self, policy: HostPolicy) -> Self {
        self.each = Some(policy);
        self
    }

    fn or(&self, under: &Self) -> Self {
        Self {
            hosts: self.hosts.clone().or_else(|| under.hosts.clone()),
            per_second: self.per_second.or(under.per_second),
            max_open: self.max_open.or(under.max_open),
            quota: self.quota.clone().or_else(|| under.quota.clone()),
            path_max_open: self.path_max_open.or(under.path_max_open),
            retry_after_scope: self.retry_after_scope.or(under.retry_after_scope),
            each: match (&self.each, &under.each) {
                (Some(over), Some(under)) => Some(over.or(under)),
                (over, under) => over.as_ref().or(under.as_ref()).cloned(),
            },
        }
    }

    /// `each` may name it for its hosts, else the group does.
    pub(crate) fn scope_of_retry_after(&self) -> Option<RetryAfterScope> {
        self.each.as_ref().and_then(|each| each.retry_after_scope).or(self.retry_after_scope)
    }

    fn each_of_its_hosts(&self) -> HostPolicy {
        let each = self.each.clone().unwrap_or_default();
        HostPolicy { retry_after_scope: self.scope_of_retry_after(), ..each }
    }

    /// How closely a pattern of the group names the host; `None` when none does.
    fn closeness(&self, host: &Host) -> Option<usize> {
        self.hosts.iter().flatten().filter_map(|pattern| pattern.closeness(host)).max()
    }
}

/// A host, or every host below a suffix: `cdn.example` or `*.cdn.example`.
///
/// The suffix itself is not below itself; name both where both are meant.
///
/// ```
/// use bot_etiquette_politeness::HostPattern;
///
/// let pattern: HostPattern = "*.Example.com".parse()?;
/// assert!(pattern.matches(&"a.b.example.com".parse()?));
/// assert!(!pattern.matches(&"example.com".parse()?));
/// assert!(!pattern.matches(&"notexample.com".parse()?));
/// # Ok::<(), bot_etiquette_politeness::InvalidHost>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostPattern {
    host: Host,
    below: bool,
}

impl HostPattern {
    /// Whether the pattern names the host.
    #[must_use]
    pub fn matches(&self, host: &Host) -> bool {
        self.closeness(host).is_some()
    }

    fn closeness(&self, host: &Host) -> Option<usize> {
        let own = self.host.as_str();
        if self.below {
            let labels = host.as_str().strip_suffix(own)?;
            labels.strip_suffix('.').filter(|labels| !labels.is_empty()).map(|_| own.len())
        } else {
            (self.host == *host).then_some(usize::MAX)
        }
    }
}

impl FromStr for HostPattern {
    type Err = InvalidHost;

    fn from_str(text: &str) -> Result<Self, InvalidHost> {
        match text.strip_prefix("*.") {
            Some(suffix) => Ok(Self { host: suffix.parse()?, below: true }),
            None => Ok(Self { host: text.parse()?, below: false }),
        }
    }
}

impl From<Host> for HostPattern {
    fn from(host: Host) -> Self {
        Self { host, below: false }
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.below { "*." } else { "" }, self.host)
    }
}

/// A number of starts per second: above zero, finite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rate(f64);

impl Rate {
    pub(crate) fn new(per_second: f64) -> Result<Self, InvalidRate> {
        if per_second.is_finite() && per_second > 0.0 { Ok(Self(per_second)) } else { Err(InvalidRate) }
    }

    #[cfg(feature = "serde")]
    pub(crate) fn per_second(self) -> f64 {
        self.0
    }

    /// Milliseconds from one start to the next.
    pub(crate) fn interval(self) -> u64 {
        crate::backoff::as_millis(1000.0 / self.0)
    }
}

/// A rate that is no rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a rate must be a number above 0 (starts per second)")]
pub struct InvalidRate;

/// The name of a group that the policy does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the policy has no group named {name:?}")]
pub struct UnknownGroup {
    name: String,
}
