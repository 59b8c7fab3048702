use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::DirectoryError;
use crate::{Algorithm, ExternalSigner, KeyMaterial, SigningKey, Thumbprint, VerifyingKey};

/// A key on its way into a [`KeyDirectory`](super::KeyDirectory), with its dates.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use bot_etiquette_signing::SigningKey;
/// use bot_etiquette_signing::directory::{KeyDirectory, PublishedKey};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let key = SigningKey::from_seed(&[1; 32]);
/// let next_summer = SystemTime::UNIX_EPOCH + Duration::from_secs(1_812_000_000);
/// let directory = KeyDirectory::builder().key(PublishedKey::new(key).expires(next_summer)).build()?;
/// assert!(directory.document().contains(r#""exp":1812000000"#));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct PublishedKey {
    public: VerifyingKey,
    signer: Option<Arc<dyn ExternalSigner + Send + Sync>>,
    thumbprint: Thumbprint,
    publish_from: Option<SystemTime>,
    not_before: Option<SystemTime>,
    expires: Option<SystemTime>,
}

impl PublishedKey {
    /// A key that also signs the directory's responses.
    #[must_use]
    pub fn new(key: impl Into<Arc<SigningKey>>) -> Self {
        let key = key.into();
        Self::external(key.verifying_key().clone(), key)
    }

    /// A key kept elsewhere, whose `signer` signs the directory's responses. Each signature is verified
    /// with `public` before it is sent.
    #[must_use]
    pub fn external(public: VerifyingKey, signer: Arc<dyn ExternalSigner + Send + Sync>) -> Self {
        Self { signer: Some(signer), ..Self::unsigned(public) }
    }

    /// A key whose secret is not at hand: it is listed, but no response carries a signature by it, and a
    /// verifier that asks for one (Cloudflare does) passes the key over.
    #[must_use]
    pub fn unsigned(public: VerifyingKey) -> Self {
        let thumbprint = public.thumbprint();
        Self { public, signer: None, thumbprint, publish_from: None, not_before: None, expires: None }
    }

    /// Keeps the key out of responses before `date`. By default it is listed at once.
    #[must_use]
    pub fn publish_from(mut self, date: SystemTime) -> Self {
        self.publish_from = Some(date);
        self
    }

    /// Writes `nbf`: verifiers do not count the key before `date`.
    #[must_use]
    pub fn not_before(mut self, date: SystemTime) -> Self {
        self.not_before = Some(date);
        self
    }

    /// Writes `exp`: verifiers do not count the key from `date` on, and responses no longer list it.
    #[must_use]
    pub fn expires(mut self, date: SystemTime) -> Self {
        self.expires = Some(date);
        self
    }

    /// The key's thumbprint, which is its `kid`.
    #[must_use]
    pub fn thumbprint(&self) -> &Thumbprint {
        &self.thumbprint
    }

    /// This key's signature over `base`, when it signs at all.
    pub(super) fn sign(&self, base: &[u8]) -> Option<Result<Vec<u8>, DirectoryError>> {
        let signer = self.signer.as_ref()?;
        let refuse =
            |reason: String| DirectoryError::NotSigned { thumbprint: self.thumbprint.to_string(), reason };
        let mut signature = Vec::new();
        Some(match signer.sign(base, &mut signature) {
            Err(error) => Err(refuse(error.to_string())),
            // A signature that does not verify would only be found out by strangers.
            Ok(())
                if !KeyMaterial::Ed25519(self.public.clone()).verify(
                    Algorithm::Ed25519,
                    base,
                    &signature,
                ) =>
            {
                Err(refuse("its signature does not verify with the public part given".to_owned()))
            }
            Ok(()) => Ok(signature),
        })
    }

    /// Whether responses list the key at `now`.
    #[must_use]
    pub fn is_listed_at(&self, now: SystemTime) -> bool {
        self.publish_from.is_none_or(|date| date <= now) && self.expires.is_none_or(|date| now < date)
    }

    pub(super) fn check(&self, allow_test_keys: bool) -> Result<(), DirectoryError> {
        let thumbprint = self.thumbprint.to_string();
        if self.public.is_weak() {
            return Err(DirectoryError::UnfitKey {
                thumbprint,
                why: "weak: some signature fits every message",
            });
        }
        if self.public.is_published_test_key() && !allow_test_keys {
            return Err(DirectoryError::UnfitKey {
                thumbprint,
                why: "a test key: its secret is printed in an RFC, so anyone could sign as this bot",
            });
        }
        let dates = [
            ("the publication", self.publish_from),
            ("the \"nbf\" date", self.not_before),
            ("the \"exp\" date", self.expires),
        ];
        for (earlier, later) in [(0, 2), (1, 2)] {
            if let (Some((earlier, Some(from))), Some((later, Some(to)))) =
                (dates.get(earlier), dates.get(later))
                && seconds(*from) >= seconds(*to)
            {
                return Err(DirectoryError::DatesOrder { thumbprint, earlier, later });
            }
        }
        Ok(())
    }
}

impl fmt::Debug for PublishedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublishedKey")
            .field("thumbprint", &self.thumbprint.as_str())
            .field("signs", &self.signer.is_some())
            .field("publish_from", &self.publish_from)
            .field("not_before", &self.not_before)
            .field("expires", &self.expires)
            .finish()
    }
}

/// The JWK as the directory lists it.
impl Serialize for PublishedKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("kty", "OKP")?;
        members.serialize_entry("crv", "Ed25519")?;
        members.serialize_entry("kid", self.thumbprint.as_str())?;
        members.serialize_entry("x", &self.public.x())?;
        members.serialize_entry("use", "sig")?;
        members.serialize_entry("alg", "EdDSA")?;
        if let Some(date) = self.not_before {
            members.serialize_entry("nbf", &seconds(date))?;
        }
        if let Some(date) = self.expires {
            members.serialize_entry("exp", &seconds(date))?;
        }
        members.end()
    }
}

/// Seconds since 1970; a moment before is 0.
pub(super) fn seconds(date: SystemTime) -> u64 {
    date.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
}
