//! What is remembered of a host and of a group: small values that any table or store can keep.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::backoff::Backoff;
use crate::quota::Counted;
use crate::rules::Rules;
use crate::snapshot::Rebase;
use crate::timestamp::millis_up;
use crate::visits::Visits;
use crate::{Ask, Origin, Timestamp};

/// Resources of one host that are remembered; beyond, a busy resource holds the whole host.
pub const MAX_RESOURCES_PER_HOST: usize = 4096;

/// How long a Crawl-delay is remembered of a host that is not asked: a copy of robots.txt is no older.
const CRAWL_DELAY_MEMORY: u64 = 86_400_000;

/// All that is remembered of one host.
///
/// It is a plain value: decisions are functions of it, of the [`Rules`], of what happens and of the time.
/// A program with a store of its own reads it, calls [`check`](Self::check), [`start`](Self::start) or
/// [`end`](Self::end), and writes it back, in one transaction. [`Politeness`](crate::Politeness) is such a
/// program over a table in memory.
///
/// ```
/// use bot_etiquette_politeness::{Ask, Groups, HostPolicy, HostState, Outcome, Policy, Timestamp};
/// use std::time::Duration;
///
/// let policy = Policy::new(HostPolicy::new().min_delay(Duration::from_secs(1)));
/// let url = url::Url::parse("https://example.com/")?;
/// let rules = policy.rules(&"example.com".parse()?);
/// let (mut state, mut groups) = (HostState::default(), Groups::default());
///
/// let at = Timestamp::from_millis;
/// let opened = state.start(&rules, &mut groups, &Ask::new(&url), at(0))?;
/// state.end(&rules, &mut groups, &opened, &Outcome::status(200), 0.0, at(300));
/// let refusal = state.check(&rules, &groups, &Ask::new(&url), at(400)).unwrap_err();
/// assert_eq!(refusal.until(), Some(at(1300)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
// The common part is kept small, for there may be millions; what few hosts have is boxed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct HostState {
    pub(crate) last_start: Option<Timestamp>,
    pub(crate) last_end: Option<Timestamp>,
    /// The largest Crawl-delay of the host's origins in milliseconds; 0 is none.
    pub(crate) crawl_delay: u64,
    pub(crate) open: u32,
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub(crate) rare: Option<Box<Rare>>,
}

/// What only some hosts have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub(crate) struct Rare {
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Backoff::is_clear"))]
    pub(crate) unreachable: Backoff,
    pub(crate) held: Held,
    pub(crate) rate_limit: Option<Timestamp>,
    pub(crate) killed: bool,
    pub(crate) challenged: bool,
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "BTreeMap::is_empty"))]
    pub(crate) crawl_delays: BTreeMap<Origin, Learned>,
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "BTreeMap::is_empty"))]
    pub(crate) resources: BTreeMap<Box<str>, Held>,
    /// Open requests by class, but for the default one.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Open::is_empty"))]
    pub(crate) open_classes: Open,
    /// Open requests by first path segment, where a group limits them.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Open::is_empty"))]
    pub(crate) open_segments: Open,
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Counted::is_empty"))]
    pub(crate) quotas: Counted,
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Visits::is_empty"))]
    pub(crate) visits: Visits,
}

/// What an answer may hold: a host or one resource of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub(crate) struct Held {
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Backoff::is_clear"))]
    pub(crate) busy: Backoff,
    pub(crate) retry_after: Option<Timestamp>,
    /// A Retry-After was too long to wait for.
    pub(crate) parked: bool,
}

/// A Crawl-delay and when it was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Learned {
    delay: u64,
    at: Timestamp,
}

/// Counts of open requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub(crate) struct Open(BTreeMap<Box<str>, u32>);

impl Open {
    #[cfg(feature = "serde")]
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn of(&self, key: &str) -> u32 {
        self.0.get(key).copied().unwrap_or(0)
    }

    pub(crate) fn total(&self) -> u32 {
        self.0.values().fold(0, |total, open| total.saturating_add(*open))
    }

    pub(crate) fn take(&mut self, key: &str) {
        match self.0.get_mut(key) {
            Some(open) => *open = open.saturating_add(1),
            None => drop(self.0.insert(key.into(), 1)),
        }
    }

    pub(crate) fn give_back(&mut self, key: &str) {
        if let Some(open) = self.0.get_mut(key) {
            *open = open.saturating_sub(1);
            if *open == 0 {
                self.0.remove(key);
            }
        }
    }
}

