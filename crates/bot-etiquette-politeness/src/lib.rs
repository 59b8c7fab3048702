//! When a host may be asked again, and why not before.
//!
//! This crate is no scheduler, no HTTP client and no robots.txt parser. It opens no socket, reads no clock,
//! never sleeps and draws no random number: time is an argument, and each refusal says when to come back.
//!
//! # Ask, send, finish
//!
//! [`Politeness`] keeps the clocks of all hosts. A crawler asks it before every request, redirect hops and
//! robots.txt included, and tells it how the request ended:
//!
//! ```
//! use std::time::Duration;
//! use bot_etiquette_politeness::{Ask, HostPolicy, Outcome, Policy, Politeness, Timestamp};
//!
//! let policy = HostPolicy::new()
//!     .max_open(1)
//!     .min_delay(Duration::from_secs(1))
//!     .unreachable_first(Duration::from_secs(900))
//!     .busy_first(Duration::from_secs(60));
//! let politeness = Politeness::new(Policy::new(policy));
//!
//! let url = url::Url::parse("https://example.com/")?;
//! let now = Timestamp::from_millis(1_830_297_540_000); // from your clock: see `Timestamp`
//! let permit = politeness.admit(&Ask::new(&url), now)?;
//!
//! // .. send the request, read its answer to the end ..
//! let mut headers = http::HeaderMap::new();
//! headers.insert("retry-after", "120".parse()?);
//! let now = now + Duration::from_millis(300);
//! permit.finish(&Outcome::answered(429, &headers, now), now);
//!
//! let refusal = politeness.admit(&Ask::new(&url), now).unwrap_err();
//! assert_eq!(refusal.until(), Some(now + Duration::from_secs(120)));
//! assert_eq!(
//!     politeness.explain(&Ask::new(&url), now).to_string(),
//!     "\
//! wait until 1830297660.3 (in 120 s)
//! * retry-after until 1830297660.3: the server said Retry-After
//! - busy until 1830297600.3: the server said that it is busy and is left alone for a while
//! - min-delay until 1830297541.3: the pause between two requests is not over
//! "
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The clocks
//!
//! Each clock is kept apart, the latest wins, and the [`Refusal`] names all that refuse:
//!
//! | [`Reason`] | runs from | until |
//! |---|---|---|
//! | in-flight | an admitted request | a slot of the host, the class, the path or the group comes free |
//! | min-delay, crawl-delay | the last end (one open at a time) or start (more) | the pause is over |
//! | unreachable, busy | the first failure of an incident | `first * factor^(n-1)`, at most `max` |
//! | retry-after, rate-limit | the answer | what the server said; never shortened |
//! | group-rate | the last start in the group | one interval later |
//! | quota | the starts in a rolling window | the oldest that counts has left it |
//! | revisit | the last start of the URL and class | its interval is over |
//! | outside-hours | | the next opening |
//! | crawl-delay-too-long, retry-after-too-long, challenged, killed, not-configured | | a person, or a new robots.txt, changes it |
//! | table-full | | something can be forgotten |
//!
//! Two rules hold for every hold. Its *counter* moves once per incident: requests that were open when the hold
//! began tell nothing new when they fail too. Its *deadline* only ever moves forward: a good answer resets the
//! counter, and the hold runs to its end.
//!
//! # Policies
//!
//! A [`Policy`] is a default, hosts with rules of their own, and groups of hosts that share limits; with the
//! feature `toml` it is read from a file. A key left out is inherited: host, group, default, library. The
//! library's own default asks for little: one request open, no pause, no backoff, any Crawl-delay honoured, a
//! Retry-After kept. Say what your crawler promises.
//!
//! # A crawler around it
//!
//! A crawl with tower puts the feature `tower`'s `PolitenessLayer` into its stack. The same with a plain loop around any
//! client is a [`ReadyQueue`] and four arms; the workspace's examples `reqwest_loop.rs` and `ureq_loop.rs` are this
//! loop whole, with redirects, around two clients:
//!
//! ```
//! use std::time::Duration;
//! use bot_etiquette_politeness::{
//!     Ask, Failure, HostPolicy, Next, Outcome, Policy, Politeness, Priority, ReadyQueue, Timestamp,
//! };
//! use url::Url;
//!
//! # fn send(url: &Url) -> Result<http::Response<Vec<u8>>, std::io::Error> { Ok(http::Response::new(url.path().into())) }
//! # struct Clock(std::cell::Cell<u64>);
//! # impl Clock {
//! #     fn now(&self) -> Timestamp { Timestamp::from_millis(self.0.get()) }
//! #     fn sleep_until(&self, at: Timestamp) { self.0.set(at.as_millis()); }
//! # }
//! # let clock = Clock(std::cell::Cell::new(1_830_297_540_000));
//! # let mut read = 0;
//! let politeness = Politeness::new(Policy::new(HostPolicy::new().min_delay(Duration::from_secs(1))));
//! let mut queue = ReadyQueue::new();
//! for page in ["https://one.example/a", "https://one.example/b", "https://two.example/"] {
//!     let url: Url = page.parse()?;
//!     let host = politeness.host_id_of(&url, clock.now())?;
//!     queue.push(host, Priority::Crawl, url, clock.now());
//! }
//! loop {
//!     match queue.admit_next(&politeness, clock.now(), |url| Ask::new(url)) {
//!         Next::Go(permit, ready) => {
//!             // No redirect is followed by the client: each hop is pushed, and waits for its own host's turn.
//!             let outcome = match send(&ready.item) {
//!                 Ok(answer) => Outcome::answered(answer.status().as_u16(), answer.headers(), clock.now()),
//!                 Err(_) => Outcome::failed(Failure::Connect),
//!             };
//!             permit.finish(&outcome, clock.now()); // once the body has been read
//!             queue.wake(ready.host, clock.now());
//! #           read += 1;
//!         }
//!         Next::Wait(until) => clock.sleep_until(until),
//!         Next::Never(ready, refusal) => println!("{} left out: {refusal}", ready.item),
//!         Next::Empty => break,
//!     }
//! }
//! # assert_eq!(read, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Restarts, stores, scale
//!
//! [`Politeness::export`] and [`import`](Politeness::import) carry everything over a restart; a clock that was
//! stepped in between makes no hold shorter than what was left of it. A table forgets only hosts of which
//! nothing is running, and refuses new ones when it is full.
//!
//! Under it lies [`HostState`], a small value, and functions of it: several processes that share a store load
//! it, decide, and write it back in one transaction. A [`Store`] is such a program for the layer.
//!
//! # Features
//!
//! - `serde`: policies, states, snapshots. `toml`: policy files. `zones`: hours in named time zones; without
//!   it, UTC and fixed offsets.
//!
//! `tower`: the layer for tower stacks; `tokio`: its clock for tokio. None is on by default.
//!
//! # Sources
//!
//! Retry-After: RFC 9110 section 10.2.3, RFC 6585 section 4. RateLimit: draft-ietf-httpapi-ratelimit-headers.
//! Crawl-delay is in no RFC; it is read as the seconds between two requests.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod admit_next;
mod ask;
mod backoff;
mod blocks;
mod decide;
mod explain;
mod host;
mod host_policy;
mod hours;
mod http_date;
mod learn;
mod opened;
mod outcome;
mod permit;
mod policy;
#[cfg(feature = "toml")]
mod policy_file;
#[cfg(feature = "serde")]
mod policy_serde;
#[cfg(feature = "serde")]
mod policy_values;
mod politeness;
mod quota;
mod rate_limit;
mod ready_queue;
mod reason;
mod refusal;
mod report;
mod retry_after;
mod rules;
mod snapshot;
mod state;
mod store;
#[cfg(feature = "tower")]
mod sync;
mod table;
mod timestamp;
#[cfg(feature = "tower")]
#[cfg_attr(docsrs, doc(cfg(feature = "tower")))]
pub mod tower;
mod visits;
mod zone;

