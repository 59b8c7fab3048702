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
        ended.stderr.contains("feed-wrong.toml: field `begin` of the records at ``: no such field"),
        "{}",
        ended.stderr
    );
    let ended = run::with_stdin(&["extract", "feed", "--map", "/no/such.toml", "-"], b"");
    assert_eq!(ended.code, 2);
}
