//! `directory build`, `serve` and `check`: publish a bot's keys, and see whether they are published well.

mod build;
mod check;
mod serve;

use bot_etiquette_signing::directory::{DirectoryError, KeyDirectory, PublishedKey};
use clap::Subcommand;

use crate::exit::{Answer, Failure};
use crate::output;

/// `directory ...`
#[derive(Debug, Subcommand)]
pub(crate) enum Directory {
    /// Print the key directory of some keys: a JWK Set.
    Build(build::Build),
    /// Serve the signed key directory of some keys on loopback.
    Serve(serve::Serve),
    /// Check a fetched key directory step by step.
    Check(check::Check),
}

pub(crate) fn run(command: &Directory) -> Result<Answer, Failure> {
    match command {
        Directory::Build(options) => build::run(options),
        Directory::Serve(options) => serve::run(options),
        Directory::Check(options) => check::run(options),
    }
}

/// A directory of these keys. A test key is taken with a warning: this command is for trying things, too.
fn directory(keys: impl IntoIterator<Item = PublishedKey>) -> Result<KeyDirectory, Failure> {
    let builder = KeyDirectory::builder().keys(keys);
    match builder.clone().build() {
        Err(error @ DirectoryError::UnfitKey { .. }) => {
            let directory = builder.allow_test_keys(true).build().map_err(|_| Failure::new(&error))?;
            output::warn(error);
            Ok(directory)
        }
        built => built.map_err(Failure::new),
    }
}
