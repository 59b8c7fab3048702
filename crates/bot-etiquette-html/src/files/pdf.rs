//! The title of a PDF from its first and its last bytes.
//!
//! Read where it lies open: the `Info` dictionary that the last trailer in sight names, else `dc:title` of the XMP metadata.
//! Not read: what is inside compressed object streams. Source: ISO 32000-1, 7.3.4, 7.5.5, 14.3.3, annex D.

use std::borrow::Cow;

use quick_xml::escape;

/// The title of a PDF.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum PdfTitle {
    /// The title, which may be empty.
    Title(String),
    /// The document has none, as far as its open parts say.
    None,
    /// The document is encrypted, and its title with it.
    Encrypted,
    /// The title lies where it was not looked for.
    Unknown,
    /// No PDF.
    NotAPdf,
}

/// Reads the title from the first bytes and, where they are known, the last.
///
/// ```
/// use bot_etiquette_html::{PdfTitle, pdf_title};
///
/// let file = b"%PDF-1.4\n1 0 obj <</Title (A\\(b\\)\\040\\303)>> endobj\ntrailer <</Info 1 0 R>>";
/// assert_eq!(pdf_title(file, b""), PdfTitle::Title("A(b) \u{c3}".to_owned()));
/// ```
#[must_use]
pub fn pdf_title(first: &[u8], last: &[u8]) -> PdfTitle {
    let head = first.get(..1_024).unwrap_or(first);
    if memchr::memmem::find(head, b"%PDF-").is_none() {
        return PdfTitle::NotAPdf;
    }
    // The end of the file counts before its start: what is written later holds.
    let windows = [last, first];
    if windows.iter().any(|window| is_encrypted(window)) {
        return PdfTitle::Encrypted;
    }
    let info = windows.iter().find_map(|window| info_reference(window));
    let dictionary = info.and_then(|reference| windows.iter().find_map(|window| object(window, reference)));
    let title = match (dictionary, info) {
        (Some(dictionary), _) => title_of(dictionary).unwrap_or(PdfTitle::None),
        (None, Some(_)) => PdfTitle::Unknown,
        // Without a trailer in sight one cannot know that there is none.
        (None, None) if memchr::memmem::find(last, b"trailer").is_none() => PdfTitle::Unknown,
        (None, None) => PdfTitle::None,
    };
    match title {
        PdfTitle::Title(title) if !title.is_empty() => PdfTitle::Title(title),
        other => windows.iter().find_map(|window| xmp_title(window)).map_or(other, PdfTitle::Title),
    }
}

/// Whether a title says nothing: empty, "untitled", the name of a file or of the program that made it.
///
/// ```
/// use bot_etiquette_html::is_poor_title;
///
/// assert!(is_poor_title("Microsoft Word - plan.docx") && is_poor_title("C:\\tmp\\x") && !is_poor_title("Annual report"));
/// ```
#[must_use]
pub fn is_poor_title(title: &str) -> bool {
    let title = title.trim().to_ascii_lowercase();
    let is_file = || {
        let name = title.rsplit(' ').next().unwrap_or_default();
        [
            ".doc", ".docx", ".pdf", ".xls", ".xlsx", ".ppt", ".pptx", ".odt", ".indd", ".rtf", ".tmp",
            ".tex", ".dvi",
        ]
        .iter()
        .any(|ending| name.len() > ending.len() && name.ends_with(ending))
    };
    title.is_empty()
        || matches!(title.as_str(), "untitled" | "title" | "document" | "document1" | "null" | "none")
        || title.starts_with("microsoft word - ")
        || title.starts_with("microsoft powerpoint - ")
        || title.contains(":\\")
        || title.starts_with('/')
        || title.starts_with("file:")
        || is_file()
}

fn is_encrypted(window: &[u8]) -> bool {
    let ends = |at: usize| {
        window.get(at.saturating_add("/Encrypt".len())).is_none_or(|byte| !byte.is_ascii_alphanumeric())
    };
    memchr::memmem::find_iter(window, b"/Encrypt").any(ends)
}

