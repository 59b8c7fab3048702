//! One `RRULE` (RFC 5545, 3.3.10): its parts, read and written.

use std::fmt;
use std::ops::RangeInclusive;

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;

use super::First;

/// A rule that RFC 5545 allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) frequency: Frequency,
    /// 1 for each day, week, month or year.
    pub(super) interval: u32,
    pub(super) count: Option<u32>,
    /// The last day on which it may give a time.
    pub(super) last: Option<Date>,
    /// The first day of the week, 1 for Monday.
    pub(super) week_start: i8,
    pub(super) months: Vec<i16>,
    pub(super) weeks: Vec<i16>,
    pub(super) year_days: Vec<i16>,
    pub(super) month_days: Vec<i16>,
    /// The days of the week: each of a month or a year, or the one of this number, from its end where it is negative.
    pub(super) days: Vec<(i16, i8)>,
    pub(super) positions: Vec<i16>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frequency {
    Daily,
    Weekly,
    Monthly,
    Yearly,
}

impl Frequency {
    const ALL: [(Self, &str); 4] = [
        (Self::Daily, "DAILY"),
        (Self::Weekly, "WEEKLY"),
        (Self::Monthly, "MONTHLY"),
        (Self::Yearly, "YEARLY"),
    ];
}

const WEEKDAYS: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/// Bytes of a rule that is read.
const MAX_LENGTH: usize = 4096;

impl Rule {
    /// Reads a rule; `None` for one that cannot be followed to the letter.
    pub(super) fn parse(words: &str, first: &First) -> Option<Self> {
        if words.len() > MAX_LENGTH {
            return None;
        }
        let words = words.to_ascii_uppercase();
        let mut frequency = None;
        let mut seen: Vec<&str> = Vec::new();
        let mut rule = Self {
            frequency: Frequency::Daily,
            interval: 1,
            count: None,
            last: None,
            week_start: 1,
            months: Vec::new(),
            weeks: Vec::new(),
            year_days: Vec::new(),
            month_days: Vec::new(),
            days: Vec::new(),
            positions: Vec::new(),
        };
        for part in words.trim().split(';').map(str::trim).filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=')?;
            let (name, value) = (name.trim(), value.trim());
            if seen.contains(&name) {
                return None;
            }
            seen.push(name);
            match name {
                "FREQ" => {
                    frequency = Frequency::ALL.iter().find(|(_, word)| *word == value).map(|(freq, _)| *freq);
                }
                "INTERVAL" => rule.interval = value.parse().ok().filter(|interval| *interval > 0)?,
                "COUNT" => rule.count = Some(value.parse().ok().filter(|count| *count > 0)?),
                "UNTIL" => rule.last = Some(last_day(value, first)?),
                "WKST" => rule.week_start = weekday(value)?,
                "BYMONTH" => rule.months = numbers(value, 1..=12)?,
                "BYWEEKNO" => rule.weeks = either_way(value, 53)?,
                "BYYEARDAY" => rule.year_days = either_way(value, 366)?,
                "BYMONTHDAY" => rule.month_days = either_way(value, 31)?,
                "BYSETPOS" => rule.positions = either_way(value, 366)?,
                "BYDAY" => rule.days = value.split(',').map(numbered_weekday).collect::<Option<_>>()?,
                // They may repeat what the first time says, and nothing else.
                "BYHOUR" => (value.parse::<i8>().ok()? == first.time?.hour()).then_some(())?,
                "BYMINUTE" => (value.parse::<i8>().ok()? == first.time?.minute()).then_some(())?,
                "BYSECOND" => (value.parse::<i8>().ok()? == first.time?.second()).then_some(())?,
                _ => return None,
            }
        }
        rule.frequency = frequency?;
        rule.is_allowed(first).then_some(rule)
    }

    /// What RFC 5545 forbids in words beside its grammar.
    fn is_allowed(&self, first: &First) -> bool {
        use Frequency::{Daily, Monthly, Weekly, Yearly};

        let by_parts = [&self.months, &self.weeks, &self.year_days, &self.month_days];
        let numbered = self.days.iter().any(|(number, _)| *number != 0);
        let fits = match self.frequency {
            Yearly => !numbered || self.weeks.is_empty(),
            Monthly => self.weeks.is_empty() && self.year_days.is_empty(),
            Weekly => {
                !numbered && self.weeks.is_empty() && self.year_days.is_empty() && self.month_days.is_empty()
            }
            Daily => !numbered && self.weeks.is_empty() && self.year_days.is_empty(),
        };
        fits && !(self.count.is_some() && self.last.is_some())
            && self.last.is_none_or(|last| last >= first.date)
            && (self.positions.is_empty()
                || !self.days.is_empty()
                || by_parts.iter().any(|part| !part.is_empty()))
    }

    pub(super) fn is_endless(&self) -> bool {
        self.count.is_none() && self.last.is_none()
    }

    /// The same up to a day.
    pub(super) fn until(&self, last: Date) -> Self {
        Self { count: None, last: Some(last), ..self.clone() }
    }

    pub(super) fn shown<'a>(&'a self, first: &'a First) -> impl fmt::Display + 'a {
        Shown { rule: self, first }
    }
}

