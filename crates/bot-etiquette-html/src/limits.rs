//! How much one page may ask of its reader.

/// Bounds on what is kept of one page; what lies beyond is dropped and told as a [`Finding`](crate::Finding).
///
/// ```
/// use bot_etiquette_html::{Limits, PageReader};
///
/// let url = url::Url::parse("https://example.com/")?;
/// let reader = PageReader::new(url).limits(Limits { links: 1, ..Limits::default() });
/// assert_eq!(reader.read(b"<a href=/a></a><a href=/b></a>").links.len(), 1);
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Limits {
    /// Links kept; 20,000 by default.
    pub links: usize,
    /// Attributes read of one tag; 256 by default.
    pub attributes: usize,
    /// Bytes read of one attribute's value; 65,536 by default. A longer URL is dropped, a longer text is cut.
    pub attribute: usize,
    /// Bytes of a URL; 8,192 by default. A longer one is dropped.
    pub url: usize,
    /// Bytes kept of the visible text; 1,048,576 by default, 0 to keep none.
    pub text: usize,
    /// Parts of the page (`div`, `section`, `article` and their like) told apart to find the main text; 200,000 by default.
    pub parts: usize,
    /// Parts within each other that are told apart; 512 by default.
    pub depth: usize,
    /// Bytes kept of a title, a heading, a link's text or a meta value; 4,096 by default.
    pub short_text: usize,
    /// Bytes read of all JSON-LD, style sheets and `srcdoc` documents in the page, each; 1,048,576 by default.
    pub embedded: usize,
    /// Headings, meta values and JSON-LD blocks kept, each; 256 by default.
    pub items: usize,
    /// Findings kept; 256 by default.
    pub findings: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            links: 20_000,
            attributes: 256,
            attribute: 65_536,
            url: 8_192,
            text: 1_048_576,
            parts: 200_000,
            depth: 512,
            short_text: 4_096,
            embedded: 1_048_576,
            items: 256,
            findings: 256,
        }
    }
}
