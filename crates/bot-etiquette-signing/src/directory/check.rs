use std::fmt;
use std::time::SystemTime;

use http::{HeaderMap, Method, StatusCode};

use super::response::address;
use super::{DirectoryDocument, DirectoryEntry, EntryNote, SkipReason, read};
use crate::Message;

/// A directory as it was fetched, to be checked step by step.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use bot_etiquette_signing::directory::{CheckStep, DirectoryCheck};
///
/// let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
/// let findings = DirectoryCheck::new(br#"{"keys":[]}"#).run(now);
/// let keys = findings.iter().find(|finding| finding.step == CheckStep::Keys);
/// assert_eq!(keys.map(|finding| finding.message.as_str()), Some("the set is empty: no request can verify"));
/// ```
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct DirectoryCheck<'a> {
    document: &'a [u8],
    response: Option<(StatusCode, &'a HeaderMap)>,
    authority: Option<&'a str>,
}

/// A step of a [`DirectoryCheck`].
///
/// ```
/// use bot_etiquette_signing::directory::CheckStep;
///
/// assert_eq!(CheckStep::ALL.map(CheckStep::as_str), ["media-type", "keys", "kids", "dates", "signatures"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CheckStep {
    /// The answer is a 200 of the right media type.
    MediaType,
    /// The document is a JWK Set with usable keys and no secret.
    Keys,
    /// Every `kid` is the thumbprint.
    Kids,
    /// `nbf` and `exp` are in seconds, in order, and no key has expired.
    Dates,
    /// Every key signed the response for this authority.
    Signatures,
}

impl CheckStep {
    /// Every step, in order.
    pub const ALL: [Self; 5] = [Self::MediaType, Self::Keys, Self::Kids, Self::Dates, Self::Signatures];

    /// The stable name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MediaType => "media-type",
            Self::Keys => "keys",
            Self::Kids => "kids",
            Self::Dates => "dates",
            Self::Signatures => "signatures",
        }
    }
}

impl fmt::Display for CheckStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How one step of a [`DirectoryCheck`] ended.
///
/// ```
/// use std::time::SystemTime;
///
/// use bot_etiquette_signing::directory::{DirectoryCheck, Finding};
///
/// let findings: Vec<Finding> = DirectoryCheck::new(b"").run(SystemTime::UNIX_EPOCH);
/// assert_eq!(findings[0].ok, None); // no response to look at
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// Which step.
    pub step: CheckStep,
    /// Whether all is well; none when there was nothing to check it with.
    pub ok: Option<bool>,
    /// What was found, with every problem and every smaller remark.
    pub message: String,
}

impl<'a> DirectoryCheck<'a> {
    /// A check of these bytes.
    pub fn new(document: &'a [u8]) -> Self {
        Self { document, response: None, authority: None }
    }

    /// The status and headers that came with the document.
    pub fn response(mut self, status: StatusCode, headers: &'a HeaderMap) -> Self {
        self.response = Some((status, headers));
        self
    }

    /// The authority that was asked, such as `bot.example`.
    pub fn authority(mut self, authority: &'a str) -> Self {
        self.authority = Some(authority);
        self
    }

    /// One finding for every step, in order.
    #[must_use]
    pub fn run(&self, now: SystemTime) -> Vec<Finding> {
        let media_type = match self.response {
            None => Step::unchecked("not checked: the response headers are not given"),
            Some((status, headers)) => match read::head(status, headers) {
                Ok(()) => Step::good("200 with the directory media type"),
                Err(error) => Step::bad(error.to_string()),
            },
        };
        let rest = match DirectoryDocument::parse(self.document) {
            Ok(document) => {
                [keys(&document), kids(&document), dates(&document, now), self.signatures(&document, now)]
            }
            Err(error) => {
                let unread = || Step::unchecked("not checked: the document cannot be read");
                [Step::bad(error.to_string()), unread(), unread(), unread()]
            }
        };
        let steps = [media_type].into_iter().chain(rest);
        CheckStep::ALL.into_iter().zip(steps).map(|(step, end)| end.finding(step)).collect()
    }

    fn signatures(&self, document: &DirectoryDocument, now: SystemTime) -> Step {
        let (Some((status, headers)), Some(authority)) = (self.response, self.authority) else {
            return Step::unchecked("not checked: the response headers and the authority are needed");
        };
        let Some(uri) = address(authority) else {
            return Step::bad(format!(
                "{} is no authority: expected a host such as bot.example",
                crate::key::quoted(authority)
            ));
        };
        let none = HeaderMap::new();
        let request = Message::request_head(&Method::GET, &uri, &none);
        let response = Message::response_head(status, headers).body(self.document).answering(&request);
        let mut step = Step::good(format!("every key signed the response for {authority}"));
        for proof in document.proofs(&response, now) {
            if proof.outcome.verified().is_none() {
                step.problem(format!("key {}: {}", proof.thumbprint, proof.outcome));
            }
        }
        if document.entries().is_empty() {
            step.problem("no key to verify with".to_owned());
        }
        step
    }
}

