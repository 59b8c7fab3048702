//! `robots check` and `robots lint`.

use std::io::Write;
use std::process::{Command, Stdio};

use bot_etiquette_robots::{Code, Reason};
use serde_json::json;

use crate::run::{Ended, file, with_stdin};

const TEXT: &[u8] = b"# ours\nUser-agent: ExampleBot/1.0 (us)\nUser-agent: Other\nDisallow: /x\nAllow: /x/y\nCrawl-delay: 2\nCrawl-delay: 0.5\n\nUser-agent: *\nDisallow: /\nSitemap: https://example.com/map.xml\n";

fn check(arguments: &[&str]) -> Ended {
    with_stdin(&[&["robots", "check"], arguments].concat(), TEXT)
}

fn lint(text: &[u8], arguments: &[&str]) -> Ended {
    with_stdin(&[&["robots", "lint"], arguments, &["-"]].concat(), text)
}

#[test]
fn check_prints_one_object_to_the_letter() {
    let ended = check(&[
        "--json",
        "--agent",
        "examplebot",
        "-",
        "https://example.com/x/1",
        "https://example.com/x/y",
        "http://other.example/",
    ]);
    assert_eq!((ended.code, ended.stderr.as_str()), (1, ""));
    assert_eq!(ended.stdout.lines().count(), 1);
    assert_eq!(
        ended.json(),
        json!({
            "schema": 1,
            "agent": "examplebot",
            "group": "ExampleBot/1.0 (us)",
            "crawl_delay": 2.0,
            "sitemaps": ["https://example.com/map.xml"],
            "results": [
                {"url": "https://example.com/x/1", "allowed": false, "rule": {"line": 4, "directive": "disallow", "pattern": "/x"}, "reason": "rule"},
                {"url": "https://example.com/x/y", "allowed": true, "rule": {"line": 5, "directive": "allow", "pattern": "/x/y"}, "reason": "rule"},
                {"url": "http://other.example/", "allowed": true, "rule": null, "reason": "no-rule"},
            ],
        })
    );
    assert!(ended.stdout.contains("\"crawl_delay\":2.0"));
}

#[test]
fn check_exits_with_0_when_all_are_allowed() {
    let ended = check(&["--json", "--agent", "ExampleBot", "-", "https://example.com/"]);
    assert_eq!(ended.code, 0);
}

#[test]
fn check_names_the_group_for_everyone_else_and_none() {
    let ended = check(&["--json", "--agent", "Nobody", "-", "https://example.com/a"]);
    assert_eq!(
        (ended.code, &ended.json()["group"], &ended.json()["crawl_delay"]),
        (1, &json!("*"), &json!(null))
    );
    let ended =
        with_stdin(&["robots", "check", "--json", "--agent", "Nobody", "-", "https://example.com/a"], b"");
    let json = ended.json();
    assert_eq!((ended.code, &json["group"], &json["sitemaps"]), (0, &json!("none"), &json!([])));
    assert_eq!(json["results"][0]["reason"], "no-group");
}

#[test]
fn check_names_the_first_line_of_the_group() {
    let ended = check(&["--json", "--agent", "Other", "-", "https://example.com/a"]);
    assert_eq!(ended.json()["group"], "ExampleBot/1.0 (us)");
}

#[test]
fn check_falls_back_over_several_agents() {
    let ended = check(&["--json", "--agent", "Other-News", "--agent", "Other", "-", "https://example.com/x"]);
    assert_eq!(
        (&ended.json()["agent"], &ended.json()["group"]),
        (&json!("Other-News"), &json!("ExampleBot/1.0 (us)"))
    );
}

#[test]
fn check_follows_the_status_of_the_fetch() {
    for (status, allowed, reason, group) in [
        ("200", false, "rule", "*"),
        ("204", false, "rule", "*"),
        ("301", true, "no-file", "none"),
        ("304", false, "disallow-all", "none"),
        ("401", true, "no-file", "none"),
        ("404", true, "no-file", "none"),
        ("410", true, "no-file", "none"),
        ("429", false, "disallow-all", "none"),
        ("500", false, "disallow-all", "none"),
        ("503", false, "disallow-all", "none"),
        ("unreachable", false, "disallow-all", "none"),
    ] {
        let ended = check(&["--json", "--agent", "Nobody", "--status", status, "-", "https://example.com/a"]);
        let json = ended.json();
        assert_eq!(ended.code, if allowed { 0 } else { 1 }, "{status}");
        let told = ended.stderr.contains("--status 301: read as a redirect after the 5 that are followed");
        assert_eq!(told, status == "301", "{ended:?}");
        assert_eq!(
            (&json["results"][0]["allowed"], &json["results"][0]["reason"]),
            (&json!(allowed), &json!(reason)),
            "{status}"
        );
        assert_eq!(json["group"], group, "{status}");
        let itself = check(&[
            "--json",
            "--agent",
            "Nobody",
            "--status",
            status,
            "-",
            "https://example.com/robots.txt",
        ]);
        assert_eq!(
            (itself.code, &itself.json()["results"][0]["reason"]),
            (0, &json!("robots-txt-itself")),
            "{status}"
        );
    }
}

