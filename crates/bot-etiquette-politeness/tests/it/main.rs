//! The politeness rules, tested from outside.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

mod codes;
mod hours;
mod laws;
mod outcome;
mod properties;
mod rate_limit;
mod ready_queue;
mod retry_after;
mod table;

// Scripts name their policies in TOML and their hours in named zones.
#[cfg(all(feature = "toml", feature = "zones"))]
mod holds;
#[cfg(all(feature = "toml", feature = "zones"))]
mod limits;
#[cfg(all(feature = "toml", feature = "zones"))]
mod pace;
#[cfg(feature = "toml")]
mod policy_file;
#[cfg(all(feature = "toml", feature = "zones"))]
mod script;
#[cfg(feature = "tokio")]
mod tower;
