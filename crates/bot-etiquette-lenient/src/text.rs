//! Bytes to text: byte order mark, declared charset, valid UTF-8, then a guess.
//!
//! Not here: looking for a declaration inside the document (an HTML `meta`, an XML declaration); its reader passes the label.
//!
//! Source: the order and the labels are those of the WHATWG Encoding standard (`iso-8859-1` means windows-1252), but for
//! one case: bytes that are valid UTF-8 with at least one non-ASCII character are UTF-8 whatever the label says, since
//! servers send a stale label far more often than text of another charset happens to be valid UTF-8.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// Where the charset of a [`Decoded`] text came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// A byte order mark at the start.
    Bom,
    /// The label that the caller passed.
    Declared,
    /// No usable label, or a wrong one, and the bytes are valid UTF-8.
    ValidUtf8,
    /// A guess from the bytes.
    Guessed,
}

/// Text, and how it was read.
///
/// ```
/// use bot_etiquette_lenient::text::{self, Source};
///
/// let decoded = text::decode(b"\xEF\xBB\xBFhola", Some("iso-8859-1"));
/// assert_eq!((decoded.text(), decoded.source()), ("hola", Source::Bom));
/// assert!(!decoded.is_lossy());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded<'a> {
    text: Cow<'a, str>,
    encoding: &'static Encoding,
    source: Source,
    lossy: bool,
}

impl<'a> Decoded<'a> {
    /// The text, without a byte order mark.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text, borrowed where nothing had to be changed.
    #[must_use]
    pub fn into_text(self) -> Cow<'a, str> {
        self.text
    }

    /// The WHATWG name of the charset, such as `UTF-8` or `windows-1252`.
    #[must_use]
    pub fn charset(&self) -> &'static str {
        self.encoding.name()
    }

    /// Where the charset came from.
    #[must_use]
    pub fn source(&self) -> Source {
        self.source
    }

    /// Whether some bytes were no text in that charset and stand as U+FFFD.
    #[must_use]
    pub fn is_lossy(&self) -> bool {
        self.lossy
    }
}

/// Reads bytes as text. `declared` is a charset label from outside the bytes (a header, a declaration, a hint); an
/// unknown label counts as none.
///
/// One charset is chosen for the whole input. Where the label is UTF-8 but the bytes are not, the rest is
/// a guess too, since a text that is no UTF-8 loses less by a guess than by replacement characters.
#[must_use]
pub fn decode<'a>(bytes: &'a [u8], declared: Option<&str>) -> Decoded<'a> {
    let (encoding, source) = choose(bytes, declared);
    let (text, lossy) = encoding.decode_with_bom_removal(bytes);
    Decoded { text, encoding, source, lossy }
}

/// Reads bytes as text in the charset `label` names, as a browser would: only a byte order mark beats it.
///
/// `None` when the label is none of the WHATWG Encoding standard, or names its `replacement` encoding.
///
/// ```
/// use bot_etiquette_lenient::text::decode_as;
///
/// let utf8_read_as_latin1 = decode_as("\u{e9}".as_bytes(), "latin1").map(|decoded| decoded.into_text());
/// assert_eq!(utf8_read_as_latin1.as_deref(), Some("\u{c3}\u{a9}"));
/// assert!(decode_as(b"", "no-such-charset").is_none());
/// ```
#[must_use]
pub fn decode_as<'a>(bytes: &'a [u8], label: &str) -> Option<Decoded<'a>> {
    let labelled = Encoding::for_label_no_replacement(label.trim().as_bytes())?;
    let (encoding, source) = match Encoding::for_bom(bytes) {
        Some((encoding, _)) => (encoding, Source::Bom),
        None => (labelled, Source::Declared),
    };
    let (text, lossy) = encoding.decode_with_bom_removal(bytes);
    Some(Decoded { text, encoding, source, lossy })
}

/// The charset label in a `Content-Type` value, if there is one.
///
/// Reads the first `charset` parameter, quoted or not, in any case. Source: RFC 9110, 8.3.2.
///
/// ```
/// use bot_etiquette_lenient::text::charset_parameter;
///
/// assert_eq!(charset_parameter("text/csv; Charset=\"ISO-8859-1\"; header=present"), Some("ISO-8859-1"));
/// assert_eq!(charset_parameter("application/json"), None);
/// ```
#[must_use]
pub fn charset_parameter(content_type: &str) -> Option<&str> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']).trim();
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then_some(value)
    })
}

fn choose(bytes: &[u8], declared: Option<&str>) -> (&'static Encoding, Source) {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return (encoding, Source::Bom);
    }
    let label = declared.and_then(|label| Encoding::for_label_no_replacement(label.trim().as_bytes()));
    let ascii_to = Encoding::ascii_valid_up_to(bytes);
    let is_utf8 = std::str::from_utf8(bytes.get(ascii_to..).unwrap_or_default()).is_ok();
    match label {
        Some(label) if label == UTF_8 && is_utf8 => (UTF_8, Source::Declared),
        Some(label)
            if label != UTF_8 && (!is_utf8 || ascii_to == bytes.len() || !label.is_ascii_compatible()) =>
        {
            (label, Source::Declared)
        }
        _ if is_utf8 => (UTF_8, Source::ValidUtf8),
        _ => (guess(bytes), Source::Guessed),
    }
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let guess = detector.guess(None, Utf8Detection::Deny);
    if guess == UTF_8 { WINDOWS_1252 } else { guess }
}
