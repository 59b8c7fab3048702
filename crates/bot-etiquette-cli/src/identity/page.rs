//! `identity page`

use bot_etiquette_identity::{BotPage, Language};
use clap::Args;
use serde::Serialize;

use super::Config;
use crate::exit::{Answer, Failure};
use crate::{input, output};

/// `identity page [--lang L] [--text] [--policy FILE.toml] CONFIG.toml`
#[derive(Debug, Args)]
pub(crate) struct Page {
    /// The bot's configuration; - reads stdin.
    #[arg(value_name = "CONFIG.toml", value_parser = input::source)]
    config: String,
    /// The language: en, es or it.
    #[arg(long, value_name = "L", default_value = "en")]
    lang: Language,
    /// Print plain text instead of HTML.
    #[arg(long)]
    text: bool,
    /// The politeness policy that its rates are made from, in place of the one that the configuration names.
    #[arg(long, value_name = "FILE.toml", value_parser = input::source)]
    policy: Option<String>,
    /// Print one JSON object, with the HTML, the text and the robots.txt examples.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Printed<'a> {
    schema: u32,
    lang: &'a str,
    html: String,
    text: String,
    robots_examples: [String; 3],
}

pub(super) fn page(options: &Page) -> Result<Answer, Failure> {
    let config = Config::read(&options.config)?;
    let policy = config.policy(options.policy.as_deref())?;
    let mut page = BotPage::new(&config.identity).language(options.lang);
    match &policy {
        Some(policy) => page = page.rates(&policy.rates),
        None => output::talk(
            "bot-etiquette: no policy is named (policy = \"policy.toml\", or --policy): the page tells what is promised\n",
        ),
    }
    if options.json {
        output::json(&Printed {
            schema: output::SCHEMA,
            lang: options.lang.tag(),
            html: page.html(),
            text: page.text(),
            robots_examples: page.robots_examples(),
        })?;
    } else {
        output::text(if options.text { page.text() } else { page.html() }.as_bytes())?;
    }
    Ok(Answer::Yes)
}
