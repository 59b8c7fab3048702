//! What the signature of a response has to cover.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bot_etiquette_signing::{
    Component, KeyMaterial, Lookup, Message, Policy, SignatureAgent, SignatureBase, SignatureParams,
    SigningKey, Verifier,
};
use http::{HeaderValue, Request, Response};

use crate::http_text::unix;

const NOW: i64 = 1_800_000_000;

#[test]
fn a_response_covers_the_target_of_its_request() {
    let directory = "http-message-signatures-directory";
    for (tag, covered, reason) in [
        ("web-bot-auth", ["@status"].as_slice(), Some("component-not-covered")),
        ("web-bot-auth", &["@status", "@method;req"], Some("component-not-covered")),
        ("web-bot-auth", &["@status", "@authority;req"], None),
        ("web-bot-auth", &["@target-uri;req"], None),
        (directory, &["@authority;req"], None),
        (directory, &["@status", "content-type", "@authority;req"], None),
        (directory, &["@status"], Some("component-not-covered")),
    ] {
        let policy = Policy::web_bot_auth().with_tag(tag);
        assert_eq!(of_a_response(policy, Some(tag), covered), reason, "{tag} {covered:?}");
    }
}

#[test]
fn the_rules_of_a_tag_hold_whatever_the_policy_asks_for() {
    let directory = Some("http-message-signatures-directory");
    for (tag, covered, reason) in [
        (directory, ["@authority;req"].as_slice(), None),
        (directory, &["@method;req"], Some("component-not-covered")),
        (None, &["@status", "signature-agent;req"], None),
        (None, &["@status", "signature-agent"], Some("missing-parameter")),
    ] {
        assert_eq!(of_a_response(Policy::rfc9421(), tag, covered), reason, "{tag:?} {covered:?}");
    }
}

/// Signs a response and judges it.
fn of_a_response(policy: Policy, tag: Option<&str>, covered: &[&str]) -> Option<&'static str> {
    let key = SigningKey::from_seed(&[7; 32]);
    let request = Request::get("https://example.com/a")
        .header("signature-agent", "\"https://bot.example\"")
        .body(())
        .unwrap();
    let params = SignatureParams::new().created(unix(NOW)).expires(unix(NOW + 60));
    let params = params.keyid(key.thumbprint().as_str());
    let params = tag.map_or(params.clone(), |tag| params.tag(tag));
    let request = Message::request(&request);
    let media_type = "application/http-message-signatures-directory+json";
    let mut response = Response::builder().header("content-type", media_type).body(()).unwrap();
    if covered.contains(&"signature-agent") {
        let agent = HeaderValue::from_static("\"https://bot.example\"");
        response.headers_mut().insert("signature-agent", agent);
    }
    let covered: Vec<Component> = covered.iter().map(|text| text.parse().unwrap()).collect();
    let message = Message::response(&response).answering(&request);
    let base = SignatureBase::build(&message, &covered, &params).unwrap();
    let signature = BASE64_STANDARD.encode(key.sign(base.as_bytes()));
    for (name, value) in [
        ("signature-input", format!("sig1={}", base.signature_params())),
        ("signature", format!("sig1=:{signature}:")),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_str(&value).unwrap());
    }
    let lookup = |_: Option<&SignatureAgent>, _: Option<&str>| Lookup::Found(KeyMaterial::from(&key));
    let message = Message::response(&response).answering(&request);
    Verifier::new(policy).verify(&message, unix(NOW), &lookup).reason()
}
