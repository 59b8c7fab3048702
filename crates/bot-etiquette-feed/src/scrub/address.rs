//! E-mail addresses, plain and disguised.

use std::iter::Peekable;

use memchr::Memchr3;

use super::{Find, Kind, after, before};
use crate::kinds::Kinds;

/// What a machine writes for the at sign; the longer ones first.
const ENCODED: [&str; 11] = [
    "&commat;", "&commat", "&#0064;", "&#x040;", "&#064;", "&#x40;", "&#x40", "&#64;", "&#64", "%2540", "%40",
];
/// What people write for it, in brackets or between blanks.
const WORDS: [&str; 3] = ["arroba", "arrova", "at"];
/// What people write for the dot, beside the dot.
const DOT: [&str; 13] = [
    "(punto)", "[punto]", "{punto}", "punto", "(dot)", "[dot]", "{dot}", "dot", "&#46;", "punt", "point",
    "ponto", "punkt",
];
/// Ends of domains that tell one where a blank or an English word leaves it open.
const ENDINGS: [&str; 24] = [
    "org",
    "com",
    "net",
    "es",
    "cat",
    "eus",
    "gal",
    "info",
    "edu",
    "gob",
    "gov",
    "eu",
    "uk",
    "fr",
    "de",
    "it",
    "pt",
    "int",
    "io",
    "app",
    "biz",
    "ad",
    "madrid",
    "barcelona",
];
/// Words before an English "at" that lead to a site, and are nobody's mailbox.
const TO_A_SITE: [&str; 16] = [
    "us",
    "online",
    "more",
    "tickets",
    "available",
    "website",
    "out",
    "is",
    "are",
    "found",
    "page",
    "details",
    "register",
    "book",
    "live",
    "it",
];
/// Characters looked at on either side of the at sign; an address is no longer (RFC 5321, 4.5.3.1).
const REACH: usize = 320;
/// Blanks between the parts of an address at the most.
const BLANKS: usize = 3;

/// Whether a text that holds bytes of these kinds may hold an address: without an at sign in any guise there is none.
pub(super) fn may_stand_in(text: &str, kinds: Kinds) -> bool {
    let bytes = text.as_bytes();
    let is_sign = |at: usize| sign_from(bytes, at).is_some();
    kinds.any(Kinds::SIGN) && memchr::memchr3_iter(b'@', b'&', b'%', bytes).any(is_sign)
        || kinds.any(Kinds::BRACKET) && memchr::memchr3_iter(b'(', b'[', b'{', bytes).any(is_sign)
        // Most texts in English have the word: what stands behind it tells more.
        || Words::stand_in(bytes)
            && Words::of(bytes).any(|at| sign_from(bytes, at).is_some_and(|sign| domain(text, &sign).is_some()))
}

/// An at sign in one of its guises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sign {
    start: usize,
    end: usize,
    /// A word without brackets, which must stand alone.
    word: bool,
    /// The English word, which is more often none.
    english: bool,
}

/// The places where a word for the at sign may begin: the blank before `at`, the letter behind the first of `arroba`.
struct Words<'a> {
    bytes: &'a [u8],
    from: usize,
}

impl<'a> Words<'a> {
    fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, from: 0 }
    }

    /// Whether there is one; without a way out, so that many bytes are compared at once.
    fn stand_in(bytes: &[u8]) -> bool {
        let [two, three, four] = [1, 2, 3].map(|from| bytes.get(from..).unwrap_or_default());
        let places = bytes.iter().zip(two).zip(three).zip(four);
        let difference = |(((one, two), three), four): (((&u8, &u8), &u8), &u8)| {
            Self::difference([*one, *two, *three, *four])
        };
        places.map(difference).fold(u8::MAX, u8::min) == 0
    }

    /// Zero where these four bytes tell a word, whatever their case.
    fn difference([one, two, three, four]: [u8; 4]) -> u8 {
        // The last letter is one of `b` and `v`, or another that differs in the same bits.
        let arroba = ((one ^ b'r') | (two ^ b'r') | (three ^ b'o') | (four ^ b'b') & !0x14) & !0x20;
        let at = (one ^ b' ') | (four ^ b' ') | ((two ^ b'a') | (three ^ b't')) & !0x20;
        arroba.min(at)
    }
}

/// Bytes that are compared at once.
const CHUNK: usize = 16;

