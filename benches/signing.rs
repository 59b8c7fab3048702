//! Signing and verifying one request, beside bare Ed25519, web-bot-auth and httpsig in the same run.
//!
//! All sign `@authority` and `signature-agent` with `keyid`, `tag`, `created` and `expires`. The peers take values that
//! their user has already put into canonical form; ours are taken from the request.

use std::hint::black_box;
use std::time::{Duration, SystemTime};

use bot_etiquette_benches::{Estimates, Goal, at_least, at_most, medians};
use bot_etiquette_signing::{
    KeyMaterial, Lookup, Message, Policy, SignatureAgent, SignatureBuffer, Signer, SigningKey, Verifier,
};
use criterion::Criterion;
use ed25519_dalek::Signer as _;
use http::Request;
use httpsig::prelude::message_component::{HttpMessageComponent, HttpMessageComponentId};
use httpsig::prelude::{
    AlgorithmName, HttpSignatureBase, HttpSignatureHeaders, HttpSignatureParams, PublicKey, SecretKey,
};
use indexmap::IndexMap;
use web_bot_auth::components::{CoveredComponent, DerivedComponent, HTTPField, HTTPFieldParametersSet};
use web_bot_auth::keyring::{Algorithm, KeyRing};
use web_bot_auth::message_signatures::{MessageSigner, MessageVerifier, SignedMessage, UnsignedMessage};

const SEED: [u8; 32] = [7; 32];
const AGENT: &str = "https://bot.example";

fn request() -> Request<()> {
    Request::get("https://example.com/path?query=1").header("accept", "text/html").body(()).unwrap()
}

fn now() -> SystemTime {
    // The peers read the clock themselves.
    SystemTime::now()
}

fn signer() -> Signer {
    Signer::builder(SigningKey::from_seed(&SEED), AGENT).build().unwrap()
}

fn sign(criterion: &mut Criterion) {
    let signer = signer();
    let request = request();
    let now = now();
    let mut buffer = SignatureBuffer::new();
    signer.sign_into(&Message::request(&request), now, None, &mut buffer).unwrap();
    let base = buffer.base().to_owned();
    let bare = ed25519_dalek::SigningKey::from_bytes(&SEED);

    let mut group = criterion.benchmark_group("sign");
    group.bench_function("bare-ed25519", |bencher| bencher.iter(|| bare.sign(black_box(base.as_bytes()))));
    group.bench_function("bot-etiquette", |bencher| {
        bencher.iter(|| {
            let message = Message::request(black_box(&request));
            signer.sign_into(&message, now, None, &mut buffer).unwrap();
        });
    });
    group.bench_function("bot-etiquette-without-the-key", |bencher| {
        bencher.iter(|| {
            let message = Message::request(black_box(&request));
            signer.prepare_into(&message, now, None, &mut buffer).unwrap();
        });
    });
    group.bench_function("bot-etiquette-into-headers", |bencher| {
        let mut request = self::request();
        bencher.iter(|| signer.sign(black_box(&mut request), now, None).unwrap());
    });
    group.bench_function("web-bot-auth", |bencher| {
        let peer = MessageSigner {
            keyid: signer.keyid().to_owned(),
            nonce: "nonce".to_owned(),
            tag: "web-bot-auth".to_owned(),
        };
        bencher.iter(|| {
            let mut message = Unsigned(None);
            peer.generate_signature_headers_content(
                &mut message,
                Duration::from_secs(60),
                Algorithm::Ed25519,
                &SEED,
            )
            .unwrap();
            message.0
        });
    });
    group.bench_function("httpsig", |bencher| {
        let key = httpsig_key();
        bencher.iter(|| httpsig_sign(black_box(&key)));
    });
    group.finish();
}

