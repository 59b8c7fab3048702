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
//! # When the file must be read
//!
//! [`Availability`] says what the outcome of asking for a robots.txt means. [`RobotsCache`] knows for each
//! [`Origin`] whether to ask, to wait or to judge; a crawler calls it around its own client:
//!
//! ```
//! use bot_etiquette_robots::{Lookup, Origin, RobotsAnswer, RobotsCache};
//! use std::time::{Duration, SystemTime, UNIX_EPOCH};
//!
//! /// Whether a URL may be asked now; `ask` follows up to five redirects.
//! fn may_ask(cache: &mut RobotsCache, url: &str, now: SystemTime, ask: impl Fn(&str) -> RobotsAnswer) -> bool {
//!     let Ok(origin) = url.parse::<Origin>() else { return false };
//!     loop {
//!         match cache.check(&origin, now, Duration::ZERO) {
//!             Lookup::Use(copy) => return copy.rules().verdict(url).is_allowed(),
//!             Lookup::Fetch(ticket) => {
//!                 let answer = ask(&origin.robots_txt());
//!                 cache.finished(ticket, &answer, now);
//!             }
//!             // Another asker is fetching it, or the rules cannot be known now: later.
//!             Lookup::Wait | Lookup::Closed { .. } | Lookup::Full => return false,
//!         }
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut cache = RobotsCache::new(["ExampleBot".parse()?]);
//! let now = UNIX_EPOCH + Duration::from_secs(1_800_000_000);
//! let down = |_: &str| RobotsAnswer::from_status(503);
//! assert!(!may_ask(&mut cache, "https://example.com/", now, down));
//! let missing = |_: &str| RobotsAnswer::from_status(404);
//! assert!(may_ask(&mut cache, "https://example.com/", now + Duration::from_secs(60), missing));
//! # Ok(()) }
//! ```
//!
//! # What a page itself says
//!
//! [`RobotsTags`] combines robots meta tags and `X-Robots-Tag` fields for one crawler.
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `serde` | tokens, verdicts, diagnostics and directives as data; the cache exported and imported |
//! | `tower` | `RobotsLayer`, which lets no request pass that robots.txt closes |
//! | `usage` | `Content-Signal` and `Content-Usage` |
//! | `review` | what a person found in a robots.txt, and how the file of today differs in meaning |
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
//!   nor a path is disallowed. A backslash in its path is read as the slash most clients make of it and as itself,
//!   and both have to be allowed.
//! - Lines end with CR, LF or CRLF; a NUL ends the text of its line; a byte order mark is skipped at the start.
//! - Of several Crawl-delay values all are kept, and [`Rules::crawl_delay`] is the largest.
//! - 429 is read as 5xx is: nothing is asked for now. What else a status may mean stands at [`Availability`].
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

/// The README's example, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
