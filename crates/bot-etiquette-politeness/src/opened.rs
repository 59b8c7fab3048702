//! An admitted request: what it took, and how it is given back.

use std::time::Duration;

use crate::backoff::Backoff;
use crate::decide::first_segment;
use crate::host_policy::{BusyScope, RateLimitRule, RetryAfterRule, RetryAfterScope};
use crate::outcome::{End, Failure, Outcome};
use crate::refusal::Refusal;
use crate::retry_after::RetryAfter;
use crate::rules::{GroupRules, Rules};
use crate::snapshot::Rebase;
use crate::state::{Groups, Held, HostState, MAX_RESOURCES_PER_HOST};
use crate::{Ask, Timestamp};

/// What an admitted request took of its host: to be kept until the request ends, and handed to
/// [`HostState::end`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[must_use = "a request that is not ended holds its slot for ever"]
pub struct Opened {
    started: Timestamp,
    class: Option<Box<str>>,
    resource: Option<Box<str>>,
    /// The first path segment, where a group counts it.
    segment: Option<Box<str>>,
    groups: Vec<TakenOfGroup>,
    /// The last start before this one.
    before: Option<Timestamp>,
    visit: Option<Box<TakenVisit>>,
    /// Whether it was reported busy or challenged before it ended.
    reported: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct TakenOfGroup {
    name: Box<str>,
    before: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct TakenVisit {
    url: Box<str>,
    before: Option<Timestamp>,
}

/// What a crawler found out about a host from what it read, beyond the status.
///
/// ```
/// use bot_etiquette_politeness::Report;
///
/// assert_eq!("busy".parse(), Ok(Report::Busy));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Report {
    /// An answer whose body says that the server is busy, whatever its status.
    Busy,
    /// A challenge stands before the pages: no retry clears it, a person must look.
    Challenged,
    /// A good answer.
    Ok,
}

impl Report {
    /// Every report.
    pub const ALL: &[Self] = &[Self::Busy, Self::Challenged, Self::Ok];

    /// The stable code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Busy => "busy",
            Self::Challenged => "challenged",
            Self::Ok => "ok",
        }
    }
}

impl std::str::FromStr for Report {
    type Err = UnknownReport;

    fn from_str(code: &str) -> Result<Self, UnknownReport> {
        Self::ALL
            .iter()
            .copied()
            .find(|report| report.code() == code)
            .ok_or_else(|| UnknownReport(code.into()))
    }
}

/// Text that names no [`Report`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown outcome {0:?} (give busy, challenged or ok)")]
pub struct UnknownReport(String);

impl Opened {
    /// When the request started.
    #[must_use]
    pub const fn started(&self) -> Timestamp {
        self.started
    }

    /// The clock was stepped back from `from` to `to` while the request was open, as [`HostState::step_back`].
    pub fn step_back(&mut self, from: Timestamp, to: Timestamp) {
        let rebase = Rebase::new(from, to);
        self.started = rebase.moment(self.started);
        rebase.past(&mut self.before);
        self.groups.iter_mut().for_each(|group| rebase.past(&mut group.before));
        if let Some(visit) = self.visit.as_deref_mut() {
            rebase.past(&mut visit.before);
        }
    }

    pub(crate) fn class(&self) -> &str {
        self.class.as_deref().unwrap_or(Ask::DEFAULT_CLASS)
    }
}

impl HostState {
    /// Admits a request, which starts now, or refuses it, which changes nothing.
    pub fn start(
        &mut self,
        rules: &Rules,
        groups: &mut Groups,
        ask: &Ask<'_>,
        now: Timestamp,
    ) -> Result<Opened, Refusal> {
        self.check(rules, groups, ask, now)?;
        let now = now.max(self.latest()).min(Timestamp::LAST_NOW);
        let opened = self.opened(rules, groups, ask, now);
        self.count(rules, groups, ask, now);
        self.last_start = Some(now);
        self.open = self.open.saturating_add(1);
        if let Some(class) = &opened.class {
            self.rare_mut().open_classes.take(class);
        }
        if let Some(segment) = &opened.segment {
            self.rare_mut().open_segments.take(segment);
        }
        for taken in &opened.groups {
            let state = groups.entry(&taken.name);
            state.open = state.open.saturating_add(1);
        }
        Ok(opened)
    }

    /// What a request takes, and what was before it.
    fn opened(&self, rules: &Rules, groups: &Groups, ask: &Ask<'_>, now: Timestamp) -> Opened {
        let class = ask.class_name();
        let by_path = rules.groups.iter().any(|group| group.path_max_open.is_some());
        let visit = rules.keeps_visits_of(class).then(|| {
            let url = ask.url_str();
            let before = self.rare.as_deref().and_then(|rare| rare.visits.last(class, url));
            Box::new(TakenVisit { url: url.into(), before })
        });
        let take = |group: &GroupRules| {
            let before = groups.get(&group.name).and_then(|state| state.last_start);
            TakenOfGroup { name: (&*group.name).into(), before }
        };
        Opened {
            started: now,
            class: (class != Ask::DEFAULT_CLASS).then(|| Box::from(class)),
            resource: ask.resource_name().map(Box::from),
            segment: by_path.then(|| first_segment(ask).into()),
            groups: rules.groups.iter().map(take).collect(),
            before: self.last_start,
            visit,
            reported: false,
        }
    }

