//! Why not now, and when.

use std::cmp::Reverse;
use std::fmt;

use crate::rules::Rules;
use crate::{Reason, Timestamp};

/// The answer to an ask that must wait, or must never be made.
///
/// ```
/// use bot_etiquette_politeness::{Ask, HostPolicy, Policy, Politeness, Reason, Timestamp};
/// use std::time::Duration;
///
/// let politeness = Politeness::new(Policy::new(HostPolicy::new().min_delay(Duration::from_secs(1))));
/// let url = url::Url::parse("https://example.com/")?;
/// let _permit = politeness.admit(&Ask::new(&url), Timestamp::from_millis(0))?;
///
/// let refusal = politeness.check(&Ask::new(&url), Timestamp::from_millis(500)).unwrap_err();
/// assert_eq!(refusal.until(), Some(Timestamp::from_millis(1000)));
/// assert!(refusal.reasons().eq([Reason::InFlight, Reason::MinDelay]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Refusal {
    clocks: Vec<Clock>,
}

/// One clock, and until when it refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Clock {
    /// Which clock.
    pub reason: Reason,
    /// When it stops refusing; `None` where time alone does not tell.
    pub until: Option<Timestamp>,
    /// Whether it refuses until a person, or a new robots.txt, changes something.
    pub never: bool,
}

impl Clock {
    pub(crate) const fn at(reason: Reason, until: Timestamp) -> Self {
        Self { reason, until: Some(until), never: false }
    }

    pub(crate) const fn never(reason: Reason) -> Self {
        Self { reason, until: None, never: true }
    }

    pub(crate) const fn slot() -> Self {
        Self { reason: Reason::InFlight, until: None, never: false }
    }

    /// The latest first; what no time is known of before all, slots before never; then the order of the codes.
    fn rank(&self) -> (bool, Reverse<Option<Timestamp>>, Reason) {
        let until = if self.never { Some(Timestamp::MAX) } else { self.until };
        (self.reason != Reason::InFlight, Reverse(until), self.reason)
    }
}

impl Refusal {
    /// A refusal for one reason, for a layer or a store that refuses on its own; `until` as in [`Refusal::until`].
    #[must_use]
    pub fn new(reason: Reason, until: Option<Timestamp>) -> Self {
        Self::of(Clock { reason, until, never: false })
    }

    pub(crate) fn of(clock: Clock) -> Self {
        Self { clocks: vec![clock] }
    }

    /// A refusal that no time lifts.
    #[must_use]
    pub fn never(reason: Reason) -> Self {
        Self::of(Clock::never(reason))
    }

    /// The refusal of these clocks, or none where none refuses.
    pub(crate) fn unless_empty(mut clocks: Vec<Clock>, rules: &Rules) -> Result<(), Self> {
        if clocks.is_empty() {
            return Ok(());
        }
        // Only the hours close again by themselves: they may be shut when all the others have opened.
        if let (Some(hours), Some(latest)) =
            (&rules.hours, clocks.iter().filter_map(|clock| clock.until).max())
        {
            let opens = hours.opens_at(latest).unwrap_or(Timestamp::MAX);
            if opens > latest {
                clocks.retain(|clock| clock.reason != Reason::OutsideHours);
                clocks.push(Clock::at(Reason::OutsideHours, opens));
            }
        }
        clocks.sort_by_key(Clock::rank);
        Err(Self { clocks })
    }

    /// When to ask again; `None` when a slot must come free first, and when it is never.
    #[must_use]
    pub fn until(&self) -> Option<Timestamp> {
        if self.is_never() { None } else { self.clocks.iter().filter_map(|clock| clock.until).max() }
    }

    /// Whether time alone does not help: a person, or a new robots.txt, must change something.
    #[must_use]
    pub fn is_never(&self) -> bool {
        self.clocks.iter().any(|clock| clock.never)
    }

    /// All that refuse: slots first, then the latest first.
    pub fn reasons(&self) -> impl ExactSizeIterator<Item = Reason> + '_ {
        self.clocks.iter().map(|clock| clock.reason)
    }

    /// The clocks that refuse, in the order of [`reasons`](Self::reasons).
    #[must_use]
    pub fn clocks(&self) -> &[Clock] {
        &self.clocks
    }
}

/// When, and why.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.is_never(), self.until()) {
            (true, _) => f.write_str("never")?,
            (false, Some(until)) => write!(f, "not before {until}")?,
            (false, None) => f.write_str("not until a slot comes free")?,
        }
        for (place, reason) in self.reasons().enumerate() {
            write!(f, "{}{reason}", if place == 0 { ": " } else { "; " })?;
        }
        Ok(())
    }
}
