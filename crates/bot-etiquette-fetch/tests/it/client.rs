//! What the client sends, and how it keeps its connections.

use std::sync::Arc;

use bot_etiquette_fetch::{
    AddressPolicy, BodyReport, FetchError, FetchLimits, Fetcher, ResolverOverride, Roots,
};
use bytes::Bytes;
use http::{Request, Response, Version};
use http_body_util::Full;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpListener;
use tokio_rustls::{TlsAcceptor, rustls};
use tower::ServiceExt;

use crate::support::{Site, fetcher, get, in_time, send, whole};

#[tokio::test]
async fn no_cookie_no_referer_and_no_host_of_anothers_is_sent() {
    let site = Site::always(whole("Set-Cookie: a=b\r\n", b"hi")).await;
    let client = fetcher(FetchLimits::default());
    for _ in 0..2 {
        let request = Request::get(site.url("/"))
            .header("cookie", "a=b")
            .header("referer", "https://a.example/")
            .header("host", "evil.example")
            .header("user-agent", "CrumbBot/1.0")
            .body(Full::default())
            .unwrap();
        in_time(client.fetch(request)).await.unwrap();
    }
    for request in site.requests() {
        let mut lines: Vec<_> = request.lines().filter(|line| !line.is_empty()).collect();
        lines[1..].sort_unstable();
        let host = format!("host: {}", site.address);
        assert_eq!(
            lines,
            [
                "GET / HTTP/1.1",
                "accept-encoding: gzip, br, zstd, deflate",
                "accept: */*",
                &host,
                "user-agent: CrumbBot/1.0"
            ]
        );
    }
}

#[tokio::test]
async fn a_range_asks_for_no_coding_and_the_requests_own_wish_wins() {
    let site = Site::always(whole("", b"hi")).await;
    let client = fetcher(FetchLimits::default());
    let mut range = get(&site.url("/"));
    range.headers_mut().insert("range", "bytes=0-0".parse().unwrap());
    in_time(client.fetch(range)).await.unwrap();
    let mut own = get(&site.url("/"));
    own.headers_mut().insert("accept-encoding", "br".parse().unwrap());
    in_time(client.fetch(own)).await.unwrap();
    assert!(site.requests()[0].contains("accept-encoding: identity\r\n"));
    assert!(site.requests()[1].contains("accept-encoding: br\r\n"));
}

#[tokio::test]
async fn a_path_is_sent_as_it_was_given() {
    let site = Site::always(whole("", b"hi")).await;
    in_time(fetcher(FetchLimits::default()).fetch(get(&site.url("/a/../b%2f//c?d={e}|f")))).await.unwrap();
    assert!(
        site.requests()[0].starts_with("GET /a/../b%2f//c?d={e}|f HTTP/1.1\r\n"),
        "{}",
        site.requests()[0]
    );
}

