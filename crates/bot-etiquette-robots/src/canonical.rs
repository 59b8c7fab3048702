//! The one form in which patterns and targets are compared (RFC 9309, section 2.2.2).
//!
//! - `%XX` of an unreserved octet is decoded; any other `%XX` gets upper-case digits and stays.
//! - An octet that no URI holds (blank, control, above `%7E`, one of `"<>\^{|}` or a backtick) is encoded.
//! - `%2A` and `%24` are a verbatim `*` and `$`, which a target's own `*` and `$` become too.
//! - A broken escape is left as it is. Nothing is decoded twice.
//! - After the first `?`, the escapes of `/ : ? @ '` equal the raw characters: clients write them either way.
//!   Before it, `%2F` is never a `/`.

/// The octet has to be percent-encoded.
pub(crate) const ENCODE: u8 = 1;
/// `%`
pub(crate) const PERCENT: u8 = 1 << 1;
/// `*`
pub(crate) const STAR: u8 = 1 << 2;
/// `$`
pub(crate) const DOLLAR: u8 = 1 << 3;
/// Blank, tab, vertical tab or form feed: no part of a value at its ends.
pub(crate) const BLANK: u8 = 1 << 4;
/// `#`
pub(crate) const HASH: u8 = 1 << 5;
/// Line end or NUL: the text of a line ends here.
pub(crate) const END: u8 = 1 << 6;

static CLASS: [u8; 256] = classes();

/// What `byte` may mean, as a set of the bits above.
#[inline]
pub(crate) fn class(byte: u8) -> u8 {
    CLASS.get(usize::from(byte)).copied().unwrap_or(ENCODE)
}

#[allow(clippy::indexing_slicing)] // evaluated by the compiler
const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        if byte <= 0x20 || byte >= 0x7f {
            table[byte] = ENCODE;
        }
        byte += 1;
    }
    let mut at = 0;
    let unfit = b"\"<>\\^`{|}";
    while at < unfit.len() {
        table[unfit[at] as usize] = ENCODE;
        at += 1;
    }
    table[b'%' as usize] = PERCENT;
    table[b'*' as usize] = STAR;
    table[b'$' as usize] = DOLLAR;
    table[b'#' as usize] = HASH;
    table[b' ' as usize] = ENCODE | BLANK;
    table[b'\t' as usize] = ENCODE | BLANK;
    table[0x0b] = ENCODE | BLANK;
    table[0x0c] = ENCODE | BLANK;
    table[b'\n' as usize] = ENCODE | END;
    table[b'\r' as usize] = ENCODE | END;
    table[0] = ENCODE | END;
    table
}

/// Which side of the comparison a text is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// A rule's pattern: `*` is an operator, and so is a final `$`.
    Pattern,
    /// A target: every octet is meant literally.
    Target {
        /// Whether escapes in the query are taken for the raw characters.
        fold_query: bool,
    },
}

/// Appends the canonical form of `text` to `out`; true when an escape in the query was folded.
pub(crate) fn push(text: &[u8], side: Side, out: &mut Vec<u8>) -> bool {
    let fold = !matches!(side, Side::Target { fold_query: false });
    let mut folded = false;
    let mut query = false;
    // Octets since a broken `%`: decoding a digit right behind one would make a new escape.
    let mut broken = Broken::No;
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'%' {
            let Some((value, after)) = escape(after) else {
                out.push(b'%');
                broken = Broken::Percent;
                continue;
            };
            rest = after;
            let makes_escape = broken != Broken::No && value.is_ascii_hexdigit();
            if is_unreserved(value) && !makes_escape {
                out.push(value);
            } else if query && fold && is_folded(value) {
                out.push(value);
                folded = true;
            } else {
                push_escape(value, out);
            }
            broken = Broken::No;
            continue;
        }
        broken = match broken {
            Broken::Percent if byte.is_ascii_hexdigit() => Broken::Digit,
            _ => Broken::No,
        };
        query |= byte == b'?';
        let kept = match side {
            Side::Pattern => match byte {
                b'$' => rest.is_empty(),
                _ => class(byte) & ENCODE == 0,
            },
            Side::Target { .. } => class(byte) & (ENCODE | STAR | DOLLAR) == 0,
        };
        if kept {
            out.push(byte);
        } else {
            push_escape(byte, out);
        }
    }
    folded
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Broken {
    No,
    Percent,
    Digit,
}

