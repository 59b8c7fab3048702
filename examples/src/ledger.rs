//! The politeness report: what was asked of each host, what was waited for, and why.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use bot_etiquette::fetch::Fetched;
use serde::Serialize;

use crate::clock::Clock;
use crate::stack::Step;

/// How many events of a host a timeline shows; the figures count all of them.
pub const MAX_EVENTS: usize = 2_000;

/// What was asked of whom; clones share it.
#[derive(Clone)]
pub struct Ledger {
    clock: Clock,
    began: SystemTime,
    hosts: Arc<Mutex<BTreeMap<String, HostLedger>>>,
}

/// What was asked of a host.
#[derive(Clone, Debug, Default, Serialize)]
pub struct HostLedger {
    /// Requests that left, robots.txt and each hop among them.
    pub requests: u64,
    /// Bytes of bodies on the wire, of the answers that were read to their end.
    pub bytes: u64,
    /// How often each status came.
    pub statuses: BTreeMap<u16, u64>,
    /// Exchanges that broke off, or came to no answer.
    pub failures: u64,
    /// What was waited for: the code of each reason, how often and for how many seconds it was the last to wait for.
    pub waits: BTreeMap<&'static str, Waited>,
    /// Requests that robots.txt closed.
    pub closed: u64,
    /// The Crawl-delay that its robots.txt asks for, in seconds.
    pub crawl_delay: Option<f64>,
    /// What happened when, for a timeline; the first [`MAX_EVENTS`].
    pub events: Vec<Event>,
}

/// The report: `{"schema":1,"seconds":..,"hosts":{"example.com":{..}}}`.
#[derive(Clone, Debug, Serialize)]
pub struct LedgerReport {
    schema: u32,
    seconds: f64,
    hosts: BTreeMap<String, HostLedger>,
}

/// How often, and how long.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Waited {
    /// How often.
    pub times: u64,
    /// How long in all, in seconds of the clock.
    pub seconds: f64,
}

/// One thing that happened.
#[derive(Clone, Debug, Serialize)]
pub struct Event {
    /// When, in seconds since the run began.
    pub at: f64,
    /// What.
    #[serde(flatten)]
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "event")]
#[non_exhaustive]
pub enum What {
    /// A request left.
    Sent {
        /// Its method.
        method: String,
        /// Its path, without what was asked there.
        path: String,
    },
    /// An answer began.
    Answered {
        /// Its status.
        status: u16,
    },
    /// A request waits.
    Waits {
        /// The code of what it waits for last.
        reason: &'static str,
        /// For how many seconds; `None` for a slot.
        seconds: Option<f64>,
    },
    /// An exchange came to nothing.
    Failed {
        /// Why.
        why: String,
    },
}

impl HostLedger {
    fn absorb(&mut self, other: Self) {
        self.requests += other.requests;
        self.bytes += other.bytes;
        self.failures += other.failures;
        self.closed += other.closed;
        self.crawl_delay = other.crawl_delay.or(self.crawl_delay);
        for (status, times) in other.statuses {
            *self.statuses.entry(status).or_default() += times;
        }
        for (reason, waited) in other.waits {
            let sum = self.waits.entry(reason).or_default();
            sum.times += waited.times;
            sum.seconds += waited.seconds;
        }
        let room = MAX_EVENTS.saturating_sub(self.events.len());
        self.events.extend(other.events.into_iter().take(room));
    }
}

impl Ledger {
    /// Begins now.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self { clock, began: clock.now(), hosts: Arc::default() }
    }

    /// For [`Stack::watch`](crate::stack::Stack::watch).
    pub fn note(&self, step: &Step<'_>) {
        match step {
            Step::Learned(origin, delay) => {
                let host = origin.parse::<http::Uri>().ok().and_then(|uri| uri.host().map(str::to_owned));
                self.of(&host.unwrap_or_default(), None, |host| {
                    host.crawl_delay = delay.map(|delay| delay.as_secs_f64());
                });
            }
            Step::Judged(uri, verdict) if !verdict.is_allowed() => {
                self.of(uri.host().unwrap_or_default(), None, |host| host.closed += 1);
            }
            Step::Judged(..) => {}
            Step::Waits(ask, refusal) => {
                let Some(reason) = refusal.clocks().iter().max_by_key(|clock| clock.until).map(|c| c.reason)
                else {
                    return;
                };
                let seconds = refusal.until().map(|until| until.since(self.clock.now().into()).as_secs_f64());
                let what = What::Waits { reason: reason.code(), seconds };
                self.of(ask.host_str().unwrap_or_default(), Some(what), |host| {
                    let waited = host.waits.entry(reason.code()).or_default();
                    waited.times += 1;
                    waited.seconds += seconds.unwrap_or_default();
                });
            }
            Step::Sent(request) => {
                let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
                let what = What::Sent { method, path };
                self.of(request.uri().host().unwrap_or_default(), Some(what), |host| host.requests += 1);
            }
            Step::Answered(..) => {}
        }
    }

    /// The answer of a host was read to its end.
    pub fn received(&self, host: &str, fetched: &Fetched) {
        let host = fetched.followed.last().and_then(|hop| hop.to.host_str()).unwrap_or(host);
        self.answered(host, fetched.status.as_u16(), fetched.wire_bytes);
        for hop in &fetched.followed {
            self.of(hop.from.host_str().unwrap_or_default(), None, |host| {
                *host.statuses.entry(hop.status.as_u16()).or_default() += 1;
            });
        }
    }

    /// The answer of a host was read as far as it was wanted: so many bytes on the wire.
    pub fn answered(&self, host: &str, status: u16, bytes: u64) {
        self.of(host, Some(What::Answered { status }), |host| {
            host.bytes += bytes;
            *host.statuses.entry(status).or_default() += 1;
        });
    }

    /// An exchange with a host came to nothing.
    pub fn failed(&self, host: &str, error: &(dyn Error + 'static)) {
        let why = error.to_string();
        self.of(host, Some(What::Failed { why }), |host| host.failures += 1);
    }

    /// What is known so far, by host.
    #[must_use]
    pub fn hosts(&self) -> BTreeMap<String, HostLedger> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How long it has been kept.
    #[must_use]
    pub fn duration(&self) -> Duration {
        self.clock.now().duration_since(self.began).unwrap_or_default()
    }

    /// Whether both are clones of one.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.hosts, &other.hosts)
    }

    /// Takes in what another has noted, such as that of a run before; its events keep their moments.
    pub fn absorb(&self, other: &Self) {
        if self.is_same(other) {
            return;
        }
        let later = other.began.duration_since(self.began).unwrap_or_default().as_secs_f64();
        for (name, mut noted) in other.hosts() {
            noted.events.iter_mut().for_each(|event| event.at += later);
            self.of(&name, None, |host| host.absorb(noted));
        }
    }

    /// What a report says, to be written as it is: a tree of it would take several times its memory.
    #[must_use]
    pub fn report(&self) -> LedgerReport {
        LedgerReport { schema: 1, seconds: self.duration().as_secs_f64(), hosts: self.hosts() }
    }

    /// The report as data, for who adds to it.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::json!(self.report())
    }

    fn of(&self, host: &str, event: Option<What>, note: impl FnOnce(&mut HostLedger)) {
        let at = self.duration().as_secs_f64();
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let host = hosts.entry(host.to_ascii_lowercase()).or_default();
        note(host);
        if let Some(what) = event.filter(|_| host.events.len() < MAX_EVENTS) {
            host.events.push(Event { at, what });
        }
    }
}
