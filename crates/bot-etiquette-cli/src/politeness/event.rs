//! One line of an events file.

use std::time::Duration;

use bot_etiquette_politeness::{Failure, Host, Origin, Report};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Number, Value};
use url::Url;

/// What happened, and when.
#[derive(Debug)]
pub(crate) struct Event {
    /// As the line says it.
    pub(crate) at: Number,
    pub(crate) what: What,
}

#[derive(Debug)]
pub(crate) enum What {
    /// `text` is the URL as the line says it.
    Ask {
        url: Url,
        text: String,
        class: Option<String>,
        resource: Option<String>,
    },
    End {
        url: Url,
        status: u16,
        headers: HeaderMap,
    },
    Fail {
        url: Url,
        kind: Failure,
    },
    Report {
        url: Url,
        outcome: Report,
        resource: Option<String>,
    },
    Robots {
        origin: Origin,
        crawl_delay: Option<Duration>,
    },
    Kill(Host),
    Revive(Host),
    Set {
        subject: Subject,
        keys: Map<String, Value>,
    },
    Restart,
}

/// Whose rules are set.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    Host(Host),
    Group(String),
}

/// The keys that name an event; a line has one of them.
const VERBS: [&str; 9] = ["ask", "end", "fail", "report", "robots", "kill", "revive", "set", "restart"];

pub(crate) fn read(text: &[u8]) -> Result<Event, String> {
    let value: Value = serde_json::from_slice(text).map_err(|error| format!("not JSON: {error}"))?;
    let Value::Object(mut keys) = value else {
        return Err(r#"not a JSON object (such as {"at":0,"ask":"https://example.com/"})"#.into());
    };
    let Some(Value::Number(at)) = keys.remove("at") else {
        return Err("`at` must be a number of seconds".into());
    };
    let named: Vec<&str> = VERBS.into_iter().filter(|verb| keys.contains_key(*verb)).collect();
    let &[verb] = named.as_slice() else {
        return Err(format!("an event has exactly one of: {}", VERBS.join(", ")));
    };
    let subject = keys.remove(verb).unwrap_or_default();
    let what = what(verb, &subject, &mut keys)?;
    match keys.keys().next() {
        Some(key) => Err(format!("unknown key `{key}` in an event `{verb}` (remove it, or look for a slip)")),
        None => Ok(Event { at, what }),
    }
}

fn what(verb: &str, subject: &Value, keys: &mut Map<String, Value>) -> Result<What, String> {
    Ok(match verb {
        "ask" => What::Ask {
            url: url(verb, subject)?,
            text: text(verb, subject)?.to_owned(),
            class: optional_text(keys, "class")?,
            resource: optional_text(keys, "resource")?,
        },
        "end" => What::End { url: url(verb, subject)?, status: status(keys)?, headers: headers(keys)? },
        "fail" => What::Fail {
            url: url(verb, subject)?,
            kind: code(keys, "kind", "dns, connect, tls, timeout, reset or incomplete")?,
        },
        "report" => What::Report {
            url: url(verb, subject)?,
            outcome: code(keys, "outcome", "busy, challenged or ok")?,
            resource: optional_text(keys, "resource")?,
        },
        "robots" => What::Robots {
            origin: Origin::of(&url(verb, subject)?)
                .ok_or("`robots` must be an origin such as https://example.com")?,
            crawl_delay: crawl_delay(keys)?,
        },
        "kill" => What::Kill(host(verb, subject)?),
        "revive" => What::Revive(host(verb, subject)?),
        "set" => What::Set { subject: set_subject(subject)?, keys: std::mem::take(keys) },
        _ if *subject == Value::Bool(true) => What::Restart,
        _ => return Err("`restart` must be true".into()),
    })
}

fn text<'v>(key: &str, value: &'v Value) -> Result<&'v str, String> {
    value.as_str().ok_or_else(|| format!("`{key}` must be a string"))
}

fn optional_text(keys: &mut Map<String, Value>, key: &str) -> Result<Option<String>, String> {
    match keys.remove(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => text(key, &value).map(|text| Some(text.to_owned())),
    }
}

fn url(key: &str, value: &Value) -> Result<Url, String> {
    let text = text(key, value)?;
    match Url::parse(text) {
        Ok(url) if url.has_host() => Ok(url),
        Ok(_) => Err(format!("`{key}`: {text:?} names no host (give a URL such as https://example.com/)")),
        Err(error) => Err(format!("`{key}`: {text:?} is not an absolute URL: {error}")),
    }
}

fn host(key: &str, value: &Value) -> Result<Host, String> {
    text(key, value)?.parse().map_err(|error| format!("`{key}`: {error}"))
}

fn set_subject(value: &Value) -> Result<Subject, String> {
    match text("set", value)?.strip_prefix("group:") {
        Some(name) => Ok(Subject::Group(name.to_owned())),
        None => host("set", value).map(Subject::Host),
    }
}

fn code<T>(keys: &mut Map<String, Value>, key: &str, codes: &str) -> Result<T, String>
where
    T: std::str::FromStr,
    T::Err: std::fmt::Display,
{
    let value = keys.remove(key).ok_or_else(|| format!("`{key}` is missing (give {codes})"))?;
    text(key, &value)?.parse().map_err(|error: T::Err| format!("`{key}`: {error}"))
}

fn status(keys: &mut Map<String, Value>) -> Result<u16, String> {
    let value = keys.remove("status").ok_or("`status` is missing (give the HTTP status of the answer)")?;
    let status = value.as_u64().and_then(|status| u16::try_from(status).ok());
    status
        .filter(|status| (100..1000).contains(status))
        .ok_or_else(|| format!("`status`: {value} is not an HTTP status (give a number from 100 to 999)"))
}

/// Fields that no HTTP message could carry are left out.
fn headers(keys: &mut Map<String, Value>) -> Result<HeaderMap, String> {
    let wrong = || r#"`headers` must be a list of pairs, such as [["retry-after","120"]]"#.to_owned();
    let mut headers = HeaderMap::new();
    let fields = match keys.remove("headers") {
        None | Some(Value::Null) => return Ok(headers),
        Some(Value::Array(fields)) => fields,
        Some(_) => return Err(wrong()),
    };
    for field in fields {
        let Some([Value::String(name), Value::String(value)]) = field.as_array().map(Vec::as_slice) else {
            return Err(wrong());
        };
        if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_bytes(value.as_bytes()))
        {
            headers.append(name, value);
        }
    }
    Ok(headers)
}

fn crawl_delay(keys: &mut Map<String, Value>) -> Result<Option<Duration>, String> {
    let value =
        keys.remove("crawl_delay").ok_or("`crawl_delay` is missing (give seconds, or null for none)")?;
    if value.is_null() {
        return Ok(None);
    }
    let seconds = value.as_f64().filter(|seconds| *seconds >= 0.0);
    let seconds =
        seconds.ok_or_else(|| format!("`crawl_delay`: {value} is not a number of seconds, 0 or more"))?;
    Ok(Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)))
}
