//! The values that directives may have.

use std::fmt;
use std::time::SystemTime;

/// A largest number, where -1 is written for none.
///
/// The order is by strictness: the smallest number comes first, [`Limit::Unlimited`] last.
///
/// ```
/// use bot_etiquette_robots::Limit;
///
/// assert!(Limit::AtMost(0) < Limit::AtMost(50) && Limit::AtMost(50) < Limit::Unlimited);
/// assert_eq!(Limit::Unlimited.to_string(), "-1");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limit {
    /// At most so many; 0 means none at all.
    AtMost(u32),
    /// Without a limit, written as -1.
    Unlimited,
}

impl Limit {
    pub(super) fn parse(text: &str) -> Option<Self> {
        match text {
            "-1" => Some(Self::Unlimited),
            // A number beyond u32 is as good as its largest.
            _ if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
                Some(Self::AtMost(text.parse().unwrap_or(u32::MAX)))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMost(number) => number.fmt(f),
            Self::Unlimited => f.write_str("-1"),
        }
    }
}

/// A limit is a number: -1 for none.
#[cfg(feature = "serde")]
impl serde::Serialize for Limit {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::AtMost(number) => serializer.serialize_i64(i64::from(*number)),
            Self::Unlimited => serializer.serialize_i64(-1),
        }
    }
}

/// The largest preview of an image that may be shown, the strictest first.
///
/// ```
/// use bot_etiquette_robots::{ImagePreview, RobotsTags};
///
/// let mut tags = RobotsTags::new();
/// tags.header(b"max-image-preview: large");
/// tags.meta("robots", "max-image-preview:standard");
/// assert_eq!(tags.directives().max_image_preview, Some(ImagePreview::Standard));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum ImagePreview {
    /// No preview.
    None,
    /// A small one.
    Standard,
    /// As wide as the view.
    Large,
}

impl ImagePreview {
    pub(super) fn parse(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "none" => Some(Self::None),
            "standard" => Some(Self::Standard),
            "large" => Some(Self::Large),
            _ => None,
        }
    }

    /// The value as it is written in a directive.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Standard => "standard",
            Self::Large => "large",
        }
    }
}

impl fmt::Display for ImagePreview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The date of `unavailable_after`: its text, and its time where the form is understood (RFC 822, RFC 850,
/// asctime, ISO 8601; UTC where no zone is named).
///
/// ```
/// use bot_etiquette_robots::RobotsTags;
/// use std::time::{Duration, UNIX_EPOCH};
///
/// let mut tags = RobotsTags::new();
/// tags.meta("robots", "unavailable_after: Wednesday, 03-Dec-25 13:09:53 GMT, noarchive");
/// let after = tags.directives().unavailable_after.as_ref().unwrap();
/// assert_eq!(after.as_str(), "Wednesday, 03-Dec-25 13:09:53 GMT");
/// assert_eq!(after.time(), Some(UNIX_EPOCH + Duration::from_secs(1_764_767_393)));
/// assert!(tags.directives().noarchive);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnavailableAfter {
    text: String,
    time: Option<SystemTime>,
}

impl UnavailableAfter {
    pub(super) fn new(text: &str, time: Option<SystemTime>) -> Self {
        Self { text: text.to_owned(), time }
    }

    /// The date as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The date as a time, where it is understood.
    #[must_use]
    pub const fn time(&self) -> Option<SystemTime> {
        self.time
    }
}

impl fmt::Display for UnavailableAfter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A date is its text as written.
#[cfg(feature = "serde")]
impl serde::Serialize for UnavailableAfter {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}
