//! Product tokens.

use std::collections::HashSet;

use bot_etiquette_robots::{MAX_TOKEN, ProductToken, TokenError};

#[test]
fn letters_digits_hyphens_underscores_and_dots_make_a_token() {
    for (text, strict) in
        [("A", true), ("Example-Bot_x", true), ("MJ12bot", false), ("archive.org_bot", false)]
    {
        let token: ProductToken = text.parse().unwrap();
        assert_eq!((token.as_str(), token.to_string().as_str(), token.is_rfc9309()), (text, text, strict));
    }
}

#[test]
fn what_is_no_token_says_why_and_what_was_meant() {
    for (text, said) in [
        ("", "the agent is empty: expected a product token such as ExampleBot"),
        (
            "*",
            "* names the group for all other crawlers: expected a crawler's own product token such as ExampleBot",
        ),
        (
            "ExampleBot/1.0",
            "'/' at byte 10 of the agent \"ExampleBot/1.0\" is no part of a product token: give the name alone, ExampleBot",
        ),
        (
            "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://e.org)",
            "'/' at byte 7 of the agent \"Mozilla/5.0 (compatible; ExampleBot/1.0; +https://e.org)\" is no part of a product token: give the name alone, ExampleBot",
        ),
        (
            "Bütbot",
            "'ü' at byte 1 of the agent \"Bütbot\" is no part of a product token: give the name alone, B",
        ),
        ("(x)", "'(' at byte 0 of the agent \"(x)\" is no part of a product token (letters, digits, - _ .)"),
        ("1.0", "the agent \"1.0\" has no letter: expected a product token such as ExampleBot"),
    ] {
        assert_eq!(text.parse::<ProductToken>().unwrap_err().to_string(), said);
    }
}

#[test]
fn a_token_has_a_greatest_length() {
    for (length, fits) in [(MAX_TOKEN - 1, true), (MAX_TOKEN, true), (MAX_TOKEN + 1, false)] {
        assert_eq!("a".repeat(length).parse::<ProductToken>().is_ok(), fits, "{length}");
    }
}

#[test]
fn tokens_are_equal_in_any_ascii_case_and_hash_alike() {
    let token = |text: &str| text.parse::<ProductToken>().unwrap();
    assert_eq!(token("ExampleBot"), token("EXAMPLEBOT"));
    assert_ne!(token("ExampleBot"), token("ExampleBo"));
    let set: HashSet<_> = ["A-b", "a-B", "a_b"].map(token).into_iter().collect();
    assert_eq!(set.len(), 2);
}

#[test]
fn a_user_agent_header_names_its_crawler() {
    for (header, name) in [
        ("SiteSnapshot/1.0 (+https://example.com/bot)", "SiteSnapshot"),
        ("Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com)", "ExampleBot"),
        (
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Ex-Bot/1.2; +https://e.org)",
            "Ex-Bot",
        ),
        (
            "Mozilla/5.0 (Linux; Android 6.0.1) AppleWebKit/537.36 Chrome/1 Safari/537.36 (compatible; Googlebot/2.1; +http://g.co)",
            "Googlebot",
        ),
        ("Mozilla/5.0 (compatible;MJ12bot/v1.4.8)", "MJ12bot"),
        ("curl/8.5", "curl"),
        ("  Bare ", "Bare"),
    ] {
        assert_eq!(ProductToken::from_user_agent(header).unwrap().as_str(), name, "{header}");
    }
    assert_eq!(ProductToken::from_user_agent(" "), Err(TokenError::Empty));
    for header in ["Mozilla/5.0 (X11; Linux x86_64) Firefox/1", "(x)", "Mozilla/5.0 (compatible; )", "/1.0"] {
        let error = ProductToken::from_user_agent(header).unwrap_err();
        assert!(matches!(error, TokenError::NoCrawler { .. }), "{header}: {error}");
    }
}

#[cfg(feature = "serde")]
#[test]
fn a_token_travels_as_text_and_is_checked_on_arrival() {
    let token: ProductToken = serde_json::from_str("\"ExampleBot\"").unwrap();
    assert_eq!(serde_json::to_string(&token).unwrap(), "\"ExampleBot\"");
    assert!(serde_json::from_str::<ProductToken>("\"a b\"").is_err());
}