#[tokio::test]
async fn connections_are_used_again_once_a_body_has_ended() {
    let site = Site::start(|path| match path {
        "/cut" => whole("", &[b'a'; 100_000]),
        "/gzip" => whole("Content-Encoding: gzip\r\n", &crate::codings::gzip(b"hello")),
        _ => whole("", b"hi"),
    })
    .await;
    let client =
        fetcher(FetchLimits::default().over_limit(bot_etiquette_fetch::OverLimit::Cut).wire_bytes(50_000));
    for path in ["/", "/gzip", "/"] {
        in_time(client.fetch(get(&site.url(path)))).await.unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(site.connections(), 1);
    // What was cut leaves its connection unusable.
    in_time(client.fetch(get(&site.url("/cut")))).await.unwrap();
    in_time(client.fetch(get(&site.url("/")))).await.unwrap();
    assert_eq!(site.connections(), 2);
}

#[tokio::test]
async fn a_connection_that_died_while_idle_is_replaced() {
    let site = Site::always(vec![
        send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"),
        crate::support::Step::Close,
    ])
    .await;
    let client = fetcher(FetchLimits::default());
    for _ in 0..3 {
        assert_eq!(in_time(client.fetch(get(&site.url("/")))).await.unwrap().body, "hi");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(site.requests().len(), 3);
}

#[tokio::test]
async fn the_report_tells_what_decoding_took_away() {
    let coded = crate::codings::gzip(&[b'a'; 1000]);
    let length = coded.len() as u64;
    let site = Site::always(whole("Content-Encoding: gzip\r\n", &coded)).await;
    // As a tower service, with the body as it flows.
    let answer = in_time(fetcher(FetchLimits::default()).oneshot(get(&site.url("/")))).await.unwrap();
    let report = answer.extensions().get::<BodyReport>().unwrap().clone();
    assert_eq!(report.content_length(), Some(length));
    assert_eq!(report.content_encoding().unwrap(), "gzip");
    assert_eq!(report.decoded_bytes(), 0);
    let body = http_body_util::BodyExt::collect(answer.into_body()).await.unwrap().to_bytes();
    assert_eq!((report.wire_bytes(), report.decoded_bytes()), (length, body.len() as u64));
}

/// An https server on loopback that speaks what ALPN settles; its certificate is for `tls.example.com`.
async fn https() -> (std::net::SocketAddr, Vec<u8>) {
    let certificate = include_bytes!("../fixtures/tls.example.com.crt.der").to_vec();
    let key = include_bytes!("../fixtures/tls.example.com.key.der").to_vec();
    let key = rustls::pki_types::PrivateKeyDer::Pkcs8(key.into());
    let mut config =
        rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.clone().into()], key)
            .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(stream) = acceptor.accept(stream).await else { return };
                let answer =
                    hyper::service::service_fn(|request: Request<hyper::body::Incoming>| async move {
                        let body = match request.uri().path() {
                            "/large" => vec![b'a'; 4_000_000],
                            _ => b"hi".to_vec(),
                        };
                        Ok::<_, std::convert::Infallible>(Response::new(Full::new(Bytes::from(body))))
                    });
                let _ = hyper::server::conn::http2::Builder::new(TokioExecutor::new())
                    .serve_connection(TokioIo::new(stream), answer)
                    .await;
            });
        }
    });
    (address, certificate)
}

fn https_client(address: std::net::SocketAddr, name: &str, roots: Roots) -> Fetcher {
    Fetcher::builder()
        .addresses(AddressPolicy::loopback_only())
        .resolver(ResolverOverride::only().host(name, address))
        .roots(roots)
        .limits(FetchLimits::default().wire_bytes(1_000_000))
        .build()
        .unwrap()
}

#[tokio::test]
async fn https_speaks_http_2_and_keeps_its_limits() {
    let (address, certificate) = https().await;
    let client = https_client(address, "tls.example.com", Roots::Only(vec![certificate]));
    let answer = in_time(client.send(get("https://tls.example.com/"))).await.unwrap();
    assert_eq!(answer.version(), Version::HTTP_2);
    drop(answer);
    for _ in 0..3 {
        let error = in_time(client.fetch(get("https://tls.example.com/large"))).await.unwrap_err();
        assert!(matches!(error, FetchError::TooLarge { .. }), "{error:?}");
    }
    // The connection outlives the streams that were reset.
    assert_eq!(in_time(client.fetch(get("https://tls.example.com/"))).await.unwrap().body, "hi");
}

#[tokio::test]
async fn certificates_are_checked() {
    let (address, certificate) = https().await;
    let unknown = https_client(address, "tls.example.com", Roots::Bundled);
    let other_name = https_client(address, "other.example.com", Roots::Only(vec![certificate]));
    for (client, url) in [(unknown, "https://tls.example.com/"), (other_name, "https://other.example.com/")] {
        let error = in_time(client.fetch(get(url))).await.unwrap_err();
        assert!(matches!(error, FetchError::Tls { .. }), "{error:?}");
        assert!(error.to_string().contains("certificate"), "{error}");
    }
    let nonsense = Fetcher::builder().roots(Roots::Only(vec![b"nonsense".to_vec()])).build().unwrap_err();
    assert!(nonsense.to_string().starts_with("root certificate 0"), "{nonsense}");
    assert!(Fetcher::builder().roots(Roots::Only(Vec::new())).build().is_err());
}

#[cfg(feature = "platform-roots")]
#[tokio::test]
async fn the_systems_roots_do_not_trust_a_stranger() {
    let (address, _) = https().await;
    match Fetcher::builder()
        .addresses(AddressPolicy::loopback_only())
        .resolver(ResolverOverride::only().host("tls.example.com", address))
        .roots(Roots::Platform)
        .build()
    {
        Ok(client) => {
            let error = in_time(client.fetch(get("https://tls.example.com/"))).await.unwrap_err();
            assert!(matches!(error, FetchError::Tls { .. }), "{error:?}");
        }
        Err(error) => assert!(matches!(error, bot_etiquette_fetch::SetupError::NoRoots), "{error:?}"),
    }
}
