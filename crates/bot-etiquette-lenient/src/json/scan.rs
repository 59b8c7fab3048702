//! Looking for where something ends, without looking at a byte twice when more bytes arrive.

pub(super) const BOM: &[u8] = b"\xEF\xBB\xBF";
pub(super) const COMMENT: &[u8] = b"<!--";
const COMMENT_END: &[u8] = b"-->";

/// How far into the input the bracket of a JSONP call is looked for, in bytes.
const MAX_JSONP_HEAD: usize = 256;

/// How far an unfinished token has been looked at.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scan {
    seen: usize,
    escaped: bool,
}

impl Scan {
    /// The place of the quote that ends a string of which the first `quotes` bytes, none or one, are the opening quote.
    #[inline]
    pub(super) fn string_end(&mut self, bytes: &[u8], quotes: usize) -> Option<usize> {
        let mut at = self.seen.max(quotes);
        loop {
            let rest = bytes.get(at..).unwrap_or_default();
            let Some(stop) = quote_or_backslash(rest) else {
                self.seen = bytes.len().max(quotes);
                return None;
            };
            at = at.saturating_add(stop);
            if rest.get(stop) == Some(&b'"') {
                return Some(at);
            }
            self.escaped = true;
            if at.saturating_add(1) >= bytes.len() {
                self.seen = at; // the backslash is looked at again, with what it escapes
                return None;
            }
            at = at.saturating_add(2);
        }
    }

    /// Where the run of bytes that `belongs` to a token ends.
    #[inline]
    pub(super) fn run_end(&mut self, bytes: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
        let rest = bytes.get(self.seen..).unwrap_or_default();
        let run = rest.iter().position(|byte| !belongs(*byte)).unwrap_or(rest.len());
        self.seen = self.seen.saturating_add(run);
        self.seen
    }

    /// The place behind the comment that begins with the first byte.
    pub(super) fn comment_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let from = self.seen.max(COMMENT.len());
        match memchr::memmem::find(bytes.get(from..).unwrap_or_default(), COMMENT_END) {
            Some(stop) => Some(from.saturating_add(stop).saturating_add(COMMENT_END.len())),
            None => {
                self.seen = bytes.len().saturating_sub(COMMENT_END.len() - 1);
                None
            }
        }
    }

    /// How far the token has been looked at; what comes next is looked at as if it began there.
    pub(super) fn take_seen(&mut self) -> usize {
        std::mem::take(&mut self.seen)
    }

    /// Forgets the token that has ended; tells whether it was a string with escapes.
    #[inline]
    pub(super) fn finish(&mut self) -> bool {
        std::mem::take(self).escaped
    }
}

/// The place of the first byte from `at` that is no JSON white space.
#[inline]
pub(super) fn skip_space(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    if rest.first().is_some_and(|byte| *byte > b' ') {
        return at;
    }
    let space =
        rest.iter().position(|byte| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t')).unwrap_or(rest.len());
    at.saturating_add(space)
}

/// How long the head of a JSONP call, `name(` or `/**/name(`, is; 0 where there is none, `None` where more bytes are
/// needed to tell.
pub(super) fn jsonp_head(bytes: &[u8], last: bool) -> Option<usize> {
    let whole = bytes.len() > MAX_JSONP_HEAD || last;
    let bytes = bytes.get(..MAX_JSONP_HEAD).unwrap_or(bytes);
    let guard = if bytes.starts_with(b"/**/") { 4 } else { 0 };
    let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.');
    let name = bytes.iter().skip(guard).take_while(|byte| in_name(byte)).count();
    let starts_a_name =
        bytes.get(guard).is_some_and(|byte| in_name(byte) && !byte.is_ascii_digit() && *byte != b'.');
    if guard == 0 && !starts_a_name {
        return Some(0);
    }
    let open = skip_space(bytes, guard.saturating_add(name));
    match bytes.get(open) {
        Some(b'(') if starts_a_name => Some(open.saturating_add(1)),
        None if !whole => None,
        _ => Some(0),
    }
}

/// Most strings are short: two words of eight bytes each are cheaper than starting a wide search.
#[inline]
fn quote_or_backslash(bytes: &[u8]) -> Option<usize> {
    const QUOTES: u64 = u64::from_ne_bytes([b'"'; 8]);
    const BACKSLASHES: u64 = u64::from_ne_bytes([b'\\'; 8]);
    let mut at = 0_usize;
    for word in bytes.as_chunks().0.iter().take(2) {
        let word = u64::from_le_bytes(*word);
        let stops = zero_bytes(word ^ QUOTES) | zero_bytes(word ^ BACKSLASHES);
        if stops != 0 {
            return Some(at.saturating_add(stops.trailing_zeros() as usize / 8));
        }
        at = at.saturating_add(8);
    }
    Some(memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?.saturating_add(at))
}

/// The high bit of the lowest byte that is zero, and perhaps of some above it.
#[inline]
const fn zero_bytes(word: u64) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    word.wrapping_sub(ONES) & !word & (ONES << 7)
}
