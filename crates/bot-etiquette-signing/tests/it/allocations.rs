//! Signing into a buffer that has grown to its size allocates nothing.

use allocation_counter::measure;
use bot_etiquette_signing::{Component, Message, Profile, SignatureBuffer, Signer, SigningKey};
use http::Request;

use crate::http_text::unix;

#[track_caller]
fn allocates_nothing(profile: Profile, components: &[&str], nonce: Option<&str>) {
    let mut builder =
        Signer::builder(SigningKey::from_seed(&[7; 32]), "https://bot.example").profile(profile);
    for component in components {
        builder = builder.component(component.parse::<Component>().unwrap());
    }
    let signer = builder.profile_for_host("other.example", Profile::Dictionary).build().unwrap();
    let request = Request::get("https://Example.com:443/a?b").header("accept", "text/html").body(()).unwrap();
    let message = Message::request(&request);
    let mut buffer = SignatureBuffer::new();
    signer.sign_into(&message, unix(1_800_000_000), nonce, &mut buffer).unwrap();
    let info = measure(|| {
        for second in 1..=10 {
            signer.sign_into(&message, unix(1_800_000_000 + second), nonce, &mut buffer).unwrap();
        }
    });
    assert_eq!(info.count_total, 0, "{profile} {components:?}");
}

#[test]
fn sign_into_allocates_nothing() {
    allocates_nothing(Profile::Cloudflare, &[], None);
    allocates_nothing(
        Profile::Cloudflare,
        &[],
        Some("n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6r=="),
    );
    let all = ["@method", "@path", "@query", "@target-uri", "@scheme", "@request-target", "accept"];
    allocates_nothing(Profile::Dictionary, &all, None);
    allocates_nothing(Profile::JwksUrl, &[], None);
}
