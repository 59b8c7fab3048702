//! CityVibeBot: open-data calendars of events, read every three hours and shown together in seven languages.
//!
//! `cargo run --release --example feed_bot` runs it against a small world on loopback; `-- --help` lists the rest.
use std::process::ExitCode;

use bot_etiquette_examples::feed_bot::cli;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    cli::main().await
}
