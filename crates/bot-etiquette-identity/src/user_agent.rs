//! [`UserAgent`]: a `User-Agent` value that is known to be well formed.

use std::{fmt, str::FromStr};

use http::HeaderValue;
use url::Url;

use crate::grammar::{GrammarFault, Part, Parts, UserAgentError, check, is_tchar};

/// A `User-Agent` value that follows RFC 9110 section 10.1.5.
///
/// It is built in one of the forms that bots use, or parsed from a string; both give back only what the grammar
/// allows, so no line break can smuggle in another header field.
///
/// ```
/// use bot_etiquette_identity::UserAgent;
/// use url::Url;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let page = Url::parse("https://bots.example.net/crumb")?;
/// let plain = UserAgent::plain("CrumbBot", "1.0", &page)?;
/// assert_eq!(plain.as_str(), "CrumbBot/1.0 (+https://bots.example.net/crumb)");
/// assert!(plain.names("crumbbot"));
/// assert_eq!(plain.version_of("CrumbBot"), Some("1.0"));
/// assert_eq!(plain.page(), Some(page));
///
/// // When a page is rendered, the form a phone's browser sends, with the bot named at the end.
/// let phone = UserAgent::phone(140, "CrumbBot", "1.0", &plain.page().unwrap())?;
/// assert!(phone.as_str().contains("Chrome/140.0.0.0 Mobile Safari/537.36 (compatible; CrumbBot/1.0; bot; +https:"));
/// # Ok(()) }
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct UserAgent(String);

impl UserAgent {
    /// The longest value taken, in bytes: 8,192. A value anybody should send is far shorter; [`lint`](crate::lint)
    /// warns above 512.
    pub const MAX_BYTES: usize = 8192;

    /// Reads a value; white space around it is dropped.
    ///
    /// # Errors
    /// [`UserAgentError`] says at which byte the value leaves the grammar, and how.
    pub fn parse(bytes: impl AsRef<[u8]>) -> Result<Self, UserAgentError> {
        check(bytes.as_ref()).map(|text| Self(text.to_owned()))
    }

    /// `name/version (+page)`, the shortest form that says all.
    ///
    /// # Errors
    /// When `name` or `version` is not a token. So it is for the three other forms.
    pub fn plain(name: &str, version: &str, page: &Url) -> Result<Self, UserAgentError> {
        build(name, version, page, |bot, page| format!("{bot} (+{page})"))
    }

    /// `Mozilla/5.0 (compatible; name/version; +page)`, for sites that turn away all but browsers.
    ///
    /// # Errors
    /// As for [`plain`](Self::plain).
    pub fn compatible(name: &str, version: &str, page: &Url) -> Result<Self, UserAgentError> {
        build(name, version, page, |bot, page| format!("Mozilla/5.0 (compatible; {bot}; +{page})"))
    }

    /// What Chromium of the given major version sends on a phone, with the bot named in a comment at the end.
    ///
    /// # Errors
    /// As for [`plain`](Self::plain).
    pub fn phone(chromium: u32, name: &str, version: &str, page: &Url) -> Result<Self, UserAgentError> {
        browser("Linux; Android 10; K", "Mobile ", chromium, name, version, page)
    }

    /// What Chromium of the given major version sends on a Linux desktop, with the bot named in a comment at the end.
    ///
    /// # Errors
    /// As for [`plain`](Self::plain).
    pub fn desktop(chromium: u32, name: &str, version: &str, page: &Url) -> Result<Self, UserAgentError> {
        browser("X11; Linux x86_64", "", chromium, name, version, page)
    }

    /// The value as it goes on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The products and comments in order.
    #[must_use]
    pub fn parts(&self) -> Parts<'_> {
        Parts::new(&self.0)
    }

    /// Whether the value holds this robots.txt token, compared without case: RFC 9309 section 2.2.1 wants the token
    /// to be a substring of the identification sent.
    #[must_use]
    pub fn names(&self, token: &str) -> bool {
        !token.is_empty() && self.0.to_ascii_lowercase().contains(&token.to_ascii_lowercase())
    }

    /// The version written after the token, as a product or inside a comment (`compatible; CrumbBot/1.0`).
    #[must_use]
    pub fn version_of(&self, token: &str) -> Option<&str> {
        if token.is_empty() {
            return None;
        }
        let lower = self.0.to_ascii_lowercase();
        lower.match_indices(&token.to_ascii_lowercase()).find_map(|(at, _)| {
            let version = self.0.get(at + token.len()..)?.strip_prefix('/')?;
            let length = version.bytes().take_while(|byte| is_tchar(*byte)).count();
            version.get(..length).filter(|version| !version.is_empty())
        })
    }

    /// The first absolute http or https URL in a comment, with or without the customary `+` before it.
    #[must_use]
    pub fn page(&self) -> Option<Url> {
        self.parts().find_map(|part| match part {
            Part::Comment(text) => urls(text).next(),
            Part::Product { .. } => None,
        })
    }

    /// The value for an [`http`] header map.
    #[must_use]
    pub fn to_header_value(&self) -> HeaderValue {
        // The grammar admits only visible ASCII, space and tab, all of which a header value takes.
        HeaderValue::from_str(&self.0).unwrap_or(HeaderValue::from_static(""))
    }
}

impl FromStr for UserAgent {
    type Err = UserAgentError;

    fn from_str(text: &str) -> Result<Self, UserAgentError> {
        Self::parse(text)
    }
}

impl fmt::Display for UserAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for UserAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl AsRef<str> for UserAgent {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// The http and https URLs among a comment's words.
pub(crate) fn urls(comment: &str) -> impl Iterator<Item = Url> {
    comment
        .split([' ', '\t', ';', ','])
        .map(|word| word.trim_start_matches(['+', '(']).trim_end_matches(')'))
        .filter(|word| word.contains("://"))
        .filter_map(|word| Url::parse(word).ok())
        .filter(|url| matches!(url.scheme(), "http" | "https"))
}

fn browser(
    system: &str,
    mobile: &str,
    chromium: u32,
    name: &str,
    version: &str,
    page: &Url,
) -> Result<UserAgent, UserAgentError> {
    build(name, version, page, |bot, page| {
        format!(
            "Mozilla/5.0 ({system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{chromium}.0.0.0 \
             {mobile}Safari/537.36 (compatible; {bot}; bot; +{page})"
        )
    })
}

fn build(
    name: &str,
    version: &str,
    page: &Url,
    form: impl FnOnce(&str, &str) -> String,
) -> Result<UserAgent, UserAgentError> {
    for word in [name, version] {
        if word.is_empty() || !word.bytes().all(is_tchar) {
            return Err(UserAgentError::new(0, GrammarFault::NotAToken));
        }
    }
    // A parenthesis in the URL would end the comment; both have a percent form.
    let page = page.as_str().replace('(', "%28").replace(')', "%29");
    UserAgent::parse(form(&format!("{name}/{version}"), &page))
}
