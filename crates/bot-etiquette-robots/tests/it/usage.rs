use bot_etiquette_robots::Preference::{Allow, Deny, Unknown};
use bot_etiquette_robots::{Preference, ProductToken, Robots, Usage, UsageRules};

fn three(usage: Usage) -> [Preference; 3] {
    [usage.train_ai, usage.search, usage.ai_input]
}

#[track_caller]
fn signal(value: &str, expected: [Preference; 3]) {
    assert_eq!(three(Usage::from_content_signal(value.as_bytes())), expected, "{value}");
}

#[track_caller]
fn usage(value: &str, expected: [Preference; 2]) {
    let [train_ai, search, ai_input] = three(Usage::from_content_usage(value.as_bytes()));
    assert_eq!(([train_ai, search], ai_input), (expected, Unknown), "{value}");
}

#[test]
fn a_signal_says_yes_no_or_nothing_for_each_use() {
    signal("search=yes, ai-train=no", [Deny, Allow, Unknown]);
    signal("search=yes,ai-input=no,ai-train=yes", [Allow, Allow, Deny]);
    signal(" Search = YES , AI-Train=No", [Deny, Allow, Unknown]);
    signal("ai-train=no, ai-train=yes", [Deny, Unknown, Unknown]);
    signal("ai-train=yes, ai-train=no", [Deny, Unknown, Unknown]);
    signal("ai-train=maybe, ai-train, =no, search==yes, other=no", [Unknown; 3]);
    signal("", [Unknown; 3]);
}

#[test]
fn a_usage_value_is_a_dictionary_of_tokens() {
    usage("train-ai=n, search=y", [Deny, Allow]);
    usage("train-ai=y;note=\"x, y\",search=n;a", [Allow, Deny]);
    // The last of two members counts, as in every dictionary.
    usage("train-ai=n, train-ai=y", [Allow, Unknown]);
    // Other types, other tokens and other letters say nothing.
    usage("train-ai=?0, search=\"n\"", [Unknown; 2]);
    usage("train-ai=(n), search=no", [Unknown; 2]);
    usage("train-ai=N, search", [Unknown; 2]);
    // What is no dictionary says nothing at all.
    usage("train-ai=n, Search=y", [Unknown; 2]);
    usage("train-ai=n,", [Unknown; 2]);
    usage("train-ai=n; search=y;;", [Unknown; 2]);
    usage("", [Unknown; 2]);
}

/// The uses of a target as `MyBot` reads the records below.
#[track_caller]
fn check(records: &str, target: &str, expected: [Preference; 3]) {
    let text = format!("User-agent: *\nDisallow: /closed\n{records}");
    let robots = Robots::parse(text.as_bytes());
    let rules = robots.rules_for(&"MyBot".parse::<ProductToken>().unwrap());
    assert_eq!(three(UsageRules::new(&rules).usage(target)), expected, "{records:?} for {target}");
}

#[test]
fn the_longest_path_decides_and_equal_ones_are_taken_together() {
    let records =
        "Content-Usage: train-ai=n\nContent-Usage: /open train-ai=y\nContent-Usage: /open/a search=n\n";
    check(records, "https://example.com/", [Deny, Unknown, Unknown]);
    check(records, "https://example.com/open", [Allow, Unknown, Unknown]);
    check(records, "https://example.com/open/a?q", [Unknown, Deny, Unknown]);
    let twice = "Content-Usage: /a train-ai=y, search=y\nContent-Usage: /%61\ttrain-ai=n\nContent-Usage: /*.gif$ search=n\n";
    check(twice, "/a", [Deny, Allow, Unknown]);
    check(twice, "/a/b.gif", [Unknown, Deny, Unknown]);
    check("Content-Usage: search=n\nContent-Usage: / train-ai=y\n", "/x", [Allow, Deny, Unknown]);
}

#[test]
fn the_two_records_are_taken_together() {
    let records = "Content-Signal: ai-train=yes, ai-input=no\nContent-Usage: train-ai=n\n";
    check(records, "/", [Deny, Unknown, Deny]);
    check("content-signal: /a ai-train=no\nCONTENT-SIGNAL: search=yes\n", "/a", [Deny, Unknown, Unknown]);
}

#[test]
fn a_group_without_records_says_nothing() {
    check("", "/", [Unknown; 3]);
    check("User-agent: MyBot\nDisallow:\n", "/", [Unknown; 3]);
    check(
        "Content-Usage: train-ai=n # why\nUser-agent: other\nContent-Usage: search=n\nAllow: /",
        "/",
        [Deny, Unknown, Unknown],
    );
    check("Content-Usage: /only-a-path\nContent-Usage: train-ai=n\n", "/only-a-path", [Unknown; 3]);
    check("Content-Usage: train-ai=n\n", "relative", [Unknown; 3]);
    check("Content-Usage: train-ai=n\n", "/robots.txt", [Unknown; 3]);
}

#[test]
fn preferences_open_and_close_nothing() {
    let text =
        b"User-agent: *\nDisallow: /closed\nContent-Signal: /closed search=yes\nContent-Usage: train-ai=n\n";
    let rules = Robots::parse(text).rules_for(&"MyBot".parse::<ProductToken>().unwrap());
    assert!(!rules.verdict("/closed").is_allowed() && rules.verdict("/open").is_allowed());
}

#[test]
fn the_fields_of_an_answer_add_to_the_file() {
    let file = Usage::from_content_signal(b"search=yes, ai-train=yes");
    assert_eq!(three(file.and(Usage::from_content_usage(b"train-ai=n"))), [Deny, Allow, Unknown]);
    assert_eq!(three(Usage::default().and(file)), three(file));
}
