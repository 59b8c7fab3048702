//! A planted page, made ready for one request.

use std::net::SocketAddr;
use std::time::Duration;

use crate::date::{self, DateForm};
use crate::html;
use crate::promise::Held;
use crate::record::{Place, Record};
use crate::robots;
use crate::site::{Body, Page};
use crate::sites::Sites;
use crate::wire::Head;

/// What will be sent.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: Body,
    /// The length that the head tells, where a body is not sent (HEAD, 304).
    bodiless: bool,
    pub(crate) silent: bool,
    pub(crate) closes: bool,
    pub(crate) delay: Duration,
    pub(crate) per_second: Option<u64>,
    pub(crate) break_after: Option<u64>,
}

/// The head of an answer, as fields and as bytes.
pub(crate) struct AnswerHead {
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) bytes: Vec<u8>,
}

impl Answer {
    /// Makes `page` ready for the request of `head`; no page is a 404.
    pub(crate) fn new(page: Option<Page>, head: &Head, sites: &Sites) -> Self {
        let page = page.unwrap_or_else(|| Page::new("").status(404).body("nothing here\n"));
        let page = sites.filled(page);
        let mut status = page.status.unwrap_or(200);
        let raw = matches!(page.body, Body::Raw(_));
        if let Body::Raw(bytes) = &page.body {
            let text =
                String::from_utf8_lossy(bytes.get(..32.min(bytes.len())).unwrap_or_default()).into_owned();
            status = text.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(200);
        }
        if status == 200
            && !raw
            && matches!(head.method.as_str(), "GET" | "HEAD")
            && is_unchanged(&page, head)
        {
            status = 304;
        }
        Self {
            status,
            bodiless: head.method == "HEAD" || matches!(status, 204 | 304 | 100..=199),
            silent: page.status == Some(0),
            closes: raw || page.break_after.is_some(),
            headers: page.headers,
            body: page.body,
            delay: page.delay,
            per_second: page.per_second,
            break_after: page.break_after,
        }
    }

    pub(crate) fn body_length(&self) -> u64 {
        if self.bodiless && !matches!(self.body, Body::Raw(_)) { 0 } else { self.body.len() }
    }

    /// Whether a client that waits gets all that was announced.
    pub(crate) fn is_meant_whole(&self) -> bool {
        !self.silent && self.break_after.is_none_or(|after| after >= self.body_length())
    }

    fn field(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(each, _)| each.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The head for an answer that begins at some Unix time.
    #[expect(clippy::cast_possible_truncation, reason = "Unix seconds of a clock fit")]
    pub(crate) fn head(&self, unix: f64) -> AnswerHead {
        if matches!(self.body, Body::Raw(_)) {
            return AnswerHead { fields: Vec::new(), bytes: Vec::new() };
        }
        let unix = unix.floor() as i64;
        let mut fields: Vec<(String, String)> =
            self.headers.iter().map(|(name, value)| (name.clone(), with_dates(value, unix))).collect();
        if self.field("date").is_none() {
            fields.push(("Date".into(), date::write(unix, DateForm::Imf)));
        }
        if self.field("content-type").is_none() && self.body.len() > 0 && self.status != 304 {
            fields.push(("Content-Type".into(), self.guessed_type().into()));
        }
        let framed = self.field("content-length").or(self.field("transfer-encoding")).is_some();
        if !framed && !matches!(self.status, 204 | 304 | 100..=199) {
            fields.push(("Content-Length".into(), self.body.len().to_string()));
        }
        if self.closes {
            fields.push(("Connection".into(), "close".into()));
        }
        let mut bytes = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status)).into_bytes();
        for (name, value) in &fields {
            bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        bytes.extend_from_slice(b"\r\n");
        AnswerHead { fields, bytes }
    }

