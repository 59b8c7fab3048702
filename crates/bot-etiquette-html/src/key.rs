//! When two URLs are the same page, and when they lead nowhere.

use std::fmt;

use url::Url;

use crate::scope::host_name;

/// Parameters that tell where a visitor came from and change nothing on the page.
const TRACKING: [&str; 21] = [
    "gclid",
    "gbraid",
    "wbraid",
    "dclid",
    "fbclid",
    "msclkid",
    "yclid",
    "ttclid",
    "twclid",
    "mc_cid",
    "mc_eid",
    "igshid",
    "_hsenc",
    "_hsmi",
    "_ga",
    "_gl",
    "srsltid",
    "li_fat_id",
    "vero_id",
    "wickedid",
    "oly_enc_id",
];

/// What two URLs of one page have in common: a key for "seen already", never a URL to ask for.
///
/// Without fragment, user name, password, empty query and the trailing dot of the host; escapes in upper case, those of
/// unreserved characters decoded (RFC 3986, 6.2.2), a percent sign that begins no escape as `%25`. The order of a query is kept.
///
/// ```
/// use bot_etiquette_html::UrlKey;
/// use url::Url;
///
/// let key = UrlKey::new(&Url::parse("HTTPS://EX.com.:443/a/../%7euser/%41?#f")?);
/// assert_eq!(key.as_str(), "https://ex.com/~user/A");
/// let key = UrlKey::without_tracking(&Url::parse("https://ex.com/?utm_source=x&id=1&fbclid=y")?);
/// assert_eq!(key.as_str(), "https://ex.com/?id=1");
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct UrlKey(String);

impl UrlKey {
    /// The key of a URL.
    #[must_use]
    pub fn new(url: &Url) -> Self {
        Self::keyed(url, url.query())
    }

    /// The key of a URL without the parameters of campaigns and clicks (`utm_..`, `gclid`, `fbclid` and their like).
    #[must_use]
    pub fn without_tracking(url: &Url) -> Self {
        let Some(query) = url.query() else { return Self::new(url) };
        let kept: Vec<_> = query.split('&').filter(|parameter| !is_tracking(parameter)).collect();
        Self::keyed(url, Some(&kept.join("&")))
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn keyed(url: &Url, query: Option<&str>) -> Self {
        let mut key = format!("{}:", url.scheme());
        if let Some(host) = host_name(url) {
            key.push_str("//");
            key.push_str(host);
            if let Some(port) = url.port() {
                key.push_str(&format!(":{port}"));
            }
        }
        unescape(url.path(), &mut key);
        if let Some(query) = query.filter(|query| !query.is_empty()) {
            key.push('?');
            unescape(query, &mut key);
        }
        Self(key)
    }
}

impl fmt::Display for UrlKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_tracking(parameter: &str) -> bool {
    let name = parameter.split('=').next().unwrap_or_default().to_ascii_lowercase();
    name.starts_with("utm_") || TRACKING.contains(&name.as_str())
}

/// Decodes the escapes of unreserved characters and writes the others in upper case.
fn unescape(text: &str, key: &mut String) {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        key.push_str(before);
        let code = after.get(..2).filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some(hex) = code else {
            // Else it could become an escape together with what is decoded after it.
            key.push_str("%25");
            rest = after;
            continue;
        };
        let byte = u8::from_str_radix(hex, 16).unwrap_or_default();
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            key.push(char::from(byte));
        } else {
            key.push('%');
            key.push_str(&hex.to_ascii_uppercase());
        }
        rest = after.get(2..).unwrap_or_default();
    }
    key.push_str(rest);
}

/// Segments of a path at the most.
pub const MAX_SEGMENTS: usize = 20;
/// How often one segment may stand in a path.
pub const MAX_REPEATS: usize = 3;
/// Bytes of a URL at the most.
pub const MAX_URL: usize = 2_083;

/// Why a URL is more likely a maze of generated links than a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Trap {
    /// More than [`MAX_SEGMENTS`] segments.
    TooDeep,
    /// One segment more than [`MAX_REPEATS`] times.
    Repeating,
    /// More than [`MAX_URL`] bytes.
    TooLong,
}

impl Trap {
    /// Looks at a URL.
    ///
    /// ```
    /// use bot_etiquette_html::Trap;
    ///
    /// let url = url::Url::parse("https://ex.com/a/b/a/b/a/b/a/b")?;
    /// assert_eq!(Trap::of(&url), Some(Trap::Repeating));
    /// # Ok::<(), url::ParseError>(())
    /// ```
    #[must_use]
    pub fn of(url: &Url) -> Option<Self> {
        if url.as_str().len() > MAX_URL {
            return Some(Self::TooLong);
        }
        let segments: Vec<_> = url.path().split('/').filter(|segment| !segment.is_empty()).collect();
        if segments.len() > MAX_SEGMENTS {
            return Some(Self::TooDeep);
        }
        let repeats =
            |segment: &&str| segments.iter().filter(|other| *other == segment).count() > MAX_REPEATS;
        segments.iter().any(repeats).then_some(Self::Repeating)
    }
}
