//! The layers, on a clock of the test's own.

use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use bot_etiquette_signing::directory::{DirectoryCache, DirectoryDocument, KeyDirectory, PublishedKey};
use bot_etiquette_signing::tower::{
    DirectoryFetch, DirectoryService, NotSigned, OnFailure, SignLayer, VerifyLayer, WEB_BOT_AUTH_CHALLENGE,
};
use bot_etiquette_signing::{
    DIRECTORY_PATH, KeyMaterial, Lookup, Message, NonceStore, Outcome, SignError, SignatureAgent, Signer,
    SigningKey, Verifier,
};
use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use tower::util::BoxCloneService;
use tower::{Layer, ServiceExt, service_fn};

use crate::directory::{at, key, keyid};

const NOW: u64 = 1_800_000_000;

fn signer(byte: u8) -> Signer {
    Signer::builder(key(byte), "https://bot.example").build().unwrap()
}

fn clock() -> SystemTime {
    at(NOW)
}

fn get(url: &str) -> Request<()> {
    Request::get(url).body(()).unwrap()
}

/// A site that answers with the verdict it was given.
fn site(layer: VerifyLayer) -> BoxCloneService<Request<()>, Response<String>, Infallible> {
    let inner = service_fn(async |request: Request<()>| {
        let outcome = request.extensions().get::<Outcome>();
        let code = outcome.map_or("none", |outcome| outcome.reason().unwrap_or("verified"));
        Ok::<_, Infallible>(Response::new(code.to_owned()))
    });
    BoxCloneService::new(layer.layer(inner))
}

fn layer() -> VerifyLayer {
    VerifyLayer::new(Verifier::default(), ["site.example"], clock).unwrap()
}

fn known(byte: u8) -> impl Fn(Option<&SignatureAgent>, Option<&str>) -> Lookup {
    let key = KeyMaterial::from(&key(byte));
    move |_: Option<&SignatureAgent>, _: Option<&str>| Lookup::Found(key.clone())
}

fn signed(url: &str, nonce: Option<&str>) -> Request<()> {
    let mut request = get(url);
    signer(1).sign(&mut request, at(NOW), nonce).unwrap();
    request
}

#[tokio::test]
async fn each_pass_is_signed_anew_for_its_own_authority() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let seconds = Arc::new(AtomicU64::new(NOW));
    let (log, ticks) = (Arc::clone(&seen), Arc::clone(&seconds));
    let client = service_fn(move |request: Request<()>| {
        let text = |name: &str| request.headers()[name].to_str().unwrap().to_owned();
        log.lock().unwrap().push((text("signature-input"), text("signature")));
        async { Ok::<_, Infallible>(Response::new(())) }
    });
    let numbers = AtomicU64::new(0);
    let layer = SignLayer::new(signer(1), move || at(ticks.fetch_add(1, Ordering::Relaxed)))
        .nonce(move || format!("nonce-{}", numbers.fetch_add(1, Ordering::Relaxed)));
    let client = layer.layer(client);
    let first = get("https://one.example/");
    client.clone().oneshot(first.clone()).await.unwrap();
    client.clone().oneshot(first).await.unwrap();
    client.oneshot(get("https://two.example/")).await.unwrap();
    let seen = seen.lock().unwrap();
    assert!(seen[0].0.contains("created=1800000000;") && seen[0].0.contains("nonce=\"nonce-0\""));
    assert!(seen[1].0.contains("created=1800000001;") && seen[1].0.contains("nonce=\"nonce-1\""));
    let different: std::collections::HashSet<_> = seen.iter().map(|(_, signature)| signature).collect();
    assert_eq!(different.len(), 3);
}

#[tokio::test]
async fn what_cannot_be_signed_is_refused_and_never_sent() {
    let client = service_fn(|_: Request<()>| async {
        if true { unreachable!("it was sent") } else { Ok::<_, Infallible>(Response::new(())) }
    });
    let none = SignLayer::<SigningKey>::rotating(|_| None, clock).layer(client);
    let error = none.oneshot(get("https://one.example/")).await.unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(NotSigned::NoKey)));
    let early = SignLayer::new(signer(1), || SystemTime::UNIX_EPOCH - std::time::Duration::from_secs(1));
    let error = early.layer(client).oneshot(get("https://one.example/")).await.unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(NotSigned::Sign(SignError::Time))), "{error}");
}

