//! Each reason for which a signature is refused, by a message that has this fault alone.

use std::cell::RefCell;
use std::collections::HashSet;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use bot_etiquette_signing::{
    Component, ContentCheck, DigestAlgorithm, InvalidReason, KeyMaterial, Lookup, MAX_BASE_BYTES,
    MAX_FIELD_BYTES, MAX_LIFETIME, Message, NonceStore, Policy, Profile, SignatureAgent, SignatureBase,
    SignatureParams, SigningKey, UnverifiedReason, Verifier, content_digest,
};
use http::{HeaderValue, Request};

use crate::http_text::unix;

const NOW: i64 = 1_800_000_000;

/// A request of a bot as it should be, to be spoilt in one way.
struct Bot {
    key: SigningKey,
    request: Request<&'static str>,
    covered: Vec<&'static str>,
    params: SignatureParams,
    policy: Policy,
    lookup: Lookup,
}

fn bot() -> Bot {
    let key = SigningKey::from_seed(&[7; 32]);
    let request = Request::get("https://example.com/a")
        .header("signature-agent", "\"https://bot.example\"")
        .body("content")
        .unwrap();
    let params = SignatureParams::new()
        .created(unix(NOW))
        .expires(unix(NOW + 60))
        .keyid(key.thumbprint().as_str())
        .tag("web-bot-auth");
    let lookup = Lookup::Found(KeyMaterial::from(&key));
    Bot {
        key,
        request,
        covered: vec!["@authority", "signature-agent"],
        params,
        policy: Policy::web_bot_auth(),
        lookup,
    }
}

impl Bot {
    fn sign(&mut self) {
        let covered: Vec<Component> = self.covered.iter().map(|text| text.parse().unwrap()).collect();
        let base = SignatureBase::build(&Message::request(&self.request), &covered, &self.params).unwrap();
        self.send(&format!("sig1={}", base.signature_params()), &self.key.sign(base.as_bytes()));
    }

    fn send(&mut self, input: &str, signature: &[u8]) {
        let signature = format!("sig1=:{}:", BASE64_STANDARD.encode(signature));
        self.fields(input, &signature);
    }

    fn fields(&mut self, input: &str, signature: &str) {
        for (name, value) in [("signature-input", input), ("signature", signature)] {
            self.request.headers_mut().insert(name, HeaderValue::from_str(value).unwrap());
        }
    }

    fn field(&mut self, name: &'static str, value: &str) {
        self.request.headers_mut().insert(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }

    fn reason(&self, now: i64) -> &'static str {
        let lookup = |_: Option<&SignatureAgent>, _: Option<&str>| self.lookup.clone();
        let message = Message::request(&self.request).body(self.request.body().as_bytes());
        let outcome = Verifier::new(self.policy.clone()).verify(&message, unix(now), &lookup);
        outcome.reason().unwrap_or("verified")
    }
}

/// Signs after the change, and judges.
#[track_caller]
fn signed(expected: &str, change: impl FnOnce(&mut Bot)) {
    let mut bot = bot();
    change(&mut bot);
    bot.sign();
    assert_eq!(bot.reason(NOW), expected);
}

/// Changes after signing, and judges.
#[track_caller]
fn changed(expected: &str, change: impl FnOnce(&mut Bot)) {
    let mut bot = bot();
    bot.sign();
    change(&mut bot);
    assert_eq!(bot.reason(NOW), expected);
}

/// Sends this Signature-Input with a signature of 64 bytes that fits nothing.
#[track_caller]
fn input(expected: &str, input: &str) {
    let mut bot = bot();
    bot.send(input, &[0; 64]);
    assert_eq!(bot.reason(NOW), expected, "{:.200}", input);
}

#[test]
fn a_good_request_verifies() {
    signed("verified", |_| {});
}

