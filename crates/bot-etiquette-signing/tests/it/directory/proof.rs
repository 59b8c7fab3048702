use std::time::Duration;

use bot_etiquette_signing::directory::{
    CheckStep, DirectoryCheck, DirectoryDocument, DirectoryError, KeyDirectory, PublishedKey,
};
use bot_etiquette_signing::{ExternalSigner, Message, SigningKey, VerifyingKey};
use http::{HeaderMap, Request, Response, StatusCode};
use std::sync::Arc;

use super::{at, key, keyid, set};

const NOW: u64 = 1_800_000_000;

fn directory(keys: &[u8]) -> KeyDirectory {
    KeyDirectory::builder().keys(keys.iter().map(|byte| PublishedKey::new(key(*byte)))).build().unwrap()
}

/// The reason of each key's proof, or "verified".
fn proofs(response: &Response<String>, authority: &str, now: u64) -> Vec<&'static str> {
    let document = DirectoryDocument::parse(response.body().as_bytes()).unwrap();
    let request = Request::get(format!("https://{authority}/")).body(()).unwrap();
    let request = Message::request(&request);
    let message = Message::response(response).body(response.body().as_bytes()).answering(&request);
    let proofs = document.proofs(&message, at(now));
    proofs.iter().map(|proof| proof.outcome.reason().unwrap_or("verified")).collect()
}

#[test]
fn every_key_signs_the_response_for_its_authority() {
    let response = directory(&[1, 2, 3]).response("bot.example", at(NOW)).unwrap();
    let header = |name: &str| response.headers()[name].to_str().unwrap();
    assert_eq!(header("content-type"), "application/http-message-signatures-directory+json");
    assert_eq!(header("cache-control"), "public, max-age=3600");
    let first = format!(
        "sig1=(\"@authority\";req);created={NOW};expires={};keyid=\"{}\";tag=\"http-message-signatures-directory\"",
        NOW + 3900,
        keyid(1)
    );
    assert!(header("signature-input").starts_with(&first), "{}", header("signature-input"));
    assert_eq!(header("signature").matches(", ").count(), 2);
    assert_eq!(proofs(&response, "bot.example", NOW), ["verified"; 3]);
    assert_eq!(proofs(&response, "BOT.example:443", NOW), ["verified"; 3]);
    for other in ["copy.example", "bot.example:8443", "www.bot.example"] {
        assert_eq!(proofs(&response, other, NOW), ["signature-mismatch"; 3]);
    }
}

#[test]
fn a_proof_counts_as_long_as_cached_copies_and_no_longer() {
    let response = directory(&[1]).response("bot.example", at(NOW)).unwrap();
    for (now, end) in [
        (NOW - 31, "not-yet-valid"),
        (NOW - 30, "verified"),
        (NOW + 3600, "verified"),
        (NOW + 3899, "verified"),
        (NOW + 3900, "expired"),
    ] {
        assert_eq!(proofs(&response, "bot.example", now), [end], "{now}");
    }
}

#[test]
fn a_covered_digest_ties_the_signature_to_the_document() {
    let directory =
        KeyDirectory::builder().key(PublishedKey::new(key(1))).content_digest(true).build().unwrap();
    let response = directory.response("bot.example", at(NOW)).unwrap();
    assert_eq!(proofs(&response, "bot.example", NOW), ["verified"]);
    let swapped = response.map(|body| body.replace("\"use\"", "\"u_e\""));
    assert_eq!(proofs(&swapped, "bot.example", NOW), ["digest-mismatch"]);
}

