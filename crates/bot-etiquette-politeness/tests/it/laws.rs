//! What must hold after any events whatsoever: the decisions are those of a slow model that remembers
//! everything and works each answer out from the start.
//!
//! A case is bytes, so that property tests and fuzzing share every line of it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bot_etiquette_politeness::{
    Ask, BusyScope, DelayAnchor, Failure, GroupPolicy, HostPolicy, Origin, Outcome, OverCap, Permit, Policy,
    Politeness, Quota, Reason, Refusal, Report, RetryAfterRule, RetryAfterScope, Snapshot, Timestamp,
};
use url::Url;

/// Bytes of one event.
pub(crate) const EVENT: usize = 6;
/// Bytes of the policy, before the events.
pub(crate) const RULES: usize = 12;

/// The hosts of every case; the first two are one group.
const HOSTS: [&str; 3] = ["a.group", "b.group", "alone"];
const CLASSES: [&str; 3] = ["crawl", "page", "file"];
const RESOURCES: [&str; 2] = ["svc-a", "svc-b"];

/// The policy of a case, in milliseconds.
#[derive(Debug, Clone, Copy)]
struct Law {
    max_open: u32,
    min_delay: u64,
    start_anchor: bool,
    cap: u64,
    over: OverCap,
    unreachable: Option<u64>,
    busy: Option<u64>,
    busy_by_resource: bool,
    rule: RetryAfterRule,
    scope: RetryAfterScope,
    park: u64,
    quota: u32,
    revisit: u64,
    file_slots: u32,
    interval: u64,
    group_slots: u32,
    group_quota: u32,
}

const MAX_HOLD: u64 = 40_000;
const QUOTA_WINDOW: u64 = 9_000;
const GROUP_WINDOW: u64 = 15_000;

impl Law {
    fn read(bytes: &[u8; RULES]) -> Self {
        let [slots, delay, cap, holds, busy, retry, park, quota, revisit, file, group, group_quota] = *bytes;
        Self {
            max_open: 1 + u32::from(slots % 3),
            min_delay: u64::from(delay % 8) * 250,
            start_anchor: slots & 16 != 0,
            cap: 1000 + u64::from(cap % 4) * 500,
            over: [OverCap::Clamp, OverCap::Refuse, OverCap::Honour][usize::from(cap / 4 % 3)],
            unreachable: (holds % 4 != 0).then(|| u64::from(holds) * 20),
            busy: (busy % 4 != 0).then(|| u64::from(busy) * 20),
            busy_by_resource: busy & 64 != 0,
            rule: [RetryAfterRule::Honour, RetryAfterRule::Longest, RetryAfterRule::Ignore]
                [usize::from(retry % 3)],
            scope: [RetryAfterScope::Host, RetryAfterScope::Resource, RetryAfterScope::Group]
                [usize::from(retry / 3 % 3)],
            park: 5_000 + u64::from(park) * 40,
            quota: 1 + u32::from(quota % 6),
            revisit: u64::from(revisit % 8) * 700,
            file_slots: 1 + u32::from(file % 2),
            interval: u64::from(group % 5) * 125,
            group_slots: 1 + u32::from(group / 5 % 4),
            group_quota: 1 + u32::from(group_quota % 9),
        }
    }

