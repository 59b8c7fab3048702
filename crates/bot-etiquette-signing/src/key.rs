//! Ed25519 keys: made, read, written, named.

pub(crate) mod der;
mod error;
mod jwk;
pub(crate) mod pem;
mod pkcs8;
mod published;
mod secret_text;
mod verifying;

pub use error::KeyError;
use jwk::Jwk;
pub(crate) use jwk::quoted;
pub use secret_text::SecretText;
pub use verifying::{Thumbprint, VerifyingKey};

use std::fmt;

use ed25519_dalek::Signer;

/// Bytes of a file that holds one key at the most; a larger one is refused unread.
pub const MAX_KEY_BYTES: usize = 16 * 1024;

/// An Ed25519 secret key, with its public part (RFC 8032 5.1.5).
///
/// The public part is always computed from the secret, never taken from elsewhere: a signature made with a
/// foreign public part gives the secret away. A file whose public part does not belong to its secret is
/// refused with [`KeyError::PublicMismatch`].
///
/// The secret is erased when the key is dropped, and `Debug` prints the thumbprint alone.
///
/// ```
/// use bot_etiquette_signing::SigningKey;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let random = [7; 32];
/// // `random`: 32 bytes from the operating system, such as `getrandom::fill` gives.
/// let key = SigningKey::from_seed(&random);
/// let pem = key.to_pkcs8_pem();
/// assert_eq!(SigningKey::from_pkcs8_pem(&pem)?.thumbprint(), key.thumbprint());
///
/// let signature = key.sign(b"a signature base");
/// assert!(key.verifying_key().verify(b"a signature base", &signature));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct SigningKey {
    secret: ed25519_dalek::SigningKey,
    public: VerifyingKey,
}

impl SigningKey {
    /// The key of a 32-byte seed (RFC 8032 calls it the private key).
    ///
    /// To make a new key, pass 32 bytes from the operating system's random source; nothing here draws any.
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        let secret = ed25519_dalek::SigningKey::from_bytes(seed);
        let public = VerifyingKey::of(secret.verifying_key());
        Self { secret, public }
    }

    /// Reads PKCS#8 PEM: version 1 (RFC 8410) as OpenSSL writes it, or version 2 (RFC 5958) with its public part.
    ///
    /// # Errors
    /// An encrypted key, another algorithm, broken PEM or DER, a public part that is not the secret's own.
    pub fn from_pkcs8_pem(text: &str) -> Result<Self, KeyError> {
        let bytes = pem::decode(text, "PRIVATE KEY")?;
        Self::from_pkcs8_der(&bytes)
    }

    /// Reads PKCS#8 DER, what the PEM form wraps.
    ///
    /// # Errors
    /// As [`from_pkcs8_pem`](Self::from_pkcs8_pem).
    pub fn from_pkcs8_der(bytes: &[u8]) -> Result<Self, KeyError> {
        let parts = pkcs8::read_private(bytes)?;
        Self::with_public(parts.seed, parts.public)
    }

    /// Reads a private JWK (RFC 8037): `kty` "OKP", `crv` "Ed25519", `x` and `d`. Other members are passed over.
    ///
    /// # Errors
    /// A member that is missing, not text or not 32 bytes of base64url; another kind of key; an `x` that is
    /// not the public part of `d`.
    pub fn from_jwk(json: &[u8]) -> Result<Self, KeyError> {
        let jwk = Jwk::read(json)?;
        let public = jwk.ed25519_bytes()?;
        let seed = jwk.seed()?;
        Self::with_public(&seed, Some(&public))
    }

    /// Reads whichever form the bytes have: PKCS#8 PEM or DER, a private JWK, or a raw seed of 32 bytes.
    ///
    /// # Errors
    /// Those of the form found, or [`KeyError::UnknownForm`].
    pub fn parse(bytes: &[u8]) -> Result<Self, KeyError> {
        match Form::of(bytes)? {
            Form::Pem(text) => Self::from_pkcs8_pem(text),
            Form::Json => Self::from_jwk(bytes),
            Form::Seed(seed) => Ok(Self::from_seed(seed)),
            Form::Der => Self::from_pkcs8_der(bytes),
        }
    }

    fn with_public(seed: &[u8; 32], public: Option<&[u8; 32]>) -> Result<Self, KeyError> {
        let key = Self::from_seed(seed);
        match public {
            Some(public) if public != key.public.as_bytes() => Err(KeyError::PublicMismatch),
            _ => Ok(key),
        }
    }

    /// The signature over `message` (RFC 8032 5.1.6).
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.secret.sign(message).to_bytes()
    }

    /// The public part.
    #[must_use]
    pub fn verifying_key(&self) -> &VerifyingKey {
        &self.public
    }

    /// The RFC 7638 thumbprint of the public part, which is the key's `keyid` in Web Bot Auth.
    #[must_use]
    pub fn thumbprint(&self) -> Thumbprint {
        self.public.thumbprint()
    }

    /// The 32-byte seed. It is the secret itself: keep it out of logs.
    #[must_use]
    pub fn seed(&self) -> &[u8; 32] {
        self.secret.as_bytes()
    }

    /// PKCS#8 version 1 PEM (RFC 8410), the form every tool reads. It holds the secret.
    #[must_use]
    pub fn to_pkcs8_pem(&self) -> SecretText {
        SecretText(pem::encode("PRIVATE KEY", &*pkcs8::write_private(self.seed())))
    }

    /// PKCS#8 version 2 PEM (RFC 5958), with the public part beside the secret. It holds the secret.
    #[must_use]
    pub fn to_pkcs8_v2_pem(&self) -> SecretText {
        SecretText(pem::encode("PRIVATE KEY", &*pkcs8::write_private_v2(self.seed(), self.public.as_bytes())))
    }

    /// A private JWK (RFC 8037). It holds the secret.
    #[must_use]
    pub fn to_jwk(&self) -> SecretText {
        SecretText(jwk::write_private(&self.public, self.seed()))
    }
}

/// The thumbprint, and nothing of the secret.
impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("thumbprint", &self.thumbprint().as_str()).finish_non_exhaustive()
    }
}

/// What the first bytes of a key file say it is.
pub(crate) enum Form<'a> {
    Pem(&'a str),
    Json,
    Seed(&'a [u8; 32]),
    Der,
}

impl<'a> Form<'a> {
    pub(crate) fn of(bytes: &'a [u8]) -> Result<Self, KeyError> {
        if bytes.len() > MAX_KEY_BYTES {
            return Err(KeyError::TooLarge { limit: MAX_KEY_BYTES, found: bytes.len() });
        }
        let text = std::str::from_utf8(bytes).ok();
        if let Some(text) = text.filter(|text| text.contains("-----BEGIN")) {
            return Ok(Self::Pem(text));
        }
        if let Ok(seed) = bytes.try_into() {
            return Ok(Self::Seed(seed));
        }
        if text.is_some_and(|text| text.trim_start().starts_with('{')) {
            return Ok(Self::Json);
        }
        if bytes.first() == Some(&der::SEQUENCE) { Ok(Self::Der) } else { Err(KeyError::UnknownForm) }
    }
}
