//! What came back when a robots.txt was asked for.

use std::time::{Duration, SystemTime};

use crate::{Availability, Unreachable, date};

/// Bytes of a validator that are kept; a longer one is not sent back.
const MAX_VALIDATOR: usize = 1_024;

/// What came back when a robots.txt was asked for, as the cache needs to know it.
///
/// Give it every header field; it keeps `ETag`, `Last-Modified`, `Cache-Control`, `Age`, `Date`, `Expires`,
/// `Retry-After` and `Content-Type`, and looks at no other.
///
/// ```
/// use bot_etiquette_robots::{Availability, RobotsAnswer};
///
/// let answer = RobotsAnswer::from_status(200)
///     .header("ETag", b"\"v1\"")
///     .header("Cache-Control", b"max-age=3600")
///     .body(b"User-agent: *\nDisallow: /private/\n");
/// assert_eq!(answer.availability(), Availability::Successful);
/// assert_eq!(RobotsAnswer::no_answer().availability().to_string(), "robots.txt could not be asked for");
/// ```
#[derive(Debug, Clone)]
pub struct RobotsAnswer {
    availability: Availability,
    body: Vec<u8>,
    pub(super) validators: Validators,
    status: Option<u16>,
    content_type: Option<Vec<u8>>,
    no_cache: bool,
    max_age: Option<u64>,
    age: u64,
    date: Option<SystemTime>,
    expires: Option<Option<SystemTime>>,
    retry_after: Option<RetryAfter>,
}

/// The bytes by which a server knows its own copy again, as they came.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Validators {
    pub(super) etag: Option<Vec<u8>>,
    pub(super) last_modified: Option<Vec<u8>>,
}

impl Validators {
    pub(super) fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }
}

#[derive(Debug, Clone, Copy)]
enum RetryAfter {
    In(Duration),
    At(SystemTime),
}

impl RobotsAnswer {
    /// An answer with this status, after every redirect that may be followed: a redirect that was not followed is
    /// as good as no answer. For a chain that does not end there is [`too_many_redirects`](Self::too_many_redirects).
    #[must_use]
    pub fn from_status(status: u16) -> Self {
        Self { status: Some(status), ..Self::new(Availability::from_status(status)) }
    }

    /// No answer came, or its body broke off.
    #[must_use]
    pub fn no_answer() -> Self {
        Self::new(Availability::Unreachable(Unreachable::NoAnswer))
    }

    /// More redirects came than are followed ([`MAX_REDIRECTS`](crate::MAX_REDIRECTS)).
    #[must_use]
    pub fn too_many_redirects() -> Self {
        Self::new(Availability::Unavailable)
    }

    fn new(availability: Availability) -> Self {
        Self {
            availability,
            body: Vec::new(),
            validators: Validators::default(),
            status: None,
            content_type: None,
            no_cache: false,
            max_age: None,
            age: 0,
            date: None,
            expires: None,
            retry_after: None,
        }
    }

    /// Adds one header field; those that do not matter are left out.
    #[must_use]
    pub fn header(mut self, name: impl AsRef<str>, value: impl AsRef<[u8]>) -> Self {
        let value = value.as_ref().trim_ascii();
        let text = || std::str::from_utf8(value).unwrap_or("");
        let kept = || (!value.is_empty() && value.len() <= MAX_VALIDATOR).then(|| value.to_vec());
        match name.as_ref().to_ascii_lowercase().as_str() {
            "etag" => self.validators.etag = kept(),
            "last-modified" => self.validators.last_modified = kept(),
            "content-type" => self.content_type = kept(),
            "cache-control" => self.cache_control(text()),
            "age" => self.age = self.age.max(seconds(text()).unwrap_or(0)),
            "date" => self.date = date::parse(text()),
            // A date that cannot be read means expired already (RFC 9111, section 5.3).
            "expires" => self.expires = Some(date::parse(text())),
            "retry-after" => {
                self.retry_after = match seconds(text()) {
                    Some(wait) => Some(RetryAfter::In(Duration::from_secs(wait))),
                    None => date::parse(text()).map(RetryAfter::At),
                }
            }
            _ => {}
        }
        self
    }

    /// Adds header fields, such as those of an `http::HeaderMap`.
    #[must_use]
    pub fn headers<N: AsRef<str>, V: AsRef<[u8]>>(self, fields: impl IntoIterator<Item = (N, V)>) -> Self {
        fields.into_iter().fold(self, |answer, (name, value)| answer.header(name, value))
    }

    /// How long the server asked to wait, where the caller has read `Retry-After` by its own rules.
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(RetryAfter::In(wait));
        self
    }

    /// The body after decoding. What lies beyond the parser's limit may be left out, but one byte more than the
    /// limit should be given where there is one, so that a cut line is known as cut.
    #[must_use]
    pub fn body(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.body = bytes.into();
        self
    }

    /// What the outcome means (RFC 9309, section 2.3.1); 304 is told apart by the cache, which knows whether it
    /// has the copy.
    #[must_use]
    pub fn availability(&self) -> Availability {
        self.availability
    }

    pub(super) fn is_not_modified(&self) -> bool {
        self.status == Some(304)
    }

    pub(super) fn text(&self) -> &[u8] {
        &self.body
    }

    pub(super) fn is_html(&self) -> bool {
        let Some(kind) = &self.content_type else { return false };
        [&b"text/html"[..], b"application/xhtml+xml"]
            .iter()
            .any(|html| kind.get(..html.len()).is_some_and(|head| head.eq_ignore_ascii_case(html)))
    }

    /// How long HTTP lets the answer be kept, from its arrival (RFC 9111, section 4.2); `None` where it does
    /// not say.
    pub(super) fn lifetime(&self) -> Option<Duration> {
        if self.no_cache {
            return Some(Duration::ZERO);
        }
        let whole = match (self.max_age, self.expires) {
            (Some(seconds), _) => Duration::from_secs(seconds),
            (None, None) => return None,
            (None, Some(expires)) => match (expires, self.date) {
                (Some(expires), Some(date)) => expires.duration_since(date).unwrap_or(Duration::ZERO),
                // Without a Date there is nothing to measure from: the crawler's own clock may differ.
                (Some(_), None) => return None,
                (None, _) => Duration::ZERO,
            },
        };
        Some(whole.saturating_sub(Duration::from_secs(self.age)))
    }

    /// How long the server asked to wait.
    pub(super) fn wait(&self, now: SystemTime) -> Duration {
        match self.retry_after {
            None => Duration::ZERO,
            Some(RetryAfter::In(wait)) => wait,
            Some(RetryAfter::At(time)) => {
                time.duration_since(self.date.unwrap_or(now)).unwrap_or(Duration::ZERO)
            }
        }
    }

    fn cache_control(&mut self, value: &str) {
        for directive in value.split(',') {
            let (name, argument) = directive.split_once('=').unwrap_or((directive, ""));
            let name = name.trim();
            if name.eq_ignore_ascii_case("no-store") || name.eq_ignore_ascii_case("no-cache") {
                self.no_cache = true;
            } else if name.eq_ignore_ascii_case("max-age") {
                // What cannot be read is taken as stale (RFC 9111, section 4.2.1); of two, the shorter holds.
                let age = seconds(argument.trim().trim_matches('"')).unwrap_or(0);
                self.max_age = Some(self.max_age.map_or(age, |old| old.min(age)));
            }
        }
    }
}

/// Whole seconds; a number beyond the type is as good as its largest.
fn seconds(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(text.parse().unwrap_or(u64::MAX))
}
