//! What a page says.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod blocked;
mod charset;
mod css;
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

pub use self::blocked::{Vendor, WALL_WINDOW, Wall, WallKind};
pub use self::charset::{Charset, CharsetSource, PRESCAN_BYTES};
pub use self::css::{CssUrl, CssUrlKind, css_urls};
pub use self::files::{
    AuditAnswer, AuditRequest, AuditStep, FileAudit, FileFinding, FileReport, HEAVY_IMAGE, IMAGE_WINDOW, Image, ImageFormat,
    ImageHead, Outcome, PDF_FIRST, PDF_LAST, PdfTitle, UNPACK_WINDOW, WORTH_COMPRESSING, image_head, is_poor_title, pdf_title,
};
pub use self::hreflang::{
    HreflangError, HreflangProblem, ReturnBudget, ReturnTag, check_alternates, check_hreflang, names_back,
};
pub use self::json_ld::{JsonLd, JsonLdItem};
pub use self::key::{MAX_REPEATS, MAX_SEGMENTS, MAX_URL, Trap, UrlKey};
pub use self::limits::Limits;
pub use self::link_header::{HeaderLink, MAX_PARAMETERS, link_header};
pub use self::page::{
    Alternate, Canonical, Finding, FindingKind, Link, LinkKind, LinkSource, Meta, Named, Page, PageReader, Place, Refresh,
};
pub use self::refresh::parse_refresh;
pub use self::scope::{Scope, ScopeError, registrable_domain};
pub use self::sitemap::{
    ChangeFrequency, DateError, LastModified, Precision, Sitemap, SitemapEntry, SitemapFinding, SitemapFindingKind, SitemapKind,
    SitemapLimits,
};
pub use self::srcset::{Candidate, srcset};
