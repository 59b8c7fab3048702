use bot_etiquette_politeness::{Hours, HoursError, HoursWindow, Timestamp};
use proptest::prelude::*;

fn at(seconds: u64) -> Timestamp {
    Timestamp::from_millis(seconds * 1000)
}

fn hours(from: &str, to: &str, zone: &str) -> Hours {
    Hours::new([HoursWindow::new(from, to, zone).expect("a window")]).expect("hours")
}

#[track_caller]
fn opens(hours: &Hours, asked: u64, expected: u64) {
    assert_eq!(hours.opens_at(at(asked)), Some(at(expected)), "asked at {asked}");
    assert_eq!(hours.is_open(at(asked)), asked == expected, "asked at {asked}");
    assert!(hours.is_open(at(expected)));
}

// 2027-01-15 12:00 at +01:00.
const NOON: u64 = 1_800_010_800;
const HOUR: u64 = 3600;

#[test]
fn a_window_over_midnight_holds_its_start_and_not_its_end() {
    let night = hours("22:00", "06:00", "+01:00");
    let opening = NOON + 10 * HOUR;
    opens(&night, NOON, opening);
    opens(&night, opening - 1, opening);
    opens(&night, opening, opening);
    opens(&night, opening + 8 * HOUR - 1, opening + 8 * HOUR - 1);
    opens(&night, opening + 8 * HOUR, opening + 24 * HOUR);
}

#[test]
fn a_window_within_the_day_opens_once_a_day() {
    let day = hours("09:30", "17:00", "UTC");
    let midnight = NOON - 11 * HOUR;
    opens(&day, midnight, midnight + 9 * HOUR + 1800);
    opens(&day, midnight + 12 * HOUR, midnight + 12 * HOUR);
    opens(&day, midnight + 17 * HOUR, midnight + 24 * HOUR + 9 * HOUR + 1800);
}

#[test]
fn the_whole_day_is_always_open() {
    let always = hours("00:00", "24:00", "-03:30");
    for seconds in (0..200_000).step_by(997) {
        assert!(always.is_open(at(seconds)));
    }
}

#[test]
fn of_several_windows_the_next_to_open_counts() {
    let windows = [("06:00", "07:00"), ("12:00", "13:00")];
    let hours = Hours::new(windows.map(|(from, to)| HoursWindow::new(from, to, "UTC").expect("a window")))
        .expect("hours");
    let midnight = NOON - 11 * HOUR;
    opens(&hours, midnight, midnight + 6 * HOUR);
    opens(&hours, midnight + 7 * HOUR, midnight + 12 * HOUR);
    opens(&hours, midnight + 13 * HOUR, midnight + 30 * HOUR);
}

#[test]
fn milliseconds_count() {
    let day = hours("09:00", "17:00", "UTC");
    let opening = NOON - 2 * HOUR;
    assert!(!day.is_open(Timestamp::from_millis(opening * 1000 - 1)));
    assert_eq!(day.opens_at(Timestamp::from_millis(opening * 1000 - 1)), Some(at(opening)));
}

#[test]
fn an_impossible_window_is_an_error_that_names_the_key_and_the_fix() {
    for (from, to, zone, message) in [
        ("22", "06:00", "UTC", "hours: `from` is `22`, expected a time of the day such as \"06:00\""),
        ("9:00", "17:00", "UTC", "hours: `from` is `9:00`, expected a time of the day such as \"06:00\""),
        ("24:00", "06:00", "UTC", "hours: `from` is `24:00`, expected a time of the day such as \"06:00\""),
        ("22:00", "24:01", "UTC", "hours: `to` is `24:01`, expected a time of the day such as \"06:00\""),
        ("22:60", "06:00", "UTC", "hours: `from` is `22:60`, expected a time of the day such as \"06:00\""),
        (
            "22:00:00:00",
            "06:00",
            "UTC",
            "hours: `from` is `22:00:00:00`, expected a time of the day such as \"06:00\"",
        ),
        (
            "06:00",
            "06:00",
            "UTC",
            "hours: `from` and `to` are both 06:00, a window that never opens; for the whole day use \"00:00\" to \"24:00\"",
        ),
        (
            "22:00",
            "06:00",
            "+1",
            "hours: unknown `zone` `+1`, expected UTC, an offset such as +01:00 or an IANA name such as Europe/Madrid",
        ),
        (
            "22:00",
            "06:00",
            "+24:00",
            "hours: unknown `zone` `+24:00`, expected UTC, an offset such as +01:00 or an IANA name such as Europe/Madrid",
        ),
        (
            "22:00",
            "06:00",
            "",
            "hours: unknown `zone` ``, expected UTC, an offset such as +01:00 or an IANA name such as Europe/Madrid",
        ),
    ] {
        let error = HoursWindow::new(from, to, zone).expect_err("an error");
        assert_eq!(error.to_string(), message);
    }
    assert_eq!(Hours::new([]), Err(HoursError::NoWindow));
}

#[test]
fn windows_are_written_as_they_are_read() {
    for (from, to, zone, text) in [
        ("22:00", "06:00", "+01:00", "22:00-06:00 +01:00"),
        ("22:00:30", "24:00", "-0330", "22:00:30-24:00 -03:30"),
        ("00:00", "12:00", "gmt", "00:00-12:00 UTC"),
    ] {
        assert_eq!(HoursWindow::new(from, to, zone).expect("a window").to_string(), text);
    }
}

