//! The keys of a directory: only Ed25519, only what is published.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::VerifyingKey;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Public keys by the thumbprint that names them (RFC 7638 over the members of RFC 8037).
#[derive(Debug, Clone)]
pub(crate) struct Keys(Vec<(String, VerifyingKey)>);

impl Keys {
    /// Reads a JWK Set, or a single JWK.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let json: Value = serde_json::from_str(text).map_err(|error| format!("is no JSON: {error}"))?;
        let single = std::slice::from_ref(&json);
        let keys = json.get("keys").map_or(Some(single), |keys| keys.as_array().map(Vec::as_slice));
        let mut read = Vec::new();
        for key in keys.ok_or("has keys that are no list")? {
            let text = |name: &str| key.get(name).and_then(Value::as_str).unwrap_or_default();
            if text("kty") != "OKP" || text("crv") != "Ed25519" {
                continue;
            }
            let x = text("x");
            let bytes = URL_SAFE_NO_PAD.decode(x).ok().and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
            let key =
                bytes.and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok()).filter(|key| !key.is_weak());
            let Some(key) = key else { return Err(format!("holds an Ed25519 key with an unusable x {x:?}")) };
            let members = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#);
            read.push((URL_SAFE_NO_PAD.encode(Sha256::digest(members)), key));
        }
        if read.is_empty() {
            return Err("holds no Ed25519 key, so no signature could be good".into());
        }
        Ok(Self(read))
    }

    pub(crate) fn find(&self, thumbprint: &str) -> Option<&VerifyingKey> {
        self.0.iter().find(|(name, _)| name == thumbprint).map(|(_, key)| key)
    }
}
