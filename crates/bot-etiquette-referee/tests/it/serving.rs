//! What the sites answer, as planted.

use std::task::{Context, Waker};
use std::time::Duration;

use bot_etiquette_referee::{Page, Promise, Referee, RetryAfter, Site, StartError};

use crate::client::{Connection, Rig, now};

fn rig(pages: impl IntoIterator<Item = Page>) -> Rig {
    let site = pages.into_iter().fold(Site::new("a.example"), Site::page);
    Rig::new([site, Site::new("b.example")], Promise::new(), 1.0)
}

#[test]
#[should_panic(expected = "must be called from the context of a Tokio")]
fn without_a_runtime_it_panics_as_documented() {
    let start = std::pin::pin!(Referee::builder().site(Site::new("a.example")).start());
    let _ = start.poll(&mut Context::from_waker(Waker::noop()));
}

#[test]
fn pages_come_with_length_type_and_date() {
    let rig = rig([
        Page::new("/").body("<p>hi"),
        Page::new("/made").bytes_of(70_000),
        Page::new("/file.bin").body("x"),
    ]);
    let reply = rig.get("a.example/");
    assert_eq!((reply.status, reply.body.as_slice()), (200, &b"<p>hi"[..]));
    assert_eq!(reply.value("content-type"), Some("text/html; charset=utf-8"));
    assert!(reply.value("date").is_some_and(|date| date.ends_with(" GMT")));
    assert_eq!(rig.get("a.example/made").body.len(), 70_000);
    let head = rig.ask("HEAD", "a.example/made", &[]);
    assert_eq!((head.value("content-length"), head.body.len()), (Some("70000"), 0));
    assert_eq!((rig.get("a.example/none").status, rig.get("c.example/").status), (404, 404));
}

#[test]
fn a_page_with_a_validator_answers_304() {
    let rig = rig([
        Page::new("/e").etag("\"1\"").body("e"),
        Page::new("/m").header("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT").body("m"),
    ]);
    for (path, field, value, status) in [
        ("/e", "If-None-Match", "\"1\"", 304),
        ("/e", "If-None-Match", "\"0\", W/\"1\"", 304),
        ("/e", "If-None-Match", "\"2\"", 200),
        ("/m", "If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT", 304),
        ("/m", "If-Modified-Since", "Sun, 06 Nov 1994 08:49:36 GMT", 200),
        ("/m", "If-Modified-Since", "lately", 200),
        ("/m", "If-None-Match", "\"1\"", 200),
    ] {
        assert_eq!(
            rig.ask("GET", &format!("a.example{path}"), &[(field, value)]).status,
            status,
            "{path} {value}"
        );
    }
}

#[test]
fn answers_break_stall_and_bomb_as_planted() {
    let rig = rig([
        Page::new("/broken").bytes_of(1000).break_after(100),
        Page::new("/none").no_answer(),
        Page::new("/raw").raw("HTTP/1.1 299 Odd\r\nContent-Length: 2\r\n\r\nok"),
        Page::new("/slow").bytes_of(100).per_second_bytes(200),
        Page::new("/late").delay(Duration::from_millis(200)),
        Page::new("/bomb").gzip_bomb(10_000_000),
    ]);
    let broken = rig.get("a.example/broken");
    assert_eq!((broken.value("content-length"), broken.body.len()), (Some("1000"), 100));
    assert_eq!(rig.get("a.example/none").status, 0);
    let raw = rig.get("a.example/raw");
    assert_eq!((raw.status, raw.body.as_slice()), (299, &b"ok"[..]));
    for path in ["/slow", "/late"] {
        let start = now();
        rig.get(&format!("a.example{path}"));
        assert!(start.elapsed() >= Duration::from_millis(190), "{path} took {:?}", start.elapsed());
    }
    let bomb = rig.get("a.example/bomb");
    assert_eq!(bomb.value("content-encoding"), Some("gzip"));
    assert!(bomb.body.len() < 100_000);
}

#[test]
fn bodies_of_requests_are_read_in_both_framings() {
    let rig = rig([Page::new("/").body("ok")]);
    let mut one = Connection::open(rig.address());
    one.send(
        b"POST / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    );
    assert_eq!(one.read("POST", 99).status, 200);
    assert_eq!(one.ask("POST", "a.example/", &[("body", "abc")]).status, 200);
    assert_eq!(one.ask("GET", "a.example/", &[]).status, 200);
    assert_eq!(rig.finish().requests(), 3);
}

#[test]
fn retry_after_is_written_in_each_form() {
    let page = |path: &str, wait| Page::new(path).status(429).retry_after(wait);
    let rig = rig([
        page("/1", RetryAfter::Seconds(7)),
        page("/2", RetryAfter::Date(7)),
        page("/3", RetryAfter::Rfc850(7)),
        page("/4", RetryAfter::Asctime(7)),
    ]);
    let value = |path: &str| rig.get(&format!("a.example{path}")).value("retry-after").unwrap().to_owned();
    assert_eq!(value("/1"), "7");
    assert_eq!((value("/2").len(), value("/4").len()), (29, 24));
    assert!(value("/2").ends_with(" GMT") && value("/3").contains('-'));
}

#[tokio::test]
async fn each_site_can_have_an_address_of_its_own() {
    let start = |builder: bot_etiquette_referee::Builder| builder.own_addresses(true).start();
    let sites = || Referee::builder().site(Site::new("a.example")).site(Site::new("b.example"));
    let referee = start(sites().listen("127.0.0.2:0".parse().unwrap())).await.unwrap();
    let addresses: Vec<String> =
        referee.addresses().map(|(name, at)| format!("{name} {}", at.ip())).collect();
    assert_eq!(addresses, ["a.example 127.0.0.2", "b.example 127.0.0.3"]);
    let ports: Vec<u16> = referee.addresses().map(|(_, at)| at.port()).collect();
    assert_eq!(ports[0], ports[1]);
    assert_eq!(referee.address("c.example"), None);
}

#[tokio::test]
async fn what_cannot_start_says_why() {
    let site = || Referee::builder().site(Site::new("a.example"));
    let error = |builder: bot_etiquette_referee::Builder| async { builder.start().await.unwrap_err() };
    assert!(matches!(error(Referee::builder()).await, StartError::NoSite));
    assert!(matches!(error(site().site(Site::new("A.example."))).await, StartError::Site { .. }));
    assert!(matches!(error(site().site(Site::new("a:80"))).await, StartError::Site { .. }));
    assert!(matches!(error(site().listen("0.0.0.0:0".parse().unwrap())).await, StartError::NotLoopback(_)));
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(error(site().time_scale(scale)).await, StartError::TimeScale(_)));
    }
    let impossible = error(site().promise(Promise::new().scope(&["b.example"]))).await;
    assert!(impossible.to_string().contains("scope"), "{impossible}");
}
