//! Sign a request as a bot, and see what a verifier makes of it: `cargo run --example sign_request -- [KEY.pem]`
#![allow(clippy::disallowed_methods)] // a program may read the clock
use std::time::SystemTime;

use bot_etiquette::signing::{
    Component, KeyMaterial, Lookup, Message, Policy, Profile, SignatureAgent, Signer, SigningKey, Verifier,
    explain_for,
};
use http::Request;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let key = match std::env::args().nth(1) {
        Some(file) => SigningKey::parse(&std::fs::read(file)?)?,
        // Not a secret: everyone who reads this line can sign with it.
        None => SigningKey::from_seed(b"an example key, not to be used!!"),
    };
    let public = KeyMaterial::from(&key);
    let signer = Signer::builder(key, "https://bot.example").component(Component::method()).build()?;

    let now = SystemTime::now();
    let mut request = Request::get("https://example.com/page?id=7").header("accept", "text/html").body(())?;
    signer.sign(&mut request, now, None)?;
    println!("{} {}", request.method(), request.uri());
    for (name, value) in request.headers() {
        println!("{name}: {}", value.to_str()?);
    }

    // What the site sees. Its keys come from the agent's directory.
    let keys = |agent: Option<&SignatureAgent>, _: Option<&str>| match agent {
        Some(_) => Lookup::Found(public.clone()),
        None => Lookup::Unknown,
    };
    let message = Message::request(&request);
    let examination = Verifier::new(Policy::web_bot_auth()).examine(&message, now, &keys);
    println!();
    for step in &examination.steps {
        println!("{}: {}", step.name, step.detail);
    }
    for objection in explain_for(&message, Profile::Cloudflare) {
        println!("at Cloudflare: {objection}");
    }
    examination.outcome.verified().map(|_| ()).ok_or_else(|| examination.outcome.to_string().into())
}
