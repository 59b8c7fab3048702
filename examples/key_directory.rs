//! Serves a signed key directory.
//!
//! `cargo run --example key_directory` shows it once: it serves on a free port, asks as a verifier would, and
//! ends. `cargo run --example key_directory -- 127.0.0.1:8080 bot.example` serves until it is stopped, signed
//! for `bot.example`, to stand behind the web server of that host.
#![allow(clippy::disallowed_methods)] // a program reads the clock

use std::error::Error;
use std::time::{Duration, SystemTime};

use bot_etiquette::signing::directory::{DirectoryDocument, KeyDirectory, KeySchedule};
use bot_etiquette::signing::tower::DirectoryService;
use bot_etiquette::signing::{DIRECTORY_PATH, Message, SigningKey};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Empty};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};

type AnyError = Box<dyn Error + Send + Sync>;

const HOUR: Duration = Duration::from_secs(3600);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), AnyError> {
    let mut arguments = std::env::args().skip(1);
    let listen = arguments.next();
    let listener = TcpListener::bind(listen.as_deref().unwrap_or("127.0.0.1:0")).await?;
    let address = listener.local_addr()?.to_string();
    let authority = arguments.next().unwrap_or_else(|| address.clone());

    // The key of today, and the one that follows it in a month. A real bot reads both from files.
    let (today, next) = (new_key()?, new_key()?);
    let now = SystemTime::now();
    let schedule =
        KeySchedule::new(HOUR, Duration::from_secs(60)).then(today, now)?.then(next, now + 30 * 24 * HOUR)?;
    for dates in schedule.dates() {
        println!("key {}: signs from {}", dates.thumbprint, seconds(dates.first_use));
        println!("    listed from {}, until {:?}", seconds(dates.publish), dates.drop.map(seconds));
    }
    let directory = KeyDirectory::builder().keys(schedule.published_keys()).max_age(HOUR).build()?;
    let service = DirectoryService::new(directory, [&authority], SystemTime::now)?;
    println!("http://{address}{DIRECTORY_PATH}, signed for {authority}");

    let server = tokio::spawn(serve(listener, service));
    if listen.is_some() {
        return server.await?;
    }
    let document = ask(&address).await?;
    println!("what it serves is what the schedule wants: {:?}", schedule.check(&document, SystemTime::now()));
    Ok(())
}

/// A key from the system's random source. It is lost when the program ends.
fn new_key() -> Result<SigningKey, AnyError> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed)?;
    Ok(SigningKey::from_seed(&seed))
}

async fn serve(listener: TcpListener, service: DirectoryService) -> Result<(), AnyError> {
    loop {
        let (stream, _) = listener.accept().await?;
        let service = TowerToHyperService::new(service.clone());
        tokio::spawn(async move {
            let mut server = hyper::server::conn::http1::Builder::new();
            server.timer(TokioTimer::new()).header_read_timeout(Duration::from_secs(10));
            if let Err(error) = server.serve_connection(TokioIo::new(stream), service).await {
                eprintln!("a client left: {error}");
            }
        });
    }
}

/// Fetches the directory and verifies who holds its keys.
async fn ask(address: &str) -> Result<DirectoryDocument, AnyError> {
    let stream = TcpStream::connect(address).await?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let request = Request::get(DIRECTORY_PATH).header("host", address).body(Empty::<Bytes>::new())?;
    let (parts, body) = sender.send_request(request).await?.into_parts();
    let response = Response::from_parts(parts, body.collect().await?.to_bytes());

    let document = DirectoryDocument::parse(response.body())?;
    let request = Request::get(format!("https://{address}{DIRECTORY_PATH}")).body(())?;
    let request = Message::request(&request);
    let message = Message::response(&response).body(response.body()).answering(&request);
    for proof in document.proofs(&message, SystemTime::now()) {
        println!("key {}: {}", proof.thumbprint, proof.outcome);
    }
    Ok(document)
}

fn seconds(date: SystemTime) -> u64 {
    date.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[test]
fn the_demo_runs() {
    main().unwrap();
}
