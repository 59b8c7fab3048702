//! What a verifier asks of a signature.

use std::time::Duration;

use crate::component::Component;
use crate::{Algorithm, Profile};

/// The tag of signed requests of bots.
pub const WEB_BOT_AUTH_TAG: &str = "web-bot-auth";

/// The tag of signed key directories.
pub const DIRECTORY_TAG: &str = "http-message-signatures-directory";

/// The longest window from `created` to `expires` that Web Bot Auth lets pass: a day.
pub const MAX_LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

/// How far a signer's clock may be ahead unless said otherwise.
pub const DEFAULT_SKEW: Duration = Duration::from_secs(30);

/// The largest skew a policy takes; a larger one is cut to it.
pub const MAX_SKEW: Duration = Duration::from_secs(300);

/// What a signature must have to be believed. The defaults are the safe ones.
///
/// | | [`web_bot_auth`](Self::web_bot_auth) | [`rfc9421`](Self::rfc9421) |
/// |---|---|---|
/// | tag | `web-bot-auth` | any |
/// | parameters | `created`, `expires`, `keyid` | none |
/// | covered | `@authority` or `@target-uri`; Signature-Agent when sent | none |
/// | `keyid` | the RFC 7638 thumbprint | whatever the lookup knows |
/// | window | 24 h at most | any |
/// | algorithms | all but `hmac-sha256` | all |
///
/// In both: `created` at most 30 s ahead, no grace after `expires`, weak keys and the keys printed in RFCs
/// refused, base64 only as an encoder writes it.
///
/// ```
/// use bot_etiquette_signing::{Component, Policy};
/// use std::time::Duration;
///
/// let policy = Policy::web_bot_auth()
///     .with_max_lifetime(Some(Duration::from_secs(300)))
///     .require_component(Component::method());
/// # let _ = policy;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    pub(crate) tag: Option<String>,
    pub(crate) web_bot_auth: bool,
    pub(crate) required_params: Vec<&'static str>,
    pub(crate) required_components: Vec<Component>,
    pub(crate) max_lifetime: Option<Duration>,
    pub(crate) max_age: Option<Duration>,
    pub(crate) skew: Duration,
    pub(crate) algorithms: Vec<Algorithm>,
    pub(crate) profiles: Option<Vec<Profile>>,
    pub(crate) test_keys: bool,
    pub(crate) lenient: bool,
}

impl Policy {
    /// What Web Bot Auth asks of a signed request.
    #[must_use]
    pub fn web_bot_auth() -> Self {
        let mut policy = Self::rfc9421();
        policy.tag = Some(WEB_BOT_AUTH_TAG.to_owned());
        policy.web_bot_auth = true;
        policy.required_params = vec!["created", "expires", "keyid"];
        policy.max_lifetime = Some(MAX_LIFETIME);
        policy.algorithms.retain(|algorithm| *algorithm != Algorithm::HmacSha256);
        policy
    }

    /// RFC 9421 alone: the application must add what it needs to be covered (RFC 9421 1.4, 3.2.1).
    #[must_use]
    pub fn rfc9421() -> Self {
        Self {
            tag: None,
            web_bot_auth: false,
            required_params: Vec::new(),
            required_components: Vec::new(),
            max_lifetime: None,
            max_age: None,
            skew: DEFAULT_SKEW,
            algorithms: Algorithm::ALL.to_vec(),
            profiles: None,
            test_keys: false,
            lenient: false,
        }
    }

    /// The tag that a signature must have.
    #[must_use]
    pub fn with_tag(mut self, tag: impl Into<String>) -> Self {
        self.tag = Some(tag.into());
        self
    }

    /// A component that must be covered, besides those of the profile.
    #[must_use]
    pub fn require_component(mut self, component: Component) -> Self {
        self.required_components.push(component);
        self
    }

    /// Asks for a `nonce`, so that a [`NonceStore`](crate::NonceStore) sees every signature.
    #[must_use]
    pub fn require_nonce(mut self) -> Self {
        self.required_params.push("nonce");
        self
    }

    /// The longest time from `created` to `expires`; none = any. Default: 24 h for Web Bot Auth, else none.
    #[must_use]
    pub fn with_max_lifetime(mut self, lifetime: Option<Duration>) -> Self {
        self.max_lifetime = lifetime;
        self
    }

    /// The longest time since `created`, whatever `expires` says; none = any (default).
    #[must_use]
    pub fn with_max_age(mut self, age: Option<Duration>) -> Self {
        self.max_age = age;
        self
    }

    /// How far `created` may lie ahead of the clock. Default 30 s, at most [`MAX_SKEW`].
    #[must_use]
    pub fn with_skew(mut self, skew: Duration) -> Self {
        self.skew = skew.min(MAX_SKEW);
        self
    }

    /// The algorithms allowed, in place of the profile's.
    #[must_use]
    pub fn with_algorithms(mut self, algorithms: &[Algorithm]) -> Self {
        self.algorithms = algorithms.to_vec();
        self
    }

    /// The forms of Signature-Agent accepted. Default: all.
    ///
    /// With [`Profile::Dictionary`] alone a member may also hold the URL of a key set, marked
    /// `type=jwks_uri`, as the drafts before the working group's allow.
    #[must_use]
    pub fn with_profiles(mut self, profiles: &[Profile]) -> Self {
        self.profiles = Some(profiles.to_vec());
        self
    }

    /// Accepts the keys whose secrets are printed in RFCs. For tests only: anyone can sign with them.
    ///
    /// With those keys the published vectors of the Web Bot Auth drafts verify too, although their
    /// window is a hundred years and their agent's member is not keyed by the label.
    #[must_use]
    pub fn allow_test_keys(mut self) -> Self {
        self.test_keys = true;
        self
    }

    /// Accepts base64 without padding or with stray bits, and a Signature-Agent member keyed otherwise than
    /// the label of its signature, as early signers send them.
    #[must_use]
    pub fn lenient(mut self) -> Self {
        self.lenient = true;
        self
    }
}

impl Default for Policy {
    /// [`Policy::web_bot_auth`].
    fn default() -> Self {
        Self::web_bot_auth()
    }
}
