use std::fmt;
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value};

use super::DirectoryError;
use crate::key::quoted;
use crate::{KeyError, Thumbprint, VerifyingKey};

/// Bytes of a directory document at the most.
pub const MAX_DIRECTORY_BYTES: usize = 256 * 1024;
/// Keys of a directory document at the most.
pub const MAX_DIRECTORY_KEYS: usize = 100;

/// A number of seconds above this one is taken as milliseconds: it would be the year 5138.
const MOST_SECONDS: f64 = 1e11;
/// The members of a JWK that hold a secret: of OKP and EC keys, of RSA keys, of symmetric keys.
const PRIVATE_MEMBERS: [&str; 8] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/// A key directory as it was read: the Ed25519 keys of a JWK Set (RFC 7517 section 5), or of a bare JWK.
///
/// What readers can forgive is forgiven and noted: a missing `kid` is computed, a `kid` that is not the
/// thumbprint is passed over, dates in milliseconds are read as such, a key of another kind or a broken one
/// is left out and the others stay. What cannot be forgiven is a [`DirectoryError`].
///
/// ```
/// use bot_etiquette_signing::directory::DirectoryDocument;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let document = DirectoryDocument::parse(
///     br#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#,
/// )?;
/// let entry = document.find("kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k").ok_or("no such key")?;
/// assert_eq!(entry.notes()[0].to_string(), "no \"kid\": the thumbprint stands for it");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryDocument {
    entries: Vec<DirectoryEntry>,
    skipped: Vec<SkippedKey>,
    bare: bool,
}

impl DirectoryDocument {
    /// Reads a document of [`MAX_DIRECTORY_BYTES`] and [`MAX_DIRECTORY_KEYS`] at the most.
    ///
    /// # Errors
    /// Bytes that are no JWK Set and no JWK; one that is too large; one that holds a private member, even in
    /// a key that would be left out.
    pub fn parse(bytes: &[u8]) -> Result<Self, DirectoryError> {
        if bytes.len() > MAX_DIRECTORY_BYTES {
            return Err(DirectoryError::TooLarge { limit: MAX_DIRECTORY_BYTES });
        }
        // RFC 8259 8.1: a reader may pass over a byte order mark.
        let json = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let Json(members) = serde_json::from_slice(json)
            .map_err(|error| DirectoryError::Json { line: error.line(), column: error.column() })?;
        let (keys, bare) = match members.get("keys") {
            Some(Value::Array(keys)) => (keys.as_slice(), false),
            Some(_) => return Err(DirectoryError::NotAKeySet),
            None if members.contains_key("kty") => {
                let mut document = Self { entries: Vec::new(), skipped: Vec::new(), bare: true };
                document.push(0, &members)?;
                return Ok(document);
            }
            None => return Err(DirectoryError::NotAKeySet),
        };
        if keys.len() > MAX_DIRECTORY_KEYS {
            return Err(DirectoryError::TooManyKeys { limit: MAX_DIRECTORY_KEYS, found: keys.len() });
        }
        let mut document = Self { entries: Vec::new(), skipped: Vec::new(), bare };
        for (index, key) in keys.iter().enumerate() {
            match key {
                Value::Object(members) => document.push(index, members)?,
                _ => document.skipped.push(SkippedKey { index, reason: SkipReason::NotAnObject }),
            }
        }
        Ok(document)
    }

    fn push(&mut self, index: usize, members: &Map<String, Value>) -> Result<(), DirectoryError> {
        if let Some(member) = PRIVATE_MEMBERS.into_iter().find(|member| members.contains_key(*member)) {
            return Err(DirectoryError::PrivateMember { index, member });
        }
        match DirectoryEntry::read(index, members) {
            Ok(entry) if self.find(entry.thumbprint.as_str()).is_some() => {
                self.skipped.push(SkippedKey { index, reason: SkipReason::Duplicate });
            }
            Ok(entry) => self.entries.push(entry),
            Err(reason) => self.skipped.push(SkippedKey { index, reason }),
        }
        Ok(())
    }

    /// The Ed25519 keys, in the order of the document.
    #[must_use]
    pub fn entries(&self) -> &[DirectoryEntry] {
        &self.entries
    }

    /// The keys that were left out, and why.
    #[must_use]
    pub fn skipped(&self) -> &[SkippedKey] {
        &self.skipped
    }

    /// Whether the document is one JWK rather than a set.
    #[must_use]
    pub fn is_bare(&self) -> bool {
        self.bare
    }

