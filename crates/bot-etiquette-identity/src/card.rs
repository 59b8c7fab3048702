//! [`AgentCard`]: who a bot is, as a document for programs.

use serde::{Deserialize, Serialize};

use crate::{BotIdentity, CardDetails};

/// A Signature Agent Card (draft-meunier-webbotauth-registry): client metadata of OAuth with a table of its own for bots.
///
/// **Unstable**: the draft still changes, and this type with it, without a new major version. It is written as the draft
/// stands; earlier forms, whose fields lay flat, are read too.
///
/// ```
/// use bot_etiquette_identity::{AgentCard, BotIdentity};
///
/// let bot = BotIdentity::from_toml(r#"
///     user_agent = "CrumbBot/1.0 (+https://bots.example.net/crumb)"
///     token = "CrumbBot"
///     page = "https://bots.example.net/crumb"
///     contact = "mailto:crumb@bots.example.net"
///     key_file = "crumb.key"
///     directory = "https://bots.example.net"
///     [card]
///     url = "https://bots.example.net/crumb.json"
/// "#)?;
/// let card = AgentCard::of(&bot)?;
/// assert_eq!(card.web_bot_auth.product_token.as_deref(), Some("CrumbBot"));
/// assert_eq!(AgentCard::read(card.to_json().as_bytes())?, card);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct AgentCard {
    /// The https URL at which the card is published.
    pub client_id: String,
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_name: Option<String>,
    /// The bot's page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_uri: Option<String>,
    /// A picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logo_uri: Option<String>,
    /// Where the operator is reached, as URIs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contacts: Vec<String>,
    /// Where the public keys are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwks_uri: Option<String>,
    /// The public keys themselves, in the place of `jwks_uri`; kept as they came.
    #[serde(skip_serializing_if = "Option::is_none")]
    jwks: Option<serde_json::Map<String, serde_json::Value>>,
    /// What is said of bots alone.
    pub web_bot_auth: WebBotAuth,
}

/// The part of an [`AgentCard`] that is about bots.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct WebBotAuth {
    /// The User-Agents it sends; `*` stands for any ending.
    #[serde(rename = "expected-user-agent", skip_serializing_if = "Vec::is_empty", with = "one_or_many")]
    pub expected_user_agent: Vec<String>,
    /// Its token in robots.txt.
    #[serde(rename = "rfc9309-product-token", skip_serializing_if = "Option::is_none")]
    pub product_token: Option<String>,
    /// Whether it obeys robots.txt.
    #[serde(rename = "rfc9309-compliance")]
    pub robots_compliance: bool,
    /// `crawler` or `fetcher`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// What it looks for.
    #[serde(rename = "targeted-content", skip_serializing_if = "Option::is_none")]
    pub targeted_content: Option<String>,
    /// How its rate is controlled.
    #[serde(rename = "rate-control", skip_serializing_if = "Option::is_none")]
    pub rate_control: Option<String>,
    /// What rate to expect.
    #[serde(rename = "rate-expectation", skip_serializing_if = "Option::is_none")]
    pub rate_expectation: Option<String>,
    /// Addresses it asks on many sites.
    #[serde(rename = "known-urls", skip_serializing_if = "Vec::is_empty")]
    pub known_urls: Vec<String>,
    /// Where its address file is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ips_uri: Option<String>,
}

/// Why there is no card.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CardError {
    /// The configuration lacks what a card cannot be without.
    #[error("{key}: missing; {fix}")]
    Missing {
        /// The key of the configuration.
        key: &'static str,
        /// What to write.
        fix: &'static str,
    },
    /// Over [`AgentCard::MAX_BYTES`].
    #[error("has {bytes} bytes; {} are read at the most", AgentCard::MAX_BYTES)]
    TooLarge {
        /// Its length.
        bytes: usize,
    },
    /// No card.
    #[error("is no card: {0}")]
    Json(String),
}

impl AgentCard {
    /// The largest card read: 256 KiB.
    pub const MAX_BYTES: usize = 256 * 1024;

    /// The card of a bot.
    ///
    /// # Errors
    /// [`CardError::Missing`] where the configuration has no `card.url` or no `directory`.
    pub fn of(identity: &BotIdentity) -> Result<Self, CardError> {
        let url = identity.profile().card.url.clone().ok_or(CardError::Missing {
            key: "card.url",
            fix: "give the https URL at which the card is published",
        })?;
        Self::at(identity, url)
    }

