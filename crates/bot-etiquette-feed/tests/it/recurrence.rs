//! Rules of recurrence (RFC 5545, 3.3.10 and 3.8.5.3).

use bot_etiquette_feed::{Day, Event, Note, Report};
use jiff::civil::{Date, date};

use crate::icalendar::{MAP, event_of};
use crate::{occurrences, read};

fn new_york() -> String {
    MAP.replace("Europe/Madrid", "America/New_York")
}

#[track_caller]
pub(crate) fn one_in(map: &str, lines: &str) -> (Event, Report) {
    let (mut events, report) = read(map, event_of(lines).as_bytes());
    assert_eq!(events.len(), 1, "{report:?}");
    (events.remove(0), report)
}

pub(crate) fn day(text: &str) -> Day {
    let date: Date = text.parse().expect("a day");
    Day::new(date.year(), date.month(), date.day()).expect("a day")
}

fn days_of(event: &Event) -> Vec<String> {
    occurrences(event).iter().map(|at| at.chars().take(10).collect()).collect()
}

/// The examples of RFC 5545, 3.8.5.3: times at nine in the morning in New York.
#[test]
fn the_examples_of_the_standard_give_its_days() {
    let year_day = |year: i16, from: (i8, i8), to: (i8, i8)| {
        let last = date(year, to.0, to.1);
        std::iter::successors(Some(date(year, from.0, from.1)), |day| day.tomorrow().ok())
            .take_while(move |day| *day <= last)
            .map(|day| day.to_string())
    };
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let until_christmas: Vec<String> = year_day(1997, (9, 2), (12, 23)).collect();
    let each_january: Vec<String> = (1998..=2000).flat_map(|year| year_day(year, (1, 1), (1, 31))).collect();
    for (start, rule, expected) in [
        ("19970902", "FREQ=DAILY;COUNT=10", year_day(1997, (9, 2), (9, 11)).collect()),
        ("19970902", "FREQ=DAILY;UNTIL=19971224T000000Z", until_christmas),
        (
            "19970902",
            "FREQ=DAILY;INTERVAL=10;COUNT=5",
            words("1997-09-02 1997-09-12 1997-09-22 1997-10-02 1997-10-12"),
        ),
        (
            "19980101",
            "FREQ=YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA",
            each_january.clone(),
        ),
        ("19980101", "FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1", each_january),
        (
            "19970902",
            "FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=TU",
            words(
                "1997-09-02 1997-09-16 1997-09-30 1997-10-14 1997-10-28 1997-11-11 1997-11-25 1997-12-09 1997-12-23",
            ),
        ),
        (
            "19970901",
            "FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR",
            words(
                "1997-09-01 1997-09-03 1997-09-05 1997-09-15 1997-09-17 1997-09-19 1997-09-29 1997-10-01 1997-10-03 1997-10-13 1997-10-15 1997-10-17 1997-10-27 1997-10-29 1997-10-31 1997-11-10 1997-11-12 1997-11-14 1997-11-24 1997-11-26 1997-11-28 1997-12-08 1997-12-10 1997-12-12 1997-12-22",
            ),
        ),
        (
            "19970902",
            "FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH",
            words("1997-09-02 1997-09-04 1997-09-16 1997-09-18 1997-09-30 1997-10-02 1997-10-14 1997-10-16"),
        ),
        (
            "19970905",
            "FREQ=MONTHLY;COUNT=10;BYDAY=1FR",
            words(
                "1997-09-05 1997-10-03 1997-11-07 1997-12-05 1998-01-02 1998-02-06 1998-03-06 1998-04-03 1998-05-01 1998-06-05",
            ),
        ),
        (
            "19970907",
            "FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU",
            words(
                "1997-09-07 1997-09-28 1997-11-02 1997-11-30 1998-01-04 1998-01-25 1998-03-01 1998-03-29 1998-05-03 1998-05-31",
            ),
        ),
        (
            "19970922",
            "FREQ=MONTHLY;COUNT=6;BYDAY=-2MO",
            words("1997-09-22 1997-10-20 1997-11-17 1997-12-22 1998-01-19 1998-02-16"),
        ),
        (
            "19970928",
            "FREQ=MONTHLY;COUNT=6;BYMONTHDAY=-3",
            words("1997-09-28 1997-10-29 1997-11-28 1997-12-29 1998-01-29 1998-02-26"),
        ),
        (
            "19970930",
            "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1",
            words(
                "1997-09-30 1997-10-01 1997-10-31 1997-11-01 1997-11-30 1997-12-01 1997-12-31 1998-01-01 1998-01-31 1998-02-01",
            ),
        ),
        (
            "19970910",
            "FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15",
            words(
                "1997-09-10 1997-09-11 1997-09-12 1997-09-13 1997-09-14 1997-09-15 1999-03-10 1999-03-11 1999-03-12 1999-03-13",
            ),
        ),
        (
            "19970610",
            "FREQ=YEARLY;COUNT=10;BYMONTH=6,7",
            words(
                "1997-06-10 1997-07-10 1998-06-10 1998-07-10 1999-06-10 1999-07-10 2000-06-10 2000-07-10 2001-06-10 2001-07-10",
            ),
        ),
        (
            "19970310",
            "FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3",
            words(
                "1997-03-10 1999-01-10 1999-02-10 1999-03-10 2001-01-10 2001-02-10 2001-03-10 2003-01-10 2003-02-10 2003-03-10",
            ),
        ),
        (
            "19970101",
            "FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200",
            words(
                "1997-01-01 1997-04-10 1997-07-19 2000-01-01 2000-04-09 2000-07-18 2003-01-01 2003-04-10 2003-07-19 2006-01-01",
            ),
        ),
        ("19970519", "FREQ=YEARLY;COUNT=3;BYDAY=20MO", words("1997-05-19 1998-05-18 1999-05-17")),
        ("19970512", "FREQ=YEARLY;COUNT=3;BYWEEKNO=20;BYDAY=MO", words("1997-05-12 1998-05-11 1999-05-17")),
        (
            "19970313",
            "FREQ=YEARLY;COUNT=11;BYMONTH=3;BYDAY=TH",
            words(
                "1997-03-13 1997-03-20 1997-03-27 1998-03-05 1998-03-12 1998-03-19 1998-03-26 1999-03-04 1999-03-11 1999-03-18 1999-03-25",
            ),
        ),
        (
            "19980213",
            "FREQ=MONTHLY;COUNT=5;BYDAY=FR;BYMONTHDAY=13",
            words("1998-02-13 1998-03-13 1998-11-13 1999-08-13 2000-10-13"),
        ),
        (
            "19970913",
            "FREQ=MONTHLY;COUNT=10;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13",
            words(
                "1997-09-13 1997-10-11 1997-11-08 1997-12-13 1998-01-10 1998-02-07 1998-03-07 1998-04-11 1998-05-09 1998-06-13",
            ),
        ),
        (
            "19961105",
            "FREQ=YEARLY;INTERVAL=4;COUNT=3;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8",
            words("1996-11-05 2000-11-07 2004-11-02"),
        ),
        (
            "19970904",
            "FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3",
            words("1997-09-04 1997-10-07 1997-11-06"),
        ),
        (
            "19970929",
            "FREQ=MONTHLY;COUNT=7;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2",
            words("1997-09-29 1997-10-30 1997-11-27 1997-12-30 1998-01-29 1998-02-26 1998-03-30"),
        ),
        (
            "19970805",
            "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO",
            words("1997-08-05 1997-08-10 1997-08-19 1997-08-24"),
        ),
        (
            "19970805",
            "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU",
            words("1997-08-05 1997-08-17 1997-08-19 1997-08-31"),
        ),
        // A day that a month does not have is passed over.
        (
            "20070115",
            "FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5",
            words("2007-01-15 2007-01-30 2007-02-15 2007-03-15 2007-03-30"),
        ),
        ("20240229", "FREQ=YEARLY;COUNT=3", words("2024-02-29 2028-02-29 2032-02-29")),
        ("20250131", "FREQ=MONTHLY;COUNT=4", words("2025-01-31 2025-03-31 2025-05-31 2025-07-31")),
    ] {
        for (kind, suffix) in [(";TZID=America/New_York", "T090000"), (";VALUE=DATE", "")] {
            // Nine in the morning is later than UNTIL's midnight; days alone are not.
            if suffix.is_empty() && rule.contains("UNTIL") {
                continue;
            }
            let (event, report) =
                one_in(&new_york(), &format!("DTSTART{kind}:{start}{suffix}\nRRULE:{rule}"));
            assert_eq!(days_of(&event), expected, "{rule}");
            assert!(report.notes.is_empty(), "{rule}: {report:?}");
            assert!(suffix.is_empty() || occurrences(&event).iter().all(|at| at.contains("T09:00:00-0")));
        }
    }
}

