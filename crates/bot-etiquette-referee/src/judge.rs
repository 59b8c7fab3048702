//! From what was seen to what was broken. No clock, no socket: the records, the promise and a precision.

mod content;
mod holds;
mod identity;
mod pace;
mod robots;
mod signature;

use std::collections::BTreeMap;

pub(crate) use content::BODY_SLACK;

use crate::promise::Held;
use crate::record::{Record, Silent};
use crate::report::{Figures, HostFigures, Report, Violation};
use crate::rule::Rule;

/// Violations kept of each rule in one report, the earliest; a crawler that breaks it more often is known well enough.
pub(crate) const MAX_VIOLATIONS: u64 = 10_000;

/// How exactly the records tell time.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Precision {
    /// Watched here, with this time scale: a start is known within [`START_SLACK`], an end is never late.
    Watched { scale: f64 },
    /// Read from a log whose times are good to so many seconds.
    Logged { resolution: f64 },
}

/// Real seconds that a start may be noticed late, so that the gap after it looks shorter than it was.
const START_SLACK: f64 = 0.020;
/// Real seconds by which timers of clients wake early.
const END_SLACK: f64 = 0.002;
/// Real seconds that a hang-up may be noticed late.
const LEAVE_SLACK: f64 = 0.100;

/// From what a pause was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Anchor {
    Start,
    End,
}

impl Precision {
    /// Whether a measured gap proves that the true one was shorter than `required`.
    fn proves_shorter(self, gap: f64, required: f64, anchor: Anchor) -> bool {
        match self {
            Self::Watched { scale } => {
                let slack = if anchor == Anchor::Start { START_SLACK } else { END_SLACK };
                gap + (slack * scale).min(required / 4.0) < required
            }
            Self::Logged { resolution } if resolution > 0.0 => gap + resolution <= required,
            Self::Logged { .. } => gap + 1e-6 < required,
        }
    }

    /// Whether a measured length proves that the true one was longer than `allowed`.
    fn proves_longer(self, length: f64, allowed: f64) -> bool {
        match self {
            Self::Watched { scale } => {
                length - (LEAVE_SLACK * scale).min(allowed / 4.0).max(0.001 * scale) > allowed
            }
            Self::Logged { resolution } => length - resolution - 1e-6 > allowed,
        }
    }

    const fn scale(self) -> f64 {
        match self {
            Self::Watched { scale } => scale,
            Self::Logged { .. } => 1.0,
        }
    }
}

/// All that the judges look at.
struct Case<'a> {
    /// In order of their starts.
    records: &'a [Record],
    silent: &'a [Silent],
    held: &'a Held,
    precision: Precision,
    /// The time of judging: what is still open has been so until now.
    now: f64,
    /// For each record, the one whose redirect it follows.
    hop_of: Vec<Option<usize>>,
}

/// A broken rule, by the time of its request.
struct Finding {
    rule: Rule,
    at: f64,
    evidence: String,
}

impl Case<'_> {
    fn finding(&self, rule: Rule, record: &Record, evidence: impl std::fmt::Display) -> Finding {
        Finding { rule, at: record.start, evidence: format!("{}: {evidence}", self.name(record)) }
    }

    /// The request as evidence names it: no canary, no value of a credential, not without end.
    fn name(&self, record: &Record) -> String {
        const LONGEST: usize = 160;
        let mut target = identity::without_secrets(&record.target);
        if !identity::canaries_in(&self.held.promise.canaries, &record.target).is_empty() {
            target = format!("{}..", target.get(..1).unwrap_or_default());
        }
        if let Some((at, _)) = target.char_indices().nth(LONGEST) {
            target.truncate(at);
            target.push_str("..");
        }
        format!("{} {}{}", record.method, record.site, target)
    }

    fn end(&self, record: &Record) -> f64 {
        record.end.unwrap_or(self.now).max(record.start)
    }

    /// The latest moment at which the crawler can have thought a request over: news of a hang-up may come late.
    fn surely_ended(&self, record: &Record) -> f64 {
        let late = if record.left { LEAVE_SLACK * self.precision.scale() } else { 0.0 };
        (self.end(record) - late).max(record.start)
    }

    /// The records of each host, in order.
    fn by_host(&self) -> BTreeMap<&str, Vec<&Record>> {
        let mut hosts: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
        for record in self.records {
            hosts.entry(record.site.as_str()).or_default().push(record);
        }
        hosts
    }
}

