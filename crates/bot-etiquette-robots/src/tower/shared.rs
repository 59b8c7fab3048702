//! What all clones of a layer share: the cache, and who waits for which robots.txt.

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use http::Request;
use tokio::sync::oneshot;

use super::fetch::{self, Fetched};
use super::{BoxError, RobotsRefusal, Settings};
use crate::{FetchTicket, Lookup, Origin, RobotsAnswer, RobotsCache, RobotsCopy};

/// An error that several requests share.
pub(super) type Cause = Arc<dyn Error + Send + Sync>;

#[derive(Debug)]
pub(super) struct Shared(Mutex<State>);

#[derive(Debug)]
struct State {
    cache: RobotsCache,
    waiting: HashMap<Origin, Vec<oneshot::Sender<End>>>,
    /// Why there was no answer the last time, of no more origins than the cache remembers.
    silent: HashMap<Origin, Cause>,
}

/// How a fetch ended for those who waited: look again, or go away.
type End = Result<(), Cause>;

/// What a request has to do next.
pub(super) enum Turn {
    Judge(RobotsCopy),
    Wait(Waiting),
    Lead(Lead),
}

impl Shared {
    pub(super) fn new(cache: RobotsCache) -> Self {
        Self(Mutex::new(State { cache, waiting: HashMap::new(), silent: HashMap::new() }))
    }

    pub(super) fn with_cache<T>(&self, look: impl FnOnce(&mut RobotsCache) -> T) -> T {
        look(&mut self.lock().cache)
    }

    pub(super) fn turn(
        self: &Arc<Self>,
        origin: &Origin,
        settings: &Settings,
    ) -> Result<Turn, RobotsRefusal> {
        let mut state = self.lock();
        match state.cache.check(origin, (settings.now)(), settings.margin) {
            Lookup::Use(copy) => {
                if copy.is_new() {
                    // Under the lock, so that no request of this origin overtakes what was learned.
                    (settings.on_crawl_delay)(origin.as_str(), copy.rules().crawl_delay());
                }
                Ok(Turn::Judge(copy))
            }
            Lookup::Wait => {
                let (sender, receiver) = oneshot::channel();
                let waiting = state.waiting.entry(origin.clone()).or_default();
                waiting.retain(|other| !other.is_closed());
                waiting.push(sender);
                Ok(Turn::Wait(Waiting(receiver)))
            }
            Lookup::Fetch(ticket) => Ok(Turn::Lead(Lead { shared: Arc::clone(self), ticket: Some(ticket) })),
            Lookup::Closed { why, until } => {
                let cause = state.silent.get(origin).cloned();
                Err(RobotsRefusal::Unreachable { origin: origin.clone(), why, until, cause })
            }
            Lookup::Full => Err(RobotsRefusal::Full { origin: origin.clone() }),
        }
    }

    /// What was kept under the lock is whole after each step, so a panic of a callback spoils nothing.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Tells everyone who waits for an origin. Each looks again: the first of them takes up what was left.
    fn wake(&mut self, origin: &Origin, end: &End) {
        for sender in self.waiting.remove(origin).unwrap_or_default() {
            // Who has gone away needs no answer.
            let _ = sender.send(end.clone());
        }
    }

    fn finished(&mut self, ticket: FetchTicket, answer: &RobotsAnswer, now: SystemTime) {
        let origin = ticket.origin().clone();
        self.cache.finished(ticket, answer, now);
        self.wake(&origin, &Ok(()));
    }

    fn keep(&mut self, origin: Origin, cause: Cause) {
        self.silent.insert(origin, cause);
        if self.silent.len() > self.cache.len() {
            self.silent.retain(|origin, _| self.cache.remembers(origin));
        }
    }
}

/// A place among those who wait for another's fetch.
pub(super) struct Waiting(oneshot::Receiver<End>);

impl Waiting {
    pub(super) async fn end(self, origin: &Origin) -> Result<(), RobotsRefusal> {
        match self.0.await {
            Ok(Err(cause)) => Err(RobotsRefusal::Deferred { origin: origin.clone(), cause }),
            Ok(Ok(())) | Err(_) => Ok(()),
        }
    }
}

/// The one who fetches. Dropped before the end, it makes way for the next.
pub(super) struct Lead {
    shared: Arc<Shared>,
    ticket: Option<FetchTicket>,
}

impl Lead {
    /// What to ask for.
    pub(super) fn request<B: Default>(&self) -> Result<Request<B>, BoxError> {
        let ticket = self.ticket.as_ref().ok_or("it has ended")?;
        Ok(fetch::request(ticket)?)
    }

    /// Tells the cache and the waiting how the fetch ended.
    pub(super) fn end(mut self, fetched: Fetched, now: SystemTime) -> Result<(), RobotsRefusal> {
        let Some(ticket) = self.ticket.take() else { return Ok(()) };
        let origin = ticket.origin().clone();
        let mut state = self.shared.lock();
        match fetched {
            Fetched::Answer(answer) => {
                state.silent.remove(&origin);
                state.finished(ticket, &answer, now);
                Ok(())
            }
            Fetched::NoAnswer(cause) => {
                state.finished(ticket, &RobotsAnswer::no_answer(), now);
                state.keep(origin, cause);
                Ok(())
            }
            Fetched::Refused(cause) => {
                state.cache.abandoned(ticket);
                state.wake(&origin, &Err(Arc::clone(&cause)));
                Err(RobotsRefusal::Deferred { origin, cause })
            }
        }
    }
}

impl Drop for Lead {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            let origin = ticket.origin().clone();
            let mut state = self.shared.lock();
            state.cache.abandoned(ticket);
            state.wake(&origin, &Ok(()));
        }
    }
}