    /// The key whose thumbprint is `keyid`. A `kid` that says something else is never asked.
    #[must_use]
    pub fn find(&self, keyid: &str) -> Option<&DirectoryEntry> {
        self.entries.iter().find(|entry| entry.thumbprint.as_str() == keyid)
    }
}

/// One JSON object whose own member names are unique.
struct Json(Map<String, Value>);

impl<'de> serde::Deserialize<'de> for Json {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> serde::de::Visitor<'de> for Members {
            type Value = Json;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
                let mut members = Map::new();
                while let Some((name, value)) = access.next_entry::<String, Value>()? {
                    // Two "keys" would let two readers see two sets.
                    if members.insert(name, value).is_some() {
                        return Err(serde::de::Error::custom("a member stands twice"));
                    }
                }
                Ok(Json(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// One key of a [`DirectoryDocument`].
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use bot_etiquette_signing::directory::{DirectoryDocument, DirectoryEntry};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let document = DirectoryDocument::parse(
///     br#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","exp":1900000000}"#,
/// )?;
/// let entry: &DirectoryEntry = &document.entries()[0];
/// assert!(entry.is_valid_at(SystemTime::UNIX_EPOCH + Duration::from_secs(1_899_999_999)));
/// assert!(!entry.is_valid_at(SystemTime::UNIX_EPOCH + Duration::from_secs(1_900_000_000)));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryEntry {
    index: usize,
    key: VerifyingKey,
    thumbprint: Thumbprint,
    kid: Option<String>,
    not_before: Option<SystemTime>,
    expires: Option<SystemTime>,
    notes: Vec<EntryNote>,
}

impl DirectoryEntry {
    fn read(index: usize, members: &Map<String, Value>) -> Result<Self, SkipReason> {
        let text = |member: &'static str| match members.get(member) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str())),
            Some(_) => Err(SkipReason::NotText { member }),
        };
        match text("kty")? {
            Some("OKP") if text("crv")? == Some("Ed25519") => {}
            kty => {
                let name = |part: Option<&str>| part.map_or_else(|| "none".to_owned(), quoted);
                let found = format!("kty {}, crv {}", name(kty), name(text("crv")?));
                return Err(SkipReason::NotEd25519 { found });
            }
        }
        if text("use")?.is_some_and(|usage| usage != "sig") {
            return Err(SkipReason::NotForSigning);
        }
        let key = VerifyingKey::from_x(text("x")?).map_err(SkipReason::BadKey)?;
        if key.is_weak() {
            return Err(SkipReason::Weak);
        }
        let mut notes = Vec::new();
        let thumbprint = key.thumbprint();
        let kid = match members.get("kid") {
            None | Some(Value::Null) => {
                notes.push(EntryNote::NoKid);
                None
            }
            Some(Value::String(kid)) => {
                if kid != thumbprint.as_str() {
                    notes.push(EntryNote::KidIsNotTheThumbprint { found: quoted(kid) });
                }
                Some(kid.clone())
            }
            Some(_) => {
                notes.push(EntryNote::KidIsNotTheThumbprint { found: "no text".to_owned() });
                None
            }
        };
        if let Some(alg) = text("alg")?.filter(|alg| !matches!(*alg, "EdDSA" | "Ed25519")) {
            notes.push(EntryNote::UnknownAlg { found: quoted(alg) });
        }
        let not_before = date(members, "nbf", &mut notes)?;
        let expires = date(members, "exp", &mut notes)?;
        Ok(Self { index, key, thumbprint, kid, not_before, expires, notes })
    }

    /// Where the key stands in the document, from 0.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &VerifyingKey {
        &self.key
    }

    /// The key's thumbprint, computed.
    #[must_use]
    pub fn thumbprint(&self) -> &Thumbprint {
        &self.thumbprint
    }

    /// The `kid` as the document has it.
    #[must_use]
    pub fn kid(&self) -> Option<&str> {
        self.kid.as_deref()
    }

    /// The `nbf` date: the key counts from this moment on.
    #[must_use]
    pub fn not_before(&self) -> Option<SystemTime> {
        self.not_before
    }

    /// The `exp` date: the key no longer counts from this moment on.
    #[must_use]
    pub fn expires(&self) -> Option<SystemTime> {
        self.expires
    }

    /// Whether `nbf` has come and `exp` has not.
    #[must_use]
    pub fn is_valid_at(&self, now: SystemTime) -> bool {
        self.not_before.is_none_or(|date| date <= now) && self.expires.is_none_or(|date| now < date)
    }

    /// What was forgiven.
    #[must_use]
    pub fn notes(&self) -> &[EntryNote] {
        &self.notes
    }
}

/// Something a reader forgives in a key, though the rules ask otherwise.
///
/// ```
/// use bot_etiquette_signing::directory::EntryNote;
///
/// assert_eq!(EntryNote::Milliseconds { member: "exp" }.to_string(), "\"exp\" is in milliseconds, not seconds");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryNote {
    /// No `kid`.
    NoKid,
    /// A `kid` that is not the key's RFC 7638 thumbprint.
    KidIsNotTheThumbprint {
        /// The `kid` found, quoted and shortened.
        found: String,
    },
    /// An `alg` that is not "EdDSA" (RFC 8037) or "Ed25519" (RFC 9864).
    UnknownAlg {
        /// The `alg` found, quoted and shortened.
        found: String,
    },
    /// A date in milliseconds; RFC 7519 counts seconds.
    Milliseconds {
        /// "nbf" or "exp".
        member: &'static str,
    },
}