#[test]
fn an_endless_rule_ends_at_the_horizon() {
    let (event, _) = one_in(MAP, "DTSTART:20100101T190000\nRRULE:FREQ=DAILY");
    assert_eq!((event.when().occurrences().count(), event.when().last_day()), (1000, None));
    let week: Vec<_> =
        event.when().between(day("2026-12-30"), day("2027-01-02")).map(|at| at.to_string()).collect();
    assert_eq!(
        week,
        [
            "2026-12-30T19:00:00+01:00",
            "2026-12-31T19:00:00+01:00",
            "2027-01-01T19:00:00+01:00",
            "2027-01-02T19:00:00+01:00"
        ]
    );
    assert!(!event.when().is_over(std::time::UNIX_EPOCH + std::time::Duration::from_secs(9_999_999_999)));
    // Ten years from its first time without a horizon of one's own, a hundred with one.
    let (event, _) = one_in(MAP, "DTSTART:20100101T190000\nRRULE:FREQ=YEARLY");
    assert_eq!(event.when().occurrences().count(), 11);
    assert_eq!(event.when().between(day("2010-01-01"), day("9999-12-31")).count(), 101);
    // A rule that gives no day at all.
    let (event, report) = one_in(MAP, "DTSTART:20100101T190000\nRRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30");
    assert_eq!(event.when().between(day("2010-01-01"), day("9999-12-31")).count(), 1);
    assert!(report.notes.contains(Note::Unsynchronized));
    assert_eq!(event.when().between(day("2027-01-01"), day("2026-01-01")).count(), 0);
}

