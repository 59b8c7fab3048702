//! Why not now, and when.

use std::fmt;

use crate::{Reason, Timestamp};

/// The answer to an ask that must wait, or must never be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Refusal {
    until: Option<Timestamp>,
    never: bool,
    clocks: Vec<Clock>,
}

/// One clock that refuses, and until when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Clock {
    /// Which clock.
    pub reason: Reason,
    /// When it stops refusing: `None` for a slot (when one is given back), [`Timestamp::MAX`] for never.
    pub until: Option<Timestamp>,
}

impl Refusal {
    /// When to ask again; `None` when a slot must come free first, or when it is never.
    #[must_use]
    pub const fn until(&self) -> Option<Timestamp> {
        self.until
    }

    /// Whether time alone does not help: a person, or a new robots.txt, must change something.
    #[must_use]
    pub const fn is_never(&self) -> bool {
        self.never
    }

    /// All that refuse, the latest first.
    pub fn reasons(&self) -> impl ExactSizeIterator<Item = Reason> + '_ {
        self.clocks.iter().map(|clock| clock.reason)
    }

    /// All clocks that refuse, the latest first.
    #[must_use]
    pub fn clocks(&self) -> &[Clock] {
        &self.clocks
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.never, self.until) {
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
