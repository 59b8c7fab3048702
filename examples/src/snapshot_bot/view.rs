//! How a page is looked at: as the site sent it, or as a browser made it.

use std::future::{self, Future};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bot_etiquette::fetch::Fetched;
use bot_etiquette::html::Page;
use bot_etiquette::identity::UserAgentForm;
use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::Full;
use url::Url;

use super::Site;
use super::bots::SnapshotBot;
use super::shown::Shown;
use crate::clock::Clock;
use crate::stack::BoxError;

/// A page as it was fetched. It is never asked for again.
#[derive(Clone, Copy, Debug)]
pub struct Sent<'a> {
    /// The site it is of.
    pub site: &'a Site,
    /// Where it was found, after its redirects.
    pub url: &'a Url,
    /// The status it came with.
    pub status: StatusCode,
    /// The headers it came with.
    pub headers: &'a HeaderMap,
    /// Its bytes.
    pub html: &'a Bytes,
    /// What these say.
    pub page: &'a Page,
}

/// What is seen of a page.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// What a browser made of it, if one did.
    pub shown: Option<Shown>,
    /// Why it was not rendered.
    pub note: Option<String>,
}

/// Sends what a page asks for on the way of all other requests: robots.txt, the host's turn, the signature, the limits.
pub type Load = Arc<dyn Fn(Request<Full<Bytes>>) -> Loaded + Send + Sync>;
/// What comes of it in the end.
pub type Loaded = Looking<'static, Result<Fetched, BoxError>>;

/// What a [`Viewer`] is at.
pub type Looking<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Looks at pages.
pub trait Viewer: Send + Sync {
    /// The major version of the browser, if there is one.
    fn chromium(&self) -> Option<u32>;

    /// The User-Agent of a site's pages.
    fn form(&self, site: &Site) -> UserAgentForm;

    /// What is seen of a page.
    fn view<'a>(&'a self, sent: Sent<'a>, load: Load) -> Looking<'a, Seen>;

    /// Ends what was begun for it.
    fn close(&self) -> Looking<'_, ()> {
        Box::pin(future::ready(()))
    }
}

/// Reads pages as they were sent: without a browser.
#[derive(Clone, Debug, Default)]
pub struct AsSent {
    /// Why, for the person.
    pub why: Option<String>,
}

impl Viewer for AsSent {
    fn chromium(&self) -> Option<u32> {
        None
    }

    fn form(&self, _: &Site) -> UserAgentForm {
        UserAgentForm::Bot
    }

    fn view<'a>(&'a self, _: Sent<'a>, _: Load) -> Looking<'a, Seen> {
        Box::pin(future::ready(Seen { shown: None, note: self.why.clone() }))
    }
}

/// What was chosen with [`Look::no_sandbox`].
const NO_SANDBOX: &str = "rendered without the browser's sandbox: a page that breaks out of the browser has the rights of this program";

/// How a person wants pages to be looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Without a browser.
    pub no_render: bool,
    /// With a browser that runs without its sandbox, as it has to for root.
    pub no_sandbox: bool,
    /// With this browser; one is looked for if there is none.
    pub browser: Option<PathBuf>,
    /// How long nothing must happen in a page before it counts as settled; half a second if there is none.
    pub quiet: Option<Duration>,
}

impl Look {
    /// Starts a browser, where pages are to be rendered and can be. The second is what the person has to know: why they
    /// cannot, or that the browser is without its sandbox.
    pub async fn begin(&self, bot: &SnapshotBot, clock: Clock) -> (Arc<dyn Viewer>, Option<String>) {
        if self.no_render {
            return (Arc::new(AsSent::default()), None);
        }
        match self.browser(bot, clock).await {
            Ok(viewer) => (viewer, self.no_sandbox.then(|| NO_SANDBOX.to_owned())),
            Err(why) => {
                let why = format!("not rendered: {why}");
                (Arc::new(AsSent { why: Some(why.clone()) }), Some(why))
            }
        }
    }

    #[cfg(feature = "render")]
    async fn browser(&self, bot: &SnapshotBot, clock: Clock) -> Result<Arc<dyn Viewer>, String> {
        Ok(Arc::new(super::Browser::launch(self, bot, clock).await?))
    }

    #[cfg(not(feature = "render"))]
    async fn browser(&self, _: &SnapshotBot, _: Clock) -> Result<Arc<dyn Viewer>, String> {
        Err("this program was built without the feature render".to_owned())
    }
}
