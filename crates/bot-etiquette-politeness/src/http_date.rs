//! HTTP-date (RFC 9110, 5.6.7), read as servers write it.

/// Seconds since the Unix epoch of an HTTP-date in any of its three forms, before 1970 as a negative number.
///
/// More is read than the grammar allows, because a date thrown away is a wait cut short: letters in any case,
/// a day of one digit, `UTC` for `GMT`, a weekday that does not fit the date, a leap second (the next second).
/// `now` (Unix seconds) settles the century of the two-digit year of the RFC 850 form: a date more than 50
/// years ahead lies in the past.
pub(crate) fn parse_http_date(value: &[u8], now: i64) -> Option<i64> {
    // Longer than any date; keeps the splitting below bounded.
    const MAX_LENGTH: usize = 64;
    let text = std::str::from_utf8(value).ok().filter(|text| text.len() <= MAX_LENGTH)?;
    let (weekday, rest) = text.trim_matches([' ', '\t']).split_once([',', ' '])?;
    if !is_weekday(weekday) {
        return None;
    }
    let mut words = rest.split([' ', '-']).filter(|word| !word.is_empty());
    let mut word = || words.next();
    let (first, second, third, fourth) = (word()?, word()?, word()?, word()?);
    let last = word();
    if word().is_some() {
        return None;
    }
    match (month(second), month(first)) {
        // Sun, 06 Nov 1994 08:49:37 GMT; Sunday, 06-Nov-94 08:49:37 GMT
        (Some(month), _) if last.is_some_and(is_utc) => {
            let (day, time) = (number(first, 1..=2)?, time_of_day(fourth)?);
            let at = |year| civil(year, month, day, time);
            match third.len() {
                4 => at(number(third, 4..=4)?),
                2 => rolling_century(number(third, 2..=2)?, now, at),
                _ => None,
            }
        }
        // Sun Nov  6 08:49:37 1994
        (_, Some(month)) if last.is_none() => {
            civil(number(fourth, 4..=4)?, month, number(second, 1..=2)?, time_of_day(third)?)
        }
        _ => None,
    }
}

/// The latest year with these last two digits whose date is at most 50 years after `now`.
fn rolling_century(two_digits: i64, now: i64, at: impl Fn(i64) -> Option<i64>) -> Option<i64> {
    const FIFTY_YEARS: i64 = 50 * 146_097 * 86_400 / 400;
    let century = year_of(now) / 100 * 100;
    [100, 0, -100]
        .into_iter()
        .filter_map(|shift| at(century + shift + two_digits))
        .find(|&date| date <= now.saturating_add(FIFTY_YEARS))
}

fn is_weekday(word: &str) -> bool {
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"].iter().any(|day| {
        word.eq_ignore_ascii_case(day) || day.get(..3).is_some_and(|d| word.eq_ignore_ascii_case(d))
    })
}

fn month(word: &str) -> Option<i64> {
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        .iter()
        .zip(1..)
        .find_map(|(name, number)| word.eq_ignore_ascii_case(name).then_some(number))
}

fn is_utc(word: &str) -> bool {
    word.eq_ignore_ascii_case("GMT") || word.eq_ignore_ascii_case("UTC")
}

fn number(word: &str, digits: std::ops::RangeInclusive<usize>) -> Option<i64> {
    let fits = digits.contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit());
    if fits { word.parse().ok() } else { None }
}

/// Seconds since midnight; 60 seconds are a leap second.
fn time_of_day(word: &str) -> Option<i64> {
    let mut parts = word.split(':').map(|part| number(part, 2..=2));
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    let valid = parts.next().is_none() && hour < 24 && minute < 60 && second <= 60;
    valid.then_some(hour * 3600 + minute * 60 + second)
}

/// Unix seconds of a day of the Gregorian calendar; `None` where the month has no such day.
fn civil(year: i64, month: i64, day: i64, time_of_day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if !(1..=days).contains(&day) {
        return None;
    }
    // Years begin in March, so that the leap day comes last and the months before it have a fixed pattern.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    let days_to_year = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    // 719,468 days lie between 1 March of year 0 and 1 January 1970.
    Some((days_to_year + day_of_year - 719_468) * 86_400 + time_of_day)
}

/// The calendar year of a Unix time, right within the years 0 to 9999.
fn year_of(seconds: i64) -> i64 {
    // The mean length of a year finds the year or its neighbour; its first of January settles which.
    let guess = (1970 + seconds.div_euclid(31_556_952)).clamp(0, 9999);
    match civil(guess, 1, 1, 0) {
        Some(start) if seconds < start => guess - 1,
        _ if civil(guess + 1, 1, 1, 0).is_some_and(|next| seconds >= next) => guess + 1,
        _ => guess,
    }
}
