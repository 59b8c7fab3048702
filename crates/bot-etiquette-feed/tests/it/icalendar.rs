//! iCalendar feeds, read.

use bot_etiquette_feed::{Event, Feed, Limits, Note, Report, SourceMap, Verdict};
use proptest::prelude::*;

use crate::{description, map, occurrences, read, read_chunks, title, titles};

pub(crate) const MAP: &str = "source = \"press\"\nformat = \"icalendar\"\nzone = \"Europe/Madrid\"\nlanguage = \"es\"\n[attribution]\nsource = \"A town\"\nlicense = \"CC BY 4.0\"\nlicense_url = \"https://creativecommons.org/licenses/by/4.0/\"\nlink = \"https://town.example/\"\n";

pub(crate) fn calendar(lines: &str) -> String {
    format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{}\r\nEND:VCALENDAR\r\n", lines.replace('\n', "\r\n"))
}

pub(crate) fn event_of(lines: &str) -> String {
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
fn a_duration_tells_the_end_where_no_end_is_told() {
    for (start, duration, end) in [
        (":20250603T190000", "PT1H30M", Some("2025-06-03T20:30:00+02:00")),
        (":20250603T190000", "+P1DT2H", Some("2025-06-04T21:00:00+02:00")),
        (":20250603T190000", "P2W", Some("2025-06-17T19:00:00+02:00")),
        (":20250603T190000", "PT90S", Some("2025-06-03T19:01:30+02:00")),
        (":20250603T190000", "PT0S", None),
        // A day by the calendar and a day by the clock.
        (":20250329T120000", "P1D", Some("2025-03-30T12:00:00+02:00")),
        (":20250329T120000", "PT24H", Some("2025-03-30T13:00:00+02:00")),
        (";TZID=America/New_York:20251101T120000", "P1D", Some("2025-11-02T18:00:00+01:00")),
        (";VALUE=DATE:20250603", "P1D", Some("2025-06-03")),
        (";VALUE=DATE:20250603", "P3D", Some("2025-06-05")),
        (";VALUE=DATE:20250603", "P1W", Some("2025-06-09")),
        (";VALUE=DATE:20250603", "P0D", None),
    ] {
        let lines = format!("DTSTART{start}\nDURATION:{duration}");
        let (event, report) = one(&lines);
        assert_eq!(event.when().runs[0].end.as_ref().map(ToString::to_string).as_deref(), end, "{lines}");
        assert!(report.notes.is_empty(), "{lines}: {report:?}");
    }
    for (start, duration) in [
        (":20250603T190000", "-PT1H"),
        (":20250603T190000", "P"),
        (":20250603T190000", "PT"),
        (":20250603T190000", "P1DT"),
        (":20250603T190000", "P1W2D"),
        (":20250603T190000", "PT1M1H"),
        (":20250603T190000", "P1Y"),
        (":20250603T190000", "PT1.5H"),
        (":20250603T190000", "P9999999999D"),
        (":20250603T190000", "P999999999D"),
        (":20250603T190000", "two hours"),
        (";VALUE=DATE:20250603", "PT24H"),
        (";VALUE=DATE:20250603", "-P1D"),
    ] {
        let (event, report) = one(&format!("DTSTART{start}\nDURATION:{duration}"));
        assert_eq!((event.when().runs.len(), event.when().runs[0].end.is_none()), (1, true), "{duration}");
        assert_eq!(report.notes.iter().collect::<Vec<_>>(), [(Note::BadDuration, 1)], "{duration}");
    }
    let both = "DTSTART:20250603T190000\nDURATION:-PT5H\nDTEND:20250603T200000";
    reads(both, "2025-06-03T19:00:00+02:00", Some("2025-06-03T20:00:00+02:00"), &[]);
}

#[test]
fn an_evening_that_ends_after_midnight_takes_place_once() {
    let (event, _) =
        one("DTSTART:20250603T220000\nDTEND:20250604T013000\nEXDATE:20250610T220000\nRDATE:20250611T220000");
    assert_eq!(occurrences(&event), ["2025-06-03T22:00:00+02:00", "2025-06-11T22:00:00+02:00"]);
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