    fn policy(&self) -> Policy {
        let millis = Duration::from_millis;
        let mut host = HostPolicy::new()
            .max_open(self.max_open)
            .min_delay(millis(self.min_delay))
            .delay_anchor(if self.start_anchor { DelayAnchor::Start } else { DelayAnchor::End })
            .crawl_delay_cap(millis(self.cap))
            .crawl_delay_over(self.over)
            .unreachable_max(millis(MAX_HOLD))
            .busy_max(millis(MAX_HOLD))
            .busy_scope(if self.busy_by_resource { BusyScope::Resource } else { BusyScope::Host })
            .retry_after(self.rule)
            .retry_after_scope(self.scope)
            .retry_after_park(millis(self.park))
            .quota(vec![Quota::new("pages", self.quota, millis(QUOTA_WINDOW)).unwrap().classes(["page"])])
            .revisit(BTreeMap::from([("file".to_owned(), millis(self.revisit))]))
            .class_max_open(BTreeMap::from([("file".to_owned(), self.file_slots)]));
        if let Some(first) = self.unreachable {
            host = host.unreachable_first(millis(first));
        }
        if let Some(first) = self.busy {
            host = host.busy_first(millis(first));
        }
        let mut group = GroupPolicy::new(["*.group".parse().unwrap()])
            .max_open(self.group_slots)
            .quota(vec![Quota::new("all", self.group_quota, millis(GROUP_WINDOW)).unwrap()]);
        if self.interval > 0 {
            group = group.per_second(1000.0 / self.interval as f64).unwrap();
        }
        Policy::new(host).group("group", group)
    }
}

/// What the model writes down.
#[derive(Debug, Clone)]
struct Entry {
    at: u64,
    what: What,
}

#[derive(Debug, Clone)]
enum What {
    Start {
        host: usize,
        class: usize,
        path: u8,
        resource: Option<usize>,
    },
    /// Ends the start at this place of the log.
    End {
        start: usize,
        how: How,
        reported: bool,
    },
    Busy {
        host: usize,
        resource: Option<usize>,
        start: Option<usize>,
    },
    Ok {
        host: usize,
        resource: Option<usize>,
    },
    Challenged(usize),
    Robots {
        host: usize,
        secure: bool,
        delay: Option<u64>,
    },
    Kill(usize),
    Revive(usize),
}

#[derive(Debug, Clone, Copy)]
enum How {
    Status(u16, Option<u64>),
    Failed,
    Incomplete,
    Aborted,
}

struct Model {
    law: Law,
    log: Vec<Entry>,
}

/// A hold as the log tells it.
#[derive(Debug, Default, Clone, Copy)]
struct Hold {
    count: u32,
    since: Option<u64>,
    until: u64,
    taken_back: u32,
    good_at: Option<u64>,
}

impl Hold {
    fn fail(&mut self, first: Option<u64>, step: bool, started: u64, now: u64) {
        if self.since.is_none_or(|since| started > since) {
            self.grow(first, step, now);
        }
    }

    fn grow(&mut self, first: Option<u64>, step: bool, now: u64) {
        self.count += 1;
        self.taken_back = 0;
        self.since = Some(now);
        if let (Some(first), true) = (first, step) {
            let mut length = first;
            for _ in 1..self.count {
                length = (length * 2).min(MAX_HOLD);
            }
            self.until = self.until.max(now + length.min(MAX_HOLD));
        }
    }

    fn good(&mut self, started: u64, now: u64) {
        let confirms = self.count > 0 || self.good_at.is_none_or(|good| started > good);
        if (self.count > 0 || self.taken_back > 0) && confirms {
            self.taken_back = self.count;
            self.count = 0;
            self.good_at = Some(now);
        }
    }
}

