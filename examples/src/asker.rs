//! One request after the other through the stack, for a bot: it waits as long as its horizon allows, keeps the count
//! of redirects over waits, writes down what was done, and says in a few kinds why something was not read.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bot_etiquette::fetch::tower::FollowLayer;
use bot_etiquette::fetch::{
    FailureClass, FetchError, FetchLimits, Fetched, Fetcher, Followed, RedirectError,
};
use bot_etiquette::politeness::tower::LeaseExpired;
use bot_etiquette::politeness::{Reason, Refusal, Timestamp};
use bot_etiquette::robots::tower::{RobotsLayer, RobotsRefusal};
use bytes::Bytes;
use http::{Request, Uri};
use http_body_util::Full;
use tower::ServiceExt;

use crate::bot::Bot;
use crate::clock::Clock;
use crate::exit::causes;
use crate::interrupt::Interrupt;
use crate::ledger::Ledger;
use crate::sqlite_store::SqliteStore;
use crate::stack::{Assembled, BoxError, Client, Stack, Step, Watch, find};
use crate::state::State;
use crate::world::World;

/// Sends a bot's requests; clones share everything.
#[derive(Clone)]
pub struct Asker {
    client: Client<SqliteStore>,
    invited: Client<SqliteStore>,
    robots: RobotsLayer<Client<SqliteStore>>,
    robots_news: Arc<AtomicBool>,
    state: Arc<State>,
    /// The time.
    pub clock: Clock,
    /// What was asked, and what was waited for.
    pub ledger: Ledger,
    /// Whether to stop.
    pub interrupt: Interrupt,
    /// The longest wait, of the clock's, that a request sits out; beyond it is [`NotRead::Later`].
    pub horizon: Duration,
}

/// What an [`Asker`] is made of, beside the bot and its state.
pub struct AskerOptions {
    /// The limits of each request unless it brings its own.
    pub limits: FetchLimits,
    /// How far redirects go, and what looks at each hop first.
    pub follow: FollowLayer,
    /// The major version of the browser that pages are rendered with, if they are.
    pub chromium: Option<u32>,
    /// Whether to stop.
    pub interrupt: Interrupt,
    /// See [`Asker::horizon`].
    pub horizon: Duration,
    /// Who else is told each step; [`quiet`](crate::stack::quiet) is nobody.
    pub watch: Watch,
}

/// Why something was not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotRead {
    /// The robots.txt of its host closes it.
    #[error("closed by robots.txt: {0}")]
    Closed(String),
    /// Not now: the host's turn, or a person's, is later than the horizon.
    #[error("has to wait: {why}")]
    Later {
        /// When to ask again; `None` when nobody knows.
        until: Option<Timestamp>,
        /// What it waits for.
        why: String,
        /// The code of that, such as `busy`.
        reason: &'static str,
    },
    /// Not before somebody changes something: a block, a Crawl-delay too long to keep.
    #[error("left alone: {why}")]
    Never {
        /// Why.
        why: String,
        /// The code of that, such as `killed`.
        reason: &'static str,
    },
    /// A redirect was not followed.
    #[error("{0}")]
    Redirect(String),
    /// The host gave no answer.
    #[error("no answer: {0}")]
    NoAnswer(String),
    /// The host answered, but what came was late, broken or too large.
    #[error("answered, but {0}")]
    Broken(String),
    /// It was not asked: an address or a request that is none of ours to ask.
    #[error("not asked: {0}")]
    Refused(String),
    /// The person stopped the program.
    #[error("stopped")]
    Interrupted,
}

