//! The referee's own reading of a request's web-bot-auth signature, over bare Ed25519 (RFC 9421, sections 2 and 3.2).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::Signature;
use sfv::{BareItem, Dictionary, FieldType, InnerList, Item, List, ListEntry, Parameters, Parser};
use sha2::{Digest, Sha256, Sha512};

use crate::keys::Keys;
use crate::record::Record;

const TAG: &str = "web-bot-auth";
const AGENT: &str = "signature-agent";

/// What is wrong, in words.
pub(crate) type Flaw = String;

/// The signature fields of a request.
#[derive(Debug)]
pub(crate) enum Read {
    /// No signature with the tag.
    Nothing,
    /// Something that was meant as one.
    Flawed(Flaw),
    Signed(Box<Signed>),
}

/// A signature with the tag, read but not verified.
#[derive(Debug)]
pub(crate) struct Signed {
    list: InnerList,
    pub(crate) signature: Vec<u8>,
    pub(crate) created: i64,
    pub(crate) expires: i64,
    pub(crate) keyid: String,
    pub(crate) nonce: Option<String>,
}

/// Reads the first signature of a request that carries the tag.
pub(crate) fn read(record: &Record) -> Read {
    let combined = |name: &str| record.values(name).collect::<Vec<_>>().join(", ");
    let (inputs, signatures) = (combined("signature-input"), combined("signature"));
    if inputs.is_empty() {
        return match signatures.is_empty() {
            true => Read::Nothing,
            false => Read::Flawed("a Signature without a Signature-Input".into()),
        };
    }
    let Ok(inputs) = Parser::new(&inputs).parse::<Dictionary>() else {
        return Read::Flawed("Signature-Input is no dictionary".into());
    };
    let tagged = inputs.into_iter().find_map(|(label, entry)| match entry {
        ListEntry::InnerList(list) if text(&list.params, "tag") == Some(TAG) => Some((label, list)),
        _ => None,
    });
    let Some((label, list)) = tagged else { return Read::Nothing };
    let Ok(signatures) = Parser::new(&signatures).parse::<Dictionary>() else {
        return Read::Flawed("Signature is no dictionary".into());
    };
    let member = signatures.into_iter().find(|(name, _)| *name == label);
    let signature = match member {
        Some((_, ListEntry::Item(item))) => item.bare_item.as_byte_sequence().map(<[u8]>::to_vec),
        _ => None,
    };
    let Some(signature) = signature else {
        return Read::Flawed(format!("Signature has no bytes under the label {}", label.as_str()));
    };
    let integer = |name| param(&list.params, name).and_then(BareItem::as_integer).map(i64::from);
    let (Some(created), Some(expires)) = (integer("created"), integer("expires")) else {
        return Read::Flawed("created or expires is missing or no integer".into());
    };
    let Some(keyid) = text(&list.params, "keyid").map(str::to_owned) else {
        return Read::Flawed("keyid is missing or no string".into());
    };
    let nonce = text(&list.params, "nonce").map(str::to_owned);
    Read::Signed(Box::new(Signed { list, signature, created, expires, keyid, nonce }))
}

/// What is wrong with the Signature-Agent of a request, if anything.
pub(crate) fn agent_flaw(record: &Record, read: &Read) -> Option<Flaw> {
    let values: Vec<&str> = record.values(AGENT).collect();
    if values.is_empty() {
        return matches!(read, Read::Signed(_))
            .then(|| "a web-bot-auth signature without Signature-Agent".into());
    }
    let combined = values.join(", ");
    if let Err(flaw) = agent_form(&combined) {
        return Some(flaw);
    }
    match read {
        Read::Signed(signed) if covers(&signed.list, AGENT) => None,
        Read::Signed(_) => Some("Signature-Agent is not covered by the signature".into()),
        Read::Flawed(_) | Read::Nothing => {
            Some("Signature-Agent is named but no good signature covers it".into())
        }
    }
}