/// The octet that two hexadecimal digits at the start of `text` stand for, and what follows them.
fn escape(text: &[u8]) -> Option<(u8, &[u8])> {
    let (&high, rest) = text.split_first()?;
    let (&low, rest) = rest.split_first()?;
    let high = char::from(high).to_digit(16)?;
    let low = char::from(low).to_digit(16)?;
    Some((u8::try_from(high * 16 + low).ok()?, rest))
}

fn push_escape(byte: u8, out: &mut Vec<u8>) {
    let digit = |value: u8| if value < 10 { b'0' + value } else { b'A' + (value - 10) };
    out.extend_from_slice(&[b'%', digit(byte >> 4), digit(byte & 15)]);
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

fn is_folded(byte: u8) -> bool {
    matches!(byte, b'/' | b':' | b'?' | b'@' | b'\'')
}

/// Removes the segments `.` and `..` from the path before any `?`, as every client does before it asks.
pub(crate) fn remove_dot_segments(target: &mut Vec<u8>) {
    let path_end = memchr::memchr(b'?', target).unwrap_or(target.len());
    let (path, query) = target.split_at(path_end);
    if !has_dot_segment(path) {
        return;
    }
    let mut out: Vec<u8> = Vec::with_capacity(target.len());
    let mut segments = path.get(1..).unwrap_or_default().split(|&byte| byte == b'/').peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match segment {
            b"." => {
                if last {
                    out.push(b'/');
                }
            }
            b".." => {
                out.truncate(memchr::memrchr(b'/', &out).unwrap_or(0));
                if last {
                    out.push(b'/');
                }
            }
            _ => {
                out.push(b'/');
                out.extend_from_slice(segment);
            }
        }
    }
    if out.is_empty() {
        out.push(b'/');
    }
    out.extend_from_slice(query);
    *target = out;
}

fn has_dot_segment(path: &[u8]) -> bool {
    memchr::memmem::find_iter(path, b"/.").any(|at| {
        let after = path.get(at.saturating_add(2)..).unwrap_or_default();
        matches!(after, [] | [b'/', ..] | [b'.'] | [b'.', b'/', ..])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pattern(text: &str) -> String {
        let mut out = Vec::new();
        push(text.as_bytes(), Side::Pattern, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_pattern_takes_its_canonical_form() {
        for (written, canonical) in [
            ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
            ("/ツ", "/%E3%83%84"),
            ("/%e3%83%84", "/%E3%83%84"),
            ("/a%2fb", "/a%2Fb"),
            ("/a$b$", "/a%24b$"),
            ("/a%24", "/a%24"),
            ("/%2A*", "/%2A*"),
            ("/{x} y", "/%7Bx%7D%20y"),
            ("/100%", "/100%"),
            ("/%zz%4", "/%zz%4"),
            ("/%2541", "/%2541"),
            ("/x?u=http%3A%2F%2fh%26", "/x?u=http://h%26"),
            ("/%%34%31", "/%%341"),
            ("/%4%31", "/%4%31"),
        ] {
            assert_eq!(pattern(written), canonical, "{written}");
        }
    }

    #[test]
    fn dot_segments_go_before_the_query_alone() {
        for (given, left) in [
            ("/a/../b", "/b"),
            ("/a/./b", "/a/b"),
            ("/../../x", "/x"),
            ("/a/..", "/"),
            ("/a/b/.", "/a/b/"),
            ("/a/b/..", "/a/"),
            ("/.well-known/..x/.", "/.well-known/..x/"),
            ("/a?b/../c", "/a?b/../c"),
            ("//a/../b", "//b"),
            ("/..", "/"),
        ] {
            let mut target = given.as_bytes().to_vec();
            remove_dot_segments(&mut target);
            assert_eq!(String::from_utf8(target).unwrap(), left, "{given}");
        }
    }

    proptest! {
        #[test]
        fn the_canonical_form_of_a_canonical_form_is_itself(text in "[/a4%?:*$ é.2F]{0,24}", fold in any::<bool>()) {
            for side in [Side::Pattern, Side::Target { fold_query: fold }] {
                let mut once = Vec::new();
                push(text.as_bytes(), side, &mut once);
                let mut twice = Vec::new();
                push(&once, side, &mut twice);
                prop_assert_eq!(&once, &twice);
            }
        }

        #[test]
        fn removing_dot_segments_twice_changes_nothing(path in "/[a./?]{0,16}") {
            let mut once = path.into_bytes();
            remove_dot_segments(&mut once);
            let mut twice = once.clone();
            remove_dot_segments(&mut twice);
            prop_assert_eq!(once, twice);
        }
    }
}
