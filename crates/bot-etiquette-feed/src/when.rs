//! When an event takes place, as its source says it: nothing is made up.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::civil;

use crate::clean::CleanText;
use crate::recurrence::Recurrence;
use crate::series::Replaced;

mod run;
#[cfg(feature = "serde")]
mod stored;

pub use self::run::Run;

/// A calendar day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Day(pub(crate) civil::Date);

impl Day {
    /// A day by year, month and day of the month; `None` when there is none.
    #[must_use]
    pub fn new(year: i16, month: i8, day: i8) -> Option<Self> {
        civil::Date::new(year, month, day).ok().map(Self)
    }

    /// The day it is at an instant in a zone, such as `Europe/Madrid`; `None` for an unknown zone.
    #[must_use]
    pub fn at(instant: SystemTime, zone: &str) -> Option<Self> {
        let zone = jiff::tz::TimeZone::get(zone).ok()?;
        Some(Self(jiff::Timestamp::try_from(instant).ok()?.to_zoned_datetime(zone).date()))
    }

    /// The year.
    #[must_use]
    pub fn year(self) -> i16 {
        self.0.year()
    }

    /// The month, from 1.
    #[must_use]
    pub fn month(self) -> i8 {
        self.0.month()
    }

    /// The day of the month, from 1.
    #[must_use]
    pub fn day(self) -> i8 {
        self.0.day()
    }

    /// The day of the week: 1 is Monday, 7 is Sunday (ISO 8601).
    #[must_use]
    pub fn weekday(self) -> i8 {
        self.0.weekday().to_monday_one_offset()
    }

    #[cfg(feature = "serde")]
    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().map(Self)
    }

    pub(crate) fn next(self) -> Option<Self> {
        self.0.tomorrow().ok().map(Self)
    }

    pub(crate) fn plus(self, days: i64) -> Self {
        let span = jiff::Span::new().try_days(days);
        Self(span.map_or(self.0, |span| self.0.saturating_add(span)))
    }
}

/// As ISO 8601 has it: `2025-10-25`.
impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A day and a time of day in a zone, and the instant that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Local(pub(crate) jiff::ZonedDateTime);

impl Local {
    /// The day.
    #[must_use]
    pub fn day(&self) -> Day {
        Day(self.0.date())
    }

    /// Hour and minute.
    #[must_use]
    pub fn hour_minute(&self) -> (i8, i8) {
        (self.0.hour(), self.0.minute())
    }

    /// The instant.
    #[must_use]
    pub fn instant(&self) -> SystemTime {
        let seconds = self.0.timestamp().as_second();
        let distance = Duration::from_secs(seconds.unsigned_abs());
        let instant =
            if seconds < 0 { UNIX_EPOCH.checked_sub(distance) } else { UNIX_EPOCH.checked_add(distance) };
        instant.unwrap_or(UNIX_EPOCH)
    }
}

/// As RFC 3339 has it: `2025-10-25T19:00:00+02:00`.
impl fmt::Display for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.strftime("%Y-%m-%dT%H:%M:%S%:z"))
    }
}

/// A start or an end.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Moment {
    /// A day; the time is not known or does not matter.
    Day(Day),
    /// A wall time in the source's zone, or an instant as written.
    Local(Local),
}

impl Moment {
    /// The day.
    #[must_use]
    pub fn day(&self) -> Day {
        match self {
            Self::Day(day) => *day,
            Self::Local(local) => local.day(),
        }
    }
}

#[cfg(feature = "serde")]
impl Moment {
    /// Reads what `Display` writes.
    pub(crate) fn parse(text: &str, zone: &str) -> Option<Self> {
        if !text.contains('T') {
            return Day::parse(text).map(Self::Day);
        }
        let instant: jiff::Timestamp = text.parse().ok()?;
        Some(Self::Local(Local(instant.to_zoned_datetime(jiff::tz::TimeZone::get(zone).ok()?))))
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(day) => day.fmt(f),
            Self::Local(local) => local.fmt(f),
        }
    }
}

/// Days of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Weekdays(u8);

