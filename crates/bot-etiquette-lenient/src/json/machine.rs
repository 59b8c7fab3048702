//! The grammar, one token at a time, over a window of the input.
//!
//! Both readers stand on it: the slice reader's window is the rest of the slice, the stream's is what it was fed so far.

use super::limits::MAX_DEPTH;
use super::number::{self, Form};
use super::scan::{self, Scan};
use super::{JsonError, JsonErrorKind, Limits, RepairKind, Repairs};

/// What one step over a window found. Places are counted from the start of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    BeginObject,
    EndObject,
    BeginArray,
    EndArray,
    /// The inside of the quotes is `start..end`.
    Key {
        start: usize,
        end: usize,
        escaped: bool,
    },
    /// The inside of the quotes is `start..end`.
    String {
        start: usize,
        end: usize,
        escaped: bool,
    },
    Number {
        start: usize,
        end: usize,
    },
    Bool(bool),
    Null,
    /// The window ends inside something that the next one will go on with.
    NeedMore,
    /// The document and the input have ended.
    End,
}

/// The state between two tokens.
#[derive(Debug, Clone)]
pub(super) struct Machine {
    limits: Limits,
    expect: Expect,
    /// One bit an open bracket, set for an object.
    open: Vec<u64>,
    depth: usize,
    /// Where the window starts in the input.
    base: u64,
    /// How much of an unfinished token at the start of the window has been looked at: no byte is read twice.
    scan: Scan,
    /// Nobody wants the strings that are values.
    pub(super) unwanted: bool,
    /// The window begins inside such a string, whose beginning is used up.
    inside: bool,
    comma_at: u64,
    in_jsonp: bool,
    cut: bool,
    repairs: Repairs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    Start,
    Document,
    FirstItem,
    /// After a comma in an array.
    Item,
    FirstKey,
    /// After a comma in an object.
    Key,
    Colon,
    /// After a colon.
    Member,
    /// After a value inside a bracket.
    Comma,
    /// After the document.
    Nothing,
}

/// Bytes used up and what they were; `None` when the window is too short to tell.
type Taken = Result<Option<(usize, Found)>, JsonError>;

