//! E-mail addresses, plain and disguised, and links that write or call.

use super::{Find, Kind, after, before};

/// What people write for the at sign; the longer ones first.
const AT: [&str; 16] = [
    "(arroba)", "[arroba]", "{arroba}", "&commat;", "&#0064;", "&#064;", "&#x40;", "&#x040;", "&#64;",
    "arroba", "(at)", "[at]", "{at}", "( at )", "%40", "@",
];
/// What people write for the dot, beside the dot.
const DOT: [&str; 9] = ["(punto)", "[punto]", "{punto}", "punto", "(dot)", "[dot]", "{dot}", "dot", "&#46;"];
/// Bytes looked at on either side of the at sign; an address is no longer (RFC 5321, 4.5.3.1).
const REACH: usize = 320;

pub(super) fn emails(text: &str, finds: &mut Vec<Find>) {
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        if at < from || !matches!(byte, b'@' | b'(' | b'[' | b'{' | b'&' | b'%' | b'a' | b'A') {
            continue;
        }
        let word = matches!(byte, b'a' | b'A');
        if word && !text.as_bytes().get(at.saturating_add(1)).is_some_and(|next| matches!(next, b'r' | b'R'))
        {
            continue;
        }
        let Some((sign, length)) = disguise(text, at, &AT) else { continue };
        let after_sign = at.saturating_add(length);
        let spaced = sign != "@" && sign != "%40";
        if word && !(stands_alone(text, at, after_sign)) {
            continue;
        }
        // A lone "@" between blanks is a disguise too; "@name" after a blank is a handle.
        let open_both = text.as_bytes().get(after_sign) == Some(&b' ') && before(text, at) == Some(' ');
        let Some(start) = local_part(text, at, from, spaced || open_both) else { continue };
        let Some(end) = domain(text, after_sign, spaced || open_both) else { continue };
        let start = without_scheme(text, start, from);
        finds.push(Find { at: start..end, kind: Kind::Email });
        from = end;
    }
}

/// Which of `signs` stands at `at`, and how long it is.
fn disguise(text: &str, at: usize, signs: &[&'static str]) -> Option<(&'static str, usize)> {
    let rest = text.as_bytes().get(at..)?;
    signs
        .iter()
        .find(|sign| rest.get(..sign.len()).is_some_and(|start| start.eq_ignore_ascii_case(sign.as_bytes())))
        .map(|sign| (*sign, sign.len()))
}

fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    !before(text, start).is_some_and(char::is_alphanumeric)
        && !after(text, end).is_some_and(char::is_alphanumeric)
}

fn local_part(text: &str, at: usize, from: usize, spaced: bool) -> Option<usize> {
    let left = text.get(from..at)?;
    let left = if spaced { left.trim_end_matches(' ') } else { left };
    if at.saturating_sub(from.saturating_add(left.len())) > 3 {
        return None;
    }
    let mut length = 0;
    for character in left.chars().rev() {
        if length >= REACH || !(character.is_alphanumeric() || "._%+'-~!$*^`".contains(character)) {
            break;
        }
        length += character.len_utf8();
    }
    let taken = left.get(left.len().saturating_sub(length)..)?;
    taken.contains(char::is_alphanumeric).then(|| from + left.len() - length)
}

/// Where the domain that starts at `start` ends: labels, a dot at least, a last label of two letters or more.
fn domain(text: &str, start: usize, spaced: bool) -> Option<usize> {
    let mut at = if spaced { skip_blanks(text, start) } else { start };
    let mut end = None;
    let mut labels = 0_usize;
    while at < start.saturating_add(REACH) {
        let stop = label(text, at);
        if stop == at {
            break;
        }
        labels = labels.saturating_add(1);
        let letters =
            text.get(at..stop).unwrap_or_default().chars().filter(|letter| letter.is_alphabetic()).count();
        if labels > 1 && letters >= 2 {
            end = Some(stop);
        }
        match dot(text, stop) {
            Some(next) => at = next,
            None => break,
        }
    }
    end
}

fn label(text: &str, start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let length: usize = rest
        .chars()
        .take(64)
        .take_while(|character| character.is_alphanumeric() || matches!(character, '-' | '_'))
        .map(char::len_utf8)
        .sum();
    start.saturating_add(length)
}

/// Behind the dot at `at`, plain or in words.
fn dot(text: &str, at: usize) -> Option<usize> {
    if text.as_bytes().get(at) == Some(&b'.') {
        return Some(at.saturating_add(1));
    }
    let start = skip_blanks(text, at);
    let (sign, length) = disguise(text, start, &DOT)?;
    let end = start.saturating_add(length);
    let word = sign == "punto" || sign == "dot";
    (!word || start > at && stands_alone(text, start, end)).then(|| skip_blanks(text, end))
}

fn skip_blanks(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    at.saturating_add(rest.iter().take(3).take_while(|byte| **byte == b' ').count())
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

/// Links that are an address or a number: the whole link goes.
const LINKS: [&str; 8] =
    ["mailto:", "tel:", "sms:", "callto:", "whatsapp:", "wa.me/", "api.whatsapp.com/", "whatsapp.com/send"];

pub(super) fn links(text: &str, finds: &mut Vec<Find>) {
    let bytes = text.as_bytes();
    let mut from = 0;
    for at in memchr::memchr2_iter(b':', b'/', bytes) {
        if at < from {
            continue;
        }
        let end = at.saturating_add(1);
        let ends_with = |sign: &&&str| {
            let Some(start) = end.checked_sub(sign.len()) else { return false };
            bytes.get(start..end).is_some_and(|word| word.eq_ignore_ascii_case(sign.as_bytes()))
        };
        let known = LINKS.iter().find(ends_with).or_else(|| {
            let rest = bytes.get(at..).unwrap_or_default();
            let send = rest.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"/send"));
            LINKS
                .last()
                .filter(|_| send && text.get(from..at).is_some_and(|left| left.ends_with("whatsapp.com")))
        });
        let Some(sign) = known else { continue };
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
