//! [`Redirects`]: what the next request after a redirect is, or why there is none.

use std::mem;

use http::{HeaderMap, HeaderName, Method, StatusCode, header};
use url::{Position, Url};

/// How far redirects are followed.
///
/// ```
/// use bot_etiquette_fetch::RedirectPolicy;
///
/// assert_eq!(RedirectPolicy::default().limit, 5);
/// assert!(!RedirectPolicy::default().downgrade);
/// let none = RedirectPolicy::default().limit(0);
/// # let _ = none;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct RedirectPolicy {
    /// The most hops taken; the next redirect is an error. Default 5, so six requests at most.
    pub limit: usize,
    /// Whether a redirect from https to http is followed. Default no.
    pub downgrade: bool,
}

impl Default for RedirectPolicy {
    fn default() -> Self {
        Self { limit: 5, downgrade: false }
    }
}

impl RedirectPolicy {
    /// Sets the most hops taken.
    #[must_use]
    pub const fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Sets whether a redirect from https to http is followed.
    #[must_use]
    pub const fn downgrade(mut self, downgrade: bool) -> Self {
        self.downgrade = downgrade;
        self
    }
}

/// One step of a redirect: a fresh request, to be checked and paced like any other.
///
/// ```
/// use bot_etiquette_fetch::{RedirectPolicy, Redirects};
/// use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
/// use url::Url;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let asked = Url::parse("https://a.example/old")?;
/// let mut redirects = Redirects::new(RedirectPolicy::default(), Method::POST, asked);
/// let answer = HeaderMap::from_iter([(header::LOCATION, HeaderValue::from_static("https://b.example/new"))]);
/// let hop = redirects.follow(StatusCode::SEE_OTHER, &answer)?.expect("a redirect");
///
/// let mut headers = HeaderMap::from_iter([(header::AUTHORIZATION, HeaderValue::from_static("secret"))]);
/// hop.rewrite(&mut headers);
/// assert!(headers.is_empty()); // not told to b.example
/// assert_eq!((hop.method.as_str(), hop.keeps_body), ("GET", false));
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hop {
    /// The status that sent us on.
    pub status: StatusCode,
    /// Where we were.
    pub from: Url,
    /// The method of the request that was sent on.
    pub asked: Method,
    /// Where we are sent; with the fragment of `from` when `Location` has none (RFC 9110 section 10.2.2).
    pub to: Url,
    /// The method of the next request.
    pub method: Method,
    /// Whether the next request carries the body again.
    pub keeps_body: bool,
}

/// Fields that belong to one origin, or to the connection and the request as they were.
const OF_THE_ORIGIN: [HeaderName; 6] = [
    header::AUTHORIZATION,
    header::COOKIE,
    HeaderName::from_static("cookie2"),
    header::ORIGIN,
    header::PROXY_AUTHORIZATION,
    header::WWW_AUTHENTICATE,
];

/// Fields that are made anew for each request: a signature covers one authority, a validator belongs to one URL.
const OF_THE_REQUEST: [HeaderName; 12] = [
    header::HOST,
    header::REFERER,
    header::IF_MATCH,
    header::IF_NONE_MATCH,
    header::IF_MODIFIED_SINCE,
    header::IF_UNMODIFIED_SINCE,
    header::IF_RANGE,
    HeaderName::from_static("signature"),
    HeaderName::from_static("signature-input"),
    HeaderName::from_static("signature-agent"),
    header::CONNECTION,
    header::UPGRADE,
];

/// Fields that speak of a body.
const OF_THE_BODY: [HeaderName; 10] = [
    header::CONTENT_TYPE,
    header::CONTENT_LENGTH,
    header::CONTENT_ENCODING,
    header::CONTENT_LANGUAGE,
    header::CONTENT_LOCATION,
    header::TRANSFER_ENCODING,
    header::EXPECT,
    header::TRAILER,
    HeaderName::from_static("content-digest"),
    HeaderName::from_static("digest"),
];

impl Hop {
    /// Takes out of the headers what must not go along (RFC 9110 section 15.4): always what was made for the one
    /// request (validators, signatures, `Host`, `Referer`); credentials when the origin changes; and what describes
    /// a body when the body stays behind.
    pub fn rewrite(&self, headers: &mut HeaderMap) {
        let mut remove = |names: &[HeaderName]| {
            for name in names {
                headers.remove(name);
            }
        };
        remove(&OF_THE_REQUEST);
        if self.from.origin() != self.to.origin() {
            remove(&OF_THE_ORIGIN);
        }
        if !self.keeps_body {
            remove(&OF_THE_BODY);
        }
    }
}

