//! Links that may be published.

use std::borrow::Cow;
use std::fmt;

use url::Url;

use crate::scrub::{self, Scrubbed};

/// An address of a web page without personal data: no user name, no query member that holds an address or a number.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Link(Url);

impl Link {
    /// Reads a link; `None` for what is no `http` or `https` address, for pictures, and for links that write or call.
    ///
    /// ```
    /// use bot_etiquette_feed::Link;
    ///
    /// let (link, scrubbed) = Link::parse("https://user@x.example/?id=7&email=p@example.org");
    /// assert_eq!(link.map(|link| link.as_str().to_owned()).as_deref(), Some("https://x.example/?id=7"));
    /// assert_eq!(scrubbed.links, 1);
    /// assert!(Link::parse("https://wa.me/34600123456").0.is_none());
    /// assert!(Link::parse("https://x.example/poster.JPG").0.is_none());
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> (Option<Self>, Scrubbed) {
        let mut scrubbed = Scrubbed::default();
        let Ok(mut url) = Url::parse(text.trim()) else { return (None, scrubbed) };
        let host = url.host_str().unwrap_or_default();
        if !matches!(url.scheme(), "http" | "https") || host.is_empty() || is_picture(&url) {
            return (None, scrubbed);
        }
        let writes = matches!(host, "wa.me" | "api.whatsapp.com" | "web.whatsapp.com" | "chat.whatsapp.com");
        if writes || scrub::holds_email(&decoded(url.path())) || holds_number(url.path()) {
            scrubbed.links = 1;
            return (None, scrubbed);
        }
        if !url.username().is_empty() || url.password().is_some() {
            let _ = url.set_username("");
            let _ = url.set_password(None);
            scrubbed.links = 1;
        }
        if let Some(query) = url.query() {
            let kept: Vec<&str> = query.split('&').filter(|member| !is_personal(member)).collect();
            if kept.len() < query.split('&').count() {
                let kept = kept.join("&");
                url.set_query(Some(&kept).filter(|kept| !kept.is_empty()).map(String::as_str));
                scrubbed.links = 1;
            }
        }
        if url.fragment().is_some_and(|fragment| scrub::is_personal(&decoded(fragment))) {
            url.set_fragment(None);
            scrubbed.links = 1;
        }
        (Some(Self(url)), scrubbed)
    }

    /// The address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())
    }
}

/// The host alone.
impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Link({})", self.0.host_str().unwrap_or_default())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Link {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Link {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text)
            .0
            .ok_or_else(|| serde::de::Error::custom("the link is no web page that may be linked"))
    }
}

fn decoded(text: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'%', b'+', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    url::form_urlencoded::parse(text.replace('&', "%26").as_bytes())
        .map(|(name, value)| format!("{name}={value}"))
        .collect::<String>()
        .into()
}

/// Whether a piece of a path is a telephone number with its country code.
fn holds_number(path: &str) -> bool {
    let digits = path.bytes().filter(u8::is_ascii_digit).count();
    digits >= 11 && path.split('/').any(is_number)
}

fn is_number(piece: &str) -> bool {
    let digits = piece.trim_start_matches("%2B").trim_start_matches('+').trim_start_matches("00");
    digits.len() == 11 && digits.starts_with("34") && digits.bytes().all(|digit| digit.is_ascii_digit())
}

fn is_personal(member: &str) -> bool {
    let member = decoded(member);
    let (name, value) = member.split_once('=').unwrap_or((&member, ""));
    let name = name.to_ascii_lowercase();
    let named =
        ["email", "mail", "correo", "phone", "tel", "telefono", "movil", "whatsapp"].contains(&name.as_str());
    named || scrub::is_personal(value) || scrub::holds_email(&member)
}

fn is_picture(url: &Url) -> bool {
    const ENDINGS: [&str; 9] = ["jpg", "jpeg", "png", "gif", "webp", "svg", "avif", "bmp", "tiff"];
    let path = url.path().as_bytes();
    let Some(dot) = memchr::memrchr(b'.', path) else { return false };
    let ending = path.get(dot.saturating_add(1)..).unwrap_or_default();
    ENDINGS.iter().any(|one| ending.eq_ignore_ascii_case(one.as_bytes()))
}
