//! Text as it is compared: lower case, without accents.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Lower case without accents; what is no letter or digit is kept.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().map(latin).collect::<Option<_>>().unwrap_or_else(|| decomposed(text))
}

/// The usual letters of Latin-1 and ASCII, folded.
fn latin(character: char) -> Option<char> {
    Some(match character {
        '\0'..='\x7F' => character.to_ascii_lowercase(),
        'À'..='Å' | 'à'..='å' => 'a',
        'Ç' | 'ç' => 'c',
        'È'..='Ë' | 'è'..='ë' => 'e',
        'Ì'..='Ï' | 'ì'..='ï' => 'i',
        'Ñ' | 'ñ' => 'n',
        'Ò'..='Ö' | 'ò'..='ö' => 'o',
        'Ù'..='Ü' | 'ù'..='ü' => 'u',
        'Ý' | 'ý' | 'ÿ' => 'y',
        _ => return None,
    })
}

fn decomposed(text: &str) -> String {
    text.nfd().filter(|character| !is_combining_mark(*character)).flat_map(char::to_lowercase).collect()
}

/// The words of a text, folded, with one space between: `"El  Tiemblo!"` is `"el tiemblo"`.
pub(crate) fn words(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    for character in fold(text).chars() {
        if character.is_alphanumeric() {
            words.push(character);
        } else if !words.is_empty() && !words.ends_with(' ') {
            words.push(' ');
        }
    }
    words.truncate(words.trim_end().len());
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{decomposed, fold};

    #[test]
    fn every_letter_folds_as_its_parts_do() {
        for letter in '\0'..='\u{2ff}' {
            let letter = letter.to_string();
            assert_eq!(fold(&letter), decomposed(&letter), "{letter:?}");
        }
    }

    proptest! {
        #[test]
        fn a_text_folds_as_its_parts_do(text in "[a-zA-Z À-ÿ\u{300}-\u{308}]{0,12}|\\PC{0,8}") {
            prop_assert_eq!(fold(&text), decomposed(&text));
        }
    }
}
