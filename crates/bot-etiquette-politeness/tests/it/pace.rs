//! Pace, slots, Crawl-delay, and which name is which host.

use crate::script::check;

/// One request at a time, a second from the end of one to the start of the next.
pub(crate) const ONE_AT_A_TIME: &str = r#"
    [default]
    max_open = 1
    min_delay = 1.0
    crawl_delay_cap = 10.0
    crawl_delay_over = "clamp"
"#;

/// Two at a time, no pause of its own, a long Crawl-delay closes the host.
pub(crate) const TWO_AT_A_TIME: &str = r#"
    [default]
    max_open = 2
    crawl_delay_cap = 2.0
    crawl_delay_over = "refuse"
    unreachable_first = 900
    unreachable_max = 86400
    busy_statuses = [429, 502, 503, 504]
    busy_scope = "resource"
    busy_first = 3600
    busy_max = 2592000
    retry_after = "longest"
"#;

#[test]
fn the_pause_runs_from_the_end_of_the_last_answer() {
    check("first ask", ONE_AT_A_TIME, "5 ask h/x -> go");
    check(
        "end",
        ONE_AT_A_TIME,
        "0 ask h/x -> go
         0.3 end h/x 200
         0.3 ask h/x -> wait 1.3 min-delay
         1.299 ask h/x -> wait 1.3 min-delay
         1.3 ask h/x -> go",
    );
    check(
        "a slow answer",
        ONE_AT_A_TIME,
        "0 ask h/x -> go
         0.5 ask h/y -> wait 1 in-flight min-delay
         1 ask h/y -> wait - in-flight
         20 end h/x 200
         20 ask h/x -> wait 21 min-delay",
    );
}

#[test]
fn the_pause_runs_from_the_start_where_the_policy_says_so() {
    let start = "[default]\nmin_delay = 1.0\ndelay_anchor = 'start'";
    check(
        "start",
        start,
        "0 ask h/x -> go\n 0.3 end h/x 200\n 0.3 ask h/x -> wait 1 min-delay\n 1 ask h/x -> go",
    );
    check("slow", start, "0 ask h/x -> go\n 20 end h/x 200\n 20 ask h/x -> go");
    check(
        "more than one open: from the start by default",
        "[default]\nmin_delay = 1.0\nmax_open = 2",
        "0 ask h/x -> go\n 0 ask h/y -> wait 1 min-delay\n 1 ask h/y -> go\n 5 end h/x 200\n 5 ask h/z -> go",
    );
    check(
        "more than one open, from the end",
        "[default]\nmin_delay = 1.0\nmax_open = 2\ndelay_anchor = 'end'",
        "0 ask h/x -> go
         0.5 ask h/y -> wait 1 min-delay
         1 ask h/y -> go
         1.2 end h/x 200
         1.5 ask h/z -> wait 2.2 min-delay
         3 end h/y 200
         3 ask h/z -> wait 4 min-delay",
    );
}

#[test]
fn slots_are_taken_and_given_back() {
    check(
        "two",
        TWO_AT_A_TIME,
        "0 ask h/x -> go
         0 ask h/x -> go
         0 ask h/z -> wait - in-flight
         0.4 end h/x 200
         0.4 ask h/z -> go
         0.5 ask other/ -> go",
    );
    check(
        "a dropped permit counts as an end",
        ONE_AT_A_TIME,
        "0 ask h/x -> go\n 2 drop h/x\n 2 ask h/x -> wait 3 min-delay",
    );
    check("not sent, not charged", ONE_AT_A_TIME, "0 ask h/x -> go\n 0.1 unsent h/x\n 0.1 ask h/x -> go");
    check(
        "a class has slots of its own, within the host's",
        "[default]\nmax_open = 2\nclass_max_open = { search = 1, crawl = 1 }",
        "0 ask h/x as:search -> go
         0 ask h/y as:search -> wait - in-flight
         0 ask h/y -> go
         0 ask h/z as:page -> wait - in-flight
         1 end h/x 200
         1 ask h/z -> wait - in-flight
         1 ask h/z as:page -> go",
    );
}

