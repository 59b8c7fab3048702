//! The layer that waits for a host's turn, for tower stacks.
//!
//! [`PolitenessLayer`] holds a request until its host may be asked, holds the host's slot until the body of the
//! answer has ended, and learns from the answer: what a busy one asks for holds the host from its head on. It stands above whatever sends the request, and below whatever
//! follows redirects: each hop is a request and waits its turn at its own host.
//!
//! ```
//! use std::time::{Duration, SystemTime};
//! use bot_etiquette_politeness::{HostPolicy, Policy, Politeness, Refusal};
//! use bot_etiquette_politeness::tower::{PolitenessLayer, TokioTimer};
//! use http::{Request, Response};
//! use http_body_util::{BodyExt, Full};
//! use tower::{Layer, ServiceExt, service_fn};
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//! let politeness = Politeness::new(Policy::new(HostPolicy::new().min_delay(Duration::from_secs(1))));
//! let timer = TokioTimer::starting_at(SystemTime::now().into());
//! let client = service_fn(|_request: Request<Full<&'static [u8]>>| async {
//!     Ok::<_, std::io::Error>(Response::new(Full::new(b"hello".as_slice())))
//! });
//! let polite = PolitenessLayer::new(politeness, timer).layer(client);
//!
//! let request = || Request::get("https://example.com/").body(Full::new(b"".as_slice()));
//! let answer = polite.clone().oneshot(request()?).await?;
//! answer.into_body().collect().await?; // the slot ends here
//! // The second waits for a second, with every other request to this host.
//! polite.clone().oneshot(request()?).await?;
//!
//! // Who will not wait gets the refusal, and may put the request back into a queue.
//! let error = polite.patience(Duration::ZERO).oneshot(request()?).await.unwrap_err();
//! assert!(error.downcast_ref::<Refusal>().is_some());
//! # Ok(()) }
//! ```

mod asked;
mod body;
mod extensions;
mod slot;
mod timer;
mod waiters;
mod watch;

use std::error::Error;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use asked::Asked;
pub use body::PoliteBody;
pub use extensions::{RequestClass, Resource};
use http::{Request, Response};
use http_body::Body;
pub use timer::Timer;
#[cfg(feature = "tokio")]
pub use timer::TokioTimer;
use tower_layer::Layer;
use tower_service::Service;
pub use watch::KILL_CHECK;

use crate::{Ask, Failure, Outcome, Refusal, SLOT_RECHECK, Store};
use slot::Slots;
use waiters::Waiters;
use watch::Watch;

/// An error that any thread may have.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// How long a request waits for its turn at most, where nothing else is said.
pub const DEFAULT_PATIENCE: Duration = Duration::from_secs(60);

/// How long a request may stay open, where nothing else is said: a client's limit of 30 s, and 5 s more.
pub const DEFAULT_LEASE: Duration = Duration::from_secs(35);

/// Makes services polite; see the [module](self).
pub struct PolitenessLayer<S: Store, T: Timer> {
    slots: Arc<Slots<S>>,
    timer: T,
    patience: Duration,
    lease: Duration,
    classify: Arc<Classify>,
    on_wait: Arc<Waits>,
}

