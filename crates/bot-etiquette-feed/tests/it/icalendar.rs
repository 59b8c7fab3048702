//! iCalendar feeds, read.

use bot_etiquette_feed::{Event, Feed, Limits, Note, Report, SourceMap, Verdict};
use proptest::prelude::*;

use crate::{description, map, occurrences, read, read_chunks, title, titles};

const MAP: &str = "source = \"press\"\nformat = \"icalendar\"\nzone = \"Europe/Madrid\"\nlanguage = \"es\"\n[attribution]\nsource = \"A town\"\nlicense = \"CC BY 4.0\"\nlicense_url = \"https://creativecommons.org/licenses/by/4.0/\"\nlink = \"https://town.example/\"\n";

fn calendar(lines: &str) -> String {
    format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{}\r\nEND:VCALENDAR\r\n", lines.replace('\n', "\r\n"))
}

fn event_of(lines: &str) -> String {
    calendar(&format!("BEGIN:VEVENT\nUID:1\nSUMMARY:A\n{lines}\nEND:VEVENT"))
}

#[track_caller]
fn one(lines: &str) -> (Event, Report) {
    let (mut events, report) = read(MAP, event_of(lines).as_bytes());
    assert_eq!((events.len(), report.completeness.verdict), (1, Verdict::Complete), "{report:?}");
    (events.remove(0), report)
}

#[track_caller]
fn reads(lines: &str, start: &str, end: Option<&str>, notes: &[Note]) {
    let (event, report) = one(lines);
    let run = event.when().runs.first().expect("a run");
    let actual = (run.start.to_string(), run.end.as_ref().map(ToString::to_string));
    assert_eq!((actual.0.as_str(), actual.1.as_deref()), (start, end), "{lines}");
    for note in Note::ALL {
        assert_eq!(report.notes.contains(*note), notes.contains(note), "{lines}: {note:?}");
    }
}

#[test]
fn the_end_of_days_is_exclusive() {
    reads("DTSTART;VALUE=DATE:20250603\nDTEND;VALUE=DATE:20250604", "2025-06-03", Some("2025-06-03"), &[]);
    reads("DTSTART;VALUE=DATE:20250603\nDTEND;VALUE=DATE:20250606", "2025-06-03", Some("2025-06-05"), &[]);
    reads(
        "DTSTART;VALUE=DATE:20250603\nDTEND;VALUE=DATE:20250603",
        "2025-06-03",
        None,
        &[Note::EndBeforeStart],
    );
}

#[test]
fn zones_in_every_form() {
    for (start, expected) in [
        ("DTSTART;TZID=Europe/Madrid:20250603T190000", "2025-06-03T19:00:00+02:00"),
        ("DTSTART;TZID=\"Europe/Madrid\":20250603T190000", "2025-06-03T19:00:00+02:00"),
        ("DTSTART;TZID=Romance Standard Time:20250603T190000", "2025-06-03T19:00:00+02:00"),
        (
            "DTSTART;TZID=/publisher.example/20240101/Europe/Lisbon:20250603T190000",
            "2025-06-03T20:00:00+02:00",
        ),
        ("DTSTART;X-A=\"b:c;d\";tzid=Atlantic/Canary:20251203T190000", "2025-12-03T20:00:00+01:00"),
        ("DTSTART:20250603T190000", "2025-06-03T19:00:00+02:00"),
        ("DTSTART:20250603T170000Z", "2025-06-03T19:00:00+02:00"),
        ("DTSTART:20250603T000000", "2025-06-03T00:00:00+02:00"),
    ] {
        reads(start, expected, None, &[]);
    }
    reads(
        "DTSTART;TZID=No Such Time:20250603T190000",
        "2025-06-03T19:00:00+02:00",
        None,
        &[Note::UnknownZone],
    );
    reads("DTSTART;TZID=Europe/Madrid:20250330T023000", "2025-03-30T03:30:00+02:00", None, &[Note::Gap]);
    reads("DTSTART;TZID=Europe/Madrid:20261025T025900", "2026-10-25T02:59:00+02:00", None, &[Note::Fold]);
    reads(
        "DTSTART:20250603T200000\nDTEND:20250604T000000",
        "2025-06-03T20:00:00+02:00",
        Some("2025-06-04T00:00:00+02:00"),
        &[],
    );
    let (event, report) = one("DTSTART:20260101T000000ZT000000Z");
    assert!(event.when().runs.is_empty() && report.notes.contains(Note::BadDate));
}

