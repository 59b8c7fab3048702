//! Each code: a file that has it, with line and column, and a file like it that has not.

use std::collections::BTreeSet;

use bot_etiquette_robots::{Code, Limits, MAX_DIAGNOSTICS, Robots, Severity};

struct Row {
    code: Code,
    severity: Severity,
    line: u32,
    column: u32,
    with: &'static [u8],
    without: &'static [u8],
}

const fn row(
    code: Code,
    severity: Severity,
    place: (u32, u32),
    with: &'static [u8],
    without: &'static [u8],
) -> Row {
    Row { code, severity, line: place.0, column: place.1, with, without }
}

use Severity::{Error, Info, Warning};

const ROWS: &[Row] = &[
    row(Code::Bom, Info, (1, 1), b"\xef\xbb\xbfUser-agent: *\nDisallow: /x\n", b"User-agent: *\nDisallow: /x\n"),
    row(Code::Bom, Warning, (1, 1), b"\xef\xbbUser-agent: *\n", b"User-agent: *\n"),
    row(Code::Bom, Error, (2, 1), b"User-agent: *\n\xef\xbb\xbfDisallow: /x\n", b"User-agent: *\n# \xef\xbb\xbf\n"),
    row(Code::Bom, Error, (1, 1), b"\xef\xbb\xbf\xef\xbb\xbfUser-agent: *\n", b"User-agent: \xef\xbb\xbf\n"),
    row(Code::Utf16, Error, (1, 1), b"\xff\xfeU\0s\0", b"U\0\ns\0"),
    row(Code::Utf16, Error, (1, 1), b"U\0s\0e\0", b"U\0se\0"),
    row(Code::Utf16, Error, (1, 1), b"\0U\0s\0e", b"\0Us\0e"),
    row(Code::Utf16, Error, (1, 1), b"\xfe\xff\0U\0s", b"\xfeU\n"),
    row(Code::NotUtf8, Warning, (2, 12), b"User-agent: *\nDisallow: /\xe9\n", "User-agent: *\nDisallow: /é\n".as_bytes()),
    row(Code::Nul, Warning, (2, 13), b"User-agent: *\nDisallow: /a\0b\n", b"User-agent: *\nDisallow: /a\x01b\n"),
    row(Code::Html, Error, (1, 1), b" \n<!DOCTYPE html>\n<p>x", b"# <html>\n"),
    row(Code::UnknownKey, Warning, (2, 1), b"User-agent: *\nUnicorn: x\n", b"User-agent: *\nContent-Signal: search=yes\nHost: h\n"),
    row(Code::MisspeltKey, Warning, (2, 1), b"User-agent: *\nDisalow: /x\n", b"User-agent: *\nDisallow: /x\n"),
    row(Code::MisspeltKey, Error, (2, 2), b"User-agent: *\n Disallowed: /x\n", b"User-agent: *\nUnicorn: /x\n"),
    row(Code::MisspeltKey, Error, (2, 1), b"User-agent: *\nAlow: /x\n", b"User-agent: *\nFollow: /x\n"),
    row(Code::MisspeltKey, Error, (1, 1), b"user_agent: *\n", b"agent: *\n"),
    row(Code::MissingColon, Warning, (2, 1), b"User-agent: *\nDisallow /x\n", b"User-agent: *\nDisallow:/x\n"),
    row(Code::MissingColon, Warning, (2, 3), b"User-agent: *\n  all my words\n", b"User-agent: *\n  # all my words\n"),
    row(Code::MissingColon, Error, (1, 1), b"Sitemap https://example.com/s\n", b"Sitemap: https://example.com/s\n"),
    row(Code::RuleBeforeGroup, Error, (1, 1), b"Disallow: /\nUser-agent: *\n", b"User-agent: *\nDisallow: /\n"),
    row(Code::RuleBeforeGroup, Error, (1, 1), b"Crawl-delay: 1\nUser-agent: *\n", b"Host: h\nUser-agent: *\n"),
    row(Code::AgentNotAToken, Warning, (1, 13), b"User-agent: ExampleBot/1.0\nDisallow: /\n", b"User-agent: ExampleBot\nDisallow: /\n"),
    row(Code::AgentNotAToken, Info, (1, 13), b"User-agent: MJ12bot\n", b"User-agent: MJbot\n"),
    row(Code::AgentNotAToken, Error, (1, 12), b"User-agent:\nDisallow: /\n", b"User-agent:*\nDisallow: /\n"),
    row(Code::AgentNotAToken, Warning, (1, 13), b"User-agent: * Disallow: /\n", b"User-agent: * # all\n"),
    row(Code::AgentList, Error, (1, 13), b"User-agent: A, B\nDisallow: /\n", b"User-agent: A\nUser-agent: B\nDisallow: /\n"),
    row(Code::NoLeadingSlash, Error, (2, 11), b"User-agent: *\nDisallow: private\n", b"User-agent: *\nDisallow: *private\nDisallow:\n"),
    row(Code::FullUrl, Error, (2, 11), b"User-agent: *\nDisallow: HTTPS://e.org/x\n", b"User-agent: *\nDisallow: /https://e.org\n"),
    row(Code::InnerSpace, Warning, (2, 13), b"User-agent: *\nDisallow: /a b\n", b"User-agent: *\nDisallow: /a%20b \n"),
    row(Code::InnerDollar, Warning, (2, 13), b"User-agent: *\nDisallow: /a$b\n", b"User-agent: *\nDisallow: /a%24b$\n"),
    row(Code::ShadowedRule, Warning, (2, 11), b"User-agent: *\nDisallow: /a\nAllow: /a\n", b"User-agent: *\nDisallow: /ab\nAllow: /a\n"),
    row(Code::ShadowedRule, Warning, (2, 8), b"User-agent: *\nAllow: /a\nDisallow: /a*\n", b"User-agent: *\nAllow: /a\nDisallow: /a*b\n"),
    row(Code::ShadowedRule, Info, (3, 11), b"User-agent: *\nDisallow: /a/*\nDisallow: /a/\n", b"User-agent: *\nDisallow: /a/*\nDisallow: /b/\n"),
    row(Code::ShadowedRule, Info, (3, 11), b"User-agent: *\nDisallow: /\nDisallow: /a/\n", b"User-agent: *\nDisallow: /\nAllow: /a\nDisallow: /a/\n"),
    row(
        Code::ShadowedRule,
        Info,
        (3, 11),
        b"User-agent: *\nDisallow: /\nDisallow: /aaaaaaa/\n",
        b"User-agent: *\nDisallow: /\nAllow: /*.png\nDisallow: /aaaaaaa/\n",
    ),
    row(Code::DuplicateRule, Info, (3, 11), b"User-agent: *\nDisallow: /%7Ea\nDisallow: /~a\n", b"User-agent: *\nDisallow: /b\nDisallow: /c\n"),
    row(
        Code::GroupJoinedOverRecord,
        Warning,
        (3, 1),
        b"User-agent: *\nCrawl-delay: 10\nUser-agent: badbot\nDisallow: /\n",
        b"User-agent: *\n\n# note\nUser-agent: badbot\nCrawl-delay: 10\nDisallow: /\n",
    ),
    row(Code::CrawlDelayInvalid, Warning, (2, 14), b"User-agent: *\nCrawl-delay: 1,5\n", b"User-agent: *\nCrawl-delay: 1.5\n"),
    row(
        Code::CrawlDelayRepeated,
        Warning,
        (3, 1),
        b"User-agent: *\nCrawl-delay: 1\nCrawl-delay: 2\n",
        b"User-agent: A\nCrawl-delay: 1\nDisallow:\nUser-agent: B\nCrawl-delay: 2\nDisallow:\n",
    ),
    row(
        Code::CrawlDelayRepeated,
        Warning,
        (6, 1),
        b"User-agent: A\nUser-agent: B\nCrawl-delay: 1\nDisallow:\nUser-agent: b\nCrawl-delay: 2\n",
        b"User-agent: A\nUser-agent: B\nCrawl-delay: 1\nDisallow:\nUser-agent: b\nDisallow: /x\n",
    ),
    row(
        Code::CrawlDelayAlone,
        Warning,
        (5, 1),
        b"User-agent: *\nDisallow: /x\n\nUser-agent: Slow\nCrawl-delay: 5\n",
        b"User-agent: *\nAllow: /x\nDisallow:\n\nUser-agent: Slow\nCrawl-delay: 5\n",
    ),
    row(
        Code::CrawlDelayAlone,
        Warning,
        (5, 1),
        b"User-agent: *\nDisallow: /x\n\nUser-agent: Slow\nCrawl-delay: 5\n",
        b"User-agent: *\nDisallow: /x\n\nUser-agent: Slow\nCrawl-delay: 5\nDisallow:\n",
    ),
    row(
        Code::CrawlDelayAlone,
        Warning,
        (5, 1),
        b"User-agent: *\nDisallow: /x\n\nUser-agent: Slow\nCrawl-delay: 5\n",
        b"User-agent: *\nAllow: /\nDisallow: /x\n\nUser-agent: Slow\nDisallow: /y\nUser-agent: slow\nCrawl-delay: 5\n",
    ),
    row(Code::SitemapNotAbsolute, Warning, (1, 10), b"Sitemap: /sitemap.xml\n", b"Sitemap: https://example.com/sitemap.xml\n"),
    row(Code::SitemapNotAbsolute, Warning, (1, 10), b"Sitemap: https://\n", b"Sitemap: http://e\n"),
    row(Code::NoindexUnsupported, Warning, (2, 1), b"User-agent: *\nNoindex: /x\n", b"User-agent: *\nDisallow: /noindex\n"),
];

