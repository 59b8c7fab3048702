//! A request log read against a promise: common, combined and NDJSON.

mod object;

use std::collections::BTreeSet;
use std::net::IpAddr;

use self::object::object;
use crate::date;
use crate::judge::{self, Precision};
use crate::pattern::{names_product, product_of};
use crate::promise::{Held, Promise, PromiseError};
use crate::record::Record;
use crate::report::Report;
use crate::rule::Rule;

/// Why a log could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// The promise cannot be kept.
    #[error(transparent)]
    Promise(#[from] PromiseError),
    /// A line that is no entry.
    #[error("line {line}: {problem}")]
    Line {
        /// From 1.
        line: usize,
        /// What was expected.
        problem: String,
    },
    /// One crawler was asked for, and the log does not say whose requests it holds.
    #[error("line {line}: names no User-Agent, by which the requests of {agent} could be told from others'")]
    NoAgent {
        /// From 1.
        line: usize,
        /// The crawler.
        agent: String,
    },
    /// A packed log.
    #[error("is packed by gzip: unpack it first (zcat FILE, with --log - to read it from there)")]
    Packed,
    /// One crawler was asked for by an empty name, which would be everybody's.
    #[error("the crawler's name is empty: give the product of its User-Agent, such as MyBot")]
    EmptyAgent,
}

/// Names of others that a report tells at the most.
const MAX_NAMES: usize = 10;

/// Reads a log of one crawler's requests and reports as a referee would, as far as a log can show.
///
/// Each line is in the common or combined format (with or without the virtual host in front), or a JSON object. Of an
/// object are read, with the usual other spellings: `at` (seconds) or `time` (RFC 3339), `host`, `method`, `path` (or
/// `request`, or `url`), `status`, `bytes`, `duration` (seconds), `user_agent`, `headers` and `response_headers`
/// (objects or lists of pairs). A `request` that is an object is read as Caddy writes it: with `method`, `uri`, `host` and
/// `headers` of its own, and a time that is the end of the request. Any other time is taken for the request's start. Where times are whole seconds, a gap
/// counts as too short only when it is so for certain. Without a host all lines are taken for one.
///
/// Rules that the fields of the log cannot show are in [`Report::unseen`], promised or not.
///
/// # Errors
///
/// A promise nobody can keep, or the first line that is no entry. Empty lines are passed over.
pub fn read_log(log: &[u8], promise: Promise) -> Result<Report, LogError> {
    read(log, promise, None)
}

/// As [`read_log`], of the log of a whole site: only the requests whose User-Agent names this crawler count, upper and
/// lower case alike. `MyBot` is named by `MyBot/1.0` and by `Mozilla/5.0 (compatible; MyBot/1.0)`, not by `NotMyBot/1.0` or
/// `MyBot-Image/1.0`. Whom the others named is in [`Report::passed_over`].
///
/// ```
/// use bot_etiquette_referee::{Promise, read_log_of};
///
/// let log = r#"{"at":0,"path":"/","user_agent":"MyBot/1.0"}
/// {"at":0.1,"path":"/","user_agent":"Mozilla/5.0 (X11; Linux x86_64)"}
/// {"at":2,"path":"/b","user_agent":"MyBot/1.0"}"#;
/// let promise = Promise::new().min_delay(std::time::Duration::from_secs(1));
/// let report = read_log_of(log.as_bytes(), promise, "mybot").unwrap();
/// assert_eq!((report.requests(), report.is_clean()), (2, true));
/// ```
///
/// # Errors
///
/// As [`read_log`], a line that names no User-Agent at all, and an empty name.
pub fn read_log_of(log: &[u8], promise: Promise, agent: &str) -> Result<Report, LogError> {
    read(log, promise, Some(agent))
}

