//! The rules in the order of their literal beginnings: those that can match a target lie on one chain.
//!
//! The beginning of a pattern is what stands before its first `*`. All beginnings that a target starts with
//! are beginnings of each other, and of the last entry not above the target. So one binary search finds the
//! deepest of them, and links to the next shorter one lead to the rest. Rules with the same beginning are a
//! run, ordered by length; equal rules are there once.

use crate::document::{Document, RuleEntry};
use crate::pattern::{self, Grams, Steps};

/// How a rule ranks among those that match: longer first, then allow, then the earlier line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank(u64);

impl Rank {
    #[inline]
    pub(crate) fn of(place: u32, rule: RuleEntry) -> Self {
        let allow = u64::from(rule.is_allow());
        Self((u64::from(rule.len()) << 33) | (allow << 32) | u64::from(u32::MAX - place))
    }

    pub(crate) fn is_allow(self) -> bool {
        self.0 >> 32 & 1 == 1
    }

    /// The rank without the line.
    #[inline]
    fn class(self) -> u64 {
        self.0 >> 32
    }

    /// The place of the rule in its document.
    pub(crate) fn place(self) -> u32 {
        u32::MAX - (self.0 & u64::from(u32::MAX)) as u32
    }

    #[inline]
    fn longer_than(self, len: u32) -> bool {
        self.0 >> 33 > u64::from(len)
    }
}

/// Rules looked at one by one before the runs of three octets in the target are collected.
const BEFORE_GRAMS: usize = 8;

/// Compares the rules in the order given, one after the other.
pub(crate) fn scan(
    document: &Document,
    places: std::ops::Range<u32>,
    target: &[u8],
    best: &mut Option<Rank>,
    walk: &mut Walk,
) {
    for (place, &rule) in (places.start..).zip(document.rules_in(places)) {
        walk.steps.add(1);
        if best.is_some_and(|best| best.longer_than(rule.len())) {
            continue;
        }
        let rank = Rank::of(place, rule);
        if best.is_some_and(|best| rank < best) {
            continue;
        }
        let pattern = document.pattern(rule);
        if !rule.is_wild() && !rule.is_anchored() {
            walk.steps.add(pattern.len().min(target.len()));
            if target.starts_with(pattern) {
                *best = Some(rank);
            }
            continue;
        }
        let (literal, tail) = parts(pattern, rule);
        walk.steps.add(literal.len().min(target.len()));
        if let Some(rest) = target.strip_prefix(literal)
            && walk.tail_matches(tail, rule, target, rest)
        {
            *best = Some(rank);
        }
    }
}

/// What one search has done so far.
#[derive(Default)]
pub(crate) struct Walk {
    pub(crate) steps: Steps,
    wild: usize,
    grams: Option<Box<Grams>>,
    /// A rule that is not to be found, and whether anchored ones are not either.
    without: Option<(u32, bool)>,
}

impl Walk {
    /// A search for another rule that matches all that the one at `place` matches, whose pattern is the target.
    pub(crate) fn beside(place: u32, rule: RuleEntry) -> Self {
        Self { without: Some((place, !rule.is_anchored())), ..Self::default() }
    }

    fn passes_over(&self, place: u32, rule: RuleEntry) -> bool {
        self.without.is_some_and(|(own, anchored)| place == own || (anchored && rule.is_anchored()))
    }

    /// The next target has other octets.
    pub(crate) fn next_target(&mut self) {
        self.grams = None;
        self.wild = 0;
    }

    fn tail_matches(&mut self, tail: &[u8], rule: RuleEntry, target: &[u8], rest: &[u8]) -> bool {
        if tail.len() > 1 {
            self.wild = self.wild.saturating_add(1);
            if self.wild > BEFORE_GRAMS {
                let grams = self.grams.get_or_insert_with(|| Box::new(Grams::of(target)));
                if self.wild == BEFORE_GRAMS.saturating_add(1) {
                    self.steps.add(target.len());
                }
                if !grams.may_hold(tail, &mut self.steps) {
                    return false;
                }
            }
        }
        pattern::tail_matches(tail, rule.is_anchored(), rest, &mut self.steps)
    }
}

#[derive(Debug)]
pub(crate) struct Index {
    entries: Box<[Entry]>,
    /// How many octets all beginnings share.
    shared: usize,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Four octets of the beginning behind those that all share: most comparisons end with them.
    key: u32,
    /// The place of the rule, and whether it is the first of its run.
    rule: u32,
    /// One past the last entry of the run with the next shorter beginning; 0 when there is none.
    up: u32,
}

impl Entry {
    const FIRST: u32 = 1 << 31;

    fn place(self) -> u32 {
        self.rule & !Self::FIRST
    }

    fn is_first(self) -> bool {
        self.rule & Self::FIRST != 0
    }
}

/// A rule on its way into the index, in the order that the fields have.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Sorted<'a> {
    literal: &'a [u8],
    class: u64,
    tail: &'a [u8],
    rank: Rank,
}

