//! One request through the whole stack, on loopback under a real host's name.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bot_etiquette::fetch::{
    AddressPolicy, Fetched, Fetcher, RedirectError, ResolverOverride, tower::FollowLayer,
};
use bot_etiquette::identity::BotIdentity;
use bot_etiquette::politeness::{HostPolicy, Policy, Politeness, Reason, Refusal};
use bot_etiquette::referee::{Page, Referee, Site};
use bot_etiquette::robots::tower::RobotsRefusal;
use bot_etiquette::signing::{Signer, SigningKey};
use bot_etiquette_examples::clock::Clock;
use bot_etiquette_examples::stack::{Assembled, BoxError, Client, Stack, find, quiet};
use http::Request;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tower::ServiceExt;

const SCALE: u32 = 20;

/// What a site on loopback was asked, and when, in seconds of the stack's clock.
type Log = Arc<Mutex<Vec<(f64, String)>>>;

/// A site whose answers are fixed by path, one connection a request.
async fn site(pages: &'static [(&'static str, &'static str)]) -> (SocketAddr, Log) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let log = Log::default();
    let asked = Arc::clone(&log);
    let started = tokio::time::Instant::now();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            let head = String::from_utf8(head).unwrap();
            let host = head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
            let url = format!("{host}{}", head.split(' ').nth(1).unwrap());
            let answer = pages
                .iter()
                .find(|(page, _)| *page == url)
                .map_or("404 Not Found\r\n\r\n", |(_, answer)| answer);
            asked.lock().unwrap().push((started.elapsed().as_secs_f64() * f64::from(SCALE), head));
            let answer = answer.replacen("\r\n", "\r\nConnection: close\r\n", 1);
            stream.write_all(format!("HTTP/1.1 {answer}").as_bytes()).await.unwrap();
        }
    });
    (address, log)
}

fn stack(fetcher: Fetcher, clock: Clock) -> Stack {
    Stack {
        identity: BotIdentity::from_toml(include_str!("../identities/smart-site-plan.toml")).unwrap(),
        chromium: None,
        politeness: Politeness::new(Policy::new(HostPolicy::new().min_delay(Duration::from_secs(2)))),
        signer: Some(Arc::new(
            Signer::builder(SigningKey::from_seed(&[7; 32]), "https://smartsiteplan.com").build().unwrap(),
        )),
        fetcher,
        follow: FollowLayer::default(),
        clock,
        watch: quiet(),
    }
}

/// A stack that finds two hosts at this address, and nothing else anywhere.
fn before(address: SocketAddr) -> Stack {
    let names = ResolverOverride::only().host("a.example.com", address).host("b.example.com", address);
    let fetcher =
        Fetcher::builder().addresses(AddressPolicy::loopback_only()).resolver(names).build().unwrap();
    stack(fetcher, Clock::scaled(SCALE, &[address]).unwrap())
}

fn client(address: SocketAddr) -> Client {
    before(address).assemble().unwrap().client
}

async fn get(client: &Client, url: &str) -> Result<Fetched, BoxError> {
    let request = Request::get(url).body(Default::default()).unwrap();
    let answer = client.clone().oneshot(request).await?;
    Fetched::collect(answer).await
}

const OPEN: &str = "200 OK\r\n\r\nUser-agent: *\nDisallow: /closed\n";
const SLOW: &str = "200 OK\r\n\r\nUser-agent: *\nCrawl-delay: 4\n";

#[tokio::test]
async fn every_request_is_named_signed_paced_and_asked_for() {
    let (address, log) = site(&[
        ("a.example.com/robots.txt", OPEN),
        ("b.example.com/robots.txt", SLOW),
        ("a.example.com/old", "301 Moved\r\nLocation: http://b.example.com/new\r\n\r\n"),
        ("b.example.com/new", "200 OK\r\n\r\nhello"),
    ])
    .await;
    let client = client(address);
    let page = get(&client, "http://a.example.com/old").await.unwrap();
    assert_eq!((&page.body[..], page.followed.len()), (&b"hello"[..], 1));

    let log = log.lock().unwrap().clone();
    let urls: Vec<_> = log.iter().map(|(_, head)| head.split(' ').nth(1).unwrap()).collect();
    assert_eq!(urls, ["/robots.txt", "/old", "/robots.txt", "/new"]);
    for (_, head) in &log {
        assert!(head.contains("user-agent: Mozilla/5.0 (compatible; SmartSitePlanBot/1.0; +https://smartsiteplan.com/contact)\r\n"), "{head}");
        assert!(head.contains("signature-agent: \"https://smartsiteplan.com\"\r\n"), "{head}");
        assert!(head.contains("tag=\"web-bot-auth\""), "{head}");
    }
    let signatures: std::collections::HashSet<_> = log
        .iter()
        .filter_map(|(_, head)| head.lines().find(|line| line.starts_with("signature: ")))
        .collect();
    assert!(signatures.len() >= 2, "a signature for each host: {signatures:?}");
    // Two seconds on a's clock; on b's the four that its robots.txt asks for, from the same request on.
    assert!(log[1].0 - log[0].0 >= 2.0, "{log:?}");
    assert!(log[3].0 - log[2].0 >= 4.0, "{log:?}");
}

