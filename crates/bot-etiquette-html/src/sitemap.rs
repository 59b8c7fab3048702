//! Sitemaps and feeds as lists of pages.

mod date;
mod input;
mod scan;
mod text;
mod walk;
mod xml;

use std::io::{self, BufRead};
use std::time::SystemTime;

use url::Url;

pub use self::date::{DateError, LastModified, Precision};
use self::input::Trouble;
pub use self::walk::{SitemapWalk, USUAL_SITEMAPS, WalkLimits, WalkProblem};
use crate::Alternate;

/// The pages, or the further sitemaps, that a file lists: an iterator that reads as it goes.
///
/// What the file is, is told by its content, never by its name: a sitemap, an index of sitemaps, RSS, Atom or a list of
/// URLs, packed with gzip or not, in any charset. A broken file gives what can be read of it; what is wrong is in
/// [`findings`](Self::findings), and an answer that is no list at all has the kind [`SitemapKind::NotASitemap`].
///
/// Memory does not grow with the length of the file. No entity of a document type is ever expanded.
///
/// ```
/// use bot_etiquette_html::{Sitemap, SitemapKind};
///
/// let file: &[u8] = b"<urlset><url><loc> /a?x=1&amp;y=2 </loc><lastmod>2026-11</lastmod></url></urlset>";
/// let mut sitemap = Sitemap::new(url::Url::parse("https://ex.com/sitemap.xml")?, file);
/// let entry = sitemap.next().ok_or("no entry")??;
/// assert_eq!(entry.url.as_str(), "https://ex.com/a?x=1&y=2");
/// assert!(sitemap.next().is_none());
/// assert_eq!(sitemap.kind(), Some(SitemapKind::UrlSet));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Sitemap<'a> {
    url: Url,
    limits: SitemapLimits,
    now: Option<SystemTime>,
    state: State<'a>,
    kind: Option<SitemapKind>,
    entries: usize,
    findings: Vec<SitemapFinding>,
    trouble: Trouble,
    /// The entry that was read last, used again.
    raw: Raw,
}

enum State<'a> {
    New(Box<dyn BufRead + Send + 'a>),
    Xml(Box<xml::Parser<'a>>),
    Text(text::Lines<'a>),
    Ended,
}

/// Bounds on one sitemap. The defaults are those of the sitemap protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct SitemapLimits {
    /// Entries read; 50,000 by default.
    pub entries: usize,
    /// Bytes read after unpacking and decoding; 52,428,800 by default. One text of the file may be as long as that.
    pub bytes: usize,
    /// Bytes of one URL; 2,048 by default, and a longer one is dropped.
    pub url: usize,
    /// Alternates kept of one entry; 1,000 by default.
    pub alternates: usize,
    /// Findings kept; 256 by default.
    pub findings: usize,
}

impl Default for SitemapLimits {
    fn default() -> Self {
        Self { entries: 50_000, bytes: 52_428_800, url: 2_048, alternates: 1_000, findings: 256 }
    }
}

/// What a file of URLs is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum SitemapKind {
    /// A list of pages.
    UrlSet,
    /// A list of sitemaps.
    Index,
    /// RSS, of any version.
    Rss,
    /// Atom.
    Atom,
    /// A URL in each line.
    Text,
    /// None of these: an error page, for instance.
    NotASitemap,
}

/// A page, or a further sitemap.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SitemapEntry {
    /// The page; a sitemap where the file is an [`Index`](SitemapKind::Index).
    pub url: Url,
    /// When it last changed, as the file says.
    pub lastmod: Option<LastModified>,
    /// How often it is said to change; a hint.
    pub changefreq: Option<ChangeFrequency>,
    /// How important it is said to be among the site's own, from 0 to 1; a hint.
    pub priority: Option<f32>,
    /// The page in other languages (`xhtml:link`).
    pub alternates: Vec<Alternate>,
}

/// How often a page is said to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum ChangeFrequency {
    /// At each visit.
    Always,
    /// Each hour.
    Hourly,
    /// Each day.
    Daily,
    /// Each week.
    Weekly,
    /// Each month.
    Monthly,
    /// Each year.
    Yearly,
    /// Never: an archive.
    Never,
}

impl ChangeFrequency {
    fn named(text: &str) -> Option<Self> {
        let names = [
            ("always", Self::Always),
            ("hourly", Self::Hourly),
            ("daily", Self::Daily),
            ("weekly", Self::Weekly),
            ("monthly", Self::Monthly),
            ("yearly", Self::Yearly),
            ("never", Self::Never),
        ];
        names
            .into_iter()
            .find(|(name, _)| text.trim().eq_ignore_ascii_case(name))
            .map(|(_, frequency)| frequency)
    }
}

