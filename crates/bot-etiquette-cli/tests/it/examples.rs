//! The files that the README's commands name, as a reader finds them under examples/.

use std::path::Path;

use crate::run::{Folder, with_stdin};

fn example(file: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(file).display().to_string()
}

#[test]
fn the_events_play_against_a_bots_policy() {
    let policy = example("policies/site-snapshot.toml");
    let events = example("events.ndjson");
    let ended = with_stdin(&["politeness", "simulate", "--json", "--policy", &policy, &events], b"");
    let answers: Vec<serde_json::Value> =
        ended.exits(0).stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told: Vec<_> = answers
        .iter()
        .map(|answer| {
            (answer["at"].as_f64().unwrap(), answer["decision"].as_str().unwrap(), answer["until"].as_f64())
        })
        .collect();
    assert_eq!(
        told,
        [
            (0.0, "go", None),
            (0.2, "wait", Some(1.0)),
            (1.4, "go", None),
            (60.0, "wait", Some(121.6)),
            (121.6, "go", None),
            (123.0, "wait", Some(132.0)),
            (132.0, "go", None),
            (2000.0, "never", None),
        ]
    );
}

#[test]
fn the_scenario_is_served() {
    let ended =
        with_stdin(&["referee", "--scenario", &example("scenario.toml"), "--for", "0.1", "--json"], b"");
    assert_eq!(ended.exits(0).json()["requests"], 0);
    assert!(
        ended.stderr.contains("library.example http://127.0.0.2:") && ended.stderr.contains("map.example")
    );
}

#[test]
fn a_log_of_a_whole_site_is_held_against_a_bots_configuration() {
    let folder = Folder::new("examples-log");
    let line = |second: u32, path: &str, agent: &str| {
        format!(
            "::1 - - [10/Oct/2027:13:55:{second} +0000] \"GET {path} HTTP/1.1\" 200 5 \"-\" \"{agent}\"\n"
        )
    };
    let own = "CityVibeBot/1.0 (+https://cityvibe.guide/bot-info)";
    let log =
        line(10, "/feed.json", own) + &line(10, "/", "Mozilla/5.0 (X11)") + &line(12, "/feed.json", own);
    folder.write("access.log", &log);
    let promise = example("identities/city-vibe.toml");
    let read = |more: &[&str]| {
        folder.run(&[&["referee", "--log", "access.log", "--promise", &promise, "--json"], more].concat())
    };
    let report = read(&["--agent", "CityVibeBot"]).exits(0).json();
    assert_eq!((&report["schema"], &report["requests"]), (&1.into(), &2.into()));
    assert!(report["unseen"].as_array().unwrap().iter().any(|rule| rule == "unconditional"), "{report}");
    let all = read(&[]).exits(1).json();
    assert_eq!(all["violations"][0]["rule"], "user-agent", "{all}");
    // From one second's mark to the next it was less than two seconds for certain.
    folder.write("access.log", log.replace("10/Oct/2027:13:55:12", "10/Oct/2027:13:55:11"));
    assert_eq!(read(&["--agent", "cityvibebot"]).exits(1).json()["violations"][0]["rule"], "min-delay");
    folder.write("access.log", "::1 - - [10/Oct/2027:13:55:10 +0000] \"GET / HTTP/1.1\" 200 5\n");
    read(&["--agent", "CityVibeBot"]).refuses("access.log: line 1: names no User-Agent");
}
