use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bot_etiquette_robots::{
    Availability, CacheOptions, FetchTicket, Lookup, MAX_AGE, MIN_AGE, Origin, OriginError, RobotsAnswer,
    RobotsCache, RobotsCopy, Unreachable,
};

const DAY: u64 = 86_400;
const CLOSED: &[u8] = b"User-agent: *\nDisallow: /private/\n";

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_800_000_000 + seconds)
}

fn cache() -> RobotsCache {
    RobotsCache::new(["TestBot".parse().unwrap()])
}

fn with(change: impl FnOnce(&mut CacheOptions)) -> RobotsCache {
    let mut options = CacheOptions::default();
    change(&mut options);
    RobotsCache::with_options(["TestBot".parse().unwrap()], options)
}

fn origin(number: usize) -> Origin {
    format!("https://host{number}.example").parse().unwrap()
}

fn ok() -> RobotsAnswer {
    RobotsAnswer::from_status(200).body(CLOSED)
}

fn check(cache: &mut RobotsCache, now: SystemTime) -> Lookup {
    cache.check(&origin(0), now, Duration::ZERO)
}

#[track_caller]
fn fetch(cache: &mut RobotsCache, now: SystemTime) -> FetchTicket {
    match check(cache, now) {
        Lookup::Fetch(ticket) => ticket,
        other => panic!("expected a fetch, got {other:?}"),
    }
}

/// A fetch is due; its ticket is lost.
#[track_caller]
fn fetched(cache: &mut RobotsCache, now: SystemTime) {
    drop(fetch(cache, now));
}

#[track_caller]
fn used(cache: &mut RobotsCache, now: SystemTime) -> RobotsCopy {
    match check(cache, now) {
        Lookup::Use(copy) => copy,
        other => panic!("expected a copy, got {other:?}"),
    }
}

/// Fetches at a time, and tells the answer at the same time.
#[track_caller]
fn answered(cache: &mut RobotsCache, now: SystemTime, answer: &RobotsAnswer) {
    let ticket = fetch(cache, now);
    cache.finished(ticket, answer, now);
}

#[track_caller]
fn closed(cache: &mut RobotsCache, now: SystemTime) -> (Unreachable, SystemTime) {
    match check(cache, now) {
        Lookup::Closed { why, until } => (why, until),
        other => panic!("expected closed, got {other:?}"),
    }
}

fn closes_private(copy: &RobotsCopy) -> bool {
    !copy.rules().verdict("/private/x").is_allowed() && copy.rules().verdict("/open").is_allowed()
}

#[test]
fn a_copy_of_exactly_a_day_is_read_again_first() {
    let mut cache = cache();
    answered(&mut cache, at(0), &ok());
    assert!(closes_private(&used(&mut cache, at(0))));
    assert!(closes_private(&used(&mut cache, at(DAY) - Duration::from_millis(1))));
    fetched(&mut cache, at(DAY));
}

#[test]
fn the_day_counts_from_the_asking_not_from_the_answer() {
    let mut cache = cache();
    let ticket = fetch(&mut cache, at(0));
    cache.finished(ticket, &ok(), at(90));
    used(&mut cache, at(DAY - 1));
    fetched(&mut cache, at(DAY));
}

#[test]
fn a_request_that_may_wait_below_needs_a_copy_that_lasts_so_long() {
    let margin = Duration::from_secs(60);
    let mut cache = cache();
    answered(&mut cache, at(0), &ok());
    assert!(matches!(cache.check(&origin(0), at(DAY - 61), margin), Lookup::Use(_)));
    assert!(matches!(cache.check(&origin(0), at(DAY - 60), margin), Lookup::Fetch(_)));
    // A margin longer than the lifetime must not read the file before every request.
    let mut cache = with(|_| {});
    answered(&mut cache, at(0), &ok().header("cache-control", "max-age=1"));
    assert!(matches!(cache.check(&origin(0), at(1), Duration::from_secs(9_000)), Lookup::Use(_)));
}

/// How long a copy with these header fields is used.
#[track_caller]
fn lasts(fields: &[(&str, &str)], seconds: u64) {
    let mut cache = cache();
    answered(&mut cache, at(0), &ok().headers(fields.iter().copied()));
    used(&mut cache, at(seconds - 1));
    assert!(matches!(check(&mut cache, at(seconds)), Lookup::Fetch(_)), "{fields:?}");
}

