use std::fmt;
use std::ops::Deref;

use zeroize::Zeroizing;

/// A secret key as text, on its way to a file: PEM or a JWK.
///
/// It reads as a `str`. The text is erased when it is dropped, and `Debug` prints none of it.
///
/// ```
/// use bot_etiquette_signing::SigningKey;
///
/// let pem = SigningKey::from_seed(&[7; 32]).to_pkcs8_pem();
/// assert!(pem.starts_with("-----BEGIN PRIVATE KEY-----\n"));
/// assert_eq!(format!("{pem:?}"), "SecretText(..)");
/// ```
#[derive(Clone)]
pub struct SecretText(pub(super) Zeroizing<String>);

impl SecretText {
    /// The secret itself: keep it out of logs.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for SecretText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretText(..)")
    }
}
