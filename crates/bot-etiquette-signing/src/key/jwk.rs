//! A JSON Web Key (RFC 7517, RFC 8037), as far as signing needs it.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::Deserialize;
use zeroize::Zeroizing;

use super::{KeyError, VerifyingKey};

/// The members of one key that matter here; all others are passed over, whatever they hold.
#[derive(Deserialize)]
pub(super) struct Jwk {
    kty: Option<String>,
    crv: Option<String>,
    x: Option<String>,
    #[serde(default)]
    d: Option<Secret>,
}

/// Text that is erased when dropped.
struct Secret(Zeroizing<String>);

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(Zeroizing::new(String::deserialize(deserializer)?)))
    }
}

impl Jwk {
    pub(super) fn read(json: &[u8]) -> Result<Self, KeyError> {
        // The words of serde's error could quote a secret: only the place is told.
        serde_json::from_slice(json)
            .map_err(|error| KeyError::Json { line: error.line(), column: error.column() })
    }

    /// The public bytes, when this is an Ed25519 key.
    pub(super) fn ed25519_bytes(&self) -> Result<[u8; 32], KeyError> {
        let kty = self.kty.as_deref().ok_or(KeyError::MissingMember { member: "kty" })?;
        if kty != "OKP" {
            return Err(KeyError::NotEd25519 { found: format!("\"kty\": {}", quoted(kty)) });
        }
        let crv = self.crv.as_deref().ok_or(KeyError::MissingMember { member: "crv" })?;
        if crv != "Ed25519" {
            return Err(KeyError::NotEd25519 { found: format!("\"crv\": {}", quoted(crv)) });
        }
        public_bytes(self.x.as_deref())
    }

    pub(super) fn seed(&self) -> Result<Zeroizing<[u8; 32]>, KeyError> {
        let d = self.d.as_ref().ok_or(KeyError::MissingMember { member: "d" })?;
        decode(&d.0, "member \"d\"")
    }

    pub(super) fn is_private(&self) -> bool {
        self.d.is_some()
    }
}

/// The bytes of the member `x`.
pub(super) fn public_bytes(x: Option<&str>) -> Result<[u8; 32], KeyError> {
    let x = x.ok_or(KeyError::MissingMember { member: "x" })?;
    Ok(*decode(x, "member \"x\"")?)
}

/// A private JWK; the text is sized beforehand, so that no copy of the secret is left behind by growing.
pub(super) fn write_private(public: &VerifyingKey, seed: &[u8; 32]) -> Zeroizing<String> {
    let mut text = Zeroizing::new(String::with_capacity(192));
    text.push_str(r#"{"kty":"OKP","crv":"Ed25519","x":""#);
    BASE64_URL_SAFE_NO_PAD.encode_string(public.as_bytes(), &mut text);
    text.push_str(r#"","d":""#);
    BASE64_URL_SAFE_NO_PAD.encode_string(seed, &mut text);
    text.push_str("\"}");
    text
}

/// A public JWK.
pub(super) fn write_public(public: &VerifyingKey) -> String {
    format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{}"}}"#, public.x())
}

/// Text of a file as a message may quote it: 80 characters at the most, control characters escaped.
pub(crate) fn quoted(text: &str) -> String {
    let mut short: String = text.chars().take(80).collect();
    if short.len() < text.len() {
        short.push_str("..");
    }
    format!("{short:?}")
}

fn decode(text: &str, place: &'static str) -> Result<Zeroizing<[u8; 32]>, KeyError> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(text.len()));
    BASE64_URL_SAFE_NO_PAD
        .decode_vec(text, &mut bytes)
        .map_err(|_| KeyError::Base64 { place, form: "base64url without padding" })?;
    let found = bytes.len();
    let key: &[u8; 32] = bytes.as_slice().try_into().map_err(|_| KeyError::Length { place, found })?;
    Ok(Zeroizing::new(*key))
}
