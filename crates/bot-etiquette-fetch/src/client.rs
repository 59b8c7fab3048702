//! [`Fetcher`]: the client.

use std::{
    error::Error,
    fmt,
    future::{Future, poll_fn},
    net::SocketAddr,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri, header};
use http_body_util::Full;
use hyper_util::{
    client::legacy::{self, connect::HttpInfo},
    rt::{TokioExecutor, TokioTimer},
};
use tower_service::Service;
use url::Url;

use crate::{
    AddressPolicy, AddressRefusal, FetchBody, FetchError, FetchLimits, Fetched, Limit, Phase, Resolve,
    SystemResolver,
    body::deadline,
    connect::{Carried, Connector, Tcp},
    decode,
    error::Fault,
    plain::plain_host,
};

/// How long an unused connection is kept.
const IDLE: Duration = Duration::from_secs(30);
/// The most fields of a header section that are taken.
const MAX_FIELDS: usize = 256;
/// HTTP/2 flow control: what a server may send ahead, for one stream and for one connection.
const STREAM_WINDOW: u32 = 512 * 1024;
const CONNECTION_WINDOW: u32 = 1024 * 1024;

/// An HTTP client that makes one bounded exchange at a time: HTTP/1.1 and HTTP/2 on hyper, TLS by rustls.
///
/// It follows no redirect, keeps no cookie and sends no `Referer`. It sends what the request says, with these
/// exceptions: `Cookie`, `Referer`, `Host` and the fields of the connection are taken out, `Accept` and
/// `Accept-Encoding` are added where they are missing (no coding is asked for with a `Range`). It names no bot: the
/// request brings its `User-Agent`.
///
/// Clones share the connections. It is a tower `Service` of `Request<Full<Bytes>>`, and needs a tokio runtime.
///
/// ```no_run
/// use bot_etiquette_fetch::{FetchError, Fetcher};
/// use bytes::Bytes;
/// use http::Request;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let fetcher = Fetcher::builder().build()?;
/// let request = Request::get("https://example.com/")
///     .header("user-agent", "CrumbBot/1.0 (+https://bots.example.net/crumb)")
///     .body(Default::default())?;
/// match fetcher.fetch(request).await {
///     Ok(page) => println!("{}: {} bytes, cut: {:?}", page.status, page.body.len(), page.cut),
///     Err(error) => println!("{error} ({:?})", error.class()),
/// }
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Fetcher(Arc<Shared>);

/// What all clones of a fetcher share.
struct Shared {
    client: legacy::Client<Connector, Full<Bytes>>,
    addresses: Arc<AddressPolicy>,
    limits: FetchLimits,
}

/// The address that an answer came from; an extension of every response of a [`Fetcher`].
///
/// ```
/// use bot_etiquette_fetch::RemoteAddress;
/// let RemoteAddress(address) = RemoteAddress("93.184.215.14:443".parse()?);
/// assert_eq!(address.port(), 443);
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemoteAddress(pub SocketAddr);

/// Which root certificates a [`Fetcher`] trusts.
///
/// ```
/// use bot_etiquette_fetch::{Fetcher, Roots};
/// let fetcher = Fetcher::builder().roots(Roots::Bundled).build()?;
/// # let _ = fetcher;
/// # Ok::<(), bot_etiquette_fetch::SetupError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Roots {
    /// Mozilla's, as compiled in; the default.
    #[default]
    Bundled,
    /// The operating system's.
    #[cfg(feature = "platform-roots")]
    Platform,
    /// These alone, each a certificate in DER.
    Only(Vec<Vec<u8>>),
}

/// Why a [`Fetcher`] could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// A root certificate cannot be read.
    #[error("root certificate {index} cannot be used: {source}")]
    Root {
        /// Its place in the list, counted from zero.
        index: usize,
        /// What is wrong with it.
        source: Box<dyn Error + Send + Sync>,
    },
    /// There is no root certificate at all, so no https site could be reached.
    #[error("there is no root certificate to trust")]
    NoRoots,
    /// TLS could not be set up.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[source] Box<dyn Error + Send + Sync>),
}

/// Builds a [`Fetcher`]; started by [`Fetcher::builder`].
///
/// ```
/// use bot_etiquette_fetch::{AddressPolicy, FetchLimits, Fetcher};
///
/// let fetcher = Fetcher::builder()
///     .limits(FetchLimits::default().wire_bytes(1_000_000))
///     .addresses(AddressPolicy::default().allow_port(8443))
///     .build()?;
/// # let _ = fetcher;
/// # Ok::<(), bot_etiquette_fetch::SetupError>(())
/// ```
#[must_use = "a builder does nothing until build()"]
pub struct FetcherBuilder {
    limits: FetchLimits,
    addresses: AddressPolicy,
    resolver: Arc<dyn Resolve>,
    roots: Roots,
}

