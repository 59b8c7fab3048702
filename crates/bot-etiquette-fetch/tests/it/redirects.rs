//! Redirects as a state machine: every status, method and target.

use bot_etiquette_fetch::{Followed, Hop, RedirectError, RedirectPolicy, Redirects};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header::LOCATION};
use proptest::prelude::*;
use url::Url;

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn location(value: impl AsRef<[u8]>) -> HeaderMap {
    HeaderMap::from_iter([(LOCATION, HeaderValue::from_bytes(value.as_ref()).unwrap())])
}

fn from(method: &Method, at: &str) -> Redirects {
    Redirects::new(RedirectPolicy::default(), method.clone(), url(at))
}

fn status(code: u16) -> StatusCode {
    StatusCode::from_u16(code).unwrap()
}

#[test]
fn methods_change_as_rfc_9110_says() {
    let rows = [
        (301, "GET", "GET", true),
        (301, "HEAD", "HEAD", true),
        (301, "POST", "GET", false),
        (301, "PUT", "PUT", true),
        (302, "GET", "GET", true),
        (302, "HEAD", "HEAD", true),
        (302, "POST", "GET", false),
        (302, "DELETE", "DELETE", true),
        (303, "GET", "GET", false),
        (303, "HEAD", "HEAD", false),
        (303, "POST", "GET", false),
        (303, "PUT", "GET", false),
        (307, "GET", "GET", true),
        (307, "POST", "POST", true),
        (307, "HEAD", "HEAD", true),
        (308, "POST", "POST", true),
        (308, "PUT", "PUT", true),
    ];
    for (code, before, after, keeps_body) in rows {
        let mut redirects = from(&before.parse().unwrap(), "https://a.example/");
        let hop = redirects.follow(status(code), &location("/b")).unwrap().unwrap();
        assert_eq!((hop.method.as_str(), hop.keeps_body), (after, keeps_body), "{code} {before}");
        assert_eq!(hop.asked, before);
    }
}

#[test]
fn other_statuses_are_the_last_answer() {
    for code in (200..600).filter(|code| !matches!(code, 301 | 302 | 303 | 307 | 308)) {
        let mut redirects = from(&Method::GET, "https://a.example/");
        assert!(redirects.follow(status(code), &location("/b")).unwrap().is_none(), "{code}");
    }
}

#[test]
fn targets_are_read_as_browsers_do() {
    let rows: [(&[u8], Option<&str>); 21] = [
        (b"https://b.example/x", Some("https://b.example/x")),
        (b"//b.example/x", Some("https://b.example/x")),
        (b"/x", Some("https://a.example/x")),
        (b"x", Some("https://a.example/dir/x")),
        (b"../x", Some("https://a.example/x")),
        (b"?q=1", Some("https://a.example/dir/page?q=1")),
        (b"  /x  ", Some("https://a.example/x")),
        (b"\\x", Some("https://a.example/x")),
        (b"HTTPS://B.EXAMPLE/x", Some("https://b.example/x")),
        (b"https://b.example:443/x", Some("https://b.example/x")),
        (b"/caf\xc3\xa9", Some("https://a.example/caf%C3%A9")),
        (b"/caf\xe9", Some("https://a.example/caf%E9")),
        (b"/caf%C3%A9", Some("https://a.example/caf%C3%A9")),
        (b"https://b\xc3\xbccher.example/", Some("https://xn--bcher-kva.example/")),
        (b"/a b", Some("https://a.example/a%20b")),
        (b"/x#there", Some("https://a.example/x#there")),
        (b"/x#", Some("https://a.example/x#")),
        (b"https://", None),
        (b"https://[::1", None),
        (b"https://b.example:99999/", None),
        (b"http://exa mple/", None),
    ];
    for (value, wanted) in rows {
        let mut redirects = from(&Method::GET, "https://a.example/dir/page");
        let hop = redirects.follow(StatusCode::FOUND, &location(value)).unwrap();
        assert_eq!(hop.map(|hop| hop.to.as_str()), wanted, "{}", String::from_utf8_lossy(value));
    }
    let none = from(&Method::GET, "https://a.example/")
        .follow(StatusCode::FOUND, &HeaderMap::new())
        .unwrap()
        .cloned();
    assert_eq!(none, None);
}