#[cfg(not(feature = "zones"))]
#[test]
fn a_named_zone_without_zone_data_is_an_error_that_names_the_feature() {
    let error = HoursWindow::new("22:00", "06:00", "Europe/Madrid").expect_err("an error");
    assert_eq!(
        error.to_string(),
        "hours: `zone` `Europe/Madrid` needs the cargo feature `zones`; without it use UTC or an offset such as +01:00"
    );
}

#[cfg(feature = "serde")]
#[test]
fn a_window_survives_serde_and_an_unknown_key_does_not() {
    let window: HoursWindow =
        serde_json::from_str(r#"{"from":"22:00","to":"06:00","zone":"+01:00"}"#).expect("a window");
    let text = serde_json::to_string(&window).expect("json");
    assert_eq!(serde_json::from_str::<HoursWindow>(&text).expect("a window"), window);
    let utc: HoursWindow = serde_json::from_str(r#"{"from":"22:00","to":"06:00"}"#).expect("a window");
    assert_eq!(utc.to_string(), "22:00-06:00 UTC");
    for bad in [
        r#"{"from":"22:00","to":"06:00","days":"mon"}"#,
        r#"{"from":"22:00"}"#,
        r#"{"from":"22:00","to":"22:00"}"#,
    ] {
        assert!(serde_json::from_str::<HoursWindow>(bad).is_err(), "{bad}");
    }
}

#[cfg(feature = "zones")]
mod zones {
    use super::*;

    #[test]
    fn a_named_zone_follows_its_own_clock() {
        let night = hours("22:00", "06:00", "Europe/Madrid");
        opens(&night, NOON, 1_800_046_800);
        opens(&night, 1_800_075_599, 1_800_075_599);
        opens(&night, 1_800_075_600, 1_800_046_800 + 24 * HOUR);
        // A hold that ends at 07:00 local time waits for the evening.
        opens(&night, 1_800_075_600 + HOUR, 1_800_046_800 + 24 * HOUR);
        // In summer the same local hour is an hour earlier in UTC: 2027-07-15 22:00 CEST.
        opens(&night, 1_815_652_800, 1_815_681_600);
    }

    #[test]
    fn an_opening_that_the_clock_skips_comes_with_the_end_of_the_gap() {
        // 2027-03-28: at 02:00 CET the clock shows 03:00 CEST.
        let early = hours("02:30", "06:00", "Europe/Madrid");
        opens(&early, 1_806_195_600 - 5 * HOUR, 1_806_195_600);
        opens(&early, 1_806_195_599, 1_806_195_600);
        // A window that lies whole in the gap does not open that day: next is 02:00 CEST of the day after.
        let skipped = hours("02:00", "03:00", "Europe/Madrid");
        opens(&skipped, 1_806_195_600 - HOUR, 1_806_195_600 + 23 * HOUR);
    }

    #[test]
    fn an_hour_that_comes_twice_is_open_twice() {
        // 2027-10-31: at 03:00 CEST (01:00 UTC) the clock shows 02:00 CET.
        let change = 1_824_944_400;
        let early = hours("02:30", "06:00", "Europe/Madrid");
        opens(&early, change - 3 * HOUR, change - 1800);
        opens(&early, change, change + 1800);
        let twice = hours("02:00", "02:30", "Europe/Madrid");
        opens(&twice, change - 3 * HOUR, change - HOUR);
        opens(&twice, change - 1800, change);
        opens(&twice, change + 1800, change + 24 * HOUR);
    }

    #[test]
    fn names_are_read_in_any_case_and_written_as_the_database_does() {
        let window = HoursWindow::new("22:00", "06:00", "europe/madrid").expect("a window");
        assert_eq!(window.to_string(), "22:00-06:00 Europe/Madrid");
        let error = HoursWindow::new("22:00", "06:00", "Europe/Madird").expect_err("an error");
        assert_eq!(error, HoursError::UnknownZone { name: "Europe/Madird".to_owned() });
    }

    proptest! {
        #[test]
        fn no_minute_before_the_opening_is_open(
            zone in prop::sample::select(vec!["Europe/Madrid", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia", "Africa/Casablanca"]),
            from in 0..1440u32, length in 1..1440u32, asked in 0..4_000_000_000u64,
        ) {
            let clock = |minutes: u32| format!("{:02}:{:02}", minutes / 60 % 24, minutes % 60);
            let hours = hours(&clock(from), &clock(from + length), zone);
            let opening = hours.opens_at(at(asked)).expect("an opening");
            prop_assert!(opening >= at(asked));
            prop_assert!(opening <= at(asked + 50 * HOUR));
            prop_assert!(hours.is_open(opening));
            let mut minute = asked;
            while at(minute) < opening {
                prop_assert!(!hours.is_open(at(minute)), "open at {minute}, said {opening:?}");
                minute += 60;
            }
        }
    }
}

proptest! {
    #[test]
    fn the_end_of_time_is_no_harm(
        from in 0..1440u32, length in 1..1440u32, offset in -1439..1440i32, asked in any::<u64>(), near_end in any::<bool>(),
    ) {
        let clock = |minutes: u32| format!("{:02}:{:02}", minutes / 60 % 24, minutes % 60);
        let zone = format!("{}{:02}{:02}", if offset < 0 { '-' } else { '+' }, offset.abs() / 60, offset.abs() % 60);
        let hours = hours(&clock(from), &clock(from + length), &zone);
        let asked = Timestamp::from_millis(if near_end { u64::MAX - asked % 100_000_000 } else { asked });
        match hours.opens_at(asked) {
            Some(opening) => prop_assert!(opening >= asked && hours.is_open(opening)),
            None => prop_assert!(!hours.is_open(asked)),
        }
    }
}