impl Fetcher {
    /// Starts a fetcher with the default limits, the public internet, the system's resolver and the bundled roots.
    pub fn builder() -> FetcherBuilder {
        FetcherBuilder {
            limits: FetchLimits::default(),
            addresses: AddressPolicy::default(),
            resolver: Arc::new(SystemResolver),
            roots: Roots::default(),
        }
    }

    /// The limits of an exchange that brings none of its own.
    #[must_use]
    pub fn limits(&self) -> FetchLimits {
        self.0.limits
    }

    /// Which addresses and ports are connected to.
    #[must_use]
    pub fn addresses(&self) -> &AddressPolicy {
        &self.0.addresses
    }

    /// Makes one exchange; the body comes as it flows. A [`FetchLimits`] among the request's extensions replaces the
    /// fetcher's own, but for `connect`: connections are shared.
    ///
    /// # Errors
    /// [`FetchError`]; dropping the future ends the exchange.
    pub async fn send(&self, request: Request<Full<Bytes>>) -> Result<Response<FetchBody>, FetchError> {
        self.exchange(request)?.answer().await
    }

    /// Makes one exchange and reads the body to its end.
    ///
    /// # Errors
    /// [`FetchError`].
    pub async fn fetch(&self, request: Request<Full<Bytes>>) -> Result<Fetched, FetchError> {
        Fetched::collect(self.send(request).await?).await
    }

    /// Checks and completes a request; nothing is sent before the answer is waited for.
    fn exchange(&self, mut request: Request<Full<Bytes>>) -> Result<Exchange, FetchError> {
        let limits = request.extensions().get::<FetchLimits>().copied().unwrap_or(self.0.limits);
        self.check(request.uri())?;
        prepare(request.headers_mut(), limits);
        *request.version_mut() = http::Version::HTTP_11; // TLS settles what is spoken
        let head = request.method() == Method::HEAD;
        Ok(Exchange { answering: self.0.client.request(request), limits, head })
    }

    /// What the policy says of a URI, before a connection is looked for.
    fn check(&self, uri: &Uri) -> Result<(), FetchError> {
        let addresses = &self.0.addresses;
        if let Some((host, port)) = plain_host(uri) {
            return addresses.check_host(&host, port).map_err(FetchError::Refused);
        }
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(FetchError::Refused(AddressRefusal::Credentials));
        }
        let url = Url::parse(&uri.to_string())
            .map_err(|error| FetchError::Request(format!("{uri} is not an absolute URL: {error}")))?;
        addresses.check_url(&url).map_err(FetchError::Refused)
    }
}

/// A request on its way.
struct Exchange {
    answering: legacy::ResponseFuture,
    limits: FetchLimits,
    head: bool,
}

impl Exchange {
    /// Waits for the head of the answer.
    async fn answer(self) -> Result<Response<FetchBody>, FetchError> {
        let Self { answering, limits, head } = self;
        let mut deadline = deadline(limits.total);
        let mut answering = pin!(answering);
        let in_time = poll_fn(|cx| match answering.as_mut().poll(cx) {
            Poll::Ready(answer) => Poll::Ready(Some(answer)),
            Poll::Pending => deadline.as_mut().poll(cx).map(|()| None),
        });
        let Some(answer) = in_time.await else {
            return Err(FetchError::Timeout { phase: Phase::Headers, limit: limits.total });
        };
        let answer = answer.map_err(|error| sort(error, limits))?;
        let (mut parts, incoming) = answer.into_parts();
        if header_bytes(&parts.headers) > limits.header_bytes {
            return Err(FetchError::TooLarge { what: Limit::Headers, limit: limits.header_bytes as u64 });
        }
        let whole = !head && parts.status != StatusCode::PARTIAL_CONTENT;
        let body = FetchBody::new(incoming, &mut parts.headers, limits, deadline, whole)?;
        if let Some(info) = parts.extensions.remove::<HttpInfo>() {
            parts.extensions.insert(RemoteAddress(info.remote_addr()));
        }
        parts.extensions.insert(body.report().clone());
        Ok(Response::from_parts(parts, body))
    }
}

impl Service<Request<Full<Bytes>>> for Fetcher {
    type Response = Response<FetchBody>;
    type Error = FetchError;
    type Future = Pin<Box<dyn Future<Output = Result<Response<FetchBody>, FetchError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), FetchError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Full<Bytes>>) -> Self::Future {
        // What is checked at once need not be carried along.
        let exchange = self.exchange(request);
        Box::pin(async move { exchange?.answer().await })
    }
}

impl fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetcher")
            .field("limits", &self.0.limits)
            .field("addresses", &self.0.addresses)
            .finish_non_exhaustive()
    }
}

