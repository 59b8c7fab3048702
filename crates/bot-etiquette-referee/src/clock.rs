//! The referee's own clock: real time, stretched by a scale.

use std::time::{Duration, Instant, SystemTime};

/// Scaled seconds since a start, and the wall time that goes with them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    start: Instant,
    wall: SystemTime,
    scale: f64,
}

impl Clock {
    pub(crate) const fn new(start: Instant, wall: SystemTime, scale: f64) -> Self {
        Self { start, wall, scale }
    }

    #[expect(clippy::disallowed_methods, reason = "the referee measures with its own clock")]
    pub(crate) fn started_now() -> (Instant, SystemTime) {
        (Instant::now(), SystemTime::now())
    }

    /// The scaled seconds now.
    #[expect(clippy::disallowed_methods, reason = "the referee measures with its own clock")]
    pub(crate) fn now(&self) -> f64 {
        Instant::now().saturating_duration_since(self.start).as_secs_f64() * self.scale
    }

    pub(crate) const fn scale(&self) -> f64 {
        self.scale
    }

    /// The wall time, in Unix seconds, at some scaled seconds.
    pub(crate) fn unix(&self, at: f64) -> f64 {
        let start = self.wall.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        start.as_secs_f64() + at
    }

    /// The real time that some scaled time takes.
    pub(crate) fn real(&self, scaled: Duration) -> Duration {
        Duration::try_from_secs_f64(scaled.as_secs_f64() / self.scale).unwrap_or(Duration::MAX)
    }
}