#[test]
fn http_may_shorten_the_day_but_not_below_five_minutes() {
    assert_eq!((MIN_AGE.as_secs(), MAX_AGE.as_secs()), (300, DAY));
    lasts(&[], DAY);
    lasts(&[("Cache-Control", "max-age=3600")], 3_600);
    lasts(&[("cache-control", "public, MAX-AGE=\"3600\"")], 3_600);
    lasts(&[("cache-control", "max-age=299")], 300);
    lasts(&[("cache-control", "max-age=300")], 300);
    lasts(&[("cache-control", "max-age=301")], 301);
    lasts(&[("cache-control", "max-age=86401")], DAY);
    lasts(&[("cache-control", "max-age=99999999999999999999999")], DAY);
    lasts(&[("cache-control", "max-age=7200"), ("cache-control", "max-age=3600")], 3_600);
    lasts(&[("cache-control", "max-age=3600"), ("age", "600")], 3_000);
    lasts(&[("cache-control", "max-age=soon")], 300);
    lasts(&[("cache-control", "no-store, max-age=3600")], 300);
    lasts(&[("cache-control", "no-cache")], 300);
    lasts(&[("cache-control", "s-maxage=60, private, must-revalidate")], DAY);
    lasts(&[("date", "Fri, 15 Jan 2027 08:00:00 GMT"), ("expires", "Fri, 15 Jan 2027 09:00:00 GMT")], 3_600);
    lasts(&[("expires", "Fri, 15 Jan 2027 09:00:00 GMT")], DAY);
    lasts(&[("expires", "0")], 300);
    lasts(&[("expires", "0"), ("cache-control", "max-age=3600")], 3_600);
}

#[test]
fn a_copy_is_asked_for_again_with_its_validators_as_they_came() {
    let mut cache = cache();
    let etag = b"W/\"\xe9 odd\"";
    let answer = ok().header("ETag", etag).header("Last-Modified", "Thu, 1 Jan 2027 00:00:00 GMT");
    let ticket = fetch(&mut cache, at(0));
    assert_eq!((ticket.if_none_match(), ticket.if_modified_since()), (None, None));
    cache.finished(ticket, &answer, at(0));

    let ticket = fetch(&mut cache, at(DAY));
    assert_eq!(ticket.if_none_match(), Some(&etag[..]));
    assert_eq!(ticket.if_modified_since(), Some(&b"Thu, 1 Jan 2027 00:00:00 GMT"[..]));
    cache.finished(ticket, &RobotsAnswer::from_status(304).header("etag", "\"new\""), at(DAY));
    let copy = used(&mut cache, at(2 * DAY - 1));
    assert!(closes_private(&copy) && !copy.is_stale());
    assert_eq!(copy.read_at(), Some(at(DAY)));
    assert_eq!(fetch(&mut cache, at(2 * DAY)).if_none_match(), Some(&b"\"new\""[..]));
}

#[test]
fn a_confirmed_copy_keeps_its_lifetime_unless_told_another() {
    let mut cache = cache();
    answered(&mut cache, at(0), &ok().header("etag", "\"1\"").header("cache-control", "max-age=600"));
    answered(&mut cache, at(600), &RobotsAnswer::from_status(304));
    used(&mut cache, at(1_199));
    answered(&mut cache, at(1_200), &RobotsAnswer::from_status(304).header("cache-control", "max-age=900"));
    used(&mut cache, at(2_099));
    fetched(&mut cache, at(2_100));
}

#[test]
fn a_validator_too_long_to_keep_is_not_sent() {
    for (length, sent) in [(1_023, true), (1_024, true), (1_025, false)] {
        let mut cache = cache();
        answered(&mut cache, at(0), &ok().header("etag", "e".repeat(length)));
        assert_eq!(fetch(&mut cache, at(DAY)).if_none_match().is_some(), sent, "{length}");
    }
}

#[test]
fn not_modified_without_a_copy_settles_nothing() {
    let mut cache = cache();
    answered(&mut cache, at(0), &RobotsAnswer::from_status(304));
    assert_eq!(closed(&mut cache, at(0)), (Unreachable::Unusable(304), at(60)));
    // A copy without a validator was not asked for conditionally either.
    let mut cache = with(|_| {});
    answered(&mut cache, at(0), &ok());
    answered(&mut cache, at(DAY), &RobotsAnswer::from_status(304));
    assert!(used(&mut cache, at(DAY)).is_stale());
}