#[test]
fn what_cannot_be_followed_is_kept_in_its_own_words_with_its_first_time() {
    for rule in [
        "FREQ=HOURLY;COUNT=3",
        "FREQ=SECONDLY",
        "FREQ=FORTNIGHTLY",
        "FREQ=WEEKLY;INTERVAL=0",
        "FREQ=WEEKLY;INTERVAL=99999999999",
        "FREQ=WEEKLY;BYDAY=1TU;COUNT=2",
        "FREQ=WEEKLY;BYMONTHDAY=3;COUNT=2",
        "FREQ=WEEKLY;BYDAY=XX",
        "FREQ=WEEKLY;BYDAY=",
        "FREQ=MONTHLY;BYWEEKNO=20",
        "FREQ=MONTHLY;BYMONTHDAY=0",
        "FREQ=MONTHLY;BYMONTHDAY=32",
        "FREQ=YEARLY;BYMONTH=13",
        "FREQ=YEARLY;BYWEEKNO=20;BYDAY=1MO",
        "FREQ=DAILY;BYSETPOS=1",
        "FREQ=DAILY;BYHOUR=9,19;COUNT=3",
        "FREQ=DAILY;COUNT=0",
        "FREQ=DAILY;COUNT=99999999999999999999",
        "FREQ=DAILY;COUNT=2;UNTIL=20250617",
        "FREQ=DAILY;FREQ=DAILY",
        "FREQ=WEEKLY;UNTIL=20240101",
        "FREQ=WEEKLY;UNTIL=soon",
        "FREQ=MONTHLY;RSCALE=HEBREW",
        "COUNT=3",
        "x",
    ] {
        let (event, report) = one_in(MAP, &format!("DTSTART:20250603T190000\nRRULE:{rule}"));
        assert_eq!(occurrences(&event), ["2025-06-03T19:00:00+02:00"], "{rule}");
        assert_eq!(report.notes.iter().collect::<Vec<_>>(), [(Note::Recurrence, 1)], "{rule}");
        let recurrence = event.when().runs[0].recurrence.as_ref().expect("a rule");
        assert!(!recurrence.is_expanded() && !recurrence.is_endless());
        assert!(recurrence.to_string().ends_with(&format!("\nRRULE:{rule}")), "{recurrence}");
        assert_eq!(event.when().last_day(), Some(day("2025-06-03")));
    }
}

