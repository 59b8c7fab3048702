//! HTML fragments to text: tags away, entities decoded.

use std::borrow::Cow;

/// Decodes references: numbers, and the names of HTML. Halves of a surrogate pair beside each other are joined.
pub(crate) fn decode_entities(text: &str) -> Cow<'_, str> {
    let mut decoded = String::new();
    // What stands before is taken over.
    let mut from = 0;
    let mut high = None;
    for at in memchr::memchr_iter(b'&', text.as_bytes()) {
        let start = at.saturating_add(1);
        let Some(inner) = text.get(start..).filter(|_| at >= from) else { continue };
        let end = inner.bytes().take(LONGEST_NAME).position(|byte| byte == b';');
        let Some((end, resolved)) = end.and_then(|end| Some((end, resolve(inner.get(..end)?)?))) else {
            continue;
        };
        if at > from {
            high = None;
        }
        decoded.reserve(text.len().saturating_sub(from));
        decoded.push_str(text.get(from..at).unwrap_or_default());
        from = start.saturating_add(end).saturating_add(1);
        match resolved {
            Resolved::Text(text) => {
                decoded.push_str(text);
                high = None;
            }
            Resolved::Code(code) => {
                push_code(code, &mut high, &mut decoded);
            }
        }
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    decoded.push_str(text.get(from..).unwrap_or_default());
    Cow::Owned(decoded)
}

/// Elements of HTML that mark up words, and put nothing between them.
const INLINE: [&str; 20] = [
    "a", "abbr", "b", "cite", "code", "del", "em", "font", "i", "ins", "mark", "q", "s", "small", "span",
    "strong", "sub", "sup", "u", "wbr",
];
/// Elements of HTML that part texts, each a line of its own.
const BLOCKS: [&str; 20] = [
    "blockquote",
    "br",
    "dd",
    "div",
    "dl",
    "dt",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "table",
    "tr",
    "ul",
];
/// Such as well in a fragment of HTML; in a document of XML these are names of its own.
const SECTIONS: [&str; 2] = ["article", "section"];

/// Whether an element of this name marks up words.
pub(crate) fn is_inline(name: &str) -> bool {
    INLINE.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether an element of this name is one of HTML that holds text to be read.
pub(crate) fn is_markup(name: &str) -> bool {
    is_inline(name) || BLOCKS.iter().chain(&["tbody", "td"]).any(|known| known.eq_ignore_ascii_case(name))
}

/// The longest name of an HTML entity is shorter.
const LONGEST_NAME: usize = 40;

/// What a reference stands for.
pub(crate) enum Resolved {
    Text(&'static str),
    Code(u32),
}

/// Resolves what stands between `&` and `;`.
pub(crate) fn resolve(name: &str) -> Option<Resolved> {
    let Some(number) = name.strip_prefix('#') else {
        return quick_xml::escape::resolve_html5_entity(name).map(Resolved::Text);
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) if !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) => {
            u32::from_str_radix(digits, 16).unwrap_or(u32::MAX)
        }
        None if !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()) => {
            number.parse().unwrap_or(u32::MAX)
        }
        _ => return None,
    };
    Some(Resolved::Code(code))
}

/// Adds the character of a number; `false` when there is none: U+FFFD then, and nothing for a control character.
pub(crate) fn push_code(code: u32, high: &mut Option<u32>, text: &mut String) -> bool {
    if let (Some(first), 0xDC00..=0xDFFF) = (*high, code) {
        *high = None;
        text.truncate(text.len().saturating_sub(char::REPLACEMENT_CHARACTER.len_utf8()));
        let joined =
            0x1_0000_u32.saturating_add((first.saturating_sub(0xD800) << 10) | code.saturating_sub(0xDC00));
        text.extend(char::from_u32(joined));
        return false;
    }
    *high = (0xD800..=0xDBFF).contains(&code).then_some(code);
    match char::from_u32(code) {
        Some(character) if character.is_control() && !matches!(character, '\t' | '\n' | '\r') => false,
        Some(character) => {
            text.push(character);
            true
        }
        None => {
            text.push(char::REPLACEMENT_CHARACTER);
            false
        }
    }
}

