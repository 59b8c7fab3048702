//! One binary for all integration tests.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may fail so"
)]

mod bytes;
mod cases;
mod csv;
mod dates;
mod facts;
mod feeds;
#[cfg(target_os = "linux")]
mod heap;
mod icalendar;
mod json;
mod keeping;
mod maps;
mod personal;
mod presence;
mod recurrence;
mod recurrence_model;
mod scrub;
mod series;
mod truncation;
mod written;
mod xml;

use bot_etiquette_feed::{Event, Feed, Report, SourceMap};

fn map(format: &str) -> SourceMap {
    let text = match format {
        "json" => include_str!("../fixtures/json.toml"),
        "xml" => include_str!("../fixtures/xml.toml"),
        "csv" => include_str!("../fixtures/csv.toml"),
        other => return SourceMap::from_toml(other).expect("a map"),
    };
    SourceMap::from_toml(text).expect("a map")
}

fn read_chunks<'a>(map: &SourceMap, chunks: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Event>, Report) {
    let mut feed = Feed::new(map);
    let mut events = Vec::new();
    for chunk in chunks {
        feed.push(chunk);
        events.extend(std::iter::from_fn(|| feed.next_event()));
    }
    feed.finish();
    events.extend(std::iter::from_fn(|| feed.next_event()));
    (events, feed.report())
}

fn read(format: &str, bytes: &[u8]) -> (Vec<Event>, Report) {
    read_chunks(&map(format), [bytes])
}

/// The only event of a feed.
#[track_caller]
fn only(format: &str, bytes: &[u8]) -> (Event, Report) {
    let (mut events, report) = read(format, bytes);
    assert_eq!(events.len(), 1, "{report:?}");
    (events.remove(0), report)
}

fn title(event: &Event) -> &str {
    event.titles().source().map_or("", |title| title.text())
}

fn description(event: &Event) -> &str {
    event.descriptions().source().map_or("", |text| text.text())
}

fn titles(events: &[Event]) -> Vec<&str> {
    events.iter().map(title).collect()
}

fn occurrences(event: &Event) -> Vec<String> {
    event.when().occurrences().map(|moment| moment.to_string()).collect()
}
