use bot_etiquette_identity::{From, LintOptions, Severity, lint};
use proptest::prelude::*;

#[track_caller]
fn check(value: &str, options: LintOptions<'_>, wanted: &[(&str, Severity)]) {
    let found = lint(value.as_bytes(), options);
    let ids: Vec<_> = found.iter().map(|finding| (finding.id, finding.severity)).collect();
    assert_eq!(ids, wanted, "{value}: {found:#?}");
}

use Severity::{Error, Info, Warning};

#[test]
fn the_three_bots_lack_nothing_but_a_mailbox() {
    let from = "bot@smartsiteplan.com".parse::<From>().unwrap();
    check(
        "Mozilla/5.0 (compatible; SmartSitePlanBot/1.0; +https://smartsiteplan.com/contact)",
        LintOptions::default().token("SmartSitePlanBot").version("1.0").from(&from),
        &[],
    );
    check(
        "SiteSnapshot/1.0 (+https://seostudio.com/docs/site-snapshot)",
        LintOptions::default().token("SiteSnapshot"),
        &[("UA008", Info)],
    );
    check(
        "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile \
         Safari/537.36 (compatible; SiteSnapshot/1.0; bot; +https://seostudio.com/docs/site-snapshot)",
        LintOptions::default().token("SiteSnapshot").version("1.0"),
        &[("UA008", Info)],
    );
}

#[test]
fn each_rule_fires_alone() {
    let from = "bot@a.example".parse::<From>().unwrap();
    let other = "bot@b.example".parse::<From>().unwrap();
    let own = LintOptions::default().token("CrumbBot").from(&from);
    check("CrumbBot/1.0 (+https://a.example/bot)", own, &[]);
    check("CrumbBot/1.0 (+https://a.example/bot", own, &[("UA001", Error), ("UA004", Warning)]);
    check("CrumbBot/1.0", own, &[("UA002", Error)]);
    check("CrumbBot/1.0 (+http://a.example/bot)", own, &[("UA002", Warning)]);
    check("CrumbBot/1.0 (https://a.example/bot)", own, &[("UA002", Warning)]);
    check("Crumbler/1.0 (+https://a.example/bot)", own, &[("UA003", Error)]);
    check("Crumb2/1.0 (+https://a.example/bot)", own.token("Crumb2"), &[("UA003", Error)]);
    check("CrumbBot (+https://a.example/bot)", own, &[("UA004", Warning)]);
    check("CrumbBot/1.0 (+https://a.example/bot)", own.version("1.1"), &[("UA004", Warning)]);
    check("CrumbBot/1.0 Googlebot/2.1 (+https://a.example/bot)", own, &[("UA005", Error)]);
    check("gptbot/1.0 (+https://a.example/bot)", own.token("gptbot"), &[("UA005", Error)]);
    check("Mozilla/5.0 (+https://a.example/bot)", own, &[("UA003", Error), ("UA006", Error)]);
    check("CrumbBot/1.0 (+https://a.example/bot?x=1)", own, &[("UA007", Warning)]);
    check("CrumbBot/1.0 (+https://a.example/bot)", own.from(&other), &[("UA008", Warning)]);
}

#[test]
fn a_name_within_a_longer_word_is_nobodys() {
    let from = "bot@a.example".parse::<From>().unwrap();
    check("Crumbingbots/1.0 (+https://a.example/bot)", LintOptions::default().from(&from), &[]);
}

#[test]
fn length_warns_above_512_bytes() {
    let from = "bot@a.example".parse::<From>().unwrap();
    let of = |length: usize| format!("B/1 (+https://a.example) {}", "a".repeat(length - 25));
    for (length, warned) in [(511, false), (512, false), (513, true)] {
        let value = of(length);
        assert_eq!(value.len(), length);
        let found = lint(value.as_bytes(), LintOptions::default().from(&from));
        assert_eq!(found.iter().any(|finding| finding.id == "UA001"), warned, "{length}: {found:?}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_linted(bytes in prop::collection::vec(any::<u8>(), 0..200), token in ".{0,10}") {
        let found = lint(&bytes, LintOptions::default().token(&token));
        prop_assert!(found.windows(2).all(|pair| pair[0].id <= pair[1].id));
    }
}