fn keys(document: &DirectoryDocument) -> Step {
    let count = document.entries().len();
    let mut step = Step::good(format!("{count} Ed25519 key{}", if count == 1 { "" } else { "s" }));
    if document.is_bare() {
        step.problem("a bare JWK, where a JWK Set {\"keys\":[..]} belongs".to_owned());
    }
    if count == 0 && document.skipped().is_empty() {
        step.problem("the set is empty: no request can verify".to_owned());
    }
    for skipped in document.skipped() {
        match skipped.reason {
            // A date has its own step; a key of another algorithm is allowed, and passed over.
            SkipReason::BadDate { .. } => {}
            SkipReason::NotEd25519 { .. } if count > 0 => step.remark(format!("passed over {skipped}")),
            _ => step.problem(skipped.to_string()),
        }
    }
    for entry in document.entries() {
        if entry.key().is_published_test_key() {
            step.remark(format!(
                "key {} is a test key printed in an RFC: anyone can sign with it",
                entry.thumbprint()
            ));
        }
        for note in entry.notes().iter().filter(|note| matches!(note, EntryNote::UnknownAlg { .. })) {
            step.remark(format!("key {}: {note}", entry.thumbprint()));
        }
    }
    step
}

fn kids(document: &DirectoryDocument) -> Step {
    let mut step = Step::good("every kid is the key's thumbprint");
    if document.entries().is_empty() {
        return Step::unchecked("not checked: no usable key");
    }
    for entry in document.entries() {
        for note in entry.notes() {
            let text = format!("key {}: {note}", entry.thumbprint());
            match note {
                EntryNote::NoKid => step.remark(text),
                EntryNote::KidIsNotTheThumbprint { .. } => step.problem(text),
                _ => {}
            }
        }
    }
    step
}

fn dates(document: &DirectoryDocument, now: SystemTime) -> Step {
    let mut step = Step::good("every key counts today or later");
    for skipped in document.skipped() {
        if matches!(skipped.reason, SkipReason::BadDate { .. }) {
            step.problem(skipped.to_string());
        }
    }
    let mut current = false;
    for entry in document.entries() {
        current |= entry.is_valid_at(now);
        for problem in entry_dates(entry, now) {
            step.problem(format!("key {}: {problem}", entry.thumbprint()));
        }
    }
    if document.entries().is_empty() {
        return if step.ok == Some(true) { Step::unchecked("not checked: no usable key") } else { step };
    }
    if !current {
        step.problem("no key counts today".to_owned());
    }
    step
}

fn entry_dates(entry: &DirectoryEntry, now: SystemTime) -> Vec<String> {
    let milliseconds = entry.notes().iter().filter(|note| matches!(note, EntryNote::Milliseconds { .. }));
    let mut problems: Vec<String> = milliseconds.map(ToString::to_string).collect();
    if let (Some(from), Some(until)) = (entry.not_before(), entry.expires())
        && from >= until
    {
        problems.push("\"nbf\" is not before \"exp\"".to_owned());
    }
    if entry.expires().is_some_and(|until| until <= now) {
        problems.push("\"exp\" has passed: drop the key".to_owned());
    }
    problems
}

/// A finding in the making.
struct Step {
    ok: Option<bool>,
    summary: String,
    problems: Vec<String>,
    remarks: Vec<String>,
}

impl Step {
    fn new(ok: Option<bool>, summary: impl Into<String>) -> Self {
        Self { ok, summary: summary.into(), problems: Vec::new(), remarks: Vec::new() }
    }

    fn good(summary: impl Into<String>) -> Self {
        Self::new(Some(true), summary)
    }

    fn unchecked(summary: &str) -> Self {
        Self::new(None, summary)
    }

    fn bad(problem: String) -> Self {
        Self::new(Some(false), problem)
    }

    fn problem(&mut self, text: String) {
        self.ok = Some(false);
        self.problems.push(text);
    }

    fn remark(&mut self, text: String) {
        self.remarks.push(text);
    }

    fn finding(self, step: CheckStep) -> Finding {
        let mut parts = if self.problems.is_empty() { vec![self.summary] } else { self.problems };
        parts.extend(self.remarks);
        Finding { step, ok: self.ok, message: parts.join("; ") }
    }
}