impl Machine {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits: Limits { depth: limits.depth.min(MAX_DEPTH), ..limits },
            expect: Expect::Start,
            open: Vec::new(),
            depth: 0,
            base: 0,
            scan: Scan::default(),
            unwanted: false,
            inside: false,
            comma_at: 0,
            in_jsonp: false,
            cut: false,
            repairs: Repairs::default(),
        }
    }

    pub(super) fn repairs(&self) -> &Repairs {
        &self.repairs
    }

    pub(super) fn repairs_mut(&mut self) -> &mut Repairs {
        &mut self.repairs
    }

    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Where the next window starts in the input.
    pub(super) fn base(&self) -> u64 {
        self.base
    }

    /// Finds the next token in `window`; `last` says that the input ends with it. The next window begins behind the bytes
    /// that are returned as used up.
    #[inline]
    pub(super) fn step(&mut self, window: &[u8], last: bool) -> Result<(usize, Found), JsonError> {
        let (used, found) = self.find(window, last)?;
        self.base = self.offset(used);
        Ok((used, found))
    }

    #[inline]
    fn find(&mut self, window: &[u8], last: bool) -> Result<(usize, Found), JsonError> {
        let mut at = 0_usize;
        if self.inside {
            return match self.rest_of_unwanted(window, 0) {
                (_, Found::NeedMore) if last => self.at_end(window.len()),
                taken => Ok(taken),
            };
        }
        loop {
            at = scan::skip_space(window, at);
            let rest = window.get(at..).unwrap_or_default();
            let Some(byte) = rest.first().copied() else {
                return if last { self.at_end(window.len()) } else { Ok((at, Found::NeedMore)) };
            };
            let skipped = match self.expect {
                Expect::Start => self.start(rest, last, at)?,
                Expect::Colon => self.colon(byte, at)?,
                Expect::Comma if byte == b',' => Some(self.comma(at)),
                Expect::Item | Expect::Key | Expect::FirstItem | Expect::FirstKey if byte == b',' => {
                    self.repairs.add(RepairKind::ExtraComma, self.offset(at));
                    Some(1)
                }
                Expect::Nothing => self.trailing(rest, last, at)?,
                _ => {
                    return match self.token(rest, last, at)? {
                        Some((used, found)) => Ok((at.saturating_add(used), found)),
                        None if last => self.at_end(window.len()),
                        None => Ok((at, Found::NeedMore)),
                    };
                }
            };
            match skipped {
                Some(skipped) => at = at.saturating_add(skipped),
                None => return Ok((at, Found::NeedMore)),
            }
        }
    }

    #[inline]
    fn token(&mut self, rest: &[u8], last: bool, at: usize) -> Taken {
        let byte = rest.first().copied().unwrap_or(0);
        match (self.expect, byte) {
            (Expect::FirstItem | Expect::Item | Expect::Comma, b']') => self.close(false, at),
            (Expect::FirstKey | Expect::Key | Expect::Comma, b'}') => self.close(true, at),
            (_, b']' | b'}') if self.expect != Expect::Member => {
                Err(self.error(JsonErrorKind::Unbalanced, at))
            }
            (Expect::FirstKey | Expect::Key, b'"') => {
                self.string(rest, at, |start, end, escaped| Found::Key { start, end, escaped })
            }
            (Expect::FirstKey | Expect::Key, _) => Err(self.expected("a key", at)),
            (Expect::Comma, b'"') if self.in_object() => {
                self.miss_comma(Expect::Key, at);
                self.string(rest, at, |start, end, escaped| Found::Key { start, end, escaped })
            }
            (Expect::Comma, b'{' | b'[') if !self.in_object() => {
                self.miss_comma(Expect::Item, at);
                self.push(byte == b'{', at)
            }
            (Expect::Comma, _) => Err(self.expected("a comma or the end", at)),
            (Expect::Member, b',' | b'}') => {
                self.repairs.add(RepairKind::MissingValue, self.offset(at));
                self.after_value();
                Ok(Some((0, Found::Null)))
            }
            (_, b'"') if self.unwanted => Ok(Some(self.rest_of_unwanted(rest, at))
                .filter(|(_, found)| !(last && *found == Found::NeedMore))),
            (_, b'"') => self.string(rest, at, |start, end, escaped| Found::String { start, end, escaped }),
            (_, b'{') => self.push(true, at),
            (_, b'[') => self.push(false, at),
            (_, b'-' | b'+') if rest.get(1).is_none_or(u8::is_ascii_alphabetic) => self.word(rest, last, at),
            (_, byte) if number::is_number_byte(byte) && !byte.is_ascii_alphabetic() => {
                self.number(rest, last, at)
            }
            (_, byte) if byte.is_ascii_alphabetic() => self.word(rest, last, at),
            _ => Err(self.expected("a value", at)),
        }
    }

    #[inline]
    fn string(&mut self, rest: &[u8], at: usize, found: impl Fn(usize, usize, bool) -> Found) -> Taken {
        let end = self.scan.string_end(rest, 1);
        let length = end.map_or(rest.len(), |end| end.saturating_add(1));
        self.within_token_limit(length, at)?;
        let Some(end) = end else { return Ok(None) };
        let escaped = self.scan.finish();
        let found = found(at.saturating_add(1), at.saturating_add(end), escaped);
        if matches!(found, Found::Key { .. }) {
            self.expect = Expect::Colon;
        } else {
            self.after_value();
        }
        Ok(Some((length, found)))
    }

    /// Uses up a string that nobody wants, as much of it as is here, and hands out an empty one when it ends. `at` is
    /// where `rest` begins in the window.
    fn rest_of_unwanted(&mut self, rest: &[u8], at: usize) -> (usize, Found) {
        let quotes = usize::from(!std::mem::replace(&mut self.inside, true));
        match self.scan.string_end(rest, quotes) {
            Some(end) => {
                self.inside = false;
                self.scan.finish();
                self.after_value();
                let place = at.saturating_add(end);
                (end.saturating_add(1), Found::String { start: place, end: place, escaped: false })
            }
            None => (self.scan.take_seen(), Found::NeedMore),
        }
    }

    #[inline]
    fn number(&mut self, rest: &[u8], last: bool, at: usize) -> Taken {
        let end = self.scan.run_end(rest, number::is_number_byte);
        self.within_token_limit(end, at)?;
        if end == rest.len() && !(last && self.depth == 0) {
            return Ok(None); // inside a bracket, more digits may have been cut off
        }
        self.scan.finish();
        match number::form(rest.get(..end).unwrap_or_default()) {
            Form::Strict => {}
            Form::Mendable => self.repairs.add(RepairKind::Number, self.offset(at)),
            Form::None => return Err(self.error(JsonErrorKind::NotANumber, at)),
        }
        self.after_value();
        Ok(Some((end, Found::Number { start: at, end: at.saturating_add(end) })))
    }

    #[inline]
    fn word(&mut self, rest: &[u8], last: bool, at: usize) -> Taken {
        let signed = usize::from(matches!(rest.first(), Some(b'-' | b'+')));
        let letters = rest
            .iter()
            .skip(signed)
            .take(LONGEST_WORD + 1)
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
        let end = signed.saturating_add(letters);
        let word = rest.get(..end).unwrap_or_default();
        if end == rest.len() && !(last && self.depth == 0) {
            let may_be = WORDS.iter().any(|(known, _)| known.starts_with(word));
            return if may_be { Ok(None) } else { Err(self.expected("a value", at)) };
        }
        let Some((_, found)) = WORDS.iter().find(|(known, _)| *known == word) else {
            return Err(self.expected("a value", at));
        };
        if *found == Found::Null && word != b"null" {
            self.repairs.add(RepairKind::NotANumber, self.offset(at));
        }
        self.after_value();
        Ok(Some((end, *found)))
    }

    #[inline]
    fn push(&mut self, object: bool, at: usize) -> Taken {
        if self.depth >= self.limits.depth {
            return Err(self.error(JsonErrorKind::TooDeep { limit: self.limits.depth }, at));
        }
        let (index, bit) = (self.depth / 64, 1_u64 << (self.depth % 64));
        if index == self.open.len() {
            self.open.push(0);
        }
        if let Some(word) = self.open.get_mut(index) {
            *word = if object { *word | bit } else { *word & !bit };
        }
        self.depth = self.depth.saturating_add(1);
        self.expect = if object { Expect::FirstKey } else { Expect::FirstItem };
        Ok(Some((1, if object { Found::BeginObject } else { Found::BeginArray })))
    }

    #[inline]
    fn close(&mut self, object: bool, at: usize) -> Taken {
        if self.in_object() != object {
            return Err(self.error(JsonErrorKind::Unbalanced, at));
        }
        if matches!(self.expect, Expect::Item | Expect::Key) {
            self.repairs.add(RepairKind::ExtraComma, self.comma_at);
        }
        Ok(Some((1, self.pop())))
    }

    #[inline]
    fn pop(&mut self) -> Found {
        let found = if self.in_object() { Found::EndObject } else { Found::EndArray };
        self.depth = self.depth.saturating_sub(1);
        self.after_value();
        found
    }

    #[inline]
    fn in_object(&self) -> bool {
        let Some(top) = self.depth.checked_sub(1) else { return false };
        self.open.get(top / 64).is_some_and(|word| word & (1 << (top % 64)) != 0)
    }

    #[inline]
    fn after_value(&mut self) {
        self.expect = if self.depth == 0 { Expect::Nothing } else { Expect::Comma };
    }

    #[inline]
    fn colon(&mut self, byte: u8, at: usize) -> Result<Option<usize>, JsonError> {
        if byte != b':' {
            return Err(self.expected("a colon", at));
        }
        self.expect = Expect::Member;
        Ok(Some(1))
    }

    #[inline]
    fn comma(&mut self, at: usize) -> usize {
        self.comma_at = self.offset(at);
        self.expect = if self.in_object() { Expect::Key } else { Expect::Item };
        1
    }

    /// Goes on as if a comma stood here.
    fn miss_comma(&mut self, expect: Expect, at: usize) {
        self.repairs.add(RepairKind::MissingComma, self.offset(at));
        self.expect = expect;
    }

    /// Skips what may stand before the document: a byte order mark and the head of a JSONP call.
    fn start(&mut self, rest: &[u8], last: bool, at: usize) -> Result<Option<usize>, JsonError> {
        if self.offset(at) == 0 && scan::BOM.starts_with(rest) && rest.len() < scan::BOM.len() && !last {
            return Ok(None);
        }
        if self.offset(at) == 0 && rest.starts_with(scan::BOM) {
            self.repairs.add(RepairKind::Bom, 0);
            return Ok(Some(scan::BOM.len()));
        }
        match scan::jsonp_head(rest, last) {
            None => Ok(None),
            Some(head) => {
                if head > 0 {
                    self.repairs.add(RepairKind::Jsonp, self.offset(at));
                    self.in_jsonp = true;
                }
                self.expect = Expect::Document;
                Ok(Some(head))
            }
        }
    }

    /// Skips what may stand after the document: the end of a JSONP call, and a comment that a proxy left.
    fn trailing(&mut self, rest: &[u8], last: bool, at: usize) -> Result<Option<usize>, JsonError> {
        match rest.first() {
            Some(b')' | b';') if self.in_jsonp => return Ok(Some(1)),
            Some(b'<') => {}
            _ => return Err(self.error(JsonErrorKind::Trailing, at)),
        }
        if rest.len() < scan::COMMENT.len() && scan::COMMENT.starts_with(rest) && !last {
            return Ok(None);
        }
        if !rest.starts_with(scan::COMMENT) {
            return Err(self.error(JsonErrorKind::Trailing, at));
        }
        let end = self.scan.comment_end(rest);
        self.within_token_limit(end.unwrap_or(rest.len()), at)?;
        let Some(end) = end.or(last.then_some(rest.len())) else { return Ok(None) };
        self.scan.finish();
        self.repairs.add(RepairKind::TrailingComment, self.offset(at));
        Ok(Some(end))
    }

    /// The input has ended: closes what is open, one bracket a step.
    fn at_end(&mut self, used: usize) -> Result<(usize, Found), JsonError> {
        if self.depth > 0 {
            if !self.cut {
                self.cut = true;
                self.repairs.add(RepairKind::CutEnd, self.offset(used));
            }
            return Ok((used, self.pop()));
        }
        match self.expect {
            Expect::Nothing => Ok((used, Found::End)),
            _ => Err(self.error(JsonErrorKind::Empty, used)),
        }
    }

    #[inline]
    fn within_token_limit(&self, length: usize, at: usize) -> Result<(), JsonError> {
        if length > self.limits.token {
            return Err(self.error(JsonErrorKind::TokenTooLong { limit: self.limits.token }, at));
        }
        Ok(())
    }

    #[inline]
    fn offset(&self, at: usize) -> u64 {
        self.base.saturating_add(at as u64)
    }

    fn expected(&self, what: &'static str, at: usize) -> JsonError {
        self.error(JsonErrorKind::Expected { what }, at)
    }

    fn error(&self, kind: JsonErrorKind, at: usize) -> JsonError {
        JsonError { kind, offset: self.offset(at) }
    }
}

const WORDS: [(&[u8], Found); 9] = [
    (b"true", Found::Bool(true)),
    (b"false", Found::Bool(false)),
    (b"null", Found::Null),
    (b"NaN", Found::Null),
    (b"-NaN", Found::Null),
    (b"Infinity", Found::Null),
    (b"-Infinity", Found::Null),
    (b"+Infinity", Found::Null),
    (b"undefined", Found::Null),
];

const LONGEST_WORD: usize = 9;
