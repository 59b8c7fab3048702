//! The registered signature algorithms (RFC 9421 3.3, 6.2).

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// An algorithm of the registry of HTTP signature algorithms.
///
/// ```
/// use bot_etiquette_signing::Algorithm;
///
/// assert_eq!("ed25519".parse(), Ok(Algorithm::Ed25519));
/// // The names of JOSE are another registry.
/// assert!("EdDSA".parse::<Algorithm>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// `ed25519`
    Ed25519,
    /// `rsa-pss-sha512`
    RsaPssSha512,
    /// `rsa-v1_5-sha256`
    RsaV15Sha256,
    /// `ecdsa-p256-sha256`, the two numbers side by side in 64 bytes.
    EcdsaP256Sha256,
    /// `ecdsa-p384-sha384`, the two numbers side by side in 96 bytes.
    EcdsaP384Sha384,
    /// `hmac-sha256`
    HmacSha256,
}

/// A name that is not in the registry of HTTP signature algorithms.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no HTTP signature algorithm: \"{0}\"")]
pub struct UnknownAlgorithm(String);

impl Algorithm {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Ed25519,
        Self::RsaPssSha512,
        Self::RsaV15Sha256,
        Self::EcdsaP256Sha256,
        Self::EcdsaP384Sha384,
        Self::HmacSha256,
    ];

    /// The registered name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ed25519 => "ed25519",
            Self::RsaPssSha512 => "rsa-pss-sha512",
            Self::RsaV15Sha256 => "rsa-v1_5-sha256",
            Self::EcdsaP256Sha256 => "ecdsa-p256-sha256",
            Self::EcdsaP384Sha384 => "ecdsa-p384-sha384",
            Self::HmacSha256 => "hmac-sha256",
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|algorithm| algorithm.as_str() == text)
            .ok_or_else(|| UnknownAlgorithm(text.to_owned()))
    }
}
