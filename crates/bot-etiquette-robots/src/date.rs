//! Dates as the web writes them: RFC 9110 (RFC 822, RFC 850, asctime) and ISO 8601.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const SECONDS_PER_DAY: i64 = 86_400;
/// Words a date may have; more are no date.
const MAX_WORDS: usize = 8;

/// Reads a date; `None` where it is not understood. A date without a zone is taken as UTC, a date without a
/// time as the first second of its day.
pub(crate) fn parse(text: &str) -> Option<SystemTime> {
    let text = text.trim();
    let seconds = if is_iso(text.as_bytes()) { iso(text)? } else { words(text)? };
    let distance = Duration::from_secs(seconds.unsigned_abs());
    if seconds < 0 { UNIX_EPOCH.checked_sub(distance) } else { UNIX_EPOCH.checked_add(distance) }
}

/// Whether the text names a day of the week, alone.
pub(crate) fn is_weekday(text: &str) -> bool {
    named(text, &["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]).is_some()
        || text.eq_ignore_ascii_case("tues")
        || text.eq_ignore_ascii_case("thurs")
}

/// The number of a month, 1 to 12.
pub(crate) fn month(text: &str) -> Option<u32> {
    if text.eq_ignore_ascii_case("sept") {
        return Some(9);
    }
    let months = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    named(text, &months).and_then(|index| u32::try_from(index + 1).ok())
}

/// The place of a name in a list, written whole or as its first three letters.
fn named(text: &str, names: &[&str]) -> Option<usize> {
    names.iter().position(|name| {
        text.eq_ignore_ascii_case(name) || name.get(..3).is_some_and(|short| text.eq_ignore_ascii_case(short))
    })
}

fn is_iso(text: &[u8]) -> bool {
    matches!(text, [a, b, c, d, b'-', ..] if [a, b, c, d].iter().all(|byte| byte.is_ascii_digit()))
}

/// `2027-06-25`, `2027-06-25T15:00:00Z`, `2027-06-25 15:00+02:00`.
fn iso(text: &str) -> Option<i64> {
    let (date, rest) = text.split_at_checked(10)?;
    let mut parts = date.split('-');
    let (year, month, day) = (digits(parts.next()?)?, digits(parts.next()?)?, digits(parts.next()?)?);
    let days = days(year, month, day)?;
    let rest = rest.strip_prefix(['T', 't', ' ']).unwrap_or(rest).trim();
    if rest.is_empty() {
        return Some(days * SECONDS_PER_DAY);
    }
    let end =
        rest.find(|c: char| !(c.is_ascii_digit() || c == ':' || c == '.' || c == ',')).unwrap_or(rest.len());
    let (time, zone) = rest.split_at_checked(end)?;
    let zone = zone.trim();
    let offset = if zone.is_empty() { 0 } else { offset(zone)? };
    let whole = time.split(['.', ',']).next()?;
    Some(days * SECONDS_PER_DAY + clock(whole)? - offset)
}

/// `Wed, 25 Jun 2027 15:00:00 PST`, `Wednesday, 25-Jun-27 15:00:00 GMT`, `Wed Jun 25 15:00:00 2027`.
fn words(text: &str) -> Option<i64> {
    let (mut day, mut month_number, mut year, mut time, mut zone) = (None, None, None, None, None);
    let mut afternoon = None;
    for (count, word) in text.split([' ', '\t', ',']).filter(|word| !word.is_empty()).enumerate() {
        if count == MAX_WORDS {
            return None;
        }
        if is_weekday(word) {
        } else if let Some(number) = month(word) {
            set(&mut month_number, number)?;
        } else if word.contains(':') {
            set(&mut time, clock(word)?)?;
        } else if word.eq_ignore_ascii_case("am") || word.eq_ignore_ascii_case("pm") {
            set(&mut afternoon, word.eq_ignore_ascii_case("pm"))?;
        } else if let Some((first, rest)) = word.split_once('-').filter(|(first, _)| !first.is_empty()) {
            let (name, last) = rest.split_once('-')?;
            set(&mut day, digits(first)?)?;
            set(&mut month_number, month(name)?)?;
            set(&mut year, full_year(last)?)?;
        } else if word.bytes().all(|byte| byte.is_ascii_digit()) {
            if day.is_none() && word.len() <= 2 {
                day = Some(digits(word)?);
            } else {
                set(&mut year, full_year(word)?)?;
            }
        } else {
            set(&mut zone, offset(word)?)?;
        }
    }
    let time = match (time.unwrap_or(0), afternoon) {
        (time, None) => time,
        (time, Some(_)) if !(3_600..46_800).contains(&time) => return None,
        (time, Some(pm)) => time % 43_200 + if pm { 43_200 } else { 0 },
    };
    Some(days(year?, month_number?, day?)? * SECONDS_PER_DAY + time - zone.unwrap_or(0))
}

/// Fills a place once.
fn set<T>(place: &mut Option<T>, value: T) -> Option<()> {
    if place.is_some() {
        return None;
    }
    *place = Some(value);
    Some(())
}

fn digits(text: &str) -> Option<u32> {
    if text.is_empty() || text.len() > 4 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// RFC 850 wrote two digits of the year; 70 to 99 are of the last century.
fn full_year(text: &str) -> Option<u32> {
    let year = digits(text)?;
    match text.len() {
        2 if year < 70 => Some(year + 2_000),
        2 => Some(year + 1_900),
        4 => Some(year),
        _ => None,
    }
}

/// Seconds of the day of `hh:mm` or `hh:mm:ss`; a leap second counts as the next second.
fn clock(text: &str) -> Option<i64> {
    let mut parts = text.split(':');
    let (hour, minute) = (digits(parts.next()?)?, digits(parts.next()?)?);
    let second = parts.next().map_or(Some(0), digits)?;
    if parts.next().is_some() || hour > 24 || minute > 59 || second > 60 {
        return None;
    }
    if hour == 24 && (minute, second) != (0, 0) {
        return None;
    }
    Some(i64::from(hour) * 3_600 + i64::from(minute) * 60 + i64::from(second))
}

/// Seconds east of UTC.
fn offset(zone: &str) -> Option<i64> {
    let hours = match zone.to_ascii_uppercase().as_str() {
        "Z" | "UT" | "UTC" | "GMT" | "WET" => 0,
        "BST" | "WEST" | "CET" => 1,
        "CEST" | "EET" => 2,
        "EEST" => 3,
        "EDT" => -4,
        "EST" | "CDT" => -5,
        "CST" | "MDT" => -6,
        "MST" | "PDT" => -7,
        "PST" => -8,
        _ => return numeric_offset(zone),
    };
    Some(hours * 3_600)
}

/// `+02:00`, `-0800`, `+02`.
fn numeric_offset(zone: &str) -> Option<i64> {
    let (sign, rest) = match zone.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = match (rest.len(), rest.split_once(':')) {
        (5, Some(parts)) => parts,
        (4, None) => rest.split_at_checked(2)?,
        (2, None) => (rest, "0"),
        _ => return None,
    };
    let (hours, minutes) = (digits(hours)?, digits(minutes)?);
    if hours > 23 || minutes > 59 {
        return None;
    }
    Some(sign * (i64::from(hours) * 3_600 + i64::from(minutes) * 60))
}

/// Days since 1970-01-01 of a day of the Gregorian calendar.
fn days(year: u32, month: u32, day: u32) -> Option<i64> {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let length = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        _ => return None,
    };
    if day == 0 || day > length {
        return None;
    }
    // Years counted from March, so that the leap day is the last of its year.
    let (year, month) = (i64::from(year), i64::from(month));
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * month + 2) / 5 + i64::from(day) - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<u64>) {
        let seconds =
            parse(text).map(|time| time.duration_since(UNIX_EPOCH).expect("after the epoch").as_secs());
        assert_eq!(seconds, expected, "{text}");
    }

    #[test]
    fn every_written_form_of_one_moment_reads_the_same() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "06 Nov 1994 08:49:37 UTC",
            "6 November 94 00:49:37 PST",
            "1994-11-06T08:49:37Z",
            "1994-11-06t09:49:37.25+01:00",
            "1994-11-06 03:49:37 EST",
            "Nov 6, 1994 8:49:37 AM",
        ] {
            check(text, Some(784_111_777));
        }
    }

    #[test]
    fn days_of_the_calendar_are_counted() {
        check("1970-01-01", Some(0));
        check("2000-02-29", Some(951_782_400));
        check("1999-12-31T24:00", Some(946_684_800));
        check("31 Dec 2027 23:59:00 GMT", Some(1_830_297_540));
        check("31-Dec-2027 12:00:00 PM", Some(1_830_254_400));
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "soon",
            "2027-02-29",
            "2027-13-01",
            "2027-1-1",
            "25 Jun",
            "25 Jun 2027 25:00:00",
            "25 Jun 2027 15:00:00 XYZ",
            "Jun 2027",
            "25 Jun 2027 2028",
            "31 Apr 2027",
            "2027-06-25T15:00+99:00",
            "\u{00e9}-06-25",
            "2027-06-2\u{00e9}",
        ] {
            check(text, None);
        }
        check(&"1 ".repeat(1_000), None);
    }
}
