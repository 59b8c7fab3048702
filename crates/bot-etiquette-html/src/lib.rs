//! What a page says.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod charset;
mod css;
mod json_ld;
mod limits;
mod link_header;
mod page;
mod refresh;
mod srcset;

pub use self::charset::{Charset, CharsetSource, PRESCAN_BYTES};
pub use self::css::{CssUrl, CssUrlKind, css_urls};
pub use self::json_ld::{JsonLd, JsonLdItem};
pub use self::limits::Limits;
pub use self::link_header::{HeaderLink, MAX_PARAMETERS, link_header};
pub use self::page::{
    Alternate, Canonical, Finding, FindingKind, Link, LinkKind, LinkSource, Meta, Named, Page, PageReader, Place, Refresh,
};
pub use self::refresh::parse_refresh;
pub use self::srcset::{Candidate, srcset};
