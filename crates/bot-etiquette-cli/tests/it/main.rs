//! The tests of the command: each runs the built binary.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // a test may stop where it stands

mod command;
mod directory;
mod key;
mod sign;
mod verify;