#[test]
fn parameters_must_be_there_and_have_their_types() {
    let rest = "created=1800000000;expires=1800000060;keyid=\"k\"";
    for (text, reason) in [
        ("(\"@authority\");tag=\"web-bot-auth\"", "missing-parameter"),
        (&*format!("(\"@authority\");{rest}"), "missing-parameter"),
        (&format!("(\"@authority\");{rest};tag=\"other\""), "wrong-tag"),
        (&format!("(\"@authority\");{rest};tag=web-bot-auth"), "malformed"),
        ("(\"@authority\");created=1.5;tag=\"web-bot-auth\"", "malformed"),
        ("(\"@authority\");created=@1800000000;tag=\"web-bot-auth\"", "malformed"),
        ("(\"@authority\");created=\"1800000000\";tag=\"web-bot-auth\"", "malformed"),
        ("(\"@authority\");created;tag=\"web-bot-auth\"", "malformed"),
        ("(\"@authority\");created=1800000000;expires=1e9;tag=\"web-bot-auth\"", "malformed"),
        ("(\"@authority\");keyid=%\"k\";tag=\"web-bot-auth\"", "malformed"),
        ("(\"@authority\");nonce=:AAAA:;tag=\"web-bot-auth\"", "malformed"),
    ] {
        input(reason, &format!("sig1={text}"));
    }
    signed("missing-parameter", |bot| bot.policy = Policy::web_bot_auth().require_nonce());
}

#[test]
fn the_window_is_kept_to_the_second() {
    for (created, expires, now, reason) in [
        (NOW, NOW + 60, NOW + 59, "verified"),
        (NOW, NOW + 60, NOW + 60, "expired"),
        (NOW, NOW + 60, NOW - 30, "verified"),
        (NOW, NOW + 60, NOW - 31, "not-yet-valid"),
        (NOW, NOW, NOW, "bad-window"),
        (NOW, NOW - 1, NOW - 5, "bad-window"),
        (NOW, NOW + 86_400, NOW, "verified"),
        (NOW, NOW + 86_401, NOW, "window-too-long"),
        (NOW, 999_999_999_999_999, NOW, "window-too-long"),
        (0, 1, 0, "verified"),
    ] {
        let mut bot = bot();
        bot.params = bot.params.created(unix(created)).expires(unix(expires));
        bot.sign();
        assert_eq!(bot.reason(now), reason, "{created} {expires} {now}");
    }
    assert_eq!(MAX_LIFETIME, Duration::from_secs(86_400));
    for bad in ["created=-1;expires=1800000060", "created=1800000000;expires=-1"] {
        input(
            "bad-window",
            &format!("sig1=(\"@authority\" \"signature-agent\");{bad};keyid=\"k\";tag=\"web-bot-auth\""),
        );
    }
    let mut old = bot();
    old.policy = Policy::web_bot_auth().with_max_age(Some(Duration::from_secs(10)));
    old.sign();
    assert_eq!((old.reason(NOW + 10), old.reason(NOW + 11)), ("verified", "expired"));
    // The skew is cut to five minutes.
    let mut fast = bot();
    fast.policy = Policy::web_bot_auth().with_skew(Duration::from_secs(9999));
    fast.sign();
    assert_eq!((fast.reason(NOW - 300), fast.reason(NOW - 301)), ("verified", "not-yet-valid"));
}

#[test]
fn what_must_be_covered_is_covered_and_known() {
    signed("component-not-covered", |bot| bot.covered = vec!["signature-agent"]);
    signed("component-not-covered", |bot| bot.covered = vec![]);
    signed("component-not-covered", |bot| bot.covered = vec!["@authority"]);
    signed("component-not-covered", |bot| {
        bot.policy = Policy::web_bot_auth().require_component(Component::method())
    });
    signed("verified", |bot| bot.covered = vec!["@target-uri", "signature-agent"]);
    for (component, reason) in [
        ("\"x-a\"", "component-missing"),
        ("\"@authority\"", "component-duplicate"),
        ("\"@nonsense\"", "component-unknown"),
        ("\"@signature-params\"", "component-unknown"),
        ("\"@status\"", "component-unknown"),
        ("\"x-a\";foo", "component-unknown"),
        ("\"X-A\"", "component-unknown"),
        ("\"@method\";req", "component-unknown"),
        ("\"x-a\";bs;sf", "component-unknown"),
        ("x-a", "malformed"),
    ] {
        let key = bot().key.thumbprint();
        let params = format!("created=1800000000;expires=1800000060;keyid=\"{key}\";tag=\"web-bot-auth\"");
        input(reason, &format!("sig1=(\"@authority\" \"signature-agent\" {component});{params}"));
    }
}