#[test]
fn a_line_may_be_folded_inside_a_character() {
    let mut bytes = calendar("BEGIN:VEVENT\nUID:1\nSUMMARY:Caf@\nEND:VEVENT").into_bytes();
    let at = bytes.iter().position(|byte| *byte == b'@').expect("the place");
    bytes.splice(at..=at, *b"\xC3\r\n \xA9 de\r\n\t noche");
    for size in 1..40 {
        let (events, _) = read_chunks(&map(MAP), bytes.chunks(size));
        assert_eq!(titles(&events), ["Café de noche"], "{size}");
    }
    let bare = String::from_utf8(bytes).expect_err("cut inside a character").into_bytes();
    let bare: Vec<u8> = bare.into_iter().filter(|byte| *byte != b'\r').collect();
    assert_eq!(titles(&read(MAP, &bare).0), ["Café de noche"]);
}

#[test]
fn texts_lists_and_what_is_never_read() {
    let (event, _) = one(
        "DESCRIPTION:uno\\, dos\\;\\ntres \\\\ p@example.org\nCATEGORIES:M\u{fa}sica\\, cine,Talleres\nORGANIZER;CN=\"A Person\":mailto:canary@example.org\nATTENDEE:mailto:canary@example.org\nCONTACT:canary\nGEO:40.4;-3.7\nURL:https://x.example/?a=1;b=2\\,3\nLOCATION:Teatro\\, sala 1\nBEGIN:VALARM\nDESCRIPTION:canary\nSUMMARY:canary\nEND:VALARM",
    );
    assert_eq!(description(&event), "uno, dos;\ntres \\");
    let categories: Vec<_> = event.categories().iter().map(|category| category.as_str()).collect();
    assert_eq!(categories, ["Música, cine", "Talleres"]);
    assert_eq!(event.place().point, Some((40.4, -3.7)));
    assert_eq!(event.place().venue.as_deref(), Some("Teatro, sala 1"));
    assert_eq!(title(&event), "A");
    assert!(!format!("{event:?}").contains("canary"));
}

#[test]
fn rules_of_days_and_weeks_are_runs() {
    for (rule, expected) in [
        ("RRULE:FREQ=WEEKLY;UNTIL=20250617", &["2025-06-03", "2025-06-10", "2025-06-17"][..]),
        ("RRULE:FREQ=WEEKLY;UNTIL=20250616T220000Z", &["2025-06-03", "2025-06-10", "2025-06-17"]),
        ("RRULE:FREQ=WEEKLY;UNTIL=20250616T215959Z", &["2025-06-03", "2025-06-10"]),
        ("RRULE:FREQ=WEEKLY;BYDAY=TU,TH;COUNT=3;WKST=MO", &["2025-06-03", "2025-06-05", "2025-06-10"]),
        ("RRULE:FREQ=DAILY;COUNT=2", &["2025-06-03", "2025-06-04"]),
        (
            "RRULE:FREQ=WEEKLY;COUNT=3\nEXDATE;TZID=Europe/Madrid:20250610T190000",
            &["2025-06-03", "2025-06-17"],
        ),
        (
            "RRULE:FREQ=WEEKLY;COUNT=2\nEXDATE:20250609T220000Z\nRDATE;VALUE=DATE:20250620,20250621",
            &["2025-06-03", "2025-06-20", "2025-06-21"],
        ),
    ] {
        let (event, report) = one(&format!("DTSTART:20250603T190000\nDTEND:20250603T210000\n{rule}"));
        let days: Vec<String> = occurrences(&event).iter().map(|at| at.chars().take(10).collect()).collect();
        assert_eq!(days, expected, "{rule}");
        assert!(!report.notes.contains(Note::Recurrence), "{rule}");
        assert!(occurrences(&event).iter().all(|at| at.ends_with("T19:00:00+02:00")));
    }
    for rule in [
        "FREQ=WEEKLY",
        "FREQ=MONTHLY;COUNT=3",
        "FREQ=WEEKLY;INTERVAL=2;COUNT=3",
        "FREQ=WEEKLY;BYDAY=1TU;COUNT=2",
        "FREQ=DAILY;COUNT=0",
        "FREQ=DAILY;COUNT=99999999999999999999",
        "FREQ=WEEKLY;UNTIL=20240101",
        "COUNT=3",
        "x",
    ] {
        let (event, report) = one(&format!("DTSTART:20250603T190000\nRRULE:{rule}"));
        assert_eq!(occurrences(&event), ["2025-06-03T19:00:00+02:00"], "{rule}");
        assert!(report.notes.contains(Note::Recurrence), "{rule}");
    }
}

