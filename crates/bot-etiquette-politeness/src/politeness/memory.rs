//! What the clocks remember: over a restart, from a log, and how much of it.

use super::{Politeness, host_of};
use crate::snapshot::{Rebase, Snapshot};
use crate::{Ask, Timestamp};

impl Politeness {
    /// Counts quotas, revisits and group rates anew from a log of the requests that were made, oldest first, as
    /// if the rules of now had held all along: for a policy that was given a new quota, to a program that kept
    /// such a log. Without it, a new quota counts from when it was set.
    pub fn recount<'a>(&self, log: impl IntoIterator<Item = (Timestamp, Ask<'a>)>, now: Timestamp) {
        let mut shared = self.lock();
        shared.tick(now);
        shared.table.forget_counts();
        for (started, ask) in log {
            let Ok(host) = host_of(&ask) else { continue };
            let table = &mut shared.table;
            match table.find(host.as_str()).and_then(|id| table.view_mut(id)) {
                Some((state, rules, groups)) => state.count(rules, groups, &ask, started),
                None => {
                    let rules = table.policy.rules(&host);
                    crate::HostState::default().count(&rules, &mut table.groups, &ask, started);
                }
            }
        }
    }

    /// Forgets every host of which nothing is running, and returns how many. It happens by itself when the
    /// table is full.
    pub fn evict_idle(&self, now: Timestamp) -> usize {
        let mut shared = self.lock();
        let now = shared.tick(now);
        shared.table.evict_idle(now)
    }

    /// Hosts that are remembered.
    #[must_use]
    pub fn hosts(&self) -> usize {
        self.lock().table.len()
    }

    /// Treats every host as if it had been asked now: for a start after which no snapshot was found.
    pub fn quarantine(&self, now: Timestamp) {
        let mut shared = self.lock();
        let now = shared.tick(now);
        shared.table.forgotten = Some(now);
        for state in shared.table.states_mut() {
            state.last_end = Some(now);
        }
    }

    /// All that is remembered.
    #[must_use]
    pub fn export(&self, now: Timestamp) -> Snapshot {
        let mut shared = self.lock();
        let saved_at = shared.tick(now);
        let mut hosts = Vec::with_capacity(shared.table.len());
        hosts.extend(shared.table.states().map(|(host, state)| (host.clone(), state.clone())));
        Snapshot {
            saved_at,
            hosts,
            forgotten: shared.table.forgotten,
            groups: shared.table.groups.clone(),
            killed: Vec::new(),
            foreign: false,
        }
    }

    /// Takes over what a snapshot remembers; what it names replaces what was known of it. Requests that were
    /// open end now. A clock that stands before the snapshot leaves of each hold what was left of it then.
    ///
    /// Of a snapshot that [is foreign](Snapshot::is_foreign) the kills are kept and every host waits one pause.
    pub fn import(&self, snapshot: Snapshot, now: Timestamp) {
        let mut shared = self.lock();
        let now = shared.tick(now);
        let rebase = Rebase::new(snapshot.saved_at, now);
        let forgotten = snapshot.forgotten.map(|moment| rebase.moment(moment));
        shared.table.forgotten = shared.table.forgotten.max(forgotten);
        shared.table.reserve(snapshot.hosts.len());
        for (host, mut state) in snapshot.hosts {
            state.rebase(rebase);
            state.close(now);
            shared.table.put(&host, state);
        }
        for (name, mut state) in snapshot.groups {
            state.rebase(rebase);
            state.close();
            *shared.table.groups.entry(&name) = state;
        }
        for host in &snapshot.killed {
            let id = shared.table.intern_always(host);
            if let Some((state, ..)) = shared.table.view_mut(id) {
                state.kill();
            }
        }
        if snapshot.foreign {
            drop(shared);
            self.quarantine(now);
        }
    }
}