#[test]
fn the_second_asker_waits_for_the_first() {
    let mut cache = cache();
    let ticket = fetch(&mut cache, at(0));
    assert!(matches!(check(&mut cache, at(1)), Lookup::Wait));
    assert!(matches!(cache.check(&origin(1), at(1), Duration::ZERO), Lookup::Fetch(_)));
    cache.finished(ticket, &ok(), at(2));
    used(&mut cache, at(2));
}

#[test]
fn a_fetch_given_back_changes_nothing() {
    let mut cache = cache();
    let ticket = fetch(&mut cache, at(0));
    cache.abandoned(ticket);
    let ticket = fetch(&mut cache, at(0));
    cache.finished(ticket, &RobotsAnswer::from_status(503), at(0));
    let ticket = fetch(&mut cache, at(60));
    cache.abandoned(ticket);
    let ticket = fetch(&mut cache, at(60));
    cache.finished(ticket, &RobotsAnswer::from_status(503), at(60));
    assert_eq!(closed(&mut cache, at(60)).1, at(180));
}

#[test]
fn a_lost_fetch_is_given_to_another_and_its_late_answer_ignored() {
    let mut cache = cache();
    let lost = fetch(&mut cache, at(0));
    assert!(matches!(check(&mut cache, at(599)), Lookup::Wait));
    let second = fetch(&mut cache, at(600));
    cache.finished(lost, &RobotsAnswer::from_status(404), at(601));
    assert!(matches!(check(&mut cache, at(602)), Lookup::Wait));
    cache.finished(second, &ok(), at(603));
    assert!(closes_private(&used(&mut cache, at(603))));
}

#[test]
fn without_a_file_everything_is_open_for_a_day() {
    for answer in
        [RobotsAnswer::from_status(404), RobotsAnswer::from_status(403), RobotsAnswer::too_many_redirects()]
    {
        let mut cache = cache();
        answered(&mut cache, at(0), &answer);
        let copy = used(&mut cache, at(DAY - 1));
        assert!(copy.rules().verdict("/private/x").is_allowed() && copy.robots().is_none());
        assert_eq!(copy.availability(), Availability::Unavailable);
        fetched(&mut cache, at(DAY));
    }
}

#[test]
fn a_file_that_is_gone_takes_its_rules_with_it() {
    let mut cache = cache();
    answered(&mut cache, at(0), &ok());
    answered(&mut cache, at(DAY), &RobotsAnswer::from_status(410));
    assert!(used(&mut cache, at(DAY)).rules().verdict("/private/x").is_allowed());
}

#[test]
fn an_unreachable_site_without_a_copy_is_closed() {
    for (answer, why, wait) in [
        (RobotsAnswer::from_status(429), Unreachable::TooManyRequests, 60),
        (RobotsAnswer::from_status(500), Unreachable::ServerError(500), 60),
        (RobotsAnswer::from_status(302), Unreachable::Unusable(302), 60),
        (RobotsAnswer::from_status(301).header("location", "/again"), Unreachable::Unusable(301), 60),
        (RobotsAnswer::from_status(199), Unreachable::Unusable(199), 60),
        (RobotsAnswer::no_answer(), Unreachable::NoAnswer, 900),
    ] {
        let mut cache = cache();
        answered(&mut cache, at(0), &answer);
        assert_eq!(closed(&mut cache, at(wait - 1)), (why, at(wait)));
        fetched(&mut cache, at(wait));
    }
}

#[test]
fn a_missing_file_is_no_copy_to_go_on_with() {
    let mut cache = cache();
    answered(&mut cache, at(0), &RobotsAnswer::from_status(404));
    cache.refresh(&origin(0));
    answered(&mut cache, at(10), &RobotsAnswer::no_answer());
    used(&mut cache, at(20));
    answered(&mut cache, at(DAY), &RobotsAnswer::no_answer());
    closed(&mut cache, at(DAY));
}

#[test]
fn the_last_good_copy_goes_on_while_the_site_is_unreachable() {
    let mut cache = cache();
    answered(&mut cache, at(0), &ok());
    for answer in [RobotsAnswer::from_status(503), RobotsAnswer::no_answer()] {
        let mut now = DAY;
        for _ in 0..60 {
            match check(&mut cache, at(now)) {
                Lookup::Fetch(ticket) => cache.finished(ticket, &answer, at(now)),
                Lookup::Use(copy) => assert!(copy.is_stale() && closes_private(&copy)),
                other => panic!("{other:?}"),
            }
            now += DAY / 2;
        }
    }
}