impl Index {
    pub(crate) fn build(document: &Document, places: impl Iterator<Item = u32>) -> Self {
        let mut sorted: Vec<Sorted<'_>> = places
            .filter_map(|place| {
                let rule = document.rule(place)?;
                let (literal, tail) = parts(document.pattern(rule), rule);
                let rank = Rank::of(place, rule);
                Some(Sorted { literal, class: rank.class(), tail, rank })
            })
            .collect();
        sorted.sort_unstable();
        let shared = match (sorted.first(), sorted.last()) {
            (Some(first), Some(last)) => common_start(first.literal, last.literal),
            _ => 0,
        };
        let mut entries: Vec<Entry> = Vec::with_capacity(sorted.len());
        // The runs whose beginnings the current one starts with: one past their last entry, and their beginning.
        let mut open: Vec<(u32, &[u8])> = Vec::new();
        let mut before: Option<&Sorted<'_>> = None;
        for next in &sorted {
            let is_first = before.is_none_or(|before| before.literal != next.literal);
            // Equal lengths behind equal beginnings and tails: both anchored, or neither.
            let same = |before: &Sorted<'_>| (before.class, before.tail) == (next.class, next.tail);
            if let Some(before) = before {
                if is_first {
                    open.push((entries.len() as u32, before.literal));
                } else if same(before) {
                    // The later of two equal rules never decides: the earlier line, sorted behind, takes its place.
                    if let Some(entry) = entries.last_mut() {
                        entry.rule = (entry.rule & Entry::FIRST) | next.rank.place();
                    }
                    continue;
                }
            }
            while open.last().is_some_and(|(_, shorter)| !next.literal.starts_with(shorter)) {
                open.pop();
            }
            before = Some(next);
            let up = open.last().map_or(0, |&(end, _)| end);
            let rule = next.rank.place() | if is_first { Entry::FIRST } else { 0 };
            entries.push(Entry { key: key(next.literal, shared), rule, up });
        }
        Self { entries: entries.into(), shared }
    }

    pub(crate) fn search(
        &self,
        document: &Document,
        target: &[u8],
        best: &mut Option<Rank>,
        walk: &mut Walk,
    ) {
        let literal_of = |entry: &Entry| {
            document.rule(entry.place()).map_or(&[][..], |rule| parts(document.pattern(rule), rule).0)
        };
        let Some(first) = self.entries.first() else { return };
        let common = literal_of(first).get(..self.shared).unwrap_or_default();
        walk.steps.add(common.len());
        if !target.starts_with(common) {
            return;
        }
        let wanted = key(target, self.shared);
        let mut after = self.entries.partition_point(|entry| {
            walk.steps.add(4);
            if entry.key != wanted {
                return entry.key < wanted;
            }
            let literal = literal_of(entry);
            walk.steps.add(literal.len().min(target.len()));
            literal <= target
        });
        // Up to the deepest run whose beginning the target starts with: below, only lengths need a look.
        let shared = match after.checked_sub(1).and_then(|last| self.entries.get(last)) {
            Some(last) => common_start(literal_of(last), target),
            None => return,
        };
        while let Some(last) = after.checked_sub(1).and_then(|last| self.entries.get(last)) {
            walk.steps.add(1);
            if literal_of(last).len() <= shared {
                self.search_run(document, after, target, best, walk);
            }
            after = last.up as usize;
        }
    }

    /// Looks through the run that ends before `after`, longest first.
    fn search_run(
        &self,
        document: &Document,
        after: usize,
        target: &[u8],
        best: &mut Option<Rank>,
        walk: &mut Walk,
    ) {
        let run = self.entries.get(..after).unwrap_or_default();
        for entry in run.iter().rev() {
            let Some(rule) = document.rule(entry.place()) else { return };
            let rank = Rank::of(entry.place(), rule);
            if best.is_some_and(|best| rank.class() < best.class()) {
                return;
            }
            walk.steps.add(1);
            if best.is_none_or(|best| rank > best) && !walk.passes_over(entry.place(), rule) {
                let (literal, tail) = parts(document.pattern(rule), rule);
                let rest = target.get(literal.len()..).unwrap_or_default();
                if walk.tail_matches(tail, rule, target, rest) {
                    *best = Some(rank);
                }
            }
            if entry.is_first() {
                return;
            }
        }
    }
}

/// Four octets of a text from `start` on, in an order that agrees with that of texts: no compared text holds a NUL.
fn key(text: &[u8], start: usize) -> u32 {
    let rest = text.get(start..).unwrap_or_default();
    if let Some(head) = rest.first_chunk() {
        return u32::from_be_bytes(*head);
    }
    rest.iter().chain(&[0; 4]).take(4).fold(0, |key, &byte| (key << 8) | u32::from(byte))
}

/// The literal beginning of a pattern, and the rest without a final `$`.
#[inline]
fn parts(pattern: &[u8], rule: RuleEntry) -> (&[u8], &[u8]) {
    let body = if rule.is_anchored() { pattern.strip_suffix(b"$").unwrap_or(pattern) } else { pattern };
    if rule.is_wild() { pattern::split(body) } else { (body, &[]) }
}

fn common_start(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}