#[test]
fn the_window_of_the_published_examples_passes_with_their_keys_alone() {
    let published = (1_735_689_600, 4_889_289_600);
    // The secret of RFC 9421, B.1.4.
    let secret = BASE64_URL_SAFE_NO_PAD.decode("n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU").unwrap();
    let test_key = || SigningKey::from_seed(&secret.as_slice().try_into().unwrap());
    let own_key = || SigningKey::from_seed(&[7; 32]);
    for (key, allowed, (created, expires), reason) in [
        (own_key(), false, published, "window-too-long"),
        (own_key(), true, published, "window-too-long"),
        (test_key(), false, published, "window-too-long"),
        (test_key(), true, published, "verified"),
        (test_key(), true, (published.0, published.1 - 1), "window-too-long"),
        (test_key(), true, (NOW, NOW + 86_401), "window-too-long"),
    ] {
        let mut bot = bot();
        if allowed {
            bot.policy = bot.policy.allow_test_keys();
        }
        bot.lookup = Lookup::Found(KeyMaterial::from(&key));
        bot.params =
            bot.params.keyid(key.thumbprint().as_str()).created(unix(created)).expires(unix(expires));
        bot.key = key;
        bot.sign();
        assert_eq!(bot.reason(NOW), reason, "{allowed} {created} {expires}");
    }
}

#[test]
fn an_examination_tells_each_step_up_to_the_one_that_failed() {
    let steps = |now: i64, change: fn(&mut Bot)| {
        let mut bot = bot();
        bot.sign();
        change(&mut bot);
        let lookup = |_: Option<&SignatureAgent>, _: Option<&str>| bot.lookup.clone();
        let message = Message::request(&bot.request);
        let steps = Verifier::new(bot.policy.clone()).examine(&message, unix(now), &lookup).steps;
        steps.into_iter().map(|step| (step.name, step.held)).collect::<Vec<_>>()
    };
    let all =
        ["fields", "parameters", "coverage", "window", "key", "algorithm", "base", "signature", "verdict"];
    assert_eq!(steps(NOW, |_| {}), all.map(|name| (name, true)));
    let early = steps(NOW + 60, |_| {});
    assert_eq!(early[..3], [("fields", true), ("parameters", true), ("coverage", true)]);
    assert_eq!((early.len(), early[3].1), (4, false), "{early:?}");
    let late = steps(NOW, |bot| bot.key = SigningKey::from_seed(&[8; 32]));
    assert_eq!(late, all.map(|name| (name, true)), "the key of the lookup counts");
    let wrong =
        steps(NOW, |bot| bot.lookup = Lookup::Found(KeyMaterial::from(&SigningKey::from_seed(&[8; 32]))));
    assert!(wrong.len() < all.len() && wrong.last().is_some_and(|(_, held)| !held), "{wrong:?}");
}

#[test]
fn a_step_tells_what_it_looked_at() {
    let tells = |step: &str, change: fn(&mut Bot)| {
        let mut bot = bot();
        change(&mut bot);
        bot.sign();
        let lookup = |_: Option<&SignatureAgent>, _: Option<&str>| bot.lookup.clone();
        let verifier = Verifier::new(bot.policy.clone());
        let steps = verifier.examine(&Message::request(&bot.request), unix(NOW), &lookup).steps;
        let told: Vec<_> = steps.into_iter().map(|step| format!("{}: {}", step.name, step.detail)).collect();
        told.into_iter().find(|told| told.starts_with(step)).unwrap_or_default()
    };
    assert_eq!(tells("coverage", |_| {}), "coverage: \"@authority\" \"signature-agent\"");
    assert_eq!(tells("window", |_| {}), "window: 1800000000 <= 1800000000 < 1800000060");
    let another = |bot: &mut Bot| bot.params = bot.params.clone().alg("rsa-pss-sha512");
    let told = tells("algorithm", another);
    assert!(told.ends_with("alg is \"rsa-pss-sha512\", and the key is for ed25519"), "{told}");
}

