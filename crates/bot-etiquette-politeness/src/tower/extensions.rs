use std::sync::Arc;

use http::{Request, uri::PathAndQuery};
use url::Url;

use crate::host::host_str;
use crate::{Ask, Host};

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

/// What a request asks for, as far as politeness cares.
pub(crate) struct Asked {
    url: Url,
    class: Option<RequestClass>,
    resource: Option<Resource>,
}

impl Asked {
    /// `None` where the request names no host.
    pub(crate) fn by<A>(request: &Request<A>) -> Option<Self> {
        let uri = request.uri();
        let (scheme, authority) = (uri.scheme_str()?, uri.authority()?.as_str());
        let target = uri.path_and_query().map_or("/", PathAndQuery::as_str);
        let url = Url::parse(&[scheme, "://", authority, target].concat()).ok()?;
        let host = host_str(&url)?;
        let extensions = request.extensions();
        let resource = extensions.get::<Resource>().filter(|resource| resource.host.as_str() == host);
        let (resource, class) = (resource.cloned(), extensions.get().cloned());
        Some(Self { url, class, resource })
    }

    pub(crate) fn ask(&self) -> Ask<'_> {
        let ask =
            Ask::new(&self.url).class(self.class.as_ref().map_or(Ask::DEFAULT_CLASS, RequestClass::as_str));
        match &self.resource {
            Some(resource) => ask.resource(resource.name()),
            None => ask,
        }
    }
}
