//! The tests of this crate, in one binary.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // a test may stop where it stands

mod key;