fn read(log: &[u8], promise: Promise, agent: Option<&str>) -> Result<Report, LogError> {
    let wanted = agent.map(str::trim);
    if wanted == Some("") {
        return Err(LogError::EmptyAgent);
    }
    if log.starts_with(&[0x1f, 0x8b]) {
        return Err(LogError::Packed);
    }
    let held = Held::new(promise, None)?;
    let mut seen = Seen::default();
    let mut records = Vec::new();
    let mut lines = 0;
    let mut passed_over = BTreeSet::new();
    for (number, line) in (1..).zip(log.split(|byte| *byte == b'\n')) {
        let line = String::from_utf8_lossy(line);
        let line = line.trim().trim_start_matches('\u{feff}');
        if line.is_empty() {
            continue;
        }
        let record = if line.starts_with('{') { object(line, &mut seen) } else { common(line, &mut seen) };
        let record = record.map_err(|problem| LogError::Line { line: number, problem })?;
        lines += 1;
        if let Some(wanted) = wanted {
            // Combined logs write `-` for a visitor that sent none.
            let Some(named) = record.value("user-agent") else {
                if seen.agent {
                    continue;
                }
                return Err(LogError::NoAgent { line: number, agent: wanted.to_owned() });
            };
            if !names_product(named, wanted) {
                if passed_over.len() < MAX_NAMES {
                    passed_over.extend(product_of(named));
                }
                continue;
            }
        }
        records.push(record);
    }
    let now =
        records.iter().filter_map(|record: &Record| record.end).max_by(f64::total_cmp).unwrap_or_default();
    let resolution = if seen.whole_seconds { 1.0 } else { 0.0 };
    let mut report = judge::judge(records, &[], &held, Precision::Logged { resolution }, now);
    report.from_log = true;
    report.lines = lines;
    report.passed_over = passed_over.into_iter().collect();
    report.unseen = seen.unseen(&held);
    // What stands in the log stands, even where the log does not show all of its kind.
    let proven = [Rule::Credentials, Rule::Cookie, Rule::BadSignature, Rule::ClosedPath];
    let shown = |rule: &Rule| proven.contains(rule) || !report.unseen.contains(rule);
    report.violations.retain(|found| shown(&found.rule));
    report.left_out.retain(|rule, _| shown(rule));
    Ok(report)
}

/// Which fields a log has at all.
#[derive(Debug, Default)]
struct Seen {
    whole_seconds: bool,
    host: bool,
    status: bool,
    bytes: bool,
    agent: bool,
    headers: bool,
    duration: bool,
    answers: bool,
    location: bool,
    retry_after: bool,
    silence: bool,
}

impl Seen {
    fn unseen(&self, held: &Held) -> Vec<Rule> {
        // Without the keys no signature is known to be good; without hosts, nothing is known to have left one's path alone.
        let keyless = held.promise.signed && held.keys.is_none();
        let hosted = held.closed.iter().any(|path| path.site.is_some());
        let hidden = |rule: &Rule| match rule {
            Rule::UserAgent => !self.agent && !self.headers,
            Rule::FromMissing
            | Rule::Unsigned
            | Rule::ExpiredSignature
            | Rule::ReusedSignature
            | Rule::AgentHeader
            | Rule::Cookie
            | Rule::Credentials
            | Rule::Form => !self.headers,
            Rule::BadSignature => !self.headers || keyless,
            Rule::ClosedPath => hosted && !self.host,
            Rule::MaxOpen | Rule::TimeLimit => !self.duration,
            Rule::GroupRate | Rule::OffScope => !self.host,
            Rule::RetryAfter => !self.retry_after,
            Rule::BusyBackoff => !self.status,
            Rule::UnreachableBackoff => !self.silence,
            Rule::Redirects | Rule::RedirectRobots => !self.location,
            Rule::BodyLimit => !self.bytes,
            Rule::Unconditional => !self.headers || !self.answers,
            Rule::CrawlDelay | Rule::Nofollow | Rule::BrowserLeak => true,
            _ => false,
        };
        Rule::ALL.iter().copied().filter(hidden).collect()
    }
}

/// `[vhost:port] client ident user [time] "request" status bytes ["referer" "user agent"] ..`
fn common(line: &str, seen: &mut Seen) -> Result<Record, String> {
    let expected = || no_entry(line);
    // The request's quotes stand after the time, which tells the brackets of it from those of a name.
    let end = line.find("] \"").or_else(|| line.find(']')).ok_or_else(expected)?;
    let (front, rest) = line.split_at(end);
    let (front, time) = front.rsplit_once(" [").ok_or_else(expected)?;
    let words: Vec<&str> = front.split_ascii_whitespace().collect();
    let (host, user) = match words.as_slice() {
        // A user's name may have spaces in it: a host in front has the client after it, and the client has `-`.
        [client, ident, user @ ..]
            if !user.is_empty() && (user.len() == 1 || *ident == "-" || client.parse::<IpAddr>().is_ok()) =>
        {
            (None, user)
        }
        [host, _, _, user @ ..] if !user.is_empty() => {
            (Some(host.split(':').next().unwrap_or_default()), user)
        }
        _ => return Err(expected()),
    };
    let (request, rest) = quoted(rest).ok_or_else(expected)?;
    let mut words = rest.split_ascii_whitespace();
    let status = words.next().and_then(|word| word.parse().ok()).ok_or_else(expected)?;
    if !is_status(status) {
        return Err(format!("the status {status} is none: give 100 to 999"));
    }
    let bytes = words
        .next()
        .map(|word| if word == "-" { Some(0) } else { word.parse().ok() })
        .ok_or_else(expected)?;
    let unix = common_time(time)
        .ok_or_else(|| format!("the time {time:?} is not like 10/Oct/2000:13:55:36 -0700"))?;
    let agent = quoted(rest).and_then(|(_, rest)| quoted(rest)).map(|(agent, _)| agent);
    let (method, target) = request_line(&request);
    seen.whole_seconds = true;
    seen.host |= host.is_some();
    (seen.status, seen.bytes) = (true, true);
    seen.agent |= agent.is_some();
    let mut record = entry(unix, host.unwrap_or("-"), method, target);
    record.status = status;
    record.sent = bytes.unwrap_or_default();
    record.headers.extend(agent.filter(|agent| agent != "-").map(|agent| ("user-agent".to_owned(), agent)));
    if user != ["-"] {
        record.headers.push(("authorization".to_owned(), "..".to_owned()));
    }
    Ok(record)
}

