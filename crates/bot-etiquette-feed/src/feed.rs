//! A feed, chunk by chunk.

use std::collections::VecDeque;

use crate::charset::Charset;
use crate::completeness::{Census, Doubt, Outage};
use crate::csv::Csv;
use crate::event::Event;
use crate::field::Field;
use crate::html;
use crate::ics::{Ics, Unfold};
use crate::json::Json;
use crate::record::Record;
use crate::report::{Note, Notes, Report};
use crate::scrub::Scrubbed;
use crate::series::{Replaced, Waiting};
use crate::source_map::{Format, SourceMap};
use crate::usage::Counter;
use crate::window::{Window, wipe};
use crate::xml::Xml;

/// How much a feed may ask of its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one value, tag or row; default 1 MiB. A record with a longer one is dropped; JSON ends there.
    pub token: usize,
    /// Bytes of the mapped values of one record; default 4 MiB. A larger record is dropped.
    pub record: usize,
    /// Elements, arrays and objects open at once; default 256. A deeper document ends there.
    pub depth: usize,
    /// Bytes of the series that wait for the end of an iCalendar, since a record that changes one of their times may stand
    /// anywhere in it; default 16 MiB. Where there are more, all series are dropped.
    pub series: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { token: 1 << 20, record: 4 << 20, depth: 256, series: 16 << 20 }
    }
}

/// Reads a feed that arrives in chunks, from any HTTP client or file.
///
/// It holds one value and one record at the most, beside the events that nobody has taken yet: push a chunk, then
/// take what came of it, and once more after the end: the first bytes wait until it is clear what they are. Any bytes end in events, notes and a verdict; there is no error to handle.
///
/// ```
/// use bot_etiquette_feed::{Feed, SourceMap};
///
/// let map = SourceMap::from_toml(include_str!("../tests/fixtures/json.toml"))?;
/// let mut feed = Feed::new(&map);
/// let title = |event: bot_etiquette_feed::Event| event.titles().source().map(|title| title.text().to_string());
/// let mut titles = Vec::new();
/// for chunk in [&br#"{"total":1,"items":[{"id":7,"ti"#[..], br#"tle":"Fet&eacute;n","phone":"600 123 456"}]}"#] {
///     feed.push(chunk);
///     titles.extend(std::iter::from_fn(|| feed.next_event()).map(title));
/// }
/// feed.finish();
/// titles.extend(std::iter::from_fn(|| feed.next_event()).map(title));
/// assert_eq!(titles, [Some("Fetén".to_owned())]);
/// assert!(feed.report().completeness.allows_deletions());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Feed<'m> {
    /// The first bytes, until there are enough to see what they are.
    head: Option<Vec<u8>>,
    unfold: Option<Unfold>,
    charset: Charset,
    text: Window,
    reader: Reader,
    gather: Gather<'m>,
    sniffed: bool,
    bytes: u64,
    expected: Option<u64>,
    ended: bool,
}

#[derive(Debug)]
enum Reader {
    Json(Box<Json>),
    Xml(Box<Xml>),
    Csv(Box<Csv>),
    Ics(Box<Ics>),
}

/// What the readers of all formats give to.
#[derive(Debug)]
pub(crate) struct Gather<'m> {
    pub(crate) map: &'m SourceMap,
    pub(crate) limits: Limits,
    pub(crate) notes: Notes,
    pub(crate) truncated: bool,
    pub(crate) outage: Option<Outage>,
    pub(crate) no_line_end: bool,
    /// Whether the place of records was seen, be there any or not.
    pub(crate) found: bool,
    record: Option<Record>,
    census: Census,
    scrubbed: Scrubbed,
    given: u64,
    counters: Vec<Counter>,
    events: VecDeque<Event>,
    waiting: Waiting,
    /// Whether records may change the times of other records.
    joins: bool,
}

