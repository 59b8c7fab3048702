//! [`ConfigLint`]: what a site owner would miss in what a bot says of itself.

mod kept;
mod published;

use crate::{
    BotIdentity, Finding, IdentityError, Language, LintOptions, Profile, Rates, Severity, lines::Lines, lint,
};
#[cfg(feature = "ranges")]
use std::time::SystemTime;

/// Reads a configuration, with the policy that the bot runs by, as a site owner would: what is missing, what does not
/// agree, and which promise the policy does not keep. Nothing is fetched.
///
/// Beside those of [`Finding`] the ids are:
///
/// | id | what it says |
/// |---|---|
/// | `ID001` | no way to verify a request: no signature, no addresses, no reverse DNS |
/// | `ID002` | signed without a directory, or the directory is no https site of the page's |
/// | `ID006` | one key, and no word on how it is replaced |
/// | `ID010` | addresses that are nobody's public ones or too many to be one operator's; an address file that is wrong or old |
/// | `ID011` | addresses, and no `addresses.url` for the page to link |
/// | `ID012` | no card, or one that does not agree |
/// | `PG002` | the operator, the User-Agent or the token is not told |
/// | `PG003` | no robots.txt example that blocks all |
/// | `PG004` | no contact, or a garbled address |
/// | `PG005` | purpose, use of the data or AI training is not told |
/// | `PG006` | whether pages are rendered is not told |
/// | `PG007` | a pace, backoff or robots.txt age that is not promised |
/// | `PG008` | nothing that it never does |
/// | `PG009` | no limit on redirects, time or size |
/// | `PG010` | no addresses, which some firewalls need |
/// | `PG011` | no language, or one that the page is not written in; no day of the last change |
/// | `PG012` | a table of the policy that differs from the default, and no word on why |
/// | `PR001` | a promise that the policy does not keep, with both lines |
/// | `PR002` | promises, and no policy to hold them against |
/// | `CF001` | the policy does less than a site asks for |
/// | `CF003` | a name for documentation, or another bot's, so that no site of anybody's can be asked |
///
/// ```
/// use bot_etiquette_identity::ConfigLint;
///
/// let config = r#"
///     user_agent = "CrumbBot/1.0 (+https://bots.example.net/crumb)"
///     token = "CrumbBot"
///     page = "https://bots.example.net/crumb"
///     contact = "mailto:crumb@bots.example.net"
///     [promise]
///     min_delay = 2.0
/// "#;
/// let found = ConfigLint::new(config).policy("[default]\nmin_delay = 1.5\n").run()?;
/// let broken = found.iter().find(|finding| finding.id == "PR001").unwrap();
/// assert_eq!((broken.line, broken.policy_line), (Some(7), Some(2)));
/// # Ok::<(), bot_etiquette_identity::IdentityError>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct ConfigLint<'a> {
    config: &'a str,
    policy: Option<&'a str>,
    page: Option<&'a str>,
    #[cfg(feature = "ranges")]
    ranges: Option<(&'a [u8], SystemTime)>,
    #[cfg(feature = "card")]
    card: Option<&'a [u8]>,
}

impl<'a> ConfigLint<'a> {
    /// Of a configuration in the form of [`BotIdentity::TEMPLATE`].
    pub const fn new(config: &'a str) -> Self {
        Self {
            config,
            policy: None,
            page: None,
            #[cfg(feature = "ranges")]
            ranges: None,
            #[cfg(feature = "card")]
            card: None,
        }
    }

    /// With the text of the politeness policy that the bot runs by.
    pub const fn policy(mut self, policy: &'a str) -> Self {
        self.policy = Some(policy);
        self
    }

    /// With the page as it is published, HTML or plain text.
    pub const fn page(mut self, page: &'a str) -> Self {
        self.page = Some(page);
        self
    }

    /// With the address file as it is published, and the time.
    #[cfg(feature = "ranges")]
    pub const fn ranges(mut self, file: &'a [u8], now: SystemTime) -> Self {
        self.ranges = Some((file, now));
        self
    }

    /// With the card as it is published.
    #[cfg(feature = "card")]
    pub const fn card(mut self, card: &'a [u8]) -> Self {
        self.card = Some(card);
        self
    }

    /// Everything that was found, in the order of the ids and then of the lines.
    ///
    /// # Errors
    /// [`IdentityError`] where the configuration or the policy cannot be read at all.
    pub fn run(self) -> Result<Vec<Finding>, IdentityError> {
        let identity = BotIdentity::from_toml(self.config)?;
        let rates = self.policy.map(Rates::from_toml).transpose()?;
        let mut found = Findings { lines: Lines::new(self.config), found: Vec::new() };
        names(&identity, &mut found);
        own(&identity, &mut found);
        languages(&identity, &mut found);
        verification(&identity, &mut found);
        told(&identity, &mut found);
        promised(&identity, rates.as_ref(), &mut found);
        match (&rates, self.policy) {
            (Some(rates), Some(text)) => {
                kept::kept(&identity, rates, &Lines::new(text), &mut found);
            }
            _ if identity.profile.promise != crate::Promise::default() => found.add(
                "PR002",
                Severity::Warning,
                &["promise"],
                "promises, and no policy to hold them against: name it as policy = \"policy.toml\"",
            ),
            _ => {}
        }
        if let Some(page) = self.page {
            published::page(page, &identity, &mut found);
        }
        #[cfg(feature = "ranges")]
        if let Some((file, now)) = self.ranges {
            published::ranges(file, now, &identity, &mut found);
        }
        #[cfg(feature = "card")]
        self.look_at_card(&identity, &mut found);
        found.found.sort_by(|a, b| {
            (a.id, a.line, a.policy_line, &a.message).cmp(&(b.id, b.line, b.policy_line, &b.message))
        });
        found.found.dedup();
        Ok(found.found)
    }