#[test]
fn what_speaks_for_a_bot_says_so_whatever_the_policy_asks_for() {
    let untagged = |bot: &mut Bot| {
        let params = SignatureParams::new().created(unix(NOW)).expires(unix(NOW + 60));
        bot.params = params.keyid(bot.key.thumbprint().as_str());
        bot.policy = Policy::rfc9421();
    };
    signed("missing-parameter", untagged);
    signed("verified", |bot| {
        untagged(bot);
        bot.covered = vec!["@authority"];
    });
}

#[test]
fn the_algorithms_of_policy_key_and_parameter_agree() {
    for (alg, reason) in [
        ("ed25519", "verified"),
        ("EdDSA", "algorithm-not-allowed"),
        ("hmac-sha256", "algorithm-not-allowed"),
        ("none", "algorithm-not-allowed"),
        ("rsa-pss-sha512", "algorithm-mismatch"),
    ] {
        signed(reason, |bot| bot.params = bot.params.clone().alg(alg));
    }
    signed("algorithm-not-allowed", |bot| bot.policy = Policy::web_bot_auth().with_algorithms(&[]));
}

#[test]
fn the_key_is_the_agents_own_and_strong() {
    signed("key-unknown", |bot| bot.lookup = Lookup::Unknown);
    signed("directory-unavailable", |bot| bot.lookup = Lookup::Unavailable);
    changed("component-missing", |bot| drop(bot.request.headers_mut().remove("signature-agent")));
    signed("no-agent", |bot| {
        bot.request.headers_mut().remove("signature-agent");
        bot.covered = vec!["@authority"];
        bot.lookup = Lookup::Unknown;
    });
    signed("key-id-mismatch", |bot| bot.params = bot.params.clone().keyid("my key"));
    let other = KeyMaterial::from(&SigningKey::from_seed(&[8; 32]));
    signed("key-id-mismatch", |bot| bot.lookup = Lookup::Found(other));

    // The neutral point is a key under which some signature fits every message.
    let weak = format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"AQ{}"}}"#, "A".repeat(41));
    let weak = KeyMaterial::parse(weak.as_bytes()).unwrap();
    signed("weak-key", |bot| bot.lookup = Lookup::Found(weak));
    let printed = KeyMaterial::parse(
        br#"{"kty":"OKP","crv":"Ed25519","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"}"#,
    );
    signed("test-key", |bot| bot.lookup = Lookup::Found(printed.unwrap()));
}

#[test]
fn the_signature_is_whole_canonical_and_fits() {
    changed("signature-mismatch", |bot| *bot.request.uri_mut() = "https://evil.example/".parse().unwrap());
    changed("signature-mismatch", |bot| bot.field("signature-agent", "\"https://other.example\""));
    for length in [0, 1, 63, 65, 512] {
        let mut bot = bot();
        bot.sign();
        bot.field("signature", &format!("sig1=:{}:", BASE64_STANDARD.encode(vec![1; length])));
        assert_eq!(bot.reason(NOW), "bad-length", "{length}");
    }
    let mut good = bot();
    good.sign();
    let text = good.request.headers()["signature"].to_str().unwrap().to_owned();
    assert!(text.ends_with("==:"));
    for (bad, reason) in [
        (text.replace("==:", ":"), "bad-encoding"),
        (text.replace("==:", "=:"), "bad-encoding"),
        (text.replace(':', ""), "malformed"),
        (text.replace("sig1=:", "sig1=:-_"), "bad-encoding"),
        (text.replace("sig1=:", "sig1=\"").replace("==:", "\""), "malformed"),
        (text.replace("sig1=", "sig2="), "malformed"),
        (format!("{text}, {text}"), "malformed"),
    ] {
        let mut bot = bot();
        bot.sign();
        bot.field("signature", &bad);
        assert_eq!(bot.reason(NOW), reason, "{bad}");
    }
    // Padding may be missing where the policy is lenient.
    good.policy = Policy::web_bot_auth().lenient();
    good.field("signature", &text.replace("==:", ":"));
    assert_eq!(good.reason(NOW), "verified");
}

