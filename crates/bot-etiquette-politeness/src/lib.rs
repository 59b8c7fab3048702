//! When a host may be asked again, and why not before.
//!
//! It opens no socket, reads no clock and never sleeps: time is an argument.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod ask;
mod backoff;
mod decide;
mod explain;
mod host;
mod host_policy;
mod hours;
mod http_date;
mod opened;
mod outcome;
mod permit;
mod policy;
#[cfg(feature = "serde")]
mod policy_serde;
mod politeness;
mod quota;
mod rate_limit;
mod reason;
mod refusal;
mod retry_after;
mod rules;
mod snapshot;
mod state;
mod table;
mod timestamp;
mod visits;
mod zone;

pub use ask::Ask;
pub use explain::Explanation;
pub use host::{Host, InvalidHost, Origin};
pub use host_policy::{
    BusyScope, DelayAnchor, HostPolicy, OverCap, RateLimitRule, RetryAfterRule, RetryAfterScope,
};
pub use hours::{Hours, HoursError, HoursWindow};
pub use opened::{Opened, Report, UnknownReport};
pub use outcome::{End, Failure, Outcome, UnknownFailure};
pub use permit::Permit;
pub use policy::{DEFAULT_MAX_HOSTS, GroupPolicy, HostPattern, InvalidRate, Policy, UnknownGroup};
#[cfg(feature = "toml")]
pub use policy_serde::PolicyError;
pub use politeness::{MAX_FORECAST, Politeness};
pub use quota::{InvalidQuota, Quota};
pub use rate_limit::RateLimit;
pub use reason::Reason;
pub use refusal::{Clock, Refusal};
pub use retry_after::RetryAfter;
pub use rules::Rules;
pub use snapshot::Snapshot;
pub use state::{GroupState, Groups, HostState, MAX_RESOURCES_PER_HOST};
pub use table::HostId;
pub use timestamp::Timestamp;
pub use visits::MAX_URLS_PER_HOST;
