//! SiteSnapshot: reads the pages of the sites a person watches, and says what they say, what changed and what is broken.
//!
//! ```text
//! cargo run --release --example snapshot_bot                     a demonstration on this machine
//! cargo run --release --example snapshot_bot -- add example.com
//! cargo run --release --example snapshot_bot -- --identity my-bot.toml crawl
//! ```

use std::path::PathBuf;
use std::process::ExitCode;

use bot_etiquette_examples::exit::Exit;
use bot_etiquette_examples::snapshot_bot::bots::Edition;
use bot_etiquette_examples::snapshot_bot::command::{self, Command, Setup};
use bot_etiquette_examples::snapshot_bot::{Look, demo};
use clap::Parser;

/// Reads the pages of sites you watch: what each says, when it changed, what is broken. Without a command it shows itself
/// on this machine.
#[derive(Parser)]
#[command(version)]
struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Where the outputs go; the demonstration keeps to a folder `demo` in it
    #[arg(long, global = true, value_name = "DIR", default_value = "snapshot-bot-out")]
    out: PathBuf,
    /// The state file [default: state.sqlite in the folder of the outputs]
    #[arg(long, global = true, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Your bot's identity; needed for any host but this machine
    #[arg(long, global = true, value_name = "FILE")]
    identity: Option<PathBuf>,
    /// Other rules of politeness than the bot's own
    #[arg(long, global = true, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// A world on this machine that another process serves
    #[arg(long, global = true, value_name = "FILE")]
    world: Option<PathBuf>,
    /// Results as JSON on stdout, and nothing else
    #[arg(long, global = true)]
    json: bool,
    /// The desktop edition: on your own computer, not signed
    #[arg(long, global = true)]
    desktop_edition: bool,
    /// The User-Agent of the desktop edition
    #[arg(long, global = true, value_name = "TEXT", requires = "desktop_edition")]
    agent: Option<String>,
    /// Read pages as they are sent, without a browser
    #[arg(long, global = true)]
    no_render: bool,
    /// Render in a browser without its sandbox, as root has to: a page that breaks out of the browser has your rights
    #[arg(long, global = true, conflicts_with = "no_render")]
    no_sandbox: bool,
    /// The browser, Chromium or Chrome [default: where systems put it]
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "no_render")]
    browser: Option<PathBuf>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let args = Args::parse();
    let edition = match args.desktop_edition {
        true => Edition::Desktop(args.agent),
        false => Edition::Server,
    };
    let Args { out, state, identity, policy, world, json, no_render, no_sandbox, browser, .. } = args;
    let look = Look { no_render, no_sandbox, browser, quiet: None };
    let setup = Setup { out, state, identity, policy, world, json, edition, look };
    let done = match args.command {
        Some(command) => command::run(&setup, command).await,
        None => demo::run(&setup).await,
    };
    Exit::of("snapshot_bot", done)
}