    #[cfg(feature = "card")]
    fn look_at_card(&self, identity: &BotIdentity, found: &mut Findings<'_>) {
        use crate::AgentCard;
        match self.card.map(AgentCard::read) {
            None if identity.profile.card.url.is_none() => {
                found.add("ID012", Severity::Info, &["card"], "no Signature Agent Card (card.url)");
            }
            None => {}
            Some(Ok(card)) => {
                for problem in card.problems(identity) {
                    found.add("ID012", Severity::Warning, &["card", "url"], format!("the card: {problem}"));
                }
            }
            Some(Err(error)) => {
                found.add("ID012", Severity::Warning, &["card", "url"], format!("the card {error}"));
            }
        }
    }
}

/// What was found so far.
struct Findings<'t> {
    lines: Lines<'t>,
    found: Vec<Finding>,
}

impl Findings<'_> {
    /// Adds a finding about a key of the configuration.
    fn add(&mut self, id: &'static str, severity: Severity, key: &[&str], message: impl Into<String>) {
        let line = self.lines.of(key);
        self.found.push(Finding { id, severity, message: message.into(), line, policy_line: None });
    }

    /// Adds a finding about a promise and the line of the policy that does not keep it.
    fn broken(&mut self, key: &[&str], policy_line: Option<usize>, message: String) {
        let line = self.lines.of(key);
        self.found.push(Finding { id: "PR001", severity: Severity::Error, message, line, policy_line });
    }
}

/// The User-Agents.
fn names(identity: &BotIdentity, found: &mut Findings<'_>) {
    let mut agents = vec![identity.user_agent().clone()];
    if identity.profile.about.renders == Some(true) {
        agents.extend([identity.phone(140), identity.desktop(140)]);
    }
    let mut options = LintOptions::default().token(identity.token()).version(identity.version());
    if let Some(from) = identity.from() {
        options = options.from(from);
    }
    for agent in agents {
        for finding in lint(agent.as_str().as_bytes(), options) {
            let key = match finding.id {
                "UA003" => "token",
                "UA008" => "from",
                _ => "user_agent",
            };
            found.add(finding.id, finding.severity, &[key], finding.message);
        }
    }
}

/// Whether it may leave this machine, where it is meant to.
fn own(identity: &BotIdentity, found: &mut Findings<'_>) {
    if let (false, Err(error)) = (identity.loopback_only(), identity.check_public()) {
        let key = error.key().unwrap_or_default();
        found.add("CF003", Severity::Warning, &[key], error.to_string());
    }
}

/// Whether the page is written in the languages of its texts.
fn languages(identity: &BotIdentity, found: &mut Findings<'_>) {
    for tag in identity.profile.text.keys() {
        if tag.parse::<Language>().is_err() {
            let known: Vec<&str> = Language::ALL.iter().map(|language| language.tag()).collect();
            let message = format!(
                "text.{tag}: the page is written in {}, and tells this only where they say nothing (is it a slip?)",
                known.join(", ")
            );
            let severity = if is_language(tag) { Severity::Info } else { Severity::Warning };
            found.add("PG011", severity, &["text", tag], message);
        }
    }
}

/// Whether it may name a language: `fr`, `de-CH` (RFC 5646).
fn is_language(tag: &str) -> bool {
    let mut parts = tag.split('-');
    let of = |part: &str, letters: bool| {
        part.bytes().all(|byte| byte.is_ascii_alphabetic() || (!letters && byte.is_ascii_digit()))
    };
    parts.next().is_some_and(|first| (2..=3).contains(&first.len()) && of(first, true))
        && parts.all(|part| (1..=8).contains(&part.len()) && of(part, false))
}

