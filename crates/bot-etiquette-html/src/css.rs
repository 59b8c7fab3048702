//! The URLs that a style sheet loads.
//!
//! Not a CSS parser: it knows strings, comments, `url()`, `@import`, `image-set()` and `@font-face`, and no more.
//! Source: CSS Syntax Module Level 3, section 4.3; css-values-4, section 4.5.

use std::borrow::Cow;
use std::ops::Range;

/// A URL in a style sheet; resolve it against the URL of the sheet (of the document, where the style is in the page).
///
/// ```
/// use bot_etiquette_html::css_urls;
///
/// let sheet = r#"@import url(x.css) screen; @namespace url(http://n/); a { background: url( "a)b.png" ), url(#clip) }"#;
/// let urls: Vec<_> = css_urls(sheet).map(|found| found.url).collect();
/// assert_eq!(urls, ["x.css", "a)b.png"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CssUrl<'a> {
    /// The URL, escapes decoded.
    pub url: Cow<'a, str>,
    /// What it is for.
    pub kind: CssUrlKind,
    /// Where it stands, in bytes of the sheet.
    pub span: Range<usize>,
}

/// What a URL in a style sheet is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CssUrlKind {
    /// Another style sheet, by `@import`.
    Import,
    /// A font, in `@font-face`.
    Font,
    /// An image, as far as can be told.
    Image,
}

/// The URLs of a style sheet or of a `style` attribute, in order. `data:` URLs, empty ones and those that are only a
/// fragment are left out.
pub fn css_urls(sheet: &str) -> impl Iterator<Item = CssUrl<'_>> {
    let mut scanner = Scanner { sheet, at: 0, rule: Rule::Other, image_set: None, depth: 0 };
    std::iter::from_fn(move || scanner.next()).filter(|found| {
        let url = found.url.trim();
        !url.is_empty()
            && !url.starts_with('#')
            && !url.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data:"))
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    Import,
    FontFace,
    Namespace,
    Other,
}

struct Scanner<'a> {
    sheet: &'a str,
    at: usize,
    rule: Rule,
    /// The depth of parentheses at which an `image-set(` was opened: its strings are URLs.
    image_set: Option<usize>,
    depth: usize,
}