/// A quoted https address, or a dictionary of them.
fn agent_form(value: &str) -> Result<(), Flaw> {
    let https = |item: &BareItem| {
        item.as_string().is_some_and(|text| {
            url::Url::parse(text.as_str())
                .is_ok_and(|url| url.scheme() == "https" && url.username().is_empty())
        })
    };
    if value.starts_with('"') {
        return match Parser::new(value).parse::<Item>() {
            Ok(item) if https(&item.bare_item) => Ok(()),
            Ok(_) => Err("Signature-Agent is no https address".into()),
            Err(_) => Err("Signature-Agent is no quoted string".into()),
        };
    }
    match Parser::new(value).parse::<Dictionary>() {
        Ok(members) if members.is_empty() => Err("Signature-Agent is empty".into()),
        Ok(members) => {
            let good = |entry: &ListEntry| matches!(entry, ListEntry::Item(item) if https(&item.bare_item));
            if members.values().all(good) {
                Ok(())
            } else {
                Err("Signature-Agent has a member that is no https address in quotes".into())
            }
        }
        Err(_) => Err("Signature-Agent is neither a quoted address nor a dictionary of them".into()),
    }
}

/// Verifies a signature; without keys, all but the mathematics.
pub(crate) fn verify(record: &Record, signed: &Signed, keys: Option<&Keys>) -> Result<(), Flaw> {
    if !covers(&signed.list, "@authority") && !covers(&signed.list, "@target-uri") {
        return Err("covers neither @authority nor @target-uri".into());
    }
    if let Some(algorithm) = text(&signed.list.params, "alg")
        && algorithm != "ed25519"
    {
        return Err(format!("algorithm {algorithm:?} is not ed25519"));
    }
    let base = base(record, &signed.list)?;
    let Some(keys) = keys else { return Ok(()) };
    let Some(key) = keys.find(&signed.keyid) else {
        return Err(format!("keyid {:?} is not in the key directory", signed.keyid));
    };
    let Ok(signature) = Signature::from_slice(&signed.signature) else {
        return Err(format!("the signature has {} bytes, not 64", signed.signature.len()));
    };
    if key.verify_strict(base.as_bytes(), &signature).is_err() {
        return Err("the signature does not verify".into());
    }
    if covers(&signed.list, "content-digest") {
        content_digest(record)?;
    }
    Ok(())
}

/// The signature base of RFC 9421, 2.5.
fn base(record: &Record, list: &InnerList) -> Result<String, Flaw> {
    let mut base = String::new();
    let mut seen: Vec<String> = Vec::new();
    for item in &list.items {
        let Some(name) = item.bare_item.as_string() else {
            return Err("a covered component is no string".into());
        };
        let id = item.serialize();
        // The order of parameters does not make another component.
        let mut identity: Vec<String> =
            item.params.iter().map(|(key, value)| format!("{}={value:?}", key.as_str())).collect();
        identity.sort();
        identity.push(name.as_str().to_owned());
        let identity = identity.join(";");
        if seen.contains(&identity) {
            return Err(format!("{id} is covered twice"));
        }
        seen.push(identity);
        let value = component(record, name.as_str(), &item.params).map_err(|flaw| format!("{id}: {flaw}"))?;
        if !value.bytes().all(|byte| (b' '..=b'~').contains(&byte) || byte == b'\t') {
            return Err(format!("{id} has a value beyond ASCII"));
        }
        base.push_str(&id);
        base.push_str(": ");
        base.push_str(&value);
        base.push('\n');
    }
    let params: List = vec![ListEntry::InnerList(list.clone())];
    base.push_str("\"@signature-params\": ");
    base.push_str(&params.serialize().unwrap_or_default());
    Ok(base)
}

fn component(record: &Record, name: &str, params: &Parameters) -> Result<String, Flaw> {
    let target = record.target.split('#').next().unwrap_or_default();
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (target, None),
    };
    let authority = record.authority.to_ascii_lowercase();
    let authority = authority.strip_suffix(":80").unwrap_or(&authority);
    if name.starts_with('@') && name != "@query-param" && !params.is_empty() {
        return Err("has a parameter that does not belong there".into());
    }
    match name {
        "@method" => Ok(record.method.clone()),
        "@target-uri" => Ok(format!("http://{authority}{target}")),
        "@authority" => Ok(authority.to_owned()),
        "@scheme" => Ok("http".into()),
        "@request-target" => Ok(target.to_owned()),
        "@path" => Ok(if path.is_empty() { "/".into() } else { path.to_owned() }),
        "@query" => Ok(format!("?{}", query.unwrap_or_default())),
        "@query-param" => query_param(query.unwrap_or_default(), text(params, "name").unwrap_or_default()),
        derived if derived.starts_with('@') => Err("is no component of a request".into()),
        field => field_value(record, field, params),
    }
}

