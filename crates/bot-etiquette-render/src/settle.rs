//! When a page has settled: a state machine that is told the time.

use std::time::Duration;

/// How long what may last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) quiet: Duration,
    pub(crate) work: Duration,
    pub(crate) wait: Duration,
}

/// Tells the browser's work from its waiting, and both from quiet. Times are since the start of the navigation.
#[derive(Debug)]
pub(crate) struct Settle {
    limits: Limits,
    /// Up to when the time is accounted for.
    at: Duration,
    work: Duration,
    waited: Duration,
    /// Requests that the crawler has.
    open: usize,
    /// When something last happened.
    active: Duration,
    loaded: bool,
    patient: bool,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Nothing before this time.
    Wait(Duration),
    /// All is quiet.
    Quiet,
    /// The time for work is used up.
    OutOfWork,
    /// The time for waiting is used up: what is open is given up. Said once.
    OutOfPatience,
}

impl Settle {
    pub(crate) const fn new(limits: Limits) -> Self {
        Self {
            limits,
            at: Duration::ZERO,
            work: Duration::ZERO,
            waited: Duration::ZERO,
            open: 0,
            active: Duration::ZERO,
            loaded: false,
            patient: true,
        }
    }

    /// The crawler got a request.
    pub(crate) fn asked(&mut self, now: Duration) {
        self.active(now);
        self.open = self.open.saturating_add(1);
    }

    /// The crawler answered one.
    pub(crate) fn answered(&mut self, now: Duration) {
        self.active(now);
        self.open = self.open.saturating_sub(1);
    }

    /// The page has loaded.
    pub(crate) fn loaded(&mut self, now: Duration) {
        self.active(now);
        self.loaded = true;
    }

    /// Something happened that may lead to more.
    pub(crate) fn active(&mut self, now: Duration) {
        self.advance(now);
        self.active = self.active.max(now);
    }

    /// Whether the crawler may still be asked.
    pub(crate) const fn is_patient(&self) -> bool {
        self.patient
    }

    /// What the browser worked, and what it waited.
    pub(crate) const fn spent(&self) -> (Duration, Duration) {
        (self.work, self.waited)
    }

    /// When the time for work is used up, if nothing is put to the crawler before.
    pub(crate) const fn end(&self, now: Duration) -> Duration {
        now.saturating_add(self.limits.work.saturating_sub(self.work))
    }

    pub(crate) fn next(&mut self, now: Duration) -> Next {
        self.advance(now);
        let working = self.limits.work.saturating_sub(self.work);
        if working.is_zero() {
            return Next::OutOfWork;
        }
        if self.open > 0 {
            let waiting = self.limits.wait.saturating_sub(self.waited);
            if !waiting.is_zero() {
                return Next::Wait(now.saturating_add(waiting));
            }
            if self.patient {
                self.patient = false;
                return Next::OutOfPatience;
            }
        }
        let end = now.saturating_add(working);
        if !self.loaded {
            return Next::Wait(end);
        }
        let quiet = self.active.saturating_add(self.limits.quiet);
        if quiet <= now { Next::Quiet } else { Next::Wait(end.min(quiet)) }
    }

    fn advance(&mut self, now: Duration) {
        let passed = now.saturating_sub(self.at);
        self.at = self.at.max(now);
        let account = if self.open > 0 { &mut self.waited } else { &mut self.work };
        *account = account.saturating_add(passed);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LIMITS: Limits = Limits {
        quiet: Duration::from_millis(500),
        work: Duration::from_secs(15),
        wait: Duration::from_secs(60),
    };

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn a_page_is_settled_after_the_quiet_window_and_not_a_millisecond_before() {
        let mut settle = Settle::new(LIMITS);
        assert_eq!(settle.next(ms(0)), Next::Wait(ms(15_000)), "a page that has not loaded does not settle");
        settle.loaded(ms(200));
        assert_eq!(settle.next(ms(200)), Next::Wait(ms(700)));
        settle.active(ms(600));
        assert_eq!(settle.next(ms(1_099)), Next::Wait(ms(1_100)));
        assert_eq!(settle.next(ms(1_100)), Next::Quiet);
    }

    #[test]
    fn waiting_for_the_crawler_is_not_the_browsers_work() {
        let mut settle = Settle::new(LIMITS);
        settle.loaded(ms(100));
        settle.asked(ms(1_000));
        assert_eq!(settle.next(ms(31_000)), Next::Wait(ms(61_000)));
        settle.answered(ms(31_000));
        assert_eq!(settle.spent(), (ms(1_000), ms(30_000)));
        assert_eq!(settle.next(ms(31_000)), Next::Wait(ms(31_500)));
        assert_eq!(settle.next(ms(31_500)), Next::Quiet);
    }

    #[test]
    fn what_is_open_when_patience_ends_is_given_up_once_and_the_page_settles() {
        let mut settle = Settle::new(LIMITS);
        settle.loaded(ms(0));
        settle.asked(ms(0));
        assert_eq!(settle.next(ms(59_999)), Next::Wait(ms(60_000)));
        assert!(settle.is_patient());
        assert_eq!(settle.next(ms(60_000)), Next::OutOfPatience);
        assert!(!settle.is_patient());
        settle.answered(ms(60_000));
        assert_eq!(settle.next(ms(60_499)), Next::Wait(ms(60_500)));
        assert_eq!(settle.next(ms(60_500)), Next::Quiet);
    }

    #[test]
    fn a_page_that_never_rests_ends_with_its_work() {
        let mut settle = Settle::new(LIMITS);
        settle.loaded(ms(0));
        for tenth in 0..150 {
            settle.active(ms(tenth * 100));
            assert!(matches!(settle.next(ms(tenth * 100)), Next::Wait(_)), "{tenth}");
        }
        assert_eq!(settle.next(ms(15_000)), Next::OutOfWork);
    }

    proptest! {
        #[test]
        fn every_page_comes_to_an_end_within_both_budgets(
            steps in proptest::collection::vec((0_u8..4, 0_u64..5_000), 0..200)
        ) {
            let mut settle = Settle::new(LIMITS);
            let mut now = Duration::ZERO;
            let mut open = 0;
            for (what, after) in steps {
                now += ms(after);
                match what {
                    0 => { settle.asked(now); open += 1; }
                    1 if open > 0 => { settle.answered(now); open -= 1; }
                    2 => settle.loaded(now),
                    _ => settle.active(now),
                }
                let (work, waited) = settle.spent();
                prop_assert_eq!(work + waited, now);
            }
            // Left alone, it ends; whoever obeys `Wait` asks a few times only.
            for _ in 0..8 {
                match settle.next(now) {
                    Next::Wait(until) => {
                        prop_assert!(until > now);
                        now = until;
                    }
                    Next::OutOfPatience => for _ in 0..open { settle.answered(now); },
                    Next::Quiet | Next::OutOfWork => return Ok(()),
                }
            }
            prop_assert!(false, "no end: {:?}", settle);
        }
    }
}
