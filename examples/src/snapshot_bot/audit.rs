//! Files and links are asked, host by host at the same time, each host in its own turn.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use bot_etiquette::fetch::{FetchLimits, OverLimit};
use bot_etiquette::html::{AuditAnswer, AuditRequest, AuditStep, FileAudit};
use bot_etiquette::politeness::Policy;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::probes::{Probe, Probes, What};
use super::record::{HopRecord, ProbeRecord};
use super::visitor::{Errand, TIME_LIMIT, Visitor};
use super::{policy, time};
use crate::asker::NotRead;
use crate::clock::Clock;
use crate::stack::BoxError;
use crate::state::State;
use crate::talk::{self, Talk};

/// Hosts that are asked at the same time.
const HOSTS: usize = 32;
/// Bytes that a compressed script or style sheet is unpacked to at the most, to count them.
const UNPACKED: u64 = 20_000_000;

/// The lane of all shared CDNs: they have one rate, so they are asked one after the other.
const SHARED: &str = "shared CDNs";
/// From the end of one to the start of the next there. The policy spaces the decisions; a decision may take a while to get
/// on the wire, and with this pause the requests themselves are no closer.
const SHARED_PAUSE: Duration = Duration::from_millis(125);

/// How it ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checked {
    pub(crate) asked: u32,
    /// Those that have to wait for longer than a crawl.
    pub(crate) later: u32,
    /// Those whose redirects lead to what another lane was about to ask.
    unsettled: Vec<(Probe, ProbeRecord)>,
}

/// What each lane needs.
#[derive(Clone)]
struct Desk {
    visitor: Visitor,
    state: Arc<State>,
    clock: Clock,
    talk: Talk,
}

/// Asks all of them.
pub(crate) async fn check(
    visitor: &Visitor,
    state: &Arc<State>,
    clock: Clock,
    talk: &Talk,
    policy: &Policy,
    probes: Vec<Probe>,
) -> Result<Checked, BoxError> {
    let desk = Desk { visitor: visitor.clone(), state: Arc::clone(state), clock, talk: talk.clone() };
    let mut lanes: BTreeMap<String, VecDeque<Probe>> = BTreeMap::new();
    for probe in probes {
        let host = probe.url.host_str().unwrap_or_default();
        let lane = if policy::is_shared_cdn(policy, host) { SHARED } else { host };
        lanes.entry(lane.to_owned()).or_default().push_back(probe);
    }
    let at_once = Arc::new(Semaphore::new(HOSTS));
    let mut running = JoinSet::new();
    for (name, lane) in lanes {
        let (desk, at_once) = (desk.clone(), Arc::clone(&at_once));
        running.spawn(async move {
            let _turn = at_once.acquire_owned().await?;
            desk.lane(lane, if name == SHARED { SHARED_PAUSE } else { Duration::ZERO }).await
        });
    }
    let mut sum = Checked::default();
    while let Some(done) = running.join_next().await {
        let lane = done??;
        sum.asked += lane.asked;
        sum.later += lane.later;
        sum.unsettled.extend(lane.unsettled);
    }
    for (probe, record) in std::mem::take(&mut sum.unsettled) {
        let record = desk.as_known(&probe, record.chain);
        Probes(state).keep(&probe, &record, record.at)?;
    }
    Ok(sum)
}

impl Desk {
    /// The files and links of one host, one after the other.
    async fn lane(&self, mut lane: VecDeque<Probe>, pause: Duration) -> Result<Checked, BoxError> {
        let mut sum = Checked::default();
        while let Some(probe) = lane.pop_front() {
            if self.visitor.is_interrupted() {
                sum.later += 1;
                continue;
            }
            // A redirect of another may have led here meanwhile.
            let now = time::millis(self.clock.now());
            if self.was_asked(&probe)? {
                continue;
            }
            match self.ask(&probe).await {
                Some(record) => {
                    Probes(&self.state).keep(&probe, &record, now)?;
                    self.talk.done(format!("{} {} {}", record.outcome, probe.what.as_str(), probe.url));
                    sum.asked += 1;
                    if record.outcome == "later" && !record.chain.is_empty() {
                        sum.unsettled.push((probe, record));
                    }
                    tokio::time::sleep(self.clock.real_duration(pause)).await;
                }
                None => sum.later += 1,
            }
        }
        Ok(sum)
    }

