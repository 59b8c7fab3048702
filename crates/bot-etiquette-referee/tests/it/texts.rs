//! The codes are stable, and the page for people names all of them.

use std::path::Path;

use bot_etiquette_referee::Rule;

const CODES: &str = "user-agent from-missing robots-first robots-stale closed-path min-delay crawl-delay max-open \
    group-rate retry-after busy-backoff unreachable-backoff unsigned bad-signature expired-signature reused-signature \
    agent-header cookie credentials method form nofollow off-scope redirects redirect-robots body-limit time-limit \
    unconditional revisit quota budget personal-data browser-leak";

#[test]
fn the_codes_are_those_of_the_contract_in_its_order() {
    let codes: Vec<&str> = Rule::ALL.iter().map(|rule| rule.code()).collect();
    assert_eq!(codes.join(" "), CODES);
    for &rule in Rule::ALL {
        assert_eq!(Rule::from_code(rule.code()), Some(rule));
        assert_eq!(rule.to_string(), rule.code());
    }
    assert_eq!(Rule::from_code("rude"), None);
}

#[test]
fn the_page_names_every_rule() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/referee.md");
    let page = std::fs::read_to_string(page).unwrap();
    for code in CODES.split(' ') {
        assert!(page.contains(&format!("`{code}`")), "{code} is not in docs/referee.md");
    }
}

#[cfg(feature = "scenario")]
#[test]
fn the_scenarios_that_people_are_shown_are_good() {
    use bot_etiquette_referee::Scenario;

    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let none = |_: &str| Err(std::io::ErrorKind::NotFound.into());
    let shop = std::fs::read_to_string(root.join("tests/fixtures/shop.toml")).unwrap();
    assert_eq!(Scenario::parse(&shop, none).unwrap().sites().len(), 2);
    let page = std::fs::read_to_string(root.join("../../docs/referee.md")).unwrap();
    let shown = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert_eq!(Scenario::parse(shown, none).unwrap().sites().len(), 2);
}

#[cfg(feature = "serde")]
#[test]
fn a_report_is_an_object_of_stable_names() {
    use bot_etiquette_referee::{Promise, read_log};

    let log = "{\"at\":5,\"path\":\"/x\"}\n{\"at\":6.25,\"path\":\"/x\"}\n";
    let report = read_log(log.as_bytes(), Promise::new().max_requests(1)).unwrap();
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["requests"], 2);
    assert_eq!(json["violations"][0]["rule"], "budget");
    assert_eq!(json["violations"][0]["at"], 1.25);
    assert!(json["violations"][0]["evidence"].as_str().unwrap().contains("number 2"));
    assert!(json["unseen"].as_array().unwrap().iter().any(|rule| rule == "max-open"));
    assert_eq!(json["figures"]["hosts"]["-"]["smallest_gap"], 1.25);
}
