//! What the client connects to: judged after the name is resolved, and again whenever it is resolved anew.

use std::{
    future::Future,
    io,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bot_etiquette_fetch::{
    AddressKind, AddressPolicy, AddressRefusal, FailureClass, FetchError, Fetcher, RemoteAddress, Resolve,
    ResolverOverride,
};

use crate::support::{Site, get, in_time, send, whole};

/// Answers from a list, a new answer each time, and counts the questions.
#[derive(Clone)]
struct Answers(Arc<Vec<Vec<SocketAddr>>>, Arc<AtomicUsize>);

impl Answers {
    fn new(answers: &[&[&str]]) -> Self {
        let parsed = answers.iter().map(|answer| answer.iter().map(|text| text.parse().unwrap()).collect());
        Self(Arc::new(parsed.collect()), Arc::default())
    }
}

impl Resolve for Answers {
    fn resolve(&self, _: &str, _: u16) -> Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>> {
        let asked = self.1.fetch_add(1, Ordering::SeqCst);
        let answer = self.0[asked.min(self.0.len() - 1)].clone();
        Box::pin(async move { Ok(answer) })
    }
}

fn refused(error: FetchError) -> AddressKind {
    assert_eq!(error.class(), FailureClass::Refused);
    match error {
        FetchError::Refused(AddressRefusal::Address { kind, .. }) => kind,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn no_spelling_reaches_this_machine() {
    let site = Site::always(whole("", b"secret")).await;
    let fetcher = Fetcher::builder().build().unwrap();
    for url in crate::address::DISGUISED {
        // As a URL parser writes it, and as it stands, for a client that was handed the text.
        let parsed = url::Url::parse(url).map(String::from).unwrap_or_default();
        for url in [url, &parsed] {
            let Ok(request) = http::Request::get(url).body(Default::default()) else { continue };
            let error = in_time(fetcher.fetch(request)).await.map(|_| url).unwrap_err();
            assert_eq!(error.class(), FailureClass::Refused, "{url}: {error:?}");
        }
    }
    assert_eq!(site.connections(), 0);
}

#[tokio::test]
async fn a_name_that_leads_inside_is_refused_after_dns() {
    for (address, kind) in [
        ("127.0.0.1:80", AddressKind::Loopback),
        ("10.0.0.7:80", AddressKind::Private),
        ("169.254.169.254:80", AddressKind::LinkLocal),
        ("[::ffff:127.0.0.1]:80", AddressKind::Loopback),
        ("[64:ff9b::a9fe:a9fe]:80", AddressKind::Translated),
        ("[fd00::1]:80", AddressKind::Private),
    ] {
        let fetcher = Fetcher::builder().resolver(Answers::new(&[&[address]])).build().unwrap();
        let error = in_time(fetcher.fetch(get("http://intranet.example.com/"))).await.unwrap_err();
        assert_eq!(refused(error), kind, "{address}");
    }
}

#[tokio::test]
async fn a_rebinding_name_is_judged_at_the_connection_it_gets() {
    let site =
        Site::always(vec![send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")]).await;
    // Loopback stands for the public address here: first it, then the private one behind the same name.
    let good = site.address.to_string();
    let resolver = Answers::new(&[&[&good], &["10.0.0.1:80"], &["0.0.0.0:80"], &["[::ffff:10.0.0.1]:80"]]);
    let fetcher = Fetcher::builder()
        .addresses(AddressPolicy::default().allow_loopback())
        .resolver(resolver.clone())
        .build()
        .unwrap();
    let url = "http://rebind.example.com/";
    let answer = in_time(fetcher.fetch(get(url))).await.unwrap();
    assert_eq!(answer.remote, Some(site.address));
    for kind in [AddressKind::Private, AddressKind::Unspecified, AddressKind::Private] {
        assert_eq!(refused(in_time(fetcher.fetch(get(url))).await.unwrap_err()), kind);
    }
    // Once for each connection: between the judgement and the connection nobody asks again.
    assert_eq!(resolver.1.load(Ordering::SeqCst), 4);
    assert_eq!(site.connections(), 1);
}

#[tokio::test]
async fn of_several_addresses_only_the_allowed_are_tried() {
    let site = Site::always(whole("", b"hi")).await;
    let good = site.address.to_string();
    let resolver = Answers::new(&[&["10.0.0.1:80", "169.254.169.254:80", &good]]);
    let fetcher =
        Fetcher::builder().addresses(AddressPolicy::loopback_only()).resolver(resolver).build().unwrap();
    assert_eq!(
        in_time(fetcher.fetch(get("http://mixed.example.com/"))).await.unwrap().remote,
        Some(site.address)
    );
}

#[tokio::test]
async fn a_dead_address_does_not_stand_before_a_living_one() {
    let site = Site::always(whole("", b"hi")).await;
    let dead = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().to_string()
    };
    let good = site.address.to_string();
    let fetcher = Fetcher::builder()
        .addresses(AddressPolicy::loopback_only())
        .resolver(Answers::new(&[&[&dead, &good]]))
        .build()
        .unwrap();
    assert_eq!(in_time(fetcher.fetch(get("http://two.example.com/"))).await.unwrap().body, "hi");
}

#[tokio::test]
async fn an_override_serves_real_names_from_this_machine_and_nothing_else() {
    let site = Site::always(whole("", b"demo")).await;
    let demo = ResolverOverride::only().host("Data.Example.com", site.address);
    let fetcher =
        Fetcher::builder().addresses(AddressPolicy::loopback_only()).resolver(demo).build().unwrap();
    for url in ["http://data.example.com/", "http://DATA.example.com./x", "http://data.example.com:8080/"] {
        let answer = in_time(fetcher.send(get(url))).await.unwrap();
        assert_eq!(answer.extensions().get(), Some(&RemoteAddress(site.address)), "{url}");
    }
    assert!(site.requests()[0].contains("host: data.example.com\r\n"), "{}", site.requests()[0]);
    let error = in_time(fetcher.fetch(get("http://other.example.com/"))).await.unwrap_err();
    assert!(matches!(error, FetchError::Dns { .. }), "{error:?}");
    assert_eq!(error.class(), FailureClass::NoAnswer);
}

#[tokio::test]
async fn ports_credentials_and_schemes_are_refused_before_dns() {
    let resolver = Answers::new(&[&["127.0.0.1:1"]]);
    let fetcher = Fetcher::builder().resolver(resolver.clone()).build().unwrap();
    for url in [
        "http://example.com:22/",
        "http://example.com:8080/",
        "http://user@example.com/",
        "http://user:hunter2@example.com/",
        "ftp://example.com/",
        "/path",
    ] {
        let error = in_time(fetcher.fetch(get(url))).await.unwrap_err();
        assert_eq!(error.class(), FailureClass::Refused, "{url}: {error:?}");
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
    assert_eq!(resolver.1.load(Ordering::SeqCst), 0);
}
