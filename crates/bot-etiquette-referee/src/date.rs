//! HTTP dates and Retry-After, read and written on the referee's own account (RFC 9110 5.6.7 and 10.2.3).

const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const LONG_DAYS: [&str; 7] = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/// 9999-12-31T23:59:59Z, the last second an HTTP date can say.
const LAST: i64 = 253_402_300_799;

/// The three forms of an HTTP date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DateForm {
    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    Imf,
    /// `Sunday, 06-Nov-94 08:49:37 GMT`
    Rfc850,
    /// `Sun Nov  6 08:49:37 1994`
    Asctime,
}

/// Writes Unix seconds as an HTTP date; times outside its range are moved to the nearest end.
pub(crate) fn write(unix: i64, form: DateForm) -> String {
    let unix = unix.clamp(0, LAST);
    let (days, seconds) = (unix.div_euclid(86_400), unix.rem_euclid(86_400));
    let (year, month, day) = civil(days);
    let name = |names: &[&'static str], index: i64| {
        usize::try_from(index).ok().and_then(|index| names.get(index).copied()).unwrap_or_default()
    };
    let (weekday, month) = (days.rem_euclid(7), name(&MONTHS, month - 1));
    let time = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    match form {
        DateForm::Imf => format!("{}, {day:02} {month} {year:04} {time} GMT", name(&DAYS, weekday)),
        DateForm::Rfc850 => {
            format!("{}, {day:02}-{month}-{:02} {time} GMT", name(&LONG_DAYS, weekday), year % 100)
        }
        DateForm::Asctime => format!("{} {month} {day:2} {time} {year:04}", name(&DAYS, weekday)),
    }
}

/// Reads an HTTP date of any of the three forms to Unix seconds; the weekday is not looked at.
pub(crate) fn read(text: &str, now: i64) -> Option<i64> {
    let parts: Vec<&str> = text.split([' ', ',', '-']).filter(|part| !part.is_empty()).collect();
    let (day, month, year, time) = match parts.as_slice() {
        [_, month, day, time, year] if time.contains(':') => (*day, *month, *year, *time),
        [_, day, month, year, time, "GMT" | "gmt" | "UTC" | "+0000"] => (*day, *month, *year, *time),
        _ => return None,
    };
    let month = MONTHS.iter().position(|name| name.eq_ignore_ascii_case(month))?;
    let month = i64::try_from(month).ok()? + 1;
    let digits = |text: &str, most: usize| {
        (text.len() <= most && !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| text.parse::<i64>().ok())
            .flatten()
    };
    let day = digits(day, 2).filter(|day| (1..=31).contains(day))?;
    let full = digits(year, 4)?;
    // A year of two digits more than 50 years ahead is of the century before.
    let year = if year.len() == 2 {
        let (this, _, _) = civil(now.div_euclid(86_400));
        let near = this - this.rem_euclid(100) + full;
        if near > this + 50 { near - 100 } else { near }
    } else {
        full
    };
    let mut clock = time.split(':');
    let mut field = |most: i64| clock.next().and_then(|text| digits(text, 2)).filter(|value| *value <= most);
    let (hour, minute, second) = (field(23)?, field(59)?, field(60)?);
    if clock.next().is_some() {
        return None;
    }
    Some(days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second)
}

/// Days since 1970-01-01 of a date of the proleptic Gregorian calendar.
pub(crate) fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day of a count of days since 1970-01-01.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// How long an answer asks to wait.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Wait {
    pub(crate) seconds: f64,
    /// Read from a date, so only good to the second.
    pub(crate) dated: bool,
}

/// The longest wait that the Retry-After `values` of an answer ask for, counted from its `date` (else `now`).
/// What is zero, negative, past or unreadable asks for nothing.
pub(crate) fn retry_after<'a>(
    values: impl Iterator<Item = &'a str>,
    date: Option<&str>,
    now: i64,
) -> Option<Wait> {
    let from = date.and_then(|date| read(date, now)).unwrap_or(now);
    let mut longest: Option<Wait> = None;
    let mut take = |wait: Wait| {
        if wait.seconds > 0.0 && longest.is_none_or(|before| wait.seconds > before.seconds) {
            longest = Some(wait);
        }
    };
    for value in values {
        if let Some(until) = read(value, now) {
            #[expect(clippy::cast_precision_loss, reason = "seconds of one calendar fit")]
            take(Wait { seconds: (until - from) as f64, dated: true });
            continue;
        }
        for part in value.split(',') {
            let part = part.trim();
            let plain = part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
                && part.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
            if let (true, Ok(seconds)) = (plain, part.parse::<f64>()) {
                take(Wait { seconds, dated: false });
            }
        }
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 784_111_777; // Sun, 06 Nov 1994 08:49:37 GMT

    #[test]
    fn the_three_forms_are_written_and_read_back() {
        assert_eq!(write(NOW, DateForm::Imf), "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(write(NOW, DateForm::Rfc850), "Sunday, 06-Nov-94 08:49:37 GMT");
        assert_eq!(write(NOW, DateForm::Asctime), "Sun Nov  6 08:49:37 1994");
        for unix in [0, 951_782_400, 951_868_799, 1_709_164_800, 4_102_444_799, NOW] {
            for form in [DateForm::Imf, DateForm::Asctime, DateForm::Rfc850] {
                assert_eq!(read(&write(unix, form), unix), Some(unix), "{unix} {form:?}");
            }
        }
        assert_eq!(write(i64::MAX, DateForm::Imf), "Fri, 31 Dec 9999 23:59:59 GMT");
        assert_eq!(write(i64::MIN, DateForm::Imf), "Thu, 01 Jan 1970 00:00:00 GMT");
    }

    #[track_caller]
    fn waits(values: &[&str], expected: Option<f64>) {
        let date = write(NOW, DateForm::Imf);
        let wait = retry_after(values.iter().copied(), Some(&date), NOW + 1000);
        assert_eq!(wait.map(|wait| wait.seconds), expected, "{values:?}");
    }

    #[test]
    fn retry_after_is_read_in_every_form_a_crawler_can_be_held_to() {
        waits(&["120"], Some(120.0));
        waits(&["1.5"], Some(1.5));
        waits(&["10", "20"], Some(20.0));
        waits(&["120, 60"], Some(120.0));
        waits(&["Sun, 06 Nov 1994 08:50:37 GMT"], Some(60.0));
        waits(&["Mon, 06 Nov 1994 08:50:37 GMT"], Some(60.0));
        waits(&["Sunday, 06-Nov-94 08:50:37 GMT"], Some(60.0));
        waits(&["Sun Nov  6 08:50:37 1994"], Some(60.0));
        waits(&["Sun, 06 Nov 1994 08:48:37 GMT"], None);
        for nothing in ["0", "-5", "1e3", "120s", "", "soon", "+3", "Sun, 06 Nov 1994 25:00:00 GMT"] {
            waits(&[nothing], None);
        }
    }
}
