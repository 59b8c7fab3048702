//! From the date fields of a record to when it takes place.

use jiff::civil::{Date, Time};

use crate::event::Values;
use crate::field::Field;
use crate::recurrence;
use crate::report::Note;
use crate::time::{self, Hours, Written};
use crate::when::{Day, MAX_LIST, Moment, Run, Weekdays, When};

/// Dates before this are fillers, such as the first of January 1970.
const FIRST_YEAR: i16 = 1980;

pub(crate) struct Schedule;

impl Schedule {
    pub(crate) fn of(values: &mut Values<'_>) -> When {
        let mut when = When { zone: values.map.zone_name.clone(), ..When::default() };
        let (start_time, end_time) = clock(values, &mut when);
        let weekdays = values.one(Field::Weekdays).map(time::weekdays).unwrap_or_default();
        let start = values.one(Field::Start).map(str::to_owned);
        let end = values.one(Field::End).map(str::to_owned);
        if let Some(start) = start {
            let mut run = run(&start, end.as_deref(), start_time, end_time, weekdays, values);
            if let (Some(run), Some(rule)) = (&mut run, values.one(Field::Recurrence)) {
                recurrence::apply(rule, run, &values.map.zone, values.notes);
            }
            when.runs.extend(run);
        }
        for (start, end, weekdays) in ranges(values).into_iter().take(MAX_LIST) {
            when.runs.extend(run(&start, end.as_deref(), start_time, end_time, weekdays, values));
        }
        let lists = [Field::Excluded, Field::Included].map(|field| {
            let texts: Vec<&str> = values.all(field).map(|(_, text)| text).collect();
            let mut days: Vec<Day> =
                texts.into_iter().flat_map(|text| time::days(text, values.notes)).collect();
            days.sort_unstable();
            days.dedup();
            days.truncate(MAX_LIST);
            days
        });
        let [excluded, included] = lists;
        when.excluded = excluded;
        when.included = included;
        when
    }
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
) -> Option<Run> {
    let first = date(start, values)?;
    let zone = values.map.zone.clone();
    // Midnight stands for a day; a time that stands apart beats it.
    let own_time = first.time.filter(|time| *time != Time::midnight() || first.offset.is_some());
    let time = own_time.or(start_time);
    let begin = time::moment(first.date, time, first.offset, &zone, values.notes);
    let last = end.and_then(|end| date(end, values));
    let end = last_moment(&first, time, last, end_time, values);
    Some(Run { start: begin, end, weekdays })
}

/// The end; `None` when the source does not really tell one.
fn last_moment(
    first: &Written,
    start_time: Option<Time>,
    last: Option<Written>,
    end_time: Option<Time>,
    values: &mut Values<'_>,
) -> Option<Moment> {
    let zone = values.map.zone.clone();
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
    let filler = last.time.is_none_or(|time| is_filler(time, last.date, &zone) && !exact(time));
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
    Some(time::moment(last.date, Some(time), last.offset, &zone, values.notes))
}

/// An end time before the start time is one of the next day.
fn time_of_end(date: Date, start: Option<Time>, time: Time, values: &mut Values<'_>) -> Moment {
    let rolled = start.is_some_and(|start| time < start);
    let date = if rolled { date.tomorrow().unwrap_or(date) } else { date };
    if rolled {
        values.notes.add(Note::Rolled);
    }
    let zone = values.map.zone.clone();
    time::moment(date, Some(time), None, &zone, values.notes)
}

/// 23:59 and midnight mean "that day"; so does 22:59 on a day on which the clocks change, where a publisher counts in UTC.
fn is_filler(time: Time, date: Date, zone: &jiff::tz::TimeZone) -> bool {
    time == Time::midnight()
        || (time.hour(), time.minute()) == (23, 59)
        || (time.hour(), time.minute()) == (22, 59) && time::changes(date, zone)
}
