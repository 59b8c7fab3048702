//! The targets of the robots library.

mod cache;
mod reference;

use bot_etiquette_robots::{ProductToken, Robots, RobotsTags, Rules, Target, UsageRules};

pub use cache::cache;

/// The crawlers the files are read for: an RFC token, one with digits, and one nobody names.
fn agents() -> [ProductToken; 3] {
    ["FooBot", "MJ12bot", "z"].map(|name| name.parse().expect("a token"))
}

/// A robots.txt of any bytes is read whole, and says the same whichever way it is asked.
pub fn parse(data: &[u8]) {
    let robots = Robots::parse(data);
    assert!(data.starts_with(robots.text()));
    let lines = u32::try_from(data.len()).unwrap_or(u32::MAX).saturating_add(1);
    assert!(robots.records().all(|record| (1..=lines).contains(&record.line)));
    assert!(robots.diagnostics().iter().all(|found| found.line <= lines && !found.message.is_empty()));
    assert!(robots.sitemaps().all(|sitemap| !sitemap.is_empty()));
    let again = Robots::parse(robots.text());
    for agent in &agents() {
        let rules = robots.rules_for(agent);
        let alone = Rules::parse(data, agent);
        let reread = again.rules_for(agent);
        let longest = rules.crawl_delay();
        assert!(rules.crawl_delays().all(|delay| Some(delay) <= longest));
        let usage = UsageRules::new(&rules);
        for target in ["/", "/a/b?c=d", "https://example.com/private/x.html", "/%zz"] {
            let verdict = rules.verdict(target);
            let _ = verdict.to_string();
            let _ = usage.usage(target);
            assert_eq!(verdict, alone.verdict(target));
            assert_eq!(verdict, reread.verdict(target));
        }
        assert!(rules.verdict("/robots.txt").is_allowed());
        for rule in rules.iter() {
            assert!((1..=lines).contains(&rule.line));
        }
    }
}

/// The first line is the target, the rest the file.
fn split(data: &[u8]) -> (&[u8], &[u8]) {
    let end = data.iter().position(|&byte| byte == b'\n').unwrap_or(data.len());
    let (target, rest) = data.split_at(end);
    (target, rest.get(1..).unwrap_or(b""))
}

/// Any target is matched in bounded steps, and its canonical form is a fixed point.
pub fn matching(data: &[u8]) {
    let (target, text) = split(data);
    let Ok(target) = Target::parse(target) else { return };
    let canonical = Target::parse(target.as_bytes()).expect("a path");
    assert_eq!(canonical.as_bytes(), target.as_bytes(), "canonical once is canonical");
    let agent = &agents()[0];
    let rules = Robots::parse(text).rules_for(agent);
    let first = rules.verdict_of(&target);
    // Often enough that an index is built on the way: it must say what looking at each rule says.
    for _ in 0..40 {
        assert_eq!(rules.verdict_of(&target), first);
    }
    let rules_count = u64::try_from(rules.len()).expect("fits");
    let length = |bytes: &[u8]| u64::try_from(bytes.len()).expect("fits");
    // Both forms of a target are compared, each octet of target and pattern a bounded number of times.
    let bound = 16 * (length(text) + (rules_count + 1) * (length(target.as_bytes()) + 16));
    assert!(rules.steps(&target) <= bound, "{} steps, bound {bound}", rules.steps(&target));
}

/// The verdict is the one a slow and simple reading comes to, where both speak: targets and patterns without
/// escapes.
pub fn differential(data: &[u8]) {
    let (target, text) = split(data);
    if text.contains(&b'%') || text.len() > 512_000 {
        return;
    }
    if target.first() != Some(&b'/')
        || !target.iter().all(|byte| byte.is_ascii_alphanumeric() || b"/-_~*$?=&!'()+,:;@[]|".contains(byte))
    {
        return;
    }
    let agent = &agents()[0];
    let rules = Robots::parse(text).rules_for(agent);
    let expected = reference::is_allowed(text, b"foobot", target);
    for _ in 0..40 {
        let verdict = rules.verdict(target);
        assert_eq!(verdict.is_allowed(), expected, "{verdict}");
    }
    assert_eq!(Rules::parse(text, agent).verdict(target).is_allowed(), expected);
}

/// Each line is a field or, with a name and `=` before, a meta tag. A further one never lifts a restriction.
pub fn meta(data: &[u8]) {
    let mut tags = RobotsTags::new().agent("FooBot");
    for line in data.split(|&byte| byte == b'\n').take(64) {
        let before = tags.directives().clone();
        match std::str::from_utf8(line).ok().and_then(|line| line.split_once('=')) {
            Some((name, content)) if ["robots", "foobot", "other"].contains(&name) => {
                tags.meta(name, content)
            }
            _ => tags.header(line),
        }
        let after = tags.directives();
        let flags = |of: &bot_etiquette_robots::RobotsDirectives| {
            [
                of.noindex,
                of.nofollow,
                of.noarchive,
                of.nosnippet,
                of.noimageindex,
                of.notranslate,
                of.indexifembedded,
                of.max_snippet.is_some(),
                of.max_image_preview.is_some(),
                of.max_video_preview.is_some(),
                of.unavailable_after.is_some(),
            ]
        };
        assert!(flags(&before).iter().zip(flags(after)).all(|(before, after)| !before || after));
        assert!(before.max_snippet.is_none() || after.max_snippet <= before.max_snippet);
        assert!(before.max_image_preview.is_none() || after.max_image_preview <= before.max_image_preview);
        assert!(after.unknown.len() <= bot_etiquette_robots::MAX_UNKNOWN_DIRECTIVES);
    }
    serde_json::to_string(tags.directives()).expect("it can be written");
}