impl<'a> Scanner<'a> {
    fn next(&mut self) -> Option<CssUrl<'a>> {
        loop {
            let rest = self.sheet.as_bytes().get(self.at..)?;
            let found = match rest.first()? {
                b'/' if rest.starts_with(b"/*") => {
                    let end = memchr::memmem::find(rest.get(2..)?, b"*/")
                        .map_or(rest.len(), |end| end.saturating_add(4));
                    self.at = self.at.saturating_add(end);
                    None
                }
                b'"' | b'\'' => self.string(),
                b'@' => {
                    self.at_rule();
                    None
                }
                b'u' | b'U' | b'i' | b'I' | b'-' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'0'..=b'9' => {
                    self.word()
                }
                byte => {
                    self.punctuation(*byte);
                    self.at = self.at.saturating_add(1);
                    None
                }
            };
            if found.is_some() {
                return found;
            }
        }
    }

    fn punctuation(&mut self, byte: u8) {
        match byte {
            b';' if self.rule != Rule::FontFace => self.rule = Rule::Other,
            b'}' => self.rule = Rule::Other,
            b'(' => self.depth = self.depth.saturating_add(1),
            b')' => {
                self.depth = self.depth.saturating_sub(1);
                if self.image_set.is_some_and(|depth| depth > self.depth) {
                    self.image_set = None;
                }
            }
            _ => {}
        }
    }

    fn at_rule(&mut self) {
        let name = self.name(self.at.saturating_add(1));
        let is = |wanted: &str| name.eq_ignore_ascii_case(wanted);
        self.rule = match () {
            () if is("import") => Rule::Import,
            () if is("font-face") => Rule::FontFace,
            () if is("namespace") => Rule::Namespace,
            () => Rule::Other,
        };
        self.at = self.at.saturating_add(1).saturating_add(name.len());
    }

    /// Letters, digits, `-` and `_` from `start` on.
    fn name(&self, start: usize) -> &'a str {
        let rest = self.sheet.get(start..).unwrap_or_default();
        let end =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_')).unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    }

    fn word(&mut self) -> Option<CssUrl<'a>> {
        let name = self.name(self.at);
        self.at = self.at.saturating_add(name.len().max(1));
        if self.sheet.as_bytes().get(self.at) != Some(&b'(') {
            return None;
        }
        if name.eq_ignore_ascii_case("url") {
            self.at = self.at.saturating_add(1);
            return self.url();
        }
        if name.eq_ignore_ascii_case("image-set") || name.eq_ignore_ascii_case("-webkit-image-set") {
            self.image_set = Some(self.depth.saturating_add(1));
        }
        if name.eq_ignore_ascii_case("type") && self.image_set.is_some() {
            // type("image/avif") inside image-set() is no URL.
            let rest = self.sheet.get(self.at..).unwrap_or_default();
            self.at = self.at.saturating_add(rest.find(')').unwrap_or(rest.len()));
            self.depth = self.depth.saturating_add(1);
        }
        None
    }

    /// What stands in `url(`, whose parenthesis is passed.
    fn url(&mut self) -> Option<CssUrl<'a>> {
        let rest = self.sheet.get(self.at..)?;
        let blanks = rest.len().saturating_sub(rest.trim_start_matches(SPACES).len());
        let start = self.at.saturating_add(blanks);
        let quote = self.sheet.as_bytes().get(start).copied().filter(|byte| matches!(byte, b'"' | b'\''));
        let (span, end) = match quote {
            Some(quote) => {
                let (span, end) = self.quoted(start, quote);
                let rest = self.sheet.get(end..).unwrap_or_default();
                (span, end.saturating_add(rest.find(')').map_or(rest.len(), |at| at.saturating_add(1))))
            }
            None => {
                let end = self.until(start, b')');
                let raw = self.sheet.get(start..end).unwrap_or_default().trim_end_matches(SPACES);
                (start..start.saturating_add(raw.len()), end.saturating_add(1))
            }
        };
        self.at = end.min(self.sheet.len());
        let kind = self.kind()?;
        Some(CssUrl { url: unescape(self.sheet.get(span.clone())?), kind, span })
    }

    fn string(&mut self) -> Option<CssUrl<'a>> {
        let quote = *self.sheet.as_bytes().get(self.at)?;
        let (span, end) = self.quoted(self.at, quote);
        self.at = end;
        let wanted = self.rule == Rule::Import || self.image_set.is_some();
        let kind = self.kind().filter(|_| wanted)?;
        if self.rule == Rule::Import {
            // Only the first string of an @import is its URL.
            self.rule = Rule::Namespace;
        }
        Some(CssUrl { url: unescape(self.sheet.get(span.clone())?), kind, span })
    }

    fn kind(&self) -> Option<CssUrlKind> {
        match self.rule {
            Rule::Import => Some(CssUrlKind::Import),
            Rule::FontFace => Some(CssUrlKind::Font),
            Rule::Namespace => None,
            Rule::Other => Some(CssUrlKind::Image),
        }
    }

    /// The inside of the string that opens at `start`, and where it is over.
    fn quoted(&self, start: usize, quote: u8) -> (Range<usize>, usize) {
        let inside = start.saturating_add(1);
        let end = self.until(inside, quote);
        (inside..end, end.saturating_add(1).min(self.sheet.len()))
    }

    /// Where `wanted` stands first without a backslash before it.
    fn until(&self, start: usize, wanted: u8) -> usize {
        let mut escaped = false;
        let rest = self.sheet.as_bytes().iter().enumerate().skip(start);
        for (at, byte) in rest {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                byte if *byte == wanted => return at,
                _ => {}
            }
        }
        self.sheet.len()
    }
}

const SPACES: [char; 5] = ['\t', '\n', '\x0c', '\r', ' '];

/// Decodes `\26 ` and `\)`.
fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, after)) = rest.split_once('\\') {
        text.push_str(before);
        let hex = after.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
        let digits = after.get(..hex).unwrap_or_default();
        if hex > 0 {
            let code = u32::from_str_radix(digits, 16).ok().filter(|code| *code != 0);
            text.push(code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER));
            let after = after.get(hex..).unwrap_or_default();
            rest = after.strip_prefix("\r\n").or_else(|| after.strip_prefix(SPACES)).unwrap_or(after);
        } else {
            // A line end after a backslash is nothing; any other character is itself.
            rest = after
                .strip_prefix("\r\n")
                .or_else(|| after.strip_prefix(['\n', '\r', '\x0c']))
                .unwrap_or(after);
            if rest.len() == after.len() {
                let mut chars = after.chars();
                text.extend(chars.next());
                rest = chars.as_str();
            }
        }
    }
    text.push_str(rest);
    Cow::Owned(text)
}
