//! Decisions where the RFC leaves a choice, and traps that other parsers fall into.

use bot_etiquette_robots::{Directive, Reason, Rules, Target, TargetError};

use crate::{check, rules};

#[test]
fn accepted_misspellings_count_and_others_do_not() {
    for key in ["dissallow", "dissalow", "disalow", "diasllow", "disallaw", "DISALOW"] {
        check(format!("User-agent: *\n{key}: /x\n"), &["/"], &["/x"]);
    }
    for key in ["useragent", "user agent", "User Agent"] {
        check(format!("{key}: *\nDisallow: /x\n"), &["/"], &["/x"]);
    }
    for key in ["desallow", "disallows", "Disallowed", "forbid", "noallow", "disallow-all"] {
        check(format!("User-agent: *\n{key}: /x\n"), &["/x"], &[]);
    }
    for key in ["user_agent", "User-agents", "agent", "robot"] {
        check(format!("{key}: *\nDisallow: /x\n"), &["/x"], &[]);
    }
    for key in ["alow", "allaw", "allows", "Allowed"] {
        check(format!("User-agent: *\n{key}: /x/y\nDisallow: /x\n"), &[], &["/x/y"]);
    }
}

#[test]
fn a_colon_may_be_missing_between_two_words() {
    check("User-agent *\nDisallow /x\n\tDISALLOW\t/y # no\n", &["/z"], &["/x", "/y"]);
    for line in ["Disallow /x /y", "Disallow /x y:z", "Disallow", "user agent *", "Disallow /a:b"] {
        check(format!("User-agent: *\n{line}\n"), &["/x", "/y", "/a", "/"], &[]);
    }
}

#[test]
fn one_line_holds_one_record() {
    check("User-agent: * Disallow: /\n", &["/x"], &[]);
    check("User-agent: ExampleBot Disallow: /\n", &["/x"], &[]);
    check("User-agent: *\nDisallow: Disallow: /x\n: /y\n", &["/x", "/y"], &[]);
    check("{\"User-agent\": \"*\", \"Disallow\": \"/\"}", &["/x"], &[]);
}

#[test]
fn a_byte_order_mark_is_skipped_whole_or_in_part_at_the_start_alone() {
    for mark in [&b"\xef\xbb\xbf"[..], b"\xef\xbb", b"\xef", b""] {
        check([mark, b"User-agent: *\nDisallow: /x\n"].concat(), &["/"], &["/x"]);
    }
    for mark in [&b"\xef\xbb\xbf\xef\xbb\xbf"[..], b"\xef\x11\xbf", b"\xbf", b"\xfe\xff", b" \xef\xbb\xbf"] {
        check([mark, b"User-agent: *\nDisallow: /x\n"].concat(), &["/x"], &[]);
    }
    check(
        "User-agent: *\n\u{feff}Disallow: /x\nDisallow: \u{feff}/y\nDisallow: /z\n",
        &["/x", "/y"],
        &["/z"],
    );
}

#[test]
fn utf_16_is_not_decoded() {
    let text = "User-agent: *\nDisallow: /\n";
    for bytes in [
        text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
        text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
    ] {
        check(bytes, &["/x"], &[]);
    }
}

#[test]
fn a_nul_ends_the_text_of_its_line() {
    check(
        b"User-agent: *\nDisallow: /a\0b\n\0Disallow: /x\nDisallow: /c\n",
        &["/x", "/"],
        &["/a", "/ab", "/c"],
    );
    check(b"User-agent: Example\0Bot\nDisallow: /\n", &["/x"], &[]);
}

#[test]
fn invalid_utf_8_spoils_nothing_else_and_equals_its_escape() {
    check(
        b"User-agent: Caf\xe9\nDisallow: /\n\nUser-agent: ExampleBot\nDisallow: /\xff\n",
        &["/x", "/%FE"],
        &["/%ff", "/%FFx"],
    );
    check(b"\xe9\xff: \x80\nUser-agent: *\nDisallow: /x\n", &["/"], &["/x"]);
}

#[test]
fn a_no_break_space_is_no_blank() {
    check("\u{a0}User-agent: *\nDisallow: /x\n", &["/x"], &[]);
    check("User-agent: *\nDisallow:\u{a0}/x\n", &["/x"], &[]);
    check("User-agent: *\nDisallow: /x\u{a0}\n", &["/x"], &["/x%C2%A0"]);
}

#[test]
fn an_agent_value_names_by_its_whole_or_by_its_first_token() {
    for value in [
        "ExampleBot/1.0",
        "ExampleBot 1.0",
        "ExampleBot/1.0 (+https://e.org)",
        "ExampleBotツ",
        "ExampleBot*",
        "ExampleBot, Other",
    ] {
        check(format!("User-agent: {value}\nDisallow: /\n"), &[], &["/x"]);
    }
    for value in [
        "Other, ExampleBot",
        "Mozilla/5.0 (compatible; ExampleBot/1.0)",
        "/ExampleBot",
        "*ExampleBot",
        "E\u{307}xampleBot",
        "\u{ff25}xampleBot",
    ] {
        check(format!("User-agent: {value}\nDisallow: /\n"), &["/x"], &[]);
    }
}

