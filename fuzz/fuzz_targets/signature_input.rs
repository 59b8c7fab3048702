//! The three fields of a signed request, of any bytes: a typed reason, never a panic, and never "verified", because
//! no secret is at hand.
#![no_main]

use std::time::{Duration, SystemTime};

use bot_etiquette_signing::{
    KeyMaterial, Lookup, Message, Outcome, Policy, Profile, ReceivedSignature, SignatureAgent, SignatureRequest,
    SigningKey, Verifier, explain_for,
};
use http::{HeaderValue, Request};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut request = Request::get("https://example.com/path?a=b&c=d").body(()).unwrap();
    let names = ["signature-input", "signature", "signature-agent", "x-a", "content-digest"];
    for (line, name) in data.split(|&byte| byte == b'\n').zip(names.iter().cycle()) {
        if let Ok(value) = HeaderValue::from_bytes(line) {
            request.headers_mut().append(*name, value.clone());
            request.headers_mut().append("accept-signature", value);
        }
    }
    let message = Message::request(&request).body(b"body");
    for one in ReceivedSignature::all(&message).unwrap_or_default() {
        for component in one.components().unwrap_or_default() {
            // What is written is read again as the same.
            assert_eq!(component.as_str().parse().as_ref(), Ok(component));
        }
    }
    for asked in SignatureRequest::all(request.headers()).unwrap_or_default() {
        let mut headers = http::HeaderMap::new();
        headers.insert("accept-signature", asked.to_string().parse().unwrap());
        assert_eq!(SignatureRequest::all(&headers).unwrap(), [asked]);
    }
    let key = KeyMaterial::from(&SigningKey::from_seed(&[7; 32]));
    let lookup = |_: Option<&SignatureAgent>, _: Option<&str>| Lookup::Found(key.clone());
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_735_689_660);
    for policy in [Policy::web_bot_auth(), Policy::rfc9421().lenient()] {
        let examination = Verifier::new(policy).examine(&message, now, &lookup);
        assert!(!matches!(examination.outcome, Outcome::Verified(_)));
    }
    let _ = explain_for(&message, Profile::Cloudflare);
});
