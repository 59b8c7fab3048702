//! Verification (RFC 9421 3.2), closed at every step: what is not proved is refused.

mod checks;

use std::time::SystemTime;

use crate::agent::SignatureAgent;
use crate::base::SignatureBase;
use crate::lookup::{KeyLookup, NonceStore};
use crate::message::Message;
use crate::outcome::{InvalidReason, Outcome, UnverifiedReason, Verified};
use crate::policy::Policy;
use crate::received::{FieldError, ReceivedSignature};

/// Verifies messages by one [`Policy`].
///
/// The steps, each of which must hold before the next is taken: both fields are read; the signature is chosen
/// by its tag; parameters have their types and those asked for are present; what must be covered is covered;
/// the time lies in the window; the key is found by (agent, `keyid`); policy, key and `alg` agree on the
/// algorithm; the base is built and the signature fits it; the content fits its digest; the nonce is new.
///
/// ```
/// use bot_etiquette_signing::{KeyMaterial, Lookup, Message, Policy, SignatureAgent, Signer, SigningKey, Verifier};
/// use http::Request;
/// use std::time::{Duration, SystemTime};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let key = SigningKey::from_seed(&[7; 32]);
/// let material = KeyMaterial::from(&key);
/// let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
///
/// let mut request = Request::get("https://example.com/page").body(())?;
/// Signer::builder(key, "https://bot.example").build()?.sign(&mut request, now, None)?;
///
/// let verifier = Verifier::new(Policy::web_bot_auth());
/// let lookup = |_: Option<&SignatureAgent>, _: Option<&str>| Lookup::Found(material.clone());
/// let outcome = verifier.verify(&Message::request(&request), now, &lookup);
/// let verified = outcome.verified().ok_or("not verified")?;
/// assert_eq!(verified.agent.as_ref().map(SignatureAgent::as_str), Some("https://bot.example"));
///
/// let later = now + Duration::from_secs(60);
/// let outcome = verifier.verify(&Message::request(&request), later, &lookup);
/// assert_eq!(outcome.reason(), Some("expired"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Verifier {
    policy: Policy,
    label: Option<String>,
}

/// A verification step by step, as [`Verifier::examine`] gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Examination {
    /// The end.
    pub outcome: Outcome,
    /// The label of the signature that was judged.
    pub label: Option<String>,
    /// Its `keyid`, not proved unless the outcome is verified.
    pub keyid: Option<String>,
    /// The agent it names, not proved unless the outcome is verified.
    pub agent: Option<SignatureAgent>,
    /// The base, when it could be built.
    pub base: Option<SignatureBase>,
    /// The steps that were taken, the last one being where it ended.
    pub steps: Vec<Step>,
}

/// One step of a verification.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// A short name.
    pub name: &'static str,
    /// Whether it held.
    pub held: bool,
    /// What was found.
    pub detail: String,
}

/// Why a step did not hold.
#[derive(Debug)]
enum Failure {
    Invalid(InvalidReason, String),
    Unverified(UnverifiedReason, String),
}

/// What is known of the signature under judgement, filled in step by step when somebody asked for the steps.
#[derive(Debug, Default)]
struct Attempt {
    label: Option<String>,
    keyid: Option<String>,
    agent: Option<SignatureAgent>,
    base: Option<SignatureBase>,
    /// None when nobody asked for the steps.
    steps: Option<Vec<Step>>,
}

impl Attempt {
    fn pass(&mut self, name: &'static str, detail: impl FnOnce() -> String) {
        if let Some(steps) = &mut self.steps {
            steps.push(Step { name, held: true, detail: detail() });
        }
    }
}

