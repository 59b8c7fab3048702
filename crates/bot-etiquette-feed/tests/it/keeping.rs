//! What a program keeps from run to run.

use bot_etiquette_feed::{Calendar, CleanText, Day, Doubt, EventKey, Report, Translator, Verdict};
use std::time::{Duration, UNIX_EPOCH};

use crate::{only, read};

fn page(text: &str) -> Report {
    read("json", text.as_bytes()).1
}

fn items(total: u64, ids: std::ops::Range<u64>) -> String {
    let items: Vec<_> = ids.map(|id| format!("{{\"id\":{id},\"title\":\"Z\"}}")).collect();
    format!("{{\"total\":{total},\"items\":[{}]}}", items.join(","))
}

#[test]
fn pages_of_one_feed_add_up() {
    let first = page(&items(2345, 0..1000));
    assert_eq!(first.completeness.verdict, Verdict::Partial);
    let two = first.with_page(&page(&items(2345, 1000..2000)));
    assert_eq!((two.completeness.verdict, two.completeness.read), (Verdict::Partial, 2000));
    assert!(two.completeness.doubts.contains(&Doubt::RoundCount));
    let all = two.with_page(&page(&items(2345, 2000..2345)));
    assert_eq!((all.completeness.verdict, all.events), (Verdict::Complete, 2345));
    assert!(all.completeness.allows_deletions(), "{all:?}");
}

#[test]
fn a_total_that_changes_between_pages_allows_no_deletions() {
    let both = page(&items(3, 0..2)).with_page(&page(&items(4, 2..4)));
    assert_eq!((both.completeness.verdict, both.completeness.announced), (Verdict::Complete, Some(4)));
    assert_eq!(both.completeness.doubts, [Doubt::TotalChanged]);
    let (_, within) =
        read("xml", b"<list><total>1</total><event id='1'><title>A</title></event><total>2</total></list>");
    assert!(!within.completeness.allows_deletions(), "{within:?}");
}

#[test]
fn a_page_that_is_cut_or_an_outage_cuts_the_whole() {
    for bad in ["{\"total\":4,\"items\":[{\"id\":3,\"ti", "<!doctype html><html></html>", ""] {
        let both = page(&items(4, 0..2)).with_page(&page(bad));
        assert_eq!(both.completeness.verdict, Verdict::Truncated, "{bad}");
    }
    let down = page("").with_page(&page(""));
    assert!(matches!(down.completeness.verdict, Verdict::Outage(_)));
}

#[test]
fn a_round_count_that_was_announced_is_no_doubt() {
    assert!(page(&items(1000, 0..1000)).completeness.allows_deletions());
    assert!(!page(&items(999, 0..1000)).completeness.allows_deletions());
}

fn calendar(text: &str) -> (Calendar, Report) {
    let (events, report) = read("json", text.as_bytes());
    (events.into_iter().collect(), report)
}

