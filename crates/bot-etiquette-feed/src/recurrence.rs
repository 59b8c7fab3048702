//! What comes again by a rule (RFC 5545, 3.8.5.3).

use std::fmt;
use std::sync::Arc;

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;

use crate::clean::CleanText;
use crate::when::{Day, Local, Moment};

mod expand;
mod rule;

use self::rule::Rule;

/// A first time and the rule by which it comes again: an `RRULE` of iCalendar.
///
/// Read are the frequencies `DAILY` to `YEARLY` with `INTERVAL`, `COUNT`, `UNTIL`, `WKST` and all the `BY` parts of days,
/// weeks and months. Rules by the hour or below it, and those that RFC 5545 does not allow, are kept in their own words, and
/// their first time is the only one given.
///
/// Times of day are those of the zone that the rule was written for, whatever the clocks do there.
///
/// ```
/// use bot_etiquette_feed::{Day, Feed, SourceMap};
///
/// let map = SourceMap::from_toml(r#"
///     source = "town"
///     format = "icalendar"
///     zone = "Europe/Madrid"
///     language = "es"
///     [attribution]
///     source = "A town"
///     license = "CC BY 4.0"
///     license_url = "https://creativecommons.org/licenses/by/4.0/"
///     link = "https://town.example/"
/// "#)?;
/// let mut feed = Feed::new(&map);
/// feed.push(b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:Mercado\nDTSTART:20250907T100000\n");
/// feed.push(b"RRULE:FREQ=MONTHLY;BYDAY=1SU\nEND:VEVENT\nEND:VCALENDAR\n");
/// feed.finish();
///
/// let event = feed.next_event().ok_or("an event")?;
/// let recurrence = event.when().runs.first().and_then(|run| run.recurrence.as_ref()).ok_or("a rule")?;
/// assert!(recurrence.is_expanded() && recurrence.is_endless());
/// assert_eq!(recurrence.to_string(), "DTSTART;TZID=Europe/Madrid:20250907T100000\nRRULE:FREQ=MONTHLY;BYDAY=1SU");
/// let winter = Day::new(2026, 1, 1).zip(Day::new(2026, 2, 28)).ok_or("two days")?;
/// let times: Vec<_> = event.when().between(winter.0, winter.1).map(|time| time.to_string()).collect();
/// assert_eq!(times, ["2026-01-04T10:00:00+01:00", "2026-02-01T10:00:00+01:00"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recurrence(Arc<Series>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Series {
    first: First,
    /// The rule, or the words of one that is not read.
    rule: Result<Rule, CleanText>,
}

/// When a series begins, as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct First {
    pub(crate) date: Date,
    /// None where days are meant.
    pub(crate) time: Option<Time>,
    pub(crate) zone: TimeZone,
}

/// Years from its first time in which a rule is looked through.
const MAX_YEARS: i16 = 100;
/// Bytes of a rule in words that are kept.
const MAX_WORDS: usize = 1000;

impl Recurrence {
    pub(crate) fn new(words: &str, first: First) -> Self {
        let rule = Rule::parse(words, &first).ok_or_else(|| match words.len() {
            0..=MAX_WORDS => CleanText::line(words).0,
            _ => CleanText::default(),
        });
        Self(Arc::new(Series { first, rule }))
    }

    /// Whether the rule's times are given; else it is kept in its own words, and only the first time is known.
    #[must_use]
    pub fn is_expanded(&self) -> bool {
        self.0.rule.is_ok()
    }

    /// Whether it has no end.
    #[must_use]
    pub fn is_endless(&self) -> bool {
        self.0.rule.as_ref().is_ok_and(Rule::is_endless)
    }

    /// Whether the rule gives its own first time, as RFC 5545 asks for.
    pub(crate) fn is_synchronized(&self) -> bool {
        self.0.rule.as_ref().is_ok_and(|rule| rule.gives_first(self.0.first.date))
    }

