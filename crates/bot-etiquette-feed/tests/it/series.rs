//! Records that change one time of a series (RFC 5545, 3.8.4.4).

use bot_etiquette_feed::{Event, Feed, Limits, Note, Report};

use crate::icalendar::{MAP, calendar};
use crate::{map, occurrences, read, titles};

const SERIES: &str =
    "BEGIN:VEVENT\nUID:1\nSUMMARY:A\nDTSTART:20250603T190000\nRRULE:FREQ=WEEKLY;COUNT=4\nEND:VEVENT";

fn change(lines: &str) -> String {
    format!("BEGIN:VEVENT\nUID:1\nSUMMARY:B\n{lines}\nEND:VEVENT")
}

fn joined(events: &[&str]) -> (Vec<Event>, Report) {
    read(MAP, calendar(&events.join("\n")).as_bytes())
}

fn days(event: &Event) -> Vec<String> {
    occurrences(event).iter().map(|at| at.chars().take(10).collect()).collect()
}

#[track_caller]
fn series_days(events: &[&str], expected: &[&str]) -> Report {
    let (events, report) = joined(events);
    let series: Vec<_> = events.iter().filter(|event| event.key().as_str() == "press:1").collect();
    assert_eq!(series.iter().map(|event| days(event)).collect::<Vec<_>>(), [expected], "{report:?}");
    report
}

#[test]
fn a_changed_time_takes_the_place_of_the_one_of_its_series() {
    for id in [
        "RECURRENCE-ID:20250610T190000",
        "RECURRENCE-ID:20250610T170000Z",
        "RECURRENCE-ID;TZID=Europe/London:20250610T180000",
        "RECURRENCE-ID;VALUE=DATE:20250610",
    ] {
        let other = change(&format!("{id}\nDTSTART:20250611T200000"));
        for order in [[SERIES, &other], [&other, SERIES]] {
            let (events, report) = joined(&order);
            let mut all: Vec<_> =
                events.iter().map(|event| (event.key().as_str(), crate::title(event), days(event))).collect();
            all.sort();
            let key = if id.contains("DATE") { "press:1|20250610" } else { "press:1|20250610T190000" };
            let kept = ["2025-06-03", "2025-06-17", "2025-06-24"].map(str::to_owned).to_vec();
            assert_eq!(all, [("press:1", "A", kept), (key, "B", vec!["2025-06-11".to_owned()])], "{id}");
            assert!(report.notes.is_empty() && report.completeness.allows_deletions(), "{report:?}");
            assert_eq!((report.events, report.completeness.read), (2, 2));
        }
    }
}

#[test]
fn a_cancelled_time_is_no_time_of_its_series() {
    let cancelled = change("RECURRENCE-ID:20250610T190000\nSTATUS:CANCELLED");
    for order in [[SERIES, &cancelled], [&cancelled, SERIES]] {
        let report = series_days(&order, &["2025-06-03", "2025-06-17", "2025-06-24"]);
        assert_eq!((report.notes.count(Note::Cancelled), report.events), (1, 1));
        assert!(report.completeness.allows_deletions(), "{report:?}");
    }
    let all: Vec<String> = ["03", "10", "17", "24"]
        .iter()
        .map(|day| change(&format!("RECURRENCE-ID:202506{day}T190000\nSTATUS:CANCELLED")))
        .collect();
    let mut records: Vec<&str> = all.iter().map(String::as_str).collect();
    records.push(SERIES);
    assert!(joined(&records).0.is_empty(), "a series whose every time is cancelled is no event");
    // A time that the series does not have, and a series that is not in the feed.
    series_days(
        &[SERIES, &change("RECURRENCE-ID:20250611T190000\nSTATUS:CANCELLED")],
        &["2025-06-03", "2025-06-10", "2025-06-17", "2025-06-24"],
    );
    assert!(joined(&[&cancelled]).0.is_empty());
}

#[test]
fn a_change_of_all_later_times_ends_the_series_before_it() {
    let series_until = |rule: &str| SERIES.replace("COUNT=4", rule);
    let change = change("RECURRENCE-ID;RANGE=THISANDFUTURE:20250617T190000\nDTSTART:20250618T200000");
    for rule in ["COUNT=4", "UNTIL=20251231", "INTERVAL=1", "COUNT=4\nRDATE:20250618T120000,20250611T120000"]
    {
        let series = series_until(rule);
        let expected: &[&str] = if rule.contains("RDATE") {
            &["2025-06-03", "2025-06-10", "2025-06-11"]
        } else {
            &["2025-06-03", "2025-06-10"]
        };
        let report = series_days(&[&change, &series], expected);
        assert_eq!((report.notes.count(Note::ThisAndFuture), report.events), (1, 2));
    }
    let cancelled = change.replace("SUMMARY:B", "SUMMARY:B\nSTATUS:CANCELLED");
    let report = series_days(&[SERIES, &cancelled], &["2025-06-03", "2025-06-10"]);
    assert!(!report.notes.contains(Note::ThisAndFuture), "all that it says was followed");
    let from_the_first = change.replace("20250617", "20250603");
    assert_eq!(titles(&joined(&[SERIES, &from_the_first]).0), ["B"]);
}

