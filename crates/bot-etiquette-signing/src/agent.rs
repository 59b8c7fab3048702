//! Signature-Agent: who signs, in the three forms that are in use (Web Bot Auth drafts).

use std::fmt;

use http::HeaderMap;
use url::Url;

use crate::component::Component;
use crate::member;
use crate::value::push_joined;

/// The field that names the agent.
pub const SIGNATURE_AGENT: &str = "signature-agent";

/// The path of a key directory.
pub const DIRECTORY_PATH: &str = "/.well-known/http-message-signatures-directory";

/// Bytes of a Signature-Agent field at the most.
const MAX_AGENT_BYTES: usize = 4 * 1024;

/// A form of Web Bot Auth.
///
/// | profile | field | covered |
/// |---|---|---|
/// | `Cloudflare` | `"https://bot.example"` | `"signature-agent"` |
/// | `Dictionary` | `sig1="https://bot.example"` | `"signature-agent";key="sig1"` |
/// | `JwksUrl` | `sig1="https://bot.example/.well-known/http-message-signatures-directory"` | `"signature-agent";key="sig1"` |
///
/// ```
/// use bot_etiquette_signing::Profile;
///
/// assert_eq!(Profile::default(), Profile::Cloudflare);
/// assert_eq!("jwks-url".parse(), Ok(Profile::JwksUrl));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Profile {
    /// A bare string with the origin: what Cloudflare verifies.
    #[default]
    Cloudflare,
    /// A dictionary whose member holds the origin: the drafts from October 2025 on.
    Dictionary,
    /// A dictionary whose member holds the URL of the key set: the working group's draft.
    JwksUrl,
}

/// A text that names no profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no profile: \"{0}\" (cloudflare, dictionary or jwks-url)")]
pub struct UnknownProfile(String);

impl Profile {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Cloudflare, Self::Dictionary, Self::JwksUrl];

    /// `cloudflare`, `dictionary` or `jwks-url`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cloudflare => "cloudflare",
            Self::Dictionary => "dictionary",
            Self::JwksUrl => "jwks-url",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|profile| profile.as_str() == text)
            .ok_or_else(|| UnknownProfile(text.to_owned()))
    }
}

/// The agent that a message names, as far as a signature covers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureAgent {
    value: String,
    profile: Profile,
    directory: Url,
}

impl SignatureAgent {
    /// The value as sent, without quotes.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.value
    }

    /// The form it was sent in.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// Where its keys are: the first half of the pair (URL, `keyid`) by which a key is looked up.
    #[must_use]
    pub fn directory(&self) -> &Url {
        &self.directory
    }
}

/// The agent of `headers`, by the components that a signature with this label covers.
///
/// `Ok(None)` when the message has no Signature-Agent. The error says what is wrong with it.
pub(crate) fn covered_agent(
    headers: &HeaderMap,
    components: &[Component],
    label: &str,
    rules: AgentRules<'_>,
) -> Result<Option<SignatureAgent>, AgentError> {
    let mut text = String::new();
    let present =
        push_joined(&mut text, headers, SIGNATURE_AGENT).map_err(|_| invalid("it is no printable ASCII"))?;
    if !present {
        return Ok(None);
    }
    if text.len() > MAX_AGENT_BYTES {
        return Err(invalid(format!("{} bytes; {MAX_AGENT_BYTES} are the limit", text.len())));
    }
    if text.starts_with('"') {
        return string_agent(&text, components, rules).map(Some);
    }
    dictionary_agent(&text, components, label, rules).map(Some)
}

/// What a policy says of agents.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AgentRules<'a> {
    /// The forms accepted, or all.
    pub(crate) profiles: Option<&'a [Profile]>,
    /// Whether a member may be keyed otherwise than the label of its signature.
    pub(crate) any_member: bool,
}

