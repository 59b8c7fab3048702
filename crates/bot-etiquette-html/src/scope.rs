//! Which URLs are a site's own.

use url::{Host, Url};

/// The pages of one host, with or without its subdomains.
///
/// `http` and `https` are one site; `www.` is a subdomain like any other. A port is one of the site's own when the start has
/// it, or, where the start has none, when it is the scheme's default. A trailing dot of a name means nothing.
///
/// ```
/// use bot_etiquette_html::Scope;
/// use url::Url;
///
/// let start = Url::parse("https://ex.com/")?;
/// let scope = Scope::subdomains(&start)?;
/// assert!(scope.contains(&Url::parse("http://a.b.ex.com./x")?));
/// assert!(!scope.contains(&Url::parse("https://notex.com/")?));
/// assert!(!Scope::host(&start)?.contains(&Url::parse("https://www.ex.com/")?));
/// assert!(Scope::subdomains(&Url::parse("https://github.io/")?).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Scope {
    host: String,
    subdomains: bool,
    port: Option<u16>,
}

impl Scope {
    /// The host of that URL and no other.
    ///
    /// # Errors
    /// Where the URL is not of `http` or `https`.
    pub fn host(start: &Url) -> Result<Self, ScopeError> {
        if !matches!(start.scheme(), "http" | "https") {
            return Err(ScopeError::Scheme(start.scheme().to_owned()));
        }
        let host = host_name(start).ok_or_else(|| ScopeError::Scheme(start.scheme().to_owned()))?;
        Ok(Self { host: host.to_owned(), subdomains: false, port: start.port() })
    }

    /// The host of that URL and all names below it.
    ///
    /// # Errors
    /// As [`host`](Self::host); and where the host is an address, which has no names below it, or a public suffix, whose
    /// names belong to others.
    pub fn subdomains(start: &Url) -> Result<Self, ScopeError> {
        let scope = Self::host(start)?;
        if !matches!(start.host(), Some(Host::Domain(_))) {
            return Err(ScopeError::Address(scope.host));
        }
        if is_public_suffix(&scope.host) {
            return Err(ScopeError::PublicSuffix(scope.host));
        }
        Ok(Self { subdomains: true, ..scope })
    }

    /// Whether a URL is the site's own.
    #[must_use]
    pub fn contains(&self, url: &Url) -> bool {
        let Some(host) = host_name(url).filter(|_| matches!(url.scheme(), "http" | "https")) else {
            return false;
        };
        let is_below = || {
            let above = host.strip_suffix(self.host.as_str()).and_then(|above| above.strip_suffix('.'));
            self.subdomains && above.is_some_and(|above| !above.is_empty())
        };
        url.port() == self.port && (host == self.host || is_below())
    }
}

/// Why a URL is no start of a [`Scope`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScopeError {
    /// Not a web page.
    #[error("a site starts with an http or https URL, not with one of {0}")]
    Scheme(String),
    /// The host is an address.
    #[error("{0} is an address and has no subdomains; ask for the host alone")]
    Address(String),
    /// The host is a public suffix.
    #[error("{0} is a public suffix, whose subdomains belong to many owners; name one of them")]
    PublicSuffix(String),
}

/// The domain that one owner registered, by the public suffix list: `ex.co.uk` of `www.ex.co.uk`. None for addresses,
/// public suffixes and names of one label.
///
/// ```
/// use bot_etiquette_html::registrable_domain;
///
/// let url = url::Url::parse("https://www.ex.co.uk/")?;
/// assert_eq!(registrable_domain(&url), Some("ex.co.uk"));
/// # Ok::<(), url::ParseError>(())
/// ```
#[must_use]
pub fn registrable_domain(url: &Url) -> Option<&str> {
    matches!(url.host(), Some(Host::Domain(_))).then(|| host_name(url).and_then(psl::domain_str)).flatten()
}

/// The host without a trailing dot; the `url` crate has made it lower case and an A-label.
pub(crate) fn host_name(url: &Url) -> Option<&str> {
    url.host_str().map(|host| host.strip_suffix('.').unwrap_or(host)).filter(|host| !host.is_empty())
}

fn is_public_suffix(host: &str) -> bool {
    psl::suffix(host.as_bytes())
        .is_some_and(|suffix| suffix.is_known() && suffix.as_bytes() == host.as_bytes())
}