fn verification(identity: &BotIdentity, found: &mut Findings<'_>) {
    let Profile { addresses, text, promise, .. } = &identity.profile;
    let signed = identity.key_file().is_some();
    if identity.directory().is_none() && addresses.prefixes.is_empty() && addresses.reverse_dns.is_none() {
        found.add(
            "ID001",
            Severity::Error,
            &["key_file"],
            "no way to tell its requests from an impostor's: sign them (key_file, directory), or publish addresses or reverse_dns",
        );
    }
    if signed && identity.directory().is_none() {
        found.add(
            "ID002",
            Severity::Error,
            &["key_file"],
            "signed, and no directory where the key could be found",
        );
    }
    if promise.signed == Some(true) && !signed {
        found.broken(
            &["promise", "signed"],
            None,
            "promises signed requests, and names no key_file".to_owned(),
        );
    }
    if let Some(directory) = identity.directory() {
        if directory.scheme() != "https" {
            found.add(
                "ID002",
                Severity::Error,
                &["directory"],
                "the directory is not https: no verifier fetches it",
            );
        }
        let page = identity.page().host_str().unwrap_or_default();
        let host = directory.host_str().unwrap_or_default();
        let below = |long: &str, short: &str| long == short || long.ends_with(&format!(".{short}"));
        if !below(page, host) && !below(host, page) {
            let message =
                format!("the directory is at {host}, the page at {page}: a reader cannot tell they are one");
            found.add("ID002", Severity::Warning, &["directory"], message);
        }
        if !text.values().any(|texts| texts.key_rotation.is_some()) {
            let message = "one key, and no word on how it is replaced (text.en.key_rotation)";
            found.add("ID006", Severity::Warning, &["key_file"], message);
        }
    }
    let key = ["addresses", "prefixes"];
    for prefix in &addresses.prefixes {
        if !prefix.is_public() {
            let message = format!("{prefix} is set aside for private use, loopback or documentation");
            found.add("ID010", Severity::Warning, &key, message);
        }
        if prefix.is_too_wide() {
            found.add(
                "ID010",
                Severity::Warning,
                &key,
                format!("{prefix} is wider than one operator's addresses"),
            );
        }
    }
    if addresses.prefixes.is_empty() {
        let message = "no addresses: a firewall that cannot match a User-Agent cannot allow the bot";
        found.add("PG010", Severity::Warning, &["addresses"], message);
    } else if addresses.url.is_none() {
        let message = "no addresses.url: the page cannot link the address file (rel=client-ranges)";
        found.add("ID011", Severity::Warning, &key, message);
    }
}

/// What a page has to tell.
fn told(identity: &BotIdentity, found: &mut Findings<'_>) {
    let Profile { about, text, .. } = &identity.profile;
    let mut miss = |id, severity, key: &[&str], told: bool, message: &str| {
        if !told {
            found.add(id, severity, key, message);
        }
    };
    let texts = || text.values();
    let (error, warning) = (Severity::Error, Severity::Warning);
    miss(
        "PG002",
        error,
        &["about"],
        about.operator.is_some(),
        "the page does not say who runs the bot (about.operator)",
    );
    let purpose = texts().any(|texts| texts.purpose.is_some());
    miss("PG005", error, &["text"], purpose, "the page does not say what the bot is for (text.en.purpose)");
    let data_use = texts().any(|texts| texts.data_use.is_some());
    miss(
        "PG005",
        error,
        &["text"],
        data_use,
        "the page does not say what becomes of the data (text.en.data_use)",
    );
    let message = "the page does not say whether AI models are trained with it (about.ai_training)";
    miss("PG005", error, &["about"], about.ai_training.is_some(), message);
    let message = "the page does not say whether pages are rendered (about.renders)";
    miss("PG006", error, &["about"], about.renders.is_some(), message);
    let promise = &identity.profile.promise;
    let never = texts().any(|texts| !texts.never.is_empty()) || promise.cookies == Some(false);
    miss("PG008", warning, &["text"], never, "the page does not say what the bot never does (text.en.never)");
    let message = "the page does not say when it was last changed (about.updated)";
    miss("PG011", warning, &["about"], about.updated.is_some(), message);
}

/// What an operator should bind the bot to.
fn promised(identity: &BotIdentity, rates: Option<&Rates>, found: &mut Findings<'_>) {
    let promise = &identity.profile.promise;
    let mut miss = |id, told: bool, what: &str, key: &str| {
        if !told {
            let message = format!("nothing is promised about {what} (promise.{key})");
            found.add(id, Severity::Warning, &["promise"], message);
        }
    };
    miss("PG007", promise.max_open.is_some(), "requests open at one time", "max_open");
    // Where a server has slots, they are its pace.
    let paced = promise.min_delay.is_some()
        || rates.is_some_and(|rates| rates.default.min_delay.is_none_or(|pause| pause.value() == 0.0));
    miss("PG007", paced, "the pause between two requests", "min_delay");
    miss("PG007", promise.unreachable_first.is_some(), "a server that does not answer", "unreachable_first");
    miss("PG007", promise.busy_first.is_some(), "a server that says it is busy", "busy_first");
    miss("PG007", promise.retry_after.is_some(), "Retry-After", "retry_after");
    miss("PG007", promise.crawl_delay_cap.is_some(), "Crawl-delay", "crawl_delay_cap");
    miss("PG007", promise.robots_max_age.is_some(), "how long robots.txt is kept", "robots_max_age");
    miss("PG009", promise.max_redirects.is_some(), "redirects", "max_redirects");
    miss("PG009", promise.time_limit.is_some(), "the time of a request", "time_limit");
    miss("PG009", promise.max_body.is_some(), "the size of an answer", "max_body");
}