#[test]
fn the_words_of_a_rule_are_clean() {
    let rule = format!("FREQ=canary@example.org;X=612345678;Y={}", "canary@example.org".repeat(100));
    for rule in [&rule[..40], &rule] {
        let (event, _) = one_in(MAP, &format!("DTSTART:20250603T190000\nRRULE:{rule}"));
        let text = event.when().runs[0].recurrence.as_ref().expect("a rule").to_string();
        assert!(
            !text.contains("canary") && !text.contains("612") && !format!("{event:?}").contains("canary")
        );
    }
}

#[test]
fn a_first_time_that_its_rule_does_not_give_counts_and_is_told() {
    let (event, report) = one_in(MAP, "DTSTART:20250602T190000\nRRULE:FREQ=WEEKLY;BYDAY=TU,TH;COUNT=3");
    assert_eq!(days_of(&event), ["2025-06-02", "2025-06-03", "2025-06-05"]);
    assert!(report.notes.contains(Note::Unsynchronized));
}

#[test]
fn a_rule_may_repeat_the_time_of_its_first_time() {
    let (event, report) =
        one_in(MAP, "DTSTART:20250603T193000\nRRULE:freq=daily;byhour=19;byminute=30;bysecond=0;count=2");
    assert_eq!((days_of(&event).len(), report.notes.is_empty()), (2, true), "{report:?}");
}

#[test]
fn wall_times_stay_over_the_nights_of_the_clock_changes() {
    let (event, report) = one_in(MAP, "DTSTART:20250328T023000\nRRULE:FREQ=DAILY;COUNT=5");
    assert_eq!(
        occurrences(&event),
        [
            "2025-03-28T02:30:00+01:00",
            "2025-03-29T02:30:00+01:00",
            "2025-03-30T03:30:00+02:00",
            "2025-03-31T02:30:00+02:00",
            "2025-04-01T02:30:00+02:00"
        ]
    );
    assert!(report.notes.is_empty());
    let (event, _) = one_in(MAP, "DTSTART:20251025T023000\nRRULE:FREQ=DAILY;COUNT=3");
    assert_eq!(
        occurrences(&event),
        ["2025-10-25T02:30:00+02:00", "2025-10-26T02:30:00+02:00", "2025-10-27T02:30:00+01:00"]
    );
    // A series whose first time is one that is skipped keeps its wall time.
    let (event, report) = one_in(MAP, "DTSTART:20250330T023000\nRRULE:FREQ=WEEKLY;COUNT=2");
    assert_eq!(occurrences(&event), ["2025-03-30T03:30:00+02:00", "2025-04-06T02:30:00+02:00"]);
    assert!(report.notes.contains(Note::Gap));
}

