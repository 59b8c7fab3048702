//! How much one document may ask of its reader.

/// Limits of one document; anything over them is an error, never a silent cut.
///
/// ```
/// use bot_etiquette_lenient::json::{JsonErrorKind, Limits, Tokens};
///
/// let limits = Limits { depth: 2, ..Limits::default() };
/// let error = Tokens::new(b"[[[1]]]", limits).find_map(Result::err).map(|error| error.kind());
/// assert_eq!(error, Some(JsonErrorKind::TooDeep { limit: 2 }));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Arrays and objects open at once; default 512, at most 65,536.
    pub depth: usize,
    /// Bytes of one string or number as written, quotes included; default 16 MiB. A [`Stream`](super::Stream) holds
    /// this much at the most.
    pub token: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 512, token: 16 * 1024 * 1024 }
    }
}

/// The most that [`Limits::depth`] can be: one bit a level is kept.
pub(super) const MAX_DEPTH: usize = 65_536;
