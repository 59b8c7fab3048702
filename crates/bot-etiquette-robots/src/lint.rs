//! Reads a robots.txt with the eyes of its owner.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::Robots;
use crate::canonical::{BLANK, DOLLAR, class};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::document::is_star;
use crate::record::{BOM, Key, Line, Lines, Span, bom_length};
use crate::rules::seconds;
use crate::shadow::{self, Finding};
use crate::spelling::{SPELLINGS, nearest_key};
use crate::token::{is_rfc_byte, is_token_byte};
use crate::verdict::Shown;

/// Findings kept of one file: the gravest ones, and of equal ones the first by line.
pub const MAX_DIAGNOSTICS: usize = 1_000;

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

pub(crate) fn diagnostics(robots: &Robots) -> Vec<Diagnostic> {
    let text = robots.text();
    let mut lint = Lint { text, found: Vec::new(), counts: [0; 3], lines: 0 };
    if looks_like_utf16(text) {
        lint.at_start(
            Code::Utf16,
            Severity::Error,
            "the file is UTF-16, which crawlers do not read: save it as UTF-8",
        );
        return lint.found;
    }
    if robots.looks_like_html() {
        lint.at_start(
            Code::Html,
            Severity::Error,
            "this is an HTML or XML page, not a robots.txt: serve plain text, or answer 404 when there is none",
        );
        return lint.found;
    }
    lint.bom_at_start();
    lint.records(shadow::findings(&robots.document));
    if robots.is_truncated() {
        lint.too_large();
    }
    let mut found = lint.found;
    let place = |found: &Diagnostic| (found.line, found.column, found.code);
    if found.len() > MAX_DIAGNOSTICS {
        // That the file was not read to its end comes first: nothing below says so.
        found.sort_by_key(|found| (found.code != Code::TooLarge, Reverse(found.severity), place(found)));
        found.truncate(MAX_DIAGNOSTICS);
    }
    found.sort_by_key(place);
    found
}

/// Whether the text begins with the mark of UTF-16, or with two letters in it.
fn looks_like_utf16(text: &[u8]) -> bool {
    match text {
        [0xfe, 0xff, ..] | [0xff, 0xfe, ..] => true,
        [0, one, 0, two, ..] | [one, 0, two, 0, ..] => one.is_ascii_graphic() && two.is_ascii_graphic(),
        _ => false,
    }
}

struct Lint<'a> {
    text: &'a [u8],
    found: Vec<Diagnostic>,
    /// How many were found of each severity.
    counts: [usize; 3],
    lines: u32,
}

/// What the lines of a group have shown so far.
#[derive(Default)]
struct GroupSoFar {
    /// The agent values in lower case.
    agents: Vec<Vec<u8>>,
    /// The last line was an agent, or a record that does not end the run of agents.
    in_agents: bool,
    /// A record stands between the last agent and here.
    record_since_agent: bool,
    /// Rules, those without a pattern among them.
    rules: usize,
    /// A rule closes something.
    closes: bool,
    delay: Option<Line>,
}