fn field_value(record: &Record, field: &str, params: &Parameters) -> Result<String, Flaw> {
    if field.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Err("is not in lower case".into());
    }
    let values: Vec<&str> = record.values(field).map(str::trim).collect();
    if values.is_empty() {
        return Err("is no field of the request".into());
    }
    let combined = values.join(", ");
    let known: Vec<&str> = params.keys().map(|key| key.as_str()).collect();
    match known.as_slice() {
        [] => Ok(combined),
        ["bs"] => {
            let bytes = values.iter().map(|value| format!(":{}:", STANDARD.encode(value)));
            Ok(bytes.collect::<Vec<_>>().join(", "))
        }
        ["sf"] => {
            let dictionary =
                Parser::new(&combined).parse::<Dictionary>().ok().and_then(|parsed| parsed.serialize());
            dictionary.ok_or_else(|| "is no structured field".into())
        }
        ["key"] => {
            let wanted = text(params, "key").unwrap_or_default();
            let members = Parser::new(&combined).parse::<Dictionary>().map_err(|_| "is no dictionary")?;
            let member = members.into_iter().find(|(name, _)| name.as_str() == wanted);
            match member {
                Some((_, ListEntry::Item(item))) => Ok(item.serialize()),
                Some((_, list)) => Ok(vec![list].serialize().unwrap_or_default()),
                None => Err("is no member of the field".into()),
            }
        }
        _ => Err("has a parameter that does not belong there".into()),
    }
}

/// One field of the query, decoded as a form and encoded again (RFC 9421, 2.2.8).
fn query_param(query: &str, name: &str) -> Result<String, Flaw> {
    let encode = |text: &str| {
        let mut out = String::new();
        for byte in text.bytes() {
            match byte {
                byte if byte.is_ascii_alphanumeric() || b"*-._".contains(&byte) => out.push(char::from(byte)),
                byte => out.push_str(&format!("%{byte:02X}")),
            }
        }
        out
    };
    let pairs = url::form_urlencoded::parse(query.as_bytes());
    let mut values = pairs.filter(|(each, _)| encode(each) == name).map(|(_, value)| encode(&value));
    match (values.next(), values.next()) {
        (Some(value), None) => Ok(value),
        (None, _) => Err("is not in the query".into()),
        (Some(_), Some(_)) => Err("is in the query twice".into()),
    }
}

fn content_digest(record: &Record) -> Result<(), Flaw> {
    let field = record.values("content-digest").collect::<Vec<_>>().join(", ");
    let members = Parser::new(&field).parse::<Dictionary>().map_err(|_| "Content-Digest is no dictionary")?;
    if u64::try_from(record.body.len()).ok() != Some(record.body_bytes) {
        return Ok(()); // too long to have been kept
    }
    for (name, entry) in members {
        let ListEntry::Item(item) = entry else { continue };
        let right = match name.as_str() {
            "sha-256" => Sha256::digest(&record.body).to_vec(),
            "sha-512" => Sha512::digest(&record.body).to_vec(),
            _ => continue,
        };
        if item.bare_item.as_byte_sequence() != Some(right.as_slice()) {
            return Err("Content-Digest is not that of the body".into());
        }
    }
    Ok(())
}

fn covers(list: &InnerList, name: &str) -> bool {
    list.items.iter().any(|item| item.bare_item.as_string().is_some_and(|text| text.as_str() == name))
}

fn param<'a>(params: &'a Parameters, name: &str) -> Option<&'a BareItem> {
    params.iter().find(|(key, _)| key.as_str() == name).map(|(_, value)| value)
}

