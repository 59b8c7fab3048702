//! The steps of a verification, in their order.

use std::time::{Duration, SystemTime};

use http::header::CONTENT_TYPE;

use super::{Attempt, Failure};
use crate::agent::{AgentError, AgentRules, SIGNATURE_AGENT, covered_agent};
use crate::base::{BaseError, SignatureBase, first_duplicate};
use crate::component::{Component, ComponentError};
use crate::digest::{CONTENT_DIGEST, check_content_digest};
use crate::directory::MEDIA_TYPE;
use crate::lookup::{KeyLookup, Lookup, NonceStore};
use crate::message::{Message, ValueError};
use crate::outcome::{ContentCheck, InvalidReason, UnverifiedReason, Verified};
use crate::params::SignatureParams;
use crate::policy::{DIRECTORY_TAG, Policy};
use crate::received::{MemberError, ReceivedSignature};
use crate::time::unix_seconds;
use crate::{Algorithm, KeyMaterial, Thumbprint};

/// The window of the vectors that the Web Bot Auth drafts publish: 2025-01-01 and a hundred years on.
const PUBLISHED_WINDOW: (i64, i64) = (1_735_689_600, 4_889_289_600);

pub(super) fn judge(
    policy: &Policy,
    message: &Message<'_>,
    received: &ReceivedSignature,
    now: SystemTime,
    keys: &dyn KeyLookup,
    nonces: Option<&dyn NonceStore>,
    attempt: &mut Attempt,
) -> Result<Verified, Failure> {
    let told = attempt.steps.is_some();
    attempt.label = told.then(|| received.label().to_owned());
    let Some(params) = received.params() else { return Err(member(received.components().err())) };
    attempt.keyid = params.text("keyid").filter(|_| told).map(str::to_owned);
    let signature = received.signature().map_err(|error| member(Some(error)))?;
    let components = received.components().map_err(|error| member(Some(error)))?;
    if told {
        // For people: the base is shown wherever the judgement ends.
        attempt.base = SignatureBase::build(message, components, params).ok();
    }
    attempt.pass("fields", || {
        format!("label {}: {} components, {} bytes", received.label(), components.len(), signature.len())
    });
    if !received.is_canonical() && !policy.lenient {
        return Err(invalid(
            InvalidReason::BadEncoding,
            "the base64 of the signature is not as an encoder writes it",
        ));
    }

    params
        .check_types()
        .and_then(|()| params.check_texts())
        .map_err(|error| invalid(InvalidReason::Malformed, error.to_string()))?;
    check_tag(policy, message, params, components)?;
    check_present(policy, params)?;
    attempt.pass("parameters", || params.to_string());

    check_coverage(policy, message, components)?;
    let published_window = policy.test_keys
        && (params.integer("created"), params.integer("expires"))
            == (Some(PUBLISHED_WINDOW.0), Some(PUBLISHED_WINDOW.1));
    let agent = agent(policy, message, received.label(), components, published_window)?;
    attempt.agent = agent.as_ref().filter(|_| told).cloned();
    attempt.pass("coverage", || list(components));

    check_window(policy, params, now, published_window)?;
    attempt.pass("window", || window(params, now));

    let key = find_key(policy, params, agent.as_ref(), keys)?;
    check_key(policy, params, &key)?;
    if published_window && !key.is_published_test_key() {
        check_window(policy, params, now, false)?;
    }
    attempt.pass("key", || format!("found, thumbprint {}", key.thumbprint()));

    let algorithm = agree(policy, params, &key)?;
    attempt.pass("algorithm", || algorithm.to_string());

    let base = SignatureBase::build(message, components, params).map_err(|error| base_failure(&error))?;
    attempt.pass("base", || format!("{} bytes", base.as_bytes().len()));
    if signature.len() != key.signature_length() {
        let detail = format!("{} bytes; {algorithm} makes {}", signature.len(), key.signature_length());
        return Err(invalid(InvalidReason::BadLength, detail));
    }
    if !key.verify(algorithm, base.as_bytes(), signature) {
        return Err(invalid(
            InvalidReason::SignatureMismatch,
            "the signature fits neither this message nor this key; compare the base with the signer's",
        ));
    }
    attempt.pass("signature", || format!("fits by {algorithm}"));

    let content = match check_content(message, components) {
        Ok(content) => content,
        Err(failure) => {
            return Err(failure);
        }
    };
    if let (Some(nonces), Some(nonce)) = (nonces, params.text("nonce"))
        && !nonces.check_and_record(params.text("keyid").unwrap_or_default(), nonce, params.expires_at())
    {
        return Err(invalid(InvalidReason::Replayed, "the nonce was used before"));
    }
    Ok(Verified {
        label: received.label().to_owned(),
        agent,
        keyid: params.text("keyid").map(str::to_owned),
        algorithm,
        created: params.created_at(),
        expires: params.expires_at(),
        tag: params.text("tag").map(str::to_owned),
        nonce: params.text("nonce").map(str::to_owned),
        content,
        base,
    })
}