impl fmt::Display for EntryNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoKid => f.write_str("no \"kid\": the thumbprint stands for it"),
            Self::KidIsNotTheThumbprint { found } => write!(f, "\"kid\" is not the thumbprint, but {found}"),
            Self::UnknownAlg { found } => write!(f, "\"alg\" is {found}, expected \"EdDSA\""),
            Self::Milliseconds { member } => write!(f, "\"{member}\" is in milliseconds, not seconds"),
        }
    }
}

/// A key that was left out of a [`DirectoryDocument`].
///
/// ```
/// use bot_etiquette_signing::directory::{DirectoryDocument, SkipReason};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let document = DirectoryDocument::parse(br#"{"keys":[{"kty":"RSA"}]}"#)?;
/// let skipped = &document.skipped()[0];
/// assert_eq!(skipped.to_string(), "key 0: not an Ed25519 key: kty \"RSA\", crv none");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkippedKey {
    /// Where the key stands in the document, from 0.
    pub index: usize,
    /// Why it was left out.
    pub reason: SkipReason,
}

impl fmt::Display for SkippedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "key {}: {}", self.index, self.reason)
    }
}

/// Why a key was left out of a [`DirectoryDocument`].
///
/// ```
/// use bot_etiquette_signing::directory::SkipReason;
///
/// assert_eq!(SkipReason::Duplicate.to_string(), "the key stands twice");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkipReason {
    /// The element is no JSON object.
    #[error("not a JSON object")]
    NotAnObject,
    /// A key of another algorithm.
    #[error("not an Ed25519 key: {found}")]
    NotEd25519 {
        /// The kind found.
        found: String,
    },
    /// The member `use` is not "sig".
    #[error("\"use\" is not \"sig\"")]
    NotForSigning,
    /// A member that should be text.
    #[error("\"{member}\" is not text")]
    NotText {
        /// The member's name.
        member: &'static str,
    },
    /// The public bytes are broken.
    #[error("{0}")]
    BadKey(KeyError),
    /// The key is weak: some signature fits every message.
    #[error("a weak key: some signature fits every message")]
    Weak,
    /// The key stands twice.
    #[error("the key stands twice")]
    Duplicate,
    /// A date that is no number of seconds since 1970.
    #[error("\"{member}\" is not a number of seconds since 1970")]
    BadDate {
        /// "nbf" or "exp".
        member: &'static str,
    },
}

/// A NumericDate (RFC 7519 section 2): seconds, a fraction allowed. A date that cannot be read is no licence
/// to ignore it.
fn date(
    members: &Map<String, Value>,
    member: &'static str,
    notes: &mut Vec<EntryNote>,
) -> Result<Option<SystemTime>, SkipReason> {
    let number = match members.get(member) {
        None | Some(Value::Null) => return Ok(None),
        Some(value) => value.as_f64().ok_or(SkipReason::BadDate { member })?,
    };
    let seconds = if number > MOST_SECONDS {
        notes.push(EntryNote::Milliseconds { member });
        number / 1000.0
    } else {
        number
    };
    Duration::try_from_secs_f64(seconds)
        .ok()
        .and_then(|since| SystemTime::UNIX_EPOCH.checked_add(since))
        .map(Some)
        .ok_or(SkipReason::BadDate { member })
}
