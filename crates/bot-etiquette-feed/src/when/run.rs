//! One run of an event, and the times that come of it.

use jiff::SignedDuration;

use super::{Day, MAX_DAYS, Moment, Weekdays, at_day};
use crate::recurrence::Recurrence;

/// One run: from a start to an end, on some days of the week or through; or a start that comes again by a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Run {
    /// The start; its time of day is that of every day of the run.
    pub start: Moment,
    /// The end, when the source tells one; a day alone means that the time is not known. With a rule it is the end of the
    /// first time.
    pub end: Option<Moment>,
    /// On which days of the week it takes place; empty: without a break.
    pub weekdays: Weekdays,
    /// The rule by which the start comes again.
    pub recurrence: Option<Recurrence>,
}

impl Run {
    pub(crate) fn new(start: Moment, end: Option<Moment>, weekdays: Weekdays) -> Self {
        Self { start, end, weekdays, recurrence: None }
    }

    /// The last day; none where a rule has no end.
    pub(crate) fn last_day(&self) -> Option<Day> {
        let end = self.end.as_ref().map_or(self.start.day(), Moment::day);
        let Some(recurrence) = &self.recurrence else { return Some(end) };
        let last = recurrence.last_day()?;
        // The last time is as long as the first.
        let length = end.0.since(self.start.day().0).ok()?;
        Some(last.0.checked_add(length).map_or(last, Day))
    }

    /// How long each of its times is, where that is known; of days, how many come after the first.
    pub(crate) fn length(&self, excluded: &[Day]) -> Option<SignedDuration> {
        let end = self.end.as_ref()?;
        let is_once = self.weekdays.is_empty() && excluded.is_empty() || self.is_within_a_day();
        let is_whole = self.recurrence.is_some() || is_once;
        match (&self.start, end) {
            (Moment::Local(start), Moment::Local(end)) if is_whole => Some(start.0.duration_until(&end.0)),
            // The end of the run is that of each of its days.
            (Moment::Local(start), Moment::Local(end)) => {
                let length = start.0.time().duration_until(end.0.time());
                length.is_positive().then_some(length)
            }
            (Moment::Day(start), end) if is_whole => Some(start.0.duration_until(end.day().0)),
            (Moment::Day(_), _) => Some(SignedDuration::ZERO),
            (Moment::Local(_), Moment::Day(_)) => None,
        }
    }

    /// Whether one of its times is this one.
    pub(crate) fn is_at(&self, time: &Moment) -> bool {
        let day = time.day();
        self.times(&[], day, day, 1).contains(time)
    }

    /// Its times from a day until another, in order, `most` at the most.
    pub(crate) fn times(&self, excluded: &[Day], from: Day, until: Day, most: usize) -> Vec<Moment> {
        let is_on = |day: Day| (from..=until).contains(&day) && excluded.binary_search(&day).is_err();
        if let Some(recurrence) = &self.recurrence {
            let times = recurrence.times(&self.start, from, until);
            return times.filter(|time| is_on(time.day())).take(most).collect();
        }
        let first = self.start.day();
        if self.weekdays.is_empty() && excluded.is_empty() || self.is_within_a_day() {
            return if is_on(first) { vec![self.start.clone()] } else { Vec::new() };
        }
        let last = self.end.as_ref().map_or(first, Moment::day).min(until);
        let start = first.max(from);
        let last = last.min(start.plus(MAX_DAYS));
        let days = std::iter::successors(Some(start), |day| day.next());
        days.take_while(|day| *day <= last)
            .filter(|day| is_on(*day) && (self.weekdays.is_empty() || self.weekdays.contains(*day)))
            .map(|day| at_day(&self.start, day))
            .take(most)
            .collect()
    }

    /// Whether its end is less than a day after its start, so that it takes place once even where it goes over midnight.
    fn is_within_a_day(&self) -> bool {
        match (&self.start, &self.end) {
            (Moment::Local(start), Some(Moment::Local(end))) if self.weekdays.is_empty() => {
                start.0.duration_until(&end.0).as_secs() < 24 * 60 * 60
            }
            _ => false,
        }
    }
}
