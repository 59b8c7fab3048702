//! A point in time as a number, so that it can be stored, compared and never read from a clock here.

use std::fmt;
use std::num::NonZeroU64;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Milliseconds since the Unix epoch, on a clock that never runs back.
///
/// A program anchors its monotonic clock to the wall time once, at its start, and counts on from there:
/// deadlines then survive a restart, and a step of the wall clock moves nothing. All arithmetic saturates,
/// and a [`Duration`] is rounded up to the next millisecond: a deadline is never early.
///
/// ```
/// use std::time::Duration;
/// use bot_etiquette_politeness::Timestamp;
///
/// let start = Timestamp::from_millis(1_000);
/// assert_eq!(start + Duration::from_micros(1), Timestamp::from_millis(1_001));
/// assert_eq!(start.since(Timestamp::from_millis(400)), Duration::from_millis(600));
/// assert_eq!(Timestamp::MAX + Duration::from_secs(1), Timestamp::MAX);
/// ```
// One more than the milliseconds, so that an `Option<Timestamp>` is eight bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(NonZeroU64);

impl Timestamp {
    /// The Unix epoch.
    pub const ZERO: Self = Self(NonZeroU64::MIN);
    /// The end of time: as a deadline it means "never".
    pub const MAX: Self = Self(NonZeroU64::MAX);
    /// The last moment that can be a "now", so that a deadline beyond it stays ahead.
    pub(crate) const LAST_NOW: Self = Self::from_millis(u64::MAX - 2);

    /// The moment `millis` milliseconds after the Unix epoch.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(NonZeroU64::MIN.saturating_add(millis))
    }

    /// Milliseconds since the Unix epoch.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0.get().saturating_sub(1)
    }

    /// The time that lies between `earlier` and this moment; zero when `earlier` is the later one.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.get().saturating_sub(earlier.0.get()))
    }

    /// This moment, `millis` later.
    #[must_use]
    pub const fn plus_millis(self, millis: u64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// This moment, `millis` earlier.
    #[must_use]
    pub const fn minus_millis(self, millis: u64) -> Self {
        Self::from_millis(self.as_millis().saturating_sub(millis))
    }
}

impl std::ops::Add<Duration> for Timestamp {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        self.plus_millis(millis_up(duration))
    }
}

/// Whole milliseconds, rounded up.
pub(crate) fn millis_up(duration: Duration) -> u64 {
    let millis = duration.as_secs().saturating_mul(1_000);
    millis.saturating_add(duration.subsec_nanos().div_ceil(1_000_000).into())
}

/// A time before 1970 becomes [`Timestamp::ZERO`].
impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        Self::ZERO + time.duration_since(UNIX_EPOCH).unwrap_or_default()
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Timestamp({} ms)", self.as_millis())
    }
}

/// Seconds since the Unix epoch.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.as_millis();
        write!(f, "{}", millis / 1000)?;
        match millis % 1000 {
            0 => Ok(()),
            rest => f.write_str(format!(".{rest:03}").trim_end_matches('0')),
        }
    }
}

/// As the number of milliseconds.
#[cfg(feature = "serde")]
impl serde::Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.as_millis())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u64::deserialize(deserializer).map(Self::from_millis)
    }
}
