//! Any component of any request: the base has one line a component, no byte that is not printable ASCII, and
//! what was signed verifies.
#![no_main]

use std::time::SystemTime;

use bot_etiquette_signing::{
    Component, KeyMaterial, Lookup, Message, Policy, SignatureAgent, SignatureBase, SignatureParams, SigningKey, Verifier,
    append_signature,
};
use http::{HeaderName, HeaderValue, Request};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str, Vec<(&str, &[u8])>, Vec<&str>)| {
    let (method, url, fields, components) = input;
    let Ok(mut request) = Request::builder().method(method).uri(url).body(()) else { return };
    for (name, value) in fields {
        if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_bytes(value)) {
            request.headers_mut().append(name, value);
        }
    }
    let covered: Vec<Component> = components.iter().filter_map(|text| text.parse().ok()).collect();
    let params = SignatureParams::new().created(SystemTime::UNIX_EPOCH).keyid("k");
    let Ok(base) = SignatureBase::build(&Message::request(&request), &covered, &params) else { return };
    assert!(base.as_bytes().iter().all(|byte| matches!(byte, b'\t' | b'\n' | 0x20..=0x7e)));
    assert_eq!(base.as_str().lines().count(), covered.len() + 1);

    if request.headers().contains_key("signature") || request.headers().contains_key("signature-input") {
        return;
    }
    let key = SigningKey::from_seed(&[7; 32]);
    append_signature(request.headers_mut(), "l", &base, &key.sign(base.as_bytes())).unwrap();
    let material = KeyMaterial::from(&key);
    let lookup = |_: Option<&SignatureAgent>, _: Option<&str>| Lookup::Found(material.clone());
    // Only a field too long to send, and a claim to speak for an agent, may stand in the way.
    let outcome = Verifier::new(Policy::rfc9421()).verify(&Message::request(&request), SystemTime::UNIX_EPOCH, &lookup);
    assert!(matches!(outcome.reason(), None | Some("malformed" | "missing-parameter")), "{outcome}");
});
