//! What the outcome of asking for a robots.txt means (RFC 9309, section 2.3.1).

use std::fmt;
use std::str::FromStr;

/// Redirects that are followed to a robots.txt; after more it counts as unavailable (RFC 9309, section
/// 2.3.1.2 asks for at least five).
pub const MAX_REDIRECTS: u32 = 5;

/// What the outcome of asking for a robots.txt means for the crawler.
///
/// | outcome | meaning | access |
/// |---|---|---|
/// | 2xx | [`Successful`](Self::Successful) | as the rules of the body say |
/// | 4xx except 429 | [`Unavailable`](Self::Unavailable) | everything may be asked |
/// | more than [`MAX_REDIRECTS`] redirects ([`from_redirects`](Self::from_redirects)) | [`Unavailable`](Self::Unavailable) | everything may be asked |
/// | 429 | [`Unreachable::TooManyRequests`] | nothing for now |
/// | 5xx | [`Unreachable::ServerError`] | nothing for now |
/// | no answer, or one that broke off | [`Unreachable::NoAnswer`] | nothing for now |
/// | 3xx, which nobody followed; any other status | [`Unreachable::Unusable`] | nothing for now |
///
/// RFC 9309 counts 429 among the 4xx; a server that says "not so fast" has not said "everything is open", so
/// it is read as the RFC reads a server in trouble. A redirect says that there are rules, and where: until it
/// has been followed nothing is known of them, and a client that follows none must not find every site open. The
/// RFC is silent on 304 without a copy and on a status that ends nothing (1xx, 600 and above): they tell nothing
/// of the rules, so nothing is asked until an answer does.
///
/// ```
/// use bot_etiquette_robots::{Availability, Unreachable};
///
/// assert_eq!(Availability::from_status(200), Availability::Successful);
/// assert_eq!(Availability::from_status(404), Availability::Unavailable);
/// assert_eq!(Availability::from_status(429), Availability::Unreachable(Unreachable::TooManyRequests));
/// assert_eq!("503".parse(), Ok(Availability::from_status(503)));
/// assert_eq!("unreachable".parse(), Ok(Availability::Unreachable(Unreachable::NoAnswer)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Availability {
    /// The file came: its rules are to be followed.
    Successful,
    /// There is no file: everything may be asked.
    Unavailable,
    /// Whether there are rules could not be found out: nothing may be asked for now.
    Unreachable(Unreachable),
}

/// Why nothing is known of a site's rules.
///
/// ```
/// use bot_etiquette_robots::{Availability, Unreachable};
///
/// assert!(Unreachable::ServerError(503).answered());
/// assert!(!Unreachable::NoAnswer.answered());
/// assert_eq!(Availability::from_status(304), Availability::Unreachable(Unreachable::Unusable(304)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Unreachable {
    /// 429: the server wants fewer requests.
    TooManyRequests,
    /// 5xx, with the status.
    ServerError(u16),
    /// A status that settles nothing, such as 304 without a copy or a redirect that was not followed.
    Unusable(u16),
    /// No status at all, or a body that broke off: DNS, connection, TLS, time limit.
    NoAnswer,
}

impl Availability {
    /// What a status means: that of the last answer, when every redirect has been followed. A redirect that was
    /// not is no answer yet; after too many of them ask [`from_redirects`](Self::from_redirects).
    #[must_use]
    pub const fn from_status(status: u16) -> Self {
        match status {
            200..=299 => Self::Successful,
            429 => Self::Unreachable(Unreachable::TooManyRequests),
            400..=499 => Self::Unavailable,
            500..=599 => Self::Unreachable(Unreachable::ServerError(status)),
            _ => Self::Unreachable(Unreachable::Unusable(status)),
        }
    }

    /// What it means when the answer after this many followed redirects is one more redirect: `None` while
    /// it may be followed, else [`Availability::Unavailable`].
    #[must_use]
    pub const fn from_redirects(followed: u32) -> Option<Self> {
        if followed < MAX_REDIRECTS { None } else { Some(Self::Unavailable) }
    }
}

impl Unreachable {
    /// Whether the server answered at all.
    #[must_use]
    pub const fn answered(self) -> bool {
        !matches!(self, Self::NoAnswer)
    }
}

impl fmt::Display for Availability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Successful => f.write_str("robots.txt was read"),
            Self::Unavailable => f.write_str("there is no robots.txt"),
            Self::Unreachable(why) => why.fmt(f),
        }
    }
}

impl fmt::Display for Unreachable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyRequests => f.write_str("robots.txt answered 429"),
            Self::ServerError(status) => write!(f, "robots.txt answered {status}"),
            Self::Unusable(status @ (300..=303 | 305..=399)) => {
                write!(f, "robots.txt answered {status}, a redirect that was not followed")
            }
            Self::Unusable(status) => write!(f, "robots.txt answered {status}, which settles nothing"),
            Self::NoAnswer => f.write_str("robots.txt could not be asked for"),
        }
    }
}

/// Reads a final status, from 200 to 599, or the word `unreachable`.
impl FromStr for Availability {
    type Err = ParseAvailabilityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.eq_ignore_ascii_case("unreachable") {
            return Ok(Self::Unreachable(Unreachable::NoAnswer));
        }
        match text.parse() {
            Ok(status @ 200..=599) if text.len() == 3 => Ok(Self::from_status(status)),
            _ => Err(ParseAvailabilityError),
        }
    }
}

/// The text of an outcome was neither a final status nor `unreachable`.
///
/// ```
/// use bot_etiquette_robots::Availability;
///
/// let error = "100".parse::<Availability>().unwrap_err();
/// assert_eq!(error.to_string(), "expected a final HTTP status from 200 to 599, or the word unreachable");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a final HTTP status from 200 to 599, or the word unreachable")]
pub struct ParseAvailabilityError;