/// The object that the last `/Info` names.
fn info_reference(window: &[u8]) -> Option<(u32, u32)> {
    let mut at = window.len();
    while let Some(found) = window.get(..at).and_then(|window| memchr::memmem::rfind(window, b"/Info")) {
        let rest = window.get(found.saturating_add("/Info".len())..).unwrap_or_default();
        if let Some(reference) = reference(rest) {
            return Some(reference);
        }
        at = found;
    }
    None
}

/// `12 0 R`
fn reference(rest: &[u8]) -> Option<(u32, u32)> {
    let (object, rest) = number(rest)?;
    let (generation, rest) = number(rest)?;
    rest.trim_ascii_start().starts_with(b"R").then_some((object, generation))
}

fn number(rest: &[u8]) -> Option<(u32, &[u8])> {
    let rest = rest.trim_ascii_start();
    let end = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, rest) = rest.split_at_checked(end.min(10))?;
    Some((std::str::from_utf8(digits).ok()?.parse().ok()?, rest))
}

/// What follows `12 0 obj`, where it stands last.
fn object(window: &[u8], (object, generation): (u32, u32)) -> Option<&[u8]> {
    let mark = format!("{object} {generation} obj");
    let mut at = window.len();
    while let Some(found) = window.get(..at).and_then(|window| memchr::memmem::rfind(window, mark.as_bytes()))
    {
        let is_whole =
            found == 0 || window.get(found.saturating_sub(1)).is_some_and(|byte| !byte.is_ascii_digit());
        if is_whole {
            return window.get(found.saturating_add(mark.len())..);
        }
        at = found;
    }
    None
}

/// `/Title` of the dictionary that begins here, not of one inside it.
fn title_of(bytes: &[u8]) -> Option<PdfTitle> {
    let mut rest = bytes.trim_ascii_start().strip_prefix(b"<<")?;
    let mut depth = 0_u32;
    while let Some(first) = rest.first() {
        match first {
            b'(' => rest = literal(rest)?.1,
            b'<' if rest.starts_with(b"<<") => {
                depth = depth.saturating_add(1);
                rest = rest.get(2..)?;
            }
            b'<' => rest = hexadecimal(rest)?.1,
            b'>' if rest.starts_with(b">>") => {
                depth = depth.checked_sub(1)?;
                rest = rest.get(2..)?;
            }
            b'%' => rest = rest.get(rest.iter().position(|byte| matches!(byte, b'\r' | b'\n'))?..)?,
            b'/' if depth == 0
                && rest.starts_with(b"/Title")
                && rest.get(6).is_some_and(|byte| !byte.is_ascii_alphanumeric()) =>
            {
                let value = rest.get(6..)?.trim_ascii_start();
                // Anything but a string is a reference to an object elsewhere.
                let string = if value.starts_with(b"(") { literal(value) } else { hexadecimal(value) };
                return Some(string.map_or(PdfTitle::Unknown, |(bytes, _)| PdfTitle::Title(text(&bytes))));
            }
            _ => rest = rest.get(1..)?,
        }
    }
    None
}

/// `(..)`: balanced parentheses, escapes.
fn literal(bytes: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut text = Vec::new();
    let mut depth = 0_u32;
    let mut at = 0;
    loop {
        let byte = *bytes.get(at)?;
        at = at.checked_add(1)?;
        match byte {
            b'(' => {
                depth = depth.saturating_add(1);
                if depth == 1 {
                    continue;
                }
            }
            b')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some((text, bytes.get(at..)?));
                }
            }
            b'\r' => {
                at = at.saturating_add(usize::from(bytes.get(at) == Some(&b'\n')));
                text.push(b'\n');
                continue;
            }
            b'\\' => {
                at = escaped(bytes, at, &mut text)?;
                continue;
            }
            _ => {}
        }
        text.push(byte);
    }
}

/// What follows a backslash; answers where it is over.
fn escaped(bytes: &[u8], at: usize, text: &mut Vec<u8>) -> Option<usize> {
    let byte = *bytes.get(at)?;
    let next = at.checked_add(1)?;
    match byte {
        b'n' => text.push(b'\n'),
        b'r' => text.push(b'\r'),
        b't' => text.push(b'\t'),
        b'b' => text.push(8),
        b'f' => text.push(12),
        b'\n' => {}
        b'\r' => return Some(next.saturating_add(usize::from(bytes.get(next) == Some(&b'\n')))),
        b'0'..=b'7' => {
            let digits = bytes.get(at..)?.iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7'));
            let (count, code) = digits
                .fold((0, 0_u32), |(count, code), digit| (count + 1, code * 8 + u32::from(digit - b'0')));
            // What does not fit in a byte loses its upper bit.
            text.push((code & 0xFF) as u8);
            return at.checked_add(count);
        }
        other => text.push(other),
    }
    Some(next)
}

