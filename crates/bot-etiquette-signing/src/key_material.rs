//! What a signature is verified with: an Ed25519 key, or a key of another registered algorithm.

use crate::{Algorithm, KeyError, SigningKey, Thumbprint, VerifyingKey};

#[cfg(feature = "algorithms")]
mod other;
#[cfg(feature = "algorithms")]
pub use other::OtherKey;

/// A key to verify with (RFC 9421 3.2: "verification key material").
///
/// ```
/// use bot_etiquette_signing::{Algorithm, KeyMaterial, SigningKey};
///
/// let key = SigningKey::from_seed(&[7; 32]);
/// let material = KeyMaterial::from(key.verifying_key().clone());
/// assert_eq!(material.algorithms(), [Algorithm::Ed25519]);
/// assert!(material.verify(Algorithm::Ed25519, b"base", &key.sign(b"base")));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyMaterial {
    /// Ed25519, verified strictly.
    Ed25519(VerifyingKey),
    /// Another registered algorithm.
    #[cfg(feature = "algorithms")]
    Other(OtherKey),
}

impl KeyMaterial {
    /// Reads a key in whichever form it has: what [`VerifyingKey::parse`] reads, and with the feature
    /// `algorithms` also RSA, P-256, P-384 and secret (`oct`) keys: JWK, or PEM and DER, public or private.
    ///
    /// # Errors
    /// The error of the Ed25519 reader, when no other reader knows the form.
    pub fn parse(bytes: &[u8]) -> Result<Self, KeyError> {
        match VerifyingKey::parse(bytes) {
            Ok(key) => Ok(Self::Ed25519(key)),
            #[cfg(feature = "algorithms")]
            Err(error) => OtherKey::parse(bytes).map(Self::Other).ok_or(error),
            #[cfg(not(feature = "algorithms"))]
            Err(error) => Err(error),
        }
    }

    /// The algorithms this key can be used with; several for an RSA key that does not name one.
    #[must_use]
    pub fn algorithms(&self) -> &[Algorithm] {
        match self {
            Self::Ed25519(_) => &[Algorithm::Ed25519],
            #[cfg(feature = "algorithms")]
            Self::Other(key) => key.algorithms(),
        }
    }

    /// The RFC 7638 thumbprint of the public JWK.
    #[must_use]
    pub fn thumbprint(&self) -> Thumbprint {
        match self {
            Self::Ed25519(key) => key.thumbprint(),
            #[cfg(feature = "algorithms")]
            Self::Other(key) => key.thumbprint().clone(),
        }
    }

    /// A public JWK with the members that the thumbprint is made of; none of a shared secret, which has no public part.
    #[must_use]
    pub fn to_jwk(&self) -> Option<String> {
        match self {
            Self::Ed25519(key) => Some(key.to_jwk()),
            #[cfg(feature = "algorithms")]
            Self::Other(key) => key.to_jwk(),
        }
    }

    /// Whether some signature of this key fits every message, or the key has a second form.
    #[must_use]
    pub fn is_weak(&self) -> bool {
        match self {
            Self::Ed25519(key) => key.is_weak(),
            #[cfg(feature = "algorithms")]
            Self::Other(key) => key.is_weak(),
        }
    }

    /// Whether the secret of this key is printed in an RFC, so that anyone can sign with it.
    #[must_use]
    pub fn is_published_test_key(&self) -> bool {
        match self {
            Self::Ed25519(key) => key.is_published_test_key(),
            #[cfg(feature = "algorithms")]
            Self::Other(key) => key.is_published_test_key(),
        }
    }

    /// The length of a signature in bytes.
    #[must_use]
    pub fn signature_length(&self) -> usize {
        match self {
            Self::Ed25519(_) => 64,
            #[cfg(feature = "algorithms")]
            Self::Other(key) => key.signature_length(),
        }
    }

    /// Whether `signature` is this key's over `base`. An algorithm the key is not for never verifies.
    #[must_use]
    pub fn verify(&self, algorithm: Algorithm, base: &[u8], signature: &[u8]) -> bool {
        match self {
            Self::Ed25519(key) => {
                algorithm == Algorithm::Ed25519
                    && signature.try_into().is_ok_and(|signature: &[u8; 64]| key.verify(base, signature))
            }
            #[cfg(feature = "algorithms")]
            Self::Other(key) => key.verify(algorithm, base, signature),
        }
    }
}

impl From<VerifyingKey> for KeyMaterial {
    fn from(key: VerifyingKey) -> Self {
        Self::Ed25519(key)
    }
}

impl From<&SigningKey> for KeyMaterial {
    fn from(key: &SigningKey) -> Self {
        Self::Ed25519(key.verifying_key().clone())
    }
}