impl<'m> Feed<'m> {
    /// A feed with the default [`Limits`].
    #[must_use]
    pub fn new(map: &'m SourceMap) -> Self {
        Self::with_limits(map, Limits::default())
    }

    /// A feed with limits of its own.
    #[must_use]
    pub fn with_limits(map: &'m SourceMap, limits: Limits) -> Self {
        let reader = match map.format {
            Format::Json | Format::JsonFeed => Reader::Json(Box::new(Json::new(limits))),
            Format::Xml | Format::Rss | Format::Atom => Reader::Xml(Box::new(Xml::new())),
            Format::Csv => Reader::Csv(Box::new(Csv::new(map.delimiter))),
            Format::ICalendar => Reader::Ics(Box::new(Ics::new())),
        };
        Self {
            head: Some(Vec::new()),
            unfold: (map.format == Format::ICalendar).then(Unfold::default),
            charset: Charset::new(),
            text: Window::default(),
            reader,
            gather: Gather {
                map,
                limits,
                notes: Notes::default(),
                truncated: false,
                outage: None,
                no_line_end: false,
                found: false,
                record: None,
                census: Census::default(),
                scrubbed: Scrubbed::default(),
                given: 0,
                counters: vec![Counter::default(); map.rules.len()],
                events: VecDeque::new(),
                waiting: Waiting::default(),
                joins: map.rules.iter().any(|rule| rule.field == Field::Replaces),
            },
            sniffed: false,
            bytes: 0,
            expected: None,
            ended: false,
        }
    }

    /// Tells the answer's `Content-Type`: its charset counts where the bytes leave it open.
    pub fn content_type(&mut self, value: &str) {
        if let Some(label) = bot_etiquette_lenient::text::charset_parameter(value) {
            self.charset.declare(label);
        }
    }

    /// Tells the answer's `Content-Length`, as long as nothing decoded it: fewer bytes mean a cut.
    pub fn expect_bytes(&mut self, length: u64) {
        self.expected = Some(length);
    }

    /// Reads the next bytes. Bytes after [`finish`](Self::finish), or after an outage was seen, are ignored.
    pub fn push(&mut self, chunk: &[u8]) {
        self.bytes = self.bytes.saturating_add(chunk.len() as u64);
        // Small pieces keep the memory small, however large the chunk is.
        for piece in chunk.chunks(PIECE) {
            self.read(piece, false);
        }
    }

    /// Says that no more bytes will come.
    pub fn finish(&mut self) {
        if self.ended {
            return;
        }
        self.read(&[], true);
        self.gather.release();
        self.ended = true;
        if !self.sniffed && self.gather.outage.is_none() {
            self.gather.outage = Some(Outage::Empty);
        }
        if !self.gather.found && !self.gather.truncated && self.gather.outage.is_none() {
            self.gather.outage = Some(Outage::Foreign);
        }
        if self.expected.is_some_and(|expected| self.bytes < expected) {
            self.gather.truncated = true;
        }
    }

    /// Takes the next event.
    pub fn next_event(&mut self) -> Option<Event> {
        let event = self.gather.events.pop_front();
        self.gather.given = self.gather.given.saturating_add(u64::from(event.is_some()));
        event
    }

    /// What is known of the feed so far; final after [`finish`](Self::finish) and the last event. Before that, the
    /// verdict is `Truncated`.
    #[must_use]
    pub fn report(&self) -> Report {
        let gather = &self.gather;
        let mut completeness = gather.census.verdict(gather.truncated || !self.ended, gather.outage);
        if gather.no_line_end {
            completeness.doubts.push(Doubt::NoLineEnd);
        }
        Report {
            completeness,
            events: gather.given.saturating_add(gather.events.len() as u64),
            dropped: gather.census.dropped,
            scrubbed: gather.scrubbed,
            notes: gather.notes.clone(),
            fields: gather
                .map
                .rules
                .iter()
                .zip(&gather.counters)
                .map(|(rule, counter)| counter.usage(rule.field, &rule.path))
                .collect(),
        }
    }

