//! Backoff, Retry-After, rate limits, challenges, kills.

use crate::pace::{ONE_AT_A_TIME, TWO_AT_A_TIME};
use crate::script::check;

/// A pause of ten seconds; Retry-After takes the place of the backoff step.
const TO_THE_LETTER: &str = r#"
    [default]
    min_delay = 10.0
    busy_first = 60
    busy_max = 86400
    retry_after = "honour"
    retry_after_park = 2592000
"#;

#[test]
fn an_unreachable_host_is_left_alone_twice_as_long_each_time_up_to_a_day() {
    let mut script = String::new();
    let holds = [0, 900, 2700, 6300, 13500, 27900, 56700, 114_300, 200_700, 287_100];
    for pair in holds.windows(2) {
        script += &format!(
            "{0} ask h/x -> go\n {0} fail h/x timeout\n {0} ask h/y -> wait {1} unreachable\n",
            pair[0], pair[1]
        );
    }
    check("doubling", TWO_AT_A_TIME, &script);
}

#[test]
fn every_kind_of_no_answer_is_unreachable_and_a_broken_body_is_not() {
    for kind in ["dns", "connect", "tls", "timeout", "reset"] {
        check(
            kind,
            TWO_AT_A_TIME,
            &format!("0 ask h/x -> go\n 0 fail h/x {kind}\n 0 ask h/x -> wait 900 unreachable"),
        );
    }
    check(
        "incomplete resets the counter",
        TWO_AT_A_TIME,
        "0 ask h/x -> go
         0 fail h/x dns
         900 ask h/x -> go
         900 fail h/x incomplete
         900 ask h/x -> go
         901 fail h/x dns
         901 ask h/x -> wait 1801 unreachable",
    );
    check(
        "no such hold without a first step",
        "[default]",
        "0 ask h/x -> go\n 0 fail h/x dns\n 0 ask h/x -> go",
    );
}

#[test]
fn an_answer_resets_the_counter_and_shortens_no_hold() {
    check(
        "reset",
        TWO_AT_A_TIME,
        "0 ask h/x -> go
         0 fail h/x dns
         900 ask h/x -> go
         900 end h/x 200
         1000 ask h/x -> go
         1000 fail h/x dns
         1000 ask h/x -> wait 1900 unreachable",
    );
    check(
        "an open request answers during the hold",
        TWO_AT_A_TIME,
        "0 ask h/x -> go
         0 ask h/y -> go
         0.5 fail h/x reset
         2 end h/y 200
         2 ask h/x -> wait 900.5 unreachable
         900.5 ask h/x -> go
         901 fail h/x reset
         901 ask h/x -> wait 1801 unreachable",
    );
    check(
        "a busy answer is an answer",
        TWO_AT_A_TIME,
        "0 ask h/x -> go
         0 fail h/x dns
         900 ask h/x of:a -> go
         900 end h/x 503
         900 ask h/x of:b -> go
         900 fail h/x dns
         900 ask h/x of:b -> wait 1800 unreachable",
    );
}

#[test]
fn requests_open_when_a_hold_began_are_one_incident() {
    check(
        "unreachable",
        TWO_AT_A_TIME,
        "0 ask h/x -> go
         0 ask h/y -> go
         0.5 fail h/x timeout
         3 fail h/y timeout
         3 ask h/x -> wait 900.5 unreachable
         900.5 ask h/x -> go
         900.5 fail h/x timeout
         900.5 ask h/x -> wait 2700.5 unreachable",
    );
    let mut script = String::new();
    for request in 0..8 {
        script += &format!("0 ask h/{request} -> go\n");
    }
    for request in 0..8 {
        script += &format!("{} end h/{request} 429\n", request + 1);
    }
    script += "8 ask h/x -> wait 61 busy\n 61 ask h/x -> go\n 62 end h/x 429\n 62 ask h/x -> wait 182 busy";
    check("eight at once", "[default]\nmax_open = 8\nbusy_first = 60\nbusy_max = 86400", &script);
}

#[test]
fn a_busy_resource_is_held_apart() {
    let busy = "0 ask h/a of:a -> go\n 0 end h/a 429\n";
    check(
        "apart",
        TWO_AT_A_TIME,
        &format!("{busy} 0 ask h/a of:a -> wait 3600 busy\n 0 ask h/b of:b -> go\n 0 ask h/ -> go"),
    );
    for (status, then) in [(200, 7300), (404, 7300), (503, 3600 + 7200)] {
        let begin = if status == 503 { 3600 } else { 3700 };
        let tail = if status == 503 {
            format!("3600 end h/a 503\n 3600 ask h/a of:a -> wait {then} busy")
        } else {
            format!(
                "3600 end h/a {status}\n {begin} ask h/a of:a -> go\n {begin} end h/a 502\n {begin} ask h/a of:a -> wait {then} busy"
            )
        };
        check("after", TWO_AT_A_TIME, &format!("{busy} 3600 ask h/a of:a -> go\n {tail}"));
    }
    check(
        "no answer leaves the busy counter",
        TWO_AT_A_TIME,
        &format!(
            "{busy} 3600 ask h/a of:a -> go
         3600 fail h/a timeout
         3600 ask h/a of:a -> wait 4500 unreachable
         4500 ask h/a of:a -> go
         4500 end h/a 504
         4500 ask h/a of:a -> wait 11700 busy"
        ),
    );
    check(
        "without a resource the host is held",
        TWO_AT_A_TIME,
        "0 ask h/ -> go\n 0 end h/ 429\n 0 ask h/a of:a -> wait 3600 busy",
    );
    for status in [500, 408, 403, 301] {
        check("not busy", TWO_AT_A_TIME, &format!("0 ask h/ -> go\n 0 end h/ {status}\n 0 ask h/ -> go"));
    }
}