    /// Counts a start where quotas, revisits and group rates do.
    pub(crate) fn count(&mut self, rules: &Rules, groups: &mut Groups, ask: &Ask<'_>, started: Timestamp) {
        let class = ask.class_name();
        if !rules.quotas.is_empty() {
            self.rare_mut().quotas.record(&rules.quotas, class, started);
        }
        if rules.keeps_visits_of(class) {
            self.rare_mut().visits.record(rules, class, ask.url_str(), started);
        }
        for group in &rules.groups {
            let state = groups.entry(&group.name);
            state.last_start = state.last_start.max(Some(started));
            state.quotas.record(&group.quotas, class, started);
        }
    }

    /// Ends a request and learns from how it ended. `random`, from 0 to 1, is how much of the policy's jitter
    /// is added to a step of backoff.
    pub fn end(
        &mut self,
        rules: &Rules,
        groups: &mut Groups,
        opened: &Opened,
        outcome: &Outcome,
        random: f64,
        now: Timestamp,
    ) {
        let now = now.max(self.latest()).max(opened.started).min(Timestamp::LAST_NOW);
        self.give_back(groups, opened);
        self.last_end = Some(now);
        let extra = rules.jitter * random;
        match outcome.end {
            End::Aborted => {}
            End::Failed(Failure::Incomplete) => self.answered(opened.started, now),
            End::Failed(_) => {
                if rules.unreachable.is_some() {
                    self.rare_mut().unreachable.fail(rules.unreachable, opened.started, now, extra);
                }
            }
            End::Status(status) => {
                self.answered(opened.started, now);
                self.heed(rules, groups, opened, (status, outcome), now);
                self.judge(rules, opened, (status, outcome), extra, now);
            }
        }
        self.shrink();
    }

    /// Learns from an answer what holds the host, without ending its request: from the head, while the body still
    /// comes, or from a request that had been given up before (its lease had ended, and its slot went to another).
    /// What it says against the host counts, a good answer lifts nothing.
    pub fn heard(
        &mut self,
        rules: &Rules,
        groups: &mut Groups,
        opened: &Opened,
        outcome: &Outcome,
        random: f64,
        now: Timestamp,
    ) {
        let now = now.max(self.latest()).max(opened.started).min(Timestamp::LAST_NOW);
        if let End::Status(status) = outcome.end {
            let opened = Opened { reported: true, ..opened.clone() };
            self.heed(rules, groups, &opened, (status, outcome), now);
            self.judge(rules, &opened, (status, outcome), rules.jitter * random, now);
        }
        self.shrink();
    }

    /// Takes back a request that was admitted and of which not a byte was sent.
    pub fn unsent(&mut self, rules: &Rules, groups: &mut Groups, opened: &Opened) {
        self.give_back(groups, opened);
        if self.last_start == Some(opened.started) {
            self.last_start = opened.before;
        }
        for taken in &opened.groups {
            let Some(state) = groups.known(&taken.name) else { continue };
            if state.last_start == Some(opened.started) {
                state.last_start = taken.before;
            }
            if let Some(group) = rules.groups.iter().find(|group| *group.name == *taken.name) {
                state.quotas.forget(&group.quotas, opened.class(), opened.started);
            }
        }
        if let Some(rare) = self.rare.as_deref_mut() {
            rare.quotas.forget(&rules.quotas, opened.class(), opened.started);
            if let Some(visit) = &opened.visit {
                rare.visits.restore(opened.class(), &visit.url, visit.before);
            }
        }
        self.shrink();
    }

    /// Learns what only the body showed of a request that is over.
    pub fn report(
        &mut self,
        rules: &Rules,
        resource: Option<&str>,
        report: Report,
        random: f64,
        now: Timestamp,
    ) {
        let now = now.max(self.latest()).min(Timestamp::LAST_NOW);
        match report {
            Report::Challenged => self.rare_mut().challenged = true,
            Report::Busy => {
                let extra = rules.jitter * random;
                self.busy_mut(rules, resource, now).fail_late(rules.busy, now, extra);
            }
            Report::Ok => {
                self.answered(now, now);
                self.not_busy(rules, resource, now, now);
            }
        }
        self.shrink();
    }

    /// The same of a request that is still open: its end will not be taken for a good answer.
    pub fn report_open(
        &mut self,
        rules: &Rules,
        opened: &mut Opened,
        resource: Option<&str>,
        report: Report,
        random: f64,
        now: Timestamp,
    ) {
        let now = now.max(self.latest()).min(Timestamp::LAST_NOW);
        opened.reported |= report != Report::Ok;
        if report == Report::Busy {
            let extra = rules.jitter * random;
            self.busy_mut(rules, resource, now).fail(rules.busy, opened.started, now, extra);
        } else {
            self.report(rules, resource, report, random, now);
        }
    }

