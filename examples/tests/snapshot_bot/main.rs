//! The page crawler keeps what its page promises: each test has a site of its own on loopback, and a referee who watches.
#![cfg(feature = "snapshot-bot")]

mod bench;
mod crawls;
mod evidence;
mod killed;
mod probes;
#[path = "../program/mod.rs"]
mod program;
mod rendered;
mod rules;
