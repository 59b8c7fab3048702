//! What a page says and links to, sitemaps, and the audit of a site's files: from bytes to facts.
//!
//! Not an HTTP client, not a crawler and not a tree of the document: it reads bytes that another has fetched, on the level of
//! tokens, in time and memory that grow with the length alone. Only the main text needs a tree, a shallow one with limits. Whatever the bytes are, there is an answer; what was
//! wrong in them is told.
//!
//! # A page
//!
//! [`PageReader`] takes what is known of the answer (its URL, its header) and reads the body into a [`Page`]: title, headings,
//! language, robots metas, canonical URL, languages, JSON-LD, the visible and the main text, and every [`Link`] with its kind, `rel`,
//! line and place. What the robots metas and `X-Robots-Tag` come to is for a robots library to say; the page takes its answer:
//!
//! ```
//! use bot_etiquette_html::{PageReader, Scope, UrlKey};
//! use std::collections::HashSet;
//!
//! let url = url::Url::parse("https://example.com/")?;
//! let scope = Scope::host(&url)?;
//! let body = b"<a href=/a?utm_source=x>A</a> <a href=/a#top>A</a> <a href=/b rel=nofollow>B</a> <a href=//other.example/>O</a>";
//! let page = PageReader::new(url).robots_token("ExampleBot").read(body);
//! let page_nofollow = false; // of page.robots and page.x_robots_tag
//! let mut seen = HashSet::new();
//! let next: Vec<_> = page
//!     .followed(page_nofollow)
//!     .filter(|link| scope.contains(&link.url) && seen.insert(UrlKey::without_tracking(&link.url)))
//!     .map(|link| link.url.as_str())
//!     .collect();
//! assert_eq!(next, ["https://example.com/a?utm_source=x"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Wall::detect`] comes first: a firewall's page is not the site's. [`PageDiff`] says what changed since the last reading,
//! [`simhash`] whether it matters.
//!
//! # A sitemap
//!
//! [`Sitemap`] is an iterator over a reader: sitemaps, indexes, RSS, Atom and lists of URLs, packed or not, told apart by their
//! content. [`SitemapWalk`] says which file is read next, each once and no more than so many. [`check_hreflang`], [`check_alternates`], [`names_back`] and [`ReturnBudget`] judge the languages.
//!
//! # A file
//!
//! [`FileAudit`] says which request tells the status and the length of a file with as few bytes as can be;
//! [`image_head`] and [`pdf_title`] read what a part of a file tells.
//!
//! # Features
//!
//! `serde`: `Serialize` and `Deserialize` for facts, reports and limits.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod blocked;
mod charset;
mod css;
mod diff;
mod files;
mod hreflang;
mod json_ld;
mod key;
mod limits;
mod link_header;
mod page;
mod refresh;
mod scope;
mod sitemap;
mod srcset;

pub use self::blocked::{Vendor, WALL_WINDOW, Wall, WallKind, refusal_advice};
pub use self::charset::{Charset, CharsetSource, PRESCAN_BYTES};
pub use self::css::{CssUrl, CssUrlKind, css_urls};
pub use self::diff::{FieldChange, MAX_DIFF_LINES, PageDiff, simhash};
pub use self::files::{
    AuditAnswer, AuditRequest, AuditStep, FileAudit, FileFinding, FileReport, HEAVY_IMAGE, IMAGE_WINDOW,
    Image, ImageFormat, ImageHead, Outcome, PDF_FIRST, PDF_LAST, PdfTitle, UNPACK_WINDOW, WORTH_COMPRESSING,
    image_head, is_poor_title, pdf_title,
};
pub use self::hreflang::{
    HreflangError, HreflangProblem, ReturnBudget, ReturnTag, check_alternates, check_hreflang, names_back,
};
pub use self::json_ld::{JsonLd, JsonLdItem};
pub use self::key::{MAX_REPEATS, MAX_SEGMENTS, MAX_URL, Trap, UrlKey};
pub use self::limits::Limits;
pub use self::link_header::{HeaderLink, MAX_PARAMETERS, link_header};
pub use self::page::{
    Alternate, Canonical, Finding, FindingKind, Link, LinkKind, LinkSource, Meta, Named, Page, PageReader,
    Place, Refresh,
};
pub use self::refresh::parse_refresh;
pub use self::scope::{Scope, ScopeError, registrable_domain};
pub use self::sitemap::{
    ChangeFrequency, DateError, LastModified, Precision, Sitemap, SitemapEntry, SitemapFinding,
    SitemapFindingKind, SitemapKind, SitemapLimits, SitemapWalk, USUAL_SITEMAPS, WalkLimits, WalkProblem,
};
pub use self::srcset::{Candidate, srcset};

/// The README's example, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
