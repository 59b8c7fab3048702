//! What one page says.

mod collect;
mod elements;
mod foreign;
mod hidden;
mod link;
mod main_text;
mod names;
mod resolve;
mod source;
mod text;
mod tokens;

use std::collections::BTreeMap;
use std::ops::Range;

use html5gum::Tokenizer;
use http::{HeaderMap, header};
use sha2::{Digest, Sha256};
use url::Url;

use self::collect::Collector;
use self::source::Source;
use self::tokens::Tags;
use crate::{Charset, JsonLd, Limits, charset};

pub(crate) use self::link::rel_tokens;
pub use self::link::{Link, LinkKind, Place};

/// What one page says: its facts, its links and its text.
///
/// Whatever the bytes are, there is a page; what is wrong in it is told in [`findings`](Self::findings).
///
/// ```
/// use bot_etiquette_html::Page;
///
/// let url = url::Url::parse("https://example.com/d/p.html")?;
/// let page = Page::read(&url, b"<html lang=en><title>a &amp; b\n c</title><base href=/k/><h1>Hi</h1><a href=x>X</a>");
/// assert_eq!(page.title.as_deref(), Some("a & b c"));
/// assert_eq!(page.lang.as_deref(), Some("en"));
/// assert_eq!(page.text, "Hi\nX");
/// let targets: Vec<_> = page.links.iter().map(|link| link.url.as_str()).collect();
/// assert_eq!(targets, ["https://example.com/k/x"]);
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Page {
    /// The URL the page was read for: the last one, after redirects.
    pub url: Url,
    /// What relative URLs are resolved against: [`url`](Self::url), or what the first `base` makes of it.
    pub base: Url,
    /// The charset it is written in.
    pub charset: Charset,
    /// The language: of the `html` element, else the only one of `Content-Language`.
    pub lang: Option<String>,
    /// The text of the first `title` that is not a picture's.
    pub title: Option<String>,
    /// The text of each `h1`.
    pub h1: Vec<String>,
    /// The first `meta` named `description`.
    pub description: Option<String>,
    /// The `meta` tags that speak to robots: `robots`, and the names given by [`PageReader::robots_token`]. Raw: what
    /// they ask for is read by a robots library.
    pub robots: Vec<Meta>,
    /// The values of `X-Robots-Tag`, raw, one for each field line.
    pub x_robots_tag: Vec<String>,
    /// The preferred URL.
    pub canonical: Canonical,
    /// The page in other languages.
    pub alternates: Vec<Alternate>,
    /// Where a refresh leads: a link, never a redirect.
    pub refresh: Option<Refresh>,
    /// The `meta` tags whose name has a colon: Open Graph and its like.
    pub open_graph: Vec<Meta>,
    /// All other `meta` tags with a name.
    pub metas: Vec<Meta>,
    /// The JSON-LD blocks.
    pub json_ld: Vec<JsonLd>,
    /// The links, in the order of the document; those of the header come last.
    pub links: Vec<Link>,
    /// Links by a scheme other than `http` and `https`, counted by scheme.
    pub skipped: BTreeMap<String, u32>,
    /// How many forms there are. Where they lead is no link.
    pub forms: u32,
    /// The text that a person sees, a line for each block; at most [`Limits::text`] bytes. Without scripts, styles,
    /// `template`, `noscript`, and what is marked as hidden in the HTML itself.
    pub text: String,
    /// The pieces of [`text`](Self::text), in bytes, that the page is about: see [`main_text`](Self::main_text).
    #[cfg_attr(feature = "serde", serde(default))]
    pub main: Vec<Range<usize>>,
    /// What is wrong, doubtful or was cut.
    pub findings: Vec<Finding>,
}

impl Page {
    /// Reads a page that was answered at `url`, with nothing of its header known.
    #[must_use]
    pub fn read(url: &Url, body: &[u8]) -> Self {
        PageReader::new(url.clone()).read(body)
    }

