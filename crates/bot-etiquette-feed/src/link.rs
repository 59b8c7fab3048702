//! Links that may be published.

use std::borrow::Cow;
use std::fmt;

use url::Url;

use crate::scrub::{self, Scrubbed};
use crate::trim::trimmed;

/// An address of a web page without personal data: no user name, no query member that holds an address or a number.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Link(String);

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
        let text = trimmed(text);
        let mut scrubbed = Scrubbed::default();
        let plain = plain(text);
        let mut url = match plain {
            Some(_) => None,
            None => Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https")),
        };
        let parts =
            plain.or_else(|| url.as_ref().map(|url| (url.host_str().unwrap_or_default(), url.path())));
        let Some((host, path)) = parts.filter(|(host, path)| !host.is_empty() && !is_picture(path)) else {
            return (None, scrubbed);
        };
        let writes = matches!(host, "wa.me" | "api.whatsapp.com" | "web.whatsapp.com" | "chat.whatsapp.com");
        if writes || scrub::holds_email(&decoded(path)) || holds_number(path) {
            scrubbed.links = 1;
            return (None, scrubbed);
        }
        if let Some(url) = &mut url
            && without_personal(url)
        {
            scrubbed.links = 1;
        }
        (Some(Self(url.map_or_else(|| text.to_owned(), String::from))), scrubbed)
    }

    /// The address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Takes the user's name and what is personal of the query and the fragment away; whether there was any.
fn without_personal(url: &mut Url) -> bool {
    let mut found = false;
    if !url.username().is_empty() || url.password().is_some() {
        let _ = url.set_username("");
        let _ = url.set_password(None);
        found = true;
    }
    if let Some(query) = url.query() {
        let kept: Vec<&str> = query.split('&').filter(|member| !is_personal(member)).collect();
        if kept.len() < query.split('&').count() {
            let kept = kept.join("&");
            url.set_query(Some(&kept).filter(|kept| !kept.is_empty()).map(String::as_str));
            found = true;
        }
    }
    if url.fragment().is_some_and(|fragment| scrub::is_personal(&decoded(fragment))) {
        url.set_fragment(None);
        found = true;
    }
    found
}

/// The host and the path of an address that is written as a URL already, by a host of plain letters and a path alone: most
/// are, and need no parser.
fn plain(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let is_of_host = |byte: &u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.');
    let end = rest.bytes().position(|byte| !is_of_host(&byte))?;
    let (host, path) = rest.split_at_checked(end)?;
    let (_, top) = host.rsplit_once('.')?;
    let is_domain =
        !host.starts_with('.') && top.bytes().all(|byte| byte.is_ascii_lowercase()) && !top.is_empty();
    // A name that begins with a dot may be a step in the path.
    let is_of_path = |pair: &[u8]| match pair {
        [before, byte] => {
            matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'~')
                || *byte == b'.' && *before != b'/'
        }
        _ => false,
    };
    (is_domain && path.starts_with('/') && path.as_bytes().windows(2).all(is_of_path)).then_some((host, path))
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The host alone.
impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = Url::parse(&self.0).ok();
        write!(f, "Link({})", url.as_ref().and_then(Url::host_str).unwrap_or_default())
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

fn is_picture(path: &str) -> bool {
    const ENDINGS: [&str; 9] = ["jpg", "jpeg", "png", "gif", "webp", "svg", "avif", "bmp", "tiff"];
    let path = path.as_bytes();
    let Some(dot) = memchr::memrchr(b'.', path) else { return false };
    let ending = path.get(dot.saturating_add(1)..).unwrap_or_default();
    ENDINGS.iter().any(|one| ending.eq_ignore_ascii_case(one.as_bytes()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use url::Url;

    use super::plain;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn a_plain_address_is_as_the_parser_writes_it(
            text in "https?://([a-z]{0,3}|[0-9]{1,3}|xn--|0x|www)([.a-z0-9-]{0,6}|\\.es|\\.1)(/[/.a-zA-Z0-9_~-]{0,8})?[/%?#@: ñ]?[a-z]{0,2}",
        ) {
            let url = Url::parse(&text).ok();
            let parts = url.as_ref().map(|url| (url.as_str(), url.host_str().unwrap_or_default(), url.path()));
            if let Some((host, path)) = plain(&text) {
                prop_assert_eq!(Some((text.as_str(), host, path)), parts);
            }
        }
    }

    #[test]
    fn most_addresses_are_plain() {
        for text in
            ["https://x.example/", "http://www.x2.example/agenda/7.html", "https://a.b.example/A-b_c~d//e.f"]
        {
            assert!(plain(text).is_some(), "{text}");
        }
        for text in [
            "https://x.example",
            "HTTPS://x.example/",
            "https://x.Example/",
            "https://127.0.0.1/",
            "https://x.0x1/",
            "https://x.example:80/",
            "https://x.example/a/../b",
            "https://x.example/.",
            "https://x.example/a b",
            "https://x.example/?a",
            "https://x.example/#a",
            "https://x.example/ñ",
            "ftp://x.example/",
            "",
        ] {
            assert_eq!(plain(text), None, "{text}");
        }
    }
}
