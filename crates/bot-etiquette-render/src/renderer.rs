//! [`Renderer`]: a browser, and a new one when it is lost.

use std::{fmt, pin::Pin, sync::Arc};

use bytes::Bytes;
use http::{Request, Response};
use tokio::sync::{Mutex, Semaphore};
use url::Url;

use crate::{
    BrowserVersion, PageInput, RenderConfig, RenderError, Rendered,
    browser::Browser,
    visit::{Visit, lives},
};

/// What the crawler says to a request of a page: an answer, redirects followed and codings undone, or why there is
/// none. The reason is listed in the words of the error.
pub type Answer = Result<Response<Bytes>, Box<dyn std::error::Error + Send + Sync>>;

/// Where an answer came from in the end, as an extension of it. Without it the answer counts as that of the URL asked
/// for, and what it names relative to itself may be looked for in the wrong place.
///
/// ```
/// use bot_etiquette_render::LoadedFrom;
///
/// let mut answer = http::Response::new(bytes::Bytes::from_static(b"import './part.js'"));
/// answer.extensions_mut().insert(LoadedFrom("https://cdn.example/v2/app.js".parse()?));
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedFrom(pub Url);

/// A sealed browser that renders pages. See the [crate](crate) for what that means.
///
/// Dropping it ends the browser; [`close`](Self::close) also waits until its profile is gone.
///
/// ```no_run
/// use bot_etiquette_render::{PageInput, RenderConfig, Renderer};
/// use bytes::Bytes;
/// use http::{Request, Response};
///
/// # async fn render() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
/// let renderer = Renderer::launch(RenderConfig::default()).await?;
/// let page = PageInput::new("https://shop.example/".parse()?, "<script src=app.js></script>", "ShopBot/1.0");
/// let rendered = renderer
///     .render(page, |request: Request<Bytes>| async move {
///         // Here the crawler asks, after robots.txt, in the host's turn, under its own name.
///         println!("{} {}", request.method(), request.uri());
///         Ok(Response::new(Bytes::from_static(b"document.title = 'Shop'")))
///     })
///     .await?;
/// assert_eq!(rendered.title, "Shop");
/// renderer.close().await;
/// # Ok(()) }
/// ```
pub struct Renderer {
    config: RenderConfig,
    version: BrowserVersion,
    pages: Semaphore,
    browser: Mutex<Arc<Browser>>,
}

impl Renderer {
    /// Starts a browser. Takes about a second.
    ///
    /// # Errors
    ///
    /// None is found, it is too old, it does not start, or a setting cannot be.
    ///
    /// # Panics
    ///
    /// Awaited elsewhere than in a tokio runtime with I/O and its timer (`enable_all`), as the other functions here.
    pub async fn launch(config: RenderConfig) -> Result<Self, RenderError> {
        config.check()?;
        let browser = Browser::start(&config).await?;
        Ok(Self {
            version: browser.version.clone(),
            pages: Semaphore::new(config.pages),
            browser: Mutex::new(Arc::new(browser)),
            config,
        })
    }

    /// The browser's version, whose major part belongs into a User-Agent that names Chrome.
    #[must_use]
    pub const fn version(&self) -> &BrowserVersion {
        &self.version
    }

    /// The browser's process, for who watches its memory.
    pub async fn process_id(&self) -> Option<u32> {
        self.browser.lock().await.process
    }

    /// Renders one page. Each of its requests that the policy lets pass is put to `answers`, several at a time; the
    /// browser itself asks nobody.
    ///
    /// The future may be dropped at any time: what is under way is given up, and the page is gone.
    ///
    /// # Errors
    ///
    /// The input is no page, or the browser or the page's process was lost. A lost or hung browser is replaced for the
    /// next page.
    pub async fn render<A, F>(&self, page: PageInput, answers: A) -> Result<Rendered, RenderError>
    where
        A: Fn(Request<Bytes>) -> F + Send + Sync,
        F: Future<Output = Answer> + Send + 'static,
    {
        page.check()?;
        let _page = self.pages.acquire().await;
        let browser = self.running().await?;
        let ask = |request| Box::pin(answers(request)) as Pin<Box<dyn Future<Output = Answer> + Send>>;
        let rendered = Visit::render(browser.clone(), &self.config, &page, &ask).await;
        if matches!(rendered, Err(RenderError::Hung { .. })) && !lives(&browser.connection).await {
            browser.kill();
        }
        rendered
    }

    /// Ends the browser and waits until its process and its profile are gone. A later page would start a new one.
    pub async fn close(&self) {
        self.browser.lock().await.close().await;
    }

    /// The browser, or a new one where that is gone.
    async fn running(&self) -> Result<Arc<Browser>, RenderError> {
        let mut browser = self.browser.lock().await;
        if browser.connection.is_closed() {
            browser.kill();
            *browser = Arc::new(Browser::start(&self.config).await?);
        }
        Ok(browser.clone())
    }
}

impl fmt::Debug for Renderer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Renderer")
            .field("version", &self.version)
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
