//! robots.txt and redirects: robots-first, robots-stale, closed-path, redirects, redirect-robots, off-scope.

use std::collections::{HashMap, HashSet};

use super::{Case, Finding};
use crate::pattern::site_matches;
use crate::record::Record;
use crate::rule::Rule;

/// For each record, in order of starts, the earlier one whose redirect it follows.
///
/// An address that a page links to as well may be asked for without the redirect. It counts as followed only in a chain
/// that goes on, or when the crawler comes to it again straight after the redirect.
pub(super) fn hops(records: &[Record]) -> Vec<Option<usize>> {
    let linked: HashSet<(&str, &str)> = records
        .iter()
        .flat_map(|record| &record.offers.follow)
        .map(|(site, target)| (site.as_str(), target.as_str()))
        .collect();
    let mut waiting: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
    let mut asked: HashSet<(&str, &str)> = HashSet::new();
    let mut hops: Vec<Option<usize>> = Vec::with_capacity(records.len());
    for (index, record) in records.iter().enumerate() {
        let place = (record.site.as_str(), record.target.as_str());
        let answered = |from: &usize| {
            records.get(*from).is_some_and(|from| from.headed.is_some_and(|headed| headed <= record.start))
        };
        let list = waiting.entry(place).or_default();
        let from = list.iter().rposition(answered).and_then(|at| {
            let from = list.get(at).copied()?;
            let in_chain = hops.get(from).copied().flatten().is_some();
            let straight_after = from + 1 == index && asked.contains(&place);
            (!linked.contains(&place) || in_chain || straight_after).then(|| list.remove(at))
        });
        hops.push(from);
        asked.insert(place);
        if let Some((site, target)) = &record.location {
            waiting.entry((site.as_str(), target.as_str())).or_default().push(index);
        }
    }
    hops
}

pub(super) fn judge(case: &Case<'_>, found: &mut Vec<Finding>) {
    let mut files: HashMap<&str, Vec<&Record>> = HashMap::new();
    for file in case.records.iter().filter(|record| record.is_robots()) {
        files.entry(file.site.as_str()).or_default().push(file);
    }
    let chains = chains(case);
    for ((record, from), (length, of_robots)) in case.records.iter().zip(&case.hop_of).zip(chains) {
        let of_site = files.get(record.site.as_str()).map_or(&[][..], Vec::as_slice);
        if !record.is_robots() {
            if !of_robots {
                first(case, record, of_site, found);
                stale(case, record, of_site, found);
            }
            if let Some(path) = closed(case, record) {
                found.push(case.finding(
                    Rule::ClosedPath,
                    record,
                    format!("promised to be left alone as {path:?}"),
                ));
            }
        }
        scope(case, record, found);
        if let Some(from) = from.and_then(|from| case.records.get(from)) {
            hop(case, record, (from, length, of_robots), of_site, found);
        }
    }
}

/// For each record how many redirects led to it, and whether the chain began at a robots.txt.
fn chains(case: &Case<'_>) -> Vec<(u64, bool)> {
    let mut chains: Vec<(u64, bool)> = Vec::with_capacity(case.records.len());
    for (record, from) in case.records.iter().zip(&case.hop_of) {
        let before = from.and_then(|from| chains.get(from).copied());
        chains.push(before.map_or((0, record.is_robots()), |(length, of_robots)| (length + 1, of_robots)));
    }
    chains
}

fn first(case: &Case<'_>, record: &Record, files: &[&Record], found: &mut Vec<Finding>) {
    if !case.held.promise.robots_first {
        return;
    }
    let mut answered = files.iter().filter(|file| file.end.is_some_and(|end| end <= record.start)).peekable();
    if answered.peek().is_none() {
        let evidence = match files.iter().any(|file| file.start <= record.start) {
            true => "its site's robots.txt had been asked for but not answered",
            false => "its site's robots.txt had not been asked for",
        };
        found.push(case.finding(Rule::RobotsFirst, record, evidence));
        return;
    }
    let readable = |file: &&&Record| file.headed.is_some() && file.status < 500 && (file.whole || file.left);
    if !answered.clone().any(|file| readable(&file)) {
        let what = match answered.next_back().map_or(0, |file| file.status) {
            0 => "no answer".to_owned(),
            status if status < 500 => "a broken body".to_owned(),
            status => status.to_string(),
        };
        let evidence = format!("its site's robots.txt had only given {what}, which closes the site");
        found.push(case.finding(Rule::RobotsFirst, record, evidence));
    }
}

fn stale(case: &Case<'_>, record: &Record, files: &[&Record], found: &mut Vec<Finding>) {
    let Some(most) = case.held.promise.robots_max_age.map(|age| age.as_secs_f64()) else { return };
    let latest =
        files.iter().filter_map(|file| file.end).filter(|end| *end <= record.start).max_by(f64::total_cmp);
    if let Some(latest) = latest {
        let age = record.start - latest;
        if case.precision.proves_longer(age, most) {
            let evidence = format!("its site's robots.txt was {age:.3} s old, promised {most} s at the most");
            found.push(case.finding(Rule::RobotsStale, record, evidence));
        }
    }
}

fn closed<'a>(case: &Case<'a>, record: &Record) -> Option<&'a str> {
    let mut closed = case.held.closed.iter().filter(|path| path.closes(&record.site, &record.target));
    closed.next().map(|path| path.written.as_str())
}

fn scope(case: &Case<'_>, record: &Record, found: &mut Vec<Finding>) {
    if let Some(scope) = &case.held.promise.scope
        && !scope.iter().any(|pattern| site_matches(pattern, &record.site))
    {
        found.push(case.finding(
            Rule::OffScope,
            record,
            format!("the promise names only {}", scope.join(", ")),
        ));
    }
}

fn hop(
    case: &Case<'_>,
    record: &Record,
    (from, length, of_robots): (&Record, u64, bool),
    files: &[&Record],
    found: &mut Vec<Finding>,
) {
    let named = case.name(from);
    if let Some(most) = case.held.promise.max_redirects
        && length > most
    {
        let evidence = format!("redirect number {length} in a row, from {named}, promised {most}");
        found.push(case.finding(Rule::Redirects, record, evidence));
    }
    if record.is_robots() || of_robots {
        return;
    }
    let asked = files.iter().any(|file| file.end.is_some_and(|end| end <= record.start));
    if case.held.promise.robots_first && from.site != record.site && !asked {
        let evidence = format!("redirected here from {named}, before this host's robots.txt was asked for");
        found.push(case.finding(Rule::RedirectRobots, record, evidence));
    } else if let Some(path) = closed(case, record) {
        let evidence = format!("redirected here from {named}, promised to be left alone as {path:?}");
        found.push(case.finding(Rule::RedirectRobots, record, evidence));
    }
}
