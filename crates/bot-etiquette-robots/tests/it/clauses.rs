//! RFC 9309, clause by clause.

use std::time::Duration;

use bot_etiquette_robots::{Directive, ProductToken, Reason, Robots};

use crate::{check, rules};

#[test]
fn s2_1_a_rule_is_an_allow_or_disallow_with_a_pattern() {
    check("User-agent: ExampleBot\nDisallow: /shut\nAllow: /shut/open\n", &["/", "/shut/open"], &["/shut"]);
}

#[test]
fn s2_1_the_last_group_may_have_no_rules_and_then_allows_all() {
    check("User-agent: *\nDisallow: /\n\nUser-agent: ExampleBot\n", &["/", "/x"], &[]);
}

#[test]
fn s2_2_keys_are_read_in_any_case_with_blanks_around() {
    check(" \tUSER-AGENT \t:\t examplebot \nDISALLOW:/a\ndisallow : /b\t\n", &["/"], &["/a", "/b"]);
}

#[test]
fn s2_2_lines_end_with_cr_lf_or_crlf_and_the_last_one_may_lack_its_end() {
    for end in ["\r", "\n", "\r\n", "\r\r\n", "\n\r"] {
        let text = ["User-agent: ExampleBot", "Disallow: /a", "", "Allow: /a/b", "Disallow: /c"].join(end);
        check(&text, &["/", "/a/b"], &["/a", "/c"]);
    }
}

#[test]
fn s2_2_other_octets_do_not_end_a_line() {
    for octet in ["\u{b}", "\u{c}", "\u{1c}", "\u{85}", "\u{2028}", "\u{2029}"] {
        check(format!("User-agent: ExampleBot\n# note{octet}Disallow: /x\n"), &["/x"], &[]);
    }
}

#[test]
fn s2_2_a_comment_starts_anywhere() {
    let text =
        "User-agent: ExampleBot # us\n#Disallow: /\nDisallow: /a#b\nDisallow: /c # d\nDisallow: # no\n";
    check(text, &["/", "/e"], &["/a", "/a1", "/c", "/a%23b"]);
    check("User-agent: #ExampleBot\nDisallow: /x\n", &["/x"], &[]);
}

#[test]
fn s2_2_1_a_token_matches_whole_and_in_any_case() {
    for named in ["ExampleBot", "EXAMPLEBOT", "examplebot"] {
        check(format!("User-agent: {named}\nDisallow: /\n"), &[], &["/x"]);
    }
    for other in ["Example", "Bot", "ExampleBot-Image", "Example_Bot", "ExampleBotX", ""] {
        check(format!("User-agent: {other}\nDisallow: /\n"), &["/x"], &[]);
    }
}

#[test]
fn s2_2_1_groups_for_the_same_agent_are_merged() {
    let text = "User-agent: ExampleBot\nDisallow: /a\n\nUser-agent: Other\nDisallow: /o\n\nUser-agent: examplebot\nDisallow: /b\nAllow: /a/x\n";
    check(text, &["/o", "/a/x"], &["/a", "/b"]);
}

#[test]
fn s2_2_1_without_a_group_of_its_own_a_crawler_follows_all_groups_for_star() {
    let text = "User-agent: *\nDisallow: /a\n\nUser-agent: Other\nDisallow: /\n\nUser-agent: * and more\nDisallow: /b\n";
    check(text, &["/c"], &["/a", "/b"]);
}

#[test]
fn s2_2_1_a_group_of_its_own_hides_star_even_when_empty() {
    check("User-agent: ExampleBot\nDisallow: /own\n\nUser-agent: *\nDisallow: /\n", &["/x"], &["/own"]);
    check("User-agent: ExampleBot\nDisallow:\n\nUser-agent: *\nDisallow: /\n", &["/x"], &[]);
}

#[test]
fn s2_2_1_without_any_group_there_are_no_rules() {
    for text in ["", "# nothing\n", "User-agent: Other\nDisallow: /\n", "<html>Disallow: /</html>"] {
        let rules = rules(text.as_bytes(), "ExampleBot");
        assert_eq!(rules.verdict("/x").reason, Reason::NoGroup, "{text}");
        assert_eq!(rules.group(), None);
        assert!(rules.is_empty());
    }
}

