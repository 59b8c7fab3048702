//! Open-data event feeds to events, field by named field: JSON, XML, CSV, RSS, Atom, JSON Feed and iCalendar.
//!
//! Not an HTTP client, and not a database: bytes come in as chunks from whatever fetched them, events go out.
//!
//! A [`SourceMap`] names the fields that are read. Nothing else of a feed is ever decoded, and each text
//! that is goes through a scrubber before it becomes [`CleanText`], the only text an [`Event`] takes: no e-mail address,
//! no telephone number, no identity number reaches a struct, a log or a file.
//!
//! ```
//! use bot_etiquette_feed::{Feed, SourceMap, Verdict};
//!
//! let map = SourceMap::from_toml(r#"
//!     source = "town"
//!     format = "xml"
//!     records = "events/event"
//!     zone = "Europe/Madrid"
//!     language = "es"
//!     [attribution]
//!     source = "A town"
//!     license = "CC BY 4.0"
//!     license_url = "https://creativecommons.org/licenses/by/4.0/"
//!     link = "https://town.example/data"
//!     [fields]
//!     key = "@id"
//!     title = "name"
//!     start = "when/attr[@name='from']"
//! "#)?;
//! let mut feed = Feed::new(&map);
//! feed.push(b"<events><event id='7'><name>Cine &amp; m&uacute;sica, 600 123 456</name><email>p@example.org</email>");
//! feed.push(b"<when><attr name='from'>2026-07-11 22:00</attr></when></event></events>");
//! feed.finish();
//!
//! let event = feed.next_event().ok_or("one event")?;
//! assert_eq!(event.titles().source().map(|title| title.text().as_str()), Some("Cine & música,"));
//! assert_eq!(event.when().first().map(|start| start.to_string()).as_deref(), Some("2026-07-11T22:00:00+02:00"));
//! assert_eq!(feed.report().completeness.verdict, Verdict::Complete);
//! assert_eq!(feed.report().scrubbed.phones, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Real feeds are broken, cut short, or an error page. [`Report`] says what was mended, and [`Completeness`] whether an event
//! that is absent may be taken as gone: only a complete feed says so.
//!
//! What is shown names its source: [`Event::publish`] gives the one form that can be written, as JSON (feature `serde`) or
//! as iCalendar ([`write_icalendar`]). [`Calendar`] joins repeated ids and the same event from several sources.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod attribution;
mod calendar;
mod charset;
mod clean;
mod completeness;
mod csv;
mod duration;
mod event;
mod feed;
mod field;
mod fold;
mod html;
mod ical;
mod ics;
mod json;
mod kinds;
mod link;
mod namespaces;
mod path;
mod place;
mod plan;
mod preset;
mod publish;
mod record;
mod recurrence;
mod report;
mod schedule;
mod scrub;
mod series;
mod source_map;
mod tail;
mod text;
mod time;
mod trim;
mod usage;
mod when;
mod window;
mod xml;

pub use self::attribution::{Attribution, AttributionError};
pub use self::calendar::{Calendar, Renewed};
pub use self::clean::CleanText;
pub use self::completeness::{Completeness, Doubt, Outage, Verdict};
pub use self::event::{Event, EventKey};
pub use self::feed::{Feed, Limits};
pub use self::field::Field;
pub use self::ical::write_icalendar;
pub use self::link::Link;
pub use self::place::{Place, Price, PriceKind};
pub use self::publish::{Published, Unpublishable};
pub use self::recurrence::Recurrence;
pub use self::report::{Note, Notes, Report};
pub use self::scrub::Scrubbed;
pub use self::source_map::{Format, MapError, SourceMap};
pub use self::text::{Text, Texts, Translated, Translator};
pub use self::usage::{Drift, FieldUse};
pub use self::when::{Day, Local, MAX_OCCURRENCES, Moment, Run, Weekdays, When};

/// The README's example, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
