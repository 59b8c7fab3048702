//! The `bot-etiquette` command: try, check and script what the libraries do.
//!
//! Data goes to stdout, talk to stderr. Exit 0 = yes or done, 1 = no, 2 = bad usage or unreadable input.

mod clock;
mod directory;
mod exit;
mod extract;
mod extract_arcgis;
mod extract_feed;
mod extract_html;
mod identity;
mod input;
mod interrupt;
mod key;
mod message;
mod online;
mod output;
mod politeness;
mod referee;
mod robots;
mod robots_directives;
mod shell;
mod sign;
#[allow(
    dead_code,
    missing_debug_implementations,
    missing_docs,
    unreachable_pub,
    reason = "the file of the examples, to the byte; a test compares them"
)]
mod stack;
mod time;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::exit::{Answer, Failure};

/// Check robots.txt files, signed requests, key directories, politeness and what a bot says of itself.
#[derive(Debug, Parser)]
#[command(name = "bot-etiquette", version, about, propagate_version = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check URLs against a robots.txt, or the file itself.
    #[command(subcommand)]
    Robots(robots::Command),
    /// Make a key, or show the public part of one.
    #[command(subcommand)]
    Key(key::Key),
    /// Build, serve or check a key directory.
    #[command(subcommand)]
    Directory(directory::Directory),
    /// Sign a request as a bot and print its header fields.
    Sign(sign::Sign),
    /// Judge a signed request or response, step by step.
    Verify(verify::Verify),
    /// Try a politeness policy: when a host may be asked again, and why not before.
    #[command(subcommand)]
    Politeness(politeness::Command),
    /// Read the facts of a file that a crawler fetched.
    #[command(subcommand)]
    Extract(extract::Command),
    /// Make what a bot publishes of itself: page, addresses, card; and find what is missing.
    #[command(subcommand)]
    Identity(identity::Command),
    /// Watch a crawler on loopback, or read its log, and say which promises it broke.
    Referee(referee::Referee),
    /// Print a completion script for a shell.
    Completions(shell::Completions),
    /// Print the manual page.
    Man,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    exit::code(run(cli.command))
}

fn run(command: Command) -> Result<Answer, Failure> {
    match command {
        Command::Robots(command) => robots::run(&command),
        Command::Key(command) => key::run(&command),
        Command::Directory(command) => directory::run(&command),
        Command::Sign(options) => sign::run(&options),
        Command::Verify(options) => verify::run(&options),
        Command::Politeness(command) => politeness::run(&command),
        Command::Extract(command) => extract::run(&command),
        Command::Identity(command) => identity::run(&command),
        Command::Referee(options) => referee::referee(&options),
        Command::Completions(options) => shell::completions(&options),
        Command::Man => shell::man(),
    }
}
