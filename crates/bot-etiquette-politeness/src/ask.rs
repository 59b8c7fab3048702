//! What a crawler wants to ask, as far as politeness cares.

use url::{Position, Url};

use crate::host::{Host, host_str};

/// A request that a crawler would like to make.
///
/// ```
/// use bot_etiquette_politeness::Ask;
///
/// let url = url::Url::parse("https://example.com/arcgis/rest/services/Parks/MapServer")?;
/// let ask = Ask::new(&url).class("recheck").resource("Parks/MapServer");
/// assert_eq!(ask.host_str(), Some("example.com"));
/// assert_eq!(ask.path(), "/arcgis/rest/services/Parks/MapServer");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct Ask<'a> {
    url: &'a str,
    host: Option<&'a str>,
    path: &'a str,
    class: &'a str,
    resource: Option<&'a str>,
}

impl<'a> Ask<'a> {
    /// The class of a request that names none.
    pub const DEFAULT_CLASS: &'static str = "crawl";

    /// A request for `url`, of class [`crawl`](Self::DEFAULT_CLASS), about the host as a whole.
    pub fn new(url: &'a Url) -> Self {
        Self::of_parts(&url[..Position::AfterQuery], host_str(url), url.path())
    }

    /// A request for a URL whose parts are known.
    pub(crate) const fn of_parts(url: &'a str, host: Option<&'a str>, path: &'a str) -> Self {
        Self { url, host, path, class: Self::DEFAULT_CLASS, resource: None }
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

    /// The URL as a parser spells it, without its fragment.
    #[must_use]
    pub const fn url_str(&self) -> &'a str {
        self.url
    }

    /// The path of the URL.
    #[must_use]
    pub const fn path(&self) -> &'a str {
        self.path
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
    pub const fn host_str(&self) -> Option<&'a str> {
        self.host
    }

    /// The host.
    #[must_use]
    pub fn host(&self) -> Option<Host> {
        self.host.map(Host::named)
    }
}
