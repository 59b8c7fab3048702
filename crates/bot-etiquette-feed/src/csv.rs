//! Character-separated rows below a row of names; only the cells of mapped columns are looked into.

use std::borrow::Cow;

use crate::feed::Gather;
use crate::plan::Cursor;
use crate::report::Note;
use crate::window::Window;

/// Rows with a quote that is never closed, after which the file is given up.
const MAX_OPEN_QUOTES: u64 = 100;
/// Rows above the names of the columns at the most.
const MAX_ABOVE: usize = 10;
/// What a CSV puts between its cells.
const DELIMITERS: [u8; 4] = [b';', b',', b'\t', b'|'];

#[derive(Debug)]
pub(crate) struct Csv {
    buffer: Window,
    delimiter: Option<u8>,
    /// The rules of each column, once the header was read.
    columns: Option<Vec<Vec<usize>>>,
    enough: usize,
    /// Rows before that of the names, which a publisher puts above the table.
    above: usize,
    /// Whether rows end with a carriage return alone; known with the first text.
    carriage: Option<bool>,
    /// The delimiter that the map names.
    named: Option<u8>,
    /// After an open quote: rows are passed over until one has as many cells as the header.
    lost: bool,
    done: bool,
}

/// How the row at the start of the buffer ends.
enum Row {
    /// At this byte, behind which the next row starts.
    Whole { end: usize, next: usize },
    /// It has a quote that is never closed.
    OpenQuote,
    /// More has to come.
    Unfinished { in_quotes: bool },
}

impl Csv {
    pub(crate) fn new(delimiter: Option<u8>) -> Self {
        Self {
            buffer: Window::default(),
            delimiter,
            columns: None,
            enough: 0,
            above: 0,
            carriage: None,
            named: delimiter,
            lost: false,
            done: false,
        }
    }

    pub(crate) fn push(&mut self, text: &str, last: bool, gather: &mut Gather<'_>) {
        if self.done {
            return;
        }
        if self.carriage.is_none() {
            // A carriage return at the very end may be half of a line end.
            let is_alone = text.strip_suffix('\r').unwrap_or(text).contains('\r');
            self.carriage = if text.contains('\n') { Some(false) } else { is_alone.then_some(true) };
        }
        if self.carriage == Some(true) {
            for (at, row) in text.split('\r').enumerate() {
                self.buffer.push_str(if at > 0 { "\n" } else { "" });
                self.buffer.push_str(row);
            }
        } else {
            self.buffer.push_str(text);
        }
        if self.buffer.len() < self.enough && !last {
            return;
        }
        let buffer = std::mem::take(&mut self.buffer);
        let mut at = 0;
        while at < buffer.len() && !self.done {
            let rest = buffer.get(at..).unwrap_or_default();
            let delimiter = match self.delimiter {
                Some(delimiter) => delimiter,
                None if rest.contains('\n') || last || rest.len() > gather.limits.token => {
                    let (delimiter, skipped) = sniff(rest);
                    self.delimiter = Some(delimiter);
                    at = at.saturating_add(skipped);
                    continue;
                }
                None => break,
            };
            match row(rest, delimiter, last) {
                Row::Whole { end, next } => {
                    if last && end == rest.len() && !rest.ends_with('\n') {
                        gather.no_line_end = true;
                    }
                    self.row(rest.get(..end).unwrap_or_default(), delimiter, gather);
                    at = at.saturating_add(next);
                }
                Row::Unfinished { .. } if rest.len() <= gather.limits.token && !last => break,
                Row::Unfinished { in_quotes: false } => {
                    // A row over the limit without a line end in sight.
                    gather.begin_record();
                    gather.spoil(Note::TokenTooLarge);
                    gather.end_record();
                    gather.truncated = true;
                    self.done = true;
                }
                open @ (Row::OpenQuote | Row::Unfinished { .. }) => {
                    // Open up to the end of the feed, and not only up to the next quote.
                    gather.truncated |= last && matches!(open, Row::Unfinished { .. });
                    at = at.saturating_add(
                        memchr::memchr(b'\n', rest.as_bytes())
                            .map_or(rest.len(), |end| end.saturating_add(1)),
                    );
                    self.open_quote(last && at >= buffer.len(), gather);
                }
            }
        }
        self.buffer = buffer;
        self.buffer.consume(at.min(self.buffer.len()));
        self.enough = self.buffer.len().saturating_add(self.buffer.len() / 2);
        self.done |= last;
    }

    fn open_quote(&mut self, at_end: bool, gather: &mut Gather<'_>) {
        gather.begin_record();
        gather.spoil(Note::OpenQuote);
        gather.end_record();
        self.lost = true;
        if at_end || self.columns.is_none() || gather.notes.count(Note::OpenQuote) >= MAX_OPEN_QUOTES {
            gather.truncated = true;
            self.done = true;
        }
    }

    fn row(&mut self, row: &str, delimiter: u8, gather: &mut Gather<'_>) {
        if row.trim().is_empty() {
            return;
        }
        let map = gather.map;
        let Some(columns) = &self.columns else {
            let columns = Cells::of(row, delimiter).map(|cell| {
                let name = unquote(cell);
                let mut cursor = Cursor::new();
                let wanted = cursor.enter(&map.plan, name.trim(), || None, |_| None);
                if wanted { cursor.rules(&map.plan).collect() } else { Vec::new() }
            });
            let columns: Vec<Vec<usize>> = columns.collect();
            if columns.iter().any(|rules| !rules.is_empty()) {
                gather.found = true;
                self.columns = Some(columns);
                return;
            }
            // No column of the map: a line above the table, or no table at all.
            self.above = self.above.saturating_add(1);
            self.delimiter = self.named;
            self.done = self.above > MAX_ABOVE;
            return;
        };
        if std::mem::take(&mut self.lost) && Cells::of(row, delimiter).count() != columns.len() {
            self.lost = true;
            return;
        }
        gather.begin_record();
        let mut cells = 0_usize;
        for (index, cell) in Cells::of(row, delimiter).enumerate() {
            cells = index.saturating_add(1);
            let Some(rules) = columns.get(index).filter(|rules| !rules.is_empty()) else { continue };
            let text = unquote(cell);
            for rule in rules {
                gather.value(*rule, &text);
            }
        }
        if cells != columns.len() {
            gather.notes.add(Note::Ragged);
        }
        // Cut inside the row: its last cell may be a half one.
        if cells < columns.len() && gather.no_line_end {
            gather.truncated = true;
            return gather.abandon();
        }
        gather.end_record();
    }
}

