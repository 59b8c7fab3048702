//! Links that write or call.

use super::{Find, Kind, before};
use crate::kinds::Kinds;

/// Links that are an address or a number: the whole link goes.
const LINKS: [&str; 8] =
    ["mailto:", "tel:", "sms:", "callto:", "whatsapp:", "wa.me/", "api.whatsapp.com/", "whatsapp.com/send"];

/// Characters looked at on the left of what gives a link away.
const REACH: usize = 320;

/// Whether a text that holds bytes of these kinds may hold such a link.
pub(super) fn may_stand_in(bytes: &[u8], kinds: Kinds) -> bool {
    kinds.any(Kinds::LINK) && memchr::memchr2_iter(b':', b'/', bytes).any(|at| known(bytes, at).is_some())
}

/// Which of [`LINKS`] the colon or the slash at `at` belongs to.
fn known(bytes: &[u8], at: usize) -> Option<&'static str> {
    let end = at.saturating_add(1);
    // What stands before the colon or the slash in all of them.
    let left = bytes.get(..at)?.last_chunk()?.map(|letter: u8| letter.to_ascii_lowercase());
    if !matches!(&left, b"to" | b"el" | b"ms" | b"pp" | b"me" | b"om") {
        return None;
    }
    let stands = |from: usize, sign: &str| {
        let word = bytes.get(from..from.saturating_add(sign.len()));
        word.is_some_and(|word| word.eq_ignore_ascii_case(sign.as_bytes()))
    };
    let ending = |sign: &&&str| end.checked_sub(sign.len()).is_some_and(|from| stands(from, sign));
    // The last one ends behind its slash.
    let send = || {
        LINKS
            .last()
            .filter(|sign| at.checked_sub("whatsapp.com".len()).is_some_and(|from| stands(from, sign)))
    };
    LINKS.iter().find(ending).or_else(send).copied()
}

pub(super) fn links(text: &str, finds: &mut Vec<Find>) {
    let bytes = text.as_bytes();
    let mut from = 0;
    for at in memchr::memchr2_iter(b':', b'/', bytes) {
        if at < from {
            continue;
        }
        let end = at.saturating_add(1);
        let Some(sign) = known(bytes, at) else { continue };
        let start =
            if sign.ends_with(':') { end.saturating_sub(sign.len()) } else { token_start(text, at, from) };
        if before(text, start).is_some_and(char::is_alphanumeric) {
            continue;
        }
        // "Tel: 91 .." is a label, not a link: the number behind it is found as a number.
        if sign.ends_with(':') && !looks_personal(text.get(end..).unwrap_or_default()) {
            continue;
        }
        let stop = token_end(text, end);
        if stop > end {
            finds.push(Find { at: start..stop, kind: Kind::Link });
            from = stop;
        }
    }
}

/// Whether the link that goes on with `rest` names somebody, from its first characters.
fn looks_personal(rest: &str) -> bool {
    let mut digits = 0;
    for character in rest.chars().take(64).take_while(|character| in_token(*character)) {
        digits += usize::from(character.is_ascii_digit());
        if digits >= 3 || matches!(character, '@' | '%' | '&') {
            return true;
        }
    }
    false
}

fn token_start(text: &str, at: usize, from: usize) -> usize {
    let left = text.get(from..at).unwrap_or_default();
    let length: usize =
        left.chars().rev().take(REACH).take_while(|character| in_token(*character)).map(char::len_utf8).sum();
    at.saturating_sub(length)
}

fn token_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let length: usize = rest.chars().take_while(|character| in_token(*character)).map(char::len_utf8).sum();
    let token = rest.get(..length).unwrap_or_default();
    at.saturating_add(token.trim_end_matches(['.', ',', ';', ')', ']']).len())
}

fn in_token(character: char) -> bool {
    !character.is_whitespace() && !matches!(character, '<' | '>' | '"' | '\'' | '(' | '\u{ab}' | '\u{bb}')
}

#[cfg(test)]
mod tests {
    use super::{LINKS, links, may_stand_in};
    use crate::kinds::Kinds;

    #[test]
    fn each_link_that_writes_or_calls_is_looked_at() {
        for link in LINKS.iter().flat_map(|link| [link.to_lowercase(), link.to_uppercase()]) {
            let text = format!("Escribe {link}600123 ya");
            let mut finds = Vec::new();
            links(&text, &mut finds);
            assert!(
                may_stand_in(text.as_bytes(), Kinds::of(&text)) && finds.len() == 1,
                "{text:?} {finds:?}"
            );
        }
    }
}
