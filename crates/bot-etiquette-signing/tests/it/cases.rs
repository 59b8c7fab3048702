//! The collection of vectors that `BOT_ETIQUETTE_CASES` points at.

use std::path::PathBuf;

use bot_etiquette_signing::{
    Component, KeyMaterial, Lookup, Message, Outcome, Policy, Profile, ReceivedSignature, SignatureAgent,
    SignatureBase, Verifier,
};
use serde_json::Value;

use crate::http_text::unix;
use crate::raw::RawMessage;

fn collection() -> Option<Value> {
    let Some(folder) = std::env::var_os("BOT_ETIQUETTE_CASES") else {
        eprintln!("left out: signing_vectors.json (BOT_ETIQUETTE_CASES is not set)");
        return None;
    };
    let path = PathBuf::from(folder).join("signing_vectors.json");
    let text = std::fs::read(&path).expect("the collection is readable");
    Some(serde_json::from_slice(&text).expect("the collection is JSON"))
}

fn key(collection: &Value, name: &str) -> KeyMaterial {
    let keys = collection["keys"].as_array().unwrap();
    let jwk = keys.iter().find(|key| key["id"] == name).expect("a known key")["jwk"].clone();
    // The published private parts are of no use here.
    let mut public = jwk.as_object().unwrap().clone();
    public.retain(|name, _| name != "d");
    KeyMaterial::parse(&serde_json::to_vec(&public).unwrap()).expect("a readable key")
}

#[test]
fn every_thumbprint_of_the_collection_is_computed() {
    let Some(collection) = collection() else { return };
    for row in collection["thumbprints"].as_array().unwrap() {
        let jwk = serde_json::to_vec(&row["jwk"]).unwrap();
        let found = KeyMaterial::parse(&jwk).expect("a readable key").thumbprint();
        assert_eq!(found.as_str(), row["thumbprint"].as_str().unwrap(), "{}", row["name"]);
    }
}

#[test]
fn every_component_of_the_collection_has_its_value_or_is_refused() {
    let Some(collection) = collection() else { return };
    for row in collection["components"].as_array().unwrap() {
        let raw = RawMessage::from_json(&row["message"]).expect("readable fields");
        let value =
            row["component"].as_str().unwrap().parse::<Component>().map_err(|error| error.to_string());
        let value = value.and_then(|c| raw.message(None).value(&c).map_err(|error| error.to_string()));
        if row["error"] == true {
            assert!(value.is_err(), "{}: {value:?}", row["name"]);
        } else {
            assert_eq!(value.as_deref(), Ok(row["value"].as_str().unwrap()), "{}", row["name"]);
        }
    }
}

