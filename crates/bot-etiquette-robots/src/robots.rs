//! A parsed robots.txt.

use crate::{ProductToken, Rules};

/// A parsed robots.txt. Cheap to clone, `Send + Sync`.
#[derive(Debug, Clone)]
pub struct Robots {}

impl Robots {
    /// Parses any bytes; never fails.
    #[must_use]
    pub fn parse(text: &[u8]) -> Self {
        let _ = text;
        Self {}
    }

    /// The rules for a crawler, or for the first of several tokens that has a group, else for `*`.
    #[must_use]
    pub fn rules_for<'t>(&self, agents: impl IntoIterator<Item = &'t ProductToken>) -> Rules {
        let _ = agents.into_iter();
        Rules::allow_all()
    }

    /// The text that was read: the input up to the limit.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &[]
    }

    /// Whether the input was longer than a limit, so that its end was not read.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        false
    }

    /// Whether the input looks like an HTML page.
    #[must_use]
    pub fn looks_like_html(&self) -> bool {
        false
    }

    /// The values of all `Sitemap` records, as written.
    pub fn sitemaps(&self) -> impl Iterator<Item = &[u8]> {
        std::iter::empty()
    }
}
