//! The product token: the name a crawler answers to in robots.txt.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

/// The longest token accepted, in bytes.
pub const MAX_TOKEN: usize = 256;

/// The name by which a crawler looks for its group (RFC 9309, section 2.2.1).
///
/// The RFC's own grammar is letters, `-` and `_`. Digits and `.` are accepted too, because real crawlers
/// carry them (`MJ12bot`, `archive.org_bot`); [`is_rfc9309`](Self::is_rfc9309) tells the two apart. Tokens
/// compare and hash without regard to ASCII case and print as they were written.
///
/// A token is not a User-Agent header: take it out of one with [`from_user_agent`](Self::from_user_agent).
///
/// ```
/// use bot_etiquette_robots::ProductToken;
///
/// let token: ProductToken = "SiteSnapshot".parse()?;
/// assert_eq!(token, "sitesnapshot".parse()?);
///
/// let header = "Mozilla/5.0 (compatible; ExampleBot/2.1; +https://example.com/bot)";
/// assert_eq!(ProductToken::from_user_agent(header)?.as_str(), "ExampleBot");
///
/// assert!("ExampleBot/2.1".parse::<ProductToken>().is_err());
/// # Ok::<(), bot_etiquette_robots::TokenError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ProductToken(Box<str>);

/// Why a text is no product token.
///
/// ```
/// use bot_etiquette_robots::ProductToken;
///
/// let error = "ExampleBot/2.1".parse::<ProductToken>().unwrap_err();
/// assert!(error.to_string().ends_with("give the name alone, ExampleBot"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// Nothing was given.
    #[error("the agent is empty: expected a product token such as ExampleBot")]
    Empty,
    /// The name of the group for everyone else was given.
    #[error(
        "* names the group for all other crawlers: expected a crawler's own product token such as ExampleBot"
    )]
    Star,
    /// A character that no token holds.
    #[error("{character:?} at byte {at} of the agent {given:?} is no part of a product token{}", hint(.token.as_deref()))]
    Character {
        /// What was given, shortened.
        given: String,
        /// Where the character stands, in bytes from 0.
        at: usize,
        /// The character.
        character: char,
        /// The token that was probably meant.
        token: Option<String>,
    },
    /// Digits and punctuation alone name nobody.
    #[error("the agent {given:?} has no letter: expected a product token such as ExampleBot")]
    NoLetter {
        /// What was given.
        given: String,
    },
    /// More than [`MAX_TOKEN`] bytes.
    #[error("the agent is {length} bytes long: a product token has at most {MAX_TOKEN}")]
    TooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// A User-Agent that names a browser and no crawler.
    #[error(
        "the User-Agent {given:?} names no crawler: expected ExampleBot/1.0 first, or after `compatible;`"
    )]
    NoCrawler {
        /// What was given, shortened.
        given: String,
    },
}

impl ProductToken {
    /// The crawler's token in a User-Agent header: the product after `compatible;` where there is one, else
    /// the first product, unless that is the `Mozilla` which every browser claims to be.
    pub fn from_user_agent(header: &str) -> Result<Self, TokenError> {
        let header = header.trim();
        if header.is_empty() {
            return Err(TokenError::Empty);
        }
        let product = after_compatible(header).unwrap_or(header);
        let name = leading_token(product);
        if name.is_empty() || name.eq_ignore_ascii_case("mozilla") {
            return Err(TokenError::NoCrawler { given: shorten(header) });
        }
        name.parse()
    }

    /// The token as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the token keeps to the RFC's grammar: letters, `-` and `_` alone.
    #[must_use]
    pub fn is_rfc9309(&self) -> bool {
        self.0.bytes().all(is_rfc_byte)
    }

    /// Whether a `User-agent` value names this crawler, by its whole text or by the token it begins with.
    ///
    /// A value such as `ExampleBot/1.0 (notes)` names `ExampleBot`: it is read up to the first byte that no
    /// token holds, once by the RFC's grammar and once with digits and dots.
    #[must_use]
    pub fn is_named_by(&self, value: &[u8]) -> bool {
        let own = self.0.as_bytes();
        let Some(head) = value.get(..own.len()) else { return false };
        if !head.eq_ignore_ascii_case(own) {
            return false;
        }
        match value.get(own.len()) {
            None => true,
            Some(&next) => !is_token_byte(next) || (self.is_rfc9309() && !is_rfc_byte(next)),
        }
    }
}

impl FromStr for ProductToken {
    type Err = TokenError;

    fn from_str(given: &str) -> Result<Self, TokenError> {
        if given.is_empty() {
            return Err(TokenError::Empty);
        }
        if given == "*" {
            return Err(TokenError::Star);
        }
        let wrong = given.char_indices().find(|&(_, c)| !u8::try_from(c).is_ok_and(is_token_byte));
        if let Some((at, character)) = wrong {
            let token = Self::from_user_agent(given).ok().map(|token| token.0.into());
            return Err(TokenError::Character { given: shorten(given), at, character, token });
        }
        if given.len() > MAX_TOKEN {
            return Err(TokenError::TooLong { length: given.len() });
        }
        if !given.bytes().any(|byte| byte.is_ascii_alphabetic()) {
            return Err(TokenError::NoLetter { given: given.into() });
        }
        Ok(Self(given.into()))
    }
}

impl TryFrom<&str> for ProductToken {
    type Error = TokenError;

    fn try_from(given: &str) -> Result<Self, TokenError> {
        given.parse()
    }
}

impl TryFrom<String> for ProductToken {
    type Error = TokenError;

    fn try_from(given: String) -> Result<Self, TokenError> {
        given.parse()
    }
}

impl AsRef<str> for ProductToken {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProductToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl PartialEq for ProductToken {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}

impl Eq for ProductToken {}

impl Hash for ProductToken {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for byte in self.0.bytes() {
            state.write_u8(byte.to_ascii_lowercase());
        }
        state.write_u8(0xff);
    }
}

/// One token is the shortest list of tokens: `rules_for(&token)` and `rules_for(&[first, second])` both read well.
impl<'a> IntoIterator for &'a ProductToken {
    type Item = &'a ProductToken;
    type IntoIter = std::iter::Once<&'a ProductToken>;

    fn into_iter(self) -> Self::IntoIter {
        std::iter::once(self)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for ProductToken {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for ProductToken {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

pub(crate) fn is_rfc_byte(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'-' || byte == b'_'
}

pub(crate) fn is_token_byte(byte: u8) -> bool {
    is_rfc_byte(byte) || byte.is_ascii_digit() || byte == b'.'
}

/// What follows the comment part `compatible` in a User-Agent.
fn after_compatible(header: &str) -> Option<&str> {
    let mut rest = header;
    while let Some(at) = rest.find(['(', ';']) {
        rest = rest.get(at.saturating_add(1)..)?.trim_start();
        let (part, after) = rest.split_once(';').unwrap_or((rest, ""));
        if part.trim().eq_ignore_ascii_case("compatible") {
            return Some(after.trim_start());
        }
    }
    None
}

fn leading_token(text: &str) -> &str {
    let end = text.bytes().position(|byte| !is_token_byte(byte)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

fn shorten(text: &str) -> String {
    text.chars().take(80).collect()
}

fn hint(token: Option<&str>) -> String {
    match token {
        Some(token) => format!(": give the name alone, {token}"),
        None => " (letters, digits, - _ .)".into(),
    }
}
