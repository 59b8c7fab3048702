//! What an audit found.

use url::Url;

use super::{Image, PdfTitle};
use crate::Wall;

/// How it went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Outcome {
    /// It is there.
    Present,
    /// It is not: 404, 410, any other refusal of the client's request.
    Broken,
    /// Not for the public: 401, 407.
    NotPublic,
    /// A firewall answered; nothing is known of the file.
    Blocked,
    /// The server is busy or in trouble: 429, 5xx. Ask another time.
    Later,
    /// More redirects than were followed, or one without a target.
    Redirect,
    /// No answer.
    NoAnswer,
    /// Not asked: `robots.txt` closes it, or its host is left alone.
    NotAsked,
}

/// What an audit found.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct FileReport {
    /// The URL that was audited.
    pub url: Url,
    /// Where redirects led, if they led elsewhere.
    pub redirected_to: Option<Url>,
    /// How it went.
    pub outcome: Outcome,
    /// The status that says so.
    pub status: Option<u16>,
    /// The length in bytes, not compressed unless [`coding`](Self::coding) says so.
    pub size: Option<u64>,
    /// The media type, without parameters, in lower case.
    pub media_type: Option<String>,
    /// How it is compressed although that was not offered.
    pub coding: Option<String>,
    /// How it is compressed when that is offered; `identity` for not at all. None where it was not asked.
    pub compression: Option<String>,
    /// The length after unpacking.
    pub unpacked: Option<u64>,
    /// The picture's size.
    pub image: Option<Image>,
    /// The title of a PDF.
    pub pdf_title: Option<PdfTitle>,
    /// The firewall that answered.
    pub wall: Option<Wall>,
    /// What is doubtful.
    pub findings: Vec<FileFinding>,
    /// Requests sent, redirects not counted.
    pub requests: u32,
}

/// Something doubtful about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum FileFinding {
    /// HEAD is refused although GET is answered.
    HeadRefused,
    /// A page where a file was meant: most likely an error page.
    PageInstead,
    /// A text file that is not compressed when that is offered.
    NotCompressed,
    /// A compressed answer that does not say `Vary: Accept-Encoding`, so that caches may mix up the forms.
    VaryMissing,
    /// The picture's size lies further in than was read.
    ImageSizeFurtherIn,
    /// Not a picture of a known kind, whatever the header says.
    NotAnImage,
    /// A PDF title that says nothing.
    PoorTitle,
}

impl FileReport {
    /// Nothing is known yet.
    pub(super) fn new(url: Url) -> Self {
        Self {
            url,
            redirected_to: None,
            outcome: Outcome::NoAnswer,
            status: None,
            size: None,
            media_type: None,
            coding: None,
            compression: None,
            unpacked: None,
            image: None,
            pdf_title: None,
            wall: None,
            findings: Vec::new(),
            requests: 0,
        }
    }
}
