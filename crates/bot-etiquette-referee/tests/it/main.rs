//! The referee against rude clients, a polite one, and its own texts.

mod client;
mod limits;
mod logs;
mod polite;
mod rude;
mod scenarios;
mod serving;
mod signer;
mod texts;