#[test]
fn a_later_date_of_change_alone_is_no_change() {
    let (mut known, _) = calendar(r#"{"items":[{"id":1,"title":"A","changed":"2026-05-01 10:00"}]}"#);
    let (fresh, report) = calendar(r#"{"items":[{"id":1,"title":"A","changed":"2026-05-02 10:00"}]}"#);
    let renewed = known.renew("town", fresh, &report.completeness);
    assert_eq!((renewed.unchanged, renewed.changed), (1, 0));
    let updated = known.events().next().and_then(|event| event.updated().map(ToString::to_string));
    assert_eq!(updated.as_deref(), Some("2026-05-02T10:00:00+02:00"));
}

#[test]
fn only_a_complete_run_of_the_same_source_takes_events_away() {
    let county = include_str!("../fixtures/json.toml").replacen("\"town\"", "\"county\"", 1);
    let two = r#"{"items":[{"id":1,"title":"A","from":"2026-05-01"},{"id":2,"title":"B"}]}"#;
    let mut known = calendar(two).0;
    known.extend(read(&county, two.as_bytes()).0);
    for cut in [r#"{"items":[{"id":1,"title":"A","from":"2026-05-08"},{"id":"#, "", "<html></html>"] {
        let (fresh, report) = calendar(cut);
        assert_eq!(known.renew("town", fresh, &report.completeness).removed, 0, "{cut}");
        assert_eq!(known.len(), 4);
    }
    // A date that was moved is not one more date.
    let moved = known.get(&EventKey::new("town", "1").expect("a key")).expect("an event");
    assert_eq!(crate::occurrences(moved), ["2026-05-08"]);
    let (fresh, report) = calendar(r#"{"items":[{"id":2,"title":"B"}]}"#);
    assert_eq!(known.renew("town", fresh, &report.completeness).removed, 1);
    assert_eq!(known.len(), 3);
}

struct Shout;

impl Translator for Shout {
    type Error = std::convert::Infallible;

    fn name(&self) -> &str {
        "shout"
    }

    fn translate(&mut self, text: &CleanText, _: &str, _: &str) -> Result<Option<String>, Self::Error> {
        Ok(Some(text.to_uppercase()))
    }
}

#[test]
fn translations_stay_while_the_words_of_the_source_do() {
    let mut known = calendar(r#"{"items":[{"id":1,"title":"Cine","text":"a<br>b"}]}"#).0;
    for event in known.events_mut() {
        let Ok(_) = event.titles_mut().translate(&["en"], &mut Shout);
        let Ok(_) = event.descriptions_mut().translate(&["en"], &mut Shout);
    }
    let english = |calendar: &Calendar| {
        let event = calendar.events().next().expect("an event");
        let text = event.titles().in_language("en").map(|text| text.text().to_string());
        (text, event.descriptions().in_language("en").map(|text| text.text().to_string()))
    };
    let (fresh, report) = calendar(r#"{"items":[{"id":1,"title":"Cine","text":"c"}]}"#);
    known.renew("town", fresh, &report.completeness);
    assert_eq!(english(&known), (Some("CINE".to_owned()), None), "the description is another one");
}

#[cfg(feature = "serde")]
#[test]
fn what_was_published_is_read_back() {
    let (mut event, _) = only(
        "json",
        "{\"items\":[{\"id\":\"a:b\",\"title\":\"Cine ñ\",\"text\":\"<p>a</p><p>b</p>\",\"from\":\"2025-10-21 19:00\",\"to\":\"2025-11-28 23:59\",\"days\":\"2,7\",\"not\":\"28/10/2025\",\"also\":\"1/12/2025\",\"hour\":\"Todos los días\",\"price\":\"5 €\",\"tags\":[\"x\"],\"url\":\"https://x.example/1\",\"changed\":\"2025-10-26T00:30:00Z\",\"place\":{\"name\":\"Teatro\",\"lat\":40.4,\"lon\":-3.7}}]}".as_bytes(),
    );
    let Ok(_) = event.titles_mut().translate(&["en"], &mut Shout);
    let line = serde_json::to_string(&event.publish().expect("a link")).expect("JSON");
    let read: bot_etiquette_feed::Event = serde_json::from_str(&line).expect("an event");
    assert_eq!(read, event);
    assert_eq!(serde_json::to_string(&read.publish().expect("a link")).expect("JSON"), line);
}

#[cfg(feature = "serde")]
#[test]
fn what_is_read_back_is_cleaned_again_and_refused_where_it_names_nobody() {
    let (event, _) = only("json", br#"{"items":[{"id":1,"title":"Cine"}]}"#);
    let line = serde_json::to_string(&event.publish().expect("a link")).expect("JSON");
    let read = |line: &str| serde_json::from_str::<bot_etiquette_feed::Event>(line);
    let tampered = read(&line.replace("Cine", "Cine, p@example.org, 612 345 678")).expect("an event");
    assert_eq!(crate::title(&tampered), "Cine,");
    for (from, to) in [
        ("\"A town\"", "\"\""),
        ("town:1", "town"),
        ("town:1", "town:p@example.org"),
        (
            "\"link\":\"https://town.example/data\",\"updated\"",
            "\"link\":\"mailto:p@example.org\",\"updated\"",
        ),
    ] {
        assert!(line.contains(from), "{from} in {line}");
        let error = read(&line.replace(from, to)).expect_err("refused").to_string();
        assert!(!error.contains("example.org"), "{error}");
    }
}

#[test]
fn keys_tell_their_source() {
    let (event, _) = only("json", br#"{"items":[{"id":"a:b","title":"A"}]}"#);
    assert_eq!((event.key().source(), event.key().id()), ("town", "a:b"));
    assert_eq!(EventKey::new("town", "a:b").as_ref(), Some(event.key()));
    for (source, id) in [
        ("", "1"),
        ("a:b", "1"),
        ("town", ""),
        ("town", "p@example.org"),
        ("town", "a\nb"),
        ("town", &*"x".repeat(513)),
    ] {
        assert_eq!(EventKey::new(source, id), None, "{source} {id}");
    }
    assert!(EventKey::new("town", &"x".repeat(512)).is_some());
}

#[test]
fn an_event_is_over_when_its_last_day_is() {
    let over = |members: &str, now: u64| {
        let (event, _) =
            only("json", format!("{{\"items\":[{{\"id\":1,\"title\":\"A\"{members}}}]}}").as_bytes());
        event.when().is_over(UNIX_EPOCH + Duration::from_secs(now))
    };
    // Midnight in Madrid after 2025-10-24.
    let midnight = 1_761_343_200;
    for members in [
        ",\"from\":\"2025-10-24 23:00\"",
        ",\"from\":\"2025-10-01\",\"to\":\"2025-10-24\"",
        ",\"also\":\"24/10/2025\"",
    ] {
        assert_eq!([over(members, midnight - 1), over(members, midnight)], [false, true], "{members}");
    }
    assert!(!over("", u64::from(u32::MAX)));
    assert_eq!(Day::at(UNIX_EPOCH, "No/Where"), None);
    assert_eq!(Day::new(2025, 2, 29), None);
    assert_eq!(Day::at(UNIX_EPOCH, "Europe/Madrid"), Day::new(1970, 1, 1));
}
