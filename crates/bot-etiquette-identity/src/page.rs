//! [`BotPage`]: the page about a bot, as its User-Agent promises one.

mod language;
mod pace;
mod render;
mod sections;

use std::fmt;

pub use language::{Language, UnknownLanguage};

use crate::{BotIdentity, Rates};

/// The page about a bot: who runs it, how it names itself, how fast it asks, how to block it and how to know it.
///
/// It is made of the [`BotIdentity`] that the bot sends by and of the politeness policy that it runs by, so that
/// neither can say anything else than the page. What the operator has not said is left out;
/// [`ConfigLint`](crate::ConfigLint) (feature `lint`) lists it.
///
/// ```
/// use bot_etiquette_identity::{BotIdentity, BotPage, Language, Rates};
///
/// let bot = BotIdentity::from_toml(r#"
///     user_agent = "CrumbBot/1.0 (+https://bots.example.net/crumb)"
///     token = "CrumbBot"
///     page = "https://bots.example.net/crumb"
///     contact = "mailto:crumb@bots.example.net"
///     [about]
///     operator = "Crumb & Sons"
/// "#)?;
/// let rates = Rates::from_toml("[default]\nmin_delay = 2.5")?;
/// let page = BotPage::new(&bot).rates(&rates);
/// let html = page.html();
/// assert!(html.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
/// assert!(html.contains("Crumb &amp; Sons"));
/// assert!(html.contains("<pre>User-agent: CrumbBot\nDisallow: /\n</pre>"));
/// assert!(page.text().contains("waits at least 2.5 seconds"));
/// assert!(page.language(Language::Italian).text().contains("aspetta almeno 2,5 secondi"));
/// # Ok::<(), bot_etiquette_identity::IdentityError>(())
/// ```
#[derive(Clone, Copy)]
#[must_use]
pub struct BotPage<'a> {
    identity: &'a BotIdentity,
    rates: Option<&'a Rates>,
    language: Language,
}

/// A part of the page.
enum Block {
    /// A paragraph, and the language it is in where it is another than the page's.
    Text(String, Option<String>),
    /// A list.
    List(Vec<(String, Option<String>)>),
    /// Text to be copied as it stands.
    Verbatim(String),
    /// Names and values; a value that is a URL is a link.
    Pairs(Vec<(String, String)>),
    /// A heading below the section's.
    Heading(String),
    /// A link on a line of its own.
    Link(String),
}

struct Section {
    heading: String,
    /// Its place within the page, the same in every language.
    id: &'static str,
    blocks: Vec<Block>,
}

impl<'a> BotPage<'a> {
    /// The page in English, without a policy: its rates are those that the configuration promises.
    pub const fn new(identity: &'a BotIdentity) -> Self {
        Self { identity, rates: None, language: Language::English }
    }

    /// Makes the rates from the policy that the bot runs by.
    pub const fn rates(mut self, rates: &'a Rates) -> Self {
        self.rates = Some(rates);
        self
    }

    /// Writes it in another language. A text of the operator's that this language lacks stays in its own, marked.
    pub const fn language(mut self, language: Language) -> Self {
        self.language = language;
        self
    }

    /// The page as one HTML document, without scripts, pictures or anything fetched from elsewhere.
    #[must_use]
    pub fn html(&self) -> String {
        render::html(self, &self.sections())
    }

    /// The page as plain text, for those who cannot or would not load HTML.
    #[must_use]
    pub fn text(&self) -> String {
        render::text(self, &self.sections())
    }

    /// The robots.txt examples of the page, in its order: all of a site, one folder, a slower pace.
    #[must_use]
    pub fn robots_examples(&self) -> [String; 3] {
        let token = self.identity.token();
        // A delay that is kept in full, and worth asking for.
        let cap = match self.rates {
            Some(rates) => rates.default.crawl_delay_cap,
            None => self.identity.profile().promise.crawl_delay_cap,
        };
        let delay = cap.map_or(5.0, |cap| cap.value().min(5.0));
        [
            format!("User-agent: {token}\nDisallow: /\n"),
            format!("User-agent: {token}\nDisallow: /private/\n"),
            format!("User-agent: {token}\nCrawl-delay: {delay}\n"),
        ]
    }

    fn title(&self) -> String {
        self.language.say("title", &[self.identity.token()])
    }
}

impl fmt::Debug for BotPage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BotPage")
            .field("token", &self.identity.token())
            .field("language", &self.language)
            .finish_non_exhaustive()
    }
}