/// The hops taken so far. As a request extension it tells `FollowLayer` to go on counting where an earlier run was
/// held up; as a response extension it says how the answer was reached.
///
/// ```
/// use bot_etiquette_fetch::{Followed, RedirectPolicy, Redirects};
/// use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
/// use url::Url;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let to = |url| HeaderMap::from_iter([(header::LOCATION, HeaderValue::from_static(url))]);
/// let policy = RedirectPolicy::default().limit(1);
/// let mut first = Redirects::new(policy, Method::GET, Url::parse("https://a.example/")?);
/// first.follow(StatusCode::FOUND, &to("/b"))?;
///
/// // Put aside with its chain, and taken up again later: the count goes on.
/// let Followed(chain) = first.into_followed();
/// let mut later = Redirects::resume(policy, Method::GET, Url::parse("https://a.example/b")?, chain);
/// assert!(later.follow(StatusCode::FOUND, &to("/c")).is_err());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Followed(pub Vec<Hop>);

/// The state of one request under redirects. It opens nothing and waits for nothing: give it each answer's status
/// and headers, and it says what to ask next.
///
/// ```
/// use bot_etiquette_fetch::{RedirectPolicy, Redirects};
/// use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
/// use url::Url;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut redirects = Redirects::new(RedirectPolicy::default(), Method::GET, Url::parse("https://a.example/x")?);
/// let mut headers = HeaderMap::new();
/// headers.insert(header::LOCATION, HeaderValue::from_static("../y"));
/// let hop = redirects.follow(StatusCode::MOVED_PERMANENTLY, &headers)?.expect("a redirect");
/// assert_eq!(hop.to.as_str(), "https://a.example/y");
///
/// // Not a redirect: this answer is the last one.
/// assert!(redirects.follow(StatusCode::OK, &HeaderMap::new())?.is_none());
/// assert_eq!(redirects.chain().len(), 1);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Redirects {
    policy: RedirectPolicy,
    method: Method,
    url: Url,
    chain: Vec<Hop>,
}

/// Why a redirect was not followed. Each variant keeps the hops taken before it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RedirectError {
    /// One hop more than the policy takes.
    #[error("more than {limit} redirects; the next would be {next}")]
    TooMany {
        /// The most hops taken.
        limit: usize,
        /// The hops taken.
        chain: Vec<Hop>,
        /// The hop not taken.
        next: Box<Url>,
    },
    /// Back to a request made before in this chain, by the same method.
    #[error("redirected in a circle, back to {next}")]
    Loop {
        /// The hops taken.
        chain: Vec<Hop>,
        /// The hop not taken.
        next: Box<Url>,
    },
    /// From https to http.
    #[error("redirected from https to the unprotected {next}")]
    Downgrade {
        /// The hops taken.
        chain: Vec<Hop>,
        /// The hop not taken.
        next: Box<Url>,
    },
    /// A `Location` with a user name or a password.
    #[error("redirected to a URL with a user name or password, at {host}")]
    Credentials {
        /// The hops taken.
        chain: Vec<Hop>,
        /// The host it named; the rest is not repeated.
        host: String,
    },
    /// A `Location` that is neither http nor https, such as `javascript:` or `file:`.
    #[error("redirected to the scheme {scheme}, which is not http or https")]
    Scheme {
        /// The hops taken.
        chain: Vec<Hop>,
        /// The scheme it named.
        scheme: String,
    },
    /// A `Location` longer than [`Redirects::MAX_LOCATION_BYTES`].
    #[error("redirected by a Location of {bytes} bytes, more than {}", Redirects::MAX_LOCATION_BYTES)]
    TooLong {
        /// The hops taken.
        chain: Vec<Hop>,
        /// Its length.
        bytes: usize,
    },
    /// The hop was due, and what stands in its way said no: the caller's own check, robots.txt, the host's pace,
    /// the address policy or the network. `source` is that refusal; `next` is the last of `chain`, so a scheduler can
    /// ask it later with [`Followed`] in the request's extensions.
    #[error("redirected to {next}, which was not asked: {source}")]
    Hop {
        /// The hops taken, this one included.
        chain: Vec<Hop>,
        /// Where the last one leads.
        next: Box<Url>,
        /// What said no.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl RedirectError {
    /// The hops taken.
    #[must_use]
    pub fn chain(&self) -> &[Hop] {
        match self {
            Self::TooMany { chain, .. }
            | Self::Loop { chain, .. }
            | Self::Downgrade { chain, .. }
            | Self::Credentials { chain, .. }
            | Self::Scheme { chain, .. }
            | Self::TooLong { chain, .. }
            | Self::Hop { chain, .. } => chain,
        }
    }
}

impl Redirects {
    /// The longest `Location` read: 8,192 bytes.
    pub const MAX_LOCATION_BYTES: usize = 8192;

