//! The JSON-LD blocks of a page.

use bot_etiquette_lenient::json::{Limits, Token, Tokens};

/// The members whose values are kept; none of them is about a person.
const KEPT: [&str; 7] =
    ["@id", "url", "mainEntityOfPage", "image", "headline", "datePublished", "dateModified"];
/// The member of an object under one of [`KEPT`] that stands for it.
const STANDS_FOR: [&str; 2] = ["@id", "url"];
const DEPTH: usize = 64;
const ITEMS: usize = 256;
/// Objects looked at; most have a type.
const OBJECTS: usize = 4_096;
const VALUES: usize = 64;
const LENGTH: usize = 2_048;

/// One block of JSON-LD: the things it speaks of.
///
/// Read tolerantly: a comma too many or a raw line end in a string is mended, and told.
///
/// ```
/// use bot_etiquette_html::JsonLd;
///
/// let text = r#"{"@graph": [{"@type": ["Article", "NewsArticle"], "image": {"@id": "/a.jpg"},}]}"#;
/// let block = JsonLd::parse(text, 1);
/// let article = block.items.first().ok_or("no item")?;
/// assert_eq!(article.types, ["Article", "NewsArticle"]);
/// assert_eq!(article.values("image").collect::<Vec<_>>(), ["/a.jpg"]);
/// assert!(block.repaired && block.error.is_none());
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct JsonLd {
    /// The objects with a type, in the order they begin, at most 256.
    pub items: Vec<JsonLdItem>,
    /// Whether the JSON had to be mended.
    pub repaired: bool,
    /// What ended the reading before the end; the items before are kept.
    pub error: Option<String>,
    /// The line of the script, from 1.
    pub line: u32,
}

/// An object with a type.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct JsonLdItem {
    /// The values of `@type`.
    pub types: Vec<String>,
    /// The text values of `@id`, `url`, `mainEntityOfPage`, `image`, `headline`, `datePublished` and `dateModified`, by
    /// name, at most 64 in all and 2,048 bytes each. An object as value is represented by its `@id` or `url`.
    pub values: Vec<(String, String)>,
}

impl JsonLdItem {
    /// The values of that name.
    pub fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.values.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    fn keep(&mut self, name: &str, value: &str) {
        if self.values.len() < VALUES && value.len() <= LENGTH {
            self.values.push((name.to_owned(), value.to_owned()));
        }
    }
}

/// An array or an object that is open.
#[derive(Default)]
struct Open {
    /// The item, if it is an object.
    item: Option<JsonLdItem>,
    /// The member that is being read; in an array the one whose value the array is.
    key: String,
}

impl JsonLd {
    /// Reads the text of a `script` of type `application/ld+json` that stands in `line`.
    #[must_use]
    pub fn parse(text: &str, line: u32) -> Self {
        let mut block = Self { line, ..Self::default() };
        let text = unwrapped(text);
        let mut tokens = Tokens::new(text.as_bytes(), Limits { depth: DEPTH, ..Limits::default() });
        let mut open: Vec<Open> = Vec::new();
        // A place for each item is taken when it begins, so that the order is that of the text.
        let mut places: Vec<usize> = Vec::new();
        while let Some(token) = tokens.next() {
            match token {
                Err(error) => {
                    block.error = Some(error.to_string());
                    break;
                }
                Ok(Token::BeginObject) => {
                    open.push(Open { item: Some(JsonLdItem::default()), key: String::new() });
                    places.push(block.items.len());
                    if block.items.len() < OBJECTS {
                        block.items.push(JsonLdItem::default());
                    }
                }
                Ok(Token::BeginArray) => {
                    let key = open.last().map(|open| open.key.clone()).unwrap_or_default();
                    open.push(Open { item: None, key });
                }
                Ok(Token::EndObject) => {
                    let item = open.pop().and_then(|open| open.item).unwrap_or_default();
                    stand_for(&mut open, &item);
                    if let Some(place) = places.pop().and_then(|place| block.items.get_mut(place)) {
                        *place = item;
                    }
                }
                Ok(Token::EndArray) => {
                    open.pop();
                }
                Ok(Token::Key(key)) => {
                    let key = key.decode(tokens.repairs_mut());
                    if let Some(open) = open.last_mut() {
                        open.key.clear();
                        open.key.push_str(&key);
                    }
                }
                Ok(Token::String(value)) => {
                    let value = value.decode(tokens.repairs_mut());
                    keep(&mut open, &value);
                }
                Ok(Token::Number(_) | Token::Bool(_) | Token::Null) => {}
            }
        }
        while let Some(ended) = open.pop() {
            if let Some(item) = ended.item
                && let Some(place) = places.pop().and_then(|place| block.items.get_mut(place))
            {
                *place = item;
            }
        }
        block.items.retain(|item| !item.types.is_empty());
        block.items.truncate(ITEMS);
        block.repaired = !tokens.repairs().is_empty();
        block
    }
}

/// Keeps a text value for the object it belongs to, be it in an array or not.
fn keep(open: &mut [Open], value: &str) {
    let Some(key) = open.last().map(|open| open.key.clone()) else { return };
    let Some(item) = open.iter_mut().rev().find_map(|open| open.item.as_mut()) else { return };
    if key == "@type" {
        if item.types.len() < VALUES && value.len() <= LENGTH {
            item.types.push(value.to_owned());
        }
    } else if KEPT.contains(&key.as_str()) {
        item.keep(&key, value);
    }
}

/// An object under a member that is kept: its own id or URL is the value.
fn stand_for(open: &mut [Open], ended: &JsonLdItem) {
    let value = STANDS_FOR.iter().find_map(|name| ended.values(name).next());
    if let Some(value) = value {
        let key = open.last().map(|open| open.key.as_str()).unwrap_or_default();
        if KEPT.contains(&key) && !STANDS_FOR.contains(&key) {
            keep(open, value);
        }
    }
}

/// Without the comment or CDATA marks that some put around the JSON.
fn unwrapped(text: &str) -> &str {
    let mut text = text.trim();
    for (before, after) in
        [("<!--", "-->"), ("//<![CDATA[", "//]]>"), ("/*<![CDATA[*/", "/*]]>*/"), ("<![CDATA[", "]]>")]
    {
        if let Some(inner) = text.strip_prefix(before) {
            let inner = inner.trim();
            text = inner.strip_suffix(after).unwrap_or(inner).trim();
        }
    }
    text
}
