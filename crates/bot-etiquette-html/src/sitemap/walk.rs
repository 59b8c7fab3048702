//! Which sitemaps a crawl reads, one after another.

use std::collections::{BTreeSet, VecDeque};

use url::Url;

use super::{SitemapEntry, SitemapKind};
use crate::UrlKey;

/// Where a sitemap is looked for when `robots.txt` names none.
pub const USUAL_SITEMAPS: [&str; 4] =
    ["/sitemap.xml", "/sitemap_index.xml", "/wp-sitemap.xml", "/sitemap.xml.gz"];

/// Problems kept; more are not told.
const PROBLEMS: usize = 256;

/// The sitemaps of a site: each file once, whatever names it and wherever redirects lead, indexes within indexes up to a depth.
///
/// It asks for nothing itself: take a file, read it by [`Sitemap`](super::Sitemap), give its entries to
/// [`take`](Self::take). A file that cannot be read costs nothing but itself.
///
/// ```
/// use bot_etiquette_html::{Sitemap, SitemapWalk};
/// use url::Url;
///
/// let fetch = |url: &Url| match url.path() {
///     "/index.xml" => Some("<sitemapindex><sitemap><loc>/gone.xml</loc></sitemap><sitemap><loc>/1.xml</loc></sitemap></sitemapindex>"),
///     "/1.xml" => Some("<urlset><url><loc>/a</loc></url></urlset>"),
///     _ => None,
/// };
/// let mut walk = SitemapWalk::default();
/// walk.start(Url::parse("https://ex.com/index.xml")?);
/// let mut pages = Vec::new();
/// while let Some(url) = walk.next_file() {
///     let Some(body) = fetch(&url) else { continue };
///     let mut sitemap = Sitemap::new(url, body.as_bytes());
///     while let Some(entry) = sitemap.next() {
///         pages.extend(walk.take(sitemap.kind(), entry?).map(|page| page.url.to_string()));
///     }
/// }
/// assert_eq!(pages, ["https://ex.com/a"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SitemapWalk {
    limits: WalkLimits,
    waiting: VecDeque<Waiting>,
    named: BTreeSet<UrlKey>,
    /// Handed out, or found behind a redirect.
    read: BTreeSet<UrlKey>,
    depth: u32,
    files: usize,
    pages: usize,
    problems: Vec<WalkProblem>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Waiting {
    url: Url,
    depth: u32,
}

/// Bounds on the sitemaps of one site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct WalkLimits {
    /// Files handed out; 500 by default.
    pub files: usize,
    /// Indexes above a file; 3 by default, though the protocol allows one.
    pub depth: u32,
    /// Pages given back over all files; 1,000,000 by default.
    pub pages: usize,
}

impl Default for WalkLimits {
    fn default() -> Self {
        Self { files: 500, depth: 3, pages: 1_000_000 }
    }
}

/// What is wrong with how a site's sitemaps name each other.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum WalkProblem {
    /// This file was read already: an index names it again, or a redirect leads to it.
    Loop(Url),
    /// More indexes above it than [`WalkLimits::depth`].
    TooDeep(Url),
    /// More files than [`WalkLimits::files`]; this is the first one left out.
    TooManyFiles(Url),
    /// More pages than [`WalkLimits::pages`]; this is the first one left out.
    TooManyPages(Url),
}

impl SitemapWalk {
    /// No sitemap yet, and other limits than the default ones.
    #[must_use]
    pub fn new(limits: WalkLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// A sitemap that `robots.txt` names, or one of the [`USUAL_SITEMAPS`]. Named again it is not read again.
    pub fn start(&mut self, url: Url) {
        self.wait(url, 0);
    }

    /// The file to read next; none when all are read, or as many as may be.
    pub fn next_file(&mut self) -> Option<Url> {
        while let Some(Waiting { url, depth }) = self.waiting.pop_front() {
            if !self.read.insert(UrlKey::new(&url)) {
                continue;
            }
            if self.files >= self.limits.files {
                self.waiting.clear();
                self.problem(WalkProblem::TooManyFiles(url));
                return None;
            }
            self.files = self.files.saturating_add(1);
            self.depth = depth;
            return Some(url);
        }
        None
    }

    /// A redirect led from the file handed out last to another URL: whether that one is still to be read.
    pub fn redirected(&mut self, to: &Url) -> bool {
        let is_new = self.read.insert(UrlKey::new(to));
        if !is_new {
            self.problem(WalkProblem::Loop(to.clone()));
        }
        is_new
    }

    /// An entry of the file handed out last: a page is given back, a further sitemap is kept for later.
    pub fn take(&mut self, kind: Option<SitemapKind>, entry: SitemapEntry) -> Option<SitemapEntry> {
        if kind != Some(SitemapKind::Index) {
            if self.pages >= self.limits.pages {
                let is_told = self.problems.iter().any(|told| matches!(told, WalkProblem::TooManyPages(_)));
                if !is_told {
                    self.problem(WalkProblem::TooManyPages(entry.url));
                }
                return None;
            }
            self.pages = self.pages.saturating_add(1);
            return Some(entry);
        }
        let depth = self.depth.saturating_add(1);
        if self.read.contains(&UrlKey::new(&entry.url)) {
            self.problem(WalkProblem::Loop(entry.url));
        } else if depth > self.limits.depth {
            self.problem(WalkProblem::TooDeep(entry.url));
        } else {
            self.wait(entry.url, depth);
        }
        None
    }

    /// What is wrong, as far as it was read.
    #[must_use]
    pub fn problems(&self) -> &[WalkProblem] {
        &self.problems
    }

    /// Keeps a file for later. One more than may be read is kept, so that it can be told that there are more.
    fn wait(&mut self, url: Url, depth: u32) {
        if self.named.len() <= self.limits.files && self.named.insert(UrlKey::new(&url)) {
            self.waiting.push_back(Waiting { url, depth });
        }
    }

    fn problem(&mut self, problem: WalkProblem) {
        if self.problems.len() < PROBLEMS {
            self.problems.push(problem);
        }
    }
}
