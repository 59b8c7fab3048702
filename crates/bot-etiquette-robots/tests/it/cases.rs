//! The given collection of cases, where it is at hand.

use std::path::Path;

use bot_etiquette_robots::{ProductToken, Robots, Rules};

struct Case {
    id: String,
    robots: Vec<u8>,
    agent: ProductToken,
    url: String,
    allowed: bool,
    crawl_delay: Option<f64>,
}

fn read(path: &Path) -> Vec<Case> {
    let table = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    table
        .lines()
        .skip(1)
        .map(|row| {
            let cells: Vec<&str> = row.split('\t').collect();
            let text: String = serde_json::from_str(cells[1]).unwrap();
            let robots = if cells[0].starts_with("raw-") {
                text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()
            } else {
                text.into_bytes()
            };
            Case {
                id: cells[0].into(),
                robots,
                agent: cells[2].parse().unwrap(),
                url: cells[3].into(),
                allowed: cells[4] == "allow",
                crawl_delay: (!cells[5].is_empty()).then(|| cells[5].parse().unwrap()),
            }
        })
        .collect()
}

/// Rows about delays say "none" with an empty cell; in other rows an empty cell says nothing.
fn states_delay(case: &Case) -> bool {
    case.crawl_delay.is_some() || case.id.starts_with("cd-")
}

#[test]
fn every_given_case_gets_its_verdict_and_its_delay() {
    let Some(folder) = std::env::var_os("BOT_ETIQUETTE_CASES") else {
        println!("left out: the given robots.txt cases, for BOT_ETIQUETTE_CASES is not set");
        return;
    };
    let cases = read(&Path::new(&folder).join("robots.tsv"));
    assert!(cases.len() > 300, "only {} cases", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let whole = Robots::parse(&case.robots).rules_for(&case.agent);
        let part = Rules::parse(&case.robots, &case.agent);
        for (form, rules) in [("all agents", whole), ("one agent", part)] {
            let verdict = rules.verdict(&case.url);
            let delay = rules.crawl_delay().map(|delay| delay.as_secs_f64());
            if verdict.is_allowed() != case.allowed || (states_delay(case) && delay != case.crawl_delay) {
                wrong.push(format!("{} ({form}): {verdict}, delay {delay:?}", case.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
