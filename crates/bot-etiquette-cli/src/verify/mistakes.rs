//! The common mistakes of signers: which one, if any, explains a signature that does not fit.

use bot_etiquette_signing::{KeyMaterial, ReceivedSignature, SignatureBase};
use http::{HeaderMap, header};

/// What a signer may have done, and the base it then signed.
type Suspect = (String, String);

/// The first suspect base that the signature fits.
pub(super) fn find(
    base: &SignatureBase,
    received: &ReceivedSignature,
    headers: &HeaderMap,
    key: &KeyMaterial,
) -> Option<Suspect> {
    let signature = received.signature().ok()?;
    suspects(base, received, headers).into_iter().find(|(_, other)| {
        key.algorithms().iter().any(|algorithm| key.verify(*algorithm, other.as_bytes(), signature))
    })
}

fn suspects(base: &SignatureBase, received: &ReceivedSignature, headers: &HeaderMap) -> Vec<Suspect> {
    let text = base.as_str();
    let mut found = vec![
        ("a line end after the last line".to_owned(), format!("{text}\n")),
        ("lines ended by CRLF".to_owned(), text.replace('\n', "\r\n")),
    ];
    if let Some(sent) = sent_params(received, headers)
        && sent != base.signature_params()
    {
        let other = text.replace(base.signature_params(), sent);
        found.push(("the parameters as sent, not serialized anew".to_owned(), other));
    }
    for (component, value) in base.covered() {
        for (what, other) in other_values(component.name(), value, headers) {
            let line = |value: &str| format!("{component}: {value}\n");
            found.push((format!("{what} in {component}"), text.replacen(&line(value), &line(&other), 1)));
        }
    }
    found
}

/// The member of Signature-Input of this label as it was written.
fn sent_params<'a>(received: &ReceivedSignature, headers: &'a HeaderMap) -> Option<&'a str> {
    let mut lines = headers.get_all("signature-input").iter();
    let only = lines.next()?.to_str().ok()?;
    let sent = only.trim().strip_prefix(received.label())?.strip_prefix('=')?;
    lines.next().is_none().then_some(sent)
}

fn other_values(name: &str, value: &str, headers: &HeaderMap) -> Vec<Suspect> {
    let sent_host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or(value);
    let candidates = match name {
        "@authority" => vec![
            ("the Host field as sent", sent_host.to_owned()),
            ("the port 443", format!("{value}:443")),
            ("the port 80", format!("{value}:80")),
            ("no port", value.rsplit_once(':').map_or(value, |(host, _)| host).to_owned()),
        ],
        "@target-uri" => vec![
            ("the scheme http", value.replacen("https://", "http://", 1)),
            ("the scheme https", value.replacen("http://", "https://", 1)),
            ("no slash at the end", value.trim_end_matches('/').to_owned()),
        ],
        "@scheme" => vec![("the scheme http", "http".to_owned()), ("the scheme https", "https".to_owned())],
        "@query" => vec![("no question mark", value.trim_start_matches('?').to_owned())],
        "@path" => vec![
            ("no slash at the end", value.trim_end_matches('/').to_owned()),
            ("a slash at the end", format!("{value}/")),
        ],
        "@method" => {
            vec![("capitals", value.to_ascii_uppercase()), ("small letters", value.to_ascii_lowercase())]
        }
        "signature-agent" => vec![
            ("no quotes", value.trim_matches('"').to_owned()),
            ("a slash at the end", format!("{}/\"", value.trim_end_matches('"'))),
        ],
        _ => Vec::new(),
    };
    candidates
        .into_iter()
        .filter(|(_, other)| other != value)
        .map(|(what, other)| (what.to_owned(), other))
        .collect()
}
