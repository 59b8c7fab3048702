//! What a crawler needs to behave well, and to prove it.
//!
//! This crate is the face of the workspace: each module is one library, re-exported behind the feature of
//! the same name. It holds no logic of its own.
//!
//! | module | what it does | feature |
//! |---|---|---|
//! | `robots` | RFC 9309: parse a robots.txt, match a URL, say which line decided; the cache | `robots` (default) |
//! | `politeness` | when a host may be asked again, and why not before | `politeness` (default) |
//! | `signing` | RFC 9421 and Web Bot Auth: sign requests, verify them, publish the keys | `signing` |
//! | `identity` | who the bot says it is, and whether the parts agree; its page, address file and card | `identity`, `publish` |
//! | `fetch` | limits, address policy, redirects, validators; with `client` an HTTP client that keeps them | `fetch`, `client` |
//! | `html` | what a page says and links to; sitemaps; the audit of files | `html` |
//! | `arcgis` | ArcGIS REST: requests out, directories, services, layers, counts and outlines in | `arcgis` |
//! | `feed` | open-data event feeds to events, field by named field, without personal data | `feed` |
//! | `render` | a page in a real Chromium that has no network: the crawler answers for it | `render` |
//! | `referee` | a site that watches a crawler and says which promises it broke | `referee` |
//!
//! `tower` adds the layers of the chosen modules, `serde` and `toml` their values as data, `full` all but `referee`
//! and `render`.
//!
//! ```
//! use bot_etiquette::robots::{ProductToken, Robots};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let robots = Robots::parse(b"User-agent: *\nDisallow: /private/\n");
//! let rules = robots.rules_for(&"MyBot".parse::<ProductToken>()?);
//! let verdict = rules.verdict("https://example.com/private/diary.html");
//! assert!(!verdict.is_allowed());
//! assert_eq!(verdict.to_string(), "disallowed by line 2: Disallow: /private/ (group *)");
//! # Ok(()) }
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "arcgis")]
#[doc(inline)]
pub use bot_etiquette_arcgis as arcgis;
#[cfg(feature = "feed")]
#[doc(inline)]
pub use bot_etiquette_feed as feed;
#[cfg(feature = "fetch")]
#[doc(inline)]
pub use bot_etiquette_fetch as fetch;
#[cfg(feature = "html")]
#[doc(inline)]
pub use bot_etiquette_html as html;
#[cfg(feature = "identity")]
#[doc(inline)]
pub use bot_etiquette_identity as identity;
#[cfg(feature = "politeness")]
#[doc(inline)]
pub use bot_etiquette_politeness as politeness;
#[cfg(feature = "referee")]
#[doc(inline)]
pub use bot_etiquette_referee as referee;
#[cfg(feature = "render")]
#[doc(inline)]
pub use bot_etiquette_render as render;
#[cfg(feature = "robots")]
#[doc(inline)]
pub use bot_etiquette_robots as robots;
#[cfg(feature = "signing")]
#[doc(inline)]
pub use bot_etiquette_signing as signing;

/// The project's pages: their programs are compiled and run with the tests.
#[cfg(all(doctest, feature = "full"))]
mod pages {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/signing.md")]
    struct Signing;
}
