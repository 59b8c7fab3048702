//! Validators: bytes as they came, for the URL they came from.

use bot_etiquette_fetch::{Revalidated, Validators};
use http::{
    HeaderMap, HeaderName, HeaderValue, StatusCode,
    header::{ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED},
};
#[cfg(feature = "serde")]
use proptest::prelude::*;
use url::Url;

fn url() -> Url {
    Url::parse("https://data.example/feed?x=1#top").unwrap()
}

fn headers(fields: &[(HeaderName, &[u8])]) -> HeaderMap {
    fields.iter().map(|(name, value)| (name.clone(), HeaderValue::from_bytes(value).unwrap())).collect()
}

fn of(fields: &[(HeaderName, &[u8])]) -> Option<Validators> {
    Validators::of(&url(), StatusCode::OK, &headers(fields))
}

#[test]
fn bytes_go_back_as_they_came() {
    let values: [&[u8]; 8] = [
        b"\"a\"",
        b"W/\"a\"",
        b"w/\"a\"",
        b"unquoted",
        b"\"with \\\"quotes\"",
        b"\"\xff\xfe\"",
        b"\"\"",
        b"\"a\", \"b\"",
    ];
    for etag in values {
        let known = of(&[(ETAG, etag), (LAST_MODIFIED, b"yesterday, about noon")]).unwrap();
        let mut request = HeaderMap::new();
        assert!(known.apply(&url(), &mut request));
        assert_eq!(request[IF_NONE_MATCH].as_bytes(), etag);
        assert_eq!(request[IF_MODIFIED_SINCE].as_bytes(), b"yesterday, about noon");
    }
}

#[test]
fn only_a_whole_document_leaves_validators() {
    let fields = headers(&[(ETAG, b"\"a\"")]);
    for code in [200_u16, 201, 203, 204, 206, 301, 304, 404, 500] {
        let found = Validators::of(&url(), StatusCode::from_u16(code).unwrap(), &fields);
        assert_eq!(found.is_some(), code == 200, "{code}");
    }
    assert_eq!(of(&[]), None);
    assert_eq!(of(&[(ETAG, b"")]), None);
    let mut two = headers(&[(ETAG, b"\"a\"")]);
    two.append(ETAG, HeaderValue::from_static("\"b\""));
    assert_eq!(Validators::of(&url(), StatusCode::OK, &two), None);
}

#[test]
fn another_url_is_not_made_conditional() {
    let known = of(&[(ETAG, b"\"a\"")]).unwrap();
    for (other, ours) in [
        ("https://data.example/feed?x=1", true),
        ("https://data.example/feed?x=1#else", true),
        ("https://data.example/feed?x=2", false),
        ("https://data.example/feed", false),
        ("http://data.example/feed?x=1", false),
        ("https://other.example/feed?x=1", false),
    ] {
        let mut request = HeaderMap::new();
        assert_eq!(known.apply(&Url::parse(other).unwrap(), &mut request), ours, "{other}");
        assert_eq!(request.contains_key(IF_NONE_MATCH), ours, "{other}");
    }
}

#[test]
fn stale_conditions_do_not_stay_in_a_request() {
    let known = of(&[(ETAG, b"\"new\"")]).unwrap();
    let mut request = headers(&[(IF_NONE_MATCH, b"\"old\""), (IF_MODIFIED_SINCE, b"long ago")]);
    known.apply(&url(), &mut request);
    assert_eq!(request[IF_NONE_MATCH], "\"new\"");
    assert!(!request.contains_key(IF_MODIFIED_SINCE));
}

#[test]
fn a_304_renews_what_it_names_and_keeps_the_rest() {
    let known = of(&[(ETAG, b"\"a\""), (LAST_MODIFIED, b"Monday")]).unwrap();
    let answer =
        |fields: &[(HeaderName, &[u8])]| known.revalidated(StatusCode::NOT_MODIFIED, &headers(fields));
    assert_eq!(answer(&[]), Revalidated::Unchanged(known.clone()));
    assert_eq!(
        answer(&[(ETAG, b"W/\"a\"")]),
        Revalidated::Unchanged(of(&[(ETAG, b"W/\"a\""), (LAST_MODIFIED, b"Monday")]).unwrap())
    );
    assert_eq!(
        answer(&[(LAST_MODIFIED, b"Tuesday")]),
        Revalidated::Unchanged(of(&[(ETAG, b"\"a\""), (LAST_MODIFIED, b"Tuesday")]).unwrap())
    );
    assert_eq!(answer(&[(ETAG, b"\"b\"")]), Revalidated::Mismatch);
}

#[test]
fn other_answers_change_nothing_by_themselves() {
    let known = of(&[(ETAG, b"\"a\"")]).unwrap();
    let fresh = headers(&[(ETAG, b"\"b\"")]);
    assert_eq!(known.revalidated(StatusCode::OK, &fresh), Revalidated::Changed(of(&[(ETAG, b"\"b\"")])));
    assert_eq!(known.revalidated(StatusCode::OK, &HeaderMap::new()), Revalidated::Changed(None));
    for code in [206_u16, 301, 404, 412, 429, 500, 503] {
        assert_eq!(
            known.revalidated(StatusCode::from_u16(code).unwrap(), &fresh),
            Revalidated::Other,
            "{code}"
        );
    }
}

#[cfg(feature = "serde")]
#[test]
fn a_stored_value_that_could_split_a_header_is_refused() {
    let stored = r#"{"url":"https://data.example/","etag":"a\r\nX-Evil: 1"}"#;
    assert!(serde_json::from_str::<Validators>(stored).unwrap_err().to_string().contains("etag"));
    assert!(serde_json::from_str::<Validators>(r#"{"url":"https://data.example/"}"#).is_err());
}

#[cfg(feature = "serde")]
proptest! {
    #[test]
    fn any_bytes_survive_storage(bytes in prop::collection::vec(any::<u8>(), 1..30)) {
        if let Ok(value) = HeaderValue::from_bytes(&bytes) {
            let known = Validators::new(url(), Some(value), None).unwrap();
            let text = serde_json::to_string(&known).unwrap();
            prop_assert_eq!(serde_json::from_str::<Validators>(&text).unwrap(), known);
        }
    }
}
