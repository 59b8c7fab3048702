//! Who a crawler says it is, said the same way everywhere.
//!
//! This crate builds, reads and checks the words by which a site owner knows a bot: the `User-Agent` field
//! (RFC 9110 section 10.1.5), the robots.txt product token (RFC 9309 section 2.2.1), the `From` field (RFC 9110
//! section 10.1.2), the page and contact behind them, and where the signing key lives. It is not an HTTP client,
//! reads no robots.txt and signs nothing: it hands out plain strings and [`http`] header values.
//!
//! # One identity, checked once
//!
//! A [`BotIdentity`] cannot be built with a token that its own User-Agent does not carry, the mistake that makes a
//! robots.txt rule impossible to write:
//!
//! ```
//! use bot_etiquette_identity::{BotIdentity, UserAgent};
//! use url::Url;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let page = Url::parse("https://bots.example.net/crumb")?;
//! let user_agent = UserAgent::compatible("CrumbBot", "1.0", &page)?;
//! assert_eq!(user_agent.as_str(), "Mozilla/5.0 (compatible; CrumbBot/1.0; +https://bots.example.net/crumb)");
//!
//! let bot = BotIdentity::builder(user_agent, "CrumbBot", page)
//!     .contact("mailto:crumb@bots.example.net")
//!     .from("crumb@bots.example.net")
//!     .build()?;
//! assert_eq!(bot.token(), "CrumbBot"); // what a site owner writes after `User-agent:`
//! # Ok(()) }
//! ```
//!
//! # From a file
//!
//! With the feature `toml`, `BotIdentity::from_toml` reads the form that [`BotIdentity::TEMPLATE`] shows; an error
//! names the key, says what it holds and how to mend it.
//!
//! # On every request
//!
//! `tower::IdentityLayer` (feature `tower`) sets both fields on whatever passes, overwriting any other `User-Agent`; the
//! request extension [`UserAgentForm`] picks among the bot's own strings. Without tower, call
//! [`RequestIdentity::apply`] with the request's headers.
//!
//! # What it says of itself
//!
//! A [`Profile`] holds what a site owner wants to know beyond the name. From the same [`BotIdentity`] that the stack sends
//! by come, each behind a feature of its own, what has to be published:
//!
//! | feature | what it makes |
//! |---|---|
//! | `page` | `BotPage`: the page about the bot, in English, Spanish and Italian; its rates come from the politeness policy (`Rates`) |
//! | `ranges` | `RangeFile`: the addresses as a file for firewalls, written strictly and read leniently |
//! | `card` | `AgentCard`: the Signature Agent Card; unstable, as its draft is |
//! | `lint` | `ConfigLint`: what is missing or does not agree, above all a promise that the policy does not keep |
//!
//! # Reading others
//!
//! [`UserAgent::parse`] takes any string of the grammar apart, and [`lint`] says what a site owner would hold against
//! one, with stable ids.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod bot;
mod builder;
#[cfg(feature = "card")]
mod card;
#[cfg(feature = "serde")]
mod config;
#[cfg(feature = "lint")]
mod config_lint;
mod from;
mod grammar;
mod known;
#[cfg(feature = "toml")]
mod lines;
mod lint;
mod number;
#[cfg(feature = "page")]
mod page;
mod prefix;
mod profile;
#[cfg(feature = "ranges")]
mod ranges;
#[cfg(feature = "page")]
mod rates;
mod request;
#[cfg(feature = "serde")]
mod serialize;
#[cfg(feature = "tower")]
pub mod tower;
mod user_agent;

pub use bot::{BotIdentity, IdentityError};
pub use builder::BotIdentityBuilder;
#[cfg(feature = "card")]
pub use card::{AgentCard, CardError, WebBotAuth};
#[cfg(feature = "lint")]
pub use config_lint::ConfigLint;
pub use from::{From, FromError};
pub use grammar::{GrammarFault, Part, Parts, UserAgentError};
pub use lint::{Finding, LintOptions, Severity, lint};
pub use number::Number;
#[cfg(feature = "page")]
pub use page::{BotPage, Language, UnknownLanguage};
pub use prefix::{Prefix, PrefixError};
pub use profile::{About, Addresses, CardDetails, Profile, Promise, PromisedGroup, PromisedQuota, Texts};
#[cfg(feature = "ranges")]
pub use ranges::{IpRange, RangeError, RangeFile, RangeWarning};
#[cfg(feature = "page")]
pub use rates::{HostRates, Rates};
pub use request::{FormNotOffered, RequestIdentity, UserAgentForm};
pub use user_agent::UserAgent;

/// The README's example, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
