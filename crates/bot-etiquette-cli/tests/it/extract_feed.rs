use std::path::Path;

use crate::run;

const MAP: &str = r#"
source = "town"
format = "csv"
zone = "Europe/Madrid"
language = "es"
[attribution]
source = "A town"
license = "CC BY 4.0"
license_url = "https://creativecommons.org/licenses/by/4.0/"
[fields]
key = "ID"
title = "TITLE"
start = "FROM"
link = "URL"
"#;

fn name(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_feed_becomes_one_object_with_events_and_a_report() {
    let map = name(&run::file("feed.toml", MAP.as_bytes()));
    let feed = b"ID;TITLE;FROM;URL;MAIL\n1;Cine 600 123 456;2026-05-01;https://x.example/1;canary@example.org\n2;Sin enlace;;;\n";
    let ended = run::with_stdin(&["extract", "feed", "--json", "--map", &map, "-"], feed);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    let object = ended.json();
    assert_eq!((&object["schema"], &object["unpublished"]), (&1.into(), &1.into()));
    let event = &object["events"][0];
    assert_eq!(event["key"], "town:1");
    assert_eq!(event["titles"][0]["text"], "Cine");
    assert_eq!(event["when"]["runs"][0]["start"], "2026-05-01");
    assert_eq!(event["attribution"]["license"], "CC BY 4.0");
    assert_eq!(object["report"]["completeness"]["verdict"], "complete");
    assert_eq!(object["report"]["scrubbed"]["phones"], 1);
    assert!(!ended.stdout.contains("canary"));
}

#[test]
fn one_bad_record_of_a_json_feed_loses_no_other() {
    let map = MAP
        .replace("\"csv\"", "\"json\"")
        .replace("ID", "id")
        .replace("TITLE", "title")
        .replace("FROM", "from")
        .replace("URL", "url");
    let map = name(&run::file("feed-bad-record.toml", map.as_bytes()));
    let day = r#""from":"2026-05-01","url":"https://x.example/1""#;
    let feed = format!(
        r#"[{{"id":1,"title":"A",{day}}},{{"id":2,,{day},"title":}},{{"id":3,"title":"C" {day}}} {{"id":4,"title":"D",{day}}}]"#
    );
    let ended = run::with_stdin(&["extract", "feed", "--json", "--map", &map, "-"], feed.as_bytes());
    let object = ended.json();
    assert_eq!(
        (ended.code, &object["report"]["completeness"]["verdict"]),
        (0, &"complete".into()),
        "{object}"
    );
    let keys: Vec<_> =
        object["events"].as_array().unwrap().iter().map(|event| event["key"].clone()).collect();
    assert_eq!(keys, ["town:1", "town:3", "town:4"]);
    assert_eq!(object["report"]["dropped"], 1, "an event without a title is none");
    assert_eq!(object["report"]["notes"]["json-repair"], 4);
}

#[test]
fn an_error_page_and_a_cut_feed_are_a_no() {
    let map = name(&run::file("feed-no.toml", MAP.as_bytes()));
    let page =
        run::with_stdin(&["extract", "feed", "--json", "--map", &map, "-"], b"<!doctype html><p>down</p>");
    assert_eq!((page.code, &page.json()["report"]["completeness"]["verdict"]["outage"]), (1, &"html".into()));
    let cut = run::with_stdin(&["extract", "feed", "--map", &map, "-"], b"ID;TITLE;FROM;URL\n1;\"Cine;2026");
    assert_eq!((cut.code, cut.stdout.as_str()), (1, ""));
    assert!(cut.stderr.contains("verdict: Truncated"));
}

#[test]
fn a_wrong_map_is_named_with_its_field() {
    let map = name(&run::file("feed-wrong.toml", MAP.replace("start =", "begin =").as_bytes()));
    let ended = run::with_stdin(&["extract", "feed", "--map", &map, "-"], b"");
    assert_eq!((ended.code, ended.stdout.as_str()), (2, ""));
    assert!(
        ended.stderr.contains("feed-wrong.toml: line 13: fields.begin: no such field"),
        "{}",
        ended.stderr
    );
    let ended = run::with_stdin(&["extract", "feed", "--map", "/no/such.toml", "-"], b"");
    assert_eq!(ended.code, 2);
}

#[test]
fn what_cannot_be_read_prints_nothing_and_names_the_file_and_a_fix() {
    let map = name(&run::file("feed-unread.toml", MAP.as_bytes()));
    let folder = name(Path::new(env!("CARGO_MANIFEST_DIR")));
    for file in [folder.as_str(), "/no/such.csv"] {
        let ended = run::with_stdin(&["extract", "feed", "--json", "--map", &map, file], b"");
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{file}");
        assert!(ended.stderr.contains(file) && ended.stderr.contains("give the path"), "{}", ended.stderr);
    }
    let ended = run::with_stdin(&["extract", "feed", "--map", "-", "-"], MAP.as_bytes());
    assert_eq!((ended.code, ended.stdout.as_str()), (2, ""));
    assert!(ended.stderr.contains("stdin can be read only once"), "{}", ended.stderr);
    let broken = name(&run::file("feed-broken.toml", b"source = \"town\"\nformat = \"html\"\n"));
    let ended = run::with_stdin(&["extract", "feed", "--map", &broken, "-"], b"");
    assert_eq!(
        (ended.code, ended.stderr.contains("feed-broken.toml"), ended.stderr.contains("line 2")),
        (2, true, true),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_feed_of_another_kind_is_a_no_and_leaves_no_trace_of_its_words() {
    let map = name(&run::file("feed-foreign.toml", MAP.as_bytes()));
    let args = ["extract", "feed", "--json", "--map", map.as_str(), "-"];
    for (bytes, outage) in [
        (&b"Service unavailable, write to canary@example.org"[..], "foreign"),
        (b"", "empty"),
        (b"<!-- canary -->\n<html><body>canary</body></html>", "html"),
        (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", "compressed"),
    ] {
        let ended = run::with_stdin(&args, bytes);
        assert_eq!(ended.code, 1);
        assert_eq!(ended.json()["report"]["completeness"]["verdict"]["outage"], outage);
        assert!(!ended.stdout.contains("canary") && !ended.stderr.contains("canary"));
    }
}

#[test]
fn a_rule_of_a_calendar_is_printed_with_its_first_time() {
    let head = MAP.split("[fields]").next().unwrap().replace("\"csv\"", "\"icalendar\"");
    let map =
        name(&run::file("feed-ics.toml", format!("{head}link = \"https://town.example/\"\n").as_bytes()));
    let feed = b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:Mercado\nDTSTART:20260503T100000\nDURATION:PT2H\nRRULE:FREQ=MONTHLY;BYDAY=1SU\nEND:VEVENT\nBEGIN:VEVENT\nUID:1\nRECURRENCE-ID:20260607T100000\nSTATUS:CANCELLED\nEND:VEVENT\nEND:VCALENDAR\n";
    let ended = run::with_stdin(&["extract", "feed", "--json", "--map", &map, "-"], feed);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    let object = ended.json();
    let when = &object["events"][0]["when"];
    assert_eq!(when["runs"][0]["end"], "2026-05-03T12:00:00+02:00");
    assert_eq!(
        when["runs"][0]["recurrence"],
        "DTSTART;TZID=Europe/Madrid:20260503T100000\nRRULE:FREQ=MONTHLY;BYDAY=1SU"
    );
    assert_eq!(when["excluded"], serde_json::json!(["2026-06-07"]));
    assert_eq!(object["report"]["notes"], serde_json::json!({"cancelled": 1}));
}