#[test]
fn a_signature_of_another_kind_proves_nothing() {
    let response = directory(&[1]).response("bot.example", at(NOW)).unwrap();
    let changed = |from: &str, to: &str| {
        let mut changed = response.clone();
        let input = response.headers()["signature-input"].to_str().unwrap().replace(from, to);
        changed.headers_mut().insert("signature-input", input.parse().unwrap());
        proofs(&changed, "bot.example", NOW)
    };
    assert_eq!(changed("http-message-signatures-directory", "web-bot-auth"), ["no-signature"]);
    assert_eq!(changed(&keyid(1), &keyid(2)), ["no-signature"]);
    assert_eq!(changed("\"@authority\";req", "\"@authority\""), ["component-unknown"]);
    assert_eq!(changed("\"@authority\";req", "\"content-type\""), ["component-not-covered"]);
    assert_eq!(changed(&format!(";expires={}", NOW + 3900), ""), ["missing-parameter"]);
    let mut unsigned = response.clone();
    unsigned.headers_mut().remove("signature");
    assert_ne!(proofs(&unsigned, "bot.example", NOW), ["verified"]);
}

#[test]
fn only_an_authority_is_signed_for() {
    for bad in ["", "https://bot.example", "user@bot.example", "bot example", "bot.example/path", ":443"] {
        let error = directory(&[1]).response(bad, at(NOW)).unwrap_err();
        assert!(matches!(error, DirectoryError::Authority { .. }), "{bad}: {error}");
    }
    for good in ["bot.example", "127.0.0.1:8080", "[::1]:8080", "xn--bcher-kva.example"] {
        let response = directory(&[1]).response(good, at(NOW)).unwrap();
        assert_eq!(proofs(&response, good, NOW), ["verified"], "{good}");
    }
}

#[test]
fn a_stored_response_must_outlive_its_cached_copies() {
    let directory = directory(&[1]);
    let lifetime = |seconds| directory.presigned("bot.example", at(NOW), Duration::from_secs(seconds));
    assert_eq!(
        lifetime(3600).unwrap_err(),
        DirectoryError::LifetimeTooShort { lifetime: 3600, max_age: 3600 }
    );
    let response = lifetime(30 * 86_400).unwrap();
    assert_eq!(proofs(&response, "bot.example", NOW + 29 * 86_400), ["verified"]);
    assert!(matches!(lifetime(u64::MAX), Err(DirectoryError::Unsigned { .. })));
}

struct Broken(SigningKey);

impl ExternalSigner for Broken {
    fn algorithm(&self) -> bot_etiquette_signing::Algorithm {
        bot_etiquette_signing::Algorithm::Ed25519
    }
    fn keyid(&self) -> String {
        self.0.thumbprint().to_string()
    }
    fn sign(&self, base: &[u8], into: &mut Vec<u8>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        into.extend_from_slice(&SigningKey::sign(&self.0, base));
        Ok(())
    }
}

#[test]
fn a_key_kept_elsewhere_signs_and_is_found_out_when_it_is_another() {
    let build = |public: &VerifyingKey| {
        let published = PublishedKey::external(public.clone(), Arc::new(Broken(key(1))));
        KeyDirectory::builder().key(published).build().unwrap().response("bot.example", at(NOW))
    };
    assert_eq!(proofs(&build(key(1).verifying_key()).unwrap(), "bot.example", NOW), ["verified"]);
    assert!(matches!(build(key(2).verifying_key()), Err(DirectoryError::NotSigned { .. })));
}

#[track_caller]
fn check(check: DirectoryCheck<'_>, now: u64, expected: [Option<bool>; 5]) -> String {
    let findings = check.run(at(now));
    assert_eq!(findings.iter().map(|finding| finding.step).collect::<Vec<_>>(), CheckStep::ALL);
    let messages = findings.iter().map(|finding| finding.message.clone()).collect::<Vec<_>>().join("\n");
    assert_eq!(findings.iter().map(|finding| finding.ok).collect::<Vec<_>>(), expected, "{messages}");
    messages
}

const YES: Option<bool> = Some(true);
const NO: Option<bool> = Some(false);

