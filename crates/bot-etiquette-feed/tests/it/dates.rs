use bot_etiquette_feed::{Event, Note, Report};
use std::time::{Duration, UNIX_EPOCH};

use crate::{occurrences, only};

fn json(members: &str) -> (Event, Report) {
    only("json", format!("{{\"items\":[{{\"id\":1,\"title\":\"A\",{members}}}]}}").as_bytes())
}

fn run(event: &Event) -> (String, Option<String>) {
    let run = event.when().runs.first().expect("a run");
    (run.start.to_string(), run.end.as_ref().map(ToString::to_string))
}

#[track_caller]
fn reads(members: &str, start: &str, end: Option<&str>, notes: &[Note]) {
    let (event, report) = json(members);
    let (actual_start, actual_end) = run(&event);
    assert_eq!((actual_start.as_str(), actual_end.as_deref()), (start, end), "{members}");
    for note in Note::ALL {
        assert_eq!(report.notes.contains(*note), notes.contains(note), "{members}: {note:?}");
    }
}

#[test]
fn dates_in_the_forms_feeds_write() {
    for (from, start) in [
        ("2025-10-25 19:00:00.0", "2025-10-25T19:00:00+02:00"),
        ("2025-10-25 00:00:00.0", "2025-10-25"),
        ("2025-10-25", "2025-10-25"),
        ("2025-07-01 19:00", "2025-07-01T19:00:00+02:00"),
        ("2025-12-01 19:00", "2025-12-01T19:00:00+01:00"),
        ("2005-01-16T15:08Z", "2005-01-16T16:08:00+01:00"),
        ("2026-04-22T17:00:05.721+02:00", "2026-04-22T17:00:05+02:00"),
        ("25/10/2025", "2025-10-25"),
        ("5/1/2026 9:30", "2026-01-05T09:30:00+01:00"),
        ("Tue, 03 Jun 2025 10:00:00 CEST", "2025-06-03T10:00:00+02:00"),
        ("Tue, 03 Jun 2025 10:00:00 GMT", "2025-06-03T12:00:00+02:00"),
        ("Tue, 03 Jun 2025 24:00:00 +0200", "2025-06-04T00:00:00+02:00"),
        ("Thu, 03 Sep 15 00:01:01 +0200", "2015-09-03T00:01:01+02:00"),
        ("Tue, 18 Sept 2018 15:53:56 +0300", "2018-09-18T14:53:56+02:00"),
        ("martes, 3 de junio de 2025", "2025-06-03"),
        ("3 de junio de 2025 a las 19:00 horas", "2025-06-03T19:00:00+02:00"),
        ("Dimarts 3 de juny de 2025, 19.30 h", "2025-06-03T19:30:00+02:00"),
        ("1 d'agost de 2025", "2025-08-01"),
        ("3 juillet 2025", "2025-07-03"),
        ("3 juin 2025", "2025-06-03"),
        ("3. Dezember 2025", "2025-12-03"),
        ("25/10/2025, 21:00", "2025-10-25T21:00:00+02:00"),
        ("25/10/2025 21:00h", "2025-10-25T21:00:00+02:00"),
        ("25-10-2025", "2025-10-25"),
        ("25.10.2025 21:00", "2025-10-25T21:00:00+02:00"),
        ("3/6/25", "2025-06-03"),
        ("2025/10/25", "2025-10-25"),
        ("2025-6-3", "2025-06-03"),
        ("20250603", "2025-06-03"),
        ("20250603T190000Z", "2025-06-03T21:00:00+02:00"),
        ("2025-06-03T19:00:00+02:00[Europe/Madrid]", "2025-06-03T19:00:00+02:00"),
        ("2025-06-03T13:00[America/New_York]", "2025-06-03T19:00:00+02:00"),
    ] {
        reads(&format!("\"from\":\"{from}\""), start, None, &[]);
    }
}

#[test]
fn a_winter_zone_in_summer_is_read_as_written_and_told() {
    reads(
        "\"from\":\"Tue, 03 Jun 2025 10:00:00 CET\"",
        "2025-06-03T11:00:00+02:00",
        None,
        &[Note::WrongZone],
    );
    reads(
        "\"from\":\"Tue, 02 Dec 2025 10:00:00 CEST\"",
        "2025-12-02T09:00:00+01:00",
        None,
        &[Note::WrongZone],
    );
}

