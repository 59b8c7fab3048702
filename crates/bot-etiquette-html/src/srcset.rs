//! The `srcset` attribute.
//!
//! Source: HTML Standard, "parse a srcset attribute". A comma may be a part of a URL.

use std::ops::Range;

/// One image of a `srcset`.
///
/// ```
/// use bot_etiquette_html::srcset;
///
/// let urls: Vec<_> = srcset("/a,b.jpg 1x, /c.jpg 2x").filter_map(|image| image.valid.then_some(image.url)).collect();
/// assert_eq!(urls, ["/a,b.jpg", "/c.jpg"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate<'a> {
    /// The URL as written.
    pub url: &'a str,
    /// The descriptors as written, such as `2x` or `640w`; empty for none, which means `1x`.
    pub descriptors: &'a str,
    /// Whether the descriptors make sense; a browser drops the image where they do not.
    pub valid: bool,
}

/// The images that a `srcset` value names, in order.
pub fn srcset(value: &str) -> impl Iterator<Item = Candidate<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let bytes = value.as_bytes();
        at += count(bytes.get(at..)?, |byte| is_space(byte) || byte == b',');
        let start = at;
        at += count(bytes.get(at..)?, |byte| !is_space(byte));
        let written = value.get(start..at)?;
        let url = written.trim_end_matches(',');
        if url.is_empty() {
            return None;
        }
        let descriptors = if url.len() == written.len() { descriptors(bytes, at) } else { at..at };
        at = descriptors.end;
        let descriptors = value.get(descriptors)?.trim_matches(SPACES);
        Some(Candidate { url, descriptors, valid: is_valid(descriptors) })
    })
}

const SPACES: [char; 5] = ['\t', '\n', '\x0c', '\r', ' '];

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')
}

fn count(bytes: &[u8], wanted: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !wanted(*byte)).unwrap_or(bytes.len())
}

/// From `start` to the comma that ends the candidate; a comma in parentheses does not.
fn descriptors(bytes: &[u8], start: usize) -> Range<usize> {
    let mut in_parens = false;
    for (offset, byte) in bytes.iter().enumerate().skip(start) {
        match byte {
            b'(' => in_parens = true,
            b')' => in_parens = false,
            b',' if !in_parens => return start..offset,
            _ => {}
        }
    }
    start..bytes.len()
}

fn is_valid(descriptors: &str) -> bool {
    let (mut width, mut density, mut height) = (false, false, false);
    for descriptor in descriptors.split(SPACES).filter(|part| !part.is_empty()) {
        let mut chars = descriptor.chars();
        let unit = chars.next_back();
        let number = chars.as_str();
        let seen = match unit {
            Some('w') if is_positive(number) && !density => &mut width,
            Some('x') if is_density(number) && !width && !height => &mut density,
            Some('h') if is_positive(number) && !density => &mut height,
            _ => return false,
        };
        if std::mem::replace(seen, true) {
            return false;
        }
    }
    width || !height
}

fn is_positive(number: &str) -> bool {
    !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && number.bytes().any(|byte| byte != b'0')
}

/// A valid floating-point number by HTML, of zero or more: no `+`, no `inf`, a digit after the point.
fn is_density(number: &str) -> bool {
    let starts =
        number.strip_prefix('-').unwrap_or(number).starts_with(|c: char| c.is_ascii_digit() || c == '.');
    starts
        && !number.ends_with('.')
        && number.parse::<f64>().is_ok_and(|number| number.is_finite() && number >= 0.0)
}
