//! Waiting after bad answers: retry-after, busy-backoff, unreachable-backoff.

use super::{Anchor, Case, Finding};
use crate::date;
use crate::record::Record;
use crate::rule::Rule;

/// A wait that a host, or one path of it, has coming.
struct Hold<'a> {
    rule: Rule,
    /// The moment the crawler could first know of it.
    from: f64,
    required: f64,
    /// Good only to the second, since it was said as a date.
    dated: bool,
    because: &'a Record,
    /// Only this path of the host is held.
    path: Option<&'a str>,
}

pub(super) fn judge(case: &Case<'_>, found: &mut Vec<Finding>) {
    for records in case.by_host().values() {
        let mut coming = holds(case, records).into_iter().peekable();
        let mut running: Vec<Hold<'_>> = Vec::new();
        for &record in records {
            while let Some(hold) = coming.next_if(|hold| hold.from <= record.start) {
                running.push(hold);
            }
            running.retain(|hold| hold.from + hold.required > record.start);
            for rule in [Rule::RetryAfter, Rule::BusyBackoff, Rule::UnreachableBackoff] {
                // One finding a rule: the hold with the most left of it.
                let broken = running.iter().filter(|hold| hold.rule == rule && breaks(case, hold, record));
                if let Some(hold) =
                    broken.max_by(|a, b| (a.from + a.required).total_cmp(&(b.from + b.required)))
                {
                    found.push(case.finding(rule, record, evidence(case, hold, record)));
                }
            }
        }
    }
    redirects(case, found);
}

fn evidence(case: &Case<'_>, hold: &Hold<'_>, record: &Record) -> String {
    let what = match hold.because.status {
        0 => "no answer".to_owned(),
        status => status.to_string(),
    };
    let (after, because) = (record.start - hold.from, case.name(hold.because));
    format!("{after:.3} s after {what} for {because}, promised {:.3} s", hold.required)
}

fn breaks(case: &Case<'_>, hold: &Hold<'_>, record: &Record) -> bool {
    // What was under way before the answer was known is no fault.
    let gap = record.start - hold.from;
    if gap < 0.0 || std::ptr::eq(record, hold.because) || hold.path.is_some_and(|path| path != record.path())
    {
        return false;
    }
    let required = if hold.dated { hold.required - 1.0 } else { hold.required };
    required > 0.0 && case.precision.proves_shorter(gap, required, Anchor::End)
}

/// The holds of one host, in order of the moments they begin.
fn holds<'a>(case: &Case<'_>, records: &[&'a Record]) -> Vec<Hold<'a>> {
    let promise = &case.held.promise;
    let mut by_end: Vec<&Record> = records.iter().copied().filter(|record| record.end.is_some()).collect();
    by_end.sort_by(|a, b| case.end(a).total_cmp(&case.end(b)));
    let (mut busy_row, mut silent_row): (i32, i32) = (0, 0);
    let mut held: Vec<Hold<'_>> = Vec::new();
    // Answers to requests that were open together are one incident, and one step.
    let (mut last_busy, mut last_silence): (Option<f64>, Option<f64>) = (None, None);
    for record in by_end {
        let known = record.headed.unwrap_or_else(|| case.surely_ended(record));
        let mut hold = |rule, required, dated, path| {
            held.push(Hold { rule, from: known, required, dated, because: record, path });
        };
        if record.unanswered() {
            if last_silence.is_none_or(|at| record.start >= at) {
                silent_row = silent_row.saturating_add(1);
                last_silence = Some(known);
            }
            if let Some(first) = promise.unreachable_first {
                let factor = promise.unreachable_factor.unwrap_or(1.0).powi(silent_row - 1);
                hold(Rule::UnreachableBackoff, first.as_secs_f64() * factor, false, None);
            }
            continue;
        }
        silent_row = 0;
        last_silence = None;
        if !record.busy() && record.status != 413 {
            (busy_row, last_busy) = (0, None);
            continue;
        }
        let wait = wait_of(record);
        if let (true, Some(wait)) = (promise.retry_after, wait) {
            hold(Rule::RetryAfter, wait.seconds, wait.dated, None);
        }
        if let (true, Some(first)) = (record.busy(), promise.busy_first) {
            if last_busy.is_none_or(|at| record.start >= at) {
                busy_row = busy_row.saturating_add(1);
                last_busy = Some(known);
            }
            let step = first.as_secs_f64() * promise.busy_factor.unwrap_or(1.0).powi(busy_row - 1);
            let shorter = wait.filter(|wait| wait.seconds < step);
            let path = promise.busy_by_path.then(|| record.path());
            hold(
                Rule::BusyBackoff,
                shorter.map_or(step, |wait| wait.seconds),
                shorter.is_some_and(|wait| wait.dated),
                path,
            );
        }
    }
    held.sort_by(|a, b| a.from.total_cmp(&b.from));
    held
}

#[expect(clippy::cast_possible_truncation, reason = "Unix seconds of a clock fit")]
fn wait_of(record: &Record) -> Option<date::Wait> {
    let now = record.unix + (record.headed.unwrap_or(record.start) - record.start);
    date::retry_after(record.answers("retry-after"), record.answer("date"), now.floor() as i64)
}

/// A redirect with a Retry-After is not to be followed before.
fn redirects(case: &Case<'_>, found: &mut Vec<Finding>) {
    if !case.held.promise.retry_after {
        return;
    }
    for (record, from) in case.records.iter().zip(&case.hop_of) {
        let Some(from) = from.and_then(|index| case.records.get(index)) else { continue };
        let (Some(wait), Some(headed)) = (wait_of(from), from.headed) else { continue };
        let hold = Hold {
            rule: Rule::RetryAfter,
            from: headed,
            required: wait.seconds,
            dated: wait.dated,
            because: from,
            path: None,
        };
        if breaks(case, &hold, record) {
            let after = record.start - headed;
            let named = case.name(from);
            let evidence =
                format!("{after:.3} s after the redirect of {named}, which asked for {:.3} s", wait.seconds);
            found.push(case.finding(Rule::RetryAfter, record, evidence));
        }
    }
}