#[tokio::test]
async fn a_closed_path_is_never_asked_also_behind_a_redirect() {
    let (address, log) = site(&[
        ("a.example.com/robots.txt", OPEN),
        ("a.example.com/open", "302 Found\r\nLocation: /closed/page\r\n\r\n"),
    ])
    .await;
    let client = client(address);
    let error = get(&client, "http://a.example.com/closed").await.unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(RobotsRefusal::Disallowed { line: Some(2), .. })), "{error}");
    let error = get(&client, "http://a.example.com/open").await.unwrap_err();
    let Some(RedirectError::Hop { chain, next, .. }) = error.downcast_ref() else { panic!("{error:?}") };
    assert_eq!((chain.len(), next.as_str()), (1, "http://a.example.com/closed/page"));
    assert!(find::<RobotsRefusal>(&*error).is_some());
    assert!(log.lock().unwrap().iter().all(|(_, head)| !head.contains("GET /closed")));
}

#[tokio::test]
async fn a_name_that_the_demonstration_does_not_list_is_not_asked() {
    let (address, log) = site(&[]).await;
    let error = get(&client(address), "http://other.example.com/").await.unwrap_err();
    assert!(find::<RobotsRefusal>(&*error).is_some(), "{error:?}");
    assert!(log.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_borrowed_name_and_a_fast_clock_never_leave_this_machine() {
    let fast = Clock::scaled(SCALE, &[]).unwrap();
    let own = "user_agent = 'TestBot/1.0 (+https://bots.internal/test)'\ntoken = 'TestBot'\n\
               page = 'https://bots.internal/test'\ncontact = 'https://bots.internal/test'";
    let own = || BotIdentity::from_toml(own).unwrap();
    let public = || Fetcher::builder().build().unwrap();
    let refused = |stack: Stack| stack.assemble().err().map(|error| error.to_string());

    let problem = refused(stack(public(), Clock::real())).unwrap();
    assert!(problem.starts_with("loopback_only"), "{problem}");
    let problem = refused(Stack { identity: own(), ..stack(public(), fast) }).unwrap();
    assert_eq!(problem, "a clock 20 times as fast is for loopback alone");
    assert_eq!(refused(Stack { identity: own(), ..stack(public(), Clock::real()) }), None);
}

async fn watched(page: Page) -> (Referee, SocketAddr) {
    let site = Site::new("a.example.com").page(page);
    let referee = Referee::builder().site(site).time_scale(SCALE.into()).start().await.unwrap();
    let address = referee.address("a.example.com").unwrap();
    (referee, address)
}

#[tokio::test]
async fn a_fast_clock_cuts_no_slow_answer_short() {
    // Above two seconds of the machine, which are 45 of the clock: more than a lease that nobody had scaled.
    let (_referee, address) =
        watched(Page::new("/slow").delay(Duration::from_secs(45)).body("at last")).await;
    let page = get(&client(address), "http://a.example.com/slow").await.unwrap();
    assert_eq!(page.body, "at last");
}

#[tokio::test]
async fn a_kill_ends_a_body_under_way() {
    let (_referee, address) = watched(Page::new("/stall").bytes_of(1000).per_second_bytes(0)).await;
    let stack = before(address);
    let (politeness, clock) = (stack.politeness.clone(), stack.clock);
    let client = stack.assemble().unwrap().client;
    let request = Request::get("http://a.example.com/stall").body(Default::default()).unwrap();
    let answer = client.clone().oneshot(request).await.unwrap();
    politeness.kill(&"a.example.com".parse().unwrap(), clock.now().into());
    let killed = |error: &BoxError| {
        let refusal = find::<Refusal>(&**error).expect("a refusal");
        assert!(refusal.reasons().any(|reason| reason == Reason::Killed), "{refusal}");
    };
    let reading = tokio::time::timeout(Duration::from_secs(5), Fetched::collect(answer));
    killed(&reading.await.expect("within a second of the clock").unwrap_err());
    killed(&get(&client, "http://a.example.com/other").await.unwrap_err());
}

#[tokio::test]
async fn what_the_stack_refuses_itself_says_nothing_of_a_robots_txt() {
    let (address, log) = site(&[
        ("a.example.com/robots.txt", "302 Found\r\nLocation: http://a.example.com/robots.txt?2\r\n\r\n"),
        ("a.example.com/robots.txt?2", OPEN),
    ])
    .await;
    let stack = before(address);
    let (politeness, clock) = (stack.politeness.clone(), stack.clock);
    let Assembled { client, robots, .. } = stack.assemble().unwrap();
    politeness.kill(&"a.example.com".parse().unwrap(), clock.now().into());
    let error = get(&client, "http://a.example.com/").await.unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(RobotsRefusal::Deferred { .. })), "{error}");
    assert_eq!(robots.with_cache(|cache| cache.bytes()), 0);
    // Not unreachable: once it may be asked, it is.
    politeness.revive(&"a.example.com".parse().unwrap(), clock.now().into());
    assert_eq!(get(&client, "http://a.example.com/").await.unwrap().status, 404);
    assert_eq!(log.lock().unwrap().len(), 3);
}