#[test]
fn s2_2_1_of_several_tokens_the_first_with_a_group_counts() {
    let robots = Robots::parse(b"User-agent: Wide\nDisallow: /w\n\nUser-agent: *\nDisallow: /s\n");
    let tokens =
        |list: &[&str]| list.iter().map(|token| token.parse().unwrap()).collect::<Vec<ProductToken>>();
    assert_eq!(robots.rules_for(&tokens(&["Wide-News", "Wide"])).group(), Some(&b"Wide"[..]));
    assert_eq!(robots.rules_for(&tokens(&["Narrow", "Other"])).group(), Some(&b"*"[..]));
    assert_eq!(robots.rules_for(&tokens(&[])).group(), Some(&b"*"[..]));
}

#[test]
fn s2_2_2_rules_before_the_first_agent_are_for_nobody() {
    check("Disallow: /\nCrawl-delay: 9\nUser-agent: ExampleBot\nDisallow: /y\n", &["/z"], &["/y"]);
    assert_eq!(rules(b"Crawl-delay: 9\nUser-agent: ExampleBot\n", "ExampleBot").crawl_delay(), None);
}

#[test]
fn s2_2_2_the_longest_match_decides_whatever_the_order() {
    for text in [
        "User-agent: *\nDisallow: /x/page.html\nAllow: /x/\nDisallow: /x\n",
        "User-agent: *\nDisallow: /x\nAllow: /x/\nDisallow: /x/page.html\n",
    ] {
        check(text, &["/x/", "/x/other", "/y"], &["/x", "/x/page.html", "/x/page.html?q"]);
    }
    check("User-agent: *\nAllow: /page\nDisallow: /*.html\n", &["/page"], &["/page.html", "/q.html"]);
}

#[test]
fn s2_2_2_allow_wins_a_tie() {
    check("User-agent: *\nDisallow: /a\nAllow: /a\n", &["/a"], &[]);
    check("User-agent: *\nAllow: /*b\nDisallow: /ab\n", &["/ab"], &[]);
    check("User-agent: *\nDisallow: /a*\nAllow: /ab\n", &["/ab"], &["/ac"]);
}

#[test]
fn s2_2_2_lengths_are_those_of_the_compared_form() {
    // 7 octets once encoded, against 6.
    check("User-agent: *\nAllow: /é\nDisallow: /*****\n", &["/%C3%A9"], &["/e"]);
    // 4 octets once decoded, against 5.
    check("User-agent: *\nAllow: /%61%62%63\nDisallow: /abc*\n", &[], &["/abc"]);
}

#[test]
fn s2_2_2_the_comparison_is_case_sensitive_and_starts_at_the_first_octet() {
    check("User-agent: *\nDisallow: /Fish\n", &["/fish", "/x/Fish", "/FISH"], &["/Fish", "/Fisher"]);
}

