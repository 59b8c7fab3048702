//! A page crawler for people who watch their own site: what each page says, when it changed, what is broken.
//!
//! One crawl of a [`Site`] goes in this order; each step leaves what it learned in the state file, so that a program
//! that was killed goes on where it was:
//!
//! ```text
//! queue      which pages: those with impressions, the sitemaps', the linked ones, up to the limit
//! visitor    one request through the layers: its redirects, its host's turn, when it left
//! reading    the answer becomes facts; a browser shows the page, where there is one
//! probe      files and links to other sites: are they there, how large are they
//! languages  does a page in another language name this one back
//! report     what was found, for people and for programs
//! ```

mod audit;
pub mod bots;
#[cfg(feature = "render")]
mod browser;
pub mod command;
mod crawl;
pub mod demo;
pub mod evidence;
mod issues;
mod languages;
mod pages;
pub mod policy;
mod probes;
mod queue;
mod reading;
mod record;
pub mod report;
mod schema;
mod shown;
mod site;
mod sitemaps;
mod time;
mod view;
mod visitor;
pub mod worlds;

#[cfg(feature = "render")]
pub use self::browser::Browser;
pub use self::crawl::{Crawl, CrawlEnd, CrawlOptions};
pub use self::issues::{Issue, IssueKind};
pub use self::record::{HopRecord, PageOutcome, PageRecord, ProbeRecord, WallRecord};
pub use self::schema::open;
pub use self::shown::{NotLoaded, Render, Shown};
pub use self::site::{SearchEngine, Site, Sites, Wish};
pub use self::view::{AsSent, Load, Loaded, Look, Looking, Seen, Sent, Viewer};
pub use self::visitor::VisitorOptions;
