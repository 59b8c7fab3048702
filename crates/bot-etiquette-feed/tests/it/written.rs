//! iCalendar files, written.

use bot_etiquette_feed::write_icalendar;
use std::time::{Duration, UNIX_EPOCH};

use crate::{occurrences, only, title};

fn written(lines: &str, now: u64) -> Vec<String> {
    let feed = crate::icalendar::event_of(lines);
    let (event, _) = only(crate::icalendar::MAP, feed.as_bytes());
    let now = UNIX_EPOCH + Duration::from_secs(now);
    let file = write_icalendar("-//x//EN", "es", [event.publish().expect("a link")], now);
    file.lines()
        .filter(|line| line.starts_with("DT") || line.starts_with("RDATE"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn icalendar_lines_are_folded_escaped_and_in_utc() {
    let (event, _) = only(
        "json",
        "{\"items\":[{\"id\":1,\"title\":\"Ñandú; uno, dos\",\"text\":\"<p>é</p><p>más de setenta y cinco octetos para que la línea tenga que doblarse aquí mismo, señor</p>\",\"from\":\"2025-10-21 19:00\",\"to\":\"2025-10-28 23:59\",\"days\":\"TU\"}]}".as_bytes(),
    );
    let now = UNIX_EPOCH + Duration::from_secs(1_761_000_000);
    let file = write_icalendar("-//A town//Feed//ES", "es", [event.publish().expect("a link")], now);
    assert!(file.lines().all(|line| line.len() <= 75) && file.ends_with("END:VCALENDAR\r\n"));
    assert_eq!(file.matches('\n').count(), file.matches("\r\n").count());
    let unfolded = file.replace("\r\n ", "");
    for line in [
        "SUMMARY:Ñandú\\; uno\\, dos",
        "DTSTART:20251021T170000Z",
        "RDATE:20251028T180000Z",
        "UID:town:1",
        "URL:https://town.example/data",
        "DTSTAMP:20251020T224000Z",
    ] {
        assert!(unfolded.contains(&format!("{line}\r\n")), "{line} in {unfolded}");
    }
    assert!(unfolded.contains("\\nA town - CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)"));
}

#[test]
fn icalendar_days_end_before_the_next() {
    let (event, _) =
        only("json", br#"{"items":[{"id":1,"title":"A","from":"2025-06-03","to":"2025-06-05"}]}"#);
    let file = write_icalendar("-//x//EN", "es", [event.publish().expect("a link")], UNIX_EPOCH);
    assert!(file.contains("DTSTART;VALUE=DATE:20250603\r\nDTEND;VALUE=DATE:20250606\r\n"));
    assert_eq!(title(&event), "A");
}

#[test]
fn icalendar_lists_the_times_of_a_series_each_as_long_as_the_first() {
    assert_eq!(
        written(
            "DTSTART:20251019T190000\nDURATION:PT90M\nRRULE:FREQ=WEEKLY;COUNT=3\nRDATE:20251101T100000",
            0
        ),
        [
            "DTSTAMP:19700101T000000Z",
            "DTSTART:20251019T170000Z",
            "DTEND:20251019T183000Z",
            "RDATE:20251026T180000Z",
            "RDATE:20251101T090000Z",
            "RDATE:20251102T180000Z"
        ]
    );
    assert_eq!(
        written("DTSTART;VALUE=DATE:20250603\nDTEND;VALUE=DATE:20250605\nRRULE:FREQ=MONTHLY;COUNT=2", 0)[1..],
        ["DTSTART;VALUE=DATE:20250603", "DTEND;VALUE=DATE:20250605", "RDATE;VALUE=DATE:20250703"]
    );
    let (event, _) = only(
        "json",
        br#"{"items":[{"id":1,"title":"A","from":"2025-10-21 19:00","to":"2025-10-28 21:00","days":"TU"}]}"#,
    );
    let file = write_icalendar("-//x//EN", "es", [event.publish().expect("a link")], UNIX_EPOCH);
    assert!(
        file.contains("DTSTART:20251021T170000Z\r\nDTEND:20251021T190000Z\r\nRDATE:20251028T180000Z\r\n"),
        "{file}"
    );
}

#[test]
fn icalendar_lists_an_endless_series_around_now() {
    // 2026-11-30 in UTC.
    let lines = written("DTSTART;VALUE=DATE:20100101\nRRULE:FREQ=MONTHLY", 1_796_000_000);
    assert_eq!(lines[1], "DTSTART;VALUE=DATE:20251201");
    assert_eq!(lines.last().map(String::as_str), Some("RDATE;VALUE=DATE:20281201"));
    // One that is yet to begin is listed all the same.
    let lines = written("DTSTART;VALUE=DATE:20400101\nRRULE:FREQ=YEARLY", 1_796_000_000);
    assert_eq!((lines[1].as_str(), lines.len()), ("DTSTART;VALUE=DATE:20400101", 12));
}

#[test]
fn icalendar_texts_cannot_break_out_of_their_line() {
    let feed = r#"{"items":[{"id":"a,b;c","title":"x\r\nATTENDEE:mailto\\;y,z","text":"<p>uno</p><p>dos\\ n</p>"}]}"#;
    let (event, _) = only(
        include_str!("../fixtures/json.toml"),
        feed.replace("\"id\"", "\"from\":\"2026-05-01\",\"id\"").as_bytes(),
    );
    let events = [event.publish().expect("a link")];
    let file = write_icalendar("-//x\r\nX:y//EN", "es", events, UNIX_EPOCH).replace("\r\n ", "");
    let names: Vec<_> = file.lines().map(|line| line.split([':', ';']).next().unwrap_or_default()).collect();
    assert_eq!(
        names,
        [
            "BEGIN",
            "VERSION",
            "PRODID",
            "BEGIN",
            "UID",
            "DTSTAMP",
            "DTSTART",
            "SUMMARY",
            "DESCRIPTION",
            "URL",
            "END",
            "END"
        ]
    );
    for line in [
        "UID:town:a\\,b\\;c\r\n",
        "SUMMARY:x ATTENDEE:mailto\\\\\\;y\\,z\r\n",
        "DESCRIPTION:uno\\ndos\\\\ n\\nA town",
    ] {
        assert!(file.contains(line), "{line:?} in {file:?}");
    }
    // What is written is read back.
    let (back, _) = only(crate::icalendar::MAP, file.as_bytes());
    assert_eq!(title(&back), title(&event));
    assert_eq!(occurrences(&back), occurrences(&event));
}

#[test]
fn icalendar_folds_no_character_apart_at_any_length() {
    for letter in ["x", "é", "€", "😀"] {
        for length in 15..60 {
            let name = format!("{}{}", "a".repeat(length % 4), letter.repeat(length));
            let (event, _) = only(
                "json",
                format!("{{\"items\":[{{\"id\":1,\"title\":\"{name}\",\"from\":\"2026-05-01\"}}]}}")
                    .as_bytes(),
            );
            let file = write_icalendar("-//x//EN", "es", [event.publish().expect("a link")], UNIX_EPOCH);
            assert!(file.split("\r\n").all(|line| line.len() <= 75), "{file}");
            assert!(file.replace("\r\n ", "").contains(&format!("SUMMARY:{name}\r\n")), "{file}");
        }
    }
}
