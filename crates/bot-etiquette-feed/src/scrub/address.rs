//! E-mail addresses, plain and disguised.

use std::iter::Peekable;

use memchr::{Memchr2, Memchr3};

use super::{Find, Kind, after, before};
use crate::kinds::Kinds;

/// What people write for the at sign; the longer ones first.
pub(super) const AT: [&str; 16] = [
    "(arroba)", "[arroba]", "{arroba}", "&commat;", "&#0064;", "&#064;", "&#x40;", "&#x040;", "&#64;",
    "arroba", "(at)", "[at]", "{at}", "( at )", "%40", "@",
];
/// What people write for the dot, beside the dot.
const DOT: [&str; 9] = ["(punto)", "[punto]", "{punto}", "punto", "(dot)", "[dot]", "{dot}", "dot", "&#46;"];
/// Bytes looked at on either side of the at sign; an address is no longer (RFC 5321, 4.5.3.1).
const REACH: usize = 320;

/// Whether a text that holds bytes of these kinds may hold an address: without an at sign in any guise there is none.
pub(super) fn may_stand_in(bytes: &[u8], kinds: Kinds) -> bool {
    let is_sign = |at: usize| sign_from(bytes, at).is_some();
    kinds.any(Kinds::SIGN) && memchr::memchr3_iter(b'@', b'&', b'%', bytes).any(is_sign)
        || kinds.any(Kinds::BRACKET) && memchr::memchr3_iter(b'(', b'[', b'{', bytes).any(is_sign)
        || kinds.any(Kinds::LETTER_B)
            && holds_rro(bytes)
            && memchr::memchr2_iter(b'b', b'B', bytes).any(is_sign)
}

/// Whether the rarest letters of `arroba` stand somewhere; without a way out, so that many bytes are compared at once.
fn holds_rro(bytes: &[u8]) -> bool {
    let [second, third] = [1, 2].map(|from| bytes.get(from..).unwrap_or_default());
    let threes = bytes.iter().zip(second).zip(third);
    // No difference but that of capitals.
    let difference =
        |((one, two), three): ((&u8, &u8), &u8)| ((one ^ b'r') | (two ^ b'r') | (three ^ b'o')) & !0x20;
    threes.map(difference).fold(u8::MAX, u8::min) == 0
}

/// The bytes that may tell an at sign, in order.
struct Telling<'a> {
    signs: Peekable<Memchr3<'a>>,
    brackets: Peekable<Memchr3<'a>>,
    letters: Peekable<Memchr2<'a>>,
}

impl<'a> Telling<'a> {
    fn of(bytes: &'a [u8]) -> Self {
        Self {
            signs: memchr::memchr3_iter(b'@', b'&', b'%', bytes).peekable(),
            brackets: memchr::memchr3_iter(b'(', b'[', b'{', bytes).peekable(),
            letters: memchr::memchr2_iter(b'b', b'B', bytes).peekable(),
        }
    }
}

impl Iterator for Telling<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let heads = [self.signs.peek(), self.brackets.peek(), self.letters.peek()];
        let first = *heads.into_iter().flatten().min()?;
        let _ = self.signs.next_if_eq(&first).or_else(|| self.brackets.next_if_eq(&first));
        let _ = self.letters.next_if_eq(&first);
        Some(first)
    }
}

/// Where the at sign begins, in one of its guises, whose telling byte may be the one at `at`.
fn sign_from(bytes: &[u8], at: usize) -> Option<usize> {
    let next = bytes.get(at.saturating_add(1)).copied().unwrap_or(0);
    let tells = match bytes.get(at)? {
        b'@' => true,
        b'%' => next == b'4',
        b'&' => matches!(next, b'#' | b'c' | b'C'),
        b'(' | b'[' | b'{' => matches!(next, b'a' | b'A' | b' '),
        b'b' | b'B' => {
            let start = at.checked_sub(4)?;
            return bytes.get(start..at)?.eq_ignore_ascii_case(b"arro").then_some(start);
        }
        _ => false,
    };
    tells.then_some(at)
}

pub(super) fn emails(text: &str, finds: &mut Vec<Find>) {
    let bytes = text.as_bytes();
    let mut from = 0;
    for place in Telling::of(bytes) {
        let Some(at) = sign_from(bytes, place).filter(|at| *at >= from) else { continue };
        let Some((sign, length)) = disguise(text, at, &AT) else { continue };
        let after_sign = at.saturating_add(length);
        let spaced = sign != "@" && sign != "%40";
        let word = at < place;
        if word && !(stands_alone(text, at, after_sign)) {
            continue;
        }
        // A lone "@" between blanks is a disguise too; "@name" after a blank is a handle.
        let open_both = text.as_bytes().get(after_sign) == Some(&b' ') && before(text, at) == Some(' ');
        let Some(start) = local_part(text, at, from, spaced || open_both) else { continue };
        let Some(end) = domain(text, after_sign, spaced || open_both) else { continue };
        let start = without_scheme(text, start, from);
        finds.push(Find { at: start..end, kind: Kind::Email });
        from = end;
    }
}

