//! Who waits for a slot of which host: the one thing that requests on different threads tell each other.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use crate::sync::{Arc, Mutex, PoisonError};

/// Requests that wait for a slot, by host name.
#[derive(Debug, Default)]
pub(crate) struct Waiters {
    hosts: Mutex<HashMap<Box<str>, Line>>,
}

/// The first to come stands first.
type Line = Vec<Arc<Mutex<Signal>>>;

#[derive(Debug, Default)]
struct Signal {
    given: bool,
    waker: Option<Waker>,
}

impl Waiters {
    /// Stands in line from now on: a signal given after this call is not missed, even before the first poll.
    pub(crate) fn join(waiters: &Arc<Self>, host: &str) -> Waiter {
        let signal = Arc::new(Mutex::new(Signal::default()));
        let mut hosts = lock(&waiters.hosts);
        match hosts.get_mut(host) {
            Some(line) => line.push(Arc::clone(&signal)),
            None => drop(hosts.insert(host.into(), vec![Arc::clone(&signal)])),
        }
        Waiter { waiters: Arc::clone(waiters), host: host.into(), signal }
    }

    /// Signals everyone who waits for a slot of this host, in the order in which they came. All, because which of
    /// them may go depends on more than the slot.
    pub(crate) fn wake(&self, host: &str) {
        let line = {
            let mut hosts = lock(&self.hosts);
            // Hardly anyone waits, and then no name is hashed.
            if hosts.is_empty() { None } else { hosts.remove(host) }
        };
        for signal in line.into_iter().flatten() {
            let waker = {
                let mut signal = lock(&signal);
                signal.given = true;
                signal.waker.take()
            };
            if let Some(waker) = waker {
                waker.wake();
            }
        }
    }
}

/// A place in the line: a future that ends with the next signal, and leaves the line when dropped.
#[derive(Debug)]
pub(crate) struct Waiter {
    waiters: Arc<Waiters>,
    host: Box<str>,
    signal: Arc<Mutex<Signal>>,
}

impl Future for Waiter {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut signal = lock(&self.signal);
        if signal.given {
            return Poll::Ready(());
        }
        signal.waker = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        let mut hosts = lock(&self.waiters.hosts);
        if let Some(line) = hosts.get_mut(&self.host) {
            line.retain(|signal| !Arc::ptr_eq(signal, &self.signal));
            if line.is_empty() {
                hosts.remove(&self.host);
            }
        }
    }
}

/// Nothing here can panic half-way, so a poisoned lock guards sound data.
fn lock<T>(mutex: &Mutex<T>) -> crate::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(all(test, loom))]
mod tests {
    use loom::future::block_on;
    use loom::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn no_signal_is_lost_between_looking_and_waiting() {
        loom::model(|| {
            let waiters = Arc::new(Waiters::default());
            let free = Arc::new(AtomicBool::new(false));
            let giver = loom::thread::spawn({
                let (waiters, free) = (Arc::clone(&waiters), Arc::clone(&free));
                move || {
                    free.store(true, Ordering::SeqCst);
                    waiters.wake("h");
                }
            });
            let waiter = Waiters::join(&waiters, "h");
            if !free.load(Ordering::SeqCst) {
                block_on(waiter);
                assert!(free.load(Ordering::SeqCst));
            }
            giver.join().unwrap();
        });
    }

    #[test]
    fn one_who_leaves_takes_no_signal_from_another() {
        loom::model(|| {
            let waiters = Arc::new(Waiters::default());
            let (stays, leaves) = (Waiters::join(&waiters, "h"), Waiters::join(&waiters, "h"));
            let leaver = loom::thread::spawn(move || drop(leaves));
            let giver = loom::thread::spawn({
                let waiters = Arc::clone(&waiters);
                move || waiters.wake("h")
            });
            block_on(stays);
            leaver.join().unwrap();
            giver.join().unwrap();
            assert!(lock(&waiters.hosts).is_empty());
        });
    }
}