#[test]
fn s2_2_2_octets_are_compared_percent_encoded_or_decoded_alike() {
    for (rule, target) in [
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"),
        ("/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar"),
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%E3%83%84", "/foo/bar/ツ"),
        ("/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
        ("/foo/bar/baz", "/foo/bar/%62%61%7A"),
    ] {
        check(format!("User-agent: *\nDisallow: {rule}\n"), &["/foo/"], &[target, rule]);
    }
}

#[test]
fn s2_2_2_robots_txt_is_always_allowed() {
    let text = b"User-agent: *\nDisallow: /\n";
    let rules = rules(text, "ExampleBot");
    for target in ["/robots.txt", "https://example.com/robots.txt", "/robots.txt#x", "/%72obots.txt"] {
        let verdict = rules.verdict(target);
        assert_eq!((verdict.is_allowed(), verdict.reason), (true, Reason::RobotsTxtItself), "{target}");
    }
    for target in ["/robots.txtx", "/robots.txt/", "/Robots.txt", "/x/robots.txt", "/robots.txt?q"] {
        assert!(!rules.verdict(target).is_allowed(), "{target}");
    }
}

#[test]
fn s2_2_2_an_empty_pattern_closes_nothing_and_cancels_nothing() {
    check("User-agent: *\nDisallow:\nDisallow: /x\nAllow:\n", &["/y"], &["/x"]);
}

#[test]
fn s2_2_3_a_star_stands_for_any_octets_or_none() {
    check("User-agent: *\nDisallow: /ab*cd\n", &["/abc", "/ab"], &["/abcd", "/abXcd", "/ab/x?y=cd"]);
    check("User-agent: *\nDisallow: *.gif$\n", &["/a.gif?x"], &["/a.gif", "/b/.gif"]);
    check("User-agent: *\nDisallow: */test\n", &["/tes/t", "/a-test"], &["/test", "/a/test1"]);
    check("User-agent: *\nDisallow: *\n", &[], &["/", "/x"]);
}

#[test]
fn s2_2_3_a_dollar_ends_a_pattern() {
    check("User-agent: *\nDisallow: /a$\n", &["/a/", "/ab", "/a?", "/"], &["/a", "/a#f"]);
    check("User-agent: *\nDisallow: /*.php$\n", &["/i.php?x", "/i.phpx"], &["/i.php", "/i.php.php"]);
    check("User-agent: *\nDisallow: /a*bc$\n", &["/abcb"], &["/abc", "/abcbc"]);
    check("User-agent: *\nAllow: /$\nDisallow: /\n", &["/", "https://example.com"], &["/x", "/?q"]);
}

#[test]
fn s2_2_3_escaped_stars_and_dollars_are_verbatim() {
    check(
        "User-agent: *\nDisallow: /path/file-with-a-%2A.html\n",
        &["/path/file-with-a-b.html"],
        &["/path/file-with-a-*.html", "/path/file-with-a-%2a.html"],
    );
    check(
        "User-agent: *\nDisallow: /path/foo-%24\n",
        &["/path/foo-"],
        &["/path/foo-$", "/path/foo-$x", "/path/foo-%24"],
    );
    check("User-agent: *\nDisallow: /a$b\n", &["/a", "/ab"], &["/a$b", "/a%24b", "/a$bc"]);
}

#[test]
fn s2_2_4_other_records_never_end_a_group() {
    for record in [
        "Crawl-delay: 5",
        "Sitemap: https://e.org/s",
        "Host: h",
        "Noindex: /q",
        "Unicorn: yes",
        "no record at all",
    ] {
        let text = format!(
            "User-agent: ExampleBot\n{record}\nUser-agent: Other\nDisallow: /m\n{record}\nDisallow: /n\n"
        );
        check(&text, &["/x"], &["/m", "/n"]);
    }
}

#[test]
fn s2_2_4_sitemaps_and_unknown_records_can_be_read() {
    let text = b"Sitemap: https://e.org/1\nUser-agent: A\nSITEMAP:https://e.org/2 # two\nContent-Signal: search=yes\nDisallow: /\nSite-map: /3\nSitemap:\n";
    let robots = Robots::parse(text);
    assert_eq!(robots.sitemaps().collect::<Vec<_>>(), [&b"https://e.org/1"[..], b"https://e.org/2", b"/3"]);
    let rules = robots.rules_for(&"A".parse::<ProductToken>().unwrap());
    let records: Vec<_> = rules.records().map(|record| (record.line, record.name, record.value)).collect();
    assert_eq!(records, [(4, &b"Content-Signal"[..], &b"search=yes"[..])]);
    assert_eq!(robots.records().count(), 7);
}

#[test]
fn s2_4_nothing_is_kept_between_calls_but_what_was_parsed() {
    // Caching is the caller's: two parses of one text know nothing of each other.
    let (one, two) = (Robots::parse(b"User-agent: *\nDisallow: /a\n"), Robots::parse(b""));
    let agent: ProductToken = "A".parse().unwrap();
    assert!(!one.rules_for(&agent).verdict("/a").is_allowed());
    assert!(two.rules_for(&agent).verdict("/a").is_allowed());
}

#[test]
fn s5_1_the_simple_example_gives_its_answers() {
    let text = b"User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n\nUser-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n\nUser-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\nUser-Agent: quxbot\n";
    for (agent, target, allowed) in [
        ("other", "/x.gif", false),
        ("other", "/example/x", false),
        ("other", "/publications/x", true),
        ("foobot", "/x", false),
        ("foobot", "/example/page.html", true),
        ("foobot", "/example/allowed.gif", true),
        ("barbot", "/example/page.html", false),
        ("bazbot", "/example/page.html", false),
        ("bazbot", "/x.gif", true),
        ("quxbot", "/example/page.html", true),
    ] {
        assert_eq!(rules(text, agent).verdict(target).is_allowed(), allowed, "{agent} {target}");
    }
}

#[test]
fn s5_2_the_longest_match_example_gives_its_answer() {
    let text = b"User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n";
    let rules = rules(text, "foobot");
    let verdict = rules.verdict("https://example.com/example/page/disallowed.gif");
    let rule = verdict.rule.unwrap();
    assert_eq!((rule.line, rule.directive), (3, Directive::Disallow));
    assert_eq!(rule.group, b"foobot");
}

#[test]
fn a_verdict_tells_its_line_rule_and_group() {
    let text = b"User-agent: Other\nUser-agent: ExampleBot/2.0\nDisallow: /caf%c3%a9 # x\nAllow: /\n";
    let rules = rules(text, "ExampleBot");
    assert_eq!(
        rules.verdict("/caf\u{e9}").to_string(),
        "disallowed by line 3: Disallow: /caf%c3%a9 (group Other)"
    );
    assert_eq!(rules.verdict("/").to_string(), "allowed by line 4: Allow: / (group Other)");
    assert_eq!(rules.group(), Some(&b"Other"[..]));
    assert_eq!(rules.iter().map(|rule| rule.line).collect::<Vec<_>>(), [3, 4]);
}

#[test]
fn a_verdict_in_a_log_holds_no_control_character_and_no_endless_pattern() {
    let text =
        [b"User-agent: *\nDisallow: /a\x1b[31m\x7f", "\u{202e}".as_bytes(), &b"b".repeat(5_000), b"\n"]
            .concat();
    let rules = rules(&text, "ExampleBot");
    let rule = rules.iter().next().unwrap();
    let shown = rule.to_string();
    assert!(shown.chars().all(|c| !c.is_control()) && !shown.contains('\u{202e}'), "{shown}");
    assert!(shown.chars().count() < 300);
}

#[test]
fn all_crawl_delays_are_kept_and_the_largest_is_the_answer() {
    let rules = rules(
        b"User-agent: ExampleBot\nCrawl-delay: 2\nDisallow: /\nUser-agent: B\nCrawl-delay: 99\nDisallow:\nUser-agent: ExampleBot\nCrawl-delay: 7.5\nCrawl-delay: x\nCrawl-delay: 3\n",
        "ExampleBot",
    );
    let delays: Vec<f64> = rules.crawl_delays().map(|delay| delay.as_secs_f64()).collect();
    assert_eq!(delays, [2.0, 7.5, 3.0]);
    assert_eq!(rules.crawl_delay(), Some(Duration::from_millis(7_500)));
}

#[test]
fn a_crawl_delay_is_a_number_of_seconds() {
    for (value, delay) in [
        ("0", Some(0.0)),
        ("10", Some(10.0)),
        ("0.5", Some(0.5)),
        (".5", Some(0.5)),
        ("5.", Some(5.0)),
        ("007", Some(7.0)),
        ("2.001", Some(2.001)),
        ("+3", Some(3.0)),
        ("1e1", Some(10.0)),
        ("1e30", Some(Duration::MAX.as_secs_f64())),
        ("1e999", Some(Duration::MAX.as_secs_f64())),
        ("-1", None),
        ("-0", None),
        ("NaN", None),
        ("inf", None),
        ("+infinity", None),
        ("slow", None),
        ("", None),
        ("1,5", None),
        ("10s", None),
        ("10 s", None),
        ("0x10", None),
        ("\u{661}", None),
    ] {
        let text = format!("User-agent: *\nCrawl-delay: {value}\n");
        let found = rules(text.as_bytes(), "ExampleBot").crawl_delay().map(|delay| delay.as_secs_f64());
        assert_eq!(found, delay, "{value:?}");
    }
}
