//! The tokens of a document that arrives in chunks.

use super::machine::{Found, Machine};
use super::tokens::token;
use super::{JsonError, Limits, Repairs, Token};

/// What a [`Stream`] says when it is asked for a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// The next token; it borrows the stream's buffer.
    Token(Token<'a>),
    /// Feed it the next chunk, or say that there is none.
    NeedMore,
    /// The document has ended, and so has the input.
    End,
}

/// The tokens of a JSON document fed chunk by chunk; holds one chunk and one token at the most.
///
/// > After each [`feed`](Self::feed), ask for [`next_token`](Self::next_token) until it says `NeedMore`.
///
/// ```
/// use bot_etiquette_lenient::json::{Limits, Step, Stream, Token};
///
/// let mut stream = Stream::new(Limits::default());
/// let mut numbers = Vec::new();
/// for chunk in [&b"[12"[..], b"3, 4", b"5]"] {
///     stream.feed(chunk);
///     while let Step::Token(token) = stream.next_token()? {
///         if let Token::Number(number) = token {
///             numbers.push(number.to_owned());
///         }
///     }
/// }
/// stream.finish();
/// assert_eq!((stream.next_token()?, numbers), (Step::End, vec!["123".into(), "45".into()]));
/// # Ok::<(), bot_etiquette_lenient::json::JsonError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Stream {
    machine: Machine,
    buffer: Vec<u8>,
    start: usize,
    last: bool,
    failed: Option<JsonError>,
}

impl Stream {
    /// A stream that has been fed nothing yet.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { machine: Machine::new(limits), buffer: Vec::new(), start: 0, last: false, failed: None }
    }

    /// Adds the next bytes of the input. Bytes after [`finish`](Self::finish) are ignored.
    pub fn feed(&mut self, chunk: &[u8]) {
        if self.last {
            return;
        }
        let before = self.buffer.len();
        self.buffer.drain(..self.start.min(before));
        self.start = 0;
        let kept = self.buffer.len();
        // What was read is overwritten, here and where the buffer is moved: a reader may owe it to somebody to forget.
        self.buffer.resize(before, 0);
        self.buffer.truncate(kept);
        let needed = kept.saturating_add(chunk.len());
        if needed > self.buffer.capacity() {
            let mut larger = Vec::with_capacity(needed.max(self.buffer.capacity().saturating_mul(2)));
            larger.extend_from_slice(&self.buffer);
            wipe(std::mem::replace(&mut self.buffer, larger));
        }
        self.buffer.extend_from_slice(chunk);
    }

    /// Says that no more bytes will come.
    pub fn finish(&mut self) {
        self.last = true;
    }

    /// The next token of what was fed so far.
    ///
    /// # Errors
    /// What no repair makes JSON; every later call then returns the same error.
    #[inline]
    pub fn next_token(&mut self) -> Result<Step<'_>, JsonError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let window = self.buffer.get(self.start..).unwrap_or_default();
        let base = self.machine.base();
        let (used, found) = match self.machine.step(window, self.last) {
            Ok(step) => step,
            Err(error) => {
                self.failed = Some(error);
                return Err(error);
            }
        };
        self.start = self.start.saturating_add(used);
        Ok(match token(window, base, found) {
            Some(token) => Step::Token(token),
            None if found == Found::NeedMore => Step::NeedMore,
            None => Step::End,
        })
    }

    /// Whether the strings that are values are wanted from here on; they are at first. One that is not wanted is handed out
    /// empty, and takes no room however long it is: [`Limits::token`] does not bear on it.
    ///
    /// ```
    /// use bot_etiquette_lenient::json::{Limits, Step, Stream, Token};
    ///
    /// let mut stream = Stream::new(Limits { token: 10, ..Limits::default() });
    /// stream.feed(br#"["a picture, and a long one", 1]"#);
    /// stream.want_strings(false);
    /// let mut tokens = 0;
    /// while let Step::Token(token) = stream.next_token()? {
    ///     assert!(!matches!(token, Token::String(text) if !text.raw().is_empty()));
    ///     tokens += 1;
    /// }
    /// assert_eq!(tokens, 4);
    /// # Ok::<(), bot_etiquette_lenient::json::JsonError>(())
    /// ```
    #[inline]
    pub fn want_strings(&mut self, wanted: bool) {
        self.machine.unwanted = !wanted;
    }

    /// How many arrays and objects are open.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.machine.depth()
    }

    /// Where the next token is looked for, in bytes from the start of the input.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.machine.base()
    }

    /// The repairs so far; those inside a string are added by whoever decodes it.
    #[must_use]
    pub fn repairs(&self) -> &Repairs {
        self.machine.repairs()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        wipe(std::mem::take(&mut self.buffer));
    }
}

/// Overwrites what is dropped.
fn wipe(mut bytes: Vec<u8>) {
    bytes.fill(0);
    // Without a reader the compiler would leave the writing out.
    std::hint::black_box(&bytes);
}