impl Model {
    fn starts(&self) -> impl Iterator<Item = (usize, u64, usize, usize, u8, Option<usize>)> + '_ {
        self.log.iter().enumerate().filter_map(|(place, entry)| match entry.what {
            What::Start { host, class, path, resource } => {
                Some((place, entry.at, host, class, path, resource))
            }
            _ => None,
        })
    }

    fn end_of(&self, place: usize) -> Option<u64> {
        self.log.iter().find_map(|entry| match entry.what {
            What::End { start, .. } if start == place => Some(entry.at),
            _ => None,
        })
    }

    fn start_at(&self, place: usize) -> (u64, usize, Option<usize>) {
        match self.log[place] {
            Entry { at, what: What::Start { host, resource, .. } } => (at, host, resource),
            _ => unreachable!("not a start"),
        }
    }

    fn is_open(&self, place: usize) -> bool {
        self.end_of(place).is_none()
    }

    /// The hold for not answering.
    fn unreachable(&self, host: usize) -> Hold {
        let mut hold = Hold::default();
        for entry in &self.log {
            match entry.what {
                What::End { start, how, .. } if self.start_at(start).1 == host => {
                    let started = self.start_at(start).0;
                    match how {
                        How::Failed if self.law.unreachable.is_some() => {
                            hold.fail(self.law.unreachable, true, started, entry.at);
                        }
                        How::Status(..) | How::Incomplete => hold.good(started, entry.at),
                        _ => {}
                    }
                }
                What::Ok { host: of, .. } if of == host => hold.good(entry.at, entry.at),
                _ => {}
            }
        }
        hold
    }

    /// The hold for being busy, of the host or one resource.
    fn busy(&self, host: usize, resource: Option<usize>) -> Hold {
        let scope = |resource: Option<usize>| if self.law.busy_by_resource { resource } else { None };
        let mut hold = Hold::default();
        for entry in &self.log {
            match entry.what {
                What::End { start, how: How::Status(status, wait), reported } => {
                    let (started, of, about) = self.start_at(start);
                    if of != host || scope(about) != resource {
                        continue;
                    }
                    if matches!(status, 429 | 503) {
                        let replaced = wait.is_some() && self.law.rule == RetryAfterRule::Honour;
                        if self.law.busy.is_some() {
                            hold.fail(self.law.busy, !replaced, started, entry.at);
                        }
                    } else if !reported {
                        hold.good(started, entry.at);
                    }
                }
                What::Busy { host: of, resource: about, start } if of == host && scope(about) == resource => {
                    match start {
                        Some(start) => hold.fail(self.law.busy, true, self.start_at(start).0, entry.at),
                        None if hold.until <= entry.at => {
                            hold.count = hold.count.max(hold.taken_back);
                            hold.grow(self.law.busy, true, entry.at);
                        }
                        None => {}
                    }
                }
                What::Ok { host: of, resource: about } if of == host && scope(about) == resource => {
                    hold.good(entry.at, entry.at);
                }
                _ => {}
            }
        }
        hold
    }

    /// The Retry-After that holds an ask, and whether one parks it.
    fn retry_after(&self, host: usize, resource: Option<usize>) -> (u64, bool) {
        let (mut until, mut parked) = (0, false);
        for entry in &self.log {
            match entry.what {
                What::End { start, how: How::Status(status, Some(wait)), .. } => {
                    let (_, of, about) = self.start_at(start);
                    if self.law.rule == RetryAfterRule::Ignore
                        || !matches!(status, 300..400 | 413 | 429 | 503)
                    {
                        continue;
                    }
                    let grouped = self.law.scope == RetryAfterScope::Group && of < 2;
                    let about = if self.law.scope == RetryAfterScope::Resource { about } else { None };
                    let bears =
                        if grouped { host < 2 } else { of == host && (about.is_none() || about == resource) };
                    if bears && wait > self.law.park {
                        parked = true;
                    } else if bears {
                        until = until.max(entry.at + wait);
                    }
                }
                What::Revive(of) => {
                    let grouped = self.law.scope == RetryAfterScope::Group && of < 2 && host < 2;
                    if of == host || grouped {
                        parked = false;
                    }
                }
                _ => {}
            }
        }
        (until, parked)
    }

    /// The first moment from `now` on at which one more start fits into a window.
    fn opens(starts: &[u64], limit: u32, window: u64, now: u64) -> u64 {
        let fits = |at: u64| starts.iter().filter(|start| **start + window > at).count() < limit as usize;
        let mut moments: Vec<u64> =
            starts.iter().map(|start| start + window).filter(|at| *at > now).collect();
        moments.push(now);
        moments.into_iter().filter(|at| fits(*at)).min().unwrap()
    }

    /// All that refuses an ask: by code, with the time, `None` for a slot, `u64::MAX` for never.
    fn refusing(
        &self,
        host: usize,
        class: usize,
        path: u8,
        resource: Option<usize>,
        now: u64,
    ) -> BTreeMap<Reason, Option<u64>> {
        let law = &self.law;
        let mut refusing = BTreeMap::new();
        let mut until = |reason: Reason, at: u64| {
            if at > now {
                let known = refusing.entry(reason).or_insert(Some(at));
                *known = (*known).max(Some(at));
            }
        };
        let of_host: Vec<_> = self.starts().filter(|start| start.2 == host).collect();
        let last_start = of_host.iter().map(|start| start.1).max();
        let open_start = of_host.iter().filter(|start| self.is_open(start.0)).map(|start| start.1).max();
        let last_end = of_host.iter().filter_map(|start| self.end_of(start.0)).max();
        let anchor = if law.start_anchor { last_start } else { last_end.max(open_start) };

        let mut asked = BTreeMap::new();
        for entry in &self.log {
            if let What::Robots { host: of, secure, delay } = entry.what
                && of == host
            {
                asked.insert(secure, delay);
            }
        }
        let asked = asked.values().flatten().max().copied().unwrap_or(0);
        let crawl_delay = if law.over == OverCap::Clamp { asked.min(law.cap) } else { asked };
        if let Some(anchor) = anchor {
            until(Reason::MinDelay, anchor + law.min_delay);
            until(Reason::CrawlDelay, anchor + crawl_delay);
        }
        if law.over == OverCap::Refuse && asked > law.cap && path != 0 {
            until(Reason::CrawlDelayTooLong, u64::MAX);
        }
        until(Reason::Unreachable, self.unreachable(host).until);
        until(Reason::Busy, self.busy(host, None).until);
        if law.busy_by_resource && resource.is_some() {
            until(Reason::Busy, self.busy(host, resource).until);
        }
        let (retry, parked) = self.retry_after(host, resource);
        until(Reason::RetryAfter, retry);
        if parked {
            until(Reason::RetryAfterTooLong, u64::MAX);
        }
        let (mut killed, mut challenged) = (false, false);
        for entry in &self.log {
            match entry.what {
                What::Kill(of) if of == host => killed = true,
                What::Challenged(of) if of == host => challenged = true,
                What::Revive(of) if of == host => (killed, challenged) = (false, false),
                _ => {}
            }
        }
        if killed {
            until(Reason::Killed, u64::MAX);
        }
        if challenged {
            until(Reason::Challenged, u64::MAX);
        }
        if class == 1 {
            let pages: Vec<u64> = of_host.iter().filter(|start| start.3 == 1).map(|start| start.1).collect();
            until(Reason::Quota, Self::opens(&pages, law.quota, QUOTA_WINDOW, now));
        }
        if class == 2 {
            let same =
                of_host.iter().filter(|start| start.3 == 2 && start.4 == path).map(|start| start.1).max();
            if let Some(last) = same {
                until(Reason::Revisit, last + law.revisit);
            }
        }
        if host < 2 {
            let group: Vec<u64> = self.starts().filter(|start| start.2 < 2).map(|start| start.1).collect();
            if let Some(last) = group.iter().max() {
                until(Reason::GroupRate, last + law.interval);
            }
            until(Reason::Quota, Self::opens(&group, law.group_quota, GROUP_WINDOW, now));
        }
        let open = |of: &dyn Fn(usize, usize) -> bool| {
            self.starts().filter(|start| of(start.2, start.3) && self.is_open(start.0)).count() as u32
        };
        let slots_taken = open(&|of, _| of == host) >= law.max_open
            || (class == 2 && open(&|of, class| of == host && class == 2) >= law.file_slots)
            || (host < 2 && open(&|of, _| of < 2) >= law.group_slots);
        if slots_taken {
            refusing.insert(Reason::InFlight, None);
        }
        refusing
    }
}

