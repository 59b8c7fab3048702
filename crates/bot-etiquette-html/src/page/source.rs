//! The text as the tokenizer reads it: by wide searches.

use std::convert::Infallible;

use html5gum::Reader;
use memchr::{memchr, memchr2, memchr3};

/// A text of which the rest is still to be read.
#[derive(Debug)]
pub(super) struct Source<'a> {
    rest: &'a [u8],
    /// Whether NUL or a carriage return stand in it: most texts have neither, and then they need not be searched for.
    has_rare: bool,
}

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text.as_bytes(), has_rare: memchr2(b'\0', b'\r', text.as_bytes()).is_some() }
    }

    /// Where the next byte of the set stands.
    #[inline(always)]
    fn find(&self, set: &[u8]) -> Option<usize> {
        match *set {
            [a, b'\0', b'\r'] if !self.has_rare => memchr(a, self.rest),
            [a, b, b'\0', b'\r'] if !self.has_rare => memchr2(a, b, self.rest),
            [a, b, c, b'\0', b'\r'] if !self.has_rare => memchr3(a, b, c, self.rest),
            [a, b, c] => memchr3(a, b, c, self.rest),
            // Names are short, and no set ends them at a letter.
            _ if !set.iter().any(u8::is_ascii_lowercase) => {
                self.rest.iter().position(|byte| !byte.is_ascii_lowercase() && set.contains(byte))
            }
            _ => self.rest.iter().position(|byte| set.contains(byte)),
        }
    }
}

impl Reader for Source<'_> {
    type Error = Infallible;

    #[inline(always)]
    fn read_byte(&mut self) -> Result<Option<u8>, Infallible> {
        let Some((first, rest)) = self.rest.split_first() else { return Ok(None) };
        self.rest = rest;
        Ok(Some(*first))
    }

    #[inline(always)]
    fn try_read_string(&mut self, wanted: &[u8], case_sensitive: bool) -> Result<bool, Infallible> {
        let Some((start, rest)) = self.rest.split_at_checked(wanted.len()) else { return Ok(false) };
        let is_it = start == wanted || (!case_sensitive && start.eq_ignore_ascii_case(wanted));
        if is_it {
            self.rest = rest;
        }
        Ok(is_it)
    }

    #[inline(always)]
    fn read_until<'b>(&'b mut self, set: &[u8], _: &'b mut [u8; 4]) -> Result<Option<&'b [u8]>, Infallible> {
        let Some(first) = self.rest.first() else { return Ok(None) };
        let end = if set.contains(first) { 1 } else { self.find(set).unwrap_or(self.rest.len()) };
        let (piece, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, &[]));
        self.rest = rest;
        Ok(Some(piece))
    }
}
