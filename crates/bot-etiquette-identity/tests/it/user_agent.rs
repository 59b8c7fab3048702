use bot_etiquette_identity::{From, FromError, GrammarFault, Part, UserAgent};
use proptest::prelude::*;
use url::Url;

fn page(url: &str) -> Url {
    Url::parse(url).unwrap()
}

#[test]
fn the_three_bots_write_their_names_to_the_letter() {
    let plan = page("https://smartsiteplan.com/contact");
    let snapshot = page("https://seostudio.com/docs/site-snapshot");
    let vibe = page("https://cityvibe.guide/bot-info");
    let rows = [
        (
            UserAgent::compatible("SmartSitePlanBot", "1.0", &plan),
            "Mozilla/5.0 (compatible; SmartSitePlanBot/1.0; +https://smartsiteplan.com/contact)",
        ),
        (
            UserAgent::plain("SiteSnapshot", "1.0", &snapshot),
            "SiteSnapshot/1.0 (+https://seostudio.com/docs/site-snapshot)",
        ),
        (UserAgent::plain("CityVibeBot", "1.0", &vibe), "CityVibeBot/1.0 (+https://cityvibe.guide/bot-info)"),
        (
            UserAgent::phone(141, "SiteSnapshot", "1.0", &snapshot),
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile \
             Safari/537.36 (compatible; SiteSnapshot/1.0; bot; +https://seostudio.com/docs/site-snapshot)",
        ),
        (
            UserAgent::desktop(141, "SiteSnapshot", "1.0", &snapshot),
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 \
             Safari/537.36 (compatible; SiteSnapshot/1.0; bot; +https://seostudio.com/docs/site-snapshot)",
        ),
    ];
    for (built, wanted) in rows {
        let built = built.unwrap();
        assert_eq!(built.as_str(), wanted);
        assert_eq!(UserAgent::parse(wanted).unwrap(), built);
        assert_eq!(built.to_header_value(), wanted);
        assert!(built.page().is_some(), "{wanted}");
    }
}

#[track_caller]
fn refused(value: &[u8], at: usize, fault: GrammarFault) {
    let error = UserAgent::parse(value).unwrap_err();
    assert_eq!((error.at(), error.fault()), (at, fault), "{}", String::from_utf8_lossy(value));
}

#[test]
fn values_outside_the_grammar_are_refused_at_the_byte() {
    refused(b"", 0, GrammarFault::Empty);
    refused(b" \t ", 0, GrammarFault::Empty);
    refused(b"(comment) Bot/1.0", 0, GrammarFault::CommentFirst);
    refused(b" (comment) Bot/1.0", 1, GrammarFault::CommentFirst);
    refused(b"Bot/", 4, GrammarFault::EmptyVersion);
    refused(b"Bot/1.0 (never closed", 8, GrammarFault::OpenComment);
    refused(b"Bot/1.0 (a (b)", 8, GrammarFault::OpenComment);
    refused(b"Bot/1.0 (escaped \\)", 8, GrammarFault::OpenComment);
    refused(b"Bot/1.0 )", 8, GrammarFault::NotAToken);
    refused(b"Bot/1.0(x)", 7, GrammarFault::NoSpace);
    refused(b"Bot/1.0 (x)Y/1", 11, GrammarFault::NoSpace);
    refused(b"Bot/1.0\r\nX-Evil: 1", 7, GrammarFault::Control);
    refused(b"Bot/1.0 (\x00)", 9, GrammarFault::Control);
    refused("Böt/1.0".as_bytes(), 1, GrammarFault::NotAscii);
    refused(b"Bot/1.0/2", 7, GrammarFault::NotAToken);
    refused(b"Bot/1.0; x", 7, GrammarFault::NotAToken);
    refused(
        b"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.3; +https://openai.com/gptbot",
        50,
        GrammarFault::NoSpace,
    );
}

#[test]
fn length_is_limited_to_the_byte() {
    let of = |length: usize| "a".repeat(length);
    assert!(UserAgent::parse(of(UserAgent::MAX_BYTES - 1)).is_ok());
    assert!(UserAgent::parse(of(UserAgent::MAX_BYTES)).is_ok());
    refused(of(UserAgent::MAX_BYTES + 1).as_bytes(), UserAgent::MAX_BYTES, GrammarFault::TooLong);
}

#[test]
fn comments_nest_without_end_and_hide_escaped_parentheses() {
    let deep = format!("Bot/1.0 {}{}", "(".repeat(4000), ")".repeat(4000));
    assert_eq!(UserAgent::parse(&deep).unwrap().parts().count(), 2);
    let agent = UserAgent::parse(r"Bot (a \) b) Engine/2 (c)").unwrap();
    let parts: Vec<_> = agent.parts().collect();
    assert_eq!(
        parts,
        [
            Part::Product { name: "Bot", version: None },
            Part::Comment(r"a \) b"),
            Part::Product { name: "Engine", version: Some("2") },
            Part::Comment("c"),
        ]
    );
}

#[test]
fn a_page_is_found_with_or_without_its_plus() {
    let rows = [
        ("CCBot/2.0 (https://commoncrawl.org/faq/)", Some("https://commoncrawl.org/faq/")),
        ("Googlebot/2.1 (+http://www.google.com/bot.html)", Some("http://www.google.com/bot.html")),
        ("Bot/1 (compatible; x; +https://a.example/b?c=d; more)", Some("https://a.example/b?c=d")),
        ("Bot/1 (ftp://a.example/)", None),
        ("Bot/1.0", None),
    ];
    for (value, wanted) in rows {
        assert_eq!(UserAgent::parse(value).unwrap().page().map(String::from).as_deref(), wanted, "{value}");
    }
}

#[test]
fn a_page_with_parentheses_cannot_break_out_of_its_comment() {
    let agent = UserAgent::plain("Bot", "1", &page("https://a.example/x_(y)")).unwrap();
    assert_eq!(agent.as_str(), "Bot/1 (+https://a.example/x_%28y%29)");
    for (name, version) in [("Bo t", "1"), ("Bot", "1;"), ("", "1"), ("Bot", ""), ("Bot\r\n", "1")] {
        assert!(
            UserAgent::plain(name, version, &page("https://a.example/")).is_err(),
            "{name:?}/{version:?}"
        );
    }
}

#[test]
fn a_version_belongs_to_the_token_before_it() {
    let rows = [
        ("Mozilla/5.0 (compatible; CrumbBot/1.2; +https://a.example)", "crumbbot", Some("1.2")),
        ("CrumbBot (x) CrumbBot/3", "CrumbBot", Some("3")),
        ("CrumbBot", "CrumbBot", None),
        ("CrumbBot/1", "", None),
    ];
    for (value, token, wanted) in rows {
        assert_eq!(UserAgent::parse(value).unwrap().version_of(token), wanted, "{value}");
    }
}

#[test]
fn from_is_a_bare_mailbox() {
    let rows = [
        ("bot@a.example", None),
        ("first.last+tag@mail.a.example", None),
        ("bot", Some(FromError::NotAMailbox)),
        ("@a.example", Some(FromError::NotAMailbox)),
        ("bot@", Some(FromError::NotAMailbox)),
        ("bot@localhost", Some(FromError::Domain)),
        ("bot@-a.example", Some(FromError::Domain)),
        ("bot@a..example", Some(FromError::Domain)),
        (".bot@a.example", Some(FromError::Local)),
        ("a b@a.example", Some(FromError::Local)),
        ("Bot <bot@a.example>", Some(FromError::Local)),
        ("bot@a.example\r\nX: 1", Some(FromError::Domain)),
    ];
    for (text, wanted) in rows {
        assert_eq!(text.parse::<From>().err(), wanted, "{text}");
    }
    let local = |length: usize| format!("{}@a.example", "a".repeat(length)).parse::<From>();
    assert!(local(63).is_ok() && local(64).is_ok());
    assert_eq!(local(65), Err(FromError::TooLong));
}

proptest! {
    #[test]
    fn any_bytes_are_answered_and_what_parses_prints_the_same(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        if let Ok(agent) = UserAgent::parse(&bytes) {
            prop_assert_eq!(UserAgent::parse(agent.as_str()).unwrap(), agent.clone());
            prop_assert!(agent.parts().count() > 0);
            prop_assert!(agent.to_header_value() == agent.as_str());
        }
    }

    #[test]
    fn the_parts_written_out_again_are_the_value(text in "[a-zA-Z/(). ]{1,40}") {
        if let Ok(agent) = UserAgent::parse(&text) {
            let written: Vec<String> = agent.parts().map(|part| match part {
                Part::Product { name, version: Some(version) } => format!("{name}/{version}"),
                Part::Product { name, version: None } => name.to_owned(),
                Part::Comment(inside) => format!("({inside})"),
            }).collect();
            let words = |text: &str| text.split(' ').filter(|w| !w.is_empty()).map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(words(&written.join(" ")), words(agent.as_str()));
        }
    }
}
