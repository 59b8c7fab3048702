//! `identity user-agent`, `identity ip-ranges` and `identity card`.

use std::time::SystemTime;

use bot_etiquette_identity::{AgentCard, BotIdentity, RangeFile};
use clap::Args;
use serde::Serialize;
use serde_json::Value;

use super::Config;
use crate::exit::{Answer, Failure};
use crate::{input, output, time};

/// `identity user-agent [--chromium N] CONFIG.toml`
#[derive(Debug, Args)]
pub(crate) struct UserAgent {
    /// The bot's configuration; - reads stdin.
    #[arg(value_name = "CONFIG.toml", value_parser = input::source)]
    config: String,
    /// The major version of the browser that pages are rendered with: prints those forms too.
    #[arg(long, value_name = "N")]
    chromium: Option<u32>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Named<'a> {
    schema: u32,
    user_agent: &'a str,
    phone: Option<String>,
    desktop: Option<String>,
    token: &'a str,
    version: &'a str,
    page: &'a str,
    contact: &'a str,
    from: Option<&'a str>,
    signature_agent: Option<String>,
}

pub(super) fn user_agent(options: &UserAgent) -> Result<Answer, Failure> {
    let bot = Config::read(&options.config)?.identity;
    let phone = options.chromium.map(|major| bot.phone(major).to_string());
    let desktop = options.chromium.map(|major| bot.desktop(major).to_string());
    if options.json {
        output::json(&Named {
            schema: output::SCHEMA,
            user_agent: bot.user_agent().as_str(),
            phone,
            desktop,
            token: bot.token(),
            version: bot.version(),
            page: bot.page().as_str(),
            contact: bot.contact().as_str(),
            from: bot.from().map(bot_etiquette_identity::From::as_str),
            signature_agent: bot.directory().map(|url| url.origin().ascii_serialization()),
        })?;
    } else {
        let lines = [Some(bot.user_agent().to_string()), phone, desktop];
        let lines: String = lines.into_iter().flatten().map(|line| line + "\n").collect();
        output::text(lines.as_bytes())?;
    }
    Ok(Answer::Yes)
}

/// `identity ip-ranges [--now T] CONFIG.toml`
#[derive(Debug, Args)]
pub(crate) struct IpRanges {
    /// The bot's configuration; - reads stdin.
    #[arg(value_name = "CONFIG.toml", value_parser = input::source)]
    config: String,
    /// The time of making, instead of now: Unix seconds or RFC 3339.
    #[arg(long, value_name = "T", value_parser = time::parse)]
    now: Option<SystemTime>,
    /// Print it as one line, with "schema" in it, which readers of the file pass over.
    #[arg(long)]
    json: bool,
}

pub(super) fn ip_ranges(options: &IpRanges) -> Result<Answer, Failure> {
    let bot = Config::read(&options.config)?.identity;
    if bot.profile().addresses.prefixes.is_empty() {
        output::talk(&format!(
            "bot-etiquette: {}: no addresses.prefixes: the file says that the bot has no addresses of its own\n",
            options.config
        ));
    }
    print(&RangeFile::of(&bot, options.now.unwrap_or_else(time::now)).to_json(), options.json)
}

/// `identity card CONFIG.toml`
#[derive(Debug, Args)]
pub(crate) struct Card {
    /// The bot's configuration; - reads stdin.
    #[arg(value_name = "CONFIG.toml", value_parser = input::source)]
    config: String,
    /// Print it as one line, with "schema" in it, which readers of the card pass over.
    #[arg(long)]
    json: bool,
}

pub(super) fn card(options: &Card) -> Result<Answer, Failure> {
    let bot = Config::read(&options.config)?.identity;
    let card = match &bot.profile().card.url {
        Some(_) => AgentCard::of(&bot),
        None => {
            let url = beside_the_page(&bot);
            output::talk(&format!(
                "bot-etiquette: {}: no card.url: the card is made for {url}, and is good there alone\n",
                options.config
            ));
            AgentCard::at(&bot, url)
        }
    };
    let card = card.map_err(|error| Failure::new(format_args!("{}: {error}", options.config)))?;
    print(&card.to_json(), options.json)
}

/// Where a card may lie of which nothing is said.
fn beside_the_page(bot: &BotIdentity) -> String {
    let origin = bot.page().origin().ascii_serialization();
    format!("{origin}/{}-card.json", bot.token().to_ascii_lowercase())
}

/// A document as it is published, or as an object of this command.
fn print(document: &str, json: bool) -> Result<Answer, Failure> {
    if !json {
        output::text(document.as_bytes())?;
        return Ok(Answer::Yes);
    }
    let mut value: Value = serde_json::from_str(document)
        .map_err(|error| Failure::new(format_args!("cannot write JSON: {error}")))?;
    if let Some(object) = value.as_object_mut() {
        object.insert("schema".to_owned(), output::SCHEMA.into());
    }
    output::json(&value)?;
    Ok(Answer::Yes)
}
