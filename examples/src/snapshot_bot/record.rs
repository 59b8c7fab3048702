//! What is kept of an answer: of a page, of a file, of a link.

use bot_etiquette::fetch::Hop;
use bot_etiquette::html::{FileFinding, FileReport, PdfTitle, Wall};
use serde::{Deserialize, Serialize};
use url::Url;

use super::shown::Render;
use crate::asker::NotRead;

/// What came of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageOutcome {
    /// It was read, or is as it was read before.
    Read,
    /// Its redirects lead to another page of the site, which is kept under its own URL.
    Moved,
    /// An error status, or an answer that broke off.
    Broken,
    /// A firewall, a 403 or a 429 in its place.
    Blocked,
    /// Closed by robots.txt; it was not asked for.
    Closed,
    /// Its redirects lead off the site, nowhere, or too far.
    Redirect,
    /// Something else than a page.
    NotAPage,
    /// The host gave no answer.
    NoAnswer,
    /// Not asked: its address is none that may be, such as one of a private network.
    NotAsked,
    /// Asked for when the program was ended; the answer is lost, and it is not asked twice.
    Lost,
}

impl PageOutcome {
    /// In a word, as the outputs have it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Moved => "moved",
            Self::Broken => "broken",
            Self::Blocked => "blocked",
            Self::Closed => "closed",
            Self::Redirect => "redirect",
            Self::NotAPage => "not-a-page",
            Self::NoAnswer => "no-answer",
            Self::NotAsked => "not-asked",
            Self::Lost => "lost",
        }
    }
}

/// What is known of a page beside what it says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageRecord {
    /// The URL that was asked for.
    pub url: Url,
    /// Where its redirects led.
    pub last: Url,
    /// Why it was read: `impressions`, `sitemap`, `home`, `linked`.
    pub source: String,
    /// What came of it.
    pub outcome: PageOutcome,
    /// The status; of a page that has not changed, that of its last reading.
    pub status: Option<u16>,
    /// When, in milliseconds since the Unix epoch.
    pub at: i64,
    /// How long the exchange took, in seconds, its wait for the host's turn aside.
    pub seconds: f64,
    /// Bytes on the wire.
    pub bytes: u64,
    /// Whether it was cut at the limit.
    pub cut: bool,
    /// The media type.
    pub media_type: Option<String>,
    /// Whether a browser ran its scripts.
    pub rendered: bool,
    /// What it made of the page.
    #[serde(default)]
    pub render: Option<Render>,
    /// Whether it asks not to be listed.
    pub noindex: bool,
    /// Whether it asks that its links be left alone.
    pub nofollow: bool,
    /// Its redirects.
    pub chain: Vec<HopRecord>,
    /// The firewall that answered.
    pub wall: Option<WallRecord>,
    /// Why it is as it is, in a sentence.
    pub note: Option<String>,
    /// By what the site knows this state of it again.
    pub etag: Option<String>,
    /// Likewise.
    pub last_modified: Option<String>,
}

impl PageRecord {
    /// Of a page of which nothing is known yet.
    #[must_use]
    pub fn new(url: Url, source: &str, outcome: PageOutcome, at: i64) -> Self {
        Self {
            last: url.clone(),
            url,
            source: source.to_owned(),
            outcome,
            status: None,
            at,
            seconds: 0.0,
            bytes: 0,
            cut: false,
            media_type: None,
            rendered: false,
            render: None,
            noindex: false,
            nofollow: false,
            chain: Vec::new(),
            wall: None,
            note: None,
            etag: None,
            last_modified: None,
        }
    }
}

/// One redirect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HopRecord {
    /// The status that sent us on.
    pub status: u16,
    /// From where.
    pub from: Url,
    /// To where.
    pub to: Url,
}

impl From<&Hop> for HopRecord {
    fn from(hop: &Hop) -> Self {
        Self { status: hop.status.as_u16(), from: hop.from.clone(), to: hop.to.clone() }
    }
}

/// A firewall in the way, and how to let the bot in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WallRecord {
    /// Whose, or what was answered where that cannot be told.
    pub vendor: String,
    /// `challenge`, `captcha` or `block`.
    pub kind: String,
    /// By what it was known.
    pub evidence: Vec<String>,
    /// What the owner can do.
    pub advice: String,
}

/// What to do where no firewall is known by its marks.
const ANY_FIREWALL: &str = "Allow requests whose User-Agent names the bot, where the tool takes it together with the bot's published \
                            addresses or its signature (Web Bot Auth), so that nobody else passes under the name. Where these \
                            settings are not yours to change, ask the host of the site to do it.";

impl From<&Wall> for WallRecord {
    fn from(wall: &Wall) -> Self {
        Self {
            vendor: word(&wall.vendor),
            kind: word(&wall.kind),
            evidence: wall.evidence.iter().map(ToString::to_string).collect(),
            advice: wall.vendor.advice().split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }
}

impl WallRecord {
    /// A refusal without the marks of a known firewall.
    #[must_use]
    pub fn of_status(status: u16) -> Self {
        Self {
            vendor: format!("status {status}"),
            kind: "block".to_owned(),
            evidence: vec![format!("status {status}")],
            advice: ANY_FIREWALL.split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }
}

/// What is known of a file, or of a link to another site.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProbeRecord {
    /// `present`, `broken`, `blocked`, `later`, `redirect`, `no-answer`, `not-public`; `closed` by robots.txt;
    /// `not-asked` where its address may not be.
    pub outcome: String,
    /// The status that says so.
    pub status: Option<u16>,
    /// Bytes.
    pub size: Option<u64>,
    /// The media type.
    pub media_type: Option<String>,
    /// How it is compressed when that is offered.
    pub compression: Option<String>,
    /// Bytes after unpacking.
    pub unpacked: Option<u64>,
    /// The picture's width and height.
    pub pixels: Option<(u32, u32)>,
    /// The title of a PDF.
    pub title: Option<String>,
    /// What is doubtful.
    pub findings: Vec<FileFinding>,
    /// The firewall that answered.
    pub wall: Option<WallRecord>,
    /// The redirects.
    pub chain: Vec<HopRecord>,
    /// Why it is as it is, in a sentence.
    pub note: Option<String>,
    /// Requests sent for it, redirects not counted.
    pub requests: u32,
    /// When, in milliseconds since the Unix epoch.
    pub at: i64,
}

impl ProbeRecord {
    /// What an audit found.
    #[must_use]
    pub fn new(report: &FileReport, chain: Vec<HopRecord>, error: Option<&NotRead>, at: i64) -> Self {
        let outcome = match error {
            Some(NotRead::Closed(_)) if report.status.is_none() => "closed".to_owned(),
            Some(NotRead::Redirect(_)) => "redirect".to_owned(),
            Some(NotRead::Refused(_)) if report.status.is_none() => "not-asked".to_owned(),
            _ => word(&report.outcome),
        };
        Self {
            outcome,
            status: report.status,
            size: report.size,
            media_type: report.media_type.clone(),
            compression: report.compression.clone(),
            unpacked: report.unpacked,
            pixels: report.image.as_ref().map(|image| image.shown()),
            title: match &report.pdf_title {
                Some(PdfTitle::Title(title)) => Some(title.clone()),
                _ => None,
            },
            findings: report.findings.clone(),
            wall: report.wall.as_ref().map(WallRecord::from),
            chain,
            note: error.map(ToString::to_string),
            requests: report.requests,
            at,
        }
    }

    /// Whether a person should look at it.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        matches!(self.outcome.as_str(), "broken" | "no-answer")
    }
}

/// The word that data has for a value.
pub(crate) fn word<T: Serialize>(value: &T) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
