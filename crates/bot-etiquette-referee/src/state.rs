//! What all connections share: the clock, the sites, and the record of every request.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::clock::Clock;
use crate::promise::Held;
use crate::record::{Record, Silent};
use crate::sites::Sites;

/// Real seconds after a request's end in which a new connection may still have been meant for its like.
const POOL_RACE: f64 = 0.05;

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) clock: Clock,
    pub(crate) sites: Sites,
    pub(crate) held: Held,
    /// Requests recorded at the most.
    most: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    records: Vec<Record>,
    visits: HashMap<(String, String), u64>,
    connections: u64,
    /// Connections that have not sent a request, ended or not.
    silent: BTreeMap<u64, Silent>,
}

impl Shared {
    pub(crate) fn new(clock: Clock, sites: Sites, held: Held, most: usize) -> Self {
        Self { clock, sites, held, most, state: Mutex::default() }
    }

    /// A panic elsewhere leaves whole records behind, so the state stays good.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a new connection and gives its number.
    pub(crate) fn opened(&self, local: SocketAddr) -> u64 {
        let at = self.clock.now();
        let site = self.sites.name("", local).0;
        let mut state = self.state();
        state.connections += 1;
        let recent = at - POOL_RACE * self.clock.scale();
        let beside_another =
            state.records.iter().rev().take(64).any(|record| record.end.is_none_or(|end| end > recent));
        let number = state.connections;
        state.silent.insert(number, Silent { site, at, what: "nothing", beside_another });
        number
    }

    /// A connection spoke: a request, or something else in words.
    pub(crate) fn spoke(&self, connection: u64, otherwise: Option<&'static str>) {
        let mut state = self.state();
        match (otherwise, state.silent.get_mut(&connection)) {
            (Some(what), Some(silent)) => {
                silent.what = what;
                silent.beside_another = false;
            }
            _ => {
                state.silent.remove(&connection);
            }
        }
    }

    /// How many requests of a path came before this one.
    pub(crate) fn visit(&self, site: &str, path: &str) -> u64 {
        let mut state = self.state();
        let count = state.visits.entry((site.to_owned(), path.to_owned())).or_default();
        *count += 1;
        *count - 1
    }

    /// Files a request; `None` when there are too many.
    pub(crate) fn file(&self, record: Record) -> Option<usize> {
        let mut state = self.state();
        if state.records.len() >= self.most {
            return None;
        }
        state.records.push(record);
        Some(state.records.len() - 1)
    }

    pub(crate) fn change(&self, index: usize, change: impl FnOnce(&mut Record)) {
        if let Some(record) = self.state().records.get_mut(index) {
            change(record);
        }
    }

    pub(crate) fn requests(&self) -> usize {
        self.state().records.len()
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.state().records.iter().rev().take(64).any(|record| !record.closed)
    }

    /// The records so far, and the connections that sent no request since the first one came.
    pub(crate) fn seen(&self) -> (Vec<Record>, Vec<Silent>) {
        let state = self.state();
        let first = state.records.iter().map(|record| record.start).min_by(f64::total_cmp);
        let silent = state.silent.values().filter(|silent| first.is_some_and(|first| silent.at >= first));
        (state.records.clone(), silent.cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::promise::Promise;

    #[test]
    fn requests_beyond_the_limit_are_not_filed() {
        let (instant, wall) = Clock::started_now();
        let held = Held::new(Promise::new(), None).unwrap();
        let sites = Sites::new(Vec::new(), Vec::new());
        let shared = Shared::new(Clock::new(instant, wall, 1.0), sites, held, 3);
        let filed: Vec<Option<usize>> = (0..4).map(|_| shared.file(Record::default())).collect();
        assert_eq!(filed, [Some(0), Some(1), Some(2), None]);
        assert_eq!(shared.requests(), 3);
    }
}
