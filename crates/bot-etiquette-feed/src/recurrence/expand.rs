//! The days that a rule gives: period after period, and in each the days that all its parts allow.

use jiff::ToSpan;
use jiff::civil::Date;

use super::rule::{Frequency, Rule};

impl Rule {
    /// The days from the first on, which always counts, up to `last`; in order.
    pub(super) fn days(&self, first: Date, last: Date) -> impl Iterator<Item = Date> + '_ {
        let last = self.last.map_or(last, |own| own.min(last));
        let later = (0..)
            .map_while(move |number| self.period(first, number).filter(|(start, _)| *start <= last))
            .flat_map(move |period| self.of_period(period, first))
            .filter(move |day| *day > first);
        let count = self.count.map_or(usize::MAX, |count| usize::try_from(count).unwrap_or(usize::MAX));
        std::iter::once(first).chain(later).take_while(move |day| *day <= last).take(count)
    }

    /// Whether the first day is one that the rule itself gives.
    pub(super) fn gives_first(&self, first: Date) -> bool {
        self.period(first, 0).is_some_and(|period| self.of_period(period, first).contains(&first))
    }

    /// The first and the last day of a day, week, month or year, `number` intervals after that of `first`.
    fn period(&self, first: Date, number: i64) -> Option<(Date, Date)> {
        let distance = number.checked_mul(i64::from(self.interval))?;
        let add = |from: Date, span: Result<jiff::Span, jiff::Error>| from.checked_add(span.ok()?).ok();
        let span = jiff::Span::new();
        let start = match self.frequency {
            Frequency::Daily => add(first, span.try_days(distance))?,
            Frequency::Weekly => add(self.week_of(first)?, span.try_weeks(distance))?,
            Frequency::Monthly => add(first.first_of_month(), span.try_months(distance))?,
            Frequency::Yearly => add(first.first_of_year(), span.try_years(distance))?,
        };
        let end = match self.frequency {
            Frequency::Daily => start,
            Frequency::Weekly => start.saturating_add(6.days()),
            Frequency::Monthly => start.last_of_month(),
            Frequency::Yearly => start.last_of_year(),
        };
        Some((start, end))
    }

    fn of_period(&self, (start, end): (Date, Date), first: Date) -> Vec<Date> {
        let all = std::iter::successors(Some(start), |day| day.tomorrow().ok()).take_while(|day| *day <= end);
        let days: Vec<Date> = all.filter(|day| self.gives(*day, first)).collect();
        if self.positions.is_empty() {
            return days;
        }
        let at = |position: &i16| {
            let index = usize::from(position.unsigned_abs());
            let index = if *position > 0 { index.checked_sub(1) } else { days.len().checked_sub(index) };
            days.get(index?).copied()
        };
        let mut chosen: Vec<Date> = self.positions.iter().filter_map(at).collect();
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }

    /// Whether every part allows a day; what no part says, the first day does.
    fn gives(&self, day: Date, first: Date) -> bool {
        let weekday = day.weekday().to_monday_one_offset();
        let in_month = (i16::from(day.day()), i16::from(day.days_in_month()));
        let in_year = (day.day_of_year(), day.days_in_year());
        let names_no_day = self.year_days.is_empty() && self.month_days.is_empty() && self.days.is_empty();
        let as_first = match self.frequency {
            _ if !names_no_day => true,
            Frequency::Daily => true,
            Frequency::Weekly => day.weekday() == first.weekday(),
            Frequency::Yearly if !self.weeks.is_empty() => day.weekday() == first.weekday(),
            Frequency::Monthly => day.day() == first.day(),
            Frequency::Yearly => {
                day.day() == first.day() && (!self.months.is_empty() || day.month() == first.month())
            }
        };
        let of_month = self.frequency == Frequency::Monthly || !self.months.is_empty();
        let scope = if of_month { in_month } else { in_year };
        let is_named = |(number, name): &(i16, i8)| {
            *name == weekday && (*number == 0 || is_one_of(std::slice::from_ref(number), nth(scope)))
        };
        as_first
            && (self.months.is_empty() || self.months.contains(&i16::from(day.month())))
            && (self.weeks.is_empty()
                || self.week_number(day).is_some_and(|week| is_one_of(&self.weeks, week)))
            && (self.year_days.is_empty() || is_one_of(&self.year_days, in_year))
            && (self.month_days.is_empty() || is_one_of(&self.month_days, in_month))
            && (self.days.is_empty() || self.days.iter().any(is_named))
    }

    /// The first day of a day's week.
    fn week_of(&self, day: Date) -> Option<Date> {
        let behind = day.weekday().to_monday_one_offset().checked_sub(self.week_start)?.rem_euclid(7);
        day.checked_sub(i64::from(behind).days()).ok()
    }

    /// The number of a day's week, and how many weeks its year has: the first is that with four days in the year.
    fn week_number(&self, day: Date) -> Option<(i16, i16)> {
        let number = |middle: Date| middle.day_of_year().checked_sub(1)?.checked_div(7)?.checked_add(1);
        let middle = self.week_of(day)?.checked_add(3.days()).ok()?;
        // The 28th of December is in the last week of its year, whatever day the week starts on.
        let end = middle.with().month(12).day(28).build().ok()?;
        let last = self.week_of(end)?.checked_add(3.days()).ok()?;
        Some((number(middle)?, number(last)?))
    }
}

/// Whether a place, or its distance from the end, is among the numbers.
fn is_one_of(numbers: &[i16], (place, of): (i16, i16)) -> bool {
    let from_end = place.saturating_sub(of).saturating_sub(1);
    numbers.contains(&place) || numbers.contains(&from_end)
}

/// Which of its weekday a day is in its month or year, and how many there are.
fn nth((place, of): (i16, i16)) -> (i16, i16) {
    let sevens = |days: i16| days.saturating_sub(1).checked_div(7).unwrap_or(0).saturating_add(1);
    let number = sevens(place);
    (number, number.saturating_add(sevens(of.saturating_sub(place).saturating_add(1))).saturating_sub(1))
}
