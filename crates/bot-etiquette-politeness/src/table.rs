//! The hosts in memory: interned, dense, bounded.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use hashbrown::HashTable;

use crate::blocks::Blocks;
use crate::policy::{DEFAULT_MAX_HOSTS, Policy};
use crate::refusal::{Clock, Refusal};
use crate::rules::Rules;
use crate::state::{Groups, HostState};
use crate::{Ask, Host, Reason, Timestamp};

/// A host in the table of one [`Politeness`](crate::Politeness), found without hashing its name.
///
/// It outlives an eviction without ever naming another host: it then names none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostId {
    index: u32,
    generation: u32,
}

pub(crate) struct Table {
    pub(crate) policy: Policy,
    pub(crate) groups: Groups,
    entries: Blocks<Entry>,
    free: Vec<u32>,
    /// Places in `entries` by name; seeded, so that no one can choose names that collide.
    index: HashTable<u32>,
    hasher: RandomState,
    rules: RulesPool,
    /// The earliest moment at which a host may have become evictable.
    sweep_at: Timestamp,
    /// A host that is not in the table may have been asked up to this moment, and been forgotten: a pause that
    /// was not in force then counts from here.
    pub(crate) forgotten: Option<Timestamp>,
}

// Aligned, for a place that straddled two cache lines would cost two misses.
#[repr(align(64))]
struct Entry {
    /// `None` in a free place.
    name: Option<Host>,
    state: HostState,
    rules: u32,
    generation: u32,
}

