//! Setting up a signer.

use std::time::Duration;

use thiserror::Error;

use super::{DEFAULT_LIFETIME, ExternalSigner, Form, Signer};
use crate::agent::{AgentError, DIRECTORY_PATH, Profile, SIGNATURE_AGENT, https_url, is_origin};
use crate::base::{MAX_COMPONENTS, first_duplicate, push_list};
use crate::component::Component;
use crate::policy::MAX_LIFETIME;
use crate::{Algorithm, sf};

/// Hosts with a profile of their own at the most.
pub const MAX_PROFILE_HOSTS: usize = 256;

/// Builds a [`Signer`].
///
/// ```
/// use bot_etiquette_signing::{Component, Profile, Signer, SigningKey};
/// use std::time::Duration;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let signer = Signer::builder(SigningKey::from_seed(&[7; 32]), "https://bot.example")
///     .profile(Profile::Dictionary)
///     .profile_for_host("behind-cloudflare.example", Profile::Cloudflare)
///     .lifetime(Duration::from_secs(120))
///     .component(Component::method())
///     .build()?;
/// assert_eq!(signer.profile_for("behind-cloudflare.example"), Profile::Cloudflare);
/// # Ok(()) }
/// ```
#[derive(Debug)]
#[must_use]
pub struct SignerBuilder<K> {
    key: K,
    agent: String,
    label: String,
    lifetime: Duration,
    profile: Profile,
    hosts: Vec<(String, Profile)>,
    components: Vec<Component>,
    test_keys: bool,
}

/// Why a signer cannot be set up.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SignerError {
    /// The agent is no https URL that this profile can send.
    #[error("agent: {0}")]
    Agent(String),
    /// The lifetime is not a whole number of seconds from 1 s to [`MAX_LIFETIME`].
    #[error("lifetime: {0:?}; it must be whole seconds, at least 1, at most 86400")]
    Lifetime(Duration),
    /// The label is no key of a dictionary: a-z, 0-9, `_`, `-`, `.`, `*`, a letter or `*` first.
    #[error("label: \"{0}\" is no lower-case name")]
    Label(String),
    /// A component that stands twice; `@authority` and the agent are always covered.
    #[error("component: {0} is covered twice")]
    Duplicate(String),
    /// A component that no request has.
    #[error("component: {0} is not a part of a request")]
    NotOfARequest(String),
    /// A field that signing writes: what was covered would not be what is sent.
    #[error("component: {0} is a part of a field that the signer writes itself")]
    OwnField(String),
    /// More components than [`MAX_COMPONENTS`].
    #[error("components: {0}; {MAX_COMPONENTS} are the limit")]
    TooManyComponents(usize),
    /// More hosts than [`MAX_PROFILE_HOSTS`].
    #[error("hosts with a profile of their own: {0}; {MAX_PROFILE_HOSTS} are the limit")]
    TooManyHosts(usize),
    /// The `keyid` of an external key cannot be written.
    #[error("keyid: it must be printable ASCII without quotes and backslashes")]
    KeyId,
    /// Web Bot Auth knows no shared secrets.
    #[error("key: {0} is not allowed, everyone who verifies could sign")]
    Algorithm(Algorithm),
    /// The secret of the key is printed in an RFC.
    #[error("key: its secret is printed in an RFC; make an own one (or allow it, in tests)")]
    TestKey,
}

impl<K: ExternalSigner> SignerBuilder<K> {
    pub(super) fn new(key: K, agent: &str) -> Self {
        Self {
            key,
            agent: agent.to_owned(),
            label: "sig1".to_owned(),
            lifetime: DEFAULT_LIFETIME,
            profile: Profile::default(),
            hosts: Vec::new(),
            components: Vec::new(),
            test_keys: false,
        }
    }

    /// The form of Signature-Agent. Default: [`Profile::Cloudflare`].
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// Another form for one host, without port, in any case.
    pub fn profile_for_host(mut self, host: impl Into<String>, profile: Profile) -> Self {
        self.hosts.push((host.into(), profile));
        self
    }

    /// The time from `created` to `expires`. Default [`DEFAULT_LIFETIME`], at most [`MAX_LIFETIME`].
    pub fn lifetime(mut self, lifetime: Duration) -> Self {
        self.lifetime = lifetime;
        self
    }

    /// The label of the signature. Default `sig1`.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Covers one more component, after `@authority` and the agent.
    pub fn component(mut self, component: Component) -> Self {
        self.components.push(component);
        self
    }

