//! Reads a robots.txt with the eyes of its owner: the file, its groups, and what is kept of the findings.

mod line;

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::Robots;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::document::is_star;
use crate::record::{Key, Line, Lines, Span, bom_length};
use crate::shadow::{self, Finding};
use crate::verdict::Shown;

/// Findings kept of one file: the gravest ones, and of equal ones the first by line.
pub const MAX_DIAGNOSTICS: usize = 1_000;

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

/// What the groups have shown so far.
#[derive(Default)]
struct Groups {
    all: Vec<GroupSoFar>,
    /// The agents of the groups before the last that give a delay.
    delayed: HashSet<Vec<u8>>,
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

impl Groups {
    /// The group that an agent line belongs to: the one before it, while its agents are being named, else a new one.
    fn of_agent(&mut self) -> Option<&mut GroupSoFar> {
        if !self.all.last().is_some_and(|group| group.in_agents) {
            if let Some(ended) = self.all.last().filter(|group| group.delay.is_some()) {
                self.delayed.extend(ended.agents.iter().cloned());
            }
            self.all.push(GroupSoFar { in_agents: true, ..GroupSoFar::default() });
        }
        self.all.last_mut()
    }
}

impl Lint<'_> {
    fn records(&mut self, shadowed: Vec<Finding>) {
        let mut shadowed = shadowed.into_iter().peekable();
        let mut groups = Groups::default();
        for line in Lines::new(self.text) {
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
                Key::UserAgent => self.agent_in(&mut groups, &line),
                Key::Allow | Key::Disallow => self.rule_in(&mut groups, &line, key),
                Key::CrawlDelay => self.delay_in(&mut groups, &line),
                Key::Sitemap | Key::Other => {
                    if let Some(group) = groups.all.last_mut() {
                        group.record_since_agent |= group.in_agents;
                    }
                    if key == Key::Sitemap {
                        self.sitemap(&line);
                    }
                }
            }
        }
        self.delays_alone(&groups.all);
    }

    fn agent_in(&mut self, groups: &mut Groups, line: &Line) {
        self.agent(line);
        let Some(group) = groups.of_agent() else { return };
        if group.record_since_agent {
            self.report(
                line,
                line.name,
                Code::GroupJoinedOverRecord,
                Severity::Warning,
                "a record between User-agent lines does not end the group: this agent shares all rules \
                 with the agents above; put a rule (an empty Disallow will do) before it to split them",
            );
        }
        group.record_since_agent = false;
        group.agents.push(line.value.of(self.text).to_ascii_lowercase());
    }

    fn rule_in(&mut self, groups: &mut Groups, line: &Line, key: Key) {
        match groups.all.last_mut() {
            Some(group) => {
                group.in_agents = false;
                group.record_since_agent = false;
                group.rules = group.rules.saturating_add(1);
                group.closes |= key == Key::Disallow && line.value.len > 0;
            }
            None => self.before_group(line),
        }
        self.pattern(line);
    }

    fn delay_in(&mut self, groups: &mut Groups, line: &Line) {
        let repeated = match groups.all.last_mut() {
            Some(group) => {
                group.record_since_agent |= group.in_agents;
                group.delay.replace(*line).is_some()
                    || group.agents.iter().any(|agent| groups.delayed.contains(agent))
            }
            None => {
                self.before_group(line);
                false
            }
        };
        self.delay(line, repeated);
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
