//! Files made to be slow: the work for a verdict is bounded by the file plus rules times target, counted in octets.

use std::fmt::Write;

use bot_etiquette_robots::{ProductToken, Robots, Rules, Target};

/// Repeats numbered lines until the file holds about `bytes`.
fn lines(bytes: usize, line: impl Fn(usize) -> String) -> String {
    let mut text = String::from("User-agent: *\n");
    let mut at = 0;
    while text.len() < bytes {
        writeln!(text, "{}", line(at)).unwrap();
        at += 1;
    }
    text
}

/// A shape grown to a size: the file and a target.
type Shape = (&'static str, fn(usize) -> (String, String));

const SHAPES: [Shape; 14] = [
    ("one pattern of a*, target of a", |n| {
        (format!("User-agent: *\nDisallow: /{}b\n", "a*".repeat(n / 2)), format!("/{}", "a".repeat(n)))
    }),
    ("the same, anchored", |n| {
        (format!("User-agent: *\nDisallow: /{}b$\n", "*a".repeat(n / 2)), format!("/{}", "a".repeat(n)))
    }),
    ("one pattern of stars", |n| {
        (format!("User-agent: *\nDisallow: /{}x\n", "*".repeat(n)), format!("/{}", "a".repeat(n)))
    }),
    ("many short rules with a star", |n| {
        (lines(n, |i| format!("Disallow: /*a{i}b")), format!("/{}", "a1b2".repeat(64)))
    }),
    ("many anchored rules with a star", |n| {
        (lines(n, |i| format!("Disallow: /*{i}$")), format!("/{}", "12".repeat(128)))
    }),
    ("short rules without end", |n| (lines(n, |i| format!("Allow: /{}", i % 7)), "/3/x".into())),
    ("agents without end", |n| (format!("{}Disallow: /\n", "User-agent: a\n".repeat(n / 14)), "/x".into())),
    ("groups without end", |n| {
        (
            lines(n, |i| format!("User-agent: bot{}\nDisallow: /{i}", char::from(b'a' + (i % 26) as u8))),
            "/1".into(),
        )
    }),
    ("one line without end", |n| {
        (format!("User-agent: *\nDisallow: /{}\n", "x".repeat(n)), format!("/{}", "x".repeat(n)))
    }),
    ("line ends alone", |n| ("\n".repeat(n), "/x".into())),
    ("prefixes nested in each other", |n| {
        let depth = n.isqrt();
        let rules: String = (1..depth).map(|i| format!("Allow: /{}*q\n", "a".repeat(i))).collect();
        (format!("User-agent: *\n{rules}"), format!("/{}", "a".repeat(depth)))
    }),
    ("segments that nearly match everywhere", |n| {
        (lines(n, |i| format!("Disallow: /*aaaaaaaab{i}")), format!("/{}", "aaaaaaaab".repeat(32)))
    }),
    ("one group repeated", |n| ("User-agent: *\nDisallow: /a*z\n".repeat(n / 29), "/aaaa".into())),
    ("pairs of stars and every pair in the target", |n| {
        (lines(n, |i| format!("Disallow: /*{}*{}*z", i % 10, i / 10 % 10)), "/0123456789".repeat(24))
    }),
];

/// Rules that have given enough verdicts to be in order.
fn settled(text: &str) -> Rules {
    let rules = Robots::parse(text.as_bytes()).rules_for(&"a".parse::<ProductToken>().unwrap());
    for _ in 0..20 {
        let _ = rules.verdict("/");
    }
    rules
}

#[test]
fn the_work_for_a_verdict_grows_no_faster_than_rules_times_target_plus_file() {
    for (name, shape) in SHAPES {
        for size in [2_000, 20_000, 200_000] {
            let (text, target) = shape(size);
            let rules = settled(&text);
            let target = Target::parse(&target).unwrap();
            let bound = 8 * (text.len() + (rules.len() + 1) * (target.as_bytes().len() + 8)) as u64;
            let steps = rules.steps(&target);
            assert!(steps <= bound, "{name}, {size} bytes: {steps} steps, bound {bound}");
        }
    }
}

#[test]
fn ten_times_the_file_is_at_most_about_ten_times_the_work() {
    for (name, shape) in SHAPES {
        // The target of these shapes stays the same, or grows with the file while the number of rules does not.
        let steps = |size| {
            let (text, target) = shape(size);
            settled(&text).steps(&Target::parse(&target).unwrap())
        };
        let (small, large) = (steps(4_000), steps(40_000));
        assert!(large <= 15 * small + 2_000, "{name}: {small} steps, then {large}");
    }
}

#[test]
fn plain_rules_by_the_ten_thousand_cost_like_ten() {
    let steps = |count: usize| {
        let rules: String = (0..count).map(|i| format!("Disallow: /catalogue/item-{i:05}\n")).collect();
        let rules = settled(&format!("User-agent: *\n{rules}"));
        rules.steps(&Target::parse("https://example.com/catalogue/item-00007/large.html").unwrap())
    };
    let (ten, ten_thousand) = (steps(10), steps(10_000));
    assert!(ten_thousand <= 6 * ten, "{ten} steps for ten rules, {ten_thousand} for ten thousand");
}

#[test]
fn ten_thousand_rules_are_looked_at_one_by_one_only_until_they_are_put_in_order() {
    let rules: String = (0..10_000).map(|i| format!("Disallow: /catalogue/item-{i:05}\n")).collect();
    let text = format!("User-agent: *\n{rules}");
    let target = Target::parse("/catalogue/item-00007/large.html").unwrap();
    let fresh = Robots::parse(text.as_bytes()).rules_for(&"a".parse::<ProductToken>().unwrap());
    let (first, later) = (fresh.steps(&target), settled(&text).steps(&target));
    assert!(first >= 10_000, "{first} steps for the first verdict");
    assert!(0 < later && later < 500, "{later} steps for a later one");
}

#[test]
fn a_large_file_of_any_shape_is_parsed_matched_and_linted_in_no_time() {
    // A loose backstop for what steps do not count; each takes milliseconds when optimised.
    let size = if cfg!(debug_assertions) { 40_000 } else { 500_000 };
    for (name, shape) in SHAPES {
        let (text, target) = shape(size);
        #[allow(clippy::disallowed_methods)] // the test is about wall time
        let start = std::time::Instant::now();
        let _ = settled(&text).verdict(&target);
        let _ = Robots::parse(text.as_bytes()).diagnostics();
        assert!(start.elapsed().as_secs() < 30, "{name} took {:?}", start.elapsed());
    }
}
