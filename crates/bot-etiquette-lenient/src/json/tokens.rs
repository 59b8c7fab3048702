//! The tokens of a document that lies in memory whole.

use super::machine::{Found, Machine};
use super::{JsonError, JsonStr, Limits, Repairs};

/// A piece of JSON.
///
/// Where the input breaks off, what is open is closed: a `Key` may then be followed by `EndObject`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'a> {
    /// `{`
    BeginObject,
    /// `}`
    EndObject,
    /// `[`
    BeginArray,
    /// `]`
    EndArray,
    /// The name of an object's member; its value follows.
    Key(JsonStr<'a>),
    /// A string value.
    String(JsonStr<'a>),
    /// A number as written, in any form that [`RepairKind::Number`](super::RepairKind::Number) allows.
    Number(&'a str),
    /// `true` or `false`.
    Bool(bool),
    /// `null`, or what is read as null.
    Null,
}

/// The tokens of a JSON document in a slice; an iterator that ends after the document or after the first error.
///
/// ```
/// use bot_etiquette_lenient::json::{Limits, Token, Tokens};
///
/// let mut tokens = Tokens::new(br#"{"count":5,"rows":[1,2]}"#, Limits::default());
/// let mut count = None;
/// while let Some(token) = tokens.next().transpose()? {
///     match token {
///         Token::Key(key) if key.is("count") => count = tokens.next().transpose()?,
///         Token::Key(_) => tokens.skip_value()?,
///         _ => {}
///     }
/// }
/// assert_eq!(count, Some(Token::Number("5")));
/// # Ok::<(), bot_etiquette_lenient::json::JsonError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Tokens<'a> {
    rest: &'a [u8],
    machine: Machine,
    ended: bool,
}

impl<'a> Tokens<'a> {
    /// Reads `input` as one document.
    #[must_use]
    pub fn new(input: &'a [u8], limits: Limits) -> Self {
        Self { rest: input, machine: Machine::new(limits), ended: false }
    }

    /// Passes over the next value whole, brackets and all, decoding nothing.
    ///
    /// # Errors
    /// What the iterator would have met on the way.
    pub fn skip_value(&mut self) -> Result<(), JsonError> {
        let depth = self.depth();
        while let Some(token) = self.next() {
            token?;
            if self.depth() <= depth {
                break;
            }
        }
        Ok(())
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

    /// The repairs so far; those inside a string are added when it is decoded.
    #[must_use]
    pub fn repairs(&self) -> &Repairs {
        self.machine.repairs()
    }

    /// The same list, to decode strings into.
    pub fn repairs_mut(&mut self) -> &mut Repairs {
        self.machine.repairs_mut()
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Result<Token<'a>, JsonError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let window = self.rest;
        let base = self.machine.base();
        match self.machine.step(window, true) {
            Ok((used, found)) => {
                self.rest = window.get(used..).unwrap_or_default();
                let token = token(window, base, found);
                self.ended = token.is_none();
                token.map(Ok)
            }
            Err(error) => {
                self.ended = true;
                Some(Err(error))
            }
        }
    }
}

/// The token that was found in `window`, which starts at `base` of the input; `None` at the end or when more is needed.
#[inline]
pub(super) fn token(window: &[u8], base: u64, found: Found) -> Option<Token<'_>> {
    let text = |start: usize, end: usize, escaped: bool| JsonStr {
        raw: window.get(start..end).unwrap_or_default(),
        escaped,
        offset: base.saturating_add(start as u64),
    };
    Some(match found {
        Found::BeginObject => Token::BeginObject,
        Found::EndObject => Token::EndObject,
        Found::BeginArray => Token::BeginArray,
        Found::EndArray => Token::EndArray,
        Found::Key { start, end, escaped } => Token::Key(text(start, end, escaped)),
        Found::String { start, end, escaped } => Token::String(text(start, end, escaped)),
        Found::Number { start, end } => {
            // Only ASCII bytes belong to a number.
            Token::Number(std::str::from_utf8(window.get(start..end).unwrap_or_default()).unwrap_or_default())
        }
        Found::Bool(value) => Token::Bool(value),
        Found::Null => Token::Null,
        Found::NeedMore | Found::End => return None,
    })
}
