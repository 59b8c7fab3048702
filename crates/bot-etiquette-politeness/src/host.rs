//! The keys that clocks hang on: a host name, an origin.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use url::Url;

/// A host name as an owner sees one machine: A-label, lower case, no trailing dot; scheme and port dropped.
///
/// ```
/// use bot_etiquette_politeness::Host;
///
/// let host: Host = "MÜNCHEN.de.".parse()?;
/// assert_eq!(host.as_str(), "xn--mnchen-3ya.de");
/// let url = url::Url::parse("https://xn--mnchen-3ya.de:8443/x")?;
/// assert_eq!(Host::of(&url), Some(host));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Host(Arc<str>);

impl Host {
    /// The host of a URL; `None` when it has none (`data:`, `file:`).
    #[must_use]
    pub fn of(url: &Url) -> Option<Self> {
        host_str(url).map(Self::named)
    }

    /// The host of a name that is in this form already.
    pub(crate) fn named(name: &str) -> Self {
        Self(Arc::from(name))
    }

    /// The name; an IPv6 address stands in brackets.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The name of a URL's host in the form of [`Host`]: the URL parser has done all but the trailing dot.
pub(crate) fn host_str(url: &Url) -> Option<&str> {
    let name = url.host_str()?;
    let name = name.strip_suffix('.').unwrap_or(name);
    (!name.is_empty()).then_some(name)
}

impl std::borrow::Borrow<str> for Host {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl FromStr for Host {
    type Err = InvalidHost;

    /// Reads a host name or an address; no scheme, no port, no path.
    fn from_str(text: &str) -> Result<Self, InvalidHost> {
        let invalid = || InvalidHost { text: text.chars().take(80).collect() };
        // IPv6 addresses stand in brackets in a URL; a person may leave them out.
        let bracketed = match text.parse::<std::net::Ipv6Addr>() {
            Ok(address) => Some(format!("[{address}]")),
            Err(_) => None,
        };
        let host = url::Host::parse(bracketed.as_deref().unwrap_or(text)).map_err(|_| invalid())?;
        let name = host.to_string();
        let name = name.strip_suffix('.').unwrap_or(&name);
        if name.is_empty() || name.contains('*') {
            return Err(invalid());
        }
        Ok(Self(Arc::from(name)))
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Host({})", self.0)
    }
}

/// Text that is not the name of a host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a host name (give one such as example.com: no scheme, no port, no path)")]
pub struct InvalidHost {
    text: String,
}

/// Scheme, host and port: what one robots.txt speaks for (RFC 9309 section 2.3).
///
/// ```
/// use bot_etiquette_politeness::Origin;
///
/// let url = url::Url::parse("https://example.com./page")?;
/// let origin = Origin::of(&url).ok_or("no host")?;
/// assert_eq!(origin.as_str(), "https://example.com:443");
/// assert_eq!("https://EXAMPLE.com".parse(), Ok(origin));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    text: Arc<str>,
    host: Host,
}

impl Origin {
    /// The origin of a URL; `None` when it has no host or no known port.
    #[must_use]
    pub fn of(url: &Url) -> Option<Self> {
        let host = Host::of(url)?;
        let port = url.port_or_known_default()?;
        Some(Self { text: Arc::from(format!("{}://{host}:{port}", url.scheme())), host })
    }

    /// `scheme://host:port`, the port always said.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The host of this origin.
    #[must_use]
    pub fn host(&self) -> &Host {
        &self.host
    }
}

impl FromStr for Origin {
    type Err = InvalidOrigin;

    /// Reads a URL; its path and what follows do not matter.
    fn from_str(text: &str) -> Result<Self, InvalidOrigin> {
        let url = Url::parse(text).ok();
        url.and_then(|url| Self::of(&url))
            .ok_or_else(|| InvalidOrigin { text: text.chars().take(80).collect() })
    }
}

/// Text that names no origin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is no origin (give one such as https://example.com, with a port if it is not the scheme's)"
)]
pub struct InvalidOrigin {
    text: String,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Origin({})", self.text)
    }
}

#[cfg(feature = "serde")]
mod serde_impls {
    use std::borrow::Cow;

    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::{Serialize, Serializer};

    use super::{Host, Origin};

    impl Serialize for Host {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_str(self.as_str())
        }
    }

    impl<'de> Deserialize<'de> for Host {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            Cow::<str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
        }
    }

    impl Serialize for Origin {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_str(self.as_str())
        }
    }

    impl<'de> Deserialize<'de> for Origin {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            Cow::<str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
        }
    }
}