fn text<'a>(params: &'a Parameters, name: &str) -> Option<&'a str> {
    param(params, name).and_then(BareItem::as_string).map(|text| text.as_str())
}

/// A time of a signature, for comparing with a clock.
#[expect(clippy::cast_precision_loss, reason = "structured-field integers have at most 15 digits")]
pub(crate) const fn seconds(time: i64) -> f64 {
    time as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(input: &str, label: &str) -> InnerList {
        let members = Parser::new(input).parse::<Dictionary>().unwrap();
        match members.into_iter().find(|(name, _)| name.as_str() == label) {
            Some((_, ListEntry::InnerList(list))) => list,
            other => panic!("{input}: {other:?}"),
        }
    }

    /// RFC 9421, B.2.6, over the request of B.2.
    #[test]
    fn the_example_of_the_rfc_verifies_and_no_changed_one_does() {
        let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let record = Record {
            method: "POST".into(),
            target: "/foo?param=Value&Pet=dog".into(),
            authority: "example.com".into(),
            headers: vec![
                field("date", "Tue, 20 Apr 2021 02:07:55 GMT"),
                field("content-type", "application/json"),
                field("content-length", "18"),
            ],
            ..Record::default()
        };
        let keys = r#"{"kty":"OKP","crv":"Ed25519","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"}"#;
        let keys = Keys::read(keys).unwrap();
        let bytes =
            "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==";
        let signed = Signed {
            list: list(
                r#"s=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519""#,
                "s",
            ),
            signature: STANDARD.decode(bytes).unwrap(),
            created: 1_618_884_473,
            expires: 1_618_884_533,
            keyid: "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U".into(),
            nonce: None,
        };
        assert_eq!(verify(&record, &signed, Some(&keys)), Ok(()));
        for changed in [
            Record { method: "post".into(), ..record.clone() },
            Record { target: "/Foo".into(), ..record.clone() },
            Record { authority: "example.org".into(), ..record.clone() },
            Record { headers: vec![], ..record.clone() },
        ] {
            assert!(verify(&changed, &signed, Some(&keys)).is_err(), "{changed:?}");
        }
    }

    /// Every signature base of the further cases that a plain request can have.
    #[test]
    fn bases_are_those_of_the_further_cases() {
        let Ok(folder) = std::env::var("BOT_ETIQUETTE_CASES") else {
            eprintln!(
                "BOT_ETIQUETTE_CASES is not set: the signature bases of the further cases are left out"
            );
            return;
        };
        let text = std::fs::read_to_string(format!("{folder}/signing_vectors.json")).unwrap();
        let cases: serde_json::Value = serde_json::from_str(&text).unwrap();
        let mut compared = 0;
        for case in cases["signatures"].as_array().unwrap() {
            let (message, name) = (&case["message"], &case["name"]);
            let input = case["signature_input"].as_str().unwrap_or_default();
            let (Some(method), Some(url)) = (message["method"].as_str(), message["url"].as_str()) else {
                continue;
            };
            if !case["base_error"].is_null() {
                continue;
            }
            // A referee is asked in the clear, and judges requests alone.
            let of_requests =
                !["@target-uri", "@scheme", ";req", ";tr"].iter().any(|part| input.contains(part));
            let (Some(expected), true) = (case["signature_base"].as_str(), of_requests) else { continue };
            let url = url::Url::parse(url).unwrap();
            let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
            let headers = message["headers"].as_array().unwrap().iter().map(|pair| {
                (pair[0].as_str().unwrap().to_ascii_lowercase(), pair[1].as_str().unwrap().to_owned())
            });
            let headers: Vec<(String, String)> = headers.collect();
            let host = headers.iter().find(|(name, _)| name == "host").map(|(_, value)| value.clone());
            let record = Record {
                method: method.into(),
                target: format!("{}{query}", url.path()),
                authority: host.unwrap_or_else(|| url.authority().to_owned()),
                headers,
                ..Record::default()
            };
            let base = base(&record, &list(input, case["label"].as_str().unwrap()));
            assert_eq!(base.as_deref(), Ok(expected), "{name}");
            compared += 1;
        }
        assert!(compared >= 40, "only {compared} compared");
    }
}
