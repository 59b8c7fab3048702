//! What is known of one origin, and what follows from it.

use std::time::{Duration, SystemTime};

use super::answer::{RobotsAnswer, Validators};
use super::time::Moment;
use super::{CacheOptions, MAX_AGE, MIN_AGE, RobotsCopy};
use crate::{Availability, ProductToken, Unreachable};

/// The first wait when no answer came; each further failure in a row doubles it up to [`LONGEST_WAIT`].
const NO_ANSWER_WAIT: Duration = Duration::from_secs(900);
/// The first wait after an answer that says nothing of the rules (429, 5xx); doubles likewise.
const BUSY_WAIT: Duration = Duration::from_secs(60);
/// The longest wait that doubling leads to; only a `Retry-After` is longer.
const LONGEST_WAIT: Duration = Duration::from_secs(86_400);

/// What is known of one origin.
#[derive(Debug, Clone, Default)]
pub(super) struct Entry {
    /// The last outcome that settled what may be asked.
    pub(super) known: Option<Known>,
    /// The run of failures since then.
    pub(super) trouble: Option<Trouble>,
    /// The fetch under way, by its number.
    pub(super) flight: Option<Flight>,
    /// Read again before the next use, whatever the age.
    pub(super) refresh: bool,
    /// Not told to anyone since it changed.
    pub(super) news: bool,
}

/// An outcome that settled what may be asked.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) copy: RobotsCopy,
    pub(super) validators: Validators,
    /// When it was asked for: its age counts from here.
    pub(super) asked: Moment,
    /// Until when HTTP and RFC 9309 let it be used unasked.
    pub(super) fresh_until: Moment,
}

/// A run of failures to learn the rules.
#[derive(Debug, Clone)]
pub(super) struct Trouble {
    pub(super) why: Unreachable,
    pub(super) since: Moment,
    /// Failures in a row with an answer, and without one.
    pub(super) busy: u32,
    pub(super) silent: u32,
    /// Not asked again before this.
    pub(super) next: Moment,
    /// It has lasted so long that the file counts as unavailable.
    pub(super) given_up: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Flight {
    pub(super) number: u64,
    pub(super) since: Moment,
}

/// What to do about one origin.
pub(super) enum Step {
    Use(RobotsCopy),
    Fetch,
    Wait,
    Closed(Unreachable, Moment),
}

impl Entry {
    /// What to do now, for a request that may leave as late as `margin` from now.
    pub(super) fn step(&mut self, now: Moment, margin: Duration, options: &CacheOptions) -> Step {
        if self.flight.is_some_and(|flight| now < flight.since.plus(options.fetch_limit)) {
            return Step::Wait;
        }
        self.flight = None;
        let Some(trouble) = &self.trouble else {
            return match &self.known {
                Some(known) if !self.refresh && known.is_fresh(now, margin) => {
                    Step::Use(known.hand_out(&mut self.news, false))
                }
                _ => Step::Fetch,
            };
        };
        if trouble.next <= now {
            return Step::Fetch;
        }
        match &self.known {
            // The last good copy goes on while the site cannot be reached (RFC 9309, section 2.4). That there
            // was no file is no copy, and holds only as long as it was fresh.
            Some(known)
                if known.copy.availability == Availability::Successful || known.is_fresh(now, margin) =>
            {
                Step::Use(known.hand_out(&mut self.news, !known.is_fresh(now, margin)))
            }
            _ if trouble.given_up => {
                Step::Use(RobotsCopy::without_file(Availability::Unreachable(trouble.why)))
            }
            _ => Step::Closed(trouble.why, trouble.next),
        }
    }