impl Iterator for Words<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let [one, two, three, four] = [0, 1, 2, 3]
            .map(|by| self.bytes.get(self.from.saturating_add(by)..).unwrap_or_default().chunks(CHUNK));
        let fours = |((one, two), three): ((&'_ [u8], &'_ [u8]), &'_ [u8]), four: &'_ [u8]| {
            // Without a way out, so that many bytes are compared at once.
            let places = one.iter().zip(two).zip(three).zip(four);
            places.fold(u8::MAX, |least, (((one, two), three), four)| {
                least.min(Self::difference([*one, *two, *three, *four]))
            }) == 0
        };
        let chunk = one.zip(two).zip(three).zip(four).position(|(three, four)| fours(three, four))?;
        let start = self.from.saturating_add(chunk.saturating_mul(CHUNK));
        let windows = self.bytes.get(start..)?.windows(4);
        let is_word = |four: &[u8]| four.first_chunk().is_some_and(|four| Self::difference(*four) == 0);
        let at = start.saturating_add(windows.into_iter().position(is_word)?);
        self.from = at.saturating_add(1);
        Some(at)
    }
}

/// The bytes that may tell an at sign, in order.
struct Telling<'a> {
    signs: Peekable<Memchr3<'a>>,
    brackets: Peekable<Memchr3<'a>>,
    words: Peekable<Words<'a>>,
}

impl<'a> Telling<'a> {
    fn of(bytes: &'a [u8]) -> Self {
        Self {
            signs: memchr::memchr3_iter(b'@', b'&', b'%', bytes).peekable(),
            brackets: memchr::memchr3_iter(b'(', b'[', b'{', bytes).peekable(),
            words: Words::of(bytes).peekable(),
        }
    }
}

impl Iterator for Telling<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let heads = [self.signs.peek(), self.brackets.peek(), self.words.peek()];
        let first = *heads.into_iter().flatten().min()?;
        let _ = self.signs.next_if_eq(&first).or_else(|| self.brackets.next_if_eq(&first));
        let _ = self.words.next_if_eq(&first);
        Some(first)
    }
}

/// The at sign, in one of its guises, that the byte at `at` tells.
fn sign_from(bytes: &[u8], at: usize) -> Option<Sign> {
    let sign = |start: usize, length: usize| {
        Some(Sign { start, end: start.saturating_add(length), word: false, english: false })
    };
    match bytes.get(at)? {
        b'@' => sign(at, 1),
        b'%' | b'&' => sign(at, disguise(bytes, at, &ENCODED)?.len()),
        b'(' | b'[' | b'{' => sign(at, bracketed(bytes, at)?.saturating_sub(at)),
        b' ' => Some(Sign {
            word: true,
            english: true,
            ..sign(at.saturating_add(1), disguise(bytes, at.saturating_add(1), &["at"])?.len())?
        }),
        b'r' | b'R' => {
            let start = at.checked_sub(1)?;
            Some(Sign { word: true, ..sign(start, disguise(bytes, start, &["arroba", "arrova"])?.len())? })
        }
        _ => None,
    }
}

/// Where the brackets end that open at `at` and hold an at sign alone.
fn bracketed(bytes: &[u8], at: usize) -> Option<usize> {
    let closing = match bytes.get(at)? {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    };
    let inside = skip_blanks(bytes, at.saturating_add(1));
    let length = match bytes.get(inside)? {
        b'@' => 1,
        b'a' | b'A' => disguise(bytes, inside, &WORDS)?.len(),
        _ => return None,
    };
    let end = skip_blanks(bytes, inside.saturating_add(length));
    (*bytes.get(end)? == closing).then(|| end.saturating_add(1))
}

pub(super) fn emails(text: &str, finds: &mut Vec<Find>) {
    let bytes = text.as_bytes();
    let mut from = 0;
    for place in Telling::of(bytes) {
        let Some(sign) = sign_from(bytes, place).filter(|sign| sign.start >= from) else { continue };
        if sign.word && !stands_alone(text, sign.start, sign.end) {
            continue;
        }
        let Some(end) = domain(text, &sign) else { continue };
        let Some(start) = local_part(text, sign.start, from) else { continue };
        let name = text.get(start..sign.start).unwrap_or_default().trim_end_matches(' ');
        if sign.english && TO_A_SITE.iter().any(|word| word.eq_ignore_ascii_case(name)) {
            continue;
        }
        let start = without_scheme(text, start, from);
        finds.push(Find { at: start..end, kind: Kind::Email });
        from = end;
    }
}

