use std::collections::{HashMap, VecDeque};
use std::error::Error;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use bot_etiquette_politeness::tower::{
    BoxError, LeaseExpired, NoHost, PolitenessLayer, PolitenessService, RequestClass, Resource, Timer,
    TokioTimer,
};
use bot_etiquette_politeness::{
    Ask, BusyScope, Host, HostPolicy, Next, Outcome, Permit, Policy, Politeness, Priority, ReadyQueue,
    Reason, Refusal, Timestamp,
};
use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use tower::{Layer, Service, ServiceExt};
use url::Url;

const SECOND: Duration = Duration::from_secs(1);
const START: Timestamp = Timestamp::from_millis(1_830_297_540_000);

/// A site for each host, which answers as its path says and writes down when.
#[derive(Clone)]
struct Sites {
    timer: TokioTimer,
    log: Arc<Mutex<HashMap<String, Vec<Seen>>>>,
    latency: Duration,
}

#[derive(Debug, Clone, Copy)]
enum Seen {
    Start(Timestamp),
    End(Timestamp),
}

impl Sites {
    fn new(timer: TokioTimer, latency: Duration) -> Self {
        Self { timer, log: Arc::default(), latency }
    }

    fn note(&self, host: &str, seen: Seen) {
        self.log.lock().unwrap().entry(host.to_owned()).or_default().push(seen);
    }

    fn starts(&self, host: &str) -> usize {
        let log = self.log.lock().unwrap();
        log.get(host).map_or(0, |log| log.iter().filter(|seen| matches!(seen, Seen::Start(_))).count())
    }
}

impl Service<Request<()>> for Sites {
    type Response = Response<Chunks>;
    type Error = std::io::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<()>) -> Self::Future {
        let (sites, host) = (self.clone(), request.uri().host().unwrap().to_owned());
        let path = request.uri().path().trim_start_matches('/').to_owned();
        sites.note(&host, Seen::Start(sites.timer.now()));
        Box::pin(async move {
            tokio::time::sleep(sites.latency).await;
            if path == "reset" {
                return Err(std::io::ErrorKind::ConnectionReset.into());
            }
            let mut answer = Response::builder();
            if let Ok(status) = path.parse::<u16>() {
                answer = answer.status(status);
            }
            if path == "503" {
                answer = answer.header("retry-after", "120");
            }
            let steps = match path.as_str() {
                "empty" => VecDeque::new(),
                "broken" => VecDeque::from([Step::Bytes, Step::Break]),
                "endless" => VecDeque::from([Step::Bytes, Step::Wait(1_000_000 * SECOND)]),
                _ => VecDeque::from([Step::Bytes, Step::Wait(sites.latency), Step::Bytes]),
            };
            let body = Chunks { steps, sleep: None, sites, host };
            Ok(answer.body(body).unwrap())
        })
    }
}

#[derive(Debug)]
enum Step {
    Bytes,
    Wait(Duration),
    Break,
}

struct Chunks {
    steps: VecDeque<Step>,
    sleep: Option<Pin<Box<tokio::time::Sleep>>>,
    sites: Sites,
    host: String,
}

impl Body for Chunks {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        loop {
            if let Some(sleep) = &mut self.sleep {
                std::task::ready!(sleep.as_mut().poll(cx));
                self.sleep = None;
            }
            match self.steps.pop_front() {
                None => return Poll::Ready(None),
                Some(Step::Bytes) => return Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b"x"))))),
                Some(Step::Break) => return Poll::Ready(Some(Err(std::io::ErrorKind::UnexpectedEof.into()))),
                Some(Step::Wait(time)) => self.sleep = Some(Box::pin(tokio::time::sleep(time))),
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.steps.is_empty() && self.sleep.is_none()
    }
}

impl Drop for Chunks {
    fn drop(&mut self) {
        self.sites.note(&self.host, Seen::End(self.sites.timer.now()));
    }
}

type Polite = PolitenessService<Sites, Politeness, TokioTimer>;

struct Stage {
    politeness: Politeness,
    timer: TokioTimer,
    sites: Sites,
    layer: PolitenessLayer<Politeness, TokioTimer>,
}

