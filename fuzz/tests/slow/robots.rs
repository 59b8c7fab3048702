//! Evil shapes of robots.txt files.

use crate::{check, repeated};

#[test]
fn no_robots_file_is_slow() {
    // The first line is the target where a target is read.
    let shapes = |length| {
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
    };
    check(shapes, &["robots_parse", "robots_match", "robots_meta", "robots_cache"]);
}
