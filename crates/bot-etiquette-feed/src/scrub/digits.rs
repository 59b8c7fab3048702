//! Telephone, identity and account numbers.
//!
//! A *run* is digits in groups, with at most three separators between two groups. A number begins where a run does, or
//! behind a blank or a slash in it, and takes whole groups: what is part of a longer figure (an ISBN, a coordinate, a
//! date, a price) is left alone. Letters right beside it save no number.

mod figure;

use std::ops::{Range, RangeInclusive};

use super::{Find, Kind, after, before, tidy};
use crate::kinds::Kinds;

/// Digits of the shortest number, a NIE; nothing with fewer is taken for an account.
const LEAST: usize = 7;

/// Whether a text that holds bytes of these kinds may hold a number.
pub(super) fn may_stand_in(bytes: &[u8], kinds: Kinds) -> bool {
    kinds.any(Kinds::DIGIT) && count(bytes) >= LEAST
}

/// Bytes of a whole number of wide registers, and no more than one byte can count.
const WIDE: usize = 224;

/// How many digits there are, in sums of one byte: many of them are formed at once.
fn count(bytes: &[u8]) -> usize {
    let sum =
        |chunk: &[u8]| chunk.iter().fold(0_u8, |sum, byte| sum.wrapping_add(byte.is_ascii_digit().into()));
    bytes.chunks(WIDE).map(|chunk| usize::from(sum(chunk))).sum()
}

pub(super) fn numbers(text: &str, finds: &mut Vec<Find>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(start) = next_digit(bytes, at) {
        let run = Run::read(text, start);
        run.finds(finds);
        at = run.end.max(start.saturating_add(1));
    }
}

/// The first digit from `from` on; many bytes without one are passed over at once.
fn next_digit(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let has_digit = |chunk: &[u8]| chunk.iter().fold(false, |seen, byte| seen | byte.is_ascii_digit());
    let (index, chunk) = rest.chunks(32).enumerate().find(|(_, chunk)| has_digit(chunk))?;
    let at = chunk.iter().position(u8::is_ascii_digit)?;
    Some(from.saturating_add(index.saturating_mul(32)).saturating_add(at))
}

struct Run<'a> {
    text: &'a str,
    groups: Vec<Range<usize>>,
    end: usize,
}

impl<'a> Run<'a> {
    fn read(text: &'a str, start: usize) -> Self {
        let mut groups = Vec::new();
        let mut at = start;
        loop {
            let end = digits_end(text, at);
            groups.push(at..end);
            match next_group(text, end) {
                Some(next) => at = next,
                None => return Self { text, groups, end },
            }
        }
    }

    fn finds(&self, finds: &mut Vec<Find>) {
        let mut first = 0;
        while first < self.groups.len() {
            match self.number(first) {
                Some((find, next)) => {
                    finds.push(find);
                    first = next.max(first.saturating_add(1));
                }
                None => first = first.saturating_add(1),
            }
        }
    }

    /// The number whose first group is `first`, and the group behind it.
    fn number(&self, first: usize) -> Option<(Find, usize)> {
        let with_letters = self.account(first).or_else(|| self.identity(first));
        with_letters.or_else(|| {
            let found = || {
                let known = self.abroad(first).or_else(|| self.spanish(first));
                known.or_else(|| self.in_groups(first)).or_else(|| self.after_its_word(first))
            };
            self.may_start(first).then(found).flatten()
        })
    }