/// All that is remembered of one group of hosts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct GroupState {
    pub(crate) last_start: Option<Timestamp>,
    pub(crate) open: u32,
    pub(crate) retry_after: Option<Timestamp>,
    pub(crate) parked: bool,
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Counted::is_empty"))]
    pub(crate) quotas: Counted,
}

/// The states of groups by name. A decision reads and writes those that the host's [`Rules`] name, no other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct Groups(BTreeMap<Box<str>, GroupState>);

impl Groups {
    /// The states, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &GroupState)> {
        self.0.iter().map(|(name, state)| (&**name, state))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&GroupState> {
        self.0.get(name)
    }

    pub(crate) fn entry(&mut self, name: &str) -> &mut GroupState {
        self.0.entry(name.into()).or_default()
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut GroupState> {
        self.0.values_mut()
    }

    /// The same as [`entry`](Self::entry) where there is one, without a key of its own.
    pub(crate) fn known(&mut self, name: &str) -> Option<&mut GroupState> {
        self.0.get_mut(name)
    }
}

impl IntoIterator for Groups {
    type Item = (Box<str>, GroupState);
    type IntoIter = std::collections::btree_map::IntoIter<Box<str>, GroupState>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl FromIterator<(Box<str>, GroupState)> for Groups {
    fn from_iter<I: IntoIterator<Item = (Box<str>, GroupState)>>(states: I) -> Self {
        Self(states.into_iter().collect())
    }
}

impl HostState {
    /// An operator blocks the host: nothing of it may be asked until it is revived.
    pub fn kill(&mut self) {
        self.rare_mut().killed = true;
    }

    /// Lifts a kill, a challenge, and the park of a Retry-After too long to wait for: of the host, its
    /// resources, and its groups. Running clocks run on.
    pub fn revive(&mut self, rules: &Rules, groups: &mut Groups) {
        if let Some(rare) = self.rare.as_deref_mut() {
            rare.killed = false;
            rare.challenged = false;
            rare.held.parked = false;
            for resource in rare.resources.values_mut() {
                resource.parked = false;
            }
        }
        for name in rules.groups() {
            if let Some(group) = groups.known(name) {
                group.parked = false;
            }
        }
    }

    /// What the robots.txt of one origin asks for; `None` takes that origin's wish back.
    pub fn set_crawl_delay(&mut self, origin: &Origin, delay: Option<Duration>, now: Timestamp) {
        let delays = &mut self.rare_mut().crawl_delays;
        match delay {
            Some(delay) => drop(delays.insert(origin.clone(), Learned { delay: millis_up(delay), at: now })),
            None => drop(delays.remove(origin)),
        }
        self.crawl_delay = delays.values().map(|learned| learned.delay).max().unwrap_or(0);
    }

    /// Whether an operator blocked the host.
    #[must_use]
    pub fn is_killed(&self) -> bool {
        self.rare.as_deref().is_some_and(|rare| rare.killed)
    }

    /// Requests that are open.
    #[must_use]
    pub fn open(&self) -> u32 {
        self.open
    }

    /// Ends every open request at `now`: the program that made them is gone.
    pub fn close(&mut self, now: Timestamp) {
        if self.open > 0 {
            self.open = 0;
            self.last_end = self.last_end.max(Some(now));
        }
        if let Some(rare) = self.rare.as_deref_mut() {
            rare.open_classes = Open::default();
            rare.open_segments = Open::default();
        }
    }

    /// The largest moment that the host has seen, so that a clock that ran back is not believed.
    pub(crate) fn latest(&self) -> Timestamp {
        self.last_start.max(self.last_end).unwrap_or(Timestamp::ZERO)
    }

