//! What an answer that holds no data says, so that a crawler knows what to do next.

use std::time::{Duration, SystemTime};

use http::StatusCode;
use url::Url;

use crate::error::EsriError;

/// Why an answer is no data. Each case asks for another conduct, which is why there is no catch-all "failed".
///
/// ```
/// use bot_etiquette_arcgis::{Answer, Directory, Problem};
///
/// let body = br#"{"error":{"code":499,"message":"Token Required","details":[]}}"#;
/// let problem = Answer::body(body).read::<Directory>().unwrap_err();
/// assert!(matches!(problem, Problem::AuthRequired { .. }));
/// assert_eq!(problem.code(), "auth-required");
/// assert_eq!(problem.to_string(), "not public: 499 Token Required");
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Not public: a token, a login or a permission is asked for. Counts as a strike; never log in.
    #[error("not public: {why}")]
    AuthRequired {
        /// What asked for it.
        why: AuthReason,
    },
    /// A wall before the server refused this client, which says nothing of the service.
    #[error("refused before the service was reached (status {status})")]
    Blocked {
        /// The status of the answer.
        status: StatusCode,
    },
    /// No such service, layer or path. Once is not proof: see [`Standing`](crate::Standing).
    #[error("not there: {}", Told(error.as_ref(), "the status says so"))]
    Gone {
        /// What the server said, unless the status alone told.
        error: Option<EsriError>,
    },
    /// The service exists and is switched off.
    #[error("stopped: {0}")]
    Stopped(EsriError),
    /// Too busy; ask this service again in about an hour, or later where the answer says so.
    #[error("busy: {}", Told(error.as_ref(), "the status says so"))]
    Busy {
        /// The answer's own wish.
        retry_after: Option<RetryAfter>,
        /// What the server said, where it rode in the body.
        error: Option<EsriError>,
    },
    /// The server could not use the request: an operation or parameter that it does not know.
    #[error("the server cannot do this: {0}")]
    Rejected(EsriError),
    /// The service is broken, the host is not.
    #[error("the service failed: {0}")]
    ServiceFault(EsriError),
    /// Sent elsewhere on the same host; follow it only as far as the rules of the crawl allow.
    #[error("moved to {0}")]
    Redirect(Url),
    /// An HTML page where JSON was asked for.
    #[error("an HTML page ({}) where JSON was asked for", .0.as_str())]
    Html(HtmlPage),
    /// No body at all.
    #[error("an empty body")]
    Empty,
    /// No JSON, and no repair makes it so; half a file ends here too.
    #[error("no JSON: {what} at byte {offset}")]
    BadJson {
        /// Where, in bytes of the body.
        offset: u64,
        /// What was wrong there.
        what: String,
    },
    /// Valid JSON of another kind.
    #[error("JSON, but no {expected}")]
    OtherKind {
        /// What was asked for.
        expected: &'static str,
    },
    /// A count was asked for and features came: a server before 10.1 that ignores `returnCountOnly`. Ask for ids.
    #[error("features came where a count was asked for")]
    CountIgnored,
    /// A page that claims that there is more and brings nothing: stop, or the walk never ends.
    #[error("an empty page that claims to have more")]
    EmptyPage,
    /// A status that means none of these.
    #[error("status {0}")]
    Status(StatusCode),
}

impl Problem {
    /// A short stable name, such as `auth-required`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::AuthRequired { .. } => "auth-required",
            Self::Blocked { .. } => "blocked",
            Self::Gone { .. } => "gone",
            Self::Stopped(_) => "stopped",
            Self::Busy { .. } => "busy",
            Self::Rejected(_) => "rejected",
            Self::ServiceFault(_) => "service-fault",
            Self::Redirect(_) => "redirect",
            Self::Html(_) => "html",
            Self::Empty => "empty",
            Self::BadJson { .. } => "bad-json",
            Self::OtherKind { .. } => "other-kind",
            Self::CountIgnored => "count-ignored",
            Self::EmptyPage => "empty-page",
            Self::Status(_) => "status",
        }
    }

    /// Whether the next question to the same service would fare no better now: it is closed, walled, stopped, busy, or a
    /// page stands in its place. Any other problem is that of one question.
    ///
    /// ```
    /// use bot_etiquette_arcgis::{Answer, Count};
    ///
    /// let told = |body: &'static str| Answer::body(body.as_bytes()).read::<Count>().unwrap_err();
    /// assert!(told(r#"{"error":{"code":504,"message":"Wait time expired"}}"#).is_of_the_service());
    /// assert!(!told(r#"{"error":{"code":400,"message":"Invalid URL"}}"#).is_of_the_service());
    /// ```
    #[must_use]
    pub fn is_of_the_service(&self) -> bool {
        matches!(
            self,
            Self::AuthRequired { .. }
                | Self::Blocked { .. }
                | Self::Stopped(_)
                | Self::Busy { .. }
                | Self::Redirect(_)
                | Self::Html(_)
        )
    }

    /// The error envelope of the server, where there was one.
    #[must_use]
    pub fn esri(&self) -> Option<&EsriError> {
        match self {
            Self::AuthRequired { why: AuthReason::Esri(error) }
            | Self::Stopped(error)
            | Self::Rejected(error)
            | Self::ServiceFault(error) => Some(error),
            Self::Gone { error } | Self::Busy { error, .. } => error.as_ref(),
            _ => None,
        }
    }
}

struct Told<'a>(Option<&'a EsriError>, &'static str);

impl std::fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(error) => error.fmt(f),
            None => f.write_str(self.1),
        }
    }
}

/// What asked for a login.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AuthReason {
    /// An error envelope.
    #[error("{0}")]
    Esri(EsriError),
    /// Status 401, 403 or 407.
    #[error("status {0}")]
    Status(StatusCode),
    /// A redirect to a login or to another host.
    #[error("a redirect to a login")]
    Redirect,
    /// A login form with status 200.
    #[error("a login page")]
    LoginPage,
}

/// What an HTML page in the place of JSON is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HtmlPage {
    /// "Down for maintenance".
    Maintenance,
    /// Anything else.
    Other,
}

impl HtmlPage {
    /// A short stable name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Maintenance => "maintenance",
            Self::Other => "other",
        }
    }
}

/// How long to wait, as the server wishes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryAfter {
    /// From now.
    Delay(Duration),
    /// Until this time.
    At(SystemTime),
}

impl RetryAfter {
    /// Reads the value of a `Retry-After` field: seconds or an HTTP date, where `UTC` passes for `GMT`.
    ///
    /// ```
    /// use bot_etiquette_arcgis::RetryAfter;
    /// use std::time::Duration;
    ///
    /// assert_eq!(RetryAfter::parse("120"), Some(RetryAfter::Delay(Duration::from_secs(120))));
    /// assert_eq!(RetryAfter::parse("soon"), None);
    /// ```
    #[must_use]
    pub fn parse(value: &str) -> Option<Self> {
        let value = value.trim();
        if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
            // Digits that no u64 holds mean "never", not "at once".
            return Some(Self::Delay(Duration::from_secs(value.parse().unwrap_or(u64::MAX))));
        }
        let date = match value.strip_suffix("UTC") {
            Some(date) => httpdate::parse_http_date(&format!("{date}GMT")),
            None => httpdate::parse_http_date(value),
        };
        date.ok().map(Self::At)
    }
}