#[test]
fn busy_steps_grow_to_their_cap() {
    let mut script = String::new();
    let mut now = 0u64;
    for repeat in 1..=12u32 {
        let hold = (3600 * 2u64.pow(repeat - 1)).min(2_592_000);
        script += &format!(
            "{now} ask h/a of:a -> go\n {now} end h/a 429\n {now} ask h/a of:a -> wait {} busy\n",
            now + hold
        );
        now += hold;
    }
    check("twelve", TWO_AT_A_TIME, &script);
    check(
        "a minute, doubling",
        TO_THE_LETTER,
        "0 ask h/x -> go
         0 end h/x 503
         0 ask h/x -> wait 60 busy min-delay
         60 ask h/x -> go
         60 end h/x 503
         180 ask h/x -> go
         180 end h/x 503
         180 ask h/x -> wait 420 busy min-delay",
    );
}

#[test]
fn a_retry_after_holds_the_host_and_never_shortens() {
    check(
        "shorter than the busy step of the resource",
        TWO_AT_A_TIME,
        "0 ask h/a of:a -> go
         0 end h/a 503 retry-after=120
         0 ask h/a of:a -> wait 3600 busy retry-after
         0 ask h/b of:b -> wait 120 retry-after",
    );
    check(
        "longer",
        TWO_AT_A_TIME,
        "0 ask h/a of:a -> go
         0 end h/a 503 retry-after=7200
         0 ask h/a of:a -> wait 7200 retry-after busy
         0 ask h/b -> wait 7200 retry-after",
    );
    check(
        "siblings: the running maximum",
        "[default]\nmax_open = 3\nbusy_first = 60\nretry_after = 'honour'",
        "0 ask h/x -> go
         0 ask h/y -> go
         0 ask h/z -> go
         0 end h/x 429 retry-after=100
         0 ask h/w -> wait 100 retry-after
         2 end h/y 429 retry-after=300
         3 end h/z 429 retry-after=10
         3 ask h/w -> wait 302 retry-after",
    );
}

#[test]
fn a_retry_after_takes_the_place_of_the_step_where_the_policy_honours_it() {
    let seen = |header: &str, then: &str| {
        check(
            header,
            TO_THE_LETTER,
            &format!("0 ask h/x -> go\n 0 end h/x 429 {header}\n 0 ask h/x -> wait {then}"),
        );
    };
    seen("retry-after=30", "30 retry-after min-delay");
    seen("retry-after=3", "10 min-delay retry-after");
    for absent in ["retry-after=0", "retry-after=-5", "retry-after=120s", "retry-after=0x10", "retry-after="]
    {
        seen(absent, "60 busy min-delay");
    }
    seen("retry-after=Sat,_01_Jan_2028_00:00:00_GMT", "60 retry-after min-delay");
    seen(
        "retry-after=Sat,_01_Jan_2028_01:00:00_GMT date=Sat,_01_Jan_2028_00:59:00_GMT",
        "60 retry-after min-delay",
    );
    seen("retry-after=10 retry-after=20", "20 retry-after min-delay");
    check(
        "the counter moves all the same",
        TO_THE_LETTER,
        "0 ask h/x -> go
         0 end h/x 429 retry-after=30
         30 ask h/x -> go
         30 end h/x 429
         30 ask h/x -> wait 150 busy min-delay",
    );
    check(
        "not read on other statuses, nor where it is ignored",
        TO_THE_LETTER,
        "0 ask h/x -> go\n 0 end h/x 200 retry-after=300\n 10 ask h/x -> go\n 10 end h/x 413 retry-after=300\n 20 ask h/x -> wait 310 retry-after",
    );
    check(
        "ignored",
        "[default]\nretry_after = 'ignore'",
        "0 ask h/x -> go\n 0 end h/x 429 retry-after=300\n 0 ask h/x -> go",
    );
    check(
        "a redirect may ask too",
        TO_THE_LETTER,
        "0 ask h/x -> go\n 0 end h/x 301 retry-after=5\n 0 ask h/y -> wait 10 min-delay retry-after",
    );
}

