//! What servers send, and what is read from it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may fail so"
)]

mod answers;
mod cases;
mod catalogues;
mod ct;
mod discovery;
mod extents;
mod geometries;
mod previews;
mod requests;
mod visits;
