//! The links of a page.

use std::borrow::Cow;
use std::ops::Range;

use url::Url;

/// One link of a page: what it leads to, what it is for, and where it stands.
///
/// ```
/// use bot_etiquette_html::{LinkKind, Page};
///
/// let url = url::Url::parse("https://example.com/shop/")?;
/// let page = Page::read(&url, b"<p>\n<a rel='ugc nofollow' href='x?a=1&amp;b=2'>The <b>X</b></a>");
/// let link = page.links.first().ok_or("no link")?;
/// assert_eq!(link.url.as_str(), "https://example.com/shop/x?a=1&b=2");
/// assert_eq!((link.kind, link.nofollow, link.line), (LinkKind::Page, true, 2));
/// assert_eq!(link.text, "The X");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Link {
    /// The target, absolute, `http` or `https`, without user name and password.
    pub url: Url,
    /// What it is for.
    pub kind: LinkKind,
    /// The element that carries it; `*` for an element with no meaning of its own here.
    pub element: Cow<'static, str>,
    /// The attribute that carries it; empty for the text of a `style` element.
    pub attribute: Cow<'static, str>,
    /// The tokens of `rel`, in lower case, split at white space and commas.
    pub rel: Vec<String>,
    /// Whether `rel` says `nofollow`. The page may say so for all its links: see [`Page::robots`](crate::Page::robots).
    pub nofollow: bool,
    /// The text of an `a`, with the `alt` of the images in it; of an image its `alt`; else empty.
    pub text: String,
    /// Where in the document it stands.
    pub place: Place,
    /// Whether the attribute is not of HTML, but one that scripts use to load images late.
    pub guessed: bool,
    /// The tag, in bytes of the decoded text: of the bytes themselves where they are UTF-8 without byte order mark.
    pub span: Range<usize>,
    /// The line of the tag, from 1.
    pub line: u32,
}

/// What a link is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum LinkKind {
    /// `a`, `area`: another page.
    Page,
    /// An image, by any element, attribute or style.
    Image,
    /// A script.
    Script,
    /// A style sheet.
    Stylesheet,
    /// A font, by a style.
    Font,
    /// Audio, video or a text track.
    Media,
    /// A frame's document.
    Frame,
    /// `object`, `embed`.
    Object,
    /// An icon of the site.
    Icon,
    /// A web app manifest.
    Manifest,
    /// `preload`, `modulepreload`: a file that this page needs.
    Preload,
    /// `prefetch`, `prerender`: what may be needed after this page.
    Hint,
    /// `preconnect`, `dns-prefetch`: only the origin is meant, and nothing is ever asked there.
    Origin,
    /// The page's own preferred URL.
    Canonical,
    /// The page in another language (`hreflang`).
    Alternate,
    /// An RSS, Atom or JSON feed.
    Feed,
    /// A sitemap.
    Sitemap,
    /// The next or the previous page of a series.
    Pagination,
    /// Where a refresh leads.
    Refresh,
    /// A URL that is data about the page: Open Graph, other relations.
    Metadata,
}

impl LinkKind {
    /// Whether the page loads it as a file of its own: image, script, style sheet, font, media, icon, manifest, preload.
    #[must_use]
    pub fn is_file(self) -> bool {
        matches!(
            self,
            Self::Image
                | Self::Script
                | Self::Stylesheet
                | Self::Font
                | Self::Media
                | Self::Object
                | Self::Icon
                | Self::Manifest
                | Self::Preload
        )
    }

    /// Whether a person would come to a page by it: a link, a series, a refresh.
    #[must_use]
    pub fn is_page(self) -> bool {
        matches!(self, Self::Page | Self::Pagination | Self::Refresh)
    }

    /// What a `link` element with these relations is for.
    pub(crate) fn of_rel(rel: &[String], has_hreflang: bool, media_type: &str) -> Self {
        let has = |token: &str| rel.iter().any(|rel| rel == token);
        let is_feed = ["application/rss+xml", "application/atom+xml", "application/feed+json"]
            .iter()
            .any(|feed| media_type.trim().eq_ignore_ascii_case(feed));
        match () {
            () if has("stylesheet") => Self::Stylesheet,
            () if rel.iter().any(|rel| rel.ends_with("icon") || rel.starts_with("apple-touch-icon")) => {
                Self::Icon
            }
            () if has("canonical") => Self::Canonical,
            () if has("alternate") && has_hreflang => Self::Alternate,
            () if has("alternate") && is_feed => Self::Feed,
            () if has("manifest") => Self::Manifest,
            () if has("preload") || has("modulepreload") => Self::Preload,
            () if has("sitemap") => Self::Sitemap,
            () if has("next") || has("prev") => Self::Pagination,
            () if has("prefetch") || has("prerender") => Self::Hint,
            () if has("preconnect") || has("dns-prefetch") => Self::Origin,
            () => Self::Metadata,
        }
    }
}

/// Where in the document a link stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Place {
    /// In the document.
    Document,
    /// In `noscript`: seen by readers without scripts.
    Noscript,
    /// In `template`: seen by nobody until a script uses it. Not to be followed.
    Template,
    /// In the `srcdoc` of a frame.
    Srcdoc,
    /// In the answer's header.
    Header,
}

/// The tokens of a `rel` value. A comma splits too: it is no part of any relation, and authors write it.
pub(crate) fn rel_tokens(rel: &str) -> Vec<String> {
    rel.split(|c: char| c.is_ascii_whitespace() || c == ',')
        .filter(|token| !token.is_empty())
        .map(str::to_ascii_lowercase)
        .collect()
}