/// The waits after one failure after another, each asked again at once when it may.
#[track_caller]
fn waits(answers: &[&RobotsAnswer], expected: &[u64]) {
    let mut cache = with(|options| options.give_up_after = None);
    let mut now = 0;
    for (answer, expected) in answers.iter().zip(expected) {
        answered(&mut cache, at(now), answer);
        assert_eq!(closed(&mut cache, at(now)).1, at(now + expected));
        closed(&mut cache, at(now + expected - 1));
        now += expected;
    }
}

#[test]
fn waits_double_up_to_a_day() {
    let (silent, busy) = (&RobotsAnswer::no_answer(), &RobotsAnswer::from_status(503));
    waits(&[silent; 9], &[900, 1_800, 3_600, 7_200, 14_400, 28_800, 57_600, DAY, DAY]);
    waits(&[busy; 13], &[60, 120, 240, 480, 960, 1_920, 3_840, 7_680, 15_360, 30_720, 61_440, DAY, DAY]);
    // An answer ends a row of silence; silence ends no row of refusals.
    waits(&[silent, silent, busy, silent, busy, busy], &[900, 1_800, 60, 900, 120, 240]);
    waits(&vec![silent; 70], &[&[900, 1_800, 3_600, 7_200, 14_400, 28_800, 57_600][..], &[DAY; 63]].concat());
}

#[test]
fn a_longer_retry_after_is_kept_to_the_second() {
    let busy = |value: &str| RobotsAnswer::from_status(503).header("Retry-After", value);
    waits(&[&busy("3600")], &[3_600]);
    waits(&[&busy("30")], &[60]);
    waits(&[&busy("1000000")], &[1_000_000]);
    waits(&[&busy("soon"), &busy("-5"), &busy("1.5")], &[60, 120, 240]);
    waits(
        &[&busy("Fri, 15 Jan 2027 09:00:00 GMT").header("date", "Fri, 15 Jan 2027 08:00:00 GMT")],
        &[3_600],
    );
    // Without a Date the crawler's own clock is all there is: here it reads 2027-01-15 08:00:00.
    waits(&[&busy("Fri, 15 Jan 2027 09:00:00 GMT")], &[3_600]);
    waits(&[&RobotsAnswer::from_status(429).retry_after(Duration::from_secs(7_200))], &[7_200]);
    let mut cache = cache();
    answered(&mut cache, at(0), &busy("99999999999999999999999"));
    assert!(closed(&mut cache, at(100 * DAY)).1 > at(100 * DAY));
}

#[test]
fn after_thirty_days_of_failing_a_site_without_a_copy_counts_as_one_without_a_file() {
    let fail = |cache: &mut RobotsCache, until: u64| {
        let mut now = 0;
        while now < until {
            match check(cache, at(now)) {
                Lookup::Fetch(ticket) => cache.finished(ticket, &RobotsAnswer::from_status(500), at(now)),
                Lookup::Closed { .. } => now += 60,
                Lookup::Use(copy) => return Some((now, copy)),
                other => panic!("{other:?}"),
            }
        }
        None
    };
    let mut cache = cache();
    let (opened, copy) = fail(&mut cache, 40 * DAY).expect("it opens");
    assert!((30 * DAY..31 * DAY + 60).contains(&opened), "{opened}");
    assert_eq!(copy.availability(), Availability::Unreachable(Unreachable::ServerError(500)));
    assert!(copy.rules().verdict("/private/x").is_allowed());
    // It is still asked each day, and its rules hold as soon as it answers.
    let ticket = fetch(&mut cache, at(opened + DAY));
    cache.finished(ticket, &ok(), at(opened + DAY));
    assert!(closes_private(&used(&mut cache, at(opened + DAY))));

    let mut never = with(|options| options.give_up_after = None);
    assert!(fail(&mut never, 60 * DAY).is_none());
}

#[test]
fn a_long_retry_after_does_not_open_a_site_that_was_asked_once() {
    let mut cache = cache();
    answered(&mut cache, at(0), &RobotsAnswer::from_status(503).header("retry-after", "8640000"));
    closed(&mut cache, at(99 * DAY));
    fetched(&mut cache, at(100 * DAY));
}

