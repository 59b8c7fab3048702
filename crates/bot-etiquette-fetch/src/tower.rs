//! Redirects in a stack of [tower](https://docs.rs/tower) services.

use std::{
    error::Error,
    fmt,
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::{Extensions, HeaderMap, Method, Request, Response, Uri};
use http_body::Body;
use http_body_util::BodyExt;
use tower_layer::Layer;
use tower_service::Service;
use url::{Position, Url};

use crate::{Followed, Hop, RedirectError, RedirectPolicy, Redirects, Validators};

type BoxError = Box<dyn Error + Send + Sync>;
type Check = Arc<dyn Fn(&Hop, &Extensions) -> Result<(), BoxError> + Send + Sync>;

/// The most of a redirect's own body that is read to keep its connection.
const DRAIN_BYTES: usize = 4096;
/// The longest that reading it may take.
const DRAIN_TIME: Duration = Duration::from_millis(500);

/// A tower layer that follows redirects. It belongs on top of a crawler's stack: every hop is a fresh request to
/// the services below, so that robots.txt, the host's pace, the signature and the address policy see it.
///
/// - The body of a redirect is dropped before the next hop, so a stack that counts open requests needs room for one.
/// - The caller's own check sees each hop first (is it in scope, on the list?).
/// - A hop that anything refused is a boxed [`RedirectError::Hop`]; the chain within goes into the extension
///   [`Followed`] of a later request to go on from there. The error of the first request itself is passed on as it is.
/// - An answer that redirects led to carries [`Followed`], the way there.
/// - A [`Validators`] among the request's extensions makes exactly the request to its own URL conditional, be it the
///   first or a hop.
///
/// A request's extensions go along on each hop. The layer needs a tokio runtime with its timer.
///
/// ```
/// use bot_etiquette_fetch::{Followed, Hop, RedirectError, tower::FollowLayer};
/// use bytes::Bytes;
/// use http::{Request, Response};
/// use http_body_util::Full;
/// use tower::{ServiceBuilder, ServiceExt, service_fn};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
/// let site = service_fn(|request: Request<Full<Bytes>>| async move {
///     let answer = match request.uri().path() {
///         "/old" => Response::builder().status(301).header("location", "/new"),
///         _ => Response::builder(),
///     };
///     answer.body(Full::<Bytes>::default())
/// });
/// let stay = |hop: &Hop, _: &http::Extensions| match hop.from.host() == hop.to.host() {
///     true => Ok(()),
///     false => Err("another host".into()),
/// };
/// let client = ServiceBuilder::new().layer(FollowLayer::default().check(stay)).service(site);
///
/// let answer = client.oneshot(Request::get("https://a.example/old").body(Full::default())?).await?;
/// let Followed(chain) = answer.extensions().get().expect("one hop");
/// assert_eq!(chain[0].to.as_str(), "https://a.example/new");
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct FollowLayer {
    policy: RedirectPolicy,
    check: Option<Check>,
}

impl FollowLayer {
    /// Follows by this policy. The default follows five hops.
    #[must_use]
    pub const fn new(policy: RedirectPolicy) -> Self {
        Self { policy, check: None }
    }

    /// Asks this function about each hop before anything else does; it sees the request's extensions. By default
    /// every hop is taken.
    #[must_use]
    pub fn check<F>(mut self, check: F) -> Self
    where
        F: Fn(&Hop, &Extensions) -> Result<(), BoxError> + Send + Sync + 'static,
    {
        self.check = Some(Arc::new(check));
        self
    }
}

impl fmt::Debug for FollowLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FollowLayer")
            .field("policy", &self.policy)
            .field("check", &self.check.is_some())
            .finish()
    }
}

impl<S> Layer<S> for FollowLayer {
    type Service = Follow<S>;

    fn layer(&self, inner: S) -> Follow<S> {
        Follow { inner, layer: self.clone() }
    }
}

/// The service that [`FollowLayer`] makes.
#[derive(Clone, Debug)]
pub struct Follow<S> {
    inner: S,
    layer: FollowLayer,
}

impl<S, Q, R> Service<Request<Q>> for Follow<S>
where
    S: Service<Request<Q>, Response = Response<R>> + Clone + Send + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send,
    Q: Clone + Default + Send + 'static,
    R: Body + Send + 'static,
    R::Data: Send,
{
    type Response = Response<R>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Response<R>, BoxError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(())) // each hop waits for the inner service by itself
    }

    fn call(&mut self, request: Request<Q>) -> Self::Future {
        Box::pin(follow(self.inner.clone(), self.layer.clone(), request))
    }
}

