//! Finds personal data by its form and takes it out.

mod address;
mod digits;
mod link;
mod tidy;

use std::borrow::Cow;
use std::ops::Range;

use crate::kinds::Kinds;

/// How much was taken out, by kind.
///
/// ```
/// use bot_etiquette_feed::CleanText;
///
/// let (text, scrubbed) = CleanText::line("DNI 12345678Z");
/// assert_eq!((scrubbed.identities, scrubbed.total()), (1, 1));
/// assert!(!text.contains("12345678"));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Scrubbed {
    /// E-mail addresses.
    pub emails: u64,
    /// Telephone numbers.
    pub phones: u64,
    /// DNI and NIE numbers.
    pub identities: u64,
    /// Bank account numbers.
    pub accounts: u64,
    /// Links that write or call: `mailto:`, `tel:`, `wa.me`; and parts of links that hold an address or a number.
    pub links: u64,
}

impl Scrubbed {
    /// How much there was in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        [self.emails, self.phones, self.identities, self.accounts, self.links]
            .iter()
            .fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Whether nothing was taken out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.total() == 0
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.emails = self.emails.saturating_add(other.emails);
        self.phones = self.phones.saturating_add(other.phones);
        self.identities = self.identities.saturating_add(other.identities);
        self.accounts = self.accounts.saturating_add(other.accounts);
        self.links = self.links.saturating_add(other.links);
    }

    fn count(&mut self, kind: Kind) {
        let counter = match kind {
            Kind::Email => &mut self.emails,
            Kind::Phone => &mut self.phones,
            Kind::Identity => &mut self.identities,
            Kind::Account => &mut self.accounts,
            Kind::Link => &mut self.links,
        };
        *counter = counter.saturating_add(1);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Email,
    Phone,
    Identity,
    Account,
    Link,
}

#[derive(Debug, Clone)]
struct Find {
    at: Range<usize>,
    kind: Kind,
}

/// Takes personal data out of `text`, which holds bytes of these kinds, and counts it; `None` when there is none. With
/// `mark` each find leaves a mark.
pub(crate) fn scrub(text: &str, kinds: Kinds, mark: bool, scrubbed: &mut Scrubbed) -> Option<String> {
    if !may_be_personal(text, kinds) {
        return None;
    }
    let finds = find(text);
    for find in &finds {
        scrubbed.count(find.kind);
    }
    (!finds.is_empty()).then(|| tidy::without(text, &finds, mark))
}

/// Whether `text` as a whole holds something that would be taken out.
pub(crate) fn is_personal(text: &str) -> bool {
    let (text, kinds) = plain(text);
    may_be_personal(&text, kinds) && !find(&text).is_empty()
}

/// Whether an e-mail address stands in `text`.
pub(crate) fn holds_email(text: &str) -> bool {
    let (text, kinds) = plain(text);
    let mut finds = Vec::new();
    if address::may_stand_in(&text, kinds) {
        address::emails(&text, &mut finds);
    }
    !finds.is_empty()
}

/// A text as [`unmask`] leaves it, and the kinds of its bytes.
fn plain(text: &str) -> (Cow<'_, str>, Kinds) {
    let kinds = Kinds::of(text);
    match kinds.any(Kinds::FOREIGN).then(|| unmask(text)).flatten() {
        Some(plain) => {
            let kinds = Kinds::of(&plain);
            (Cow::Owned(plain), kinds)
        }
        None => (Cow::Borrowed(text), kinds),
    }
}

/// A quick look that most texts pass. Each rule tells itself what it cannot do without, so a text that passes holds nothing
/// that [`find`] would find.
fn may_be_personal(text: &str, kinds: Kinds) -> bool {
    let bytes = text.as_bytes();
    digits::may_stand_in(bytes, kinds)
        || address::may_stand_in(text, kinds)
        || link::may_stand_in(bytes, kinds)
}

fn find(text: &str) -> Vec<Find> {
    let mut finds = Vec::new();
    link::links(text, &mut finds);
    address::emails(text, &mut finds);
    digits::numbers(text, &mut finds);
    finds.sort_by_key(|find| (find.at.start, std::cmp::Reverse(find.at.end)));
    let mut covered = 0;
    finds.retain_mut(|find| {
        if find.at.end <= covered {
            return false;
        }
        find.at.start = find.at.start.max(covered);
        covered = find.at.end;
        true
    });
    finds
}