impl Weekdays {
    /// Whether none is named: every day counts then.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a day is one of them.
    #[must_use]
    pub fn contains(self, day: Day) -> bool {
        self.0 & Self::bit(day.weekday()) != 0
    }

    /// The days, 1 for Monday to 7 for Sunday.
    pub fn iter(self) -> impl Iterator<Item = i8> {
        (1..=7).filter(move |day| self.0 & Self::bit(*day) != 0)
    }

    pub(crate) fn add(&mut self, weekday: i8) {
        self.0 |= Self::bit(weekday);
    }

    fn bit(weekday: i8) -> u8 {
        1_u8.checked_shl(u32::from(weekday.unsigned_abs())).unwrap_or(0)
    }
}

/// When an event takes place.
///
/// ```
/// use bot_etiquette_feed::{Feed, SourceMap};
///
/// let map = SourceMap::from_toml(include_str!("../tests/fixtures/json.toml"))?;
/// let mut feed = Feed::new(&map);
/// feed.push(br#"{"items":[{"id":1,"title":"Danza","from":"2025-10-24","to":"2025-10-26","days":"5,6,7","not":"25/10/2025"}]}"#);
/// feed.finish();
/// let event = feed.next_event().ok_or("an event")?;
/// let days: Vec<_> = event.when().occurrences().map(|moment| moment.to_string()).collect();
/// assert_eq!(days, ["2025-10-24", "2025-10-26"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct When {
    /// The runs; none when the source tells no date.
    pub runs: Vec<Run>,
    /// Days on which it does not take place, in order; those outside the runs included.
    pub excluded: Vec<Day>,
    /// Further times at which it does; a day alone has the time of day of the first run.
    pub included: Vec<Moment>,
    /// The hours in the source's words, where they are no single start.
    pub hours: Option<CleanText>,
    /// The name of the source's zone.
    pub zone: String,
}

impl When {
    /// Each time it takes place, in order; a run without a break is one time.
    ///
    /// At most [`MAX_OCCURRENCES`], and of each run those of its first ten years: [`between`](Self::between) gives the
    /// later ones.
    pub fn occurrences(&self) -> impl Iterator<Item = Moment> {
        self.times(None, MAX_OCCURRENCES).into_iter()
    }

    /// Each time it begins from one day until another, both included, in order: at most [`MAX_OCCURRENCES`].
    ///
    /// Rules are looked through for a hundred years from their first time.
    pub fn between(&self, from: Day, until: Day) -> impl Iterator<Item = Moment> {
        self.times(Some((from, until)), MAX_OCCURRENCES).into_iter()
    }

    /// The first time it takes place.
    #[must_use]
    pub fn first(&self) -> Option<Moment> {
        self.times(None, 1).into_iter().next()
    }

    /// The last day of all; none without a date, and none where a rule has no end.
    #[must_use]
    pub fn last_day(&self) -> Option<Day> {
        let ends = self.runs.iter().map(Run::last_day);
        ends.chain(self.included.iter().map(|time| Some(time.day())))
            .collect::<Option<Vec<_>>>()?
            .into_iter()
            .max()
    }

    /// Whether it takes place more than once by a rule or a list of times.
    pub(crate) fn is_series(&self) -> bool {
        !self.included.is_empty() || self.runs.iter().any(|run| run.recurrence.is_some())
    }

    /// Takes out the times that stand elsewhere.
    pub(crate) fn except(&mut self, replaced: &[Replaced]) {
        let later = replaced.iter().filter(|replaced| replaced.and_later).map(|replaced| &replaced.time);
        if let Some(from) = later.min_by_key(|time| order(time)) {
            self.end_before(from);
        }
        let mut times: Vec<&Moment> = replaced.iter().map(|replaced| &replaced.time).collect();
        times.sort_by_key(|time| order(time));
        times.dedup();
        let listed: Vec<Moment> = self.included.extract_if(.., |time| times.contains(&&*time)).collect();
        times.retain(|time| !listed.contains(time));
        self.runs.retain(|run| run.recurrence.is_some() || !times.contains(&&run.start));
        // Of a rule, the days that it has: one look at its times for all.
        let (Some(from), Some(until)) = (times.first(), times.last()) else { return };
        let (from, until) = (from.day(), until.day());
        let mut days: Vec<Day> = Vec::new();
        for run in self.runs.iter().filter(|run| run.recurrence.is_some()) {
            let own = run.times(&[], from, until, usize::MAX);
            let is_replaced = |day: &Day| times.binary_search_by_key(day, |time| time.day()).is_ok();
            days.extend(own.iter().map(Moment::day).filter(is_replaced));
        }
        self.excluded.extend(days);
        self.excluded.sort_unstable();
        self.excluded.dedup();
    }

