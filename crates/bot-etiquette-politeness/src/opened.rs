//! An admitted request: what it took, and how it is given back.

use crate::decide::first_segment;
use crate::outcome::{End, Failure, Outcome};
use crate::refusal::Refusal;
use crate::rules::{GroupRules, Rules};
use crate::snapshot::Rebase;
use crate::state::{Groups, HostState};
use crate::{Ask, Timestamp};

/// What an admitted request took of its host: to be kept until the request ends, and handed to
/// [`HostState::end`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[must_use = "a request that is not ended holds its slot for ever"]
pub struct Opened {
    pub(crate) started: Timestamp,
    class: Option<Box<str>>,
    pub(crate) resource: Option<Box<str>>,
    /// The first path segment, where a group counts it.
    segment: Option<Box<str>>,
    groups: Vec<TakenOfGroup>,
    /// The last start before this one.
    before: Option<Timestamp>,
    visit: Option<Box<TakenVisit>>,
    /// Whether it was reported busy or challenged before it ended.
    pub(crate) reported: bool,
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
}
