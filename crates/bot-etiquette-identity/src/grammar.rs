//! The grammar of `User-Agent` (RFC 9110 section 10.1.5), read byte by byte.
//!
//! `User-Agent = product *( RWS ( product / comment ) )`, `product = token [ "/" token ]`, and comments nest
//! (section 5.6.5). Depth is a counter, not a call stack.

/// One element of a User-Agent: a product or a comment.
///
/// ```
/// use bot_etiquette_identity::{Part, UserAgent};
///
/// let agent: UserAgent = "CrumbBot/1.0 (+https://bots.example.net/crumb)".parse()?;
/// let parts: Vec<_> = agent.parts().collect();
/// assert_eq!(parts[0], Part::Product { name: "CrumbBot", version: Some("1.0") });
/// assert_eq!(parts[1], Part::Comment("+https://bots.example.net/crumb"));
/// # Ok::<(), bot_etiquette_identity::UserAgentError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// `name` or `name/version`.
    Product {
        /// The product's name.
        name: &'a str,
        /// What follows the slash, if there is one.
        version: Option<&'a str>,
    },
    /// What stands between the outer parentheses, as written.
    Comment(&'a str),
}

/// The elements of a User-Agent in order; made by [`UserAgent::parts`](crate::UserAgent::parts).
#[derive(Clone, Debug)]
pub struct Parts<'a> {
    text: &'a str,
    at: usize,
}

/// Where and why a string is not a User-Agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a User-Agent of RFC 9110 10.1.5: {fault} at byte {at}")]
pub struct UserAgentError {
    at: usize,
    fault: GrammarFault,
}

impl UserAgentError {
    pub(crate) const fn new(at: usize, fault: GrammarFault) -> Self {
        Self { at, fault }
    }

    /// The offset of the first byte that does not fit, counted from zero.
    #[must_use]
    pub const fn at(&self) -> usize {
        self.at
    }

    /// What was wrong there.
    #[must_use]
    pub const fn fault(&self) -> GrammarFault {
        self.fault
    }
}

/// What the grammar of `User-Agent` did not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GrammarFault {
    /// Nothing but white space.
    #[error("it is empty")]
    Empty,
    /// It begins with a comment; a product must come first.
    #[error("a product must come first")]
    CommentFirst,
    /// A byte that may not stand in a product name or version.
    #[error("a character that no product name or version may hold")]
    NotAToken,
    /// A slash with no version behind it.
    #[error("a version is missing after the slash")]
    EmptyVersion,
    /// Two elements with no white space between them.
    #[error("white space is missing between two parts")]
    NoSpace,
    /// A comment that never ends.
    #[error("a comment is not closed")]
    OpenComment,
    /// A control character, such as a line break that would start another header field.
    #[error("a control character")]
    Control,
    /// Bytes beyond ASCII: old comments may hold them, this crate neither writes nor takes them.
    #[error("a byte beyond ASCII")]
    NotAscii,
    /// Longer than [`UserAgent::MAX_BYTES`](crate::UserAgent::MAX_BYTES).
    #[error("it is longer than {} bytes", crate::UserAgent::MAX_BYTES)]
    TooLong,
}

/// Checks the whole of `bytes`, and says where it first leaves the grammar.
pub(crate) fn check(bytes: &[u8]) -> Result<&str, UserAgentError> {
    if bytes.len() > crate::UserAgent::MAX_BYTES {
        return Err(UserAgentError::new(crate::UserAgent::MAX_BYTES, GrammarFault::TooLong));
    }
    let bad = |byte: &u8| (byte.is_ascii_control() && *byte != b'\t') || !byte.is_ascii();
    if let Some(at) = bytes.iter().position(bad) {
        let control = bytes.get(at).is_some_and(u8::is_ascii_control);
        let fault = if control { GrammarFault::Control } else { GrammarFault::NotAscii };
        return Err(UserAgentError::new(at, fault));
    }
    let text = std::str::from_utf8(bytes).unwrap_or_default().trim_matches([' ', '\t']);
    let offset = bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    if text.is_empty() {
        return Err(UserAgentError::new(0, GrammarFault::Empty));
    }
    let at = |error: UserAgentError| UserAgentError::new(error.at + offset, error.fault);
    let mut parts = Parts::new(text);
    while parts.read().map_err(at)?.is_some() {}
    Ok(text)
}

impl<'a> Parts<'a> {
    pub(crate) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The next element; `Ok(None)` at the end.
    fn read(&mut self) -> Result<Option<Part<'a>>, UserAgentError> {
        let trimmed = self.rest().trim_start_matches([' ', '\t']);
        let start = self.text.len() - trimmed.len();
        if trimmed.is_empty() {
            return Ok(None);
        }
        if start == self.at && self.at > 0 {
            return Err(UserAgentError::new(self.at, GrammarFault::NoSpace));
        }
        let (part, length) = if trimmed.starts_with('(') {
            if start == 0 {
                return Err(UserAgentError::new(0, GrammarFault::CommentFirst));
            }
            comment(trimmed)
        } else {
            product(trimmed)
        }
        .map_err(|error| UserAgentError::new(error.at + start, error.fault))?;
        self.at = start + length;
        Ok(Some(part))
    }
}

impl<'a> Iterator for Parts<'a> {
    type Item = Part<'a>;

    fn next(&mut self) -> Option<Part<'a>> {
        self.read().ok().flatten()
    }
}

/// A comment from its opening parenthesis: its inside, and the bytes it takes with both parentheses.
fn comment(text: &str) -> Result<(Part<'_>, usize), UserAgentError> {
    let mut depth = 0_usize;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'(' => depth += 1,
            b')' if depth == 1 => {
                return Ok((Part::Comment(text.get(1..at).unwrap_or_default()), at + 1));
            }
            b')' => depth -= 1,
            _ => {}
        }
    }
    Err(UserAgentError::new(0, GrammarFault::OpenComment))
}

/// A product from its first byte: its name and version, and the bytes it takes.
fn product(text: &str) -> Result<(Part<'_>, usize), UserAgentError> {
    let (name, rest) = token(text);
    if name.is_empty() {
        return Err(UserAgentError::new(0, GrammarFault::NotAToken));
    }
    let Some(after) = rest.strip_prefix('/') else {
        return ended(rest, name.len()).map(|length| (Part::Product { name, version: None }, length));
    };
    let (version, rest) = token(after);
    let length = name.len() + 1 + version.len();
    if version.is_empty() {
        return Err(UserAgentError::new(length, GrammarFault::EmptyVersion));
    }
    ended(rest, length).map(|length| (Part::Product { name, version: Some(version) }, length))
}

/// A product ends at white space, at the end, or (a missing space, reported by the reader) at a comment.
fn ended(rest: &str, length: usize) -> Result<usize, UserAgentError> {
    match rest.bytes().next() {
        None | Some(b' ' | b'\t' | b'(') => Ok(length),
        Some(_) => Err(UserAgentError::new(length, GrammarFault::NotAToken)),
    }
}

fn token(text: &str) -> (&str, &str) {
    text.split_at_checked(text.bytes().take_while(|byte| is_tchar(*byte)).count()).unwrap_or((text, ""))
}

/// `tchar` of RFC 9110 section 5.6.2.
pub(crate) fn is_tchar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
