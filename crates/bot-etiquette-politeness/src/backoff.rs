//! Exponential holds: a counter that moves once per incident, a deadline that only moves forward.

use crate::Timestamp;
use crate::snapshot::Rebase;

/// The steps of a hold: `first * factor^(n-1)`, at most `max`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Steps {
    pub(crate) first: u64,
    pub(crate) factor: f64,
    pub(crate) max: u64,
}

impl Steps {
    /// The length of the `count`-th step in milliseconds, lengthened by `extra` of itself.
    fn length(self, count: u32, extra: f64) -> u64 {
        let exponent = i32::try_from(count.saturating_sub(1)).unwrap_or(i32::MAX);
        let raw = as_millis(as_float(self.first) * self.factor.powi(exponent)).min(self.max);
        raw.saturating_add(as_millis(as_float(raw) * extra.clamp(0.0, 1.0)))
    }
}

#[allow(clippy::cast_precision_loss)] // a hold of 285,000 years may lose a millisecond
fn as_float(millis: u64) -> f64 {
    millis as f64
}

/// Rounded up, but for the last digits that a float has no room for; saturates, and NaN (0 * infinity) is 0.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub(crate) fn as_millis(millis: f64) -> u64 {
    let nearest = millis.round();
    let noise = nearest.abs() * 1e-12 + 1e-7;
    (if (millis - nearest).abs() <= noise { nearest } else { millis.ceil() }) as u64
}

/// One hold of a host or a resource.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub(crate) struct Backoff {
    /// Incidents in a row.
    pub(crate) count: u32,
    /// When the last incident began.
    since: Option<Timestamp>,
    /// The end of the hold.
    pub(crate) until: Option<Timestamp>,
    /// What the counter was before a good answer reset it, for the answer may yet turn out bad.
    before: u32,
    /// When that was.
    good_at: Option<Timestamp>,
}

impl Backoff {
    /// A failure of a request that started at `started`. Requests that were open when the last incident
    /// began belong to it. Without `steps` the counter moves and no hold is set.
    pub(crate) fn fail(&mut self, steps: Option<Steps>, started: Timestamp, now: Timestamp, extra: f64) {
        if self.since.is_none_or(|since| started > since) {
            self.step(steps, now, extra);
        }
    }

    /// A failure that is told after the request ended. While the hold runs nothing can have started under
    /// it, so it is the same incident; else the good answer that came before is taken back.
    pub(crate) fn fail_late(&mut self, steps: Option<Steps>, now: Timestamp, extra: f64) {
        if self.until.is_none_or(|until| until <= now) {
            if self.count == 0 {
                self.count = self.before;
            }
            self.step(steps, now, extra);
        }
    }

    fn step(&mut self, steps: Option<Steps>, now: Timestamp, extra: f64) {
        self.count = self.count.saturating_add(1);
        self.before = 0;
        self.since = Some(now);
        if let Some(steps) = steps {
            let until = now.plus_millis(steps.length(self.count, extra));
            self.until = self.until.max(Some(until));
        }
    }

    /// A good answer to a request that started at `started`: the counter is reset, the hold goes on.
    pub(crate) fn reset(&mut self, started: Timestamp, now: Timestamp) {
        if self.count == 0 && self.before == 0 {
            return;
        }
        // An answer no younger than the one that reset the counter does not confirm it.
        if self.count == 0 && self.good_at.is_some_and(|good| started <= good) {
            return;
        }
        self.before = self.count;
        self.count = 0;
        self.good_at = Some(now);
    }

    /// The longer of two holds, the larger of two counters.
    pub(crate) fn absorb(&mut self, other: &Self) {
        if other.until > self.until {
            self.until = other.until;
            self.since = other.since;
        }
        self.count = self.count.max(other.count);
    }

    #[cfg(feature = "serde")]
    pub(crate) fn is_clear(&self) -> bool {
        *self == Self::default()
    }

    /// Until when it must be remembered: the hold, and the counter for as long again, a day at least.
    pub(crate) fn live_until(&self) -> Timestamp {
        let until = self.until.or(self.since).unwrap_or(Timestamp::ZERO);
        if self.count == 0 && self.before == 0 {
            return until;
        }
        let hold = self.since.map_or(0, |since| until.as_millis().saturating_sub(since.as_millis()));
        until.plus_millis(hold.max(COUNTER_MEMORY))
    }

    pub(crate) fn rebase(&mut self, rebase: Rebase) {
        rebase.past(&mut self.since);
        rebase.deadline(&mut self.until);
        rebase.past(&mut self.good_at);
    }
}

/// How long a counter is remembered after its hold, in milliseconds: a day.
const COUNTER_MEMORY: u64 = 86_400_000;

#[cfg(test)]
mod tests {
    use super::*;