    fn group(&self, index: usize) -> &'a str {
        self.groups.get(index).and_then(|group| self.text.get(group.clone())).unwrap_or_default()
    }

    fn start(&self, index: usize) -> usize {
        self.groups.get(index).map_or(self.end, |group| group.start)
    }

    fn stop(&self, index: usize) -> usize {
        self.groups.get(index).map_or(self.end, |group| group.end)
    }

    /// What stands between a group and the one before.
    fn gap(&self, index: usize) -> &'a str {
        let from = index.checked_sub(1).map_or(0, |previous| self.stop(previous));
        self.text.get(from..self.start(index)).unwrap_or_default()
    }

    fn may_start(&self, index: usize) -> bool {
        if index > 0 {
            let gap = self.gap(index);
            let isbn = matches!(self.group(index.saturating_sub(1)), "978" | "979");
            return !isbn && gap.contains([' ', '\u{a0}', '\u{2009}', '\u{202f}', '/', '(', '_']);
        }
        let start = self.start(0);
        match before(self.text, start) {
            None => true,
            Some(',' | '.' | ':' | '-' | '_' | '/') => !self.is_fraction(start) || self.is_announced(index),
            // One digit at a word is its own: "A6 28660".
            Some(letter) => !letter.is_alphanumeric() || self.group(0).len() > 1 || self.is_announced(index),
        }
    }

    /// Whether the digits before the separator before `start` make this the second part of a figure.
    fn is_fraction(&self, start: usize) -> bool {
        let left = self.text.get(..start.saturating_sub(1)).unwrap_or_default();
        let digits = left.bytes().rev().take(10).take_while(u8::is_ascii_digit).count();
        let separator = self.text.as_bytes().get(start.saturating_sub(1));
        (1..=4).contains(&digits)
            || separator == Some(&b'/') && left.ends_with(|end: char| end.is_alphanumeric())
    }

    /// Whether a number may end behind group `index`: not inside a longer figure.
    fn may_end(&self, index: usize) -> bool {
        let next = index.saturating_add(1);
        if next < self.groups.len() {
            let gap = self.gap(next);
            // A last short group is an extension: "913184733-34".
            let is_last =
                next.saturating_add(1) == self.groups.len() && (1..=4).contains(&self.group(next).len());
            return gap.contains([' ', '\u{a0}', '\u{2009}', '\u{202f}', '/', '(', ')', '_'])
                || is_hyphen(gap) && (is_last || self.group(next).len() >= 9);
        }
        let rest = self.text.get(self.stop(index)..).unwrap_or_default();
        let mut next = rest.chars();
        match next.next() {
            None => true,
            Some(',' | ':' | '.') => {
                !next.next().is_some_and(|digit| digit.is_ascii_digit() && digits_end(rest, 1) < 6)
            }
            Some(_) => !is_money(rest),
        }
    }

    /// A number whose groups are `groups`, unless they are another figure.
    fn phone(&self, groups: RangeInclusive<usize>) -> Option<(Find, usize)> {
        let (first, last) = (*groups.start(), *groups.end());
        if !self.may_end(last) || self.is_other_figure(groups) {
            return None;
        }
        let stop = self.stop(last);
        let at = self.with_prefix(self.start(first), stop)..self.with_tail(stop);
        let behind = self.behind(at.end);
        Some((Find { at, kind: Kind::Phone }, behind))
    }

    /// A Spanish number: nine digits from 6 to 9, with or without the country code.
    fn spanish(&self, first: usize) -> Option<(Find, usize)> {
        let mut from = first;
        let mut whole = self.group(first).to_owned();
        if matches!(whole.as_str(), "34" | "034" | "0034") && first.saturating_add(1) < self.groups.len() {
            from = first.saturating_add(1);
            whole = self.group(from).to_owned();
        } else if let Some(rest) =
            whole.strip_prefix("0034").or_else(|| whole.strip_prefix("34").filter(|rest| rest.len() == 9))
        {
            whole = rest.to_owned();
        }
        let mut last = from;
        while whole.len() < 9 && last.saturating_add(1) < self.groups.len() && last.saturating_sub(from) < 8 {
            last = last.saturating_add(1);
            if self.gap(last).chars().count() > 3 {
                return None;
            }
            whole.push_str(self.group(last));
        }
        let is_number = whole.len() == 9 && whole.starts_with(['6', '7', '8', '9']);
        is_number.then(|| self.phone(first..=last)).flatten()
    }

    /// A number of North America, as `1-800-555-1234` or `(800) 555-1234`, or of France, as `01 42 68 53 00`.
    fn in_groups(&self, first: usize) -> Option<(Find, usize)> {
        let with_one = self.group(first) == "1";
        let area = first.saturating_add(usize::from(with_one));
        let lengths = |from: usize, lengths: &[usize]| {
            let mut groups = (from..).zip(lengths);
            groups.all(|(index, length)| self.group(index).len() == *length)
        };
        let gap = |by: usize| self.gap(area.saturating_add(by));
        if lengths(area, &[3, 3, 4]) && self.group(area).starts_with(|digit: char| digit > '1') {
            // Three figures with blanks between are a number only behind the code of the country.
            let joined = is_hyphen(gap(2)) || gap(2) == "." && gap(1) == ".";
            let found = (with_one || joined).then(|| self.phone(first..=area.saturating_add(2))).flatten();
            return found;
        }
        let pairs =
            lengths(first, &[2; 5]) && self.group(first).starts_with('0') && self.group(first) != "00";
        let alike =
            || (1..5).all(|by| self.gap(first.saturating_add(by)) == self.gap(first.saturating_add(1)));
        (pairs && alike()).then(|| self.phone(first..=first.saturating_add(4))).flatten()
    }

    /// Any digits behind a word for a telephone, as many as a number has: seven to fifteen.
    fn after_its_word(&self, first: usize) -> Option<(Find, usize)> {
        let groups = self.groups.get(first..).unwrap_or_default();
        let mut digits: usize = groups.iter().take(15).map(Range::len).sum();
        if digits < LEAST || !self.is_announced(first) {
            return None;
        }
        // As many groups as make a number, and fewer where it cannot end there.
        for (last, group) in (first..).zip(groups).take(15).collect::<Vec<_>>().into_iter().rev() {
            if digits < LEAST {
                break;
            }
            let found = (digits <= 15).then(|| self.phone(first..=last)).flatten();
            if found.is_some() {
                return found;
            }
            digits = digits.saturating_sub(group.len());
        }
        None
    }

    /// Whether a word for a telephone stands before a group.
    fn is_announced(&self, index: usize) -> bool {
        let left = self.text.get(..self.start(index)).unwrap_or_default();
        let sign = |character: &char| {
            matches!(character, ' ' | ':' | '.' | '(' | ')' | '+' | '-' | '/' | '_' | '\u{ba}')
        };
        let signs: usize = left.chars().rev().take(6).take_while(sign).map(char::len_utf8).sum();
        tidy::announces_number(left.get(..left.len().saturating_sub(signs)).unwrap_or_default())
    }

    /// A number with `+` or `00` before it: eight to fifteen digits (ITU-T E.164), in any groups.
    fn abroad(&self, first: usize) -> Option<(Find, usize)> {
        let start = self.start(first);
        let left = self.text.get(..start).unwrap_or_default();
        let plus = left.trim_end_matches([' ', '(']).ends_with('+');
        let zeros = self.group(first).starts_with("00")
            && (self.group(first).len() > 2 || self.gap_is_blank(first.saturating_add(1)))
            && !left.ends_with(|left: char| matches!(left, ':' | '.' | ',') || left.is_alphanumeric());
        if !plus && !zeros {
            return None;
        }
        let mut digits = 0_usize;
        let mut last = first;
        for index in first..self.groups.len() {
            let more = digits.saturating_add(self.group(index).len());
            if more > 15 || index > first && self.gap(index).contains('/') {
                break;
            }
            digits = more;
            last = index;
        }
        let least = if zeros { 10 } else { 8 };
        (digits >= least).then(|| self.phone(first..=last)).flatten()
    }

    fn gap_is_blank(&self, index: usize) -> bool {
        index < self.groups.len() && self.gap(index).chars().all(char::is_whitespace)
    }

    /// DNI: eight digits and a letter. NIE: X, Y or Z, seven digits and a letter.
    fn identity(&self, first: usize) -> Option<(Find, usize)> {
        let start = self.start(first);
        let left = before(self.text, start);
        let mut whole = self.group(first).to_owned();
        let mut last = first;
        while whole.len() < 7
            && last.saturating_add(1) < self.groups.len()
            && self.gap(last.saturating_add(1)) == "."
        {
            last = last.saturating_add(1);
            whole.push_str(self.group(last));
        }
        let stop = self.stop(last);
        let rest = self.text.get(stop..).unwrap_or_default();
        let gap = rest.len().saturating_sub(rest.trim_start_matches([' ', '-']).len());
        let letter = after(self.text, stop.saturating_add(gap)).filter(char::is_ascii_alphabetic)?;
        let end = stop.saturating_add(gap).saturating_add(1);
        let closed = gap <= 1 && !after(self.text, end).is_some_and(char::is_alphanumeric);
        // With a blank between, small letters are words: "12546355 y 3".
        let fits = closed && (letter.is_ascii_uppercase() || gap == 0);
        match whole.len() {
            8 if fits && (!left.is_some_and(char::is_alphanumeric) || self.is_named_identity(start)) => {
                Some((Find { at: start..end, kind: Kind::Identity }, last.saturating_add(1)))
            }
            7 if fits && left.is_some_and(|letter| "XYZxyz".contains(letter)) => {
                let start = start.saturating_sub(1);
                let alone = !before(self.text, start).is_some_and(char::is_alphanumeric);
                alone.then(|| (Find { at: start..end, kind: Kind::Identity }, last.saturating_add(1)))
            }
            7 if fits && left == Some('-') => {
                let start = start.saturating_sub(2);
                let letter = after(self.text, start).is_some_and(|letter| "XYZxyz".contains(letter));
                let alone = letter && !before(self.text, start).is_some_and(char::is_alphanumeric);
                alone.then(|| (Find { at: start..end, kind: Kind::Identity }, last.saturating_add(1)))
            }
            _ => None,
        }
    }

    /// Whether `DNI` or the like stands right before.
    fn is_named_identity(&self, start: usize) -> bool {
        let left = self.text.get(..start).and_then(|left| left.as_bytes().last_chunk());
        left.is_some_and(|word: &[u8; 3]| {
            ["dni", "nif"].iter().any(|name| word.eq_ignore_ascii_case(name.as_bytes()))
        })
    }

    /// The Spanish IBAN, and any other whose check digits are right (ISO 13616), found from its two check digits.
    fn account(&self, first: usize) -> Option<(Find, usize)> {
        let start = self.start(first).checked_sub(2)?;
        let country = self
            .text
            .get(start..self.start(first))
            .filter(|letters| letters.bytes().all(|letter| letter.is_ascii_alphabetic()))?;
        if before(self.text, start).is_some_and(char::is_alphanumeric) {
            return None;
        }
        let mut compact = country.to_ascii_uppercase();
        let mut end = self.start(first);
        for (offset, character) in self.text.get(end..)?.char_indices().take(48) {
            match character {
                ' ' | '-' | '\u{a0}' => {}
                letter if letter.is_ascii_alphanumeric() && compact.len() < 34 => {
                    compact.push(letter.to_ascii_uppercase());
                    end = self.start(first).saturating_add(offset).saturating_add(1);
                    if compact.starts_with("ES") && compact.len() == 24 {
                        break;
                    }
                    if !compact.starts_with("ES") && is_account(&compact) {
                        break;
                    }
                }
                _ => break,
            }
        }
        let spanish = compact.starts_with("ES")
            && compact.len() == 24
            && compact.bytes().skip(2).all(|byte| byte.is_ascii_digit());
        (spanish || is_account(&compact))
            .then(|| (Find { at: start..end, kind: Kind::Account }, self.behind(end)))
    }

    /// The first group that starts behind `end`.
    fn behind(&self, end: usize) -> usize {
        self.groups.partition_point(|group| group.start < end)
    }

    /// Takes `+`, `(+34)` and the like before a number along.
    fn with_prefix(&self, start: usize, end: usize) -> usize {
        let left = self.text.get(..start).unwrap_or_default();
        let closes = self.text.get(start..end).is_some_and(|number| number.contains(')'));
        let bracket = |left: &'a str| left.strip_suffix('(').filter(|_| closes).unwrap_or(left);
        let left = left.strip_suffix(' ').filter(|left| left.ends_with('+')).unwrap_or(left);
        let left = bracket(left);
        let left = left.strip_suffix('+').unwrap_or(left);
        bracket(left).len()
    }

    /// Takes an extension along: `/734`, `y 35`, `ext. 12`.
    fn with_tail(&self, end: usize) -> usize {
        let rest = self.text.get(end..).unwrap_or_default();
        let trimmed = rest.trim_start_matches(' ');
        let lower: String = trimmed.chars().take(12).collect::<String>().to_lowercase();
        let sign = EXTENSIONS.iter().find(|sign| lower.starts_with(**sign));
        let Some(sign) = sign else { return end };
        let digits_at = rest.len().saturating_sub(trimmed.len()).saturating_add(sign.len());
        let blanks = rest.get(digits_at..).unwrap_or_default();
        let digits_at =
            digits_at.saturating_add(blanks.len().saturating_sub(blanks.trim_start_matches(' ').len()));
        let stop = digits_end(rest, digits_at);
        let length = stop.saturating_sub(digits_at);
        let next = rest.get(stop..).unwrap_or_default().trim_start_matches(' ').chars().next();
        let is_figure = next.is_some_and(|next| matches!(next, '\u{20ac}' | ':' | '%'));
        let closed = next.is_none_or(|next| !next.is_alphanumeric()) && !is_figure;
        let tight = is_hyphen(sign) && trimmed.len() == rest.len() && length <= 4 && !is_figure;
        if (1..=5).contains(&length)
            && (closed || tight || sign.starts_with('/') && length <= 4 || sign.contains('x'))
        {
            end.saturating_add(stop)
        } else {
            end
        }
    }
}

