//! Where the HTML of a page becomes what is read: as the site sent it, or as a browser made it.

use std::future::Future;
use std::pin::Pin;

use bot_etiquette::identity::UserAgentForm;
use bytes::Bytes;
use url::Url;

use super::Site;

/// What is seen of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The HTML to read.
    pub html: Bytes,
    /// Whether it is what a browser made of the page.
    pub rendered: bool,
    /// What was not loaded, or went wrong; for the report.
    pub note: Option<String>,
}

/// Makes of a page what is read. The page has been fetched already, and is never asked for again.
pub trait Viewer: Send + Sync {
    /// The User-Agent of the page itself.
    fn form(&self, site: &Site) -> UserAgentForm;

    /// What is seen of the page that `url` answered with this HTML.
    fn view<'a>(
        &'a self,
        site: &'a Site,
        url: &'a Url,
        html: Bytes,
    ) -> Pin<Box<dyn Future<Output = Seen> + Send + 'a>>;
}

/// Reads pages as they were sent: without a browser.
#[derive(Clone, Copy, Debug, Default)]
pub struct AsSent;

impl Viewer for AsSent {
    fn form(&self, _: &Site) -> UserAgentForm {
        UserAgentForm::Bot
    }

    fn view<'a>(
        &'a self,
        _: &'a Site,
        _: &'a Url,
        html: Bytes,
    ) -> Pin<Box<dyn Future<Output = Seen> + Send + 'a>> {
        Box::pin(std::future::ready(Seen { html, rendered: false, note: None }))
    }
}
