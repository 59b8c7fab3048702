//! In what charset a page is written.
//!
//! Source: HTML Standard, "determining the character encoding": byte order mark, `Content-Type`, a `meta` in the first
//! 1,024 bytes, the XML declaration; then valid UTF-8 or a guess.

use std::borrow::Cow;

use bot_etiquette_lenient::text::{self, Decoded, Source};

/// Bytes at the start in which a declaration is looked for.
pub const PRESCAN_BYTES: usize = 1024;

/// The charset of a page, and how it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Charset {
    /// The WHATWG name, such as `UTF-8` or `windows-1252`.
    pub name: String,
    /// What decided.
    pub source: CharsetSource,
    /// Whether some bytes were no text in that charset and stand as U+FFFD.
    pub lossy: bool,
}

/// What decided about the charset of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum CharsetSource {
    /// A byte order mark.
    Bom,
    /// The `charset` of `Content-Type`.
    Header,
    /// A `meta` tag among the first bytes.
    Meta,
    /// The XML declaration.
    XmlDeclaration,
    /// Nothing said it, and the bytes are valid UTF-8.
    ValidUtf8,
    /// A guess from the bytes.
    Guess,
}

/// Reads the bytes of a page as text.
pub(crate) fn decode<'a>(bytes: &'a [u8], content_type: Option<&str>) -> (Cow<'a, str>, Charset) {
    let declared = |label: &str, source| text::decode_as(bytes, label).map(|decoded| (decoded, source));
    let header = content_type.and_then(text::charset_parameter);
    let (decoded, source) = header
        .and_then(|label| declared(label, CharsetSource::Header))
        .or_else(|| prescan(bytes).and_then(|label| declared(&label, CharsetSource::Meta)))
        .or_else(|| xml_declaration(bytes).and_then(|label| declared(&label, CharsetSource::XmlDeclaration)))
        .unwrap_or_else(|| (text::decode(bytes, None), CharsetSource::Guess));
    let source = match decoded.source() {
        Source::Bom => CharsetSource::Bom,
        Source::ValidUtf8 => CharsetSource::ValidUtf8,
        _ => source,
    };
    named(decoded, source)
}

fn named(decoded: Decoded<'_>, source: CharsetSource) -> (Cow<'_, str>, Charset) {
    let charset = Charset { name: decoded.charset().to_owned(), source, lossy: decoded.is_lossy() };
    (decoded.into_text(), charset)
}

/// A `meta` that declares UTF-16 cannot be read as that, and `x-user-defined` is what browsers read as windows-1252.
fn usable(label: &str) -> Option<String> {
    let encoding = encoding_rs::Encoding::for_label_no_replacement(label.trim().as_bytes())?;
    Some(match encoding.name() {
        "UTF-16LE" | "UTF-16BE" => "utf-8".to_owned(),
        "x-user-defined" => "windows-1252".to_owned(),
        name => name.to_owned(),
    })
}

/// The label of the first `meta` that declares one, comments passed over.
fn prescan(bytes: &[u8]) -> Option<String> {
    let head = bytes.get(..PRESCAN_BYTES).unwrap_or(bytes);
    let mut at = 0;
    while let Some(open) = memchr::memchr(b'<', head.get(at..)?) {
        at = at.saturating_add(open);
        let rest = head.get(at..)?;
        if rest.starts_with(b"<!--") {
            // The two dashes may be those of the opening: `<!-->` is a whole comment.
            at = at
                .saturating_add(2)
                .saturating_add(memchr::memmem::find(rest.get(2..)?, b"-->")?)
                .saturating_add(3);
        } else if is_meta(rest) {
            let mut attributes = Attributes { rest: rest.get(5..)? };
            if let Some(label) = meta_label(&mut attributes) {
                return Some(label);
            }
            at = head.len().saturating_sub(attributes.rest.len());
        } else if rest.get(1).is_some_and(u8::is_ascii_alphabetic)
            || (rest.get(1) == Some(&b'/') && rest.get(2).is_some_and(u8::is_ascii_alphabetic))
        {
            let name = rest.iter().position(|byte| is_space(*byte) || *byte == b'>')?;
            let mut attributes = Attributes { rest: rest.get(name..)? };
            while attributes.next().is_some() {}
            at = head.len().saturating_sub(attributes.rest.len());
        } else if matches!(rest.get(1), Some(b'!' | b'/' | b'?')) {
            at = at.saturating_add(memchr::memchr(b'>', rest)?);
        } else {
            at = at.saturating_add(1);
        }
    }
    None
}