#[test]
fn a_rule_follows_the_clock_of_its_own_zone() {
    // The clocks of New York change a week after those of Madrid.
    let (event, _) = one_in(MAP, "DTSTART;TZID=America/New_York:20251019T130000\nRRULE:FREQ=WEEKLY;COUNT=3");
    assert_eq!(
        occurrences(&event),
        ["2025-10-19T19:00:00+02:00", "2025-10-26T18:00:00+01:00", "2025-11-02T19:00:00+01:00"]
    );
    // A time in UTC stays one.
    let (event, _) = one_in(MAP, "DTSTART:20251019T170000Z\nRRULE:FREQ=WEEKLY;COUNT=2");
    assert_eq!(occurrences(&event), ["2025-10-19T19:00:00+02:00", "2025-10-26T18:00:00+01:00"]);
    // So do the days of the week.
    let (event, _) = one_in(
        MAP,
        "DTSTART;TZID=America/New_York:20250603T220000\nRRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=2\nEXDATE;TZID=America/New_York:20250610T220000",
    );
    assert_eq!(occurrences(&event), ["2025-06-04T04:00:00+02:00"]);
}

#[test]
fn until_is_an_instant_that_may_still_be_one() {
    for (until, last) in [
        ("20250617T170000Z", "2025-06-17"),
        ("20250617T165959Z", "2025-06-10"),
        ("20250617T190000", "2025-06-17"),
        ("20250617T185959", "2025-06-10"),
        ("20250617", "2025-06-17"),
        ("20250616T220000Z", "2025-06-10"),
    ] {
        let (event, _) = one_in(MAP, &format!("DTSTART:20250603T190000\nRRULE:FREQ=WEEKLY;UNTIL={until}"));
        assert_eq!(days_of(&event).last().map(String::as_str), Some(last), "{until}");
        assert_eq!(event.when().last_day(), Some(day(last)), "{until}");
    }
    // Of days it is the day that it is in the source's zone.
    let (event, _) = one_in(MAP, "DTSTART;VALUE=DATE:20250603\nRRULE:FREQ=DAILY;UNTIL=20250604T220000Z");
    assert_eq!(days_of(&event), ["2025-06-03", "2025-06-04", "2025-06-05"]);
}

#[test]
fn days_are_taken_out_and_put_in_as_dates_times_lists_and_periods() {
    for (lines, expected) in [
        ("EXDATE;VALUE=DATE:20250610,20250617", &["2025-06-03T19", "2025-06-24T19"][..]),
        ("EXDATE:20250610T190000\nEXDATE:20250617T170000Z", &["2025-06-03T19", "2025-06-24T19"]),
        ("EXDATE;TZID=Europe/London:20250610T180000,20250617T180000", &["2025-06-03T19", "2025-06-24T19"]),
        ("EXDATE:20250603T190000,20250610T190000,20250617T190000", &["2025-06-24T19"]),
        (
            "EXDATE:20250610T190000,20250617T190000\nRDATE:20250618T210000,20250619T120000Z",
            &["2025-06-03T19", "2025-06-18T21", "2025-06-19T14", "2025-06-24T19"],
        ),
        (
            "EXDATE:20250610T190000,20250617T190000\nRDATE;VALUE=DATE:20250618,20250619",
            &["2025-06-03T19", "2025-06-18T19", "2025-06-19T19", "2025-06-24T19"],
        ),
        (
            "EXDATE:20250610T190000,20250617T190000\nRDATE;VALUE=PERIOD:20250618T100000Z/PT3H,20250619T100000/20250619T110000",
            &["2025-06-03T19", "2025-06-18T12", "2025-06-19T10", "2025-06-24T19"],
        ),
        (
            "EXDATE:20250610T190000,20250617T190000\nRDATE:20250610T190000",
            &["2025-06-03T19", "2025-06-24T19"],
        ),
        // Thrice on one day; one of the three is taken out again.
        (
            "EXDATE:20250610T190000,20250617T190000,20250624T190000\nRDATE:20250603T110000,20250603T120000\nEXDATE:20250603T110000",
            &["2025-06-03T12", "2025-06-03T19"],
        ),
    ] {
        let (event, report) =
            one_in(MAP, &format!("DTSTART:20250603T190000\nRRULE:FREQ=WEEKLY;COUNT=4\n{lines}"));
        let times: Vec<_> =
            occurrences(&event).iter().map(|at| at.chars().take(13).collect::<String>()).collect();
        assert_eq!(times, expected, "{lines}");
        assert!(report.notes.is_empty(), "{report:?}");
    }
    let (event, report) = one_in(
        MAP,
        "DTSTART;VALUE=DATE:20250603\nRRULE:FREQ=DAILY;COUNT=3\nEXDATE;VALUE=DATE:20250604\nRDATE;VALUE=DATE:20250701",
    );
    assert_eq!(
        (occurrences(&event), report.notes.is_empty()),
        (vec!["2025-06-03".to_owned(), "2025-06-05".to_owned(), "2025-07-01".to_owned()], true)
    );
    let (event, report) = one_in(MAP, "DTSTART:20250603T190000\nRRULE:FREQ=DAILY;COUNT=2\nEXDATE:sometime");
    assert_eq!((occurrences(&event).len(), report.notes.contains(Note::BadDate)), (2, true));
}

