//! Logs of each format, and what they cannot show.

use std::time::Duration;

use bot_etiquette_referee::{LogError, Promise, Report, Rule, Scenario, read_log, read_log_of};

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[track_caller]
fn read(log: &str, promise: Promise) -> Report {
    read_log(log.as_bytes(), promise).unwrap()
}

#[track_caller]
fn broken(log: &str, promise: Promise, expected: &[Rule]) {
    let report = read(log, promise);
    assert_eq!(report.broken(), expected, "{report}");
}

const COMBINED: &str = r#"127.0.0.1 - - [10/Oct/2027:13:55:36 +0000] "GET /robots.txt HTTP/1.1" 200 30 "-" "MyBot/1.0"
127.0.0.1 - - [10/Oct/2027:13:55:37 +0000] "GET /a HTTP/1.1" 200 9000 "-" "MyBot/1.0"

127.0.0.1 - - [10/Oct/2027:13:55:39 +0000] "POST /private/x HTTP/1.1" 503 0 "-" "Other \"quoted\""
127.0.0.1 - - [10/Oct/2027:13:55:41 +0000] "GET /a HTTP/1.1" 200 9000 "-" "MyBot/1.0"
"#;

#[test]
fn a_combined_log_shows_names_paths_methods_times_and_sizes() {
    broken(COMBINED, Promise::new().user_agent("MyBot/1.0"), &[Rule::UserAgent, Rule::Method]);
    broken(COMBINED, Promise::new().closed_path("/private/"), &[Rule::ClosedPath, Rule::Method]);
    let post = || Promise::new().methods(&["GET", "POST"]);
    broken(COMBINED, post().max_body(8999), &[Rule::BodyLimit]);
    broken(COMBINED, post().max_body(9000), &[]);
    broken(COMBINED, post().robots_first(true), &[]);
    broken(COMBINED, post().robots_max_age(seconds(1)), &[Rule::RobotsStale]);
    broken(COMBINED, post().busy_first(seconds(60)), &[Rule::BusyBackoff]);
    broken(COMBINED, post().revisit(seconds(60)), &[Rule::Revisit]);
    broken(COMBINED, post().quota(3, seconds(60)), &[Rule::Quota]);
    broken(COMBINED, post().max_requests(3), &[Rule::Budget]);
    broken(COMBINED, post().canary("/private/x"), &[Rule::PersonalData]);
    let at: Vec<f64> =
        read(COMBINED, post().max_requests(1)).violations().iter().map(|found| found.at).collect();
    assert_eq!(at, [1.0, 3.0, 5.0]);
}

#[test]
fn whole_seconds_prove_only_what_they_prove() {
    // One second by the clock may be anything up to two.
    let post = || Promise::new().methods(&["GET", "POST"]);
    broken(COMBINED, post().min_delay(Duration::from_millis(1900)), &[]);
    broken(COMBINED, post().min_delay(seconds(2)), &[Rule::MinDelay]);
    let exact = "{\"at\":0,\"path\":\"/\"}\n{\"at\":1,\"path\":\"/a\"}";
    broken(exact, Promise::new().min_delay(seconds(1)), &[]);
    broken(exact, Promise::new().min_delay(Duration::from_millis(1900)), &[Rule::MinDelay]);
}

#[test]
fn a_log_says_which_rules_it_cannot_show() {
    use Rule::*;
    let common = r#"127.0.0.1 - - [10/Oct/2027:13:55:36 +0000] "GET / HTTP/1.0" 200 2326"#;
    let report = read(common, Promise::new().user_agent("MyBot").signed(true).from("a@b"));
    assert!(report.is_clean(), "{report}");
    let hidden = [
        UserAgent,
        FromMissing,
        CrawlDelay,
        MaxOpen,
        GroupRate,
        RetryAfter,
        UnreachableBackoff,
        Unsigned,
        BadSignature,
        ExpiredSignature,
        ReusedSignature,
        AgentHeader,
        Cookie,
        Credentials,
        Form,
        Nofollow,
        OffScope,
        Redirects,
        RedirectRobots,
        TimeLimit,
        Unconditional,
        BrowserLeak,
    ];
    assert_eq!(report.unseen(), hidden);
    let combined: Vec<Rule> = hidden.into_iter().filter(|rule| *rule != UserAgent).collect();
    assert_eq!(read(COMBINED, Promise::new()).unseen(), combined);
    let with_host = format!("a.example:80 {common}");
    assert!(!read(&with_host, Promise::new()).unseen().contains(&GroupRate));
    let full = r#"{"at":0,"host":"a.example","method":"GET","path":"/","status":0,"bytes":3,"duration":0.5,
        "headers":{},"response_headers":{}}"#
        .replace('\n', "");
    assert_eq!(read(&full, Promise::new()).unseen(), [CrawlDelay, Nofollow, BrowserLeak]);
}

