//! How a verification ends: verified, invalid or unverified, with a stable reason.

use std::fmt;
use std::time::SystemTime;

use crate::agent::SignatureAgent;
use crate::base::SignatureBase;
use crate::{Algorithm, Profile};

/// The end of a verification.
///
/// The three are kept apart because they call for different answers: an invalid signature is a forgery or a
/// fault of the signer, an unverified one says nothing about the sender.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The signature fits, within the policy.
    Verified(Box<Verified>),
    /// There is a signature, and it must not be believed.
    Invalid {
        /// Why.
        reason: InvalidReason,
        /// What was expected, what came and where, for people.
        detail: String,
    },
    /// There is nothing to believe or to refuse.
    Unverified {
        /// Why.
        reason: UnverifiedReason,
        /// What was missing, for people.
        detail: String,
    },
}

/// What a good signature vouches for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// The label, which is not signed.
    pub label: String,
    /// The agent named by a covered Signature-Agent field.
    pub agent: Option<SignatureAgent>,
    /// The key's name as signed.
    pub keyid: Option<String>,
    /// The algorithm it was verified with.
    pub algorithm: Algorithm,
    /// When the signature was made, by the signer's word.
    pub created: Option<SystemTime>,
    /// When it ends.
    pub expires: Option<SystemTime>,
    /// The application it is for.
    pub tag: Option<String>,
    /// The nonce as signed.
    pub nonce: Option<String>,
    /// Whether the content is vouched for.
    pub content: ContentCheck,
    /// The text that was signed: see [`SignatureBase::covered`] for what it covers. Trust nothing else.
    pub base: SignatureBase,
}

impl Verified {
    /// Which form of Signature-Agent was used, when one was.
    #[must_use]
    pub fn profile(&self) -> Option<Profile> {
        self.agent.as_ref().map(SignatureAgent::profile)
    }
}

/// Whether the signature vouches for the content of the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContentCheck {
    /// `content-digest` is not covered: the content may be anybody's.
    NotCovered,
    /// `content-digest` is covered, and the content was not given: call
    /// [`check_content_digest`](crate::check_content_digest) when it has come.
    Pending,
    /// `content-digest` is covered and fits the content.
    Matches,
}

impl Outcome {
    /// `verified`, `invalid` or `unverified`.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Verified(_) => "verified",
            Self::Invalid { .. } => "invalid",
            Self::Unverified { .. } => "unverified",
        }
    }

    /// The code of the reason, when it is not verified.
    #[must_use]
    pub fn reason(&self) -> Option<&'static str> {
        match self {
            Self::Verified(_) => None,
            Self::Invalid { reason, .. } => Some(reason.as_str()),
            Self::Unverified { reason, .. } => Some(reason.as_str()),
        }
    }

    /// What was verified, when it was.
    #[must_use]
    pub fn verified(&self) -> Option<&Verified> {
        match self {
            Self::Verified(verified) => Some(verified),
            _ => None,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Verified(verified) => write!(f, "verified (label {})", verified.label),
            Self::Invalid { reason, detail } => write!(f, "invalid, {reason}: {detail}"),
            Self::Unverified { reason, detail } => write!(f, "unverified, {reason}: {detail}"),
        }
    }
}

/// Declares a reason enum with its codes, so that the list of all cannot fall behind.
macro_rules! reasons {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $code:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// All reasons.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The stable code.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code,)* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

reasons! {
    /// Why a signature must not be believed.
    InvalidReason {
        /// A field, a label, a component or a parameter cannot be read.
        Malformed = "malformed",
        /// A parameter that the policy asks for is absent.
        MissingParameter = "missing-parameter",
        /// The signature is for another application.
        WrongTag = "wrong-tag",
        /// The time is at or after `expires`.
        Expired = "expired",
        /// `created` lies in the future.
        NotYetValid = "not-yet-valid",
        /// The time from `created` to `expires` is longer than the policy allows.
        WindowTooLong = "window-too-long",
        /// `expires` is not after `created`, or one of them before 1970.
        BadWindow = "bad-window",
        /// A covered component is not in the message.
        ComponentMissing = "component-missing",
        /// A component is covered twice.
        ComponentDuplicate = "component-duplicate",
        /// A covered component is not defined, or not for this kind of message.
        ComponentUnknown = "component-unknown",
        /// A component that the policy asks for is not covered.
        ComponentNotCovered = "component-not-covered",
        /// The algorithm is unknown, or the policy does not allow it.
        AlgorithmNotAllowed = "algorithm-not-allowed",
        /// `alg` and the key disagree.
        AlgorithmMismatch = "algorithm-mismatch",
        /// `keyid` is no thumbprint, or not that of the key.
        KeyIdMismatch = "key-id-mismatch",
        /// Some signature of this key fits every message.
        WeakKey = "weak-key",
        /// The secret of this key is printed in an RFC.
        TestKey = "test-key",
        /// The base64 of the signature, or a covered value, has bytes that must not be there.
        BadEncoding = "bad-encoding",
        /// The signature is longer or shorter than the algorithm makes it.
        BadLength = "bad-length",
        /// The signature does not fit the message and the key.
        SignatureMismatch = "signature-mismatch",
        /// The content does not fit the covered `content-digest`.
        DigestMismatch = "digest-mismatch",
        /// Signature-Agent is no https URL in a known form.
        AgentInvalid = "agent-invalid",
        /// The nonce was used before.
        Replayed = "replayed",
    }
}

reasons! {
    /// Why there is nothing to believe or to refuse.
    UnverifiedReason {
        /// The message has no signature for this application.
        NoSignature = "no-signature",
        /// No agent is named, so that there is no directory to take the key from.
        NoAgent = "no-agent",
        /// The agent's directory has no such key.
        KeyUnknown = "key-unknown",
        /// The agent's directory could not be read.
        DirectoryUnavailable = "directory-unavailable",
    }
}
