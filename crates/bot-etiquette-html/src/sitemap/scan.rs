//! XML as tokens of borrowed bytes, read on whatever is wrong in it.
//!
//! Names, quotes and sections are told apart, and nothing else: no namespace, no entity, no check that tags match. Each byte is
//! looked at once, and kept only until its token is complete.

use std::io::{self, BufRead};

use memchr::{memchr, memchr3, memmem};

use super::input::Recode;

const COMMENT: &[u8] = b"<!--";
const DATA: &[u8] = b"<![CDATA[";

/// A piece of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'b> {
    Start(Tag<'b>),
    /// The name of an end tag.
    End(&'b [u8]),
    /// Text, its references as they are written.
    Text(&'b [u8]),
    /// The text of a `CDATA` section.
    Data(&'b [u8]),
    /// What a document type says.
    DocType(&'b [u8]),
    /// A comment, or an instruction.
    Aside,
    /// A `<` that begins nothing.
    Stray,
    /// The file ends inside a tag or section.
    Cut,
    /// The file is over.
    Over,
}

/// A start tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag<'b> {
    pub(super) name: &'b [u8],
    attributes: &'b [u8],
    /// Whether no end tag follows.
    pub(super) is_empty: bool,
}

pub(super) struct Scanner<'a> {
    source: Recode<'a>,
    /// What was read and is not yet told begins at `from`.
    buffer: Vec<u8>,
    from: usize,
    /// Bytes of the file before the buffer.
    passed: u64,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(source: Recode<'a>) -> Self {
        Self { source, buffer: Vec::new(), from: 0, passed: 0 }
    }

    /// The next token, and where it begins, in bytes of the text. White space alone between tags is none.
    pub(super) fn next(&mut self) -> io::Result<(u64, Token<'_>)> {
        if self.rest().is_empty() && !self.fill()? {
            return Ok((self.offset(), Token::Over));
        }
        let blanks = self.rest().iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or_default();
        if self.rest().get(blanks) == Some(&b'<') {
            self.take(blanks);
        }
        let start = self.offset();
        self.token().map(|token| (start, token))
    }

    fn offset(&self) -> u64 {
        self.passed.saturating_add(self.from as u64)
    }

    fn token(&mut self) -> io::Result<Token<'_>> {
        if self.rest().first() != Some(&b'<') {
            let end = self.find(0, |rest| memchr(b'<', rest))?.unwrap_or(self.rest().len());
            return Ok(Token::Text(self.take(end)));
        }
        while self.rest().len() < DATA.len() && self.fill()? {}
        match *self.rest() {
            [_, b'/', ..] => self.end_tag(),
            [_, b'!', ..] => self.declaration(),
            [_, b'?', ..] => self.aside(b"<?", b"?>"),
            [_, first, ..]
                if first.is_ascii_alphabetic() || first >= 0x80 || matches!(first, b'_' | b':') =>
            {
                self.start_tag()
            }
            _ => {
                self.take(1);
                Ok(Token::Stray)
            }
        }
    }

    fn start_tag(&mut self) -> io::Result<Token<'_>> {
        let Some(end) = self.tag_end()? else { return Ok(self.cut()) };
        let inside = self.take(end).get(1..end.saturating_sub(1)).unwrap_or_default();
        let (inside, is_empty) = inside.strip_suffix(b"/").map_or((inside, false), |inside| (inside, true));
        let length = inside.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'/');
        let (name, attributes) =
            inside.split_at_checked(length.unwrap_or(inside.len())).unwrap_or((inside, &[]));
        Ok(Token::Start(Tag { name, attributes, is_empty }))
    }

    fn end_tag(&mut self) -> io::Result<Token<'_>> {
        let Some(end) = self.find(2, |rest| memchr(b'>', rest))? else { return Ok(self.cut()) };
        let tag = self.take(end.saturating_add(1));
        Ok(Token::End(tag.get(2..end).unwrap_or_default().trim_ascii()))
    }

    fn declaration(&mut self) -> io::Result<Token<'_>> {
        if self.rest().starts_with(COMMENT) {
            return self.aside(COMMENT, b"-->");
        }
        if self.rest().starts_with(DATA) {
            let Some(end) = self.section(DATA, b"]]>")? else { return Ok(self.cut()) };
            let data = self.take(end);
            return Ok(Token::Data(data.get(DATA.len()..end.saturating_sub(3)).unwrap_or_default()));
        }
        // A document type may hold declarations of its own in brackets.
        let (mut at, mut depth) = (2, 0_u32);
        while let Some(found) = self.find(at, |rest| memchr3(b'[', b']', b'>', rest))? {
            at = found.saturating_add(1);
            match self.rest().get(found) {
                Some(b'[') => depth = depth.saturating_add(1),
                Some(b']') => depth = depth.saturating_sub(1),
                _ if depth > 0 => {}
                _ => {
                    let text = self.take(at).get(2..found).unwrap_or_default();
                    let doctype =
                        text.split_at_checked(7).filter(|(name, _)| name.eq_ignore_ascii_case(b"doctype"));
                    return Ok(doctype.map_or(Token::Aside, |(_, rest)| Token::DocType(rest)));
                }
            }
        }
        Ok(self.cut())
    }

    fn aside(&mut self, start: &[u8], end: &[u8]) -> io::Result<Token<'_>> {
        let Some(end) = self.section(start, end)? else { return Ok(self.cut()) };
        self.take(end);
        Ok(Token::Aside)
    }

    /// Where a section is over whose end is not the start of another token.
    fn section(&mut self, start: &[u8], end: &[u8]) -> io::Result<Option<usize>> {
        let found = self.find_text(start.len(), end)?;
        Ok(found.map(|at| at.saturating_add(end.len())))
    }

    /// Where the tag is over: at the first `>` outside of quotes.
    fn tag_end(&mut self) -> io::Result<Option<usize>> {
        let mut at = 1;
        loop {
            let Some(found) = self.find(at, |rest| memchr3(b'>', b'"', b'\'', rest))? else {
                return Ok(None);
            };
            at = found.saturating_add(1);
            let Some(quote) = self.rest().get(found).copied().filter(|byte| *byte != b'>') else {
                return Ok(Some(at));
            };
            let Some(found) = self.find(at, |rest| memchr(quote, rest))? else { return Ok(None) };
            at = found.saturating_add(1);
        }
    }

    /// Where from `at` on a byte is found; reads on until it is, or the file is over.
    fn find(&mut self, at: usize, search: impl Fn(&[u8]) -> Option<usize>) -> io::Result<Option<usize>> {
        let mut at = at;
        loop {
            let rest = self.rest();
            if let Some(found) = rest.get(at..).and_then(&search) {
                return Ok(Some(at.saturating_add(found)));
            }
            at = rest.len().max(at);
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// The same for a text, which may lie across the border of what was read.
    fn find_text(&mut self, at: usize, text: &[u8]) -> io::Result<Option<usize>> {
        let mut at = at;
        loop {
            let rest = self.rest();
            if let Some(found) = rest.get(at..).and_then(|rest| memmem::find(rest, text)) {
                return Ok(Some(at.saturating_add(found)));
            }
            at = rest.len().saturating_sub(text.len()).max(at);
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    fn rest(&self) -> &[u8] {
        self.buffer.get(self.from..).unwrap_or_default()
    }

    fn take(&mut self, length: usize) -> &[u8] {
        let start = self.from;
        self.from = start.saturating_add(length);
        self.buffer.get(start..self.from).unwrap_or_default()
    }

    fn cut(&mut self) -> Token<'_> {
        self.take(self.rest().len());
        Token::Cut
    }

    /// Reads on; false at the end of the file.
    fn fill(&mut self) -> io::Result<bool> {
        let window = self.source.fill_buf()?;
        if window.is_empty() {
            return Ok(false);
        }
        let length = window.len();
        self.buffer.drain(..self.from);
        self.passed = self.passed.saturating_add(self.from as u64);
        self.from = 0;
        self.buffer.extend_from_slice(window);
        self.source.consume(length);
        Ok(true)
    }
}

impl Tag<'_> {
    /// The value of an attribute, its references resolved.
    pub(super) fn attribute(&self, wanted: &str) -> Option<String> {
        let mut rest = self.attributes;
        loop {
            rest = rest.trim_ascii_start();
            let end = rest.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'=')?;
            let (name, after) = rest.split_at_checked(end)?;
            let Some(after) = after.trim_ascii_start().strip_prefix(b"=") else {
                // A name without a value.
                rest = after;
                continue;
            };
            let after = after.trim_ascii_start();
            let (value, after) = match after.first() {
                Some(quote @ (b'"' | b'\'')) => {
                    let inside = after.get(1..)?;
                    let end = memchr(*quote, inside).unwrap_or(inside.len());
                    (inside.get(..end)?, inside.get(end.saturating_add(1)..).unwrap_or_default())
                }
                _ => {
                    let end = after.iter().position(u8::is_ascii_whitespace).unwrap_or(after.len());
                    after.split_at_checked(end)?
                }
            };
            if name.eq_ignore_ascii_case(wanted.as_bytes()) {
                let mut text = String::new();
                references(value, |piece| text.push_str(piece));
                return Some(text);
            }
            rest = after;
        }
    }
}