/// A refusal in the words of the model.
fn told(refusal: Option<&Refusal>) -> Vec<(Reason, Option<u64>)> {
    let clocks = refusal.map(Refusal::clocks).unwrap_or_default();
    clocks
        .iter()
        .map(|clock| {
            (clock.reason, if clock.never { Some(u64::MAX) } else { clock.until.map(Timestamp::as_millis) })
        })
        .collect()
}

/// Slots first, then the latest first, then the order of the codes.
fn in_order(refusing: BTreeMap<Reason, Option<u64>>) -> Vec<(Reason, Option<u64>)> {
    let mut refusing: Vec<_> = refusing.into_iter().collect();
    refusing.sort_by_key(|(reason, until)| (until.is_some(), std::cmp::Reverse(*until), *reason));
    refusing
}

/// Plays a case, where `carry` takes a snapshot over a restart; panics where a law is broken.
pub(crate) fn play(bytes: &[u8], carry: impl Fn(Snapshot) -> Snapshot) {
    let Some((rules, events)) = bytes.split_first_chunk::<RULES>() else { return };
    let law = Law::read(rules);
    let policy = law.policy();
    let mut politeness = Politeness::new(policy.clone());
    let mut model = Model { law, log: Vec::new() };
    let mut open: Vec<(usize, Permit, bool)> = Vec::new();
    let mut now = 1_000_000u64;
    let mut reopening = now;
    let _ = politeness.export(Timestamp::from_millis(now));
    for event in events.chunks_exact(EVENT) {
        let &[verb, step, host, class, path, extra] = event else { continue };
        // Time mostly creeps, sometimes leaps, sometimes runs back, which counts as standing still.
        let told_now = match step {
            0..200 => now + u64::from(step % 50) * 40,
            200..220 => now + u64::from(step) * 100,
            220..235 => now.saturating_sub(u64::from(step)),
            // Exactly when the last refusal said.
            _ => reopening.max(now),
        };
        now = now.max(told_now);
        let at = Timestamp::from_millis(told_now);
        let host = usize::from(host % 3);
        let (class, path) = (usize::from(class % 3), path % 3);
        let resource = [None, Some(0), Some(1)][usize::from(extra % 3)];
        let scheme = if extra & 8 == 0 { "https" } else { "http" };
        let page = ["robots.txt", "b", "c"][usize::from(path)];
        let url = Url::parse(&format!("https://{}/{page}", HOSTS[host])).unwrap();
        let log = |model: &mut Model, what: What| model.log.push(Entry { at: now, what });
        match verb % 16 {
            0..7 => {
                let mut ask = Ask::new(&url).class(CLASSES[class]);
                if let Some(resource) = resource {
                    ask = ask.resource(RESOURCES[resource]);
                }
                let expected = in_order(model.refusing(host, class, path, resource, now));
                let checked = politeness.check(&ask, at);
                assert_eq!(told(checked.as_ref().err()), expected, "at {now}: {law:?}");
                match politeness.admit(&ask, at) {
                    Ok(permit) => {
                        assert_eq!(expected, []);
                        open.push((model.log.len(), permit, false));
                        log(&mut model, What::Start { host, class, path, resource });
                    }
                    Err(refusal) => {
                        assert_eq!(checked, Err(refusal.clone()), "check and admit agree");
                        if let Some(until) = refusal.until() {
                            reopening = until.as_millis();
                        }
                    }
                }
            }
            verb @ 7..12 if !open.is_empty() => {
                let (start, permit, reported) = open.remove(usize::from(extra / 4) % open.len());
                let wait = (path > 0).then(|| u64::from(extra) * 50 + 1);
                let (how, outcome) = match verb {
                    7 => (How::Failed, Outcome::failed(Failure::Timeout)),
                    8 if class == 0 => (How::Incomplete, Outcome::failed(Failure::Incomplete)),
                    8 => (How::Aborted, Outcome::aborted()),
                    _ => {
                        let status = [200, 429, 503, 404, 301][class + usize::from(verb > 9) * 2];
                        let outcome = Outcome::status(status);
                        let outcome =
                            wait.map_or(outcome, |wait| outcome.retry_after(Duration::from_millis(wait)));
                        (How::Status(status, wait), outcome)
                    }
                };
                permit.finish(&outcome, at);
                log(&mut model, What::End { start, how, reported });
            }
            12 if class == 0 => {
                let delay = (path > 0).then_some(u64::from(extra) * 20);
                let origin =
                    Origin::of(&Url::parse(&format!("{scheme}://{}/", HOSTS[host])).unwrap()).unwrap();
                politeness.set_crawl_delay(&origin, delay.map(Duration::from_millis), at).unwrap();
                log(&mut model, What::Robots { host, secure: scheme == "https", delay });
            }
            13 if class == 0 => {
                politeness.kill(&HOSTS[host].parse().unwrap(), at);
                log(&mut model, What::Kill(host));
            }
            13 => {
                politeness.revive(&HOSTS[host].parse().unwrap(), at);
                log(&mut model, What::Revive(host));
            }
            14 => {
                let report = [Report::Busy, Report::Ok, Report::Challenged][class];
                let about = resource.map(|resource| RESOURCES[resource]);
                let of_open =
                    open.iter_mut().find(|(start, ..)| model.start_at(*start).1 == host && path == 0);
                let start = match of_open {
                    Some((start, permit, reported)) => {
                        permit.report(about, report, at);
                        *reported |= report != Report::Ok;
                        Some(*start)
                    }
                    None => {
                        let ask = Ask::new(&url);
                        let ask = about.map_or(ask, |about| ask.resource(about));
                        politeness.report(&ask, report, at).unwrap();
                        None
                    }
                };
                log(
                    &mut model,
                    match report {
                        Report::Busy => What::Busy { host, resource, start },
                        Report::Ok => What::Ok { host, resource },
                        _ => What::Challenged(host),
                    },
                );
            }
            15 if class == 0 => {
                for (start, permit, reported) in open.drain(..) {
                    drop(permit);
                    log(&mut model, What::End { start, how: How::Aborted, reported });
                }
                let snapshot = politeness.export(at);
                let at = snapshot.saved_at();
                politeness = Politeness::new(policy.clone());
                politeness.import(carry(snapshot.clone()), at);
                let again = politeness.export(at);
                assert_eq!(sorted(&again), sorted(&snapshot), "what is imported is what was exported");
            }
            // Time passes.
            _ => drop(politeness.check(&Ask::new(&url), at)),
        }
        assert!(politeness.hosts() <= HOSTS.len());
    }
}

