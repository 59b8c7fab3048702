//! A [tower](https://docs.rs/tower) layer that lets no request pass that robots.txt closes.

mod fetch;
mod refusal;
mod shared;

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

use http::{Request, Response, Uri};
use tower_layer::Layer;
use tower_service::Service;

pub use refusal::RobotsRefusal;

use crate::{Origin, RobotsCache, RobotsCopy, Verdict};
use fetch::{Fetched, fetch};
use shared::{Shared, Turn};

/// Any error, as tower's services pass them on.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// How long a request may wait below this layer by default: 60 seconds.
pub const DEFAULT_MARGIN: Duration = Duration::from_secs(60);

/// What an error of the fetching service means for the robots.txt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FetchFailure {
    /// The server gave no whole answer: the site is unreachable.
    NoAnswer,
    /// More redirects than are followed, five at the least (RFC 9309, section 2.3.1.2): the file is unavailable, so
    /// everything is allowed.
    TooManyRedirects,
    /// The crawler itself did not ask, as when the host's turn is not yet: nothing is learned of the site.
    Refused,
}

/// Lets no request pass that the robots.txt of its origin closes.
///
/// It is built of a [`RobotsCache`], a service that asks for the robots.txt itself, and a clock. That service
/// is the part of the stack below this layer with redirects applied (each hop of it counts and waits like any
/// request, and passes no robots check); it is given the request without a body and the validators of the
/// copy at hand. The layer itself needs no tokio runtime: it runs wherever the services do.
///
/// - A request for `/robots.txt` itself passes at once.
/// - Of requests to one origin whose file must be read, one asks and the rest wait for it. When that one is
///   dropped, the next goes on.
/// - A redirect that the fetching service hands back unfollowed closes the site for now, as a 5xx does: the layer
///   follows none itself, and what lies at its end is not known. A service that gives up after five or more
///   (RFC 9309, section 2.3.1.2) says so by an error that is [`FetchFailure::TooManyRedirects`].
/// - An error of the fetching service, or of its body, is a [`FetchFailure::NoAnswer`] unless [`classify`](Self::classify)
///   says otherwise. `Refused` goes to every waiter as [`RobotsRefusal::Deferred`] and changes nothing in the
///   cache.
/// - A refusal is a [`RobotsRefusal`], boxed; find it by `downcast_ref`. Of a site that cannot be reached it says
///   when to ask again, and why: the status, or the fetching service's error as its source.
///
/// ```
/// use bot_etiquette_robots::tower::{RobotsLayer, RobotsRefusal};
/// use bot_etiquette_robots::RobotsCache;
/// use http::{Request, Response};
/// use http_body_util::Full;
/// use std::time::SystemTime;
/// use tower::{Layer, ServiceExt, service_fn};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
/// type Body = Full<&'static [u8]>;
/// let site = service_fn(|request: Request<Body>| async move {
///     let body: &[u8] = match request.uri().path() {
///         "/robots.txt" => b"User-agent: *\nDisallow: /private/\n",
///         _ => b"hello",
///     };
///     Ok::<_, std::io::Error>(Response::new(Full::new(body)))
/// });
/// let cache = RobotsCache::new(["MyBot".parse()?]);
/// let robots = RobotsLayer::new(cache, site, SystemTime::now)
///     .on_crawl_delay(|origin, delay| println!("{origin}: {delay:?}"));
/// let polite = robots.layer(site);
///
/// let open = Request::get("https://example.com/open").body(Body::default())?;
/// assert!(polite.clone().oneshot(open).await.is_ok());
/// let closed = Request::get("https://example.com/private/diary").body(Body::default())?;
/// let error = polite.oneshot(closed).await.unwrap_err();
/// assert!(matches!(error.downcast_ref(), Some(RobotsRefusal::Disallowed { line: Some(2), .. })));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct RobotsLayer<F> {
    shared: Arc<Shared>,
    /// Cloned for each robots.txt that is read, and for nothing else: it may be a whole stack.
    fetch_robots: Arc<Mutex<F>>,
    settings: Settings,
}