#[test]
fn a_good_directory_passes_every_step() {
    let response = directory(&[1, 2]).response("bot.example", at(NOW)).unwrap();
    let whole = DirectoryCheck::new(response.body().as_bytes()).response(StatusCode::OK, response.headers());
    check(whole.authority("bot.example"), NOW, [YES; 5]);
    check(whole, NOW, [YES, YES, YES, YES, None]);
    check(whole.authority("other.example"), NOW, [YES, YES, YES, YES, NO]);
    check(whole.authority("bot.example"), NOW + 3900, [YES, YES, YES, YES, NO]);
    check(DirectoryCheck::new(response.body().as_bytes()), NOW, [None, YES, YES, YES, None]);
    check(
        DirectoryCheck::new(response.body().as_bytes()).authority("bot.example"),
        NOW,
        [None, YES, YES, YES, None],
    );
}

#[test]
fn each_step_finds_its_own_problems() {
    let alone = |json: &str, expected| check(DirectoryCheck::new(json.as_bytes()), NOW, expected);
    alone("not json", [None, NO, None, None, None]);
    alone("{\"keys\":[]}", [None, NO, None, None, None]);
    alone(&set(&[(1, ",\"d\":\"AAAA\"")]), [None, NO, None, None, None]);
    alone(&key(1).verifying_key().to_jwk(), [None, NO, YES, YES, None]);
    alone(r#"{"keys":[{"kty":"RSA"}]}"#, [None, NO, None, None, None]);
    let rsa = set(&[(1, "")]).replace("[{", r#"[{"kty":"RSA"},{"#);
    alone(&rsa, [None, YES, YES, YES, None]);
    let message = alone(&set(&[(1, "")]), [None, YES, YES, YES, None]);
    assert!(message.contains("no \"kid\""), "{message}");
    alone(&set(&[(1, ",\"kid\":\"label\"")]), [None, YES, NO, YES, None]);
    alone(&set(&[(1, ",\"nbf\":1900000000")]), [None, YES, YES, NO, None]);
    alone(&set(&[(1, ""), (2, ",\"nbf\":1900000000")]), [None, YES, YES, YES, None]);
    alone(&set(&[(1, ""), (2, ",\"exp\":1700000000")]), [None, YES, YES, NO, None]);
    alone(&set(&[(1, ",\"exp\":1900000000000")]), [None, YES, YES, NO, None]);
    alone(&set(&[(1, ",\"nbf\":1900000001,\"exp\":1900000000")]), [None, YES, YES, NO, None]);
    alone(&set(&[(1, ""), (2, ",\"exp\":\"soon\"")]), [None, YES, YES, NO, None]);

    let good = set(&[(1, "")]);
    let mut headers = HeaderMap::new();
    let head = |status, headers: &HeaderMap| {
        let check_head =
            DirectoryCheck::new(good.as_bytes()).response(status, headers).authority("bot.example");
        check(check_head, NOW, [NO, YES, YES, YES, NO])
    };
    assert!(head(StatusCode::OK, &headers).contains("media type none"));
    headers.insert("content-type", "application/json".parse().unwrap());
    assert!(head(StatusCode::OK, &headers).contains("media type \"application/json\""));
    assert!(head(StatusCode::FOUND, &headers).contains("redirect"));
}

#[test]
fn one_unsigned_key_among_signed_ones_is_named() {
    let directory = KeyDirectory::builder()
        .key(PublishedKey::new(key(1)))
        .key(PublishedKey::unsigned(key(2).verifying_key().clone()))
        .build()
        .unwrap();
    let response = directory.response("bot.example", at(NOW)).unwrap();
    assert_eq!(proofs(&response, "bot.example", NOW), ["verified", "no-signature"]);
    let whole = DirectoryCheck::new(response.body().as_bytes()).response(StatusCode::OK, response.headers());
    let messages = check(whole.authority("bot.example"), NOW, [YES, YES, YES, YES, NO]);
    assert!(messages.contains(&format!("key {}: unverified, no-signature", keyid(2))), "{messages}");
}