/// What is wrong with a Signature-Agent.
#[derive(Debug)]
pub(crate) enum AgentError {
    Invalid(String),
    NotCovered(&'static str),
    /// The covered member is not there.
    Missing(String),
}

fn string_agent(
    text: &str,
    components: &[Component],
    rules: AgentRules<'_>,
) -> Result<SignatureAgent, AgentError> {
    let item = member::item(text).map_err(|error| invalid(error.to_string()))?;
    if !components.iter().any(|component| component.is_plain(SIGNATURE_AGENT)) {
        return Err(AgentError::NotCovered("\"signature-agent\" is sent but not covered"));
    }
    let value = item.string().ok_or_else(|| invalid("it is no string"))?;
    let url = https_url(value)?;
    if !is_origin(&url) {
        return Err(invalid("a bare string must be an origin, without path or query"));
    }
    accept(rules, Profile::Cloudflare)?;
    Ok(agent(value, Profile::Cloudflare, url))
}

fn dictionary_agent(
    text: &str,
    components: &[Component],
    label: &str,
    rules: AgentRules<'_>,
) -> Result<SignatureAgent, AgentError> {
    let members = member::members(text).map_err(|error| invalid(error.to_string()))?;
    let is_member = |component: &&Component| {
        component.name() == SIGNATURE_AGENT && !component.is_of_request() && component.key().is_some()
    };
    let mut keys = components.iter().filter(is_member).filter_map(Component::key);
    let own = keys.clone().find(|key| *key == label);
    let key = match (own, keys.next(), keys.next()) {
        (Some(own), ..) => own,
        (None, None, _) => {
            return Err(AgentError::NotCovered("no member of \"signature-agent\" is covered by its key"));
        }
        (None, Some(_), Some(_)) => {
            return Err(invalid("several members are covered, none of them by the label"));
        }
        (None, Some(key), None) if rules.any_member => key,
        (None, Some(key), None) => {
            return Err(invalid(format!(
                "member \"{key}\" is covered by the signature with the label \"{label}\""
            )));
        }
    };
    let member =
        members.iter().find(|member| member.key == key).ok_or_else(|| AgentError::Missing(key.to_owned()))?;
    let Some(item) = member.item() else {
        return Err(invalid(format!("member \"{key}\" is a list")));
    };
    let Some(value) = item.string() else {
        return Err(invalid(format!("member \"{key}\" at byte {} is no string in quotes", member.position)));
    };
    let url = https_url(value)?;
    let kind = item.params.find("type");
    let kind = match kind {
        None => None,
        Some(kind) => Some(kind.as_token().ok_or_else(|| invalid("\"type\" is no token"))?.as_str()),
    };
    let only_dictionary = rules.profiles == Some(&[Profile::Dictionary]);
    let profile = match kind {
        Some("cimd") => return Err(invalid("\"type=cimd\" names a card, not keys")),
        Some("jwks_uri") if only_dictionary => Profile::Dictionary,
        _ if is_origin(&url) => Profile::Dictionary,
        _ if item.params.is_empty() => Profile::JwksUrl,
        _ => return Err(invalid("a member with the URL of a key set must have no parameters")),
    };
    accept(rules, profile)?;
    Ok(agent(value, profile, url))
}

fn agent(value: &str, profile: Profile, url: Url) -> SignatureAgent {
    SignatureAgent { value: value.to_owned(), profile, directory: key_set_url(url) }
}

/// Where the keys of the agent at `url` are: the well-known path of an origin, else the URL itself, without
/// query and fragment, which are no part of a directory's identifier.
pub(crate) fn key_set_url(mut url: Url) -> Url {
    if is_origin(&url) {
        url.set_path(DIRECTORY_PATH);
    }
    url.set_query(None);
    url.set_fragment(None);
    url
}

fn accept(rules: AgentRules<'_>, profile: Profile) -> Result<(), AgentError> {
    match rules.profiles {
        Some(accepted) if !accepted.contains(&profile) => {
            Err(invalid(format!("its form is that of the profile {profile}, which is not accepted")))
        }
        _ => Ok(()),
    }
}

fn invalid(reason: impl Into<String>) -> AgentError {
    AgentError::Invalid(reason.into())
}

/// An https URL without user information.
pub(crate) fn https_url(text: &str) -> Result<Url, AgentError> {
    let url = Url::parse(text).map_err(|error| invalid(format!("{text:?} is no URL: {error}")))?;
    if url.scheme() != "https" {
        return Err(invalid(format!("{text:?} is no https URL")));
    }
    if !url.username().is_empty() || url.password().is_some() || text.contains('@') {
        return Err(invalid("a URL with user information"));
    }
    Ok(url)
}

pub(crate) fn is_origin(url: &Url) -> bool {
    matches!(url.path(), "" | "/") && url.query().is_none() && url.fragment().is_none()
}
