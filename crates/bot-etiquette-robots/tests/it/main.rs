//! robots.txt from the outside: the protocol's clauses, given cases, limits, hostile files, properties.

#[cfg(test)]
mod availability;
#[cfg(test)]
mod cache;
#[cfg(test)]
mod cache_model;
#[cfg(test)]
mod cases;
#[cfg(test)]
mod clauses;
#[cfg(test)]
mod diagnostics;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod meta;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod readings;
#[cfg(test)]
#[cfg(feature = "review")]
mod review;
#[cfg(test)]
#[cfg(feature = "serde")]
mod snapshot;
#[cfg(test)]
mod tokens;
#[cfg(test)]
#[cfg(feature = "tower")]
mod tower;
#[cfg(test)]
#[cfg(feature = "usage")]
mod usage;

use bot_etiquette_robots::{ProductToken, Robots, Rules};

/// The rules of `text` for the crawler with the product token `agent`.
#[cfg(test)]
fn rules(text: &[u8], agent: &str) -> Rules {
    Robots::parse(text).rules_for(&agent.parse::<ProductToken>().unwrap())
}

/// Asserts which targets are open and which are closed to ExampleBot, by every way to a verdict.
#[cfg(test)]
#[track_caller]
fn check(text: impl AsRef<[u8]>, open: &[&str], closed: &[&str]) {
    let text = text.as_ref();
    let agent: ProductToken = "ExampleBot".parse().unwrap();
    let shown = String::from_utf8_lossy(text);
    for rules in [Robots::parse(text).rules_for(&agent), Rules::parse(text, &agent)] {
        for target in open {
            let verdict = rules.verdict(target);
            assert!(verdict.is_allowed(), "{target}: {verdict}\nin {shown}");
        }
        for target in closed {
            let verdict = rules.verdict(target);
            assert!(!verdict.is_allowed(), "{target}: {verdict}\nin {shown}");
        }
    }
}
