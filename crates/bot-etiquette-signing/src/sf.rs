//! Structured fields (RFC 9651) written strictly, on top of `sfv`; [`member`](crate::member) reads them.

use sfv::{
    DictSerializer, Dictionary, FieldType as _, Item, ItemSerializer, List, ListEntry, ListSerializer, Parser,
};
use thiserror::Error;

/// Why a field or an identifier is no valid structured field.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message} at byte {position}")]
pub struct SyntaxError {
    position: usize,
    message: String,
}

impl SyntaxError {
    pub(crate) fn new(position: usize, message: impl Into<String>) -> Self {
        Self { position, message: message.into() }
    }

    pub(crate) fn of(error: &sfv::Error, end: usize) -> Self {
        Self::new(error.index().unwrap_or(end), format!("{error:#}"))
    }

    /// Where, in bytes from the start of the field value, its lines joined with `", "`.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }

    /// Whether a byte sequence could not be decoded.
    pub(crate) fn is_base64(&self) -> bool {
        self.message.contains("byte sequence")
    }
}

pub(crate) fn dictionary(text: &str) -> Result<Dictionary, SyntaxError> {
    Parser::new(text).parse().map_err(|error| SyntaxError::of(&error, text.len()))
}

pub(crate) fn item(text: &str) -> Result<Item, SyntaxError> {
    Parser::new(text).parse().map_err(|error| SyntaxError::of(&error, text.len()))
}

pub(crate) fn list(text: &str) -> Result<List, SyntaxError> {
    Parser::new(text).parse().map_err(|error| SyntaxError::of(&error, text.len()))
}

/// The strict serialization of a dictionary (RFC 9651 4.1.2); an empty one is the empty text.
pub(crate) fn write_dictionary(value: &Dictionary) -> String {
    let mut serializer = DictSerializer::new();
    serializer.members(value);
    serializer.finish().unwrap_or_default()
}

/// The strict serialization of a list (RFC 9651 4.1.1); an empty one is the empty text.
pub(crate) fn write_list(value: &List) -> String {
    value.serialize().unwrap_or_default()
}

/// The strict serialization of an item (RFC 9651 4.1.3).
pub(crate) fn write_item(value: &Item) -> String {
    ItemSerializer::new().bare_item(&value.bare_item).parameters(&value.params).finish()
}

/// The strict serialization of a member value with its parameters, without its key.
pub(crate) fn write_entry(value: &ListEntry) -> String {
    let mut serializer = ListSerializer::new();
    serializer.members([value]);
    serializer.finish().unwrap_or_default()
}

/// Appends an sf-string, quoted and escaped.
///
/// The caller has checked that it is printable ASCII (see [`is_sf_string`]).
pub(crate) fn push_string(out: &mut String, value: &str) {
    out.push('"');
    for part in value.split_inclusive(['"', '\\']) {
        match part.strip_suffix(['"', '\\']) {
            Some(plain) => {
                out.push_str(plain);
                out.push('\\');
                out.push_str(part.get(plain.len()..).unwrap_or_default());
            }
            None => out.push_str(part),
        }
    }
    out.push('"');
}

/// Whether a text can be an sf-string (RFC 9651 3.3.3).
pub(crate) fn is_sf_string(value: &str) -> bool {
    value.bytes().all(|byte| matches!(byte, 0x20..=0x7e))
}

/// Whether a text can be the key of a dictionary member or a parameter (RFC 9651 3.1.2).
pub(crate) fn is_key(value: &str) -> bool {
    value.starts_with(|first: char| first.is_ascii_lowercase() || first == '*')
        && value.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b'*'))
}
