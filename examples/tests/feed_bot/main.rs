//! CityVibeBot keeps its promises: in its own demonstration, in small towns made for one question, and when it is killed.
#![cfg(feature = "feed-bot")]
#![allow(clippy::disallowed_methods, reason = "the worlds run on the real clock, scaled")]

mod config;
mod demo;
mod killed;
mod looks;
#[path = "../program/mod.rs"]
mod program;
mod requests;
mod soak;
mod town;
mod words;