#[test]
fn check_without_json_says_which_line_decided() {
    let ended = check(&["--agent", "ExampleBot", "-", "https://example.com/x", "https://example.com/"]);
    assert_eq!(ended.code, 1);
    assert_eq!(
        ended.stdout,
        "https://example.com/x: disallowed by line 4: Disallow: /x (group ExampleBot/1.0 (us))\n\
         https://example.com/: allowed: no rule matches (group ExampleBot/1.0 (us))\n\
         crawl delay: 2 s\n"
    );
}

#[test]
fn check_reads_a_file() {
    let path = file("check_reads_a_file.txt", TEXT);
    let ended = with_stdin(
        &["robots", "check", "--agent", "Nobody", path.to_str().unwrap(), "https://example.com/a"],
        b"",
    );
    assert_eq!(ended.code, 1);
}

#[test]
fn check_refuses_what_it_cannot_understand_and_says_what_to_do() {
    for (arguments, said) in [
        (&["--agent", "ExampleBot", "-", "/x"][..], "\"/x\": not a URL"),
        (
            &["--agent", "ExampleBot", "-", "page.html"],
            "expected an absolute one such as https://example.com/page",
        ),
        (
            &["--agent", "ExampleBot", "-", "https://example.com/", "//example.com/x"],
            "\"//example.com/x\": not a URL",
        ),
        (
            &["--agent", "ExampleBot", "-", "mailto:a@example.com"],
            "mailto URLs have no host, http and https ones do",
        ),
        (&["--agent", "ExampleBot", "-", "https://exa mple.com/"], "not a URL"),
        (&["--agent", "ExampleBot", "-", ""], "not a URL"),
        (&["--agent", "", "-", "https://example.com/"], "--agent: the agent is empty"),
        (&["--agent", "*", "-", "https://example.com/"], "product token such as ExampleBot"),
        (
            &["--agent", "Mozilla/5.0 (compatible; ExampleBot/1.0)", "-", "https://example.com/"],
            "give the name alone, ExampleBot",
        ),
        (&["--agent", "Example Bot/1.0", "-", "https://example.com/"], "' ' at byte 7"),
        (&["--agent", "ExampleBot/", "-", "https://example.com/"], "give the name alone, ExampleBot"),
        (&["--agent", "ExampleBot", "-", "https:example.com/x"], "no // and host follow its scheme"),
        (&["--agent", "ExampleBot", "-", "https:///x"], "no // and host follow its scheme"),
        (&["--agent", "ExampleBot", "/no/such/file", "https://example.com/"], "/no/such/file: cannot read"),
        (&["--agent", "ExampleBot", "/", "https://example.com/"], "path of an existing file, or - for stdin"),
        (
            &["--agent", "ExampleBot", "https://example.com/robots.txt", "https://example.com/"],
            "fetch it with --online; else download it first",
        ),
        (&["--agent", "ExampleBot", "--status", "ok", "-", "https://example.com/"], "--status \"ok\""),
        (&["--agent", "ExampleBot", "--status", "100", "-", "https://example.com/"], "--status \"100\""),
        (&["--agent", "ExampleBot", "--status", "600", "-", "https://example.com/"], "--status \"600\""),
        (&["--agent", "ExampleBot", "-"], "URL"),
        (&["-", "https://example.com/"], "--agent"),
    ] {
        let ended = check(arguments);
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(said), "{arguments:?}: {}", ended.stderr);
    }
}

