//! Texts without blanks around them.

/// As [`str::trim`]; most texts have no blank there, which is seen at their first and last bytes.
#[inline]
pub(crate) fn trimmed(text: &str) -> &str {
    match text.as_bytes() {
        [first, .., last] if first.is_ascii_graphic() && last.is_ascii_graphic() => text,
        _ => text.trim(),
    }
}
