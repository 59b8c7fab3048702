//! One file to copy: the layers of a polite crawler, in the order of the promises they keep.
//!
//! ```text
//! redirects   each hop comes back in here, looked at by the crawler first
//! robots      may this path be asked? robots.txt itself goes through the layers below
//! politeness  wait for the host's turn, hold it until the body has ended, learn from the answer
//! identity    the bot's own name
//! signing     for this hop's authority, one minute
//! fetch       one exchange: address, time and size limits
//! ```

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use bot_etiquette::fetch::tower::FollowLayer;
use bot_etiquette::fetch::{
    FailureClass, FetchBody, FetchError, FetchLimits, Fetcher, OverLimit, RedirectError,
};
use bot_etiquette::identity::{BotIdentity, RequestIdentity, tower::IdentityLayer};
use bot_etiquette::politeness::tower::{LeaseExpired, PoliteBody, PolitenessLayer, RequestClass};
use bot_etiquette::politeness::{Ask, Failure, Outcome, Politeness, Refusal, Store};
use bot_etiquette::robots::tower::{FetchFailure, RobotsLayer};
use bot_etiquette::robots::{ProductToken, RobotsCache, Verdict};
use bot_etiquette::signing::tower::SignLayer;
use bot_etiquette::signing::{Signer, SigningKey};
use bytes::Bytes;
use http::{Request, Response, Uri};
use http_body_util::Full;
use tower::ServiceBuilder;
use tower::util::{BoxCloneSyncService, option_layer};

use crate::clock::Clock;

/// Any error that crosses threads.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// A polite client: a request in, an answer out whose body holds the host's slot.
pub type Client<S = Politeness> =
    BoxCloneSyncService<Request<Full<Bytes>>, Response<PoliteBody<FetchBody, S, Clock>>, BoxError>;

/// What a stack is made of.
pub struct Stack<S: Store = Politeness> {
    /// Who the bot is.
    pub identity: BotIdentity,
    /// The major version of the browser that pages are rendered with, if they are.
    pub chromium: Option<u32>,
    /// When hosts may be asked; in memory, or shared by processes.
    pub politeness: S,
    /// What signs the requests, if they are signed.
    pub signer: Option<Arc<Signer<SigningKey>>>,
    /// The exchange itself. It brings its limits, addresses and resolver.
    pub fetcher: Fetcher,
    /// How far redirects go, and what looks at each hop first.
    pub follow: FollowLayer,
    /// The time.
    pub clock: Clock,
    /// Who is told what is done, such as a log; [`quiet`] is nobody.
    pub watch: Watch,
}

/// The layers, assembled.
pub struct Assembled<S: Store = Politeness> {
    /// Sends requests; clones share everything.
    pub client: Client<S>,
    /// The same from politeness down: robots.txt is not asked, redirects are not followed.
    pub polite: Client<S>,
    /// The layer that keeps the copies of robots.txt: to save and load them, to have one read again.
    pub robots: RobotsLayer<Client<S>>,
}

