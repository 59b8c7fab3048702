//! Bytes to text, chunk by chunk; the charset is settled at the first byte that is no ASCII.

use encoding_rs::{CoderResult, Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::report::{Note, Notes};
use crate::window::Window;

/// Decodes a feed. A byte order mark beats valid UTF-8, that beats what was declared, that beats windows-1252.
#[derive(Debug)]
pub(crate) struct Charset {
    declared: Option<&'static Encoding>,
    state: State,
    /// At the start the bytes that may be a byte order mark, then those that may begin a character of UTF-8.
    held: Vec<u8>,
    started: bool,
}

enum State {
    /// Only ASCII so far.
    Ascii,
    Settled(Box<Decoder>),
}

impl State {
    fn of(encoding: &'static Encoding) -> Self {
        Self::Settled(Box::new(encoding.new_decoder_without_bom_handling()))
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Ascii => "Ascii",
            Self::Settled(_) => "Settled",
        })
    }
}

impl Charset {
    pub(crate) fn new() -> Self {
        Self { declared: None, state: State::Ascii, held: Vec::new(), started: false }
    }

    /// A label from outside or from the document; the first known one counts.
    pub(crate) fn declare(&mut self, label: &str) {
        if self.declared.is_none() {
            self.declared = Encoding::for_label_no_replacement(label.trim().as_bytes());
        }
    }

    pub(crate) fn push(&mut self, chunk: &[u8], last: bool, out: &mut Window, notes: &mut Notes) {
        let joined;
        let mut bytes = if self.held.is_empty() {
            chunk
        } else {
            self.held.extend_from_slice(chunk);
            joined = std::mem::take(&mut self.held);
            &joined
        };
        if !self.started {
            if bytes.len() < 4 && !last {
                self.held = bytes.to_vec();
                return;
            }
            self.started = true;
            if let Some((encoding, length)) = Encoding::for_bom(bytes) {
                notes.add(Note::Bom);
                bytes = bytes.get(length..).unwrap_or_default();
                self.state = State::of(encoding);
            } else if let Some(encoding) = utf16_without_mark(bytes) {
                notes.add(Note::Charset);
                self.state = State::of(encoding);
            }
        }
        if matches!(self.state, State::Ascii) {
            let plain = Encoding::ascii_valid_up_to(bytes);
            let (ascii, rest) = bytes.split_at_checked(plain).unwrap_or((bytes, &[]));
            out.push_str(std::str::from_utf8(ascii).unwrap_or_default());
            bytes = rest;
            if bytes.is_empty() {
                return;
            }
            if bytes.len() < 4
                && !last
                && std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
            {
                self.held = bytes.to_vec();
                return;
            }
            self.state = self.settle(bytes, notes);
        }
        if let State::Settled(decoder) = &mut self.state {
            decode(decoder, bytes, last, out, notes);
        }
    }

    /// Looks at the first bytes that are no ASCII.
    fn settle(&self, bytes: &[u8], notes: &mut Notes) -> State {
        let is_utf8 = match std::str::from_utf8(bytes) {
            Ok(_) => true,
            Err(error) => error.valid_up_to() > 0 || error.error_len().is_none(),
        };
        if is_utf8 {
            return State::of(UTF_8);
        }
        let encoding = self.declared.filter(|encoding| *encoding != UTF_8).unwrap_or_else(|| {
            notes.add(Note::Charset);
            WINDOWS_1252
        });
        State::of(encoding)
    }
}

/// UTF-16 by its first two characters, when they are of ASCII (XML 1.0, appendix F).
fn utf16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    match bytes.get(..4)? {
        [first, 0, second, 0] if *first > 0 && *second > 0 => Some(UTF_16LE),
        [0, first, 0, second] if *first > 0 && *second > 0 => Some(UTF_16BE),
        _ => None,
    }
}

fn decode(decoder: &mut Decoder, bytes: &[u8], last: bool, out: &mut Window, notes: &mut Notes) {
    let mut rest = bytes;
    loop {
        let out = out.reserve(decoder.max_utf8_buffer_length(rest.len()).unwrap_or(rest.len()));
        let (result, read, lossy) = decoder.decode_to_string(rest, out, last);
        if lossy {
            notes.add(Note::Lossy);
        }
        rest = rest.get(read..).unwrap_or_default();
        if result == CoderResult::InputEmpty {
            return;
        }
    }
}
