//! What the fetch crate promises, against servers that misbehave byte by byte.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod address;
#[cfg(feature = "client")]
mod bombs;
#[cfg(feature = "client")]
mod client;
#[cfg(feature = "client")]
mod codings;
#[cfg(feature = "client")]
mod faults;
#[cfg(feature = "tower")]
mod follow;
#[cfg(feature = "client")]
mod limits;
#[cfg(feature = "client")]
mod reach;
mod redirects;
#[cfg(feature = "client")]
mod support;
mod validators;