    const UNREACHABLE: Steps = Steps { first: 900_000, factor: 2.0, max: 86_400_000 };

    #[test]
    fn steps_double_up_to_the_cap_and_never_overflow() {
        let seconds: Vec<u64> = (1..=9).map(|count| UNREACHABLE.length(count, 0.0) / 1000).collect();
        assert_eq!(seconds, [900, 1800, 3600, 7200, 14400, 28800, 57600, 86400, 86400]);
        assert_eq!(UNREACHABLE.length(u32::MAX, 0.0), 86_400_000);
        let unbounded = Steps { first: 1, factor: 1e300, max: u64::MAX };
        assert_eq!(unbounded.length(u32::MAX, 1.0), u64::MAX);
        assert_eq!(Steps { first: 0, factor: f64::MAX, max: u64::MAX }.length(9, 1.0), 0);
    }

    #[test]
    fn jitter_only_lengthens() {
        assert_eq!(UNREACHABLE.length(1, 0.1), 990_000);
        assert_eq!(UNREACHABLE.length(1, -3.0), 900_000);
        assert_eq!(UNREACHABLE.length(1, f64::NAN), 900_000);
    }

    #[test]
    fn part_of_a_millisecond_counts_whole_unless_it_is_the_noise_of_a_float() {
        for (float, millis) in [
            (0.0, 0),
            (0.4, 1),
            (1.5, 2),
            (1.000_000_01, 1),
            (1.000_1, 2),
            (0.1 * 3.0 * 1000.0, 300),
            (1e12 + 0.25, 1_000_000_000_000),
            (1e9 + 0.25, 1_000_000_001),
            (f64::NAN, 0),
            (f64::INFINITY, u64::MAX),
        ] {
            assert_eq!(as_millis(float), millis, "{float}");
        }
    }

    #[test]
    fn what_had_started_when_an_incident_began_belongs_to_it() {
        let at = Timestamp::from_millis;
        let mut backoff = Backoff::default();
        for (started, now, count) in [(0, 500, 1), (499, 600, 1), (500, 700, 1), (501, 800, 2), (800, 900, 2)]
        {
            backoff.fail(Some(UNREACHABLE), at(started), at(now), 0.0);
            assert_eq!(backoff.count, count, "started at {started}");
        }
    }

    #[test]
    fn an_answer_no_younger_than_the_last_good_one_does_not_confirm_it() {
        let at = Timestamp::from_millis;
        for (second, count) in [(650, 2), (700, 2), (701, 1)] {
            let mut backoff = Backoff::default();
            backoff.fail(Some(Steps { first: 1, ..UNREACHABLE }), at(0), at(500), 0.0);
            backoff.reset(at(600), at(700));
            backoff.reset(at(second), at(800));
            // What the body shows later takes the good answer back, unless it was confirmed.
            backoff.fail_late(Some(UNREACHABLE), at(900), 0.0);
            assert_eq!(backoff.count, count, "the second good answer began at {second}");
        }
    }

    #[test]
    fn a_counter_is_remembered_a_day_longer_than_its_hold_and_a_clear_one_not_at_all() {
        let at = Timestamp::from_millis;
        let mut backoff = Backoff::default();
        assert_eq!(backoff.live_until(), at(0));
        backoff.fail(Some(UNREACHABLE), at(0), at(500), 0.0);
        assert_eq!(backoff.live_until(), at(900_500 + COUNTER_MEMORY));
        backoff.reset(at(1_000_000), at(1_000_500));
        assert_eq!(backoff.live_until(), at(900_500 + COUNTER_MEMORY), "its counter may come back");
        backoff.reset(at(1_001_000), at(1_001_500));
        assert_eq!(backoff.live_until(), at(900_500));
    }

    #[test]
    fn of_two_holds_the_longer_counts_and_of_equal_ones_its_own() {
        let hold = |since, until, count| Backoff {
            since: Some(Timestamp::from_millis(since)),
            until: Some(Timestamp::from_millis(until)),
            count,
            ..Backoff::default()
        };
        for (other, expected) in [
            (hold(1, 50, 9), hold(2, 60, 9)),
            (hold(1, 60, 1), hold(2, 60, 3)),
            (hold(1, 70, 1), hold(1, 70, 3)),
        ] {
            let mut backoff = hold(2, 60, 3);
            backoff.absorb(&other);
            assert_eq!(backoff, expected);
        }
    }

    #[cfg(feature = "serde")]
    #[test]
    fn only_what_never_failed_is_clear() {
        let mut backoff = Backoff::default();
        assert!(backoff.is_clear());
        backoff.fail(Some(UNREACHABLE), Timestamp::ZERO, Timestamp::from_millis(5), 0.0);
        assert!(!backoff.is_clear());
    }
}
