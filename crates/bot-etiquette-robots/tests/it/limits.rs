//! How much is read, one below, at, and one above each limit.

use bot_etiquette_robots::{Code, Limits, MAX_DIAGNOSTICS, ProductToken, Robots};

fn agent() -> ProductToken {
    "ExampleBot".parse().unwrap()
}

fn closed(robots: &Robots, target: &str) -> bool {
    !robots.rules_for(&agent()).verdict(target).is_allowed()
}

/// A file of `length` bytes whose last line is `last`, without a line end behind it.
fn padded(last: &str, length: usize) -> Vec<u8> {
    let head = "User-agent: *\nDisallow: /first\n#";
    let mut text = head.as_bytes().to_vec();
    text.resize(length - last.len() - 1, b'x');
    text.push(b'\n');
    text.extend_from_slice(last.as_bytes());
    assert_eq!(text.len(), length);
    text
}

#[test]
fn five_hundred_kibibytes_are_read_and_a_line_beyond_is_dropped_whole() {
    let limit = Limits::DEFAULT_BYTES;
    assert_eq!(limit, 500 * 1024);
    for (length, counts) in [(limit - 1, true), (limit, true), (limit + 1, false)] {
        let robots = Robots::parse(&padded("Disallow: /last", length));
        assert_eq!(closed(&robots, "/last"), counts, "{length}");
        assert!(closed(&robots, "/first"), "{length}");
        assert_eq!(robots.is_truncated(), !counts, "{length}");
    }
}

#[test]
fn a_cut_rule_does_not_act_as_a_shorter_one() {
    for cut in 1.."Allow: /private".len() {
        let mut text = padded("Allow: /private", Limits::DEFAULT_BYTES + cut);
        text.extend_from_slice(b"\nDisallow: /beyond\n");
        let robots = Robots::parse(&text);
        assert_eq!(robots.rules_for(&agent()).len(), 1, "{cut} bytes cut");
        assert!(robots.is_truncated());
    }
}

#[test]
fn a_line_end_across_the_limit_ends_its_line() {
    for end in ["\n", "\r", "\r\n"] {
        for inside in 0..=end.len() {
            let mut text = padded("Disallow: /last", Limits::DEFAULT_BYTES - inside);
            text.extend_from_slice(end.as_bytes());
            text.extend_from_slice(b"Disallow: /beyond\n");
            let robots = Robots::parse(&text);
            assert!(closed(&robots, "/last"), "{end:?}, {inside} bytes inside");
            assert!(!closed(&robots, "/beyond"));
            assert!(robots.is_truncated());
        }
    }
}

#[test]
fn a_first_line_longer_than_the_limit_is_nothing() {
    let text = "User-agent:*".repeat(50_000);
    let robots = Robots::parse(text.as_bytes());
    assert!(robots.is_truncated());
    assert_eq!(robots.text(), b"");
}

#[test]
fn a_limit_of_no_bytes_reads_nothing() {
    let robots = Robots::parse_with(b"User-agent: *\nDisallow: /\n", &Limits::new().bytes(0));
    assert!(robots.is_truncated());
    assert!(!closed(&robots, "/"));
}

#[test]
fn more_than_the_largest_limit_cannot_be_asked_for() {
    assert_eq!(Limits::new().bytes(usize::MAX), Limits::new().bytes(Limits::MAX_BYTES));
    assert_ne!(Limits::new().bytes(Limits::MAX_BYTES - 1), Limits::new().bytes(Limits::MAX_BYTES));
}

#[test]
fn the_file_ends_before_a_rule_too_many() {
    let text = b"User-agent: *\nDisallow: /a\nDisallow:\nDisallow: /b\nSitemap: https://e.org/s\n";
    for (limit, rules) in [(1, 1), (2, 2), (3, 2)] {
        let robots = Robots::parse_with(text, &Limits::new().rules(limit));
        assert_eq!(robots.rules_for(&agent()).len(), rules, "{limit}");
        assert_eq!(robots.is_truncated(), limit < 2);
        assert_eq!(robots.text().len() < text.len(), limit < 2);
    }
}

#[test]
fn the_file_ends_before_an_agent_too_many() {
    let text = b"User-agent: A\nUser-agent: ExampleBot\nDisallow: /a\nUser-agent: ExampleBot\nDisallow: /b\n";
    for (limit, rules) in [(1, 0), (2, 1), (3, 2), (4, 2)] {
        let robots = Robots::parse_with(text, &Limits::new().agents(limit));
        assert_eq!(robots.rules_for(&agent()).len(), rules, "{limit}");
        assert_eq!(robots.is_truncated(), limit < 3);
    }
}

#[test]
fn sitemaps_too_many_are_left_out_and_rules_behind_them_count() {
    let text = b"Sitemap: https://e.org/1\nSitemap: https://e.org/2\nUser-agent: *\nDisallow: /\n";
    for (limit, kept) in [(1, 1), (2, 2), (3, 2)] {
        let robots = Robots::parse_with(text, &Limits::new().sitemaps(limit));
        assert_eq!(robots.sitemaps().count(), kept);
        assert_eq!(robots.is_truncated(), limit < 2);
        assert!(closed(&robots, "/"));
    }
}

#[test]
fn the_default_counts_cannot_be_reached_within_the_default_bytes() {
    for line in ["Allow:/\n", "allow /\n", "user-agent:\n", "useragent:\n", "sitemap:x\n"] {
        let mut text = b"User-agent: *\n".to_vec();
        while text.len() + line.len() <= Limits::DEFAULT_BYTES {
            text.extend_from_slice(line.as_bytes());
        }
        assert!(!Robots::parse(&text).is_truncated(), "{line}");
    }
}

#[test]
fn a_file_cut_short_is_diagnosed_where_it_was_cut() {
    let robots = Robots::parse(&padded("Disallow: /last", Limits::DEFAULT_BYTES + 1));
    let found = robots.diagnostics();
    assert_eq!((found[0].code, found[0].line), (Code::TooLarge, 4));
}

#[test]
fn the_first_findings_are_kept() {
    for (lines, kept) in [
        (MAX_DIAGNOSTICS - 1, MAX_DIAGNOSTICS - 1),
        (MAX_DIAGNOSTICS, MAX_DIAGNOSTICS),
        (MAX_DIAGNOSTICS + 1, MAX_DIAGNOSTICS),
    ] {
        let found = Robots::parse("Unicorn: x\n".repeat(lines).as_bytes()).diagnostics();
        assert_eq!(found.len(), kept);
        assert_eq!(found.last().unwrap().line as usize, kept);
    }
}
