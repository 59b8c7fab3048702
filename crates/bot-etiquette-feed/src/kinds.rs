//! Which kinds of bytes a text holds, from one quick pass: a rule whose bytes are missing need not be tried.

/// A set of kinds of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kinds(u8);

impl Kinds {
    /// Control characters of ASCII, the line feed apart.
    pub(crate) const CONTROL: Self = Self(1);
    pub(crate) const LINE_FEED: Self = Self(1 << 1);
    /// The first byte of a character beyond Latin letters, which may have another form or none that is seen.
    pub(crate) const FOREIGN: Self = Self(1 << 2);
    pub(crate) const DIGIT: Self = Self(1 << 3);
    /// What the guises of an at sign begin with, its words apart: `@ & %`.
    pub(crate) const SIGN: Self = Self(1 << 4);
    /// The same: `( [ {`.
    pub(crate) const BRACKET: Self = Self(1 << 5);
    /// What ends a link's scheme or host: `: /`.
    pub(crate) const LINK: Self = Self(1 << 6);

    #[inline]
    pub(crate) fn of(text: &str) -> Self {
        // By fours, since each step waits for the one before.
        let (fours, rest) = text.as_bytes().as_chunks();
        let kinds = fours.iter().fold(Self(0), |kinds, [one, two, three, four]| {
            let halves = [(one, two), (three, four)];
            let [left, right] = halves.map(|(one, two)| Self::of_byte(*one).or(Self::of_byte(*two)));
            kinds.or(left.or(right))
        });
        rest.iter().fold(kinds, |kinds, byte| kinds.or(Self::of_byte(*byte)))
    }

    #[inline]
    pub(crate) fn of_byte(byte: u8) -> Self {
        Self(TABLE.get(usize::from(byte)).copied().unwrap_or(u8::MAX))
    }

    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether one of `kinds` is among these.
    #[inline]
    pub(crate) fn any(self, kinds: Self) -> bool {
        self.0 & kinds.0 != 0
    }

    const fn of_byte_slowly(byte: u8) -> Self {
        match byte {
            b'\n' => Self::LINE_FEED,
            0..=0x1F | 0x7F => Self::CONTROL,
            b'0'..=b'9' => Self::DIGIT,
            b'@' | b'&' | b'%' => Self::SIGN,
            b'(' | b'[' | b'{' => Self::BRACKET,
            b':' | b'/' => Self::LINK,
            0xC2 | 0xC4..=0xFF => Self::FOREIGN,
            _ => Self(0),
        }
    }
}

#[expect(clippy::indexing_slicing, reason = "the compiler evaluates it")]
const TABLE: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0_u8;
    loop {
        table[byte as usize] = Kinds::of_byte_slowly(byte).0;
        if byte == u8::MAX {
            break table;
        }
        byte += 1;
    }
};

/// The highest byte. Below 0xEF there is none of a byte order mark or of U+FFFD, and few texts in Latin letters go higher.
pub(crate) fn highest(text: &str) -> u8 {
    // Without a way out, so that many bytes are compared at once.
    text.bytes().fold(0, u8::max)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Kinds, highest};

    proptest! {
        #[test]
        fn a_text_holds_the_kinds_of_its_bytes(text in "[a-z0-9@(:ñ€\n\t]{0,12}|\\PC{0,12}") {
            let kinds = text.bytes().map(Kinds::of_byte).fold(Kinds(0), Kinds::or);
            prop_assert_eq!(Kinds::of(&text), kinds);
            prop_assert_eq!(highest(&text), text.bytes().max().unwrap_or(0));
        }
    }
}
