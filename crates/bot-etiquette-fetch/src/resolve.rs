//! [`Resolve`]: from a host name to addresses.

use std::{collections::HashMap, fmt, future::Future, io, net::SocketAddr, pin::Pin, sync::Arc};

/// What resolving a name comes to.
type Resolving = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>>;

/// Resolves host names for a [`Fetcher`](crate::Fetcher). Whatever it answers is still judged by the address policy.
///
/// ```
/// use std::{future::Future, io, net::SocketAddr, pin::Pin};
/// use bot_etiquette_fetch::Resolve;
///
/// struct Fixed(SocketAddr);
///
/// impl Resolve for Fixed {
///     fn resolve(&self, _host: &str, _port: u16) -> Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>> {
///         let answer = vec![self.0];
///         Box::pin(async move { Ok(answer) })
///     }
/// }
/// # let _ = Fixed("127.0.0.1:80".parse().unwrap()).resolve("a.example", 80);
/// ```
pub trait Resolve: Send + Sync {
    /// The addresses of `host`, to be tried in this order; `port` is the URL's and may be answered with another.
    fn resolve(&self, host: &str, port: u16) -> Resolving;
}

/// The operating system's resolver; the default.
///
/// ```
/// use bot_etiquette_fetch::{Resolve, SystemResolver};
/// let resolver: Box<dyn Resolve> = Box::new(SystemResolver);
/// # let _ = resolver;
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, host: &str, port: u16) -> Resolving {
        let host = host.to_owned();
        Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
    }
}

/// Sends listed names to fixed addresses and ports, so that a demonstration can ask for a real host's name and reach
/// this machine. Other names go to the next resolver, or nowhere.
///
/// ```
/// use bot_etiquette_fetch::{Fetcher, AddressPolicy, ResolverOverride};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let demo = ResolverOverride::only().host("data.example.com", "127.0.0.1:8080".parse()?);
/// let fetcher = Fetcher::builder().resolver(demo).addresses(AddressPolicy::loopback_only()).build()?;
/// // http://data.example.com/ is now answered by port 8080 of this machine, and nothing else is reached.
/// # let _ = fetcher;
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct ResolverOverride {
    hosts: HashMap<String, SocketAddr>,
    others: Option<Arc<dyn Resolve>>,
}

impl ResolverOverride {
    /// No other name resolves: nothing is looked up in DNS.
    #[must_use]
    pub fn only() -> Self {
        Self::default()
    }

    /// Other names are looked up here.
    #[must_use]
    pub fn before(others: impl Resolve + 'static) -> Self {
        Self { hosts: HashMap::new(), others: Some(Arc::new(others)) }
    }

    /// Sends this name to this address and port, whatever port its URL has.
    #[must_use]
    pub fn host(mut self, name: impl AsRef<str>, address: SocketAddr) -> Self {
        self.hosts.insert(plain(name.as_ref()), address);
        self
    }
}

impl Resolve for ResolverOverride {
    fn resolve(&self, host: &str, port: u16) -> Resolving {
        match (self.hosts.get(&plain(host)), &self.others) {
            (Some(address), _) => {
                let answer = vec![*address];
                Box::pin(async move { Ok(answer) })
            }
            (None, Some(others)) => others.resolve(host, port),
            (None, None) => {
                let error = io::Error::new(io::ErrorKind::NotFound, "the name is not listed");
                Box::pin(async move { Err(error) })
            }
        }
    }
}

impl fmt::Debug for ResolverOverride {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResolverOverride")
            .field("hosts", &self.hosts)
            .field("others", &self.others.is_some())
            .finish()
    }
}

fn plain(name: &str) -> String {
    name.trim_end_matches('.').to_ascii_lowercase()
}
