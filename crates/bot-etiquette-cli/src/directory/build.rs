//! `directory build`

use std::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use bot_etiquette_signing::directory::PublishedKey;
use clap::Args;

use super::directory;
use crate::exit::{Answer, Failure};
use crate::{input, key, output, time};

/// The lifetime of signatures that are stored, where none is asked for.
const MONTH: u64 = 30 * time::DAY;
/// The longest that they may last: nobody signs with one key for longer.
const YEAR: u64 = 365 * time::DAY;

/// `directory build --key FILE... [--not-before T] [--expires T]`
#[derive(Debug, Args)]
pub(crate) struct Build {
    /// A key file of any form; give it several times for several keys. Its public part is enough.
    #[arg(long = "key", value_name = "FILE", required = true, num_args = 1.., value_parser = input::source)]
    keys: Vec<String>,
    /// The keys do not count before this time (`nbf`): Unix seconds or RFC 3339.
    #[arg(long, value_name = "T", value_parser = time::parse)]
    not_before: Option<SystemTime>,
    /// The keys no longer count from this time on (`exp`): Unix seconds or RFC 3339.
    #[arg(long, value_name = "T", value_parser = time::parse)]
    expires: Option<SystemTime>,
    /// Sign the document for this host, for a web server that cannot sign; the headers go to --headers.
    #[arg(long, value_name = "HOST", requires = "headers")]
    authority: Option<String>,
    /// The file for the headers that the web server has to send with the document.
    #[arg(long, value_name = "FILE", requires = "authority")]
    headers: Option<PathBuf>,
    /// How many seconds the signatures of --authority last: longer than the day that caches keep the document, a year at most.
    #[arg(long, value_name = "S", default_value_t = MONTH, requires = "authority", value_parser = time::lifetime(YEAR, MONTH))]
    lifetime: u64,
    /// The time of signing, instead of now.
    #[arg(long, value_name = "T", value_parser = time::parse, requires = "authority")]
    now: Option<SystemTime>,
    /// Taken as everywhere; the document is JSON in any case.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(options: &Build) -> Result<Answer, Failure> {
    let now = options.now.unwrap_or_else(time::now);
    if options.expires.is_some_and(|expires| expires <= now) {
        let past = "--expires lies in the past: no verifier takes these keys any more (give a time to come)";
        // A set that is signed leaves out what has expired: nothing would be left of it.
        if options.authority.is_some() {
            return Err(Failure::new(past));
        }
        output::warn(past);
    }
    let mut keys = Vec::new();
    for file in &options.keys {
        let mut published = match options.authority {
            Some(_) => PublishedKey::new(key::signing_key(file)?),
            None => PublishedKey::unsigned(key::verifying_key(file)?),
        };
        if let Some(date) = options.not_before {
            published = published.not_before(date);
        }
        if let Some(date) = options.expires {
            published = published.expires(date);
        }
        keys.push(published);
    }
    let directory = directory(keys)?;
    let document = if let (Some(authority), Some(file)) = (&options.authority, &options.headers) {
        let lifetime = Duration::from_secs(options.lifetime);
        let response = directory.presigned(authority, now, lifetime).map_err(Failure::new)?;
        let mut lines = String::new();
        for (name, value) in response.headers() {
            // The web server makes the entity tag of its own file.
            if name != http::header::ETAG {
                let _ = writeln!(lines, "{name}: {}", value.to_str().unwrap_or_default());
            }
        }
        std::fs::write(file, lines)
            .map_err(|error| Failure::new(format_args!("{}: cannot write: {error}", file.display())))?;
        output::warn(
            "the document verifies only with every header of the --headers file, for that host, until they expire",
        );
        response.into_body()
    } else {
        output::warn(
            "served as a plain file, this document is unsigned and does not verify at Cloudflare: serve it signed \
             (directory serve behind your web server), or sign it for one host (--authority HOST --headers FILE)",
        );
        directory.document()
    };
    output::text(format!("{document}\n").as_bytes())?;
    Ok(Answer::Yes)
}
