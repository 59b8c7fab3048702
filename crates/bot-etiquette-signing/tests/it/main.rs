//! The tests of the signing crate, one binary.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr
)]

#[cfg(feature = "algorithms")]
mod cases;
mod directory;
mod http_text;
mod key;
mod published;
mod raw;