    fn read(&mut self, piece: &[u8], last: bool) {
        if self.ended || self.gather.outage.is_some() {
            return;
        }
        let Some(mut head) = self.head.take() else { return self.decode(piece, last) };
        head.extend_from_slice(piece);
        if head.len() < HEAD && !last {
            self.head = Some(head);
            return;
        }
        if head.starts_with(&[0x1F, 0x8B]) {
            self.gather.outage = Some(Outage::Compressed);
            return;
        }
        for label in [self.gather.map.charset.as_deref(), declared_in(&head)].into_iter().flatten() {
            self.charset.declare(label);
        }
        self.decode(&head, last);
        wipe(head);
    }

    fn decode(&mut self, piece: &[u8], last: bool) {
        let unfolded = self.unfold.as_mut().map(|unfold| unfold.push(piece, last));
        let piece = unfolded.as_deref().unwrap_or(piece);
        self.charset.push(piece, last, &mut self.text, &mut self.gather.notes);
        if let Some(unfolded) = unfolded {
            wipe(unfolded);
        }
        if !self.sniffed && !self.sniff(last) {
            return;
        }
        match &mut self.reader {
            Reader::Json(json) => json.push(&self.text, last, &mut self.gather),
            Reader::Xml(xml) => xml.push(&self.text, last, &mut self.gather),
            Reader::Csv(csv) => csv.push(&self.text, last, &mut self.gather),
            Reader::Ics(ics) => ics.push(&self.text, last, &mut self.gather),
        }
        self.text.clear();
    }

    /// Looks whether this is a feed at all; `false` while there is too little to see.
    fn sniff(&mut self, last: bool) -> bool {
        // Blanks before it are let go as they come, however many there are.
        let is_blank = |character: char| character.is_whitespace() || character == '\u{feff}';
        let leading = self.text.len().saturating_sub(self.text.trim_start_matches(is_blank).len());
        self.text.consume(leading);
        let start = html::after_prologue(&self.text);
        let is_enough = start.is_some_and(|start| start.len() >= HTML_SEEN) || self.text.len() > PROLOGUE;
        if self.text.is_empty() || !is_enough && !last {
            return false;
        }
        self.sniffed = true;
        let head: String =
            start.unwrap_or(&self.text).chars().take(HTML_SEEN).collect::<String>().to_ascii_lowercase();
        if ["<!doctype html", "<html", "<head", "<body"].iter().any(|start| head.starts_with(start)) {
            self.gather.outage = Some(Outage::Html);
            return false;
        }
        true
    }
}

/// What a value costs even when it is empty.
const VALUE: usize = size_of::<(usize, String)>();
/// Bytes read at once.
const PIECE: usize = 64 * 1024;
/// Bytes that are needed to see an XML declaration.
const HEAD: usize = 256;
/// Characters that are needed to know an HTML page.
const HTML_SEEN: usize = 14;
/// Bytes of comments and declarations before the first tag that are looked through.
const PROLOGUE: usize = 8192;

/// The encoding of an XML declaration.
fn declared_in(piece: &[u8]) -> Option<&str> {
    let head = piece.get(..piece.len().min(HEAD))?;
    let head = head.get(..head.iter().position(|byte| *byte == b'>')?)?;
    let declaration = std::str::from_utf8(head).ok()?.trim_start().strip_prefix("<?xml")?;
    let (_, rest) = declaration.split_once("encoding")?;
    let rest = rest.trim_start().strip_prefix('=')?.trim_start();
    let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    rest.get(1..)?.split(quote).next()
}

