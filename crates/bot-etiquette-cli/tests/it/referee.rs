//! `referee`, with a scenario and with a log.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A folder of its own for each test, named after it.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("referee-{name}"));
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_bot-etiquette"))
}

fn run(arguments: &[&str]) -> Output {
    command().arg("referee").args(arguments).output().unwrap()
}

const SCENARIO: &str = r#"
[[site]]
name = "a.example"
robots = "User-agent: *\nDisallow: /private/"
[[site.page]]
path = "/"
file = "home.html"
[[site]]
name = "b.example"
robots = 404
[promise]
robots_first = true
closed_paths = ["/private/"]
"#;

#[test]
fn a_scenario_is_served_until_its_time_and_reported() {
    let folder = folder("served");
    fs::write(folder.join("home.html"), "the home page").unwrap();
    fs::write(folder.join("s.toml"), SCENARIO).unwrap();
    let scenario = folder.join("s.toml").display().to_string();
    for (path, code) in [("/robots.txt", 0), ("/", 1), ("/private/x", 1)] {
        let mut child = command()
            .args(["referee", "--scenario", &scenario, "--for", "1.5", "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The addresses come first, on stderr since stdout is one object.
        let mut said = String::new();
        let mut stderr = child.stderr.take().unwrap();
        while said.lines().count() < 2 || !said.ends_with('\n') {
            let mut byte = [0];
            assert_eq!(stderr.read(&mut byte).unwrap(), 1, "{said}");
            said.push(char::from(byte[0]));
        }
        assert!(
            said.contains("a.example http://127.0.0.2:") && said.contains("b.example http://127.0.0.3:"),
            "{said}"
        );
        let address = said.split("http://").nth(1).unwrap().split('/').next().unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert_eq!(answer.contains("the home page"), path == "/");
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{path}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((report["schema"].as_u64(), report["requests"].as_u64()), (Some(1), Some(1)));
        let rules: Vec<&str> = report["violations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|found| found["rule"].as_str().unwrap())
            .collect();
        assert_eq!(rules.contains(&"closed-path"), path == "/private/x");
        assert_eq!(rules.contains(&"robots-first"), path != "/robots.txt");
        assert!(report.get("unseen").is_none());
    }
}

#[test]
fn a_log_is_read_against_a_promise() {
    let folder = folder("log");
    let log = folder.join("access.log");
    let line = |second: u32, path: &str| {
        format!("::1 - - [10/Oct/2027:13:55:{second} +0000] \"GET {path} HTTP/1.1\" 200 5\n")
    };
    fs::write(&log, line(10, "/robots.txt") + &line(12, "/private/x")).unwrap();
    fs::write(folder.join("s.toml"), SCENARIO).unwrap();
    fs::write(folder.join("p.toml"), "[promise]\nmin_delay = 1\n").unwrap();
    let (log, dir) = (log.display().to_string(), folder.display());
    let read = |promise: &str| run(&["--log", &log, "--promise", &format!("{dir}/{promise}"), "--json"]);
    let output = read("s.toml");
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["violations"][0]["rule"], "closed-path");
    assert_eq!(report["violations"][0]["at"], 2.0);
    assert!(report["unseen"].as_array().unwrap().iter().any(|rule| rule == "cookie"));
    assert_eq!(read("p.toml").status.code(), Some(0));
}

#[test]
fn what_cannot_be_understood_names_file_and_line_and_is_exit_2() {
    let folder = folder("wrong");
    fs::write(folder.join("home.html"), "home").unwrap();
    let write = |name: &str, text: &str| {
        fs::write(folder.join(name), text).unwrap();
        folder.join(name).display().to_string()
    };
    let unknown = write("unknown.toml", &SCENARIO.replace("closed_paths", "closed_path"));
    let impossible = write("impossible.toml", &SCENARIO.replace("robots_first = true", "max_open = 0"));
    let promise = write("promise.toml", "[promise]\nmin_delay = -1\n");
    let log = write("bad.log", "rubbish\n");
    let good = write("good.toml", "[promise]\n");
    let unread = folder.join("none.toml").display().to_string();
    for (arguments, parts) in [
        (vec!["--scenario", &unknown, "--for", "0"], vec![unknown.as_str(), "line 13", "closed_path"]),
        (vec!["--scenario", &impossible, "--for", "0"], vec![impossible.as_str(), "line 12", "max_open"]),
        (vec!["--scenario", &unread], vec![unread.as_str()]),
        (vec!["--log", &log, "--promise", &promise], vec![promise.as_str(), "line 2", "min_delay"]),
        (vec!["--log", &log, "--promise", &good], vec![log.as_str(), "line 1"]),
        (vec!["--log", &log], vec!["--promise"]),
        (vec![], vec!["--scenario"]),
        (vec!["--scenario", &unknown, "--listen", "0.0.0.0:0"], vec!["line 13"]),
    ] {
        let output = run(&arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        for part in parts {
            assert!(said.contains(part), "{arguments:?}: no {part} in {said}");
        }
    }
}

/// What a run says on stderr, its code, and whether it printed a report.
#[track_caller]
fn says(arguments: &[&str], code: i32, words: &[&str]) {
    let output = run(arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    for word in words {
        assert!(said.contains(word), "{arguments:?}: no {word} in {said}");
    }
    assert_eq!(words.is_empty(), said.is_empty(), "{arguments:?}: {said}");
    assert_eq!(output.stdout.is_empty(), code == 2, "{arguments:?}");
}

#[test]
fn a_yes_where_nothing_was_judged_says_so() {
    let folder = folder("nothing");
    let write = |name: &str, text: &str| {
        fs::write(folder.join(name), text).unwrap();
        folder.join(name).display().to_string()
    };
    let line = |agent: &str| {
        format!("::1 - - [10/Oct/2027:13:55:10 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"{agent}\"\n")
    };
    let log = write("access.log", &(line("NotMyBot/1.0") + &line("Mozilla/5.0 (compatible; Other/2; +x)")));
    let empty = write("empty.log", "\n");
    let promise = write("p.toml", "[promise]\nmin_delay = 1\n");
    let bare = write("bare.toml", "[promise]\n");
    let of = |agent| ["--log", &log, "--promise", &promise, "--agent", agent];
    says(&of("MyBot"), 0, &["no request of MyBot in 2 lines; names seen: NotMyBot, Other"]);
    says(&of("notmybot"), 0, &[]);
    says(&of(""), 2, &["--agent", "such as MyBot"]);
    says(&["--log", &empty, "--promise", &promise], 0, &["it holds no request"]);
    says(&["--log", &log, "--promise", &bare], 0, &[&bare, "promises nothing"]);
    let scenario = write("s.toml", "[[site]]\nname = \"a.example\"\n");
    let output = run(&["--scenario", &scenario, "--for", "0"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("promises nothing") && said.contains("no request came"), "{said}");
}

#[test]
fn options_of_the_other_way_are_refused_by_name() {
    for other in [["--promise", "p.toml"], ["--log", "a.log"], ["--agent", "MyBot"]] {
        says(&["--scenario", "s.toml", other[0], other[1]], 2, &["--scenario", other[0]]);
    }
    says(&[], 2, &["--scenario", "--log"]);
    says(&["--scenario", "s.toml", "--listen", "here"], 2, &["such as 127.0.0.2:7080"]);
}

#[test]
fn the_object_has_the_keys_of_its_schema_and_what_was_left_out_is_told() {
    let folder = folder("keys");
    let write = |name: &str, text: &str| {
        fs::write(folder.join(name), text).unwrap();
        folder.join(name).display().to_string()
    };
    let log = write("a.ndjson", &"{\"at\":0,\"path\":\"/x\"}\n".repeat(10_002));
    let promise = write("p.toml", "[promise]\nclosed_paths = [\"/x\"]\n");
    let output = run(&["--log", &log, "--promise", &promise, "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let keys: Vec<&str> = report.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["requests", "schema", "unseen", "violations"]);
    assert_eq!(report["violations"].as_array().unwrap().len(), 10_000);
    assert!(String::from_utf8_lossy(&output.stderr).contains("and 2 more of closed-path"));
}

#[test]
fn only_loopback_is_served() {
    let folder = folder("loopback");
    fs::write(folder.join("s.toml"), "[[site]]\nname = \"a.example\"\n").unwrap();
    let scenario = folder.join("s.toml").display().to_string();
    let output = run(&["--scenario", &scenario, "--listen", "0.0.0.0:0", "--for", "0"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("loopback"));
}

/// Serves until it is told to end, with one page that takes half a minute.
#[cfg(unix)]
#[test]
#[allow(clippy::disallowed_methods, reason = "whether a program hangs is a matter of real time")]
fn ctrl_c_ends_with_the_whole_report_also_while_an_answer_is_under_way_and_when_it_comes_twice() {
    use std::time::{Duration, Instant};
    let folder = folder("stopped");
    let text = "[[site]]\nname = \"a.example\"\nrobots = 404\n[[site.page]]\npath = \"/slow\"\ndelay = 30\nbody = \"late\"\n\
                [promise]\nrobots_first = true\n";
    fs::write(folder.join("s.toml"), text).unwrap();
    let scenario = folder.join("s.toml").display().to_string();
    for (path, times, code) in [("/robots.txt", 1, 0), ("/slow", 1, 1), ("/slow", 2, 1)] {
        let mut child = command()
            .args(["referee", "--scenario", &scenario, "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        let mut stderr = child.stderr.take().unwrap();
        while !said.ends_with('\n') {
            let mut byte = [0];
            assert_eq!(stderr.read(&mut byte).unwrap(), 1, "{said}");
            said.push(char::from(byte[0]));
        }
        let address = said.split("http://").nth(1).unwrap().split('/').next().unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: a.example\r\n\r\n").unwrap();
        std::thread::sleep(Duration::from_millis(300));
        let asked = Instant::now();
        for _ in 0..times {
            let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
            assert!(sent.success());
        }
        let output = child.wait_with_output().unwrap();
        assert!(asked.elapsed() < Duration::from_secs(10), "{path}: it waits for the answer");
        assert_eq!(output.status.code(), Some(code), "{path}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["requests"], 1, "{path}: {report}");
    }
}
