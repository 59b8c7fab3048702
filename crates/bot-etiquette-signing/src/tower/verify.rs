use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::SystemTime;

use http::request::Parts;
use http::{HeaderValue, Request, Response, StatusCode, header};
use tower_layer::Layer;
use tower_service::Service;

use super::{BoxFuture, Clock, DirectoryFetch, ready};
use crate::directory::DirectoryError;
use crate::{Component, InvalidReason, KeyLookup, Message, NonceStore, Outcome, UnverifiedReason, Verifier};

/// What a refusal asks of a bot, as the value of `Accept-Signature` (RFC 9421 5.1).
pub const WEB_BOT_AUTH_CHALLENGE: &str =
    r#"sig1=("@authority" "signature-agent");created;expires;tag="web-bot-auth""#;

/// Verifies the signature of every request that comes in.
///
/// The verdict is an [`Outcome`] in the request's extensions. What happens then is up to [`OnFailure`]: by
/// default every request passes on, and the site greets, limits or refuses by the verdict.
///
/// A signature counts only for an authority of this site: a request that a bot signed for another host, and
/// which that host sends on to here, is invalid however good its signature is.
///
/// ```
/// use std::convert::Infallible;
/// use std::time::{Duration, SystemTime};
///
/// use bot_etiquette_signing::tower::VerifyLayer;
/// use bot_etiquette_signing::{KeyMaterial, Lookup, Outcome, SignatureAgent, Signer, SigningKey, Verifier};
/// use http::{Request, Response};
/// use tower::{ServiceBuilder, ServiceExt, service_fn};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
/// # let key = SigningKey::from_seed(&[7; 32]);
/// let known = KeyMaterial::from(&key);
/// let keys = move |_: Option<&SignatureAgent>, _: Option<&str>| Lookup::Found(known.clone());
/// let site = ServiceBuilder::new()
///     .layer(VerifyLayer::new(Verifier::default(), ["example.com"], SystemTime::now)?.known_keys(keys))
///     .service(service_fn(async |request: Request<()>| {
///         let verdict = request.extensions().get::<Outcome>().map(Outcome::as_str);
///         Ok::<_, Infallible>(Response::new(verdict.unwrap_or_default().to_owned()))
///     }));
///
/// let mut request = Request::get("https://example.com/").body(())?;
/// assert_eq!(site.clone().oneshot(request.clone()).await?.body(), "unverified");
/// Signer::builder(key, "https://bot.example").build()?.sign(&mut request, SystemTime::now(), None)?;
/// assert_eq!(site.oneshot(request).await?.body(), "verified");
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct VerifyLayer {
    verifier: Verifier,
    authorities: Arc<[String]>,
    clock: Clock,
    keys: Keys,
    nonces: Option<Arc<dyn NonceStore + Send + Sync>>,
    on_failure: OnFailure,
}

#[derive(Clone)]
enum Keys {
    Known(Arc<dyn KeyLookup + Send + Sync>),
    Fetched(DirectoryFetch),
}

/// What a [`VerifyLayer`] does with a request that is not verified.
///
/// ```
/// use bot_etiquette_signing::tower::OnFailure;
///
/// assert_eq!(OnFailure::default(), OnFailure::PassOn);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OnFailure {
    /// Passes it on with its verdict.
    #[default]
    PassOn,
    /// Refuses a signature that must not be believed, and passes on what has none.
    RefuseInvalid,
    /// Refuses whatever is not verified.
    RefuseAll,
}

impl VerifyLayer {
    /// Verifies for a site of these authorities, each a host with a port where it is not 443. No key is known
    /// until [`known_keys`](Self::known_keys) or [`directories`](Self::directories) says where they are.
    ///
    /// # Errors
    /// [`DirectoryError::Authority`] for text that is no authority, or when there is none.
    pub fn new<A: AsRef<str>>(
        verifier: Verifier,
        authorities: impl IntoIterator<Item = A>,
        clock: impl Fn() -> SystemTime + Send + Sync + 'static,
    ) -> Result<Self, DirectoryError> {
        let none = |_: Option<&crate::SignatureAgent>, _: Option<&str>| crate::Lookup::Unknown;
        Ok(Self {
            verifier,
            authorities: super::authorities(authorities)?,
            clock: Arc::new(clock),
            keys: Keys::Known(Arc::new(none)),
            nonces: None,
            on_failure: OnFailure::PassOn,
        })
    }

    /// Takes keys that are known, such as those of bots the site has a word with.
    #[must_use]
    pub fn known_keys(mut self, keys: impl KeyLookup + Send + Sync + 'static) -> Self {
        self.keys = Keys::Known(Arc::new(keys));
        self
    }

