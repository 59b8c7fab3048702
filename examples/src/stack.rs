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

use bot_etiquette::fetch::tower::FollowLayer;
use bot_etiquette::fetch::{
    FailureClass, FetchBody, FetchError, FetchLimits, Fetcher, OverLimit, RedirectError,
};
use bot_etiquette::identity::{BotIdentity, RequestIdentity, tower::IdentityLayer};
use bot_etiquette::politeness::tower::{PoliteBody, PolitenessLayer, RequestClass};
use bot_etiquette::politeness::{Failure, Origin, Outcome, Politeness, Refusal, Store};
use bot_etiquette::robots::tower::{FetchFailure, RobotsLayer};
use bot_etiquette::robots::{ProductToken, RobotsCache};
use bot_etiquette::signing::tower::SignLayer;
use bot_etiquette::signing::{Signer, SigningKey};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use tower::ServiceBuilder;
use tower::util::{BoxCloneSyncService, option_layer};
use url::Url;

use crate::clock::Clock;

/// Any error that crosses threads.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// A polite client: a request in, an answer out whose body holds the host's slot.
pub type Client<S = Politeness> =
    BoxCloneSyncService<Request<Full<Bytes>>, Response<PoliteBody<FetchBody, S, Clock>>, BoxError>;

/// What a stack is made of.
#[derive(Debug)]
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
}

/// More of a robots.txt is not read; RFC 9309 asks for 500 KiB at least.
const ROBOTS_BYTES: u64 = 1_000_000;

impl Stack<Politeness> {
    /// Stacks the layers. A Crawl-delay that a robots.txt asks for is kept from the same request on.
    ///
    /// # Errors
    /// When the identity's token is none of RFC 9309.
    pub fn client(self) -> Result<Client, BoxError> {
        let (politeness, clock) = (self.politeness.clone(), self.clock);
        self.client_with(move |origin, delay| {
            if let Some(origin) = Url::parse(origin).ok().and_then(|url| Origin::of(&url)) {
                // A full table refuses the host itself at its turn.
                let _ = politeness.set_crawl_delay(&origin, delay, clock.now().into());
            }
        })
    }
}

impl<S: Store> Stack<S> {
    /// As [`client`](Stack::client), over any store: `learn` is told the Crawl-delay of an origin.
    ///
    /// # Errors
    /// When the identity's token is none of RFC 9309.
    pub fn client_with(
        self,
        learn: impl Fn(&str, Option<std::time::Duration>) + Send + Sync + 'static,
    ) -> Result<Client<S>, BoxError> {
        let clock = self.clock;
        let token: ProductToken = self.identity.token().parse()?;
        let mut identity = RequestIdentity::new(&self.identity);
        if let Some(major) = self.chromium {
            identity = identity.chromium(major);
        }
        let polite = ServiceBuilder::new()
            .layer(PolitenessLayer::new(self.politeness, clock).classify(outcome))
            .layer(IdentityLayer::from(identity))
            .layer(option_layer(self.signer.map(|signer| SignLayer::new(signer, move || clock.now()))))
            .map_err(BoxError::from)
            .service(self.fetcher);
        let fetch_robots = ServiceBuilder::new()
            .map_request(of_robots)
            .layer(FollowLayer::default())
            .service(polite.clone());
        let robots = RobotsLayer::new(RobotsCache::new([token]), fetch_robots, move || clock.now())
            .classify(of_robots_txt)
            .on_crawl_delay(learn);
        let stack = ServiceBuilder::new().layer(self.follow).layer(robots).service(polite);
        Ok(BoxCloneSyncService::new(stack))
    }
}

fn of_robots(mut request: Request<Full<Bytes>>) -> Request<Full<Bytes>> {
    let limits = FetchLimits::default().wire_bytes(ROBOTS_BYTES).decoded_bytes(ROBOTS_BYTES);
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

/// What a failed exchange says of a robots.txt.
#[must_use]
pub fn of_robots_txt(error: &(dyn Error + 'static)) -> FetchFailure {
    let refused = find::<Refusal>(error).is_some()
        || find::<FetchError>(error).is_some_and(|error| error.class() == FailureClass::Refused);
    match find::<RedirectError>(error) {
        _ if refused => FetchFailure::Refused,
        Some(RedirectError::TooMany { .. } | RedirectError::Loop { .. }) => FetchFailure::TooManyRedirects,
        _ => FetchFailure::NoAnswer,
    }
}

/// The error of this type, itself or among the sources.
#[must_use]
pub fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    std::iter::successors(Some(error), |&error| error.source()).find_map(|error| error.downcast_ref())
}
