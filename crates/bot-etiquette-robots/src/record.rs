//! The lines of a robots.txt as records, borrowed from the text.

/// One `key: value` line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record<'a> {
    /// The line it stands on, from 1.
    pub line: u32,
    /// The key as written.
    pub name: &'a [u8],
    /// The value without blanks around it and without a comment.
    pub value: &'a [u8],
}