#[test]
fn a_start_in_words_may_be_a_range_or_a_list() {
    for (from, start, end) in [
        ("del 3 al 15 de junio de 2026", "2026-06-03", "2026-06-15"),
        ("Del 30 de mayo al 3 de junio de 2026", "2026-05-30", "2026-06-03"),
        ("del 30 de diciembre de 2025 al 6 de enero de 2026", "2025-12-30", "2026-01-06"),
        ("Desde el viernes 3 hasta el domingo 5 de julio de 2026", "2026-07-03", "2026-07-05"),
        ("del 3 al 15 d'agost de 2026", "2026-08-03", "2026-08-15"),
        ("25/10/2025 - 28/10/2025", "2025-10-25", "2025-10-28"),
        ("Del 25/10/2025 al 28/10/2025", "2025-10-25", "2025-10-28"),
    ] {
        reads(&format!("\"from\":\"{from}\""), start, Some(end), &[]);
    }
    let (event, _) = json("\"from\":\"30 de mayo, 19 y 20 de junio de 2026\",\"hour\":\"19:00\"");
    assert_eq!(
        occurrences(&event),
        ["2026-05-30T19:00:00+02:00", "2026-06-19T19:00:00+02:00", "2026-06-20T19:00:00+02:00"]
    );
    for from in
        ["del 15 al 3 de junio de 2026", "19 y 31 de junio de 2026", "19 de junio", "2026", "13/13/2026"]
    {
        let (event, report) = json(&format!("\"from\":\"{from}\""));
        assert!(event.when().runs.is_empty() && report.notes.contains(Note::BadDate), "{from}");
    }
}

#[test]
fn lists_of_days_hold_times_and_ranges_and_tell_what_they_cannot_read() {
    let (event, _) = json("\"from\":\"2026-06-01 19:00\",\"also\":\"3/6/2026 21:00;4/6/2026\"");
    assert_eq!(
        occurrences(&event),
        ["2026-06-01T19:00:00+02:00", "2026-06-03T21:00:00+02:00", "2026-06-04T19:00:00+02:00"]
    );
    let (event, _) = json(
        "\"from\":\"2026-06-01\",\"to\":\"2026-06-05\",\"days\":\"1,2,3,4,5\",\"not\":\"del 2 al 4 de junio de 2026\"",
    );
    assert_eq!(occurrences(&event), ["2026-06-01", "2026-06-05"]);
    let (event, report) = json("\"from\":\"2026-06-01\",\"also\":\"3/6/2026;pronto;4/6/2026\"");
    assert_eq!((occurrences(&event).len(), report.notes.count(Note::BadDate)), (3, 1));
    let (event, report) = json("\"from\":\"2026-06-01\",\"also\":\"del 3 al 15 de junio\"");
    assert_eq!((occurrences(&event).len(), report.notes.count(Note::BadDate)), (1, 1));
}

#[test]
fn a_map_may_name_a_rule_and_a_duration_in_any_format() {
    let map = include_str!("../fixtures/json.toml")
        .replace("updated = ", "recurrence = \"rule\"\nduration = \"length\"\nupdated = ");
    let (event, report) = only(
        &map,
        br#"{"items":[{"id":1,"title":"A","from":"2025-10-20T19:00:00+02:00","rule":"FREQ=WEEKLY;COUNT=2","length":"PT2H"}]}"#,
    );
    // The wall clock of the source counts, whatever offset is written beside it.
    assert_eq!(occurrences(&event), ["2025-10-20T19:00:00+02:00", "2025-10-27T19:00:00+01:00"]);
    assert_eq!(run(&event).1.as_deref(), Some("2025-10-20T21:00:00+02:00"));
    assert!(report.notes.is_empty());
}

#[test]
fn a_time_may_stand_apart() {
    reads("\"from\":\"2025-10-25 00:00:00.0\",\"hour\":\"19:00\"", "2025-10-25T19:00:00+02:00", None, &[]);
    reads("\"from\":\"2025-10-25 00:00:00.0\",\"hour\":\"\"", "2025-10-25", None, &[]);
    reads("\"from\":\"2026-05-01\",\"hour\":\"19:00 h.\"", "2026-05-01T19:00:00+02:00", None, &[]);
    reads(
        "\"from\":\"2026-05-01\",\"hour\":\"De 12:00 a 14:00 horas\"",
        "2026-05-01T12:00:00+02:00",
        Some("2026-05-01T14:00:00+02:00"),
        &[],
    );
    reads(
        "\"from\":\"2026-05-01\",\"hour\":\"De 19 a 21 h\"",
        "2026-05-01T19:00:00+02:00",
        Some("2026-05-01T21:00:00+02:00"),
        &[],
    );
}

#[test]
fn hours_that_are_no_single_start_stay_words() {
    for hours in [
        "De martes a domingo de 10.00 a 13.30 horas y de 16.00 a 19.00 horas",
        "Según programa",
        "Todos los días.",
    ] {
        let (event, _) = json(&format!("\"from\":\"2026-05-01\",\"hour\":\"{hours}\""));
        assert_eq!(run(&event).0, "2026-05-01");
        assert_eq!(event.when().hours.as_deref(), Some(hours));
    }
}

