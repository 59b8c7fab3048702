//! The scope of a robots.txt: scheme, host and port.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Bytes of a host name at the most (DNS has no longer ones).
const MAX_HOST: usize = 255;

/// The scope of a robots.txt: scheme, host and port (RFC 9309, section 2.3).
///
/// Read from any absolute http or https URL; scheme and host become lower case, the scheme's own port, user
/// and path are left out. A host is an address or a name in its ASCII form (A-labels), as HTTP sends it.
///
/// ```
/// use bot_etiquette_robots::Origin;
///
/// let origin: Origin = "HTTPS://user@Example.COM:443/a?b#c".parse()?;
/// assert_eq!(origin.as_str(), "https://example.com");
/// assert_eq!(origin.robots_txt(), "https://example.com/robots.txt");
/// assert!("example.com/a".parse::<Origin>().is_err());
/// # Ok::<(), bot_etiquette_robots::OriginError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin(Arc<str>);

/// A text has no origin that could have a robots.txt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OriginError {
    /// It does not begin with `http://` or `https://`.
    #[error("expected an absolute URL that begins with http:// or https://")]
    NotHttp,
    /// The host is empty, too long, or holds a byte no ASCII host name has.
    #[error("expected a host name in ASCII (punycode for other letters) or an address, up to 255 bytes")]
    BadHost,
    /// The port is no number from 0 to 65535.
    #[error("expected a port from 0 to 65535 after the host")]
    BadPort,
}

impl Origin {
    /// Scheme, host and port as one text, without a slash at the end.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The URL of its robots.txt.
    #[must_use]
    pub fn robots_txt(&self) -> String {
        format!("{}/robots.txt", self.0)
    }
}

impl FromStr for Origin {
    type Err = OriginError;

    fn from_str(url: &str) -> Result<Self, Self::Err> {
        let (scheme, rest) = url.split_once("://").ok_or(OriginError::NotHttp)?;
        Self::of(scheme, rest.split(['/', '?', '#']).next().unwrap_or(rest))
    }
}

impl Origin {
    /// The origin of a request's URI.
    #[cfg(feature = "tower")]
    pub(crate) fn of_uri(uri: &http::Uri) -> Result<Self, OriginError> {
        let scheme = uri.scheme_str().ok_or(OriginError::NotHttp)?;
        Self::of(scheme, uri.authority().map_or("", http::uri::Authority::as_str))
    }

    fn of(scheme: &str, authority: &str) -> Result<Self, OriginError> {
        let (scheme, own_port) = match scheme {
            _ if scheme.eq_ignore_ascii_case("https") => ("https", 443),
            _ if scheme.eq_ignore_ascii_case("http") => ("http", 80),
            _ => return Err(OriginError::NotHttp),
        };
        // Browsers end the host at a backslash and others do not: which host is meant cannot be told.
        if authority.contains('\\') {
            return Err(OriginError::BadHost);
        }
        let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let (host, port) = match authority.rsplit_once(':') {
            // The colons inside the brackets of an IPv6 address begin no port.
            Some((host, port)) if !port.contains(']') => (host, port),
            _ => (authority, ""),
        };
        if !is_host(host) {
            return Err(OriginError::BadHost);
        }
        let port = if port.is_empty() { own_port } else { number(port).ok_or(OriginError::BadPort)? };
        let mut text = String::with_capacity(scheme.len() + 3 + host.len() + 6);
        text.push_str(scheme);
        text.push_str("://");
        text.push_str(host);
        text.make_ascii_lowercase();
        if port != own_port {
            text.push(':');
            text.push_str(&port.to_string());
        }
        Ok(Self(text.into()))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for Origin {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Origin {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Origin {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

fn is_host(host: &str) -> bool {
    if host.is_empty() || host.len() > MAX_HOST {
        return false;
    }
    match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_')),
    }
}

/// A port of digits alone: `parse` would take a sign.
fn number(text: &str) -> Option<u16> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}
