//! Scenarios as TOML: every key, and every way to get one wrong.
#![cfg(feature = "scenario")]

use std::io;

use bot_etiquette_referee::Scenario;

use crate::signer::directory;

fn files(name: &str) -> io::Result<Vec<u8>> {
    match name {
        "page.html" => Ok(b"from a file".to_vec()),
        "lost.html" => Ok(b"<a href={site:lost.example}/x>".to_vec()),
        "keys.json" => Ok(directory().into_bytes()),
        _ => Err(io::ErrorKind::NotFound.into()),
    }
}

const WHOLE: &str = r#"time_scale = 2.5
[[site]]
name = "a.example"
robots = "User-agent: *\nDisallow: /private/"
[[site.page]]
path = "/"
status = 200
headers = { etag = '"1"', set-cookie = ["a=1", "b=2"], age = 3 }
body = "hello"
[[site.page]]
path = "/file"
file = "page.html"
[[site.page]]
path = "/made"
bytes_of = 1_000
delay = 0.5
per_second_bytes = 100
break_after = 10
[[site.page]]
path = "/bomb"
bytes_of = { gzip = 100000 }
headers = [["x-a", "1"], ["x-a", "2"]]
[[site.page]]
path = "/none"
status = "none"
[[site]]
name = "b.example"
robots = 503
[promise]
user_agent = "MyBot/1.0 (+https://bot.example)"
robots_token = "MyBot"
from = true
max_open = 2
min_delay = 1
crawl_delay_cap = inf
closed_paths = ["/private/", "b.example/x"]
signed = true
key_directory = "keys.json"
retry_after = "honour"
conditional = true
cookies = false
methods = ["GET", "HEAD"]
max_redirects = 5
max_body = 5_000_000
robots_first = true
robots_max_age = 86400.0
revisit = 10
max_requests = 100
groups = [{ sites = ["a.example", "b.example"], per_second = 8.0 }]
nofollow = true
scope = ["a.example", "*.example"]
time_limit = 15
busy_first = 60
busy_factor = 2.0
busy_scope = "path"
unreachable_first = 900
unreachable_factor = 2
quota = { requests = 500, window = 604800 }
canaries = ["maria@people.example"]
browser = false
"#;

#[test]
fn every_key_is_read() {
    let scenario = Scenario::parse(WHOLE, files).unwrap();
    let names: Vec<&str> = scenario.sites().iter().map(|site| site.name()).collect();
    assert_eq!(names, ["a.example", "b.example"]);
    assert!(scenario.promise().check().is_ok());
    // What is in a scenario is a promise for logs too, and so is a text of bare keys.
    assert!(Scenario::parse_promise(WHOLE, files).is_ok());
    assert!(Scenario::parse_promise("min_delay = 1\n", files).is_ok());
    assert!(Scenario::parse_promise("[promise]\nmin_delay = 1\n", files).is_ok());
}

/// Replaces one line of the whole and expects an error at that line, naming the key.
#[track_caller]
fn wrong(line: &str, instead: &str, key: &str) {
    let number = WHOLE.lines().position(|each| each == line).unwrap_or_else(|| panic!("no line {line}")) + 1;
    let text = WHOLE.replacen(&format!("{line}\n"), &format!("{instead}\n"), 1);
    let error = Scenario::parse(&text, files).unwrap_err();
    assert_eq!(error.line(), number, "{instead}: {error}");
    assert!(error.to_string().contains(key), "{instead}: {error}");
}

#[test]
fn an_unknown_key_is_named_with_its_line() {
    wrong("time_scale = 2.5", "time_scail = 2.5", "time_scail");
    wrong("delay = 0.5", "dellay = 0.5", "site.page.dellay");
    wrong("robots = 503", "robot = 503", "site.robot");
    wrong("min_delay = 1", "min_dealy = 1", "promise.min_dealy");
    wrong(
        "quota = { requests = 500, window = 604800 }",
        "quota = { requests = 500, window = 1, x = 1 }",
        "promise.quota.x",
    );
    wrong("bytes_of = { gzip = 100000 }", "bytes_of = { zip = 100000 }", "gzip");
}