#[test]
fn an_added_time_may_be_changed_too() {
    let series = SERIES.replace("COUNT=4", "COUNT=2\nRDATE:20250610T110000");
    let change = change("RECURRENCE-ID:20250610T110000\nDTSTART:20250612T110000");
    let (events, _) = joined(&[&series, &change]);
    let times: Vec<_> = events.iter().flat_map(occurrences).collect();
    // The series' own time of that day stays.
    assert!(times.contains(&"2025-06-10T19:00:00+02:00".to_owned()), "{times:?}");
    assert!(times.contains(&"2025-06-12T11:00:00+02:00".to_owned()) && times.len() == 3, "{times:?}");
}

#[test]
fn a_change_that_cannot_be_read_does_not_leave_the_old_time() {
    let limits = Limits { token: 400, ..Limits::default() };
    let large = change(&format!("RECURRENCE-ID:20250610T190000\nDESCRIPTION:{}", "x".repeat(1000)));
    let untitled = large.replace("SUMMARY:B", "X-A:b");
    for record in [&large, &untitled] {
        let map = map(MAP);
        let mut feed = Feed::with_limits(&map, limits);
        feed.push(calendar(&format!("{record}\n{SERIES}")).as_bytes());
        feed.finish();
        let event = feed.next_event().expect("the series");
        assert_eq!(days(&event), ["2025-06-03", "2025-06-17", "2025-06-24"]);
        assert!(feed.next_event().is_none() && !feed.report().completeness.allows_deletions());
    }
}

#[test]
fn series_have_a_limit_and_none_is_given_half() {
    let read = |limit: usize, records: &[&str]| {
        let map = map(MAP);
        let mut feed = Feed::with_limits(&map, Limits { series: limit, ..Limits::default() });
        feed.push(calendar(&records.join("\n")).as_bytes());
        feed.finish();
        let events: Vec<_> = std::iter::from_fn(|| feed.next_event()).collect();
        (events, feed.report())
    };
    let other = SERIES.replace("UID:1", "UID:2");
    let single = "BEGIN:VEVENT\nUID:3\nSUMMARY:C\nDTSTART:20250603T190000\nEND:VEVENT";
    let cancelled = change("RECURRENCE-ID:20250610T190000\nSTATUS:CANCELLED");
    let enough = (0..1 << 20).find(|limit| read(*limit, &[SERIES]).0.len() == 1).expect("a limit");
    assert!(enough < 8192, "{enough}");
    for (limit, kept) in [(2 * enough - 1, false), (2 * enough, true), (2 * enough + 1, true)] {
        let (events, report) = read(limit, &[SERIES, single, &other]);
        assert_eq!(titles(&events), if kept { vec!["C", "A", "A"] } else { vec!["C"] }, "{limit}");
        assert_eq!(
            (report.dropped, report.notes.contains(Note::TooManySeries)),
            if kept { (0, false) } else { (2, true) }
        );
        assert_eq!(report.completeness.allows_deletions(), kept);
    }
    // No room for a change: its series would be wrong.
    let (events, report) = read(enough, &[SERIES, &cancelled]);
    assert!(events.is_empty() && report.notes.contains(Note::TooManySeries), "{report:?}");
}

#[test]
fn a_calendar_of_many_pieces_joins_the_same() {
    let whole =
        calendar(&[SERIES, &change("RECURRENCE-ID:20250610T190000\nDTSTART:20250611T200000")].join("\n"));
    let at_once = read(MAP, whole.as_bytes()).0;
    for size in [1, 2, 3, 7, 50] {
        assert_eq!(crate::read_chunks(&map(MAP), whole.as_bytes().chunks(size)).0, at_once, "{size}");
    }
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the test measures real time")]
fn many_changes_of_endless_series_take_time_by_their_number() {
    let started = std::time::Instant::now();
    let series =
        SERIES.replace("DTSTART:20250603T190000", "DTSTART:19900603T190000").replace("COUNT=4", "INTERVAL=1");
    let changes: Vec<String> = (0..20_000)
        .map(|at| {
            let (year, month, day) = (2000 + at / 336, 1 + at / 28 % 12, 1 + at % 28);
            let range = if at == 19_999 { ";RANGE=THISANDFUTURE" } else { "" };
            change(&format!("RECURRENCE-ID{range}:{year}{month:02}{day:02}T190000\nSTATUS:CANCELLED"))
        })
        .collect();
    let mut records: Vec<&str> = changes.iter().map(String::as_str).collect();
    let rules = SERIES
        .replace("UID:1", "UID:2")
        .replace("RRULE:FREQ=WEEKLY;COUNT=4", &"RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30\n".repeat(500));
    records.extend([series.as_str(), rules.as_str()]);
    let (events, report) = joined(&records);
    assert_eq!((events.len(), report.notes.count(Note::Cancelled)), (2, 20_000));
    assert!(!events[0].when().excluded.is_empty() && !events[0].when().is_endless());
    assert!(started.elapsed().as_secs() < 20, "took {:?}", started.elapsed());
}