/// What is said of a line in none of the formats.
fn no_entry(line: &str) -> String {
    let read = r#"read are the common and combined formats (client ident user [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 200 123) and one JSON object a line"#;
    match line.starts_with('#') {
        true => format!(
            "is a heading, as IIS and other extended logs (W3C) have: {read}; write the log anew in one of them"
        ),
        false => format!("is no entry: {read}; mend the line or take it out"),
    }
}

/// 0 is no answer; servers have been seen to send any three digits.
fn is_status(status: u16) -> bool {
    status == 0 || (100..1000).contains(&status)
}

/// The first text in double quotes, with its backslashes undone, and what follows it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let (_, inner) = text.split_once('"')?;
    let mut out = String::new();
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((out, inner.get(at + 1..)?)),
            '\\' => out.push(chars.next()?.1),
            c => out.push(c),
        }
    }
    None
}

/// `10/Oct/2000:13:55:36 -0700`
fn common_time(text: &str) -> Option<f64> {
    let (date_part, rest) = text.split_once(':')?;
    let (time, zone) = rest.split_once(' ').unwrap_or((rest, "+0000"));
    let mut parts = date_part.split('/');
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    let unix = date::read(&format!("Day, {day} {month} {year} {time} GMT"), 0)?;
    Some(crate::signature::seconds(unix - offset(zone)?))
}

/// `+0130`, `-07:00` or `Z`, in seconds.
fn offset(zone: &str) -> Option<i64> {
    if matches!(zone, "Z" | "z") {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let digits: String = zone.get(1..)?.chars().filter(|c| *c != ':').collect();
    let (hours, minutes) = (digits.get(..2)?.parse::<i64>().ok()?, digits.get(2..4)?.parse::<i64>().ok()?);
    (zone.starts_with(['+', '-'])).then_some(sign * (hours * 3600 + minutes * 60))
}

/// `2000-10-10T13:55:36.5-07:00`, and whether it has a fraction.
fn rfc3339(text: &str) -> Option<(f64, bool)> {
    let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<i64>().ok();
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let rest = text.get(19..)?;
    let digits =
        rest.strip_prefix('.').map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count() + 1);
    let (fraction, zone) = rest.split_at(digits);
    let fraction_value = if digits > 1 { format!("0{fraction}").parse::<f64>().ok()? } else { 0.0 };
    let whole = date::days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset(zone)?;
    Some((crate::signature::seconds(whole) + fraction_value, digits > 1))
}

fn request_line(line: &str) -> (String, String) {
    let mut words = line.split(' ');
    let method = words.next().unwrap_or_default().to_owned();
    (method, words.next().unwrap_or_default().to_owned())
}

fn entry(unix: f64, host: &str, method: String, target: String) -> Record {
    let host = host.split(':').next().unwrap_or_default().trim_end_matches('.').to_ascii_lowercase();
    // A target may be whole, as proxies log it.
    let (host, target) = match target.split_once("://").filter(|_| !target.starts_with('/')) {
        Some((_, rest)) => {
            let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
            let name = authority.rsplit('@').next().unwrap_or_default().split(':').next().unwrap_or_default();
            (name.to_ascii_lowercase(), if path.is_empty() { "/".to_owned() } else { path.to_owned() })
        }
        None => (host, target),
    };
    Record {
        site: host.clone(),
        authority: host,
        known_site: true,
        start: unix,
        unix,
        real_unix: unix,
        headed: Some(unix),
        end: Some(unix),
        method,
        target,
        whole: true,
        ..Record::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_zones() {
        assert_eq!(common_time("10/Oct/2000:13:55:36 -0700"), Some(971_211_336.0));
        assert_eq!(rfc3339("2000-10-10T13:55:36-07:00"), Some((971_211_336.0, false)));
        assert_eq!(rfc3339("2000-10-10T20:55:36.25Z"), Some((971_211_336.25, true)));
        for wrong in
            ["", "2000-13-10T20:55:36Z", "2000-10-10", "2000-10-10T20:55:36", "2000-10-10T20:55:36.Zx"]
        {
            assert_eq!(rfc3339(wrong), None, "{wrong}");
        }
        for wrong in ["", "10/Oct/2000", "10/Okt/2000:13:55:36 -0700", "10/Oct/2000:13:55:36 x"] {
            assert_eq!(common_time(wrong), None, "{wrong}");
        }
    }
}