/// A fragment as text: a line for each block, nothing of scripts and styles, no links.
pub(crate) fn to_text(html: &str) -> Cow<'_, str> {
    if memchr::memchr(b'<', html.as_bytes()).is_none() {
        return decode_entities(html);
    }
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = memchr::memchr(b'<', rest.as_bytes()) {
        let (plain, tag) = rest.split_at_checked(at).unwrap_or((rest, ""));
        text.push_str(plain);
        let inner = tag.get(1..).unwrap_or_default();
        if let Some(comment) = inner.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let name_at = usize::from(inner.starts_with('/'));
        let name = inner.get(name_at..).unwrap_or_default();
        let length = name.bytes().take(12).take_while(u8::is_ascii_alphanumeric).count();
        let name = name.get(..length).unwrap_or_default();
        if name.is_empty() && !inner.starts_with('!') {
            text.push('<');
            rest = inner;
            continue;
        }
        let Some(after) = tag_end(inner) else {
            // A tag that is never closed: what it holds is no text.
            rest = "";
            break;
        };
        rest = inner.get(after..).unwrap_or_default();
        let is_any = |names: &[&str]| names.iter().any(|one| one.eq_ignore_ascii_case(name));
        if name_at == 0 && is_any(&["script", "style"]) {
            rest = skip_raw(rest, name);
        } else if is_any(&BLOCKS) || is_any(&SECTIONS) {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
        } else if is_any(&["td", "th"]) {
            text.push(' ');
        }
    }
    text.push_str(rest);
    match decode_entities(&text) {
        Cow::Borrowed(_) => Cow::Owned(text),
        Cow::Owned(decoded) => Cow::Owned(decoded),
    }
}

/// Behind the `>` of a tag, where one in quotes is none.
fn tag_end(inner: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in inner.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at.saturating_add(1)),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

/// Behind the end tag of a script or a style.
fn skip_raw<'a>(rest: &'a str, name: &str) -> &'a str {
    let mut from = 0;
    while let Some(at) = rest.get(from..).and_then(|rest| rest.find("</")) {
        let start = from.saturating_add(at).saturating_add(2);
        let tail = rest.get(start..).unwrap_or_default();
        if tail.as_bytes().get(..name.len()).is_some_and(|end| end.eq_ignore_ascii_case(name.as_bytes())) {
            return tail.split_once('>').map_or("", |(_, after)| after);
        }
        from = start;
    }
    ""
}

/// What comes behind an XML declaration, comments and blanks; `None` when one of them does not end.
pub(crate) fn after_prologue(text: &str) -> Option<&str> {
    let mut rest = text.trim_start();
    loop {
        let (_, after) = match rest {
            rest if rest.starts_with("<?") => rest.split_once("?>")?,
            rest if rest.starts_with("<!--") => rest.split_once("-->")?,
            _ => return Some(rest),
        };
        rest = after.trim_start();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{LONGEST_NAME, Resolved, decode_entities, push_code, resolve};

    /// One character or reference after the other.
    fn decode_slowly(text: &str) -> String {
        let (mut decoded, mut rest, mut high) = (String::new(), text, None);
        while let Some(first) = rest.chars().next() {
            let reference = rest.strip_prefix('&').and_then(|inner| inner.split_once(';'));
            match reference
                .filter(|(name, _)| name.len() < LONGEST_NAME)
                .and_then(|(name, after)| Some((resolve(name)?, after)))
            {
                Some((Resolved::Code(code), after)) => {
                    push_code(code, &mut high, &mut decoded);
                    rest = after;
                    continue;
                }
                Some((Resolved::Text(text), after)) => {
                    decoded.push_str(text);
                    rest = after;
                }
                None => {
                    decoded.push(first);
                    rest = &rest[first.len_utf8()..];
                }
            }
            high = None;
        }
        decoded
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn references_are_decoded_as_one_after_the_other(
            text in "(&amp;|&|;|&eacute;|&#55357;|&#56841;|&#xD83D;|&#0;|&#x41;|&#;|&none;|amp;|#|a|ñ| ){0,12}",
        ) {
            prop_assert_eq!(decode_entities(&text), decode_slowly(&text));
        }
    }
}
