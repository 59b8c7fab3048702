//! Signatures as a crawler makes them, good and bad.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ed25519_dalek::{Signer, SigningKey};
use sha2::{Digest, Sha256};

pub(crate) const AGENT: &str = "\"https://bot.example\"";

/// What goes into one signature; change a field to make a bad one.
#[derive(Clone)]
pub(crate) struct Plan {
    pub(crate) key: u8,
    pub(crate) authority: String,
    pub(crate) covered: &'static str,
    pub(crate) created: i64,
    pub(crate) expires: i64,
    pub(crate) nonce: Option<&'static str>,
    pub(crate) tag: &'static str,
}

impl Plan {
    pub(crate) fn new(authority: &str, created: i64) -> Self {
        Self {
            key: 7,
            authority: authority.to_owned(),
            covered: r#""@authority" "signature-agent""#,
            created,
            expires: created + 60,
            nonce: None,
            tag: "web-bot-auth",
        }
    }

    /// Signature-Input and Signature.
    pub(crate) fn sign(&self) -> (String, String) {
        let key = SigningKey::from_bytes(&[self.key; 32]);
        let nonce = self.nonce.map(|nonce| format!(";nonce=\"{nonce}\"")).unwrap_or_default();
        let params = format!(
            "({});created={};expires={};keyid=\"{}\"{nonce};tag=\"{}\"",
            self.covered,
            self.created,
            self.expires,
            thumbprint(self.key),
            self.tag
        );
        let mut base = String::new();
        for id in self.covered.split(' ').filter(|id| !id.is_empty()) {
            let value = match id {
                "\"@authority\"" => self.authority.as_str(),
                "\"signature-agent\"" => AGENT,
                "\"@method\"" => "GET",
                _ => "",
            };
            base.push_str(&format!("{id}: {value}\n"));
        }
        base.push_str(&format!("\"@signature-params\": {params}"));
        let signature = key.sign(base.as_bytes());
        (format!("sig1={params}"), format!("sig1=:{}:", STANDARD.encode(signature.to_bytes())))
    }
}

fn public(key: u8) -> String {
    URL_SAFE_NO_PAD.encode(SigningKey::from_bytes(&[key; 32]).verifying_key().as_bytes())
}

fn thumbprint(key: u8) -> String {
    let members = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{}"}}"#, public(key));
    URL_SAFE_NO_PAD.encode(Sha256::digest(members))
}

/// The directory that holds key 7 and no other.
pub(crate) fn directory() -> String {
    format!(r#"{{"keys":[{{"kty":"OKP","crv":"Ed25519","x":"{}","use":"sig"}}]}}"#, public(7))
}
