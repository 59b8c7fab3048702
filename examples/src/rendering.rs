//! A sealed browser before the polite stack: what a page asks for goes the way of every other request.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bot_etiquette::fetch::{FetchLimits, Fetched, OverLimit};
use bot_etiquette::identity::UserAgentForm;
use bot_etiquette::politeness::Store;
use bot_etiquette::render::{
    Answer, AssetCache, BrowserVersion, Device, Kind, LoadedFrom, PageInput, RenderConfig, RenderError,
    Rendered, Renderer,
};
use bytes::Bytes;
use http::{HeaderValue, Request, Response, Uri, header};
use http_body_util::Full;
use tower::ServiceExt;

use crate::clock::Clock;
use crate::stack::{BoxError, Client};

/// The largest script, stylesheet or piece of data, on the wire and decoded: what a page may have itself.
const LARGEST: u64 = 5_000_000;

/// Sends one request of a page through the layers: robots.txt, the host's turn, the name, the signature, the limits.
pub type Exchange = Arc<dyn Fn(Request<Full<Bytes>>) -> Exchanged + Send + Sync>;

/// What comes of a request in the end.
pub type Exchanged = Pin<Box<dyn Future<Output = Result<Fetched, BoxError>> + Send>>;

/// The exchange of a polite client.
pub fn through<S: Store>(client: &Client<S>) -> Exchange {
    let client = client.clone();
    Arc::new(move |request| {
        let client = client.clone();
        Box::pin(async move { Fetched::collect(client.oneshot(request).await?).await })
    })
}

/// A browser, and what it need not ask for again: scripts and stylesheets are kept for ten minutes.
pub struct Rendering {
    renderer: Renderer,
    wait: Duration,
    assets: Assets,
}

impl Rendering {
    /// Starts a browser.
    ///
    /// # Errors
    /// There is none, or none that will do; the error says what to install or to change.
    pub async fn launch(config: RenderConfig, clock: Clock) -> Result<Self, RenderError> {
        let wait = config.wait;
        let assets = Assets { kept: Arc::default(), turns: Arc::default(), clock };
        Ok(Self { renderer: Renderer::launch(config).await?, wait, assets })
    }

    /// The browser's version; its major part belongs into the stack and the User-Agent.
    #[must_use]
    pub fn version(&self) -> &BrowserVersion {
        self.renderer.version()
    }

    /// The browser's process, for who watches it.
    pub async fn process_id(&self) -> Option<u32> {
        self.renderer.process_id().await
    }

    /// Renders a page that was fetched. Each of its requests goes through the exchange, under the device's form of the
    /// bot's name.
    ///
    /// `named` are the scripts and stylesheets that the HTML names, each with its [`Kind`]. They are asked for first, so
    /// that their waits are none of the page's; what could not be had is not asked for once more.
    ///
    /// # Errors
    /// As of [`Renderer::render`].
    pub async fn render(
        &self,
        exchange: &Exchange,
        page: PageInput,
        named: Vec<Request<Bytes>>,
    ) -> Result<Rendered, RenderError> {
        let form = if page.device == Device::Desktop { UserAgentForm::Desktop } else { UserAgentForm::Phone };
        let began = tokio::time::Instant::now();
        let mut held = HashMap::new();
        for request in named {
            if began.elapsed() >= self.wait {
                break;
            }
            let key = key(&request);
            let answer = self.assets.clone().ask(Arc::clone(exchange), form, request).await;
            held.insert(key, answer.map_err(|error| error.to_string()));
        }
        let held = Arc::new(held);
        let answers = |request: Request<Bytes>| {
            let (assets, exchange, held) = (self.assets.clone(), Arc::clone(exchange), Arc::clone(&held));
            async move {
                match held.get(&key(&request)) {
                    Some(answer) => answer.clone().map_err(BoxError::from),
                    None => assets.ask(exchange, form, request).await,
                }
            }
        };
        self.renderer.render(page, answers).await
    }

    /// Ends the browser.
    pub async fn close(&self) {
        self.renderer.close().await;
    }
}

/// What pages load, each file once in ten minutes.
#[derive(Clone)]
struct Assets {
    kept: Arc<Mutex<AssetCache>>,
    /// Pages that are rendered at the same time ask for a file one after the other: the second finds it here.
    turns: Arc<Mutex<HashMap<Key, Arc<tokio::sync::Mutex<()>>>>>,
    clock: Clock,
}

/// A site may answer one origin otherwise than another.
type Key = (Uri, Option<HeaderValue>);

fn key(request: &Request<Bytes>) -> Key {
    (request.uri().clone(), request.headers().get(header::ORIGIN).cloned())
}

impl Assets {
    async fn ask(self, exchange: Exchange, form: UserAgentForm, request: Request<Bytes>) -> Answer {
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_data = !matches!(request.extensions().get(), Some(Kind::Script | Kind::Stylesheet));
        let turn = if is_data { Arc::default() } else { self.turn(&request) };
        let _turn = turn.lock().await;
        if let Some(answer) = kept().get(&request, self.clock.now()) {
            return Ok(answer);
        }
        let mut asked = request.clone().map(Full::new);
        let limits =
            FetchLimits::default().wire_bytes(LARGEST).decoded_bytes(LARGEST).over_limit(OverLimit::Refuse);
        asked.extensions_mut().insert(limits);
        asked.extensions_mut().insert(form);
        let fetched = exchange(asked).await?;
        let mut answer = Response::new(fetched.body);
        *answer.status_mut() = fetched.status;
        *answer.headers_mut() = fetched.headers;
        if let Some(hop) = fetched.followed.last() {
            answer.extensions_mut().insert(LoadedFrom(hop.to.clone()));
        }
        kept().insert(&request, &answer, self.clock.now());
        Ok(answer)
    }

    fn turn(&self, request: &Request<Bytes>) -> Arc<tokio::sync::Mutex<()>> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that nobody waits for any more.
        turns.retain(|_, turn| Arc::strong_count(turn) > 1);
        Arc::clone(turns.entry(key(request)).or_default())
    }
}