fn digits_end(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    at.saturating_add(rest.iter().take_while(|byte| byte.is_ascii_digit()).count())
}

/// Where the next group starts, at most three separators on.
fn next_group(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let mut length = 0;
    for character in rest.chars().take(4) {
        if character.is_ascii_digit() {
            return (length > 0).then(|| at.saturating_add(length));
        }
        let separates = matches!(
            character,
            ' ' | '.'
                | '-'
                | '/'
                | '('
                | ')'
                | '_'
                | '\u{a0}'
                | '\u{2007}'
                | '\u{2009}'
                | '\u{202f}'
                | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{b7}'
        );
        if !separates {
            return None;
        }
        length += character.len_utf8();
    }
    None
}

/// What announces an extension; the longer ones first.
const EXTENSIONS: [&str; 16] = [
    "extensi\u{f3}n ",
    "extension ",
    "ext. ",
    "ext.",
    "ext:",
    "ext ",
    "ext",
    "x",
    "y ",
    "e ",
    "/",
    "-",
    "\u{2010}",
    "\u{2011}",
    "\u{2013}",
    "\u{2014}",
];

/// Whether a hyphen or a dash alone stands between two groups.
fn is_hyphen(gap: &str) -> bool {
    matches!(
        gap.trim_matches(' '),
        "-" | "\u{2010}" | "\u{2011}" | "\u{2012}" | "\u{2013}" | "\u{2014}" | "\u{2212}"
    )
}

