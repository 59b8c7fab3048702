//! `extract arcgis`, as scripts run it.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn run(kind: &str, body: &str, more: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_bot-etiquette"))
        .args(["extract", "arcgis", "--kind", kind, "-"])
        .args(more)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(body.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[track_caller]
fn json(kind: &str, body: &str, code: i32) -> Value {
    let output = run(kind, body, &["--json"]);
    assert_eq!(output.status.code(), Some(code), "{kind} {body}");
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["schema"], 1);
    value
}

#[test]
fn each_kind_prints_its_facts() {
    let value = json(
        "directory",
        r#"{"currentVersion":10.71,"folders":["A"],"services":[{"name":"A/B","type":"MapServer"}]}"#,
        0,
    );
    assert_eq!((&value["outcome"], &value["services"][0]["name"]), (&"public".into(), &"A/B".into()));
    let value = json(
        "service",
        r#"{"mapName":"M","layers":[{"id":4,"name":"L"}],"fullExtent":{"xmin":1,"ymin":2,"xmax":3,"ymax":4,"spatialReference":{"wkid":4326}}}"#,
        0,
    );
    assert_eq!((&value["layers"][0]["id"], &value["place"]["verdict"]), (&4.into(), &"ok".into()));
    let value = json("layers", r#"{"layers":[{"id":0,"name":"L"},{"id":"x"}],"tables":[]}"#, 0);
    assert_eq!((&value["layers"][0]["name"], &value["badItems"][0]["index"]), (&"L".into(), &1.into()));
    let value = json("layer", r#"{"id":3,"name":"L","extent":null}"#, 0);
    assert_eq!((&value["id"], &value["place"]["reason"]), (&3.into(), &"null".into()));
    assert_eq!(json("count", r#"{"count": 42}"#, 0)["count"], 42);
    assert_eq!(json("count", r#"{"layerEstimates":[{"layerId":1,"count":9}]}"#, 0)["layers"][0]["count"], 9);
    let value = json(
        "extent",
        r#"{"count":3,"extent":{"xmin":1,"ymin":2,"xmax":3,"ymax":4,"spatialReference":{"wkid":4326}}}"#,
        0,
    );
    assert_eq!(value["place"]["boxes"], serde_json::json!([[1.0, 2.0, 3.0, 4.0]]));
    let value =
        json("features", r#"{"features":[{"attributes":{"name":"Jane"},"geometry":{"x":1,"y":2}}]}"#, 0);
    assert_eq!(value["outlines"][0]["geometry"]["type"], "Point");
    assert!(!value.to_string().contains("Jane"));
}

#[test]
fn what_holds_no_facts_is_named_and_exits_with_1() {
    for (kind, body, outcome) in [
        ("directory", r#"{"error":{"code":499,"message":"Token Required","details":[]}}"#, "auth-required"),
        ("layers", r#"{"error":{"code":500,"message":null}}"#, "service-fault"),
        ("service", "<html>Sign In</html>", "auth-required"),
        ("layer", r#"{"id":1,"na"#, "bad-json"),
        ("count", r#"{"features":[]}"#, "count-ignored"),
        ("count", "", "empty"),
        ("extent", r#"{"services":[]}"#, "other-kind"),
        (
            "count",
            r#"{"layers":[{"id":0,"name":"L","type":"Feature Layer"}],"currentVersion":10}"#,
            "other-kind",
        ),
        ("layers", r#"{"layers":[{"id":0,"count":5}]}"#, "other-kind"),
        ("layers", r#"{"mapName":"M","layers":[{"id":0,"name":"L"}]}"#, "other-kind"),
        ("service", r#"{"layers":[{"id":0,"name":"L"}],"tables":[]}"#, "other-kind"),
        ("extent", r#"{"name":"I","extent":{"xmin":1},"pixelSizeX":1}"#, "other-kind"),
        ("directory", r#"{"currentVersion":10.9,"id":3,"name":"L"}"#, "other-kind"),
    ] {
        let value = json(kind, body, 1);
        assert_eq!(value["outcome"], outcome, "{body}");
        assert!(!value["message"].as_str().unwrap().is_empty());
    }
    assert_eq!(json("layers", r#"{"error":{"code":499,"message":"x"}}"#, 1)["error"]["code"], 499);
    assert_eq!(json("count", "{}", 1)["message"], "JSON, but no count");
    // What is mended is named in the answer.
    let value = json("layer", r#"{"id":1,"id":2,"name":"L","type":"Feature Layer"}"#, 0);
    assert_eq!((&value["id"], &value["repairs"]), (&2.into(), &serde_json::json!(["equal-keys"])));
}

#[test]
fn people_get_lines_and_missing_files_exit_with_2() {
    let output = run("count", r#"{"count":7,}"#, &[]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("count: 7\n") && text.contains("repairs: 1 items\n"), "{text}");
    let output = Command::new(env!("CARGO_BIN_EXE_bot-etiquette"))
        .args(["extract", "arcgis", "--kind", "count", "/no/such/file"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/no/such/file"));
}
