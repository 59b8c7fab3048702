//! DER (X.690), as far as keys are written in it: one value after another, read strictly.

use super::KeyError;

pub(crate) const INTEGER: u8 = 0x02;
pub(crate) const BIT_STRING: u8 = 0x03;
pub(crate) const OCTET_STRING: u8 = 0x04;
pub(crate) const OBJECT_IDENTIFIER: u8 = 0x06;
pub(crate) const SEQUENCE: u8 = 0x30;

/// What is left of one value, and where it begins in the whole.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub(crate) bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self::at(bytes, 0)
    }

    fn at(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    pub(crate) fn expected(&self, expected: &'static str) -> KeyError {
        KeyError::Der { at: self.at, expected }
    }

    pub(crate) fn sequence(&mut self, expected: &'static str) -> Result<Self, KeyError> {
        self.value(SEQUENCE, expected)
    }

    pub(crate) fn optional(&mut self, tag: u8) -> Result<Option<Self>, KeyError> {
        match self.bytes.first() {
            Some(found) if *found == tag => self.value(tag, "a value").map(Some),
            _ => Ok(None),
        }
    }

    /// The content of the next value, which must have `tag` and a definite length of the shortest form.
    pub(crate) fn value(&mut self, tag: u8, expected: &'static str) -> Result<Self, KeyError> {
        let (length, header) = match self.bytes {
            [found, length @ 0..=0x7f, ..] if *found == tag => (usize::from(*length), 2),
            [found, 0x81, length @ 0x80..=0xff, ..] if *found == tag => (usize::from(*length), 3),
            [found, 0x82, high @ 1..=0xff, low, ..] if *found == tag => {
                (usize::from(u16::from_be_bytes([*high, *low])), 4)
            }
            _ => return Err(self.expected(expected)),
        };
        let rest = self.bytes.get(header..).unwrap_or_default();
        let Some((content, after)) = rest.split_at_checked(length) else {
            return Err(self.expected("as many bytes as the length says"));
        };
        let content = Self::at(content, self.at.saturating_add(header));
        self.at = content.at.saturating_add(length);
        self.bytes = after;
        Ok(content)
    }

    pub(crate) fn end(&self, expected: &'static str) -> Result<(), KeyError> {
        if self.bytes.is_empty() { Ok(()) } else { Err(self.expected(expected)) }
    }

    /// The bytes of a BIT STRING's content, which must have no unused bits.
    pub(crate) fn whole_bytes(&self) -> Result<Self, KeyError> {
        match self.bytes.split_first() {
            Some((0, bytes)) => Ok(Self::at(bytes, self.at.saturating_add(1))),
            _ => Err(self.expected("a bit string without unused bits")),
        }
    }
}
