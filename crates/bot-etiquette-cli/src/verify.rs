//! `verify`: judge a signed message, step by step.

mod keys;
mod mistakes;

use std::fmt::Write as _;
use std::time::SystemTime;

use bot_etiquette_signing::{
    Examination, InvalidReason, Message, Outcome, Policy, ReceivedSignature, SignatureAgent, SignatureBase,
    Verifier,
};
use clap::{Args, ValueEnum};
use http::header::USER_AGENT;
use serde::Serialize;

use crate::exit::{Answer, Failure};
use crate::message::{RawMessage, Unreadable};
use crate::{input, output, time};

/// `verify (--directory FILE | --key FILE) MESSAGE`
#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// The rules to judge by.
    #[arg(long, value_enum, default_value_t = Rules::WebBotAuth)]
    profile: Rules,
    #[command(flatten)]
    keys: KeySource,
    /// The label of the signature to judge.
    #[arg(long, value_name = "L")]
    label: Option<String>,
    /// The time to judge at: Unix seconds or RFC 3339; now by default.
    #[arg(long, value_name = "T", value_parser = time::parse)]
    now: Option<SystemTime>,
    /// The scheme under which the request came, where its target does not say.
    #[arg(long, default_value = "https", value_parser = ["https", "http"])]
    scheme: String,
    /// The request that a response answers, as a raw HTTP/1.1 message.
    #[arg(long, value_name = "FILE", value_parser = input::source)]
    request: Option<String>,
    /// The signer's signature base, to find the first byte that differs.
    #[arg(long, value_name = "FILE", value_parser = input::source)]
    base: Option<String>,
    /// Take the keys whose secrets are printed in RFCs.
    #[arg(long)]
    allow_test_keys: bool,
    /// Take base64 without padding, and an agent's member keyed otherwise than the label.
    #[arg(long)]
    lenient: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// A raw HTTP/1.1 request or response; - reads stdin.
    #[arg(value_name = "MESSAGE", value_parser = input::source)]
    message: String,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct KeySource {
    /// A JWKS document, taken as the directory of whatever agent the message names.
    #[arg(long, value_name = "FILE", value_parser = input::source)]
    directory: Option<String>,
    /// The key: PEM, DER or JWK, public or secret.
    #[arg(long, value_name = "FILE", value_parser = input::source)]
    key: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Rules {
    /// Signed requests of bots.
    WebBotAuth,
    /// RFC 9421 alone.
    Rfc9421,
}

#[derive(Serialize)]
struct Judged<'a> {
    schema: u32,
    outcome: &'static str,
    reason: Option<&'static str>,
    label: Option<&'a str>,
    keyid: Option<&'a str>,
    agent: Option<&'a str>,
    covered: Vec<(String, &'a str)>,
    base: Option<&'a str>,
}

pub(crate) fn run(options: &Verify) -> Result<Answer, Failure> {
    let now = options.now.unwrap_or_else(time::now);
    let web_bot_auth = options.profile == Rules::WebBotAuth;
    let keys = match (&options.keys.directory, &options.keys.key) {
        (Some(file), _) => keys::Keys::directory(file, now, web_bot_auth)?,
        (None, Some(file)) => keys::Keys::single(file, web_bot_auth)?,
        // The command line parser asks for one of them.
        (None, None) => return Err(Failure::new("--directory FILE or --key FILE is needed")),
    };
    let expected = options.base.as_deref().map(input::read).transpose()?;
    let raw = match read(&options.message)? {
        Ok(raw) => raw,
        Err(detail) => return malformed(options, &detail),
    };
    let request = match options.request.as_deref().map(read).transpose()? {
        Some(Err(detail)) => return malformed(options, &detail),
        Some(Ok(request)) if !request.is_request() => {
            return Err(Failure::new(format_args!(
                "{}: a response (--request takes the request that MESSAGE answers)",
                options.request.as_deref().unwrap_or_default()
            )));
        }
        Some(Ok(request)) => Some(request),
        None => None,
    };
    let request = request.as_ref().map(|request| request.message(&options.scheme));
    let mut message = raw.message(&options.scheme);
    if let Some(request) = &request {
        message = message.answering(request);
    }
    let verifier = verifier(options, &message)?;
    let examination = verifier.examine(&message, now, &keys);
    if options.json {
        json(&examination)?;
    } else {
        let hint = match expected {
            Some(expected) => examination.base.as_ref().map(|base| difference(base, &expected)),
            None => mistake(&examination, &message, &raw, &keys),
        };
        let mut told = text(&examination, hint.as_deref());
        if examination.outcome.verified().is_some() && leaves_user_agent_out(&examination, &raw) {
            told.push_str("This vouches for the key and what it covers, not for the User-Agent.\n");
        }
        output::text(told.as_bytes())?;
    }
    Ok(if examination.outcome.verified().is_some() { Answer::Yes } else { Answer::No })
}

fn read(file: &str) -> Result<Result<RawMessage, String>, Failure> {
    match RawMessage::parse(file, &input::read(file)?) {
        Ok(message) => Ok(Ok(message)),
        Err(Unreadable::NoMessage(failure)) => Err(failure),
        Err(Unreadable::Malformed(detail)) => Ok(Err(detail)),
    }
}

fn verifier(options: &Verify, message: &Message<'_>) -> Result<Verifier, Failure> {
    let mut policy = match options.profile {
        Rules::WebBotAuth => Policy::web_bot_auth(),
        Rules::Rfc9421 => Policy::rfc9421(),
    };
    if options.allow_test_keys {
        policy = policy.allow_test_keys();
    }
    if options.lenient {
        policy = policy.lenient();
    }
    let verifier = Verifier::new(policy);
    if let Some(label) = &options.label {
        return Ok(verifier.with_label(label));
    }
    if options.profile == Rules::WebBotAuth {
        return Ok(verifier);
    }
    let received = ReceivedSignature::all(message).unwrap_or_default();
    // A label that one of the two fields alone has is no signature; nor is one that cannot be read.
    let whole = received.iter().filter(|one| one.components().is_ok() && one.signature().is_ok());
    let labels: Vec<_> = whole.map(ReceivedSignature::label).collect();
    match labels.as_slice() {
        [] => Ok(verifier),
        [only] => Ok(verifier.with_label(*only)),
        several => Err(Failure::new(format_args!(
            "{}: {} signatures (choose one with --label: {})",
            options.message,
            several.len(),
            several.join(", ")
        ))),
    }
}

/// A message with a field that none may have is a malformed message, not an unreadable file.
fn malformed(options: &Verify, detail: &str) -> Result<Answer, Failure> {
    let reason = InvalidReason::Malformed.as_str();
    if options.json {
        output::json(&Judged {
            schema: output::SCHEMA,
            outcome: "invalid",
            reason: Some(reason),
            label: None,
            keyid: None,
            agent: None,
            covered: Vec::new(),
            base: None,
        })?;
    } else {
        output::text(format!("invalid, {reason}: {detail}\n").as_bytes())?;
    }
    Ok(Answer::No)
}

fn json(examination: &Examination) -> Result<(), Failure> {
    let base = examination.base.as_ref();
    output::json(&Judged {
        schema: output::SCHEMA,
        outcome: examination.outcome.as_str(),
        reason: examination.outcome.reason(),
        label: examination.label.as_deref(),
        keyid: examination.keyid.as_deref(),
        agent: examination.agent.as_ref().map(SignatureAgent::as_str),
        covered: base
            .map(|base| base.covered().map(|(component, value)| (component.short(), value)).collect())
            .unwrap_or_default(),
        base: base.map(SignatureBase::as_str),
    })
}

fn text(examination: &Examination, hint: Option<&str>) -> String {
    let mut text = String::new();
    for step in &examination.steps {
        let mark = if step.held { "ok  " } else { "FAIL" };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{mark} {}: {}", step.name, step.detail);
    }
    if let Some(base) = &examination.base {
        let _ = writeln!(text, "\nsignature base ({} bytes):", base.as_bytes().len());
        for line in base.as_str().lines() {
            let _ = writeln!(text, "  {line}");
        }
    }
    if let Some(hint) = hint {
        let _ = writeln!(text, "\n{hint}");
    }
    match &examination.outcome {
        Outcome::Verified(verified) => {
            let _ = writeln!(text, "\nverified, label {}", verified.label);
            for (name, value) in [
                ("agent", verified.agent.as_ref().map(SignatureAgent::as_str)),
                ("profile", verified.profile().map(bot_etiquette_signing::Profile::as_str)),
                ("keyid", verified.keyid.as_deref()),
            ] {
                if let Some(value) = value {
                    let _ = writeln!(text, "{name}: {value}");
                }
            }
        }
        outcome => {
            let _ = writeln!(text, "\n{outcome}");
        }
    }
    text
}

/// Whether a User-Agent came with the message, and may be anybody's.
fn leaves_user_agent_out(examination: &Examination, raw: &RawMessage) -> bool {
    let mut covered = examination.base.iter().flat_map(SignatureBase::covered);
    raw.headers().contains_key(USER_AGENT)
        && !covered.any(|(component, _)| component.name() == USER_AGENT.as_str())
}

/// When the signature does not fit: which common mistake of signers explains it.
fn mistake(
    examination: &Examination,
    message: &Message<'_>,
    raw: &RawMessage,
    keys: &keys::Keys,
) -> Option<String> {
    if examination.outcome.reason() != Some(InvalidReason::SignatureMismatch.as_str()) {
        return None;
    }
    let base = examination.base.as_ref()?;
    let received = ReceivedSignature::all(message).ok()?;
    let received = received.iter().find(|one| Some(one.label()) == examination.label.as_deref())?;
    let key = keys.find(examination.keyid.as_deref())?;
    let (what, other) = mistakes::find(base, received, raw.headers(), &key)?;
    Some(format!(
        "The signature fits a base with one difference: {what}.\n{}",
        difference(base, other.as_bytes())
    ))
}

/// Where another base differs from ours, for people.
fn difference(base: &SignatureBase, other: &[u8]) -> String {
    let Some(at) = base.first_difference(other) else { return "The two bases are the same.".to_owned() };
    let line = |bytes: &[u8]| {
        let start = bytes.get(..at).and_then(|before| before.iter().rposition(|byte| *byte == b'\n'));
        let tail = bytes.get(start.map_or(0, |start| start + 1)..).unwrap_or_default();
        tail.split(|byte| *byte == b'\n').next().unwrap_or_default().escape_ascii().to_string()
    };
    let before = base.as_bytes().get(..at).unwrap_or_default();
    let number = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
    format!(
        "The first difference is at byte {at} (line {number}, column {column}):\n  ours:   {}\n  signer: {}",
        line(base.as_bytes()),
        line(other),
    )
}
