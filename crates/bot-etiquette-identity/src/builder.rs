//! [`BotIdentityBuilder`], the one place where an identity is checked.

use std::path::PathBuf;

use url::{Host, Url};

use crate::{BotIdentity, From, IdentityError, Profile, UserAgent, lint::is_product_token};

/// Builds a [`BotIdentity`]; started by [`BotIdentity::builder`].
///
/// ```
/// use bot_etiquette_identity::{BotIdentity, UserAgent};
/// use url::Url;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let page = Url::parse("https://bots.example.net/crumb")?;
/// let bot = BotIdentity::builder(UserAgent::plain("CrumbBot", "2.1", &page)?, "CrumbBot", page)
///     .contact("https://bots.example.net/contact")
///     .key_file("/etc/crumb/bot.key")
///     .directory("https://bots.example.net")
///     .build()?;
/// assert_eq!(bot.version(), "2.1");
/// assert!(bot.phone(140).names("CrumbBot"));
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until build()"]
pub struct BotIdentityBuilder {
    pub(crate) user_agent: UserAgent,
    pub(crate) token: String,
    pub(crate) page: Url,
    pub(crate) contact: Option<String>,
    pub(crate) from: Option<String>,
    pub(crate) key_file: Option<PathBuf>,
    pub(crate) directory: Option<String>,
    pub(crate) loopback_only: bool,
    pub(crate) profile: Profile,
}

impl BotIdentityBuilder {
    pub(crate) fn new(user_agent: UserAgent, token: String, page: Url) -> Self {
        Self {
            user_agent,
            token,
            page,
            contact: None,
            from: None,
            key_file: None,
            directory: None,
            loopback_only: false,
            profile: Profile::default(),
        }
    }

    /// Where the operator is reached: an https URL or a `mailto:` one. By default the page.
    pub fn contact(mut self, contact: impl Into<String>) -> Self {
        self.contact = Some(contact.into());
        self
    }

    /// The mailbox to send as `From`. By default the field is not sent.
    pub fn from(mut self, mailbox: impl Into<String>) -> Self {
        self.from = Some(mailbox.into());
        self
    }

    /// Where the private signing key lies.
    pub fn key_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.key_file = Some(path.into());
        self
    }

    /// The https origin that serves the key directory.
    pub fn directory(mut self, origin: impl Into<String>) -> Self {
        self.directory = Some(origin.into());
        self
    }

    /// Marks the identity as one for loopback addresses alone. By default it is not.
    pub const fn loopback_only(mut self, yes: bool) -> Self {
        self.loopback_only = yes;
        self
    }

    /// What the bot says of itself beyond its name.
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// Checks every part, and the parts against each other.
    ///
    /// # Errors
    /// [`IdentityError::Value`] with the key of the first part that does not fit.
    pub fn build(self) -> Result<BotIdentity, IdentityError> {
        if !is_product_token(&self.token) {
            let problem = format!("{:?} may hold only letters, _ and - (RFC 9309 2.2.1)", self.token);
            return Err(IdentityError::value("token", problem));
        }
        if !self.user_agent.names(&self.token) {
            let problem = format!(
                "{:?} does not occur in the User-Agent {:?}; use a word of it",
                self.token, self.user_agent
            );
            return Err(IdentityError::value("token", problem));
        }
        check_web_url("page", &self.page)?;
        let contact = match self.contact {
            Some(text) => contact(&text)?,
            None => self.page.clone(),
        };
        let from = self
            .from
            .map(|text| text.parse::<From>().map_err(|error| wrong("from", &text, error)))
            .transpose()?;
        if self.key_file.as_ref().is_some_and(|path| path.as_os_str().is_empty()) {
            return Err(IdentityError::value(
                "key_file",
                "the path is empty; leave the key out to sign nothing",
            ));
        }
        let directory = self.directory.map(|text| directory(&text)).transpose()?;
        if directory.is_some() && self.key_file.is_none() {
            return Err(IdentityError::value(
                "directory",
                "a directory is of use only with a key_file to sign by",
            ));
        }
        check_profile(&self.profile)?;
        Ok(BotIdentity {
            user_agent: self.user_agent,
            token: self.token,
            page: self.page,
            contact,
            from,
            key_file: self.key_file,
            directory,
            loopback_only: self.loopback_only,
            profile: self.profile,
        })
    }
}

pub(crate) fn wrong(key: &'static str, text: &str, why: impl std::fmt::Display) -> IdentityError {
    IdentityError::value(key, format!("{text:?} does not fit: {why}"))
}

pub(crate) fn web_url(key: &'static str, text: &str) -> Result<Url, IdentityError> {
    let url =
        Url::parse(text).map_err(|error| wrong(key, text, format!("{error}; expected an https URL")))?;
    check_web_url(key, &url)?;
    Ok(url)
}

/// https, or http on this machine, without credentials.
fn check_web_url(key: &'static str, url: &Url) -> Result<(), IdentityError> {
    let loopback = match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    };
    if url.scheme() != "https" && !(url.scheme() == "http" && loopback) {
        return Err(IdentityError::value(key, format!("{url} is not an https URL")));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(IdentityError::value(key, "the URL holds a user name or password; take it out"));
    }
    Ok(())
}

fn contact(text: &str) -> Result<Url, IdentityError> {
    if let Some(mailbox) = text.strip_prefix("mailto:") {
        mailbox.parse::<From>().map_err(|error| wrong("contact", text, error))?;
        return Url::parse(text).map_err(|error| wrong("contact", text, error));
    }
    if text.parse::<From>().is_ok() {
        return Err(wrong("contact", text, "write an address as mailto:you@your.domain"));
    }
    web_url("contact", text)
}

fn directory(text: &str) -> Result<Url, IdentityError> {
    let url = web_url("directory", text)?;
    if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("directory", text, "expected an origin such as https://your.domain, with no path"));
    }
    Ok(url)
}

fn check_profile(profile: &Profile) -> Result<(), IdentityError> {
    for (key, url) in [
        ("addresses.url", &profile.addresses.url),
        ("card.url", &profile.card.url),
        ("card.logo", &profile.card.logo),
    ] {
        if let Some(url) = url {
            web_url(key, url)?;
        }
    }
    if let Some(trigger) =
        profile.card.trigger.as_deref().filter(|trigger| !matches!(*trigger, "crawler" | "fetcher"))
    {
        return Err(wrong("card.trigger", trigger, "expected crawler or fetcher"));
    }
    if let Some(scope) =
        profile.promise.busy_scope.as_deref().filter(|scope| !matches!(*scope, "host" | "path"))
    {
        return Err(wrong("promise.busy_scope", scope, "expected host or path"));
    }
    if let Some(day) = profile.about.updated.as_deref().filter(|day| !is_day(day)) {
        return Err(wrong("about.updated", day, "expected a day such as 2027-11-30"));
    }
    // A tag of BCP 47 such as en or pt-BR.
    let is_tag = |tag: &&String| {
        !tag.is_empty() && tag.len() <= 35 && tag.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    match profile.text.keys().find(|tag| !is_tag(tag)) {
        Some(tag) => Err(wrong("text", tag, "expected a language tag such as [text.en]")),
        None => Ok(()),
    }
}

/// `2027-11-30`, a day that there may be.
fn is_day(text: &str) -> bool {
    let mut parts = text.split('-').map(|part| (part.len(), part.parse::<u16>().unwrap_or(0)));
    let day = (parts.next(), parts.next(), parts.next(), parts.next());
    matches!(day, (Some((4, 1..)), Some((2, 1..=12)), Some((2, 1..=31)), None))
}
