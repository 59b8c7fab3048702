//! What the layers cost: small requests on loopback, without pauses, beside the bare client of hyper-util.
//!
//! What is measured is the time that the client's thread had on a processor; the server has a thread of its own.
//! Every client asks in turn, in rounds, and the median of its rounds counts, so that a machine busy with other work
//! weighs on all alike. `REQUESTS=1000` asks a tenth as often. Whether one thread wakes the other on the same processor or on
//! another changes every time by tens of microseconds: `taskset -c 0` before the command keeps both on one.
//!
//! `ONLY="stack, unsigned"` asks with that client alone and judges nothing: for a profiler.
//!
//! Every client sends the same request and reads the answer to its end. The bare client keeps no limit and no promise;
//! it is measured a second time under a time limit, which any crawler's client has: a timer makes the kernel wake up
//! by the clock, whoever sets it.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bot_etiquette::fetch::{AddressPolicy, Fetcher, tower::FollowLayer};
use bot_etiquette::identity::{BotIdentity, tower::IdentityLayer};
use bot_etiquette::politeness::{HostPolicy, Policy, Politeness, tower::PolitenessLayer};
use bot_etiquette::robots::{RobotsCache, tower::RobotsLayer};
use bot_etiquette::signing::{Signer, SigningKey, tower::SignLayer};
use bot_etiquette_benches::at_most;
use bytes::Bytes;
use cpu_time::ThreadTime;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tower::{Layer, Service, ServiceExt, service_fn};

#[allow(dead_code)]
#[path = "../examples/src/clock.rs"]
mod clock;
#[allow(dead_code)]
#[path = "../examples/src/stack.rs"]
mod stack;

use clock::Clock;
use stack::{Stack, quiet};

const ROUNDS: usize = 20;

fn main() {
    let requests = std::env::var("REQUESTS").ok().and_then(|count| count.parse().ok()).unwrap_or(10_000);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(compare(requests / ROUNDS));
}