impl Asker {
    /// Assembles the stack over the state, in this world. What the state knows of robots.txt is taken in.
    ///
    /// # Errors
    /// When the identity may not be used in this world, or the state cannot be read.
    pub fn new(bot: &Bot, world: &World, state: Arc<State>, options: AskerOptions) -> Result<Self, BoxError> {
        let clock = world.clock;
        let ledger = Ledger::new(clock);
        let robots_news = Arc::new(AtomicBool::new(false));
        let fetcher = world.reach(Fetcher::builder()).limits(options.limits).build()?;
        let (news, noted, told) = (Arc::clone(&robots_news), ledger.clone(), options.watch);
        let watch: Watch = Arc::new(move |step| {
            if matches!(step, Step::Learned(..)) {
                news.store(true, Ordering::Release);
            }
            noted.note(&step);
            told(step);
        });
        let stack = Stack {
            identity: bot.identity.clone(),
            chromium: options.chromium,
            politeness: state.politeness.clone().with_clock(move || clock.now().into()),
            signer: bot.signer.clone(),
            fetcher,
            follow: options.follow,
            clock,
            watch,
        };
        let store = state.politeness.clone();
        let Assembled { client, polite: invited, robots } = stack.assemble_with(move |origin, delay| {
            if let Ok(origin) = origin.parse() {
                // Where it cannot be written, no decision can be made either, and nothing is asked.
                let _ = store.set_crawl_delay(&origin, delay, clock.now().into());
            }
        })?;
        state.load_robots(&robots, clock.now())?;
        let (interrupt, horizon) = (options.interrupt, options.horizon);
        Ok(Self { client, invited, robots, robots_news, state, clock, ledger, interrupt, horizon })
    }

    /// The layer that keeps the copies of robots.txt.
    #[must_use]
    pub const fn robots(&self) -> &RobotsLayer<Client<SqliteStore>> {
        &self.robots
    }

    /// The state under it.
    #[must_use]
    pub const fn state(&self) -> &Arc<State> {
        &self.state
    }

    /// Sends a request through all layers and reads the answer to its end.
    ///
    /// # Errors
    /// [`NotRead`] says why there is no answer. Any status that came is an answer.
    pub async fn ask(&self, request: Request<Full<Bytes>>) -> Result<Fetched, NotRead> {
        self.ask_through(&self.client, request).await
    }

    /// The same past robots.txt, redirects not followed: for the paths of an API whose own rules invite programs that its
    /// robots.txt turns away. Ask with [`ask`](Self::ask) first, so that its Crawl-delay is known and kept.
    ///
    /// # Errors
    /// As there.
    pub async fn ask_invited(&self, request: Request<Full<Bytes>>) -> Result<Fetched, NotRead> {
        self.ask_through(&self.invited, request).await
    }

    async fn ask_through(
        &self,
        client: &Client<SqliteStore>,
        request: Request<Full<Bytes>>,
    ) -> Result<Fetched, NotRead> {
        let mut request = request;
        let last = Timestamp::from(self.clock.now()) + self.horizon;
        loop {
            if self.interrupt.requested() {
                return Err(NotRead::Interrupted);
            }
            let error = match self.exchange(client, request.clone()).await {
                Ok(fetched) => return Ok(fetched),
                Err(error) => error,
            };
            let missed = find::<Refusal>(&*error).map_or_else(|| not_read(&*error), waits);
            let now = Timestamp::from(self.clock.now());
            let until = match &missed {
                NotRead::Later { until: Some(until), .. } if until.since(now) <= self.horizon => *until,
                // The layer has waited for a slot as long as it does; it may wait on.
                NotRead::Later { until: None, reason, .. }
                    if *reason == Reason::InFlight.code() && now < last =>
                {
                    now
                }
                _ => return Err(missed),
            };
            // Where a hop has to wait, the next try goes on from there with the count kept.
            if let Some(RedirectError::Hop { chain, next, .. }) = own_redirect(&*error)
                && let Ok(uri) = next.as_str().parse::<Uri>()
            {
                *request.uri_mut() = uri;
                request.extensions_mut().insert(Followed(chain.clone()));
            }
            self.sleep_until(until).await?;
        }
    }

    /// Waits until a moment of the clock.
    ///
    /// # Errors
    /// [`NotRead::Interrupted`] when the person did not want to wait.
    pub async fn sleep_until(&self, until: Timestamp) -> Result<(), NotRead> {
        let wait = until.since(self.clock.now().into());
        // A millisecond more than the division gives: nothing is early by rounding.
        let wait = self.clock.real_duration(wait) + Duration::from_millis(1);
        tokio::select! {
            () = self.interrupt.wait() => Err(NotRead::Interrupted),
            () = tokio::time::sleep(wait) => Ok(()),
        }
    }