#[test]
fn on_demand_the_file_is_read_again_but_no_wait_is_cut() {
    let mut cache = cache();
    cache.refresh(&origin(0));
    answered(&mut cache, at(0), &ok().header("etag", "\"1\""));
    cache.refresh(&origin(0));
    let ticket = fetch(&mut cache, at(5));
    assert_eq!(ticket.if_none_match(), Some(&b"\"1\""[..]));
    cache.finished(ticket, &RobotsAnswer::from_status(304), at(5));
    used(&mut cache, at(6));

    cache.refresh(&origin(0));
    answered(&mut cache, at(10), &RobotsAnswer::from_status(503));
    cache.refresh(&origin(0));
    assert!(!used(&mut cache, at(69)).is_stale());
    fetched(&mut cache, at(70));
}

#[test]
fn a_change_is_new_once() {
    let mut cache = cache();
    answered(&mut cache, at(0), &ok().header("etag", "\"1\""));
    assert_eq!([used(&mut cache, at(0)).is_new(), used(&mut cache, at(0)).is_new()], [true, false]);
    answered(&mut cache, at(DAY), &RobotsAnswer::from_status(304));
    assert!(!used(&mut cache, at(DAY)).is_new());
    answered(&mut cache, at(2 * DAY), &ok());
    assert!(used(&mut cache, at(2 * DAY)).is_new());
}

#[test]
fn a_web_page_sent_for_a_file_is_flagged() {
    for (answer, html) in [
        (ok(), false),
        (ok().header("content-type", "text/plain; charset=utf-8"), false),
        (ok().header("Content-Type", "Text/HTML; charset=utf-8"), true),
        (RobotsAnswer::from_status(200).body(b"\n <!DOCTYPE html><html><title>Oops</title>"), true),
    ] {
        let mut cache = cache();
        answered(&mut cache, at(0), &answer);
        assert_eq!(used(&mut cache, at(0)).looks_like_html(), html, "{answer:?}");
    }
}

#[test]
fn a_clock_set_back_makes_no_copy_younger_and_no_wait_longer() {
    let mut cache = cache();
    answered(&mut cache, at(0), &ok());
    used(&mut cache, at(20 * 3_600));
    // Ten hours back: four hours of the day are left, whatever the clock says.
    used(&mut cache, at(10 * 3_600));
    used(&mut cache, at(14 * 3_600 - 1));
    let ticket = fetch(&mut cache, at(14 * 3_600));
    cache.finished(ticket, &RobotsAnswer::no_answer(), at(14 * 3_600));
    // To the epoch: fifteen minutes remain fifteen minutes.
    assert!(used(&mut cache, UNIX_EPOCH).is_stale());
    assert!(used(&mut cache, UNIX_EPOCH + Duration::from_secs(899)).is_stale());
    fetched(&mut cache, UNIX_EPOCH + Duration::from_secs(900));
}

#[test]
fn any_time_is_survived() {
    let end = SystemTime::UNIX_EPOCH + Duration::from_secs(u64::MAX / 4_000_000_000);
    for now in [UNIX_EPOCH - Duration::from_secs(DAY), UNIX_EPOCH, end] {
        let mut cache = cache();
        answered(&mut cache, now, &RobotsAnswer::no_answer().retry_after(Duration::MAX));
        assert!(closed(&mut cache, now).1 >= now);
    }
}

#[test]
fn origins_are_bounded_and_the_longest_unused_is_forgotten() {
    let mut cache = with(|options| options.max_origins = 3);
    let read =
        |cache: &mut RobotsCache, number: usize| match cache.check(&origin(number), at(0), Duration::ZERO) {
            Lookup::Fetch(ticket) => {
                cache.finished(ticket, &ok(), at(0));
                true
            }
            Lookup::Use(_) => false,
            other => panic!("{other:?}"),
        };
    assert!(read(&mut cache, 0) && read(&mut cache, 1));
    assert_eq!(cache.len(), 2);
    assert!(read(&mut cache, 2) && !read(&mut cache, 0));
    assert_eq!(cache.len(), 3);
    assert!(read(&mut cache, 3));
    assert_eq!(cache.len(), 3);
    assert!(!read(&mut cache, 0) && !read(&mut cache, 2) && !read(&mut cache, 3));
    assert!(read(&mut cache, 1), "the longest unused was forgotten, and is read again");
}