fn sorted(snapshot: &Snapshot) -> BTreeSet<String> {
    snapshot.hosts().map(|(host, state)| format!("{host} {state:?}")).collect()
}

/// Any events at any times: nothing panics, and nothing starts within a pause.
pub(crate) fn survive(bytes: &[u8]) {
    let Some((rules, events)) = bytes.split_first_chunk::<RULES>() else { return };
    let law = Law::read(rules);
    let politeness = Politeness::new(law.policy());
    let url = Url::parse("https://alone/x").unwrap();
    let mut open = Vec::new();
    let (mut now, mut started) = (0u64, None::<u64>);
    for event in events.chunks_exact(EVENT) {
        let mut time = [0; 8];
        time[..EVENT].copy_from_slice(event);
        let told = u64::from_le_bytes(time).rotate_right(u32::from(event[0] % 64));
        now = now.max(told).min(u64::MAX - 2);
        let at = Timestamp::from_millis(told);
        match event[1] % 4 {
            0 | 1 => {
                if let Ok(permit) = politeness.admit(&Ask::new(&url), at) {
                    let earliest = started.map_or(0, |started| started.saturating_add(law.min_delay));
                    assert!(now >= earliest, "started {started:?}, again at {now}");
                    assert!(
                        law.min_delay == 0 || earliest < u64::MAX - 1,
                        "nothing starts after the end of time"
                    );
                    started = Some(now);
                    open.push(permit);
                }
            }
            2 => {
                drop(open.pop());
                politeness.evict_idle(at);
            }
            _ => match open.pop() {
                Some(permit) => {
                    permit.finish(&Outcome::status(503).retry_after(Duration::from_secs(now)), at);
                }
                None => drop(politeness.evict_idle(at)),
            },
        }
        assert!(open.len() <= law.max_open as usize, "no more open than may be");
    }
}
