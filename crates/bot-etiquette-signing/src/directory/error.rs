use super::MEDIA_TYPE;

/// Why an answer is no key directory, or a directory cannot be built.
///
/// ```
/// use bot_etiquette_signing::directory::{DirectoryDocument, DirectoryError};
///
/// let error = DirectoryDocument::parse(b"[]").unwrap_err();
/// assert_eq!(error, DirectoryError::Json { line: 1, column: 0 });
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DirectoryError {
    /// No answer came.
    #[error("no answer came")]
    NoAnswer,
    /// The answer is a redirect, which is never followed.
    #[error("status {0}: a key directory is never read through a redirect")]
    Redirect(u16),
    /// The answer is not a 200.
    #[error("status {0}: only a 200 holds a key directory")]
    Status(u16),
    /// The answer has another media type, or none.
    #[error("media type {found}, expected {MEDIA_TYPE}")]
    MediaType {
        /// The Content-Type found, quoted and shortened, or "none".
        found: String,
    },
    /// The document is too large.
    #[error("the document is larger than {limit} bytes")]
    TooLarge {
        /// The limit, in bytes.
        limit: usize,
    },
    /// The document holds too many keys.
    #[error("the document holds {found} keys, expected {limit} at the most")]
    TooManyKeys {
        /// The limit.
        limit: usize,
        /// The keys found.
        found: usize,
    },
    /// The document is not one JSON object, or a member stands twice.
    #[error("the document is not a JSON object: error at line {line} column {column}")]
    Json {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// A JSON object that is no JWK Set and no JWK.
    #[error("the document is no JWK Set: expected a member \"keys\" that is a list")]
    NotAKeySet,
    /// A private member: the secret is out, and the key has to be replaced.
    #[error("key {index} holds the private member \"{member}\": its secret is public now, replace the key")]
    PrivateMember {
        /// Where the key stands, from 0.
        index: usize,
        /// The member's name.
        member: &'static str,
    },
    /// A directory without a key.
    #[error("a key directory needs a key")]
    NoKeys,
    /// The same key twice.
    #[error("the key {thumbprint} stands twice")]
    DuplicateKey {
        /// The key's thumbprint.
        thumbprint: String,
    },
    /// A key no verifier takes: weak, or with its secret printed in an RFC.
    #[error("the key {thumbprint} is {why}")]
    UnfitKey {
        /// The key's thumbprint.
        thumbprint: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Dates that leave a key no time.
    #[error("the key {thumbprint} has no time: {earlier} is not before {later}")]
    DatesOrder {
        /// The key's thumbprint.
        thumbprint: String,
        /// The date that should be earlier.
        earlier: &'static str,
        /// The date that should be later.
        later: &'static str,
    },
    /// A signature that would end while copies of the response are still in caches.
    #[error(
        "the signature's lifetime of {lifetime} s is shorter than the {max_age} s caches may keep the response"
    )]
    LifetimeTooShort {
        /// The lifetime, in seconds.
        lifetime: u64,
        /// The cache lifetime, in seconds.
        max_age: u64,
    },
    /// An agent's address that has no directory.
    #[error("no key directory: {reason}")]
    AgentUrl {
        /// What is wrong with the address.
        reason: String,
    },
    /// A host that is no authority.
    #[error("{found} is no authority: expected a host and perhaps a port, such as bot.example")]
    Authority {
        /// What was found, quoted and shortened.
        found: String,
    },
    /// The response cannot be signed.
    #[error("the response cannot be signed: {reason}")]
    Unsigned {
        /// Why.
        reason: String,
    },
    /// A key kept elsewhere did not sign.
    #[error("the key {thumbprint} did not sign: {reason}")]
    NotSigned {
        /// The key's thumbprint.
        thumbprint: String,
        /// Its own words.
        reason: String,
    },
}
