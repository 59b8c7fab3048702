//! What the identity crate promises, in tables.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod bot;
mod lint;
mod user_agent;
