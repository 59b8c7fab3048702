//! Whole seconds since the Unix epoch, as signature parameters count.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Seconds since the epoch, rounded down, negative before it.
pub(crate) fn unix_seconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
        Err(error) => {
            let before = error.duration();
            let up = u64::from(before.subsec_nanos() > 0);
            i64::try_from(before.as_secs().saturating_add(up)).map_or(i64::MIN, |seconds| -seconds)
        }
    }
}

/// The time of so many seconds, or none where `SystemTime` cannot say it.
pub(crate) fn system_time(seconds: i64) -> Option<SystemTime> {
    let distance = Duration::from_secs(seconds.unsigned_abs());
    if seconds < 0 { UNIX_EPOCH.checked_sub(distance) } else { UNIX_EPOCH.checked_add(distance) }
}
