//! The tables a robots.txt is parsed into: spans of the text, no copies of it.

use crate::canonical::{self, BLANK, DOLLAR, ENCODE, PERCENT, STAR, Side};
use crate::record::{Key, Lines, Span, bom_length};
use crate::{Directive, Limits, ProductToken, Record};

/// The tables of one robots.txt.
#[derive(Debug, Default)]
pub(crate) struct Document {
    /// What the spans point into.
    pub(crate) text: Box<[u8]>,
    groups: Box<[Group]>,
    agents: Box<[Agent]>,
    rules: Box<[RuleEntry]>,
    others: Box<[Other]>,
    pub(crate) sitemaps: Box<[Span]>,
    rewritten: Box<[Rewritten]>,
    /// The canonical forms of patterns that are not canonical in the text.
    canonical: Box<[u8]>,
    pub(crate) truncated: bool,
}

/// Where the parts of a group begin; they end where those of the next group begin.
#[derive(Debug, Clone, Copy, Default)]
struct Group {
    agents: u32,
    rules: u32,
    others: u32,
}

#[derive(Debug, Clone, Copy)]
struct Agent {
    value: Span,
}

#[derive(Debug, Clone, Copy)]
struct Other {
    line: u32,
    key: Key,
    name: Span,
    value: Span,
}

/// A rule in twelve bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RuleEntry {
    pub(crate) line: u32,
    /// Where the pattern begins in the text, or its place among the rewritten ones.
    at: u32,
    /// The length of the canonical pattern, and four flags.
    shape: u32,
}

#[derive(Debug, Clone, Copy)]
struct Rewritten {
    raw: Span,
    at: u32,
}

impl RuleEntry {
    const ALLOW: u32 = 1;
    const WILD: u32 = 2;
    const ANCHORED: u32 = 4;
    const REWRITTEN: u32 = 8;
    const FLAG_BITS: u32 = 4;

    /// The octets of the canonical pattern, `*` and `$` counted.
    #[inline]
    pub(crate) fn len(self) -> u32 {
        self.shape >> Self::FLAG_BITS
    }

    #[inline]
    pub(crate) fn is_allow(self) -> bool {
        self.shape & Self::ALLOW != 0
    }

    /// Whether the pattern holds a `*`.
    #[inline]
    pub(crate) fn is_wild(self) -> bool {
        self.shape & Self::WILD != 0
    }

    /// Whether the pattern ends with `$`.
    #[inline]
    pub(crate) fn is_anchored(self) -> bool {
        self.shape & Self::ANCHORED != 0
    }

    pub(crate) fn directive(self) -> Directive {
        if self.is_allow() { Directive::Allow } else { Directive::Disallow }
    }
}

impl Document {
    /// Parses `text` and keeps all of it.
    pub(crate) fn whole(text: &[u8], limits: &Limits) -> Self {
        let (text, cut) = readable(text, limits.bytes);
        let mut tables = Tables::scan(text, limits);
        tables.truncated |= cut;
        let text = text.get(..tables.end).unwrap_or(text);
        tables.finish(text.into())
    }

    /// Parses `text` and keeps what the groups for `agents` hold.
    pub(crate) fn part<'t>(
        text: &[u8],
        limits: &Limits,
        agents: impl IntoIterator<Item = &'t ProductToken>,
    ) -> (Self, Found) {
        let (text, cut) = readable(text, limits.bytes);
        let mut tables = Tables::scan(text, limits);
        tables.truncated |= cut;
        let found = find_groups(&tables.groups, &tables.agents, text, agents);
        let kept = tables.kept(text, &found.groups);
        let groups = kept.groups().collect();
        (kept, Found { groups })
    }

    /// The groups to follow: those of the first agent that has any, else those for `*`.
    pub(crate) fn find<'t>(&self, agents: impl IntoIterator<Item = &'t ProductToken>) -> Found {
        find_groups(&self.groups, &self.agents, &self.text, agents)
    }

    pub(crate) fn groups(&self) -> std::ops::Range<u32> {
        0..self.groups.len() as u32
    }

    /// The rules of a group as places in the table.
    pub(crate) fn rules_of(&self, group: u32) -> std::ops::Range<u32> {
        let start = self.groups.get(group as usize).map_or(0, |group| group.rules);
        let end = self.groups.get(group as usize + 1).map_or(self.rules.len() as u32, |next| next.rules);
        start..end
    }

    #[inline]
    pub(crate) fn rules_in(&self, places: std::ops::Range<u32>) -> &[RuleEntry] {
        self.rules.get(places.start as usize..places.end as usize).unwrap_or_default()
    }

    #[inline]
    pub(crate) fn rule(&self, place: u32) -> Option<RuleEntry> {
        self.rules.get(place as usize).copied()
    }

    /// The group a rule stands in.
    pub(crate) fn group_of(&self, rule: u32) -> u32 {
        let after = self.groups.partition_point(|group| group.rules <= rule);
        // Of groups without rules of their own the last one begins where the rule does.
        after.saturating_sub(1) as u32
    }

    /// The agent value on a group's first line.
    pub(crate) fn agent_of(&self, group: u32) -> &[u8] {
        let first = self.groups.get(group as usize).map_or(u32::MAX, |group| group.agents);
        self.agents.get(first as usize).map_or(&[], |agent| agent.value.of(&self.text))
    }

    pub(crate) fn others_of(&self, group: u32) -> impl Iterator<Item = Record<'_>> {
        let start = self.groups.get(group as usize).map_or(0, |group| group.others as usize);
        let end = self.groups.get(group as usize + 1).map_or(self.others.len(), |next| next.others as usize);
        self.others.get(start..end).unwrap_or_default().iter().map(|other| Record {
            line: other.line,
            key: other.key,
            name: other.name.of(&self.text),
            value: other.value.of(&self.text),
        })
    }

    /// The pattern as it is compared.
    #[inline]
    pub(crate) fn pattern(&self, rule: RuleEntry) -> &[u8] {
        let (at, text) = if rule.shape & RuleEntry::REWRITTEN == 0 {
            (rule.at, &self.text)
        } else {
            (self.rewritten.get(rule.at as usize).map_or(u32::MAX, |entry| entry.at), &self.canonical)
        };
        Span { at, len: rule.len() }.of(text)
    }

    /// The pattern as written.
    pub(crate) fn written(&self, rule: RuleEntry) -> &[u8] {
        if rule.shape & RuleEntry::REWRITTEN == 0 {
            return self.pattern(rule);
        }
        self.rewritten.get(rule.at as usize).map_or(&[], |entry| entry.raw.of(&self.text))
    }
}

