//! [`From`]: the mailbox of the person who runs the bot.

use std::{fmt, str::FromStr};

use http::HeaderValue;

/// The `From` field (RFC 9110 section 10.1.2): where a site owner can write to the bot's operator.
///
/// It holds a bare `local@domain` of RFC 5321: no display name, no quotes, no comment.
///
/// ```
/// use bot_etiquette_identity::From;
///
/// let from: From = "crumb@bots.example.net".parse()?;
/// assert_eq!(from.domain(), "bots.example.net");
/// assert!("Crumb <crumb@bots.example.net>".parse::<From>().is_err());
/// # Ok::<(), bot_etiquette_identity::FromError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct From(String);

/// Why a string is not a mailbox for `From`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FromError {
    /// No `@`, or nothing before or after it.
    #[error("expected a mailbox such as bot@your.domain")]
    NotAMailbox,
    /// More than 254 bytes, or more than 64 before the `@` (RFC 5321 section 4.5.3.1).
    #[error("a mailbox has at most 254 characters, 64 before the @")]
    TooLong,
    /// The part before the `@` is not a dot-separated row of atoms.
    #[error("the part before the @ holds a character or a dot where none may stand")]
    Local,
    /// The part after the `@` is not a host name of at least two labels.
    #[error("the part after the @ is not a full domain name")]
    Domain,
}

impl From {
    /// The mailbox as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What stands after the `@`.
    #[must_use]
    pub fn domain(&self) -> &str {
        self.0.rsplit_once('@').map_or("", |(_, domain)| domain)
    }

    /// The value for an [`http`] header map.
    #[must_use]
    pub fn to_header_value(&self) -> HeaderValue {
        // A mailbox is visible ASCII, which a header value takes.
        HeaderValue::from_str(&self.0).unwrap_or(HeaderValue::from_static(""))
    }
}

impl FromStr for From {
    type Err = FromError;

    fn from_str(text: &str) -> Result<Self, FromError> {
        let (local, domain) = text.rsplit_once('@').ok_or(FromError::NotAMailbox)?;
        if local.is_empty() || domain.is_empty() {
            return Err(FromError::NotAMailbox);
        }
        if text.len() > 254 || local.len() > 64 {
            return Err(FromError::TooLong);
        }
        let atom = |atom: &str| !atom.is_empty() && atom.bytes().all(is_atext);
        if !local.split('.').all(atom) {
            return Err(FromError::Local);
        }
        let label = |label: &str| {
            matches!(label.len(), 1..=63)
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
                && !label.starts_with('-')
                && !label.ends_with('-')
        };
        if !domain.contains('.') || !domain.split('.').all(label) {
            return Err(FromError::Domain);
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for From {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// `atext` of RFC 5322 section 3.2.3.
fn is_atext(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte)
}
