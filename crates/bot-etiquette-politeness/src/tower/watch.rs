//! What can end an open request from outside: the operator's block, and the end of its lease.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use super::{BoxError, LeaseExpired, Timer, slot::Slot};
use crate::{Reason, Refusal, Store, Timestamp};

/// How often the store is asked, while a request is open, whether its host was blocked: another process may
/// have done it.
pub const KILL_CHECK: Duration = Duration::from_secs(1);

/// Guards one open request. Dropped, it ends the request.
pub(crate) struct Watch<S: Store, T: Timer> {
    pub(crate) slot: Arc<Slot<S>>,
    pub(crate) timer: T,
    next_look: Pin<Box<T::Sleep>>,
}

impl<S: Store, T: Timer> Watch<S, T> {
    pub(crate) fn new(slot: Arc<Slot<S>>, timer: T, now: Timestamp) -> Self {
        let next_look = Box::pin(timer.sleep_until(next_look(now, slot.lease_ends)));
        Self { slot, timer, next_look }
    }

    /// Ends with the reason why the request must end.
    pub(crate) fn poll_broken(&mut self, cx: &mut Context<'_>) -> Poll<BoxError> {
        if self.slot.is_over() {
            return Poll::Ready(LeaseExpired.into());
        }
        while self.next_look.as_mut().poll(cx).is_ready() {
            let now = self.timer.now();
            if self.slot.is_killed(now) {
                self.slot.done(now);
                return Poll::Ready(Refusal::never(Reason::Killed).into());
            }
            if now >= self.slot.lease_ends {
                self.slot.break_off(now);
                return Poll::Ready(LeaseExpired.into());
            }
            self.next_look.set(self.timer.sleep_until(next_look(now, self.slot.lease_ends)));
        }
        Poll::Pending
    }

    /// Polls `future` for as long as nothing breaks the request off.
    pub(crate) async fn guard<F: Future>(&mut self, future: F) -> Result<F::Output, BoxError> {
        let mut future = std::pin::pin!(future);
        std::future::poll_fn(|cx| {
            if self.slot.is_over() {
                return Poll::Ready(Err(LeaseExpired.into()));
            }
            // What is there at once needs no timer.
            match future.as_mut().poll(cx) {
                Poll::Ready(output) => Poll::Ready(Ok(output)),
                Poll::Pending => self.poll_broken(cx).map(Err),
            }
        })
        .await
    }
}

impl<S: Store, T: Timer> Drop for Watch<S, T> {
    fn drop(&mut self) {
        self.slot.done(self.timer.now());
    }
}

fn next_look(now: Timestamp, lease_ends: Timestamp) -> Timestamp {
    (now + KILL_CHECK).min(lease_ends)
}