/// Which of `signs` stands at `at`, and how long it is.
fn disguise(text: &str, at: usize, signs: &[&'static str]) -> Option<(&'static str, usize)> {
    let rest = text.as_bytes().get(at..)?;
    signs
        .iter()
        .find(|sign| rest.get(..sign.len()).is_some_and(|start| start.eq_ignore_ascii_case(sign.as_bytes())))
        .map(|sign| (*sign, sign.len()))
}

fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    !before(text, start).is_some_and(char::is_alphanumeric)
        && !after(text, end).is_some_and(char::is_alphanumeric)
}

fn local_part(text: &str, at: usize, from: usize, spaced: bool) -> Option<usize> {
    let left = text.get(from..at)?;
    let left = if spaced { left.trim_end_matches(' ') } else { left };
    if at.saturating_sub(from.saturating_add(left.len())) > 3 {
        return None;
    }
    let mut length = 0;
    for character in left.chars().rev() {
        if length >= REACH || !(character.is_alphanumeric() || is_local_sign(character)) {
            break;
        }
        length += character.len_utf8();
    }
    let taken = left.get(left.len().saturating_sub(length)..)?;
    taken.contains(char::is_alphanumeric).then(|| from + left.len() - length)
}

fn is_local_sign(character: char) -> bool {
    matches!(character, '.' | '_' | '%' | '+' | '\'' | '-' | '~' | '!' | '$' | '*' | '^' | '`')
}

/// Where the domain that starts at `start` ends: labels, a dot at least, a last label of two letters or more.
fn domain(text: &str, start: usize, spaced: bool) -> Option<usize> {
    let mut at = if spaced { skip_blanks(text, start) } else { start };
    let mut end = None;
    let mut labels = 0_usize;
    while at < start.saturating_add(REACH) {
        let stop = label(text, at);
        if stop == at {
            break;
        }
        labels = labels.saturating_add(1);
        let letters =
            text.get(at..stop).unwrap_or_default().chars().filter(|letter| letter.is_alphabetic()).count();
        if labels > 1 && letters >= 2 {
            end = Some(stop);
        }
        match dot(text, stop) {
            Some(next) => at = next,
            None => break,
        }
    }
    end
}

fn label(text: &str, start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let length: usize = rest
        .chars()
        .take(64)
        .take_while(|character| character.is_alphanumeric() || matches!(character, '-' | '_'))
        .map(char::len_utf8)
        .sum();
    start.saturating_add(length)
}

/// Behind the dot at `at`, plain or in words.
fn dot(text: &str, at: usize) -> Option<usize> {
    if text.as_bytes().get(at) == Some(&b'.') {
        return Some(at.saturating_add(1));
    }
    let start = skip_blanks(text, at);
    let (sign, length) = disguise(text, start, &DOT)?;
    let end = start.saturating_add(length);
    let word = sign == "punto" || sign == "dot";
    (!word || start > at && stands_alone(text, start, end)).then(|| skip_blanks(text, end))
}

fn skip_blanks(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    at.saturating_add(rest.iter().take(3).take_while(|byte| **byte == b' ').count())
}

fn without_scheme(text: &str, start: usize, from: usize) -> usize {
    let left = text.get(from..start).unwrap_or_default();
    let has = left.len().checked_sub(7).and_then(|at| left.get(at..));
    if has.is_some_and(|scheme| scheme.eq_ignore_ascii_case("mailto:")) {
        start.saturating_sub(7)
    } else {
        start
    }
}

#[cfg(test)]
mod tests {
    use super::{AT, Telling, emails, may_stand_in, sign_from};
    use crate::kinds::Kinds;

    #[test]
    fn each_guise_of_the_at_sign_is_looked_at_where_it_stands() {
        for sign in AT.iter().flat_map(|sign| [sign.to_lowercase(), sign.to_uppercase()]) {
            for blank in ["", " "] {
                let text = format!("Abba: persona{blank}{sign}{blank}example.org & co.");
                let bytes = text.as_bytes();
                let mut finds = Vec::new();
                emails(&text, &mut finds);
                let at = text.find(&sign);
                let found = finds.iter().any(|find| at.is_some_and(|at| find.at.contains(&at)));
                let looked_at = may_stand_in(bytes, Kinds::of(&text));
                let told = Telling::of(bytes).any(|place| sign_from(bytes, place) == at);
                assert!(looked_at && told, "{text:?}");
                // The word stands alone, and the bare sign and its percent form take no blanks on one side only.
                assert!(
                    found || sign.eq_ignore_ascii_case("arroba") && blank.is_empty() || sign == "%40",
                    "{text:?}"
                );
            }
        }
    }
}
