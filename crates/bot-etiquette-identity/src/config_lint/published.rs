//! What is published, as a visitor sees it.

use super::Findings;
use crate::{BotIdentity, Severity};

/// Looks at a page, HTML or text.
pub(super) fn page(page: &str, identity: &BotIdentity, found: &mut Findings<'_>) {
    let html = page.trim_start().starts_with('<');
    let text = if html { shown(page) } else { page.to_owned() };
    let lower = text.to_lowercase();
    let (error, warning) = (Severity::Error, Severity::Warning);
    let mut miss = |id, severity, key: &[&str], there: bool, message: String| {
        if !there {
            found.add(id, severity, key, message);
        }
    };
    let agent = identity.user_agent().as_str();
    let message = format!("the page does not show the User-Agent {agent:?}");
    miss("PG002", error, &["user_agent"], text.contains(agent), message);
    let message = format!("the page does not show the robots token {:?}", identity.token());
    miss("PG002", error, &["token"], text.contains(identity.token()), message);
    if let Some(operator) = &identity.profile.about.operator {
        let message = format!("the page does not name the operator {operator:?}");
        miss("PG002", error, &["about", "operator"], text.contains(operator.as_str()), message);
    }
    let message = format!(
        "the page shows no robots.txt lines that block all: `User-agent: {}`, and `Disallow: /` alone on the next line",
        identity.token()
    );
    miss("PG003", error, &["page"], blocks_all(&text, identity.token()), message);
    let contact = identity.contact();
    let address = if contact.scheme() == "mailto" { contact.path() } else { contact.as_str() };
    // The page's own address is the contact where the page is the form.
    let there = page.contains(address) || contact == identity.page();
    miss("PG004", error, &["contact"], there, format!("the page does not show the contact {address}"));
    let garbled = ["[email protected]", "[email\u{a0}protected]", "[at]", "(at)"];
    let there = !garbled.iter().any(|garbled| lower.contains(garbled));
    miss(
        "PG004",
        warning,
        &["contact"],
        there,
        "the page shows a garbled mail address, which nobody can write to".to_owned(),
    );
    let any = |stems: &[&str]| stems.iter().any(|stem| lower.contains(stem));
    let there = any(&[
        "train ai",
        "train models",
        "ai training",
        "ai model",
        "modelos de ia",
        "modelli di ia",
        "addestra",
        "entrena",
    ]);
    miss(
        "PG005",
        error,
        &["about"],
        there,
        "the page does not say whether AI models are trained with it".to_owned(),
    );
    let there = any(&["render", "javascript", " script", "html"]);
    miss("PG006", error, &["about"], there, "the page does not say whether pages are rendered".to_owned());
    for (word, there) in [
        ("Crawl-delay", any(&["crawl-delay"])),
        ("Retry-After", any(&["retry-after"])),
        ("a busy answer (429, 503)", any(&["429", "503"])),
        ("a server that does not answer", any(&["not answer", "no responde", "non risponde"])),
    ] {
        miss("PG007", warning, &["promise"], there, format!("the page says nothing about {word}"));
    }
    for (word, there) in [
        ("redirects", any(&["redirect", "redirecc", "reindirizz"])),
        ("a time limit", any(&["time limit", "gives up", "abandona", "rinuncia", "timeout"])),
        ("a size limit", text.contains("MB") || text.contains("kB") || text.contains("bytes")),
    ] {
        miss("PG009", warning, &["promise"], there, format!("the page says nothing about {word}"));
    }
    if identity.directory().is_some() {
        let there = text.contains("http-message-signatures-directory");
        miss("PG010", warning, &["directory"], there, "the page does not say where the keys are".to_owned());
    }
    let missing: Vec<_> = identity
        .profile
        .addresses
        .prefixes
        .iter()
        .map(ToString::to_string)
        .filter(|prefix| !text.contains(prefix.as_str()))
        .collect();
    let message = format!("the page does not show the addresses {}", missing.join(", "));
    miss("PG010", warning, &["addresses", "prefixes"], missing.is_empty(), message);
    if html {
        miss(
            "PG011",
            warning,
            &["page"],
            lower_head(page).contains("lang="),
            "the page has no lang".to_owned(),
        );
        if let Some(url) = &identity.profile.addresses.url {
            let there = page.contains("client-ranges") && page.contains(url.as_str());
            let message = format!("the page does not link {url} by rel=client-ranges");
            miss("ID011", warning, &["addresses", "url"], there, message);
        }
    }
}

/// The start of a page, where its language stands.
fn lower_head(page: &str) -> String {
    page.chars().take(2000).collect::<String>().to_ascii_lowercase()
}

/// Whether two lines keep a bot off everything.
fn blocks_all(text: &str, token: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let value = |line: &str, key: &str| {
        let (name, value) = line.split_once(':')?;
        name.trim().eq_ignore_ascii_case(key).then(|| value.trim().to_owned())
    };
    lines.windows(2).any(|pair| match pair {
        [agent, rule] => {
            value(agent, "user-agent").is_some_and(|agent| agent.eq_ignore_ascii_case(token))
                && value(rule, "disallow").as_deref() == Some("/")
        }
        _ => false,
    })
}

/// The text of a page, roughly: tags taken out, what is no text left out, a line for each block.
fn shown(html: &str) -> String {
    const INLINE: &[&str] = &["a", "abbr", "b", "code", "em", "i", "span", "strong", "time", "wbr"];
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let (tag, after) = after.split_once('>').unwrap_or((after, ""));
        let name: String =
            tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        let name = name.to_ascii_lowercase();
        if !INLINE.contains(&name.as_str()) {
            out.push('\n');
        }
        rest = after;
        if matches!(name.as_str(), "style" | "script") && !tag.starts_with('/') {
            let end = rest.find(&format!("</{name}")).unwrap_or(rest.len());
            rest = rest.get(end..).unwrap_or_default();
        }
    }
    out.push_str(rest);
    let plain = out.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
    plain.replace("&nbsp;", " ").replace("&amp;", "&")
}

/// Looks at an address file.
#[cfg(feature = "ranges")]
pub(super) fn ranges(
    file: &[u8],
    now: std::time::SystemTime,
    identity: &BotIdentity,
    found: &mut Findings<'_>,
) {
    use crate::RangeFile;
    use std::{collections::BTreeSet, time::Duration};

    /// A file is made anew each day; twice that is a sign that nobody does.
    const OLD: Duration = Duration::from_secs(48 * 3600);
    let key = ["addresses", "url"];
    let mut tell =
        |message: String| found.add("ID010", Severity::Warning, &key, format!("the address file {message}"));
    let (file, warnings) = match RangeFile::read(file) {
        Ok(read) => read,
        Err(error) => return tell(error.to_string()),
    };
    for warning in warnings {
        tell(warning.to_string());
    }
    if file.created().is_some_and(|created| now.duration_since(created).is_ok_and(|age| age >= OLD)) {
        tell("is 48 hours old or more: make it anew each day".to_owned());
    }
    let told: BTreeSet<_> = identity.profile.addresses.prefixes.iter().copied().collect();
    let there: BTreeSet<_> = file.ranges().iter().map(|range| range.prefix).collect();
    for prefix in told.difference(&there) {
        tell(format!("lacks {prefix}, which the configuration has"));
    }
    for prefix in there.difference(&told) {
        tell(format!("has {prefix}, which the configuration lacks"));
    }
}