/// Which of `signs` stands at `at`, whatever its case.
fn disguise(bytes: &[u8], at: usize, signs: &[&'static str]) -> Option<&'static str> {
    let rest = bytes.get(at..)?;
    let stands = |sign: &&&str| {
        rest.get(..sign.len()).is_some_and(|start| start.eq_ignore_ascii_case(sign.as_bytes()))
    };
    signs.iter().find(stands).copied()
}

fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    !before(text, start).is_some_and(char::is_alphanumeric)
        && !after(text, end).is_some_and(char::is_alphanumeric)
}

/// Where the part before the at sign at `at` begins, not before `from`.
fn local_part(text: &str, at: usize, from: usize) -> Option<usize> {
    let whole = text.get(from..at)?;
    let left = whole.trim_end_matches(' ');
    if whole.len().saturating_sub(left.len()) > BLANKS {
        return None;
    }
    let in_address = |character: &char| character.is_alphanumeric() || is_local_sign(*character);
    let length: usize = left.chars().rev().take(REACH).take_while(in_address).map(char::len_utf8).sum();
    let start = left.len().saturating_sub(length);
    if !left.get(start..)?.contains(char::is_alphanumeric) {
        // In quotes it may hold blanks (RFC 5322, 3.4.1).
        return (left.len() == whole.len())
            .then(|| enclosed(left))
            .flatten()
            .map(|start| from.saturating_add(start));
    }
    let is_letter = left.get(start..)?.chars().nth(1).is_none();
    Some(from.saturating_add(if is_letter { spelled_from(left, start) } else { start }))
}

fn is_local_sign(character: char) -> bool {
    matches!(character, '.' | '_' | '%' | '+' | '\'' | '-' | '~' | '!' | '$' | '*' | '^' | '`')
}

/// Where the quotes or brackets open that close at the end of `left`.
fn enclosed(left: &str) -> Option<usize> {
    let closing = left.chars().next_back()?;
    let opening = match closing {
        '"' => '"',
        ')' => '(',
        ']' => '[',
        '>' => '<',
        '\u{bb}' => '\u{ab}',
        '\u{201d}' => '\u{201c}',
        _ => return None,
    };
    let inside = left.get(..left.len().saturating_sub(closing.len_utf8()))?;
    let (start, _) = inside.char_indices().rev().take(REACH).find(|(_, character)| *character == opening)?;
    inside.get(start..)?.contains(char::is_alphanumeric).then_some(start)
}

/// Where a word begins of which one letter stands at `start` and each further one behind a blank: `p e r s o n a`.
fn spelled_from(left: &str, start: usize) -> usize {
    let mut first = start;
    for _ in 0..REACH {
        let Some(rest) = left.get(..first).and_then(|rest| rest.strip_suffix(' ')) else { break };
        let mut letters = rest.chars().rev();
        let Some(letter) = letters.next().filter(|letter| letter.is_alphanumeric() || is_local_sign(*letter))
        else {
            break;
        };
        if letters.next().is_some_and(char::is_alphanumeric) {
            break;
        }
        first = rest.len().saturating_sub(letter.len_utf8());
    }
    first
}

/// Where the domain behind an at sign ends: labels, a dot at least, a last label of two letters or more.
fn domain(text: &str, sign: &Sign) -> Option<usize> {
    let mut at = skip_blanks(text.as_bytes(), sign.end);
    if sign.english && disguise(text.as_bytes(), at, &["www."]).is_some() {
        return None;
    }
    let mut end = None;
    let mut labels = 0_usize;
    let mut in_words = false;
    while at < sign.end.saturating_add(REACH) {
        let stop = label(text, at);
        if stop == at {
            break;
        }
        labels = labels.saturating_add(1);
        let name = text.get(at..stop).unwrap_or_default();
        let letters = name.chars().filter(|letter| letter.is_alphabetic()).count();
        if sign.english && letters == 0 {
            break;
        }
        if labels > 1 && letters >= 2 && (!sign.english || in_words || is_ending(name)) {
            end = Some(stop);
        }
        match dot(text, at, stop, sign.english) {
            Some((next, word)) => {
                at = next;
                in_words |= word;
            }
            None => break,
        }
    }
    end
}

fn is_ending(name: &str) -> bool {
    ENDINGS.iter().any(|ending| ending.eq_ignore_ascii_case(name))
}

/// Where the label that starts at `start` ends; its letters may stand apart.
fn label(text: &str, start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    // Most are words in ASCII.
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let plain = rest.bytes().take(64).take_while(is_plain).count();
    if plain > 1 && rest.as_bytes().get(plain).is_none_or(u8::is_ascii) {
        return start.saturating_add(plain);
    }
    let in_label = |character: &char| character.is_alphanumeric() || matches!(character, '-' | '_');
    let mut letters = rest.chars().take(64).take_while(in_label);
    let mut length: usize = letters.by_ref().map(char::len_utf8).sum();
    if rest.chars().next().map(char::len_utf8) != Some(length) {
        return start.saturating_add(length);
    }
    for _ in 0..64 {
        let mut more = rest.get(length..).unwrap_or_default().chars();
        let next = (more.next(), more.next(), more.next());
        match next {
            (Some(' '), Some(letter), after)
                if letter.is_alphanumeric() && !after.is_some_and(char::is_alphanumeric) =>
            {
                length = length.saturating_add(1).saturating_add(letter.len_utf8());
            }
            _ => break,
        }
    }
    start.saturating_add(length)
}

/// Behind the dot at the end of the label from `start` to `at`, plain, between blanks or in words; and whether in words.
fn dot(text: &str, start: usize, at: usize, english: bool) -> Option<(usize, bool)> {
    let bytes = text.as_bytes();
    // "tod@s" ends a sentence.
    let is_gendered = text.get(start..at).is_some_and(|name| name.eq_ignore_ascii_case("s"));
    let dotted = |at: usize| bytes.get(at) == Some(&b'.');
    if dotted(at) {
        let next = at.saturating_add(1);
        if bytes.get(next) != Some(&b' ') {
            return Some((next, false));
        }
        // The end of a sentence, unless the end of a domain follows.
        let next = skip_blanks(bytes, next);
        let stop = label(text, next);
        let name = text.get(next..stop).unwrap_or_default();
        let ends = ENDINGS.contains(&name) && !is_gendered && !english;
        return ends.then_some((next, false));
    }
    let sign_at = skip_blanks(bytes, at);
    if is_gendered {
        return None;
    }
    if sign_at > at && dotted(sign_at) {
        return Some((skip_blanks(bytes, sign_at.saturating_add(1)), false));
    }
    // No word for it begins with another byte.
    bytes.get(sign_at).filter(|first| b"pPdD([{&".contains(first))?;
    let sign = disguise(bytes, sign_at, &DOT)?;
    let end = sign_at.saturating_add(sign.len());
    let word = sign.bytes().all(|byte| byte.is_ascii_alphabetic());
    let stands = !word || sign_at > at && stands_alone(text, sign_at, end);
    // "at this point" is English.
    let stands = stands && (!english || sign.contains("dot") || sign.contains("punto"));
    stands.then(|| (skip_blanks(bytes, end), true))
}

fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at.saturating_add(rest.iter().take(BLANKS).take_while(|byte| **byte == b' ').count())
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
pub(super) mod tests {
    use super::{Telling, emails, may_stand_in, sign_from};
    use crate::kinds::Kinds;

    /// The at sign in each of its guises.
    pub(in crate::scrub) const AT: [&str; 22] = [
        "(arroba)",
        "[arroba]",
        "{arroba}",
        "( arroba )",
        "&commat;",
        "&commat",
        "&#0064;",
        "&#064;",
        "&#x40;",
        "&#x40",
        "&#x040;",
        "&#64;",
        "&#64",
        "(at)",
        "[at]",
        "{at}",
        "( at )",
        "(@)",
        "[ @ ]",
        "%2540",
        "%40",
        "@",
    ];

    #[track_caller]
    fn is_found_and_looked_at(text: &str, sign: &str) {
        let bytes = text.as_bytes();
        let mut finds = Vec::new();
        emails(text, &mut finds);
        let at = text.find(sign);
        let found = finds.iter().any(|find| at.is_some_and(|at| find.at.contains(&at)));
        let told =
            Telling::of(bytes).filter_map(|place| sign_from(bytes, place)).any(|told| Some(told.start) == at);
        assert!(found && told && may_stand_in(text, Kinds::of(text)), "{text:?} {found} {told}");
    }

    #[test]
    fn each_guise_of_the_at_sign_is_looked_at_where_it_stands() {
        for sign in AT.iter().flat_map(|sign| [sign.to_lowercase(), sign.to_uppercase()]) {
            for (left, right) in [("", ""), (" ", " "), (" ", ""), ("", " ")] {
                is_found_and_looked_at(&format!("Abba: persona{left}{sign}{right}example.org & co."), &sign);
            }
        }
        for sign in ["arroba", "arrova", "ARROBA", "aRRoVA", "at", "AT", "At"] {
            for length in 0..140 {
                let text = format!("{} persona {sign} example.org", "x".repeat(length));
                is_found_and_looked_at(&text, sign);
            }
        }
    }
}