/// Gives the pieces of a text, its references resolved: XML's own and those by number. Any other stays as it is written.
pub(super) fn references(text: &[u8], mut push: impl FnMut(&str)) {
    // The file was decoded, and tokens end at ASCII: it is UTF-8.
    let mut rest = std::str::from_utf8(text).unwrap_or_default();
    while let Some(at) = memchr(b'&', rest.as_bytes()) {
        let (before, reference) = rest.split_at_checked(at).unwrap_or((rest, ""));
        push(before);
        // The longest is `&#x10FFFF;`, with zeros before it at will.
        let end = reference.bytes().take(16).position(|byte| byte == b';');
        let name = end.and_then(|end| reference.get(1..end)).unwrap_or_default();
        let after = end.and_then(|end| reference.get(end.saturating_add(1)..));
        match (character(name), after) {
            (Some(c), Some(after)) => {
                push(c.encode_utf8(&mut [0; 4]));
                rest = after;
            }
            _ => {
                push("&");
                rest = reference.get(1..).unwrap_or_default();
            }
        }
    }
    push(rest);
}

fn character(name: &str) -> Option<char> {
    if let Some(code) = name.strip_prefix('#') {
        let code = match code.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => code.parse().ok()?,
        };
        return char::from_u32(code).filter(|c| *c != '\0');
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => return None,
    })
}