#[test]
fn an_agent_is_an_https_url_in_one_of_three_forms() {
    for (agent, component, reason) in [
        ("\"https://bot.example\"", "signature-agent", "verified"),
        ("\"https://bot.example/\"", "signature-agent", "verified"),
        ("sig1=\"https://bot.example\"", "signature-agent;key=\"sig1\"", "verified"),
        ("sig1=\"https://bot.example\";type=directory", "signature-agent;key=\"sig1\"", "verified"),
        ("a=\"https://a.example\", sig1=\"https://b.example\"", "signature-agent;key=\"sig1\"", "verified"),
        ("sig1=\"https://bot.example/jwks.json\"", "signature-agent;key=\"sig1\"", "verified"),
        (
            "sig1=\"https://bot.example/jwks.json\";type=jwks_uri",
            "signature-agent;key=\"sig1\"",
            "agent-invalid",
        ),
        ("sig1=\"https://bot.example\";type=cimd", "signature-agent;key=\"sig1\"", "agent-invalid"),
        ("\"https://bot.example/path\"", "signature-agent", "agent-invalid"),
        ("\"http://bot.example\"", "signature-agent", "agent-invalid"),
        ("\"https://user@bot.example\"", "signature-agent", "agent-invalid"),
        ("\"data:text/plain,x\"", "signature-agent", "agent-invalid"),
        ("\"bot.example\"", "signature-agent", "agent-invalid"),
        ("bot.example", "signature-agent", "component-not-covered"),
        ("sig1=\"https://bot.example\"", "signature-agent", "component-not-covered"),
        ("other=\"https://bot.example\"", "signature-agent;key=\"other\"", "agent-invalid"),
        ("sig1=token", "signature-agent;key=\"sig1\"", "agent-invalid"),
        ("sig1=(\"https://bot.example\")", "signature-agent;key=\"sig1\"", "agent-invalid"),
        (
            "sig1=\"https://a.example\", sig1=\"https://b.example\"",
            "signature-agent;key=\"sig1\"",
            "agent-invalid",
        ),
    ] {
        let mut bot = bot();
        bot.field("signature-agent", agent);
        bot.covered = vec!["@authority", component];
        bot.sign();
        assert_eq!(bot.reason(NOW), reason, "{agent} {component}");
    }
    signed("agent-invalid", |bot| bot.policy = Policy::web_bot_auth().with_profiles(&[Profile::JwksUrl]));
    signed("verified", |bot| {
        bot.policy = Policy::web_bot_auth().lenient();
        bot.field("signature-agent", "other=\"https://bot.example\"");
        bot.covered = vec!["@authority", "signature-agent;key=\"other\""];
    });
}

#[test]
fn covered_content_must_fit() {
    let digest = |algorithm| content_digest(algorithm, b"content");
    for algorithm in [DigestAlgorithm::Sha256, DigestAlgorithm::Sha512] {
        signed("verified", |bot| {
            bot.request.headers_mut().insert("content-digest", digest(algorithm));
            bot.covered.push("content-digest");
        });
        signed("digest-mismatch", |bot| {
            bot.request.headers_mut().insert("content-digest", content_digest(algorithm, b"other"));
            bot.covered.push("content-digest");
        });
    }
    for bad in ["md5=:AAAA:", "sha-256=1", "sha-256=(:AAAA:)", "x", "sha-256=:AAAA:, sha-256=:AAAA:"] {
        signed("digest-mismatch", |bot| {
            bot.field("content-digest", bad);
            bot.covered.push("content-digest");
        });
    }
    // One of two must not be a lie.
    signed("digest-mismatch", |bot| {
        let both = format!("{}, sha-512=:AAAA:", digest(DigestAlgorithm::Sha256).to_str().unwrap());
        bot.field("content-digest", &both);
        bot.covered.push("content-digest");
    });
    signed("verified", |bot| bot.field("content-digest", "sha-256=:AAAA:"));
}