impl Verifier {
    /// A verifier by this policy.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        Self { policy, label: None }
    }

    /// Judges the signature with this label alone, whatever its tag; a wrong tag is then a reason.
    ///
    /// Labels are not signed: use it where a label was agreed on, such as with Accept-Signature.
    #[must_use]
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Verifies without a memory of nonces.
    #[must_use]
    pub fn verify(&self, message: &Message<'_>, now: SystemTime, keys: &dyn KeyLookup) -> Outcome {
        self.run(message, now, keys, None, false).outcome
    }

    /// Verifies, and refuses a nonce that was used before. A signature without one passes, unless the policy
    /// [asks for it](Policy::require_nonce).
    #[must_use]
    pub fn verify_once(
        &self,
        message: &Message<'_>,
        now: SystemTime,
        keys: &dyn KeyLookup,
        nonces: &dyn NonceStore,
    ) -> Outcome {
        self.run(message, now, keys, Some(nonces), false).outcome
    }

    /// Verifies and tells every step. Slower than [`verify`](Self::verify), for people.
    #[must_use]
    pub fn examine(&self, message: &Message<'_>, now: SystemTime, keys: &dyn KeyLookup) -> Examination {
        self.run(message, now, keys, None, true)
    }

    fn run(
        &self,
        message: &Message<'_>,
        now: SystemTime,
        keys: &dyn KeyLookup,
        nonces: Option<&dyn NonceStore>,
        steps: bool,
    ) -> Examination {
        let attempt = || Attempt { steps: steps.then(Vec::new), ..Attempt::default() };
        let received = match ReceivedSignature::all(message) {
            Ok(received) => received,
            Err(error) => return end(attempt(), Err(unreadable(&error))),
        };
        let chosen = match self.choose(&received) {
            Ok(chosen) => chosen,
            Err(failure) => return end(attempt(), Err(failure)),
        };
        let mut first = None;
        for signature in chosen {
            let mut attempt = attempt();
            let result = checks::judge(&self.policy, message, signature, now, keys, nonces, &mut attempt);
            let examination = end(attempt, result);
            if examination.outcome.verified().is_some() {
                return examination;
            }
            first.get_or_insert(examination);
        }
        first.unwrap_or_else(|| end(attempt(), Err(none("the message has no signature"))))
    }

    /// The signatures to judge: the labelled one, those with the tag, or the only one there is.
    fn choose<'r>(&self, received: &'r [ReceivedSignature]) -> Result<Vec<&'r ReceivedSignature>, Failure> {
        if let Some(label) = &self.label {
            return match received.iter().find(|signature| signature.label() == label) {
                Some(signature) => Ok(vec![signature]),
                None => Err(none(&format!("no signature has the label \"{label}\""))),
            };
        }
        let tag = self.policy.tag.as_deref();
        let tagged = |signature: &&ReceivedSignature| {
            tag.is_none() || signature.params().and_then(|params| params.text("tag")) == tag
        };
        let chosen: Vec<_> = received.iter().filter(tagged).collect();
        match (chosen.is_empty(), received) {
            (false, _) => Ok(chosen),
            // A single one is judged, so that its signer learns what is wrong with its tag.
            (true, [only]) => Ok(vec![only]),
            (true, []) => Err(none("the message has no signature")),
            (true, _) => {
                Err(none(&format!("none of the signatures has the tag \"{}\"", tag.unwrap_or_default())))
            }
        }
    }
}

fn none(detail: &str) -> Failure {
    Failure::Unverified(UnverifiedReason::NoSignature, detail.to_owned())
}

fn unreadable(error: &FieldError) -> Failure {
    let reason = match error {
        FieldError::NotAscii { .. } => InvalidReason::BadEncoding,
        // The parser decodes base64 while it reads the field.
        FieldError::Syntax { field: "signature", error } if error.is_base64() => InvalidReason::BadEncoding,
        _ => InvalidReason::Malformed,
    };
    Failure::Invalid(reason, error.to_string())
}

fn end(attempt: Attempt, result: Result<Verified, Failure>) -> Examination {
    let (name, held, detail, outcome) = match result {
        Ok(verified) => ("verdict", true, "verified".to_owned(), Outcome::Verified(Box::new(verified))),
        Err(Failure::Invalid(reason, detail)) => {
            (reason.as_str(), false, detail.clone(), Outcome::Invalid { reason, detail })
        }
        Err(Failure::Unverified(reason, detail)) => {
            (reason.as_str(), false, detail.clone(), Outcome::Unverified { reason, detail })
        }
    };
    let steps = attempt.steps.map(|mut steps| {
        steps.push(Step { name, held, detail });
        steps
    });
    Examination {
        outcome,
        label: attempt.label,
        keyid: attempt.keyid,
        agent: attempt.agent,
        base: attempt.base,
        steps: steps.unwrap_or_default(),
    }
}
