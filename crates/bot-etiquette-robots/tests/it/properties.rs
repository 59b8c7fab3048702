//! Laws that hold for any robots.txt.

use bot_etiquette_robots::{Directive, ProductToken, Robots, Rules, records};
use proptest::prelude::*;

/// Rules as the RFC words them: every pattern tried octet by octet, the longest match kept.
fn slow_verdict(rules: &Rules, target: &str) -> (bool, Option<u32>) {
    let mut best: Option<(usize, bool, std::cmp::Reverse<u32>)> = None;
    for rule in rules.iter() {
        let pattern = rule.pattern;
        if slow_match(pattern, target.as_bytes()) {
            let found = (pattern.len(), rule.directive == Directive::Allow, std::cmp::Reverse(rule.line));
            best = best.max(Some(found));
        }
    }
    best.map_or((true, None), |(_, allow, line)| (allow, Some(line.0)))
}

fn slow_match(pattern: &[u8], text: &[u8]) -> bool {
    let (body, anchored) = pattern.strip_suffix(b"$").map_or((pattern, false), |body| (body, true));
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    for &byte in body {
        let mut next = vec![false; text.len() + 1];
        for at in 0..=text.len() {
            next[at] = match byte {
                b'*' => reached[..=at].contains(&true),
                _ => at > 0 && reached[at - 1] && text[at - 1] == byte,
            };
        }
        reached = next;
    }
    if anchored { reached[text.len()] } else { reached.contains(&true) }
}

fn rule_lines(most: usize) -> impl Strategy<Value = Vec<String>> {
    let line = ("(Allow|Disallow): ", "[/*][ab/*]{0,5}[$]?").prop_map(|(key, pattern)| key + &pattern);
    prop::collection::vec(line, 0..most)
}

fn text_of(lines: &[String]) -> String {
    format!("User-agent: *\n{}\n", lines.join("\n"))
}

fn rules_of(text: &str) -> Rules {
    Robots::parse(text.as_bytes()).rules_for(&agent())
}

fn agent() -> ProductToken {
    "ExampleBot".parse().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_index_and_the_scan_agree_with_the_slow_reading(
        lines in rule_lines(40),
        targets in prop::collection::vec("/[ab/]{0,8}", 40),
    ) {
        let rules = rules_of(&text_of(&lines));
        for target in &targets {
            let verdict = rules.verdict(target);
            let (allowed, line) = slow_verdict(&rules, target);
            prop_assert_eq!(verdict.is_allowed(), allowed, "{} in {:?}", target, lines);
            prop_assert_eq!(verdict.rule.map(|rule| rule.line), line, "{} in {:?}", target, lines);
        }
    }

    #[test]
    fn one_agent_and_all_agents_give_the_same_answers(text in "(User-agent: (ExampleBot|B|[*])\n|Allow: /[ab]\n|Disallow: /[ab%]{0,3}[*]?\n|Crawl-delay: [0-9]\n|X: y\n|\n){0,14}", target in "/[ab]{0,3}") {
        let whole = rules_of(&text);
        let part = Rules::parse(text.as_bytes(), &agent());
        prop_assert_eq!(whole.verdict(&target), part.verdict(&target));
        prop_assert_eq!(whole.crawl_delay(), part.crawl_delay());
        prop_assert_eq!(whole.group(), part.group());
        prop_assert_eq!(whole.iter().collect::<Vec<_>>(), part.iter().collect::<Vec<_>>());
        prop_assert_eq!(whole.records().collect::<Vec<_>>(), part.records().collect::<Vec<_>>());
    }

    #[test]
    fn adding_an_allow_never_closes_anything(lines in rule_lines(12), more in "Allow: /[ab*]{0,4}[$]?", target in "/[ab]{0,6}") {
        let before = rules_of(&text_of(&lines)).verdict(&target).is_allowed();
        let mut lines = lines;
        lines.push(more);
        let after = rules_of(&text_of(&lines)).verdict(&target).is_allowed();
        prop_assert!(!before || after);
    }

    #[test]
    fn the_order_of_groups_and_of_rules_is_irrelevant(one in rule_lines(6), two in rule_lines(6), target in "/[ab]{0,6}") {
        let group = |lines: &[String]| format!("User-agent: *\n{}\nDisallow:\n", lines.join("\n"));
        let reversed: Vec<String> = two.iter().rev().cloned().collect();
        let forth = rules_of(&(group(&one) + &group(&two))).verdict(&target).is_allowed();
        let back = rules_of(&(group(&reversed) + &group(&one))).verdict(&target).is_allowed();
        prop_assert_eq!(forth, back);
    }

    #[test]
    fn all_line_ends_read_the_same(lines in rule_lines(8), target in "/[ab]{0,6}") {
        let text = text_of(&lines);
        let reading = |text: &str| {
            let rules = rules_of(text);
            let verdict = rules.verdict(&target);
            (verdict.is_allowed(), verdict.rule.map(|rule| rule.line))
        };
        prop_assert_eq!(reading(&text), reading(&text.replace('\n', "\r\n")));
        prop_assert_eq!(reading(&text), reading(&text.replace('\n', "\r")));
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), target in prop::collection::vec(any::<u8>(), 0..40)) {
        let robots = Robots::parse(&bytes);
        let _ = robots.rules_for(&agent()).verdict(&target);
        for found in robots.diagnostics() {
            prop_assert!(found.line >= 1 && found.column >= 1);
        }
    }

    #[test]
    fn near_records_are_read_without_a_panic(text in "(((user-?agent|(dis)?allow|crawl-delay|sitemap|\u{feff}|noindex)[ :\t]{0,3})?[/*$%a-c0-9#é \u{0}]{0,9}[\r\n]{0,2}){0,12}") {
        let robots = Robots::parse(text.as_bytes());
        let count = records(text.as_bytes()).count();
        prop_assert_eq!(robots.records().count(), count);
        let _ = robots.diagnostics();
        let _ = robots.rules_for(&agent()).verdict("/a%2fb?c");
    }
}
