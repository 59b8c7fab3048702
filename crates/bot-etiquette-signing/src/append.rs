//! Adding a finished signature to a message (RFC 9421 3.1, 4.3).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderValue};
use thiserror::Error;

use crate::base::SignatureBase;
use crate::message::Message;
use crate::received::{FieldError, MAX_SIGNATURES, ReceivedSignature};
use crate::sf;

/// Why a signature was not added.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AppendError {
    /// The label is no key of a dictionary: a-z, 0-9, `_`, `-`, `.`, `*`, a letter or `*` first.
    #[error("label: \"{0}\" is no lower-case name")]
    Label(String),
    /// The message already has a signature with this label.
    #[error("label: \"{0}\" is taken")]
    Taken(String),
    /// The message already has [`MAX_SIGNATURES`] signatures.
    #[error("the message already has {MAX_SIGNATURES} signatures, the limit")]
    TooMany,
    /// The signature fields that are there cannot be read.
    #[error(transparent)]
    Fields(#[from] FieldError),
}

/// Adds a signature beside those a message has: any key, any message, any application.
///
/// The lines are added to `headers`, which may be trailers; what was there stays as it is.
///
/// # Errors
/// See [`AppendError`]. On an error nothing is added.
///
/// ```
/// use bot_etiquette_signing::{
///     Component, Message, SignatureBase, SignatureParams, SigningKey, append_signature,
/// };
/// use http::Response;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let key = SigningKey::from_seed(&[7; 32]);
/// let mut response = Response::builder().status(503).body("busy")?;
/// let params = SignatureParams::new().keyid(key.thumbprint().as_str()).tag("app");
/// let base = SignatureBase::build(&Message::response(&response), &[Component::status()], &params)?;
/// append_signature(response.headers_mut(), "res1", &base, &key.sign(base.as_bytes()))?;
/// assert!(response.headers()["signature"].to_str()?.starts_with("res1=:"));
/// # Ok(()) }
/// ```
pub fn append_signature(
    headers: &mut HeaderMap,
    label: &str,
    base: &SignatureBase,
    signature: &[u8],
) -> Result<(), AppendError> {
    if !sf::is_key(label) {
        return Err(AppendError::Label(label.to_owned()));
    }
    let present = ReceivedSignature::all(&Message::response_head(http::StatusCode::OK, headers))?;
    if present.iter().any(|other| other.label() == label) {
        return Err(AppendError::Taken(label.to_owned()));
    }
    if present.len() >= MAX_SIGNATURES {
        return Err(AppendError::TooMany);
    }
    let lines = [
        ("signature-input", format!("{label}={}", base.signature_params())),
        ("signature", format!("{label}=:{}:", STANDARD.encode(signature))),
    ];
    for (name, value) in lines {
        // A base is printable ASCII throughout.
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.append(name, value);
        }
    }
    Ok(())
}