/// Who is told each [`Step`].
pub type Watch = Arc<dyn Fn(Step<'_>) + Send + Sync>;

/// What has just been done for a request.
pub enum Step<'a> {
    /// The robots.txt of an origin was read anew, and asks for this pause, or none.
    Learned(&'a str, Option<Duration>),
    /// The robots.txt of its origin was consulted.
    Judged(&'a Uri, &'a Verdict<'a>),
    /// It waits for its host's turn.
    Waits(&'a Ask<'a>, &'a Refusal),
    /// It leaves, named and signed.
    Sent(&'a Request<Full<Bytes>>),
    /// The head of its answer has come.
    Answered(&'a Response<FetchBody>),
}

/// More of a robots.txt is not read; RFC 9309 asks for 500 KiB at least.
const ROBOTS_BYTES: u64 = 1_000_000;

/// How much longer than an exchange may take its slot is held at most.
const LEASE_MARGIN: Duration = Duration::from_secs(5);

/// Nobody is told anything.
#[must_use]
pub fn quiet() -> Watch {
    Arc::new(|_| {})
}

impl Stack<Politeness> {
    /// Stacks the layers. A Crawl-delay that a robots.txt asks for is kept from the same request on.
    ///
    /// # Errors
    /// As [`assemble_with`](Stack::assemble_with).
    pub fn assemble(self) -> Result<Assembled, BoxError> {
        let (politeness, clock) = (self.politeness.clone(), self.clock);
        self.assemble_with(move |origin, delay| {
            if let Ok(origin) = origin.parse() {
                // A full table refuses the host itself at its turn.
                let _ = politeness.set_crawl_delay(&origin, delay, clock.now().into());
            }
        })
    }
}

impl<S: Store> Stack<S> {
    /// As [`assemble`](Stack::assemble), over any store: `learn` is told the Crawl-delay of an origin.
    ///
    /// # Errors
    /// When other machines than this one can be reached, and the identity is not the operator's own or the clock
    /// runs faster than time; when the identity's token is none of RFC 9309.
    pub fn assemble_with(
        self,
        learn: impl Fn(&str, Option<Duration>) + Send + Sync + 'static,
    ) -> Result<Assembled<S>, BoxError> {
        let (clock, watch) = (self.clock, self.watch);
        if !self.fetcher.addresses().is_loopback_only() {
            self.identity.check_public()?;
            if clock.scale() != 1 {
                return Err(format!("a clock {} times as fast is for loopback alone", clock.scale()).into());
            }
        }
        let token: ProductToken = self.identity.token().parse()?;
        let mut identity = RequestIdentity::new(&self.identity);
        if let Some(major) = self.chromium {
            identity = identity.chromium(major);
        }
        // The fetcher's limits are real seconds, the lease is one of the clock's.
        let limits = self.fetcher.limits();
        let lease = (limits.total + LEASE_MARGIN).saturating_mul(clock.scale());
        let [learned, judged, waits, sent, answered] = [(); 5].map(|()| Arc::clone(&watch));
        let politeness = PolitenessLayer::new(self.politeness, clock)
            .lease(lease)
            .classify(outcome)
            .on_wait(move |ask, refusal| waits(Step::Waits(ask, refusal)));
        let polite = ServiceBuilder::new()
            .layer(politeness)
            .layer(IdentityLayer::from(identity))
            .layer(option_layer(self.signer.map(|signer| SignLayer::new(signer, move || clock.now()))))
            .map_request(move |request| {
                sent(Step::Sent(&request));
                request
            })
            .map_response(move |answer| {
                answered(Step::Answered(&answer));
                answer
            })
            .map_err(BoxError::from)
            .service(self.fetcher);
        let fetch_robots = ServiceBuilder::new()
            .map_request(move |request| of_robots(request, limits))
            .layer(FollowLayer::default())
            .service(polite.clone());
        let cache = RobotsCache::new([token]);
        let robots = RobotsLayer::new(cache, Client::new(fetch_robots), move || clock.now())
            .classify(of_robots_txt)
            .on_crawl_delay(move |origin, delay| {
                learned(Step::Learned(origin, delay));
                learn(origin, delay);
            })
            .on_verdict(move |uri, verdict| judged(Step::Judged(uri, verdict)));
        let client = ServiceBuilder::new().layer(self.follow).layer(robots.clone()).service(polite.clone());
        Ok(Assembled { client: Client::new(client), polite: Client::new(polite), robots })
    }
}

fn of_robots(mut request: Request<Full<Bytes>>, limits: FetchLimits) -> Request<Full<Bytes>> {
    let limits = limits.wire_bytes(ROBOTS_BYTES).decoded_bytes(ROBOTS_BYTES);
    request.extensions_mut().insert(limits.over_limit(OverLimit::Cut));
    request.extensions_mut().insert(RequestClass::new("robots"));
    request
}

/// What a failed exchange says of the host, for politeness.
#[must_use]
pub fn outcome(error: &(dyn Error + 'static)) -> Outcome {
    let Some(error) = find::<FetchError>(error) else { return Outcome::aborted() };
    match (error.class(), error) {
        (FailureClass::Refused, _) => Outcome::aborted(),
        (FailureClass::Answered, _) => Outcome::failed(Failure::Incomplete),
        (FailureClass::NoAnswer, FetchError::Dns { .. }) => Outcome::failed(Failure::Dns),
        (FailureClass::NoAnswer, FetchError::Connect { .. }) => Outcome::failed(Failure::Connect),
        (FailureClass::NoAnswer, FetchError::Tls { .. }) => Outcome::failed(Failure::Tls),
        (FailureClass::NoAnswer, FetchError::Timeout { .. }) => Outcome::failed(Failure::Timeout),
        (FailureClass::NoAnswer, _) => Outcome::failed(Failure::Reset),
    }
}

/// What a failed exchange says of a robots.txt. What the stack itself refused, at whatever hop, says nothing.
#[must_use]
pub fn of_robots_txt(error: &(dyn Error + 'static)) -> FetchFailure {
    let failed = find::<FetchError>(error).is_some_and(|error| error.class() != FailureClass::Refused);
    match find::<RedirectError>(error) {
        _ if failed || find::<LeaseExpired>(error).is_some() => FetchFailure::NoAnswer,
        Some(RedirectError::TooMany { .. } | RedirectError::Loop { .. }) => FetchFailure::TooManyRedirects,
        None | Some(RedirectError::Hop { .. }) => FetchFailure::Refused,
        // To nowhere that could be asked.
        Some(_) => FetchFailure::NoAnswer,
    }
}

/// The error of this type, itself or among the sources.
#[must_use]
pub fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    std::iter::successors(Some(error), |&error| error.source()).find_map(|error| error.downcast_ref())
}