impl FetcherBuilder {
    /// The limits of every exchange that does not bring its own.
    pub const fn limits(mut self, limits: FetchLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Which addresses and ports are connected to.
    pub fn addresses(mut self, addresses: AddressPolicy) -> Self {
        self.addresses = addresses;
        self
    }

    /// How names are resolved.
    pub fn resolver(mut self, resolver: impl Resolve + 'static) -> Self {
        self.resolver = Arc::new(resolver);
        self
    }

    /// Which root certificates are trusted.
    pub fn roots(mut self, roots: Roots) -> Self {
        self.roots = roots;
        self
    }

    /// Builds the fetcher. Nothing is connected to yet.
    ///
    /// # Errors
    /// [`SetupError`] when the root certificates cannot be used.
    pub fn build(self) -> Result<Fetcher, SetupError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| SetupError::Tls(error.into()))?
            .with_root_certificates(root_store(self.roots)?)
            .with_no_client_auth();
        let addresses = Arc::new(self.addresses);
        let tcp = Tcp { addresses: Arc::clone(&addresses), resolver: self.resolver };
        let https = hyper_rustls::HttpsConnectorBuilder::new()
            .with_tls_config(tls)
            .https_or_http()
            .enable_all_versions()
            .wrap_connector(tcp);
        let header_list = u32::try_from(self.limits.header_bytes).unwrap_or(u32::MAX);
        let client = legacy::Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            // hyper wants 8 KiB at least; the exact limit is held against what it has read.
            .http1_max_buf_size(self.limits.header_bytes.saturating_add(8192))
            .http1_max_headers(MAX_FIELDS)
            .http2_max_header_list_size(header_list)
            .http2_initial_stream_window_size(STREAM_WINDOW)
            .http2_initial_connection_window_size(CONNECTION_WINDOW)
            .build(Connector { https, limit: self.limits.connect });
        Ok(Fetcher(Arc::new(Shared { client, addresses, limits: self.limits })))
    }
}

impl fmt::Debug for FetcherBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FetcherBuilder")
            .field("limits", &self.limits)
            .field("addresses", &self.addresses)
            .finish_non_exhaustive()
    }
}

fn root_store(roots: Roots) -> Result<rustls::RootCertStore, SetupError> {
    let mut store = rustls::RootCertStore::empty();
    match roots {
        Roots::Bundled => store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        #[cfg(feature = "platform-roots")]
        Roots::Platform => {
            // A system's store often holds a few certificates that nothing can read.
            let found = rustls_native_certs::load_native_certs();
            store.add_parsable_certificates(found.certs);
        }
        Roots::Only(certificates) => {
            for (index, der) in certificates.into_iter().enumerate() {
                store.add(der.into()).map_err(|error| SetupError::Root { index, source: error.into() })?;
            }
        }
    }
    if store.is_empty() { Err(SetupError::NoRoots) } else { Ok(store) }
}

/// Fields that are never sent, whoever set them.
const NEVER_SENT: [header::HeaderName; 9] = [
    header::COOKIE,
    header::REFERER,
    header::HOST,
    header::CONNECTION,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::EXPECT,
];

static ANYTHING: HeaderValue = HeaderValue::from_static("*/*");
static CODINGS: HeaderValue = HeaderValue::from_static(decode::ACCEPT);
static UNCODED: HeaderValue = HeaderValue::from_static("identity");

fn prepare(headers: &mut HeaderMap, limits: FetchLimits) {
    // Hardly ever is one of them there, and a look at the few fields costs less than nine look-ups.
    if headers.keys().any(|name| NEVER_SENT.contains(name)) {
        for name in NEVER_SENT {
            headers.remove(name);
        }
    }
    headers.entry(header::ACCEPT).or_insert_with(|| ANYTHING.clone());
    let asks = limits.decode && !headers.contains_key(header::RANGE);
    let codings = if asks { &CODINGS } else { &UNCODED };
    headers.entry(header::ACCEPT_ENCODING).or_insert_with(|| codings.clone());
}

/// The size of a header section: names and values, and 4 bytes a field for what stands between.
fn header_bytes(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum()
}

/// Finds out what a request failed of, however deep hyper has wrapped it.
fn sort(error: legacy::Error, limits: FetchLimits) -> FetchError {
    let mut source: Option<&(dyn Error + 'static)> = error.source();
    while let Some(inner) = source {
        if let Some(found) = inner.downcast_ref::<Carried>().and_then(Carried::take) {
            return found;
        }
        source = inner.source();
    }
    let hyper = error.source().and_then(|source| source.downcast_ref::<hyper::Error>());
    let fault = hyper.map_or(Fault::Ended, Fault::of);
    FetchError::broken(fault, error.into(), Phase::Headers, limits.header_bytes)
}