    /// Begins with the request about to be made.
    #[must_use]
    pub const fn new(policy: RedirectPolicy, method: Method, url: Url) -> Self {
        Self::resume(policy, method, url, Vec::new())
    }

    /// Goes on after the hops of `chain`, with the request about to be made.
    #[must_use]
    pub const fn resume(policy: RedirectPolicy, method: Method, url: Url, chain: Vec<Hop>) -> Self {
        Self { policy, method, url, chain }
    }

    /// Reads an answer. `None` means that it is the last: no redirect, or one without a `Location` that could be
    /// read. 300, 304, 305 and 306 are never followed.
    ///
    /// After 301 and 302 a POST becomes a GET; after 303 everything but HEAD does; 307 and 308 keep method and
    /// body (RFC 9110 section 15.4).
    ///
    /// # Errors
    /// [`RedirectError`] when the hop must not be taken; the chain stays as it was.
    pub fn follow(&mut self, status: StatusCode, headers: &HeaderMap) -> Result<Option<&Hop>, RedirectError> {
        if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
            return Ok(None);
        }
        let Some(to) = self.location(headers)? else { return Ok(None) };
        self.check(&to, status)?;
        let (method, keeps_body) = next_method(status, &self.method);
        let from = mem::replace(&mut self.url, to.clone());
        let asked = mem::replace(&mut self.method, method.clone());
        self.chain.push(Hop { status, from, asked, to, method, keeps_body });
        Ok(self.chain.last())
    }

    /// The URL of the request that is due or under way.
    #[must_use]
    pub const fn url(&self) -> &Url {
        &self.url
    }

    /// The method of the request that is due or under way.
    #[must_use]
    pub const fn method(&self) -> &Method {
        &self.method
    }

    /// The hops taken so far.
    #[must_use]
    pub fn chain(&self) -> &[Hop] {
        &self.chain
    }

    /// The hops taken, as the extension that lets another run go on counting.
    #[must_use]
    pub fn into_followed(self) -> Followed {
        Followed(self.chain)
    }

    fn location(&self, headers: &HeaderMap) -> Result<Option<Url>, RedirectError> {
        let mut values = headers.get_all(header::LOCATION).iter();
        let Some(value) = values.next() else { return Ok(None) };
        // Two different targets are no target: which of them holds is anybody's guess.
        if values.any(|other| other != value) {
            return Ok(None);
        }
        if value.len() > Self::MAX_LOCATION_BYTES {
            return Err(RedirectError::TooLong { chain: self.chain.clone(), bytes: value.len() });
        }
        let Ok(mut to) = self.url.join(&percent_encoded(value.as_bytes())) else { return Ok(None) };
        if to.fragment().is_none() {
            to.set_fragment(self.url.fragment());
        }
        Ok(Some(to))
    }

    fn check(&self, to: &Url, status: StatusCode) -> Result<(), RedirectError> {
        let chain = || self.chain.clone();
        let next = || Box::new(to.clone());
        if !matches!(to.scheme(), "http" | "https") {
            return Err(RedirectError::Scheme { chain: chain(), scheme: to.scheme().to_owned() });
        }
        if !to.username().is_empty() || to.password().is_some() {
            let host = to.host_str().unwrap_or_default().to_owned();
            return Err(RedirectError::Credentials { chain: chain(), host });
        }
        if self.url.scheme() == "https" && to.scheme() == "http" && !self.policy.downgrade {
            return Err(RedirectError::Downgrade { chain: chain(), next: next() });
        }
        if self.made_before(to, &next_method(status, &self.method).0) {
            return Err(RedirectError::Loop { chain: chain(), next: next() });
        }
        if self.chain.len() >= self.policy.limit {
            return Err(RedirectError::TooMany { limit: self.policy.limit, chain: chain(), next: next() });
        }
        Ok(())
    }

    /// Whether this request was made in the chain: nothing would answer differently, as no cookie is kept.
    fn made_before(&self, url: &Url, method: &Method) -> bool {
        let same = |made: &Method, at: &Url| {
            made == method && at[..Position::AfterQuery] == url[..Position::AfterQuery]
        };
        same(&self.method, &self.url) || self.chain.iter().any(|hop| same(&hop.asked, &hop.from))
    }
}

fn next_method(status: StatusCode, method: &Method) -> (Method, bool) {
    match (status.as_u16(), method) {
        (301 | 302, &Method::POST) => (Method::GET, false),
        (303, &Method::HEAD) => (Method::HEAD, false),
        (303, _) => (Method::GET, false),
        (_, method) => (method.clone(), true),
    }
}

/// A `Location` as text: bytes beyond ASCII are percent-encoded one by one, which is what servers that send them
/// unencoded mean.
fn percent_encoded(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        if byte.is_ascii() {
            text.push(char::from(*byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}
