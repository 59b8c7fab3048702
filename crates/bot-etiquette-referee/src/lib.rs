//! A site that watches a crawler, in any language, and says which promises it broke.
//!
//! It is no crawler, no mock server for unit tests of a client, and no proxy: it serves sites of its own on loopback,
//! notes every request byte by byte with its time, and judges at the end. It shares no code with the crawlers it
//! judges: it reads robots.txt, signatures, dates and gaps on its own account.
//!
//! # Watching a crawler
//!
//! Describe the [`Site`]s, with what shall go wrong there; say what the crawler has promised; let it loose; read
//! the [`Report`].
//!
//! ```
//! use std::time::Duration;
//! use bot_etiquette_referee::{Page, Promise, Referee, RetryAfter, Rule, Site};
//!
//! # fn ask(address: std::net::SocketAddr, path: &str) -> std::io::Result<()> {
//! #     use std::io::{Read, Write};
//! #     let mut stream = std::net::TcpStream::connect(address)?;
//! #     write!(stream, "GET {path} HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: MyBot/1.0\r\nConnection: close\r\n\r\n")?;
//! #     stream.read_to_end(&mut Vec::new()).map(|_| ())
//! # }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async {
//! let referee = Referee::builder()
//!     .site(
//!         Site::new("shop.example")
//!             .robots("User-agent: *\nCrawl-delay: 1\n")
//!             .page(Page::new("/").status(503).retry_after(RetryAfter::Seconds(30)))
//!             .page(Page::new("/").body("open again")),
//!     )
//!     .promise(
//!         Promise::new()
//!             .user_agent("MyBot")
//!             .robots_first(true)
//!             .retry_after(true)
//!             .max_open(1)
//!             .min_delay(Duration::from_millis(500)),
//!     )
//!     .start()
//!     .await?;
//! let address = referee.address("shop.example").ok_or("no such site")?;
//!
//! // The crawler under test; this one asks for the page three times as fast as it can.
//! tokio::task::spawn_blocking(move || (0..3).try_for_each(|_| ask(address, "/"))).await??;
//!
//! let report = referee.finish().await;
//! assert_eq!(report.requests(), 3);
//! assert_eq!(report.broken(), [Rule::RobotsFirst, Rule::MinDelay, Rule::RetryAfter]);
//! println!("{report}");
//! # Ok(()) }) }
//! ```
//!
//! A crawler reaches a site by its address, or sends its name as Host to the address (with a resolver override, a
//! proxy setting, `curl --resolve`). A test that wants real host names on one port needs nothing more; the command
//! `bot-etiquette referee` gives each site an address of its own.
//!
//! # Being fair
//!
//! What a socket shows is later than what the crawler did, or earlier, and the referee takes each to its favour:
//!
//! - An answer's end is noted before its last bytes are written, and a request's start after its first byte was read. A
//!   pause from end to start therefore looks longer than it was, never shorter; 2 ms are allowed for timers that wake early.
//! - Between two starts the first may be noticed late: 20 ms are allowed. No allowance is more than a quarter of the promise.
//! - A hang-up may be noticed late: 100 ms are allowed.
//! - These are real time, also under a [`time_scale`](Builder::time_scale): a scale of 1000 leaves little to be seen.
//!
//! Each [`Rule`] says what it can and cannot see from outside.
//!
//! # Reading a log
//!
//! [`read_log`] judges the log of another server by the same rules, and names the ones a log cannot show.
//!
//! # Features
//!
//! - `scenario`: sites and promises as TOML text.
//! - `serde`: `Serialize` for the report.
//!
//! # Limits
//!
//! A million requests, ten thousand violations of each rule, 64 KiB of a request's head, 1 MiB of its body. HTTP/1.1 in the clear
//! only. Loopback only.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod answer;
mod bomb;
mod clock;
mod date;
mod html;
mod judge;
mod keys;
mod log;
mod pattern;
mod promise;
mod record;
mod referee;
mod report;
mod robots;
mod rule;
#[cfg(feature = "scenario")]
mod scenario;
mod server;
mod signature;
mod site;
mod sites;
mod state;
mod wire;

pub use crate::log::{LogError, read_log, read_log_of};
pub use crate::promise::{Promise, PromiseError};
pub use crate::referee::{Builder, Referee, StartError};
pub use crate::report::{Figures, HostFigures, Report, Violation};
pub use crate::rule::Rule;
#[cfg(feature = "scenario")]
#[cfg_attr(docsrs, doc(cfg(feature = "scenario")))]
pub use crate::scenario::{Scenario, ScenarioError};
pub use crate::site::{Asked, Page, RetryAfter, Site};

/// The README's example, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
