//! Rules that never change the answer, because another rule of the same group stands above or below them.

use std::collections::HashMap;

use crate::diagnostic::{Code, Severity};
use crate::document::{Document, RuleEntry};
use crate::index::{Index, Rank, Walk};
use crate::verdict::Shown;

/// Octets compared over all rules of a file; beyond, no more is looked for.
const MAX_STEPS: u64 = 5_000_000;

pub(crate) struct Finding {
    pub(crate) line: u32,
    pub(crate) code: Code,
    pub(crate) severity: Severity,
    pub(crate) message: String,
}

/// At most one finding a rule, in the order of the file.
pub(crate) fn findings(document: &Document) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut steps = 0;
    for group in document.groups() {
        let places = document.rules_of(group);
        if places.len() < 2 {
            continue;
        }
        let index = Index::build(document, places.clone());
        let ranks = Ranks::of(document, places.clone());
        let mut first: HashMap<(&[u8], bool), u32> = HashMap::new();
        for place in places {
            let Some(rule) = document.rule(place) else { continue };
            let pattern = document.pattern(rule);
            let line = *first.entry((pattern, rule.is_allow())).or_insert(rule.line);
            if line != rule.line {
                found.push(Finding {
                    line: rule.line,
                    code: Code::DuplicateRule,
                    severity: Severity::Info,
                    message: format!("line {line} says the same: one of the two can go"),
                });
                continue;
            }
            if steps > MAX_STEPS {
                continue;
            }
            let mut walk = Walk::beside(place, rule);
            let mut best = None;
            let body =
                if rule.is_anchored() { pattern.strip_suffix(b"$").unwrap_or(pattern) } else { pattern };
            index.search(document, body, &mut best, &mut walk);
            steps = steps.saturating_add(walk.steps.0);
            found.extend(best.and_then(|best| finding(document, place, rule, best, &ranks)));
        }
    }
    found
}

/// What to say of `rule`, when the one ranked `other` matches all that it matches.
fn finding(document: &Document, place: u32, rule: RuleEntry, other: Rank, ranks: &Ranks) -> Option<Finding> {
    let own = Rank::of(place, rule);
    let above = document.rule(other.place())?;
    let described =
        format!("line {} ({}: {})", above.line, above.directive(), Shown(document.written(above)));
    let same = above.is_allow() == rule.is_allow();
    let (severity, message) = if other > own && !same {
        let why = if above.len() > rule.len() { "a longer pattern" } else { "an Allow as long" };
        (
            Severity::Warning,
            format!("this rule never decides: {described} matches all that it matches, with {why}"),
        )
    } else if same && (other > own || !ranks.opposite_between(other, own, rule)) {
        (Severity::Info, format!("{described} says this already: the rule changes nothing"))
    } else {
        return None;
    };
    Some(Finding { line: rule.line, code: Code::ShadowedRule, severity, message })
}

/// The ranks of a group's rules by directive, sorted: all of them, and those with a star.
struct Ranks {
    all: [Vec<Rank>; 2],
    wild: [Vec<Rank>; 2],
}

impl Ranks {
    fn of(document: &Document, places: std::ops::Range<u32>) -> Self {
        let mut ranks = Self { all: [vec![], vec![]], wild: [vec![], vec![]] };
        for place in places {
            let Some(rule) = document.rule(place) else { continue };
            let rank = Rank::of(place, rule);
            let [disallow, allow] = &mut ranks.all;
            if rule.is_allow() { allow } else { disallow }.push(rank);
            if rule.is_wild() {
                let [disallow, allow] = &mut ranks.wild;
                if rule.is_allow() { allow } else { disallow }.push(rank);
            }
        }
        for list in ranks.all.iter_mut().chain(&mut ranks.wild) {
            list.sort_unstable();
        }
        ranks
    }

    /// Whether a rule of the other directive, ranked between the two, may match a part of what `rule` matches.
    ///
    /// A literal one would match all of what a literal `rule` matches, so it would have been found instead.
    fn opposite_between(&self, low: Rank, high: Rank, rule: RuleEntry) -> bool {
        let [disallow, allow] = if rule.is_wild() { &self.all } else { &self.wild };
        let opposite = if rule.is_allow() { disallow } else { allow };
        let first = opposite.partition_point(|&rank| rank <= low);
        opposite.get(first).is_some_and(|&rank| rank < high)
    }
}
