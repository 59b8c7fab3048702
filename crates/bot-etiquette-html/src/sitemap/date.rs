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
    let mut rest = text.as_bytes();
    let year = digits(&mut rest, 4)?;
    let (mut month, mut day, mut precision) = (1, 1, Precision::Year);
    if passes(&mut rest, b'-') {
        (month, precision) = (digits(&mut rest, 2)?, Precision::Month);
        if passes(&mut rest, b'-') {
            (day, precision) = (digits(&mut rest, 2)?, Precision::Day);
        }
    }
    let midnight = days(year, month, day)?.checked_mul(86_400)?;
    match rest.split_first() {
        None => Some(LastModified { unix_seconds: midnight, precision }),
        Some((b'T' | b't' | b' ', time)) if precision == Precision::Day => {
            let (seconds, precision) = clock(time.trim_ascii_start())?;
            Some(LastModified { unix_seconds: midnight.checked_add(seconds)?, precision })
        }
        Some(_) => None,
    }
}

/// Seconds since midnight UTC of `HH:MM[:SS[.s]][Z|+HH:MM]`.
fn clock(text: &[u8]) -> Option<(i64, Precision)> {
    let mut rest = text;
    let hour = digits(&mut rest, 2).filter(|hour| *hour < 24)?;
    let minute = passes(&mut rest, b':').then(|| digits(&mut rest, 2))?.filter(|minute| *minute < 60)?;
    let (mut second, mut precision) = (0, Precision::Minute);
    if passes(&mut rest, b':') {
        // 60 is a leap second.
        second = digits(&mut rest, 2).filter(|second| *second <= 60)?;
        precision = Precision::Second;
        if passes(&mut rest, b'.') {
            digits(&mut rest, 1)?;
            while digits(&mut rest, 1).is_some() {}
        }
    }
    let seconds = hour * 3_600 + minute * 60 + second;
    Some((seconds.checked_sub(zone_seconds(rest)?)?, precision))
}

fn zone_seconds(zone: &[u8]) -> Option<i64> {
    let mut rest = zone.trim_ascii();
    let sign = match (passes(&mut rest, b'+'), passes(&mut rest, b'-')) {
        (true, false) => 1,
        (false, true) => -1,
        (false, false) => return named_zone(rest),
        (true, true) => return None,
    };
    let hours = digits(&mut rest, 2).filter(|hours| *hours < 24)?;
    passes(&mut rest, b':');
    let minutes = if rest.is_empty() { 0 } else { digits(&mut rest, 2)? };
    rest.is_empty().then_some(sign * (hours * 3_600 + minutes * 60))
}

fn named_zone(zone: &[u8]) -> Option<i64> {
    let named = [
        ("", 0),
        ("Z", 0),
        ("UT", 0),
        ("UTC", 0),
        ("GMT", 0),
        ("EST", -5),
        ("EDT", -4),
        ("CST", -6),
        ("CDT", -5),
        ("MST", -7),
        ("MDT", -6),
        ("PST", -8),
        ("PDT", -7),
    ];
    let found = named.iter().find(|(name, _)| zone.eq_ignore_ascii_case(name.as_bytes()));
    found.map(|(_, hours)| hours * 3_600)
}

fn rfc822(text: &str) -> Option<LastModified> {
    let text = text.trim();
    let text = text.split_once(',').map_or(text, |(_, rest)| rest);
    let mut words = text.split_ascii_whitespace();
    let number = |word: &str| digits(&mut word.as_bytes(), word.len());
    let day = words.next().filter(|day| (1..=2).contains(&day.len())).and_then(number)?;
    let month = words.next()?.get(..3)?.to_ascii_lowercase();
    let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let month = i64::try_from(months.iter().position(|name| *name == month)?).ok()?.checked_add(1)?;
    let year = words.next()?;
    let year = match (year.len(), number(year.get(..4).unwrap_or(year))?) {
        (4, year) => year,
        (2, year) if year < 50 => year + 2000,
        (2, year) => year + 1900,
        _ => return None,
    };
    let midnight = days(year, month, day)?.checked_mul(86_400)?;
    let Some(time) = words.next() else {
        return Some(LastModified { unix_seconds: midnight, precision: Precision::Day });
    };
    let (seconds, precision) = clock(time.as_bytes())?;
    let offset = zone_seconds(words.next().unwrap_or_default().as_bytes())?;
    Some(LastModified { unix_seconds: midnight.checked_add(seconds)?.checked_sub(offset)?, precision })
}

/// A number of so many digits at the start of the rest, which is moved on.
fn digits(rest: &mut &[u8], count: usize) -> Option<i64> {
    let (start, after) = rest.split_at_checked(count)?;
    let digit = |sum: i64, byte: &u8| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte & 0xF));
    let number = start.iter().try_fold(0, digit)?;
    *rest = after;
    Some(number)
}

/// Whether the rest begins with that byte, which is then passed.
fn passes(rest: &mut &[u8], byte: u8) -> bool {
    let after = rest.strip_prefix(&[byte]);
    *rest = after.unwrap_or(rest);
    after.is_some()
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
