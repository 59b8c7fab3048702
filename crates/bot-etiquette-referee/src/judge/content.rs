//! What is taken, and what for: body-limit, time-limit, unconditional, nofollow.

use std::collections::{HashMap, HashSet};

use super::{Case, Finding};
use crate::record::Record;
use crate::rule::Rule;

/// Bytes past the limit that a crawler may have taken before it hung up: what one read of its own may hold.
pub(crate) const BODY_SLACK: u64 = 64 * 1024;

pub(super) fn judge(case: &Case<'_>, found: &mut Vec<Finding>) {
    for record in case.records {
        body_limit(case, record, found);
        time_limit(case, record, found);
    }
    unconditional(case, found);
    nofollow(case, found);
}

fn body_limit(case: &Case<'_>, record: &Record, found: &mut Vec<Finding>) {
    let Some(most) = case.held.promise.max_body else { return };
    let taken_whole = record.whole && record.sent > most;
    if taken_whole || record.sent > most.saturating_add(BODY_SLACK) {
        let all = if record.whole { "all of them" } else { "and was still there" };
        found.push(case.finding(
            Rule::BodyLimit,
            record,
            format!("took {} bytes, {all}, promised {most}", record.sent),
        ));
    }
}

fn time_limit(case: &Case<'_>, record: &Record, found: &mut Vec<Finding>) {
    let Some(most) = case.held.promise.time_limit.map(|limit| limit.as_secs_f64()) else { return };
    let open = case.end(record) - record.start;
    if case.precision.proves_longer(open, most) {
        found.push(case.finding(Rule::TimeLimit, record, format!("open for {open:.3} s, promised {most} s")));
    }
}

fn unconditional(case: &Case<'_>, found: &mut Vec<Finding>) {
    if !case.held.promise.conditional {
        return;
    }
    // By address: the last answer that was taken whole with a validator, and every validator it ever gave.
    let mut offered: HashMap<(&str, &str), &Record> = HashMap::new();
    let mut given: HashMap<(&str, &str), HashSet<&str>> = HashMap::new();
    for record in case.records {
        let place = (record.site.as_str(), record.target.as_str());
        let known = given.entry(place).or_default();
        for (field, answer) in [("if-none-match", "etag"), ("if-modified-since", "last-modified")] {
            for value in record.values(field).filter(|value| !known.contains(value) && *value != "*") {
                let evidence = format!("{field} {value:?} was never given as {answer} of this address");
                found.push(case.finding(Rule::Unconditional, record, evidence));
            }
        }
        let plain = record.method == "GET" && record.value("range").is_none();
        let conditional = record.value("if-none-match").or(record.value("if-modified-since")).is_some();
        if let (true, false, Some(before)) = (plain, conditional, offered.get(&place)) {
            let same = |name| record.value(name) == before.value(name);
            if before.end.is_some_and(|end| end <= record.start) && same("accept-encoding") && same("accept")
            {
                let evidence = "taken again without If-None-Match or If-Modified-Since, though it had given \
                    ETag or Last-Modified";
                found.push(case.finding(Rule::Unconditional, record, evidence));
            }
        }
        for name in ["etag", "last-modified"] {
            known.extend(record.answers(name));
        }
        let validated = record.answer("etag").or(record.answer("last-modified")).is_some();
        if plain && record.status == 200 && record.whole && validated {
            offered.insert(place, record);
        }
    }
}

fn nofollow(case: &Case<'_>, found: &mut Vec<Finding>) {
    if !case.held.promise.nofollow {
        return;
    }
    let everywhere = case.records.iter().flat_map(|record| {
        record
            .offers
            .follow
            .iter()
            .chain(&record.location)
            .map(|(site, target)| (site.as_str(), target.as_str()))
    });
    let follow: HashSet<(&str, &str)> = everywhere.collect();
    // The page that marked an address, and when it was there to be read.
    let mut marked: HashMap<(&str, &str), &Record> = HashMap::new();
    for page in case.records {
        let place = (page.site.as_str(), page.target.as_str());
        let by = marked.get(&place).filter(|by| by.headed.is_some_and(|headed| headed <= page.start));
        if let (Some(by), false) = (by, follow.contains(&place) || page.is_robots() || page.path() == "/") {
            let evidence = format!("only links marked nofollow lead here, such as one on {}", case.name(by));
            found.push(case.finding(Rule::Nofollow, page, evidence));
        }
        for (site, target) in &page.offers.nofollow {
            marked.entry((site.as_str(), target.as_str())).or_insert(page);
        }
    }
}
