//! What the crate promises, by subject.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail so"
)]

mod blocked;
mod css;
mod diff;
mod files;
mod header;
mod hostile;
mod main_text;
mod page;
mod robots;
mod scope;
mod sitemap;
