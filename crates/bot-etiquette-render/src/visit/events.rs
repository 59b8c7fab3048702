//! What each event of the browser means to the page.

use serde_json::{Value, json};

use super::{MAX_SENT, Visit};
use crate::{
    Cause, Kind, RenderError,
    cdp::{Event, MAX_EVENTS, text},
};

impl Visit<'_> {
    /// Takes in one event of the page.
    pub(super) fn hear(&mut self, event: Option<Event>) -> Result<(), RenderError> {
        let Some(event) = event else {
            let lost = self.place.connection().is_closed();
            return Err(if lost {
                RenderError::BrowserLost
            } else {
                RenderError::Flooded { limit: MAX_EVENTS }
            });
        };
        let params = &event.params;
        match event.method.as_str() {
            "Target.attachedToTarget" => self.attached(params),
            _ if event.session != self.session && !event.session.is_empty() => {}
            "Inspector.targetCrashed" => return Err(RenderError::PageCrashed),
            "Target.detachedFromTarget" if text(params, "sessionId") == self.session => {
                return Err(RenderError::PageCrashed);
            }
            "Fetch.requestPaused" => self.request(params),
            "Page.javascriptDialogOpening" => {
                drop(self.command("Page.handleJavaScriptDialog", json!({"accept": false})));
                self.ledger.block(Kind::Dialog, "", "", Cause::Kind);
            }
            "Page.windowOpen" => self.ledger.block(Kind::Popup, "GET", text(params, "url"), Cause::Kind),
            "Page.downloadWillBegin" if !self.ledger.lists(Kind::Download, text(params, "url")) => {
                self.ledger.block(Kind::Download, "GET", text(params, "url"), Cause::Kind);
            }
            "Network.webSocketCreated" => {
                self.ledger.block(Kind::WebSocket, "GET", text(params, "url"), Cause::Kind);
            }
            "Network.webTransportCreated" => {
                self.ledger.block(Kind::WebTransport, "CONNECT", text(params, "url"), Cause::Kind);
            }
            "Network.requestWillBeSent" => self.will_be_sent(params),
            "Network.loadingFailed" => self.failed(params),
            "Page.frameRequestedNavigation" if self.is_leaving(params) => {
                self.wish(text(params, "url"), text(params, "reason"));
            }
            "Page.frameNavigated" => self.navigated(params),
            "Page.lifecycleEvent" if self.is_load(params) => self.settle.loaded(self.now()),
            // A page that goes elsewhere before it has loaded never says that it has.
            "Page.frameStoppedLoading" if self.is_of_page(params) => self.settle.loaded(self.now()),
            _ => {}
        }
        Ok(())
    }

    /// A new target, held before its first step. It stays so, unless it is the page.
    fn attached(&mut self, params: &Value) {
        let Some(info) = params.get("targetInfo") else { return };
        let id = text(info, "targetId").to_owned();
        let (kind, url) = (text(info, "type"), text(info, "url"));
        if self.target.is_empty() && kind == "page" {
            self.target = id;
            self.session = text(params, "sessionId").to_owned();
            return;
        }
        if id == self.target || !self.targets.insert(id.clone()) {
            return;
        }
        let Some(kind) = Kind::of_target(kind) else { return };
        if kind == Kind::Popup {
            drop(self.place.connection().start("", "Target.closeTarget", json!({"targetId": id})));
        }
        // A window that a script opened was listed then, by its URL.
        if kind != Kind::Popup || !url.is_empty() && !self.ledger.lists(kind, url) {
            self.ledger.block(kind, "GET", url, Cause::Kind);
        }
    }

    /// Whether an event is of the page itself, once it is there.
    fn is_of_page(&self, params: &Value) -> bool {
        !self.document.is_empty() && text(params, "frameId") == self.target
    }

    fn is_leaving(&self, params: &Value) -> bool {
        self.is_of_page(params) && text(params, "disposition") == "currentTab"
    }

    fn is_load(&self, params: &Value) -> bool {
        self.is_of_page(params) && text(params, "name") == "load" && text(params, "loaderId") == self.document
    }

    fn navigated(&mut self, params: &Value) {
        let Some(frame) = params.get("frame").filter(|frame| text(frame, "id") == self.target) else {
            return;
        };
        self.document = text(frame, "loaderId").to_owned();
        self.settle.active(self.now());
    }

    fn will_be_sent(&mut self, params: &Value) {
        let Some(request) = params.get("request") else { return };
        let (id, url) = (text(params, "requestId"), text(request, "url"));
        let kind = text(params, "type");
        // Documents always stop, and a preflight is told of by the request behind it.
        if matches!(kind, "Document" | "Preflight") || !url.starts_with("http") || self.sent.len() >= MAX_SENT
        {
            return;
        }
        self.sent.insert(id.to_owned(), (Kind::of(kind, "", false), url.to_owned()));
    }

    /// What failed without having paused: stopped by the page's own rules, or on its way round the page.
    fn failed(&mut self, params: &Value) {
        let id = text(params, "requestId");
        let Some((kind, url)) = self.sent.remove(id) else { return };
        if !self.paused.contains(id) {
            self.ledger.block(kind, "GET", &url, Cause::Browser);
        }
    }
}