/// A rule in one form: whatever was read of it, in one order.
struct Shown<'a> {
    rule: &'a Rule,
    first: &'a First,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = self.rule;
        let name =
            Frequency::ALL.iter().find(|(freq, _)| *freq == rule.frequency).map_or("", |(_, name)| name);
        write!(f, "FREQ={name}")?;
        if rule.interval > 1 {
            write!(f, ";INTERVAL={}", rule.interval)?;
        }
        if let Some(count) = rule.count {
            write!(f, ";COUNT={count}")?;
        }
        if let Some(last) = rule.last {
            let end = self.first.time.and_then(|time| {
                let zoned = self.first.zone.to_ambiguous_zoned_datetime(last.to_datetime(time)).compatible();
                Some(zoned.ok()?.timestamp().strftime("%Y%m%dT%H%M%SZ").to_string())
            });
            write!(f, ";UNTIL={}", end.unwrap_or_else(|| last.strftime("%Y%m%d").to_string()))?;
        }
        if rule.week_start != 1 {
            write!(f, ";WKST={}", weekday_name(rule.week_start))?;
        }
        for (name, numbers) in [
            ("BYMONTH", &rule.months),
            ("BYWEEKNO", &rule.weeks),
            ("BYYEARDAY", &rule.year_days),
            ("BYMONTHDAY", &rule.month_days),
        ] {
            list(f, name, numbers.iter().map(i16::to_string))?;
        }
        list(
            f,
            "BYDAY",
            rule.days.iter().map(|(number, day)| match number {
                0 => weekday_name(*day).to_owned(),
                number => format!("{number}{}", weekday_name(*day)),
            }),
        )?;
        list(f, "BYSETPOS", rule.positions.iter().map(i16::to_string))
    }
}

fn list(f: &mut fmt::Formatter<'_>, name: &str, items: impl Iterator<Item = String>) -> fmt::Result {
    let items: Vec<String> = items.collect();
    if items.is_empty() { Ok(()) } else { write!(f, ";{name}={}", items.join(",")) }
}

fn numbers(value: &str, range: RangeInclusive<i16>) -> Option<Vec<i16>> {
    value
        .split(',')
        .map(|number| number.trim().parse().ok().filter(|number| range.contains(number)))
        .collect()
}

/// Numbers from the start, or from the end where they are negative; zero is none.
fn either_way(value: &str, most: i16) -> Option<Vec<i16>> {
    numbers(value, most.checked_neg()?..=most).filter(|numbers| !numbers.contains(&0))
}

fn weekday(value: &str) -> Option<i8> {
    let index = WEEKDAYS.iter().position(|name| *name == value)?;
    i8::try_from(index.saturating_add(1)).ok()
}

fn weekday_name(day: i8) -> &'static str {
    let index = usize::from(day.unsigned_abs()).saturating_sub(1);
    WEEKDAYS.get(index).copied().unwrap_or_default()
}

/// `TU`, `1TU`, `-1SU`.
fn numbered_weekday(value: &str) -> Option<(i16, i8)> {
    let value = value.trim();
    let (number, name) = value.split_at_checked(value.len().checked_sub(2)?)?;
    let number = match number {
        "" => 0,
        number => number.parse().ok().filter(|number: &i16| (1..=53).contains(&number.unsigned_abs()))?,
    };
    Some((number, weekday(name)?))
}

/// The last day that `UNTIL` leaves room for: one whose time is not after it.
fn last_day(value: &str, first: &First) -> Option<Date> {
    let Some((date, time)) = value.split_once('T') else { return Date::strptime("%Y%m%d", value).ok() };
    let date = Date::strptime("%Y%m%d", date).ok()?;
    let of_day = |time: &str| Time::strptime("%H%M%S", time).ok();
    let until: DateTime = match time.strip_suffix('Z') {
        Some(time) => {
            let instant = TimeZone::UTC.to_zoned_datetime(date.to_datetime(of_day(time)?)).ok()?;
            instant.with_time_zone(first.zone.clone()).datetime()
        }
        None => date.to_datetime(of_day(time)?),
    };
    match first.time {
        Some(time) if until.time() < time => until.date().yesterday().ok(),
        _ => Some(until.date()),
    }
}