/// Judges `records`; `now` is the time until which open requests have been open.
pub(crate) fn judge(
    mut records: Vec<Record>,
    silent: &[Silent],
    held: &Held,
    precision: Precision,
    now: f64,
) -> Report {
    records.sort_by(|a, b| a.start.total_cmp(&b.start));
    let hop_of = robots::hops(&records);
    let case = Case { records: &records, silent, held, precision, now, hop_of };
    let mut found = Vec::new();
    identity::judge(&case, &mut found);
    signature::judge(&case, &mut found);
    robots::judge(&case, &mut found);
    pace::judge(&case, &mut found);
    holds::judge(&case, &mut found);
    content::judge(&case, &mut found);
    found.sort_by(|a, b| a.at.total_cmp(&b.at));
    let left_out = cap(&mut found);
    let first = records.first().map_or(0.0, |record| record.start);
    let violations = found.into_iter().map(|finding| Violation {
        rule: finding.rule,
        at: round((finding.at - first).max(0.0)),
        evidence: finding.evidence,
    });
    Report {
        requests: u64::try_from(records.len()).unwrap_or(u64::MAX),
        violations: violations.collect(),
        left_out,
        figures: figures(&case),
        ..Report::default()
    }
}

/// Keeps the first [`MAX_VIOLATIONS`] of each rule, so that a rule broken at every request hides no other, and counts the
/// rest.
fn cap(found: &mut Vec<Finding>) -> BTreeMap<Rule, u64> {
    let mut counts: BTreeMap<Rule, u64> = BTreeMap::new();
    found.retain(|finding| {
        let count = counts.entry(finding.rule).or_default();
        *count += 1;
        *count <= MAX_VIOLATIONS
    });
    counts.retain(|_, count| {
        *count = count.saturating_sub(MAX_VIOLATIONS);
        *count > 0
    });
    counts
}

/// Seconds to the microsecond, so that a report is not full of digits that mean nothing.
fn round(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

fn figures(case: &Case<'_>) -> Figures {
    let mut figures = Figures::default();
    for record in case.records {
        let class = match record.status {
            0 => "none".to_owned(),
            status => format!("{}xx", status / 100),
        };
        let robots = record.is_robots().then(|| "robots".to_owned());
        for kind in robots.into_iter().chain([record.method.clone(), class]) {
            *figures.kinds.entry(kind).or_default() += 1;
        }
    }
    for (host, records) in case.by_host() {
        let mut of_host = HostFigures::default();
        let mut ends: Vec<f64> = Vec::new();
        let mut latest_end: Option<f64> = None;
        let mut last_start: Option<f64> = None;
        let shorter =
            |before: Option<f64>, gap: f64| Some(round(before.map_or(gap, |before| before.min(gap))));
        for record in records {
            of_host.requests += 1;
            of_host.bytes += record.sent;
            ends.retain(|end| *end > record.start);
            if let (true, Some(end)) = (ends.is_empty(), latest_end) {
                of_host.smallest_pause = shorter(of_host.smallest_pause, record.start - end);
                of_host.waited += record.start - end;
            }
            if let Some(start) = last_start {
                of_host.smallest_gap = shorter(of_host.smallest_gap, record.start - start);
            }
            last_start = Some(record.start);
            let end = case.surely_ended(record);
            ends.push(end);
            latest_end = Some(latest_end.map_or(end, |before| before.max(end)));
            of_host.most_open = of_host.most_open.max(u64::try_from(ends.len()).unwrap_or(u64::MAX));
        }
        of_host.waited = round(of_host.waited);
        figures.hosts.insert(host.to_owned(), of_host);
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slack_is_small_beside_the_promise_and_always_for_the_crawler() {
        let watched = Precision::Watched { scale: 1.0 };
        assert!(watched.proves_shorter(0.97, 1.0, Anchor::Start));
        assert!(!watched.proves_shorter(0.985, 1.0, Anchor::Start));
        assert!(watched.proves_shorter(0.99, 1.0, Anchor::End));
        assert!(!watched.proves_shorter(0.999, 1.0, Anchor::End));
        // At a scale of a thousand the slack would swallow the promise: a quarter of it is the most.
        let fast = Precision::Watched { scale: 1000.0 };
        assert!(fast.proves_shorter(7.0, 10.0, Anchor::Start));
        assert!(!fast.proves_shorter(7.6, 10.0, Anchor::Start));
        let log = Precision::Logged { resolution: 1.0 };
        assert!(log.proves_shorter(0.0, 1.0, Anchor::Start));
        assert!(!log.proves_shorter(1.0, 1.5, Anchor::Start));
        assert!(!watched.proves_longer(1.05, 1.0));
        assert!(watched.proves_longer(1.2, 1.0));
    }
}
