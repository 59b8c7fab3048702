use std::collections::VecDeque;
use std::error::Error;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bot_etiquette_robots::tower::{BoxError, FetchFailure, RobotsLayer, RobotsRefusal};
use bot_etiquette_robots::{CacheOptions, RobotsCache};
use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use tokio::sync::Notify;
use tower::{Layer, Service, ServiceExt};

type Body = Full<Bytes>;

/// A site that answers what it is told to, notes what it is asked, and holds answers back on demand.
#[derive(Clone, Default)]
struct Site(Arc<Inner>);

#[derive(Default)]
struct Inner {
    robots: Mutex<VecDeque<Result<Response<Body>, BoxError>>>,
    asked: Mutex<Vec<String>>,
    held: AtomicUsize,
    release: Notify,
}

impl Site {
    fn with(answers: impl IntoIterator<Item = Result<Response<Body>, BoxError>>) -> Self {
        let site = Self::default();
        *site.0.robots.lock().unwrap() = answers.into_iter().collect();
        site
    }

    fn asked(&self) -> Vec<String> {
        self.0.asked.lock().unwrap().clone()
    }

    /// The next so many answers wait for `release`.
    fn hold(&self, answers: usize) {
        self.0.held.store(answers, Ordering::SeqCst);
    }
}

impl Service<Request<Body>> for Site {
    type Response = Response<Body>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, BoxError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let site = Arc::clone(&self.0);
        let validator = request.headers().get("if-none-match").map(|value| format!(" {value:?}"));
        site.asked.lock().unwrap().push(format!("{}{}", request.uri(), validator.unwrap_or_default()));
        Box::pin(async move {
            if request.uri().path() != "/robots.txt" {
                return Ok(Response::new(Body::default()));
            }
            if site.held.load(Ordering::SeqCst) > 0 {
                site.held.fetch_sub(1, Ordering::SeqCst);
                site.release.notified().await;
            }
            site.robots.lock().unwrap().pop_front().unwrap_or_else(|| Ok(Response::new(Body::default())))
        })
    }
}

fn answer(status: u16, fields: &[(&str, &str)], body: &'static str) -> Result<Response<Body>, BoxError> {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    for (name, value) in fields {
        response.headers_mut().insert(http::HeaderName::try_from(*name).unwrap(), value.parse().unwrap());
    }
    Ok(response)
}

const FILE: &str = "User-agent: *\nDisallow: /private/\nCrawl-delay: 2\n";

/// A clock that a test sets.
#[derive(Clone, Default)]
struct Clock(Arc<AtomicU64>);

impl Clock {
    fn set(&self, seconds: u64) {
        self.0.store(seconds, Ordering::SeqCst);
    }

    fn now(&self) -> impl Fn() -> SystemTime + Send + Sync + 'static {
        let clock = self.clone();
        move || UNIX_EPOCH + Duration::from_secs(1_800_000_000 + clock.0.load(Ordering::SeqCst))
    }
}

#[derive(Debug, thiserror::Error)]
#[error("not yet")]
struct NotYet;

fn layer(site: &Site, clock: &Clock) -> RobotsLayer<Site> {
    RobotsLayer::new(RobotsCache::new(["TestBot".parse().unwrap()]), site.clone(), clock.now()).classify(
        |error| {
            if error.is::<NotYet>() { FetchFailure::Refused } else { FetchFailure::NoAnswer }
        },
    )
}

fn get(uri: &str) -> Request<Body> {
    Request::get(uri).body(Body::default()).unwrap()
}

async fn ask<S>(service: &S, uri: &str) -> Result<(), RobotsRefusal>
where
    S: Service<Request<Body>, Error = BoxError> + Clone,
{
    match service.clone().oneshot(get(uri)).await {
        Ok(_) => Ok(()),
        Err(error) => Err(*error.downcast::<RobotsRefusal>().expect("a refusal of the layer")),
    }
}

/// Lets every task that can go on do so.
async fn settle() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn the_file_is_asked_for_first_and_its_rules_hold() {
    let site = Site::with([answer(200, &[], FILE)]);
    let service = layer(&site, &Clock::default()).layer(site.clone());
    ask(&service, "https://a.example/open?q").await.unwrap();
    let refusal = ask(&service, "https://a.example/private/x?y=1").await.unwrap_err();
    assert!(
        matches!(&refusal, RobotsRefusal::Disallowed { line: Some(2), target, .. } if target == "/private/x?y=1")
    );
    assert_eq!(
        refusal.to_string(),
        "https://a.example/private/x?y=1 is disallowed by line 2: Disallow: /private/ (group *)"
    );
    assert_eq!(site.asked(), ["https://a.example/robots.txt", "https://a.example/open?q"]);
}