#[test]
fn two_targets_are_none_unless_they_are_the_same() {
    for (second, followed) in [("/x", true), ("/y", false)] {
        let mut headers = location("/x");
        headers.append(LOCATION, HeaderValue::from_static(second));
        let hop =
            from(&Method::GET, "https://a.example/").follow(StatusCode::FOUND, &headers).unwrap().cloned();
        assert_eq!(hop.is_some(), followed, "{second}");
    }
}

#[test]
fn a_fragment_goes_along_until_a_target_has_its_own() {
    let mut redirects = from(&Method::GET, "https://a.example/#part");
    redirects.follow(StatusCode::FOUND, &location("/b")).unwrap();
    assert_eq!(redirects.url().as_str(), "https://a.example/b#part");
    redirects.follow(StatusCode::FOUND, &location("/c#other")).unwrap();
    assert_eq!(redirects.url().as_str(), "https://a.example/c#other");
}

#[test]
fn targets_that_must_not_be_asked_are_errors() {
    type Is = fn(&RedirectError) -> bool;
    let rows: [(&str, Is); 8] = [
        ("http://a.example/", |error| matches!(error, RedirectError::Downgrade { .. })),
        ("https://user@b.example/", |error| matches!(error, RedirectError::Credentials { .. })),
        ("https://u:secret@b.example/", |error| matches!(error, RedirectError::Credentials { .. })),
        ("javascript:alert(1)", |error| matches!(error, RedirectError::Scheme { .. })),
        ("file:///etc/passwd", |error| matches!(error, RedirectError::Scheme { .. })),
        ("data:text/html,x", |error| matches!(error, RedirectError::Scheme { .. })),
        ("https://a.example/", |error| matches!(error, RedirectError::Loop { .. })),
        ("https://a.example/#elsewhere", |error| matches!(error, RedirectError::Loop { .. })),
    ];
    for (target, wanted) in rows {
        let mut redirects = from(&Method::GET, "https://a.example/");
        let error = redirects.follow(StatusCode::FOUND, &location(target)).unwrap_err();
        assert!(wanted(&error), "{target}: {error:?}");
        assert!(!error.to_string().contains("secret"), "{error}");
        assert!(redirects.chain().is_empty());
    }
    let allowed = RedirectPolicy::default().downgrade(true);
    let mut redirects = Redirects::new(allowed, Method::GET, url("https://a.example/"));
    assert!(redirects.follow(StatusCode::FOUND, &location("http://a.example/")).unwrap().is_some());
}

#[test]
fn a_circle_of_any_length_is_seen() {
    let mut redirects = from(&Method::GET, "https://a.example/1");
    for next in ["/2", "/3", "/4"] {
        redirects.follow(StatusCode::FOUND, &location(next)).unwrap();
    }
    for back in ["/1", "/2", "/3", "/4"] {
        let error = redirects.clone().follow(StatusCode::FOUND, &location(back)).unwrap_err();
        assert!(matches!(error, RedirectError::Loop { .. }), "{back}: {error:?}");
        assert_eq!(error.chain().len(), 3);
    }
    // A form answered by "see this page", at the same URL, is no circle.
    let mut form = from(&Method::POST, "https://a.example/form");
    assert!(form.follow(StatusCode::SEE_OTHER, &location("/form")).unwrap().is_some());
    assert!(form.follow(StatusCode::SEE_OTHER, &location("/form")).is_err());
}