fn verify(criterion: &mut Criterion) {
    let key = SigningKey::from_seed(&SEED);
    let material = KeyMaterial::from(&key);
    let signer = signer();
    let now = now();
    let mut request = request();
    signer.sign(&mut request, now, None).unwrap();
    let mut buffer = SignatureBuffer::new();
    signer.sign_into(&Message::request(&request), now, None, &mut buffer).unwrap();
    let base = buffer.base().to_owned();
    let signature = ed25519_dalek::SigningKey::from_bytes(&SEED).sign(base.as_bytes());
    let bare = ed25519_dalek::SigningKey::from_bytes(&SEED).verifying_key();

    let mut group = criterion.benchmark_group("verify");
    group.bench_function("bare-ed25519-strict", |bencher| {
        bencher.iter(|| bare.verify_strict(black_box(base.as_bytes()), &signature).unwrap());
    });
    group.bench_function("bare-ed25519", |bencher| {
        use ed25519_dalek::Verifier as _;
        bencher.iter(|| bare.verify(black_box(base.as_bytes()), &signature).unwrap());
    });
    group.bench_function("bot-etiquette", |bencher| {
        let verifier = Verifier::new(Policy::web_bot_auth());
        let lookup = |_: Option<&SignatureAgent>, _: Option<&str>| Lookup::Found(material.clone());
        bencher.iter(|| {
            let outcome = verifier.verify(&Message::request(black_box(&request)), now, &lookup);
            assert!(outcome.verified().is_some());
            outcome
        });
    });
    group.bench_function("web-bot-auth", |bencher| {
        let mut unsigned = Unsigned(None);
        let peer = MessageSigner {
            keyid: "k".to_owned(),
            nonce: "nonce".to_owned(),
            tag: "web-bot-auth".to_owned(),
        };
        peer.generate_signature_headers_content(
            &mut unsigned,
            Duration::from_secs(3600),
            Algorithm::Ed25519,
            &SEED,
        )
        .unwrap();
        let (input, signature) = unsigned.0.unwrap();
        let signed = Signed { input: format!("sig1={input}"), signature: format!("sig1={signature}") };
        let mut keys = KeyRing::default();
        keys.import_raw("k".to_owned(), Algorithm::Ed25519, bare.to_bytes().to_vec());
        bencher.iter(|| {
            let verifier = MessageVerifier::parse(black_box(&signed), |_| true).unwrap();
            verifier.verify(&keys, None).unwrap()
        });
    });
    group.bench_function("httpsig", |bencher| {
        let public =
            PublicKey::from_pem(&AlgorithmName::Ed25519, &key.verifying_key().to_spki_pem()).unwrap();
        let signed = httpsig_sign(&httpsig_key());
        let (input, signature) = (signed.signature_input_header_value(), signed.signature_header_value());
        bencher.iter(|| {
            let all = HttpSignatureHeaders::try_parse(black_box(&signature), black_box(&input)).unwrap();
            let one = all.values().next().unwrap();
            let base = HttpSignatureBase::try_new(&httpsig_lines(), one.signature_params()).unwrap();
            base.verify_signature_headers(&public, one).unwrap();
        });
    });
    group.finish();
}

struct Unsigned(Option<(String, String)>);

fn agent_field() -> CoveredComponent {
    CoveredComponent::HTTP(HTTPField {
        name: "signature-agent".to_owned(),
        parameters: HTTPFieldParametersSet(vec![]),
    })
}

impl UnsignedMessage for Unsigned {
    fn fetch_components_to_cover(&self) -> IndexMap<CoveredComponent, String> {
        IndexMap::from_iter([
            (CoveredComponent::Derived(DerivedComponent::Authority { req: false }), "example.com".to_owned()),
            (agent_field(), format!("\"{AGENT}\"")),
        ])
    }

    fn register_header_contents(&mut self, input: String, signature: String) {
        self.0 = Some((input, signature));
    }
}

struct Signed {
    input: String,
    signature: String,
}

impl SignedMessage for Signed {
    fn lookup_component(&self, name: &CoveredComponent) -> Vec<String> {
        match name {
            CoveredComponent::Derived(DerivedComponent::Authority { .. }) => vec!["example.com".to_owned()],
            CoveredComponent::HTTP(HTTPField { name, .. }) => match name.as_str() {
                "signature-input" => vec![self.input.clone()],
                "signature" => vec![self.signature.clone()],
                "signature-agent" => vec![format!("\"{AGENT}\"")],
                _ => vec![],
            },
            _ => vec![],
        }
    }
}