#[test]
fn check_takes_a_token_with_a_version_for_the_token_and_says_so() {
    for given in ["ExampleBot/1.0", "examplebot/2.1-beta"] {
        let ended = check(&["--json", "--agent", given, "-", "https://example.com/x"]);
        assert_eq!((ended.code, &ended.json()["group"]), (1, &json!("ExampleBot/1.0 (us)")), "{given}");
        assert!(ended.stderr.contains(&format!("--agent {given}: read as ")), "{}", ended.stderr);
        assert_eq!(ended.json()["agent"], given.split('/').next().unwrap());
    }
}

#[test]
fn check_says_when_the_file_is_cut_or_a_web_page() {
    let long = [b"User-agent: *\nDisallow: /\n", "#".repeat(512_000).as_bytes()].concat();
    for (text, code, said) in [
        (&long[..], 1, "-: longer than the 500 KiB that are read"),
        (b"<!DOCTYPE html>\n<title>Not found</title>\n", 0, "-: this is a web page"),
    ] {
        let ended =
            with_stdin(&["robots", "check", "--agent", "ExampleBot", "-", "https://example.com/"], text);
        assert_eq!(ended.code, code, "{said}");
        assert!(ended.stderr.contains(said), "{}", ended.stderr);
    }
}

#[test]
fn a_reader_that_went_away_does_not_change_the_answer() {
    for (arguments, code) in [
        (&["lint", "-"][..], 1),
        (&["check", "--agent", "Nobody", "-", "https://example.com/x"], 1),
        (&["check", "--json", "--agent", "Nobody", "-", "https://example.com/robots.txt"], 0),
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_bot-etiquette"))
            .arg("robots")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // The command writes when its input has ended, and nobody is there by then.
        drop(child.stdout.take());
        child.stdin.take().unwrap().write_all(TEXT).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(code), "{arguments:?}");
    }
}

#[test]
fn lint_prints_one_object_to_the_letter() {
    let ended = lint(b"User-agent: *\nDisallow: private\n", &["--json"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (1, ""));
    assert_eq!(
        ended.json(),
        json!({
            "schema": 1,
            "diagnostics": [{
                "line": 2, "column": 11, "code": "no-leading-slash", "severity": "error",
                "message": "the rule is not read, for its pattern must begin with / or *: write /private",
            }],
        })
    );
}

#[test]
fn lint_exits_with_1_for_errors_and_warnings_alone() {
    for (text, code) in [
        (&b"User-agent: *\nDisallow: /x\n"[..], 0),
        (b"\xef\xbb\xbfUser-agent: *\nDisallow: /x\nDisallow: /x\n", 0),
        (b"User-agent: *\nUnicorn: x\n", 1),
        (b"Disallow: /x\n", 1),
    ] {
        assert_eq!(lint(text, &[]).code, code);
        let ended = lint(text, &["--json"]);
        assert_eq!(ended.code, code);
        assert!(ended.json()["diagnostics"].is_array());
    }
}

#[test]
fn lint_without_json_prints_a_line_each_and_no_colour_into_a_pipe() {
    let ended = lint(b"User-agent: *\nDisallow: private\n", &[]);
    assert_eq!(
        ended.stdout,
        "-:2:11: error: the rule is not read, for its pattern must begin with / or *: write /private [no-leading-slash]\n"
    );
}

#[test]
fn lint_refuses_an_unreadable_file() {
    let ended = with_stdin(&["robots", "lint", "/no/such/file"], b"");
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("/no/such/file: cannot read"), "{}", ended.stderr);
}

#[test]
fn the_contracts_reasons_and_codes_are_those_of_the_library() {
    const REASONS: &str = "rule no-rule no-group no-file disallow-all robots-txt-itself";
    // Codes may be added to the contract's; each addition is written here.
    const MORE_REASONS: &str = "invalid-target";
    const CODES: &str = "bom utf16 not-utf8 nul too-large html unknown-key misspelt-key missing-colon rule-before-group \
                         agent-not-a-token agent-list no-leading-slash full-url inner-space inner-dollar shadowed-rule \
                         duplicate-rule group-joined-over-record crawl-delay-invalid crawl-delay-repeated \
                         crawl-delay-alone sitemap-not-absolute noindex-unsupported";
    let reasons: Vec<&str> = REASONS.split_whitespace().chain(MORE_REASONS.split_whitespace()).collect();
    assert_eq!(Reason::ALL.map(Reason::code).to_vec(), reasons);
    let codes: Vec<&str> = CODES.split_whitespace().collect();
    assert_eq!(Code::ALL.map(Code::as_str).to_vec(), codes);
}