#[test]
fn digits_and_dots_in_a_token_match_in_full() {
    for (value, agent, closed) in [
        ("MJ12bot", "MJ12bot", true),
        ("mj12BOT/1.4", "MJ12bot", true),
        ("MJ12bot", "MJ", true),
        ("MJ12bot", "MJ12", false),
        ("archive.org_bot", "archive.org_bot", true),
        ("archive.org_bot", "archive.org", false),
        ("360Spider", "360Spider", true),
        ("360Spider", "Spider", false),
    ] {
        let rules = rules(format!("User-agent: {value}\nDisallow: /\n").as_bytes(), agent);
        assert_eq!(!rules.verdict("/x").is_allowed(), closed, "{value} {agent}");
    }
}

#[test]
fn only_ascii_letters_have_a_case() {
    // The Kelvin sign lowers to k in Unicode.
    let rules = rules("User-agent: \u{212a}itebot\nDisallow: /\n".as_bytes(), "kitebot");
    assert!(rules.verdict("/x").is_allowed());
}

#[test]
fn an_agent_line_that_names_nobody_still_ends_the_group_before() {
    check("User-agent: ExampleBot\nDisallow: /x\nUser-agent:\nDisallow: /y\n", &["/y"], &["/x"]);
}

#[test]
fn a_pattern_begins_with_a_slash_or_a_star() {
    for pattern in ["x", "?x=1", "$", "%2Fx", "https://example.com/x", "./x", "\u{feff}/x", "^/x"] {
        check(format!("User-agent: *\nDisallow: {pattern}\n"), &["/x", "/", "/?x=1"], &[]);
    }
}

#[test]
fn nothing_but_star_and_dollar_is_special() {
    let text = "User-agent: *\nDisallow: /a.b\nDisallow: /c+d\nDisallow: /(e)\nDisallow: /[fg]\nDisallow: /h|i\nDisallow: /l^\nDisallow: /m\\d\nDisallow: /.\n";
    check(
        text,
        &["/aXb", "/ccd", "/e", "/f", "/h", "/l", "/m1"],
        &["/a.b", "/c+d", "/(e)", "/[fg]", "/h|i", "/l^", "/l%5E", "/m\\d", "/m%5Cd", "/.well-known/x"],
    );
}

#[test]
fn reserved_octets_keep_their_escapes_apart() {
    for (rule, open, closed) in [
        ("/a%2Fb", "/a/b", "/a%2fb"),
        ("/a/b", "/a%2Fb", "/a/b"),
        ("/a%3Fb", "/a?b", "/a%3fb"),
        ("/a?b", "/a%3Fb", "/a?b"),
        ("/a;v=1", "/a%3Bv=1", "/a;v=1"),
        ("/a+b", "/a%2Bb", "/a+b"),
        ("/a+b", "/a%20b", "/a+b/"),
        ("/a%26b", "/a&b", "/a%26b"),
        ("/x?a=1%26b", "/x?a=1&b", "/x?a=1%26b"),
        ("/x?a%3D1", "/x?a=1", "/x?a%3d1"),
        ("/%2541", "/A", "/%2541"),
        ("/%2541", "/%41", "/%2541x"),
        ("/100%25", "/1002", "/100%2525"),
        ("/a%23b", "/a#b", "/a%23b"),
        ("/a:b", "/a%3Ab", "/a:b"),
    ] {
        check(format!("User-agent: *\nDisallow: {rule}\n"), &[open], &[closed]);
    }
}

#[test]
fn broken_escapes_are_literal() {
    let text = "User-agent: *\nDisallow: /100%\nDisallow: /%zz\nDisallow: /q%4\n";
    check(text, &["/q", "/qA", "/q%41"], &["/100%", "/100%x", "/%zz", "/q%4"]);
}

#[test]
fn octets_that_no_uri_holds_equal_their_escapes() {
    check(
        "User-agent: *\nDisallow: /{x}\nDisallow: /a b\nDisallow: /\"q\"\nDisallow: /<t>\nDisallow: /`\nDisallow: /|\n",
        &["/x", "/a"],
        &["/%7Bx%7D", "/{x}", "/a%20b", "/a b", "/%22q%22", "/%3Ct%3E", "/%60", "/%7c", "/|"],
    );
}

#[test]
fn a_query_takes_escaped_and_raw_delimiters_alike() {
    check(
        "User-agent: *\nDisallow: /*?u=http:\nDisallow: /*%3Aq\nDisallow: /s?q='\n",
        &["/u=http:", "/s?q="],
        &["/x?u=http%3A//h", "/x?u=http://h", "/x?a%3Aq", "/x%3Aq", "/s?q=%27a", "/s?q='a"],
    );
}