/// The tag the policy asks for, and the rules that go with the two tags this crate knows.
fn check_tag(
    policy: &Policy,
    message: &Message<'_>,
    params: &SignatureParams,
    components: &[Component],
) -> Result<(), Failure> {
    let tag = params.text("tag");
    match (&policy.tag, tag) {
        (Some(wanted), None) => {
            return Err(invalid(InvalidReason::MissingParameter, format!("\"tag\" must be \"{wanted}\"")));
        }
        (Some(wanted), Some(found)) if wanted != found => {
            return Err(invalid(InvalidReason::WrongTag, format!("\"{found}\" in place of \"{wanted}\"")));
        }
        _ => {}
    }
    match tag {
        Some(DIRECTORY_TAG) => check_directory(message, components),
        // What covers Signature-Agent speaks for a bot, and must say so.
        None if components.iter().any(|c| c.name() == SIGNATURE_AGENT && !c.is_of_request()) => Err(invalid(
            InvalidReason::MissingParameter,
            "a signature over Signature-Agent needs its \"tag\"",
        )),
        _ => Ok(()),
    }
}

/// A signed key directory is a response of its media type, bound to the authority that was asked.
fn check_directory(message: &Message<'_>, components: &[Component]) -> Result<(), Failure> {
    if message.is_request() {
        return Err(invalid(InvalidReason::WrongTag, format!("\"{DIRECTORY_TAG}\" on a request")));
    }
    let media_type =
        message.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case(MEDIA_TYPE) {
        let detail = format!("a key directory of the media type \"{essence}\"; it must be {MEDIA_TYPE}");
        return Err(invalid(InvalidReason::Malformed, detail));
    }
    let bound = |c: &Component| c.name() == "@authority" && c.is_of_request();
    let unbound = |c: &Component| c.name() == "@authority" && !c.is_of_request();
    if components.iter().any(unbound) {
        return Err(invalid(
            InvalidReason::ComponentUnknown,
            "a response has no \"@authority\" without \"req\"",
        ));
    }
    if !components.iter().any(bound) {
        return Err(invalid(
            InvalidReason::ComponentNotCovered,
            "a key directory must cover \"@authority\";req",
        ));
    }
    Ok(())
}

fn check_present(policy: &Policy, params: &SignatureParams) -> Result<(), Failure> {
    match policy.required_params.iter().find(|name| !params.contains(name)) {
        Some(name) => Err(invalid(InvalidReason::MissingParameter, format!("\"{name}\" is absent"))),
        None => Ok(()),
    }
}

fn check_coverage(policy: &Policy, message: &Message<'_>, components: &[Component]) -> Result<(), Failure> {
    if let Some(twice) = first_duplicate(components) {
        return Err(invalid(InvalidReason::ComponentDuplicate, format!("{twice} is covered twice")));
    }
    if let Some(foreign) = components.iter().find(|c| c.is_of_request() && message.is_request()) {
        return Err(invalid(
            InvalidReason::ComponentUnknown,
            format!("{foreign}: \"req\" has no sense on a request"),
        ));
    }
    let not_covered = |detail: String| Err(invalid(InvalidReason::ComponentNotCovered, detail));
    if let Some(wanted) = policy.required_components.iter().find(|wanted| !components.contains(wanted)) {
        return not_covered(format!("{wanted} is not covered"));
    }
    if !policy.web_bot_auth {
        return Ok(());
    }
    // Without its target, what was signed for one site could be sent to any; a response names that of its request.
    let names_target = |c: &Component| {
        matches!(c.name(), "@authority" | "@target-uri") && c.is_of_request() != message.is_request()
    };
    if !components.iter().any(names_target) {
        let of_request = if message.is_request() { "" } else { ";req" };
        return not_covered(format!(
            "neither \"@authority\"{of_request} nor \"@target-uri\"{of_request} is covered"
        ));
    }
    // A signature over another one stands only with all that the other covers.
    let is_inner = |c: &&Component| c.name() == "signature" && !c.is_of_request();
    if !components.iter().any(|component| is_inner(&component)) {
        return Ok(());
    }
    let inner = components.iter().filter(is_inner);
    // Read once more, in this rare case alone.
    let others = ReceivedSignature::all(message).unwrap_or_default();
    for component in inner {
        let other = others.iter().find(|other| Some(other.label()) == component.key());
        let inputs = Component::member("signature-input", component.key().unwrap_or_default());
        let whole = other.and_then(|other| other.components().ok()).zip(inputs.ok()).is_some_and(
            |(theirs, input)| components.contains(&input) && theirs.iter().all(|c| components.contains(c)),
        );
        if !whole {
            return not_covered(format!("{component} is covered without all that it covers itself"));
        }
    }
    Ok(())
}