    pub(crate) fn rare_mut(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// Open requests of a class.
    pub(crate) fn open_of_class(&self, class: &str) -> u32 {
        let others = self.rare.as_deref().map(|rare| &rare.open_classes);
        if class == Ask::DEFAULT_CLASS {
            self.open.saturating_sub(others.map_or(0, Open::total))
        } else {
            others.map_or(0, |others| others.of(class))
        }
    }

    /// Until when the state must be kept, for something in it may still refuse; `None` as long as a person,
    /// or an open request, does.
    pub(crate) fn live_until(&self, rules: &Rules) -> Option<Timestamp> {
        if self.open > 0 {
            return None;
        }
        let (delay, _) = rules.crawl_delay(self.crawl_delay);
        let mut live = self.latest().plus_millis(rules.min_delay.max(delay));
        let Some(rare) = self.rare.as_deref() else { return Some(live) };
        if rare.killed || rare.challenged || rare.held.parked {
            return None;
        }
        for held in std::iter::once(&rare.held).chain(rare.resources.values()) {
            if held.parked {
                return None;
            }
            live = live.max(held.live_until());
        }
        for learned in rare.crawl_delays.values() {
            live = live.max(learned.at.plus_millis(CRAWL_DELAY_MEMORY));
        }
        live = live.max(rare.unreachable.live_until()).max(rare.rate_limit.unwrap_or(Timestamp::ZERO));
        live = live.max(rare.quotas.live_until(&rules.quotas)).max(rare.visits.live_until(rules));
        Some(live)
    }

    /// Makes the state one of this clock, and puts in order what only this crate keeps in order.
    pub(crate) fn rebase(&mut self, rebase: Rebase) {
        rebase.past(&mut self.last_start);
        rebase.past(&mut self.last_end);
        self.crawl_delay = 0;
        if let Some(rare) = self.rare.as_deref_mut() {
            rebase.deadline(&mut rare.rate_limit);
            rare.unreachable.rebase(rebase);
            for held in std::iter::once(&mut rare.held).chain(rare.resources.values_mut()) {
                held.busy.rebase(rebase);
                rebase.deadline(&mut held.retry_after);
            }
            for learned in rare.crawl_delays.values_mut() {
                learned.at = rebase.moment(learned.at);
                self.crawl_delay = self.crawl_delay.max(learned.delay);
            }
            rare.quotas.rebase(rebase);
            rare.visits.rebase(rebase);
        }
    }

    /// The clock was stepped back from `from` to `to`: what was left of each hold is still left, and no more. For a store of
    /// one's own; [`Politeness::import`](crate::Politeness::import) does the same.
    pub fn step_back(&mut self, from: Timestamp, to: Timestamp) {
        self.rebase(Rebase::new(from, to));
    }

    /// Takes over what refuses of another name of the same machine: pauses, holds, kills.
    pub(crate) fn absorb(&mut self, other: &Self) {
        self.last_start = self.last_start.max(other.last_start);
        // A request of the other name that is open counts from its start.
        let open_start = if other.open > 0 { other.last_start } else { None };
        self.last_end = self.last_end.max(other.last_end).max(open_start);
        let Some(theirs) = other.rare.as_deref() else { return };
        let rare = self.rare_mut();
        rare.killed |= theirs.killed;
        rare.challenged |= theirs.challenged;
        rare.rate_limit = rare.rate_limit.max(theirs.rate_limit);
        rare.unreachable.absorb(&theirs.unreachable);
        rare.held.absorb(&theirs.held);
        for (resource, held) in &theirs.resources {
            rare.resources.entry(resource.clone()).or_default().absorb(held);
        }
        rare.crawl_delays
            .extend(theirs.crawl_delays.iter().map(|(origin, learned)| (origin.clone(), *learned)));
        self.crawl_delay = self.crawl_delay.max(other.crawl_delay);
        self.shrink();
    }

    /// Takes back what quotas and revisits have counted.
    pub(crate) fn forget_counts(&mut self) {
        if let Some(rare) = self.rare.as_deref_mut() {
            rare.quotas = Counted::default();
            rare.visits = Visits::default();
        }
    }

    /// Gives back the memory of what is over.
    pub(crate) fn shrink(&mut self) {
        if self.rare.as_deref().is_some_and(|rare| *rare == Rare::default()) {
            self.rare = None;
        }
    }
}

impl Held {
    pub(crate) fn live_until(&self) -> Timestamp {
        self.busy.live_until().max(self.retry_after.unwrap_or(Timestamp::ZERO))
    }

    fn absorb(&mut self, other: &Self) {
        self.busy.absorb(&other.busy);
        self.retry_after = self.retry_after.max(other.retry_after);
        self.parked |= other.parked;
    }

    /// Whether nothing of it is left to remember.
    pub(crate) fn is_over(&self, now: Timestamp) -> bool {
        !self.parked && self.live_until() <= now
    }
}

impl GroupState {
    /// Ends every open request: the program that made them is gone.
    pub fn close(&mut self) {
        self.open = 0;
    }

    /// As [`HostState::step_back`].
    pub fn step_back(&mut self, from: Timestamp, to: Timestamp) {
        self.rebase(Rebase::new(from, to));
    }

    pub(crate) fn rebase(&mut self, rebase: Rebase) {
        rebase.past(&mut self.last_start);
        rebase.deadline(&mut self.retry_after);
        self.quotas.rebase(rebase);
    }
}
