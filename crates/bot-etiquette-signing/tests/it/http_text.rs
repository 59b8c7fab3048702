//! Messages as HTTP/1.1 text, the way RFCs print them.

use std::time::{Duration, SystemTime};

use bot_etiquette_signing::Message;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};

#[derive(Debug, Clone)]
pub(crate) struct TextMessage {
    method: Method,
    uri: Uri,
    status: Option<StatusCode>,
    pub(crate) headers: HeaderMap,
    body: Option<String>,
}

impl TextMessage {
    pub(crate) fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\n\n").map_or((text, None), |(head, body)| (head, Some(body)));
        let mut lines = head.lines();
        let start: Vec<_> = lines.next().unwrap().split(' ').collect();
        let status = (start[0] == "HTTP/1.1").then(|| start[1].parse().unwrap());
        let mut headers = HeaderMap::new();
        for line in lines {
            let (name, value) = line.split_once(':').unwrap();
            let name: HeaderName = name.to_ascii_lowercase().parse().unwrap();
            headers.append(name, HeaderValue::from_str(value.trim()).unwrap());
        }
        Self {
            method: if status.is_some() { Method::GET } else { start[0].parse().unwrap() },
            uri: if status.is_some() { Uri::from_static("/") } else { start[1].parse().unwrap() },
            status,
            headers,
            body: body.map(str::to_owned),
        }
    }

    pub(crate) fn message<'a>(&'a self, request: Option<&'a Message<'a>>) -> Message<'a> {
        let message = match self.status {
            Some(status) => Message::response_head(status, &self.headers),
            None => Message::request_head(&self.method, &self.uri, &self.headers),
        };
        let message = match request {
            Some(request) => message.answering(request),
            None => message,
        };
        match &self.body {
            Some(body) => message.body(body.as_bytes()),
            None => message,
        }
    }
}

/// The time of so many seconds since 1970.
pub(crate) fn unix(seconds: i64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.try_into().unwrap())
}