#[test]
fn several_rules_each_give_their_times() {
    let (event, _) = one_in(
        MAP,
        "DTSTART:20250603T190000\nRRULE:FREQ=WEEKLY;COUNT=2\nRRULE:FREQ=MONTHLY;BYDAY=1SU;COUNT=2",
    );
    assert_eq!(days_of(&event), ["2025-06-03", "2025-06-10", "2025-07-06"]);
    for (rules, read) in [(7, 7), (8, 8), (9, 8)] {
        let lines: String =
            (1..=rules).map(|interval| format!("\nRRULE:FREQ=DAILY;COUNT=2;INTERVAL={interval}")).collect();
        let (event, _) = one_in(MAP, &format!("DTSTART:20250603T190000{lines}"));
        assert_eq!(event.when().runs.len(), read, "{rules}");
    }
}

#[test]
fn the_last_time_is_as_long_as_the_first() {
    let (event, _) =
        one_in(MAP, "DTSTART;VALUE=DATE:20250603\nDTEND;VALUE=DATE:20250606\nRRULE:FREQ=MONTHLY;COUNT=2");
    assert_eq!((days_of(&event).len(), event.when().last_day()), (2, Some(day("2025-07-05"))));
}

#[cfg(feature = "serde")]
#[test]
fn a_series_is_written_and_read_back() {
    for lines in [
        "DTSTART:20250603T190000\nDURATION:PT2H\nRRULE:FREQ=MONTHLY;INTERVAL=2;BYDAY=1TU,-1FR;UNTIL=20260101T000000Z;WKST=SU\nEXDATE:20250801T190000\nRDATE:20250704T210000",
        "DTSTART:20250330T023000\nRRULE:FREQ=WEEKLY;COUNT=3",
        "DTSTART;TZID=America/New_York:20251019T130000\nRRULE:FREQ=YEARLY;BYMONTH=10,11;BYDAY=SU;BYSETPOS=2",
        "DTSTART:20251019T170000Z\nRRULE:FREQ=DAILY;UNTIL=20251030",
        "DTSTART;VALUE=DATE:20250603\nRRULE:FREQ=YEARLY;BYWEEKNO=-1,20;BYYEARDAY=100,-3;BYMONTHDAY=5",
        "DTSTART:20250603T190000\nRRULE:FREQ=HOURLY;COUNT=3",
    ] {
        let (event, _) = one_in(MAP, lines);
        let line = serde_json::to_string(&event.publish().expect("a link")).expect("JSON");
        let read: Event = serde_json::from_str(&line).expect("an event");
        assert_eq!(read.when(), event.when(), "{lines}");
        assert_eq!(occurrences(&read), occurrences(&event), "{lines}");
        assert_eq!(serde_json::to_string(&read.publish().expect("a link")).expect("JSON"), line);
        let broken = line.replace("\"recurrence\":\"DTSTART", "\"recurrence\":\"canary@example.org");
        let error = serde_json::from_str::<Event>(&broken).expect_err("no rule").to_string();
        assert!(error.contains("DTSTART") && !error.contains("canary"), "{error}");
    }
}
