//! A parsed robots.txt.

use std::fmt;
use std::sync::Arc;

use crate::document::{self, Document};
use crate::{Diagnostic, Limits, ProductToken, Records, Rules, lint, records};

/// A parsed robots.txt: parse once, ask for any crawler, as often as wanted.
///
/// Parsing takes any bytes and never fails: a line that is no record is left out, and
/// [`diagnostics`](Self::diagnostics) tells of it. It is linear in the input and reads 500 KiB of it unless
/// [`Limits`] say otherwise. Cheap to clone, `Send + Sync`. It holds the text once and twelve bytes a rule.
///
/// ```
/// use bot_etiquette_robots::{ProductToken, Robots};
///
/// let robots = Robots::parse(b"User-agent: *\nDisallow: /private/\nSitemap: https://example.com/map.xml\n");
/// let rules = robots.rules_for(&"ExampleBot".parse::<ProductToken>()?);
/// assert!(rules.verdict("https://example.com/").is_allowed());
/// assert!(!rules.verdict("https://example.com/private/").is_allowed());
/// assert_eq!(robots.sitemaps().collect::<Vec<_>>(), [b"https://example.com/map.xml"]);
/// # Ok::<(), bot_etiquette_robots::TokenError>(())
/// ```
#[derive(Clone, Default)]
pub struct Robots {
    pub(crate) document: Arc<Document>,
}

impl Robots {
    /// Parses a robots.txt with the default [`Limits`].
    #[must_use]
    pub fn parse(text: &[u8]) -> Self {
        Self::parse_with(text, &Limits::new())
    }

    /// Parses a robots.txt.
    #[must_use]
    pub fn parse_with(text: &[u8], limits: &Limits) -> Self {
        Self { document: Arc::new(Document::whole(text, limits)) }
    }

    /// The rules a crawler has to follow: all groups that name its token, else all groups for `*`, which is also
    /// what no token at all gets.
    ///
    /// Of several tokens the first one that has a group of its own counts, as a crawler does that falls back
    /// from a narrow name to a wide one:
    ///
    /// ```
    /// use bot_etiquette_robots::{ProductToken, Robots};
    ///
    /// let robots = Robots::parse(b"User-agent: Googlebot\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n");
    /// let agents = ["Googlebot-News".parse::<ProductToken>()?, "Googlebot".parse()?];
    /// assert_eq!(robots.rules_for(&agents).group(), Some(&b"Googlebot"[..]));
    /// # Ok::<(), bot_etiquette_robots::TokenError>(())
    /// ```
    #[must_use]
    pub fn rules_for<'t>(&self, agents: impl IntoIterator<Item = &'t ProductToken>) -> Rules {
        Rules::new(Arc::clone(&self.document), self.document.find(agents))
    }

    /// The text that was read: the input up to the limit.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.document.text
    }

    /// Every record of the text, in the order of its lines.
    pub fn records(&self) -> Records<'_> {
        records(self.text())
    }

    /// The values of all `Sitemap` records as written, wherever they stand (they belong to no group).
    pub fn sitemaps(&self) -> impl Iterator<Item = &[u8]> {
        self.document.sitemaps.iter().map(|span| span.of(&self.document.text))
    }

    /// What a site owner would want to know about the file, in the order of its lines: at most
    /// [`MAX_DIAGNOSTICS`](crate::MAX_DIAGNOSTICS), of more the gravest.
    #[must_use]
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        lint::diagnostics(self)
    }

    /// Whether the input went beyond a limit, so that its end was not read.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.document.truncated
    }

    /// Whether the text looks like an HTML or XML page, such as a site sends that answers every path with 200.
    #[must_use]
    pub fn looks_like_html(&self) -> bool {
        document::looks_like_html(self.text())
    }
}

impl fmt::Debug for Robots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Robots")
            .field("bytes", &self.text().len())
            .field("truncated", &self.is_truncated())
            .finish_non_exhaustive()
    }
}
