//! The cache's own time: milliseconds that never run back, whatever the wall clock does.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A step back smaller than this is two threads telling their times out of order.
const DISORDER: u64 = 1_000;

/// A moment of the cache's own time, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Moment(u64);

impl Moment {
    pub(super) fn plus(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(millis(duration)))
    }

    /// How long ago another moment was; nothing where it is yet to come.
    pub(super) fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

/// Turns wall time into the cache's own.
///
/// When the wall clock is set back, the difference is added from then on: a copy keeps its age and a wait
/// its length. When it is set forward, ages grow, which only reads a robots.txt again sooner.
#[derive(Debug, Clone, Default)]
pub(super) struct Timeline {
    latest: u64,
    added: u64,
}

impl Timeline {
    pub(super) fn at(&mut self, wall: SystemTime) -> Moment {
        let own = wall_millis(wall).saturating_add(self.added);
        if own.saturating_add(DISORDER) < self.latest {
            self.added = self.added.saturating_add(self.latest.saturating_sub(own));
        }
        self.latest = self.latest.max(own);
        Moment(self.latest)
    }

    /// The wall time of a moment, by the wall clock as it stands now.
    pub(super) fn wall(&self, moment: Moment) -> SystemTime {
        let distance = Duration::from_millis(moment.0.saturating_sub(self.added));
        // Beyond what the platform can say, the far future is as good.
        UNIX_EPOCH.checked_add(distance).unwrap_or_else(|| UNIX_EPOCH + FAR)
    }
}

/// The year 2400, which every platform can express.
const FAR: Duration = Duration::from_secs(13_569_465_600);

fn wall_millis(wall: SystemTime) -> u64 {
    wall.duration_since(UNIX_EPOCH).map_or(0, millis)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
