//! [`lint`]: what a site owner or a firewall would hold against a User-Agent.

use std::fmt;

use crate::{
    From, UserAgent,
    grammar::{Part, Parts, is_tchar},
    known::KNOWN_BOTS,
    user_agent::urls,
};

/// How much a [`Finding`] weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Some sites will mind.
    Warning,
    /// A promise is broken or a rule of the protocol is.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// One thing that [`lint`] found. The ids never change their meaning:
///
/// | id | what it says |
/// |---|---|
/// | `UA001` | the value leaves the grammar of RFC 9110 10.1.5, or is over 512 bytes (warning) |
/// | `UA002` | no absolute https URL of the bot's page; warnings: an http one, or no `+` before it |
/// | `UA003` | the robots token is not `A-Z a-z _ -` (RFC 9309 2.2.1), or does not occur in the value |
/// | `UA004` | the bot's name has no version, or not the configured one |
/// | `UA005` | it carries the name of a search engine or of another known bot |
/// | `UA006` | it looks like a browser and does not name the bot |
/// | `UA007` | shorter than five characters, or with characters some firewalls refuse |
/// | `UA008` | `From` is missing, or of another domain than the page |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// `UA001` to `UA008`; more with a whole configuration.
    pub id: &'static str,
    /// How much it weighs.
    pub severity: Severity,
    /// What was found, in a sentence.
    pub message: String,
    /// The line of the configuration that it is about, where it is about one; from 1.
    pub line: Option<usize>,
    /// The line of the policy that it is about; from 1.
    pub policy_line: Option<usize>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: ", self.severity, self.id)?;
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.message)?;
        match self.policy_line {
            Some(line) => write!(f, " (policy line {line})"),
            None => Ok(()),
        }
    }
}

/// What [`lint`] compares a User-Agent with; what is not given is not checked.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct LintOptions<'a> {
    /// The token that sites are told to write in robots.txt.
    pub token: Option<&'a str>,
    /// The version the bot is at.
    pub version: Option<&'a str>,
    /// The mailbox sent as `From`.
    pub from: Option<&'a From>,
}

impl<'a> LintOptions<'a> {
    /// Checks the value against this robots.txt token.
    #[must_use]
    pub const fn token(mut self, token: &'a str) -> Self {
        self.token = Some(token);
        self
    }

    /// Checks the version written after the bot's name.
    #[must_use]
    pub const fn version(mut self, version: &'a str) -> Self {
        self.version = Some(version);
        self
    }

    /// Compares the mailbox with the page.
    #[must_use]
    pub const fn from(mut self, from: &'a From) -> Self {
        self.from = Some(from);
        self
    }
}

/// Above this many bytes [`lint`] warns.
const LONG: usize = 512;

/// Everything that speaks against a User-Agent, errors and hints alike, in the order of their ids. It takes any
/// bytes, so a value seen in a log can be checked as it came.
///
/// ```
/// use bot_etiquette_identity::{LintOptions, lint};
///
/// let good = b"CrumbBot/1.0 (+https://bots.example.net/crumb)";
/// let ids = |value: &[u8]| lint(value, LintOptions::default().token("CrumbBot")).iter().map(|f| f.id).collect::<Vec<_>>();
/// assert_eq!(ids(good), ["UA008"]); // only the hint that a `From` would help
/// assert_eq!(ids(b"Mozilla/5.0 (X11; Linux x86_64)"), ["UA002", "UA003", "UA006", "UA008"]);
/// ```
#[must_use]
pub fn lint(value: &[u8], options: LintOptions<'_>) -> Vec<Finding> {
    let parsed = UserAgent::parse(value);
    let text = String::from_utf8_lossy(value.get(..UserAgent::MAX_BYTES).unwrap_or(value));
    let mut findings = Findings(Vec::new());
    if let Err(error) = &parsed {
        findings.error("UA001", error.to_string());
    }
    if value.len() > LONG {
        findings.warning("UA001", format!("it has {} bytes; {LONG} is long already", value.len()));
    }
    let own = options.token.filter(|token| !token.is_empty());
    let named = own.is_some_and(|token| contains(&text, token));
    page(&text, &mut findings);
    token(&text, options.token, &mut findings);
    version(&text, options, &mut findings);
    strangers(&text, own, &mut findings);
    let browser = text.starts_with("Mozilla/") || text.contains("Chrome/");
    if browser && !named {
        if own.is_some() || !text.contains("compatible;") {
            findings.error("UA006", "it looks like a browser and does not name the bot".to_owned());
        } else {
            findings.warning(
                "UA006",
                "it looks like a browser; give the bot's token to check its name".to_owned(),
            );
        }
    }
    characters(&text, &mut findings);
    mailbox(&text, options.from, &mut findings);
    findings.0
}

