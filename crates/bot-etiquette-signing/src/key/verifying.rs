use std::fmt;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use super::{Form, Jwk, KeyError, SigningKey, jwk, pem, pkcs8, published};

/// An Ed25519 public key.
///
/// Two keys are equal when their bytes are.
///
/// ```
/// use bot_etiquette_signing::VerifyingKey;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let key = VerifyingKey::from_jwk(
///     br#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
/// )?;
/// // RFC 8037 appendix A.3 prints this thumbprint, and the secret of the key too.
/// assert_eq!(key.thumbprint().as_str(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
/// assert!(key.is_published_test_key());
/// # Ok(()) }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct VerifyingKey(Arc<Known>);

/// A key with what every verification asks of it, worked out once. Verifiers hand their keys about by the clone.
#[derive(PartialEq, Eq)]
struct Known {
    key: ed25519_dalek::VerifyingKey,
    weak: bool,
    thumbprint: Thumbprint,
}

impl VerifyingKey {
    pub(super) fn of(key: ed25519_dalek::VerifyingKey) -> Self {
        let weak = key.is_weak() || key.to_edwards().compress().as_bytes() != key.as_bytes();
        let x = BASE64_URL_SAFE_NO_PAD.encode(key.as_bytes());
        let thumbprint = Thumbprint::of_json(&format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#));
        Self(Arc::new(Known { key, weak, thumbprint }))
    }

    /// The key of 32 public bytes (RFC 8032 5.1.5).
    ///
    /// A weak key is taken, so that it can be named: ask [`is_weak`](Self::is_weak).
    ///
    /// # Errors
    /// [`KeyError::NotOnCurve`].
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, KeyError> {
        ed25519_dalek::VerifyingKey::from_bytes(bytes).map(Self::of).map_err(|_| KeyError::NotOnCurve)
    }

    /// Reads a public JWK (RFC 8037): `kty` "OKP", `crv` "Ed25519" and `x`. Other members are passed over.
    ///
    /// # Errors
    /// [`KeyError::PrivateMember`] when a secret stands beside it; otherwise as [`SigningKey::from_jwk`].
    pub fn from_jwk(json: &[u8]) -> Result<Self, KeyError> {
        let jwk = Jwk::read(json)?;
        if jwk.is_private() {
            return Err(KeyError::PrivateMember { member: "d" });
        }
        Self::from_bytes(&jwk.ed25519_bytes()?)
    }

    /// The key of a JWK's member `x`, when the JWK is known to be an Ed25519 key.
    pub(crate) fn from_x(x: Option<&str>) -> Result<Self, KeyError> {
        Self::from_bytes(&jwk::public_bytes(x)?)
    }

    /// The member `x` of the JWK.
    pub(crate) fn x(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.as_bytes())
    }

    /// Reads a public key in PEM (`SubjectPublicKeyInfo`, RFC 8410 section 4).
    ///
    /// # Errors
    /// Another algorithm, broken PEM or DER, no point of the curve.
    pub fn from_spki_pem(text: &str) -> Result<Self, KeyError> {
        Self::from_bytes(pkcs8::read_public(&pem::decode(text, "PUBLIC KEY")?)?)
    }

    /// Reads whichever form the bytes have, public or secret, and keeps the public part alone: SPKI PEM or
    /// DER, PKCS#8 PEM or DER, a JWK, or a raw *secret* seed of 32 bytes.
    ///
    /// # Errors
    /// Those of the form found, or [`KeyError::UnknownForm`].
    pub fn parse(bytes: &[u8]) -> Result<Self, KeyError> {
        match Form::of(bytes)? {
            Form::Pem(text) if pem::blocks(text).any(|block| block.label == "PUBLIC KEY") => {
                Self::from_spki_pem(text)
            }
            Form::Json if !Jwk::read(bytes)?.is_private() => Self::from_jwk(bytes),
            Form::Der => match pkcs8::read_public(bytes) {
                Ok(public) => Self::from_bytes(public),
                Err(_) => SigningKey::from_pkcs8_der(bytes).map(|key| key.verifying_key().clone()),
            },
            _ => SigningKey::parse(bytes).map(|key| key.verifying_key().clone()),
        }
    }

    /// Whether `signature` is this key's over `message`, by the strict rules: a weak key or a signature with
    /// a second form never verifies.
    #[must_use]
    pub fn verify(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        let signature = ed25519_dalek::Signature::from_bytes(signature);
        !self.0.weak && self.0.key.verify_strict(message, &signature).is_ok()
    }

    /// The 32 public bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.key.as_bytes()
    }

    /// Whether the key is of small order (some signature fits every message) or written in a second form.
    #[must_use]
    pub fn is_weak(&self) -> bool {
        self.0.weak
    }

    /// Whether the secret of this key is printed in RFC 8032, RFC 8037, RFC 8410 or RFC 9421, so that anyone
    /// can sign with it.
    #[must_use]
    pub fn is_published_test_key(&self) -> bool {
        published::is_known(self.as_bytes())
    }

    /// The SHA-256 thumbprint of the public JWK (RFC 7638, RFC 8037 section 2).
    #[must_use]
    pub fn thumbprint(&self) -> Thumbprint {
        self.0.thumbprint.clone()
    }

    /// A public JWK with the members `kty`, `crv` and `x`.
    #[must_use]
    pub fn to_jwk(&self) -> String {
        jwk::write_public(self)
    }

    /// A public key in PEM (`SubjectPublicKeyInfo`).
    #[must_use]
    pub fn to_spki_pem(&self) -> String {
        pem::encode("PUBLIC KEY", &pkcs8::write_public(self.as_bytes())).to_string()
    }
}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VerifyingKey").field("thumbprint", &self.thumbprint().as_str()).finish()
    }
}

/// An RFC 7638 thumbprint: 43 characters of base64url, the `keyid` of Web Bot Auth.
///
/// ```
/// use bot_etiquette_signing::{SigningKey, Thumbprint};
///
/// let thumbprint: Thumbprint = SigningKey::from_seed(&[7; 32]).thumbprint();
/// assert_eq!(thumbprint.as_str().len(), 43);
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Thumbprint([u8; 43]);

impl Thumbprint {
    /// The thumbprint of the minimal JWK text that RFC 7638 3 prescribes.
    pub(crate) fn of_json(json: &str) -> Self {
        let mut text = [0; 43];
        // 32 bytes are 43 characters.
        let _ = BASE64_URL_SAFE_NO_PAD.encode_slice(Sha256::digest(json), &mut text);
        Self(text)
    }

    /// Whether a text could be one: 43 characters of base64url.
    pub(crate) fn has_form_of(text: &str) -> bool {
        text.len() == 43
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Base64 is ASCII.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl AsRef<str> for Thumbprint {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Debug for Thumbprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Thumbprint").field(&self.as_str()).finish()
    }
}

impl fmt::Display for Thumbprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