fn agent(
    policy: &Policy,
    message: &Message<'_>,
    label: &str,
    components: &[Component],
    published_window: bool,
) -> Result<Option<crate::SignatureAgent>, Failure> {
    if !policy.web_bot_auth {
        // Elsewhere it is a field like any other.
        return Ok(None);
    }
    let covers = |c: &Component| c.name() == SIGNATURE_AGENT && !c.is_of_request() && !c.is_of_trailers();
    if components.iter().any(covers) && !message.headers.contains_key(SIGNATURE_AGENT) {
        let detail = "Signature-Agent is covered, and the message has none";
        return Err(invalid(InvalidReason::ComponentMissing, detail));
    }
    let any_member = policy.lenient || published_window;
    let rules = AgentRules { profiles: policy.profiles.as_deref(), any_member };
    covered_agent(message.headers, components, label, rules).map_err(|error| match error {
        AgentError::Invalid(detail) => {
            invalid(InvalidReason::AgentInvalid, format!("Signature-Agent: {detail}"))
        }
        AgentError::NotCovered(detail) => invalid(InvalidReason::ComponentNotCovered, detail),
        AgentError::Missing(key) => {
            invalid(InvalidReason::ComponentMissing, format!("Signature-Agent has no member \"{key}\""))
        }
    })
}

fn check_window(
    policy: &Policy,
    params: &SignatureParams,
    now: SystemTime,
    published_window: bool,
) -> Result<(), Failure> {
    let now = unix_seconds(now);
    let seconds = |duration: Duration| i64::try_from(duration.as_secs()).unwrap_or(i64::MAX);
    let (created, expires) = (params.integer("created"), params.integer("expires"));
    if let Some(early) = [created, expires].into_iter().flatten().find(|time| *time < 0) {
        return Err(invalid(InvalidReason::BadWindow, format!("the time {early} is before 1970")));
    }
    if let (Some(created), Some(expires)) = (created, expires) {
        if expires <= created {
            let detail = format!("expires {expires} is not after created {created}");
            return Err(invalid(InvalidReason::BadWindow, detail));
        }
        let lifetime = expires.saturating_sub(created);
        if let Some(longest) = policy.max_lifetime
            && lifetime > seconds(longest)
            && !published_window
        {
            let detail = format!("{lifetime} s from created to expires; {} are allowed", longest.as_secs());
            return Err(invalid(InvalidReason::WindowTooLong, detail));
        }
    }
    if let Some(created) = created {
        let ahead = created.saturating_sub(now);
        if ahead > seconds(policy.skew) {
            return Err(invalid(
                InvalidReason::NotYetValid,
                format!("created {created} is {ahead} s ahead of {now}"),
            ));
        }
        if let Some(oldest) = policy.max_age
            && now.saturating_sub(created) > seconds(oldest)
        {
            let detail =
                format!("made {} s ago; {} are allowed", now.saturating_sub(created), oldest.as_secs());
            return Err(invalid(InvalidReason::Expired, detail));
        }
    }
    match expires {
        Some(expires) if expires <= now => {
            Err(invalid(InvalidReason::Expired, format!("expires {expires} is not after the time, {now}")))
        }
        _ => Ok(()),
    }
}

fn find_key(
    policy: &Policy,
    params: &SignatureParams,
    agent: Option<&crate::SignatureAgent>,
    keys: &dyn KeyLookup,
) -> Result<KeyMaterial, Failure> {
    let keyid = params.text("keyid");
    if let Some(keyid) = keyid
        && policy.web_bot_auth
        && !Thumbprint::has_form_of(keyid)
    {
        let detail = format!("keyid \"{keyid}\" is no thumbprint (43 characters of base64url)");
        return Err(invalid(InvalidReason::KeyIdMismatch, detail));
    }
    let named = keyid.unwrap_or("none");
    match keys.key(agent, keyid) {
        Lookup::Found(key) => Ok(key),
        Lookup::Unknown if policy.web_bot_auth && agent.is_none() => Err(Failure::Unverified(
            UnverifiedReason::NoAgent,
            "the message has no Signature-Agent, so that no directory is known".to_owned(),
        )),
        Lookup::Unknown => Err(Failure::Unverified(
            UnverifiedReason::KeyUnknown,
            format!("no key has the keyid \"{named}\""),
        )),
        Lookup::Unavailable => Err(Failure::Unverified(
            UnverifiedReason::DirectoryUnavailable,
            "the agent's key directory could not be read".to_owned(),
        )),
    }
}