impl Lint<'_> {
    fn records(&mut self, shadowed: Vec<Finding>) {
        let text = self.text;
        let mut shadowed = shadowed.into_iter().peekable();
        let mut groups: Vec<GroupSoFar> = Vec::new();
        // The agents of earlier groups that give a delay.
        let mut delayed: HashSet<Vec<u8>> = HashSet::new();
        for line in Lines::new(text) {
            self.lines = line.number;
            if self.counts.iter().all(|&count| count >= MAX_DIAGNOSTICS) {
                continue;
            }
            self.bytes_of(&line);
            if let Some(finding) = shadowed.next_if(|finding| finding.line == line.number) {
                self.report(&line, line.value, finding.code, finding.severity, finding.message);
            }
            let Some(key) = line.key else {
                self.no_record(&line);
                continue;
            };
            self.key_of(&line, key);
            match key {
                Key::UserAgent => {
                    self.agent(&line);
                    if !groups.last().is_some_and(|group| group.in_agents) {
                        if let Some(ended) = groups.last().filter(|group| group.delay.is_some()) {
                            delayed.extend(ended.agents.iter().cloned());
                        }
                        groups.push(GroupSoFar { in_agents: true, ..GroupSoFar::default() });
                    }
                    if let Some(group) = groups.last_mut() {
                        if group.record_since_agent {
                            self.report(
                                &line,
                                line.name,
                                Code::GroupJoinedOverRecord,
                                Severity::Warning,
                                "a record between User-agent lines does not end the group: this agent shares all rules \
                                 with the agents above; put a rule (an empty Disallow will do) before it to split them",
                            );
                        }
                        group.record_since_agent = false;
                        group.agents.push(line.value.of(text).to_ascii_lowercase());
                    }
                }
                Key::Allow | Key::Disallow => {
                    match groups.last_mut() {
                        Some(group) => {
                            group.in_agents = false;
                            group.record_since_agent = false;
                            group.rules = group.rules.saturating_add(1);
                            group.closes |= key == Key::Disallow && line.value.len > 0;
                        }
                        None => self.before_group(&line),
                    }
                    self.pattern(&line);
                }
                Key::CrawlDelay => {
                    let repeated = match groups.last_mut() {
                        Some(group) => {
                            group.record_since_agent |= group.in_agents;
                            group.delay.replace(line).is_some()
                                || group.agents.iter().any(|agent| delayed.contains(agent))
                        }
                        None => {
                            self.before_group(&line);
                            false
                        }
                    };
                    self.delay(&line, repeated);
                }
                Key::Sitemap | Key::Other => {
                    if let Some(group) = groups.last_mut() {
                        group.record_since_agent |= group.in_agents;
                    }
                    if key == Key::Sitemap {
                        self.sitemap(&line);
                    }
                }
            }
        }
        self.delays_alone(&groups);
    }

    fn bom_at_start(&mut self) {
        match bom_length(self.text) {
            0 => {}
            3 => self.at_start(
                Code::Bom,
                Severity::Info,
                "the file begins with a byte order mark, which is skipped",
            ),
            _ => self.at_start(
                Code::Bom,
                Severity::Warning,
                "the file begins with a part of a byte order mark: save it as UTF-8 anew",
            ),
        }
    }

    /// Bytes that no line should hold.
    fn bytes_of(&mut self, line: &Line) {
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
    fn no_record(&mut self, line: &Line) {
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

    fn key_of(&mut self, line: &Line, key: Key) {
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

    fn agent(&mut self, line: &Line) {
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

    fn before_group(&mut self, line: &Line) {
        let name = show(line.name.of(self.text));
        self.report(
            line,
            line.name,
            Code::RuleBeforeGroup,
            Severity::Error,
            format!(
                "{name} stands before the first User-agent line and is for nobody: put User-agent: * above it"
            ),
        );
    }

    fn pattern(&mut self, line: &Line) {
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

    fn delay(&mut self, line: &Line, repeated: bool) {
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

    fn sitemap(&mut self, line: &Line) {
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

    /// Groups that give a delay and no rule, where the crawler would have had rules without them.
    fn delays_alone(&mut self, groups: &[GroupSoFar]) {
        let star = |group: &&GroupSoFar| group.agents.iter().any(|agent| is_star(agent));
        if !groups.iter().filter(star).any(|group| group.closes) {
            return;
        }
        let mut rules: HashMap<&[u8], usize> = HashMap::new();
        for group in groups {
            for agent in &group.agents {
                let count = rules.entry(agent).or_default();
                *count = count.saturating_add(group.rules);
            }
        }
        for group in groups.iter().filter(|group| !star(group) && group.rules == 0) {
            let alone = group.agents.iter().any(|agent| rules.get(agent.as_slice()) == Some(&0));
            if let (Some(line), true) = (group.delay, alone) {
                self.report(
                    &line,
                    line.name,
                    Code::CrawlDelayAlone,
                    Severity::Warning,
                    "this group has no rule, so its crawlers may fetch everything: the rules for * are not theirs; \
                     repeat those that shall hold",
                );
            }
        }
    }

    fn too_large(&mut self) {
        self.found.push(Diagnostic {
            line: self.lines.saturating_add(1),
            column: 1,
            code: Code::TooLarge,
            severity: Severity::Error,
            message: "the file is longer than what is read (500 KiB by default): nothing from here on counts"
                .into(),
        });
    }

    fn at_start(&mut self, code: Code, severity: Severity, message: &str) {
        self.found.push(Diagnostic { line: 1, column: 1, code, severity, message: message.into() });
    }

    fn report(&mut self, line: &Line, at: Span, code: Code, severity: Severity, message: impl Into<String>) {
        let Some(count) = self.counts.get_mut(severity as usize) else { return };
        *count = count.saturating_add(1);
        if *count > MAX_DIAGNOSTICS {
            return;
        }
        let column = (at.at as usize).saturating_sub(line.start).saturating_add(1);
        let column = u32::try_from(column).unwrap_or(u32::MAX);
        self.found.push(Diagnostic { line: line.number, column, code, severity, message: message.into() });
    }
}

fn show(text: &[u8]) -> String {
    Shown(text).to_string()
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
