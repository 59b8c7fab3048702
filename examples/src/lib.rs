//! What the example programs share.

// What prints must not panic where nobody reads: `talk` does not.
#![warn(clippy::print_stdout, clippy::print_stderr)]

#[cfg(feature = "arcgis-bot")]
pub mod arcgis_bot;
pub mod asker;
pub mod bot;
pub mod clock;
pub mod demo_site;
pub mod exit;
#[cfg(feature = "feed-bot")]
pub mod feed_bot;
pub mod files;
pub mod html;
pub mod interrupt;
pub mod ledger;
pub mod narrator;
pub mod personal;
#[cfg(feature = "render")]
pub mod rendering;
#[cfg(feature = "snapshot-bot")]
pub mod snapshot_bot;
pub mod sqlite_store;
pub mod stack;
pub mod state;
pub mod talk;
pub mod world;
