use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bot_etiquette_robots::{CacheOptions, Lookup, Origin, RobotsAnswer, RobotsCache, RobotsSnapshot};

const DAY: u64 = 86_400;

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_800_000_000 + seconds)
}

fn origin(number: usize) -> Origin {
    format!("https://host{number}.example").parse().unwrap()
}

fn cache() -> RobotsCache {
    RobotsCache::new(["TestBot".parse().unwrap()])
}

#[track_caller]
fn answered(cache: &mut RobotsCache, number: usize, now: u64, answer: &RobotsAnswer) {
    let Lookup::Fetch(ticket) = cache.check(&origin(number), at(now), Duration::ZERO) else {
        panic!("expected a fetch")
    };
    cache.finished(ticket, answer, at(now));
}

fn look(cache: &mut RobotsCache, number: usize, now: u64) -> Lookup {
    cache.check(&origin(number), at(now), Duration::ZERO)
}

fn through_json(snapshot: &RobotsSnapshot) -> RobotsSnapshot {
    serde_json::from_str(&serde_json::to_string(snapshot).unwrap()).unwrap()
}

/// A file with bytes that are no text, a missing one, and a site that failed twice.
fn filled() -> RobotsCache {
    let mut cache = cache();
    let file = RobotsAnswer::from_status(200)
        .header("etag", b"\"\xff\"")
        .header("last-modified", "Thu, 01 Jan 2026 00:00:00 GMT")
        .body(b"User-agent: *\nDisallow: /\xff/\nCrawl-delay: 4\n");
    answered(&mut cache, 0, 0, &file);
    answered(&mut cache, 1, 0, &RobotsAnswer::from_status(404));
    answered(&mut cache, 2, 0, &RobotsAnswer::no_answer());
    answered(&mut cache, 2, 900, &RobotsAnswer::no_answer());
    cache
}

#[test]
fn what_was_known_is_known_again_byte_for_byte_and_second_for_second() {
    let snapshot = through_json(&filled().export(at(1_000)));
    let mut again = cache();
    assert_eq!(again.import(&snapshot, at(2_000)), 3);
    let Lookup::Use(copy) = look(&mut again, 0, DAY - 1) else { panic!() };
    assert!(!copy.rules().verdict(b"/%FF/").is_allowed());
    assert_eq!(copy.rules().crawl_delay(), Some(Duration::from_secs(4)));
    assert!(copy.is_new(), "a delay is told again after a restart");
    assert_eq!(copy.read_at(), Some(at(0)));
    assert!(matches!(look(&mut again, 1, DAY - 1), Lookup::Use(copy) if copy.robots().is_none()));
    let Lookup::Fetch(ticket) = look(&mut again, 0, DAY) else { panic!() };
    assert_eq!(ticket.if_none_match(), Some(&b"\"\xff\""[..]));
    assert_eq!(ticket.if_modified_since(), Some(&b"Thu, 01 Jan 2026 00:00:00 GMT"[..]));

    let mut again = cache();
    again.import(&snapshot, at(1_000));
    assert!(matches!(look(&mut again, 2, 2_699), Lookup::Closed { until, .. } if until == at(2_700)));
    answered(&mut again, 2, 2_700, &RobotsAnswer::no_answer());
    assert!(matches!(look(&mut again, 2, 2_700), Lookup::Closed { until, .. } if until == at(6_300)));
}

#[test]
fn a_snapshot_from_a_later_clock_makes_nothing_younger() {
    let snapshot = through_json(&filled().export(at(80_000)));
    let mut again = cache();
    // The clock stands a year before the export.
    let early = |seconds: u64| at(0) - Duration::from_secs(365 * DAY) + Duration::from_secs(seconds);
    again.import(&snapshot, early(0));
    assert!(matches!(again.check(&origin(0), early(6_399), Duration::ZERO), Lookup::Use(_)));
    assert!(matches!(again.check(&origin(0), early(6_400), Duration::ZERO), Lookup::Fetch(_)));
}

#[test]
fn a_file_cut_at_the_limit_gains_no_rule_over_a_restart() {
    let mut text = b"User-agent: *\nDisallow: /private/\n".to_vec();
    text.resize(512_000 - 8, b'#');
    // The limit falls behind `Allow: /`, which would open everything.
    text.extend_from_slice(b"\nAllow: /private/open\n");
    let mut first = cache();
    answered(&mut first, 0, 0, &RobotsAnswer::from_status(200).body(text));
    let mut second = cache();
    second.import(&through_json(&first.export(at(1))), at(1));
    for cache in [&mut first, &mut second] {
        let Lookup::Use(copy) = look(cache, 0, 1) else { panic!() };
        assert!(!copy.rules().verdict("/private/x").is_allowed());
        assert!(copy.robots().unwrap().text().len() <= 512_000);
    }
}

#[test]
fn a_fetch_under_way_is_not_kept() {
    let mut cache = cache();
    let Lookup::Fetch(ticket) = look(&mut cache, 0, 0) else { panic!() };
    let mut again = self::cache();
    assert_eq!(again.import(&through_json(&cache.export(at(0))), at(0)), 0);
    cache.abandoned(ticket);
}

#[test]
fn what_this_cache_knows_already_stays_and_limits_hold() {
    let snapshot = filled().export(at(1_000));
    let mut known = cache();
    answered(&mut known, 0, 500, &RobotsAnswer::from_status(404));
    assert_eq!(known.import(&snapshot, at(1_000)), 2);
    assert!(matches!(look(&mut known, 0, 1_000), Lookup::Use(copy) if copy.robots().is_none()));

    let mut options = CacheOptions::default();
    options.max_origins = 1;
    let mut small = RobotsCache::with_options(["TestBot".parse().unwrap()], options);
    assert_eq!(small.import(&snapshot, at(1_000)), 1);
    assert!(matches!(look(&mut small, 2, 1_000), Lookup::Closed { .. }), "failing sites come first");
}

#[test]
fn a_damaged_snapshot_opens_nothing() {
    let json = serde_json::to_string(&filled().export(at(1_000))).unwrap();
    let damaged = json
        .replace("1800000000000", "18446744073709551615")
        .replace("\"https://host1.example\"", "\"nonsense\"");
    let snapshot: RobotsSnapshot = serde_json::from_str(&damaged).unwrap();
    let mut again = cache();
    assert_eq!(again.import(&snapshot, at(1_000)), 2);
    assert!(matches!(look(&mut again, 0, 1_000), Lookup::Fetch(_)));
}
