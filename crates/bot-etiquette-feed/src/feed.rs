//! A feed, chunk by chunk.

mod gather;

use crate::charset::Charset;
use crate::completeness::Outage;
use crate::csv::Csv;
use crate::event::Event;
use crate::html;
use crate::ics::{Ics, Unfold};
use crate::json::Json;
use crate::report::Report;
use crate::source_map::{Format, SourceMap};
use crate::window::{Window, wipe};
use crate::xml::Xml;

pub(crate) use gather::Gather;

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
            gather: Gather::new(map, limits),
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
        self.gather.next_event()
    }

    /// What is known of the feed so far; final after [`finish`](Self::finish) and the last event. Before that, the
    /// verdict is `Truncated`.
    #[must_use]
    pub fn report(&self) -> Report {
        self.gather.report(self.ended)
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
        let window = match &mut self.reader {
            Reader::Xml(xml) if self.sniffed => xml.window(),
            _ => &mut self.text,
        };
        self.charset.push(piece, last, window, &mut self.gather.notes);
        if let Some(unfolded) = unfolded {
            wipe(unfolded);
        }
        if !self.sniffed && !self.sniff(last) {
            return;
        }
        match &mut self.reader {
            Reader::Json(json) => json.push(&self.text, last, &mut self.gather),
            Reader::Xml(xml) => {
                xml.window().push_str(&self.text);
                xml.read(last, &mut self.gather);
            }
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

/// Bytes read at once: few enough to stay in the nearest cache until they are events.
const PIECE: usize = 16 * 1024;
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
