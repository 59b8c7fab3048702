//! Why a signed request would fail at a verifier, told before it is sent.

use std::fmt;

use crate::agent::{AgentError, AgentRules, Profile, SIGNATURE_AGENT, covered_agent};
use crate::component::{Component, Name};
use crate::message::Message;
use crate::policy::WEB_BOT_AUTH_TAG;
use crate::received::ReceivedSignature;

/// One thing at which verifiers of a profile take offence.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Objection {
    /// A stable code.
    pub code: &'static str,
    /// What is wrong and what to do, for people.
    pub message: String,
}

impl fmt::Display for Objection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

/// What verifiers of `profile` would object to in a signed request; nothing when it should pass.
///
/// It looks at the form alone: neither key nor time nor signature is checked.
///
/// ```
/// use bot_etiquette_signing::{Message, Profile, Signer, SigningKey, explain_for};
/// use http::Request;
/// use std::time::SystemTime;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let key = SigningKey::from_seed(&[7; 32]);
/// let signer = Signer::builder(key, "https://bot.example").profile(Profile::Dictionary).build()?;
/// let mut request = Request::get("https://example.com/").body(())?;
/// signer.sign(&mut request, SystemTime::UNIX_EPOCH, None)?;
///
/// let codes: Vec<_> =
///     explain_for(&Message::request(&request), Profile::Cloudflare).iter().map(|o| o.code).collect();
/// assert_eq!(codes, ["component-parameter", "agent-form"]);
/// assert!(explain_for(&Message::request(&request), Profile::Dictionary).is_empty());
/// # Ok(()) }
/// ```
#[must_use]
pub fn explain_for(message: &Message<'_>, profile: Profile) -> Vec<Objection> {
    let mut found = Vec::new();
    let mut object = |code, message: String| found.push(Objection { code, message });
    let received = match ReceivedSignature::all(message) {
        Ok(received) => received,
        Err(error) => {
            object("malformed", error.to_string());
            return found;
        }
    };
    let is_bots =
        |one: &&ReceivedSignature| one.params().and_then(|p| p.text("tag")) == Some(WEB_BOT_AUTH_TAG);
    let Some(signature) = received.iter().find(is_bots) else {
        object("no-signature", format!("no signature has the tag \"{WEB_BOT_AUTH_TAG}\""));
        return found;
    };
    let components = match signature.components() {
        Ok(components) => components,
        Err(error) => {
            object("malformed", error.to_string());
            return found;
        }
    };
    if let Err(error) = signature.signature() {
        object("malformed", error.to_string());
    }
    if let Some(params) = signature.params() {
        for name in ["created", "expires", "keyid"] {
            if !params.contains(name) {
                object("missing-parameter", format!("\"{name}\" is absent"));
            }
        }
        if let Some(alg) = params.text("alg")
            && profile == Profile::Cloudflare
            && alg != "ed25519"
        {
            object("algorithm", format!("\"{alg}\"; only ed25519 is verified"));
        }
    }
    let target = |c: &Component| {
        c.is_plain("@authority") || (c.is_plain("@target-uri") && profile != Profile::Cloudflare)
    };
    if !components.iter().any(target) {
        object("target", "\"@authority\" is not covered".to_owned());
    }
    if profile == Profile::Cloudflare {
        for component in components {
            if matches!(component.name, Name::QueryParam(_) | Name::Status) {
                object("component", format!("{component} is not supported; leave it out"));
            } else if component.has_parameters() {
                object(
                    "component-parameter",
                    format!("{component}: sf, bs, key, req and name are not supported"),
                );
            }
        }
    }
    let rules = AgentRules { profiles: Some(&[profile]), any_member: false };
    match covered_agent(message.headers, components, signature.label(), rules) {
        Ok(Some(_)) => {}
        Ok(None) => object("agent-missing", "the request has no Signature-Agent".to_owned()),
        Err(AgentError::Invalid(reason)) => object("agent-form", reason),
        Err(AgentError::NotCovered(reason)) => object("agent-not-covered", reason.to_owned()),
        Err(AgentError::Missing(key)) => {
            object("agent-form", format!("{SIGNATURE_AGENT} has no member \"{key}\""))
        }
    }
    found
}
