use std::time::Duration;

use bot_etiquette_politeness::{RateLimit, Timestamp};
use proptest::prelude::*;

/// Fri, 31 Dec 2027 23:59:00 GMT.
const NOW: Timestamp = Timestamp::from_millis(1_830_297_540_000);

#[track_caller]
fn holds(fields: &[(&str, &str)], seconds: u64) {
    let limit = RateLimit::parse(fields.iter().copied(), NOW);
    assert_eq!(limit.and_then(|limit| limit.hold()), Some(Duration::from_secs(seconds)), "{fields:?}");
}

#[track_caller]
fn leaves(fields: &[(&str, &str)], remaining: u64, reset: u64) {
    let limit = RateLimit::parse(fields.iter().copied(), NOW).expect("a limit");
    assert_eq!((limit.remaining(), limit.reset().as_secs()), (remaining, reset), "{fields:?}");
    assert_eq!(limit.hold(), None, "{fields:?}");
}

#[track_caller]
fn is_ignored(fields: &[(&str, &str)]) {
    assert_eq!(RateLimit::parse(fields.iter().copied(), NOW), None, "{fields:?}");
}

#[test]
fn the_list_form_of_the_draft_is_read() {
    leaves(&[("ratelimit", r#""default";r=50;t=30"#)], 50, 30);
    leaves(&[("ratelimit", r#""default";r=50"#)], 50, 0);
    leaves(&[("ratelimit", r#""default";r=0"#)], 0, 0);
    holds(&[("RateLimit", r#""default";r=0;t=30"#)], 30);
    holds(&[("ratelimit", r#""default";pk=:cHJpdmF0ZQ==:;r=0;t=30"#)], 30);
}

#[test]
fn of_several_limits_the_strictest_counts() {
    holds(&[("ratelimit", r#""burst";r=5;t=10, "daily";r=0;t=3600"#)], 3600);
    holds(&[("ratelimit", r#""burst";r=0;t=10, "daily";r=0;t=3600"#)], 3600);
    holds(&[("ratelimit", r#""daily";r=0;t=3600"#), ("ratelimit", r#""burst";r=0;t=10"#)], 3600);
    leaves(&[("ratelimit", r#""burst";r=5;t=10, "daily";r=3;t=3600"#)], 3, 3600);
}

#[test]
fn a_malformed_field_is_ignored() {
    for value in [
        "default;r=x",
        r#""default";r=x"#,
        r#""default";r=-1;t=3"#,
        r#""default";r=0;t=x"#,
        r#""default""#,
        r#""d";r=1.5;t=2"#,
        r#""a";r=0;t=5,"#,
        "(\"a\");r=0;t=1",
        "",
        "\"",
        "100",
    ] {
        is_ignored(&[("ratelimit", value)]);
    }
    is_ignored(&[("ratelimit-policy", r#""default";q=100;w=60"#)]);
    is_ignored(&[]);
}

#[test]
fn the_older_shapes_of_the_draft_are_read() {
    leaves(&[("ratelimit", "limit=100, remaining=50, reset=30")], 50, 30);
    holds(&[("ratelimit", "limit=100, remaining=0, reset=30")], 30);
    is_ignored(&[("ratelimit", "limit=100, remaining=0")]);
    holds(&[("ratelimit-limit", "100"), ("ratelimit-remaining", "0"), ("ratelimit-reset", "30")], 30);
    leaves(&[("ratelimit-remaining", "7"), ("ratelimit-reset", "30")], 7, 30);
}

#[test]
fn the_customs_are_read() {
    let none = ("x-ratelimit-remaining", "0");
    for (name, reset, seconds) in [
        ("x-ratelimit-reset", "60", 60),
        ("X-RateLimit-Reset", "1830297600", 60),
        ("x-ratelimit-reset", "1830297600000", 60),
        ("x-ratelimit-reset", "1830297599.5", 60),
        ("x-ratelimit-reset-after", "1.25", 2),
        ("x-ratelimit-reset", "99999999", 99_999_999),
    ] {
        holds(&[none, (name, reset)], seconds);
    }
    holds(&[("x-rate-limit-remaining", "0"), ("x-rate-limit-reset", "1830297600")], 60);
    holds(&[none, ("x-ratelimit-reset", "60"), ("x-ratelimit-reset", "90")], 90);
    leaves(&[none, ("x-ratelimit-reset", "100000000")], 0, 0);
    leaves(&[("x-ratelimit-remaining", "12"), ("x-ratelimit-reset", "60")], 12, 60);
    is_ignored(&[none]);
    is_ignored(&[none, ("x-ratelimit-reset", "soon")]);
    is_ignored(&[("x-ratelimit-reset", "60")]);
}

#[test]
fn a_point_in_time_is_measured_against_the_date_of_the_answer() {
    holds(
        &[
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", "1830301200"),
            ("date", "Sat, 01 Jan 2028 00:59:00 GMT"),
        ],
        60,
    );
}

#[test]
fn a_number_beyond_every_clock_saturates() {
    holds(&[("ratelimit-remaining", "0"), ("ratelimit-reset", "99999999")], 99_999_999);
    let far =
        RateLimit::parse([("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", &"9".repeat(400))], NOW);
    assert!(far.and_then(|limit| limit.hold()).is_some_and(|hold| hold > Duration::from_secs(1 << 40)));
}

proptest! {
    #[test]
    fn any_bytes_at_any_time_are_read_without_harm(
        name in prop::sample::select(vec!["ratelimit", "ratelimit-remaining", "x-ratelimit-reset", "date"]),
        values in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..4),
        now in any::<u64>(),
    ) {
        let _ = RateLimit::parse(values.iter().map(|value| (name, value)), Timestamp::from_millis(now));
    }
}
