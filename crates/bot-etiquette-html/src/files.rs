//! The audit of one file or link: which requests tell its status and size, and what one more can tell.

mod answer;
mod image;
mod pdf;
mod report;

use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use url::Url;

use self::answer::Facts;
pub use self::image::{Image, ImageFormat, ImageHead, image_head};
pub use self::pdf::{PdfTitle, is_poor_title, pdf_title};
pub use self::report::{FileFinding, FileReport, Outcome};
use crate::{LinkKind, Wall};

/// Bytes of an image that are asked for to read its size.
pub const IMAGE_WINDOW: u64 = 32_768;
/// Bytes of an image from which its size is worth a request.
pub const HEAVY_IMAGE: u64 = 100_000;
/// Bytes of a text file from which compression is worth a request.
pub const WORTH_COMPRESSING: u64 = 1_400;
/// Bytes asked for at the start of a PDF.
pub const PDF_FIRST: u64 = 32_768;
/// Bytes asked for at the end of a PDF.
pub const PDF_LAST: u64 = 65_536;
/// Bytes read of a compressed script or style sheet, as they are sent.
pub const UNPACK_WINDOW: u64 = 5_000_000;

/// Audits one URL with as few requests as can be: HEAD; a GET of the first byte where HEAD does not tell; and of a few
/// files one thing more.
///
/// The machine asks for nothing itself: take a request, send it by a client that follows redirects, give the answer.
/// How often a URL may be audited is the caller's to keep.
///
/// | answer to HEAD | what follows |
/// |---|---|
/// | success with a length | done |
/// | success without one, or with 0 | GET `bytes=0-0` |
/// | 400, 403, 405, 501, a closed connection | GET `bytes=0-0` |
/// | a firewall's wall, 404, 410, any other status | done |
///
/// | then, of a file | one more GET |
/// |---|---|
/// | an image of [`HEAVY_IMAGE`] bytes | its first [`IMAGE_WINDOW`] bytes, for its size in pixels |
/// | a text file of [`WORTH_COMPRESSING`] bytes, not compressed | offers gzip and br; the body is not read |
/// | a compressed script or style sheet | read, for its unpacked length |
/// | a PDF | its first [`PDF_FIRST`] and, by a second request, its last [`PDF_LAST`] bytes, for its title |
///
/// ```
/// use bot_etiquette_html::{AuditAnswer, AuditStep, FileAudit, LinkKind, Outcome};
/// use http::{HeaderMap, HeaderValue, StatusCode, header};
///
/// let mut audit = FileAudit::file(url::Url::parse("https://ex.com/a.woff2")?, LinkKind::Font);
/// let AuditStep::Ask(head) = audit.step() else { return Err("done already".into()) };
/// assert_eq!(head.method, http::Method::HEAD);
/// audit.answered(AuditAnswer::new(StatusCode::METHOD_NOT_ALLOWED, HeaderMap::new()));
/// let AuditStep::Ask(get) = audit.step() else { return Err("done already".into()) };
/// assert_eq!(get.headers[header::RANGE], "bytes=0-0");
/// let mut headers = HeaderMap::new();
/// headers.insert(header::CONTENT_RANGE, HeaderValue::from_static("bytes 0-0/12345"));
/// audit.answered(AuditAnswer::new(StatusCode::PARTIAL_CONTENT, headers));
/// let AuditStep::Done(report) = audit.step() else { return Err("not done".into()) };
/// assert_eq!((report.outcome, report.size, report.requests), (Outcome::Present, Some(12345), 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct FileAudit {
    state: State,
    kind: Option<LinkKind>,
    report: FileReport,
    pdf_head: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Head,
    FirstByte,
    Image,
    Compression,
    Unpacked,
    PdfFirst,
    PdfLast { from: u64 },
    Done,
}

/// What to do next.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum AuditStep {
    /// Send this, and give what came to [`FileAudit::answered`] or [`FileAudit::failed`].
    Ask(AuditRequest),
    /// All that could be told.
    Done(FileReport),
}

/// A request of an audit.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AuditRequest {
    /// HEAD or GET.
    pub method: Method,
    /// The URL of the file.
    pub url: Url,
    /// `Accept-Encoding`, and `Range` where only a part is asked for.
    pub headers: HeaderMap,
    /// Bytes of the body to read at the most, as they are sent; the connection may be closed then. 0: none at all.
    pub body_limit: u64,
}

/// The answer to an [`AuditRequest`], after redirects.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[must_use]
pub struct AuditAnswer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
    unpacked: Option<u64>,
    url: Option<Url>,
}

impl AuditAnswer {
    /// An answer without a body that was read.
    pub fn new(status: StatusCode, headers: HeaderMap) -> Self {
        Self { status, headers, body: Vec::new(), unpacked: None, url: None }
    }

    /// The body, decoded, as far as it was read.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// The length of the whole decoded body, where the client counted it instead of keeping it; none where it was cut.
    pub fn unpacked(mut self, length: Option<u64>) -> Self {
        self.unpacked = length;
        self
    }

