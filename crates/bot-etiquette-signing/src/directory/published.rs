use std::sync::Arc;
use std::time::SystemTime;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::DirectoryError;
use crate::{SigningKey, Thumbprint, VerifyingKey};

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
#[derive(Debug, Clone)]
pub struct PublishedKey {
    public: VerifyingKey,
    secret: Option<Arc<SigningKey>>,
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
        Self { secret: Some(Arc::clone(&key)), ..Self::unsigned(key.verifying_key().clone()) }
    }

    /// A key whose secret is not at hand: it is listed, but no response carries a signature by it, and a
    /// verifier that asks for one (Cloudflare does) passes the key over.
    #[must_use]
    pub fn unsigned(public: VerifyingKey) -> Self {
        let thumbprint = public.thumbprint();
        Self { public, secret: None, thumbprint, publish_from: None, not_before: None, expires: None }
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

    pub(super) fn secret(&self) -> Option<&SigningKey> {
        self.secret.as_deref()
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
