use std::convert::Infallible;
use std::fmt;
use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::SystemTime;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use tower_service::Service;

use super::Clock;
use crate::directory::{DirectoryError, KeyDirectory};
use crate::{Component, DIRECTORY_PATH, Message};

/// Serves a [`KeyDirectory`] at its well-known path, signed for the authority that was asked.
///
/// It signs for the authorities it was given and no other: whoever could have any `Host` signed could pass
/// the directory off as that host's. Another authority gets 421, another path 404, another method than GET
/// and HEAD 405, and a request with a matching `If-None-Match` gets 304 with fresh signatures.
///
/// Mount it in axum with `Router::new().route_service(DIRECTORY_PATH, service)`, or give it to hyper through
/// `hyper_util::service::TowerToHyperService`.
///
/// ```
/// use std::time::SystemTime;
///
/// use bot_etiquette_signing::directory::{KeyDirectory, PublishedKey};
/// use bot_etiquette_signing::tower::DirectoryService;
/// use bot_etiquette_signing::{DIRECTORY_PATH, SigningKey};
/// use http::Request;
/// use tower::ServiceExt;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let key = SigningKey::from_seed(&[1; 32]);
/// let directory = KeyDirectory::builder().key(PublishedKey::new(key)).build()?;
/// let service = DirectoryService::new(directory, ["bot.example"], SystemTime::now)?;
///
/// let ask = |host: &str| Request::get(DIRECTORY_PATH).header("host", host).body(());
/// let response = service.clone().oneshot(ask("bot.example")?).await?;
/// assert!(response.headers().contains_key("signature"));
/// assert_eq!(service.oneshot(ask("thief.example")?).await?.status(), 421);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct DirectoryService {
    directory: Arc<KeyDirectory>,
    authorities: Arc<[String]>,
    clock: Clock,
}

impl DirectoryService {
    /// Serves `directory` for these authorities, each a host with a port where it is not 443.
    ///
    /// # Errors
    /// [`DirectoryError::Authority`] for text that is no authority, or when there is none.
    pub fn new<A: AsRef<str>>(
        directory: impl Into<Arc<KeyDirectory>>,
        authorities: impl IntoIterator<Item = A>,
        clock: impl Fn() -> SystemTime + Send + Sync + 'static,
    ) -> Result<Self, DirectoryError> {
        let authorities = super::authorities(authorities)?;
        Ok(Self { directory: directory.into(), authorities, clock: Arc::new(clock) })
    }

    /// The response to one request; what the service does, without waiting.
    pub fn respond<B>(&self, request: &Request<B>) -> Response<Full<Bytes>> {
        if request.uri().path() != DIRECTORY_PATH {
            return plain(
                StatusCode::NOT_FOUND,
                "no such page; the key directory is at its well-known path\n",
            );
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD\n");
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
            return response;
        }
        let Ok(authority) = Message::request(request).value(&Component::authority()) else {
            return plain(StatusCode::BAD_REQUEST, "the request names no authority\n");
        };
        if !self.authorities.contains(&authority) {
            return plain(
                StatusCode::MISDIRECTED_REQUEST,
                "this key directory is not that of the host asked for\n",
            );
        }
        match self.directory.response(&authority, (self.clock)()) {
            Ok(response) => conditional(request, response),
            Err(_) => plain(StatusCode::INTERNAL_SERVER_ERROR, "the key directory cannot be signed\n"),
        }
    }
}

impl fmt::Debug for DirectoryService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DirectoryService")
            .field("directory", &self.directory)
            .field("authorities", &self.authorities)
            .finish_non_exhaustive()
    }
}

impl<B> Service<Request<B>> for DirectoryService {
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        ready(Ok(self.respond(&request)))
    }
}

/// 304 where the client has this document already (RFC 9110 13.1.2), and no body for HEAD.
fn conditional<B>(request: &Request<B>, response: Response<String>) -> Response<Full<Bytes>> {
    let mut response = response;
    let tag = response.headers().get(header::ETAG).and_then(|tag| tag.to_str().ok()).unwrap_or_default();
    let known = request.headers().get_all(header::IF_NONE_MATCH).iter().any(|value| {
        let mut tags = value.to_str().unwrap_or_default().split(',').map(str::trim);
        tags.any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
    });
    if known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return response.map(|_| Full::default());
    }
    let length = HeaderValue::from(response.body().len());
    response.headers_mut().insert(header::CONTENT_LENGTH, length);
    if request.method() == Method::HEAD {
        return response.map(|_| Full::default());
    }
    response.map(Full::from)
}

fn plain(status: StatusCode, text: &'static str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}
