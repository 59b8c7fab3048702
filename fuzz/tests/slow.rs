//! Shapes that make a careless parser slow, at the size of the largest file that is read: time grows with the
//! bytes, whatever the shape.
#![cfg(feature = "robots")]

use std::time::{Duration, Instant};

use bot_etiquette_fuzz::robots;

/// Bytes of the longest input: beyond the parser's limit, so that cutting is timed too.
const LONG: usize = 600_000;
/// An eighth of it takes an eighth of the time, where time grows with the bytes.
const SHORT: usize = LONG / 8;
/// How much longer a long input may take than a short one: eight times, and as much again for a busy machine. Where
/// time grew with the square it would be 64.
const GROWTH: u32 = 24;
/// Below this the clock tells little.
const NOTHING: Duration = Duration::from_millis(200);
/// What one target may take for one long input of any shape, in an unoptimised build.
const BUDGET: Duration = Duration::from_secs(20);

fn repeated(head: &str, piece: &str, length: usize) -> Vec<u8> {
    let mut text = head.as_bytes().to_vec();
    while text.len() < length {
        text.extend_from_slice(piece.as_bytes());
    }
    text
}

/// The shapes; the first line is the target where a target is read.
fn shapes(length: usize) -> Vec<(&'static str, Vec<u8>)> {
    let head = format!("/{}\nUser-agent: FooBot\n", "a".repeat(2_000));
    let repeated = |head: &str, piece: &str| repeated(head, piece, length);
    let long = |piece: &str| repeated(&head, piece);
    vec![
        ("one line of stars", long("*")),
        ("one rule of stars", repeated(&format!("{head}Disallow: /"), "*a")),
        ("one anchored rule of stars", repeated(&format!("{head}Disallow: /"), "*a*b$")),
        ("rules of stars", long("Disallow: /*a*a*a*a*a*a*a*a*b\n")),
        ("anchored rules", long("Disallow: /*a*aa$\n")),
        ("rules that differ late", long("Allow: /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\n")),
        ("short rules", long("Allow:/a\n")),
        ("no-break spaces", repeated(&head, "\u{a0}")),
        ("no-break spaces in rules", long("Disallow: /\u{a0}\u{a0}\u{a0}\n")),
        ("blanks", long(" ")),
        ("blanks in a value", repeated(&format!("{head}Disallow: /a"), " ")),
        ("line ends", long("\n")),
        ("returns", long("\r")),
        ("NULs", long("\0")),
        ("comments", long("#\n")),
        ("agents", long("User-agent: FooBo\n")),
        ("groups", long("User-agent: FooBot\nAllow: /\n")),
        ("escapes", repeated(&format!("{head}Disallow: /"), "%2")),
        ("broken escapes", repeated(&format!("{head}Disallow: /"), "%%")),
        ("dots", repeated("/", "../")),
        ("a long target", repeated("/", "%2e%2e/")),
        ("colons", long(":")),
        ("delays", long("Crawl-delay: 1\n")),
        ("usage", long("Content-Usage: /a* train-ai=n\n")),
        ("dates", repeated("", "unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT, ")),
        ("names", repeated("", "a:")),
        ("words", repeated("", "x ")),
        ("byte order marks", repeated("", "\u{feff}")),
    ]
}

#[test]
fn no_shape_is_slow() {
    for ((shape, long), (_, short)) in shapes(LONG).into_iter().zip(shapes(SHORT)) {
        for (name, run) in [
            ("robots_parse", robots::parse as fn(&[u8])),
            ("robots_match", robots::matching),
            ("robots_meta", robots::meta),
            ("robots_cache", robots::cache),
        ] {
            let time = |data: &[u8]| {
                let start = Instant::now();
                run(data);
                start.elapsed()
            };
            let (some, all) = (time(&short), time(&long));
            println!("{name:13} {shape:28} {:7.1} ns/byte", all.as_secs_f64() * 1e9 / LONG as f64);
            assert!(all < BUDGET, "{name}: {shape} took {all:?}");
            assert!(
                all < NOTHING || all < some * GROWTH,
                "{name}: {shape} took {some:?}, and at eight times {all:?}"
            );
        }
    }
}
