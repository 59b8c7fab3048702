/// Why bytes are not the key that was asked for. No variant holds any part of a key.
///
/// ```
/// use bot_etiquette_signing::{KeyError, SigningKey};
///
/// let error = SigningKey::from_pkcs8_pem("-----BEGIN ENCRYPTED PRIVATE KEY-----").unwrap_err();
/// assert_eq!(error, KeyError::Encrypted);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// Neither PEM, DER, JSON nor 32 raw bytes.
    #[error("not a key: expected PEM, a JWK, DER, or a raw seed of 32 bytes")]
    UnknownForm,
    /// Larger than [`MAX_KEY_BYTES`](crate::MAX_KEY_BYTES).
    #[error("not a key: {found} bytes, expected {limit} at the most")]
    TooLarge {
        /// The limit, in bytes.
        limit: usize,
        /// The size found, in bytes.
        found: usize,
    },
    /// The key is encrypted with a passphrase.
    #[error("the key is encrypted: decrypt it first, for example with `openssl pkey -in FILE -out PLAIN`")]
    Encrypted,
    /// A key of another algorithm.
    #[error("expected an Ed25519 key, found {found}")]
    NotEd25519 {
        /// The algorithm, as far as it is known.
        found: String,
    },
    /// PEM text without the block that was asked for.
    #[error("expected a PEM block \"{expected}\", found {found}")]
    PemLabel {
        /// The label asked for.
        expected: &'static str,
        /// The label found, quoted, or "none".
        found: String,
    },
    /// A PEM block that does not end.
    #[error("the PEM block has no END line of the same label")]
    PemUnended,
    /// Text that is not base64.
    #[error("{place} is not {form}")]
    Base64 {
        /// Where: "the PEM block" or a JWK member.
        place: &'static str,
        /// Which base64 was expected.
        form: &'static str,
    },
    /// DER that is not a key.
    #[error("bad DER at byte {at}: expected {expected}")]
    Der {
        /// The offset, in bytes.
        at: usize,
        /// What should stand there.
        expected: &'static str,
    },
    /// A key that is not 32 bytes long.
    #[error("{place} holds {found} bytes, expected 32")]
    Length {
        /// Where: a JWK member.
        place: &'static str,
        /// The bytes found.
        found: usize,
    },
    /// Bytes that are not one JSON object with members of the right kind.
    #[error("not a JWK: bad JSON at line {line} column {column}")]
    Json {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// A JWK without a member it needs.
    #[error("the JWK has no member \"{member}\"")]
    MissingMember {
        /// The member's name.
        member: &'static str,
    },
    /// A JWK with a private member, where a public key belongs.
    #[error("the JWK holds the private member \"{member}\": only the public part belongs here")]
    PrivateMember {
        /// The member's name.
        member: &'static str,
    },
    /// The public part that is written beside the secret belongs to another secret.
    #[error("the public part does not belong to the secret: the file mixes two keys")]
    PublicMismatch,
    /// 32 bytes that are no point of the curve.
    #[error("not an Ed25519 public key: the bytes are no point of the curve")]
    NotOnCurve,
}