    fn end_before(&mut self, from: &Moment) {
        self.included.retain(|included| order(included) < order(from));
        self.runs.retain_mut(|run| {
            let Some(recurrence) = &run.recurrence else { return order(&run.start) < order(from) };
            run.recurrence = recurrence.before(from, &run.start);
            run.recurrence.is_some() && order(&run.start) < order(from)
        });
    }

    fn times(&self, within: Option<(Day, Day)>, most: usize) -> Vec<Moment> {
        let mut times: Vec<Moment> = Vec::new();
        for run in &self.runs {
            let (from, until) = within.unwrap_or_else(|| {
                let first = run.start.day();
                (first, first.plus(MAX_DAYS))
            });
            times.extend(run.times(&self.excluded, from, until, most));
        }
        let like = self.runs.first().map(|run| &run.start);
        let included = self.included.iter().map(|time| match (time, like) {
            (Moment::Day(day), Some(start)) => at_day(start, *day),
            (time, _) => time.clone(),
        });
        times.extend(
            included.filter(|time| within.is_none_or(|(from, until)| (from..=until).contains(&time.day()))),
        );
        times.sort_by_key(order);
        times.dedup();
        times.truncate(most);
        times
    }

    /// Whether a rule of it has no end.
    #[must_use]
    pub fn is_endless(&self) -> bool {
        self.runs.iter().filter_map(|run| run.recurrence.as_ref()).any(Recurrence::is_endless)
    }

    /// Whether its last day has passed in its zone; an event without a date, or with a rule without an end, is never over.
    ///
    /// ```
    /// use bot_etiquette_feed::{Feed, SourceMap};
    /// use std::time::{Duration, UNIX_EPOCH};
    ///
    /// # let map = SourceMap::from_toml(include_str!("../tests/fixtures/json.toml"))?;
    /// let mut feed = Feed::new(&map);
    /// feed.push(br#"{"items":[{"id":1,"title":"Danza","from":"2025-10-24"}]}"#);
    /// feed.finish();
    /// let event = feed.next_event().ok_or("an event")?;
    /// // Midnight in Madrid is 22:00 UTC.
    /// let midnight = UNIX_EPOCH + Duration::from_secs(1_761_343_200);
    /// assert!(!event.when().is_over(midnight - Duration::from_secs(1)) && event.when().is_over(midnight));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_over(&self, now: SystemTime) -> bool {
        self.last_day().zip(Day::at(now, &self.zone)).is_some_and(|(last, today)| last < today)
    }
}

/// The most times that [`When::occurrences`] gives.
pub const MAX_OCCURRENCES: usize = 1000;
/// Runs, excluded and included days of one event, and its categories: at most this many of each; more are left out.
pub(crate) const MAX_LIST: usize = 1000;
/// Days looked at in a run: ten years.
const MAX_DAYS: i64 = 3660;

/// The same time of day on another day.
pub(crate) fn at_day(start: &Moment, day: Day) -> Moment {
    match start {
        Moment::Local(local) => {
            let wall = day.0.to_datetime(local.0.time());
            match local.0.time_zone().to_ambiguous_zoned_datetime(wall).compatible() {
                Ok(zoned) => Moment::Local(Local(zoned)),
                Err(_) => Moment::Day(day),
            }
        }
        Moment::Day(_) => Moment::Day(day),
    }
}

/// What times are sorted by: days alone come before the times of that day.
pub(crate) fn order(moment: &Moment) -> (Day, Option<jiff::Timestamp>) {
    match moment {
        Moment::Day(day) => (*day, None),
        Moment::Local(local) => (local.day(), Some(local.0.timestamp())),
    }
}