#[test]
fn names_of_one_machine_share_a_clock() {
    check(
        "scheme",
        ONE_AT_A_TIME,
        "0 ask http://h/ -> go\n 0.3 end http://h/ 200\n 0.4 ask https://h/ -> wait 1.3 min-delay",
    );
    for name in ["EXAMPLE.com", "example.com.", "example.com:443", "http://example.com:8080"] {
        check(
            name,
            ONE_AT_A_TIME,
            &format!("0 ask example.com/ -> go\n 0 ask {name}/ -> wait 1 in-flight min-delay"),
        );
    }
    check(
        "idna",
        ONE_AT_A_TIME,
        "0 ask münchen.de/ -> go\n 0 ask xn--mnchen-3ya.de/ -> wait 1 in-flight min-delay",
    );
    check("www is another", ONE_AT_A_TIME, "0 ask example.com/ -> go\n 0 ask www.example.com/ -> go");
    check(
        "a line may list names",
        "[default]\nclosed = true\n[host.'esmadrid.com']\nhosts = ['www.esmadrid.com']\nmin_delay = 10",
        "0 ask esmadrid.com/ -> go
         0.1 ask www.esmadrid.com/ -> wait 10 in-flight min-delay
         1 end esmadrid.com/ 200
         2 ask www.esmadrid.com/ -> wait 11 min-delay
         2 kill www.esmadrid.com
         20 ask esmadrid.com/ -> never killed
         20 ask other.com/ -> never not-configured",
    );
}

#[test]
fn a_crawl_delay_is_kept_cut_or_refused_as_the_policy_says() {
    let go = "0 ask h/x -> go\n 0 end h/x 200\n 0 robots h ";
    for (asked, then) in [
        ("5", "wait 5 crawl-delay min-delay"),
        ("0.2", "wait 1 min-delay crawl-delay"),
        ("10", "wait 10 crawl-delay min-delay"),
        ("30", "wait 10 crawl-delay min-delay"),
        ("none", "wait 1 min-delay"),
    ] {
        check(asked, ONE_AT_A_TIME, &format!("{go} {asked}\n 0 ask h/x -> {then}"));
    }
    check("2.0 is kept", TWO_AT_A_TIME, &format!("{go} 2.0\n 0 ask h/x -> wait 2 crawl-delay"));
    check("0.5 is kept", TWO_AT_A_TIME, &format!("{go} 0.5\n 0 ask h/x -> wait 0.5 crawl-delay"));
    check(
        "2.001 closes the host until robots.txt changes",
        TWO_AT_A_TIME,
        "0 robots h 2.001
         0 ask h/x -> never crawl-delay-too-long
         0 ask h/robots.txt -> go
         1 end h/robots.txt 200
         1 robots h 1
         1 ask h/x -> go",
    );
    check(
        "2 days close the host, and its robots.txt is asked at the policy's own pace",
        TWO_AT_A_TIME,
        "0 ask h/robots.txt -> go
         0.2 end h/robots.txt 200
         0.2 robots h 172800
         0.3 ask h/x -> never crawl-delay-too-long
         0.3 ask h/robots.txt -> go",
    );
    check("no cap: honoured", "[default]", &format!("{go} 3600\n 0 ask h/x -> wait 3600 crawl-delay"));
    check(
        "the largest of a host's origins, each taken back apart",
        "[default]",
        "0 ask h/x -> go
         0 end h/x 200
         0 robots https://h 5
         0 robots http://h 3
         0 robots https://h:8443 4
         0 ask h/x -> wait 5 crawl-delay
         0 robots https://h none
         0 ask h/x -> wait 4 crawl-delay
         0 robots https://h:8443 none
         1 ask h/x -> wait 3 crawl-delay
         2 robots http://h none
         2 ask h/x -> go",
    );
}

#[test]
fn a_clock_that_runs_back_is_not_believed() {
    check(
        "back",
        ONE_AT_A_TIME,
        "0 ask h/x -> go\n 10.3 end h/x 200\n 9 ask h/x -> wait 11.3 min-delay\n 11.3 ask h/x -> go",
    );
}

#[test]
fn an_override_acts_from_the_last_request_and_is_taken_away_again() {
    check(
        "set",
        ONE_AT_A_TIME,
        r#"0 ask h/x -> go
         1 end h/x 200
         1 set h {"min_delay": 20.0, "max_open": 3, "delay_anchor": "end"}
         2 ask h/x -> wait 21 min-delay
         2 ask g/x -> go
         3 set h {}
         3 ask h/x -> go
         3 ask h/x -> wait 4 in-flight min-delay"#,
    );
    check(
        "blocked",
        ONE_AT_A_TIME,
        r#"0 set h {"blocked":true}
         0 ask h/robots.txt -> never killed
         1 revive h
         1 ask h/x -> never killed
         2 set h {}
         2 ask h/x -> go"#,
    );
}