#[tokio::test]
async fn a_request_for_the_file_itself_passes_at_once() {
    let site = Site::with([answer(200, &[], "User-agent: *\nDisallow: /\n")]);
    let service = layer(&site, &Clock::default()).layer(site.clone());
    ask(&service, "https://a.example/robots.txt").await.unwrap();
    assert_eq!(site.asked(), ["https://a.example/robots.txt"]);
}

#[test]
fn the_layer_needs_no_runtime() {
    let site = Site::with([answer(200, &[], FILE)]);
    let service = layer(&site, &Clock::default()).layer(site.clone());
    let asked = std::pin::pin!(ask(&service, "https://a.example/open"));
    let Poll::Ready(asked) = asked.poll(&mut Context::from_waker(std::task::Waker::noop())) else {
        panic!("nothing had to be waited for");
    };
    asked.unwrap();
}

#[tokio::test]
async fn origins_are_apart() {
    let site = Site::with([answer(200, &[], FILE), answer(404, &[], "")]);
    let service = layer(&site, &Clock::default()).layer(site.clone());
    ask(&service, "https://a.example/private/x").await.unwrap_err();
    ask(&service, "http://a.example:8080/private/x").await.unwrap();
}

#[tokio::test]
async fn a_request_without_an_origin_is_refused() {
    let site = Site::default();
    let service = layer(&site, &Clock::default()).layer(site.clone());
    for uri in ["/path", "ftp://a.example/x", "*"] {
        assert!(matches!(ask(&service, uri).await, Err(RobotsRefusal::NoOrigin { .. })), "{uri}");
    }
    assert!(site.asked().is_empty());
}

#[tokio::test]
async fn many_requests_ask_for_the_file_once() {
    let site = Site::with([answer(200, &[], FILE)]);
    site.hold(1);
    let service = layer(&site, &Clock::default()).layer(site.clone());
    let requests: Vec<_> = (0..10)
        .map(|number| {
            let service = service.clone();
            tokio::spawn(async move { ask(&service, &format!("https://a.example/{number}")).await })
        })
        .collect();
    settle().await;
    assert_eq!(site.asked(), ["https://a.example/robots.txt"]);
    site.0.release.notify_waiters();
    for request in requests {
        request.await.unwrap().unwrap();
    }
    assert_eq!(site.asked().len(), 11);
}

#[tokio::test]
async fn when_the_one_who_asks_is_dropped_the_next_goes_on() {
    let site = Site::with([answer(200, &[], FILE)]);
    site.hold(1);
    let service = layer(&site, &Clock::default()).layer(site.clone());
    let spawn = |path: &'static str| {
        let service = service.clone();
        tokio::spawn(async move { ask(&service, path).await })
    };
    let first = spawn("https://a.example/1");
    settle().await;
    let gone = spawn("https://a.example/2");
    let (third, fourth) = (spawn("https://a.example/3"), spawn("https://a.example/private/4"));
    settle().await;
    gone.abort();
    first.abort();
    third.await.unwrap().unwrap();
    fourth.await.unwrap().unwrap_err();
    let robots = site.asked().iter().filter(|uri| uri.ends_with("/robots.txt")).count();
    assert_eq!(robots, 2);
}

#[tokio::test]
async fn a_refusal_below_goes_to_all_who_wait_and_changes_nothing() {
    let site = Site::with([Err(NotYet.into()), answer(200, &[], FILE)]);
    site.hold(1);
    let service = layer(&site, &Clock::default()).layer(site.clone());
    let requests: Vec<_> = (0..3)
        .map(|number| {
            let service = service.clone();
            tokio::spawn(async move { ask(&service, &format!("https://a.example/{number}")).await })
        })
        .collect();
    settle().await;
    site.0.release.notify_waiters();
    for request in requests {
        let refusal = request.await.unwrap().unwrap_err();
        assert!(matches!(refusal, RobotsRefusal::Deferred { .. }), "{refusal}");
        assert!(refusal.source().unwrap().downcast_ref::<NotYet>().is_some());
    }
    // Not unreachable: it is asked again at once.
    ask(&service, "https://a.example/1").await.unwrap();
}

#[tokio::test]
async fn a_site_without_an_answer_is_closed_and_left_alone() {
    let clock = Clock::default();
    let site =
        Site::with([Err(io::Error::other("reset").into()), answer(503, &[("retry-after", "7200")], "")]);
    let service = layer(&site, &clock).layer(site.clone());
    let until = |refusal: RobotsRefusal| match refusal {
        RobotsRefusal::Unreachable { until, .. } => {
            until.duration_since(UNIX_EPOCH).unwrap().as_secs() - 1_800_000_000
        }
        other => panic!("{other}"),
    };
    assert_eq!(until(ask(&service, "https://a.example/1").await.unwrap_err()), 900);
    assert_eq!(until(ask(&service, "https://a.example/1").await.unwrap_err()), 900);
    assert_eq!(site.asked().len(), 1);
    clock.set(900);
    assert_eq!(until(ask(&service, "https://a.example/1").await.unwrap_err()), 8_100);
    clock.set(8_100);
    ask(&service, "https://a.example/1").await.unwrap();
}

