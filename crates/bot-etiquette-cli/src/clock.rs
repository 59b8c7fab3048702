//! The clock of the stack: real time, which a command never lets run faster.

use std::time::SystemTime;

use bot_etiquette::politeness::{Timestamp, tower::Timer};
use tokio::time::Instant;

/// The wall time at the start, counted on by a clock that never runs back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    wall: SystemTime,
    started: Instant,
}

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "the command is an assembly")]
    pub(crate) fn real() -> Self {
        Self { wall: SystemTime::now(), started: Instant::now() }
    }

    /// How many of its seconds pass in a real one.
    #[expect(clippy::unused_self, reason = "the stack asks any clock")]
    pub(crate) const fn scale(&self) -> u32 {
        1
    }

    pub(crate) fn now(&self) -> SystemTime {
        self.wall.checked_add(self.started.elapsed()).unwrap_or(self.wall)
    }
}

impl Timer for Clock {
    type Sleep = tokio::time::Sleep;

    fn now(&self) -> Timestamp {
        Self::now(self).into()
    }

    fn sleep_until(&self, at: Timestamp) -> Self::Sleep {
        tokio::time::sleep(at.since(Timer::now(self)))
    }
}