#[test]
fn the_limit_counts_hops_also_over_a_pause() {
    let limit = 5;
    let mut redirects = from(&Method::GET, "https://a.example/0");
    for n in 1..=limit {
        redirects.follow(StatusCode::FOUND, &location(format!("/{n}"))).unwrap().unwrap();
    }
    let Followed(chain) = redirects.clone().into_followed();
    let resumed =
        Redirects::resume(RedirectPolicy::default(), Method::GET, url("https://a.example/5"), chain);
    for mut at_the_limit in [redirects, resumed] {
        let error = at_the_limit.follow(StatusCode::FOUND, &location("/6")).unwrap_err();
        let RedirectError::TooMany { limit: 5, chain, next } = error else { panic!("{error:?}") };
        assert_eq!((chain.len(), next.as_str()), (5, "https://a.example/6"));
        // The answer itself can still be read.
        assert!(at_the_limit.follow(StatusCode::OK, &HeaderMap::new()).unwrap().is_none());
    }
    let mut none = Redirects::new(RedirectPolicy::default().limit(0), Method::GET, url("https://a.example/"));
    assert!(matches!(
        none.follow(StatusCode::FOUND, &location("/x")),
        Err(RedirectError::TooMany { limit: 0, .. })
    ));
}

#[test]
fn a_target_is_read_up_to_its_limit() {
    for (length, refused) in [(8191, false), (8192, false), (8193, true)] {
        let value = format!("/{}", "a".repeat(length - 1));
        let result =
            from(&Method::GET, "https://a.example/").follow(StatusCode::FOUND, &location(value)).map(|_| ());
        assert_eq!(matches!(result, Err(RedirectError::TooLong { .. })), refused, "{length}");
    }
}

#[test]
fn headers_stay_with_what_they_belong_to() {
    let hop = |from: &str, to: &str, code: u16| -> Hop {
        let mut redirects = Redirects::new(RedirectPolicy::default(), Method::POST, url(from));
        redirects.follow(status(code), &location(to)).unwrap().unwrap().clone()
    };
    let names = [
        "accept",
        "authorization",
        "content-type",
        "cookie",
        "host",
        "if-modified-since",
        "if-none-match",
        "referer",
        "signature",
        "signature-agent",
        "signature-input",
        "user-agent",
    ];
    let kept = |hop: &Hop| {
        let mut headers: HeaderMap =
            names.iter().map(|name| (HeaderName::from_static(name), HeaderValue::from_static("x"))).collect();
        hop.rewrite(&mut headers);
        let mut left: Vec<_> = headers.keys().map(|name| name.as_str().to_owned()).collect();
        left.sort();
        left
    };
    let same_307 = hop("https://a.example/", "/b", 307);
    assert_eq!(kept(&same_307), ["accept", "authorization", "content-type", "cookie", "user-agent"]);
    let same_303 = hop("https://a.example/", "/b", 303);
    assert_eq!(kept(&same_303), ["accept", "authorization", "cookie", "user-agent"]);
    for other in ["https://b.example/", "https://www.a.example/", "https://a.example:444/"] {
        assert_eq!(
            kept(&hop("https://a.example/", other, 307)),
            ["accept", "content-type", "user-agent"],
            "{other}"
        );
    }
    assert_eq!(
        kept(&hop("http://a.example/", "https://a.example/", 307)),
        ["accept", "content-type", "user-agent"]
    );
}

proptest! {
    /// Whatever a site answers, the chain ends within the limit, never asks twice and never leaves http(s).
    #[test]
    fn any_site_comes_to_an_end(answers in prop::collection::vec((300_u16..310, "[ -~]{0,12}|/[a-c]|http://[ab]/|//b/[a-c]"), 1..20), limit in 0_usize..6) {
        let mut redirects = Redirects::new(RedirectPolicy::default().limit(limit), Method::GET, url("https://a/"));
        let mut asked = vec![redirects.url().clone()];
        for (code, target) in answers {
            let Ok(value) = HeaderValue::from_str(&target) else { continue };
            let headers = HeaderMap::from_iter([(LOCATION, value)]);
            match redirects.follow(status(code), &headers) {
                Ok(Some(hop)) => asked.push(hop.to.clone()),
                Ok(None) => {}
                Err(error) => {
                    prop_assert_eq!(error.chain().len(), redirects.chain().len());
                    break;
                }
            }
        }
        prop_assert!(redirects.chain().len() <= limit);
        prop_assert!(asked.iter().all(|url| url.scheme() == "https"));
        let mut unique: Vec<_> = asked.iter().map(|url| url[..url::Position::AfterQuery].to_owned()).collect();
        unique.sort();
        unique.dedup();
        prop_assert_eq!(unique.len(), asked.len());
    }
}
