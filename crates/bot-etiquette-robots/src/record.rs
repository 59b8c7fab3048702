//! The lines of a robots.txt as records, borrowed from the text.

use crate::canonical::{BLANK, END, HASH, class};
use crate::spelling::identify;

/// What a [`Record`] is. Keys are read in any ASCII case.
///
/// ```
/// use bot_etiquette_robots::{Key, records};
///
/// let keys: Vec<Key> = records(b"useragent: *\nDISALOW: /a\nallows: /b\n").map(|record| record.key).collect();
/// assert_eq!(keys, [Key::UserAgent, Key::Disallow, Key::Other]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Key {
    /// `User-agent`, or `useragent`, `user agent`.
    UserAgent,
    /// `Allow`. No misspelling counts: it would open what is closed.
    Allow,
    /// `Disallow`, or one of `dissallow`, `dissalow`, `disalow`, `diasllow`, `disallaw`.
    Disallow,
    /// `Sitemap`, or `site-map`.
    Sitemap,
    /// `Crawl-delay`, or `crawldelay`, `crawl delay`.
    CrawlDelay,
    /// Any other key.
    Other,
}

/// One `key: value` line.
///
/// ```
/// let text = b"User-agent: *\nRequest-rate: 1/5 # slowly\n";
/// let record = bot_etiquette_robots::records(text).last().unwrap();
/// assert_eq!((record.line, record.name, record.value), (2, &b"Request-rate"[..], &b"1/5"[..]));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Record<'a> {
    /// The line it stands on, from 1.
    pub line: u32,
    /// What the key stands for.
    pub key: Key,
    /// The key as written.
    pub name: &'a [u8],
    /// The value without blanks around it and without a comment.
    pub value: &'a [u8],
}

/// The records of a robots.txt in the order of its lines; nothing is copied and nothing is limited.
///
/// Lines end with CR, LF or CRLF. A byte order mark, or the part of one, is skipped at the start alone. A NUL
/// ends the text of its line. The colon may be missing where a known key and one word stand alone on the line.
/// Blank lines, comments and lines that are no record are left out.
///
/// ```
/// use bot_etiquette_robots::{Key, records};
///
/// let text = b"User-agent: *\r\nContent-Signal: ai-train=no # since May\r\nDisallow /tmp\r\n";
/// let found: Vec<_> = records(text).map(|record| (record.line, record.key, record.value)).collect();
/// assert_eq!(found, [
///     (1, Key::UserAgent, &b"*"[..]),
///     (2, Key::Other, b"ai-train=no"),
///     (3, Key::Disallow, b"/tmp"),
/// ]);
/// ```
#[must_use]
pub fn records(text: &[u8]) -> Records<'_> {
    Records { lines: Lines::new(text) }
}

/// The iterator made by [`records`].
#[derive(Debug, Clone)]
pub struct Records<'a> {
    lines: Lines<'a>,
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        let text = self.lines.text;
        self.lines.by_ref().find_map(|line| {
            let key = line.key?;
            Some(Record { line: line.number, key, name: line.name.of(text), value: line.value.of(text) })
        })
    }
}

/// A part of the text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Span {
    pub(crate) at: u32,
    pub(crate) len: u32,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Self {
        let at = u32::try_from(start).unwrap_or(u32::MAX);
        Self { at, len: u32::try_from(end.saturating_sub(start)).unwrap_or(u32::MAX) }
    }

    #[inline]
    pub(crate) fn of(self, text: &[u8]) -> &[u8] {
        let start = self.at as usize;
        text.get(start..start.saturating_add(self.len as usize)).unwrap_or_default()
    }
}

/// One line, taken apart. Comments and line ends belong to no part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    /// From 1.
    pub(crate) number: u32,
    /// Where it begins.
    pub(crate) start: usize,
    /// What is left of it without blanks around, comment and what a NUL cut off.
    pub(crate) content: Span,
    /// `None` when the line is no record.
    pub(crate) key: Option<Key>,
    /// The key as written.
    pub(crate) name: Span,
    /// The value.
    pub(crate) value: Span,
    /// Whether a colon stands between the two.
    pub(crate) colon: bool,
    /// What kinds of octets the value holds: the bits of `canonical`.
    pub(crate) classes: u8,
}

/// All lines of a text, blank ones and comments included.
#[derive(Debug, Clone)]
pub(crate) struct Lines<'a> {
    pub(crate) text: &'a [u8],
    at: usize,
    number: u32,
}

/// The byte order mark of UTF-8.
pub(crate) const BOM: &[u8] = b"\xef\xbb\xbf";

/// How many bytes of a byte order mark `text` begins with.
pub(crate) fn bom_length(text: &[u8]) -> usize {
    text.iter().zip(BOM).take_while(|(given, mark)| given == mark).count()
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { text, at: bom_length(text), number: 0 }
    }
}

