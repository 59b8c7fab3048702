//! How fast and how many: min-delay, crawl-delay, max-open, group-rate, quota, revisit, budget.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use super::{Anchor, Case, Finding};
use crate::pattern::site_matches;
use crate::record::Record;
use crate::rule::Rule;

pub(super) fn judge(case: &Case<'_>, found: &mut Vec<Finding>) {
    for records in case.by_host().values() {
        pauses(case, records, found);
        open(case, records, found);
        quota(case, records, found);
    }
    groups(case, found);
    revisits(case, found);
    budget(case, found);
}

/// Min-delay and Crawl-delay: one request at a time rests from the end, several rest between starts.
fn pauses(case: &Case<'_>, records: &[&Record], found: &mut Vec<Finding>) {
    let promise = &case.held.promise;
    let anchor = if promise.max_open == Some(1) { Anchor::End } else { Anchor::Start };
    let min_delay = promise.min_delay.map(|delay| delay.as_secs_f64());
    let cap = promise.crawl_delay_cap.map(|cap| cap.as_secs_f64());
    let mut files: Vec<&Record> =
        records.iter().copied().filter(|file| file.is_robots() && file.whole).collect();
    files.sort_by(|a, b| case.end(a).total_cmp(&case.end(b)));
    let mut files = files.into_iter().peekable();
    // The delay holds from the moment its file was answered.
    let mut asked_for: Option<f64> = None;
    let mut before: Option<(&Record, f64)> = None;
    for &record in records {
        while let Some(file) = files.next_if(|file| case.end(file) <= record.start) {
            asked_for = file.crawl_delay;
        }
        if let Some((last, from)) = before {
            // A request that came while the last was open had no pause at all.
            let gap = (record.start - from).max(0.0);
            let crawl_delay = cap.and_then(|cap| asked_for.map(|delay| delay.min(cap)));
            for (rule, required) in [(Rule::MinDelay, min_delay), (Rule::CrawlDelay, crawl_delay)] {
                let Some(required) = required else { continue };
                if case.precision.proves_shorter(gap, required, anchor) {
                    let what = if anchor == Anchor::End { "end" } else { "start" };
                    let named = case.name(last);
                    let evidence = format!("{gap:.3} s after the {what} of {named}, promised {required} s");
                    found.push(case.finding(rule, record, evidence));
                }
            }
        }
        let from = if anchor == Anchor::End { case.surely_ended(record) } else { record.start };
        if before.is_none_or(|(_, latest)| from >= latest) {
            before = Some((record, from));
        }
    }
}

fn open(case: &Case<'_>, records: &[&Record], found: &mut Vec<Finding>) {
    let promise = &case.held.promise;
    let at =
        records.first().and_then(|record| promise.max_open_at.iter().find(|(site, _)| *site == record.site));
    let Some(most) = at.map(|(_, most)| *most).or(promise.max_open) else { return };
    let mut running: Vec<(f64, &Record)> = Vec::new();
    for &record in records {
        running.retain(|(end, _)| *end > record.start);
        running.push((case.surely_ended(record), record));
        let count = u64::try_from(running.len()).unwrap_or(u64::MAX);
        if count > most {
            let others: Vec<String> = running.iter().take(3).map(|(_, other)| case.name(other)).collect();
            let evidence = format!("{count} open at once ({}), promised {most}", others.join(", "));
            found.push(case.finding(Rule::MaxOpen, record, evidence));
        }
    }
}

fn quota(case: &Case<'_>, records: &[&Record], found: &mut Vec<Finding>) {
    let Some((requests, window)) = case.held.promise.quota else { return };
    let window = window.as_secs_f64();
    let mut recent: VecDeque<f64> = VecDeque::new();
    for &record in records {
        if u64::try_from(recent.len()).unwrap_or(u64::MAX) >= requests
            && let Some(oldest) = recent.pop_front()
            && case.precision.proves_shorter(record.start - oldest, window, Anchor::Start)
        {
            let within = record.start - oldest;
            let count = requests.saturating_add(1);
            let evidence = format!("{count} requests in {within:.3} s, promised {requests} in {window} s");
            found.push(case.finding(Rule::Quota, record, evidence));
        }
        recent.push_back(record.start);
    }
}

fn groups(case: &Case<'_>, found: &mut Vec<Finding>) {
    for group in &case.held.promise.groups {
        let required = 1.0 / group.per_second;
        let of_group = |record: &&Record| group.sites.iter().any(|site| site_matches(site, &record.site));
        let mut last: Option<&Record> = None;
        for record in case.records.iter().filter(of_group) {
            if let Some(last) = last {
                let gap = record.start - last.start;
                if case.precision.proves_shorter(gap, required, Anchor::Start) {
                    let named = case.name(last);
                    let evidence = format!(
                        "{gap:.3} s after {named}, promised {} a second over the group",
                        group.per_second
                    );
                    found.push(case.finding(Rule::GroupRate, record, evidence));
                }
            }
            last = Some(record);
        }
    }
}

fn revisits(case: &Case<'_>, found: &mut Vec<Finding>) {
    let Some(required) = case.held.promise.revisit.as_ref().map(Duration::as_secs_f64) else { return };
    let mut seen: HashMap<(&str, &str, &str, Option<&str>), &Record> = HashMap::new();
    for record in case.records.iter().filter(|record| !record.is_robots()) {
        let target = record.target.split('#').next().unwrap_or_default();
        let key = (record.site.as_str(), record.method.as_str(), target, record.value("range"));
        if let Some(before) = seen.insert(key, record) {
            let gap = record.start - before.start;
            let excused = before.busy()
                || before.unanswered()
                || (before.end.is_some() && !before.whole && !before.left);
            if !excused && case.precision.proves_shorter(gap, required, Anchor::Start) {
                let evidence = format!("{gap:.3} s after the same request, promised {required} s");
                found.push(case.finding(Rule::Revisit, record, evidence));
            }
        }
    }
}

fn budget(case: &Case<'_>, found: &mut Vec<Finding>) {
    let Some(most) = case.held.promise.max_requests else { return };
    for (number, record) in (1_u64..).zip(case.records) {
        if number > most {
            found.push(case.finding(
                Rule::Budget,
                record,
                format!("request number {number}, promised {most} in all"),
            ));
        }
    }
}
