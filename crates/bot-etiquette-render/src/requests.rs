//! The requests of a page: refused, or put to the crawler and answered.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http::{Method, Request, Response};
use serde_json::{Map, Value, json};
use tokio::task::{Id, JoinError};
use url::Url;

use crate::{
    Answer, Cause, ClientRedirect, Kind, LoadedFrom, Outcome, cdp::text, headers, ledger::Entry,
    rendered::MAX_URL, visit::Visit,
};

/// Navigations that are remembered until their requests stop.
const MAX_WISHES: usize = 16;

/// A request that the crawler has.
pub(crate) struct Asked {
    /// The browser's id of the stop.
    id: String,
    url: Url,
    entry: Entry,
}

/// What a stopped request says.
struct Stopped<'a> {
    id: &'a str,
    method: Method,
    url: &'a str,
    headers: &'a Map<String, Value>,
    body: Bytes,
}

impl Visit<'_> {
    /// A request has stopped. Each is answered, whatever it is: one that is not would keep the page from settling.
    pub(crate) fn request(&mut self, params: &Value) {
        self.paused.insert(text(params, "networkId").to_owned());
        let none = Map::new();
        let request = params.get("request").unwrap_or(&Value::Null);
        let request = Stopped {
            id: text(params, "requestId"),
            method: text(request, "method").parse().unwrap_or_default(),
            url: text(request, "url"),
            headers: request.get("headers").and_then(Value::as_object).unwrap_or(&none),
            body: body(request),
        };
        let kind = text(params, "resourceType");
        let own = text(params, "frameId") == self.target;
        if kind == "Document" && own {
            return self.navigation(&request);
        }
        let header = |name| headers::field(request.headers, name);
        let prefetch = header("sec-purpose").or(header("purpose")).is_some();
        let kind = Kind::of(kind, header("accept").unwrap_or_default(), prefetch);
        if kind == Kind::Frame {
            self.ledger.block(kind, request.method.as_str(), request.url, Cause::Kind);
            // An empty answer keeps what the frame holds; a failure would put an error page there.
            return self.fulfill(request.id, 204, Vec::new(), &[]);
        }
        let preflight = header("access-control-request-method").filter(|_| request.method == Method::OPTIONS);
        let method: Method =
            preflight.map_or(request.method.clone(), |asked| asked.parse().unwrap_or_default());
        if let Some(cause) = self.cause(own, kind, &method, request.url) {
            self.ledger.block(kind, method.as_str(), request.url, cause);
            self.fail(request.id);
        } else if preflight.is_some() {
            self.fulfill(request.id, 204, headers::of_preflight(request.headers), &[]);
        } else {
            self.put(kind, request);
        }
    }

    /// Why a request is not put to the crawler, if it is not.
    fn cause(&self, own: bool, kind: Kind, method: &Method, url: &str) -> Option<Cause> {
        let parsed = Url::parse(url).ok().filter(|_| url.len() <= MAX_URL);
        if self.ended {
            return Some(Cause::Ended);
        }
        if !own {
            return Some(Cause::SubFrame);
        }
        let Some(parsed) = parsed else { return Some(Cause::Url) };
        if let Some(cause) = self.config.policy.refusal(kind, method, &parsed) {
            return Some(cause);
        }
        if self.moved.contains_key(url) {
            return None;
        }
        if self.count >= self.config.requests {
            return Some(Cause::Requests);
        }
        (!self.settle.is_patient()).then_some(Cause::Waiting)
    }

    /// Puts a request to the crawler.
    fn put(&mut self, kind: Kind, stopped: Stopped<'_>) {
        if let Some(response) = self.moved.remove(stopped.url) {
            return self.pass(stopped.id, &response);
        }
        let request = Request::builder().method(&stopped.method).uri(stopped.url).body(stopped.body);
        let (Ok(mut request), Ok(url)) = (request, Url::parse(stopped.url)) else {
            self.ledger.block(kind, stopped.method.as_str(), stopped.url, Cause::Url);
            return self.fail(stopped.id);
        };
        *request.headers_mut() = headers::from_page(stopped.headers);
        request.extensions_mut().insert(kind);
        let entry = self.ledger.open(kind, stopped.method.as_str(), stopped.url);
        self.count = self.count.saturating_add(1);
        self.settle.asked(self.now());
        let task = self.open.spawn((self.ask)(request));
        self.asked.insert(task.id(), Asked { id: stopped.id.to_owned(), url, entry });
    }

    /// The crawler has answered.
    pub(crate) fn answered(&mut self, done: Result<(Id, Answer), JoinError>) {
        let (id, answer) = match done {
            Ok((id, answer)) => (id, answer),
            Err(error) => (error.id(), Err("the answer was given up".into())),
        };
        let Some(asked) = self.asked.remove(&id) else { return };
        self.settle.answered(self.now());
        let outcome = match answer {
            Err(error) => Err(Outcome::NotLoaded { reason: error.to_string() }),
            Ok(response) if response.body().len() > self.config.answer_bytes => {
                Err(Outcome::Blocked { cause: Cause::Size })
            }
            Ok(response) => self.hand_over(&asked, response),
        };
        let outcome = outcome.unwrap_or_else(|outcome| {
            self.fail(&asked.id);
            outcome
        });
        self.ledger.close(asked.entry, outcome);
    }

    fn hand_over(&mut self, asked: &Asked, response: Response<Bytes>) -> Result<Outcome, Outcome> {
        let status = response.status();
        if status.is_informational() || status.is_redirection() {
            return Err(Outcome::NotLoaded {
                reason: format!("{} is no end of a redirect", status.as_u16()),
            });
        }
        let outcome = Outcome::Answered { status: status.as_u16(), bytes: response.body().len() as u64 };
        match response.extensions().get::<LoadedFrom>().filter(|from| from.0 != asked.url) {
            // The browser learns where a file lies as it would have: modules and styles name others relative to it.
            Some(LoadedFrom(end)) => {
                let location = headers::entry("location", end.as_str());
                let mut passed = headers::to_page(response.headers());
                passed.push(location);
                let end = end.as_str().to_owned();
                self.moved.insert(end, response);
                self.fulfill(&asked.id, 302, passed, &[]);
            }
            None => self.pass(&asked.id, &response),
        }
        Ok(outcome)
    }

    /// Gives up all that the crawler has.
    pub(crate) fn give_up(&mut self, cause: Cause) {
        self.open.abort_all();
        for asked in std::mem::take(&mut self.asked).into_values() {
            self.settle.answered(self.now());
            self.fail(&asked.id);
            self.ledger.close(asked.entry, Outcome::Blocked { cause });
        }
    }

    /// The page asks to go elsewhere. It is listed here, since a second wish may overtake the request of the first.
    pub(crate) fn wish(&mut self, url: &str, reason: &str) {
        self.wishes.push_back(url.to_owned());
        if self.wishes.len() > MAX_WISHES {
            self.wishes.pop_front();
        }
        if self.is_again(url) {
            return;
        }
        let form = reason.starts_with("formSubmission");
        let kind = if form { Kind::Form } else { Kind::Navigation };
        let method = if reason == "formSubmissionPost" { "POST" } else { "GET" };
        self.ledger.block(kind, method, url, Cause::Kind);
        if !form && self.redirect.is_none() {
            self.redirect = Some(ClientRedirect { url: url.to_owned(), reason: reason.to_owned() });
        }
    }

    /// Whether the page asks for itself and may have itself once more.
    fn is_again(&self, url: &str) -> bool {
        self.given == 1 && !self.ended && same(url, self.page.url.as_str())
    }

    /// The main frame wants a document: the page, or to go elsewhere.
    fn navigation(&mut self, request: &Stopped<'_>) {
        let wish = self.wishes.iter().position(|wish| same(wish, request.url));
        let wished = wish.and_then(|index| self.wishes.remove(index)).is_some();
        if self.given == 0 || (wished && request.method == Method::GET && self.is_again(request.url)) {
            self.given = self.given.saturating_add(1);
            self.ledger.note(Kind::Page, request.method.as_str(), request.url, Outcome::Held);
            let passed = headers::of_page(&self.page.headers);
            let (status, html) = (self.page.status.as_u16(), self.page.html.clone());
            return self.fulfill(request.id, status, passed, &html);
        }
        if !wished {
            // Nobody asked to go there: it is a file that is to be saved.
            self.ledger.block(Kind::Download, request.method.as_str(), request.url, Cause::Kind);
        }
        // With an empty answer the page stays as it is; a failure would put an error page in its place.
        self.fulfill(request.id, 204, Vec::new(), &[]);
    }

    fn pass(&self, id: &str, response: &Response<Bytes>) {
        self.fulfill(id, response.status().as_u16(), headers::to_page(response.headers()), response.body());
    }

    fn fulfill(&self, id: &str, status: u16, headers: Vec<Value>, body: &[u8]) {
        let answer = json!({
            "requestId": id,
            "responseCode": status,
            "responseHeaders": headers,
            "body": STANDARD.encode(body),
        });
        drop(self.command("Fetch.fulfillRequest", answer));
    }

    fn fail(&self, id: &str) {
        drop(self.command("Fetch.failRequest", json!({"requestId": id, "errorReason": "BlockedByClient"})));
    }
}

/// Two URLs of one document.
fn same(one: &str, other: &str) -> bool {
    let document = |url: &str| url.split('#').next().map(str::to_owned);
    document(one) == document(other)
}

/// The body of a request: the pieces the browser shows of it.
fn body(request: &Value) -> Bytes {
    let pieces = request.get("postDataEntries").and_then(Value::as_array).map(Vec::as_slice);
    let pieces =
        pieces.unwrap_or_default().iter().filter_map(|piece| STANDARD.decode(text(piece, "bytes")).ok());
    pieces.flatten().collect::<Vec<u8>>().into()
}