/// What is wrong in a sitemap.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SitemapFinding {
    /// What.
    pub kind: SitemapFindingKind,
    /// Where, in bytes of the unpacked text.
    pub offset: u64,
    /// The value at fault, at most 200 characters of it; the name of a value that is repeated.
    pub detail: String,
}

/// What a [`SitemapFinding`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum SitemapFindingKind {
    /// A URL that cannot be asked for; the entry is dropped.
    BadUrl,
    /// A URL longer than [`SitemapLimits::url`]; the entry is dropped.
    LongUrl,
    /// An entry without a URL.
    NoUrl,
    /// A value, such as a URL, that an entry has already; the first one counts.
    Repeated,
    /// A date that is none; the entry is kept without it.
    BadDate,
    /// A date of more than a day after [`Sitemap::at`]; the entry is kept without it.
    FutureDate,
    /// A priority that is no number from 0 to 1; cut to that range, or left out.
    BadPriority,
    /// More entries than [`SitemapLimits::entries`].
    TooManyEntries,
    /// More bytes than [`SitemapLimits::bytes`].
    TooLarge,
    /// More alternates than [`SitemapLimits::alternates`].
    TooManyAlternates,
    /// XML that is none: a `<` that begins no tag. What follows is read on.
    BrokenXml,
    /// The file ends before it is over.
    Truncated,
    /// What follows the packed data is none.
    TrailingJunk,
    /// Packed data that cannot be unpacked any further.
    BrokenGzip,
    /// No list of URLs.
    NotASitemap,
}

impl<'a> Sitemap<'a> {
    /// Reads a file that was answered at `url`, within the limits of the protocol.
    pub fn new(url: Url, source: impl BufRead + Send + 'a) -> Self {
        Self::with_limits(url, source, SitemapLimits::default())
    }

    /// Reads a file within other limits.
    pub fn with_limits(url: Url, source: impl BufRead + Send + 'a, limits: SitemapLimits) -> Self {
        Self {
            url,
            limits,
            now: None,
            state: State::New(Box::new(source)),
            kind: None,
            entries: 0,
            findings: Vec::new(),
            trouble: Trouble::default(),
            raw: Raw::default(),
        }
    }

