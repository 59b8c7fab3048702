//! An open request of a layer: a permit that ends exactly once, whoever ends it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::waiters::Waiters;
use crate::{End, Failure, Outcome, Store, Timestamp};

/// What all clones of a layer share.
pub(crate) struct Slots<S: Store> {
    pub(crate) store: S,
    pub(crate) waiters: crate::sync::Arc<Waiters>,
    /// Open requests, the oldest first, with the end of their lease.
    open: Mutex<VecDeque<(Timestamp, Weak<Slot<S>>)>>,
}

impl<S: Store> Slots<S> {
    pub(crate) fn new(store: S) -> Self {
        Self { store, waiters: crate::sync::Arc::new(Waiters::default()), open: Mutex::default() }
    }

    /// Keeps an admitted request in mind until it ends, or its lease does.
    pub(crate) fn open(
        self: &Arc<Self>,
        permit: S::Permit,
        host: Box<str>,
        lease_ends: Timestamp,
    ) -> Arc<Slot<S>> {
        let state = State::Open { permit, sent: false, outcome: None };
        let slot = Arc::new(Slot { slots: Arc::clone(self), host, lease_ends, state: Mutex::new(state) });
        let mut open = lock(&self.open);
        while open.front().is_some_and(|(_, slot)| slot.strong_count() == 0) {
            open.pop_front();
        }
        open.push_back((lease_ends, Arc::downgrade(&slot)));
        slot
    }

    /// Ends the requests whose lease has ended: a body that nobody reads, nor drops, holds its slot no longer.
    pub(crate) fn end_leases(&self, now: Timestamp) {
        loop {
            let slot = {
                let mut open = lock(&self.open);
                match open.front() {
                    Some((lease_ends, _)) if *lease_ends <= now => open.pop_front(),
                    _ => return,
                }
            };
            if let Some(slot) = slot.and_then(|(_, slot)| slot.upgrade()) {
                slot.break_off(now);
            }
        }
    }
}

/// One open request.
pub(crate) struct Slot<S: Store> {
    slots: Arc<Slots<S>>,
    host: Box<str>,
    pub(crate) lease_ends: Timestamp,
    state: Mutex<State<S::Permit>>,
}

enum State<P> {
    Open {
        permit: P,
        /// Whether the request may have left.
        sent: bool,
        /// What the head of the answer said, and when.
        outcome: Option<(Outcome, Timestamp)>,
    },
    Ended,
}

impl<S: Store> Slot<S> {
    /// From here on the request may have left.
    pub(crate) fn sent(&self) {
        if let State::Open { sent, .. } = &mut *lock(&self.state) {
            *sent = true;
        }
    }

    /// The head of the answer has come: what it says against the host holds from now on, for others may be in line.
    pub(crate) fn answered(&self, head: Outcome, now: Timestamp) {
        if let State::Open { permit, outcome, .. } = &mut *lock(&self.state) {
            let waits = head.retry_after.is_some() || head.rate_limit.is_some();
            if waits || matches!(head.end, End::Status(400..)) {
                self.slots.store.heard(permit, &head, now);
            }
            *outcome = Some((head, now));
        }
    }

    /// The request failed without an answer.
    pub(crate) fn failed(&self, outcome: &Outcome, now: Timestamp) {
        self.end(now, |_| *outcome);
    }

    /// The body has ended, or was left by its reader.
    pub(crate) fn done(&self, now: Timestamp) {
        self.end(now, |head| head.unwrap_or(Outcome::aborted()));
    }

    /// The lease has ended, or the body broke off.
    pub(crate) fn break_off(&self, now: Timestamp) {
        self.end(now, |head| match head {
            None => Outcome::failed(Failure::Timeout),
            // Of a good answer it counts that it is not whole; of any other, what it said.
            Some(Outcome { end: End::Status(200..=299), .. }) => Outcome::failed(Failure::Incomplete),
            Some(head) => head,
        });
    }

    /// Whether it was ended, by whomever.
    pub(crate) fn is_over(&self) -> bool {
        matches!(*lock(&self.state), State::Ended)
    }

    pub(crate) fn is_killed(&self, now: Timestamp) -> bool {
        match &*lock(&self.state) {
            State::Open { permit, .. } => self.slots.store.is_killed(permit, now),
            State::Ended => false,
        }
    }

    fn end(&self, now: Timestamp, outcome: impl FnOnce(Option<Outcome>) -> Outcome) {
        let state = std::mem::replace(&mut *lock(&self.state), State::Ended);
        let State::Open { permit, sent, outcome: head } = state else { return };
        if sent {
            // The waits that it asked for began with the head.
            let head = head.map(|(head, at)| Outcome {
                retry_after: head.retry_after.map(|wait| wait.saturating_sub(now.since(at))),
                rate_limit: head.rate_limit.map(|wait| wait.saturating_sub(now.since(at))),
                ..head
            });
            self.slots.store.finish(permit, &outcome(head), now);
        } else {
            self.slots.store.unsent(permit, now);
        }
        self.slots.waiters.wake(&self.host);
    }
}

/// Nothing panics half-way under these locks, so a poisoned one guards sound data.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
