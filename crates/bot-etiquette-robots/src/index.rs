//! The rules in the order of their literal beginnings: those that can match a target lie on one chain.
//!
//! The beginning of a pattern is what stands before its first `*`. All beginnings that a target starts with
//! are beginnings of each other, and of the last entry not above the target. So one binary search finds the
//! deepest of them, and links to the next shorter one lead to the rest. Rules with the same beginning are a
//! run, ordered by rank, and the first of a run that matches ends it.

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
const BEFORE_GRAMS: usize = 32;

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
}

#[derive(Debug, Clone, Copy)]
struct Entry {
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

impl Index {
    pub(crate) fn build(document: &Document, places: impl Iterator<Item = u32>) -> Self {
        let mut sorted: Vec<(&[u8], Rank)> = places
            .filter_map(|place| {
                let rule = document.rule(place)?;
                Some((parts(document.pattern(rule), rule).0, Rank::of(place, rule)))
            })
            .collect();
        sorted.sort_unstable();
        let mut entries: Vec<Entry> = Vec::with_capacity(sorted.len());
        // The runs whose beginnings the current one starts with: one past their last entry, and their beginning.
        let mut open: Vec<(u32, &[u8])> = Vec::new();
        let mut run: Option<&[u8]> = None;
        for (literal, rank) in sorted {
            let is_first = run != Some(literal);
            if is_first {
                if let Some(run) = run {
                    open.push((entries.len() as u32, run));
                }
                while open.last().is_some_and(|(_, shorter)| !literal.starts_with(shorter)) {
                    open.pop();
                }
                run = Some(literal);
            }
            let up = open.last().map_or(0, |&(end, _)| end);
            entries.push(Entry { rule: rank.place() | if is_first { Entry::FIRST } else { 0 }, up });
        }
        Self { entries: entries.into() }
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
        let mut after = self.entries.partition_point(|entry| {
            let literal = literal_of(entry);
            walk.steps.add(1 + literal.len().min(target.len()));
            literal <= target
        });
        // Up to the deepest run whose beginning the target starts with: below, only lengths need a look.
        let shared = match after.checked_sub(1).and_then(|last| self.entries.get(last)) {
            Some(last) => common_start(literal_of(last), target),
            None => return,
        };
        while let Some(last) = after.checked_sub(1).and_then(|last| self.entries.get(last)) {
            walk.steps.add(1);
            if literal_of(last).len() > shared {
                after = last.up as usize;
                continue;
            }
            self.search_run(document, after, target, best, walk);
            after = last.up as usize;
        }
    }

    /// Looks through the run that ends before `after`, best rank first.
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
            if best.is_some_and(|best| rank < best) {
                return;
            }
            walk.steps.add(1);
            let (literal, tail) = parts(document.pattern(rule), rule);
            let rest = target.get(literal.len()..).unwrap_or_default();
            if !walk.passes_over(entry.place(), rule) && walk.tail_matches(tail, rule, target, rest) {
                *best = Some(rank);
                return;
            }
            if entry.is_first() {
                return;
            }
        }
    }
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
