//! Text without personal data: the only text an event takes.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::kinds::Kinds;
use crate::scrub::{self, Scrubbed};
use crate::trim::trimmed;

/// Text that went through the scrubber; nothing else makes one.
///
/// Removed are e-mail addresses, telephone numbers, Spanish identity numbers and IBANs in the forms people write them,
/// obfuscated ones too. What remains is in NFC, trimmed, with single spaces. Cleaning is linear and cleaning
/// clean text changes nothing. It works by form alone: a name is not recognised as personal.
///
/// ```
/// use bot_etiquette_feed::CleanText;
///
/// let (text, scrubbed) = CleanText::line("Reservas: persona (arroba) example.org o 91-588-06-65. Aforo 120");
/// assert_eq!((scrubbed.emails, scrubbed.phones), (1, 1));
/// assert!(text.ends_with("Aforo 120") && !text.contains("example"));
/// assert_eq!(format!("{text:?}"), format!("CleanText({} bytes)", text.len()));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct CleanText(Box<str>);

impl CleanText {
    /// Cleans text and puts it on one line.
    #[must_use]
    pub fn line(text: &str) -> (Self, Scrubbed) {
        Self::clean(text, false)
    }

    /// Cleans text and keeps its line ends, without blank lines.
    #[must_use]
    pub fn block(text: &str) -> (Self, Scrubbed) {
        Self::clean(text, true)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn clean(text: &str, lines: bool) -> (Self, Scrubbed) {
        let mut scrubbed = Scrubbed::default();
        let (mut text, mut kinds) = normal(Cow::Borrowed(trimmed(text)), lines);
        for pass in 0..PASSES {
            let Some(kept) = scrub::scrub(&text, kinds, pass >= SILENT_PASSES, &mut scrubbed) else {
                return (Self(text.into()), scrubbed);
            };
            (text, kinds) = normal(Cow::Owned(kept), lines);
        }
        (Self::default(), scrubbed)
    }
}

/// Passes that take a find out without a trace; what then stands together may be a find anew.
const SILENT_PASSES: usize = 3;
/// Passes in all; the later ones leave a mark, so that nothing comes together. A text that is not clean then is dropped.
const PASSES: usize = 8;

/// One form for texts that read alike: NFC, single blanks, nothing invisible. Most texts have it, and are left as they are.
fn normal(text: Cow<'_, str>, lines: bool) -> (Cow<'_, str>, Kinds) {
    let kinds = Kinds::of(&text);
    if is_normal(&text, kinds, lines) {
        return (text, kinds);
    }
    let text = made_normal(&text, lines);
    let kinds = Kinds::of(&text);
    (Cow::Owned(text), kinds)
}

fn made_normal(text: &str, lines: bool) -> String {
    let mut text = tidy_spaces(text, lines);
    // What is invisible may stand between a letter and its accent: a few rounds settle it.
    for _ in 0..4 {
        if is_nfc_quick(text.chars()) != IsNormalized::Yes {
            text = text.nfc().collect();
        }
        match scrub::unmask(&text) {
            Some(plain) => text = tidy_spaces(&plain, lines),
            None => break,
        }
    }
    text
}

/// Whether a text that holds bytes of these kinds is seen to be normal: ASCII, the letters and signs of Latin-1, the usual
/// quotes and dashes, single blanks between.
fn is_normal(text: &str, kinds: Kinds, lines: bool) -> bool {
    if kinds.any(Kinds::CONTROL) || kinds.any(Kinds::LINE_FEED) && !lines {
        return false;
    }
    let bytes = text.as_bytes();
    // Without control characters, what is not above a blank is one.
    let is_blank = |byte: &u8| *byte <= b' ';
    let (first, last) = (bytes.first(), bytes.last());
    if first.is_some_and(is_blank) || last.is_some_and(is_blank) {
        return false;
    }
    // Without a way out, so that many bytes are compared at once.
    let pairs = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    let two_blanks = is_blank(&pairs.fold(u8::MAX, |lowest, (one, next)| lowest.min(*one.max(next))));
    !two_blanks && (!kinds.any(Kinds::FOREIGN) || has_usual_signs(bytes))
}

/// Whether the characters beyond Latin letters are all signs that have one form, such as those of `¡«nº “x” – 3 €…!`.
fn has_usual_signs(bytes: &[u8]) -> bool {
    let is_usual = |at: usize| {
        matches!(
            bytes.get(at..).unwrap_or_default(),
            [0xC2, 0xA1..=0xAC | 0xAE..=0xBF, ..]
                | [0xE2, 0x80, 0x93 | 0x94 | 0x98 | 0x99 | 0x9C | 0x9D | 0xA6, ..]
                | [0xE2, 0x82, 0xAC, ..]
        )
    };
    let foreign = |(at, byte): (usize, &u8)| Kinds::of_byte(*byte).any(Kinds::FOREIGN).then_some(at);
    bytes.iter().enumerate().filter_map(foreign).all(is_usual)
}

impl Deref for CleanText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CleanText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The length alone: what a feed holds never reaches a log by way of `{:?}`.
impl fmt::Debug for CleanText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CleanText({} bytes)", self.0.len())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for CleanText {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// Cleans again: what was stored is no exception.
#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for CleanText {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Ok(Self::block(&text).0)
    }
}

/// Trims, makes each run of blanks one space, drops control characters; line ends are kept as single ones or become spaces.
fn tidy_spaces(text: &str, lines: bool) -> String {
    let mut tidy = String::with_capacity(text.len());
    let mut pending = None;
    for character in text.chars() {
        if character.is_whitespace() || matches!(character, '\u{85}' | '\u{2028}' | '\u{2029}') {
            let line_end = lines && matches!(character, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
            pending = if line_end || pending == Some('\n') { Some('\n') } else { Some(' ') };
        } else if !character.is_control() {
            if let Some(space) = pending.take().filter(|_| !tidy.is_empty()) {
                tidy.push(space);
            }
            tidy.push(character);
        }
    }
    tidy
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{is_normal, made_normal};
    use crate::kinds::Kinds;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn what_seems_normal_is_normal(
            text in "[a-cñ «»“–…€º¡ e\u{301}\u{a0}\u{ad}\u{200b}\u{ff20}\t\n\r-]{0,16}|\\PC{0,16}",
            lines in any::<bool>(),
        ) {
            if is_normal(&text, Kinds::of(&text), lines) {
                prop_assert_eq!(made_normal(&text, lines), text);
            }
        }
    }
}
