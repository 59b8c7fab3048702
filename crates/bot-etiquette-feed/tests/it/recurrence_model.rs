//! Rules of recurrence against a slow model, which looks at every day on its own.

use jiff::ToSpan;
use jiff::civil::{Date, date};
use proptest::prelude::*;

use crate::icalendar::MAP;
use crate::recurrence::{day, one_in};

const NAMES: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/// A rule in numbers, for the slow model.
#[derive(Debug, Clone)]
struct Parts {
    frequency: usize,
    interval: i64,
    months: Vec<i8>,
    month_days: Vec<i8>,
    days: Vec<(i8, usize)>,
    positions: Vec<i8>,
}

fn parts() -> impl Strategy<Value = Parts> {
    let some = |strategy: BoxedStrategy<i8>| prop::collection::vec(strategy, 0..3);
    (
        0..4_usize,
        1..4_i64,
        some((1..=12_i8).boxed()),
        some(prop_oneof![1..=31_i8, -31..=-1_i8].boxed()),
        prop::collection::vec(
            (prop_oneof![3 => Just(0_i8), 1 => 1..=5_i8, 1 => -5..=-1_i8], 0..7_usize),
            0..3,
        ),
        some(prop_oneof![1..=4_i8, -4..=-1_i8].boxed()),
    )
        .prop_map(|(frequency, interval, months, mut month_days, mut days, mut positions)| {
            if frequency < 2 {
                days.iter_mut().for_each(|(number, _)| *number = 0);
            }
            if frequency == 1 {
                month_days.clear();
            }
            if months.is_empty() && month_days.is_empty() && days.is_empty() {
                positions.clear();
            }
            Parts { frequency, interval, months, month_days, days, positions }
        })
}

impl Parts {
    fn text(&self) -> String {
        let mut text = format!(
            "FREQ={};INTERVAL={}",
            ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"][self.frequency],
            self.interval
        );
        let mut list = |name: &str, items: Vec<String>| {
            if !items.is_empty() {
                text.push_str(&format!(";{name}={}", items.join(",")));
            }
        };
        list("BYMONTH", self.months.iter().map(i8::to_string).collect());
        list("BYMONTHDAY", self.month_days.iter().map(i8::to_string).collect());
        let day = |(number, day): &(i8, usize)| match number {
            0 => NAMES[*day].to_owned(),
            number => format!("{number}{}", NAMES[*day]),
        };
        list("BYDAY", self.days.iter().map(day).collect());
        list("BYSETPOS", self.positions.iter().map(i8::to_string).collect());
        text
    }

    /// Which period a day is in, counted from that of the first.
    fn period(&self, day: Date, first: Date) -> i64 {
        let monday = |day: Date| day - i64::from(day.weekday().to_monday_zero_offset()).days();
        let days = |from: Date, to: Date| from.duration_until(to).as_secs() / 86_400;
        match self.frequency {
            0 => days(first, day),
            1 => days(monday(first), monday(day)) / 7,
            2 => i64::from(day.year() - first.year()) * 12 + i64::from(day.month() - first.month()),
            _ => i64::from(day.year() - first.year()),
        }
    }

    fn fits(&self, day: Date, first: Date) -> bool {
        // The same weekdays before and behind it, counted one by one.
        let number_in = |scope: &dyn Fn(Date) -> bool| {
            let count =
                |step: i64| (1..).take_while(|weeks| scope(day + (weeks * 7 * step).days())).count() as i8;
            (count(-1) + 1, -(count(1) + 1))
        };
        let in_month = number_in(&|other| (other.year(), other.month()) == (day.year(), day.month()));
        let in_year = number_in(&|other| other.year() == day.year());
        let (from_start, from_end) =
            if self.frequency == 2 || !self.months.is_empty() { in_month } else { in_year };
        let by_month = self.months.is_empty() || self.months.contains(&day.month());
        let back = day.day() - day.days_in_month() - 1;
        let by_month_day =
            self.month_days.is_empty() || self.month_days.iter().any(|at| *at == day.day() || *at == back);
        let weekday = usize::from(day.weekday().to_monday_zero_offset().unsigned_abs());
        let by_day = self.days.is_empty()
            || self.days.iter().any(|(number, name)| {
                *name == weekday && (*number == 0 || *number == from_start || *number == from_end)
            });
        let free = self.month_days.is_empty() && self.days.is_empty();
        let by_first = !free
            || match self.frequency {
                0 => true,
                1 => day.weekday() == first.weekday(),
                2 => day.day() == first.day(),
                _ => day.day() == first.day() && (!self.months.is_empty() || day.month() == first.month()),
            };
        by_month && by_month_day && by_day && by_first
    }

    /// Each day from the start of the first period to the last, looked at on its own.
    fn slowly(&self, first: Date, last: Date) -> Vec<Date> {
        let mut periods: std::collections::BTreeMap<i64, Vec<Date>> = std::collections::BTreeMap::new();
        let mut day = first - 400.days();
        while day <= last + 400.days() {
            let period = self.period(day, first);
            if period >= 0 && period % self.interval == 0 && self.fits(day, first) {
                periods.entry(period).or_default().push(day);
            }
            day = day.tomorrow().expect("a day");
        }
        let mut days = vec![first];
        for all in periods.values() {
            let chosen = all.iter().enumerate().filter(|(index, _)| {
                let (place, back) = (*index as i64 + 1, *index as i64 - all.len() as i64);
                self.positions.is_empty()
                    || self.positions.iter().any(|at| i64::from(*at) == place || i64::from(*at) == back)
            });
            days.extend(chosen.map(|(_, day)| *day));
        }
        days.retain(|day| (first..=last).contains(day));
        days.sort_unstable();
        days.dedup();
        days
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn a_rule_gives_what_a_look_at_every_day_gives(parts in parts(), month in 1..=12_i8, at in 1..=28_i8, limit in prop::option::of(1..20_usize)) {
        let first = date(2024, month, at);
        let last = first + 1200.days();
        let count = limit.map_or(String::new(), |limit| format!(";COUNT={limit}"));
        let start = first.strftime("%Y%m%d").to_string();
        let (event, _) = one_in(MAP, &format!("DTSTART;VALUE=DATE:{start}\nRRULE:{}{count}", parts.text()));
        let expected: Vec<String> = parts.slowly(first, last).iter().map(Date::to_string).take(limit.unwrap_or(usize::MAX)).collect();
        let actual: Vec<String> = event.when().between(day(&first.to_string()), day(&last.to_string())).map(|at| at.to_string()).collect();
        prop_assert_eq!(actual, expected.into_iter().take(1000).collect::<Vec<_>>(), "{}", parts.text());
    }
}