    /// Asks one as often as it takes; `None` where not even the first request may leave now.
    async fn ask(&self, probe: &Probe) -> Option<ProbeRecord> {
        let mut audit = match probe.what {
            What::File => FileAudit::file(probe.url.clone(), probe.kind),
            What::Link => FileAudit::link(probe.url.clone()),
        };
        let (mut chain, mut error) = (Vec::new(), None);
        let report = loop {
            let request = match audit.step() {
                AuditStep::Ask(request) => request,
                AuditStep::Done(report) => break report,
                _ => return None,
            };
            let is_first = error.is_none() && chain.is_empty() && request.method == http::Method::HEAD;
            let came = self.visitor.ask(self.errand(probe, request)).await;
            if chain.is_empty() {
                chain = came.chain.iter().map(HopRecord::from).collect();
            }
            match came.answer {
                Ok(answer) => {
                    error = None;
                    let whole = answer.cut.is_none().then_some(answer.body.len() as u64);
                    let given =
                        AuditAnswer::new(answer.status, answer.headers).body(answer.body).unpacked(whole);
                    audit.answered(given);
                }
                Err(NotRead::Later { .. }) if is_first && !chain.is_empty() => {
                    return Some(self.as_known(probe, chain));
                }
                Err(NotRead::Later { .. } | NotRead::Interrupted) if is_first && chain.is_empty() => {
                    return None;
                }
                Err(failed) => {
                    audit.failed(was_closed(&failed));
                    error = Some(failed);
                }
            }
        };
        Some(ProbeRecord::new(&report, chain, error.as_ref(), time::millis(self.clock.now())))
    }

    /// A redirect leads to what must not be asked now: most often since it was asked not long ago, and is known.
    fn as_known(&self, probe: &Probe, chain: Vec<HopRecord>) -> ProbeRecord {
        let known =
            chain.last().and_then(|hop| Probes(&self.state).record(&hop.to, probe.what).ok().flatten());
        let at = time::millis(self.clock.now());
        match known {
            Some(known) => ProbeRecord { chain, ..known },
            None => {
                let note = Some("it leads to a host that has to wait".to_owned());
                ProbeRecord { outcome: "later".to_owned(), chain, note, at, ..ProbeRecord::default() }
            }
        }
    }

    fn errand(&self, probe: &Probe, request: AuditRequest) -> Errand {
        let is_head = request.method == http::Method::HEAD;
        // The first request is what is counted by the week or the month; the others belong to it.
        let class = match (probe.what, is_head) {
            (What::File, true) => "file",
            (What::File, false) => "file-part",
            (What::Link, true) => "link",
            (What::Link, false) => "link-part",
        };
        let mut errand = Errand::new(request.method, request.url, class);
        errand.headers = request.headers;
        errand.limits = FetchLimits::default()
            .total(TIME_LIMIT)
            .wire_bytes(request.body_limit)
            .decoded_bytes(UNPACKED)
            .over_limit(OverLimit::Cut);
        if is_head {
            let (state, clock, url, what) =
                (Arc::clone(&self.state), self.clock, probe.url.clone(), probe.what);
            errand.sent = Some(Arc::new(move || {
                if let Err(error) = Probes(&state).asked(&url, what, time::millis(clock.now())) {
                    talk::warn(format_args!("not written down that {url} was asked: {error}"));
                }
            }));
        }
        errand
    }

    fn was_asked(&self, probe: &Probe) -> rusqlite::Result<bool> {
        let record = Probes(&self.state).record(&probe.url, probe.what)?;
        let now = time::millis(self.clock.now());
        // What robots.txt closed was not asked: it may be open today.
        let record = record.filter(|record| record.outcome != "closed");
        Ok(record.is_some_and(|record| record.at + time::of(probe.what.age()) > now))
    }
}

/// Whether the connection ended without an answer, which is how some servers refuse HEAD.
fn was_closed(error: &NotRead) -> bool {
    matches!(error, NotRead::NoAnswer(why) if why.starts_with("the connection ended early"))
}
