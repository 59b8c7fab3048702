//! What even a lenient reader cannot take, and where.

/// An input that is no JSON and that no repair makes one.
///
/// ```
/// use bot_etiquette_lenient::json::{JsonErrorKind, Limits, repair};
///
/// let error = repair(b"{\"a\" 1}", Limits::default()).unwrap_err();
/// assert_eq!((error.offset(), error.kind()), (5, JsonErrorKind::Expected { what: "a colon" }));
/// assert_eq!(error.to_string(), "expected a colon at byte 5");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at byte {offset}")]
pub struct JsonError {
    pub(super) kind: JsonErrorKind,
    pub(super) offset: u64,
}

impl JsonError {
    /// What was wrong.
    #[must_use]
    pub fn kind(&self) -> JsonErrorKind {
        self.kind
    }

    /// The byte, counted from 0 at the start of the input.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The line and column of the error in `input`, both from 1; the column counts bytes.
    ///
    /// ```
    /// use bot_etiquette_lenient::json::{Limits, repair};
    ///
    /// let input = b"{\n  \"a\": ?}";
    /// let error = repair(input, Limits::default()).unwrap_err();
    /// assert_eq!(error.line_column(input), (2, 8));
    /// ```
    #[must_use]
    pub fn line_column(&self, input: &[u8]) -> (usize, usize) {
        let end = usize::try_from(self.offset).unwrap_or(usize::MAX).min(input.len());
        let before = input.get(..end).unwrap_or(input);
        let line = memchr::memchr_iter(b'\n', before).count().saturating_add(1);
        let column = match memchr::memrchr(b'\n', before) {
            Some(newline) => before.len().saturating_sub(newline),
            None => before.len().saturating_add(1),
        };
        (line, column)
    }
}

/// Why a [`JsonError`] was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// Something else stands where the grammar wants `what`.
    #[error("expected {what}")]
    Expected {
        /// What was wanted: `a value`, `a key`, `a colon`, `a comma or the end`.
        what: &'static str,
    },
    /// A number-like run of bytes that is no number, such as `1-2`.
    #[error("not a number")]
    NotANumber,
    /// A bracket closes what another kind of bracket opened, or nothing.
    #[error("a bracket that closes nothing")]
    Unbalanced,
    /// More than an HTML comment follows the document.
    #[error("more text after the document")]
    Trailing,
    /// Nothing but white space.
    #[error("no document")]
    Empty,
    /// More open arrays and objects than [`Limits::depth`](super::Limits::depth).
    #[error("more than {limit} open brackets")]
    TooDeep {
        /// The limit in force.
        limit: usize,
    },
    /// A string or number longer than [`Limits::token`](super::Limits::token).
    #[error("a token of more than {limit} bytes")]
    TokenTooLong {
        /// The limit in force, in bytes.
        limit: usize,
    },
}
