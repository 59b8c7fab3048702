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
mod components;
mod directory;
mod http_text;
mod key;
#[cfg(feature = "algorithms")]
mod other_keys;
mod published;
#[cfg(feature = "algorithms")]
mod raw;
mod reasons;
mod responses;
mod roundtrip;
mod signer;
#[cfg(feature = "tower")]
mod tower;
mod trailers;
