//! Keys that live elsewhere: in a hardware module, an agent process, a key service.

use crate::{Algorithm, SigningKey};

/// A key that signs when asked, without showing its secret.
///
/// [`SigningKey`] is one. For a key that signs asynchronously see [`Signer::prepare_into`](crate::Signer::prepare_into).
///
/// ```
/// use bot_etiquette_signing::{Algorithm, ExternalSigner, Signer, SigningKey};
///
/// #[derive(Debug)]
/// struct Vault(SigningKey);
///
/// impl ExternalSigner for Vault {
///     fn algorithm(&self) -> Algorithm {
///         Algorithm::Ed25519
///     }
///     fn keyid(&self) -> String {
///         self.0.thumbprint().to_string()
///     }
///     fn sign(
///         &self,
///         base: &[u8],
///         signature: &mut Vec<u8>,
///     ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
///         signature.extend_from_slice(&self.0.sign(base));
///         Ok(())
///     }
/// }
///
/// let vault = Vault(SigningKey::from_seed(&[7; 32]));
/// assert!(Signer::builder(vault, "https://bot.example").build().is_ok());
/// ```
pub trait ExternalSigner {
    /// The algorithm of the key.
    fn algorithm(&self) -> Algorithm;

    /// The RFC 7638 thumbprint of the public key.
    fn keyid(&self) -> String;

    /// Whether the secret is printed in an RFC, so that anyone has it. No, unless known.
    fn is_published_test_key(&self) -> bool {
        false
    }

    /// Appends the signature over `base` to `signature`, which is empty.
    ///
    /// # Errors
    /// Whatever kept the key from signing.
    fn sign(
        &self,
        base: &[u8],
        signature: &mut Vec<u8>,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;
}

impl ExternalSigner for SigningKey {
    fn algorithm(&self) -> Algorithm {
        Algorithm::Ed25519
    }

    fn keyid(&self) -> String {
        self.thumbprint().to_string()
    }

    fn is_published_test_key(&self) -> bool {
        self.verifying_key().is_published_test_key()
    }

    fn sign(
        &self,
        base: &[u8],
        signature: &mut Vec<u8>,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        signature.extend_from_slice(&Self::sign(self, base));
        Ok(())
    }
}