/// Full-width forms as ASCII, and no invisible characters beside ASCII; `None` when there are none.
pub(crate) fn unmask(text: &str) -> Option<String> {
    let masked =
        |character: char| matches!(character, '\u{FF01}'..='\u{FF5E}' | '\u{FE6B}') || invisible(character);
    // The first bytes of all of them; none of them begins a Latin letter.
    if memchr::memchr3(0xC2, 0xE2, 0xEF, text.as_bytes()).is_none() || !text.chars().any(masked) {
        return None;
    }
    let mut changed = false;
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\u{FF01}'..='\u{FF5E}' => {
                let ascii = u32::from(character).saturating_sub(0xFEE0);
                plain.extend(char::from_u32(ascii));
            }
            '\u{FE6B}' => plain.push('@'),
            hidden if invisible(hidden) => {
                let beside_ascii = plain.ends_with(|before: char| before.is_ascii())
                    || characters.peek().is_some_and(|after| after.is_ascii() || masked(*after));
                if beside_ascii || plain.is_empty() {
                    changed = true;
                } else {
                    plain.push(hidden);
                }
                continue;
            }
            other => {
                plain.push(other);
                continue;
            }
        }
        changed = true;
    }
    changed.then_some(plain)
}

fn invisible(character: char) -> bool {
    matches!(character, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}')
}

/// The character that ends before `at`.
fn before(text: &str, at: usize) -> Option<char> {
    text.get(..at)?.chars().next_back()
}

/// The character that starts at `at`.
fn after(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::{address, find, may_be_personal};
    use crate::kinds::Kinds;

    #[track_caller]
    fn nothing_slips_past_the_quick_look(text: &str) {
        let looked_at = may_be_personal(text, Kinds::of(text));
        assert!(looked_at || find(text).is_empty(), "{text:?} {:?}", find(text));
    }

    /// Every form that a rule knows, in pieces that come together.
    const PIECES: &str = "(persona|p|x\\.org|example\\.org| punto |\\.| ARROBA |arroba|aRRoba|\\(at\\)|\\[At\\]|\\{at\\}|\\( at \\)\
        |\\(arroba\\)|&commat;|&#64;|&#x40;|&#0064;|%40|@|mailto:|Tel:|tel:|SMS:|callto:|whatsapp:|//send|wa\\.me/|WA\\.ME/\
        |api\\.whatsapp\\.com/|whatsapp\\.com/send|https://|message/|600|123 456|91 376|91\\.97|\\+34|\\+|0034|00|1 42 68|DNI \
        |1234567|12\\.345\\.678|8|Z|X|-|ES91 2100 0418|4502 0005 1332|GB82 WEST|1234 5698 7654 32|MT84|MALT|barrio|ñ|€|[0-9]|[a-z]|[ ,.:;/(]| ){0,14}";

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1500))]

        #[test]
        fn whatever_a_rule_would_find_is_looked_at(text in PIECES, any in "\\PC{0,40}") {
            nothing_slips_past_the_quick_look(&text);
            nothing_slips_past_the_quick_look(&format!("{text}{any}{text}"));
        }

        #[test]
        fn an_address_among_other_text_is_looked_at(
            before in "[a-z ñ,.:/&%(@b0-9]{0,20}",
            sign in select(address::tests::AT.iter().copied().chain(["arroba", "arrova", "at"]).collect::<Vec<_>>()),
            blank in " ?",
            after in "[a-z ñ,.:/&%(@b0-9]{0,20}",
        ) {
            let text = format!("{before}p{blank}{sign}{blank}x.org{after}");
            nothing_slips_past_the_quick_look(&text);
            nothing_slips_past_the_quick_look(&text.to_uppercase());
        }

        #[test]
        fn letters_and_two_digits_are_no_account(text in "[A-Z]{2}[0-9]{2}[A-Z0-9 ]{11,34}") {
            nothing_slips_past_the_quick_look(&text);
        }
    }
}