#[test]
fn each_code_is_found_where_it_is_and_not_where_it_is_not() {
    for (at, row) in ROWS.iter().enumerate() {
        let found = Robots::parse(row.with).diagnostics();
        let shown: Vec<String> = found.iter().map(ToString::to_string).collect();
        let hit = found.iter().any(|found| {
            (found.code, found.severity, found.line, found.column)
                == (row.code, row.severity, row.line, row.column)
        });
        assert!(hit, "row {at}, {}: {shown:#?}", row.code);
        let found = Robots::parse(row.without).diagnostics();
        let other = found.iter().find(|found| found.code == row.code && found.severity == row.severity);
        assert_eq!(other, None, "row {at}, {}", row.code);
    }
}

#[test]
fn every_code_has_a_row_or_a_test_of_its_own() {
    let mut seen: BTreeSet<Code> = ROWS.iter().map(|row| row.code).collect();
    seen.insert(Code::TooLarge);
    assert_eq!(seen, Code::ALL.into_iter().collect());
}

#[test]
fn a_file_beyond_the_limit_is_too_large_and_one_within_is_not() {
    let text = b"User-agent: *\nDisallow: /a\n";
    let code = |bytes| {
        Robots::parse_with(text, &Limits::new().bytes(bytes)).diagnostics().first().map(|found| found.code)
    };
    assert_eq!(code(text.len() - 2), Some(Code::TooLarge));
    assert_eq!(code(text.len()), None);
}

