//! Text as it is compared: lower case, without accents.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Lower case without accents; what is no letter or digit is kept.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
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
