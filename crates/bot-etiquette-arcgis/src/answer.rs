//! One answer of a server: status, header and body, read as the facts that were asked for.

use std::borrow::Cow;

use bot_etiquette_lenient::{json, text};
use http::header::{CONTENT_TYPE, HeaderMap, LOCATION, RETRY_AFTER};
use http::{HeaderName, StatusCode};
use serde::Serialize;
use url::Url;

use crate::document::Document;
use crate::error::EsriError;
use crate::facts::Facts;
use crate::outcome::{AuthReason, HtmlPage, Problem, RetryAfter};

/// Larger bodies are read strictly only: repairing costs a second copy.
pub const REPAIR_LIMIT: usize = 16 * 1024 * 1024;

/// How much of an HTML page or refused answer is looked at.
const LOOK_LIMIT: usize = 64 * 1024;

/// An answer as it came, for [`Answer::read`] to judge.
///
/// The status alone tells little: ArcGIS servers put errors into answers with status 200.
///
/// ```
/// use bot_etiquette_arcgis::{Answer, Count, Problem};
/// use http::{HeaderMap, StatusCode};
///
/// let counted = Answer::new(StatusCode::OK, &HeaderMap::new(), br#"{"count": 42}"#).read::<Count>()?;
/// assert_eq!(counted.facts.count, 42);
///
/// let busy = Answer::new(StatusCode::SERVICE_UNAVAILABLE, &HeaderMap::new(), b"").read::<Count>();
/// assert!(matches!(busy, Err(Problem::Busy { retry_after: None, .. })));
/// # Ok::<(), Problem>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    status: StatusCode,
    headers: Option<&'a HeaderMap>,
    body: &'a [u8],
    url: Option<&'a Url>,
}

/// Facts, and how the answer had to be read for them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Parsed<T> {
    /// What was mended in the text, by name and at most 64; empty for strict JSON.
    pub repairs: Vec<String>,
    /// Odd points that lost no data, such as an error beside data.
    pub warnings: Vec<String>,
    /// The facts.
    #[serde(flatten)]
    pub facts: T,
}

impl<T> Parsed<T> {
    /// The same answer with its facts made into something else.
    #[must_use]
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Parsed<U> {
        Parsed { repairs: self.repairs, warnings: self.warnings, facts: change(self.facts) }
    }
}

impl<'a> Answer<'a> {
    /// An answer with status, header fields and the decoded body (no gzip left).
    #[must_use]
    pub fn new(status: StatusCode, headers: &'a HeaderMap, body: &'a [u8]) -> Self {
        Self { status, headers: Some(headers), body, url: None }
    }

    /// A body alone, such as a file: status 200, no header.
    #[must_use]
    pub fn body(body: &'a [u8]) -> Self {
        Self { status: StatusCode::OK, headers: None, body, url: None }
    }

    /// Says which URL was asked, so that a redirect to another host is told from one on the same host.
    #[must_use]
    pub fn asked(mut self, url: &'a Url) -> Self {
        self.url = Some(url);
        self
    }

    /// Reads the answer as `T`.
    ///
    /// Strict JSON is tried first; only then is the text repaired (up to [`REPAIR_LIMIT`]), and a document that breaks
    /// off stays an error: half a list is not a list.
    ///
    /// # Errors
    /// [`Problem`] for every answer that holds no such facts.
    pub fn read<T: Facts>(&self) -> Result<Parsed<T>, Problem> {
        if self.is_walled() {
            return Err(Problem::Blocked { status: self.status });
        }
        match self.status.as_u16() {
            200..=299 => self.read_body(),
            301 | 302 | 303 | 307 | 308 => Err(self.redirected()),
            401 | 403 | 407 => Err(self.refused()),
            429 | 502 | 503 | 504 => {
                let told = self.header(RETRY_AFTER).and_then(RetryAfter::parse);
                let error = self.envelope();
                let in_body = error.clone().map(EsriError::meaning).and_then(|problem| match problem {
                    Problem::Busy { retry_after, .. } => retry_after,
                    _ => None,
                });
                Err(Problem::Busy { retry_after: told.or(in_body), error })
            }
            404 | 410 => Err(Problem::Gone { error: self.envelope() }),
            500..=599 => Err(self.envelope().map_or_else(
                || {
                    Problem::ServiceFault(EsriError {
                        code: Some(self.status.as_u16().into()),
                        ..EsriError::default()
                    })
                },
                EsriError::meaning,
            )),
            _ => Err(self.envelope().map_or(Problem::Status(self.status), EsriError::meaning)),
        }
    }

    fn read_body<T: Facts>(&self) -> Result<Parsed<T>, Problem> {
        let decoded = self.decoded();
        let body = decoded.trim_start_matches('\u{feff}');
        let lead = decoded.len().saturating_sub(body.len());
        match body.trim_start().as_bytes().first() {
            None => return Err(Problem::Empty),
            Some(b'<') => return Err(html(self.status, body)),
            Some(_) => {}
        }
        let strict = match Document::read(body) {
            Ok(document) => return judge::<T>(document.as_ref(), self.notes(lead)),
            Err(error) => error,
        };
        let broken = || bad_json(body, &strict, lead);
        if body.len() > REPAIR_LIMIT {
            return Err(broken());
        }
        // Bytes that are no UTF-8 were decoded by their own charset above, so the tokenizer sees valid text.
        let Ok(mended) = json::repair(body.as_bytes(), json::Limits::default()) else {
            return Err(if T::ignores_count(body.as_bytes()) { Problem::CountIgnored } else { broken() });
        };
        if mended.repairs().contains(json::RepairKind::CutEnd) {
            return Err(if T::ignores_count(body.as_bytes()) { Problem::CountIgnored } else { broken() });
        }
        let mut notes = self.notes(lead);
        notes.extend(mended.repairs().iter().map(|repair| repair.kind.to_string()));
        notes.dedup();
        match std::str::from_utf8(mended.json()).ok().map(Document::read) {
            Some(Ok(document)) => judge::<T>(document.as_ref(), notes),
            _ => Err(broken()),
        }
    }

