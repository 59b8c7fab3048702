//! `directory check`

use std::fmt::Write;
use std::time::SystemTime;

use bot_etiquette_signing::directory::{DirectoryCheck, Finding};
use clap::Args;
use http::uri::Authority;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde::Serialize;

use crate::exit::{Answer, Failure};
use crate::online::{Online, Redirected};
use crate::{input, output, time};

/// `directory check FILE [--authority HOST] [--headers FILE | --online]`
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The document as it was fetched; - reads stdin; its URL with --online.
    #[arg(value_name = "FILE", value_parser = input::source)]
    file: String,
    /// The host it was fetched from, such as bot.example.
    #[arg(long, value_name = "HOST", value_parser = authority)]
    authority: Option<String>,
    /// The response headers, as `curl --dump-header FILE` writes them.
    #[arg(long, value_name = "FILE", conflicts_with = "online", value_parser = input::source)]
    headers: Option<String>,
    #[command(flatten)]
    online: Online,
    /// The time of checking, instead of now: Unix seconds or RFC 3339.
    #[arg(long, value_name = "T", value_parser = time::parse)]
    now: Option<SystemTime>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    ok: bool,
    steps: Vec<Step<'a>>,
}

#[derive(Serialize)]
struct Step<'a> {
    step: &'static str,
    ok: Option<bool>,
    message: &'a str,
}

pub(super) fn run(options: &Check) -> Result<Answer, Failure> {
    let mut authority = options.authority.clone();
    let (document, response) = match options.online.fetch(&options.file, Redirected::Stop)? {
        Some(answer) => {
            let Some(status) = answer.status else {
                return Err(Failure::new(format_args!("{}: gave no answer", options.file)));
            };
            authority.get_or_insert(answer.authority);
            (answer.body.to_vec(), Some((status, answer.headers)))
        }
        None => (input::any(&options.file)?, options.headers.as_deref().map(response).transpose()?),
    };
    let mut check = DirectoryCheck::new(&document);
    if let Some((status, headers)) = &response {
        check = check.response(*status, headers);
    }
    if let Some(authority) = &authority {
        check = check.authority(authority);
    }
    let findings = check.run(options.now.unwrap_or_else(time::now));
    let ok = findings.iter().all(|finding| finding.ok != Some(false));
    if options.json {
        let steps = findings.iter().map(|Finding { step, ok, message, .. }| Step {
            step: step.as_str(),
            ok: *ok,
            message,
        });
        output::json(&Report { schema: output::SCHEMA, ok, steps: steps.collect() })?;
    } else {
        let mut text = String::new();
        for Finding { step, ok, message, .. } in &findings {
            let mark = match ok {
                Some(true) => "ok",
                Some(false) => "FAIL",
                None => "-",
            };
            let _ = writeln!(text, "{mark:<5}{:<11} {message}", step.as_str());
        }
        output::text(text.as_bytes())?;
    }
    Ok(if ok { Answer::Yes } else { Answer::No })
}

/// A host, with a port where it is not that of https.
fn authority(text: &str) -> Result<String, &'static str> {
    match text.parse::<Authority>() {
        Ok(authority) if !authority.host().is_empty() && !text.contains('@') => Ok(text.to_owned()),
        _ => Err("expected the host alone, such as bot.example or bot.example:8443"),
    }
}

/// Status and fields as curl dumps them: a block for every answer, a redirect's before its target's.
fn response(file: &str) -> Result<(StatusCode, HeaderMap), Failure> {
    let bytes = input::read(file)?;
    let (mut status, mut headers) = (StatusCode::OK, HeaderMap::new());
    let mut redirect = None;
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let bad = |what: &str| {
            Failure::new(format_args!(
                "{file}: line {number}: {what} (expected `HTTP/1.1 200 OK` or `Name: value`)"
            ))
        };
        if line.is_empty() {
            continue;
        }
        if line.starts_with(b"HTTP/") {
            let code = line.split(|byte| *byte == b' ').nth(1);
            status =
                code.and_then(|code| StatusCode::from_bytes(code).ok()).ok_or_else(|| bad("no status"))?;
            headers.clear();
            if status.is_redirection() {
                redirect = Some(status);
            }
            continue;
        }
        let colon = line.iter().position(|byte| *byte == b':').ok_or_else(|| bad("no field"))?;
        let (name, value) = line.split_at(colon);
        let name = HeaderName::from_bytes(name).map_err(|_| bad("no field name"))?;
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        headers.append(name, HeaderValue::from_bytes(value).map_err(|_| bad("no field value"))?);
    }
    // That something stood at the end of a redirect helps nobody: verifiers stop at the first answer.
    Ok((redirect.unwrap_or(status), headers))
}
