//! Figures that have as many digits as a number and are none: dates, book numbers, codes.

use std::ops::RangeInclusive;

use super::{Run, is_hyphen};
use crate::scrub::{after, before};

impl Run<'_> {
    /// Whether the digits of these groups belong to another figure.
    pub(super) fn is_other_figure(&self, groups: RangeInclusive<usize>) -> bool {
        let (first, last) = (*groups.start(), *groups.end());
        // A date may begin before the groups and end behind them.
        (first.saturating_sub(2)..=last).any(|index| self.is_date(index))
            || self.is_book(first)
            || self.is_code(first, last)
    }

    /// Whether a date begins at a group: `8/10/2025`, `2025-10-08`, `8.10.25`.
    fn is_date(&self, index: usize) -> bool {
        let next = index.saturating_add(1);
        let gap = self.gap(next);
        if !matches!(gap, "/" | "-" | ".") || self.gap(next.saturating_add(1)) != gap {
            return false;
        }
        let [one, two, three] = [0, 1, 2].map(|by| self.group(index.saturating_add(by)));
        // Not a part of a longer row of the same kind.
        let goes_on = next.saturating_add(2) < self.groups.len() && self.gap(next.saturating_add(2)) == gap
            || index > 0 && self.gap(index) == gap;
        let within = |text: &str, most: u32| {
            text.len() <= 2 && text.parse().is_ok_and(|number: u32| (1..=most).contains(&number))
        };
        let is_year = |text: &str| text.len() == 4 && (text.starts_with("19") || text.starts_with("20"));
        // With a year of two digits only slashes tell a date.
        let short_year = gap == "/" && three.len() == 2;
        let day_first = within(one, 31) && within(two, 12) && (is_year(three) || short_year);
        !goes_on && (day_first || is_year(one) && within(two, 12) && within(three, 31))
    }

    /// Whether a book's number begins at a group (ISO 2108): behind its name, or with hyphens and the right check digit.
    fn is_book(&self, first: usize) -> bool {
        let start = self.start(first);
        let left = self.text.as_bytes().get(..start).unwrap_or_default();
        let left = left.get(left.len().saturating_sub(12)..).unwrap_or_default();
        let named = left.windows(4).any(|word| word.eq_ignore_ascii_case(b"isbn"));
        let mut digits = String::new();
        let mut hyphens = 0_usize;
        for index in first..self.groups.len().min(first.saturating_add(5)) {
            hyphens = hyphens.saturating_add(usize::from(index > first && is_hyphen(self.gap(index))));
            digits.push_str(self.group(index));
            let rest = self.text.get(self.stop(index)..).unwrap_or_default();
            let ten = rest.trim_start_matches(['-', ' ']).starts_with(['X', 'x']) && digits.len() == 9;
            let whole = ten || matches!(digits.len(), 10 | 13);
            let hyphened =
                hyphens == if digits.len() == 13 { 4 } else { 3usize.saturating_sub(usize::from(ten)) };
            if whole && (named || hyphened && is_checked(&digits, ten)) {
                return true;
            }
        }
        false
    }

    /// Whether the groups stand inside a code of mixed letters and digits: a hash, the name of a record.
    fn is_code(&self, first: usize, last: usize) -> bool {
        let (start, stop) = (self.start(first), self.stop(last));
        let in_code = |character: &char| character.is_ascii_alphanumeric() || *character == '-';
        let beside = before(self.text, start).into_iter().chain(after(self.text, stop));
        if !beside.into_iter().any(|character| in_code(&character)) {
            return false;
        }
        let (left, right) =
            (self.text.get(..start).unwrap_or_default(), self.text.get(stop..).unwrap_or_default());
        let length = |character: char| character.len_utf8();
        let before: usize = left.chars().rev().take(LONGEST).take_while(in_code).map(length).sum();
        let behind: usize = right.chars().take(LONGEST).take_while(in_code).map(length).sum();
        let code =
            self.text.get(start.saturating_sub(before)..stop.saturating_add(behind)).unwrap_or_default();
        let is_hexadecimal = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
        let parts = code.split('-').map(|part| is_hexadecimal(part).then_some(part.len()));
        if parts.eq([8, 4, 4, 4, 12].map(Some)) {
            return true;
        }
        let digit = |at: &u8| at.is_ascii_digit();
        let changes = code
            .as_bytes()
            .windows(2)
            .filter(|pair| pair.first().map(digit) != pair.last().map(digit))
            .count();
        !code.contains('-') && code.len() >= 24 && changes >= 6
    }
}

/// Characters of a code that are looked at on either side.
const LONGEST: usize = 64;

/// Whether the check digit of a book's number is right; that of `ten` is an X.
fn is_checked(digits: &str, ten: bool) -> bool {
    let digits = digits.bytes().map(|digit| u32::from(digit.saturating_sub(b'0'))).chain(ten.then_some(10));
    let (mut short, mut long, mut length) = (0_u32, 0_u32, 0_u32);
    for (digit, place) in digits.zip(0_u32..) {
        short = short.saturating_add(digit.saturating_mul(10_u32.saturating_sub(place)));
        long = long.saturating_add(digit.saturating_mul(if place % 2 == 0 { 1 } else { 3 }));
        length = place.saturating_add(1);
    }
    if length == 10 { short % 11 == 0 } else { long % 10 == 0 }
}
