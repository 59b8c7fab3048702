//! What holds for all three bots as programs: no secret and no personal data in anything they write, modes, and Ctrl-C in
//! their demonstrations.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail so")]

mod commands;
mod demonstrations;
#[path = "../program/mod.rs"]
mod program;
mod traces;
