//! `identity ...`: what a bot says of itself, made from its configuration, and whether it is consistent.

mod lint;
mod page;
mod published;

use std::path::Path;

use bot_etiquette_identity::{BotIdentity, Rates};
use bot_etiquette_politeness::Policy;
use clap::Subcommand;

use crate::exit::{Answer, Failure};
use crate::input;

/// `identity ...`
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print the User-Agent, and the forms it takes in a browser.
    UserAgent(published::UserAgent),
    /// Print the page about the bot, its rates made from the policy that the configuration names.
    Page(page::Page),
    /// Print the file of the bot's addresses, for firewalls.
    IpRanges(published::IpRanges),
    /// Print the bot's Signature Agent Card (a draft that still changes).
    Card(published::Card),
    /// Find what a site owner would miss, and promises that the policy does not keep.
    ///
    /// Exit 1 when there is an error or a warning; remarks (info) alone exit 0.
    Lint(lint::Lint),
}

pub(crate) fn run(command: &Command) -> Result<Answer, Failure> {
    match command {
        Command::UserAgent(options) => published::user_agent(options),
        Command::Page(options) => page::page(options),
        Command::IpRanges(options) => published::ip_ranges(options),
        Command::Card(options) => published::card(options),
        Command::Lint(options) => lint::lint(options),
    }
}

/// A configuration that was read.
#[derive(Debug)]
pub(crate) struct Config {
    /// The file, as the person named it.
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) identity: BotIdentity,
}

/// The policy that a bot runs by.
pub(crate) struct BotPolicy {
    pub(crate) name: String,
    pub(crate) text: String,
    /// As the bot keeps it.
    pub(crate) rules: Policy,
    /// As the page tells it.
    pub(crate) rates: Rates,
}

impl Config {
    pub(crate) fn read(name: &str) -> Result<Self, Failure> {
        let text = input::text(name)?;
        let identity =
            BotIdentity::from_toml(&text).map_err(|error| Failure::new(format_args!("{name}: {error}")))?;
        Ok(Self { name: name.to_owned(), text, identity })
    }

    /// The policy of `--policy`, or the one that the configuration names, if any.
    pub(crate) fn policy(&self, given: Option<&str>) -> Result<Option<BotPolicy>, Failure> {
        let named = || self.identity.profile().policy.as_deref();
        let Some(name) =
            given.map(str::to_owned).or_else(|| Some(self.beside(named()?).display().to_string()))
        else {
            return Ok(None);
        };
        let text = input::text(&name)?;
        let wrong = |error: &dyn std::fmt::Display| Failure::new(format_args!("{name}: {error}"));
        let rules = Policy::from_toml(&text).map_err(|error| wrong(&error))?;
        let rates = Rates::from_toml(&text).map_err(|error| wrong(&error))?;
        Ok(Some(BotPolicy { rules, rates, text, name }))
    }

    /// A file that the configuration names; a relative one starts at its folder.
    pub(crate) fn beside(&self, file: &Path) -> std::path::PathBuf {
        Path::new(&self.name).parent().unwrap_or(Path::new("")).join(file)
    }
}