fn check_key(policy: &Policy, params: &SignatureParams, key: &KeyMaterial) -> Result<(), Failure> {
    if key.is_weak() {
        return Err(invalid(InvalidReason::WeakKey, "the key is weak: some signature fits every message"));
    }
    if key.is_published_test_key() && !policy.test_keys {
        return Err(invalid(InvalidReason::TestKey, "the secret of this key is printed in an RFC"));
    }
    if policy.web_bot_auth && params.text("keyid") != Some(key.thumbprint().as_str()) {
        let detail = format!("the thumbprint of the key is {}", key.thumbprint());
        return Err(invalid(InvalidReason::KeyIdMismatch, detail));
    }
    Ok(())
}

/// The algorithm that policy, key and `alg` agree on (RFC 9421 3.2, step 6).
fn agree(policy: &Policy, params: &SignatureParams, key: &KeyMaterial) -> Result<Algorithm, Failure> {
    let not_allowed = |name: &str| {
        invalid(InvalidReason::AlgorithmNotAllowed, format!("the algorithm \"{name}\" is not allowed"))
    };
    let algorithm = match params.text("alg") {
        Some(name) => {
            let named = name.parse::<Algorithm>().map_err(|_| not_allowed(name))?;
            if !policy.algorithms.contains(&named) {
                return Err(not_allowed(name));
            }
            if !key.algorithms().contains(&named) {
                let detail = format!("alg is \"{name}\", and the key is for {}", names(key.algorithms()));
                return Err(invalid(InvalidReason::AlgorithmMismatch, detail));
            }
            Some(named)
        }
        None => key.algorithms().first().copied(),
    };
    match algorithm {
        Some(algorithm) if policy.algorithms.contains(&algorithm) => Ok(algorithm),
        other => Err(not_allowed(other.map_or("none", Algorithm::as_str))),
    }
}

fn check_content(message: &Message<'_>, components: &[Component]) -> Result<ContentCheck, Failure> {
    let covers = |c: &&Component| c.name() == CONTENT_DIGEST && !c.is_of_request();
    let Some(component) = components.iter().find(covers) else { return Ok(ContentCheck::NotCovered) };
    let headers = if component.is_of_trailers() { message.trailers } else { Some(message.headers) };
    let (Some(body), Some(headers)) = (message.body, headers) else { return Ok(ContentCheck::Pending) };
    check_content_digest(headers, body)
        .map(|()| ContentCheck::Matches)
        .map_err(|error| invalid(InvalidReason::DigestMismatch, error.to_string()))
}

fn base_failure(error: &BaseError) -> Failure {
    let reason = match error {
        BaseError::Duplicate(_) => InvalidReason::ComponentDuplicate,
        BaseError::Value(error) => match error {
            ValueError::Missing { .. } | ValueError::Authority { .. } => InvalidReason::ComponentMissing,
            ValueError::RepeatedQueryParam { .. } => InvalidReason::ComponentDuplicate,
            ValueError::NotAscii { .. } => InvalidReason::BadEncoding,
            ValueError::NotStructured { .. } => InvalidReason::Malformed,
            ValueError::WrongTarget { .. } | ValueError::UnknownType { .. } => {
                InvalidReason::ComponentUnknown
            }
        },
        BaseError::TooMany(_) | BaseError::TooLong | BaseError::Params(_) => InvalidReason::Malformed,
    };
    invalid(reason, error.to_string())
}

fn member(error: Option<&MemberError>) -> Failure {
    let Some(error) = error else { return invalid(InvalidReason::Malformed, "unreadable") };
    let reason = match error {
        MemberError::Component(
            ComponentError::UnknownDerived(_)
            | ComponentError::UnknownParameter { .. }
            | ComponentError::UnfitParameter { .. }
            | ComponentError::FieldName(_),
        ) => InvalidReason::ComponentUnknown,
        MemberError::Component(_)
        | MemberError::Missing { .. }
        | MemberError::WrongType { .. }
        | MemberError::TooManyComponents(_) => InvalidReason::Malformed,
    };
    invalid(reason, error.to_string())
}

fn invalid(reason: InvalidReason, detail: impl Into<String>) -> Failure {
    Failure::Invalid(reason, detail.into())
}

fn list(components: &[Component]) -> String {
    let identifiers: Vec<_> = components.iter().map(Component::as_str).collect();
    if identifiers.is_empty() { "nothing".to_owned() } else { identifiers.join(" ") }
}

fn names(algorithms: &[Algorithm]) -> String {
    algorithms.iter().map(|algorithm| algorithm.as_str()).collect::<Vec<_>>().join(" or ")
}

fn window(params: &SignatureParams, now: SystemTime) -> String {
    let text = |name| params.integer(name).map_or("open".to_owned(), |time| time.to_string());
    format!("{} <= {} < {}", text("created"), unix_seconds(now), text("expires"))
}