    /// Takes a key whose secret is printed in an RFC. For tests: anyone can sign with it.
    pub fn allow_test_keys(mut self) -> Self {
        self.test_keys = true;
        self
    }

    /// Checks everything and makes the signer.
    ///
    /// # Errors
    /// See [`SignerError`].
    pub fn build(self) -> Result<Signer<K>, SignerError> {
        let keyid = self.key.keyid();
        if !sf::is_sf_string(&keyid) || keyid.contains(['"', '\\']) {
            return Err(SignerError::KeyId);
        }
        if self.key.algorithm() == Algorithm::HmacSha256 {
            return Err(SignerError::Algorithm(Algorithm::HmacSha256));
        }
        if self.key.is_published_test_key() && !self.test_keys {
            return Err(SignerError::TestKey);
        }
        if self.lifetime.subsec_nanos() != 0 || self.lifetime.is_zero() || self.lifetime > MAX_LIFETIME {
            return Err(SignerError::Lifetime(self.lifetime));
        }
        if !sf::is_key(&self.label) {
            return Err(SignerError::Label(self.label));
        }
        if self.hosts.len() > MAX_PROFILE_HOSTS {
            return Err(SignerError::TooManyHosts(self.hosts.len()));
        }
        self.check_components()?;
        let used = |profile| self.profile == profile || self.hosts.iter().any(|(_, own)| *own == profile);
        let forms = [Profile::Cloudflare, Profile::Dictionary, Profile::JwksUrl]
            .map(|profile| if used(profile) { self.form(profile) } else { Ok(Form::default()) });
        let [cloudflare, dictionary, jwks_url] = forms;
        let forms = [cloudflare?, dictionary?, jwks_url?];
        Ok(Signer {
            keyid,
            forms,
            key: self.key,
            label: self.label,
            // At most a day.
            lifetime: i64::try_from(self.lifetime.as_secs()).unwrap_or(60),
            profile: self.profile,
            hosts: self.hosts,
            components: self.components,
        })
    }

    fn check_components(&self) -> Result<(), SignerError> {
        let count = self.components.len().saturating_add(2);
        if count > MAX_COMPONENTS {
            return Err(SignerError::TooManyComponents(count));
        }
        let own =
            |component: &&Component| component.is_plain("@authority") || component.is_plain(SIGNATURE_AGENT);
        if let Some(twice) = first_duplicate(&self.components).or(self.components.iter().find(own)) {
            return Err(SignerError::Duplicate(twice.to_string()));
        }
        let written = |component: &&Component| {
            matches!(component.name(), "signature" | "signature-input" | SIGNATURE_AGENT)
        };
        if let Some(own) = self.components.iter().find(written) {
            return Err(SignerError::OwnField(own.to_string()));
        }
        let foreign = |component: &&Component| component.is_of_request() || component.name() == "@status";
        match self.components.iter().find(foreign) {
            Some(component) => Err(SignerError::NotOfARequest(component.to_string())),
            None => Ok(()),
        }
    }

    fn form(&self, profile: Profile) -> Result<Form, SignerError> {
        let mut url = https_url(&self.agent).map_err(|error| match error {
            AgentError::Invalid(reason) => SignerError::Agent(reason),
            AgentError::NotCovered(_) | AgentError::Missing(_) => SignerError::Agent(String::new()),
        })?;
        let value = if profile == Profile::JwksUrl {
            if is_origin(&url) {
                url.set_path(DIRECTORY_PATH);
            }
            url.set_fragment(None);
            url.to_string()
        } else if is_origin(&url) {
            url.origin().ascii_serialization()
        } else {
            return Err(SignerError::Agent(format!(
                "{:?} has a path or a query; the profile {profile} sends the origin alone",
                self.agent
            )));
        };
        let mut quoted = String::new();
        sf::push_string(&mut quoted, &value);
        let (agent, component) = match profile {
            Profile::Cloudflare => (quoted.clone(), Component::field(SIGNATURE_AGENT)),
            Profile::Dictionary | Profile::JwksUrl => {
                (format!("{}={quoted}", self.label), Component::member(SIGNATURE_AGENT, &self.label))
            }
        };
        let component = component.map_err(|error| SignerError::Agent(error.to_string()))?;
        let agent_line = format!("{component}: {quoted}\n");
        let mut covered = vec![Component::authority(), component];
        covered.extend(self.components.iter().cloned());
        let mut list = String::new();
        push_list(&mut list, &covered);
        Ok(Form { agent, agent_line, list })
    }
}
