//! The bot's name in a stack of [tower](https://docs.rs/tower) services.

use std::{
    error::Error,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use http::{Request, Response};
use tower_layer::Layer;
use tower_service::Service;

use crate::{BotIdentity, FormNotOffered, RequestIdentity, UserAgentForm};

/// A tower layer that sets `User-Agent` and `From` on every request, overwriting any other value.
///
/// It belongs right above the layer that signs, so that every hop and every retry passes it. A request whose
/// [`UserAgentForm`] is not offered fails with a boxed [`FormNotOffered`] and is not sent.
///
/// ```
/// use bot_etiquette_identity::{BotIdentity, UserAgent, tower::IdentityLayer};
/// use http::{Request, Response};
/// use tower::{ServiceBuilder, ServiceExt, service_fn};
/// use url::Url;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
/// let page = Url::parse("https://bots.example.net/crumb")?;
/// let bot = BotIdentity::builder(UserAgent::plain("CrumbBot", "1.0", &page)?, "CrumbBot", page).build()?;
///
/// let client = service_fn(|request: Request<()>| async move {
///     let sent = request.headers()["user-agent"].clone();
///     Ok::<_, std::io::Error>(Response::new(sent))
/// });
/// let polite = ServiceBuilder::new().layer(IdentityLayer::new(&bot)).service(client);
/// let answer = polite.oneshot(Request::get("https://example.com/").body(())?).await?;
/// assert_eq!(answer.body(), "CrumbBot/1.0 (+https://bots.example.net/crumb)");
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct IdentityLayer {
    identity: Arc<RequestIdentity>,
}

impl IdentityLayer {
    /// The layer of this bot, in its own form alone.
    #[must_use]
    pub fn new(identity: &BotIdentity) -> Self {
        RequestIdentity::new(identity).into()
    }
}

impl std::convert::From<RequestIdentity> for IdentityLayer {
    fn from(identity: RequestIdentity) -> Self {
        Self { identity: Arc::new(identity) }
    }
}

impl<S> Layer<S> for IdentityLayer {
    type Service = IdentityService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        IdentityService { inner, identity: Arc::clone(&self.identity) }
    }
}

/// The service that [`IdentityLayer`] makes.
#[derive(Clone, Debug)]
pub struct IdentityService<S> {
    inner: S,
    identity: Arc<RequestIdentity>,
}

type BoxError = Box<dyn Error + Send + Sync>;

impl<S, Q, R> Service<Request<Q>> for IdentityService<S>
where
    S: Service<Request<Q>, Response = Response<R>>,
    S::Error: Into<BoxError>,
{
    type Response = Response<R>;
    type Error = BoxError;
    type Future = IdentityFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, mut request: Request<Q>) -> Self::Future {
        let form = RequestIdentity::form(request.extensions());
        let named = self.identity.apply(form, request.headers_mut());
        IdentityFuture { answer: named.map(|()| self.inner.call(request)).ok(), form }
    }
}

pin_project_lite::pin_project! {
    /// The answer of an [`IdentityService`], or the refusal to send the request.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct IdentityFuture<F> {
        // `None` when the form is not offered.
        #[pin]
        answer: Option<F>,
        form: UserAgentForm,
    }
}

impl<F, R, E> Future for IdentityFuture<F>
where
    F: Future<Output = Result<R, E>>,
    E: Into<BoxError>,
{
    type Output = Result<R, BoxError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        match this.answer.as_pin_mut() {
            Some(answer) => answer.poll(cx).map_err(Into::into),
            None => Poll::Ready(Err(FormNotOffered { form: *this.form }.into())),
        }
    }
}
