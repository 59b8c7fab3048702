//! A sealed browser before the polite stack: what a page asks for goes the way of every other request.

use std::sync::{Arc, Mutex, PoisonError};

use bot_etiquette::fetch::{FetchLimits, Fetched, OverLimit};
use bot_etiquette::identity::UserAgentForm;
use bot_etiquette::politeness::Store;
use bot_etiquette::render::{
    Answer, AssetCache, BrowserVersion, Device, LoadedFrom, PageInput, RenderConfig, RenderError, Rendered,
    Renderer,
};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use tower::ServiceExt;

use crate::clock::Clock;
use crate::stack::Client;

/// The largest script, stylesheet or piece of data, on the wire and decoded: what a page may have itself.
const LARGEST: u64 = 5_000_000;

/// A browser, and what it need not ask for again: scripts and stylesheets are kept for ten minutes.
pub struct Rendering {
    renderer: Renderer,
    assets: Arc<Mutex<AssetCache>>,
    clock: Clock,
}

impl Rendering {
    /// Starts a browser.
    ///
    /// # Errors
    /// There is none, or none that will do; the error says what to install or to change.
    pub async fn launch(config: RenderConfig, clock: Clock) -> Result<Self, RenderError> {
        Ok(Self { renderer: Renderer::launch(config).await?, assets: Arc::default(), clock })
    }

    /// The browser's version; its major part belongs into the stack and the User-Agent.
    #[must_use]
    pub fn version(&self) -> &BrowserVersion {
        self.renderer.version()
    }

    /// Fetches a script or stylesheet into the cache, before the page that names it is rendered and its time counts.
    /// Give the request its [`Kind`](bot_etiquette::render::Kind).
    ///
    /// # Errors
    /// What the stack said.
    pub async fn warm<S: Store>(
        &self,
        client: &Client<S>,
        device: Device,
        request: Request<Bytes>,
    ) -> Answer {
        ask(client.clone(), self.assets.clone(), self.clock, form(device), request).await
    }

    /// Renders a page that was fetched. Each of its requests goes through the stack: robots.txt, the host's turn, the
    /// device's form of the bot's name, the signature, the limits.
    ///
    /// # Errors
    /// As of [`Renderer::render`].
    pub async fn render<S: Store>(
        &self,
        client: &Client<S>,
        page: PageInput,
    ) -> Result<Rendered, RenderError> {
        let form = form(page.device);
        let ask = |request| ask(client.clone(), self.assets.clone(), self.clock, form, request);
        self.renderer.render(page, ask).await
    }

    /// Ends the browser.
    pub async fn close(&self) {
        self.renderer.close().await;
    }
}

fn form(device: Device) -> UserAgentForm {
    if device == Device::Desktop { UserAgentForm::Desktop } else { UserAgentForm::Phone }
}

async fn ask<S: Store>(
    client: Client<S>,
    assets: Arc<Mutex<AssetCache>>,
    clock: Clock,
    form: UserAgentForm,
    request: Request<Bytes>,
) -> Answer {
    let kept = || assets.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(answer) = kept().get(&request, clock.now()) {
        return Ok(answer);
    }
    let mut asked = request.clone().map(Full::new);
    let limits =
        FetchLimits::default().wire_bytes(LARGEST).decoded_bytes(LARGEST).over_limit(OverLimit::Refuse);
    asked.extensions_mut().insert(limits);
    asked.extensions_mut().insert(form);
    let fetched = Fetched::collect(client.oneshot(asked).await?).await?;
    let mut answer = Response::new(fetched.body);
    *answer.status_mut() = fetched.status;
    *answer.headers_mut() = fetched.headers;
    if let Some(hop) = fetched.followed.last() {
        answer.extensions_mut().insert(LoadedFrom(hop.to.clone()));
    }
    kept().insert(&request, &answer, clock.now());
    Ok(answer)
}