/// The groups a crawler has to follow, in the order of the file.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) groups: Box<[u32]>,
}

fn find_groups<'t>(
    groups: &[Group],
    agents: &[Agent],
    text: &[u8],
    tokens: impl IntoIterator<Item = &'t ProductToken>,
) -> Found {
    let named = |is_named: &dyn Fn(&[u8]) -> bool| -> Box<[u32]> {
        let mut found = Vec::new();
        for (place, group) in groups.iter().enumerate() {
            let end = groups.get(place + 1).map_or(agents.len(), |next| next.agents as usize);
            let own = agents.get(group.agents as usize..end).unwrap_or_default();
            if own.iter().any(|agent| is_named(agent.value.of(text))) {
                found.push(place as u32);
            }
        }
        found.into()
    };
    for token in tokens {
        let groups = named(&|value| token.is_named_by(value));
        if !groups.is_empty() {
            return Found { groups };
        }
    }
    Found { groups: named(&is_star) }
}

/// `*`, alone or with more words behind it.
pub(crate) fn is_star(value: &[u8]) -> bool {
    matches!(value, [b'*'] | [b'*', b' ' | b'\t' | 0x0b | 0x0c, ..])
}

/// The part of `text` within the limit, up to its last whole line; true when there was more.
fn readable(text: &[u8], limit: usize) -> (&[u8], bool) {
    let Some((head, after)) = text.split_at_checked(limit) else { return (text, false) };
    match after.first() {
        None => return (text, false),
        // The line is whole: only its end lies beyond.
        Some(b'\n' | b'\r') => return (head, true),
        Some(_) => {}
    }
    let end = memchr::memrchr2(b'\n', b'\r', head).map_or(0, |at| at.saturating_add(1));
    (head.get(..end).unwrap_or_default(), true)
}

/// A document under construction.
#[derive(Debug, Default)]
struct Tables {
    groups: Vec<Group>,
    agents: Vec<Agent>,
    rules: Vec<RuleEntry>,
    others: Vec<Other>,
    sitemaps: Vec<Span>,
    rewritten: Vec<Rewritten>,
    canonical: Vec<u8>,
    end: usize,
    truncated: bool,
}

impl Tables {
    fn scan(text: &[u8], limits: &Limits) -> Self {
        let mut tables = Self { end: text.len(), ..Self::default() };
        // A rule takes 25 bytes on average; growing by doubling does the rest.
        tables.rules.reserve(text.len() / 32);
        let mut in_agents = false;
        for line in Lines::new(text) {
            let Some(key) = line.key else { continue };
            match key {
                Key::UserAgent => {
                    if tables.agents.len() >= limits.agents {
                        tables.stop(line.start);
                        break;
                    }
                    if !in_agents {
                        tables.groups.push(tables.here());
                        in_agents = true;
                    }
                    tables.agents.push(Agent { value: line.value });
                }
                Key::Allow | Key::Disallow => {
                    in_agents = false;
                    let is_rule = matches!(line.value.of(text), [b'/' | b'*', ..]);
                    if !is_rule || tables.groups.is_empty() {
                        continue;
                    }
                    if tables.rules.len() >= limits.rules {
                        tables.stop(line.start);
                        break;
                    }
                    tables.push_rule(text, line.number, key, line.value, line.classes);
                }
                Key::Sitemap => {
                    if line.value.len == 0 {
                    } else if tables.sitemaps.len() < limits.sitemaps {
                        tables.sitemaps.push(line.value);
                    } else {
                        tables.truncated = true;
                    }
                }
                Key::CrawlDelay | Key::Other => {
                    tables.others.push(Other { line: line.number, key, name: line.name, value: line.value });
                }
            }
        }
        tables
    }