    async fn exchange(
        &self,
        client: &Client<SqliteStore>,
        request: Request<Full<Bytes>>,
    ) -> Result<Fetched, BoxError> {
        let uri = request.uri().clone();
        let done = async { Fetched::collect(client.clone().oneshot(request).await?).await }.await;
        if self.robots_news.swap(false, Ordering::AcqRel) {
            self.state.keep_robots(&self.robots, self.clock.now())?;
        }
        match &done {
            Ok(fetched) => self.ledger.received(uri.host().unwrap_or_default(), fetched),
            Err(error) if find::<Refusal>(&**error).is_none() => {
                self.ledger.failed(uri.host().unwrap_or_default(), &**error);
            }
            Err(_) => {}
        }
        done
    }
}

/// The redirect that the request itself did not follow; one of its host's robots.txt is none of its own.
fn own_redirect<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a RedirectError> {
    let mut own = std::iter::successors(Some(error), |&error| error.source())
        .take_while(|error| !error.is::<RobotsRefusal>());
    own.find_map(|error| error.downcast_ref())
}

fn waits(refusal: &Refusal) -> NotRead {
    let reason = refusal.reasons().next().unwrap_or(Reason::InFlight);
    let why = reason.sentence().to_owned();
    match refusal.is_never() {
        true => NotRead::Never { why, reason: reason.code() },
        false => NotRead::Later { until: refusal.until(), why, reason: reason.code() },
    }
}

fn not_read(error: &(dyn Error + 'static)) -> NotRead {
    if let Some(refusal) = find::<RobotsRefusal>(error) {
        return match refusal {
            RobotsRefusal::Unreachable { until, .. } => NotRead::Later {
                until: Some((*until).into()),
                why: [vec![refusal.to_string()], causes(refusal)].concat().join(": "),
                reason: Reason::Unreachable.code(),
            },
            RobotsRefusal::Full { .. } => {
                NotRead::Later { until: None, why: refusal.to_string(), reason: Reason::TableFull.code() }
            }
            // The cause of one that is deferred is a refusal of politeness, or one of the cases below.
            RobotsRefusal::Deferred { cause, .. } => not_read(&**cause),
            _ => NotRead::Closed(refusal.to_string()),
        };
    }
    if let Some(error) = find::<FetchError>(error) {
        return match error.class() {
            FailureClass::NoAnswer => NotRead::NoAnswer(error.to_string()),
            FailureClass::Answered => NotRead::Broken(error.to_string()),
            FailureClass::Refused => NotRead::Refused(error.to_string()),
        };
    }
    match find::<RedirectError>(error) {
        Some(RedirectError::Hop { source, .. }) => NotRead::Redirect(source.to_string()),
        Some(error) => NotRead::Redirect(error.to_string()),
        None if find::<LeaseExpired>(error).is_some() => NotRead::Broken(error.to_string()),
        None => NotRead::Refused(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail so")]

    use bot_etiquette::robots::Unreachable;

    use super::*;

    fn hop(source: impl Into<BoxError>, next: &str) -> RedirectError {
        RedirectError::Hop { chain: Vec::new(), next: Box::new(next.parse().unwrap()), source: source.into() }
    }

    #[test]
    fn a_redirect_of_robots_txt_is_never_taken_for_the_pages_own() {
        let cause = Arc::new(hop("not yet", "https://www.a.example/robots.txt"));
        let origin = || "https://a.example".parse().unwrap();
        let deferred = RobotsRefusal::Deferred { origin: origin(), cause: cause.clone() };
        let unreachable = RobotsRefusal::Unreachable {
            origin: origin(),
            why: Unreachable::NoAnswer,
            until: std::time::UNIX_EPOCH,
            cause: Some(cause),
        };
        for refusal in [deferred, unreachable] {
            assert!(find::<RedirectError>(&refusal).is_some() && own_redirect(&refusal).is_none());
            let page = hop(refusal, "https://a.example/page");
            let Some(RedirectError::Hop { next, .. }) = own_redirect(&page) else { panic!("it has one") };
            assert_eq!(next.as_str(), "https://a.example/page");
        }
    }

    #[test]
    fn a_host_that_is_closed_says_why() {
        let refusal = RobotsRefusal::Unreachable {
            origin: "https://a.example".parse().unwrap(),
            why: Unreachable::NoAnswer,
            until: std::time::UNIX_EPOCH,
            cause: Some(Arc::new(std::io::Error::other("connection refused"))),
        };
        let NotRead::Later { why, .. } = not_read(&refusal) else { panic!("it may be asked later") };
        assert_eq!(
            why,
            "https://a.example is closed for now: robots.txt could not be asked for: connection refused"
        );
    }
}
