//! What the identity crate promises, in tables.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod bot;
#[cfg(feature = "card")]
mod card;
#[cfg(feature = "lint")]
mod config_lint;
mod lint;
#[cfg(feature = "page")]
mod page;
mod prefix;
#[cfg(feature = "ranges")]
mod ranges;
mod user_agent;