#[tokio::test]
async fn a_site_that_is_closed_says_why_to_everyone_who_asks_until_it_answers() {
    let clock = Clock::default();
    let site = Site::with([
        Err(io::Error::other("connection refused").into()),
        answer(503, &[], ""),
        Err(io::Error::other("connection reset").into()),
        answer(200, &[], FILE),
    ]);
    let service = layer(&site, &clock).layer(site.clone());
    for (now, why, cause, until) in [
        (0, "robots.txt could not be asked for", Some("connection refused"), 900),
        (899, "robots.txt could not be asked for", Some("connection refused"), 900),
        (900, "robots.txt answered 503", None, 960),
        (959, "robots.txt answered 503", None, 960),
        (960, "robots.txt could not be asked for", Some("connection reset"), 1_860),
    ] {
        clock.set(now);
        let refusal = ask(&service, "https://a.example/1").await.unwrap_err();
        assert_eq!(refusal.to_string(), format!("https://a.example is closed for now: {why}"));
        assert_eq!(refusal.source().map(ToString::to_string).as_deref(), cause, "{now}");
        assert!(
            matches!(refusal, RobotsRefusal::Unreachable { until: at, .. }
                if at == UNIX_EPOCH + Duration::from_secs(1_800_000_000 + until)),
            "{now}"
        );
    }
    clock.set(1_860);
    ask(&service, "https://a.example/1").await.unwrap();
}

/// An error that can be counted while somebody keeps it.
#[derive(Debug, thiserror::Error)]
#[error("connection refused")]
struct Counted(Arc<()>);

#[tokio::test]
async fn why_a_site_is_silent_is_kept_for_no_more_origins_than_the_cache_remembers() {
    let clock = Clock::default();
    let alive = Arc::new(());
    let token = Arc::clone(&alive);
    let site = tower::service_fn(move |_: Request<Body>| {
        let error = Counted(Arc::clone(&token));
        async { Err::<Response<Body>, _>(error) }
    });
    let mut options = CacheOptions::default();
    options.max_origins = 2;
    let layer = RobotsLayer::new(RobotsCache::with_options([], options), site, clock.now());
    let service = layer.layer(Site::default());
    for number in 0..4 {
        clock.set(number * 900);
        let refusal = ask(&service, &format!("https://{number}.example/")).await.unwrap_err();
        assert!(refusal.source().is_some(), "{number}");
    }
    assert_eq!(layer.with_cache(|cache| cache.len()), 2);
    assert_eq!(Arc::strong_count(&alive), 2 + 2, "ours, the site's, and one of each origin");
}

#[tokio::test]
async fn a_redirect_that_nobody_followed_closes_the_site() {
    for status in [300, 301, 302, 303, 307, 308] {
        for fields in [&[("location", "https://www.a.example/robots.txt")][..], &[]] {
            let clock = Clock::default();
            let site = Site::with([answer(status, fields, "moved"), answer(200, &[], FILE)]);
            let service = layer(&site, &clock).layer(site.clone());
            let refusal = ask(&service, "https://a.example/open").await.unwrap_err();
            assert_eq!(
                refusal.to_string(),
                format!(
                    "https://a.example is closed for now: robots.txt answered {status}, a redirect that was not followed"
                )
            );
            clock.set(60);
            ask(&service, "https://a.example/open").await.unwrap();
            ask(&service, "https://a.example/private/1").await.unwrap_err();
        }
    }
}

#[tokio::test]
async fn redirects_that_do_not_end_open_the_site() {
    let site = Site::with([Err(io::Error::other("too many redirects").into())]);
    let layer = layer(&site, &Clock::default()).classify(|_| FetchFailure::TooManyRedirects);
    ask(&layer.layer(site.clone()), "https://a.example/private/1").await.unwrap();
}

#[tokio::test]
async fn nothing_leaves_on_a_copy_that_may_be_too_old_by_then() {
    let clock = Clock::default();
    let site = Site::with([answer(200, &[("etag", "\"1\"")], FILE), answer(304, &[], "")]);
    let service = layer(&site, &clock).layer(site.clone());
    ask(&service, "https://a.example/1").await.unwrap();
    clock.set(86_400 - 61);
    ask(&service, "https://a.example/2").await.unwrap();
    clock.set(86_400 - 60);
    ask(&service, "https://a.example/3").await.unwrap();
    ask(&service, "https://a.example/private/").await.unwrap_err();
    let asked = site.asked();
    assert_eq!(asked.iter().filter(|uri| uri.contains("/robots.txt")).count(), 2);
    assert_eq!(asked[3], "https://a.example/robots.txt \"\\\"1\\\"\"");
}

