//! The tests of the signing crate, one binary.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr
)]

mod allocations;
#[cfg(feature = "algorithms")]
mod cases;
#[cfg(feature = "algorithms")]
mod other_keys;
mod components;
mod directory;
mod http_text;
mod key;
mod published;
mod raw;
mod reasons;
mod roundtrip;
mod signer;
mod trailers;
#[cfg(feature = "tower")]
mod tower;
