//! From the date fields of a record to when it takes place.

use std::borrow::Cow;

use jiff::Span;
use jiff::civil::{Date, Time};

use crate::duration::Length;
use crate::event::Values;
use crate::field::Field;
use crate::recurrence::{First, Recurrence};
use crate::report::{Note, Notes};
use crate::source_map::Format;
use crate::time::{self, Hours, Written};
use crate::when::{self, Day, Local, MAX_LIST, Moment, Run, Weekdays, When};

/// Dates before this are fillers, such as the first of January 1970.
const FIRST_YEAR: i16 = 1980;
/// Rules of one event that are read; RFC 5545 asks for one at the most.
const MAX_RULES: usize = 8;

pub(crate) struct Schedule;

impl Schedule {
    pub(crate) fn of(values: &mut Values<'_>) -> When {
        let mut when = When { zone: values.map.zone_name.clone(), ..When::default() };
        let (start_time, end_time) = clock(values, &mut when);
        let weekdays = values.one(Field::Weekdays).map(time::weekdays).unwrap_or_default();
        let start = values.one(Field::Start);
        let end = values.one(Field::End);
        let listed = start.filter(|_| end.is_none()).map(in_words).unwrap_or_default();
        let start =
            start.filter(|_| listed.is_empty()).map(|start| (Cow::Borrowed(start), end.map(Cow::Borrowed)));
        for (start, end) in start.into_iter().chain(listed) {
            let Some((mut run, first)) = run(&start, end.as_deref(), start_time, end_time, weekdays, values)
            else {
                continue;
            };
            if end.is_none() && run.end.is_none() {
                run.end = end_by_duration(&run, &first, values);
            }
            again(run, &first, values, &mut when.runs);
        }
        for (start, end, weekdays) in ranges(values).into_iter().take(MAX_LIST) {
            let run = run(&start, end.as_deref(), start_time, end_time, weekdays, values);
            when.runs.extend(run.map(|(run, _)| run));
        }
        let [mut excluded, mut included] = [Field::Excluded, Field::Included].map(|field| {
            let texts: Vec<&str> = values.all(field).map(|(_, text)| text).collect();
            let mut times: Vec<Moment> = texts
                .into_iter()
                .flat_map(|text| time::moments(text, &values.map.zone, values.notes))
                .collect();
            times.sort_by_key(when::order);
            times.dedup();
            times.truncate(MAX_LIST);
            times
        });
        if values.map.format == Format::ICalendar {
            // There, what is excluded is so whatever else includes it; elsewhere a day may be put in again.
            let added: Vec<Moment> = included.extract_if(.., |time| excluded.contains(time)).collect();
            excluded.retain(|time| !added.contains(time) || when.runs.iter().any(|run| run.is_at(time)));
        }
        when.excluded = excluded.iter().map(Moment::day).collect();
        when.excluded.dedup();
        when.included = included;
        when
    }
}

/// The start and the end of each run that a range or a list of days in words names.
fn in_words(text: &str) -> Vec<(Cow<'static, str>, Option<Cow<'static, str>>)> {
    if time::written(text, &mut Notes::default()).is_some() {
        return Vec::new();
    }
    if let Some((first, last)) = time::range(text) {
        return vec![(first.to_string().into(), Some(last.to_string().into()))];
    }
    let days = time::in_list(text).into_iter().take(MAX_LIST);
    days.map(|day| (day.to_string().into(), None)).collect()
}

/// Adds the run by each of its rules, or as it is.
fn again(run: Run, first: &First, values: &mut Values<'_>, runs: &mut Vec<Run>) {
    let rules = values.all(Field::Recurrence).map(|(_, rule)| rule).filter(|rule| !rule.is_empty());
    let own = runs.len();
    for rule in rules.take(MAX_RULES) {
        let recurrence = Recurrence::new(rule, first.clone());
        if !recurrence.is_expanded() {
            values.notes.add(Note::Recurrence);
        } else if !recurrence.is_synchronized() {
            values.notes.add(Note::Unsynchronized);
        }
        let run = Run { weekdays: Weekdays::default(), recurrence: Some(recurrence), ..run.clone() };
        if !runs.get(own..).unwrap_or_default().contains(&run) {
            runs.push(run);
        }
    }
    if runs.len() == own {
        // Most have this one alone.
        runs.reserve_exact(usize::from(own == 0));
        runs.push(run);
    }
}

/// The end that a duration tells; of days it is the last one.
fn end_by_duration(run: &Run, first: &First, values: &mut Values<'_>) -> Option<Moment> {
    let text = values.one(Field::Duration)?;
    let end = Length::parse(text).and_then(|length| match &run.start {
        _ if length.days == 0 && length.seconds == 0 => Some(None),
        Moment::Day(day) if length.seconds == 0 => {
            let last = Span::new().try_days(length.days.checked_sub(1)?).ok()?;
            Some(Some(Moment::Day(Day(day.0.checked_add(last).ok()?))))
        }
        // Days have no hours (RFC 5545, 3.6.1).
        Moment::Day(_) => None,
        Moment::Local(start) => {
            let end = length.after(&start.0.with_time_zone(first.zone.clone()))?;
            Some(Some(Moment::Local(Local(end.with_time_zone(values.map.zone.clone())))))
        }
    });
    if end.is_none() {
        values.notes.add(Note::BadDuration);
    }
    end.flatten()
}

