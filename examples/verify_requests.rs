//! A site that greets verified bots by name and asks all others to sign (Accept-Signature).
//!
//! `cargo run --example verify_requests` plays both sides on loopback: a bot asks unsigned, is told how to
//! sign, signs, and is greeted; a forger is refused. With an address, such as
//! `cargo run --example verify_requests -- 127.0.0.1:8080`, the site runs until it is stopped.
#![allow(clippy::disallowed_methods)] // a program reads the clock

use std::convert::Infallible;
use std::error::Error;
use std::time::{Duration, SystemTime};

use bot_etiquette::signing::directory::{DirectoryCache, KeyDirectory, PublishedKey};
use bot_etiquette::signing::tower::{DirectoryFetch, OnFailure, VerifyLayer};
use bot_etiquette::signing::{Outcome, SignatureAgent, Signer, SigningKey, Verifier};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Empty, Full};
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tower::{Layer, service_fn};
use url::Url;

type AnyError = Box<dyn Error + Send + Sync>;

const AGENT: &str = "https://bot.example";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), AnyError> {
    let listen = std::env::args().nth(1);
    let listener = TcpListener::bind(listen.as_deref().unwrap_or("127.0.0.1:0")).await?;
    let address = listener.local_addr()?.to_string();
    println!("a site at http://{address}/");

    let mut seed = [0; 32];
    getrandom::fill(&mut seed)?;
    let key = SigningKey::from_seed(&seed);
    let directory = KeyDirectory::builder().key(PublishedKey::new(key.clone())).build()?;
    let server = tokio::spawn(serve(listener, address.clone(), directory));
    if listen.is_some() {
        return server.await?;
    }

    let page =
        || Request::get(format!("http://{address}/")).header("host", &address).body(Empty::<Bytes>::new());
    let refused = ask(&address, page()?).await?;
    let challenge = refused.headers().get("accept-signature").ok_or("no challenge")?;
    println!("unsigned: {}, asked for {}", refused.status(), challenge.to_str()?);

    let mut request = page()?;
    Signer::builder(key, AGENT).build()?.sign(&mut request, SystemTime::now(), None)?;
    let greeted = ask(&address, request).await?;
    println!("signed:   {}, {}", greeted.status(), String::from_utf8_lossy(greeted.body()).trim());

    let mut forged = page()?;
    let other = Signer::builder(SigningKey::from_seed(&[1; 32]), AGENT).build()?;
    other.sign(&mut forged, SystemTime::now(), None)?;
    println!("forged:   {}", ask(&address, forged).await?.status());
    Ok(())
}

/// The site: the layer judges, and only verified bots come through.
async fn serve(listener: TcpListener, authority: String, bots: KeyDirectory) -> Result<(), AnyError> {
    // Stands in for an https client that refuses private addresses, follows no redirect, reads at most
    // MAX_DIRECTORY_BYTES and gives up after a few seconds. This one knows a single bot.
    let fetch = DirectoryFetch::new(DirectoryCache::new(), move |directory: Url| {
        let answer = match directory.host_str() {
            Some("bot.example") => {
                bots.response("bot.example", SystemTime::now()).map(|found| found.map(Bytes::from))
            }
            _ => Ok(Response::builder().status(404).body(Bytes::new()).unwrap_or_default()),
        };
        async move { Ok(answer?) }
    });
    let site = VerifyLayer::new(Verifier::default(), [&authority], SystemTime::now)?
        .directories(fetch)
        .on_failure(OnFailure::RefuseAll)
        .layer(service_fn(greet));
    loop {
        let (stream, _) = listener.accept().await?;
        let site = TowerToHyperService::new(site.clone());
        tokio::spawn(async move {
            let mut server = hyper::server::conn::http1::Builder::new();
            server.timer(TokioTimer::new()).header_read_timeout(Duration::from_secs(10));
            if let Err(error) = server.serve_connection(TokioIo::new(stream), site).await {
                eprintln!("a client left: {error}");
            }
        });
    }
}

async fn greet(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let verified = request.extensions().get::<Outcome>().and_then(Outcome::verified);
    let agent =
        verified.and_then(|verified| verified.agent.as_ref()).map_or("stranger", SignatureAgent::as_str);
    Ok(Response::new(Full::from(format!("welcome, {agent}\n"))))
}

async fn ask(address: &str, request: Request<Empty<Bytes>>) -> Result<Response<Bytes>, AnyError> {
    let stream = TcpStream::connect(address).await?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let (parts, body) = sender.send_request(request).await?.into_parts();
    Ok(Response::from_parts(parts, body.collect().await?.to_bytes()))
}

#[test]
fn the_demo_runs() {
    main().unwrap();
}