#[test]
fn fillers_of_ends_are_no_times() {
    let end = |from: &str, to: &str, start: &str, end: Option<&str>, notes: &[Note]| {
        reads(&format!("\"from\":\"{from}\",\"to\":\"{to}\""), start, end, notes);
    };
    end(
        "2025-10-25 19:00:00.0",
        "2025-10-25 23:59:00.0",
        "2025-10-25T19:00:00+02:00",
        Some("2025-10-25"),
        &[],
    );
    end("2025-10-01", "2025-10-26 22:59:00.0", "2025-10-01", Some("2025-10-26"), &[]);
    end("2025-10-01", "2025-10-25 22:59:00.0", "2025-10-01", Some("2025-10-25T22:59:00+02:00"), &[]);
    end("2025-11-28 00:00:00.0", "2025-11-28 00:00:00.0", "2025-11-28", None, &[]);
    end(
        "2025-11-28 20:00",
        "2025-11-28 22:30",
        "2025-11-28T20:00:00+01:00",
        Some("2025-11-28T22:30:00+01:00"),
        &[],
    );
    end(
        "2025-11-28 22:00",
        "2025-11-28 01:30",
        "2025-11-28T22:00:00+01:00",
        Some("2025-11-29T01:30:00+01:00"),
        &[Note::Rolled],
    );
    end("2025-11-28", "2025-11-20", "2025-11-28", None, &[Note::EndBeforeStart]);
}

#[test]
fn the_nights_of_the_clock_changes() {
    let instant = |from: &str| {
        let (event, report) = json(&format!("\"from\":\"{from}\""));
        let Some(bot_etiquette_feed::Moment::Local(local)) = event.when().first() else { panic!("a time") };
        (local.to_string(), local.instant(), report.notes)
    };
    let (text, at, notes) = instant("2025-03-30 02:30");
    assert_eq!((text.as_str(), notes.contains(Note::Gap)), ("2025-03-30T03:30:00+02:00", true));
    assert_eq!(at, UNIX_EPOCH + Duration::from_secs(1_743_298_200));
    let (text, at, notes) = instant("2026-10-25 02:59");
    assert_eq!((text.as_str(), notes.contains(Note::Fold)), ("2026-10-25T02:59:00+02:00", true));
    assert_eq!(at, UNIX_EPOCH + Duration::from_secs(1_792_889_940));
}

#[test]
fn another_zone_is_another_instant() {
    let map = include_str!("../fixtures/json.toml").replace("Europe/Madrid", "Atlantic/Canary");
    let (event, _) = only(&map, br#"{"items":[{"id":1,"title":"A","from":"2025-07-01 19:00"}]}"#);
    assert_eq!(run(&event).0, "2025-07-01T19:00:00+01:00");
}

#[test]
fn fillers_of_starts_are_no_dates() {
    let (event, report) = json("\"from\":\"01/01/1970\"");
    assert!(event.when().runs.is_empty() && report.notes.contains(Note::FillerDate));
    let (event, report) = json("\"from\":\"pronto\"");
    assert!(event.when().runs.is_empty() && report.notes.contains(Note::BadDate));
}

#[test]
fn a_range_on_some_days_without_some_and_with_more() {
    let (event, _) = json(
        "\"from\":\"24/10/2025\",\"to\":\"26/10/2025\",\"days\":\"5,6,7\",\"not\":\"25/10/2025\",\"also\":\"28/10/2025\"",
    );
    assert_eq!(occurrences(&event), ["2025-10-24", "2025-10-26", "2025-10-28"]);
    let (event, _) = json("\"from\":\"20/10/2025\",\"to\":\"31/10/2025\",\"days\":\"7\"");
    assert_eq!(occurrences(&event), ["2025-10-26"]);
    let (event, _) = json("\"from\":\"2026-05-04\",\"to\":\"2026-05-10\",\"days\":\"M,X\"");
    assert_eq!(occurrences(&event), ["2026-05-05", "2026-05-06"]);
}

#[test]
fn a_weekly_series_keeps_its_time_over_a_clock_change_and_ignores_exclusions_outside() {
    let (event, _) = json(
        "\"from\":\"2025-09-16 17:00\",\"to\":\"2025-12-16 23:59\",\"days\":\"TU\",\"not\":\"23/9/2025;30/9/2025;7/10/2025;21/10/2025;28/10/2025;4/11/2025;18/11/2025;25/11/2025;2/12/2025;9/12/2025;23/12/2025;30/12/2025;\"",
    );
    assert_eq!(
        occurrences(&event),
        [
            "2025-09-16T17:00:00+02:00",
            "2025-10-14T17:00:00+02:00",
            "2025-11-11T17:00:00+01:00",
            "2025-12-16T17:00:00+01:00"
        ]
    );
    assert_eq!(event.when().excluded.len(), 12);
}

#[test]
fn days_in_words_are_a_list() {
    let (event, _) = json("\"also\":\"días 19 y 20 de junio de 2026\"");
    assert_eq!(occurrences(&event), ["2026-06-19", "2026-06-20"]);
}

#[test]
fn several_ranges_each_have_their_days() {
    let (event, _) = only(
        "xml",
        b"<list><event id='1'><title>A</title><dates><range><first>01/01/1970</first><days>4</days><last>01/01/1970</last></range><range><first>15/08/2026</first><last>16/08/2026</last></range><range><first>01/09/2026</first><days>5</days><last>05/09/2026</last></range></dates></event></list>",
    );
    assert_eq!(occurrences(&event), ["2026-08-15", "2026-09-04"]);
}