#[test]
fn content_that_was_not_given_is_told_apart() {
    let mut bot = bot();
    bot.request.headers_mut().insert("content-digest", content_digest(DigestAlgorithm::Sha256, b"content"));
    bot.covered.push("content-digest");
    bot.sign();
    let lookup = |_: Option<&SignatureAgent>, _: Option<&str>| bot.lookup.clone();
    let check = |message: Message<'_>| {
        let outcome = Verifier::default().verify(&message, unix(NOW), &lookup);
        outcome.verified().unwrap().content
    };
    let message = Message::request(&bot.request);
    assert_eq!(check(message), ContentCheck::Pending);
    assert_eq!(check(message.body(b"content")), ContentCheck::Matches);
}

#[derive(Default)]
struct Seen(RefCell<HashSet<String>>);

impl NonceStore for Seen {
    fn check_and_record(&self, keyid: &str, nonce: &str, _: Option<SystemTime>) -> bool {
        self.0.borrow_mut().insert(format!("{keyid} {nonce}"))
    }
}

#[test]
fn a_nonce_is_used_once_and_recorded_only_with_a_good_signature() {
    let mut bot = bot();
    bot.params = bot.params.nonce("n1");
    bot.sign();
    let seen = Seen::default();
    let lookup = |_: Option<&SignatureAgent>, _: Option<&str>| bot.lookup.clone();
    let judge = |request: &Request<&str>| {
        let verifier = Verifier::default();
        verifier.verify_once(&Message::request(request), unix(NOW), &lookup, &seen).reason()
    };
    let mut forged = Request::get("https://evil.example/").body("").unwrap();
    *forged.headers_mut() = bot.request.headers().clone();
    assert_eq!(judge(&forged), Some("signature-mismatch"));
    assert_eq!(judge(&bot.request), None);
    assert_eq!(judge(&bot.request), Some("replayed"));
}

#[test]
fn a_message_without_signature_says_nothing() {
    changed("no-signature", |bot| {
        for name in ["signature", "signature-input"] {
            bot.request.headers_mut().remove(name);
        }
    });
    // Several foreign signatures are nobody's business; a single one is judged.
    input("no-signature", "a=(\"@path\"), b=(\"@path\");tag=\"x\"");
    input("missing-parameter", "sig1=(\"@path\")");
}

#[test]
fn a_signature_over_another_covers_all_the_other_covers() {
    let mut bot = bot();
    bot.covered = vec!["@method", "@authority"];
    bot.params = SignatureParams::new().keyid("inner");
    bot.sign();
    let (inner_input, inner) = (
        bot.request.headers()["signature-input"].to_str().unwrap().replace("sig1=", "in="),
        bot.request.headers()["signature"].to_str().unwrap().replace("sig1=", "in="),
    );
    let judge = |covered: Vec<&'static str>| {
        let mut outer = self::bot();
        outer.fields(&inner_input, &inner);
        outer.covered = covered;
        let list: Vec<Component> = outer.covered.iter().map(|text| text.parse().unwrap()).collect();
        let base = SignatureBase::build(&Message::request(&outer.request), &list, &outer.params).unwrap();
        let signature = outer.key.sign(base.as_bytes());
        bot_etiquette_signing::append_signature(outer.request.headers_mut(), "sig1", &base, &signature)
            .unwrap();
        outer.reason(NOW)
    };
    let (signature, sent_input) = ("signature;key=\"in\"", "signature-input;key=\"in\"");
    assert_eq!(judge(vec!["@authority", "signature-agent", signature]), "component-not-covered");
    assert_eq!(judge(vec!["@authority", "signature-agent", signature, sent_input]), "component-not-covered");
    assert_eq!(judge(vec!["@authority", "@method", "signature-agent", signature, sent_input]), "verified");
}

