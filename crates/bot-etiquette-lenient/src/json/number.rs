//! Numbers: whether they are strict JSON, and what is meant when they are not.

use std::borrow::Cow;

/// What a run of number-like bytes is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As RFC 8259, section 6, has it.
    Strict,
    /// Not so, but the meaning is plain.
    Mendable,
    /// Neither.
    None,
}

/// Whether `byte` can belong to a number, mended or not.
pub(super) fn is_number_byte(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E')
}

/// Tells the form of a whole number token.
pub(super) fn form(raw: &[u8]) -> Form {
    let Some(Parts { sign, whole, fraction, exponent }) = parts(raw) else { return Form::None };
    let no_digits = whole.is_empty() && fraction.is_none_or(<[u8]>::is_empty);
    let plain_whole = !whole.is_empty() && (whole.len() == 1 || whole.first() != Some(&b'0'));
    if no_digits || exponent == Some(b"") {
        Form::None
    } else if plain_whole && sign != Some(b'+') && fraction != Some(b"") {
        Form::Strict
    } else {
        Form::Mendable
    }
}

/// The number as strict JSON: `+01.` becomes `1`, `-.5` becomes `-0.5`.
pub(super) fn mended(raw: &str) -> Cow<'_, str> {
    if form(raw.as_bytes()) != Form::Mendable {
        return Cow::Borrowed(raw);
    }
    let negative = raw.starts_with('-');
    let unsigned = raw.trim_start_matches(['+', '-']);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => unsigned.split_at(at),
        None => (unsigned, ""),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let whole = whole.trim_start_matches('0');
    let mut text = String::with_capacity(raw.len().saturating_add(1));
    text.push_str(if negative { "-" } else { "" });
    text.push_str(if whole.is_empty() { "0" } else { whole });
    if !fraction.is_empty() {
        text.push('.');
        text.push_str(fraction);
    }
    text.push_str(exponent);
    Cow::Owned(text)
}

struct Parts<'a> {
    sign: Option<u8>,
    whole: &'a [u8],
    fraction: Option<&'a [u8]>,
    exponent: Option<&'a [u8]>,
}

/// Splits a number; `None` when a byte stands where no number has it.
fn parts(raw: &[u8]) -> Option<Parts<'_>> {
    let (sign, rest) = match raw.split_first() {
        Some((sign @ (b'+' | b'-'), rest)) => (Some(*sign), rest),
        _ => (None, raw),
    };
    let (whole, rest) = digits(rest);
    let (fraction, rest) = match rest.split_first() {
        Some((b'.', rest)) => {
            let (fraction, rest) = digits(rest);
            (Some(fraction), rest)
        }
        _ => (None, rest),
    };
    let (exponent, rest) = match rest.split_first() {
        Some((b'e' | b'E', rest)) => {
            let rest = match rest.split_first() {
                Some((b'+' | b'-', rest)) => rest,
                _ => rest,
            };
            let (exponent, rest) = digits(rest);
            (Some(exponent), rest)
        }
        _ => (None, rest),
    };
    rest.is_empty().then_some(Parts { sign, whole, fraction, exponent })
}

fn digits(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(bytes.len());
    bytes.split_at_checked(end).unwrap_or((bytes, &[]))
}
