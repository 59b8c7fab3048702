//! The bot in its two editions: on servers under its own name and signed; on a person's computer under the agent they chose.

use std::path::Path;

use bot_etiquette::identity::{BotIdentity, UserAgent};

use crate::bot::Bot;
use crate::exit::Usage;
use crate::stack::BoxError;

/// The identity that demonstrations carry, on loopback alone.
pub const IDENTITY: &str = include_str!("../../identities/site-snapshot.toml");

/// On whose behalf it runs, and so how it shows itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Edition {
    /// From servers: under the bot's own User-Agent, every request signed.
    #[default]
    Server,
    /// On a person's computer: not signed, under the User-Agent that the person chose, or else the bot's own.
    Desktop(Option<String>),
}

/// The bot, and whose rules in robots.txt it follows.
pub struct SnapshotBot {
    /// Who asks.
    pub bot: Bot,
    /// Its name in robots.txt, whatever agent a person chose.
    pub token: String,
    /// On whose behalf it runs.
    pub edition: Edition,
}

/// The bot: the operator's own where a file names it, else that of demonstrations.
///
/// # Errors
/// A [`Usage`] where the file or the chosen agent is none.
pub fn bot(identity: Option<&Path>, edition: &Edition) -> Result<SnapshotBot, BoxError> {
    let signed =
        |bot: Bot| SnapshotBot { token: bot.identity.token().to_owned(), bot, edition: edition.clone() };
    match (edition, identity) {
        (Edition::Server, Some(file)) => Ok(signed(Bot::read_signed(file)?)),
        (Edition::Server, None) => Ok(signed(Bot::demo(IDENTITY)?)),
        (Edition::Desktop(agent), identity) => {
            let known = match identity {
                Some(file) => Bot::read(file)?.identity,
                None => Bot::demo(IDENTITY)?.identity,
            };
            let identity = match agent {
                Some(agent) => chosen(agent, &known)?,
                None => unsigned(known.user_agent().clone(), known.token(), &known)?,
            };
            let bot = Bot { identity, signer: None, key_directory: None };
            Ok(SnapshotBot { bot, token: known.token().to_owned(), edition: edition.clone() })
        }
    }
}

/// The first product of the chosen agent stands for the bot's own name there; the rules that hold are still the bot's.
fn chosen(agent: &str, known: &BotIdentity) -> Result<BotIdentity, BoxError> {
    let wrong = |error: &dyn std::fmt::Display| Usage::new(format!("--agent {agent:?}: {error}"));
    let parsed = UserAgent::parse(agent).map_err(|error| wrong(&error))?;
    let product = agent.split(['/', ' ']).next().unwrap_or_default();
    let token: String =
        product.chars().take_while(|c| c.is_ascii_alphabetic() || matches!(c, '_' | '-')).collect();
    unsigned(parsed, &token, known).map_err(|error| wrong(&error).into())
}

fn unsigned(agent: UserAgent, token: &str, known: &BotIdentity) -> Result<BotIdentity, BoxError> {
    let builder =
        BotIdentity::builder(agent, token, known.page().clone()).loopback_only(known.loopback_only());
    Ok(builder.contact(known.contact().as_str()).build()?)
}
