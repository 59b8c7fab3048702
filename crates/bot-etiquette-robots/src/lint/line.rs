//! What is wrong with one line, whatever stands around it.

use super::{Lint, show};
use crate::canonical::{BLANK, DOLLAR, class};
use crate::diagnostic::{Code, Severity};
use crate::document::is_star;
use crate::record::{BOM, Key, Line, Span};
use crate::rules::seconds;
use crate::spelling::{SPELLINGS, nearest_key};
use crate::token::{is_rfc_byte, is_token_byte};

/// Keys that some crawler reads, or read once, beside those of RFC 9309.
const EXTENSIONS: [&str; 10] = [
    "clean-param",
    "content-signal",
    "content-usage",
    "host",
    "request-rate",
    "visit-time",
    "disallowaitraining",
    "allowaitraining",
    "llm-policy",
    "cache-delay",
];

/// Directives for indexing, which have their place in a page or a header.
const INDEXING: [&str; 5] = ["noindex", "nofollow", "noarchive", "nosnippet", "noimageindex"];

impl Lint<'_> {
    /// Bytes that no line should hold.
    pub(super) fn bytes_of(&mut self, line: &Line) {
        let whole = whole_line(self.text, line);
        let start = line.start;
        if let Some(at) = memchr::memchr(0, whole) {
            self.report(
                line,
                place(start.saturating_add(at)),
                Code::Nul,
                Severity::Warning,
                "a NUL byte: the rest of the line is not read; remove it",
            );
        }
        if let Err(error) = std::str::from_utf8(whole) {
            self.report(
                line,
                place(start.saturating_add(error.valid_up_to())),
                Code::NotUtf8,
                Severity::Warning,
                "these bytes are not UTF-8: save the file as UTF-8, or percent-encode them in a pattern",
            );
        }
        let body = whole.trim_ascii_start();
        if body.starts_with(BOM) {
            let at = start.saturating_add(whole.len().saturating_sub(body.len()));
            self.report(
                line,
                place(at),
                Code::Bom,
                Severity::Error,
                "a byte order mark here makes the line's key unreadable: remove it",
            );
        }
    }

    /// A line that is neither blank nor a comment, and no record.
    pub(super) fn no_record(&mut self, line: &Line) {
        let content = line.content.of(self.text);
        if content.is_empty() || content.starts_with(BOM) {
            return;
        }
        self.report(
            line,
            line.content,
            Code::MissingColon,
            Severity::Warning,
            format!(
                "no colon in {:?}: the line is not read; write Key: value, or # before a comment",
                show(content)
            ),
        );
    }

    pub(super) fn key_of(&mut self, line: &Line, key: Key) {
        let name = line.name.of(self.text);
        let right = SPELLINGS.iter().find(|(known, ..)| *known == key).map(|&(_, right, _)| right);
        if let Some(right) = right {
            if !name.eq_ignore_ascii_case(right.as_bytes()) {
                self.report(
                    line,
                    line.name,
                    Code::MisspeltKey,
                    Severity::Warning,
                    format!(
                        "{:?} is read as {right} here, but not by every crawler: write {right}",
                        show(name)
                    ),
                );
            }
            if !line.colon {
                self.report(
                    line,
                    line.name,
                    Code::MissingColon,
                    Severity::Warning,
                    format!("the colon is missing, so some crawlers skip the line: write {right}: value"),
                );
            }
            return;
        }
        if name.starts_with(BOM) {
            return;
        }
        let first = name.split(|&byte| byte == b' ' || byte == b'\t').next().unwrap_or_default();
        let known =
            |name: &[u8]| SPELLINGS.iter().find(|(_, right, _)| name.eq_ignore_ascii_case(right.as_bytes()));
        let is_one_of =
            |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()));
        if is_one_of(&INDEXING) {
            self.report(
                line,
                line.name,
                Code::NoindexUnsupported,
                Severity::Warning,
                format!(
                    "{} in robots.txt has no effect: use a robots meta tag or an X-Robots-Tag header",
                    show(name)
                ),
            );
        } else if is_one_of(&EXTENSIONS) {
        } else if let Some((_, right, _)) = known(first).filter(|_| first.len() < name.len()) {
            self.report(
                line,
                line.name,
                Code::MissingColon,
                Severity::Error,
                format!("no colon after {right}: the line is not read; write {right}: value"),
            );
        } else if let Some(right) = nearest_key(name) {
            self.report(
                line,
                line.name,
                Code::MisspeltKey,
                Severity::Error,
                format!("{:?} is not read: {right} is probably meant", show(name)),
            );
        } else {
            self.report(
                line,
                line.name,
                Code::UnknownKey,
                Severity::Warning,
                format!("no crawler is known to read the key {:?}", show(name)),
            );
        }
    }

    pub(super) fn agent(&mut self, line: &Line) {
        let value = line.value.of(self.text);
        if value == b"*" || (!value.is_empty() && value.iter().all(|&byte| is_rfc_byte(byte))) {
            return;
        }
        if memchr::memchr(b',', value).is_some() && !value.contains(&b'(') {
            let first = value.split(|&byte| byte == b',').next().unwrap_or_default();
            self.report(
                line,
                line.value,
                Code::AgentList,
                Severity::Error,
                format!("only {:?} is named: write one User-agent line for each crawler", show(first)),
            );
            return;
        }
        let head = value.iter().take_while(|&&byte| is_token_byte(byte)).count();
        let named = value.get(..head).unwrap_or_default();
        let (severity, message) = if value.is_empty() {
            (Severity::Error, "no agent is named: write a product token or *".to_owned())
        } else if is_star(value) {
            (Severity::Warning, "write * alone: what follows it is not read".to_owned())
        } else if named.is_empty() {
            (
                Severity::Error,
                format!("{:?} names nobody: a product token is made of letters, - and _", show(value)),
            )
        } else if head == value.len() {
            (
                Severity::Info,
                format!(
                    "{:?} holds digits or dots, which RFC 9309 does not foresee: some crawlers read only what stands before",
                    show(value)
                ),
            )
        } else {
            (
                Severity::Warning,
                format!("only {:?} is read of this name: write the product token alone", show(named)),
            )
        };
        self.report(line, line.value, Code::AgentNotAToken, severity, message);
    }

    pub(super) fn pattern(&mut self, line: &Line) {
        let value = line.value.of(self.text);
        if value.is_empty() {
            return;
        }
        if !matches!(value, [b'/' | b'*', ..]) {
            let scheme = [&b"http://"[..], b"https://"].into_iter().find(|scheme| {
                value.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme))
            });
            let (code, message) = match scheme {
                Some(_) => (
                    Code::FullUrl,
                    "a pattern is a path: leave out scheme and host, the rule is not read".to_owned(),
                ),
                None => (
                    Code::NoLeadingSlash,
                    format!(
                        "the rule is not read, for its pattern must begin with / or *: write /{}",
                        show(value)
                    ),
                ),
            };
            self.report(line, line.value, code, Severity::Error, message);
            return;
        }
        let find = |bit: u8| value.iter().position(|&byte| class(byte) & bit != 0);
        if let Some(at) = find(BLANK) {
            self.report(
                line,
                within(line.value, at),
                Code::InnerSpace,
                Severity::Warning,
                "a blank inside a pattern stands for %20: write %20, or one rule a line",
            );
        }
        if let Some(at) = find(DOLLAR).filter(|at| at.saturating_add(1) < value.len()) {
            self.report(
                line,
                within(line.value, at),
                Code::InnerDollar,
                Severity::Warning,
                "a $ before the end of a pattern is an ordinary character: write %24 if that is meant",
            );
        }
    }

    pub(super) fn delay(&mut self, line: &Line, repeated: bool) {
        let value = line.value.of(self.text);
        if seconds(value).is_none() {
            self.report(
                line,
                line.value,
                Code::CrawlDelayInvalid,
                Severity::Warning,
                format!("{:?} is no number of seconds, such as 2 or 0.5: the line is not read", show(value)),
            );
        }
        if repeated {
            self.report(
                line,
                line.name,
                Code::CrawlDelayRepeated,
                Severity::Warning,
                "these agents have a Crawl-delay already: crawlers take the first, the last, the least or the largest; keep one",
            );
        }
    }

    pub(super) fn sitemap(&mut self, line: &Line) {
        let value = line.value.of(self.text);
        let scheme = memchr::memmem::find(value, b"://").unwrap_or(0);
        let absolute = scheme > 0
            && value.get(..scheme).unwrap_or_default().iter().all(u8::is_ascii_alphanumeric)
            && value.len() > scheme.saturating_add(3);
        if !absolute {
            self.report(
                line,
                line.value,
                Code::SitemapNotAbsolute,
                Severity::Warning,
                "a sitemap is named by an absolute URL, such as https://example.com/sitemap.xml",
            );
        }
    }
}

fn within(value: Span, at: usize) -> Span {
    place((value.at as usize).saturating_add(at))
}

fn place(at: usize) -> Span {
    Span::new(at, at)
}

fn whole_line<'a>(text: &'a [u8], line: &Line) -> &'a [u8] {
    let rest = text.get(line.start..).unwrap_or_default();
    let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}