#[test]
fn hostile_fields_get_a_reason() {
    let labels = |count: usize| (0..count).map(|n| format!("l{n}=()")).collect::<Vec<_>>().join(", ");
    input("malformed", &labels(17));
    input("malformed", &labels(1000));
    input("malformed", "");
    input("malformed", "sig1");
    input("malformed", "sig1=(\"@authority\"");
    input("malformed", "sig1=();a=1, sig1=()");
    let components = |count: usize| (0..count).map(|n| format!("\"x-{n}\"")).collect::<Vec<_>>().join(" ");
    let key = bot().key.thumbprint();
    let params = format!("created=1800000000;expires=1800000060;keyid=\"{key}\";tag=\"web-bot-auth\"");
    input(
        "component-missing",
        &format!("sig1=(\"@authority\" \"signature-agent\" {});{params}", components(62)),
    );
    input("malformed", &format!("sig1=(\"@authority\" \"signature-agent\" {});{params}", components(63)));
    changed("bad-encoding", |bot| bot.field("signature-input", "sig1=(\"caf\u{e9}\")"));

    for (length, reason) in [
        (MAX_FIELD_BYTES - 1, "wrong-tag"),
        (MAX_FIELD_BYTES, "wrong-tag"),
        (MAX_FIELD_BYTES + 1, "malformed"),
    ] {
        let padding = "a".repeat(length - "sig1=();tag=\"x\";b=".len());
        input(reason, &format!("sig1=();tag=\"x\";b={padding}"));
    }
    for (length, reason) in [(255, "signature-mismatch"), (256, "signature-mismatch"), (257, "malformed")] {
        let nonce = "n".repeat(length);
        input(reason, &format!("sig1=(\"@authority\" \"signature-agent\");{params};nonce=\"{nonce}\""));
    }
}

#[test]
fn the_number_of_signatures_is_bounded() {
    for (count, reads) in [(15, true), (16, true), (17, false)] {
        let mut bot = bot();
        let text = |value: &str| (0..count).map(|n| format!("l{n}={value}")).collect::<Vec<_>>().join(", ");
        bot.fields(&text("()"), &text(":AAAA:"));
        let all = bot_etiquette_signing::ReceivedSignature::all(&Message::request(&bot.request));
        assert_eq!(all.is_ok(), reads, "{count}");
    }
}

#[test]
fn the_length_of_an_agent_is_bounded() {
    for (length, reason) in [(4095, "verified"), (4096, "verified"), (4097, "agent-invalid")] {
        let (padding, own) = ("a=", ", sig1=\"https://bot.example\"");
        let agent = format!("{padding}{}{own}", "a".repeat(length - padding.len() - own.len()));
        let mut bot = bot();
        bot.field("signature-agent", &agent);
        bot.covered = vec!["@authority", "signature-agent;key=\"sig1\""];
        bot.sign();
        assert_eq!(bot.reason(NOW), reason, "{length}");
    }
}

#[test]
fn the_length_of_a_base_is_bounded() {
    let rest = "\"x-a\": \n\"@signature-params\": (\"x-a\")".len();
    for (length, fits) in [(MAX_BASE_BYTES - 1, true), (MAX_BASE_BYTES, true), (MAX_BASE_BYTES + 1, false)] {
        let request =
            Request::get("https://example.com/").header("x-a", "a".repeat(length - rest)).body(()).unwrap();
        let covered = ["x-a".parse().unwrap()];
        let base = SignatureBase::build(&Message::request(&request), &covered, &SignatureParams::new());
        assert_eq!(base.is_ok(), fits, "{length}");
    }
}

#[test]
fn one_bad_label_does_not_spoil_another() {
    let mut bot = bot();
    bot.sign();
    for name in ["signature-input", "signature"] {
        let good = bot.request.headers()[name].to_str().unwrap().to_owned();
        bot.field(name, &format!("{good}, only-{}=()", name.len()));
    }
    assert_eq!(bot.reason(NOW), "verified");
}

#[test]
fn codes_are_unique_and_the_lists_are_whole() {
    let invalid: HashSet<_> = InvalidReason::ALL.iter().map(|reason| reason.as_str()).collect();
    let unverified: HashSet<_> = UnverifiedReason::ALL.iter().map(|reason| reason.as_str()).collect();
    assert_eq!((invalid.len(), unverified.len()), (22, 4));
    assert!(invalid.is_disjoint(&unverified));
}