    fn guessed_type(&self) -> &'static str {
        let Body::Bytes(bytes) = &self.body else { return "application/octet-stream" };
        let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or_default();
        match bytes.get(start..).unwrap_or_default() {
            [b'<', b'?', b'x', b'm', b'l', ..] => "application/xml",
            [b'<', ..] => "text/html; charset=utf-8",
            [b'{' | b'[', ..] => "application/json",
            _ => "text/plain; charset=utf-8",
        }
    }

    /// Notes in the record what the answer offers: links and forms, a redirect, a Crawl-delay.
    pub(crate) fn facts(&self, record: &mut Record, sites: &Sites, held: &Held, local: SocketAddr) {
        let here = format!("http://{}{}", record.authority, record.target);
        let base = url::Url::parse(&here).or_else(|_| url::Url::parse(&format!("http://{local}/")));
        let Ok(base) = base else { return };
        let place = |link: &str| -> Option<Place> {
            let url = base.join(link).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
            let target = match url.query() {
                Some(query) => format!("{}?{query}", url.path()),
                None => url.path().to_owned(),
            };
            Some((sites.name(url.authority(), local).0, target))
        };
        if matches!(self.status, 301 | 302 | 303 | 307 | 308) {
            record.location = self.field("location").and_then(place);
        }
        let Body::Bytes(bytes) = &self.body else { return };
        if self.status != 200 || self.bodiless || bytes.len() > html::READ {
            return;
        }
        let text = String::from_utf8_lossy(bytes);
        if record.is_robots() {
            record.crawl_delay = robots::crawl_delay(&text, held.token.as_deref());
            return;
        }
        let tags = self.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("x-robots-tag"));
        let linked = self.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("link"));
        let listed = linked.flat_map(|(_, value)| html::addresses(value)).chain(
            match text.trim_start().starts_with('<') {
                true => Vec::new(),
                false => html::addresses(&text),
            },
        );
        let listed: Vec<Place> = listed.filter_map(place).collect();
        let page = html::read(&text, tags.map(|(_, value)| value.as_str()), held.token.as_deref());
        record.offers.follow = page.follow.iter().filter_map(|link| place(link)).collect();
        record.offers.follow.extend(listed);
        record.offers.nofollow = page.nofollow.iter().filter_map(|link| place(link)).collect();
        let forms = page.forms.into_iter();
        record.offers.forms =
            forms.filter_map(|form| place(&form.action).map(|action| (action, form.fields))).collect();
    }
}

/// Whether the request's validators say that the client has this page (RFC 9110 13.1.2 and 13.1.3).
fn is_unchanged(page: &Page, head: &Head) -> bool {
    let weak = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    match (head.value("if-none-match"), page.field("etag")) {
        (Some(held), Some(tag)) => held.split(',').any(|each| weak(each) == weak(tag) || each.trim() == "*"),
        (Some(_), None) => false,
        (None, _) => match (head.value("if-modified-since"), page.field("last-modified")) {
            (Some(since), Some(modified)) => match (date::read(since, 0), date::read(modified, 0)) {
                (Some(since), Some(modified)) => modified <= since,
                _ => false,
            },
            _ => false,
        },
    }
}

/// Puts dates in place of `{date+5}`, `{rfc850+5}`, `{asctime+5}`; a minus goes into the past.
fn with_dates(value: &str, unix: i64) -> String {
    let mut value = value.to_owned();
    for (name, form) in
        [("date", DateForm::Imf), ("rfc850", DateForm::Rfc850), ("asctime", DateForm::Asctime)]
    {
        let open = format!("{{{name}");
        while let Some(at) = value.find(&open) {
            let rest = value.get(at + open.len()..).unwrap_or_default();
            let Some((offset, after)) = rest.split_once('}') else { break };
            let Ok(offset) = offset.parse::<i64>() else { break };
            let date = date::write(unix.saturating_add(offset), form);
            value = format!("{}{date}{after}", value.get(..at).unwrap_or_default());
        }
    }
    value
}

const fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        403 => "Forbidden",
        404 => "Not Found",
        410 => "Gone",
        413 => "Content Too Large",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Planted",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_put_into_fields_at_the_time_of_the_answer() {
        assert_eq!(with_dates("{date+60}", 784_111_717), "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(with_dates("a {rfc850-1} b", 784_111_778), "a Sunday, 06-Nov-94 08:49:37 GMT b");
        assert_eq!(with_dates("{asctime+0}", 784_111_777), "Sun Nov  6 08:49:37 1994");
        for text in ["{date", "{date+x}", "{other+1}"] {
            assert_eq!(with_dates(text, 0), text);
        }
    }
}
