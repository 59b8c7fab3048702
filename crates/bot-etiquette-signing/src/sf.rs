//! The strict reading of structured fields (RFC 9651) that signatures need, on top of `sfv`.
//!
//! `sfv` follows the lenient parsing algorithm: the last of two members with one key wins, base64 may lack its
//! padding. For a signature both hide an attack, so the member texts are split here once more, with positions.

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

    fn of(error: &sfv::Error, end: usize) -> Self {
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

/// One member of a dictionary, with the text it was written as.
#[derive(Debug)]
pub(crate) struct Member<'a> {
    pub(crate) key: &'a str,
    /// Where the key starts.
    pub(crate) position: usize,
    pub(crate) value: ListEntry,
    /// The value as written, with its parameters; of a bare key the parameters alone.
    pub(crate) text: &'a str,
}

/// Reads a dictionary whose keys must be unique.
pub(crate) fn unique_members(text: &str) -> Result<Vec<Member<'_>>, SyntaxError> {
    let mut parsed = dictionary(text)?;
    let mut members: Vec<Member<'_>> = Vec::with_capacity(parsed.len());
    for (position, part) in split_members(text) {
        let (key, rest) = part.split_at(part.find(['=', ';']).unwrap_or(part.len()));
        let value = rest.strip_prefix('=').unwrap_or(rest);
        // What is no longer in the parsed dictionary was taken by an earlier member of the same key.
        let Some(entry) = parsed.swap_remove(key) else {
            return Err(SyntaxError::new(position, format!("second member \"{key}\"")));
        };
        members.push(Member { key, position, value: entry, text: value });
    }
    Ok(members)
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

/// The members of a valid dictionary with where each starts, split at the commas of the top level.
fn split_members(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut next = 0;
    std::iter::from_fn(move || {
        while bytes.get(next).is_some_and(|byte| matches!(byte, b' ' | b'\t' | b',')) {
            next += 1;
        }
        let start = next;
        let (mut quoted, mut depth) = (false, 0_usize);
        while let Some(&byte) = bytes.get(next) {
            match byte {
                b'\\' if quoted => next += 1,
                b'"' => quoted = !quoted,
                b'(' if !quoted => depth += 1,
                b')' if !quoted => depth = depth.saturating_sub(1),
                b',' if !quoted && depth == 0 => break,
                _ => {}
            }
            next += 1;
        }
        let part = text.get(start..next.min(text.len()))?.trim_end_matches([' ', '\t']);
        (!part.is_empty()).then_some((start, part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_with_their_text_and_position() {
        let text = "a=\"x,\\\",y\" ,\tb;q=1,  c=(1 \"),\" 2);z";
        let found: Vec<_> =
            unique_members(text).unwrap().iter().map(|m| (m.position, m.key, m.text)).collect();
        assert_eq!(found, [(0, "a", "\"x,\\\",y\""), (13, "b", ";q=1"), (21, "c", "(1 \"),\" 2);z")]);
    }

    #[test]
    fn a_second_member_of_one_key_is_refused_where_it_stands() {
        assert_eq!(
            unique_members("a=1, b=2, a=3").unwrap_err().to_string(),
            "second member \"a\" at byte 10"
        );
    }
}
