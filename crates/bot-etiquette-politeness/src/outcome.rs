//! How a request ended.

use std::time::Duration;

use http::header::{DATE, HeaderMap, RETRY_AFTER};

use crate::{RateLimit, RetryAfter, Timestamp};

/// How a request ended, as far as politeness cares.
///
/// ```
/// use bot_etiquette_politeness::{Failure, Outcome};
///
/// let outcome = Outcome::status(429).retry_after(std::time::Duration::from_secs(120));
/// assert_eq!(outcome.end, bot_etiquette_politeness::End::Status(429));
/// assert_eq!("timeout".parse(), Ok(Failure::Timeout));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// What came back.
    pub end: End,
    /// The wait that a Retry-After asks for; read only on the statuses that give it a meaning
    /// (429, 503, 413 and 3xx: RFC 9110 section 10.2.3, RFC 6585 section 4).
    pub retry_after: Option<Duration>,
    /// The wait that the server's own rate limit asks for.
    pub rate_limit: Option<Duration>,
}

/// What came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// An answer with this status, its body read to the end, or as far as the crawler wanted.
    Status(u16),
    /// A failure.
    Failed(Failure),
    /// The crawler gave up on its own: a permit dropped, a request aborted. It says nothing of the host.
    Aborted,
}

macro_rules! failures {
    ($($(#[$doc:meta])* $name:ident = $code:literal;)*) => {
        /// How a request failed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Failure {
            $($(#[$doc])* $name,)*
        }

        impl Failure {
            /// Every kind.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The stable code.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }
        }
    };
}

failures! {
    /// The name did not resolve.
    Dns = "dns";
    /// No connection.
    Connect = "connect";
    /// No TLS session.
    Tls = "tls";
    /// No status line in time.
    Timeout = "timeout";
    /// The connection was reset before a status line.
    Reset = "reset";
    /// An answer began and its body broke off: the host is there.
    Incomplete = "incomplete";
}

impl std::str::FromStr for Failure {
    type Err = UnknownFailure;

    fn from_str(code: &str) -> Result<Self, UnknownFailure> {
        Self::ALL.iter().copied().find(|kind| kind.code() == code).ok_or_else(|| UnknownFailure(code.into()))
    }
}

/// Text that names no [`Failure`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown kind of failure {0:?} (give dns, connect, tls, timeout, reset or incomplete)")]
pub struct UnknownFailure(String);

impl Outcome {
    const fn new(end: End) -> Self {
        Self { end, retry_after: None, rate_limit: None }
    }

    /// An answer, by its status.
    #[must_use]
    pub const fn status(status: u16) -> Self {
        Self::new(End::Status(status))
    }

    /// An answer, by its status and header fields, which came at `now`.
    ///
    /// [`RetryAfter`] is read where the status gives it a meaning. [`RateLimit`] is read too; a Retry-After
    /// beside it takes precedence, for it is said of this very client and moment.
    ///
    /// ```
    /// use bot_etiquette_politeness::{Outcome, Timestamp};
    ///
    /// let mut headers = http::HeaderMap::new();
    /// headers.insert("retry-after", http::HeaderValue::from_static("120"));
    /// let outcome = Outcome::answered(429, &headers, Timestamp::from_millis(1_830_297_540_000));
    /// assert_eq!(outcome, Outcome::status(429).retry_after(std::time::Duration::from_secs(120)));
    /// ```
    #[must_use]
    pub fn answered(status: u16, headers: &HeaderMap, now: Timestamp) -> Self {
        let retry_after = RetryAfter::is_read_on(status)
            .then(|| {
                let date = headers.get(DATE).map(http::HeaderValue::as_bytes);
                RetryAfter::parse(headers.get_all(RETRY_AFTER), date, now)
            })
            .flatten()
            .map(RetryAfter::wait);
        let rate_limit = match retry_after {
            Some(_) => None,
            None => RateLimit::parse(headers, now).and_then(|limit| limit.hold()),
        };
        Self { end: End::Status(status), retry_after, rate_limit }
    }

    /// A failure.
    #[must_use]
    pub const fn failed(failure: Failure) -> Self {
        Self::new(End::Failed(failure))
    }

    /// A request that the crawler gave up on its own.
    #[must_use]
    pub const fn aborted() -> Self {
        Self::new(End::Aborted)
    }

    /// With the wait of a Retry-After.
    #[must_use]
    pub const fn retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// With the wait that the server's own rate limit asks for.
    #[must_use]
    pub const fn rate_limit(mut self, wait: Duration) -> Self {
        self.rate_limit = Some(wait);
        self
    }
}
