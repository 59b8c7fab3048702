//! `identity lint`

use std::path::Path;
use std::time::SystemTime;

use bot_etiquette_identity::{ConfigLint, Finding, Severity};
use bot_etiquette_signing::SigningKey;
use clap::Args;
use serde::Serialize;

use super::Config;
use crate::exit::{Answer, Failure};
use crate::{input, output, time};

/// `identity lint [--policy FILE.toml] [--page FILE] [--ip-ranges FILE] [--card FILE] CONFIG.toml`
#[derive(Debug, Args)]
pub(crate) struct Lint {
    /// The bot's configuration; - reads stdin.
    #[arg(value_name = "CONFIG.toml", value_parser = input::source)]
    config: String,
    /// The politeness policy that promises are held against, in place of the one that the configuration names.
    #[arg(long, value_name = "FILE.toml", value_parser = input::source)]
    policy: Option<String>,
    /// The page as it is published, HTML or text.
    #[arg(long, value_name = "FILE", value_parser = input::source)]
    page: Option<String>,
    /// The address file as it is published.
    #[arg(long, value_name = "FILE", value_parser = input::source)]
    ip_ranges: Option<String>,
    /// The Signature Agent Card as it is published.
    #[arg(long, value_name = "FILE", value_parser = input::source)]
    card: Option<String>,
    /// The time by which the address file is judged, instead of now: Unix seconds or RFC 3339.
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
    config: &'a str,
    policy: Option<&'a str>,
    diagnostics: Vec<Diagnostic<'a>>,
}

#[derive(Serialize)]
struct Diagnostic<'a> {
    line: Option<usize>,
    policy_line: Option<usize>,
    code: &'static str,
    severity: String,
    message: &'a str,
}

pub(super) fn lint(options: &Lint) -> Result<Answer, Failure> {
    let config = Config::read(&options.config)?;
    let policy = config.policy(options.policy.as_deref())?;
    let page = options.page.as_deref().map(input::read).transpose()?;
    let page = page.as_deref().map(String::from_utf8_lossy);
    let ranges = options.ip_ranges.as_deref().map(input::read).transpose()?;
    let card = options.card.as_deref().map(input::read).transpose()?;
    let mut lint = ConfigLint::new(&config.text);
    if let Some(policy) = &policy {
        lint = lint.policy(&policy.text);
    }
    if let Some(page) = &page {
        lint = lint.page(page);
    }
    if let Some(ranges) = &ranges {
        lint = lint.ranges(ranges, options.now.unwrap_or_else(time::now));
    }
    if let Some(card) = &card {
        lint = lint.card(card);
    }
    let mut found = lint.run().map_err(|error| Failure::new(format_args!("{}: {error}", options.config)))?;
    found.extend(key(&config));
    found.sort_by_key(|finding| finding.id);
    let policy = policy.as_ref().map(|policy| policy.name.as_str());
    for finding in &mut found {
        // The other line stands in the message too, so that a reader of messages alone has both.
        if let (Some(line), Some(policy)) = (finding.policy_line, policy) {
            let own = finding.line.map_or_else(String::new, |line| format!("line {line} here, "));
            finding.message = format!("{} ({own}line {line} of {policy})", finding.message);
        }
    }
    let ok = found.iter().all(|finding| finding.severity < Severity::Warning);
    if options.json {
        let diagnostics = found.iter().map(|finding| Diagnostic {
            line: finding.line,
            policy_line: finding.policy_line,
            code: finding.id,
            severity: finding.severity.to_string(),
            message: &finding.message,
        });
        output::json(&Report {
            schema: output::SCHEMA,
            ok,
            config: &config.name,
            policy,
            diagnostics: diagnostics.collect(),
        })?;
    } else {
        let colour = output::is_coloured();
        let lines: String = found.iter().map(|finding| shown(&config.name, finding, colour)).collect();
        output::text(lines.as_bytes())?;
    }
    Ok(if ok { Answer::Yes } else { Answer::No })
}

fn shown(file: &str, finding: &Finding, colour: bool) -> String {
    let (on, off) = match finding.severity {
        _ if !colour => ("", ""),
        Severity::Error => ("\x1b[31m", "\x1b[0m"),
        Severity::Warning => ("\x1b[33m", "\x1b[0m"),
        Severity::Info => ("\x1b[36m", "\x1b[0m"),
    };
    let at = finding.line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"));
    format!("{at}: {on}{}{off}: {} [{}]\n", finding.severity, finding.message, finding.id)
}

/// Whether the key file is there, is a key, and is nobody else's to read.
fn key(config: &Config) -> Option<Finding> {
    let named = config.identity.key_file()?;
    let file = config.beside(named);
    let finding = |severity, problem: String| {
        let message = format!("key_file {}: {problem}", file.display());
        let line = config.text.lines().position(|line| line.trim_start().starts_with("key_file"));
        let line = line.map(|line| line.saturating_add(1));
        Some(Finding { id: "CF002", severity, message, line, policy_line: None })
    };
    let bytes = match std::fs::read(&file) {
        Ok(bytes) => zeroize::Zeroizing::new(bytes),
        // A demonstration makes its key when it runs.
        Err(error) if config.identity.loopback_only() => {
            return finding(Severity::Info, format!("not there yet: {error}"));
        }
        Err(error) => {
            let fix = "make one with bot-etiquette key new --out FILE";
            return finding(Severity::Error, format!("cannot be read: {error}; {fix}"));
        }
    };
    if let Err(error) = SigningKey::parse(&bytes) {
        return finding(Severity::Error, format!("holds no private key to sign with: {error}"));
    }
    match others_may_read(&file) {
        Some(mode) => finding(Severity::Warning, format!("mode {mode:03o} lets others read it; make it 600")),
        None => None,
    }
}

#[cfg(unix)]
fn others_may_read(file: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(file).ok()?.permissions().mode() & 0o777;
    (mode & 0o077 != 0).then_some(mode)
}

#[cfg(not(unix))]
fn others_may_read(_: &Path) -> Option<u32> {
    None
}
