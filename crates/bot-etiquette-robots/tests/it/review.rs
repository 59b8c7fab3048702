use std::time::Duration;

use bot_etiquette_robots::{Availability, Drift, ReviewedPolicy, Robots, Unreachable};

const SEEN: &str =
    "User-agent: *\nDisallow: /private/\nAllow: /private/press\nDisallow: /*?session=\nCrawl-delay: 2\n";
const FEED: &str = "https://data.example/feed.json";

fn policy() -> ReviewedPolicy {
    let robots = Robots::parse(SEEN.as_bytes());
    ReviewedPolicy::draft(
        "https://data.example/".parse().unwrap(),
        "MyBot".parse().unwrap(),
        "2027-05-02",
        &robots,
    )
    .with_url(FEED)
    .with_url("https://data.example/private/feed.json")
}

fn drift(live: &str) -> Drift {
    policy().drift(Availability::Successful, &Robots::parse(live.as_bytes()))
}

#[track_caller]
fn check(live: &str, expected: &[&str]) {
    let drift = drift(live);
    let words: Vec<String> = drift.changes.iter().map(ToString::to_string).collect();
    assert_eq!(words, expected, "{live}");
    assert_eq!(drift.text_changed, live != SEEN);
}

#[test]
fn what_means_the_same_is_no_drift() {
    check(SEEN, &[]);
    check(&SEEN.replace('\n', "\r\n"), &[]);
    check(
        &format!("# hello\n{SEEN}\nSitemap: https://data.example/s.xml\nUser-agent: other\nDisallow: /\n"),
        &[],
    );
    check(
        "user-agent: mybot\ncrawl-delay: 1\ncrawl-delay: 2\ndisallow: /*?session=\nallow: /private/%70ress\ndisallow: /private/\ndisallow: /private/\n",
        &[],
    );
}

#[test]
fn each_change_is_told_with_its_direction() {
    let with = |line: &str| format!("{SEEN}{line}\n");
    check(&with("Disallow: /new"), &["stricter: Disallow: /new is new"]);
    check(&with("Allow: /private/x"), &["looser: Allow: /private/x is new"]);
    check(&SEEN.replace("Disallow: /*?session=\n", ""), &["looser: Disallow: /*?session= is gone"]);
    check(&SEEN.replace("Allow: /private/press\n", ""), &["stricter: Allow: /private/press is gone"]);
    check(&SEEN.replace("delay: 2", "delay: 10"), &["stricter: Crawl-delay was 2 s and is 10 s"]);
    check(&SEEN.replace("delay: 2", "delay: 0.5"), &["looser: Crawl-delay was 2 s and is 0.5 s"]);
    check(&SEEN.replace("Crawl-delay: 2\n", ""), &["looser: Crawl-delay was 2 s and is gone"]);
    check(
        &with("Disallow: /feed"),
        &["stricter: Disallow: /feed is new", "stricter: https://data.example/feed.json is closed now"],
    );
}

#[test]
fn a_file_that_is_gone_opens_all_and_one_out_of_reach_says_nothing() {
    let empty = Robots::parse(b"");
    let drift = policy().drift(Availability::Unavailable, &empty);
    assert!(drift.text_changed);
    assert_eq!((drift.changes.len(), drift.loosened().count()), (5, 4));
    let drift = policy().drift(Availability::Unreachable(Unreachable::NoAnswer), &empty);
    assert!(drift.text_changed && drift.changes.is_empty());
}

#[test]
fn the_valve_lets_a_change_close_and_never_open() {
    let open_all = Robots::parse(b"User-agent: *\nAllow: /\n");
    let close_feed = Robots::parse(b"User-agent: MyBot\nDisallow: /feed\nCrawl-delay: 30\n");
    let two = Some(Duration::from_secs(2));
    for (availability, live, feed, delay) in [
        (Availability::Successful, &open_all, true, two),
        (Availability::Successful, &close_feed, false, Some(Duration::from_secs(30))),
        (Availability::Unavailable, &open_all, true, two),
        (Availability::Unreachable(Unreachable::NoAnswer), &close_feed, true, two),
    ] {
        let valve = policy().valve(availability, live);
        assert_eq!((valve.is_allowed(FEED), valve.crawl_delay()), (feed, delay), "{availability}");
        assert!(!valve.is_allowed("https://data.example/private/feed.json"));
        assert!(!valve.is_allowed("/a?session=1"));
    }
}

#[test]
fn an_exact_url_closed_by_a_person_stays_closed() {
    let mut policy = policy();
    policy.urls[0].allowed = false;
    let live = Robots::parse(SEEN.as_bytes());
    assert!(!policy.valve(Availability::Successful, &live).is_allowed(FEED));
    let drift = policy.drift(Availability::Successful, &live);
    assert_eq!(
        drift.loosened().map(ToString::to_string).collect::<Vec<_>>(),
        [format!("looser: {FEED} is open now")]
    );
}

#[test]
fn the_file_is_read_as_it_was_written() {
    let text = toml::to_string(&policy()).unwrap();
    assert_eq!(toml::from_str::<ReviewedPolicy>(&text).unwrap(), policy());
    assert!(
        text.contains("origin = \"https://data.example\"\nreviewed = \"2027-05-02\"\nsha256 = \""),
        "{text}"
    );
    assert!(
        text.contains("closed = [\"/*?session=\", \"/private/\"]\nopen = [\"/private/press\"]\n"),
        "{text}"
    );
}

#[test]
fn what_a_file_closes_in_vain_is_not_drafted() {
    let robots =
        Robots::parse(b"User-agent: *\nDisallow:\nDisallow: private/\nAllow: *.html$\nDisallow: /a#b\n");
    let policy = ReviewedPolicy::draft(
        "https://data.example/".parse().unwrap(),
        "MyBot".parse().unwrap(),
        "2027-05-02",
        &robots,
    );
    assert_eq!((policy.closed.join(" "), policy.open.join(" ")), ("/a".to_owned(), "*.html$".to_owned()));
    assert_eq!(toml::from_str::<ReviewedPolicy>(&toml::to_string(&policy).unwrap()).unwrap(), policy);
}

#[test]
fn a_slip_in_the_file_is_told() {
    let text = toml::to_string(&policy()).unwrap();
    for (from, to, part) in [
        ("crawl_delay = 2.0", "crawl_delay = -2.0", "expected seconds from 0 up"),
        ("crawl_delay = 2.0", "crawl_delay = nan", "expected seconds from 0 up"),
        ("closed =", "closde =", "unknown field `closde`"),
        ("https://data.example\"", "data.example\"", "expected an absolute URL"),
        ("token = \"MyBot\"", "token = \"my bot\"", "token"),
        (
            "\"/private/\"",
            "\"private/\"",
            "closed: \"private/\" begins with neither / nor *, so it matches nothing: write \"/private/\", or take it out",
        ),
        ("\"/private/\"", "\" /private/\"", "write \"/private/\""),
        ("\"/private/\"", "\"https://data.example/private/\"", "write \"/private/\""),
        ("\"/private/\"", "\"\"", "write \"/\", or take it out"),
        ("\"/private/press\"", "\"private/press\"", "open: \"private/press\" begins with neither"),
        (
            "\"/private/press\"",
            "\"/private/#1\"",
            "holds a #, which begins a comment: write \"/private/%231\"",
        ),
    ] {
        let error = toml::from_str::<ReviewedPolicy>(&text.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}
