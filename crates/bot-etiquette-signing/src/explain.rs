//! Why a signed request would fail at a verifier, told before it is sent.

use std::fmt;

use crate::agent::{AgentError, AgentRules, Profile, SIGNATURE_AGENT, covered_agent};
use crate::component::{Component, Name};
use crate::message::Message;
use crate::policy::{MAX_LIFETIME, WEB_BOT_AUTH_TAG};
use crate::received::ReceivedSignature;
use crate::{Algorithm, Thumbprint};

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
/// It looks at the form alone: neither key nor time nor signature is checked. The codes are `no-signature`,
/// `malformed`, `missing-parameter`, `keyid`, `window`, `algorithm`, `target`, `component`, `component-parameter`,
/// `agent-missing`, `agent-not-covered` and `agent-form`.
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
        if let Err(error) = params.check_types().and_then(|()| params.check_texts()) {
            object("malformed", error.to_string());
        }
        if let Some(keyid) = params.text("keyid")
            && !Thumbprint::has_form_of(keyid)
        {
            object("keyid", format!("\"{keyid}\" is no thumbprint (43 characters of base64url)"));
        }
        if let (Some(created), Some(expires)) = (params.created_at(), params.expires_at())
            && !expires.duration_since(created).is_ok_and(|time| !time.is_zero() && time <= MAX_LIFETIME)
        {
            object("window", "expires must come after created, by a day at the most".to_owned());
        }
        match params.text("alg") {
            Some("ed25519") | None => {}
            Some(alg) if profile == Profile::Cloudflare => {
                object("algorithm", format!("\"{alg}\"; only ed25519 is verified"));
            }
            Some(alg) => match alg.parse() {
                Ok(Algorithm::HmacSha256) | Err(_) => {
                    object("algorithm", format!("\"{alg}\" is not allowed"));
                }
                Ok(_) => {}
            },
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