    /// The links that a polite crawler may follow: to pages, none marked `nofollow`, none in a `template`.
    ///
    /// `page_nofollow` is what [`robots`](Self::robots) and [`x_robots_tag`](Self::x_robots_tag) come to for the
    /// crawler; where it is true there are none. A URL may still be followed by another page or a sitemap.
    pub fn followed(&self, page_nofollow: bool) -> impl Iterator<Item = &Link> {
        self.links.iter().filter(move |link| {
            !page_nofollow && !link.nofollow && link.kind.is_page() && link.place != Place::Template
        })
    }

    /// What the page is about: its visible text without navigation, banner, footer, remarks and forms.
    ///
    /// The first `main` where there is one, or the only `article`; else the smallest part of the page that holds most of what
    /// is not links. The whole [`text`](Self::text) where nothing would be left. A guess, made by a tree of no more than
    /// [`Limits::parts`] parts.
    ///
    /// ```
    /// use bot_etiquette_html::Page;
    ///
    /// let url = url::Url::parse("https://example.com/")?;
    /// let page = Page::read(&url, b"<nav><a href=/>Home</a></nav><div><h1>Tea</h1><p>Two pounds.</div><footer>2026</footer>");
    /// assert_eq!(page.main_text(), "Tea\nTwo pounds.");
    /// # Ok::<(), url::ParseError>(())
    /// ```
    #[must_use]
    pub fn main_text(&self) -> String {
        let pieces = self.main.iter().filter_map(|piece| self.text.get(piece.clone()));
        let mut text: String = pieces.collect();
        text.truncate(text.trim_end().len());
        text
    }

    /// SHA-256 of [`text`](Self::text): the same as long as the same words are seen.
    #[must_use]
    pub fn text_hash(&self) -> [u8; 32] {
        Sha256::digest(self.text.as_bytes()).into()
    }
}

/// A `meta` tag.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Meta {
    /// Its `name` or `property`, in lower case.
    pub name: String,
    /// Its `content`, white space collapsed.
    pub content: String,
    /// Its line, from 1.
    pub line: u32,
}

/// What a page says of its preferred URL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Canonical {
    /// The one URL that all statements agree on; those in the body do not count.
    pub url: Option<Url>,
    /// Whether the statements differ, so that none holds.
    pub conflict: bool,
    /// The statements that count.
    pub named: Vec<Named>,
}

/// A URL that the document or the header names.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Named {
    /// The URL, resolved.
    pub url: Url,
    /// Who names it.
    pub source: LinkSource,
}

/// Who names a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum LinkSource {
    /// A `link` element.
    Element,
    /// The header of the answer.
    Header,
    /// A sitemap.
    Sitemap,
}

/// The page in another language.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Alternate {
    /// The value of `hreflang`, as written.
    pub hreflang: String,
    /// The page.
    pub url: Url,
    /// Who names it.
    pub source: LinkSource,
}

impl Alternate {
    /// An alternate that was found elsewhere.
    #[must_use]
    pub fn new(hreflang: impl Into<String>, url: Url, source: LinkSource) -> Self {
        Self { hreflang: hreflang.into(), url, source }
    }
}

/// A page that asks to be left for another, or to be read again.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Refresh {
    /// After how many seconds.
    pub seconds: u32,
    /// Where to; the page itself where none is named.
    pub url: Url,
    /// Who asks: the element counts before the header.
    pub source: LinkSource,
}

/// Something wrong, doubtful or cut.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Finding {
    /// What.
    pub kind: FindingKind,
    /// The line, from 1; none for what stands in the header.
    pub line: Option<u32>,
    /// The value at fault, at most 200 characters of it.
    pub detail: String,
}

impl Finding {
    pub(crate) fn new(kind: FindingKind, line: Option<u32>, detail: &str) -> Self {
        Self { kind, line, detail: detail.chars().take(200).collect() }
    }
}