    /// Each time from a day until another, in order, in the zone of `start`; a rule that is not expanded gives `start` alone.
    pub(crate) fn times<'a>(
        &'a self,
        start: &'a Moment,
        from: Day,
        until: Day,
    ) -> impl Iterator<Item = Moment> + 'a {
        let days = self.0.rule.as_ref().ok().map(|rule| {
            // The day of the rule's zone may be another.
            let (first, last) = (from.plus(-1).0, until.plus(1).0.min(self.horizon()));
            let days = rule.days(self.0.first.date, last).skip_while(move |day| *day < first);
            days.filter_map(move |date| self.at(date, start))
        });
        let alone = days.is_none().then(|| start.clone());
        let times = alone.into_iter().chain(days.into_iter().flatten());
        times.skip_while(move |time| time.day() < from).take_while(move |time| time.day() <= until)
    }

    /// The day of the last time, in the zone of the rule; none without an end.
    pub(crate) fn last_day(&self) -> Option<Day> {
        let first = self.0.first.date;
        match &self.0.rule {
            Ok(rule) if rule.is_endless() => None,
            Ok(rule) => rule.days(first, self.horizon()).last().map(Day),
            Err(_) => Some(Day(first)),
        }
    }

    /// The same without the times from one on; `None` when there is none before it.
    pub(crate) fn before(&self, from: &Moment, start: &Moment) -> Option<Self> {
        let Ok(rule) = &self.0.rule else { return Some(self.clone()) };
        let surely = from.day().plus(-1).0;
        let is_before = |date: &Date| {
            *date < surely
                || match (self.at(*date, start), from) {
                    (Some(Moment::Local(time)), Moment::Local(from)) => time.0 < from.0,
                    (Some(time), from) => time.day() < from.day(),
                    (None, _) => true,
                }
        };
        let last = rule.days(self.0.first.date, self.horizon()).take_while(is_before).last()?;
        let first = self.0.first.clone();
        Some(Self(Arc::new(Series { first, rule: Ok(rule.until(last)) })))
    }

    fn horizon(&self) -> Date {
        let first = self.0.first.date;
        let year = first.year().saturating_add(MAX_YEARS).min(Date::MAX.year());
        first.with().year(year).day(1).build().unwrap_or(Date::MAX)
    }

    /// The time of a day, as `start` has it: in its zone, or a day alone.
    fn at(&self, date: Date, start: &Moment) -> Option<Moment> {
        match (self.0.first.time, start) {
            (Some(time), Moment::Local(start)) => {
                let own = self.0.first.zone.to_ambiguous_zoned_datetime(date.to_datetime(time));
                let zoned = own.compatible().ok()?.with_time_zone(start.0.time_zone().clone());
                Some(Moment::Local(Local(zoned)))
            }
            _ => Some(Moment::Day(Day(date))),
        }
    }
}

/// As iCalendar has it: a line `DTSTART` and a line `RRULE`.
impl fmt::Display for Recurrence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let First { date, time, zone } = &self.0.first;
        let wall = |time: Time| date.to_datetime(time).strftime("%Y%m%dT%H%M%S");
        match (time, zone.iana_name()) {
            (None, _) => write!(f, "DTSTART;VALUE=DATE:{}", date.strftime("%Y%m%d"))?,
            (Some(time), None | Some("UTC")) => write!(f, "DTSTART:{}Z", wall(*time))?,
            (Some(time), Some(zone)) => write!(f, "DTSTART;TZID={zone}:{}", wall(*time))?,
        }
        match &self.0.rule {
            Ok(rule) => write!(f, "\nRRULE:{}", rule.shown(&self.0.first)),
            Err(words) => write!(f, "\nRRULE:{words}"),
        }
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Recurrence {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "serde")]
impl Recurrence {
    /// Reads what `Display` writes; `zone` is that of days.
    pub(crate) fn read(text: &str, zone: &str) -> Option<Self> {
        let (start, rule) = text.split_once('\n')?;
        let words = rule.strip_prefix("RRULE:")?;
        let (kind, value) = start.strip_prefix("DTSTART")?.split_once(':')?;
        let (value, zone) = match (kind.strip_prefix(";TZID="), value.strip_suffix('Z')) {
            (Some(zone), _) => (value, TimeZone::get(zone).ok()?),
            (None, Some(value)) => (value, TimeZone::UTC),
            (None, None) => (value, TimeZone::get(zone).ok()?),
        };
        let (date, time) = match value.split_once('T') {
            Some(_) => {
                let wall = jiff::civil::DateTime::strptime("%Y%m%dT%H%M%S", value).ok()?;
                (wall.date(), Some(wall.time()))
            }
            None => (Date::strptime("%Y%m%d", value).ok()?, None),
        };
        Some(Self::new(words, First { date, time, zone }))
    }
}