    /// The card of a bot, to be published at this https URL.
    ///
    /// # Errors
    /// [`CardError::Missing`] where the configuration has no `directory`.
    pub fn at(identity: &BotIdentity, url: impl Into<String>) -> Result<Self, CardError> {
        let profile = identity.profile();
        let CardDetails {
            url: _,
            logo,
            trigger,
            purpose,
            targeted_content,
            rate_control,
            rate_expectation,
            known_urls,
        } = profile.card.clone();
        let directory = identity.directory().ok_or(CardError::Missing {
            key: "directory",
            fix: "a card leads to the bot's keys; give the site that serves them",
        })?;
        let mut agents = vec![identity.user_agent().to_string()];
        if profile.about.renders == Some(true) {
            // The browser's version changes in the middle; what comes before it does not.
            for agent in [identity.phone(0), identity.desktop(0)] {
                let stem = agent.as_str().split("Chrome/").next().unwrap_or_default();
                agents.push(format!("{stem}Chrome/*"));
            }
        }
        let english = || profile.text.get("en").or_else(|| profile.text.values().next());
        Ok(Self {
            client_id: url.into(),
            client_name: Some(identity.token().to_owned()),
            client_uri: Some(identity.page().to_string()),
            logo_uri: logo,
            contacts: vec![identity.contact().to_string()],
            jwks_uri: Some(format!(
                "{}/.well-known/http-message-signatures-directory",
                directory.origin().ascii_serialization()
            )),
            jwks: None,
            web_bot_auth: WebBotAuth {
                expected_user_agent: agents,
                product_token: Some(identity.token().to_owned()),
                robots_compliance: true,
                trigger: Some(trigger.unwrap_or_else(|| "crawler".to_owned())),
                purpose: purpose.or_else(|| english().and_then(|texts| texts.purpose.clone())),
                targeted_content,
                rate_control,
                rate_expectation,
                known_urls,
                ips_uri: profile.addresses.url.clone(),
            },
        })
    }

    /// Reads a card, of this or an earlier form of the draft.
    ///
    /// # Errors
    /// [`CardError`] where it is too large, no JSON, or a value is of another kind.
    pub fn read(bytes: &[u8]) -> Result<Self, CardError> {
        if bytes.len() > Self::MAX_BYTES {
            return Err(CardError::TooLarge { bytes: bytes.len() });
        }
        let wrong = |error: serde_json::Error| CardError::Json(error.to_string());
        let value: serde_json::Map<String, serde_json::Value> =
            serde_json::from_slice(bytes).map_err(wrong)?;
        let flat = !value.contains_key("web_bot_auth");
        let value = serde_json::Value::Object(value);
        let mut card = Self::deserialize(&value).map_err(wrong)?;
        if flat {
            card.web_bot_auth = WebBotAuth::deserialize(&value).map_err(wrong)?;
        }
        Ok(card)
    }

    /// The card as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Its fields are texts, lists of them and a map: nothing that JSON cannot hold.
        let mut json = serde_json::to_string_pretty(self).unwrap_or_default();
        json.push('\n');
        json
    }

    /// What in the card is against the draft, or differs from the configuration of the bot it is about.
    #[must_use]
    pub fn problems(&self, identity: &BotIdentity) -> Vec<String> {
        let mut problems = Vec::new();
        let mut unless = |fine: bool, problem: String| {
            if !fine {
                problems.push(problem);
            }
        };
        unless(
            self.client_id.starts_with("https://"),
            format!("client_id {:?} is no https URL", self.client_id),
        );
        if let Some(url) = &identity.profile().card.url {
            unless(
                *url == self.client_id,
                format!("client_id is {:?}, and card.url {url:?}", self.client_id),
            );
        }
        unless(
            self.jwks.is_some() != self.jwks_uri.is_some(),
            "it needs one of jwks_uri and jwks, and not both".to_owned(),
        );
        let bot = &self.web_bot_auth;
        unless(
            bot.product_token.as_deref().is_some_and(|token| token.eq_ignore_ascii_case(identity.token())),
            format!("rfc9309-product-token is not {:?}", identity.token()),
        );
        let agent = identity.user_agent().as_str();
        let named = bot.expected_user_agent.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(stem) => agent.starts_with(stem),
            None => pattern == agent,
        });
        unless(named, format!("expected-user-agent does not list {agent:?}"));
        if let Some(trigger) = bot.trigger.as_deref() {
            unless(
                matches!(trigger, "crawler" | "fetcher"),
                format!("trigger {trigger:?} is neither crawler nor fetcher"),
            );
        }
        problems
    }
}

/// A text, or a list of them.
mod one_or_many {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        One(String),
        Many(Vec<String>),
    }

    pub(super) fn serialize<S: Serializer>(values: &[String], serializer: S) -> Result<S::Ok, S::Error> {
        match values {
            [one] => one.serialize(serializer),
            many => many.serialize(serializer),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
        Ok(match Either::deserialize(deserializer)? {
            Either::One(one) => vec![one],
            Either::Many(many) => many,
        })
    }
}
