//! `robots check` and `robots lint`; what a page itself says is in `robots_directives`.

use bot_etiquette_robots::{
    Availability, Diagnostic, MAX_REDIRECTS, ProductToken, Robots, Rules, Severity, Target, Unreachable,
    Verdict,
};
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::exit::{Answer, Failure};
use crate::online::{Online, Redirected};
use crate::robots_directives::{self, Directives};
use crate::{input, output};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Ask a robots.txt whether URLs may be fetched, and which line decides.
    ///
    /// Exit 0 when all are allowed, 1 when one is disallowed.
    Check(Check),
    /// Find what is wrong in a robots.txt.
    ///
    /// Exit 1 when there is an error or a warning; remarks (info) alone exit 0.
    Lint(Lint),
    /// Combine what a page's robots meta tags and X-Robots-Tag fields ask of a crawler.
    Directives(Directives),
}

pub(crate) fn run(command: &Command) -> Result<Answer, Failure> {
    match command {
        Command::Check(options) => check(options),
        Command::Lint(options) => lint(options),
        Command::Directives(options) => robots_directives::run(options),
    }
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The crawler's product token, such as ExampleBot; give it again to fall back: the first one that has a group counts.
    #[arg(long = "agent", value_name = "TOKEN", required = true)]
    agents: Vec<String>,
    /// How the fetch of robots.txt ended: an HTTP status, or unreachable.
    #[arg(long, value_name = "N|unreachable", default_value = "200", conflicts_with = "online")]
    status: String,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    online: Online,
    /// The robots.txt; - reads stdin; a URL with --online.
    #[arg(value_parser = input::source)]
    file: String,
    /// Absolute URLs; each is judged by this one file, whatever its origin.
    #[arg(value_name = "URL", required = true)]
    urls: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Report<'a> {
    schema: u32,
    agent: &'a str,
    group: String,
    crawl_delay: Option<f64>,
    sitemaps: Vec<String>,
    results: Vec<Line<'a>>,
}

#[derive(Debug, Serialize)]
struct Line<'a> {
    url: &'a str,
    allowed: bool,
    rule: Option<RuleLine>,
    reason: &'static str,
}

#[derive(Debug, Serialize)]
struct RuleLine {
    line: u32,
    directive: &'static str,
    pattern: String,
}

fn check(options: &Check) -> Result<Answer, Failure> {
    let agents = options.agents.iter().map(|given| agent(given)).collect::<Result<Vec<_>, _>>()?;
    let given = ended(&options.status)?;
    let targets = options.urls.iter().map(|url| target(url)).collect::<Result<Vec<_>, _>>()?;
    let (availability, text) = match options.online.fetch(&options.file, Redirected::Follow)? {
        Some(answer) => {
            let unreachable = Availability::Unreachable(Unreachable::NoAnswer);
            let status = answer.status.map(|status| Availability::from_status(status.as_u16()));
            (status.unwrap_or(unreachable), answer.body.to_vec())
        }
        None => (given, input::read(&options.file)?),
    };
    let robots = (availability == Availability::Successful).then(|| Robots::parse(&text));
    let rules = match (availability, &robots) {
        (Availability::Unreachable(_), _) => Rules::disallow_all(),
        (_, Some(robots)) => robots.rules_for(&agents),
        (_, None) => Rules::allow_all(),
    };
    if let Some(robots) = &robots {
        warn(&options.file, robots);
    }
    let verdicts: Vec<Verdict<'_>> = targets.iter().map(|target| rules.verdict_of(target)).collect();
    if options.json {
        output::json(&Report {
            schema: output::SCHEMA,
            agent: agents.first().map_or("", ProductToken::as_str),
            group: rules.group().map_or_else(|| "none".into(), lossy),
            crawl_delay: rules.crawl_delay().map(|delay| delay.as_secs_f64()),
            sitemaps: robots.iter().flat_map(Robots::sitemaps).map(lossy).collect(),
            results: options.urls.iter().zip(&verdicts).map(|(url, verdict)| line(url, verdict)).collect(),
        })?;
    } else {
        let mut lines = String::new();
        for (url, verdict) in options.urls.iter().zip(&verdicts) {
            lines.push_str(&format!("{url}: {verdict}\n"));
        }
        if let Some(delay) = rules.crawl_delay() {
            lines.push_str(&format!("crawl delay: {} s\n", delay.as_secs_f64()));
        }
        output::text(lines.as_bytes())?;
    }
    Ok(if verdicts.iter().all(Verdict::is_allowed) { Answer::Yes } else { Answer::No })
}