#[test]
fn every_signature_of_the_collection_is_judged_as_it_says() {
    let Some(collection) = collection() else { return };
    let mut wrong = Vec::new();
    for row in collection["signatures"].as_array().unwrap() {
        let name = row["name"].as_str().unwrap();
        let Some((outcome, base)) = judged(&collection, row) else {
            assert_eq!(row["verifies"], false, "{name}: the message cannot be held");
            continue;
        };
        eprintln!("{name}: {outcome} [{}]", row["reject_reason"]);
        if outcome.verified().is_some() != row["verifies"].as_bool().unwrap() {
            wrong.push(format!("{name}: {outcome}"));
        }
        match (row["base_error"].is_null(), base) {
            (true, Ok(base)) => {
                if base != row["signature_base"].as_str().unwrap() {
                    wrong.push(format!("{name}: base {base}"));
                }
            }
            (false, Err(_)) => {}
            // The signature field does not enter the base.
            (false, Ok(_)) if name.contains("/signature-") => {}
            (_, base) => wrong.push(format!("{name}: base {base:?}, expected {}", row["base_error"])),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn judged(collection: &Value, row: &Value) -> Option<(Outcome, Result<String, String>)> {
    let raw = RawMessage::from_json(&row["message"])?;
    let request = match &row["request"] {
        Value::Null => None,
        request => Some(RawMessage::from_json(request)?),
    };
    let request = request.as_ref().map(|request| request.message(None));
    let message = raw.message(request.as_ref());
    let label = row["label"].as_str().unwrap();
    let key = key(collection, row["key"].as_str().unwrap());
    // In Web Bot Auth the key is known by its thumbprint alone; elsewhere it is agreed on.
    let by_thumbprint = policy(row) != Policy::rfc9421().allow_test_keys();
    let lookup = |_: Option<&SignatureAgent>, keyid: Option<&str>| {
        let known = !by_thumbprint || keyid == Some(key.thumbprint().as_str());
        if known { Lookup::Found(key.clone()) } else { Lookup::Unknown }
    };
    let now = unix(row["now"].as_i64().unwrap_or(1_618_884_500));
    let outcome = Verifier::new(policy(row)).with_label(label).verify(&message, now, &lookup);
    Some((outcome, base(&message, label)))
}

fn policy(row: &Value) -> Policy {
    let tagged = row["signature_input"].as_str().unwrap().contains("tag=\"web-bot-auth\"");
    let mut policy = if tagged { Policy::web_bot_auth() } else { Policy::rfc9421() };
    match row["policy"]["profile"].as_str() {
        Some("legacy-03") => policy = policy.with_profiles(&[Profile::Cloudflare]),
        Some("dictionary") => policy = policy.with_profiles(&[Profile::Dictionary]),
        Some("ietf-01") => policy = policy.with_profiles(&[Profile::JwksUrl]),
        other => assert_eq!(other, None),
    }
    if row["policy"]["lenient"] == true {
        policy = policy.lenient();
    }
    policy.allow_test_keys()
}

fn base(message: &Message<'_>, label: &str) -> Result<String, String> {
    let all = ReceivedSignature::all(message).map_err(|error| error.to_string())?;
    let received = all.iter().find(|one| one.label() == label).ok_or("no such label")?;
    let components = received.components().map_err(ToString::to_string)?;
    let params = received.params().ok_or("no parameters")?;
    let base = SignatureBase::build(message, components, params).map_err(|error| error.to_string())?;
    Ok(base.as_str().to_owned())
}

/// Every signed request of the collection that must not be believed, through the layer of a site.
#[cfg(feature = "tower")]
#[tokio::test]
async fn no_bad_request_of_the_collection_passes_the_layer() {
    use bot_etiquette_signing::tower::{OnFailure, VerifyLayer};
    use tower::{Layer, ServiceExt, service_fn};

    let Some(collection) = collection() else { return };
    let (mut refused, mut passed) = (0, 0);
    for row in collection["signatures"].as_array().unwrap() {
        let url = row["message"]["url"].as_str().and_then(|url| url.parse::<http::Uri>().ok());
        let Some(authority) = url.as_ref().and_then(http::Uri::authority) else { continue };
        let Some(request) = RawMessage::from_json(&row["message"]) else { continue };
        let key = key(&collection, row["key"].as_str().unwrap());
        let by_thumbprint = policy(row) != Policy::rfc9421().allow_test_keys();
        let lookup = move |_: Option<&SignatureAgent>, keyid: Option<&str>| {
            let known = !by_thumbprint || keyid == Some(key.thumbprint().as_str());
            if known { Lookup::Found(key.clone()) } else { Lookup::Unknown }
        };
        let now = unix(row["now"].as_i64().unwrap_or(1_618_884_500));
        let verifier = Verifier::new(policy(row)).with_label(row["label"].as_str().unwrap());
        let layer = VerifyLayer::new(verifier, [authority.as_str()], move || now).unwrap();
        let layer = layer.known_keys(lookup).on_failure(OnFailure::RefuseAll);
        let site = layer.layer(service_fn(async |_: http::Request<()>| {
            Ok::<_, std::convert::Infallible>(http::Response::new(()))
        }));
        let status = site.oneshot(request.into_request()).await.unwrap().status();
        if row["verifies"] == true {
            passed += u32::from(status.is_success());
        } else {
            // What only the body or the trailers show is for whoever reads them.
            let later = row["reject_reason"].as_str().is_some_and(|reason| reason.contains("digest"));
            assert!(later || status.is_client_error(), "{}: {status}", row["name"]);
            refused += u32::from(status.is_client_error());
        }
    }
    assert!(refused > 20 && passed > 10, "{refused} refused, {passed} passed");
}