impl Table {
    pub(crate) fn new(policy: Policy) -> Self {
        Self {
            policy,
            groups: Groups::default(),
            entries: Blocks::default(),
            free: Vec::new(),
            index: HashTable::new(),
            hasher: RandomState::new(),
            rules: RulesPool::default(),
            sweep_at: Timestamp::ZERO,
            forgotten: None,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    fn bound(&self) -> usize {
        self.policy.max_hosts.unwrap_or(DEFAULT_MAX_HOSTS)
    }

    /// The place of the clocks of a host.
    pub(crate) fn find(&self, name: &str) -> Option<HostId> {
        let name = self.policy.clock_name(name);
        let found =
            self.index.find(self.hasher.hash_one(name), |place| self.name_at(*place) == Some(name))?;
        self.id_at(*found)
    }

    fn name_at(&self, place: u32) -> Option<&str> {
        self.entries.get(place)?.name.as_ref().map(Host::as_str)
    }

    fn id_at(&self, index: u32) -> Option<HostId> {
        Some(HostId { index, generation: self.entries.get(index)?.generation })
    }

    fn entry(&self, id: HostId) -> Option<&Entry> {
        self.entries.get(id.index).filter(|entry| entry.generation == id.generation)
    }

    /// The host of an id, unless it was evicted.
    pub(crate) fn name(&self, id: HostId) -> Option<&Host> {
        self.entry(id)?.name.as_ref()
    }

    /// What a decision about the host needs.
    pub(crate) fn view(&self, id: HostId) -> Option<(&HostState, &Rules, &Groups)> {
        let entry = self.entry(id)?;
        Some((&entry.state, self.rules.at(entry.rules)?, &self.groups))
    }

    /// The same, to change it.
    pub(crate) fn view_mut(&mut self, id: HostId) -> Option<(&mut HostState, &Rules, &mut Groups)> {
        let entry = self.entries.get_mut(id.index).filter(|entry| entry.generation == id.generation)?;
        Some((&mut entry.state, self.rules.at(entry.rules)?, &mut self.groups))
    }

    /// What a host is taken for that is not in the table.
    fn unknown(&self) -> HostState {
        HostState { last_end: self.forgotten, ..HostState::default() }
    }

    /// The decision about a host that is not in the table; forgets nobody.
    pub(crate) fn check_unknown(
        &mut self,
        host: &Host,
        ask: &Ask<'_>,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        let full = if self.len() < self.bound() { None } else { self.full_at(now) };
        let rules = self.policy.rules(host);
        self.unknown().check_with(&rules, &self.groups, ask, now, full)
    }

    /// The place of a host, a new one if it has none and there is room.
    pub(crate) fn intern(&mut self, host: &Host, now: Timestamp) -> Result<HostId, Refusal> {
        if let Some(id) = self.find(host.as_str()) {
            return Ok(id);
        }
        self.make_room(now).map_err(Refusal::of)?;
        Ok(self.insert(host))
    }

    /// The same, over the bound if need be: what an operator orders is never forgotten.
    pub(crate) fn intern_always(&mut self, host: &Host) -> HostId {
        self.find(host.as_str()).unwrap_or_else(|| self.insert(host))
    }

    /// Room for so many hosts, so that the index is not built over and over on the way.
    pub(crate) fn reserve(&mut self, hosts: usize) {
        let (entries, hasher) = (&self.entries, &self.hasher);
        self.index.reserve(hosts.saturating_sub(self.index.len()), |place| hash_at(entries, hasher, *place));
    }

    /// Puts a state in the place of what is known of its host.
    pub(crate) fn put(&mut self, host: &Host, state: HostState) {
        let id = self.intern_always(host);
        if let Some((place, ..)) = self.view_mut(id) {
            *place = state;
        }
    }

    fn insert(&mut self, host: &Host) -> HostId {
        let name = self.policy.clock_of(host).clone();
        let rules = self.rules.of(&self.policy, &name);
        let state = self.unknown();
        let hash = self.hasher.hash_one(name.as_str());
        let mut generation = 0;
        let mut entry = Entry { name: Some(name), state, rules, generation };
        let free = self.free.pop();
        let place = match free.and_then(|place| Some((place, self.entries.get_mut(place)?))) {
            Some((place, freed)) => {
                generation = freed.generation;
                entry.generation = generation;
                *freed = entry;
                place
            }
            // The bound of a policy is far below four billion hosts.
            None => self.entries.push(entry).unwrap_or(u32::MAX),
        };
        let (entries, hasher) = (&self.entries, &self.hasher);
        self.index.insert_unique(hash, place, |place| hash_at(entries, hasher, *place));
        let id = HostId { index: place, generation };
        // A host that is never asked may go as soon as another wants its place.
        self.released(id);
        id
    }

    /// Room for one host more, by forgetting those of which nothing is worth remembering.
    fn make_room(&mut self, now: Timestamp) -> Result<(), Clock> {
        if self.len() < self.bound() {
            return Ok(());
        }
        if self.sweep_at <= now {
            self.evict_idle(now);
        }
        if self.len() < self.bound() {
            return Ok(());
        }
        Err(full_until(self.sweep_at))
    }

    /// The refusal of a full table of which no host may be forgotten at `now`.
    fn full_at(&mut self, now: Timestamp) -> Option<Clock> {
        if self.sweep_at <= now {
            let mut next = Timestamp::MAX;
            for live in self.entries.iter().filter_map(|entry| self.live_until(entry)) {
                if live <= now {
                    return None;
                }
                next = next.min(live);
            }
            self.sweep_at = next;
        }
        Some(full_until(self.sweep_at))
    }

    /// Until when a host must be remembered, where time alone ends that.
    fn live_until(&self, entry: &Entry) -> Option<Timestamp> {
        entry.name.as_ref()?;
        entry.state.live_until(self.rules.at(entry.rules)?)
    }

    /// Forgets every host of which nothing refuses any more; returns how many.
    pub(crate) fn evict_idle(&mut self, now: Timestamp) -> usize {
        let before = self.len();
        let mut next = Timestamp::MAX;
        for (place, entry) in (0u32..).zip(self.entries.iter_mut()) {
            let Some(name) = &entry.name else { continue };
            let live = self.rules.at(entry.rules).and_then(|rules| entry.state.live_until(rules));
            match live {
                Some(until) if until <= now => {
                    let hash = self.hasher.hash_one(name.as_str());
                    if let Ok(found) = self.index.find_entry(hash, |known| *known == place) {
                        found.remove();
                    }
                    self.forgotten = self.forgotten.max(Some(entry.state.latest()));
                    let generation = entry.generation.wrapping_add(1);
                    *entry = Entry { name: None, state: HostState::default(), rules: 0, generation };
                    self.free.push(place);
                }
                Some(until) => next = next.min(until),
                None => {}
            }
        }
        self.sweep_at = next;
        before.saturating_sub(self.len())
    }

    /// Notes that a host may be evicted earlier than was known.
    pub(crate) fn released(&mut self, id: HostId) {
        if self.len() < self.bound() {
            self.sweep_at = Timestamp::ZERO;
        } else if let Some(until) = self.view(id).and_then(|(state, rules, _)| state.live_until(rules)) {
            self.sweep_at = self.sweep_at.min(until);
        }
    }

    /// Puts another policy in the place of the one that was. A name that became one of another host leaves its
    /// holds to that host.
    pub(crate) fn set_policy(&mut self, policy: Policy) {
        self.policy = policy;
        let renamed: Vec<(Host, HostState)> = self
            .states()
            .filter(|(name, _)| self.policy.clock_of(name) != *name)
            .map(|(name, state)| (name.clone(), state.clone()))
            .collect();
        for (name, state) in renamed {
            let id = self.intern_always(&name);
            if let Some((heir, ..)) = self.view_mut(id) {
                heir.absorb(&state);
            }
        }
        self.renew_rules();
    }

    /// Looks up the rules of every host again.
    pub(crate) fn renew_rules(&mut self) {
        self.rules = RulesPool::default();
        self.sweep_at = Timestamp::ZERO;
        for entry in self.entries.iter_mut() {
            if let Some(name) = &entry.name {
                entry.rules = self.rules.of(&self.policy, name);
            }
        }
    }

    /// The states of all hosts.
    pub(crate) fn states(&self) -> impl Iterator<Item = (&Host, &HostState)> {
        self.entries.iter().filter_map(|entry| Some((entry.name.as_ref()?, &entry.state)))
    }

    /// Takes back what quotas and revisits have counted.
    pub(crate) fn forget_counts(&mut self) {
        for state in self.states_mut() {
            state.forget_counts();
        }
        for group in self.groups.values_mut() {
            group.quotas = Default::default();
        }
    }

    pub(crate) fn states_mut(&mut self) -> impl Iterator<Item = &mut HostState> {
        self.entries.iter_mut().filter(|entry| entry.name.is_some()).map(|entry| &mut entry.state)
    }
}

/// A full table, in which there may be room at `until`.
fn full_until(until: Timestamp) -> Clock {
    Clock { reason: Reason::TableFull, until: (until < Timestamp::MAX).then_some(until), never: false }
}

fn hash_at(entries: &Blocks<Entry>, hasher: &RandomState, place: u32) -> u64 {
    let name = entries.get(place).and_then(|entry| entry.name.as_ref());
    hasher.hash_one(name.map_or("", Host::as_str))
}

/// Resolved rules, shared by all hosts for which the same tables of the policy speak.
#[derive(Default)]
struct RulesPool {
    rules: Vec<Rules>,
    known: HashMap<RulesKey, u32>,
}

/// The tables of a policy that speak for a host: its own, and its groups.
pub(crate) type RulesKey = (Option<Host>, Vec<Arc<str>>);

impl RulesPool {
    fn at(&self, place: u32) -> Option<&Rules> {
        self.rules.get(place as usize)
    }

    fn of(&mut self, policy: &Policy, host: &Host) -> u32 {
        let key = policy.rules_key(host);
        if let Some(place) = self.known.get(&key) {
            return *place;
        }
        let place = u32::try_from(self.rules.len()).unwrap_or(u32::MAX);
        self.rules.push(policy.rules(host));
        self.known.insert(key, place);
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_takes_one_cache_line_beside_its_name() {
        assert_eq!(size_of::<HostState>(), 40);
        assert_eq!((size_of::<Entry>(), align_of::<Entry>()), (64, 64));
    }
}
