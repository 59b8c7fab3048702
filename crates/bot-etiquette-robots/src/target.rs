//! What is to be fetched, made ready for comparison with rules.

use std::borrow::Cow;

use crate::canonical::{self, DOLLAR, ENCODE, HASH, PERCENT, STAR, Side, class};

/// The path and query of what is to be fetched, in the form that rules are compared with.
///
/// Read from an absolute URL of any scheme, or from a path with an optional query (the request target as it
/// goes over the wire). The fragment is dropped, dot segments are removed, tabs and line ends are ignored as
/// clients ignore them. A path that begins with `//` is a path, not a host. A backslash in the path is read as the
/// slash that most clients make of it, and as itself: the target is allowed when both are.
///
/// [`Rules::verdict`](crate::Rules::verdict) does this by itself; make a `Target` to learn why a text is none, or to ask several
/// [`Rules`](crate::Rules) about the same one.
///
/// ```
/// use bot_etiquette_robots::{Target, TargetError};
///
/// let target = Target::parse("https://example.com/a/../caf%c3%a9?q=1#top")?;
/// assert_eq!(target.as_bytes(), b"/caf%C3%A9?q=1");
/// assert_eq!(Target::parse("pages/a.html"), Err(TargetError::Relative));
/// # Ok::<(), TargetError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target<'a> {
    path: Cow<'a, [u8]>,
    /// The form with the query's escapes and the path's backslashes left alone, where it differs.
    verbatim: Option<Vec<u8>>,
    backslash: bool,
}

/// Why a text is no [`Target`].
///
/// ```
/// use bot_etiquette_robots::{Target, TargetError};
///
/// assert_eq!(Target::parse("https:///page"), Err(TargetError::NoHost));
/// assert_eq!(Target::parse("mailto:a@example.com"), Err(TargetError::Relative));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// Nothing was given.
    #[error(
        "the target is empty: expected an absolute URL such as https://example.com/page, or a path such as /page"
    )]
    Empty,
    /// Neither a scheme nor a leading `/`.
    #[error(
        "a relative URL: expected an absolute one such as https://example.com/page, or a path such as /page"
    )]
    Relative,
    /// No host between the scheme and the path.
    #[error("the URL has no host: expected scheme://host/path")]
    NoHost,
}

impl<'a> Target<'a> {
    /// Reads an absolute URL, or a path with an optional query.
    pub fn parse<T: AsRef<[u8]> + ?Sized>(target: &'a T) -> Result<Self, TargetError> {
        let given = target.as_ref();
        if given.first() == Some(&b'/') {
            return Ok(Self::from_path(given));
        }
        let path = path_of_url(given);
        match path {
            Ok(path) => Ok(Self::from_path(path)),
            // Blanks around and line ends inside are no part of a URL; texts that hold them are rare.
            Err(error) => {
                let trimmed = given.trim_ascii();
                if trimmed.len() == given.len() && memchr::memchr3(b'\t', b'\r', b'\n', given).is_none() {
                    return Err(error);
                }
                let clean = without_line_ends(trimmed);
                let path = if clean.first() == Some(&b'/') { &clean } else { path_of_url(&clean)? };
                let Target { path, verbatim, backslash } = Target::from_path(path);
                Ok(Self { path: Cow::Owned(path.into_owned()), verbatim, backslash })
            }
        }
    }

    /// The canonical path and query.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.path
    }

    /// The forms to compare with rules: one, or two when the query holds escapes of `/ : ? @ '` or the path a
    /// backslash.
    pub(crate) fn forms(&self) -> (&[u8], Option<&[u8]>) {
        (&self.path, self.verbatim.as_deref())
    }

    /// Whether the path holds a backslash, which makes two forms that differ in their segments.
    pub(crate) fn has_backslash(&self) -> bool {
        self.backslash
    }

    fn from_path(path: &'a [u8]) -> Self {
        let mut seen = 0;
        let mut dotted = false;
        let mut before = 0;
        for &byte in path {
            seen |= class(byte);
            dotted |= before == b'/' && byte == b'.';
            before = byte;
        }
        let path = if seen & HASH == 0 { path } else { up_to(path, b'#') };
        let clean = seen & (ENCODE | PERCENT | STAR | DOLLAR) == 0 && !dotted;
        if clean && path.first() == Some(&b'/') {
            return Self { path: Cow::Borrowed(path), verbatim: None, backslash: false };
        }
        Self::rewritten(path)
    }

    #[cold]
    fn rewritten(path: &[u8]) -> Self {
        let path = without_line_ends(path);
        let path = path.trim_ascii_end();
        let slashed = slashed(path);
        let form = |path: &[u8], fold_query| {
            let mut out = Vec::with_capacity(path.len().saturating_add(8));
            // A URL such as https://example.com?q has no path of its own; a backslash there is a slash.
            let path = match path {
                [b'/', ..] => path,
                [b'\\', rest @ ..] => {
                    out.push(b'/');
                    rest
                }
                _ => {
                    out.push(b'/');
                    path
                }
            };
            let folded = canonical::push(path, Side::Target { fold_query }, &mut out);
            canonical::remove_dot_segments(&mut out);
            (out, folded)
        };
        let (read, folded) = form(&slashed, true);
        let backslash = matches!(slashed, Cow::Owned(_));
        let verbatim = (folded || backslash).then(|| form(path, false).0);
        Self { path: Cow::Owned(read), verbatim, backslash }
    }
}

/// The path, query and fragment of an absolute URL.
fn path_of_url(url: &[u8]) -> Result<&[u8], TargetError> {
    if url.is_empty() {
        return Err(TargetError::Empty);
    }
    let rest = match url.strip_prefix(b"https://") {
        Some(rest) => rest,
        None => behind_scheme(url).ok_or(TargetError::Relative)?,
    };
    let authority =
        rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#' | b'\\')).unwrap_or(rest.len());
    if authority == 0 {
        return Err(TargetError::NoHost);
    }
    Ok(rest.get(authority..).unwrap_or_default())
}

fn behind_scheme(url: &[u8]) -> Option<&[u8]> {
    let (scheme, rest) = url.split_at_checked(memchr::memchr(b':', url)?)?;
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    rest.strip_prefix(b"://").filter(|_| is_scheme)
}

fn up_to(text: &[u8], byte: u8) -> &[u8] {
    memchr::memchr(byte, text).and_then(|end| text.get(..end)).unwrap_or(text)
}

/// The path with the slashes that clients make of its backslashes; the query keeps its own.
fn slashed(target: &[u8]) -> Cow<'_, [u8]> {
    let path = up_to(target, b'?');
    if memchr::memchr(b'\\', path).is_none() {
        return Cow::Borrowed(target);
    }
    let slashes = path.iter().map(|&byte| if byte == b'\\' { b'/' } else { byte });
    Cow::Owned(slashes.chain(target.get(path.len()..).unwrap_or_default().iter().copied()).collect())
}

fn without_line_ends(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr3(b'\t', b'\r', b'\n', text).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.iter().copied().filter(|byte| !matches!(byte, b'\t' | b'\r' | b'\n')).collect())
}