#[test]
fn a_failing_site_is_remembered_until_it_may_be_asked_again() {
    let mut cache = with(|options| options.max_origins = 2);
    answered(&mut cache, at(0), &RobotsAnswer::no_answer());
    let Lookup::Fetch(ticket) = cache.check(&origin(1), at(0), Duration::ZERO) else { panic!() };
    assert!(matches!(cache.check(&origin(2), at(0), Duration::ZERO), Lookup::Full));
    cache.finished(ticket, &RobotsAnswer::from_status(503), at(0));
    assert!(matches!(cache.check(&origin(2), at(59), Duration::ZERO), Lookup::Full));
    closed(&mut cache, at(59));
    assert!(matches!(cache.check(&origin(2), at(60), Duration::ZERO), Lookup::Fetch(_)));
    closed(&mut cache, at(60));
    assert_eq!(cache.len(), 2);
}

#[test]
fn text_is_bounded_and_losing_it_opens_nothing() {
    let file = |size: usize| {
        let mut text = CLOSED.to_vec();
        text.resize(size, b'#');
        RobotsAnswer::from_status(200).body(text)
    };
    for (limit, left) in [(1_999, 1), (2_000, 2), (2_001, 2)] {
        let mut cache = with(|options| options.max_bytes = limit);
        for number in 0..2 {
            let Lookup::Fetch(ticket) = cache.check(&origin(number), at(0), Duration::ZERO) else { panic!() };
            cache.finished(ticket, &file(1_000), at(0));
        }
        assert_eq!((cache.len(), cache.bytes()), (left, left * 1_000), "{limit}");
    }
    // A failing site whose copy is gone is closed.
    let mut cache = with(|options| options.max_bytes = 1_500);
    answered(&mut cache, at(0), &file(1_000));
    answered(&mut cache, at(DAY), &RobotsAnswer::from_status(503));
    used(&mut cache, at(DAY));
    let Lookup::Fetch(ticket) = cache.check(&origin(1), at(DAY), Duration::ZERO) else { panic!() };
    cache.finished(ticket, &file(1_000), at(DAY));
    closed(&mut cache, at(DAY));
    assert_eq!(cache.bytes(), 1_000);
    // The file just read stays, however large.
    let Lookup::Fetch(ticket) = cache.check(&origin(2), at(DAY), Duration::ZERO) else { panic!() };
    cache.finished(ticket, &file(3_000), at(DAY));
    assert!(matches!(cache.check(&origin(2), at(DAY), Duration::ZERO), Lookup::Use(_)));
}

#[test]
fn an_origin_is_scheme_host_and_port() {
    for (url, expected) in [
        ("http://example.com", Ok("http://example.com")),
        ("HTTP://EXAMPLE.com:80/", Ok("http://example.com")),
        ("https://example.com:80/a", Ok("https://example.com:80")),
        ("https://example.com:/a", Ok("https://example.com")),
        ("https://a:b@example.com:8443?q", Ok("https://example.com:8443")),
        ("https://a@b@example.com#f", Ok("https://example.com")),
        ("https://[2001:DB8::1]:443/", Ok("https://[2001:db8::1]")),
        ("https://[::1]:8443/", Ok("https://[::1]:8443")),
        ("https://127.0.0.1:0", Ok("https://127.0.0.1:0")),
        ("https://a_b.example./", Ok("https://a_b.example.")),
        ("ftp://example.com", Err(OriginError::NotHttp)),
        ("//example.com", Err(OriginError::NotHttp)),
        ("/robots.txt", Err(OriginError::NotHttp)),
        ("", Err(OriginError::NotHttp)),
        ("https://", Err(OriginError::BadHost)),
        ("https:///path", Err(OriginError::BadHost)),
        ("https://:80", Err(OriginError::BadHost)),
        ("https://exa mple.com", Err(OriginError::BadHost)),
        ("https://\u{e9}.example", Err(OriginError::BadHost)),
        ("https://a%41.example", Err(OriginError::BadHost)),
        ("https://[::1", Err(OriginError::BadHost)),
        ("https://[x]", Err(OriginError::BadHost)),
        ("https://example.com:65536", Err(OriginError::BadPort)),
        ("https://example.com:+80", Err(OriginError::BadPort)),
        ("https://example.com\\@evil.example", Err(OriginError::BadHost)),
    ] {
        assert_eq!(url.parse::<Origin>().as_ref().map(Origin::as_str), expected.as_ref().copied(), "{url}");
    }
    for (length, good) in [(254, true), (255, true), (256, false)] {
        assert_eq!(format!("https://{}", "a".repeat(length)).parse::<Origin>().is_ok(), good, "{length}");
    }
}
