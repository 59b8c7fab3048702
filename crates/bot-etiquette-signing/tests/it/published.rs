//! The vectors that RFC 9421 and the Web Bot Auth drafts print.

use std::time::SystemTime;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use bot_etiquette_signing::{
    KeyMaterial, Lookup, Message, Outcome, Policy, ReceivedSignature, SignatureAgent, SignatureBase,
    SigningKey, Verifier, WEB_BOT_AUTH_TAG,
};
use http::HeaderValue;

use crate::http_text::{TextMessage, unix};

struct Vector {
    name: String,
    key: String,
    label: String,
    now: SystemTime,
    expect: String,
    deterministic: bool,
    request: Option<TextMessage>,
    message: TextMessage,
    base: String,
}

fn vectors() -> Vec<Vector> {
    let text = include_str!("../fixtures/published.vectors");
    text.split("\n== ").skip(1).map(vector).collect()
}

fn vector(block: &str) -> Vector {
    let word = |name: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.map(str::to_owned).unwrap()
    };
    let quoted = |name: &str| {
        let lines = block.lines().skip_while(|line| *line != name).skip(1);
        let lines: Vec<_> = lines
            .map_while(|line| line.strip_prefix('>').map(|rest| rest.strip_prefix(' ').unwrap_or(rest)))
            .collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    };
    Vector {
        name: block.lines().next().unwrap().to_owned(),
        key: word("key"),
        label: word("label"),
        now: unix(word("now").parse().unwrap()),
        expect: word("expect"),
        deterministic: block.lines().any(|line| line == "deterministic"),
        request: quoted("request").map(|text| TextMessage::parse(&text)),
        message: TextMessage::parse(&quoted("message").unwrap()),
        base: quoted("base").unwrap(),
    }
}

impl Vector {
    fn key(&self) -> Option<KeyMaterial> {
        let keys: serde_json::Value =
            serde_json::from_str(include_str!("../fixtures/rfc9421_keys.json")).unwrap();
        let jwk =
            keys["keys"].as_array().unwrap().iter().find(|jwk| jwk["kid"] == self.key.as_str()).unwrap();
        KeyMaterial::parse(jwk.to_string().as_bytes()).ok()
    }

    fn policy(&self) -> Policy {
        let bots = self.base.contains(&format!("tag=\"{WEB_BOT_AUTH_TAG}\""));
        if bots { Policy::web_bot_auth() } else { Policy::rfc9421() }
    }

    fn judge(&self, message: &TextMessage, policy: Policy) -> Option<Outcome> {
        let key = self.key()?;
        let request = self.request.as_ref().map(|request| request.message(None));
        let lookup = |_: Option<&SignatureAgent>, _: Option<&str>| Lookup::Found(key.clone());
        let verifier = Verifier::new(policy).with_label(&self.label);
        Some(verifier.verify(&message.message(request.as_ref()), self.now, &lookup))
    }

    fn base(&self) -> SignatureBase {
        let request = self.request.as_ref().map(|request| request.message(None));
        let message: Message<'_> = self.message.message(request.as_ref());
        let all = ReceivedSignature::all(&message).unwrap();
        let received = all.iter().find(|one| one.label() == self.label).unwrap();
        SignatureBase::build(&message, received.components().unwrap(), received.params().unwrap()).unwrap()
    }
}

#[test]
fn the_bases_are_those_printed() {
    let vectors = vectors();
    assert_eq!(vectors.len(), 27);
    for vector in vectors {
        assert_eq!(vector.base().as_str(), vector.base, "{}", vector.name);
    }
}

#[test]
fn the_signatures_are_judged_as_printed() {
    let mut judged = 0;
    for vector in vectors() {
        let Some(outcome) = vector.judge(&vector.message, vector.policy().allow_test_keys()) else {
            continue;
        };
        assert_eq!(outcome.reason().unwrap_or("verified"), vector.expect, "{}: {outcome}", vector.name);
        judged += 1;
    }
    let expected = if cfg!(feature = "algorithms") { 27 } else { 11 };
    assert_eq!(judged, expected, "without the feature `algorithms` only Ed25519 is judged");
}

#[test]
fn the_keys_of_the_rfc_are_refused_unless_allowed() {
    for vector in vectors().iter().filter(|vector| vector.expect == "verified") {
        let Some(outcome) = vector.judge(&vector.message, vector.policy()) else { continue };
        // The century-long window of the drafts' vectors is another reason, found before the key.
        let reason = outcome.reason().unwrap_or("verified");
        assert!(
            matches!(reason, "test-key" | "window-too-long" | "agent-invalid"),
            "{}: {reason}",
            vector.name
        );
    }
}

#[test]
fn signing_anew_gives_the_printed_bytes() {
    // The secret of test-key-ed25519, RFC 9421 B.1.4.
    let seed = BASE64_URL_SAFE_NO_PAD.decode("n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU").unwrap();
    let key = SigningKey::from_seed(seed.as_slice().try_into().unwrap());
    let mut signed = 0;
    for vector in vectors().iter().filter(|vector| vector.deterministic && vector.key == "test-key-ed25519") {
        let expected =
            format!("{}=:{}:", vector.label, BASE64_STANDARD.encode(key.sign(vector.base().as_bytes())));
        let sent = vector.message.headers.get_all("signature").iter();
        assert!(sent.into_iter().any(|line| line.to_str().unwrap().contains(&expected)), "{}", vector.name);
        signed += 1;
    }
    assert!(signed >= 8, "{signed}");
}

#[test]
fn no_signature_survives_a_flipped_bit_in_any_byte() {
    for vector in vectors().iter().filter(|vector| vector.expect == "verified") {
        let request = vector.request.as_ref().map(|request| request.message(None));
        let all = ReceivedSignature::all(&vector.message.message(request.as_ref())).unwrap();
        let good = all.iter().find(|one| one.label() == vector.label).unwrap().signature().unwrap().to_vec();
        let input = vector.base().signature_params().to_owned();
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1 << (at % 8);
            let mut message = vector.message.clone();
            set(&mut message, &vector.label, &input, &bad);
            let Some(outcome) = vector.judge(&message, vector.policy().allow_test_keys()) else { break };
            assert_eq!(outcome.reason(), Some("signature-mismatch"), "{} byte {at}", vector.name);
        }
    }
}

#[test]
fn covered_bytes_cannot_be_changed() {
    for vector in vectors().iter().filter(|vector| vector.expect == "verified") {
        let Some(key) = vector.key() else { continue };
        let request = vector.request.as_ref().map(|request| request.message(None));
        let all = ReceivedSignature::all(&vector.message.message(request.as_ref())).unwrap();
        let signature =
            all.iter().find(|one| one.label() == vector.label).unwrap().signature().unwrap().to_vec();
        let base = vector.base();
        let fits = |base: &[u8]| key.algorithms().iter().any(|name| key.verify(*name, base, &signature));
        assert!(fits(base.as_bytes()), "{}", vector.name);
        for at in (0..base.as_bytes().len()).step_by(7) {
            let mut bad = base.as_bytes().to_vec();
            bad[at] ^= 1;
            assert!(!fits(&bad), "{} byte {at}", vector.name);
        }
    }
}

fn set(message: &mut TextMessage, label: &str, input: &str, signature: &[u8]) {
    let text = |text: String| HeaderValue::from_str(&text).unwrap();
    message.headers.insert("signature-input", text(format!("{label}={input}")));
    message.headers.insert("signature", text(format!("{label}=:{}:", BASE64_STANDARD.encode(signature))));
}
