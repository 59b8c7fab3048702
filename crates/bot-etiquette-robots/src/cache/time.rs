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

    /// Where `time` lies for this moment, when it was told at `taken` and `elapsed` has gone by since.
    #[cfg(feature = "serde")]
    pub(super) fn shifted(self, time: u64, taken: u64, elapsed: u64) -> Self {
        let told = self.0.saturating_sub(elapsed);
        Self(if time >= taken {
            told.saturating_add(time.saturating_sub(taken))
        } else {
            told.saturating_sub(taken.saturating_sub(time))
        })
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
        from_millis(self.wall_millis(moment))
    }

    /// The same in milliseconds since the Unix epoch.
    pub(super) fn wall_millis(&self, moment: Moment) -> u64 {
        moment.0.saturating_sub(self.added)
    }
}

/// The year 2400, which every platform can express.
const FAR: Duration = Duration::from_secs(13_569_465_600);

/// A wall time; beyond what the platform can say, the far future is as good.
pub(super) fn from_millis(millis: u64) -> SystemTime {
    UNIX_EPOCH.checked_add(Duration::from_millis(millis)).unwrap_or(UNIX_EPOCH + FAR)
}

pub(super) fn wall_millis(wall: SystemTime) -> u64 {
    wall.duration_since(UNIX_EPOCH).map_or(0, millis)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
