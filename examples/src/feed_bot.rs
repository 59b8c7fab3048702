//! CityVibeBot: a reader of open-data calendars that asks for exact addresses, and for less than it might.
//!
//! It does not stand on the robots layer of the other bots: a person has read each host's robots.txt, and what was found
//! is a file beside the code ([`review`]). Once a day a [`look`] tells whether the live one has changed; a change may
//! make the bot stricter, never looser. Everything else is the same stack below: pace, name, one bounded exchange.
//!
//! ```text
//! config     the sources, a line each with its switch; read again before every request
//! schedule   which source is due
//! run        one source: its pages, its events, what is gone
//! reader     one request: switch, reviewed rules, budget, pace, hop by hop
//! kept       the state file
//! output     events.ndjson, calendar.ics, index.html, politeness.json
//! ```

pub mod cli;
pub mod config;
pub mod demo;
pub mod kept;
pub mod look;
pub mod output;
pub mod page;
pub mod reader;
pub mod record;
pub mod report;
pub mod review;
pub mod run;
pub mod schedule;
pub mod session;
pub mod settings;
pub mod strings;
pub mod switch;
pub mod translator;