async fn follow<S, Q, R>(
    mut inner: S,
    layer: FollowLayer,
    request: Request<Q>,
) -> Result<Response<R>, BoxError>
where
    S: Service<Request<Q>, Response = Response<R>> + Send,
    S::Error: Into<BoxError>,
    S::Future: Send,
    Q: Clone + Default + Send,
    R: Body + Send,
    R::Data: Send,
{
    let (mut parts, body) = request.into_parts();
    let followed = parts.extensions.remove::<Followed>();
    let asked = Asked { uri: parts.uri, method: parts.method, headers: parts.headers };
    let answer = asked.through(&mut inner, &parts.extensions, body.clone()).await?;
    // Most answers are no redirects: nothing is parsed or made room for before one is.
    if !answer.status().is_redirection() && followed.is_none() {
        return Ok(answer);
    }
    let chain = followed.unwrap_or_default().0;
    Box::pin(go_on(inner, layer, (asked, parts.extensions, body), answer, chain)).await
}

/// Follows from an answer on.
async fn go_on<S, Q, R>(
    mut inner: S,
    layer: FollowLayer,
    (mut asked, extensions, mut body): (Asked, Extensions, Q),
    mut answer: Response<R>,
    chain: Vec<Hop>,
) -> Result<Response<R>, BoxError>
where
    S: Service<Request<Q>, Response = Response<R>>,
    S::Error: Into<BoxError>,
    Q: Clone + Default,
    R: Body,
{
    let url = match chain.last() {
        // Keeps the fragment, which a request's URI cannot hold.
        Some(hop) if same(&hop.to, &asked.uri) => hop.to.clone(),
        _ => Url::parse(&asked.uri.to_string())?,
    };
    let mut redirects = Redirects::resume(layer.policy, asked.method.clone(), url, chain);
    loop {
        let Some(hop) = redirects.follow(answer.status(), answer.headers())?.cloned() else {
            if !redirects.chain().is_empty() {
                answer.extensions_mut().insert(redirects.into_followed());
            }
            return Ok(answer);
        };
        drain(answer).await;
        let refused = |source, redirects: Redirects| RedirectError::Hop {
            next: Box::new(redirects.url().clone()),
            chain: redirects.into_followed().0,
            source,
        };
        if let Some(Err(source)) = layer.check.as_ref().map(|check| check(&hop, &extensions)) {
            return Err(refused(source, redirects).into());
        }
        hop.rewrite(&mut asked.headers);
        if !hop.keeps_body {
            body = Q::default();
        }
        match hop.to[..Position::AfterQuery].parse() {
            Ok(uri) => asked.uri = uri,
            Err(error) => return Err(refused(Box::new(error), redirects).into()),
        }
        asked.method = hop.method;
        answer = match asked.through(&mut inner, &extensions, body.clone()).await {
            Ok(answer) => answer,
            Err(source) => return Err(refused(source, redirects).into()),
        };
    }
}

/// What a hop is made of: the request as it came, changed by each redirect.
struct Asked {
    uri: Uri,
    method: Method,
    headers: HeaderMap,
}

impl Asked {
    /// Sends it through the services below.
    async fn through<S, Q, R>(
        &self,
        inner: &mut S,
        extensions: &Extensions,
        body: Q,
    ) -> Result<Response<R>, BoxError>
    where
        S: Service<Request<Q>, Response = Response<R>>,
        S::Error: Into<BoxError>,
    {
        poll_fn(|cx| inner.poll_ready(cx)).await.map_err(Into::into)?;
        let mut request = Request::new(body);
        *request.uri_mut() = self.uri.clone();
        *request.method_mut() = self.method.clone();
        *request.headers_mut() = self.headers.clone();
        *request.extensions_mut() = extensions.clone();
        let validators = extensions.get::<Validators>();
        if let Some(validators) = validators.filter(|validators| same(validators.url(), &self.uri)) {
            validators.apply(validators.url(), request.headers_mut());
        }
        inner.call(request).await.map_err(Into::into)
    }
}

/// Whether a URL and a request's URI ask for the same, the fragment aside.
fn same(url: &Url, uri: &Uri) -> bool {
    Url::parse(&uri.to_string()).is_ok_and(|asked| asked[..] == url[..Position::AfterQuery])
}

/// Reads a redirect's own body if it is short, so that the connection serves the next hop too; else drops it.
async fn drain<R: Body>(answer: Response<R>) {
    let mut body = pin!(answer.into_body());
    if body.size_hint().lower() > DRAIN_BYTES as u64 {
        return;
    }
    let short = async {
        let mut left = DRAIN_BYTES;
        while let Some(Ok(frame)) = body.frame().await {
            let length = frame.data_ref().map_or(0, bytes::Buf::remaining);
            match left.checked_sub(length) {
                Some(rest) => left = rest,
                None => return,
            }
        }
    };
    let _ = tokio::time::timeout(DRAIN_TIME, short).await;
}