impl Gather<'_> {
    pub(crate) fn begin_record(&mut self) {
        self.found = true;
        self.census.read = self.census.read.saturating_add(1);
        self.record = Some(Record::new());
    }

    pub(crate) fn in_record(&self) -> bool {
        self.record.is_some()
    }

    /// Takes a value of the record that is open.
    pub(crate) fn value(&mut self, rule: usize, text: &str) {
        if self.fits(text.len()) {
            self.value_owned(rule, text.to_owned());
        }
    }

    /// The same with a text that nobody else needs.
    pub(crate) fn value_owned(&mut self, rule: usize, text: String) {
        if !self.fits(text.len()) {
            return;
        }
        if let Some(counter) = self.counters.get_mut(rule) {
            // The element around a range has no value of its own.
            let is_range = self.map.rule(rule).is_some_and(|rule| rule.field == Field::Range);
            counter.add(if is_range { "range" } else { &text }, self.census.read);
        }
        let Some(record) = &mut self.record else { return };
        record.size = record.size.saturating_add(text.len()).saturating_add(VALUE);
        record.values.push((rule, text));
    }

    /// Whether the open record takes a value of this length; it is spoilt when it does not.
    fn fits(&mut self, length: usize) -> bool {
        let Some(record) = &self.record else { return false };
        let fits = record.size.saturating_add(length).saturating_add(VALUE) <= self.limits.record;
        if !fits {
            self.spoil(Note::RecordTooLarge);
        }
        fits
    }

    /// Marks the open record as one to drop.
    pub(crate) fn spoil(&mut self, note: Note) {
        self.notes.add(note);
        if let Some(record) = &mut self.record {
            record.spoilt = true;
        }
    }

    /// Drops the open record: the feed broke off inside.
    pub(crate) fn abandon(&mut self) {
        if self.record.take().is_some() {
            self.census.dropped = self.census.dropped.saturating_add(1);
        }
    }

    /// Leaves the open record out, which says itself that it is no event any more, and the time of a series with it.
    pub(crate) fn withdraw(&mut self, note: Note) {
        let Some(record) = self.record.take() else { return };
        self.notes.add(note);
        let replaced = Event::replaced(&record, self.map, &mut self.notes);
        self.replace(replaced);
    }

    /// Gives out the series, at the end of the feed.
    fn release(&mut self) {
        match self.waiting.release() {
            Ok(events) => self.events.extend(events),
            Err(lost) => {
                self.notes.add(Note::TooManySeries);
                self.census.dropped = self.census.dropped.saturating_add(lost);
            }
        }
    }

    /// Takes a time from its series.
    fn replace(&mut self, replaced: Option<Replaced>) {
        if let Some(replaced) = replaced {
            self.waiting.replace(replaced, self.limits.series);
        }
    }

    pub(crate) fn end_record(&mut self) {
        let Some(record) = self.record.take() else { return };
        let event = if record.spoilt { None } else { Event::of(&record, self.map, &mut self.notes) };
        let Some((event, replaced)) = event else {
            self.census.dropped = self.census.dropped.saturating_add(1);
            if self.joins {
                // What cannot be read does not make the series right.
                let replaced = Event::replaced(&record, self.map, &mut Notes::default());
                self.replace(replaced);
            }
            return;
        };
        self.scrubbed.add(event.scrubbed());
        if let Some(title) = event.titles().source() {
            self.census.title(title.text());
        }
        if replaced.as_ref().is_some_and(|replaced| replaced.and_later) {
            self.notes.add(Note::ThisAndFuture);
        }
        self.replace(replaced);
        if self.joins && event.when().is_series() {
            self.waiting.hold(event, record.size, self.limits.series);
        } else {
            self.events.push_back(event);
        }
    }

    pub(crate) fn announce(&mut self, total: &str) {
        let total = total.trim();
        // Some write `3.0`.
        let Ok(total) = total.strip_suffix(".0").unwrap_or(total).parse() else {
            self.notes.add(Note::BadTotal);
            return;
        };
        if self.census.announced.is_some_and(|known| known != total) {
            self.notes.add(Note::TotalChanged);
            self.census.total_changed = true;
        }
        self.census.announced = Some(total);
    }

    pub(crate) fn nothing_read(&self) -> bool {
        self.census.read == 0
    }
}
