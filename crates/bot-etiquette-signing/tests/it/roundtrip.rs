//! What is signed verifies, and nothing else does: over random messages and components.

use std::time::Duration;

use bot_etiquette_signing::{
    Component, KeyMaterial, Lookup, Message, Policy, Profile, SignatureAgent, SignatureBase, SignatureParams,
    Signer, SigningKey, Verifier, append_signature,
};
use http::{HeaderValue, Request};
use proptest::prelude::*;
use proptest::sample::subsequence;

use crate::http_text::unix;

/// Every kind of component that the requests below have.
const COMPONENTS: [&str; 17] = [
    "@method",
    "@target-uri",
    "@authority",
    "@scheme",
    "@request-target",
    "@path",
    "@query",
    "@query-param;name=\"p\"",
    "x-one",
    "x-two",
    "x-one;bs",
    "x-two;bs",
    "example-dict",
    "example-dict;sf",
    "example-dict;key=\"a\"",
    "example-dict;key=\"b\";sf",
    "content-type",
];

prop_compose! {
    fn requests()(
        host in "[a-zA-Z]{1,8}\\.example(:[1-9][0-9]{1,3})?",
        path in "(/[a-zA-Z0-9%.~-]{0,6}){1,3}",
        param in "[a-zA-Z0-9+*._-]{0,8}",
        one in "[ -~]{0,20}",
        two in prop::collection::vec("[ -~]{0,10}", 1..3),
        a in -999i64..999,
        b in "[a-z]{1,5}",
    ) -> Request<()> {
        let mut request = Request::builder()
            .method("PUT")
            .uri(format!("https://{host}{}?p={param}", path.replace('%', "%25")))
            .header("x-one", one)
            .header("example-dict", format!("a={a},   b={b};q"))
            .header("content-type", "text/plain");
        for line in two {
            request = request.header("x-two", line);
        }
        request.body(()).unwrap()
    }
}

fn components() -> impl Strategy<Value = Vec<Component>> {
    subsequence(COMPONENTS.to_vec(), 0..=COMPONENTS.len())
        .prop_shuffle()
        .prop_map(|list| list.into_iter().map(|text| text.parse().unwrap()).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_signature_verifies_until_a_covered_part_changes(
        request in requests(),
        covered in components(),
        seed: [u8; 32],
        nonce in "[ -~]{1,40}",
        change in 0..5,
    ) {
        let mut request = request;
        let key = SigningKey::from_seed(&seed);
        let now = unix(1_800_000_000);
        let params = SignatureParams::new()
            .keyid("any \"key\" \\").nonce(nonce).created(now).tag("test").expires(now + Duration::from_secs(9));
        let base = SignatureBase::build(&Message::request(&request), &covered, &params).unwrap();
        append_signature(request.headers_mut(), "l-1", &base, &key.sign(base.as_bytes())).unwrap();

        let material = KeyMaterial::from(&key);
        let lookup = |_: Option<&SignatureAgent>, _: Option<&str>| Lookup::Found(material.clone());
        let verifier = Verifier::new(Policy::rfc9421().with_tag("test"));
        let outcome = verifier.verify(&Message::request(&request), now, &lookup);
        let verified = outcome.verified().unwrap();
        prop_assert_eq!(verified.base.as_str(), base.as_str());
        prop_assert_eq!(verified.base.covered().len(), covered.len());

        match change {
            0 => *request.method_mut() = "POST".parse().unwrap(),
            1 => *request.uri_mut() = "https://changed.example/?p=changed&q".parse().unwrap(),
            2 => drop(request.headers_mut().append("x-one", HeaderValue::from_static("more"))),
            3 => drop(request.headers_mut().insert("example-dict", HeaderValue::from_static("a=1000, b=2"))),
            _ => drop(request.headers_mut().remove("x-two")),
        }
        let again = SignatureBase::build(&Message::request(&request), &covered, &params);
        let same = again.is_ok_and(|again| again.as_str() == base.as_str());
        let outcome = verifier.verify(&Message::request(&request), now, &lookup);
        prop_assert_eq!(outcome.verified().is_some(), same, "{}", outcome);
    }

    #[test]
    fn a_bots_request_verifies_in_every_profile(
        request in requests(),
        more in components(),
        seed: [u8; 32],
        profile in prop::sample::select(Profile::ALL.to_vec()),
        nonce in prop::option::of("[A-Za-z0-9+/=]{1,88}"),
        lifetime in 1u64..=86_400,
        at in 0u64..4_000_000_000,
    ) {
        let mut request = request;
        let key = SigningKey::from_seed(&seed);
        let material = KeyMaterial::from(&key);
        let mut builder = Signer::builder(key, "https://bot.example/")
            .profile(profile)
            .lifetime(Duration::from_secs(lifetime));
        for component in more.into_iter().filter(|component| component.as_str() != "\"@authority\"") {
            builder = builder.component(component);
        }
        let signer = builder.build().unwrap();
        let now = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(at);
        signer.sign(&mut request, now, nonce.as_deref()).unwrap();
        // A second signing takes the place of the first.
        signer.sign(&mut request, now, nonce.as_deref()).unwrap();

        let lookup = |agent: Option<&SignatureAgent>, keyid: Option<&str>| {
            let directory = agent.map(|agent| agent.directory().as_str());
            assert_eq!(directory, Some("https://bot.example/.well-known/http-message-signatures-directory"));
            assert_eq!(keyid, Some(signer.keyid()));
            Lookup::Found(material.clone())
        };
        let verifier = Verifier::default();
        let outcome = verifier.verify(&Message::request(&request), now, &lookup);
        prop_assert_eq!(outcome.verified().and_then(|verified| verified.profile()), Some(profile), "{}", outcome);
        let last = now + Duration::from_secs(lifetime - 1);
        prop_assert!(verifier.verify(&Message::request(&request), last, &lookup).verified().is_some());
        let after = now + Duration::from_secs(lifetime);
        prop_assert_eq!(verifier.verify(&Message::request(&request), after, &lookup).reason(), Some("expired"));
    }
}