#[tokio::test]
async fn the_verdict_rides_in_the_extensions() {
    let site = site(layer().known_keys(known(1)));
    let ask = async |request| site.clone().oneshot(request).await.unwrap().into_body();
    assert_eq!(ask(get("https://site.example/")).await, "no-signature");
    assert_eq!(ask(signed("https://site.example/", None)).await, "verified");
    let mut forged = signed("https://site.example/", None);
    forged.headers_mut().insert("signature-agent", "\"https://other.example\"".parse().unwrap());
    assert_eq!(ask(forged).await, "signature-mismatch");
}

#[tokio::test]
async fn a_request_signed_for_another_host_is_not_believed_here() {
    let site = site(layer().known_keys(known(1)));
    let request = signed("https://thief.example/", None);
    assert_eq!(site.oneshot(request).await.unwrap().into_body(), "signature-mismatch");
}

#[tokio::test]
async fn refusals_say_how_to_be_believed() {
    let strict = |action| site(layer().known_keys(known(1)).on_failure(action));
    let mut broken = signed("https://site.example/", None);
    broken.headers_mut().insert("signature", "sig1=:AAAA:".parse().unwrap());
    let mut unreadable = signed("https://site.example/", None);
    unreadable.headers_mut().insert("signature-input", "((".parse().unwrap());
    let mut late = get("https://site.example/");
    signer(1).sign(&mut late, at(NOW - 61), None).unwrap();
    for (request, invalid_only, all) in [
        (get("https://site.example/"), 200, 403),
        (signed("https://site.example/", None), 200, 200),
        (broken, 400, 400),
        (unreadable, 400, 400),
        (late, 403, 403),
    ] {
        for (action, expected) in [(OnFailure::RefuseInvalid, invalid_only), (OnFailure::RefuseAll, all)] {
            let response = strict(action).oneshot(request.clone()).await.unwrap();
            assert_eq!(response.status(), expected, "{action:?} {request:?}");
            if expected != 200 {
                assert_eq!(response.headers()["accept-signature"], WEB_BOT_AUTH_CHALLENGE);
                assert_eq!(response.headers()["cache-control"], "no-store");
            }
        }
    }
}

#[derive(Default)]
struct Seen(Mutex<std::collections::HashSet<String>>);

impl NonceStore for Seen {
    fn check_and_record(&self, _: &str, nonce: &str, _: Option<SystemTime>) -> bool {
        self.0.lock().unwrap().insert(nonce.to_owned())
    }
}

#[tokio::test]
async fn a_nonce_counts_once() {
    let site = site(layer().known_keys(known(1)).nonces(Seen::default()).on_failure(OnFailure::RefuseAll));
    let request = signed("https://site.example/", Some("bm9uY2U"));
    assert_eq!(site.clone().oneshot(request.clone()).await.unwrap().status(), 200);
    assert_eq!(site.oneshot(request).await.unwrap().status(), 429);
}

/// A directory that counts its fetches and answers when told to.
fn fetched(status: u16) -> (VerifyLayer, Arc<AtomicU64>, Arc<tokio::sync::Semaphore>) {
    let (count, gate) = (Arc::new(AtomicU64::new(0)), Arc::new(tokio::sync::Semaphore::new(0)));
    let (counter, wait) = (Arc::clone(&count), Arc::clone(&gate));
    let fetch = DirectoryFetch::new(DirectoryCache::new(), move |url| {
        counter.fetch_add(1, Ordering::Relaxed);
        let wait = Arc::clone(&wait);
        async move {
            assert_eq!(url.as_str(), format!("https://bot.example{DIRECTORY_PATH}"));
            wait.acquire().await.unwrap().forget();
            let directory = KeyDirectory::builder().key(PublishedKey::new(key(1))).build().unwrap();
            let mut response = directory.response("bot.example", at(NOW)).unwrap().map(Bytes::from);
            *response.status_mut() = StatusCode::from_u16(status).unwrap();
            Ok(response)
        }
    });
    (layer().directories(fetch), count, gate)
}