/// The times that stand apart from the dates; what is no plain time is kept as words.
fn clock(values: &mut Values<'_>, when: &mut When) -> (Option<Time>, Option<Time>) {
    let end = match values.one(Field::EndTime).map(time::hours) {
        Some(Hours::Exact(time, _)) => Some(time),
        _ => None,
    };
    when.hours = values.clean_one(Field::Hours);
    match values.one(Field::StartTime).map(time::hours) {
        Some(Hours::Exact(start, until)) => (Some(start), end.or(until)),
        Some(Hours::Words) => {
            when.hours = values.clean_one(Field::StartTime).or_else(|| when.hours.take());
            (None, end)
        }
        _ => (None, end),
    }
}

/// The ranges of a record: each begins where its element does.
fn ranges(values: &Values<'_>) -> Vec<(String, Option<String>, Weekdays)> {
    let mut ranges: Vec<(String, Option<String>, Weekdays)> = Vec::new();
    if !values.record.has(Field::Range) {
        return ranges;
    }
    for (index, text) in &values.record.values {
        let Some(rule) = values.map.rule(*index) else { continue };
        match (rule.field, ranges.last_mut()) {
            (Field::Range, _) => ranges.push((String::new(), None, Weekdays::default())),
            (Field::RangeStart, Some(range)) => range.0.clone_from(text),
            (Field::RangeEnd, Some(range)) => range.1 = Some(text.clone()),
            (Field::RangeWeekdays, Some(range)) => range.2 = time::weekdays(text),
            _ => {}
        }
    }
    ranges.retain(|(start, _, _)| !start.trim().is_empty());
    ranges
}

fn date(text: &str, values: &mut Values<'_>) -> Option<Written> {
    if text.trim().is_empty() {
        return None;
    }
    let Some(written) = time::written(text, values.notes) else {
        values.notes.add(Note::BadDate);
        return None;
    };
    if written.date.year() < FIRST_YEAR {
        values.notes.add(Note::FillerDate);
        return None;
    }
    Some(written)
}

fn run(
    start: &str,
    end: Option<&str>,
    start_time: Option<Time>,
    end_time: Option<Time>,
    weekdays: Weekdays,
    values: &mut Values<'_>,
) -> Option<(Run, First)> {
    let first = date(start, values)?;
    let zone = values.map.zone.clone();
    let time = first.exact_time().or(start_time);
    let begin = time::moment(first.date, time, first.offset, &zone, values.notes);
    let last = end.and_then(|end| date(end, values));
    let end = last_moment(&first, time, last, end_time, values);
    let written = match (&begin, first.zone) {
        (Moment::Day(day), _) => First { date: day.0, time: None, zone },
        (Moment::Local(local), None) if first.offset.is_some() => {
            First { date: local.0.date(), time: Some(local.0.time()), zone }
        }
        (Moment::Local(_), own) => First { date: first.date, time, zone: own.unwrap_or(zone) },
    };
    Some((Run::new(begin, end, weekdays), written))
}

/// The end; `None` when the source does not really tell one.
fn last_moment(
    first: &Written,
    start_time: Option<Time>,
    last: Option<Written>,
    end_time: Option<Time>,
    values: &mut Values<'_>,
) -> Option<Moment> {
    let zone = &values.map.zone;
    let Some(last) = last else {
        let time = end_time?;
        return Some(time_of_end(first.date, start_time, time, values));
    };
    if last.date < first.date {
        values.notes.add(Note::EndBeforeStart);
        return None;
    }
    // A zone beside it says that midnight is meant.
    let exact = |time: Time| time == Time::midnight() && last.offset.is_some();
    let filler = last.time.is_none_or(|time| is_filler(time, last.date, zone) && !exact(time));
    if let (Some(time), true) = (end_time, filler) {
        return Some(time_of_end(last.date, start_time.filter(|_| last.date == first.date), time, values));
    }
    if filler {
        let unsaid = last.time == Some(Time::midnight()) && last.date == first.date;
        return (!unsaid).then_some(Moment::Day(Day(last.date)));
    }
    let time = last.time?;
    if last.date == first.date && Some(time) == start_time {
        return None;
    }
    if last.date == first.date && last.offset.is_none() && start_time.is_some_and(|start| time < start) {
        return Some(time_of_end(last.date, start_time, time, values));
    }
    Some(time::moment(last.date, Some(time), last.offset, zone, values.notes))
}

/// An end time before the start time is one of the next day.
fn time_of_end(date: Date, start: Option<Time>, time: Time, values: &mut Values<'_>) -> Moment {
    let rolled = start.is_some_and(|start| time < start);
    let date = if rolled { date.tomorrow().unwrap_or(date) } else { date };
    if rolled {
        values.notes.add(Note::Rolled);
    }
    time::moment(date, Some(time), None, &values.map.zone, values.notes)
}

/// 23:59 and midnight mean "that day"; so does 22:59 on a day on which the clocks change, where a publisher counts in UTC.
fn is_filler(time: Time, date: Date, zone: &jiff::tz::TimeZone) -> bool {
    time == Time::midnight()
        || (time.hour(), time.minute()) == (23, 59)
        || (time.hour(), time.minute()) == (22, 59) && time::changes(date, zone)
}