#[test]
fn a_target_loses_its_fragment_and_its_dot_segments() {
    check(
        "User-agent: *\nDisallow: /private/\n",
        &["/b#/private/", "/private/../x", "/x?/../private/"],
        &[
            "/public/../private/x",
            "/./private/x",
            "/public/%2e%2E/private/x",
            "/private/#top",
            "https://example.com/a/b/../../private/",
        ],
    );
}

#[test]
fn a_backslash_in_a_path_is_the_slash_a_client_makes_of_it_and_itself() {
    check(
        "User-agent: *\nDisallow: /private/\nDisallow: /a\\b\n",
        &["/private%5Cx", "/x?/..\\private/", "/x?a\\b", "/x\\y"],
        &[
            "https://example.com\\private\\x",
            "https://example.com/public\\..\\private/x",
            "/private\\",
            "/a\\b",
            "/a%5cb",
        ],
    );
    check(
        "User-agent: *\nDisallow: /\nAllow: /a/\nAllow: /b\\\n",
        &["/a/x\\y", "/a/", "/b%5C"],
        &["/a\\..\\x", "/a/..\\x", "/a\\x", "/b\\x"],
    );
    check("User-agent: *\nDisallow: /\n", &["https://example.com\\robots.txt"], &["/robots.txt\\"]);
}

#[test]
fn blanks_of_every_kind_around_a_key_or_a_value_are_no_part_of_it() {
    for blank in [" ", "\t", "\u{b}", "\u{c}", " \t\u{b}\u{c}"] {
        let text = format!(
            "{blank}User-agent{blank}:{blank}*{blank}\n{blank}Disallow:{blank}/x{blank}\n{blank}Disallow{blank}: /y\n"
        );
        check(text, &["/", "/z"], &["/x1", "/y"]);
    }
}

#[test]
fn double_slashes_are_kept() {
    check("User-agent: *\nDisallow: /a/b\n", &["/a//b", "//a/b", "https://example.com//a/b"], &["/a/b"]);
}

#[test]
fn a_whole_url_and_its_path_get_the_same_verdict() {
    check(
        "User-agent: *\nDisallow: /*?\nDisallow: /x\n",
        &["https://example.com", "https://example.com/", "ftp://h/y"],
        &[
            "https://example.com?x",
            "https://user@example.com:8443/x",
            "HTTP://EXAMPLE.COM/x",
            "https://[::1]/x",
            "https://example.com/x#f",
            "/x",
            " /x\n",
            "\thttps://example.com/x ",
            "https://example.com/\tx",
            "https://example.com\\x",
        ],
    );
}

#[test]
fn what_is_no_target_is_disallowed_and_says_so() {
    let rules = rules(b"User-agent: *\nDisallow: /private\n", "ExampleBot");
    for (target, error) in [
        ("", TargetError::Empty),
        ("page.html", TargetError::Relative),
        ("example.com/page", TargetError::Relative),
        ("?q=1", TargetError::Relative),
        ("*", TargetError::Relative),
        ("mailto:a@example.com", TargetError::Relative),
        ("localhost:80/x", TargetError::Relative),
        ("1http://example.com/", TargetError::Relative),
        ("://example.com/", TargetError::Relative),
        ("https://", TargetError::NoHost),
        ("https:///x", TargetError::NoHost),
        ("https://?x", TargetError::NoHost),
    ] {
        let verdict = rules.verdict(target);
        assert_eq!((verdict.is_allowed(), verdict.reason), (false, Reason::InvalidTarget), "{target}");
        assert_eq!(Target::parse(target), Err(error), "{target}");
    }
}

#[test]
fn an_index_page_is_a_page_like_any_other() {
    check(
        "User-agent: *\nAllow: /d/index.html\nDisallow: /\n",
        &["/d/index.html"],
        &["/d/", "/d", "/d/index.htm"],
    );
}

#[test]
fn reasons_and_directives_have_the_words_that_the_command_prints() {
    let codes = Reason::ALL.map(Reason::code);
    let words =
        ["rule", "no-rule", "no-group", "no-file", "disallow-all", "robots-txt-itself", "invalid-target"];
    assert_eq!(codes, words);
    assert_eq!(Reason::ALL.map(|reason| reason.to_string()), words);
    assert_eq!([Directive::Allow, Directive::Disallow].map(Directive::as_str), ["allow", "disallow"]);
}

#[test]
fn only_rules_that_close_nothing_are_empty() {
    for (rules, empty) in [
        (Rules::allow_all(), true),
        (Rules::disallow_all(), false),
        (rules(b"User-agent: *\nCrawl-delay: 3\n", "a"), true),
        (rules(b"User-agent: *\nDisallow: /x\n", "a"), false),
    ] {
        assert_eq!(rules.is_empty(), empty, "{rules:?}");
    }
    assert_eq!(format!("{:?}", Rules::allow_all()), "Rules::allow_all()");
    let one = format!("{:?}", rules(b"User-agent: *\nDisallow: /x\n", "a"));
    assert!(one.contains("rules: 1") && one.contains('*'), "{one}");
}