impl Stage {
    fn new(policy: HostPolicy) -> Self {
        let politeness = Politeness::new(Policy::new(policy));
        let timer = TokioTimer::starting_at(START);
        let sites = Sites::new(timer, Duration::from_millis(100));
        Self { layer: PolitenessLayer::new(politeness.clone(), timer), politeness, timer, sites }
    }

    fn service(&self) -> Polite {
        self.layer.layer(self.sites.clone())
    }

    async fn get(
        &self,
        url: &str,
    ) -> Result<Response<impl Body<Data = Bytes, Error = BoxError> + use<>>, BoxError> {
        self.service().oneshot(Request::get(url).body(()).unwrap()).await
    }

    /// Seconds since the start.
    fn seconds(&self) -> f64 {
        self.timer.now().since(START).as_secs_f64()
    }

    fn refusal(&self, url: &str) -> Option<Refusal> {
        self.politeness.check(&Ask::new(&url.parse::<Url>().unwrap()), self.timer.now()).err()
    }

    #[track_caller]
    fn refuses(&self, url: &str, reasons: &[Reason]) {
        let refusal = self.refusal(url);
        let found: Vec<Reason> = refusal.iter().flat_map(Refusal::reasons).collect();
        assert_eq!(found, reasons, "{refusal:?}");
    }
}

#[track_caller]
fn refused(error: Option<BoxError>) -> Vec<Reason> {
    let error = error.expect("an error");
    error.downcast_ref::<Refusal>().expect("a refusal").reasons().collect()
}

/// No start within `delay` of the end before it, and the log is of one request at a time.
#[track_caller]
fn keeps_distance(log: &[Seen], delay: Duration) {
    let mut last_end = None;
    let mut open = false;
    for seen in log {
        match seen {
            Seen::Start(at) => {
                assert!(!open, "two open at {at}");
                assert!(
                    last_end.is_none_or(|end: Timestamp| *at >= end + delay),
                    "{at} follows {last_end:?}"
                );
                open = true;
            }
            Seen::End(at) => (last_end, open) = (Some(*at), false),
        }
    }
}

fn urls() -> VecDeque<String> {
    (0..2000).map(|n| format!("http://h{}.example/page/{}", n % 50, n / 50)).collect()
}

/// 40 requests to each host, each open for 0.2 s, with a second in between.
const IDEAL_SECONDS: f64 = 40.0 * 0.2 + 39.0 * 1.0;

