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
        attribution.check().map_err(|problem| AttributionError { problem })?;
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

    pub(crate) fn check(&self) -> Result<(), String> {
        if self.source.trim().is_empty() {
            return Err("`source` is empty: name the publisher".to_owned());
        }
        if self.license.trim().is_empty() {
            return Err("`license` is empty: name the licence".to_owned());
        }
        let web = |url: &Url| matches!(url.scheme(), "http" | "https");
        if !web(&self.license_url) || !self.link.as_ref().is_none_or(web) {
            return Err("`license_url` and `link` are addresses of web pages (https://..)".to_owned());
        }
        Ok(())
    }
}

/// An attribution that names nobody.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct AttributionError {
    problem: String,
}
