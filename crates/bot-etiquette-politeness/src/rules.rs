//! The rules of one host with nothing left open: what the clocks are judged by.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::Hours;
use crate::backoff::Steps;
use crate::host_policy::{
    BusyScope, DelayAnchor, HostPolicy, OverCap, RateLimitRule, RetryAfterRule, RetryAfterScope,
};
use crate::policy::GroupPolicy;
use crate::quota::Quota;
use crate::timestamp::millis_up;

/// The rules that hold for one host, resolved by [`Policy::rules`](crate::Policy::rules).
///
/// ```
/// use bot_etiquette_politeness::{HostPolicy, Policy};
///
/// let policy = Policy::new(HostPolicy::new().max_open(2));
/// let rules = policy.rules(&"example.com".parse()?);
/// assert_eq!(rules.max_open(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    pub(crate) max_open: u32,
    pub(crate) min_delay: u64,
    pub(crate) anchor: DelayAnchor,
    pub(crate) jitter: f64,
    pub(crate) crawl_delay_cap: Option<u64>,
    pub(crate) crawl_delay_over: OverCap,
    pub(crate) unreachable: Option<Steps>,
    pub(crate) busy: Option<Steps>,
    pub(crate) busy_scope: BusyScope,
    pub(crate) busy_statuses: Vec<u16>,
    pub(crate) retry_after: RetryAfterRule,
    pub(crate) retry_after_scope: RetryAfterScope,
    pub(crate) retry_after_park: Option<Duration>,
    pub(crate) rate_limit: RateLimitRule,
    pub(crate) hours: Option<Hours>,
    pub(crate) quotas: Vec<Quota>,
    pub(crate) revisit: BTreeMap<String, u64>,
    pub(crate) class_max_open: BTreeMap<String, u32>,
    pub(crate) blocked: bool,
    pub(crate) may_be_asked: bool,
    pub(crate) groups: Vec<GroupRules>,
}

impl Rules {
    pub(crate) fn new(policy: &HostPolicy, groups: Vec<GroupRules>, may_be_asked: bool) -> Self {
        let millis = |duration: Option<Duration>| duration.map(millis_up);
        let steps = |first: Option<Duration>, factor: Option<f64>, max: Option<Duration>| {
            Some(Steps {
                first: millis(first)?,
                // Also where it is no number.
                factor: factor.unwrap_or(DEFAULT_FACTOR).max(1.0),
                max: millis(max).unwrap_or(u64::MAX),
            })
        };
        let max_open = policy.max_open.unwrap_or(1).max(1);
        let default_anchor = if max_open == 1 { DelayAnchor::End } else { DelayAnchor::Start };
        Self {
            max_open,
            min_delay: millis(policy.min_delay).unwrap_or(0),
            anchor: policy.delay_anchor.unwrap_or(default_anchor),
            jitter: policy.jitter.filter(|jitter| *jitter > 0.0).map_or(0.0, |jitter| jitter.min(1.0)),
            crawl_delay_cap: millis(policy.crawl_delay_cap),
            crawl_delay_over: policy.crawl_delay_over.unwrap_or_default(),
            unreachable: steps(policy.unreachable_first, policy.unreachable_factor, policy.unreachable_max),
            busy: steps(policy.busy_first, policy.busy_factor, policy.busy_max),
            busy_scope: policy.busy_scope.unwrap_or_default(),
            busy_statuses: policy.busy_statuses.clone().unwrap_or_else(|| DEFAULT_BUSY_STATUSES.to_vec()),
            retry_after: policy.retry_after.unwrap_or_default(),
            retry_after_scope: policy.retry_after_scope.unwrap_or_default(),
            retry_after_park: policy.retry_after_park,
            rate_limit: policy.rate_limit.unwrap_or_default(),
            hours: policy.hours.clone(),
            quotas: policy.quota.clone().unwrap_or_default(),
            revisit: policy
                .revisit
                .iter()
                .flatten()
                .map(|(class, interval)| (class.clone(), millis_up(*interval)))
                .collect(),
            class_max_open: policy
                .class_max_open
                .iter()
                .flatten()
                .map(|(class, open)| (class.clone(), (*open).max(1)))
                .collect(),
            blocked: policy.blocked.unwrap_or(false),
            may_be_asked,
            groups,
        }
    }

    /// Requests open at one time.
    #[must_use]
    pub fn max_open(&self) -> u32 {
        self.max_open
    }

    /// The policy's own pause.
    #[must_use]
    pub fn min_delay(&self) -> Duration {
        Duration::from_millis(self.min_delay)
    }

    /// The names of the groups that the host is in.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().map(|group| &*group.name)
    }

    /// Whether it matters when a URL was last asked in this class.
    pub(crate) fn keeps_visits_of(&self, class: &str) -> bool {
        self.revisit.get(class).is_some_and(|interval| *interval > 0)
    }

    /// The Crawl-delay that is kept when robots.txt asks for `asked`, and whether it keeps the crawler away: then it is no
    /// pause between requests, for the one path that may still be asked has paces of its own.
    pub(crate) fn crawl_delay(&self, asked: u64) -> (u64, bool) {
        match (self.crawl_delay_cap, self.crawl_delay_over) {
            (Some(cap), OverCap::Clamp) => (asked.min(cap), false),
            (Some(cap), OverCap::Refuse) if asked > cap => (0, true),
            _ => (asked, false),
        }
    }
}

/// The statuses that say busy, where a policy names none.
const DEFAULT_BUSY_STATUSES: [u16; 2] = [429, 503];
/// By how much a step grows, where a policy does not say.
const DEFAULT_FACTOR: f64 = 2.0;

/// The rules that the hosts of a group share.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GroupRules {
    pub(crate) name: Arc<str>,
    /// Milliseconds from one start to the next.
    pub(crate) interval: u64,
    pub(crate) max_open: Option<u32>,
    pub(crate) path_max_open: Option<u32>,
    pub(crate) quotas: Vec<Quota>,
    /// Whether a Retry-After of one host holds all of them.
    pub(crate) retry_after: bool,
}

impl GroupRules {
    pub(crate) fn new(name: Arc<str>, policy: &GroupPolicy) -> Self {
        Self {
            name,
            interval: policy.per_second.map_or(0, crate::policy::Rate::interval),
            max_open: policy.max_open,
            path_max_open: policy.path_max_open,
            quotas: policy.quota.clone().unwrap_or_default(),
            retry_after: policy.scope_of_retry_after() == Some(RetryAfterScope::Group),
        }
    }
}
