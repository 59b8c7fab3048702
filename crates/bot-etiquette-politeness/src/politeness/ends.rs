//! What a permit tells the clocks while it is open and when it ends.

use super::{Dropped, Politeness};
use crate::Timestamp;
use crate::opened::Opened;
use crate::outcome::Outcome;
use crate::report::Report;
use crate::table::HostId;

impl Politeness {
    pub(crate) fn end(&self, id: HostId, opened: &Opened, outcome: &Outcome, now: Timestamp) {
        let mut shared = self.lock();
        let now = shared.tick(now);
        shared.end(id, opened, outcome, now);
    }

    pub(crate) fn heard(&self, id: HostId, opened: &Opened, head: &Outcome, now: Timestamp) {
        let mut shared = self.lock();
        let now = shared.tick(now);
        let random = shared.random();
        if let Some((state, rules, groups)) = shared.table.view_mut(id) {
            state.heard(rules, groups, opened, head, random, now);
        }
    }

    pub(crate) fn unsent(&self, id: HostId, opened: &Opened, now: Timestamp) {
        let mut shared = self.lock();
        shared.tick(now);
        if let Some((state, rules, groups)) = shared.table.view_mut(id) {
            state.unsent(rules, groups, opened);
        }
        shared.table.released(id);
    }

    pub(crate) fn report_open(
        &self,
        id: HostId,
        opened: &mut Opened,
        resource: Option<&str>,
        report: Report,
        now: Timestamp,
    ) {
        let mut shared = self.lock();
        let now = shared.tick(now);
        let random = shared.random();
        if let Some((state, rules, _)) = shared.table.view_mut(id) {
            state.report_open(rules, opened, resource, report, random, now);
        }
    }

    pub(crate) fn dropped(&self, id: HostId, opened: Opened) {
        self.lock().dropped.push(Dropped { id, opened, at: Timestamp::MAX });
    }
}
