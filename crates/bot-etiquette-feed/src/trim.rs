//! Texts without blanks around them.

/// As [`str::trim`]; most texts have no blank there, which is seen at their first and last bytes.
#[inline]
pub(crate) fn trimmed(text: &str) -> &str {
    match text.as_bytes() {
        [first, .., last] if first.is_ascii_graphic() && last.is_ascii_graphic() => text,
        _ => text.trim(),
    }
}

#[cfg(test)]
mod tests {
    use super::trimmed;

    #[test]
    fn a_text_is_trimmed_as_the_standard_does() {
        for text in
            ["", " ", "a", " a", "a ", "a b", "\u{a0}a\u{a0}", "é", " é ", "a\u{2003}", "\n\tab\u{85}"]
        {
            assert_eq!(trimmed(text), text.trim(), "{text:?}");
        }
    }
}