pub use admit_next::Next;
pub use ask::Ask;
pub use explain::Explanation;
pub use host::{Host, InvalidHost, InvalidOrigin, Origin};
pub use host_policy::{
    BusyScope, DelayAnchor, HostPolicy, OverCap, RateLimitRule, RetryAfterRule, RetryAfterScope,
};
pub use hours::{Hours, HoursError, HoursWindow};
pub use opened::Opened;
pub use outcome::{End, Failure, Outcome, UnknownFailure};
pub use permit::Permit;
pub use policy::{DEFAULT_MAX_HOSTS, GroupPolicy, HostPattern, InvalidRate, Policy, UnknownGroup};
#[cfg(feature = "toml")]
pub use policy_file::PolicyError;
pub use politeness::{MAX_FORECAST, Politeness};
pub use quota::{InvalidQuota, Quota};
pub use rate_limit::RateLimit;
pub use ready_queue::{Priority, Ready, ReadyQueue, SLOT_RECHECK};
pub use reason::Reason;
pub use refusal::{Clock, Refusal};
pub use report::{Report, UnknownReport};
pub use retry_after::RetryAfter;
pub use rules::Rules;
pub use snapshot::Snapshot;
pub use state::{GroupState, Groups, HostState, MAX_RESOURCES_PER_HOST};
pub use store::Store;
pub use table::HostId;
pub use timestamp::Timestamp;
pub use visits::MAX_URLS_PER_HOST;

/// The README's example, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
