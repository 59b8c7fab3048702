//! What the crate promises, by subject.

#![allow(clippy::panic, clippy::unwrap_used)]

mod json;
mod laws;
mod text;
