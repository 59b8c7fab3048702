//! `extract`: what a file holds, as the facts that the libraries read from it.

use clap::Subcommand;

use crate::exit::{Answer, Failure};
use crate::extract_feed;

/// What kind of file to read.
#[derive(Debug, Subcommand)]
pub(crate) enum Extract {
    /// Read a feed of events, field by named field.
    ///
    /// Exit 0 when FILE ends where a feed should, 1 when it breaks off or is no feed, 2 when MAP or FILE cannot be read.
    Feed(extract_feed::Options),
}

pub(crate) fn extract(options: &Extract) -> Result<Answer, Failure> {
    match options {
        Extract::Feed(options) => extract_feed::run(options),
    }
}
