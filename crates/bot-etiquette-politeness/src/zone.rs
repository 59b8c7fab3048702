use std::fmt;

use crate::{HoursError, Timestamp};

/// Where a clock hangs: how far its time is from UTC at a moment, and when that changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Zone {
    /// Seconds east of UTC, the same all year.
    Fixed(i32),
    /// A zone of the IANA database.
    #[cfg(feature = "zones")]
    Named(jiff::tz::TimeZone),
}

#[cfg_attr(not(feature = "zones"), expect(unused_variables, reason = "a fixed offset knows no time"))]
impl Zone {
    pub(crate) fn parse(name: &str) -> Result<Self, HoursError> {
        if let Some(seconds) = fixed_offset(name) {
            return Ok(Self::Fixed(seconds));
        }
        named(name)
    }

    /// Seconds east of UTC at this moment.
    pub(crate) fn offset_at(&self, at: Timestamp) -> i32 {
        match self {
            Self::Fixed(seconds) => *seconds,
            #[cfg(feature = "zones")]
            Self::Named(zone) => zone.to_offset(to_jiff(at)).seconds(),
        }
    }

    /// The next moment, later than `at`, from which another offset may hold.
    pub(crate) fn next_change(&self, at: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Fixed(_) => None,
            #[cfg(feature = "zones")]
            Self::Named(zone) => zone
                .following(to_jiff(at))
                .next()
                .and_then(|change| u64::try_from(change.timestamp().as_millisecond()).ok())
                .map(Timestamp::from_millis)
                .filter(|change| *change > at),
        }
    }
}

/// The spelling that [`Zone::parse`] reads.
impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(0) => f.write_str("UTC"),
            Self::Fixed(seconds) => {
                let (sign, minutes) = (if *seconds < 0 { '-' } else { '+' }, seconds.abs() / 60);
                write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
            }
            #[cfg(feature = "zones")]
            Self::Named(zone) => f.write_str(zone.iana_name().unwrap_or("UTC")),
        }
    }
}

/// `UTC`, `Z`, `+01:00`, `-0330`.
fn fixed_offset(name: &str) -> Option<i32> {
    if ["UTC", "Z", "GMT"].iter().any(|utc| name.eq_ignore_ascii_case(utc)) {
        return Some(0);
    }
    let (sign, rest) = match name.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let two = |digits: &str| {
        let valid = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        if valid { digits.parse::<i32>().ok() } else { None }
    };
    let (hours, minutes) = rest.split_once(':').or_else(|| rest.split_at_checked(2))?;
    let (hours, minutes) = (two(hours)?, two(minutes)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

#[cfg(feature = "zones")]
fn named(name: &str) -> Result<Zone, HoursError> {
    // Bundled data, not the machine's: the same policy means the same hours wherever it runs.
    jiff::tz::TimeZoneDatabase::bundled()
        .get(name)
        .map(Zone::Named)
        .map_err(|_| HoursError::UnknownZone { name: name.to_owned() })
}

#[cfg(not(feature = "zones"))]
fn named(name: &str) -> Result<Zone, HoursError> {
    let is_word = name.starts_with(|first: char| first.is_ascii_alphabetic());
    let name = name.to_owned();
    Err(if is_word { HoursError::ZonesNotBuilt { name } } else { HoursError::UnknownZone { name } })
}

/// Times beyond the calendar's last year keep its last offset.
#[cfg(feature = "zones")]
fn to_jiff(at: Timestamp) -> jiff::Timestamp {
    i64::try_from(at.as_millis())
        .ok()
        .and_then(|millis| jiff::Timestamp::from_millisecond(millis).ok())
        .unwrap_or(jiff::Timestamp::MAX)
}
