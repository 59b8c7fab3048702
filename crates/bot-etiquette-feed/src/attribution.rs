//! Whom an event names: its source, the licence and a link.

use serde::Deserialize;
use url::Url;

/// The source of a feed as everything published from it names it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[serde(deny_unknown_fields)]
pub struct Attribution {
    source: String,
    license: String,
    license_url: Url,
    #[serde(default)]
    link: Option<Url>,
    #[serde(default)]
    text: Option<String>,
}

impl Attribution {
    /// The publisher, the licence's name and its address.
    ///
    /// # Errors
    /// An empty name, or an address that is no web page: nothing is published without them.
    pub fn new(source: &str, license: &str, license_url: Url) -> Result<Self, AttributionError> {
        let attribution =
            Self { source: source.into(), license: license.into(), license_url, link: None, text: None };
        attribution.check()?;
        Ok(attribution)
    }

    /// The source's page: the link of events that have none of their own.
    #[must_use]
    pub fn with_link(mut self, link: Url) -> Self {
        self.link = Some(link);
        self
    }

    /// The words the publisher asks for, where they are more than its name.
    #[must_use]
    pub fn with_text(mut self, text: &str) -> Self {
        self.text = Some(text.to_owned()).filter(|text| !text.trim().is_empty());
        self
    }

    /// The publisher's name.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The licence's name.
    #[must_use]
    pub fn license(&self) -> &str {
        &self.license
    }

    /// The licence's address.
    #[must_use]
    pub fn license_url(&self) -> &Url {
        &self.license_url
    }

    /// The source's page.
    #[must_use]
    pub fn link(&self) -> Option<&Url> {
        self.link.as_ref()
    }

    /// The words the publisher asks for; by default its name.
    #[must_use]
    pub fn text(&self) -> &str {
        self.text.as_deref().unwrap_or(&self.source)
    }

    pub(crate) fn check(&self) -> Result<(), AttributionError> {
        let wrong = |key, problem| Err(AttributionError { key, problem });
        if self.source.trim().is_empty() {
            return wrong("source", "it is empty (name the publisher)");
        }
        if self.license.trim().is_empty() {
            return wrong("license", "it is empty (name the licence)");
        }
        let web = |url: &Url| matches!(url.scheme(), "http" | "https");
        let no_page = "it is no address of a web page (give one with https://)";
        if !web(&self.license_url) {
            return wrong("license_url", no_page);
        }
        if !self.link.as_ref().is_none_or(web) {
            return wrong("link", no_page);
        }
        Ok(())
    }
}

/// An attribution that names nobody.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {problem}")]
pub struct AttributionError {
    pub(crate) key: &'static str,
    pub(crate) problem: &'static str,
}
