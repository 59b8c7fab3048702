//! Messages as test data writes them: a URL or a status, ordered fields, a body.

use bot_etiquette_signing::Message;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use serde_json::Value;

pub(crate) struct RawMessage {
    method: Method,
    uri: Uri,
    status: Option<StatusCode>,
    headers: HeaderMap,
    trailers: HeaderMap,
    body: Option<String>,
    target: Option<String>,
}

impl RawMessage {
    /// None when a field cannot be held by `http` types, such as one with a line end.
    pub(crate) fn from_json(json: &Value) -> Option<Self> {
        let status = json["status"].as_u64().map(|status| StatusCode::from_u16(status as u16).unwrap());
        Some(Self {
            method: json["method"].as_str().unwrap_or("GET").parse().unwrap(),
            uri: json["url"].as_str().unwrap_or("/").parse().unwrap(),
            status,
            headers: fields(&json["headers"])?,
            trailers: fields(&json["trailers"])?,
            body: json["body"].as_str().map(|body| body.trim_start_matches('\n').to_owned()),
            target: json["request_target"].as_str().map(str::to_owned),
        })
    }

    /// The head as a server takes it in.
    #[cfg(feature = "tower")]
    pub(crate) fn into_request(self) -> http::Request<()> {
        let mut request = http::Request::new(());
        *request.method_mut() = self.method;
        *request.uri_mut() = self.uri;
        *request.headers_mut() = self.headers;
        request
    }

    pub(crate) fn message<'a>(&'a self, request: Option<&'a Message<'a>>) -> Message<'a> {
        let mut message = match self.status {
            Some(status) => Message::response_head(status, &self.headers),
            None => Message::request_head(&self.method, &self.uri, &self.headers),
        };
        message = message.trailers(&self.trailers);
        if let Some(request) = request {
            message = message.answering(request);
        }
        if let Some(body) = &self.body {
            message = message.body(body.as_bytes());
        }
        if let Some(target) = &self.target {
            message = message.with_request_target(target);
        }
        message
    }
}

fn fields(json: &Value) -> Option<HeaderMap> {
    let mut map = HeaderMap::new();
    for field in json.as_array().into_iter().flatten() {
        let name: HeaderName = field[0].as_str().unwrap().to_ascii_lowercase().parse().unwrap();
        // Obsolete folding is undone by whoever reads a message off the wire.
        let mut lines = field[1].as_str().unwrap().split('\n');
        let mut value = lines.next().unwrap_or_default().to_owned();
        for line in lines {
            let folded = line.trim_start_matches([' ', '\t']);
            if folded.len() == line.len() {
                return None;
            }
            value = format!("{} {folded}", value.trim_end());
        }
        map.append(name, HeaderValue::from_bytes(value.as_bytes()).ok()?);
    }
    Some(map)
}