    /// Says when the file is read: a `lastmod` of more than a day later cannot be true and is left out.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    /// use bot_etiquette_html::{Sitemap, SitemapFindingKind};
    ///
    /// let file: &[u8] = b"<urlset><url><loc>/1</loc><lastmod>2027-01-01</lastmod></url></urlset>";
    /// let november = SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_996_800);
    /// let mut sitemap = Sitemap::new(url::Url::parse("https://ex.com/sitemap.xml")?, file).at(november);
    /// assert_eq!(sitemap.next().ok_or("no entry")??.lastmod, None);
    /// assert_eq!(sitemap.findings()[0].kind, SitemapFindingKind::FutureDate);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn at(mut self, now: SystemTime) -> Self {
        self.now = Some(now);
        self
    }

    /// What the file is; none before the first entry was asked for.
    #[must_use]
    pub fn kind(&self) -> Option<SitemapKind> {
        self.kind
    }

    /// What is wrong, as far as it was read.
    #[must_use]
    pub fn findings(&self) -> &[SitemapFinding] {
        &self.findings
    }

    fn find(&mut self, kind: SitemapFindingKind, offset: u64, detail: &str) {
        if self.findings.len() < self.limits.findings {
            self.findings.push(SitemapFinding { kind, offset, detail: detail.chars().take(200).collect() });
        }
    }

    fn open(&mut self, source: Box<dyn BufRead + Send + 'a>) -> io::Result<()> {
        let input = input::open(source, self.limits.bytes, &self.trouble)?;
        let start =
            input.head.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}' || c == '\0');
        self.state = if start.starts_with('<') {
            State::Xml(Box::new(xml::Parser::new(input.text, self.limits)))
        } else {
            self.kind = Some(SitemapKind::Text);
            State::Text(text::Lines::new(input.text))
        };
        Ok(())
    }

    /// Reads the entry that comes next as it is written; false at the end.
    fn read(&mut self) -> io::Result<bool> {
        if let State::New(_) = self.state
            && let State::New(source) = std::mem::replace(&mut self.state, State::Ended)
        {
            self.open(source)?;
        }
        let is_entry = match &mut self.state {
            State::Xml(parser) => {
                let is_entry = parser.next(&mut self.raw)?;
                self.kind = parser.reading.kind;
                if !parser.reading.findings.is_empty() {
                    for (kind, offset, detail) in std::mem::take(&mut parser.reading.findings) {
                        self.find(kind, offset, &detail);
                    }
                }
                is_entry
            }
            State::Text(lines) => lines.next(&self.limits, &mut self.raw)?,
            State::New(_) | State::Ended => false,
        };
        let noted = self.trouble.take();
        let troubles = [
            (Trouble::TRAILING, SitemapFindingKind::TrailingJunk),
            (Trouble::BROKEN, SitemapFindingKind::BrokenGzip),
            (Trouble::CUT, SitemapFindingKind::TooLarge),
        ];
        for (_, kind) in troubles.into_iter().filter(|(bit, _)| noted & bit != 0) {
            self.find(kind, 0, "");
        }
        Ok(is_entry)
    }

    /// What was read last, if it is an entry that can be asked for.
    fn entry(&mut self) -> Option<SitemapEntry> {
        let raw = std::mem::take(&mut self.raw);
        let entry = self.judge(&raw);
        self.raw = raw;
        entry
    }

    fn judge(&mut self, raw: &Raw) -> Option<SitemapEntry> {
        let url = raw.url.trim();
        if url.is_empty() {
            self.find(SitemapFindingKind::NoUrl, raw.offset, "");
            return None;
        }
        if url.len() > self.limits.url {
            self.find(SitemapFindingKind::LongUrl, raw.offset, url);
            return None;
        }
        let base = raw.base.as_deref().and_then(|base| self.url.join(base.trim()).ok());
        let base = base.as_ref().unwrap_or(&self.url);
        let alternates = raw.alternates.iter().filter_map(|(hreflang, href)| {
            let url = base.join(href.trim()).ok().filter(is_web)?;
            Some(Alternate::new(hreflang.trim(), url, crate::LinkSource::Sitemap))
        });
        let alternates: Vec<_> = alternates.collect();
        let Some(resolved) = base.join(url).ok().filter(is_web) else {
            self.find(SitemapFindingKind::BadUrl, raw.offset, url);
            return None;
        };
        let date = raw.lastmod.trim();
        let mut lastmod = LastModified::from_feed(date);
        if lastmod.is_none() && !date.is_empty() {
            self.find(SitemapFindingKind::BadDate, raw.offset, date);
        }
        if let (Some(read), Some(now)) = (lastmod, self.now)
            && read.is_future(now)
        {
            self.find(SitemapFindingKind::FutureDate, raw.offset, date);
            lastmod = None;
        }
        let priority = raw.priority.trim();
        let number = priority.parse::<f32>().ok().filter(|number| number.is_finite());
        if !priority.is_empty() && number.is_none_or(|number| !(0.0..=1.0).contains(&number)) {
            self.find(SitemapFindingKind::BadPriority, raw.offset, priority);
        }
        let priority = number.map(|number| number.clamp(0.0, 1.0));
        let changefreq = ChangeFrequency::named(&raw.changefreq);
        Some(SitemapEntry { url: resolved, lastmod, changefreq, priority, alternates })
    }

    fn end(&mut self) {
        self.state = State::Ended;
        let is_nothing = self.kind == Some(SitemapKind::Text) && self.entries == 0;
        if is_nothing || self.kind.is_none() {
            self.kind = Some(SitemapKind::NotASitemap);
        }
        if self.kind == Some(SitemapKind::NotASitemap) {
            self.find(SitemapFindingKind::NotASitemap, 0, "");
        }
    }
}

impl std::fmt::Debug for Sitemap<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sitemap")
            .field("url", &self.url.as_str())
            .field("kind", &self.kind)
            .field("entries", &self.entries)
            .field("findings", &self.findings)
            .finish_non_exhaustive()
    }
}

impl Iterator for Sitemap<'_> {
    /// An error is one of the source; it ends the list.
    type Item = io::Result<SitemapEntry>;

    fn next(&mut self) -> Option<Self::Item> {
        if matches!(self.state, State::Ended) {
            return None;
        }
        loop {
            match self.read() {
                Err(error) => {
                    self.state = State::Ended;
                    return Some(Err(error));
                }
                Ok(false) => {
                    self.end();
                    return None;
                }
                Ok(true) if self.entries >= self.limits.entries => {
                    self.find(SitemapFindingKind::TooManyEntries, self.raw.offset, "");
                    self.state = State::Ended;
                    return None;
                }
                Ok(true) => {
                    if let Some(entry) = self.entry() {
                        self.entries = self.entries.saturating_add(1);
                        return Some(Ok(entry));
                    }
                }
            }
        }
    }
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.password().is_none()
}

/// An entry as written; what it does not say is empty.
#[derive(Debug, Default)]
struct Raw {
    offset: u64,
    url: String,
    base: Option<String>,
    lastmod: String,
    changefreq: String,
    priority: String,
    alternates: Vec<(String, String)>,
}

impl Raw {
    fn clear(&mut self) {
        for text in [&mut self.url, &mut self.lastmod, &mut self.changefreq, &mut self.priority] {
            text.clear();
        }
        self.base = None;
        self.alternates.clear();
    }
}
