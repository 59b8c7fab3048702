//! Content codings undone a bounded piece at a time.
//!
//! Every decoder is a blocking reader over a [`Feed`]; an empty feed answers `WouldBlock`, which all of them pass on
//! without losing their place. So a chunk from the wire never decodes into more memory than the caller's buffer, and
//! stacked codings are readers on readers.

use std::{
    io::{self, BufRead, BufReader, ErrorKind, Read},
    mem,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::{Buf, Bytes};
use flate2::{Decompress, FlushDecompress, Status, bufread::MultiGzDecoder};
use http::{HeaderMap, header};

use crate::brotli::Brotli;

/// The codings asked for when the request does not say.
pub(crate) const ACCEPT: &str = "gzip, br, zstd, deflate";

/// zstd windows of at most 8 MiB, the most that HTTP allows (RFC 9659 section 3), and of 1 KiB at the least.
const ZSTD_WINDOW_LOGS: (u32, u32) = (10, 23);

/// Between two stacked decoders.
const BETWEEN: usize = 16 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// The codings of a body in the order they were applied; `Err` for one that is not known. `identity` is none.
pub(crate) fn codings(headers: &HeaderMap) -> Result<Vec<Coding>, ()> {
    let mut found = Vec::new();
    for value in headers.get_all(header::CONTENT_ENCODING) {
        for word in value.to_str().map_err(|_| ())?.split(',').map(str::trim) {
            match word.to_ascii_lowercase().as_str() {
                "" | "identity" => {}
                "gzip" | "x-gzip" => found.push(Coding::Gzip),
                "deflate" => found.push(Coding::Deflate),
                "br" => found.push(Coding::Brotli),
                "zstd" => found.push(Coding::Zstd),
                _ => return Err(()),
            }
        }
    }
    Ok(found)
}

/// Undoes a stack of codings.
pub(crate) struct Decoder {
    feed: Feed,
    reader: Box<dyn Read + Send>,
}

impl Decoder {
    /// `window` is the room for the windows of all codings together, in bytes.
    pub(crate) fn new(codings: &[Coding], window: u64) -> io::Result<Self> {
        let feed = Feed::default();
        let windows = codings.iter().filter(|coding| matches!(coding, Coding::Brotli | Coding::Zstd)).count();
        let window = window / windows.max(1) as u64;
        let innermost: Box<dyn BufRead + Send> = Box::new(Reader { feed: feed.clone(), piece: Bytes::new() });
        // The last coding applied is the first to be undone.
        let reader = codings.iter().rev().try_fold(innermost, |below, coding| {
            let above: Box<dyn Read + Send> = match coding {
                Coding::Gzip => Box::new(MultiGzDecoder::new(below)),
                Coding::Deflate => Box::new(Inflate::new(below)),
                Coding::Brotli => Box::new(Brotli::new(below, window, BETWEEN)),
                Coding::Zstd => {
                    let mut zstd = zstd::stream::read::Decoder::with_buffer(below)?;
                    let (least, most) = ZSTD_WINDOW_LOGS;
                    zstd.window_log_max(window.max(1).ilog2().clamp(least, most))?;
                    Box::new(zstd)
                }
            };
            io::Result::Ok(Box::new(BufReader::with_capacity(BETWEEN, above)) as Box<dyn BufRead + Send>)
        })?;
        Ok(Self { feed, reader: Box::new(reader) })
    }

    /// Adds a piece from the wire.
    pub(crate) fn push(&self, piece: Bytes) {
        self.feed.with(|state| state.pieces.push_back(piece));
    }

    /// Says that the wire has no more.
    pub(crate) fn finish(&self) {
        self.feed.with(|state| state.finished = true);
    }

    /// Decodes into `buffer`: the bytes written, 0 at the end of the data, or `None` when more of the wire is needed.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        loop {
            match self.reader.read(buffer) {
                Ok(length) => return Ok(Some(length)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// What came from the wire and is not decoded yet; shared by the body that fills it and the reader at the bottom.
#[derive(Clone, Default)]
struct Feed(Arc<Mutex<FeedState>>);

#[derive(Default)]
struct FeedState {
    pieces: std::collections::VecDeque<Bytes>,
    finished: bool,
}

impl Feed {
    fn with<T>(&self, act: impl FnOnce(&mut FeedState) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The reader at the bottom.
struct Reader {
    feed: Feed,
    piece: Bytes,
}

impl BufRead for Reader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.piece.is_empty() {
            match self.feed.with(|state| (state.pieces.pop_front(), state.finished)) {
                (Some(piece), _) => self.piece = piece,
                (None, true) => break,
                (None, false) => return Err(ErrorKind::WouldBlock.into()),
            }
        }
        Ok(&self.piece)
    }

    fn consume(&mut self, amount: usize) {
        self.piece.advance(amount.min(self.piece.len()));
    }
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.fill_buf()?.read(buffer)?;
        self.consume(length);
        Ok(length)
    }
}

/// `deflate`: the zlib format by the book (RFC 9110 section 8.4.1.2), bare deflate from many servers.
struct Inflate<R> {
    below: R,
    state: Option<Decompress>,
    /// The last piece filled the buffer: more may lie in the state, whatever the wire has.
    full: bool,
    ended: bool,
}

impl<R: BufRead> Inflate<R> {
    const fn new(below: R) -> Self {
        Self { below, state: None, full: false, ended: false }
    }
}

impl<R: BufRead> Read for Inflate<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.ended && !buffer.is_empty() {
            let input = if self.full { &[] } else { self.below.fill_buf()? };
            let first = match (input.first(), self.full) {
                (None, false) => return Err(ErrorKind::UnexpectedEof.into()),
                (first, _) => first.copied().unwrap_or_default(),
            };
            // A zlib header says "deflate, window of at most 32 KiB" in its first byte; bare deflate would have to
            // begin with a stored block of odd padding to look like one.
            let zlib = first & 0x0f == 8 && first >> 4 <= 7;
            let state = self.state.get_or_insert_with(|| Decompress::new(zlib));
            let (read, written) = (state.total_in(), state.total_out());
            let status = state
                .decompress(input, buffer, FlushDecompress::None)
                .map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
            let read = usize::try_from(state.total_in() - read).unwrap_or(usize::MAX);
            let written = usize::try_from(state.total_out() - written).unwrap_or(usize::MAX);
            let drained = mem::replace(&mut self.full, written == buffer.len());
            self.ended = status == Status::StreamEnd;
            self.below.consume(read);
            if written > 0 {
                return Ok(written);
            }
            if read == 0 && !self.ended && !drained {
                return Err(io::Error::new(ErrorKind::InvalidData, "the stream does not go on"));
            }
        }
        Ok(0)
    }
}