async fn compare(each: usize) {
    let url = format!("http://{}/page?number=7", serve());
    let clock = Clock::real();
    let identity =
        BotIdentity::from_toml(include_str!("../examples/identities/smart-site-plan.toml")).unwrap();
    let key = SigningKey::from_seed(&[7; 32]);
    let signer = Arc::new(Signer::builder(key, "https://smartsiteplan.com").build().unwrap());
    let politeness = || Politeness::new(Policy::new(HostPolicy::new()));
    let fetcher = Fetcher::builder().addresses(AddressPolicy::loopback_only()).build().unwrap();

    let bare: Client<_, Full<Bytes>> = Client::builder(TokioExecutor::new()).build_http();
    let timed = bare.clone();
    let timed = service_fn(move |request| {
        let answering = tokio::time::timeout(Duration::from_secs(30), timed.request(request));
        async move { answering.await.unwrap() }
    });
    let follow = FollowLayer::default().layer(fetcher.clone());
    let robots = RobotsCache::new([identity.token().parse().unwrap()]);
    let robots = RobotsLayer::new(robots, fetcher.clone(), move || clock.now()).layer(fetcher.clone());
    let polite = PolitenessLayer::new(politeness(), clock).layer(fetcher.clone());
    let named = IdentityLayer::new(&identity).layer(fetcher.clone());
    let signed = SignLayer::new(Arc::clone(&signer), move || clock.now()).layer(fetcher.clone());
    let assemble = |signer| {
        let (identity, fetcher, follow) = (identity.clone(), fetcher.clone(), FollowLayer::default());
        let politeness = politeness();
        let stack =
            Stack { identity, chromium: None, politeness, signer, fetcher, follow, clock, watch: quiet() };
        stack.assemble().unwrap().client
    };
    let (unsigned, whole) = (assemble(None), assemble(Some(signer)));

    let names = [
        "bare hyper-util",
        "bare, timed",
        "fetch",
        "fetch, redirects",
        "fetch, robots",
        "fetch, politeness",
        "fetch, identity",
        "fetch, signing",
        "stack, unsigned",
        "stack",
    ];
    let only = std::env::var("ONLY").ok();
    let of = |name| if only.as_deref().is_none_or(|only| only == name) { each } else { 0 };
    let mut times = names.map(|_| Vec::new());
    let mut connections = 0;
    for round in 0..=ROUNDS {
        let measured = [
            ask(&bare, &url, of(names[0])).await,
            ask(&timed, &url, of(names[1])).await,
            ask(&fetcher, &url, of(names[2])).await,
            ask(&follow, &url, of(names[3])).await,
            ask(&robots, &url, of(names[4])).await,
            ask(&polite, &url, of(names[5])).await,
            ask(&named, &url, of(names[6])).await,
            ask(&signed, &url, of(names[7])).await,
            ask(&unsigned, &url, of(names[8])).await,
            ask(&whole, &url, of(names[9])).await,
        ];
        // The first round connects, and reads robots.txt.
        if round == 0 {
            connections = CONNECTIONS.load(Ordering::Relaxed);
        } else {
            times.iter_mut().zip(measured).for_each(|(times, time)| times.push(time));
        }
    }
    let micros = times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64() * 1e6 / each as f64
    });
    if only.is_some() {
        return;
    }
    println!("processor time of a request in microseconds, {} requests each", each * ROUNDS);
    let [bare, _, fetch, .., unsigned, whole] = micros;
    for (name, time) in names.iter().zip(micros) {
        println!("{name:<18} {time:>8.1}  {:>5.2} x bare  {:>+7.1} over fetch", time / bare, time - fetch);
    }
    let opened = CONNECTIONS.load(Ordering::Relaxed) - connections;
    assert_eq!(opened, 0, "connections were opened while it was measured: the times do not compare");
    println!("the signature {:.1}", whole - unsigned);
    let what = "the whole stack without its signature, CPU time / bare hyper-util";
    at_most(1.25).floor(2.5).judge("fetch", what, unsigned / bare);
    at_most(1.25).floor(1.5).judge("fetch", "`Fetcher` alone, CPU time / bare hyper-util", fetch / bare);
}

/// Asks so often, one request after the other; the processor time it took.
async fn ask<C, B>(client: &C, url: &str, requests: usize) -> Duration
where
    C: Service<Request<Full<Bytes>>, Response = Response<B>> + Clone,
    C::Error: std::fmt::Debug,
    B: http_body::Body,
    B::Error: std::fmt::Debug,
{
    let started = ThreadTime::now();
    for _ in 0..requests {
        let request = Request::get(url)
            .header("accept", "*/*")
            .header("accept-encoding", "identity")
            .body(Full::default())
            .unwrap();
        let answer = client.clone().oneshot(request).await.unwrap();
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.into_body().collect().await.unwrap().to_bytes().len(), PAGE.len());
        // Its connection's task puts it back into the pool; without a turn the next request may open another.
        tokio::task::yield_now().await;
    }
    started.elapsed()
}

/// Connections that the site has taken.
static CONNECTIONS: AtomicUsize = AtomicUsize::new(0);

const PAGE: &str =
    "A page of a few bytes, the same each time: what is read of it is not what is measured here.";

/// A site of one page, with a thread for each connection.
fn serve() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            CONNECTIONS.fetch_add(1, Ordering::Relaxed);
            std::thread::spawn(move || answer(stream));
        }
    });
    address
}

fn answer(stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let page = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{PAGE}", PAGE.len());
    let robots = "User-agent: *\nDisallow: /private/\n";
    let robots = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{robots}", robots.len());
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut stream, mut line) = (stream, String::new());
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let answer = if line.contains(" /robots.txt ") { &robots } else { &page };
        while line != "\r\n" {
            line.clear();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
        }
        stream.write_all(answer.as_bytes())?;
    }
}