impl Iterator for Lines<'_> {
    type Item = Line;

    #[inline]
    fn next(&mut self) -> Option<Line> {
        let text = self.text;
        let start = self.at;
        if start >= text.len() {
            return None;
        }
        self.number = self.number.saturating_add(1);
        let body = skip(text, start, is_space);
        let (line, content_end) = match known_key(text.get(body..).unwrap_or_default()) {
            Some((key, name_len)) => {
                let value_start = skip(text, body.saturating_add(name_len).saturating_add(1), is_space);
                let (end, value_end, classes) = content(text, value_start);
                let line = Line {
                    number: self.number,
                    start,
                    content: Span::new(body, value_end.max(body.saturating_add(name_len).saturating_add(1))),
                    key: Some(key),
                    name: Span::new(body, body.saturating_add(name_len)),
                    value: Span::new(value_start, value_end),
                    colon: true,
                    classes,
                };
                (line, end)
            }
            None => {
                let (end, content_end, _) = content(text, body);
                (apart(text, self.number, start, body, content_end), end)
            }
        };
        self.at = next_line(text, content_end);
        Some(line)
    }
}

/// The three keys that most lines have, when one of them stands at the start with a colon behind it.
#[inline]
fn known_key(body: &[u8]) -> Option<(Key, usize)> {
    // Setting this bit lowers letters; only letters become letters by it.
    const LOWER: u64 = 0x2020_2020_2020_2020;
    const DISALLOW: u64 = u64::from_le_bytes(*b"disallow");
    const ALLOW: u64 = u64::from_le_bytes(*b"allow\0\0\0");
    const FIVE: u64 = 0x00ff_ffff_ffff;
    let head = u64::from_le_bytes(*body.first_chunk()?) | LOWER;
    if head == DISALLOW {
        return (body.get(8) == Some(&b':')).then_some((Key::Disallow, 8));
    }
    if head & FIVE == ALLOW {
        return (body.get(5) == Some(&b':')).then_some((Key::Allow, 5));
    }
    let agent = body.get(10) == Some(&b':') && body.get(..10)?.eq_ignore_ascii_case(b"user-agent");
    agent.then_some((Key::UserAgent, 10))
}

/// Where the line's text ends (a line end, `#` or NUL), where it ends without blanks, and what it holds.
#[inline]
fn content(text: &[u8], start: usize) -> (usize, usize, u8) {
    let rest = text.get(start..).unwrap_or_default();
    let mut classes = 0;
    let mut len = rest.len();
    for (at, &byte) in rest.iter().enumerate() {
        let class = class(byte);
        if class & (END | HASH) != 0 {
            len = at;
            break;
        }
        classes |= class;
    }
    let end = start.saturating_add(len);
    if classes & BLANK == 0 {
        return (end, end, classes);
    }
    let mut kept = rest.get(..len).unwrap_or_default();
    while let Some((&last, before)) = kept.split_last()
        && is_space(last)
    {
        kept = before;
    }
    let classes = kept.iter().fold(0, |all, &byte| all | class(byte));
    (end, start.saturating_add(kept.len()), classes)
}

/// Takes a line apart that does not begin with one of the frequent keys.
fn apart(text: &[u8], number: u32, start: usize, body: usize, end: usize) -> Line {
    let content = Span::new(body, end);
    let nothing = Span::new(end, end);
    let mut line =
        Line { number, start, content, key: None, name: nothing, value: nothing, colon: false, classes: 0 };
    let words = content.of(text);
    let (name_len, value_start) = match memchr::memchr(b':', words) {
        Some(colon) => {
            line.colon = true;
            (colon, body.saturating_add(colon).saturating_add(1))
        }
        None => match words.iter().position(|&byte| is_blank(byte)) {
            Some(blank) => (blank, body.saturating_add(blank)),
            None => return line,
        },
    };
    let mut name = words.get(..name_len).unwrap_or_default();
    while let Some((&last, before)) = name.split_last()
        && is_space(last)
    {
        name = before;
    }
    let key = identify(name);
    let value_start = skip(text, value_start, is_space).min(end);
    let value = Span::new(value_start, end);
    if !line.colon && (key == Key::Other || value.of(text).iter().any(|&byte| is_blank(byte))) {
        return line;
    }
    line.key = Some(key);
    line.name = Span::new(body, body.saturating_add(name.len()));
    line.value = value;
    line.classes = value.of(text).iter().fold(0, |all, &byte| all | class(byte));
    line
}

/// The blanks of the grammar, which may stand where a colon is missing.
fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// The blanks that are no part of a key or a value, vertical tab and form feed among them.
fn is_space(byte: u8) -> bool {
    class(byte) & BLANK != 0
}

#[inline]
fn skip(text: &[u8], start: usize, is_skipped: impl Fn(u8) -> bool) -> usize {
    let mut at = start;
    while text.get(at).is_some_and(|&byte| is_skipped(byte)) {
        at += 1;
    }
    at
}

/// Where the line after the one with the place `at` begins.
#[inline]
fn next_line(text: &[u8], at: usize) -> usize {
    let end = match text.get(at) {
        Some(b'\n' | b'\r') => at,
        _ => {
            let rest = text.get(at..).unwrap_or_default();
            at.saturating_add(memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len()))
        }
    };
    match text.get(end..) {
        Some([b'\r', b'\n', ..]) => end.saturating_add(2),
        _ => end.saturating_add(1),
    }
}
