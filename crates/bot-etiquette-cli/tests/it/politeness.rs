//! `politeness simulate`

use serde_json::{Value, json};

use crate::run::{Ended, file, with_stdin};

const POLICY: &str = "
    [default]
    min_delay = 1.0
    unreachable_first = 900
    busy_first = 60
    jitter = 0.5
    [group.cdn]
    hosts = ['*.cdn']
    per_second = 8
";

fn simulate(name: &str, policy: &str, more: &[&str], events: &str) -> Ended {
    let policy = file(name, policy.as_bytes());
    let mut arguments = vec!["politeness", "simulate", "--policy", policy.to_str().unwrap()];
    arguments.extend(more);
    arguments.push("-");
    with_stdin(&arguments, events.as_bytes())
}

/// The answers of events that are all understood.
#[track_caller]
fn answers(name: &str, more: &[&str], events: &str) -> Vec<Value> {
    let more: Vec<&str> = more.iter().copied().chain(["--json"]).collect();
    let ended = simulate(name, POLICY, &more, events);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_ask_is_answered_in_order() {
    let events = r#"{"at":0,"ask":"https://h/x"}
        {"at":0.5,"ask":"https://h/x"}

        {"at":0.5,"end":"https://h/x#part","status":503,"headers":[["Retry-After","120"],["bad name","x"]]}
        {"at":0.25,"ask":"https://H/x","class":"page","resource":"svc"}
        {"at":1,"kill":"h"}
        {"at":1,"ask":"https://h/robots.txt"}"#;
    assert_eq!(
        answers("answers.toml", &[], events),
        [
            json!({"schema":1,"at":0,"url":"https://h/x","decision":"go"}),
            json!({"schema":1,"at":0.5,"url":"https://h/x","decision":"wait","until":1,"reasons":["in-flight","min-delay"]}),
            json!({"schema":1,"at":0.25,"url":"https://H/x","decision":"wait","until":120.5,
                "reasons":["retry-after","busy","min-delay"]}),
            json!({"schema":1,"at":1,"url":"https://h/robots.txt","decision":"never",
                "reasons":["killed","retry-after","busy","min-delay"]}),
        ]
    );
}

#[test]
fn only_slots_that_are_missing_leave_the_time_open() {
    let events = "{\"at\":0,\"ask\":\"https://h/x\"}\n{\"at\":5,\"ask\":\"https://h/x\"}";
    let told = answers("slots.toml", &[], events);
    assert_eq!(
        told[1],
        json!({"schema":1,"at":5,"url":"https://h/x","decision":"wait","until":null,"reasons":["in-flight"]})
    );
}

#[test]
fn a_byte_order_mark_before_the_events_is_passed_over() {
    let events = "\u{feff}{\"at\":0,\"ask\":\"https://h/x\"}\n";
    assert_eq!(answers("bom", &[], events)[0]["decision"], "go");
}

#[test]
fn a_restart_forgets_who_was_open_and_nothing_else() {
    let events = r#"{"at":0,"ask":"https://h/x"}
        {"at":0,"set":"h","min_delay":20.0}
        {"at":5,"restart":true}
        {"at":6,"ask":"https://h/x"}
        {"at":6,"set":"h","min_delay":null}
        {"at":6,"ask":"https://h/x"}"#;
    let told = answers("restart.toml", &[], events);
    assert_eq!(told[1]["until"], 25);
    assert_eq!(told[2]["decision"], "go");
    let closed = format!("{events}\n{{\"at\":7,\"end\":\"https://h/y\",\"status\":200}}");
    let ended = simulate("restart2.toml", POLICY, &[], &closed);
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("line 7: no ask of https://h/y is open"), "{}", ended.stderr);
}

#[test]
fn a_time_that_ran_back_counts_as_the_latest_seen_over_a_restart_too() {
    let events = r#"{"at":0,"ask":"https://a.cdn/x"}
        {"at":2,"fail":"https://a.cdn/x","kind":"dns"}
        {"at":2,"ask":"https://b.cdn/x"}
        {"at":2,"end":"https://b.cdn/x","status":200}
        {"at":1.5,"restart":true}
        {"at":2,"ask":"https://c.cdn/x"}
        {"at":2.125,"ask":"https://b.cdn/x"}
        {"at":1,"ask":"https://a.cdn/x"}
        {"at":2.125,"ask":"https://c.cdn/x"}
        {"at":0,"restart":true}
        {"at":0,"ask":"https://c.cdn/x"}"#;
    let told = answers("back.toml", &[], events);
    let waits: Vec<_> =
        told[2..].iter().map(|told| (&told["at"], &told["until"], &told["reasons"])).collect();
    assert_eq!(
        waits,
        [
            (&json!(2), &json!(2.125), &json!(["group-rate"])),
            (&json!(2.125), &json!(3), &json!(["min-delay"])),
            (&json!(1), &json!(902), &json!(["unreachable", "min-delay"])),
            (&json!(2.125), &Value::Null, &Value::Null),
            (&json!(0), &json!(3.125), &json!(["min-delay", "group-rate"])),
        ]
    );
}

