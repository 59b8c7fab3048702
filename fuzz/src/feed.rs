//! Feeds of events and the scrubber of their texts.

use bot_etiquette_feed::{CleanText, Event, Feed, Report, SourceMap};

const JSON: &str = include_str!("../../crates/bot-etiquette-feed/tests/fixtures/json.toml");
const XML: &str = include_str!("../../crates/bot-etiquette-feed/tests/fixtures/xml.toml");
const CSV: &str = include_str!("../../crates/bot-etiquette-feed/tests/fixtures/csv.toml");
const ICALENDAR: &str = r#"
source = "town"
format = "icalendar"
zone = "Europe/Madrid"
language = "es"
[attribution]
source = "A town"
license = "CC BY 4.0"
license_url = "https://creativecommons.org/licenses/by/4.0/"
"#;

/// A JSON feed, its first byte the size of the chunks.
pub fn json(data: &[u8]) {
    feed(JSON, data);
}

/// An XML feed, its first byte the size of the chunks.
pub fn xml(data: &[u8]) {
    feed(XML, data);
}

/// A CSV feed, its first byte the size of the chunks.
pub fn csv(data: &[u8]) {
    feed(CSV, data);
}

/// An iCalendar feed, its first byte the size of the chunks.
pub fn icalendar(data: &[u8]) {
    feed(ICALENDAR, data);
}

/// A text: cleaning is a fixed point, and leaves no plain address and no plain number.
pub fn scrub(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for (clean, _) in [CleanText::line(&text), CleanText::block(&text)] {
        is_clean(&clean);
    }
    let (clean, scrubbed) = CleanText::line(&format!("{text} canary.person@example.org {text}"));
    assert!(!clean.contains("canary.person@example.org") && scrubbed.total() > 0, "an address is left");
}

#[track_caller]
fn is_clean(text: &CleanText) {
    let (again, scrubbed) = CleanText::block(text);
    assert!(again == *text && scrubbed.is_empty(), "clean text is not clean");
}

fn feed(map: &str, data: &[u8]) {
    let Some((size, data)) = data.split_first() else { return };
    let map = SourceMap::from_toml(map).expect("a map");
    let (events, report) = read(&map, data, data.len().max(1));
    let (parts, part_report) = read(&map, data, usize::from(*size).max(1));
    assert!(events == parts, "chunks make a difference");
    assert_eq!(report.completeness, part_report.completeness);
    assert!(report.events <= report.completeness.read, "more events than records");
    for event in &events {
        event.titles().iter().chain(event.descriptions().iter()).for_each(|text| is_clean(text.text()));
        event.categories().iter().for_each(is_clean);
        assert!(event.when().occurrences().count() <= bot_etiquette_feed::MAX_OCCURRENCES);
        let _ = event.publish();
    }
}

fn read(map: &SourceMap, data: &[u8], size: usize) -> (Vec<Event>, Report) {
    let mut feed = Feed::new(map);
    let mut events = Vec::new();
    for chunk in data.chunks(size) {
        feed.push(chunk);
        events.extend(std::iter::from_fn(|| feed.next_event()));
    }
    feed.finish();
    events.extend(std::iter::from_fn(|| feed.next_event()));
    (events, feed.report())
}