    /// Takes keys from the directories that requests name, fetched when needed.
    #[must_use]
    pub fn directories(mut self, fetch: DirectoryFetch) -> Self {
        self.keys = Keys::Fetched(fetch);
        self
    }

    /// Refuses a nonce that was used before.
    #[must_use]
    pub fn nonces(mut self, store: impl NonceStore + Send + Sync + 'static) -> Self {
        self.nonces = Some(Arc::new(store));
        self
    }

    /// What to do with a request that is not verified.
    #[must_use]
    pub fn on_failure(mut self, action: OnFailure) -> Self {
        self.on_failure = action;
        self
    }

    async fn judge(&self, request: &Parts) -> Outcome {
        let judge = |keys: &dyn KeyLookup, now: SystemTime| {
            let message = Message::request_parts(request);
            let authority = message.value(&Component::authority()).unwrap_or_default();
            if !self.authorities.contains(&authority) {
                // Another host's nonces are none of ours.
                let outcome = self.verifier.verify(&message, now, keys);
                return if outcome.verified().is_some() { elsewhere(&authority) } else { outcome };
            }
            match &self.nonces {
                Some(nonces) => self.verifier.verify_once(&message, now, keys, &**nonces),
                None => self.verifier.verify(&message, now, keys),
            }
        };
        match &self.keys {
            Keys::Known(keys) => judge(&**keys, (self.clock)()),
            Keys::Fetched(fetch) => fetch.judge(&*self.clock, judge).await,
        }
    }

    fn refuses(&self, outcome: &Outcome) -> Option<StatusCode> {
        let status = match outcome {
            Outcome::Verified(_) => return None,
            Outcome::Invalid { reason, .. } => match reason {
                InvalidReason::Malformed | InvalidReason::BadEncoding | InvalidReason::BadLength => {
                    StatusCode::BAD_REQUEST
                }
                InvalidReason::Replayed => StatusCode::TOO_MANY_REQUESTS,
                _ => StatusCode::FORBIDDEN,
            },
            Outcome::Unverified { reason: UnverifiedReason::DirectoryUnavailable, .. } => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Outcome::Unverified { .. } => StatusCode::FORBIDDEN,
        };
        let invalid = matches!(outcome, Outcome::Invalid { .. });
        match self.on_failure {
            OnFailure::PassOn => None,
            OnFailure::RefuseInvalid => invalid.then_some(status),
            OnFailure::RefuseAll => Some(status),
        }
    }
}

impl fmt::Debug for VerifyLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VerifyLayer")
            .field("verifier", &self.verifier)
            .field("authorities", &self.authorities)
            .field("on_failure", &self.on_failure)
            .finish_non_exhaustive()
    }
}

impl<S> Layer<S> for VerifyLayer {
    type Service = Verify<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Verify { inner, layer: Arc::new(self.clone()) }
    }
}

/// The service of a [`VerifyLayer`]. A refusal is a response with an empty body, `Accept-Signature` and
/// `Cache-Control: no-store`; errors are those of the inner service, so that it mounts wherever that one does.
#[derive(Debug, Clone)]
pub struct Verify<S> {
    inner: S,
    layer: Arc<VerifyLayer>,
}

impl<S, B, R> Service<Request<B>> for Verify<S>
where
    S: Service<Request<B>, Response = Response<R>> + Clone + Send + 'static,
    S::Error: Send,
    S::Future: Send,
    B: Send + 'static,
    R: Default,
{
    type Response = Response<R>;
    type Error = S::Error;
    type Future = BoxFuture<Result<Response<R>, S::Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (inner, layer) = (self.inner.clone(), Arc::clone(&self.layer));
        Box::pin(async move {
            let (mut parts, body) = request.into_parts();
            let outcome = layer.judge(&parts).await;
            if let Some(status) = layer.refuses(&outcome) {
                return Ok(refusal(status));
            }
            parts.extensions.insert(outcome);
            let request = Request::from_parts(parts, body);
            ready(inner).await?.call(request).await
        })
    }
}

/// A signature made for another host, sent on to this one.
fn elsewhere(authority: &str) -> Outcome {
    Outcome::Invalid {
        reason: InvalidReason::SignatureMismatch,
        detail: format!("signed for {authority}, which is not this site"),
    }
}

fn refusal<R: Default>(status: StatusCode) -> Response<R> {
    let mut response = Response::new(R::default());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert("accept-signature", HeaderValue::from_static(WEB_BOT_AUTH_CHALLENGE));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
