use bot_etiquette_signing::directory::{
    DirectoryDocument, DirectoryError, MAX_DIRECTORY_BYTES, MAX_DIRECTORY_KEYS, MEDIA_TYPE, directory_url,
    read_response,
};
use http::{HeaderMap, HeaderValue, StatusCode, header};

use super::{at, key, keyid, set};

#[track_caller]
fn refused(json: &str, words: &str) {
    assert_eq!(DirectoryDocument::parse(json.as_bytes()).unwrap_err().to_string(), words);
}

#[test]
fn what_is_no_directory_is_refused_with_the_reason() {
    refused("", "the document is not a JSON object: error at line 1 column 0");
    refused("<html>", "the document is not a JSON object: error at line 1 column 1");
    refused("{}", "the document is no JWK Set: expected a member \"keys\" that is a list");
    refused("{\"keys\":{}}", "the document is no JWK Set: expected a member \"keys\" that is a list");
    refused("{\"keys\":[],\"keys\":[]}", "the document is not a JSON object: error at line 1 column 21");
    refused("{\"keys\":[]} {}", "the document is not a JSON object: error at line 1 column 13");
    refused(&"[".repeat(100_000), "the document is not a JSON object: error at line 1 column 0");
}

#[test]
fn a_private_member_anywhere_refuses_the_whole_document() {
    for (member, value) in [("d", "\"AAAA\""), ("k", "\"AAAA\""), ("p", "1"), ("oth", "[]"), ("qi", "null")] {
        let json = set(&[(1, ""), (2, &format!(",\"{member}\":{value}"))]);
        let error = DirectoryDocument::parse(json.as_bytes()).unwrap_err();
        let DirectoryError::PrivateMember { index: 1, member: found } = error else { panic!("{error}") };
        assert_eq!(found, member);
    }
    // Even in a key of another kind, and in a bare JWK.
    for json in [r#"{"keys":[{"kty":"RSA","d":"AAAA"}]}"#, &*key(1).to_jwk()] {
        let error = DirectoryDocument::parse(json.as_bytes()).unwrap_err();
        assert!(matches!(error, DirectoryError::PrivateMember { index: 0, member: "d" }), "{error}");
    }
}

#[test]
fn the_bytes_and_the_keys_are_bounded() {
    let mut text = set(&[(1, "")]);
    text.push_str(&" ".repeat(MAX_DIRECTORY_BYTES - text.len()));
    assert!(DirectoryDocument::parse(text.as_bytes()).is_ok());
    text.push(' ');
    let error = DirectoryDocument::parse(text.as_bytes()).unwrap_err();
    assert_eq!(error, DirectoryError::TooLarge { limit: MAX_DIRECTORY_BYTES });

    let many = |count| format!("{{\"keys\":[{}]}}", vec!["{}"; count].join(","));
    for count in [MAX_DIRECTORY_KEYS - 1, MAX_DIRECTORY_KEYS] {
        let document = DirectoryDocument::parse(many(count).as_bytes()).unwrap();
        assert_eq!(document.skipped().len(), count);
    }
    for found in [MAX_DIRECTORY_KEYS + 1, 10_000] {
        let error = DirectoryDocument::parse(many(found).as_bytes()).unwrap_err();
        assert_eq!(error, DirectoryError::TooManyKeys { limit: MAX_DIRECTORY_KEYS, found });
    }
}

#[track_caller]
fn notes(more: &str, expected: &[&str]) {
    let document = DirectoryDocument::parse(set(&[(1, more)]).as_bytes()).unwrap();
    let entry = document.find(&keyid(1)).unwrap_or_else(|| panic!("{:?}", document.skipped()));
    assert_eq!(entry.notes().iter().map(ToString::to_string).collect::<Vec<_>>(), expected);
}

#[test]
fn what_can_be_forgiven_is_noted() {
    let kid = format!(",\"kid\":\"{}\"", keyid(1));
    notes(&kid, &[]);
    notes(&format!("{kid},\"use\":\"sig\",\"alg\":\"EdDSA\",\"x5c\":[[[]]]"), &[]);
    notes(&format!("{kid},\"alg\":\"Ed25519\""), &[]);
    notes("", &["no \"kid\": the thumbprint stands for it"]);
    notes(",\"kid\":null", &["no \"kid\": the thumbprint stands for it"]);
    notes(",\"kid\":\"my-key\"", &["\"kid\" is not the thumbprint, but \"my-key\""]);
    notes(",\"kid\":7", &["\"kid\" is not the thumbprint, but no text"]);
    notes(&format!("{kid},\"alg\":\"ed25519\""), &["\"alg\" is \"ed25519\", expected \"EdDSA\""]);
    notes(&format!("{kid},\"nbf\":1743465600000"), &["\"nbf\" is in milliseconds, not seconds"]);
}

