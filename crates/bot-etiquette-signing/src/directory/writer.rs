use std::time::{Duration, SystemTime};

use serde::Serialize;

use super::{DirectoryError, PublishedKey};

/// How long caches may keep a directory's response, unless the builder says otherwise: one hour.
pub const DEFAULT_MAX_AGE: Duration = Duration::from_secs(3600);
/// How much longer than its cached copies a response's signature lasts, unless the builder says otherwise.
const SIGNATURE_MARGIN: Duration = Duration::from_secs(300);

/// The key directory of a bot: its public keys, as the document that verifiers fetch.
///
/// The response to them is made per authority and moment by [`response`](Self::response), with one
/// signature by each key over the authority that was asked for. That proves who holds the keys: a copy
/// served elsewhere does not verify. **A document without those signatures, such as a plain file on a web
/// server, does not verify at Cloudflare.**
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use bot_etiquette_signing::SigningKey;
/// use bot_etiquette_signing::directory::{KeyDirectory, PublishedKey};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
/// # let key = SigningKey::from_seed(&[1; 32]);
/// let directory = KeyDirectory::builder().key(PublishedKey::new(key)).build()?;
/// let response = directory.response("bot.example", now)?;
/// assert!(response.headers().contains_key("signature"));
/// assert_eq!(response.body(), &directory.document());
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct KeyDirectory {
    keys: Vec<PublishedKey>,
    max_age: Duration,
    signature_lifetime: Duration,
    content_digest: bool,
}

impl KeyDirectory {
    /// A directory to be filled.
    pub fn builder() -> KeyDirectoryBuilder {
        KeyDirectoryBuilder {
            keys: Vec::new(),
            max_age: DEFAULT_MAX_AGE,
            signature_lifetime: None,
            content_digest: false,
            allow_test_keys: false,
        }
    }

    /// The document with every key, whatever its dates: a JWK Set in one line.
    #[must_use]
    pub fn document(&self) -> String {
        write(self.keys.iter())
    }

    /// The document as it is served at `now`: without keys that are not published yet or have expired.
    #[must_use]
    pub fn document_at(&self, now: SystemTime) -> String {
        write(self.listed(now))
    }

    /// How long caches may keep a response.
    #[must_use]
    pub fn max_age(&self) -> Duration {
        self.max_age
    }

    pub(super) fn listed(&self, now: SystemTime) -> impl Iterator<Item = &PublishedKey> {
        self.keys.iter().filter(move |key| key.is_listed_at(now))
    }

    pub(super) fn signature_lifetime(&self) -> Duration {
        self.signature_lifetime
    }

    pub(super) fn covers_digest(&self) -> bool {
        self.content_digest
    }
}

/// What a [`KeyDirectory`] is made of.
///
/// ```
/// use std::time::Duration;
///
/// use bot_etiquette_signing::SigningKey;
/// use bot_etiquette_signing::directory::{DirectoryError, KeyDirectory, PublishedKey};
///
/// # let key = SigningKey::from_seed(&[1; 32]);
/// let directory = KeyDirectory::builder()
///     .key(PublishedKey::new(key))
///     .max_age(Duration::from_secs(86_400))
///     .signature_lifetime(Duration::from_secs(60))
///     .build();
/// assert_eq!(directory.unwrap_err(), DirectoryError::LifetimeTooShort { lifetime: 60, max_age: 86_400 });
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct KeyDirectoryBuilder {
    keys: Vec<PublishedKey>,
    max_age: Duration,
    signature_lifetime: Option<Duration>,
    content_digest: bool,
    allow_test_keys: bool,
}

impl KeyDirectoryBuilder {
    /// Adds a key.
    pub fn key(mut self, key: PublishedKey) -> Self {
        self.keys.push(key);
        self
    }

    /// Adds keys, such as those of a [`KeySchedule`](super::KeySchedule).
    pub fn keys(mut self, keys: impl IntoIterator<Item = PublishedKey>) -> Self {
        self.keys.extend(keys);
        self
    }

    /// How long caches may keep a response: [`DEFAULT_MAX_AGE`] unless set. A stolen key counts as long.
    pub fn max_age(mut self, max_age: Duration) -> Self {
        self.max_age = max_age;
        self
    }

    /// How long a response's signatures last: `max_age` and five minutes unless set.
    pub fn signature_lifetime(mut self, lifetime: Duration) -> Self {
        self.signature_lifetime = Some(lifetime);
        self
    }

    /// Adds `Content-Digest` and covers it, as later drafts ask; Cloudflare needs none. Off unless set.
    pub fn content_digest(mut self, cover: bool) -> Self {
        self.content_digest = cover;
        self
    }

    /// Takes keys whose secret is printed in an RFC, for tests. Off unless set.
    pub fn allow_test_keys(mut self, allow: bool) -> Self {
        self.allow_test_keys = allow;
        self
    }

    /// The directory.
    ///
    /// # Errors
    /// No key, more than [`MAX_DIRECTORY_KEYS`](super::MAX_DIRECTORY_KEYS), one key twice, a weak or a
    /// published test key, dates that leave a key no time, signatures that end before the cached copies do.
    pub fn build(self) -> Result<KeyDirectory, DirectoryError> {
        if self.keys.is_empty() {
            return Err(DirectoryError::NoKeys);
        }
        if self.keys.len() > super::MAX_DIRECTORY_KEYS {
            let limit = super::MAX_DIRECTORY_KEYS;
            return Err(DirectoryError::TooManyKeys { limit, found: self.keys.len() });
        }
        for (index, key) in self.keys.iter().enumerate() {
            key.check(self.allow_test_keys)?;
            if self.keys.iter().take(index).any(|other| other.thumbprint() == key.thumbprint()) {
                return Err(DirectoryError::DuplicateKey { thumbprint: key.thumbprint().to_string() });
            }
        }
        let signature_lifetime =
            self.signature_lifetime.unwrap_or_else(|| self.max_age.saturating_add(SIGNATURE_MARGIN));
        let (lifetime, max_age) = (signature_lifetime.as_secs(), self.max_age.as_secs());
        if lifetime <= max_age {
            return Err(DirectoryError::LifetimeTooShort { lifetime, max_age });
        }
        Ok(KeyDirectory {
            keys: self.keys,
            max_age: self.max_age,
            signature_lifetime,
            content_digest: self.content_digest,
        })
    }
}

fn write<'a>(keys: impl Iterator<Item = &'a PublishedKey>) -> String {
    #[derive(Serialize)]
    struct Set<'a> {
        keys: Vec<&'a PublishedKey>,
    }
    // Text, numbers and a list cannot fail to be written.
    serde_json::to_string(&Set { keys: keys.collect() }).unwrap_or_default()
}