type Classify = dyn Fn(&(dyn Error + 'static)) -> Outcome + Send + Sync;
type Waits = dyn Fn(&Ask<'_>, &Refusal) + Send + Sync;

impl<S: Store, T: Timer> PolitenessLayer<S, T> {
    /// A layer over a store: a [`Politeness`](crate::Politeness), or one that processes share.
    ///
    /// Clones, and the services they make, share the slots.
    pub fn new(store: S, timer: T) -> Self {
        Self {
            slots: Arc::new(Slots::new(store)),
            timer,
            patience: DEFAULT_PATIENCE,
            lease: DEFAULT_LEASE,
            classify: Arc::new(by_io_error),
            on_wait: Arc::new(|_, _| {}),
        }
    }

    /// How long a request waits for its turn, from its first poll on; [`DEFAULT_PATIENCE`] by default. One that
    /// would have to wait longer is refused at once.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// How long a request may stay open before its slot ends all the same; [`DEFAULT_LEASE`] by default. Give
    /// the client's total time limit and a little more.
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// What an error of the client says about the host. By default the [`std::io::Error`] among its sources
    /// decides, and any error without one is taken for a failed connection.
    ///
    /// An error that says nothing about the host, such as a refusal by an inner layer, should become
    /// [`Outcome::aborted`].
    #[must_use]
    pub fn classify(
        mut self,
        classify: impl Fn(&(dyn Error + 'static)) -> Outcome + Send + Sync + 'static,
    ) -> Self {
        self.classify = Arc::new(classify);
        self
    }

    /// Called when a request begins to wait, with what it waits for, and again when the end of the wait moves: for a
    /// log.
    #[must_use]
    pub fn on_wait(mut self, waits: impl Fn(&Ask<'_>, &Refusal) + Send + Sync + 'static) -> Self {
        self.on_wait = Arc::new(waits);
        self
    }
}

impl<S: Store, T: Timer, I> Layer<I> for PolitenessLayer<S, T> {
    type Service = PolitenessService<I, S, T>;

    fn layer(&self, inner: I) -> Self::Service {
        PolitenessService { inner, layer: Arc::new(self.clone()) }
    }
}

/// A service behind a [`PolitenessLayer`].
pub struct PolitenessService<I, S: Store, T: Timer> {
    inner: I,
    layer: Arc<PolitenessLayer<S, T>>,
}

impl<I, S: Store, T: Timer> PolitenessService<I, S, T> {
    /// The same service with another patience.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        Arc::make_mut(&mut self.layer).patience = patience;
        self
    }
}

impl<I, S, T, A, B> Service<Request<A>> for PolitenessService<I, S, T>
where
    I: Service<Request<A>, Response = Response<B>> + Clone + Send + 'static,
    I::Future: Send,
    I::Error: Into<BoxError>,
    A: Send + 'static,
    B: Body,
    S: Store,
    T: Timer,
{
    type Response = Response<PoliteBody<B, S, T>>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    /// Always ready: what a request waits for depends on its host.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<A>) -> Self::Future {
        let (layer, mut inner) = (Arc::clone(&self.layer), self.inner.clone());
        let asked = Asked::by(&request);
        Box::pin(async move {
            let mut watch = layer.turn(&asked.ok_or(NoHost)?).await?;
            watch.guard(poll_fn(|cx| inner.poll_ready(cx))).await?.map_err(Into::into)?;
            watch.slot.sent();
            let answer = watch.guard(inner.call(request)).await?;
            let now = layer.timer.now();
            match answer.map_err(Into::into) {
                Ok(answer) => {
                    watch
                        .slot
                        .answered(Outcome::answered(answer.status().as_u16(), answer.headers(), now), now);
                    Ok(answer.map(|body| PoliteBody::new(body, watch)))
                }
                Err(error) => {
                    watch.slot.failed(&(layer.classify)(&*error), now);
                    Err(error)
                }
            }
        })
    }
}

impl<S: Store, T: Timer> PolitenessLayer<S, T> {
    /// Waits for the turn of a request, for as long as patience lasts.
    async fn turn(&self, asked: &Asked) -> Result<Watch<S, T>, BoxError> {
        let ask = asked.ask();
        let host = ask.host_str().ok_or(NoHost)?;
        let mut now = self.timer.now();
        let patience_ends = now + self.patience;
        // In line before it looks, so that no slot comes free unseen between looking and waiting.
        let mut waiter = None;
        let mut told = None;
        loop {
            let refusal = match self.slots.store.admit(&ask, self.lease, now) {
                Ok(permit) => {
                    let slot = self.slots.open(permit, host.into(), now + self.lease);
                    return Ok(Watch::new(slot, self.timer.clone(), now));
                }
                Err(refusal) => refusal,
            };
            if refusal.is_never() || now >= patience_ends {
                return Err(refusal.into());
            }
            let until = refusal.until();
            if until.is_some_and(|until| until > patience_ends) {
                return Err(refusal.into());
            }
            if told != Some(until) {
                (self.on_wait)(&ask, &refusal);
                told = Some(until);
            }
            match (until, waiter.take()) {
                // Not in one go: meanwhile an operator may block the host, or a person shorten the wait.
                (Some(until), _) => self.timer.sleep_until(until.min(now + KILL_CHECK)).await,
                (None, None) => waiter = Some(Waiters::join(&self.slots.waiters, host)),
                (None, Some(signal)) => {
                    // A slot may also come free elsewhere, or with the end of a lease.
                    either(signal, self.timer.sleep_until((now + SLOT_RECHECK).min(patience_ends))).await;
                    self.slots.end_leases(self.timer.now());
                }
            }
            now = self.timer.now();
        }
    }
}

/// Ends with whichever ends first.
async fn either(one: impl Future<Output = ()>, other: impl Future<Output = ()>) {
    let (mut one, mut other) = (std::pin::pin!(one), std::pin::pin!(other));
    poll_fn(|cx| match one.as_mut().poll(cx) {
        Poll::Ready(()) => Poll::Ready(()),
        Poll::Pending => other.as_mut().poll(cx),
    })
    .await;
}

/// The first [`std::io::Error`] among the sources of `error` says how it failed.
fn by_io_error(error: &(dyn Error + 'static)) -> Outcome {
    use std::io::ErrorKind;

    let mut sources = std::iter::successors(Some(error), |&error| error.source());
    let io = sources.find_map(|error| error.downcast_ref::<std::io::Error>());
    Outcome::failed(match io.map(std::io::Error::kind) {
        Some(ErrorKind::TimedOut) => Failure::Timeout,
        Some(ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::UnexpectedEof) => {
            Failure::Reset
        }
        _ => Failure::Connect,
    })
}

/// A request for a URI that names no host: nobody's turn can be waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the URI of the request names no host; give an absolute one such as https://example.com/")]
pub struct NoHost;

/// An answer that was not read to its end within the lease; its slot has gone to another request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the request was open for longer than its lease")]
pub struct LeaseExpired;

impl<S: Store, T: Timer> Clone for PolitenessLayer<S, T> {
    fn clone(&self) -> Self {
        Self {
            slots: Arc::clone(&self.slots),
            timer: self.timer.clone(),
            patience: self.patience,
            lease: self.lease,
            classify: Arc::clone(&self.classify),
            on_wait: Arc::clone(&self.on_wait),
        }
    }
}

impl<I: Clone, S: Store, T: Timer> Clone for PolitenessService<I, S, T> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), layer: Arc::clone(&self.layer) }
    }
}

impl<S: Store, T: Timer> fmt::Debug for PolitenessLayer<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolitenessLayer")
            .field("patience", &self.patience)
            .field("lease", &self.lease)
            .finish_non_exhaustive()
    }
}

impl<I: fmt::Debug, S: Store, T: Timer> fmt::Debug for PolitenessService<I, S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolitenessService").field("inner", &self.inner).field("layer", &self.layer).finish()
    }
}
