//! When a host may be asked again, and why not before.
//!
//! It opens no socket, reads no clock and never sleeps: time is an argument.
// The shape to build on (files follow):
//
// Politeness::new(policy: Policy) -> Politeness            // cheap to clone, a handle to one table
//   .check(&ask, now) -> Result<(), Refusal>               // pure
//   .admit(&ask, now) -> Result<Permit, Refusal>
//   .explain(&ask, now) -> Explanation
//   .forecast(&ask, n, now) -> Vec<Timestamp>
//   .report(&ask, Report::{Busy, Challenged, Ok}, now)
//   .kill(&host, now) .revive(&host, now) .set_policy(policy, now) .set_host_policy(&host, HostPolicy, now)
//   .set_crawl_delay(&origin, Option<Duration>, now)
//   .host_id(&Host) -> Result<HostId, Refusal>  .check_host(HostId, now) -> Result<(), Refusal>  (clocks of the host alone)
//   .admit_at(HostId, &ask, now)
//   .export(now) -> Snapshot   .import(Snapshot, now)
// Permit::{host, finish(Outcome, now), redirected(Outcome, &Ask, now) -> Result<Permit, Refusal>, unsent(now)}; dropped = aborted at the
//   next time that is seen
// HostState / GroupState: serde values; HostState::{check, apply}(&rules, &mut [GroupState], event, now)
#![cfg_attr(docsrs, feature(doc_cfg))]

mod ask;
mod host;
mod outcome;
mod reason;
mod refusal;
mod timestamp;

pub use ask::Ask;
pub use host::{Host, InvalidHost, Origin};
pub use outcome::{End, Failure, Outcome, UnknownFailure};
pub use reason::Reason;
pub use refusal::{Clock, Refusal};
pub use timestamp::Timestamp;
