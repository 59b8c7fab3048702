use std::time::Duration;

use bot_etiquette_politeness::{RetryAfter, Timestamp};
use proptest::prelude::*;

/// Fri, 31 Dec 2027 23:59:00 GMT.
const NOW: u64 = 1_830_297_540;

fn now() -> Timestamp {
    Timestamp::from_millis(NOW * 1000)
}

#[track_caller]
fn asks(lines: &[&str], seconds: u64) {
    let read = RetryAfter::parse(lines, None, now());
    assert_eq!(read.map(RetryAfter::wait), Some(Duration::from_secs(seconds)), "{lines:?}");
}

#[track_caller]
fn asks_nothing(line: &str) {
    assert_eq!(RetryAfter::parse([line], None, now()), None, "{line:?}");
}

#[test]
fn seconds_are_read_and_fractions_rounded_up() {
    for (line, seconds) in [
        ("120", 120),
        ("0120", 120),
        (" \t120 ", 120),
        ("1", 1),
        ("1.5", 2),
        ("2.0", 2),
        ("0.503", 1),
        ("299.997", 300),
        ("292.052427053", 293),
        ("1.00000000000000000000000000000000001", 2),
    ] {
        asks(&[line], seconds);
    }
}

#[test]
fn what_is_no_delay_counts_as_absent() {
    for line in [
        "",
        " ",
        "0",
        "0.0",
        "00",
        "-5",
        "+3",
        "1e3",
        "120s",
        "0x10",
        "abc",
        "1.",
        ".5",
        "1.5.2",
        "12 0",
        "\"120\"",
        "NaN",
        "inf",
        "\u{661}\u{662}",
        ",",
        ",,,",
        "Sun",
        "Sun,",
    ] {
        asks_nothing(line);
    }
}

#[test]
fn a_number_beyond_every_clock_saturates() {
    asks(&["18446744073709551615"], u64::MAX);
    asks(&["18446744073709551616"], u64::MAX);
    asks(&["18446744073709551615.5"], u64::MAX);
    asks(&[&"9".repeat(10_000)], u64::MAX);
}

#[test]
fn the_longest_of_a_list_or_of_repeated_lines_counts() {
    asks(&["120, 60"], 120);
    asks(&["10, 20"], 20);
    asks(&["10", "20"], 20);
    asks(&["20", "10"], 20);
    asks(&["abc, 60"], 60);
    asks(&["0", "-1", "7"], 7);
    asks(&["30, Sat, 01 Jan 2028 00:00:00 GMT"], 60);
    asks(&["Sat, 01 Jan 2028 00:00:00 GMT, 90"], 90);
    asks(&["Sat, 01 Jan 2028 00:00:00 GMT,Sat, 01 Jan 2028 00:00:05 GMT"], 65);
    asks(&["Sat, 61", "x"], 61);
    assert_eq!(RetryAfter::parse::<&str>([], None, now()), None);
}

#[test]
fn the_three_date_forms_mean_the_same_moment() {
    asks(&["Sat, 01 Jan 2028 00:00:00 GMT"], 60);
    asks(&["Saturday, 01-Jan-28 00:00:00 GMT"], 60);
    asks(&["Sat Jan  1 00:00:00 2028"], 60);
}

#[test]
fn usual_slips_of_a_date_are_read() {
    for line in [
        "Mon, 01 Jan 2028 00:00:00 GMT",
        "Sat, 1 Jan 2028 00:00:00 GMT",
        "sat, 01 jan 2028 00:00:00 gmt",
        "SAT, 01 JAN 2028 00:00:00 UTC",
        "Fri, 31 Dec 2027 23:59:60 GMT",
        "Sat, 01-Jan-2028 00:00:00 GMT",
        "Sat Jan 1 00:00:00 2028",
    ] {
        asks(&[line], 60);
    }
}

#[test]
fn what_is_no_date_counts_as_absent() {
    for line in [
        "Sat, 01 Jan 2028 00:00:00 +0000",
        "Sat, 01 Jan 2028 00:00:00",
        "Sat, 01 Jan 2028 24:00:00 GMT",
        "Sat, 01 Jan 2028 00:60:00 GMT",
        "Sat, 01 Jan 2028 00:00:61 GMT",
        "Sat, 32 Jan 2028 00:00:00 GMT",
        "Sat, 30 Feb 2028 00:00:00 GMT",
        "Thu, 29 Feb 2029 00:00:00 GMT",
        "Sat, 00 Jan 2028 00:00:00 GMT",
        "Sat, 01 Foo 2028 00:00:00 GMT",
        "Sat, 01 Jan 228 00:00:00 GMT",
        "Sat, 01 Jan 12028 00:00:00 GMT",
        "Xyz, 01 Jan 2028 00:00:00 GMT",
        "01 Jan 2028 00:00:00 GMT",
        "2028-01-01T00:00:00Z",
        "Sat, 01 Jan 2028 00:00:00 GMT x",
    ] {
        asks_nothing(line);
    }
}

