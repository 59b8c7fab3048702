//! The rules of one host, as a person writes them: every key may be left out.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::Hours;
use crate::quota::Quota;

/// Calls `$callback!` with every key: docs, name, type, and the form it has in a file.
macro_rules! host_policy_keys {
    ($callback:ident) => {
        $callback! {
            /// Requests open at one time; 1 by default, 0 counts as 1.
            max_open: u32 => Count,
            /// The pause between two requests; none by default.
            min_delay: Duration => Seconds,
            /// What the pause and the Crawl-delay are counted from; the end of the last request where one
            /// is open at a time, else the start.
            delay_anchor: DelayAnchor => DelayAnchor,
            /// By how much a step of backoff may be lengthened, as a fraction (0 to 1, never shorter); 0 by
            /// default.
            jitter: f64 => Fraction,
            /// The longest Crawl-delay that is kept; no cap by default.
            crawl_delay_cap: Duration => Seconds,
            /// What becomes of a Crawl-delay over the cap; honoured by default.
            crawl_delay_over: OverCap => OverCap,
            /// How long a host is left alone that did not answer; absent, no such hold.
            unreachable_first: Duration => Seconds,
            /// By how much each further failure in a row lengthens that; 2 by default, less than 1 counts as 1.
            unreachable_factor: f64 => Factor,
            /// The longest that a host is left alone for not answering; no bound by default.
            unreachable_max: Duration => Seconds,
            /// How long a host is left alone that says it is busy; absent, no such hold.
            busy_first: Duration => Seconds,
            /// By how much each further busy answer in a row lengthens that; 2 by default, less than 1 counts as 1.
            busy_factor: f64 => Factor,
            /// The longest that a host is left alone for being busy; no bound by default.
            busy_max: Duration => Seconds,
            /// What is held when an answer says busy: the host (by default) or the resource asked.
            busy_scope: BusyScope => BusyScope,
            /// The statuses that say busy; 429 and 503 by default.
            busy_statuses: Vec<u16> => Statuses,
            /// What a Retry-After does to the busy step; the later one counts by default.
            retry_after: RetryAfterRule => RetryAfterRule,
            /// What a Retry-After holds; the host by default.
            retry_after_scope: RetryAfterScope => RetryAfterScope,
            /// A Retry-After beyond this parks the host until it is revived; never by default.
            retry_after_park: Duration => Seconds,
            /// Whether the server's own rate limit headers may slow the crawler down; off by default.
            rate_limit: RateLimitRule => RateLimitRule,
            /// The hours in which a request may start; all by default.
            hours: Hours => HoursList,
            /// Quotas over rolling windows.
            quota: Vec<Quota> => QuotaList,
            /// By class, how long a URL is not asked again after its last start.
            revisit: BTreeMap<String, Duration> => Intervals,
            /// By class, how many requests may be open at one time, within `max_open`; 0 counts as 1.
            class_max_open: BTreeMap<String, u32> => Counts,
            /// Whether an operator blocked the host.
            blocked: bool => bool,
        }
    };
}
#[cfg(feature = "serde")]
pub(crate) use host_policy_keys;

macro_rules! define {
    ($($(#[$doc:meta])* $key:ident: $type:ty => $wire:ty,)*) => {
        /// The rules of one host. A key left out is inherited: from the host's groups, then from the
        /// policy's default, then from the library.
        ///
        /// ```
        /// use std::time::Duration;
        /// use bot_etiquette_politeness::{HostPolicy, OverCap};
        ///
        /// let policy = HostPolicy::new()
        ///     .max_open(1)
        ///     .min_delay(Duration::from_secs(1))
        ///     .crawl_delay_cap(Duration::from_secs(10))
        ///     .crawl_delay_over(OverCap::Clamp);
        /// ```
        #[derive(Debug, Clone, Default, PartialEq)]
        #[must_use]
        pub struct HostPolicy {
            $(pub(crate) $key: Option<$type>,)*
        }

        impl HostPolicy {
            /// The keys, as a policy file spells them.
            pub const KEYS: &[&'static str] = &[$(stringify!($key),)*];

            /// Rules that say nothing.
            pub fn new() -> Self {
                Self::default()
            }

            $($(#[$doc])*
            pub fn $key(mut self, value: $type) -> Self {
                self.$key = Some(value);
                self
            })*

            /// These rules, and `under` where they say nothing.
            pub(crate) fn or(&self, under: &Self) -> Self {
                Self { $($key: self.$key.clone().or_else(|| under.$key.clone()),)* }
            }
        }
    };
}
host_policy_keys!(define);

macro_rules! choices {
    ($($(#[$doc:meta])* $type:ident { $($(#[$choice_doc:meta])* $choice:ident,)* })*) => {
        $($(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
        pub enum $type {
            $($(#[$choice_doc])* $choice,)*
        })*
    };
}

choices! {
    /// What a pause is counted from.
    DelayAnchor {
        /// The end of the last request; while one is open, its start.
        #[default]
        End,
        /// The start of the last request.
        Start,
    }
    /// What becomes of a Crawl-delay over the policy's cap.
    OverCap {
        /// The cap is kept in its place.
        Clamp,
        /// The host is not asked, but for its robots.txt.
        Refuse,
        /// It is kept all the same.
        #[default]
        Honour,
    }
    /// What a busy answer holds.
    BusyScope {
        /// The host.
        #[default]
        Host,
        /// The resource that was asked; without one, the host.
        Resource,
    }
    /// What a Retry-After does.
    RetryAfterRule {
        /// It takes the place of the busy step, even a longer one.
        Honour,
        /// The later of both counts.
        #[default]
        Longest,
        /// Nothing.
        Ignore,
    }
    /// What a Retry-After holds.
    RetryAfterScope {
        /// The host.
        #[default]
        Host,
        /// The resource that was asked; without one, the host.
        Resource,
        /// Every host of the groups that the host is in; without one, the host.
        Group,
    }
    /// Whether the server's own rate limit headers are read.
    RateLimitRule {
        /// No.
        #[default]
        Off,
        /// Yes, and only ever to wait longer.
        SlowOnly,
    }
}