fn is_meta(rest: &[u8]) -> bool {
    rest.get(..5).is_some_and(|tag| tag.eq_ignore_ascii_case(b"<meta"))
        && rest.get(5).is_some_and(|byte| is_space(*byte) || *byte == b'/')
}

fn meta_label(attributes: &mut Attributes<'_>) -> Option<String> {
    let (mut charset, mut content, mut is_content_type) = (None, None, false);
    for (name, value) in attributes.by_ref() {
        match name.as_str() {
            "charset" if charset.is_none() => charset = Some(value),
            "content" if content.is_none() => content = Some(value),
            "http-equiv" => is_content_type |= value.eq_ignore_ascii_case("content-type"),
            _ => {}
        }
    }
    let in_content = content.filter(|_| is_content_type).and_then(|content| charset_in(&content));
    charset.or(in_content).and_then(|label| usable(&label))
}

/// The label after `charset =`, quoted or not, anywhere in the value.
fn charset_in(content: &str) -> Option<String> {
    let lower = content.to_ascii_lowercase();
    let mut at = 0;
    while let Some(found) = lower.get(at..)?.find("charset") {
        at = at.saturating_add(found).saturating_add("charset".len());
        let Some(value) = content.get(at..)?.trim_start().strip_prefix('=') else { continue };
        let value = value.trim_start();
        return match value.chars().next()? {
            quote @ ('"' | '\'') => value.get(1..)?.split_once(quote).map(|(label, _)| label.to_owned()),
            _ => value.split([';', ' ', '\t', '\n', '\r', '\x0c']).next().map(str::to_owned),
        };
    }
    None
}

fn xml_declaration(bytes: &[u8]) -> Option<String> {
    let head = bytes.get(..PRESCAN_BYTES).unwrap_or(bytes).strip_prefix(b"<?xml")?;
    let head = head.get(..memchr::memchr(b'>', head)?)?;
    let after = head.get(memchr::memmem::find(head, b"encoding")?.saturating_add("encoding".len())..)?;
    let value = after.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (quote, value) = value.split_first()?;
    let end = memchr::memchr(*quote, value).filter(|_| matches!(quote, b'"' | b'\''))?;
    usable(std::str::from_utf8(value.get(..end)?).ok()?)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')
}

/// The attributes of a tag as the prescan reads them, names in lower case.
struct Attributes<'a> {
    rest: &'a [u8],
}

impl Iterator for Attributes<'_> {
    type Item = (String, String);

    fn next(&mut self) -> Option<Self::Item> {
        self.skip(|byte| is_space(byte) || byte == b'/');
        if self.rest.first().is_none_or(|byte| *byte == b'>') {
            return None;
        }
        let name =
            self.take(|at, byte| (byte == b'=' && at > 0) || is_space(byte) || matches!(byte, b'/' | b'>'));
        self.skip(is_space);
        if self.rest.first() != Some(&b'=') {
            return Some((name.to_ascii_lowercase(), String::new()));
        }
        self.rest = self.rest.get(1..).unwrap_or_default();
        self.skip(is_space);
        let value = match self.rest.first() {
            Some(&quote @ (b'"' | b'\'')) => {
                self.rest = self.rest.get(1..).unwrap_or_default();
                let value = self.take(|_, byte| byte == quote);
                self.rest = self.rest.get(1..).unwrap_or_default();
                value
            }
            _ => self.take(|_, byte| is_space(byte) || byte == b'>'),
        };
        Some((name.to_ascii_lowercase(), value))
    }
}

impl Attributes<'_> {
    fn skip(&mut self, unwanted: impl Fn(u8) -> bool) {
        let end = self.rest.iter().position(|byte| !unwanted(*byte)).unwrap_or(self.rest.len());
        self.rest = self.rest.get(end..).unwrap_or_default();
    }

    fn take(&mut self, ends: impl Fn(usize, u8) -> bool) -> String {
        let end =
            self.rest.iter().enumerate().position(|(at, byte)| ends(at, *byte)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, &[]));
        self.rest = rest;
        String::from_utf8_lossy(taken).into_owned()
    }
}