#[test]
fn a_date_is_read_at_the_latest_time_seen() {
    let events = r#"{"at":0,"ask":"https://h/x"}
        {"at":30,"kill":"other"}
        {"at":1,"end":"https://h/x","status":503,"headers":[["retry-after","Sat, 01 Jan 2028 00:01:00 GMT"]]}
        {"at":1,"set":"h","busy_first":null}
        {"at":1,"ask":"https://h/x"}"#;
    assert_eq!(answers("date.toml", &[], events)[1]["until"], 120);
}

#[test]
fn the_time_of_an_event_is_repeated_to_the_last_digit() {
    for at in ["0.1", "1e-7", "9.3132257461547852e-10", "1234567.8901234567", "4503599627370496.5"] {
        let ended =
            simulate("digits.toml", POLICY, &["--json"], &format!(r#"{{"at":{at},"ask":"https://h/"}}"#));
        let told = ended.exits(0).json()["at"].as_f64();
        assert_eq!(told, at.parse().ok(), "{}", ended.stdout);
    }
}

#[test]
fn what_is_told_of_a_host_that_finds_the_table_full_is_understood() {
    let events = r#"{"at":0,"ask":"https://h/x"}
        {"at":0,"robots":"https://g","crawl_delay":5}
        {"at":0,"report":"https://g/","outcome":"busy"}
        {"at":0,"ask":"https://g/"}
        {"at":1,"end":"https://h/x","status":200}
        {"at":1,"ask":"https://g/"}
        {"at":2,"ask":"https://g/"}"#;
    let ended = simulate("full.toml", "max_hosts = 1\n[default]\nmin_delay = 1.0", &["--json"], events);
    let told: Vec<Value> =
        ended.exits(0).stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&told[1]["decision"], &told[1]["reasons"]), (&json!("wait"), &json!(["table-full"])));
    assert_eq!((&told[2]["until"], &told[2]["reasons"]), (&json!(2), &json!(["table-full"])));
    assert_eq!(told[3]["decision"], "go");
}

#[test]
fn rules_that_are_set_count_what_was_asked_before() {
    let events = r#"{"at":0,"ask":"https://a.cdn/x","class":"file"}
        {"at":0,"end":"https://a.cdn/x","status":200}
        {"at":1,"ask":"https://a.cdn/y"}
        {"at":1,"end":"https://a.cdn/y","status":200}
        {"at":5,"set":"a.cdn","quota":[{"name":"two","limit":2,"window":100}],"revisit":{"file":50}}
        {"at":5,"ask":"https://a.cdn/x","class":"file"}
        {"at":5,"set":"a.cdn","quota":null,"revisit":null}
        {"at":5,"set":"group:cdn","quota":[{"name":"one","limit":1,"window":30}]}
        {"at":5,"ask":"https://b.cdn/x"}
        {"at":5,"set":"group:cdn","quota":null}
        {"at":5,"ask":"https://a.cdn/x","class":"file"}"#;
    let told = answers("later.toml", &[], events);
    assert_eq!((&told[2]["until"], &told[2]["reasons"]), (&json!(100), &json!(["quota", "revisit"])));
    assert_eq!((&told[3]["until"], &told[3]["reasons"]), (&json!(31), &json!(["quota"])));
    assert_eq!(told[4]["decision"], "go");
}

#[test]
fn dates_are_read_against_the_epoch() {
    let events = r#"{"at":0,"ask":"https://h/x"}
        {"at":1,"end":"https://h/x","status":429,"headers":[["retry-after","Sat, 01 Jan 2028 00:01:00 GMT"]]}
        {"at":1,"ask":"https://h/x"}"#;
    assert_eq!(answers("epoch.toml", &[], events)[1]["until"], 120);
    assert_eq!(answers("epoch.toml", &["--epoch", "2028-01-01T00:00:00Z"], events)[1]["until"], 61);
    assert_eq!(answers("epoch.toml", &["--epoch", "1830297600"], events)[1]["until"], 61);
}