/// What a [`Finding`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum FindingKind {
    /// A second `base` with a URL; it does not count.
    BaseRepeated,
    /// The `base` is no URL that others can be resolved against.
    BaseUnusable,
    /// A link that is no URL, or several in one.
    MalformedUrl,
    /// A URL longer than [`Limits::url`]; dropped.
    LongUrl,
    /// A URL with a user name or a password; dropped.
    Credentials,
    /// An image of a `srcset` with senseless descriptors; browsers drop it, and so it is here.
    BadSrcset,
    /// More attributes than [`Limits::attributes`].
    AttributesCut,
    /// A value longer than [`Limits::attribute`].
    AttributeCut,
    /// More links than [`Limits::links`].
    LinksCut,
    /// More text than [`Limits::text`].
    TextCut,
    /// More JSON-LD, style or `srcdoc` than [`Limits::embedded`]; dropped.
    EmbeddedCut,
    /// Statements of the preferred URL that differ.
    CanonicalConflict,
    /// A preferred URL that is not written in full.
    CanonicalRelative,
    /// A preferred URL in the body; it does not count.
    CanonicalInBody,
    /// An `hreflang` in the body; it does not count.
    HreflangInBody,
    /// An `hreflang` whose URL is not written in full.
    HreflangRelative,
    /// A JSON-LD block that is no JSON.
    JsonLdInvalid,
    /// A JSON-LD block that had to be mended to be read.
    JsonLdRepaired,
}

/// Reads pages: what is known of the answer, and how much is kept.
///
/// ```
/// use bot_etiquette_html::{CharsetSource, PageReader};
/// use http::{HeaderMap, HeaderValue, header};
///
/// let mut headers = HeaderMap::new();
/// headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=iso-8859-1"));
/// headers.insert(header::LINK, HeaderValue::from_static("</a>; rel=canonical"));
/// let url = url::Url::parse("https://example.com/a?sort=up")?;
/// let page = PageReader::new(url).headers(&headers).read(b"<title>caf\xe9</title>");
/// assert_eq!(page.title.as_deref(), Some("caf\u{e9}"));
/// assert_eq!(page.charset.source, CharsetSource::Header);
/// assert_eq!(page.canonical.url.map(String::from).as_deref(), Some("https://example.com/a"));
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct PageReader {
    url: Url,
    limits: Limits,
    tokens: Vec<String>,
    content_type: Option<String>,
    content_language: Option<String>,
    refresh: Option<String>,
    links: Vec<String>,
    x_robots_tag: Vec<String>,
}

impl PageReader {
    /// For the page at `url`: the last one, after redirects.
    pub fn new(url: Url) -> Self {
        Self {
            url,
            limits: Limits::default(),
            tokens: vec!["robots".to_owned()],
            content_type: None,
            content_language: None,
            refresh: None,
            links: Vec::new(),
            x_robots_tag: Vec::new(),
        }
    }

    /// Other limits than the default ones.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// A crawler's product token: a `meta` of that name speaks to robots too. May be called again for others.
    pub fn robots_token(mut self, token: impl AsRef<str>) -> Self {
        self.tokens.push(token.as_ref().to_ascii_lowercase());
        self
    }

    /// What the header of the answer says: `Content-Type`, `Content-Language`, `Link`, `Refresh`, `X-Robots-Tag`.
    pub fn headers(mut self, headers: &HeaderMap) -> Self {
        let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let all = |name: &str| headers.get_all(name).iter().map(text).collect::<Vec<_>>();
        self.content_type = headers.get(header::CONTENT_TYPE).map(text);
        self.content_language = headers.get(header::CONTENT_LANGUAGE).map(text);
        self.refresh = headers.get(header::REFRESH).map(text);
        self.links = all(header::LINK.as_str());
        self.x_robots_tag = all("x-robots-tag");
        self
    }

    /// Reads a body, whatever its bytes. Time and memory grow with its length alone.
    #[must_use]
    pub fn read(&self, body: &[u8]) -> Page {
        let (text, charset) = charset::decode(body, self.content_type.as_deref());
        let mut collector = Collector::new(&text, self.limits, Place::Document);
        tokenize(&text, &mut collector);
        resolve::page(self, &charset, collector)
    }
}

/// Lets the tokens of a document go by.
fn tokenize(text: &str, collector: &mut Collector<'_>) {
    let limits = collector.limits;
    let tags = Tags::new(collector, limits.attributes, limits.attribute);
    let Ok(()) = Tokenizer::new_with_emitter(Source::new(text), tags).finish();
    collector.finish();
}