struct Findings(Vec<Finding>);

impl Findings {
    fn error(&mut self, id: &'static str, message: String) {
        self.0.push(Finding { id, severity: Severity::Error, message, line: None, policy_line: None });
    }

    fn warning(&mut self, id: &'static str, message: String) {
        self.0.push(Finding { id, severity: Severity::Warning, message, line: None, policy_line: None });
    }

    fn info(&mut self, id: &'static str, message: String) {
        self.0.push(Finding { id, severity: Severity::Info, message, line: None, policy_line: None });
    }
}

fn contains(text: &str, token: &str) -> bool {
    text.to_ascii_lowercase().contains(&token.to_ascii_lowercase())
}

fn page(text: &str, findings: &mut Findings) {
    let Some(url) = urls(text).find(|url| url.scheme() == "https").or_else(|| urls(text).next()) else {
        return findings.error("UA002", "it names no page about the bot: add (+https://...)".to_owned());
    };
    if url.scheme() != "https" {
        findings.warning("UA002", format!("the page {url} is not https"));
    }
    if !text.contains("+http") {
        findings.warning("UA002", "a + before the URL is the custom, and some tools look for it".to_owned());
    }
}

fn token(text: &str, token: Option<&str>, findings: &mut Findings) {
    let Some(token) = token else { return };
    if !is_product_token(token) {
        findings.error("UA003", format!("the robots token {token:?} may hold only letters, _ and -"));
    }
    if token.is_empty() || !contains(text, token) {
        findings.error("UA003", format!("the robots token {token:?} does not occur in it"));
    }
}

fn version(text: &str, options: LintOptions<'_>, findings: &mut Findings) {
    let found = match options.token {
        Some(token) if contains(text, token) => {
            UserAgent::parse(text).ok().and_then(|agent| agent.version_of(token).map(str::to_owned))
        }
        Some(_) => return,
        None => Parts::new(text).find_map(|part| match part {
            Part::Product { version, .. } => version.map(str::to_owned),
            Part::Comment(_) => None,
        }),
    };
    match (found, options.version) {
        (None, _) => findings.warning("UA004", "the bot's name has no version".to_owned()),
        (Some(found), Some(wanted)) if found != wanted => {
            findings.warning("UA004", format!("it says version {found}, the bot is at {wanted}"));
        }
        _ => {}
    }
}

fn strangers(text: &str, own: Option<&str>, findings: &mut Findings) {
    // Whole words only: a bot called Crumbingbot is not Bing's.
    let words = text.split(|c: char| !(c.is_ascii() && is_tchar(c as u8)));
    for word in words.filter(|word| own.is_none_or(|own| !word.eq_ignore_ascii_case(own))) {
        if let Some(known) = KNOWN_BOTS.iter().find(|known| word.eq_ignore_ascii_case(known)) {
            findings.error("UA005", format!("{known} is the name of another bot"));
        }
    }
    if let Some(known) = own.and_then(|own| KNOWN_BOTS.iter().find(|known| own.eq_ignore_ascii_case(known))) {
        findings.error("UA005", format!("the token {known} is the name of another bot"));
    }
}

fn characters(text: &str, findings: &mut Findings) {
    if text.trim().len() < 5 {
        findings.warning("UA007", "some firewalls refuse a value of fewer than 5 characters".to_owned());
    }
    let usual = |c: char| c.is_ascii_alphanumeric() || "/._-;()+: ,".contains(c);
    if let Some(odd) = text.chars().find(|c| !usual(*c)) {
        findings.warning("UA007", format!("some firewalls refuse the character {odd:?}"));
    }
}

fn mailbox(text: &str, from: Option<&From>, findings: &mut Findings) {
    let Some(from) = from else {
        return findings.info("UA008", "a From field would let site owners write to you".to_owned());
    };
    let Some(page) = urls(text).next() else { return };
    let host = page.host_str().unwrap_or_default().to_ascii_lowercase();
    let domain = from.domain().to_ascii_lowercase();
    let same = |long: &str, short: &str| long == short || long.ends_with(&format!(".{short}"));
    if !same(&host, &domain) && !same(&domain, &host) {
        findings.warning("UA008", format!("From is at {domain}, the page at {host}"));
    }
}

/// `product-token` of RFC 9309 section 2.2.1.
pub(crate) fn is_product_token(token: &str) -> bool {
    !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'))
}
