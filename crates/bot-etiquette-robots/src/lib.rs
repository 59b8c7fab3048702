//! robots.txt by RFC 9309: parse any bytes, match a URL, and say which line decided.
//!
//! Not in here: fetching robots.txt, reading a clock, waiting. This crate turns bytes into answers; what a
//! crawler does with them is its own.
//!
//! # From bytes to a verdict
//!
//! ```
//! use bot_etiquette_robots::{ProductToken, Robots};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let robots = Robots::parse(b"
//! User-agent: ExampleBot
//! Disallow: /private/
//! Allow: /private/press
//! Crawl-delay: 2
//!
//! User-agent: *
//! Disallow: /
//! ");
//! let rules = robots.rules_for(&"ExampleBot".parse::<ProductToken>()?);
//!
//! let verdict = rules.verdict("https://example.com/private/diary");
//! assert!(!verdict.is_allowed());
//! assert_eq!(verdict.to_string(), "disallowed by line 3: Disallow: /private/ (group ExampleBot)");
//!
//! assert!(rules.verdict("/private/press/today").is_allowed());
//! assert_eq!(rules.crawl_delay().map(|delay| delay.as_secs()), Some(2));
//! # Ok(()) }
//! ```
//!
//! [`Robots`] is for all crawlers, [`Rules::parse`] for one. Both answer from `&self`, are `Send + Sync` and
//! cheap to clone. [`Robots::diagnostics`] tells a site owner what a file does not do; [`records`] reads the
//! lines below all this.
//!
//! # Where RFC 9309 leaves a choice
//!
//! - Records other than allow and disallow never end a group (section 2.2.4): agents with a Crawl-delay between
//!   them share all rules. A group of one's own hides `*` even when it is empty.
//! - An agent value names a crawler by its whole text, or by the token it begins with: `ExampleBot/1.0 (notes)`
//!   names ExampleBot, `MJ12bot` names MJ12bot. There are no lists: in `A, B` only A is named.
//! - Common misspellings of `User-agent`, `Disallow`, `Sitemap` and `Crawl-delay` count, those of `Allow` do not.
//! - A pattern begins with `/` or `*`; any other is left out. A blank inside stands for `%20`, a `$` before the end
//!   for itself. Length is that of the canonical form, with `*` and `$` counted.
//! - Escapes of unreserved characters are decoded on both sides, `%2F` is never `/` in a path, `%2A` and `%24` are
//!   a verbatim `*` and `$`, and in a query `%2F %3A %3F %40 %27` equal the raw characters.
//! - Dot segments of a target are removed first; its fragment is dropped. A target that is neither an absolute URL
//!   nor a path is disallowed.
//! - Lines end with CR, LF or CRLF; a NUL ends the text of its line; a byte order mark is skipped at the start.
//! - Of several Crawl-delay values all are kept, and [`Rules::crawl_delay`] is the largest.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod availability;
mod cache;
mod canonical;
mod date;
mod diagnostic;
mod document;
mod index;
mod limits;
mod lint;
mod meta;
mod pattern;
mod record;
#[cfg(feature = "review")]
mod review;
mod robots;
mod rules;
mod shadow;
mod spelling;
mod target;
mod token;
#[cfg(feature = "tower")]
pub mod tower;
#[cfg(feature = "usage")]
mod usage;
mod verdict;

pub use availability::{Availability, MAX_REDIRECTS, ParseAvailabilityError, Unreachable};
#[cfg(feature = "serde")]
pub use cache::RobotsSnapshot;
pub use cache::{
    CacheOptions, FetchTicket, Lookup, MAX_AGE, MIN_AGE, Origin, OriginError, RobotsAnswer, RobotsCache,
    RobotsCopy,
};
pub use diagnostic::{Code, Diagnostic, Severity};
pub use limits::Limits;
pub use lint::MAX_DIAGNOSTICS;
pub use meta::{ImagePreview, Limit, MAX_UNKNOWN_DIRECTIVES, RobotsDirectives, RobotsTags, UnavailableAfter};
pub use record::{Key, Record, Records, records};
#[cfg(feature = "review")]
pub use review::{Change, Drift, ReviewedPolicy, ReviewedUrl, Valve};
pub use robots::Robots;
pub use rules::Rules;
pub use target::{Target, TargetError};
pub use token::{MAX_TOKEN, ProductToken, TokenError};
#[cfg(feature = "usage")]
pub use usage::{Preference, Usage, UsageRules};
pub use verdict::{Access, Directive, Reason, Rule, Verdict};
