//! When a page last changed, as a sitemap or a feed says it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A date as a site gives it: how exact it is, and when that time begins.
///
/// ```
/// use bot_etiquette_html::{LastModified, Precision};
///
/// let day: LastModified = "2026-11-30".parse()?;
/// assert_eq!((day.precision, day.unix_seconds), (Precision::Day, 1_795_996_800));
/// assert!("2026-13-45".parse::<LastModified>().is_err());
/// # Ok::<(), bot_etiquette_html::DateError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct LastModified {
    /// When it begins, in seconds since the Unix epoch; UTC where no zone is given.
    pub unix_seconds: i64,
    /// How exact it is.
    pub precision: Precision,
}

/// How exact a date is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Precision {
    /// A year.
    Year,
    /// A month.
    Month,
    /// A day.
    Day,
    /// A minute.
    Minute,
    /// A second or finer.
    Second,
}

/// A text that is no date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a date such as 2026-11-30 or 2026-11-30T10:00:00+01:00")]
pub struct DateError;

impl LastModified {
    /// Whether it lies more than a day after `now`, so that it cannot be true.
    #[must_use]
    pub fn is_future(&self, now: SystemTime) -> bool {
        let tomorrow =
            now.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs().saturating_add(86_400);
        u64::try_from(self.unix_seconds).is_ok_and(|seconds| seconds > tomorrow)
    }

    /// Reads the date of an RSS item (RFC 822, as in `Mon, 30 Nov 2026 10:00:00 +0100`), or one as in a sitemap.
    #[must_use]
    pub fn from_feed(text: &str) -> Option<Self> {
        text.parse().ok().or_else(|| rfc822(text))
    }
}

/// Reads a W3C date (`2026`, `2026-11`, `2026-11-30`, `2026-11-30T10:00Z` ..); a blank for the `T`, seconds left out and
/// `+0100` are let pass.
impl std::str::FromStr for LastModified {
    type Err = DateError;

    fn from_str(text: &str) -> Result<Self, DateError> {
        w3c(text.trim()).ok_or(DateError)
    }
}

fn w3c(text: &str) -> Option<LastModified> {
    let (date, time) = match text.find(['T', 't', ' ']) {
        Some(at) => (text.get(..at)?, Some(text.get(at..)?.get(1..)?.trim_start())),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let year = digits(parts.next()?, 4)?;
    let month = parts.next().map(|part| digits(part, 2));
    let day = parts.next().map(|part| digits(part, 2));
    if parts.next().is_some() {
        return None;
    }
    let precision = match (month, day) {
        (None, _) => Precision::Year,
        (_, None) => Precision::Month,
        _ => Precision::Day,
    };
    let days = days(year, month.unwrap_or(Some(1))?, day.unwrap_or(Some(1))?)?;
    let midnight = days.checked_mul(86_400)?;
    match time {
        None => Some(LastModified { unix_seconds: midnight, precision }),
        Some(time) if precision == Precision::Day => {
            let (seconds, precision) = clock(time)?;
            Some(LastModified { unix_seconds: midnight.checked_add(seconds)?, precision })
        }
        Some(_) => None,
    }
}

/// Seconds since midnight UTC of `HH:MM[:SS[.s]][Z|+HH:MM]`.
fn clock(text: &str) -> Option<(i64, Precision)> {
    let zone_at = text.find(['Z', 'z', '+', '-', ' ']).unwrap_or(text.len());
    let (time, zone) = text.split_at_checked(zone_at)?;
    let mut parts = time.split(':');
    let hour = digits(parts.next()?, 2).filter(|hour| *hour < 24)?;
    let minute = digits(parts.next()?, 2).filter(|minute| *minute < 60)?;
    let second = parts.next();
    if parts.next().is_some() {
        return None;
    }
    let whole = match second {
        Some(second) => {
            let (whole, fraction) = second.split_once('.').unwrap_or((second, "0"));
            let is_fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
            // 60 is a leap second.
            digits(whole, 2).filter(|second| *second <= 60 && is_fraction)?
        }
        None => 0,
    };
    let offset = zone_seconds(zone.trim())?;
    let seconds = hour * 3_600 + minute * 60 + whole;
    Some((seconds.checked_sub(offset)?, if second.is_some() { Precision::Second } else { Precision::Minute }))
}

fn zone_seconds(zone: &str) -> Option<i64> {
    let named = [
        ("EST", -5),
        ("EDT", -4),
        ("CST", -6),
        ("CDT", -5),
        ("MST", -7),
        ("MDT", -6),
        ("PST", -8),
        ("PDT", -7),
    ];
    if ["", "Z", "UT", "UTC", "GMT"].iter().any(|name| zone.eq_ignore_ascii_case(name)) {
        return Some(0);
    }
    if let Some((_, hours)) = named.iter().find(|(name, _)| zone.eq_ignore_ascii_case(name)) {
        return Some(hours * 3_600);
    }
    let (sign, rest) = match zone.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':').or_else(|| rest.split_at_checked(2))?;
    let minutes = if minutes.is_empty() { 0 } else { digits(minutes, 2)? };
    let hours = digits(hours, 2).filter(|hours| *hours < 24)?;
    Some(sign * (hours * 3_600 + minutes * 60))
}

fn rfc822(text: &str) -> Option<LastModified> {
    let text = text.trim();
    let text = text.split_once(',').map_or(text, |(_, rest)| rest);
    let mut words = text.split_ascii_whitespace();
    let day = words.next().filter(|day| day.len() <= 2).and_then(number)?;
    let month = words.next()?.get(..3)?.to_ascii_lowercase();
    let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let month = i64::try_from(months.iter().position(|name| *name == month)?).ok()?.checked_add(1)?;
    let year = words.next()?;
    let year = match (year.len(), number(year)?) {
        (4, year) => year,
        (2, year) if year < 50 => year + 2000,
        (2, year) => year + 1900,
        _ => return None,
    };
    let midnight = days(year, month, day)?.checked_mul(86_400)?;
    let Some(time) = words.next() else {
        return Some(LastModified { unix_seconds: midnight, precision: Precision::Day });
    };
    let (seconds, precision) = clock(time)?;
    let offset = zone_seconds(words.next().unwrap_or_default())?;
    Some(LastModified { unix_seconds: midnight.checked_add(seconds)?.checked_sub(offset)?, precision })
}

fn number(text: &str) -> Option<i64> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

fn digits(text: &str, count: usize) -> Option<i64> {
    number(text).filter(|_| text.len() == count)
}

/// Days since the epoch of a date of the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(is_leap),
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    // Years from March on, so that the leap day comes last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let before = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(before + (153 * month + 2) / 5 + day - 1 - 719_468)
}
