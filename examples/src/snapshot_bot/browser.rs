//! The sealed browser that shows pages, and what is asked for on their behalf.

use std::sync::Arc;

use bot_etiquette::html::{Link, LinkKind, Place};
use bot_etiquette::identity::{BotIdentity, UserAgentForm};
use bot_etiquette::render::{
    Device, Kind, Outcome, PageInput, Policy, RenderConfig, RenderError, Rendered, Sandbox, Settled,
};
use bytes::Bytes;
use http::{HeaderValue, Method, Request, header};
use url::{Position, Url};

use super::Site;
use super::bots::{Edition, SnapshotBot};
use super::shown::{NotLoaded, Render, Shown};
use super::view::{Load, Look, Looking, Seen, Sent, Viewer};
use crate::clock::Clock;
use crate::rendering::{Exchange, Rendering};

/// Scripts and stylesheets that are asked for before the page, at the most: as many as a page may ask for itself.
const NAMED: usize = 200;

/// Renders pages, on a phone or, for sites that are to be read so, on a desktop.
pub struct Browser {
    rendering: Rendering,
    policy: Policy,
    identity: BotIdentity,
    /// Whether a person chose the User-Agent, which then stands for every other.
    is_chosen: bool,
}

impl Browser {
    /// Starts a browser.
    ///
    /// # Errors
    /// Why not, and what to install or to choose.
    pub async fn launch(look: &Look, bot: &SnapshotBot, clock: Clock) -> Result<Self, String> {
        let mut config = RenderConfig::default();
        config.browser.clone_from(&look.browser);
        config.quiet = look.quiet.unwrap_or(config.quiet);
        if look.no_sandbox {
            config = config.sandbox(Sandbox::Off);
        }
        // Whether a site may be sent data is its own matter: the visitor decides.
        config.policy = config.policy.post(true);
        let policy = config.policy.clone();
        let rendering = Rendering::launch(config, clock).await.map_err(|error| told(&error))?;
        let identity = bot.bot.identity.clone();
        Ok(Self { rendering, policy, identity, is_chosen: matches!(bot.edition, Edition::Desktop(Some(_))) })
    }

    /// The browser's process, for who watches it.
    pub async fn process_id(&self) -> Option<u32> {
        self.rendering.process_id().await
    }

    fn agent(&self, form: UserAgentForm) -> String {
        let major = self.rendering.version().major;
        match form {
            UserAgentForm::Phone => self.identity.phone(major).to_string(),
            UserAgentForm::Desktop => self.identity.desktop(major).to_string(),
            _ => self.identity.user_agent().to_string(),
        }
    }
}

impl Viewer for Browser {
    fn chromium(&self) -> Option<u32> {
        Some(self.rendering.version().major)
    }

    fn form(&self, site: &Site) -> UserAgentForm {
        match (self.is_chosen, site.desktop) {
            (true, _) => UserAgentForm::Bot,
            (false, true) => UserAgentForm::Desktop,
            (false, false) => UserAgentForm::Phone,
        }
    }

    fn view<'a>(&'a self, sent: Sent<'a>, load: Load) -> Looking<'a, Seen> {
        let form = self.form(sent.site);
        let exchange: Exchange = Arc::new(move |mut request| {
            request.extensions_mut().insert(form);
            load(request)
        });
        let device = if sent.site.desktop { Device::Desktop } else { Device::Phone };
        let page = PageInput::new(sent.url.clone(), sent.html.clone(), self.agent(form))
            .status(sent.status)
            .headers(sent.headers.clone())
            .device(device);
        let links = sent.page.links.iter().filter_map(|link| named(link, &sent, &self.policy));
        let named: Vec<_> = links.take(NAMED).collect();
        Box::pin(async move {
            match self.rendering.render(&exchange, page, named).await {
                Ok(rendered) => Seen { shown: Some(shown(rendered, sent.url)), note: None },
                Err(error) => Seen { shown: None, note: Some(format!("not rendered: {}", told(&error))) },
            }
        })
    }

    fn close(&self) -> Looking<'_, ()> {
        Box::pin(self.rendering.close())
    }
}

/// The request for a script or stylesheet that the HTML names, as the browser would make it.
fn named(link: &Link, sent: &Sent<'_>, policy: &Policy) -> Option<Request<Bytes>> {
    let (kind, accept) = match link.kind {
        LinkKind::Script => (Kind::Script, "*/*"),
        LinkKind::Stylesheet => (Kind::Stylesheet, "text/css,*/*;q=0.1"),
        _ => return None,
    };
    if policy.refusal(kind, &Method::GET, &link.url).is_some()
        || link.place == Place::Template
        || link.guessed
    {
        return None;
    }
    // By its place in the text where that is the bytes themselves; else nothing is known of the tag.
    let tag = sent.html.get(link.span.clone()).unwrap_or_default().to_ascii_lowercase();
    let says = |word: &str| tag.windows(word.len()).any(|part| part == word.as_bytes());
    if says("nomodule") {
        return None;
    }
    let mut request = Request::get(&link.url[..Position::AfterQuery]).body(Bytes::new()).ok()?;
    request.headers_mut().insert(header::ACCEPT, HeaderValue::from_static(accept));
    let is_module = kind == Kind::Script && (says("\"module\"") || says("=module"));
    if link.url.origin() != sent.url.origin() && (is_module || says("crossorigin")) {
        let origin = HeaderValue::from_str(&sent.url.origin().ascii_serialization()).ok()?;
        request.headers_mut().insert(header::ORIGIN, origin);
    }
    request.extensions_mut().insert(kind);
    Some(request)
}

fn shown(rendered: Rendered, url: &Url) -> Shown {
    let mut render = Render {
        redirect: rendered.redirect.map(|redirect| (redirect.url, redirect.reason)),
        unsettled: match (rendered.settled, rendered.cut) {
            (Settled::OutOfWork, _) => Some("it was still at work after 15 s, and was read as it stood"),
            (Settled::OutOfPatience, _) => Some("what it waited for did not come within 60 s"),
            (_, true) => Some("it is longer than what is read of it"),
            _ => None,
        }
        .map(str::to_owned),
        work: rendered.timings.work.as_secs_f64(),
        waited: rendered.timings.waited.as_secs_f64(),
        ..Render::default()
    };
    for request in rendered.requests {
        match request.outcome {
            Outcome::Held => {}
            // The browser's own wish, for its tab.
            _ if request.kind == Kind::Other && request.url.ends_with("/favicon.ico") => {}
            Outcome::Answered { status: 200..=299, .. } => render.loaded += 1,
            outcome => render.not_loaded(NotLoaded {
                kind: request.kind.to_string(),
                method: request.method,
                url: request.url,
                why: outcome.to_string(),
            }),
        }
    }
    let end = Url::parse(&rendered.url).unwrap_or_else(|_| url.clone());
    Shown { html: rendered.html.into(), url: end, render }
}

/// In the words of this program's options.
fn told(error: &RenderError) -> String {
    match error {
        RenderError::Root => "as root Chromium does not run with its sandbox: run as another user, or choose --no-sandbox, with \
                              which a page that breaks out of the browser is root"
            .to_owned(),
        RenderError::NoBrowser { .. } => error.to_string().replace("RenderConfig::browser", "--browser FILE"),
        error => error.to_string(),
    }
}