#[test]
fn a_date_that_has_come_counts_as_absent() {
    for line in [
        "Fri, 31 Dec 2027 23:59:00 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "Fri, 01 Jan 1960 00:00:00 GMT",
        "Sat, 01 Jan 0000 00:00:00 GMT",
    ] {
        asks_nothing(line);
    }
}

#[test]
fn the_last_date_of_the_calendar_is_read() {
    asks(&["Fri, 31 Dec 9999 23:59:59 GMT"], 253_402_300_799 - NOW);
    asks(&["Fri, 31 Dec 9999 23:59:60 GMT"], 253_402_300_800 - NOW);
}

#[test]
fn the_century_of_two_digits_rolls_with_the_clock() {
    let read = |line: &str, now: u64| {
        RetryAfter::parse([line], None, Timestamp::from_millis(now * 1000))
            .map(|retry| retry.wait().as_secs())
    };
    // From 2027 the year 77 lies 49 years ahead, 78 in the past.
    assert_eq!(read("Friday, 01-Jan-77 00:00:00 GMT", NOW), Some(3_376_684_800 - NOW));
    assert_eq!(read("Friday, 01-Jan-78 00:00:00 GMT", NOW), None);
    // From 2069 the year 01 is 2101, however a fixed pivot would have it.
    let in_2069 = 3_124_224_000;
    assert_eq!(read("Saturday, 01-Jan-01 00:00:00 GMT", in_2069), Some(4_133_980_800 - in_2069));
    // A new century does not turn a date of last week into one of the next century.
    let in_2100 = 4_102_444_800 + 86_400;
    assert_eq!(read("Thursday, 31-Dec-99 00:00:00 GMT", in_2100), None);
}

#[test]
fn a_date_is_measured_against_the_date_of_the_answer() {
    let line = "Sat, 01 Jan 2028 01:00:00 GMT";
    let read =
        |date: Option<&[u8]>| RetryAfter::parse([line], date, now()).map(|retry| retry.wait().as_secs());
    assert_eq!(read(Some(b"Sat, 01 Jan 2028 00:59:00 GMT")), Some(60), "the server's clock is an hour ahead");
    assert_eq!(read(Some(b"Saturday, 01-Jan-28 00:59:00 GMT")), Some(60));
    assert_eq!(read(None), Some(3660));
    assert_eq!(read(Some(b"yesterday")), Some(3660), "an unreadable Date is no Date");
    assert_eq!(read(Some(b"Sat, 01 Jan 2028 01:00:00 GMT")), None, "already come by the server's clock");
}

#[test]
fn a_date_holds_to_the_millisecond() {
    let read =
        RetryAfter::parse(["Sat, 01 Jan 2028 00:00:00 GMT"], None, Timestamp::from_millis(NOW * 1000 + 250));
    assert_eq!(read.map(RetryAfter::wait), Some(Duration::from_millis(59_750)));
}

#[test]
fn the_field_has_a_meaning_on_429_503_413_and_redirects() {
    let read_on: Vec<u16> = (0..1000).filter(|&status| RetryAfter::is_read_on(status)).collect();
    let expected: Vec<u16> = (300..400).chain([413, 429, 503]).collect();
    assert_eq!(read_on, expected);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_at_any_time_are_read_without_harm(
        lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..80), 0..4),
        date in prop::option::of(prop::collection::vec(any::<u8>(), 0..80)),
        now in any::<u64>(),
    ) {
        let read = RetryAfter::parse(&lines, date.as_deref(), Timestamp::from_millis(now));
        prop_assert!(read.is_none_or(|retry| retry.wait() > Duration::ZERO));
    }

    #[test]
    fn near_dates_are_read_without_harm(line in "[SMTF][a-z]{2}(day)?,? [0-9 ]{1,2}[ -][JFMASOND][a-z]{2}[ -][0-9]{1,5} [0-9:]{5,9} ?(GMT)?", now in any::<u64>()) {
        let _ = RetryAfter::parse([line], None, Timestamp::from_millis(now));
    }

    #[test]
    fn every_date_that_httpdate_writes_is_read_as_the_same_second(at in 1..253_402_300_799u64) {
        let date = std::time::UNIX_EPOCH + Duration::from_secs(at);
        let line = httpdate::fmt_http_date(date);
        let read = RetryAfter::parse([&line], None, Timestamp::from_millis(0));
        prop_assert_eq!(read.map(|retry| retry.wait().as_secs()), Some(at));
    }

    #[test]
    fn every_asctime_that_httpdate_reads_is_read_the_same(
        month in prop::sample::select(vec!["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]),
        day in 1..=31u8, hour in 0..24u8, minute in 0..60u8, second in 0..60u8, year in 1971..9999u16,
    ) {
        // httpdate insists on the right weekday: try them all.
        for weekday in ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] {
            let line = format!("{weekday} {month} {day:2} {hour:02}:{minute:02}:{second:02} {year}");
            if let Ok(date) = httpdate::parse_http_date(&line) {
                let expected = date.duration_since(std::time::UNIX_EPOCH).unwrap();
                let read = RetryAfter::parse([&line], None, Timestamp::from_millis(0));
                prop_assert_eq!(read.map(RetryAfter::wait), Some(expected));
            }
        }
    }
}
