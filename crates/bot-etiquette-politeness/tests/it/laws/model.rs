//! A slow model that remembers everything and works each answer out from the start.

use std::collections::BTreeMap;
use std::time::Duration;

use bot_etiquette_politeness::{
    BusyScope, DelayAnchor, GroupPolicy, HostPolicy, OverCap, Policy, Quota, Reason, RetryAfterRule,
    RetryAfterScope,
};

use super::RULES;

/// The policy of a case, in milliseconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Law {
    pub(super) max_open: u32,
    pub(super) min_delay: u64,
    pub(super) start_anchor: bool,
    pub(super) cap: u64,
    pub(super) over: OverCap,
    pub(super) unreachable: Option<u64>,
    pub(super) busy: Option<u64>,
    pub(super) busy_by_resource: bool,
    pub(super) rule: RetryAfterRule,
    pub(super) scope: RetryAfterScope,
    pub(super) park: u64,
    pub(super) quota: u32,
    pub(super) revisit: u64,
    pub(super) file_slots: u32,
    pub(super) interval: u64,
    pub(super) group_slots: u32,
    pub(super) group_quota: u32,
}

const MAX_HOLD: u64 = 40_000;
const QUOTA_WINDOW: u64 = 9_000;
const GROUP_WINDOW: u64 = 15_000;

impl Law {
    pub(super) fn read(bytes: &[u8; RULES]) -> Self {
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

    pub(super) fn policy(&self) -> Policy {
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
pub(super) struct Entry {
    pub(super) at: u64,
    pub(super) what: What,
}

#[derive(Debug, Clone)]
pub(super) enum What {
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
pub(super) enum How {
    Status(u16, Option<u64>),
    Failed,
    Incomplete,
    Aborted,
}

pub(super) struct Model {
    pub(super) law: Law,
    pub(super) log: Vec<Entry>,
}

/// A hold as the log tells it.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Hold {
    pub(super) count: u32,
    pub(super) since: Option<u64>,
    pub(super) until: u64,
    pub(super) taken_back: u32,
    pub(super) good_at: Option<u64>,
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

    pub(super) fn start_at(&self, place: usize) -> (u64, usize, Option<usize>) {
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
    pub(super) fn refusing(
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
        let crawl_delay = match law.over {
            OverCap::Clamp => asked.min(law.cap),
            OverCap::Refuse if asked > law.cap => 0,
            _ => asked,
        };
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
