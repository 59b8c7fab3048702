//! What a crawler wants to ask, as far as politeness cares.

use url::Url;

use crate::host::{Host, host_str};

/// A request that a crawler would like to make.
///
/// ```
/// use bot_etiquette_politeness::Ask;
///
/// let url = url::Url::parse("https://example.com/arcgis/rest/services/Parks/MapServer")?;
/// let ask = Ask::new(&url).class("recheck").resource("Parks/MapServer");
/// assert_eq!(ask.host_str(), Some("example.com"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct Ask<'a> {
    url: &'a Url,
    class: &'a str,
    resource: Option<&'a str>,
}

impl<'a> Ask<'a> {
    /// The class of a request that names none.
    pub const DEFAULT_CLASS: &'static str = "crawl";

    /// A request for `url`, of class [`crawl`](Self::DEFAULT_CLASS), about the host as a whole.
    pub const fn new(url: &'a Url) -> Self {
        Self { url, class: Self::DEFAULT_CLASS, resource: None }
    }

    /// The class, by which a policy counts quotas, revisits and slots: `page`, `file`, `search`.
    pub const fn class(mut self, class: &'a str) -> Self {
        self.class = class;
        self
    }

    /// The part of the host that the request is about, where one part may be busy while the rest is not:
    /// a service of a map server.
    pub const fn resource(mut self, resource: &'a str) -> Self {
        self.resource = Some(resource);
        self
    }

    /// The URL.
    #[must_use]
    pub const fn url(&self) -> &'a Url {
        self.url
    }

    /// The class.
    #[must_use]
    pub const fn class_name(&self) -> &'a str {
        self.class
    }

    /// The resource, if one was named.
    #[must_use]
    pub const fn resource_name(&self) -> Option<&'a str> {
        self.resource
    }

    /// The name of the host, normalised as [`Host`] is.
    #[must_use]
    pub fn host_str(&self) -> Option<&'a str> {
        host_str(self.url)
    }

    /// The host.
    #[must_use]
    pub fn host(&self) -> Option<Host> {
        Host::of(self.url)
    }
}
