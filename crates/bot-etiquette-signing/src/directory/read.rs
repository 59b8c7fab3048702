//! The rules for the answer that brought a directory.

use http::{HeaderMap, StatusCode, header};
use url::Url;

use super::{DirectoryDocument, DirectoryError, MEDIA_TYPE};
use crate::agent::{AgentError, https_url, key_set_url};
use crate::key::quoted;

/// The address of an agent's directory: the well-known path of an origin, or the address itself when it has
/// a path of its own (a JWK Set). Query and fragment are no part of it.
///
/// The address is one a stranger sent: refuse private addresses where you fetch it.
///
/// # Errors
/// [`DirectoryError::AgentUrl`] for another scheme than https, a user name, or text that is no URL.
///
/// ```
/// use bot_etiquette_signing::directory::directory_url;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let url = directory_url("https://Bot.Example:443")?;
/// assert_eq!(url.as_str(), "https://bot.example/.well-known/http-message-signatures-directory");
/// assert!(directory_url("http://bot.example").is_err());
/// # Ok(()) }
/// ```
pub fn directory_url(agent: &str) -> Result<Url, DirectoryError> {
    https_url(agent).map(key_set_url).map_err(|error| DirectoryError::AgentUrl {
        reason: match error {
            AgentError::Invalid(reason) => reason,
            AgentError::NotCovered(reason) => reason.to_owned(),
            AgentError::Missing(member) => member,
        },
    })
}

/// Reads the answer to a request for a directory: a 200 of the right media type with a document.
///
/// # Errors
/// Any other status (a redirect is never followed), another media type, and those of
/// [`DirectoryDocument::parse`].
///
/// ```
/// use bot_etiquette_signing::directory::{DirectoryError, read_response};
/// use http::{HeaderMap, StatusCode};
///
/// let answer = read_response(StatusCode::FOUND, &HeaderMap::new(), b"");
/// assert_eq!(answer, Err(DirectoryError::Redirect(302)));
/// ```
pub fn read_response(
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<DirectoryDocument, DirectoryError> {
    head(status, headers)?;
    DirectoryDocument::parse(body)
}

/// The rules for status and media type; parameters of the type are passed over.
pub(super) fn head(status: StatusCode, headers: &HeaderMap) -> Result<(), DirectoryError> {
    if status.is_redirection() {
        return Err(DirectoryError::Redirect(status.as_u16()));
    }
    if status != StatusCode::OK {
        return Err(DirectoryError::Status(status.as_u16()));
    }
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let value = values.next().and_then(|value| value.to_str().ok());
    let essence = value.and_then(|value| value.split(';').next()).map(str::trim);
    if values.next().is_none() && essence.is_some_and(|essence| essence.eq_ignore_ascii_case(MEDIA_TYPE)) {
        return Ok(());
    }
    Err(DirectoryError::MediaType { found: value.map_or_else(|| "none".to_owned(), quoted) })
}
