//! iCalendar (RFC 5545) out.

use std::fmt::Write;
use std::time::SystemTime;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::publish::Published;
use crate::when::{Day, Moment, When};

/// Octets of a line at the most, its end not counted (RFC 5545, 3.1).
const LINE: usize = 75;

/// Writes events as an iCalendar file.
///
/// Times are written in UTC and days as days, so no `VTIMEZONE` is needed; the times of a series are listed as `RDATE`, of one
/// without an end those from a year before `now` until two years after. The `UID` is the event's key, `now` its `DTSTAMP`.
/// An event without a date is left out. The source, the licence and the link stand in `DESCRIPTION` and `URL`.
///
/// ```
/// use bot_etiquette_feed::{Feed, SourceMap, write_icalendar};
/// use std::time::{Duration, UNIX_EPOCH};
///
/// let map = SourceMap::from_toml(include_str!("../tests/fixtures/json.toml"))?;
/// let mut feed = Feed::new(&map);
/// feed.push(br#"{"items":[{"id":1,"title":"Danza, teatro","from":"2026-05-01"}]}"#);
/// feed.finish();
/// let event = feed.next_event().ok_or("an event")?;
/// let now = UNIX_EPOCH + Duration::from_secs(1_775_000_000);
/// let file = write_icalendar("-//Town//Feed//EN", "es", [event.publish()?], now);
/// assert!(file.contains("SUMMARY:Danza\\, teatro\r\n") && file.contains("DTSTART;VALUE=DATE:20260501\r\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn write_icalendar<'a>(
    product: &str,
    lang: &str,
    events: impl IntoIterator<Item = Published<'a>>,
    now: SystemTime,
) -> String {
    let mut file = String::new();
    for text in ["BEGIN:VCALENDAR", "VERSION:2.0"] {
        line(&mut file, text);
    }
    property(&mut file, "PRODID", product);
    let stamp = Timestamp::try_from(now).unwrap_or_default();
    for published in events {
        event(&mut file, lang, published, stamp);
    }
    line(&mut file, "END:VCALENDAR");
    file
}

fn event(file: &mut String, lang: &str, published: Published<'_>, stamp: Timestamp) {
    let event = published.event();
    let when = event.when();
    let mut times = times(when, stamp).into_iter();
    let Some(first) = times.next() else { return };
    line(file, "BEGIN:VEVENT");
    property(file, "UID", event.key().as_str());
    line(file, &format!("DTSTAMP:{}", utc(stamp)));
    line(file, &format!("DTSTART{}", value(&first)));
    if let Some(end) = end(when, &first) {
        line(file, &format!("DTEND{end}"));
    }
    for time in times {
        line(file, &format!("RDATE{}", value(&time)));
    }
    if let Some(title) = event.titles().best(lang) {
        property(file, "SUMMARY", title.text());
    }
    let attribution = event.attribution();
    let mut description =
        event.descriptions().best(lang).map(|text| text.text().to_string()).unwrap_or_default();
    if !description.is_empty() {
        description.push('\n');
    }
    let _ = write!(
        description,
        "{} - {} ({})",
        attribution.text(),
        attribution.license(),
        attribution.license_url()
    );
    property(file, "DESCRIPTION", &description);
    let place = event.place();
    let parts: Vec<&str> =
        [&place.venue, &place.address, &place.city].into_iter().flatten().map(|part| part.as_str()).collect();
    if !parts.is_empty() {
        property(file, "LOCATION", &parts.join(", "));
    }
    if let Some((latitude, longitude)) = place.point {
        line(file, &format!("GEO:{latitude};{longitude}"));
    }
    line(file, &format!("URL:{}", published.link()));
    line(file, "END:VEVENT");
}

/// What is written of a series.
fn times(when: &When, now: Timestamp) -> Vec<Moment> {
    if when.is_endless() {
        let today = Day(now.to_zoned_datetime(TimeZone::UTC).date());
        let near: Vec<Moment> = when.between(today.plus(-YEAR), today.plus(2 * YEAR)).collect();
        if !near.is_empty() {
            return near;
        }
    }
    when.occurrences().collect()
}

const YEAR: i64 = 366;

/// The end of the first time, where all times are as long.
fn end(when: &When, first: &Moment) -> Option<String> {
    let mut lengths = when.runs.iter().map(|run| run.length(&when.excluded));
    let length = lengths.next()??;
    if lengths.any(|other| other != Some(length)) {
        return None;
    }
    match first {
        // The end of days is exclusive.
        Moment::Day(day) => Some(value(&Moment::Day(Day(day.0.checked_add(length).ok()?).next()?))),
        Moment::Local(start) => Some(format!(":{}", utc(start.0.timestamp().checked_add(length).ok()?))),
    }
}

fn value(moment: &Moment) -> String {
    match moment {
        Moment::Day(day) => format!(";VALUE=DATE:{}", compact(*day)),
        Moment::Local(local) => format!(":{}", utc(local.0.timestamp())),
    }
}

fn compact(day: Day) -> String {
    day.0.strftime("%Y%m%d").to_string()
}

fn utc(timestamp: Timestamp) -> String {
    timestamp.strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// A property of type TEXT (RFC 5545, 3.3.11).
fn property(file: &mut String, name: &str, text: &str) {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' | ';' | ',' => escaped.extend(['\\', character]),
            '\n' => escaped.push_str("\\n"),
            '\r' => {}
            other => escaped.push(other),
        }
    }
    line(file, &format!("{name}:{escaped}"));
}

/// Writes a line, folded between characters.
fn line(file: &mut String, text: &str) {
    let mut length = 0_usize;
    for character in text.chars() {
        if length.saturating_add(character.len_utf8()) > LINE {
            file.push_str("\r\n ");
            length = 1;
        }
        file.push(character);
        length = length.saturating_add(character.len_utf8());
    }
    file.push_str("\r\n");
}