/// What the assembly connects.
#[derive(Clone)]
struct Settings {
    now: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    margin: Duration,
    classify: Arc<Classify>,
    on_crawl_delay: Arc<Learned>,
    on_verdict: Arc<OnVerdict>,
}

type Classify = dyn Fn(&(dyn Error + 'static)) -> FetchFailure + Send + Sync;
type Learned = dyn Fn(&str, Option<Duration>) + Send + Sync;
type OnVerdict = dyn Fn(&Uri, &Verdict<'_>) + Send + Sync;

impl<F> RobotsLayer<F> {
    /// A layer over this cache, with the service that asks for robots.txt files and a clock such as
    /// `SystemTime::now`.
    #[must_use]
    pub fn new(
        cache: RobotsCache,
        fetch_robots: F,
        now: impl Fn() -> SystemTime + Send + Sync + 'static,
    ) -> Self {
        Self {
            shared: Arc::new(Shared::new(cache)),
            fetch_robots: Arc::new(Mutex::new(fetch_robots)),
            settings: Settings {
                now: Arc::new(now),
                margin: DEFAULT_MARGIN,
                classify: Arc::new(|_| FetchFailure::NoAnswer),
                on_crawl_delay: Arc::new(|_, _| {}),
                on_verdict: Arc::new(|_, _| {}),
            },
        }
    }

    /// How long a request may still wait below this layer before it leaves, [`DEFAULT_MARGIN`] unless set.
    /// A copy that would be too old by then is read again first.
    #[must_use]
    pub fn margin(mut self, margin: Duration) -> Self {
        self.settings.margin = margin;
        self
    }

    /// Tells what an error of the fetching service means. The error is the service's own, so that a refusal
    /// of a lower layer is found by `downcast_ref` on it or on its sources.
    #[must_use]
    pub fn classify(
        mut self,
        classify: impl Fn(&(dyn Error + 'static)) -> FetchFailure + Send + Sync + 'static,
    ) -> Self {
        self.settings.classify = Arc::new(classify);
        self
    }

    /// Called with an origin and the Crawl-delay of its rules when a robots.txt was read anew, before the
    /// request that had it read goes down; `None` takes an earlier delay back.
    ///
    /// It runs while the cache is locked: it must be short, and must not call this layer.
    #[must_use]
    pub fn on_crawl_delay(
        mut self,
        learned: impl Fn(&str, Option<Duration>) + Send + Sync + 'static,
    ) -> Self {
        self.settings.on_crawl_delay = Arc::new(learned);
        self
    }

    /// Called with the URI of each request that was judged and with the verdict, allowed or not: for a log of
    /// which line let it pass.
    #[must_use]
    pub fn on_verdict(mut self, judged: impl Fn(&Uri, &Verdict<'_>) + Send + Sync + 'static) -> Self {
        self.settings.on_verdict = Arc::new(judged);
        self
    }

    /// Looks at, or changes, the cache under the layer: to export it, to import, to have an origin read
    /// again. The cache is locked while `look` runs.
    pub fn with_cache<T>(&self, look: impl FnOnce(&mut RobotsCache) -> T) -> T {
        self.shared.with_cache(look)
    }
}

impl<F: fmt::Debug> fmt::Debug for RobotsLayer<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RobotsLayer")
            .field("fetch_robots", &self.fetch_robots)
            .field("margin", &self.settings.margin)
            .finish_non_exhaustive()
    }
}

impl<S, F: Clone> Layer<S> for RobotsLayer<F> {
    type Service = RobotsService<S, F>;

    fn layer(&self, inner: S) -> Self::Service {
        RobotsService { inner, robots: Arc::new(self.clone()) }
    }
}

/// The service that [`RobotsLayer`] makes. Clones share one cache.
#[derive(Debug, Clone)]
pub struct RobotsService<S, F> {
    inner: S,
    robots: Arc<RobotsLayer<F>>,
}

impl<S, F, B, RB> Service<Request<B>> for RobotsService<S, F>
where
    S: Service<Request<B>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
    F: Service<Request<B>, Response = Response<RB>> + Clone + Send + 'static,
    F::Future: Send,
    F::Error: Into<BoxError>,
    RB: http_body::Body + Send,
    RB::Data: Send,
    RB::Error: Into<BoxError>,
    B: Default + Send + 'static,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, BoxError>> + Send>>;

    /// Always ready: each call waits for its own turn of the services below.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let inner = self.inner.clone();
        // Most often the rules are known.
        match self.robots.judge(request.uri()) {
            Ok(Judged::Open) => Box::pin(async move { oneshot(inner, request).await.map_err(Into::into) }),
            Err(refusal) => Box::pin(async move { Err(refusal.into()) }),
            Ok(Judged::Later(origin, turn)) => {
                let robots = Arc::clone(&self.robots);
                Box::pin(async move {
                    robots.learn(request.uri(), &origin, turn).await?;
                    oneshot(inner, request).await.map_err(Into::into)
                })
            }
        }
    }
}

/// What is known of a request at once.
enum Judged {
    Open,
    Later(Origin, Turn),
}

impl<F> RobotsLayer<F> {
    /// Judges by the rules at hand.
    fn judge(&self, uri: &Uri) -> Result<Judged, RobotsRefusal> {
        let Ok(origin) = Origin::of_uri(uri) else {
            return Err(RobotsRefusal::NoOrigin { uri: uri.to_string() });
        };
        if target(uri) == "/robots.txt" {
            return Ok(Judged::Open);
        }
        match self.shared.turn(&origin, &self.settings)? {
            Turn::Judge(copy) => self.pass(uri, &origin, &copy).map(|()| Judged::Open),
            turn => Ok(Judged::Later(origin, turn)),
        }
    }

    /// Waits until the rules for a URI are known, and refuses what they close.
    async fn learn<B, RB>(&self, uri: &Uri, origin: &Origin, mut turn: Turn) -> Result<(), RobotsRefusal>
    where
        F: Service<Request<B>, Response = Response<RB>> + Clone,
        F::Error: Into<BoxError>,
        RB: http_body::Body,
        RB::Error: Into<BoxError>,
        B: Default,
    {
        loop {
            match turn {
                Turn::Judge(copy) => return self.pass(uri, origin, &copy),
                Turn::Wait(waiting) => waiting.end(origin).await?,
                Turn::Lead(lead) => {
                    let service = self.fetch_robots.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    let fetched = match lead.request() {
                        Ok(request) => fetch(service, request, &*self.settings.classify).await,
                        // The URL of an origin is a URI, so this is never so; it would be no answer.
                        Err(error) => Fetched::NoAnswer(Arc::from(error)),
                    };
                    lead.end(fetched, (self.settings.now)())?;
                }
            }
            turn = self.shared.turn(origin, &self.settings)?;
        }
    }

    fn pass(&self, uri: &Uri, origin: &Origin, copy: &RobotsCopy) -> Result<(), RobotsRefusal> {
        let target = target(uri);
        let verdict = copy.rules().verdict(target);
        (self.settings.on_verdict)(uri, &verdict);
        if verdict.is_allowed() {
            return Ok(());
        }
        Err(RobotsRefusal::Disallowed {
            origin: origin.clone(),
            target: target.to_owned(),
            line: verdict.rule.map(|rule| rule.line),
            verdict: verdict.to_string(),
        })
    }
}

/// Path and query.
fn target(uri: &Uri) -> &str {
    uri.path_and_query().map_or("/", |target| target.as_str())
}

/// Calls a service once it is ready.
async fn oneshot<S: Service<R>, R>(mut service: S, request: R) -> Result<S::Response, S::Error> {
    std::future::poll_fn(|context| service.poll_ready(context)).await?;
    service.call(request).await
}