fn is_money(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.starts_with('€') || rest.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("euro"))
}

fn is_account(iban: &str) -> bool {
    iban.len() >= 15 && count(iban.as_bytes()) >= LEAST && mod97(iban)
}

/// ISO 7064: the number that the moved and spelled-out letters make leaves 1 when divided by 97.
fn mod97(iban: &str) -> bool {
    let (head, tail) = iban.split_at_checked(4).unwrap_or((iban, ""));
    let digits = head.bytes().skip(2).take(2).all(|byte| byte.is_ascii_digit());
    let rest = tail.chars().chain(head.chars()).try_fold(0_u32, |rest, character| {
        let value = character.to_digit(36)?;
        Some((rest * if value > 9 { 100 } else { 10 } + value) % 97)
    });
    digits && rest == Some(1)
}

#[cfg(test)]
mod tests {
    use super::{count, next_digit};

    #[test]
    fn digits_are_found_and_counted_wherever_they_stand() {
        for length in [0, 1, 31, 32, 33, 64, 254, 255, 256, 600] {
            let mut text = vec![b'x'; length];
            assert_eq!((count(&text), next_digit(&text, 0)), (0, None));
            for at in 0..length {
                text[at] = b'7';
                assert_eq!(next_digit(&text, 0), Some(0), "{length} {at}");
                assert_eq!((count(&text), next_digit(&text, at)), (at + 1, Some(at)), "{length}");
            }
            for at in 1..length {
                text[at - 1] = b'x';
                assert_eq!(next_digit(&text, 0), Some(at), "{length}");
            }
        }
    }
}
