//! A URL in each line.

use std::io::{self, BufRead};

use super::input::Recode;
use super::{Raw, SitemapLimits};

pub(super) struct Lines<'a> {
    source: Recode<'a>,
    offset: u64,
}

impl<'a> Lines<'a> {
    pub(super) fn new(source: Recode<'a>) -> Self {
        Self { source, offset: 0 }
    }

    /// Writes the next line that begins like a URL; of a line that is longer than a URL may be only so much is kept.
    pub(super) fn next(&mut self, limits: &SitemapLimits, raw: &mut Raw) -> io::Result<bool> {
        raw.clear();
        let mut line = Vec::new();
        let mut start = self.offset;
        loop {
            let window = self.source.fill_buf()?;
            let is_end = window.is_empty();
            let end = memchr::memchr2(b'\n', b'\r', window);
            let piece = window.get(..end.unwrap_or(window.len())).unwrap_or_default();
            let room = limits.url.saturating_add(1).saturating_sub(line.len());
            line.extend_from_slice(piece.get(..room).unwrap_or(piece));
            let used = piece.len().saturating_add(usize::from(end.is_some()));
            self.source.consume(used);
            self.offset = self.offset.saturating_add(used as u64);
            if end.is_none() && !is_end {
                continue;
            }
            let url = String::from_utf8_lossy(&line).trim().to_owned();
            let is_url = url.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("http"));
            if is_url {
                (raw.offset, raw.url) = (start, url);
                return Ok(true);
            }
            if is_end {
                return Ok(false);
            }
            line.clear();
            start = self.offset;
        }
    }
}