#[test]
fn one_bad_key_never_loses_the_others() {
    let neutral = r#"{"kty":"OKP","crv":"Ed25519","x":"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#;
    let bad = [
        ("7", "not a JSON object"),
        ("{}", "not an Ed25519 key: kty none, crv none"),
        (r#"{"kty":"OKP","crv":"X25519","x":"AA"}"#, "not an Ed25519 key: kty \"OKP\", crv \"X25519\""),
        (r#"{"kty":5}"#, "\"kty\" is not text"),
        (r#"{"kty":"OKP","crv":"Ed25519"}"#, "the JWK has no member \"x\""),
        (r#"{"kty":"OKP","crv":"Ed25519","x":"AA"}"#, "member \"x\" holds 1 bytes, expected 32"),
        (r#"{"kty":"OKP","crv":"Ed25519","x":"A="}"#, "member \"x\" is not base64url without padding"),
        (neutral, "a weak key: some signature fits every message"),
        (r#"{"kty":"OKP","crv":"Ed25519","x":"AA","use":"enc"}"#, "\"use\" is not \"sig\""),
    ];
    let good = set(&[(1, ""), (1, ""), (2, ",\"exp\":-1"), (3, ",\"nbf\":\"2026-01-01\""), (4, "")]);
    let list = bad.iter().map(|(json, _)| *json).collect::<Vec<_>>().join(",");
    let json = good.replace("[", &format!("[{list},"));
    let document = DirectoryDocument::parse(json.as_bytes()).unwrap();
    let reasons = document.skipped().iter().map(|skipped| skipped.reason.to_string()).collect::<Vec<_>>();
    let mut expected = bad.map(|(_, reason)| reason.to_owned()).to_vec();
    expected.push("the key stands twice".to_owned());
    expected.push("\"exp\" is not a number of seconds since 1970".to_owned());
    expected.push("\"nbf\" is not a number of seconds since 1970".to_owned());
    assert_eq!(reasons, expected);
    let found = document.entries().iter().map(|entry| entry.thumbprint().to_string()).collect::<Vec<_>>();
    assert_eq!(found, [keyid(1), keyid(4)]);
    assert_eq!(document.entries()[1].index(), 13);
}

#[test]
fn a_key_counts_from_nbf_until_just_before_exp() {
    let json = set(&[(1, ",\"nbf\":1000,\"exp\":2000"), (2, ",\"nbf\":1743465600000,\"exp\":1743465601000")]);
    let document = DirectoryDocument::parse(json.as_bytes()).unwrap();
    let valid = |index: usize, now| document.entries()[index].is_valid_at(at(now));
    assert_eq!([999, 1000, 1999, 2000].map(|now| valid(0, now)), [false, true, true, false]);
    assert!(valid(1, 1_743_465_600) && !valid(1, 1_743_465_601));
}

#[test]
fn a_bare_jwk_and_a_byte_order_mark_are_read() {
    let bare = key(1).verifying_key().to_jwk();
    let document = DirectoryDocument::parse(format!("\u{feff}{bare}").as_bytes()).unwrap();
    assert!(document.is_bare());
    assert!(document.find(&keyid(1)).is_some());
    assert!(DirectoryDocument::parse(b"{\"keys\":[]}").unwrap().entries().is_empty());
}

fn content_type(value: &str) -> HeaderMap {
    HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_str(value).unwrap())])
}

#[test]
fn only_a_200_of_the_media_type_is_read() {
    let body = set(&[(1, "")]);
    let read = |status: u16, headers: &HeaderMap| {
        read_response(StatusCode::from_u16(status).unwrap(), headers, body.as_bytes()).map(|_| ())
    };
    let right = content_type(MEDIA_TYPE);
    assert_eq!(read(200, &right), Ok(()));
    assert_eq!(read(200, &content_type(&format!("{}; charset=utf-8", MEDIA_TYPE.to_uppercase()))), Ok(()));
    for status in [301, 302, 303, 307, 308, 304] {
        assert_eq!(read(status, &right), Err(DirectoryError::Redirect(status)));
    }
    for status in [201, 203, 206, 404, 410, 429, 500, 503] {
        assert_eq!(read(status, &right), Err(DirectoryError::Status(status)));
    }
    for (wrong, found) in [
        ("application/json", "\"application/json\""),
        (
            "application/http-message-signatures-directory",
            "\"application/http-message-signatures-directory\"",
        ),
        ("text/html", "\"text/html\""),
    ] {
        assert_eq!(
            read(200, &content_type(wrong)),
            Err(DirectoryError::MediaType { found: found.to_owned() })
        );
    }
    assert_eq!(read(200, &HeaderMap::new()), Err(DirectoryError::MediaType { found: "none".to_owned() }));
    let mut two = right.clone();
    two.append(header::CONTENT_TYPE, HeaderValue::from_static("text/html"));
    assert!(matches!(read(200, &two), Err(DirectoryError::MediaType { .. })));
}

#[test]
fn the_address_of_a_directory_follows_from_the_agent() {
    for (agent, expected) in [
        ("https://bot.example", "https://bot.example/.well-known/http-message-signatures-directory"),
        ("https://BOT.example:443/", "https://bot.example/.well-known/http-message-signatures-directory"),
        (
            "https://bot.example:8443",
            "https://bot.example:8443/.well-known/http-message-signatures-directory",
        ),
        ("https://bot.example/keys/./a.json?v=2", "https://bot.example/keys/a.json"),
    ] {
        assert_eq!(directory_url(agent).unwrap().as_str(), expected, "{agent}");
    }
    for bad in [
        "",
        "bot.example",
        "http://bot.example",
        "data:application/json,{}",
        "https://a:b@bot.example",
        "https://",
    ] {
        assert!(matches!(directory_url(bad), Err(DirectoryError::AgentUrl { .. })), "{bad}");
    }
}
