use std::sync::Arc;

use crate::Host;

/// Extension of a request: the part of a host that it is about, which may be busy while the rest is not.
///
/// It names the host, for it rides along when a request follows a redirect, and means nothing at another host.
///
/// ```
/// use bot_etiquette_politeness::tower::Resource;
///
/// let mut request = http::Request::get("https://maps.example/rest/Parks/MapServer").body(())?;
/// request.extensions_mut().insert(Resource::new("maps.example".parse()?, "Parks/MapServer"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Resource {
    host: Host,
    name: Arc<str>,
}

impl Resource {
    /// The part `name` of `host`.
    pub fn new(host: Host, name: impl Into<Arc<str>>) -> Self {
        Self { host, name: name.into() }
    }

    /// The host.
    #[must_use]
    pub const fn host(&self) -> &Host {
        &self.host
    }

    /// The part of it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Extension of a request: its class, by which a policy counts quotas, revisits and slots.
///
/// ```
/// use bot_etiquette_politeness::tower::RequestClass;
///
/// let mut request = http::Request::get("https://example.com/").body(())?;
/// request.extensions_mut().insert(RequestClass::new("page"));
/// # Ok::<(), http::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RequestClass(Arc<str>);

impl RequestClass {
    /// The class of this name.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }

    /// Its name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
