//! What servers send, and what is read from it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail so")]

mod answers;
mod cases;
mod extents;
mod geometries;
mod requests;
