//! From a URI to a connection: names resolved, every address judged, the judged address connected to.

use std::{
    future::Future,
    io,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use http::Uri;
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, task::JoinSet};
use tower_service::Service;
use url::Host;

use crate::{AddressPolicy, AddressRefusal, FetchError, Phase, Resolve};

/// Between two attempts at the addresses of one host (RFC 8305 section 5).
const STAGGER: Duration = Duration::from_millis(250);
/// Addresses of one host that are tried.
const MAX_ADDRESSES: usize = 8;

type Connection = TokioIo<TcpStream>;
type Connecting<T> = Pin<Box<dyn Future<Output = Result<T, Carried>> + Send>>;

/// A [`FetchError`] on its way through hyper, which shows errors only by reference.
#[derive(Debug, thiserror::Error)]
#[error("not connected")]
pub(crate) struct Carried(Mutex<Option<FetchError>>);

impl Carried {
    pub(crate) fn take(&self) -> Option<FetchError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl From<FetchError> for Carried {
    fn from(error: FetchError) -> Self {
        Self(Mutex::new(Some(error)))
    }
}

/// Connects by TCP to addresses that the policy allows.
#[derive(Clone)]
pub(crate) struct Tcp {
    pub(crate) addresses: Arc<AddressPolicy>,
    pub(crate) resolver: Arc<dyn Resolve>,
}

impl Service<Uri> for Tcp {
    type Response = Connection;
    type Error = Carried;
    type Future = Connecting<Connection>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Carried>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let this = self.clone();
        Box::pin(async move { this.connect(&uri).await.map_err(Carried::from) })
    }
}

impl Tcp {
    async fn connect(&self, uri: &Uri) -> Result<Connection, FetchError> {
        let name = uri.host().unwrap_or_default();
        let port = uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 });
        let addresses = self.resolve(name, port).await?;
        let failed = |source| FetchError::Connect { host: name.to_owned(), source };
        let stream = first_of(addresses).await.map_err(failed)?;
        let peer = stream.peer_addr().map_err(failed)?;
        self.addresses.check_ip(peer.ip()).map_err(FetchError::Refused)?;
        stream.set_nodelay(true).map_err(failed)?;
        Ok(TokioIo::new(stream))
    }

    /// The addresses of a host that the policy allows; an error when there are none.
    async fn resolve(&self, name: &str, port: u16) -> Result<Vec<SocketAddr>, FetchError> {
        let host = Host::parse(name).map_err(|_| FetchError::Refused(AddressRefusal::NoHost))?;
        let found = match host {
            Host::Ipv4(address) => vec![SocketAddr::new(IpAddr::V4(address), port)],
            Host::Ipv6(address) => vec![SocketAddr::new(IpAddr::V6(address), port)],
            Host::Domain(domain) => {
                let dns = |source| FetchError::Dns { host: domain.clone(), source };
                let found = self.resolver.resolve(&domain, port).await.map_err(dns)?;
                if found.is_empty() {
                    return Err(dns(io::Error::new(io::ErrorKind::NotFound, "it has no address")));
                }
                found
            }
        };
        let mut refusal = None;
        let mut allowed = Vec::new();
        for address in found {
            match self.addresses.check_ip(address.ip()) {
                Ok(()) => allowed.push(address),
                Err(error) => refusal = refusal.or(Some(error)),
            }
        }
        match refusal {
            Some(refusal) if allowed.is_empty() => Err(FetchError::Refused(refusal)),
            _ => Ok(allowed),
        }
    }
}

/// Connects to whichever address answers first, the earlier ones with a head start each.
async fn first_of(addresses: Vec<SocketAddr>) -> io::Result<TcpStream> {
    let mut waiting = addresses.into_iter().take(MAX_ADDRESSES);
    let mut attempts = JoinSet::new();
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    loop {
        match waiting.next() {
            Some(address) => drop(attempts.spawn(TcpStream::connect(address))),
            None if attempts.is_empty() => return Err(last),
            None => {}
        }
        match tokio::time::timeout(STAGGER, attempts.join_next()).await {
            Ok(Some(Ok(Ok(stream)))) => return Ok(stream),
            Ok(Some(Ok(Err(error)))) => last = error,
            Ok(Some(Err(error))) => last = error.into(),
            Ok(None) | Err(_) => {}
        }
    }
}

/// TCP and TLS together, under one time limit, with errors that tell the two apart.
#[derive(Clone)]
pub(crate) struct Connector {
    pub(crate) https: HttpsConnector<Tcp>,
    pub(crate) limit: Duration,
}

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<Connection>;
    type Error = Carried;
    type Future = Connecting<Self::Response>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Carried>> {
        Poll::Ready(Ok(())) // as `Tcp` is, below TLS
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let limit = self.limit;
        let host = uri.host().unwrap_or_default().to_owned();
        let connecting = self.https.call(uri);
        Box::pin(async move {
            match tokio::time::timeout(limit, connecting).await {
                Ok(Ok(stream)) => Ok(stream),
                // What is not of TCP is of TLS.
                Ok(Err(error)) => Err(match error.downcast::<Carried>() {
                    Ok(carried) => *carried,
                    Err(source) => FetchError::Tls { host, source }.into(),
                }),
                Err(_) => Err(FetchError::Timeout { phase: Phase::Connect, limit }.into()),
            }
        })
    }
}