#[tokio::test(start_paused = true)]
async fn tasks_behind_the_layer_keep_every_gap_and_lose_no_time() {
    let stage = Arc::new(Stage::new(HostPolicy::new().min_delay(SECOND)));
    let urls = Arc::new(Mutex::new(urls()));
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..32 {
        let (stage, urls) = (Arc::clone(&stage), Arc::clone(&urls));
        tasks.spawn(async move {
            loop {
                let url = urls.lock().unwrap().pop_front();
                let Some(url) = url else { return };
                let answer = stage.get(&url).await.expect("within patience");
                answer.into_body().collect().await.expect("a body");
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.expect("no panic");
    }
    let log = stage.sites.log.lock().unwrap();
    assert_eq!(log.len(), 50);
    for log in log.values() {
        assert_eq!(log.len(), 80);
        keeps_distance(log, SECOND);
    }
    let efficiency = IDEAL_SECONDS / stage.seconds();
    assert!(efficiency >= 0.95, "{efficiency}");
}

#[tokio::test(start_paused = true)]
async fn a_queue_before_the_tasks_keeps_every_gap_and_loses_no_time() {
    let stage = Stage::new(HostPolicy::new().min_delay(SECOND));
    let mut queue: ReadyQueue<Url> = ReadyQueue::new();
    // Sorted by host: the order that punishes a queue with one line.
    let mut urls: Vec<String> = urls().into();
    urls.sort_unstable();
    for url in urls {
        let url: Url = url.parse().unwrap();
        let host = stage.politeness.host_id(&Host::of(&url).unwrap(), START).unwrap();
        queue.push(host, Priority::Crawl, url, START);
    }
    let mut open = tokio::task::JoinSet::new();
    loop {
        let now = stage.timer.now();
        let next = if open.len() < 32 {
            queue.admit_next(&stage.politeness, now, |url| Ask::new(url))
        } else {
            Next::Wait(Timestamp::MAX)
        };
        let until = match next {
            Next::Go(permit, ready) => {
                let request = stage.sites.clone().call(Request::get(ready.item.as_str()).body(()).unwrap());
                let timer = stage.timer;
                open.spawn(async move {
                    request.await.expect("an answer").into_body().collect().await.expect("a body");
                    Permit::finish(permit, &Outcome::status(200), timer.now());
                    ready.host
                });
                continue;
            }
            Next::Wait(until) => until,
            Next::Empty if open.is_empty() => break,
            Next::Empty => Timestamp::MAX,
            Next::Never(ready, refusal) => panic!("{}: {refusal}", ready.item),
        };
        tokio::select! {
            Some(host) = open.join_next() => queue.wake(host.expect("no panic"), stage.timer.now()),
            () = stage.timer.sleep_until(until) => {}
        }
    }
    let log = stage.sites.log.lock().unwrap();
    for log in log.values() {
        assert_eq!(log.len(), 80);
        keeps_distance(log, SECOND);
    }
    let efficiency = IDEAL_SECONDS / stage.seconds();
    assert!(efficiency >= 0.95, "{efficiency}");
}

#[tokio::test(start_paused = true)]
async fn the_slot_ends_with_the_body_however_that_ends() {
    for (path, ends) in [("page", 0.2), ("empty", 0.1), ("broken", 0.1), ("204", 0.2)] {
        let stage = Stage::new(HostPolicy::new());
        let url = format!("http://h/{path}");
        let answer = stage.get(&url).await.unwrap();
        if path != "empty" {
            stage.refuses(&url, &[Reason::InFlight]);
        }
        if path != "empty" {
            let read = answer.into_body().collect().await;
            assert_eq!(read.is_err(), path == "broken");
        }
        assert!(stage.refusal(&url).is_none(), "{path}");
        assert!((stage.seconds() - ends).abs() < 0.01, "{path}: {}", stage.seconds());
    }
}

#[tokio::test(start_paused = true)]
async fn a_busy_answer_holds_its_host_from_the_head_on() {
    let stage = Stage::new(HostPolicy::new().max_open(3u32).busy_first(60 * SECOND));
    // 0.1 s to the head, 0.1 s of body: the others' slots are refused from the head on.
    let busy = stage.get("http://h/503").await.unwrap();
    stage.refuses("http://h/", &[Reason::RetryAfter, Reason::Busy]);
    let until = stage.refusal("http://h/").and_then(|refusal| refusal.until());
    assert_eq!(until, Some(START + Duration::from_millis(100) + 120 * SECOND));
    busy.into_body().collect().await.unwrap();
    // The end of the body neither lengthens the wait nor counts a second time.
    assert_eq!(stage.refusal("http://h/").and_then(|refusal| refusal.until()), until);

    // Without a Retry-After the first step of the backoff, once, and the slot is held as long as the body.
    let busy = stage.get("http://other/429").await.unwrap();
    let began = stage.timer.now();
    stage.refuses("http://other/", &[Reason::Busy]);
    busy.into_body().collect().await.unwrap();
    let until = stage.refusal("http://other/").and_then(|refusal| refusal.until());
    assert_eq!(until, Some(began + 60 * SECOND));
}

#[tokio::test(start_paused = true)]
async fn the_slot_ends_when_the_body_or_the_answer_is_dropped() {
    let stage = Stage::new(HostPolicy::new());
    let answer = stage.get("http://h/endless").await.unwrap();
    stage.refuses("http://h/", &[Reason::InFlight]);
    let mut body = answer.into_body();
    drop(Box::pin(body.frame()).await);
    stage.refuses("http://h/", &[Reason::InFlight]);
    drop(body);
    assert!(stage.refusal("http://h/").is_none());
}

#[tokio::test(start_paused = true)]
async fn a_slot_that_comes_free_is_taken_at_once() {
    let stage = Arc::new(Stage::new(HostPolicy::new()));
    let first = stage.get("http://h/page").await.unwrap();
    let second = tokio::spawn({
        let stage = Arc::clone(&stage);
        async move { stage.get("http://h/page").await.map(|_| stage.seconds()) }
    });
    first.into_body().collect().await.unwrap();
    // 0.1 s to the answer, 0.1 s of body, 0.1 s to the second answer: no polling in between.
    let answered = second.await.unwrap().unwrap();
    assert!((answered - 0.3).abs() < 0.01, "{answered}");
}

#[tokio::test(start_paused = true)]
async fn who_would_wait_for_longer_than_patience_is_refused_at_once() {
    let stage = Stage::new(HostPolicy::new().min_delay(61 * SECOND));
    stage.get("http://h/empty").await.unwrap();
    let error = stage.get("http://h/empty").await.err();
    assert_eq!(refused(error), [Reason::MinDelay]);
    assert!((stage.seconds() - 0.1).abs() < 0.01);

    let stage = Stage::new(HostPolicy::new().min_delay(60 * SECOND));
    stage.get("http://h/empty").await.unwrap();
    stage.get("http://h/empty").await.expect("just within patience");
    assert!((stage.seconds() - 60.2).abs() < 0.01, "{}", stage.seconds());
}

#[tokio::test(start_paused = true)]
async fn each_wait_is_told_once_and_again_when_its_end_moves() {
    let mut stage = Stage::new(HostPolicy::new().min_delay(5 * SECOND));
    let told = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&told);
    stage.layer = stage.layer.on_wait(move |ask, refusal| {
        log.lock().unwrap().push((ask.path().to_owned(), refusal.reasons().collect::<Vec<_>>()));
    });
    let first = stage.get("http://h/page").await.unwrap();
    let (_, second) = tokio::join!(first.into_body().collect(), stage.get("http://h/empty"));
    second.unwrap();
    let second = "/empty".to_owned();
    assert_eq!(
        *told.lock().unwrap(),
        [(second.clone(), vec![Reason::InFlight, Reason::MinDelay]), (second, vec![Reason::MinDelay])]
    );
}

#[tokio::test(start_paused = true)]
async fn patience_counts_over_all_tries() {
    let stage = Arc::new(Stage::new(HostPolicy::new()));
    let _open = stage.get("http://h/endless").await.unwrap();
    let service = stage.service().patience(2 * SECOND);
    let error = service.oneshot(Request::get("http://h/").body(()).unwrap()).await.err();
    assert_eq!(refused(error), [Reason::InFlight]);
    assert!((stage.seconds() - 2.1).abs() < 0.01, "{}", stage.seconds());
}

#[tokio::test(start_paused = true)]
async fn a_kill_ends_waiting_and_open_requests() {
    let stage = Arc::new(Stage::new(HostPolicy::new().min_delay(30 * SECOND).max_open(1u32)));
    let open = stage.get("http://h/endless").await.unwrap();
    let spawn = |url: &'static str| {
        let stage = Arc::clone(&stage);
        tokio::spawn(async move { stage.get(url).await.err() })
    };
    let waiting = spawn("http://h/page");
    let other = spawn("http://other/page");
    tokio::time::sleep(SECOND).await;
    stage.politeness.kill(&"h".parse().unwrap(), stage.timer.now());
    let error = open.into_body().collect().await.err();
    assert!(refused(error).contains(&Reason::Killed));
    assert!(refused(waiting.await.unwrap()).contains(&Reason::Killed));
    assert!(stage.seconds() < 2.5, "{}", stage.seconds());
    assert!(other.await.unwrap().is_none());
    assert_eq!(stage.sites.starts("h"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_kill_ends_a_request_that_has_no_answer_yet() {
    let mut stage = Stage::new(HostPolicy::new());
    stage.sites.latency = 20 * SECOND;
    let kill = async {
        tokio::time::sleep(SECOND).await;
        stage.politeness.kill(&"h".parse().unwrap(), stage.timer.now());
    };
    let (answer, ()) = tokio::join!(stage.get("http://h/page"), kill);
    assert_eq!(refused(answer.err()), [Reason::Killed]);
    assert!(stage.seconds() < 2.5, "{}", stage.seconds());
}

#[tokio::test(start_paused = true)]
async fn a_body_that_nobody_reads_holds_its_slot_no_longer_than_the_lease() {
    let stage = Stage::new(HostPolicy::new());
    let kept = stage.get("http://h/page").await.unwrap();
    stage.get("http://h/empty").await.expect("a slot once the lease has ended");
    assert!((stage.seconds() - 35.35).abs() < 0.3, "{}", stage.seconds());
    let error = kept.into_body().collect().await.expect_err("an error");
    assert!(error.downcast_ref::<LeaseExpired>().is_some());
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_come_within_the_lease_is_a_timeout() {
    let mut stage = Stage::new(HostPolicy::new().unreachable_first(900 * SECOND));
    stage.sites.latency = 100 * SECOND;
    let error = stage.get("http://h/page").await.err().expect("an error");
    assert!(error.downcast_ref::<LeaseExpired>().is_some());
    assert!((stage.seconds() - 35.0).abs() < 0.01);
    stage.refuses("http://h/", &[Reason::Unreachable]);
}

#[tokio::test(start_paused = true)]
async fn what_an_answer_says_is_learnt() {
    let policy = || HostPolicy::new().busy_first(60 * SECOND).unreachable_first(900 * SECOND);
    for (path, reasons) in [
        ("503", vec![Reason::RetryAfter, Reason::Busy]),
        ("429", vec![Reason::Busy]),
        ("reset", vec![Reason::Unreachable]),
        ("broken", vec![]),
        ("404", vec![]),
    ] {
        let stage = Stage::new(policy());
        if let Ok(answer) = stage.get(&format!("http://h/{path}")).await {
            let _ = answer.into_body().collect().await;
        }
        let found: Vec<Reason> = stage.refusal("http://h/").iter().flat_map(Refusal::reasons).collect();
        assert_eq!(found, reasons, "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_assembly_says_what_its_clients_errors_mean() {
    let mut stage = Stage::new(HostPolicy::new().unreachable_first(900 * SECOND));
    stage.layer = stage.layer.classify(|error| {
        assert!(error.downcast_ref::<std::io::Error>().is_some());
        Outcome::aborted()
    });
    let error = stage.get("http://h/reset").await.err().expect("an error");
    assert!(error.is::<std::io::Error>(), "the client's error comes through");
    assert!(stage.refusal("http://h/").is_none());
}

#[derive(Debug)]
struct Wrapped(std::io::Error);

impl std::fmt::Display for Wrapped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("wrapped")
    }
}

impl Error for Wrapped {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_without_a_rule_is_judged_by_the_io_error_within() {
    let stage = Stage::new(HostPolicy::new().unreachable_first(900 * SECOND));
    let client = tower::service_fn(|_: Request<()>| async {
        Err::<Response<Chunks>, _>(Wrapped(std::io::ErrorKind::TimedOut.into()))
    });
    let error = stage.layer.layer(client).oneshot(Request::get("http://h/").body(()).unwrap()).await.err();
    assert!(error.expect("an error").is::<Wrapped>());
    stage.refuses("http://h/", &[Reason::Unreachable]);
}

#[tokio::test(start_paused = true)]
async fn a_request_says_what_it_is_about() {
    let policy = HostPolicy::new()
        .busy_first(3600 * SECOND)
        .busy_scope(BusyScope::Resource)
        .class_max_open(std::collections::BTreeMap::from([("search".to_owned(), 1)]));
    let stage = Stage::new(policy.max_open(4u32));
    let about = |url: &str, host: &str, resource: &str| {
        let mut request = Request::get(url).body(()).unwrap();
        request.extensions_mut().insert(Resource::new(host.parse().unwrap(), resource));
        stage.service().patience(Duration::ZERO).oneshot(request)
    };
    about("http://h/429", "h", "parks").await.unwrap();
    assert_eq!(refused(about("http://h/", "h", "parks").await.err()), [Reason::Busy]);
    about("http://h/", "h", "roads").await.unwrap();
    about("http://h/", "elsewhere", "parks").await.expect("a resource of another host means nothing here");

    let search = || {
        let mut request = Request::get("http://h/endless").body(()).unwrap();
        request.extensions_mut().insert(RequestClass::new("search"));
        stage.service().patience(Duration::ZERO).oneshot(request)
    };
    let _open = search().await.unwrap();
    assert_eq!(refused(search().await.err()), [Reason::InFlight]);
}

#[tokio::test(start_paused = true)]
async fn a_request_without_a_host_is_an_error_of_its_own() {
    let stage = Stage::new(HostPolicy::new());
    for uri in ["/relative", "*"] {
        let error = stage.get(uri).await.err().expect("an error");
        assert!(error.is::<NoHost>(), "{uri}");
    }
}

/// A client that is never ready, so that nothing is ever sent.
#[derive(Clone)]
struct NeverReady;

impl Service<Request<()>> for NeverReady {
    type Response = Response<Chunks>;
    type Error = std::io::Error;
    type Future = std::future::Pending<Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Pending
    }

    fn call(&mut self, _: Request<()>) -> Self::Future {
        std::future::pending()
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_cancelled_before_it_is_sent_costs_nothing() {
    let stage = Stage::new(HostPolicy::new().min_delay(10 * SECOND));
    let request = stage.layer.layer(NeverReady).oneshot(Request::get("http://h/").body(()).unwrap());
    assert!(tokio::time::timeout(SECOND, request).await.is_err());
    assert!(stage.refusal("http://h/").is_none());
}

#[tokio::test(start_paused = true)]
async fn a_request_may_be_cancelled_at_every_await() {
    // Cancelled after each tenth of a second: in line for a slot, asleep until its turn, before the answer,
    // within the body. Whenever it is, the host's next turn comes when it should, and no slot is lost.
    for tenths in 0..40 {
        let stage = Arc::new(Stage::new(HostPolicy::new().min_delay(SECOND)));
        let first = tokio::spawn({
            let stage = Arc::clone(&stage);
            async move { stage.get("http://h/page").await.unwrap().into_body().collect().await.map(|_| ()) }
        });
        tokio::task::yield_now().await;
        let cancelled = async {
            let answer = stage.get("http://h/page").await?;
            answer.into_body().collect().await.map(|_| ())
        };
        let _ = tokio::time::timeout(Duration::from_millis(100 * tenths + 50), cancelled).await;
        first.await.unwrap().unwrap();
        let cancelled_at = stage.seconds();
        let third = stage.get("http://h/page").await.unwrap();
        assert!(
            stage.seconds() <= cancelled_at.max(0.2) + 1.2,
            "{tenths}: {} {cancelled_at}",
            stage.seconds()
        );
        third.into_body().collect().await.unwrap();
        let log = stage.sites.log.lock().unwrap();
        let starts: Vec<Timestamp> = log["h"]
            .iter()
            .filter_map(|seen| if let Seen::Start(at) = seen { Some(*at) } else { None })
            .collect();
        assert!(starts.windows(2).all(|pair| pair[1] >= pair[0] + SECOND), "{tenths}: {starts:?}");
        assert!(starts.len() >= 2);
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_may_be_cancelled_after_any_number_of_polls() {
    for polls in 0..30 {
        let stage = Stage::new(HostPolicy::new());
        let mut request = Box::pin(async {
            let answer = stage.get("http://h/page").await?;
            answer.into_body().collect().await.map(|_| ())
        });
        for _ in 0..polls {
            let poll = std::future::poll_fn(|cx| Poll::Ready(request.as_mut().poll(cx))).await;
            if poll.is_ready() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        drop(request);
        assert!(stage.refusal("http://h/").is_none(), "after {polls} polls");
    }
}