#[test]
fn objects_show_fields_durations_and_answers() {
    let line =
        |at: f64, rest: &str| format!("{{\"at\":{at},\"host\":\"a.example\",\"method\":\"GET\",{rest}}}\n");
    let open = line(0.0, r#""path":"/","duration":5"#) + &line(1.0, r#""path":"/a","duration":1"#);
    broken(&open, Promise::new().max_open(1), &[Rule::MaxOpen]);
    broken(&open, Promise::new().time_limit(seconds(4)), &[Rule::TimeLimit]);
    let busy = line(0.0, r#""path":"/","status":429,"response_headers":{"Retry-After":"60"}"#)
        + &line(30.0, r#""path":"/a""#);
    broken(&busy, Promise::new().retry_after(true), &[Rule::RetryAfter]);
    let busy = line(0.0, r#""path":"/","status":429,"retry_after":60"#) + &line(61.0, r#""path":"/a""#);
    broken(&busy, Promise::new().retry_after(true), &[]);
    let silent = line(0.0, r#""path":"/","status":0"#) + &line(30.0, r#""path":"/a","status":200"#);
    broken(&silent, Promise::new().unreachable_first(seconds(60)), &[Rule::UnreachableBackoff]);
    let hops =
        line(0.0, r#""path":"/","status":301,"location":"/a""#) + &line(1.0, r#""path":"/a","status":200"#);
    broken(&hops, Promise::new().max_redirects(0), &[Rule::Redirects]);
    broken(&line(0.0, r#""path":"/","headers":[["Cookie","a=b"]]"#), Promise::new(), &[Rule::Cookie]);
    broken(&line(0.0, r#""path":"/","headers":{"cookie":["a=b"]}"#), Promise::new(), &[Rule::Cookie]);
    broken(
        &line(0.0, r#""path":"/","user_agent":"x""#),
        Promise::new().user_agent("MyBot"),
        &[Rule::UserAgent],
    );
    broken(&line(0.0, r#""path":"/""#), Promise::new().scope(&["b.example"]), &[Rule::OffScope]);
    broken(
        r#"{"time":"2027-10-10T13:55:36.5Z","url":"http://a.example/private"}"#,
        Promise::new().closed_path("a.example/private"),
        &[Rule::ClosedPath],
    );
}

#[test]
fn a_user_in_a_log_is_a_credential() {
    let line = r#"127.0.0.1 - bob [10/Oct/2027:13:55:36 +0000] "GET / HTTP/1.0" 200 2326"#;
    broken(line, Promise::new(), &[Rule::Credentials]);
}

#[test]
fn a_users_name_with_spaces_is_no_host() {
    for (front, site) in [
        ("1.2.3.4 - john smith", "-"),
        ("1.2.3.4 - a [b", "-"),
        ("1.2.3.4 remote john", "-"),
        ("client.example - john q smith", "-"),
        ("a.example:80 1.2.3.4 - john", "a.example"),
        ("a.example 1.2.3.4 - john smith", "a.example"),
        ("a.example 1.2.3.4 - -", "a.example"),
    ] {
        let line = format!("{front} [10/Oct/2027:13:55:36 +0000] \"GET /x HTTP/1.0\" 200 2326");
        let report = read(&line, Promise::new().closed_path("/x"));
        let found = report.violations().iter().find(|found| found.rule == Rule::ClosedPath).unwrap();
        assert!(found.evidence.starts_with(&format!("GET {site}/x: ")), "{front}: {}", found.evidence);
    }
}

#[test]
fn caddys_own_objects_are_read() {
    let line = |ts: f64, uri: &str| {
        format!(
            r#"{{"level":"info","ts":{ts},"logger":"http.log.access","msg":"handled request","request":{{"remote_ip":"10.0.0.1",
            "method":"GET","host":"a.example:443","uri":"{uri}","headers":{{"User-Agent":["MyBot/1.0"]}}}},"duration":0.5,"size":9000,
            "status":200,"resp_headers":{{"Server":["Caddy"]}}}}"#
        )
        .replace('\n', "")
    };
    let log = line(10.5, "/a") + "\n" + &line(12.0, "/b");
    broken(&log, Promise::new().user_agent("MyBot").closed_path("a.example/b"), &[Rule::ClosedPath]);
    // It notes the end of a request: the second began 1.5 s after the first had begun, 1 s after its end.
    broken(&log, Promise::new().max_open(1).min_delay(seconds(1)), &[]);
    broken(&log, Promise::new().max_open(1).min_delay(Duration::from_millis(1001)), &[Rule::MinDelay]);
    broken(&log, Promise::new().max_body(8999), &[Rule::BodyLimit]);
    assert!(!read(&log, Promise::new()).unseen().contains(&Rule::Unconditional));
}

#[test]
fn what_is_no_number_or_no_status_is_named_with_its_field() {
    let line = |field: &str| format!("\n{{\"at\":0,\"path\":\"/\",{field}}}");
    for (field, words) in [
        (r#""status":"abc""#, Some("\"status\" is \"abc\"")),
        (r#""status":99"#, Some("\"status\" is 99: give 100 to 999")),
        (r#""status":1000"#, Some("\"status\" is 1000: give 100 to 999")),
        (r#""status":200.5"#, Some("\"status\" is 200.5")),
        (r#""status":true"#, Some("\"status\" is true")),
        (r#""bytes":"many""#, Some("\"bytes\" is \"many\"")),
        (r#""request_time":[]"#, Some("\"request_time\" is []")),
        (r#""status":"200","bytes":"-","duration":"""#, None),
        (r#""status":100"#, None),
        (r#""status":999"#, None),
        (r#""status":0"#, None),
    ] {
        match (read_log(line(field).as_bytes(), Promise::new()), words) {
            (Ok(_), None) => {}
            (Err(LogError::Line { line: 2, problem }), Some(words)) => {
                assert!(problem.contains(words), "{problem}")
            }
            (other, _) => panic!("{field}: {other:?}"),
        }
    }
}

#[test]
fn a_log_of_another_kind_is_told_what_is_read() {
    let error = |log: &[u8]| read_log(log, Promise::new()).unwrap_err().to_string();
    assert!(error(b"\x1f\x8b\x08\x00").contains("gzip"), "a packed log");
    let iis = error(b"#Software: Microsoft Internet Information Services 10.0\r\n");
    assert!(iis.starts_with("line 1: is a heading") && iis.contains("one JSON object a line"), "{iis}");
    let garbage = error(b"\n\nrubbish\n");
    assert!(garbage.starts_with("line 3: is no entry") && garbage.contains("take it out"), "{garbage}");
}

#[test]
fn a_line_that_is_no_entry_is_named() {
    for (log, line) in [
        ("rubbish", 1),
        (r#"127.0.0.1 - - [10/Oct/2027:13:55:36 +0000] "GET / HTTP/1.0" 200"#, 1),
        ("\n\n{", 3),
        ("{}", 1),
        ("{\"at\":\"soon\",\"path\":\"/\"}", 1),
        ("{\"at\":1}", 1),
        ("{\"at\":0,\"path\":\"/\"}\n127.0.0.1 - - [tomorrow] \"GET / HTTP/1.0\" 200 1", 2),
    ] {
        match read_log(log.as_bytes(), Promise::new()) {
            Err(LogError::Line { line: found, problem }) => {
                assert_eq!((found, problem.is_empty()), (line, false), "{log}")
            }
            other => panic!("{log}: {other:?}"),
        }
    }
    let error = read_log(b"", Promise::new().max_open(0)).unwrap_err();
    assert!(error.to_string().contains("max_open"), "{error}");
}

#[test]
fn of_a_whole_sites_log_one_crawler_is_judged() {
    let of =
        |agent: &str| read_log_of(COMBINED.as_bytes(), Promise::new().min_delay(seconds(3)), agent).unwrap();
    let report = of("mybot");
    assert_eq!((report.requests(), report.broken()), (3, vec![Rule::MinDelay]), "{report}");
    assert_eq!(of("Other").broken(), [Rule::Method], "the other one's POST is its own");
    assert_eq!((of("Nobody").requests(), of("Nobody").lines()), (0, 4));
    assert_eq!(of("Nobody").passed_over(), ["MyBot", "Other"]);
    assert_eq!(of("MyBot").passed_over(), ["Other"]);
    let nameless =
        COMBINED.to_owned() + r#"127.0.0.1 - - [10/Oct/2027:13:55:50 +0000] "GET / HTTP/1.1" 200 1 "-" "-""#;
    assert_eq!(read_log_of(nameless.as_bytes(), Promise::new(), "MyBot").unwrap().requests(), 3);
    let common = r#"127.0.0.1 - - [10/Oct/2027:13:55:36 +0000] "GET / HTTP/1.0" 200 2326"#;
    match read_log_of(common.as_bytes(), Promise::new(), "MyBot") {
        Err(LogError::NoAgent { line: 1, .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_name_picks_a_whole_product_and_nobody_elses() {
    let line = |agent: &str| format!("{{\"at\":0,\"path\":\"/\",\"user_agent\":\"{agent}\"}}\n");
    for (named, asked, picked) in [
        ("MyBot/1.0", "mybot", true),
        ("MyBot/1.0", "MyBot/1.0", true),
        ("Mozilla/5.0 (compatible; MyBot/1.0; +https://my.dev/bot)", "MyBot", true),
        ("MyBot", "MyBot", true),
        ("NotMyBot/1.0", "MyBot", false),
        ("MyBot-Image/1.0", "MyBot", false),
        ("MyBot2/1.0", "MyBot", false),
        ("Other/1.0 (+https://my.dev/MyBot)", "MyBot", false),
    ] {
        let report = read_log_of(line(named).as_bytes(), Promise::new(), asked).unwrap();
        assert_eq!(report.requests(), u64::from(picked), "{asked} of {named}");
    }
    for empty in ["", " "] {
        let error = read_log_of(line("MyBot").as_bytes(), Promise::new(), empty).unwrap_err();
        assert_eq!(error, LogError::EmptyAgent);
    }
    let many: String = (0..30).map(|n| line(&format!("Bot{n}/1"))).collect();
    assert_eq!(read_log_of(many.as_bytes(), Promise::new(), "MyBot").unwrap().passed_over().len(), 10);
}

#[test]
fn what_only_keys_or_hosts_would_show_is_unseen_without_them() {
    let hidden = |line: &str, promise: Promise, rule: Rule, expected: bool| {
        assert_eq!(read(line, promise).unseen().contains(&rule), expected, "{rule} in {line}");
    };
    let headers = r#"{"at":0,"path":"/private/","headers":{}}"#;
    hidden(headers, Promise::new().signed(true), Rule::BadSignature, true);
    // The key of RFC 8037, A.2.
    let key = r#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;
    hidden(headers, Promise::new().signed(true).key_directory(key), Rule::BadSignature, false);
    hidden(headers, Promise::new().closed_path("www.site.example/private/"), Rule::ClosedPath, true);
    hidden(headers, Promise::new().closed_path("/private/"), Rule::ClosedPath, false);
    let host = r#"{"at":0,"host":"www.site.example","path":"/private/"}"#;
    hidden(host, Promise::new().closed_path("www.site.example/private/"), Rule::ClosedPath, false);
    // What is seen all the same stands.
    let both = Promise::new().closed_path("www.site.example/a/").closed_path("/private/");
    broken(headers, both, &[Rule::ClosedPath]);
    let torn = r#"{"at":0,"path":"/","headers":{"signature-input":"sig=(","signature":"x"}}"#;
    assert!(!read(torn, Promise::new().signed(true)).is_clean());
}

#[test]
fn a_bots_own_configuration_holds_its_promise() {
    let none = |_: &str| Err(std::io::ErrorKind::NotFound.into());
    let config = "user_agent = \"MyBot/1.0 (+https://my.dev/bot)\"\ntoken = \"MyBot\"\npage = \"https://my.dev/bot\"\n\
                  [about]\noperator = \"My Ltd\"\n[promise]\nmin_delay = 3\n[text.en]\npurpose = \"p\"\n";
    let promise = Scenario::parse_promise(config, none).unwrap();
    broken(COMBINED, promise.methods(&["GET", "POST"]), &[Rule::MinDelay]);
    let wrong = Scenario::parse_promise(&config.replace("min_delay", "min_dealy"), none).unwrap_err();
    assert_eq!(wrong.line(), 7);
    // Without a page it is no configuration, and a key outside the promise is a slip.
    let slip = Scenario::parse_promise("max_open = 1\n[promise]\nmin_delay = 3\n", none).unwrap_err();
    assert_eq!(slip.line(), 1, "{slip}");
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_a_log_or_an_error(log in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300)) {
        let _ = read_log(&log, Promise::new());
    }

    #[test]
    fn any_times_and_statuses_are_judged(rows in proptest::collection::vec((-1e18f64..1e18, proptest::prop_oneof![proptest::strategy::Just(0u16), 100u16..1000], "[ -~]{0,12}"), 0..20)) {
        let log: String = rows.iter().map(|(at, status, path)| {
            serde_json::json!({"at": at, "status": status, "path": format!("/{path}"), "retry_after": path, "duration": at, "location": path})
                .to_string() + "\n"
        }).collect();
        let second = seconds(1);
        let promise = Promise::new().max_open(1).min_delay(second).retry_after(true).busy_first(second).busy_factor(2.0)
            .unreachable_first(second).unreachable_factor(2.0).quota(2, second).revisit(second).max_redirects(1).time_limit(second)
            .closed_path("/a*b").conditional(true).robots_first(true).robots_max_age(second);
        let report = read_log(log.as_bytes(), promise).unwrap();
        proptest::prop_assert_eq!(report.requests(), rows.len() as u64);
    }
}