    /// The body as text; nothing is copied when it is UTF-8.
    fn decoded(&self) -> Cow<'a, str> {
        match std::str::from_utf8(self.body) {
            Ok(body) => Cow::Borrowed(body),
            Err(_) => {
                let charset = self.header(CONTENT_TYPE).and_then(text::charset_parameter);
                Cow::Owned(text::decode(self.body, charset).text().to_owned())
            }
        }
    }

    fn notes(&self, lead: usize) -> Vec<String> {
        let mut notes = Vec::new();
        if lead > 0 {
            notes.push(json::RepairKind::Bom.to_string());
        }
        if std::str::from_utf8(self.body).is_err() {
            notes.push("charset".to_owned());
        }
        notes
    }

    /// The error envelope of an answer whose status already says no.
    fn envelope(&self) -> Option<EsriError> {
        let body = self.body.get(..LOOK_LIMIT).unwrap_or(self.body);
        let text = std::str::from_utf8(body).ok()?.trim_start_matches('\u{feff}');
        Document::read(text).ok()?.as_ref().and_then(EsriError::find)
    }

    fn redirected(&self) -> Problem {
        let Some(location) = self.header(LOCATION) else { return Problem::Status(self.status) };
        let target = match self.url {
            Some(url) => url.join(location),
            None => Url::parse(location),
        };
        let path = location.split(['?', '#']).next().unwrap_or(location).to_ascii_lowercase();
        const LOGIN: [&str; 6] = ["login", "signin", "oauth2", "saml", "adfs", "generatetoken"];
        let is_login = LOGIN.iter().any(|word| path.contains(word));
        match target {
            Ok(target) if !is_login && self.url.is_none_or(|url| url.host_str() == target.host_str()) => {
                Problem::Redirect(target)
            }
            Err(_) if !is_login => Problem::Status(self.status),
            _ => Problem::AuthRequired { why: AuthReason::Redirect },
        }
    }

    fn refused(&self) -> Problem {
        match self.envelope() {
            Some(error) => match error.clone().meaning() {
                // The status says who is refused; a vague code in the body does not change that.
                Problem::ServiceFault(_) | Problem::Rejected(_) => {
                    Problem::AuthRequired { why: AuthReason::Esri(error) }
                }
                meaning => meaning,
            },
            None if self.status == StatusCode::FORBIDDEN => Problem::Blocked { status: self.status },
            None => Problem::AuthRequired { why: AuthReason::Status(self.status) },
        }
    }

    /// Whether a header field alone tells that a bot wall answered, whatever the status.
    fn is_walled(&self) -> bool {
        const MARKS: [&str; 3] = ["cf-mitigated", "x-amzn-waf-action", "x-vercel-mitigated"];
        MARKS.iter().any(|mark| self.header(HeaderName::from_static(mark)).is_some())
    }

    fn header(&self, name: HeaderName) -> Option<&'a str> {
        self.headers?.get(name)?.to_str().ok()
    }
}

fn judge<T: Facts>(document: Option<&Document<'_>>, repairs: Vec<String>) -> Result<Parsed<T>, Problem> {
    let Some(document) = document else { return Err(Problem::OtherKind { expected: T::KIND }) };
    if let Some(error) = EsriError::find(document) {
        return Err(error.meaning());
    }
    let mut parsed = Parsed { repairs, warnings: Vec::new(), facts: T::from_document(document)? };
    if document.is_filled("error") && !T::HAS_ERROR_KEY {
        parsed.warnings.push("an error stands beside the data".to_owned());
    }
    if document.has_equal_keys() {
        parsed.repairs.push("equal-keys".to_owned());
    }
    Ok(parsed)
}

fn bad_json(body: &str, error: &serde_json::Error, lead: usize) -> Problem {
    // serde_json counts lines from 1 and columns in bytes from 1.
    let before: usize = body
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1))
        .map(str::len)
        .fold(0, usize::saturating_add);
    let offset = before.saturating_add(error.column().saturating_sub(1)).saturating_add(lead);
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or("unreadable").to_owned();
    Problem::BadJson { offset: u64::try_from(offset).unwrap_or(u64::MAX), what }
}

fn html(status: StatusCode, body: &str) -> Problem {
    let end = body.char_indices().map(|(at, _)| at).take_while(|at| *at <= LOOK_LIMIT).last().unwrap_or(0);
    let page =
        if body.len() <= LOOK_LIMIT { body } else { body.get(..end).unwrap_or(body) }.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| page.contains(word));
    if has(&[
        "services directory has been disabled",
        "cf_chl_opt",
        "captcha",
        "_incapsula_resource",
        "anubis_challenge",
    ]) {
        Problem::Blocked { status }
    } else if has(&[
        "type=\"password\"",
        "type='password'",
        "type=password",
        "sign in",
        "generate token",
        "oauth2/",
    ]) {
        Problem::AuthRequired { why: AuthReason::LoginPage }
    } else if has(&["maintenance", "temporarily unavailable"]) {
        Problem::Html(HtmlPage::Maintenance)
    } else {
        Problem::Html(HtmlPage::Other)
    }
}
