//! The value of one component (RFC 9421 2.1 for fields; derived components are next door).

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::AsHeaderName;
use http::{HeaderMap, HeaderValue};

use crate::component::{Component, Name, Options};
use crate::field_type::{self, FieldType};
use crate::message::{Head, Message, ValueError};
use crate::{derived, sf};

/// Appends the value of `component` in `message`. On an error `out` may hold a part of it.
pub(crate) fn push(out: &mut String, message: &Message<'_>, component: &Component) -> Result<(), ValueError> {
    let identifier = component.as_str();
    let target = if component.options.req {
        match message.head {
            Head::Response { request: Some(request), .. } => request,
            Head::Response { request: None, .. } => {
                return Err(wrong(identifier, "the request that the response answers is not known"));
            }
            Head::Request { .. } => return Err(wrong(identifier, "\"req\" has no sense on a request")),
        }
    } else {
        message
    };
    match &component.name {
        Name::Field(name) => push_field(out, target, name, &component.options, identifier),
        derived => derived::push(out, target, derived, identifier),
    }
}

/// The lines of a field joined by `, `, whitespace around each taken off.
pub(crate) fn push_joined(
    out: &mut String,
    headers: &HeaderMap,
    name: impl AsHeaderName,
) -> Result<bool, usize> {
    let mut present = false;
    for value in headers.get_all(name) {
        if present {
            out.push_str(", ");
        }
        out.push_str(trimmed(value)?);
        present = true;
    }
    Ok(present)
}

fn push_field(
    out: &mut String,
    message: &Message<'_>,
    name: &str,
    options: &Options,
    identifier: &str,
) -> Result<(), ValueError> {
    let missing = || ValueError::Missing { component: identifier.to_owned() };
    let not_ascii = |position| ValueError::NotAscii { component: identifier.to_owned(), position };
    let headers = if options.tr { message.trailers.ok_or_else(missing)? } else { message.headers };
    if options.bs {
        return push_wrapped(out, headers, name).then_some(()).ok_or_else(missing);
    }
    if !options.sf && options.key.is_none() {
        return push_joined(out, headers, name).map_err(not_ascii)?.then_some(()).ok_or_else(missing);
    }
    let mut joined = String::new();
    if !push_joined(&mut joined, headers, name).map_err(not_ascii)? {
        return Err(missing());
    }
    let bad = |error: sf::SyntaxError| ValueError::NotStructured {
        component: identifier.to_owned(),
        reason: error.to_string(),
    };
    if let Some(key) = &options.key {
        let members = sf::dictionary(&joined).map_err(bad)?;
        out.push_str(&sf::write_entry(members.get(key.as_str()).ok_or_else(missing)?));
        return Ok(());
    }
    out.push_str(&match kind(message, name, &joined) {
        Some(FieldType::Item) => sf::write_item(&sf::item(&joined).map_err(bad)?),
        Some(FieldType::List) => sf::write_list(&sf::list(&joined).map_err(bad)?),
        Some(FieldType::Dictionary) => sf::write_dictionary(&sf::dictionary(&joined).map_err(bad)?),
        None => return Err(ValueError::UnknownType { component: identifier.to_owned() }),
    });
    Ok(())
}

fn kind(message: &Message<'_>, name: &str, value: &str) -> Option<FieldType> {
    if let Some((_, kind)) = message.field_types.iter().find(|(known, _)| *known == name) {
        return Some(*kind);
    }
    match name {
        // The drafts of Web Bot Auth went from a string to a dictionary; the first byte tells them apart.
        "signature-agent" if value.starts_with('"') => Some(FieldType::Item),
        "signature-agent" => Some(FieldType::Dictionary),
        _ => field_type::registered(name),
    }
}

/// Each line as a byte sequence, joined by `, ` (RFC 9421 2.1.3).
fn push_wrapped(out: &mut String, headers: &HeaderMap, name: &str) -> bool {
    let mut present = false;
    for value in headers.get_all(name) {
        let separator = if present { ", " } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(out, "{separator}:{}:", STANDARD.encode(value.as_bytes().trim_ascii()));
        present = true;
    }
    present
}

/// A field line without whitespace around it, or the position of its first byte that is no visible ASCII,
/// space or tab.
pub(crate) fn trimmed(value: &HeaderValue) -> Result<&str, usize> {
    match value.to_str() {
        Ok(text) => Ok(text.trim_matches([' ', '\t'])),
        Err(_) => Err(value
            .as_bytes()
            .iter()
            .position(|byte| !matches!(byte, b'\t' | 0x20..=0x7e))
            .unwrap_or_default()),
    }
}

fn wrong(identifier: &str, expected: &'static str) -> ValueError {
    ValueError::WrongTarget { component: identifier.to_owned(), expected }
}