    /// The URL that answered, where redirects were followed.
    pub fn url(mut self, url: Url) -> Self {
        self.url = Some(url);
        self
    }
}

impl FileAudit {
    /// A file that a page loads; `kind` says as what.
    pub fn file(url: Url, kind: LinkKind) -> Self {
        Self::new(url, Some(kind))
    }

    /// A link to another site: is it there? Its size and what it holds are not asked for, and GET only where HEAD is refused.
    pub fn link(url: Url) -> Self {
        Self::new(url, None)
    }

    fn new(url: Url, kind: Option<LinkKind>) -> Self {
        let report = FileReport::new(url);
        Self { state: State::Head, kind, report, pdf_head: Vec::new() }
    }

    /// What to do next; the same until an answer is given.
    pub fn step(&self) -> AuditStep {
        let range = |first: u64, last: u64| Some(format!("bytes={first}-{last}"));
        let (method, range, coding, body_limit) = match self.state {
            State::Head => (Method::HEAD, None, "identity", 0),
            State::FirstByte => (Method::GET, range(0, 0), "identity", 0),
            State::Image => (Method::GET, range(0, IMAGE_WINDOW.saturating_sub(1)), "identity", IMAGE_WINDOW),
            State::Compression => (Method::GET, None, "gzip, br", 0),
            State::Unpacked => (Method::GET, None, "gzip, br", UNPACK_WINDOW),
            State::PdfFirst => (Method::GET, range(0, PDF_FIRST.saturating_sub(1)), "identity", PDF_FIRST),
            State::PdfLast { from } => {
                let last = self.report.size.unwrap_or_default().saturating_sub(1);
                (Method::GET, range(from, last), "identity", PDF_LAST)
            }
            State::Done => return AuditStep::Done(self.report.clone()),
        };
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(coding));
        if let Some(range) = range.and_then(|range| HeaderValue::try_from(range).ok()) {
            headers.insert(header::RANGE, range);
        }
        AuditStep::Ask(AuditRequest { method, url: self.report.url.clone(), headers, body_limit })
    }

    /// The request of this step was answered.
    pub fn answered(&mut self, answer: AuditAnswer) {
        if self.state == State::Done {
            return;
        }
        self.report.requests = self.report.requests.saturating_add(1);
        if matches!(self.state, State::Head | State::FirstByte) {
            self.report.redirected_to = answer.url.clone().filter(|url| *url != self.report.url);
        }
        self.state = match self.state {
            State::Head => self.head(&answer),
            State::FirstByte => self.first_byte(&answer),
            State::Image => self.image(&answer),
            State::Compression => self.compression(&answer),
            State::Unpacked => self.unpacked(&answer),
            State::PdfFirst => self.pdf_first(answer),
            State::PdfLast { from } => self.pdf_last(&answer, from),
            State::Done => State::Done,
        };
    }

    /// The request of this step got no answer.
    ///
    /// HEAD on which the connection closes is a HEAD refused; anything else ends the audit with what is known.
    pub fn failed(&mut self, was_closed: bool) {
        if self.state == State::Done {
            return;
        }
        self.report.requests = self.report.requests.saturating_add(1);
        self.state = if self.state == State::Head && was_closed { State::FirstByte } else { State::Done };
    }

    /// The request of this step was not sent and will not be: `robots.txt` closes the file, or its host is left alone.
    ///
    /// It is not counted, and ends the audit with what is known.
    pub fn withheld(&mut self) {
        if self.report.status.is_none() {
            self.report.outcome = Outcome::NotAsked;
        }
        self.state = State::Done;
    }

    fn head(&mut self, answer: &AuditAnswer) -> State {
        let facts = Facts::read(answer.status, &answer.headers);
        if self.is_wall(answer) {
            return State::Done;
        }
        if matches!(answer.status.as_u16(), 400 | 403 | 405 | 501) {
            self.report.status = Some(answer.status.as_u16());
            self.report.outcome = answer::outcome(answer.status);
            return State::FirstByte;
        }
        self.note(answer.status, &facts);
        // A length of 0 is what many servers say to HEAD when they do not know.
        let is_known = facts.length.is_some_and(|length| length > 0);
        match self.report.outcome {
            Outcome::Present if is_known || self.kind.is_none() => {
                self.report.size = facts.length.filter(|_| is_known);
                self.more()
            }
            Outcome::Present => State::FirstByte,
            _ => State::Done,
        }
    }

    fn first_byte(&mut self, answer: &AuditAnswer) -> State {
        if self.is_wall(answer) {
            return State::Done;
        }
        let facts = Facts::read(answer.status, &answer.headers);
        let was_refused = self.report.outcome != Outcome::Present;
        // No first byte: the file is there and empty, or the server does not know parts.
        if answer.status == StatusCode::RANGE_NOT_SATISFIABLE {
            self.report.outcome = Outcome::Present;
            self.report.status = Some(answer.status.as_u16());
        } else {
            self.note(answer.status, &facts);
        }
        self.report.size = match answer.status {
            StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE => facts.range_of,
            StatusCode::OK => facts.length,
            _ => None,
        };
        if self.report.outcome != Outcome::Present {
            return State::Done;
        }
        if was_refused {
            self.report.findings.push(FileFinding::HeadRefused);
        }
        self.more()
    }

    /// Whether a firewall answered, which ends the audit.
    fn is_wall(&mut self, answer: &AuditAnswer) -> bool {
        self.report.wall = Wall::detect(answer.status, &answer.headers, &answer.body);
        let is_wall = self.report.wall.is_some();
        if is_wall {
            self.report.outcome = Outcome::Blocked;
            self.report.status = Some(answer.status.as_u16());
        }
        is_wall
    }

    fn note(&mut self, status: StatusCode, facts: &Facts) {
        self.report.status = Some(status.as_u16());
        self.report.outcome = answer::outcome(status);
        self.report.media_type.clone_from(&facts.media_type);
        self.report.coding.clone_from(&facts.coding);
    }

    /// What one more request could tell of a file that is there.
    fn more(&mut self) -> State {
        let Some(kind) = self.kind else { return State::Done };
        let media_type = self.report.media_type.as_deref().unwrap_or_default();
        let is_page = matches!(media_type, "text/html" | "application/xhtml+xml");
        if is_page && kind.is_file() && kind != LinkKind::Object {
            self.report.findings.push(FileFinding::PageInstead);
            return State::Done;
        }
        let at_least = |bytes: u64| self.report.size.is_some_and(|size| size >= bytes);
        let is_code = matches!(kind, LinkKind::Script | LinkKind::Stylesheet);
        match () {
            () if answer::is_pdf(media_type, &self.report.url) => State::PdfFirst,
            () if answer::is_text(media_type)
                && self.report.coding.is_none()
                && at_least(WORTH_COMPRESSING) =>
            {
                State::Compression
            }
            () if is_code && self.report.coding.is_some() => State::Unpacked,
            () if answer::is_image(media_type, kind) && at_least(HEAVY_IMAGE) => State::Image,
            () => State::Done,
        }
    }

    fn image(&mut self, answer: &AuditAnswer) -> State {
        if answer.status.is_success() {
            let body = answer.body.get(..IMAGE_WINDOW as usize).unwrap_or(&answer.body);
            match image_head(body) {
                ImageHead::Known(image) => self.report.image = Some(image),
                ImageHead::NeedMore(_) => self.report.findings.push(FileFinding::ImageSizeFurtherIn),
                ImageHead::NotAnImage => self.report.findings.push(FileFinding::NotAnImage),
            }
        }
        State::Done
    }

    fn compression(&mut self, answer: &AuditAnswer) -> State {
        if answer.status.is_success() {
            let facts = Facts::read(answer.status, &answer.headers);
            match &facts.coding {
                None => self.report.findings.push(FileFinding::NotCompressed),
                Some(_) if !facts.varies => self.report.findings.push(FileFinding::VaryMissing),
                Some(_) => {}
            }
            self.report.compression = Some(facts.coding.unwrap_or_else(|| "identity".to_owned()));
        }
        State::Done
    }

    fn unpacked(&mut self, answer: &AuditAnswer) -> State {
        if answer.status.is_success() {
            let facts = Facts::read(answer.status, &answer.headers);
            let kept = u64::try_from(answer.body.len()).ok().filter(|length| *length > 0);
            self.report.unpacked = answer.unpacked.or(kept);
            self.report.compression = facts.coding;
        }
        State::Done
    }

    fn pdf_first(&mut self, answer: AuditAnswer) -> State {
        if !answer.status.is_success() {
            return State::Done;
        }
        self.pdf_head = answer.body;
        self.pdf_head.truncate(PDF_FIRST as usize);
        let from = self.report.size.map(|size| size.saturating_sub(PDF_LAST).max(PDF_FIRST));
        match (from, self.report.size) {
            (Some(from), Some(size)) if from < size => State::PdfLast { from },
            _ => self.pdf(&[]),
        }
    }

    fn pdf_last(&mut self, answer: &AuditAnswer, from: u64) -> State {
        let facts = Facts::read(answer.status, &answer.headers);
        // A server that ignores the range sends the start once more.
        let is_tail = answer.status == StatusCode::PARTIAL_CONTENT && facts.range_from == Some(from);
        let body = answer.body.get(..PDF_LAST as usize).unwrap_or(&answer.body);
        self.pdf(if is_tail { body } else { &[] })
    }

    fn pdf(&mut self, last: &[u8]) -> State {
        let title = pdf_title(&self.pdf_head, last);
        if matches!(&title, PdfTitle::Title(title) if is_poor_title(title)) {
            self.report.findings.push(FileFinding::PoorTitle);
        }
        self.report.pdf_title = Some(title);
        self.pdf_head = Vec::new();
        State::Done
    }
}
