//! The layers around reqwest, whose own redirects are off: each hop comes back into the stack.
//!
//! What [`Fetcher`](bot_etiquette::fetch::Fetcher) checks below the layers is reqwest's to do here, or yours: which
//! addresses are connected to, how large a body and a header may grow.
//!
//! Run it without arguments: it fetches from a site of its own on loopback.
#![allow(clippy::disallowed_methods)] // a program reads the clock

use std::error::Error;
use std::time::{Duration, SystemTime};

use bot_etiquette::fetch::{RedirectError, tower::FollowLayer};
use bot_etiquette::identity::{BotIdentity, tower::IdentityLayer};
use bot_etiquette::politeness::tower::{PolitenessLayer, Timer, TokioTimer};
use bot_etiquette::politeness::{Failure, HostPolicy, Outcome, Policy, Politeness};
use bot_etiquette::robots::RobotsCache;
use bot_etiquette::robots::tower::{FetchFailure, RobotsLayer};
use bot_etiquette::signing::{Signer, SigningKey, tower::SignLayer};
use bot_etiquette_examples::demo_site;
use bot_etiquette_examples::stack::{BoxError, find};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use tower::{Service, ServiceBuilder, ServiceExt, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let client = stack()?;
    for page in demo_site::serve()? {
        let request = Request::get(&page).body(Full::default())?;
        let answer = client.clone().oneshot(request).await?;
        let status = answer.status();
        println!("{status} {page}: {} bytes", answer.into_body().collect().await?.to_bytes().len());
    }
    Ok(())
}

/// The layers of `stack.rs`, around another client.
fn stack() -> Result<impl Client, BoxError> {
    let identity = BotIdentity::from_toml(include_str!("identities/smart-site-plan.toml"))?;
    // On loopback any key will do.
    let signer = Signer::builder(SigningKey::from_seed(&[7; 32]), "https://smartsiteplan.com").build()?;
    let politeness = Politeness::new(Policy::new(HostPolicy::new().min_delay(Duration::from_millis(300))));
    let clock = TokioTimer::starting_at(SystemTime::now().into());
    let reqwest = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .timeout(Duration::from_secs(30))
        .build()?;

    let polite = ServiceBuilder::new()
        .layer(PolitenessLayer::new(politeness.clone(), clock).classify(outcome))
        .layer(IdentityLayer::new(&identity))
        .layer(SignLayer::new(signer, SystemTime::now))
        .service(service_fn(move |request| send(reqwest.clone(), request)));
    let fetch_robots = ServiceBuilder::new().layer(FollowLayer::default()).service(polite.clone());
    let robots =
        RobotsLayer::new(RobotsCache::new([identity.token().parse()?]), fetch_robots, SystemTime::now)
            .classify(of_robots_txt)
            .on_crawl_delay(move |origin, delay| {
                if let Ok(origin) = origin.parse() {
                    // A full table refuses the host itself at its turn.
                    let _ = politeness.set_crawl_delay(&origin, delay, clock.now());
                }
            });
    Ok(ServiceBuilder::new().layer(FollowLayer::default()).layer(robots).service(polite))
}

/// A request in, an answer out.
trait Client: Service<Request<Full<Bytes>>, Response = Response<Self::Body>, Error = BoxError> + Clone {
    /// The body of the answer.
    type Body: http_body::Body<Data = Bytes, Error = BoxError>;
}

impl<C, B> Client for C
where
    C: Service<Request<Full<Bytes>>, Response = Response<B>, Error = BoxError> + Clone,
    B: http_body::Body<Data = Bytes, Error = BoxError>,
{
    type Body = B;
}

/// One exchange.
async fn send(
    client: reqwest::Client,
    request: Request<Full<Bytes>>,
) -> Result<Response<reqwest::Body>, reqwest::Error> {
    let (head, body) = request.into_parts();
    let Ok(body) = body.collect().await;
    let request = Request::from_parts(head, body.to_bytes()).try_into()?;
    client.execute(request).await.map(Response::from)
}

/// What an error of reqwest says of the host.
fn outcome(error: &(dyn Error + 'static)) -> Outcome {
    match find::<reqwest::Error>(error) {
        None => Outcome::aborted(),
        Some(error) if error.is_builder() => Outcome::aborted(),
        Some(error) if error.is_timeout() => Outcome::failed(Failure::Timeout),
        Some(error) if error.is_connect() => Outcome::failed(Failure::Connect),
        Some(error) if error.is_body() || error.is_decode() => Outcome::failed(Failure::Incomplete),
        Some(_) => Outcome::failed(Failure::Reset),
    }
}

/// What it says of a robots.txt; what a layer refused says nothing.
fn of_robots_txt(error: &(dyn Error + 'static)) -> FetchFailure {
    match find::<RedirectError>(error) {
        Some(RedirectError::TooMany { .. } | RedirectError::Loop { .. }) => FetchFailure::TooManyRedirects,
        _ if find::<reqwest::Error>(error).is_some_and(|error| !error.is_builder()) => FetchFailure::NoAnswer,
        None | Some(RedirectError::Hop { .. }) => FetchFailure::Refused,
        Some(_) => FetchFailure::NoAnswer,
    }
}

#[tokio::test]
async fn redirects_and_waits_are_the_stacks() {
    let pages = demo_site::serve().unwrap();
    let client = stack().unwrap();
    let started = std::time::Instant::now();
    for (path, expected) in [("/old", 200), ("/busy", 503), ("/busy", 200)] {
        let page = pages.iter().find(|page| page.ends_with(path)).unwrap();
        let answer = client.clone().oneshot(Request::get(page).body(Full::default()).unwrap()).await.unwrap();
        assert_eq!(answer.status(), expected, "{path}");
        answer.into_body().collect().await.unwrap();
    }
    // Six requests to two hosts 0.3 s apart, and the Retry-After of one second.
    assert!(started.elapsed() >= Duration::from_millis(300 + 300 + 300 + 1000), "{:?}", started.elapsed());
}
