//! Times as a person writes them: Unix seconds or RFC 3339.

use std::time::{Duration, SystemTime};

/// Reads `1735689600` or `2025-01-01T00:00:00Z`; fit for clap's `value_parser`.
pub(crate) fn parse(text: &str) -> Result<SystemTime, String> {
    let fix = "expected Unix seconds (1735689600) or RFC 3339 (2025-01-01T00:00:00Z), from 1970 to 9999";
    let since = if text.starts_with(|first: char| first.is_ascii_digit()) && !text.contains(['-', ':']) {
        text.parse().ok().filter(|seconds| *seconds <= LAST).map(Duration::from_secs)
    } else {
        text.parse::<jiff::Timestamp>().ok().and_then(|moment| Duration::try_from(moment.as_duration()).ok())
    };
    since.and_then(|since| SystemTime::UNIX_EPOCH.checked_add(since)).ok_or_else(|| fix.to_owned())
}

/// A day, the longest that a signed request counts.
pub(crate) const DAY: u64 = 86_400;

/// Reads whole seconds from 1 to `most`; fit for clap's `value_parser`.
pub(crate) fn lifetime(most: u64, example: u64) -> impl Fn(&str) -> Result<u64, String> + Clone {
    move |text| {
        let seconds = text.parse().ok().filter(|seconds| (1..=most).contains(seconds));
        seconds.ok_or_else(|| format!("expected whole seconds from 1 to {most}, such as {example}"))
    }
}

/// The time now. The command is an assembly: it may read the clock.
#[expect(clippy::disallowed_methods, reason = "the command is an assembly")]
pub(crate) fn now() -> SystemTime {
    SystemTime::now()
}

/// The last second of the year 9999.
const LAST: u64 = 253_402_300_799;

#[cfg(test)]
mod tests {
    use super::{DAY, LAST, lifetime, parse};
    use std::time::{Duration, SystemTime};

    #[track_caller]
    fn reads(text: &str, milliseconds: Option<u64>) {
        let expected = milliseconds.map(|since| SystemTime::UNIX_EPOCH + Duration::from_millis(since));
        assert_eq!(parse(text).ok(), expected, "{text}");
    }

    #[test]
    fn both_forms_are_read_and_nothing_else() {
        reads("0", Some(0));
        reads("1735689600", Some(1_735_689_600_000));
        reads("2025-01-01T00:00:00Z", Some(1_735_689_600_000));
        reads("2025-01-01T01:30:00+01:30", Some(1_735_689_600_000));
        reads("2025-01-01T00:00:00.250Z", Some(1_735_689_600_250));
        reads(&LAST.to_string(), Some(LAST * 1000));
        for bad in
            ["", "-1", "1.5", "+5", "tomorrow", "2025-01-01", "2025-01-01T00:00:00", "1969-12-31T23:59:59Z"]
        {
            reads(bad, None);
        }
        reads("253402300800", None);
    }

    #[test]
    fn a_lifetime_is_whole_seconds_within_its_bound() {
        let read = lifetime(DAY, 60);
        for (text, expected) in [("1", Some(1)), ("86399", Some(86_399)), ("86400", Some(86_400))] {
            assert_eq!(read(text).ok(), expected);
        }
        for bad in ["0", "86401", "99999999999", "5m", "1.5", "-1", ""] {
            assert_eq!(read(bad).unwrap_err(), "expected whole seconds from 1 to 86400, such as 60");
        }
    }
}
