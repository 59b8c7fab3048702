//! Content-Digest (RFC 9530): made, and checked against the content.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderValue};
use sha2::{Digest as _, Sha256, Sha512};
use thiserror::Error;

use crate::member;
use crate::value::push_joined;

/// The field name.
pub const CONTENT_DIGEST: &str = "content-digest";

/// A digest algorithm that is safe for signatures (RFC 9530 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DigestAlgorithm {
    /// `sha-256`
    Sha256,
    /// `sha-512`
    Sha512,
}

/// Why a Content-Digest does not vouch for the content.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DigestError {
    /// The message has no Content-Digest.
    #[error("content-digest: not in the message")]
    Missing,
    /// The field is no dictionary of byte sequences.
    #[error("content-digest: {0}")]
    Malformed(String),
    /// Neither `sha-256` nor `sha-512` is present.
    #[error("content-digest: neither sha-256 nor sha-512")]
    NoKnownAlgorithm,
    /// The content has another digest.
    #[error("content-digest: the {0} of the content is another")]
    Mismatch(&'static str),
}

impl DigestAlgorithm {
    /// The key of the dictionary member.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sha256 => "sha-256",
            Self::Sha512 => "sha-512",
        }
    }

    fn digest(self, content: &[u8]) -> Vec<u8> {
        match self {
            Self::Sha256 => Sha256::digest(content).to_vec(),
            Self::Sha512 => Sha512::digest(content).to_vec(),
        }
    }
}

/// The value of a Content-Digest field for this content.
///
/// ```
/// use bot_etiquette_signing::{DigestAlgorithm, content_digest};
///
/// assert_eq!(
///     content_digest(DigestAlgorithm::Sha256, br#"{"hello": "world"}"#),
///     "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:",
/// );
/// ```
#[must_use]
pub fn content_digest(algorithm: DigestAlgorithm, content: &[u8]) -> HeaderValue {
    let text = format!("{}=:{}:", algorithm.as_str(), STANDARD.encode(algorithm.digest(content)));
    // Base64 and a key are always a field value.
    HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static(""))
}

/// Checks the Content-Digest of `headers` against the content. Every `sha-256` and `sha-512` in it must fit; members
/// with other keys are passed over.
///
/// # Errors
/// See [`DigestError`].
///
/// ```
/// use bot_etiquette_signing::{DigestAlgorithm, check_content_digest, content_digest};
/// use http::HeaderMap;
///
/// let mut headers = HeaderMap::new();
/// headers.insert("content-digest", content_digest(DigestAlgorithm::Sha512, b"words"));
/// assert!(check_content_digest(&headers, b"words").is_ok());
/// assert!(check_content_digest(&headers, b"swords").is_err());
/// ```
pub fn check_content_digest(headers: &HeaderMap, content: &[u8]) -> Result<(), DigestError> {
    let mut text = String::new();
    let malformed = |reason: &dyn ToString| DigestError::Malformed(reason.to_string());
    match push_joined(&mut text, headers, CONTENT_DIGEST) {
        Ok(true) => {}
        Ok(false) => return Err(DigestError::Missing),
        Err(position) => return Err(malformed(&format_args!("no ASCII at byte {position}"))),
    }
    let members = member::members(&text).map_err(|error| malformed(&error))?;
    let mut checked = false;
    for algorithm in [DigestAlgorithm::Sha256, DigestAlgorithm::Sha512] {
        let key = algorithm.as_str();
        let Some(member) = members.iter().find(|member| member.key == key) else { continue };
        let claimed = member.item().and_then(|item| item.bare.as_byte_sequence()).ok_or_else(|| {
            malformed(&format_args!("\"{key}\" at byte {} is no byte sequence", member.position))
        })?;
        if claimed != algorithm.digest(content) {
            return Err(DigestError::Mismatch(key));
        }
        checked = true;
    }
    if checked { Ok(()) } else { Err(DigestError::NoKnownAlgorithm) }
}
