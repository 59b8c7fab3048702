//! Signatures that come after the content.

use bot_etiquette_signing::{
    Component, KeyMaterial, Lookup, Message, Policy, SignatureAgent, SignatureBase, SignatureParams,
    SigningKey, Verifier, append_signature,
};
use http::{HeaderMap, HeaderValue, Response};

use crate::http_text::unix;

#[test]
fn a_signature_may_come_in_the_trailers() {
    let key = SigningKey::from_seed(&[7; 32]);
    let response = Response::new(());
    let mut trailers = HeaderMap::new();
    trailers.insert("x-sum", HeaderValue::from_static("12"));
    let covered: [Component; 2] = [Component::status(), "x-sum;tr".parse().unwrap()];
    let base = SignatureBase::build(
        &Message::response(&response).trailers(&trailers),
        &covered,
        &SignatureParams::new().keyid("k"),
    );
    let base = base.unwrap();
    append_signature(&mut trailers, "late", &base, &key.sign(base.as_bytes())).unwrap();

    let material = KeyMaterial::from(&key);
    let lookup = |_: Option<&SignatureAgent>, _: Option<&str>| Lookup::Found(material.clone());
    let judge = |trailers: &HeaderMap| {
        let message = Message::response(&response).trailers(trailers);
        Verifier::new(Policy::rfc9421()).verify(&message, unix(0), &lookup).reason()
    };
    assert_eq!(judge(&trailers), None);
    trailers.insert("x-sum", HeaderValue::from_static("13"));
    assert_eq!(judge(&trailers), Some("signature-mismatch"));
}