/// The delimiter, and how much of the start is not the header: a `sep=;` line.
fn sniff(text: &str) -> (u8, usize) {
    let line = text.split('\n').next().unwrap_or_default();
    if let Some(named) = line.trim_start_matches('"').strip_prefix("sep=")
        && let Some(delimiter) = named.bytes().next().filter(u8::is_ascii)
    {
        return (delimiter, line.len().saturating_add(1).min(text.len()));
    }
    let mut counts = [0_usize; DELIMITERS.len()];
    let mut quoted = false;
    for byte in line.bytes() {
        quoted ^= byte == b'"';
        if let Some(count) = DELIMITERS
            .iter()
            .position(|delimiter| *delimiter == byte && !quoted)
            .and_then(|at| counts.get_mut(at))
        {
            *count = count.saturating_add(1);
        }
    }
    // The first of the most frequent.
    let most = counts.iter().copied().max().unwrap_or(0);
    let best = DELIMITERS.iter().zip(counts).find(|(_, count)| *count == most);
    (best.map_or(b';', |(delimiter, _)| *delimiter), 0)
}

/// Finds the end of the row that `text` starts with.
fn row(text: &str, delimiter: u8, last: bool) -> Row {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        // At the start of a cell.
        let blanks = bytes.get(at..).unwrap_or_default().iter().take_while(|byte| **byte == b' ').count();
        let start = at.saturating_add(blanks);
        if bytes.get(start) == Some(&b'"') {
            match closing_quote(bytes, start.saturating_add(1), delimiter, last) {
                Closing::At(end) => at = end.saturating_add(1),
                Closing::None => return Row::Unfinished { in_quotes: true },
                Closing::Open => return Row::OpenQuote,
            }
        }
        let rest = bytes.get(at..).unwrap_or_default();
        match memchr::memchr2(delimiter, b'\n', rest) {
            Some(stop) if rest.get(stop) == Some(&delimiter) => {
                at = at.saturating_add(stop).saturating_add(1)
            }
            Some(stop) => {
                let end = at.saturating_add(stop);
                let carriage = usize::from(end > 0 && bytes.get(end.saturating_sub(1)) == Some(&b'\r'));
                return Row::Whole { end: end.saturating_sub(carriage), next: end.saturating_add(1) };
            }
            None if last => return Row::Whole { end: bytes.len(), next: bytes.len() },
            None => return Row::Unfinished { in_quotes: false },
        }
    }
}

enum Closing {
    At(usize),
    None,
    Open,
}

/// The quote that closes the cell whose inside starts at `from`.
///
/// A quote before anything but a delimiter, a line end or a blank belongs to the text; when a line end came before it,
/// the cell was left open and this quote opens the cell of a later row.
fn closing_quote(bytes: &[u8], from: usize, delimiter: u8, last: bool) -> Closing {
    let mut at = from;
    let mut line_end = false;
    loop {
        let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr(b'"', rest)) else {
            return Closing::None;
        };
        let quote = at.saturating_add(found);
        line_end =
            line_end || bytes.get(at..quote).is_some_and(|inside| memchr::memchr(b'\n', inside).is_some());
        match bytes.get(quote.saturating_add(1)) {
            Some(b'"') => at = quote.saturating_add(2),
            Some(next) if *next == delimiter || matches!(next, b'\n' | b'\r' | b' ') => {
                return Closing::At(quote);
            }
            Some(_) if line_end => return Closing::Open,
            Some(_) => at = quote.saturating_add(1),
            None if last => return Closing::At(quote),
            None => return Closing::None,
        }
    }
}

/// The cells of a row, as written.
struct Cells<'a> {
    rest: Option<&'a str>,
    delimiter: u8,
}

impl<'a> Cells<'a> {
    fn of(row: &'a str, delimiter: u8) -> Self {
        Self { rest: Some(row), delimiter }
    }
}

impl<'a> Iterator for Cells<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest?;
        let bytes = rest.as_bytes();
        let blanks = bytes.iter().take_while(|byte| **byte == b' ').count();
        let from = match bytes.get(blanks) {
            Some(b'"') => match closing_quote(bytes, blanks.saturating_add(1), self.delimiter, true) {
                Closing::At(end) => end.saturating_add(1),
                _ => rest.len(),
            },
            _ => 0,
        };
        let stop = bytes.get(from..).and_then(|tail| memchr::memchr(self.delimiter, tail));
        match stop {
            Some(stop) => {
                let end = from.saturating_add(stop);
                self.rest = rest.get(end.saturating_add(1)..);
                rest.get(..end)
            }
            None => {
                self.rest = None;
                Some(rest)
            }
        }
    }
}

fn unquote(cell: &str) -> Cow<'_, str> {
    let trimmed = cell.trim();
    match trimmed.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')) {
        Some(inner) if inner.contains("\"\"") => Cow::Owned(inner.replace("\"\"", "\"")),
        Some(inner) => Cow::Borrowed(inner),
        None => Cow::Borrowed(trimmed),
    }
}