#[tokio::test]
async fn a_directory_is_fetched_once_for_many_requests() {
    let (layer, fetches, gate) = fetched(200);
    let site = site(layer);
    let asked: Vec<_> =
        (0..20).map(|_| tokio::spawn(site.clone().oneshot(signed("https://site.example/", None)))).collect();
    tokio::task::yield_now().await;
    gate.add_permits(1);
    for answer in asked {
        assert_eq!(answer.await.unwrap().unwrap().into_body(), "verified");
    }
    assert_eq!(fetches.load(Ordering::Relaxed), 1);
    // A key the directory lacks is not worth a second fetch.
    let mut stranger = get("https://site.example/");
    signer(2).sign(&mut stranger, at(NOW), None).unwrap();
    assert_eq!(site.oneshot(stranger).await.unwrap().into_body(), "key-unknown");
    assert_eq!(fetches.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_fetch_whose_caller_goes_away_leaves_nobody_waiting() {
    let (layer, fetches, gate) = fetched(200);
    let site = site(layer);
    let first = tokio::spawn(site.clone().oneshot(signed("https://site.example/", None)));
    tokio::task::yield_now().await;
    let second = tokio::spawn(site.oneshot(signed("https://site.example/", None)));
    tokio::task::yield_now().await;
    assert_eq!(fetches.load(Ordering::Relaxed), 1);
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    gate.add_permits(1);
    assert_eq!(second.await.unwrap().unwrap().into_body(), "verified");
    assert_eq!(fetches.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_directory_that_redirects_is_unavailable() {
    let (layer, fetches, gate) = fetched(302);
    gate.add_permits(5);
    let site = site(layer.on_failure(OnFailure::RefuseAll));
    for _ in 0..3 {
        let response = site.clone().oneshot(signed("https://site.example/", None)).await.unwrap();
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    }
    assert_eq!(fetches.load(Ordering::Relaxed), 1);
}

fn service() -> DirectoryService {
    let directory = KeyDirectory::builder().key(PublishedKey::new(key(1))).build().unwrap();
    DirectoryService::new(directory, ["BOT.example", "localhost:8080"], clock).unwrap()
}

async fn ask(method: Method, host: &str, path: &str, more: &[(&str, &str)]) -> Response<Full<Bytes>> {
    let mut request = Request::builder().method(method).uri(path).header("host", host);
    for (name, value) in more {
        request = request.header(*name, *value);
    }
    service().oneshot(request.body(()).unwrap()).await.unwrap()
}

#[tokio::test]
async fn the_directory_is_signed_for_the_host_that_was_asked() {
    for host in ["bot.example", "Bot.Example:443", "localhost:8080"] {
        let response = ask(Method::GET, host, DIRECTORY_PATH, &[]).await;
        assert_eq!(response.status(), 200);
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let request = get(&format!("https://{host}{DIRECTORY_PATH}"));
        let request = Message::request(&request);
        let message = Message::response_parts(&parts).answering(&request);
        let document = DirectoryDocument::parse(&body).unwrap();
        let proof = &document.proofs(&message, at(NOW))[0];
        assert!(proof.outcome.verified().is_some(), "{host}: {}", proof.outcome);
        assert_eq!(proof.thumbprint.as_str(), keyid(1));
        assert_eq!(parts.headers["content-length"], body.len().to_string().as_str());
    }
}

#[tokio::test]
async fn no_stranger_gets_a_signature_for_another_host() {
    for (method, host, path, status) in [
        (Method::GET, "thief.example", DIRECTORY_PATH, 421),
        (Method::GET, "bot.example:8443", DIRECTORY_PATH, 421),
        (Method::GET, "localhost", DIRECTORY_PATH, 421),
        (Method::GET, "bot.example/", DIRECTORY_PATH, 400),
        (Method::GET, "bot.example", "/", 404),
        (Method::POST, "bot.example", DIRECTORY_PATH, 405),
    ] {
        let response = ask(method, host, path, &[]).await;
        assert_eq!(response.status(), status, "{host}{path}");
        assert!(!response.headers().contains_key("signature"));
    }
    let directory = KeyDirectory::builder().key(PublishedKey::new(key(1))).build().unwrap();
    assert!(DirectoryService::new(directory.clone(), ["https://bot.example"], clock).is_err());
    assert!(DirectoryService::new(directory, [""; 0], clock).is_err());
}

#[tokio::test]
async fn a_client_that_has_the_document_gets_fresh_signatures_alone() {
    let full = ask(Method::GET, "bot.example", DIRECTORY_PATH, &[]).await;
    let tag = full.headers()["etag"].to_str().unwrap();
    for known in [tag.to_owned(), format!("\"x\", W/{tag}"), "*".to_owned()] {
        let response = ask(Method::GET, "bot.example", DIRECTORY_PATH, &[("if-none-match", &known)]).await;
        assert_eq!(response.status(), 304);
        assert!(response.headers().contains_key("signature"));
        assert!(response.into_body().collect().await.unwrap().to_bytes().is_empty());
    }
    let other = ask(Method::GET, "bot.example", DIRECTORY_PATH, &[("if-none-match", "\"x\"")]).await;
    assert_eq!(other.status(), 200);
    let head = ask(Method::HEAD, "bot.example", DIRECTORY_PATH, &[]).await;
    assert_eq!(head.headers()["content-length"], full.headers()["content-length"]);
    assert!(head.into_body().collect().await.unwrap().to_bytes().is_empty());
}
