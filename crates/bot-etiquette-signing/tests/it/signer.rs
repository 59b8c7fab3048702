//! Setting up signers and what they refuse; asking for signatures; foretelling refusals.

use std::time::{Duration, SystemTime};

use bot_etiquette_signing::{
    Algorithm, AppendError, Component, Message, Profile, SignError, SignatureBase, SignatureBuffer,
    SignatureParams, SignatureRequest, Signer, SignerBuilder, SigningKey, append_signature, explain_for,
};
use http::{HeaderMap, HeaderValue, Request, Response};

use crate::http_text::unix;

fn builder(agent: &str) -> SignerBuilder<SigningKey> {
    Signer::builder(SigningKey::from_seed(&[7; 32]), agent)
}

#[track_caller]
fn refused(builder: SignerBuilder<SigningKey>, expected: &str) {
    let error = builder.build().map(drop).unwrap_err().to_string();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn a_signer_that_no_verifier_takes_is_not_built() {
    let good = "https://bot.example";
    for agent in ["http://bot.example", "bot.example", "", "https://user@bot.example", "data:,x", "https://"]
    {
        refused(builder(agent), "agent: ");
    }
    refused(builder("https://bot.example/keys"), "sends the origin alone");
    assert!(builder("https://bot.example/keys").profile(Profile::JwksUrl).build().is_ok());
    for (lifetime, fits) in [(0, false), (1, true), (86_399, true), (86_400, true), (86_401, false)] {
        assert_eq!(builder(good).lifetime(Duration::from_secs(lifetime)).build().is_ok(), fits, "{lifetime}");
    }
    refused(builder(good).lifetime(Duration::from_millis(1500)), "lifetime: 1.5s");
    for label in ["", "Sig1", "1", "a b", "é"] {
        refused(builder(good).label(label), "label: ");
    }
    refused(builder(good).component(Component::authority()), "covered twice");
    refused(builder(good).component("signature-agent".parse().unwrap()), "covered twice");
    refused(builder(good).component(Component::path()).component(Component::path()), "covered twice");
    for written in
        ["signature", "signature-input;key=\"sig1\"", "signature-agent;sf", "signature-agent;key=\"a\""]
    {
        refused(builder(good).component(written.parse().unwrap()), "the signer writes itself");
    }
    refused(builder(good).component(Component::status()), "not a part of a request");
    refused(builder(good).component("@path;req".parse().unwrap()), "not a part of a request");
    let printed = SigningKey::from_jwk(
        br#"{"kty":"OKP","crv":"Ed25519","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs","d":"n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU"}"#,
    );
    refused(Signer::builder(printed.unwrap(), good), "printed in an RFC");
    for (count, fits) in [(61, true), (62, true), (63, false)] {
        let mut signer = builder(good);
        for n in 0..count {
            signer = signer.component(Component::field(&format!("x-{n}")).unwrap());
        }
        assert_eq!(signer.build().is_ok(), fits, "{count}");
    }
    for (count, fits) in [(255, true), (256, true), (257, false)] {
        let mut signer = builder(good);
        for n in 0..count {
            signer = signer.profile_for_host(format!("h{n}.example"), Profile::Dictionary);
        }
        assert_eq!(signer.build().is_ok(), fits, "{count}");
    }
}

#[test]
fn each_profile_sends_its_own_form() {
    let directory = "https://bot.example/.well-known/http-message-signatures-directory";
    for (profile, agent, id) in [
        (Profile::Cloudflare, "\"https://bot.example\"".to_owned(), "\"signature-agent\""),
        (Profile::Dictionary, "sig1=\"https://bot.example\"".to_owned(), "\"signature-agent\";key=\"sig1\""),
        (Profile::JwksUrl, format!("sig1=\"{directory}\""), "\"signature-agent\";key=\"sig1\""),
    ] {
        let signer = builder("https://Bot.example:443/").profile(profile).build().unwrap();
        let request = Request::get("https://example.com/").body(()).unwrap();
        let mut buffer = SignatureBuffer::new();
        signer.sign_into(&Message::request(&request), unix(0), None, &mut buffer).unwrap();
        assert_eq!(buffer.signature_agent(), agent);
        let value = agent.strip_prefix("sig1=").unwrap_or(&agent);
        let list = format!("(\"@authority\" {id})");
        assert_eq!(
            buffer.base(),
            format!(
                "\"@authority\": example.com\n{id}: {value}\n\"@signature-params\": \
                 {list};created=0;expires=60;keyid=\"{}\";tag=\"web-bot-auth\"",
                signer.keyid()
            )
        );
    }
}

#[test]
fn a_host_may_have_a_profile_of_its_own() {
    let signer =
        builder("https://bot.example").profile_for_host("New.example", Profile::JwksUrl).build().unwrap();
    let agent = |url: &str| {
        let mut request = Request::get(url).body(()).unwrap();
        signer.sign(&mut request, unix(0), None).unwrap();
        request.headers()["signature-agent"].to_str().unwrap().to_owned()
    };
    assert!(agent("https://new.EXAMPLE:8443/").starts_with("sig1="));
    assert!(agent("https://old.example/").starts_with('"'));
}

#[test]
fn what_would_not_be_sent_as_signed_is_not_signed() {
    let signer = builder("https://bot.example").component("x-a".parse().unwrap()).build().unwrap();
    let sign = |request: &mut Request<()>, now, nonce| {
        signer.sign(request, now, nonce).map_err(|error| error.to_string())
    };
    let good = || Request::get("https://example.com/").header("x-a", "1").body(()).unwrap();
    assert_eq!(sign(&mut good(), unix(0), None), Ok(()));

    let mut absent = Request::get("https://example.com/").body(()).unwrap();
    assert!(sign(&mut absent, unix(0), None).unwrap_err().contains("\"x-a\" is not in the message"));
    assert!(absent.headers().is_empty());

    for (host, fits) in [
        ("example.com", true),
        ("EXAMPLE.com:443", true),
        ("other.example", false),
        ("example.com:80", false),
    ] {
        let mut request = good();
        request.headers_mut().insert("host", HeaderValue::from_static(host));
        assert_eq!(sign(&mut request, unix(0), None).is_ok(), fits, "{host}");
    }
    let (longest, too_long) = ("n".repeat(256), "n".repeat(257));
    for (nonce, fits) in
        [("", false), ("n", true), ("é", false), ("a\nb", false), (&longest, true), (&too_long, false)]
    {
        assert_eq!(sign(&mut good(), unix(0), Some(nonce)).is_ok(), fits);
    }
    let early = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
    assert!(sign(&mut good(), early, None).is_err());

    let response = Response::new(());
    let refused = signer.sign_into(&Message::response(&response), unix(0), None, &mut SignatureBuffer::new());
    assert!(matches!(refused, Err(SignError::NotARequest)));
}

#[test]
fn a_signature_made_elsewhere_completes_the_buffer() {
    let key = SigningKey::from_seed(&[7; 32]);
    let signer = builder("https://bot.example").build().unwrap();
    let request = Request::get("https://example.com/").body(()).unwrap();
    let (mut here, mut there) = (SignatureBuffer::new(), SignatureBuffer::new());
    signer.sign_into(&Message::request(&request), unix(9), Some("n"), &mut here).unwrap();
    signer.prepare_into(&Message::request(&request), unix(9), Some("n"), &mut there).unwrap();
    assert_eq!(there.signature(), "");
    let signature = key.sign(there.base().as_bytes());
    there.complete(&signature);
    assert_eq!(here.fields(), there.fields());
}

#[test]
fn signatures_stand_beside_each_other() {
    let key = SigningKey::from_seed(&[7; 32]);
    let mut headers = HeaderMap::new();
    let response = Response::new(());
    let base =
        SignatureBase::build(&Message::response(&response), &[], &SignatureParams::new().keyid("k")).unwrap();
    let mut add = |label: &str| append_signature(&mut headers, label, &base, &key.sign(base.as_bytes()));
    assert_eq!(add("B"), Err(AppendError::Label("B".to_owned())));
    for n in 0..16 {
        assert_eq!(add(&format!("l{n}")), Ok(()));
    }
    assert_eq!(add("l3"), Err(AppendError::Taken("l3".to_owned())));
    assert_eq!(add("l16"), Err(AppendError::TooMany));
    assert_eq!(headers.get_all("signature-input").iter().count(), 16);
}

#[test]
fn what_is_asked_for_is_read_and_answered_under_its_label() {
    let mut headers = HeaderMap::new();
    let text = r#"a=("@method" "x-a");created;keyid="k";tag="t";nonce="n";alg="ed25519", b=("@nonsense"), c="x", d=();unknown=1, e=();created=5"#;
    headers.insert("accept-signature", HeaderValue::from_static(text));
    headers.append("accept-signature", HeaderValue::from_static(r#"f=("@path");expires"#));
    let asked = SignatureRequest::all(&headers).unwrap();
    assert_eq!(asked.iter().map(SignatureRequest::label).collect::<Vec<_>>(), ["a", "f"]);
    assert_eq!(asked[0].tag_asked(), Some("t"));
    assert_eq!(
        asked[0].to_string(),
        r#"a=("@method" "x-a");created;nonce="n";alg="ed25519";keyid="k";tag="t""#
    );

    let request = Request::get("https://example.com/p").header("x-a", "1").body(()).unwrap();
    let message = Message::request(&request);
    let minute = Duration::from_secs(60);
    let base = |asked: &SignatureRequest, keyid: &str, algorithm| {
        asked
            .base(&message, keyid, algorithm, unix(1000), minute)
            .unwrap()
            .map(|base| base.signature_params().to_owned())
    };
    let answer = r#"("@method" "x-a");created=1000;keyid="k";alg="ed25519";nonce="n";tag="t""#;
    assert_eq!(base(&asked[0], "k", Algorithm::Ed25519).as_deref(), Some(answer));
    assert_eq!(base(&asked[0], "other", Algorithm::Ed25519), None);
    assert_eq!(base(&asked[0], "k", Algorithm::RsaPssSha512), None);
    let answer = r#"("@path");created=1000;expires=1060;keyid="k""#;
    assert_eq!(base(&asked[1], "k", Algorithm::Ed25519).as_deref(), Some(answer));

    let lacking = Request::get("https://example.com/").body(()).unwrap();
    assert!(asked[0].base(&Message::request(&lacking), "k", Algorithm::Ed25519, unix(0), minute).is_err());
    headers.insert("accept-signature", HeaderValue::from_static("a=(), a=()"));
    assert!(SignatureRequest::all(&headers).is_err());
}

#[test]
fn what_cloudflare_refuses_is_told_beforehand() {
    let codes = |signer: SignerBuilder<SigningKey>| {
        let mut request =
            Request::get("https://example.com/?a=1").header("priority", "u=1").body(()).unwrap();
        signer.build().unwrap().sign(&mut request, unix(0), None).unwrap();
        let found = explain_for(&Message::request(&request), Profile::Cloudflare);
        found.into_iter().map(|objection| objection.code).collect::<Vec<_>>()
    };
    let bot = || builder("https://bot.example");
    let none: [&str; 0] = [];
    assert_eq!(codes(bot().component(Component::path())), none);
    assert_eq!(codes(bot().component("priority;sf".parse().unwrap())), ["component-parameter"]);
    assert_eq!(codes(bot().component("priority;bs".parse().unwrap())), ["component-parameter"]);
    assert_eq!(codes(bot().component(Component::query_param("a").unwrap())), ["component"]);
    assert_eq!(codes(bot().profile(Profile::Dictionary)), ["component-parameter", "agent-form"]);
    let plain = Request::get("https://example.com/").body(()).unwrap();
    let found = explain_for(&Message::request(&plain), Profile::Cloudflare);
    assert_eq!(found[0].code, "no-signature");
}

#[test]
fn objections_to_the_parameters_need_neither_key_nor_clock() {
    let thumbprint = SigningKey::from_seed(&[7; 32]).thumbprint();
    let named = format!("keyid=\"{thumbprint}\"");
    let day = "created=1800000000;expires=1800086400";
    for (params, profile, code) in [
        (format!("{day};{named}"), Profile::Cloudflare, None),
        (format!("{day};{named};alg=\"ed25519\""), Profile::Cloudflare, None),
        (format!("{day};keyid=\"bot\""), Profile::Cloudflare, Some("keyid")),
        (format!("created=1800000000;expires=1800086401;{named}"), Profile::Cloudflare, Some("window")),
        (format!("created=1800000000;expires=1800000000;{named}"), Profile::Cloudflare, Some("window")),
        (format!("created=1800000000;expires=1.5;{named}"), Profile::Cloudflare, Some("malformed")),
        (format!("created=1800000000;{named}"), Profile::Cloudflare, Some("missing-parameter")),
        (format!("{day};{named};alg=\"rsa-pss-sha512\""), Profile::Cloudflare, Some("algorithm")),
        (format!("{day};{named};alg=\"rsa-pss-sha512\""), Profile::Dictionary, None),
        (format!("{day};{named};alg=\"hmac-sha256\""), Profile::Dictionary, Some("algorithm")),
        (format!("{day};{named};alg=\"EdDSA\""), Profile::JwksUrl, Some("algorithm")),
    ] {
        let (agent, component) = match profile {
            Profile::Cloudflare => ("\"https://bot.example\"", "\"signature-agent\""),
            Profile::Dictionary => ("s=\"https://bot.example\"", "\"signature-agent\";key=\"s\""),
            _ => ("s=\"https://bot.example/keys\"", "\"signature-agent\";key=\"s\""),
        };
        let input = format!("s=(\"@authority\" {component});{params};tag=\"web-bot-auth\"");
        let request = Request::get("https://example.com/")
            .header("signature-agent", agent)
            .header("signature-input", input)
            .header("signature", "s=:AAAA:")
            .body(())
            .unwrap();
        let found = explain_for(&Message::request(&request), profile);
        assert_eq!(found.iter().map(|one| one.code).collect::<Vec<_>>(), Vec::from_iter(code), "{params}");
    }
}
