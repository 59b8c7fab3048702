//! One JSON object of a log.

use serde_json::{Map, Value};

use super::{Seen, common_time, entry, is_status, request_line, rfc3339};
use crate::record::Record;

/// Reads one line, and notes which fields it has.
pub(super) fn object(line: &str, seen: &mut Seen) -> Result<Record, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| format!("is no JSON object: {error}"))?;
    let Value::Object(mut entries) = value else { return Err("is no JSON object".into()) };
    let nested = match entries.remove("request") {
        Some(Value::Object(request)) => {
            entries.extend(request);
            true
        }
        Some(request) => {
            entries.insert("request".to_owned(), request);
            false
        }
        None => false,
    };
    let field =
        |names: &[&str]| names.iter().find_map(|name| entries.get(*name)).filter(|value| !value.is_null());
    let text = |names: &[&str]| field(names).and_then(Value::as_str);
    let number = |names: &[&'static str]| {
        names.iter().find_map(|name| number(name, entries.get(*name)?).transpose()).transpose()
    };
    let time = field(&["at", "time", "timestamp", "ts", "@timestamp", "time_iso8601", "time_local", "start"])
        .ok_or(r#"has no time: give "at" in seconds or "time" in RFC 3339"#)?;
    let unix = match time {
        Value::Number(number) => number.as_f64().filter(|time| time.is_finite()),
        Value::String(time) => {
            match (time.parse::<f64>().ok().filter(|time| time.is_finite()), rfc3339(time)) {
                (Some(seconds), _) => Some(seconds),
                (None, Some((unix, fraction))) => {
                    seen.whole_seconds |= !fraction;
                    Some(unix)
                }
                (None, None) => {
                    seen.whole_seconds = true;
                    common_time(time)
                }
            }
        }
        _ => None,
    };
    let unix = unix.ok_or_else(|| format!("the time {time} is neither seconds nor RFC 3339"))?;
    let milliseconds = number(&["duration_ms", "elapsed_ms"])?.map(|duration| duration / 1000.0);
    let duration = number(&["duration", "request_time", "elapsed", "duration_s"])?.or(milliseconds);
    // Caddy notes a request when it is over.
    let unix = unix - duration.filter(|_| nested).unwrap_or_default();
    let (method, target) = match text(&["request"]) {
        Some(line) => request_line(line),
        None => {
            let target = text(&["target", "path", "uri", "request_uri", "url"]);
            let target = target.ok_or(r#"has no target: give "path", "request" or "url" as a text"#)?;
            (text(&["method", "request_method"]).unwrap_or("GET").to_owned(), target.to_owned())
        }
    };
    let host = text(&["host", "vhost", "site", "server_name", "http_host"]);
    seen.host |= host.is_some() || target.contains("://");
    let mut record = entry(unix, host.unwrap_or("-"), method, target);
    if let Some(host) = host {
        host.clone_into(&mut record.authority);
    }
    if let Some(status) = number(&["status", "status_code"])? {
        seen.status = true;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float saturates")]
        let whole = status as u16;
        if f64::from(whole) != status || !is_status(whole) {
            return Err(format!(r#""status" is {status}: give 100 to 999, or 0 for no answer"#));
        }
        let status = whole;
        record.status = status;
        if status == 0 {
            seen.silence = true;
            record.headed = None;
        }
    }
    if let Some(bytes) = number(&["bytes", "body_bytes_sent", "bytes_sent", "size", "response_size"])? {
        seen.bytes = true;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float saturates")]
        let bytes = bytes.max(0.0) as u64;
        record.sent = bytes;
    }
    let end = number(&["end"])?.or(duration.map(|duration| unix + duration));
    if let Some(end) = end.filter(|end| end.is_finite()) {
        seen.duration = true;
        record.end = Some(end.max(unix));
        record.headed = record.headed.and(record.end);
    }
    if let Some(headers) = field(&["headers", "request_headers"]) {
        seen.headers = true;
        record.headers = pairs(headers);
    }
    for (name, keys) in [
        ("user-agent", &["user_agent", "http_user_agent", "agent", "ua"][..]),
        ("from", &["from", "http_from"]),
    ] {
        if let (Some(value), None) = (text(keys), record.value(name)) {
            record.headers.push((name.to_owned(), value.to_owned()));
        }
    }
    seen.agent |= record.value("user-agent").is_some();
    answers(&entries, &mut record, seen);
    Ok(record)
}

/// A number, or a text that is one; `-` and an empty text say that there is none, as nginx does.
fn number(name: &str, value: &Value) -> Result<Option<f64>, String> {
    let number = match value {
        Value::Null => return Ok(None),
        Value::String(text) if matches!(text.trim(), "" | "-") => return Ok(None),
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_f64(),
    };
    match number.filter(|number| number.is_finite()) {
        Some(number) => Ok(Some(number)),
        None => {
            Err(format!("{name:?} is {value}, which is no number: give one, such as 200, or leave it out"))
        }
    }
}

/// What the log says of the answer's fields.
fn answers(entries: &Map<String, Value>, record: &mut Record, seen: &mut Seen) {
    if let Some(headers) =
        ["response_headers", "answer_headers", "resp_headers"].iter().find_map(|name| entries.get(*name))
    {
        (seen.answers, seen.location, seen.retry_after) = (true, true, true);
        record.answer_headers = pairs(headers);
    }
    for name in ["location", "retry_after"] {
        if let Some(value) = entries.get(name).filter(|value| !value.is_null()) {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            record.answer_headers.push((name.replace('_', "-"), value));
        }
    }
    seen.location |= entries.contains_key("location");
    seen.retry_after |= entries.contains_key("retry_after");
    let location = record.answer("location").filter(|_| matches!(record.status, 301 | 302 | 303 | 307 | 308));
    let base = url::Url::parse(&format!("http://{}{}", record.site, record.target)).ok();
    if let (Some(location), Some(base)) = (location, base)
        && let Ok(url) = base.join(location)
    {
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        record.location =
            Some((url.host_str().unwrap_or_default().to_owned(), format!("{}{query}", url.path())));
    }
}

/// Fields as an object of texts or lists of texts, or as a list of pairs; names in lower case.
fn pairs(value: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut pairs = Vec::new();
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
                pairs.extend(values.iter().map(|value| (name.to_ascii_lowercase(), text(value))));
            }
        }
        Value::Array(list) => {
            for pair in list.iter().filter_map(Value::as_array) {
                if let [name, value] = pair.as_slice() {
                    pairs.push((text(name).to_ascii_lowercase(), text(value)));
                }
            }
        }
        _ => {}
    }
    pairs
}