#[test]
fn of_too_many_findings_the_gravest_are_kept() {
    let text = format!(
        "User-agent: *\n{}Disallow: x\nAlow: /\n{}",
        "Disallow: /a\n".repeat(MAX_DIAGNOSTICS + 2),
        "Unicorn: x\n".repeat(MAX_DIAGNOSTICS - 4),
    );
    let found = Robots::parse_with(text.as_bytes(), &Limits::new().bytes(text.len() - 1)).diagnostics();
    let count = |severity| found.iter().filter(|found| found.severity == severity).count();
    assert_eq!((count(Info), count(Warning), count(Error)), (1, MAX_DIAGNOSTICS - 4, 3));
    assert!(found.is_sorted_by_key(|found| (found.line, found.column)));
    assert_eq!(found.last().map(|found| found.code), Some(Code::TooLarge));

    let text = "Disallow: /\n".repeat(MAX_DIAGNOSTICS + 2);
    let found = Robots::parse_with(text.as_bytes(), &Limits::new().bytes(text.len() - 1)).diagnostics();
    assert_eq!(found.len(), MAX_DIAGNOSTICS);
    assert_eq!(found.last().map(|found| found.code), Some(Code::TooLarge));
}

#[test]
fn a_good_file_has_no_findings() {
    let text = "# Example\nUser-agent: ExampleBot\nUser-agent: Other_Bot\nDisallow: /search?q=\nDisallow: /*.pdf$\nAllow: /search?q=help\nCrawl-delay: 2\n\nUser-agent: *\nDisallow: /tmp/\nContent-Signal: ai-train=no\n\nSitemap: https://example.com/sitemap.xml\n";
    assert_eq!(Robots::parse(text.as_bytes()).diagnostics(), []);
}

#[test]
fn findings_come_in_the_order_of_lines_and_read_well() {
    let text = b"User-agent: A, B\nDisalow: x y\nSitemap: s\n";
    let found = Robots::parse(text).diagnostics();
    let lines: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "1:13: error: only \"A\" is named: write one User-agent line for each crawler [agent-list]",
            "2:1: warning: \"Disalow\" is read as disallow here, but not by every crawler: write disallow [misspelt-key]",
            "2:10: error: the rule is not read, for its pattern must begin with / or *: write /x y [no-leading-slash]",
            "3:10: warning: a sitemap is named by an absolute URL, such as https://example.com/sitemap.xml [sitemap-not-absolute]",
        ]
    );
}

#[cfg(feature = "serde")]
#[test]
fn codes_and_severities_travel_by_their_stable_names() {
    for code in Code::ALL {
        assert_eq!(serde_json::to_string(&code).unwrap(), format!("\"{code}\""));
    }
    let found = Robots::parse(b"Unicorn: x\n").diagnostics();
    let json = serde_json::to_value(&found).unwrap();
    assert_eq!(json[0]["severity"], "warning");
}