#[tokio::test]
async fn what_was_learned_is_told_before_the_request_goes_down() {
    let clock = Clock::default();
    let site = Site::with([answer(200, &[], FILE), answer(404, &[], "")]);
    let told: Arc<Mutex<Vec<String>>> = Arc::default();
    let (sink, below) = (Arc::clone(&told), site.clone());
    let layer = layer(&site, &clock).on_crawl_delay(move |origin, delay| {
        sink.lock().unwrap().push(format!("{origin} {delay:?} after {} requests", below.asked().len()));
    });
    let service = layer.layer(site.clone());
    ask(&service, "https://a.example/1").await.unwrap();
    ask(&service, "https://a.example/2").await.unwrap();
    clock.set(86_400);
    ask(&service, "https://a.example/3").await.unwrap();
    assert_eq!(
        *told.lock().unwrap(),
        ["https://a.example Some(2s) after 1 requests", "https://a.example None after 4 requests"]
    );
}

#[tokio::test]
async fn the_cache_can_be_told_to_read_again() {
    let site = Site::with([answer(200, &[], FILE), answer(200, &[], "User-agent: *\nDisallow: /open\n")]);
    let layer = layer(&site, &Clock::default());
    let service = layer.layer(site.clone());
    ask(&service, "https://a.example/open").await.unwrap();
    layer.with_cache(|cache| cache.refresh(&"https://a.example".parse().unwrap()));
    ask(&service, "https://a.example/open").await.unwrap_err();
}

/// A body of so many bytes that ends, or breaks off.
struct Long {
    left: usize,
    breaks: bool,
}

impl http_body::Body for Long {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, io::Error>>> {
        const FRAME: &[u8] = &[b'#'; 10_000];
        let take = self.left.min(FRAME.len());
        self.left -= take;
        Poll::Ready(match take {
            0 if self.breaks => Some(Err(io::Error::other("broke off"))),
            0 => None,
            _ => Some(Ok(http_body::Frame::data(Bytes::from_static(&FRAME[..take])))),
        })
    }
}

#[track_caller]
fn long(left: usize, breaks: bool, open: bool, kept: usize) {
    let site = tower::service_fn(move |_: Request<Body>| async move {
        Ok::<_, io::Error>(Response::new(Long { left, breaks }))
    });
    let layer = RobotsLayer::new(RobotsCache::new([]), site, Clock::default().now());
    let service = layer.layer(Site::default());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    assert_eq!(runtime.block_on(ask(&service, "https://a.example/")).is_ok(), open, "{left}");
    assert_eq!(layer.with_cache(|cache| cache.bytes()), kept, "{left}");
}

#[test]
fn a_body_is_read_to_the_limit_and_one_that_breaks_off_is_no_answer() {
    long(511_999, false, true, 511_999);
    long(512_000, false, true, 512_000);
    // The one line is cut, so nothing of it counts.
    long(512_001, false, true, 0);
    long(usize::MAX, false, true, 0);
    long(511_999, true, false, 0);
    long(512_001, true, true, 0);
}

#[tokio::test]
async fn a_body_broken_off_by_the_crawler_itself_says_nothing_of_the_site() {
    let site = tower::service_fn(|_: Request<Body>| async {
        Ok::<_, io::Error>(Response::new(Long { left: 20_000, breaks: true }))
    });
    let cache = RobotsCache::new(["TestBot".parse().unwrap()]);
    let layer = RobotsLayer::new(cache, site, Clock::default().now()).classify(|error| {
        assert!(error.is::<io::Error>());
        FetchFailure::Refused
    });
    let service = layer.layer(Site::default());
    for _ in 0..2 {
        let refusal = ask(&service, "https://a.example/").await.unwrap_err();
        assert!(matches!(refusal, RobotsRefusal::Deferred { .. }), "{refusal}");
    }
}

#[tokio::test]
async fn every_verdict_is_told_with_its_line() {
    let site = Site::with([answer(200, &[], FILE)]);
    let told = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&told);
    let service = layer(&site, &Clock::default())
        .on_verdict(move |uri, verdict| log.lock().unwrap().push(format!("{uri} {verdict}")))
        .layer(site.clone());
    ask(&service, "https://a.example/open").await.unwrap();
    ask(&service, "https://a.example/private/x").await.unwrap_err();
    assert_eq!(
        *told.lock().unwrap(),
        [
            "https://a.example/open allowed: no rule matches (group *)",
            "https://a.example/private/x disallowed by line 2: Disallow: /private/ (group *)",
        ]
    );
}
