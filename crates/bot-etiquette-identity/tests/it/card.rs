use bot_etiquette_identity::{AgentCard, BotIdentity, CardError};
use serde_json::{Value, json};

const CONFIG: &str = r#"
user_agent = "CrumbBot/1.0 (+https://crumb.dev/bot)"
token = "CrumbBot"
page = "https://crumb.dev/bot"
contact = "mailto:bot@crumb.dev"
key_file = "k"
directory = "https://crumb.dev"
[addresses]
url = "https://crumb.dev/ranges.json"
[card]
url = "https://crumb.dev/card.json"
rate_expectation = "avg=1rps;max=2rps"
known_urls = ["/robots.txt"]
[text.en]
purpose = "It looks for crumbs."
"#;

fn bot(config: &str) -> BotIdentity {
    BotIdentity::from_toml(config).unwrap()
}

#[test]
fn a_card_says_what_the_configuration_says_in_the_drafts_names() {
    let card: Value = serde_json::from_str(&AgentCard::of(&bot(CONFIG)).unwrap().to_json()).unwrap();
    assert_eq!(
        card,
        json!({
            "client_id": "https://crumb.dev/card.json",
            "client_name": "CrumbBot",
            "client_uri": "https://crumb.dev/bot",
            "contacts": ["mailto:bot@crumb.dev"],
            "jwks_uri": "https://crumb.dev/.well-known/http-message-signatures-directory",
            "web_bot_auth": {
                "expected-user-agent": "CrumbBot/1.0 (+https://crumb.dev/bot)",
                "rfc9309-product-token": "CrumbBot",
                "rfc9309-compliance": true,
                "trigger": "crawler",
                "purpose": "It looks for crumbs.",
                "rate-expectation": "avg=1rps;max=2rps",
                "known-urls": ["/robots.txt"],
                "ips_uri": "https://crumb.dev/ranges.json",
            },
        })
    );
}

#[test]
fn a_bot_that_renders_expects_its_browser_forms_too() {
    let card = AgentCard::of(&bot(&CONFIG.replace("[card]", "[about]\nrenders = true\n[card]"))).unwrap();
    let agents = &card.web_bot_auth.expected_user_agent;
    assert_eq!(agents.len(), 3);
    let phone = bot(CONFIG).phone(141);
    assert!(agents.iter().any(|agent| phone.as_str().starts_with(agent.trim_end_matches('*'))));
    assert!(card.problems(&bot(CONFIG)).is_empty());
}

#[test]
fn what_a_card_cannot_be_without_is_named() {
    for (without, key) in [
        ("url = \"https://crumb.dev/card.json\"", "card.url"),
        ("directory = \"https://crumb.dev\"", "directory"),
    ] {
        match AgentCard::of(&bot(&CONFIG.replace(without, ""))) {
            Err(CardError::Missing { key: named, .. }) => assert_eq!(named, key),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn cards_of_earlier_drafts_are_read() {
    let flat = json!({
        "client_id": "https://crumb.dev/card.json",
        "jwks_uri": "https://crumb.dev/keys",
        "rfc9309-product-token": "CrumbBot",
        "expected-user-agent": ["CrumbBot/*"],
        "something-new": {"a": 1},
    });
    let card = AgentCard::read(flat.to_string().as_bytes()).unwrap();
    assert_eq!(card.web_bot_auth.product_token.as_deref(), Some("CrumbBot"));
    assert!(!card.web_bot_auth.robots_compliance, "absent is false");
    assert_eq!(card.problems(&bot(CONFIG)), Vec::<String>::new());
    for bytes in [&b"[]"[..], b"", b"{\"client_id\": 3}"] {
        assert!(AgentCard::read(bytes).is_err());
    }
}

#[test]
fn a_card_that_does_not_agree_is_told() {
    let whole = AgentCard::of(&bot(CONFIG)).unwrap();
    assert!(whole.problems(&bot(CONFIG)).is_empty());
    let both = whole.to_json().replacen('{', "{\"jwks\": {\"keys\": []},", 1);
    let mut card = AgentCard::read(both.as_bytes()).unwrap();
    assert_eq!(AgentCard::read(card.to_json().as_bytes()).unwrap(), card, "keys are kept as they came");
    card.client_id = "http://other.dev".to_owned();
    card.web_bot_auth.product_token = Some("OtherBot".to_owned());
    card.web_bot_auth.expected_user_agent = vec!["Other/*".to_owned()];
    card.web_bot_auth.trigger = Some("robot".to_owned());
    assert_eq!(card.problems(&bot(CONFIG)).len(), 6);
}

#[test]
fn a_card_is_read_up_to_its_limit() {
    for (length, fits) in [(AgentCard::MAX_BYTES, true), (AgentCard::MAX_BYTES + 1, false)] {
        let mut bytes = b"{}".to_vec();
        bytes.resize(length, b' ');
        assert_eq!(AgentCard::read(&bytes).is_ok(), fits, "{length}");
    }
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_a_card_or_an_error(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200), text in "\\{(\"(client_id|jwks|trigger|known-urls|expected-user-agent|web_bot_auth)\":[\\[\\]{}\"a-z1,]{0,12},?){0,3}\\}") {
        for bytes in [&bytes[..], text.as_bytes()] {
            if let Ok(card) = AgentCard::read(bytes) {
                let again = AgentCard::read(card.to_json().as_bytes()).unwrap();
                proptest::prop_assert_eq!(&again, &card);
                let _ = card.problems(&bot(CONFIG));
            }
        }
    }
}