    fn stop(&mut self, at: usize) {
        self.end = at;
        self.truncated = true;
    }

    fn here(&self) -> Group {
        Group {
            agents: self.agents.len() as u32,
            rules: self.rules.len() as u32,
            others: self.others.len() as u32,
        }
    }

    #[inline]
    fn push_rule(&mut self, text: &[u8], line: u32, key: Key, value: Span, classes: u8) {
        let mut flags = if key == Key::Allow { RuleEntry::ALLOW } else { 0 };
        if classes & STAR != 0 {
            flags |= RuleEntry::WILD;
        }
        if classes & (ENCODE | PERCENT | BLANK | DOLLAR) == 0 {
            let shape = (value.len << RuleEntry::FLAG_BITS) | flags;
            self.rules.push(RuleEntry { line, at: value.at, shape });
            return;
        }
        let written = value.of(text);
        if written.ends_with(b"$") {
            flags |= RuleEntry::ANCHORED;
        }
        let start = self.canonical.len();
        canonical::push(written, Side::Pattern, &mut self.canonical);
        let form = self.canonical.get(start..).unwrap_or_default();
        let entry = if form == written {
            self.canonical.truncate(start);
            RuleEntry { line, at: value.at, shape: (value.len << RuleEntry::FLAG_BITS) | flags }
        } else {
            let shape = ((form.len() as u32) << RuleEntry::FLAG_BITS) | flags | RuleEntry::REWRITTEN;
            let at = self.rewritten.len() as u32;
            self.rewritten.push(Rewritten { raw: value, at: start as u32 });
            RuleEntry { line, at, shape }
        };
        self.rules.push(entry);
    }

    fn finish(self, text: Box<[u8]>) -> Document {
        Document {
            text,
            groups: self.groups.into(),
            agents: self.agents.into(),
            rules: self.rules.into(),
            others: self.others.into(),
            sitemaps: self.sitemaps.into(),
            rewritten: self.rewritten.into(),
            canonical: self.canonical.into(),
            truncated: self.truncated,
        }
    }

    /// A document of some groups alone, with the parts of the text that they need.
    fn kept(self, text: &[u8], groups: &[u32]) -> Document {
        let mut kept_text = Vec::new();
        let mut keep = |span: Span| {
            let start = kept_text.len();
            kept_text.extend_from_slice(span.of(text));
            Span::new(start, kept_text.len())
        };
        let mut kept = Self { truncated: self.truncated, ..Self::default() };
        for &place in groups {
            let Some(group) = self.groups.get(place as usize) else { continue };
            let next = self.groups.get(place as usize + 1);
            kept.groups.push(kept.here());
            if let Some(first) = self.agents.get(group.agents as usize) {
                kept.agents.push(Agent { value: keep(first.value) });
            }
            let end = next.map_or(self.rules.len(), |next| next.rules as usize);
            for &rule in self.rules.get(group.rules as usize..end).unwrap_or_default() {
                let mut rule = rule;
                if rule.shape & RuleEntry::REWRITTEN == 0 {
                    rule.at = keep(Span { at: rule.at, len: rule.len() }).at;
                } else if let Some(old) = self.rewritten.get(rule.at as usize) {
                    let form = Span { at: old.at, len: rule.len() };
                    let new = Rewritten { raw: keep(old.raw), at: kept.canonical.len() as u32 };
                    kept.canonical.extend_from_slice(form.of(&self.canonical));
                    rule.at = kept.rewritten.len() as u32;
                    kept.rewritten.push(new);
                }
                kept.rules.push(rule);
            }
            let end = next.map_or(self.others.len(), |next| next.others as usize);
            for &other in self.others.get(group.others as usize..end).unwrap_or_default() {
                let name = keep(other.name);
                kept.others.push(Other { name, value: keep(other.value), ..other });
            }
        }
        kept.sitemaps = self.sitemaps.iter().map(|&span| keep(span)).collect();
        kept.finish(kept_text.into())
    }
}

/// Whether `text` looks like an HTML or XML page: a site that answers every path with 200 sends one.
pub(crate) fn looks_like_html(text: &[u8]) -> bool {
    let body = text.get(bom_length(text)..).unwrap_or_default().trim_ascii_start();
    let starts = |tag: &[u8]| body.get(..tag.len()).is_some_and(|head| head.eq_ignore_ascii_case(tag));
    [&b"<!doctype"[..], b"<html", b"<head", b"<body", b"<script", b"<meta", b"<title", b"<?xml", b"<!--"]
        .into_iter()
        .any(starts)
}
