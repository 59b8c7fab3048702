//! Recurrence rules (RFC 5545, 3.3.10), as far as a run on some days of the week can say what they say.

use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::report::{Note, Notes};
use crate::time;
use crate::when::{self, Day, Moment, Run, Weekdays};

/// Makes a run of a rule: each day or week, on named days or all, until a day or so many times. Any other rule leaves the
/// first time alone, with a note.
pub(crate) fn apply(rule: &str, run: &mut Run, zone: &TimeZone, notes: &mut Notes) {
    let Some((weekdays, last)) = read(rule, run.start.day(), zone) else {
        notes.add(Note::Recurrence);
        return;
    };
    run.weekdays = weekdays;
    run.end = Some(match &run.end {
        // The end of one time is the end of each.
        Some(end @ Moment::Local(_)) if end.day() == run.start.day() => when::at_day(end, last),
        _ => Moment::Day(last),
    });
}

fn read(rule: &str, start: Day, zone: &TimeZone) -> Option<(Weekdays, Day)> {
    let (mut weekly, mut weekdays, mut until, mut count) = (None, Weekdays::default(), None, None);
    for part in rule.trim().split(';').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=')?;
        match name.trim().to_ascii_uppercase().as_str() {
            "FREQ" if value.eq_ignore_ascii_case("WEEKLY") => weekly = Some(true),
            "FREQ" if value.eq_ignore_ascii_case("DAILY") => weekly = Some(false),
            "INTERVAL" if value.trim() == "1" => {}
            "WKST" => {}
            "BYDAY" => {
                weekdays = time::weekdays(value);
                if weekdays.iter().count() != value.split(',').count() {
                    return None;
                }
            }
            "UNTIL" => until = Some(until_day(value.trim(), zone)?),
            "COUNT" => count = Some(value.trim().parse::<usize>().ok()?),
            _ => return None,
        }
    }
    if weekdays.is_empty() {
        match weekly? {
            true => weekdays.add(start.weekday()),
            false => (1..=7).for_each(|day| weekdays.add(day)),
        }
    }
    weekly?;
    let last = match (until, count) {
        (Some(until), None) => until,
        (None, Some(count)) => last_of(start, weekdays, count)?,
        _ => return None,
    };
    (last >= start).then_some((weekdays, last))
}

/// The day of the last of `count` times.
fn last_of(start: Day, weekdays: Weekdays, count: usize) -> Option<Day> {
    let days = std::iter::successors(Some(start), |day| day.next()).take(when::MAX_DAYS);
    days.filter(|day| weekdays.contains(*day)).nth(count.checked_sub(1)?)
}

fn until_day(text: &str, zone: &TimeZone) -> Option<Day> {
    let date: Date = jiff::fmt::strtime::parse("%Y%m%d", text.get(..8)?).ok()?.to_date().ok()?;
    let Some(time) = text.get(8..).and_then(|time| time.strip_suffix(['Z', 'z'])) else {
        return Some(Day(date));
    };
    let time = jiff::fmt::strtime::parse("T%H%M%S", time).ok()?.to_time().ok()?;
    let instant = date.to_datetime(time).to_zoned_datetime(TimeZone::UTC).ok()?;
    Some(Day(instant.with_time_zone(zone.clone()).date()))
}
