//! A string as written, decoded when asked.

use std::borrow::Cow;

use super::{RepairKind, Repairs};

/// The inside of a JSON string or key, without its quotes and not yet decoded.
///
/// ```
/// use bot_etiquette_lenient::json::{Limits, Repairs, Token, Tokens};
///
/// let mut repairs = Repairs::default();
/// let Some(Ok(Token::String(name))) = Tokens::new(br#""Usera\Pte \u00f1""#, Limits::default()).next() else {
///     panic!("a string");
/// };
/// assert_eq!(name.decode(&mut repairs), "Usera\\Pte \u{f1}");
/// assert_eq!(repairs.to_string(), "escape at byte 6");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonStr<'a> {
    pub(super) raw: &'a [u8],
    pub(super) escaped: bool,
    pub(super) offset: u64,
}

impl<'a> JsonStr<'a> {
    /// The bytes between the quotes, as written.
    #[must_use]
    pub fn raw(&self) -> &'a [u8] {
        self.raw
    }

    /// Where the first byte between the quotes stands in the input, counted from 0.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether the string, as written, is exactly `text`: true only for a string without escapes.
    ///
    /// Keys that matter are written plainly, so a reader compares keys without decoding them.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        !self.escaped && self.raw == text.as_bytes()
    }

    /// The text, borrowed where it stands as written; what had to be mended is added to `repairs`.
    #[must_use]
    pub fn decode(&self, repairs: &mut Repairs) -> Cow<'a, str> {
        self.note_controls(repairs);
        if !self.escaped
            && let Ok(text) = std::str::from_utf8(self.raw)
        {
            return Cow::Borrowed(text);
        }
        let mut text = String::with_capacity(self.raw.len());
        let mut at = 0_usize;
        while let Some(rest) = self.raw.get(at..).filter(|rest| !rest.is_empty()) {
            let plain = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
            self.push_plain(rest.get(..plain).unwrap_or(rest), at, &mut text, repairs);
            at = at.saturating_add(plain);
            if plain < rest.len() {
                at = at.saturating_add(self.push_escape(at, &mut text, repairs));
            }
        }
        Cow::Owned(text)
    }

    /// Whether every escape is one of RFC 8259's, with whole surrogate pairs.
    #[inline]
    pub(super) fn has_good_escapes(&self) -> bool {
        !self.escaped || self.are_escapes_good()
    }

    fn are_escapes_good(&self) -> bool {
        let mut rest = self.raw;
        while let Some(at) = memchr::memchr(b'\\', rest) {
            let escape = rest.get(at..).unwrap_or_default();
            let length = match escape.get(1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
                Some(b'u') => match unit(escape) {
                    Some(0xd800..=0xdbff) => match escape.get(6..).and_then(unit) {
                        Some(0xdc00..=0xdfff) => 12,
                        _ => return false,
                    },
                    Some(0xdc00..=0xdfff) | None => return false,
                    Some(_) => 6,
                },
                _ => return false,
            };
            rest = escape.get(length..).unwrap_or_default();
        }
        true
    }

    fn at(&self, index: usize) -> u64 {
        self.offset.saturating_add(index as u64)
    }

    fn note_controls(&self, repairs: &mut Repairs) {
        if self.raw.iter().fold(false, |seen, byte| seen | (*byte < 0x20)) {
            for (index, _) in self.raw.iter().enumerate().filter(|(_, byte)| **byte < 0x20) {
                repairs.add(RepairKind::ControlCharacter, self.at(index));
            }
        }
    }

    fn push_plain(&self, bytes: &[u8], start: usize, text: &mut String, repairs: &mut Repairs) {
        let mut at = start;
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            at = at.saturating_add(chunk.valid().len());
            if !chunk.invalid().is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
                repairs.add(RepairKind::Utf8, self.at(at));
                at = at.saturating_add(chunk.invalid().len());
            }
        }
    }

    /// Reads the escape whose backslash is at `at`; returns how many bytes it takes.
    fn push_escape(&self, at: usize, text: &mut String, repairs: &mut Repairs) -> usize {
        let rest = self.raw.get(at..).unwrap_or_default();
        let plain = match rest.get(1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') if unit(rest).is_some() => return self.push_unit(at, text, repairs),
            Some(b'\'') => {
                repairs.add(RepairKind::Escape, self.at(at));
                text.push('\'');
                return 2;
            }
            _ => {
                repairs.add(RepairKind::Escape, self.at(at));
                text.push('\\');
                return 1;
            }
        };
        text.push(plain);
        2
    }

    fn push_unit(&self, at: usize, text: &mut String, repairs: &mut Repairs) -> usize {
        let rest = self.raw.get(at..).unwrap_or_default();
        let first = unit(rest).unwrap_or(0);
        if let Some(character) = char::from_u32(u32::from(first)) {
            text.push(character);
            return 6;
        }
        if let Some(second) = rest.get(6..).and_then(unit)
            && let Some(Ok(character)) = char::decode_utf16([first, second]).next()
        {
            text.push(character);
            return 12;
        }
        repairs.add(RepairKind::Surrogate, self.at(at));
        text.push(char::REPLACEMENT_CHARACTER);
        6
    }
}

/// The UTF-16 unit of a `\u` escape (four hex digits) at the start of `bytes`.
fn unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().try_fold(0_u16, |unit, digit| {
        let value = char::from(*digit).to_digit(16)?;
        Some((unit << 4) | u16::try_from(value).ok()?)
    })
}