#[test]
fn what_is_cancelled_is_left_out_without_a_doubt() {
    let feed = calendar(
        "BEGIN:VEVENT\nUID:1\nSUMMARY:A\nSTATUS:CANCELLED\nEND:VEVENT\nBEGIN:VEVENT\nUID:2\nSUMMARY:B\nSTATUS:CONFIRMED\nEND:VEVENT",
    );
    let (events, report) = read(MAP, feed.as_bytes());
    assert_eq!((titles(&events), report.notes.count(Note::Cancelled)), (vec!["B"], 1));
    assert!(report.completeness.allows_deletions(), "{report:?}");
}

#[test]
fn a_changed_time_of_a_series_is_an_event_of_its_own() {
    let feed = calendar(
        "BEGIN:VEVENT\nUID:1\nSUMMARY:A\nDTSTART:20250603T190000\nEND:VEVENT\nBEGIN:VEVENT\nUID:1\nRECURRENCE-ID:20250603T190000\nSUMMARY:B\nEND:VEVENT",
    );
    let keys: Vec<_> = read(MAP, feed.as_bytes()).0.iter().map(|event| event.key().to_string()).collect();
    assert_eq!(keys, ["press:1", "press:1|20250603T190000"]);
}

#[test]
fn a_calendar_cut_at_any_byte_is_seen() {
    let whole = calendar(
        "BEGIN:VEVENT\nUID:1\nSUMMARY:Caf\u{e9}\nEND:VEVENT\nBEGIN:VEVENT\nUID:2\nSUMMARY:Dos\nEND:VEVENT",
    );
    let (all, report) = read(MAP, whole.as_bytes());
    assert!(report.completeness.allows_deletions() && all.len() == 2, "{report:?}");
    // What is missing of the last line end is no loss.
    for cut in 0..whole.len() - 2 {
        let (events, report) = read(MAP, &whole.as_bytes()[..cut]);
        assert!(!report.completeness.allows_deletions(), "at {cut}: {report:?}");
        assert!(events.iter().zip(&all).all(|(event, known)| event == known), "at {cut}");
    }
    for what in ["", "not a calendar", "<html><body>x</body></html>", "SUMMARY:A\r\n"] {
        assert!(!read(MAP, what.as_bytes()).1.completeness.allows_deletions(), "{what}");
    }
}

#[test]
fn a_line_over_the_limit_costs_its_record_alone() {
    let limits = Limits { token: 1000, ..Limits::default() };
    for (length, kept) in [(999, true), (1000, true), (1001, false), (300_000, false)] {
        let feed = calendar(&format!(
            "BEGIN:VEVENT\nUID:1\nSUMMARY:A\nDESCRIPTION:{}\nEND:VEVENT\nBEGIN:VEVENT\nUID:2\nSUMMARY:B\nEND:VEVENT",
            "x".repeat(length)
        ));
        let map: SourceMap = map(MAP);
        let mut feed_of = Feed::with_limits(&map, limits);
        feed.as_bytes().chunks(100).for_each(|chunk| feed_of.push(chunk));
        feed_of.finish();
        let events: Vec<_> = std::iter::from_fn(|| feed_of.next_event()).collect();
        let expected: &[&str] = if kept { &["A", "B"] } else { &["B"] };
        if length != 1000 {
            assert_eq!(titles(&events), expected, "{length}");
            assert_eq!(feed_of.report().notes.contains(Note::TokenTooLarge), !kept);
        }
    }
}

proptest! {
    #[test]
    fn any_lines_end_in_a_report(text in "[A-Z:;=\"\\\\,T0-9\r\n ]{0,200}", size in 1_usize..50) {
        let feed = event_of(&text);
        let whole = read(MAP, feed.as_bytes());
        let parts = read_chunks(&map(MAP), feed.as_bytes().chunks(size));
        prop_assert_eq!(whole.0, parts.0);
        prop_assert_eq!(whole.1.completeness, parts.1.completeness);
    }
}
