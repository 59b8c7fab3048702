//! What the render crate promises, with a real Chromium before the referee and before sockets that count.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod errors;
mod page;
mod seal;
mod support;
mod time;
