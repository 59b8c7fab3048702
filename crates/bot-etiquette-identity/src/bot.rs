//! [`BotIdentity`]: everything a bot says of itself, checked against itself.

use std::path::Path;

use url::Url;

use crate::{BotIdentityBuilder, From, Profile, UserAgent};

/// Who the bot says it is. Every part has been checked when the value exists, and the parts agree with each other.
///
/// ```
/// use bot_etiquette_identity::{BotIdentity, IdentityError, UserAgent};
/// use url::Url;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let page = Url::parse("https://bots.example.net/crumb")?;
/// let agent = UserAgent::plain("CrumbBot", "1.0", &page)?;
///
/// // A token that the User-Agent does not carry is refused: no site owner could block by it.
/// let error = BotIdentity::builder(agent, "Crumbs-Bot", page).contact("https://bots.example.net/contact").build();
/// assert_eq!(
///     error.unwrap_err().to_string(),
///     "token: \"Crumbs-Bot\" does not occur in the User-Agent \"CrumbBot/1.0 (+https://bots.example.net/crumb)\"; \
///      use a word of it",
/// );
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotIdentity {
    pub(crate) user_agent: UserAgent,
    pub(crate) token: String,
    pub(crate) page: Url,
    pub(crate) contact: Url,
    pub(crate) from: Option<From>,
    pub(crate) key_file: Option<std::path::PathBuf>,
    pub(crate) directory: Option<Url>,
    pub(crate) loopback_only: bool,
    pub(crate) profile: Profile,
}

/// What is wrong with an identity: the key, what it holds, and what it should hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdentityError {
    /// A value does not fit its key.
    #[error("{}{key}: {problem}", at(.line))]
    Value {
        /// The key of the configuration file, such as `token`.
        key: &'static str,
        /// What it holds and what it should.
        problem: String,
        /// The line of the file it was read from, counted from 1.
        line: Option<usize>,
    },
    /// The file is not TOML, or has a key that is unknown, missing or of another type.
    #[error("{0}")]
    Syntax(String),
}

fn at(line: &Option<usize>) -> String {
    line.map_or_else(String::new, |line| format!("line {line}: "))
}

impl IdentityError {
    pub(crate) fn value(key: &'static str, problem: impl Into<String>) -> Self {
        Self::Value { key, problem: problem.into(), line: None }
    }

    /// The key of the configuration that is wrong, if the error is about one value.
    #[must_use]
    pub const fn key(&self) -> Option<&'static str> {
        match self {
            Self::Value { key, .. } => Some(key),
            Self::Syntax(_) => None,
        }
    }
}

impl BotIdentity {
    /// A configuration to fill in: every key with what it is for. As it stands it parses, and
    /// [`check_public`](Self::check_public) refuses it.
    pub const TEMPLATE: &str = include_str!("template.toml");

    /// Starts an identity with what every bot has: its User-Agent, its robots.txt token, and the page about it.
    pub fn builder(user_agent: UserAgent, token: impl Into<String>, page: Url) -> BotIdentityBuilder {
        BotIdentityBuilder::new(user_agent, token.into(), page)
    }

    /// The bot's own `User-Agent`.
    #[must_use]
    pub const fn user_agent(&self) -> &UserAgent {
        &self.user_agent
    }

    /// The `User-Agent` for pages that are rendered as on a phone, by a Chromium of this major version. It names the
    /// bot as [`user_agent`](Self::user_agent) does: same token, version and page.
    #[must_use]
    pub fn phone(&self, chromium: u32) -> UserAgent {
        UserAgent::phone(chromium, &self.token, self.version(), &self.page)
            .unwrap_or_else(|_| self.user_agent.clone())
    }

    /// As [`phone`](Self::phone), for a desktop.
    #[must_use]
    pub fn desktop(&self, chromium: u32) -> UserAgent {
        UserAgent::desktop(chromium, &self.token, self.version(), &self.page)
            .unwrap_or_else(|_| self.user_agent.clone())
    }

    /// The word that addresses the bot in robots.txt (RFC 9309 section 2.2.1).
    #[must_use]
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The version that the User-Agent gives with the token; `1.0` where it gives none.
    #[must_use]
    pub fn version(&self) -> &str {
        self.user_agent.version_of(&self.token).unwrap_or("1.0")
    }

    /// The page that says what the bot does and how to block it.
    #[must_use]
    pub const fn page(&self) -> &Url {
        &self.page
    }

    /// Where to reach the operator: an https page with a form, or a `mailto:`.
    #[must_use]
    pub const fn contact(&self) -> &Url {
        &self.contact
    }

    /// What is sent as `From`, if anything.
    #[must_use]
    pub const fn from(&self) -> Option<&From> {
        self.from.as_ref()
    }

    /// Where the private signing key lies, if requests are signed. The key itself is never part of an identity.
    #[must_use]
    pub fn key_file(&self) -> Option<&Path> {
        self.key_file.as_deref()
    }

    /// The site whose key directory holds the public key: the value of `Signature-Agent`.
    #[must_use]
    pub const fn directory(&self) -> Option<&Url> {
        self.directory.as_ref()
    }

    /// Whether this identity may be sent to loopback addresses only: a demonstration under somebody's name.
    /// An assembly that sees it must give its client an address policy of loopback alone.
    #[must_use]
    pub const fn loopback_only(&self) -> bool {
        self.loopback_only
    }

    /// What the bot says of itself beyond its name; empty unless given.
    #[must_use]
    pub const fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Whether the identity is somebody's own, fit to be sent to sites of others.
    ///
    /// # Errors
    /// When it is marked `loopback_only`, when its page, contact or `From` still is a documentation name
    /// (`example.com`, `.invalid`, .. of RFC 2606), or when its token is the name of another known bot.
    pub fn check_public(&self) -> Result<(), IdentityError> {
        if self.loopback_only {
            return Err(IdentityError::value(
                "loopback_only",
                "this identity is for demonstrations on loopback; write your own with your own page and contact",
            ));
        }
        let domains = [
            ("page", self.page.host_str()),
            ("contact", self.contact.host_str().or_else(|| mail_domain(&self.contact))),
            ("from", self.from.as_ref().map(From::domain)),
            ("directory", self.directory.as_ref().and_then(Url::host_str)),
        ];
        for (key, domain) in domains {
            if let Some(domain) = domain.filter(|domain| is_reserved(domain)) {
                return Err(IdentityError::value(
                    key,
                    format!("{domain} is a name for documentation; put your own there"),
                ));
            }
        }
        if let Some(known) =
            crate::known::KNOWN_BOTS.iter().find(|known| self.token.eq_ignore_ascii_case(known))
        {
            return Err(IdentityError::value("token", format!("{known} is the name of another bot")));
        }
        Ok(())
    }
}

fn mail_domain(url: &Url) -> Option<&str> {
    (url.scheme() == "mailto").then(|| url.path().rsplit_once('@').map(|(_, domain)| domain)).flatten()
}

/// Names that RFC 2606 and RFC 6761 keep for documentation and tests.
fn is_reserved(domain: &str) -> bool {
    let domain = domain.trim_end_matches('.').to_ascii_lowercase();
    let under = |name: &str| domain == name || domain.ends_with(&format!(".{name}"));
    ["example.com", "example.org", "example.net", "example", "invalid", "test", "localhost"]
        .into_iter()
        .any(under)
}