/// `<..>`: pairs of digits, a last one alone is followed by 0.
fn hexadecimal(bytes: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let inside = bytes.strip_prefix(b"<")?;
    let end = memchr::memchr(b'>', inside)?;
    let digits: Vec<u8> = inside
        .get(..end)?
        .iter()
        .filter_map(|byte| char::from(*byte).to_digit(16))
        .filter_map(|digit| u8::try_from(digit).ok())
        .collect();
    let pairs = digits.chunks(2).map(|pair| match pair {
        [high, low] => high << 4 | low,
        [high] => high << 4,
        _ => 0,
    });
    Some((pairs.collect(), inside.get(end.checked_add(1)?..)?))
}

/// A text string: UTF-16 or UTF-8 by its mark, else PDFDocEncoding.
fn text(bytes: &[u8]) -> String {
    let wide = |rest: &[u8], read: fn([u8; 2]) -> u16| {
        let units: Vec<u16> =
            rest.chunks_exact(2).filter_map(|pair| pair.try_into().ok()).map(read).collect();
        without_languages(&String::from_utf16_lossy(&units))
    };
    let text: Cow<'_, str> = match bytes {
        [0xFE, 0xFF, rest @ ..] => wide(rest, u16::from_be_bytes).into(),
        [0xFF, 0xFE, rest @ ..] => wide(rest, u16::from_le_bytes).into(),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest),
        _ => bytes.iter().map(|byte| document_char(*byte)).collect::<String>().into(),
    };
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// UTF-16 text may change its language by a code between two escapes.
fn without_languages(text: &str) -> String {
    text.split('\u{1b}').step_by(2).collect()
}

fn document_char(byte: u8) -> char {
    const FROM_18: [char; 8] =
        ['\u{2d8}', '\u{2c7}', '\u{2c6}', '\u{2d9}', '\u{2dd}', '\u{2db}', '\u{2da}', '\u{2dc}'];
    const FROM_80: [char; 33] = [
        '\u{2022}', '\u{2020}', '\u{2021}', '\u{2026}', '\u{2014}', '\u{2013}', '\u{192}', '\u{2044}',
        '\u{2039}', '\u{203a}', '\u{2212}', '\u{2030}', '\u{201e}', '\u{201c}', '\u{201d}', '\u{2018}',
        '\u{2019}', '\u{201a}', '\u{2122}', '\u{fb01}', '\u{fb02}', '\u{141}', '\u{152}', '\u{160}',
        '\u{178}', '\u{17d}', '\u{131}', '\u{142}', '\u{153}', '\u{161}', '\u{17e}', '\u{fffd}', '\u{20ac}',
    ];
    let of = |table: &[char], first: u8| table.get(usize::from(byte.saturating_sub(first))).copied();
    match byte {
        0x18..=0x1F => of(&FROM_18, 0x18),
        0x80..=0xA0 => of(&FROM_80, 0x80),
        _ => None,
    }
    .unwrap_or(char::from(byte))
}

/// `dc:title` of XMP metadata that is not packed.
fn xmp_title(window: &[u8]) -> Option<String> {
    let start = memchr::memmem::rfind(window, b"<dc:title")?;
    let rest = window.get(start..)?;
    let rest = rest.get(..memchr::memmem::find(rest, b"</dc:title>")?)?;
    let item = rest.get(memchr::memmem::find(rest, b"<rdf:li")?..)?;
    let item = item.get(memchr::memchr(b'>', item)?.checked_add(1)?..)?;
    let item = String::from_utf8_lossy(item.get(..memchr::memmem::find(item, b"</rdf:li>")?)?);
    let text = escape::unescape_with(&item, escape::resolve_xml_entity)
        .map_or_else(|_| item.to_string(), Cow::into_owned);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}