#[test]
fn a_retry_after_beyond_the_park_waits_for_a_person() {
    check(
        "exactly at the bound it is a wait",
        TO_THE_LETTER,
        "0 ask h/x -> go\n 0 end h/x 429 retry-after=2592000\n 0 ask h/x -> wait 2592000 retry-after min-delay",
    );
    check(
        "beyond it is parked",
        TO_THE_LETTER,
        "0 ask h/x -> go
         0 end h/x 429 retry-after=2592001
         0 ask h/x -> never retry-after-too-long min-delay
         99 restart
         9999999 ask h/x -> never retry-after-too-long
         9999999 revive h
         9999999 ask h/x -> go",
    );
    check(
        "too large for any clock",
        TO_THE_LETTER,
        "0 ask h/x -> go\n 0 end h/x 503 retry-after=18446744073709551616\n 0 ask h/x -> never retry-after-too-long min-delay",
    );
}

#[test]
fn a_retry_after_may_hold_a_resource_or_a_group() {
    check(
        "resource",
        "[default]\nretry_after_scope = 'resource'",
        "0 ask h/a of:a -> go\n 0 end h/a 429 retry-after=60\n 0 ask h/a of:a -> wait 60 retry-after\n 0 ask h/b of:b -> go",
    );
    check(
        "group",
        "[group.cdn]\nhosts = ['a', 'b']\nretry_after_scope = 'group'\nper_second = 8",
        "0 ask a/ -> go\n 0 end a/ 429 retry-after=60\n 1 ask b/ -> wait 60 retry-after\n 1 ask c/ -> go\n 2 restart\n 2 ask b/ -> wait 60 retry-after",
    );
}

#[test]
fn the_servers_own_limit_only_ever_slows() {
    let slow = "[default]\nrate_limit = 'slow-only'";
    let spent = "0 ask h/x -> go\n 0 end h/x 200 x-ratelimit-remaining=0 x-ratelimit-reset=";
    check("delta", slow, &format!("{spent}60\n 0 ask h/x -> wait 60 rate-limit"));
    check("epoch", slow, &format!("{spent}1830297600\n 0 ask h/x -> wait 60 rate-limit"));
    check("off by default", "[default]", &format!("{spent}60\n 0 ask h/x -> go"));
    check("unreadable", slow, "0 ask h/x -> go\n 0 end h/x 200 ratelimit=default;r=x\n 0 ask h/x -> go");
}

#[test]
fn a_reported_busy_doubles_although_the_status_was_good() {
    let busy = "0 ask h/a of:a -> go\n 0 end h/a 200\n 0.1 report h/a busy of:a\n 0.1 ask h/a of:a -> wait 3600.1 busy\n";
    check("reported after the end", TWO_AT_A_TIME, busy);
    check(
        "the good status is taken back",
        TWO_AT_A_TIME,
        &format!(
            "{busy} 4000 ask h/a of:a -> go\n 4000 end h/a 200\n 4000 report h/a busy of:a\n 4000 ask h/a of:a -> wait 11200 busy"
        ),
    );
    check(
        "reported before the end",
        TWO_AT_A_TIME,
        "0 ask h/a of:a -> go
         0 report h/a busy of:a
         1 end h/a 200
         3600 ask h/a of:a -> go
         3600 report h/a busy of:a
         3601 end h/a 200
         3601 ask h/a of:a -> wait 10800 busy",
    );
    check(
        "a second good answer stands",
        TWO_AT_A_TIME,
        &format!(
            "{busy} 4000 ask h/a of:a -> go\n 4000 end h/a 200\n 4001 ask h/a of:a -> go\n 4002 end h/a 200
         4003 report h/a busy of:a\n 4003 ask h/a of:a -> wait 7603 busy"
        ),
    );
    check(
        "reported good",
        TWO_AT_A_TIME,
        &format!(
            "{busy} 3 report h/a ok of:a\n 3 ask h/a of:a -> wait 3600.1 busy\n 3600.1 ask h/a of:a -> go
         3601 end h/a 503\n 3601 ask h/a of:a -> wait 7201 busy"
        ),
    );
}

#[test]
fn a_challenge_is_for_a_person() {
    check(
        "challenged",
        ONE_AT_A_TIME,
        "0 ask h/x -> go
         0 end h/x 403
         0 report h/x challenged
         9 ask h/robots.txt -> never challenged
         9 restart
         9 ask h/x -> never challenged
         9 revive h
         9 ask h/x -> go",
    );
}

#[test]
fn a_kill_beats_all_and_leaves_the_clocks() {
    check(
        "kill",
        TWO_AT_A_TIME,
        "0 ask h/x -> go
         0 ask h/y of:a -> go
         1 kill h
         1 ask h/robots.txt -> never in-flight killed
         2 end h/y 503
         3 ask h/robots.txt -> never killed
         4 restart
         4 ask h/x -> never killed
         50 revive h
         50 ask h/x of:a -> wait 3602 busy
         50 ask h/x -> go",
    );
}
