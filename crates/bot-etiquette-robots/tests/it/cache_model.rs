use std::time::{Duration, UNIX_EPOCH};

use bot_etiquette_robots::{CacheOptions, Lookup, Origin, RobotsAnswer, RobotsCache};
use proptest::prelude::*;

const DAY: u64 = 86_400;

/// The rules of the cache as a person would write them down, for one origin and a clock that is never set.
#[derive(Default)]
struct Model {
    known: Option<Remembered>,
    trouble: Option<(u64, u32, u32)>,
    flight: Option<u64>,
    refresh: bool,
}

struct Remembered {
    file: bool,
    validators: bool,
    asked: u64,
    fresh_until: u64,
}

impl Model {
    fn check(&mut self, now: u64) -> &'static str {
        if self.flight.is_some_and(|since| now < since + 600) {
            return "wait";
        }
        let fresh = self.known.as_ref().is_some_and(|known| now < known.fresh_until);
        let due = match self.trouble {
            Some((next, ..)) => next <= now,
            None => !fresh || self.refresh,
        };
        if due {
            self.flight = Some(now);
            return "fetch";
        }
        self.flight = None;
        match &self.known {
            Some(known) if known.file && fresh => "rules",
            Some(known) if known.file => "stale rules",
            Some(_) if fresh => "no file",
            _ => "closed",
        }
    }

    fn finished(&mut self, end: End, now: u64) {
        let Some(asked) = self.flight.take() else { return };
        self.refresh = false;
        let lifetime = |seconds: u64| (now + seconds.clamp(300, DAY)).min(asked + DAY);
        match end {
            End::File(seconds) => {
                let fresh_until = lifetime(seconds);
                self.known = Some(Remembered { file: true, validators: true, asked, fresh_until });
                self.trouble = None;
            }
            End::Gone => {
                let fresh_until = asked + DAY;
                self.known = Some(Remembered { file: false, validators: false, asked, fresh_until });
                self.trouble = None;
            }
            End::Same if self.known.as_ref().is_some_and(|known| known.validators) => {
                if let Some(known) = &mut self.known {
                    known.fresh_until = asked + (known.fresh_until - known.asked);
                    known.asked = asked;
                }
                self.trouble = None;
            }
            End::Same => self.busy(now, 0),
            End::Busy(wait) => self.busy(now, wait),
            End::Silent => {
                let (_, busy, silent) = self.trouble.unwrap_or_default();
                let wait = (900_u64 << silent.min(20)).min(DAY);
                self.trouble = Some((now + wait, busy, silent + 1));
            }
        }
    }

    fn busy(&mut self, now: u64, asked_wait: u64) {
        let (_, busy, _) = self.trouble.unwrap_or_default();
        let wait = (60_u64 << busy.min(20)).min(DAY).max(asked_wait);
        self.trouble = Some((now + wait, busy + 1, 0));
    }
}

#[derive(Debug, Clone, Copy)]
enum End {
    File(u64),
    Gone,
    Same,
    Busy(u64),
    Silent,
}

#[derive(Debug, Clone, Copy)]
enum Event {
    Pass(u64),
    Check,
    Finish(End),
    Abandon,
    Refresh,
    SetBack(u64),
}

fn event() -> impl Strategy<Value = Event> {
    let seconds = || {
        prop_oneof![
            0..5_u64,
            50..70_u64,
            290..310_u64,
            590..610_u64,
            890..910_u64,
            3_000..90_000_u64,
            Just(DAY)
        ]
    };
    prop_oneof![
        3 => seconds().prop_map(Event::Pass),
        4 => Just(Event::Check),
        1 => seconds().prop_map(|lifetime| Event::Finish(End::File(lifetime))),
        1 => Just(Event::Finish(End::Gone)),
        1 => Just(Event::Finish(End::Same)),
        1 => seconds().prop_map(|wait| Event::Finish(End::Busy(wait))),
        1 => Just(Event::Finish(End::Silent)),
        1 => Just(Event::Abandon),
        1 => Just(Event::Refresh),
        1 => (2..200_000_u64).prop_map(Event::SetBack),
    ]
}

proptest! {
    #[test]
    fn the_cache_does_what_the_rules_say_whatever_the_clock_does(events in prop::collection::vec(event(), 1..60)) {
        let mut options = CacheOptions::default();
        options.give_up_after = None;
        let mut cache = RobotsCache::with_options(["TestBot".parse().unwrap()], options);
        let origin: Origin = "https://host.example".parse().unwrap();
        let (mut model, mut ticket, mut now, mut back) = (Model::default(), None, 0, 0);
        for event in events {
            if let Event::SetBack(seconds) = event {
                back += seconds;
            }
            let wall = |now: u64| UNIX_EPOCH + Duration::from_secs(1_850_000_000 + now) - Duration::from_secs(back);
            match event {
                // The cache is asked just before and after each step of the clock: what passes unseen
                // between cannot be known.
                Event::Pass(_) | Event::SetBack(_) => {
                    if let Event::Pass(seconds) = event {
                        now += seconds;
                    }
                    if let Lookup::Fetch(new) = cache.check(&origin, wall(now), Duration::ZERO) {
                        ticket = Some(new);
                    }
                    model.check(now);
                }
                Event::Refresh => {
                    cache.refresh(&origin);
                    model.refresh = !cache.is_empty();
                }
                Event::Abandon => {
                    if let Some(ticket) = ticket.take() {
                        cache.abandoned(ticket);
                        model.flight = None;
                    }
                }
                Event::Finish(end) => {
                    let answer = match end {
                        End::File(seconds) => RobotsAnswer::from_status(200).header("etag", "\"1\"").header("cache-control", format!("max-age={seconds}")),
                        End::Gone => RobotsAnswer::from_status(404),
                        End::Same => RobotsAnswer::from_status(304),
                        End::Busy(wait) => RobotsAnswer::from_status(503).header("retry-after", wait.to_string()),
                        End::Silent => RobotsAnswer::no_answer(),
                    };
                    if let Some(ticket) = ticket.take() {
                        cache.finished(ticket, &answer, wall(now));
                        model.finished(end, now);
                    }
                }
                Event::Check => {
                    let said = match cache.check(&origin, wall(now), Duration::ZERO) {
                        Lookup::Fetch(new) => {
                            ticket = Some(new);
                            "fetch"
                        }
                        Lookup::Wait => "wait",
                        Lookup::Closed { .. } => "closed",
                        Lookup::Use(copy) if copy.robots().is_none() => "no file",
                        Lookup::Use(copy) if copy.is_stale() => "stale rules",
                        Lookup::Use(_) => "rules",
                        Lookup::Full => "full",
                    };
                    prop_assert_eq!(said, model.check(now), "at {}", now);
                }
            }
        }
    }
}
