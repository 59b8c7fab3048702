//! The referee against rude clients, a polite one, and its own texts.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail so")]

mod client;
mod limits;
mod logs;
mod polite;
mod rude;
mod scenarios;
mod serving;
mod signer;
mod texts;