/// How the fetch ended. One that ended with a redirect has followed as many as RFC 9309 asks for, and that is said.
fn ended(status: &str) -> Result<Availability, Failure> {
    let given = status.parse().map_err(|error| Failure::new(format_args!("--status {status:?}: {error}")))?;
    if let Availability::Unreachable(Unreachable::Unusable(300..=303 | 305..=399)) = given {
        output::talk(&format!(
            "bot-etiquette: --status {status}: read as a redirect after the {MAX_REDIRECTS} that are followed, so there is no \
             robots.txt; if fewer were followed, follow them and give the status at their end\n"
        ));
        return Ok(Availability::Unavailable);
    }
    Ok(given)
}

/// Says what makes an answer rest on less than the person may think.
fn warn(file: &str, robots: &Robots) {
    if robots.is_truncated() {
        output::talk(&format!(
            "bot-etiquette: {file}: longer than the 500 KiB that are read: its end has no say\n"
        ));
    }
    if robots.looks_like_html() {
        output::talk(&format!(
            "bot-etiquette: {file}: this is a web page, not a robots.txt: it closes nothing\n"
        ));
    }
}

/// A crawler's product token. A version behind it, as in a User-Agent field, is left out, and that is said.
pub(crate) fn agent(given: &str) -> Result<ProductToken, Failure> {
    let is_version = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_+~".contains(&byte))
    };
    let name = given.split_once('/').filter(|(_, version)| is_version(version)).map(|(name, _)| name);
    let token =
        name.unwrap_or(given).parse().map_err(|error| Failure::new(format_args!("--agent: {error}")))?;
    if name.is_some() {
        output::talk(&format!(
            "bot-etiquette: --agent {given}: read as {token}, for a token has no version\n"
        ));
    }
    Ok(token)
}

fn line<'a>(url: &'a str, verdict: &Verdict<'_>) -> Line<'a> {
    Line {
        url,
        allowed: verdict.is_allowed(),
        rule: verdict.rule.map(|rule| RuleLine {
            line: rule.line,
            directive: rule.directive.as_str(),
            pattern: lossy(rule.pattern),
        }),
        reason: verdict.reason.code(),
    }
}

fn target(url: &str) -> Result<Target<'_>, Failure> {
    let wrong = |why: &dyn std::fmt::Display| {
        Failure::new(format_args!(
            "{url:?}: not a URL of a site: {why} (expected an absolute one such as https://example.com/page)"
        ))
    };
    let parsed = url::Url::parse(url).map_err(|error| wrong(&error))?;
    if !parsed.has_host() {
        return Err(wrong(&format_args!("{} URLs have no host, http and https ones do", parsed.scheme())));
    }
    Target::parse(url).map_err(|_| wrong(&"no // and host follow its scheme"))
}

#[derive(Debug, Args)]
pub(crate) struct Lint {
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    online: Online,
    /// The robots.txt; - reads stdin; a URL with --online.
    #[arg(value_parser = input::source)]
    file: String,
}

#[derive(Debug, Serialize)]
struct Findings<'a> {
    schema: u32,
    diagnostics: Vec<Finding<'a>>,
}

#[derive(Debug, Serialize)]
struct Finding<'a> {
    line: u32,
    column: u32,
    code: &'static str,
    severity: &'static str,
    message: &'a str,
}

fn lint(options: &Lint) -> Result<Answer, Failure> {
    let text = match options.online.fetch(&options.file, Redirected::Follow)? {
        Some(answer) if answer.status.is_some_and(|status| status.is_success()) => answer.body.to_vec(),
        Some(_) => {
            return Err(Failure::new(format_args!("{}: there is no robots.txt to lint", options.file)));
        }
        None => input::read(&options.file)?,
    };
    let found = Robots::parse(&text).diagnostics();
    if options.json {
        output::json(&Findings { schema: output::SCHEMA, diagnostics: found.iter().map(finding).collect() })?;
    } else {
        let colour = output::is_coloured();
        let lines: String = found.iter().map(|found| shown(&options.file, found, colour)).collect();
        output::text(lines.as_bytes())?;
    }
    let problem = found.iter().any(|found| found.severity >= Severity::Warning);
    Ok(if problem { Answer::No } else { Answer::Yes })
}

fn finding(found: &Diagnostic) -> Finding<'_> {
    Finding {
        line: found.line,
        column: found.column,
        code: found.code.as_str(),
        severity: found.severity.as_str(),
        message: &found.message,
    }
}

fn shown(file: &str, found: &Diagnostic, colour: bool) -> String {
    let (on, off) = match found.severity {
        _ if !colour => ("", ""),
        Severity::Error => ("\x1b[31m", "\x1b[0m"),
        Severity::Warning => ("\x1b[33m", "\x1b[0m"),
        _ => ("\x1b[36m", "\x1b[0m"),
    };
    let Diagnostic { line, column, severity, message, code, .. } = found;
    format!("{file}:{line}:{column}: {on}{severity}{off}: {message} [{code}]\n")
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