#[test]
fn jitter_is_drawn_only_when_asked_for_and_the_same_for_a_seed() {
    let events = "{\"at\":0,\"ask\":\"https://h/x\"}\n{\"at\":0,\"fail\":\"https://h/x\",\"kind\":\"dns\"}\n{\"at\":0,\"ask\":\"https://h/x\"}";
    let until = |more: &[&str]| answers("jitter.toml", more, events)[1]["until"].as_f64().unwrap();
    assert_eq!(until(&[]), 900.0);
    let drawn = until(&["--jitter", "7"]);
    assert!((900.0..=1350.0).contains(&drawn) && drawn == until(&["--jitter", "7"]));
    assert_ne!(drawn, until(&["--jitter", "8"]));
}

#[test]
fn without_json_there_is_a_timeline_to_read() {
    let events = "{\"at\":0,\"ask\":\"https://a.cdn/\"}\n{\"at\":0,\"ask\":\"https://b.cdn/\"}\n{\"at\":0.5,\"robots\":\"http://b.cdn\",\"crawl_delay\":2}";
    let ended = simulate("timeline.toml", POLICY, &[], events);
    assert_eq!(
        ended.stdout,
        "         0 s  ask     https://a.cdn/  go
         0 s  ask     https://b.cdn/  wait until 0.125 s
                      group-rate: the rate shared by a group of hosts is used up
       0.5 s  robots  http://b.cdn:80  Crawl-delay 2 s
"
    );
}

#[test]
fn what_is_not_understood_is_told_with_its_line_and_a_fix() {
    let events: &[(&str, &str)] = &[
        ("nonsense", "not JSON"),
        ("[1]", "not a JSON object"),
        (r#"{"ask":"https://h/"}"#, "`at` must be a number"),
        (r#"{"at":1}"#, "exactly one of: ask, end"),
        (r#"{"at":1,"kill":"h","revive":"h"}"#, "exactly one of"),
        (r#"{"at":1,"ask":"/x"}"#, "not an absolute URL"),
        (r#"{"at":1,"ask":"data:x"}"#, "names no host"),
        (r#"{"at":1,"ask":"https://h/","clas":"x"}"#, "unknown key `clas`"),
        (r#"{"at":1,"ask":"https://h/","class":1}"#, "`class` must be a string"),
        (r#"{"at":1,"end":"https://h/"}"#, "`status` is missing"),
        (r#"{"at":1,"end":"https://h/","status":7}"#, "a number from 100 to 999"),
        (r#"{"at":1,"end":"https://h/","status":200}"#, "no ask of https://h/ is open"),
        (r#"{"at":1,"end":"https://h/","status":200,"headers":{"a":"b"}}"#, "list of pairs"),
        (r#"{"at":1,"fail":"https://h/","kind":"gone"}"#, "dns, connect, tls, timeout, reset or incomplete"),
        (r#"{"at":1,"fail":"https://h/"}"#, "`kind` is missing"),
        (r#"{"at":1,"robots":"https://h"}"#, "or null for none"),
        (r#"{"at":1,"robots":"https://h","crawl_delay":-1}"#, "0 or more"),
        (r#"{"at":1,"report":"https://h/","outcome":"fine"}"#, "busy, challenged or ok"),
        (r#"{"at":1,"kill":"https://h/"}"#, "not a host name"),
        (r#"{"at":1,"set":"h","min_dely":1}"#, "unknown key `min_dely`"),
        (r#"{"at":1,"set":"h","min_dely":null}"#, "unknown key `min_dely`"),
        (r#"{"at":1,"set":"h","min_delay":-1}"#, "`min_delay`: invalid value"),
        (r#"{"at":1,"set":"group:none","max_open":1}"#, "no group named \"none\""),
        (r#"{"at":1,"set":"group:cdn","min_delay":1}"#, "unknown key `min_delay`"),
        (r#"{"at":1,"restart":false}"#, "must be true"),
    ];
    for (event, told) in events {
        let ended =
            simulate("told.toml", POLICY, &["--json"], &format!("\n{{\"at\":0,\"kill\":\"k\"}}\n{event}\n"));
        assert_eq!(ended.code, 2, "{event}");
        assert!(
            ended.stderr.contains("-: line 3: ") && ended.stderr.contains(told),
            "{event}: {}",
            ended.stderr
        );
    }
    let ended = simulate("broken.toml", "[default]\n\nmin_delay = -1", &[], "");
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("broken.toml: ") && ended.stderr.contains("line 3"), "{}", ended.stderr);
}