    /// Takes in the end of a fetch that was asked for at `asked`.
    pub(super) fn finished(
        &mut self,
        answer: &RobotsAnswer,
        asked: Moment,
        now: Moment,
        wall: SystemTime,
        agents: &[ProductToken],
        options: &CacheOptions,
    ) {
        self.flight = None;
        self.refresh = false;
        if answer.is_not_modified()
            && let Some(known) = self.known.as_mut().filter(|known| !known.validators.is_empty())
        {
            known.renew(answer, asked, now, wall);
            self.trouble = None;
            return;
        }
        match answer.availability() {
            Availability::Unreachable(why) => self.failed(why, answer.wait(wall), now, options),
            availability => {
                let copy = match availability {
                    Availability::Successful => RobotsCopy::read(answer.text(), agents, answer.is_html()),
                    _ => RobotsCopy::without_file(availability),
                };
                self.known = Some(Known {
                    validators: match availability {
                        Availability::Successful => answer.validators.clone(),
                        _ => Validators::default(),
                    },
                    asked,
                    fresh_until: fresh_until(answer, asked, now).unwrap_or_else(|| asked.plus(MAX_AGE)),
                    copy: RobotsCopy { read_at: Some(wall), ..copy },
                });
                self.trouble = None;
                self.news = true;
            }
        }
    }

    fn failed(&mut self, why: Unreachable, asked_wait: Duration, now: Moment, options: &CacheOptions) {
        let old = self.trouble.take();
        let since = old.as_ref().map_or(now, |trouble| trouble.since);
        let (mut busy, mut silent) = old.map_or((0, 0), |trouble| (trouble.busy, trouble.silent));
        let wait = if why.answered() {
            (busy, silent) = (busy.saturating_add(1), 0);
            doubled(BUSY_WAIT, busy)
        } else {
            silent = silent.saturating_add(1);
            doubled(NO_ANSWER_WAIT, silent)
        };
        self.trouble = Some(Trouble {
            why,
            since,
            busy,
            silent,
            next: now.plus(wait.max(asked_wait)),
            given_up: options.give_up_after.is_some_and(|limit| now.since(since) >= limit),
        });
    }

    /// Until when it must not be forgotten.
    pub(super) fn held_until(&self, options: &CacheOptions) -> Option<Moment> {
        let flight = self.flight.map(|flight| flight.since.plus(options.fetch_limit));
        flight.max(self.trouble.as_ref().map(|trouble| trouble.next))
    }

    /// Bytes of text it holds.
    pub(super) fn size(&self) -> usize {
        self.known.as_ref().and_then(|known| known.copy.robots()).map_or(0, |robots| robots.text().len())
    }
}

impl Known {
    fn is_fresh(&self, now: Moment, margin: Duration) -> bool {
        // A margin as long as the lifetime itself would read the file again before every request.
        let margin = margin.min(self.fresh_until.since(self.asked) / 2);
        now.plus(margin) < self.fresh_until
    }

    /// The copy with what only this moment knows.
    fn hand_out(&self, news: &mut bool, stale: bool) -> RobotsCopy {
        RobotsCopy { is_stale: stale, is_new: std::mem::take(news), ..self.copy.clone() }
    }

    /// The server has told that the copy still holds (304).
    fn renew(&mut self, answer: &RobotsAnswer, asked: Moment, now: Moment, wall: SystemTime) {
        let lifetime = self.fresh_until.since(self.asked);
        self.fresh_until = fresh_until(answer, asked, now).unwrap_or_else(|| asked.plus(lifetime));
        self.asked = asked;
        self.copy.read_at = Some(wall);
        if answer.validators.etag.is_some() {
            self.validators.etag.clone_from(&answer.validators.etag);
        }
        if answer.validators.last_modified.is_some() {
            self.validators.last_modified.clone_from(&answer.validators.last_modified);
        }
    }
}

/// HTTP may shorten the day, not below [`MIN_AGE`]; the day counts from the asking, whatever HTTP says.
fn fresh_until(answer: &RobotsAnswer, asked: Moment, now: Moment) -> Option<Moment> {
    let lifetime = answer.lifetime()?.clamp(MIN_AGE, MAX_AGE);
    Some(now.plus(lifetime).min(asked.plus(MAX_AGE)))
}

/// The wait after the `count`th failure in a row.
fn doubled(first: Duration, count: u32) -> Duration {
    let factor = 2_u32.checked_pow(count.saturating_sub(1)).unwrap_or(u32::MAX);
    first.checked_mul(factor).unwrap_or(LONGEST_WAIT).min(LONGEST_WAIT)
}