#[test]
fn a_value_of_the_wrong_kind_is_named_with_its_line() {
    wrong("min_delay = 1", "min_delay = \"1\"", "promise.min_delay is a string");
    wrong("min_delay = 1", "min_delay = -1", "promise.min_delay");
    wrong("min_delay = 1", "min_delay = nan", "promise.min_delay");
    wrong("min_delay = 1", "min_delay = 1e300", "promise.min_delay");
    wrong("max_open = 2", "max_open = 1.5", "promise.max_open");
    wrong("signed = true", "signed = 1", "promise.signed");
    wrong("status = 200", "status = 99", "site.page.status");
    wrong("status = \"none\"", "status = \"gone\"", "site.page.status");
    wrong("file = \"page.html\"", "file = \"other.html\"", "other.html");
    wrong("path = \"/file\"", "path = \"file\"", "site.page.path");
    // The second of two bodies is the one too many.
    wrong("bytes_of = 1_000", "bytes_of = 1_000 # made\nbody = \"x\"", "site.page.bytes_of is a second body");
}

#[test]
fn an_address_of_no_site_is_named_with_its_line() {
    for (line, instead) in [
        ("body = \"hello\"", "body = \"<a href={site:a.example}/> <a href={site:lost.example}/>\""),
        (
            "headers = [[\"x-a\", \"1\"], [\"x-a\", \"2\"]]",
            "headers = { location = \"{site:lost.example}/\" }",
        ),
        ("file = \"page.html\"", "file = \"lost.html\""),
        ("robots = 503", "robots = \"Sitemap: {site:lost.example}/map\""),
    ] {
        wrong(
            line,
            instead,
            "has {site:lost.example}, which is no site of the scenario: there are a.example, b.example",
        );
    }
    // A site that comes later is one, and what is not closed is text.
    let good = WHOLE.replacen("body = \"hello\"", "body = \"{site:b.example} {site:\"", 1);
    assert_eq!(Scenario::parse(&good, files).unwrap().sites().len(), 2);
}

#[test]
fn a_promise_nobody_can_keep_is_named_with_its_line() {
    for (line, instead, key) in [
        ("max_open = 2", "max_open = 0", "promise.max_open"),
        ("max_requests = 100", "max_requests = 0", "promise.max_requests"),
        ("time_limit = 15", "time_limit = 0", "promise.time_limit"),
        ("methods = [\"GET\", \"HEAD\"]", "methods = []", "promise.methods"),
        ("methods = [\"GET\", \"HEAD\"]", "methods = [\"GET IT\"]", "promise.methods"),
        ("scope = [\"a.example\", \"*.example\"]", "scope = []", "promise.scope"),
        ("scope = [\"a.example\", \"*.example\"]", "scope = [\"c.other\"]", "c.other"),
        ("closed_paths = [\"/private/\", \"b.example/x\"]", "closed_paths = [\"/\"]", "promise.closed_paths"),
        (
            "closed_paths = [\"/private/\", \"b.example/x\"]",
            "closed_paths = [\"private\"]",
            "promise.closed_paths",
        ),
        ("user_agent = \"MyBot/1.0 (+https://bot.example)\"", "user_agent = \"\"", "promise.user_agent"),
        ("user_agent = \"MyBot/1.0 (+https://bot.example)\"", "user_agent = '^('", "promise.user_agent"),
        (
            "key_directory = \"keys.json\"",
            "key_directory = \"https://bot.example/keys\"",
            "promise.key_directory",
        ),
        ("key_directory = \"keys.json\"", "key_directory = '{\"keys\":[]}'", "promise.key_directory"),
        ("key_directory = \"keys.json\"", "key_directory = \"page.html\"", "promise.key_directory"),
        ("busy_factor = 2.0", "busy_factor = 0.5", "promise.busy_factor"),
        ("canaries = [\"maria@people.example\"]", "canaries = [\"m\"]", "promise.canaries"),
        (
            "quota = { requests = 500, window = 604800 }",
            "quota = { requests = 0, window = 1 }",
            "promise.quota",
        ),
        (
            "quota = { requests = 500, window = 604800 }",
            "quota = { requests = 1, window = 0 }",
            "promise.quota",
        ),
    ] {
        wrong(line, instead, key);
    }
    let groups = "groups = [{ sites = [\"a.example\", \"b.example\"], per_second = 8.0 }]";
    wrong(groups, "groups = [{ sites = [\"a.example\"], per_second = 0 }]", "promise.groups");
    wrong(groups, "groups = [{ sites = [], per_second = 1 }]", "promise.groups");
    wrong(groups, "groups = [{ sites = [\"c.other\"], per_second = 1 }]", "c.other");
}

#[test]
fn what_is_no_scenario_at_all_is_said() {
    for (text, part) in [
        ("", "[[site]]"),
        ("[[site]]\nrobots = 404\n", "name"),
        ("[[site]]\nname = \"a b\"\n", "site.name"),
        ("a = = 1", "line 1"),
        ("time_scale = 0\n[[site]]\nname = \"a\"", "time_scale"),
        ("site = 3", "site"),
    ] {
        let error = Scenario::parse(text, files).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}
