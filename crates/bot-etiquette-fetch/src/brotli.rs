//! Brotli within a window no larger than asked for.
//!
//! A stream names its window in its first bits (RFC 7932 section 9.1), up to 16 MiB whatever its length, and a decoder
//! fills all of it before it gives anything. Until a text is longer than a window, no reference in it reaches further
//! back: so a stream that names too large a window is told to the decoder with a smaller one, undone for as long as
//! that makes no difference, and refused from there on.

use std::io::{self, BufRead, ErrorKind, Read};

use brotli_decompressor::Decompressor;

/// The smallest window that is kept to, as a power of two.
const LEAST_LOG: u32 = 18;
/// The largest window of HTTP's brotli, as a power of two.
const LARGEST_LOG: u32 = 24;
/// What a window of brotli lacks to its power of two.
const GAP: usize = 16;

pub(crate) struct Brotli<R: BufRead> {
    decoder: Decompressor<Narrow<R>>,
    /// The largest window, in bytes.
    window: usize,
    /// What has come out of a narrowed window, less than the window itself.
    read: usize,
    /// More came than fits the narrowed window.
    over: bool,
}

/// The text is longer than the window that is made room for, and its stream names a larger one.
#[derive(Debug, thiserror::Error)]
#[error("the body needs a larger window than is allowed")]
pub(crate) struct WindowExceeded;

impl<R: BufRead> Brotli<R> {
    /// Over a coded stream that is read `piece` bytes at a time; `window` is the most to make room for, in bytes.
    pub(crate) fn new(below: R, window: u64, piece: usize) -> Self {
        let most = window.max(1).ilog2().clamp(LEAST_LOG, LARGEST_LOG);
        let narrow = Narrow { below, most, begun: false, narrowed: false };
        Self { decoder: Decompressor::new(narrow, piece), window: 1 << most, read: 0, over: false }
    }

    fn is_narrowed(&self) -> bool {
        self.decoder.get_ref().narrowed
    }
}

impl<R: BufRead> Read for Brotli<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.over {
            return Err(io::Error::other(WindowExceeded));
        }
        // A decoder whose window was emptied goes on at once, and would fail of what it makes of the rest: a byte stays.
        let most = if self.is_narrowed() { self.window - 1 - self.read } else { buffer.len() };
        let most = most.min(buffer.len());
        let length = self.decoder.read(buffer.get_mut(..most).unwrap_or_default())?;
        if !self.is_narrowed() {
            return Ok(length);
        }
        let room = (self.window - GAP).saturating_sub(self.read);
        self.read += length;
        self.over = length > room;
        if self.over && room == 0 {
            return Err(io::Error::other(WindowExceeded));
        }
        Ok(length.min(room))
    }
}

/// The coded stream, its window made smaller where it names one that is too large.
struct Narrow<R> {
    below: R,
    /// The largest window, as a power of two.
    most: u32,
    begun: bool,
    narrowed: bool,
}

impl<R: BufRead> Read for Narrow<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.begun {
            return self.below.read(buffer);
        }
        let Some(first) = self.below.fill_buf()?.first().copied() else { return Ok(0) };
        // HTTP does not know the windows beyond 16 MiB, which would let a few bytes reserve up to a gigabyte.
        if first & 0x7f == 0x11 {
            return Err(io::Error::new(ErrorKind::InvalidData, "a window larger than brotli's own"));
        }
        let Some(place) = buffer.first_mut() else { return Ok(0) };
        self.begun = true;
        self.narrowed = window_log(first) > self.most;
        *place = if self.narrowed { with_window_log(first, self.most) } else { first };
        self.below.consume(1);
        Ok(1)
    }
}

/// The window that a stream's first byte names, as a power of two; at most 17 for the codes of other lengths.
const fn window_log(first: u8) -> u32 {
    match (first & 1, first >> 1 & 7) {
        (1, size @ 1..) => 17 + size as u32,
        _ => 17,
    }
}

/// The first byte with another window from 18 to 24: all of these have codes of four bits.
const fn with_window_log(first: u8, log: u32) -> u8 {
    first & 0xf0 | ((log as u8 - 17) << 1) | 1
}
