//! The targets of the signing library.

use std::collections::HashSet;
use std::time::{Duration, SystemTime};

use bot_etiquette_signing::directory::{
    DirectoryCache, DirectoryCheck, DirectoryDocument, KeyDirectory, MAX_DIRECTORY_KEYS, MEDIA_TYPE,
    PublishedKey, directory_url,
};
use bot_etiquette_signing::{
    Component, FieldType, KeyMaterial, Lookup, Message, Outcome, Policy, Profile, ReceivedSignature,
    SignatureAgent, SignatureBase, SignatureParams, SignatureRequest, SigningKey, Verifier, VerifyingKey,
    append_signature, explain_for,
};
use http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode};
use sfv::{Dictionary, FieldType as _, Parser};

/// Lines of an input that are looked at: more say nothing new.
const MAX_LINES: usize = 1_000;

fn after_epoch(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
}

/// Lines of any bytes for the fields of a signed request in turn: a typed reason, and never "verified", because
/// no secret is at hand.
pub fn fields(data: &[u8]) {
    let mut request = Request::get("https://example.com/path?a=b&c=d").body(()).expect("a request");
    let names = ["signature-input", "signature", "signature-agent", "x-a", "content-digest"];
    for (line, name) in data.split(|&byte| byte == b'\n').take(MAX_LINES).zip(names.iter().cycle()) {
        if let Ok(value) = HeaderValue::from_bytes(line) {
            request.headers_mut().append(*name, value.clone());
            request.headers_mut().append("accept-signature", value);
        }
    }
    let message = Message::request(&request).body(b"body");
    for one in ReceivedSignature::all(&message).unwrap_or_default() {
        for component in one.components().unwrap_or_default() {
            assert_eq!(component.as_str().parse().as_ref(), Ok(component), "what is written is read again");
        }
    }
    for asked in SignatureRequest::all(request.headers()).unwrap_or_default() {
        let mut headers = HeaderMap::new();
        headers.insert("accept-signature", asked.to_string().parse().expect("a field value"));
        assert_eq!(SignatureRequest::all(&headers).expect("what was written"), [asked]);
    }
    let key = KeyMaterial::from(&SigningKey::from_seed(&[7; 32]));
    let lookup = |_: Option<&SignatureAgent>, _: Option<&str>| Lookup::Found(key.clone());
    for policy in [Policy::web_bot_auth(), Policy::rfc9421().lenient()] {
        let examination = Verifier::new(policy).examine(&message, after_epoch(1_735_689_660), &lookup);
        assert!(!matches!(examination.outcome, Outcome::Verified(_)));
    }
    let _ = explain_for(&message, Profile::Cloudflare);
}

/// Method, URL, `name: value` lines, an empty line, then a component a line: the base has one line a component
/// and no byte beyond printable ASCII, and what was signed verifies.
pub fn base(data: &[u8]) {
    let Some((mut request, covered)) = message(data) else { return };
    let params = SignatureParams::new().created(SystemTime::UNIX_EPOCH).keyid("k");
    let Ok(base) = SignatureBase::build(&Message::request(&request), &covered, &params) else { return };
    assert!(base.as_bytes().iter().all(|byte| matches!(byte, b'\t' | b'\n' | 0x20..=0x7e)));
    assert_eq!(base.as_str().lines().count(), covered.len() + 1);

    if request.headers().contains_key("signature") || request.headers().contains_key("signature-input") {
        return;
    }
    let key = SigningKey::from_seed(&[7; 32]);
    append_signature(request.headers_mut(), "l", &base, &key.sign(base.as_bytes())).expect("fields to add");
    let material = KeyMaterial::from(&key);
    let lookup = |_: Option<&SignatureAgent>, _: Option<&str>| Lookup::Found(material.clone());
    // Only a field too long to send, and a claim to speak for an agent, may stand in the way.
    let outcome =
        Verifier::new(Policy::rfc9421()).verify(&Message::request(&request), SystemTime::UNIX_EPOCH, &lookup);
    assert!(matches!(outcome.reason(), None | Some("malformed" | "missing-parameter")), "{outcome}");
}

