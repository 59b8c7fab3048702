use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::SystemTime;

use http::Request;
use tower_layer::Layer;
use tower_service::Service;

use super::{BoxError, BoxFuture, Clock, ready};
use crate::{ExternalSigner, SignError, Signer, SigningKey};

/// Signs every request that passes, anew for its own authority and time.
///
/// Put it below whatever follows redirects or tries again, so that each hop and each retry is signed afresh.
///
/// ```
/// use std::convert::Infallible;
/// use std::time::SystemTime;
///
/// use bot_etiquette_signing::tower::SignLayer;
/// use bot_etiquette_signing::{Signer, SigningKey};
/// use http::{Request, Response};
/// use tower::{ServiceBuilder, ServiceExt, service_fn};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
/// let signer = Signer::builder(SigningKey::from_seed(&[7; 32]), "https://bot.example").build()?;
/// let client = service_fn(async |request: Request<()>| {
///     assert!(request.headers().contains_key("signature"));
///     Ok::<_, Infallible>(Response::new(()))
/// });
/// let client = ServiceBuilder::new().layer(SignLayer::new(signer, SystemTime::now)).service(client);
/// client.oneshot(Request::get("https://example.com/").body(())?).await?;
/// # Ok(()) }
/// ```
pub struct SignLayer<K = SigningKey> {
    signer: Chooser<K>,
    clock: Clock,
    nonce: Option<Arc<dyn Fn() -> String + Send + Sync>>,
}

/// The signer for a time.
type Chooser<K> = Arc<dyn Fn(SystemTime) -> Option<Arc<Signer<K>>> + Send + Sync>;

impl<K: ExternalSigner + Send + Sync + 'static> SignLayer<K> {
    /// Signs with one key. Signatures carry no nonce unless [`nonce`](Self::nonce) is given.
    pub fn new(
        signer: impl Into<Arc<Signer<K>>>,
        clock: impl Fn() -> SystemTime + Send + Sync + 'static,
    ) -> Self {
        let signer = signer.into();
        Self::rotating(move |_| Some(Arc::clone(&signer)), clock)
    }

    /// Signs with the signer that `choose` gives for the time, such as the one whose key a
    /// [`KeySchedule`](crate::directory::KeySchedule) names. Without one, requests are refused with
    /// [`NotSigned::NoKey`].
    pub fn rotating(
        choose: impl Fn(SystemTime) -> Option<Arc<Signer<K>>> + Send + Sync + 'static,
        clock: impl Fn() -> SystemTime + Send + Sync + 'static,
    ) -> Self {
        Self { signer: Arc::new(choose), clock: Arc::new(clock), nonce: None }
    }

    /// Adds a nonce to each signature: text that `source` draws anew, from the system's random source.
    #[must_use]
    pub fn nonce(mut self, source: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.nonce = Some(Arc::new(source));
        self
    }

    fn sign<B>(&self, request: &mut Request<B>) -> Result<(), NotSigned> {
        let now = (self.clock)();
        let signer = (self.signer)(now).ok_or(NotSigned::NoKey)?;
        let nonce = self.nonce.as_ref().map(|source| source());
        Ok(signer.sign(request, now, nonce.as_deref())?)
    }
}

// Derived, it would ask that K be Clone.
impl<K> Clone for SignLayer<K> {
    fn clone(&self) -> Self {
        Self { signer: Arc::clone(&self.signer), clock: Arc::clone(&self.clock), nonce: self.nonce.clone() }
    }
}

impl<K> fmt::Debug for SignLayer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignLayer").field("nonce", &self.nonce.is_some()).finish_non_exhaustive()
    }
}

impl<S, K> Layer<S> for SignLayer<K> {
    type Service = Sign<S, K>;

    fn layer(&self, inner: S) -> Self::Service {
        Sign { inner, layer: self.clone() }
    }
}

/// The service of a [`SignLayer`].
#[derive(Debug)]
pub struct Sign<S, K = SigningKey> {
    inner: S,
    layer: SignLayer<K>,
}

impl<S: Clone, K> Clone for Sign<S, K> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), layer: self.layer.clone() }
    }
}

impl<S, K, B> Service<Request<B>> for Sign<S, K>
where
    S: Service<Request<B>> + Clone + Send + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send,
    K: ExternalSigner + Send + Sync + 'static,
    B: Send + 'static,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = BoxFuture<Result<S::Response, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let (inner, layer) = (self.inner.clone(), self.layer.clone());
        Box::pin(async move {
            // Waiting for the inner service must not use up the signature's minute.
            let mut inner = ready(inner).await.map_err(Into::into)?;
            layer.sign(&mut request)?;
            inner.call(request).await.map_err(Into::into)
        })
    }
}

/// Why a [`Sign`] did not send a request.
///
/// ```
/// use bot_etiquette_signing::tower::NotSigned;
///
/// assert_eq!(NotSigned::NoKey.to_string(), "no key signs at this time");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotSigned {
    /// No key signs at this time.
    #[error("no key signs at this time")]
    NoKey,
    /// The request cannot be signed.
    #[error("the request cannot be signed: {0}")]
    Sign(#[from] SignError),
}
