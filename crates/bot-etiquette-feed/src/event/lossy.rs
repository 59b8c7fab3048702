//! Question marks that nothing asks: a publisher wrote text in a charset that has no `…`, `’` or `€`.

/// Whether a text has such a mark: between two letters, or, in Spanish, at the end of a question that was never opened.
pub(super) fn has_lost(text: &str, language: &str) -> bool {
    if memchr::memchr(b'?', text.as_bytes()).is_none() {
        return false;
    }
    // A mark in an address begins a query.
    let is_address = |word: &&str| word.contains("://") || word.contains('/') || word.starts_with("www.");
    let words = || text.split_whitespace().filter(|word| !is_address(word));
    let is_spanish = language.split('-').next().is_some_and(|language| language.eq_ignore_ascii_case("es"));
    let marks = |mark| words().map(|word| word.matches(mark).count()).sum::<usize>();
    words().any(is_between_letters) || is_spanish && marks('?') > marks('¿')
}

fn is_between_letters(word: &str) -> bool {
    let is_letter = |character: Option<char>| character.is_some_and(char::is_alphabetic);
    let mut marks = word.match_indices('?');
    marks.any(|(at, _)| {
        let (before, after) = word.split_at_checked(at).unwrap_or_default();
        is_letter(before.chars().next_back()) && is_letter(after.chars().nth(1))
    })
}