fn httpsig_key() -> SecretKey {
    SecretKey::from_pem(&AlgorithmName::Ed25519, &SigningKey::from_seed(&SEED).to_pkcs8_pem()).unwrap()
}

fn httpsig_lines() -> Vec<HttpMessageComponent> {
    ["\"@authority\": example.com".to_owned(), format!("\"signature-agent\": \"{AGENT}\"")]
        .iter()
        .map(|line| HttpMessageComponent::try_from(line.as_str()).unwrap())
        .collect()
}

fn httpsig_sign(key: &SecretKey) -> HttpSignatureHeaders {
    let covered: Vec<_> = ["@authority", "signature-agent"]
        .iter()
        .map(|name| HttpMessageComponentId::try_from(*name).unwrap())
        .collect();
    let mut params = HttpSignatureParams::try_new(&covered).unwrap();
    params.set_key_info(key).set_tag("web-bot-auth").set_expires_with_duration(Some(60));
    let base = HttpSignatureBase::try_new(&httpsig_lines(), &params).unwrap();
    base.build_signature_headers(key, Some("sig1")).unwrap()
}

/// What verifying a request takes beside the bare signature, in microseconds: both in turn, by the thread's own time.
fn above_bare_verify() -> f64 {
    const TIMES: u32 = 50;
    let signer = signer();
    let now = now();
    let mut request = request();
    signer.sign(&mut request, now, None).unwrap();
    let mut buffer = SignatureBuffer::new();
    signer.sign_into(&Message::request(&request), now, None, &mut buffer).unwrap();
    let base = buffer.base().to_owned();
    let bare = ed25519_dalek::SigningKey::from_bytes(&SEED);
    let (signature, bare) = (bare.sign(base.as_bytes()), bare.verifying_key());
    let material = KeyMaterial::from(&SigningKey::from_seed(&SEED));
    let verifier = Verifier::new(Policy::web_bot_auth());
    let lookup = |_: Option<&SignatureAgent>, _: Option<&str>| Lookup::Found(material.clone());
    let strict =
        || (0..TIMES).for_each(|_| bare.verify_strict(black_box(base.as_bytes()), &signature).unwrap());
    let ours = || {
        for _ in 0..TIMES {
            let outcome = verifier.verify(&Message::request(black_box(&request)), now, &lookup);
            assert!(black_box(outcome).verified().is_some());
        }
    };
    let [bare, ours] = medians(41, [&strict, &ours]);
    (ours.as_secs_f64() - bare.as_secs_f64()) * 1e6 / f64::from(TIMES)
}

fn main() {
    let (mut criterion, estimates) = Estimates::of(Criterion::default().configure_from_args());
    sign(&mut criterion);
    verify(&mut criterion);
    criterion.final_summary();
    let judge = |goal: Goal, what, figure: Option<f64>| {
        if let Some(figure) = figure {
            goal.judge("signing", what, figure);
        }
    };
    let over = |group, peer| estimates.ratio(group, peer, "bot-etiquette");
    judge(
        at_most(1.02).floor(1.1),
        "`sign_into`, time / bare Ed25519",
        estimates.ratio("sign", "bot-etiquette", "bare-ed25519"),
    );
    judge(
        at_most(300.0),
        "all of it but the key, ns",
        estimates.median("sign", "bot-etiquette-without-the-key"),
    );
    judge(at_least(1.0), "`sign_into`, rate / httpsig", over("sign", "httpsig"));
    judge(at_least(1.0), "`sign_into`, rate / web-bot-auth", over("sign", "web-bot-auth"));
    judge(at_most(3.0).floor(12.0), "`verify`, us above a bare `verify_strict`", Some(above_bare_verify()));
    judge(
        at_least(1.0).floor(0.8),
        "`verify`, rate / web-bot-auth, which is not strict",
        over("verify", "web-bot-auth"),
    );
    judge(at_least(1.0), "`verify`, rate / httpsig", over("verify", "httpsig"));
}