    fn give_back(&mut self, groups: &mut Groups, opened: &Opened) {
        self.open = self.open.saturating_sub(1);
        if let Some(rare) = self.rare.as_deref_mut() {
            if let Some(class) = &opened.class {
                rare.open_classes.give_back(class);
            }
            if let Some(segment) = &opened.segment {
                rare.open_segments.give_back(segment);
            }
        }
        for taken in &opened.groups {
            if let Some(state) = groups.known(&taken.name) {
                state.open = state.open.saturating_sub(1);
            }
        }
    }

    /// The host answered: it is not unreachable.
    fn answered(&mut self, started: Timestamp, now: Timestamp) {
        if let Some(rare) = self.rare.as_deref_mut() {
            rare.unreachable.reset(started, now);
        }
    }

    /// Does as the answer asks: its Retry-After, its rate limit.
    fn heed(
        &mut self,
        rules: &Rules,
        groups: &mut Groups,
        opened: &Opened,
        (status, outcome): (u16, &Outcome),
        now: Timestamp,
    ) {
        if let Some(wait) = heeded_wait(rules, status, outcome) {
            let park = rules.retry_after_park.is_some_and(|park| wait > park);
            self.hold(rules, groups, opened.resource.as_deref(), now, |until, parked| {
                if park {
                    *parked = true;
                } else {
                    *until = (*until).max(Some(now + wait));
                }
            });
        }
        if let (RateLimitRule::SlowOnly, Some(wait)) = (rules.rate_limit, outcome.rate_limit) {
            let until = &mut self.rare_mut().rate_limit;
            *until = (*until).max(Some(now + wait));
        }
    }

    /// Whether the status says busy, and what follows from it.
    fn judge(
        &mut self,
        rules: &Rules,
        opened: &Opened,
        (status, outcome): (u16, &Outcome),
        extra: f64,
        now: Timestamp,
    ) {
        let resource = opened.resource.as_deref();
        if rules.busy_statuses.contains(&status) {
            let told = heeded_wait(rules, status, outcome).is_some();
            let replaced = told && rules.retry_after == RetryAfterRule::Honour;
            if rules.busy.is_some() {
                let steps = if replaced { None } else { rules.busy };
                self.busy_mut(rules, resource, now).fail(steps, opened.started, now, extra);
            }
        } else if !opened.reported {
            self.not_busy(rules, resource, opened.started, now);
        }
    }

    /// Changes the Retry-After of whatever the policy says it holds.
    fn hold(
        &mut self,
        rules: &Rules,
        groups: &mut Groups,
        resource: Option<&str>,
        now: Timestamp,
        change: impl Fn(&mut Option<Timestamp>, &mut bool),
    ) {
        let mut in_group = false;
        if rules.retry_after_scope == RetryAfterScope::Group {
            // Those groups that ask for it; where only the host does, all of them.
            let named = rules.groups.iter().any(|group| group.retry_after);
            for group in rules.groups.iter().filter(|group| group.retry_after == named) {
                in_group = true;
                let state = groups.entry(&group.name);
                change(&mut state.retry_after, &mut state.parked);
            }
        }
        if !in_group {
            let resource = resource.filter(|_| rules.retry_after_scope == RetryAfterScope::Resource);
            let held = self.held_mut(resource, now);
            change(&mut held.retry_after, &mut held.parked);
        }
    }

    fn busy_mut(&mut self, rules: &Rules, resource: Option<&str>, now: Timestamp) -> &mut Backoff {
        let resource = resource.filter(|_| rules.busy_scope == BusyScope::Resource);
        &mut self.held_mut(resource, now).busy
    }

    /// What holds the resource, or the host when there is none, or no room for one more.
    fn held_mut(&mut self, resource: Option<&str>, now: Timestamp) -> &mut Held {
        let rare = self.rare_mut();
        let Some(resource) = resource else { return &mut rare.held };
        if !rare.resources.contains_key(resource) {
            if rare.resources.len() >= MAX_RESOURCES_PER_HOST {
                rare.resources.retain(|_, held| !held.is_over(now));
            }
            if rare.resources.len() >= MAX_RESOURCES_PER_HOST {
                return &mut rare.held;
            }
        }
        rare.resources.entry(resource.into()).or_default()
    }

    /// A good answer about the resource, or the host.
    fn not_busy(&mut self, rules: &Rules, resource: Option<&str>, started: Timestamp, now: Timestamp) {
        let Some(rare) = self.rare.as_deref_mut() else { return };
        let resource = resource.filter(|_| rules.busy_scope == BusyScope::Resource);
        let held = match resource {
            Some(resource) => rare.resources.get_mut(resource),
            None => Some(&mut rare.held),
        };
        if let Some(held) = held {
            held.busy.reset(started, now);
        }
    }
}

/// The wait of a Retry-After, where the status gives it a meaning and the policy does not ignore it.
fn heeded_wait(rules: &Rules, status: u16, outcome: &Outcome) -> Option<Duration> {
    let read = RetryAfter::is_read_on(status) && rules.retry_after != RetryAfterRule::Ignore;
    outcome.retry_after.filter(|_| read)
}