/// The request and the components of an input of `base`.
fn message(data: &[u8]) -> Option<(Request<()>, Vec<Component>)> {
    let mut lines = data.split(|&byte| byte == b'\n').take(MAX_LINES);
    let method = lines.next()?;
    let mut request = Request::builder().method(method).uri(lines.next()?).body(()).ok()?;
    for line in lines.by_ref().take_while(|line| !line.is_empty()) {
        let colon = line.iter().position(|&byte| byte == b':')?;
        let (name, value) = line.split_at(colon);
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), HeaderValue::from_bytes(&value[1..])) {
            request.headers_mut().append(name, value);
        }
    }
    let components = lines.filter_map(|line| std::str::from_utf8(line).ok()?.parse().ok()).collect();
    Some((request, components))
}

/// A text as a dictionary field: its members are what `sfv` reads and writes, and the two signature fields never
/// hold a label twice.
pub fn dictionary(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(value) = HeaderValue::from_str(text) else { return };
    let mut request = Request::get("https://example.com/").body(()).expect("a request");
    for name in ["x-any", "signature-input", "signature"] {
        request.headers_mut().insert(name, value.clone());
    }
    let types = [("x-any", FieldType::Dictionary)];
    let message = Message::request(&request).field_types(&types);

    let parsed = Parser::new(text.trim_matches([' ', '\t'])).parse::<Dictionary>().ok();
    let whole: Component = "x-any;sf".parse().expect("a component");
    match &parsed {
        Some(members) => {
            let written = message.value(&whole).expect("a dictionary");
            assert_eq!(written, members.serialize().unwrap_or_default());
            for key in members.keys() {
                let member = Component::member("x-any", key.as_str()).expect("a member's name");
                assert!(message.value(&member).is_ok());
            }
        }
        None => assert!(message.value(&whole).is_err()),
    }
    if let Ok(all) = ReceivedSignature::all(&message) {
        let labels: HashSet<_> = all.iter().map(ReceivedSignature::label).collect();
        assert_eq!(labels.len(), all.len());
        assert_eq!(labels.len(), parsed.map_or(0, |members| members.len()));
    }
}

/// A key directory of any bytes: read within its limits or refused, and what was read can be published and read
/// again.
pub fn directory(data: &[u8]) {
    let now = after_epoch(1_800_000_000);
    let mut headers = HeaderMap::new();
    headers.insert("content-type", HeaderValue::from_static(MEDIA_TYPE));
    let check = DirectoryCheck::new(data).response(StatusCode::OK, &headers).authority("bot.example");
    assert_eq!(check.run(now).len(), 5);
    let _ = KeyMaterial::parse(data);
    if let Ok(secret) = SigningKey::parse(data) {
        assert_eq!(&VerifyingKey::parse(data).expect("its public half"), secret.verifying_key());
    }

    let url = directory_url("https://bot.example").expect("an agent");
    let mut cache = DirectoryCache::new();
    let taken = cache.fetched(&url, StatusCode::OK, &headers, data, now).cloned();
    let Ok(document) = DirectoryDocument::parse(data) else {
        assert!(taken.is_err());
        return;
    };
    assert_eq!(taken.as_ref(), Ok(&document));
    assert!(document.entries().len() + document.skipped().len() <= MAX_DIRECTORY_KEYS);
    let keys = document.entries().iter().map(|entry| PublishedKey::unsigned(entry.key().clone()));
    if let Ok(directory) = KeyDirectory::builder().keys(keys).allow_test_keys(true).build() {
        let again = DirectoryDocument::parse(directory.document().as_bytes()).expect("what was published");
        let thumbprints = |document: &DirectoryDocument| {
            document.entries().iter().map(|entry| entry.thumbprint().clone()).collect::<Vec<_>>()
        };
        assert_eq!(thumbprints(&again), thumbprints(&document));
        assert!(again.entries().iter().all(|entry| entry.notes().is_empty()));
    }
}
