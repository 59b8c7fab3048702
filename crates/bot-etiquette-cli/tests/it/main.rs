//! The command as people and scripts run it: each test runs the built binary.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail so")]

mod directory;
mod examples;
mod extract_arcgis;
mod extract_feed;
mod extract_html;
mod identity;
mod input;
mod key;
mod online;
mod operators;
mod politeness;
mod referee;
mod robots;
mod robots_directives;
mod run;
mod secrets;
mod shell;
mod sign;
mod verify;
