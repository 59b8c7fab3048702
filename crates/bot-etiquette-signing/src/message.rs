//! The message a signature covers: borrowed views of `http` requests and responses.

use http::uri::{Authority, Uri};
use http::{HeaderMap, Method, Request, Response, StatusCode, header, request, response};
use thiserror::Error;

use crate::field_type::FieldType;

/// A request or response as a signature sees it. Nothing is copied.
///
/// The parts that `http` types cannot hold are added: trailers, the body for `content-digest`, the request
/// that a response answers, the scheme behind a proxy.
///
/// The authority is that of the URI when it has one, else the `Host` field (RFC 9110 7.2). The scheme is that
/// of the URI, else the one given by [`scheme`](Self::scheme), else `https`. Nothing is ever read from
/// `X-Forwarded-*` or `Forwarded`.
///
/// ```
/// use bot_etiquette_signing::{Component, Message};
/// use http::Request;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let request = Request::get("https://Example.com:443/a?b=c").header("x-note", " two  words ").body(())?;
/// let message = Message::request(&request);
/// assert_eq!(message.value(&Component::authority())?, "example.com");
/// assert_eq!(message.value(&"x-note".parse()?)?, "two  words");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Message<'a> {
    pub(crate) head: Head<'a>,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) trailers: Option<&'a HeaderMap>,
    pub(crate) body: Option<&'a [u8]>,
    pub(crate) scheme: Option<&'a str>,
    pub(crate) request_target: Option<&'a str>,
    pub(crate) field_types: &'a [(&'a str, FieldType)],
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Head<'a> {
    Request { method: &'a Method, uri: &'a Uri },
    Response { status: StatusCode, request: Option<&'a Message<'a>> },
}

/// Why a component has no value in this message.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ValueError {
    /// The message has no such field, trailer, member or query parameter.
    #[error("{component} is not in the message")]
    Missing {
        /// The identifier.
        component: String,
    },
    /// The component belongs to the other kind of message, or needs the request that a response answers.
    #[error("{component}: {expected}")]
    WrongTarget {
        /// The identifier.
        component: String,
        /// What was expected.
        expected: &'static str,
    },
    /// A query parameter of that name occurs more than once and must not be covered (RFC 9421 2.2.8).
    #[error("{component} occurs more than once in the query")]
    RepeatedQueryParam {
        /// The identifier.
        component: String,
    },
    /// The value cannot stand in a signature base.
    #[error("{component}: the value has a byte that is no printable ASCII, at byte {position} of one line")]
    NotAscii {
        /// The identifier.
        component: String,
        /// Where, in bytes from the start of the field line.
        position: usize,
    },
    /// The field is no structured field of its type.
    #[error("{component}: {reason}")]
    NotStructured {
        /// The identifier.
        component: String,
        /// What was found.
        reason: String,
    },
    /// `sf` on a field whose type is not known; see [`Message::field_types`].
    #[error("{component}: the structured type of this field is not known")]
    UnknownType {
        /// The identifier.
        component: String,
    },
    /// The authority is absent, empty or unreadable, or several `Host` fields were sent.
    #[error("{component}: {reason}")]
    Authority {
        /// The identifier.
        component: String,
        /// What was found.
        reason: &'static str,
    },
}

impl<'a> Message<'a> {
    /// A request.
    #[must_use]
    pub fn request<B>(request: &'a Request<B>) -> Self {
        Self::request_head(request.method(), request.uri(), request.headers())
    }

    /// The head of a request whose body is elsewhere.
    #[must_use]
    pub fn request_parts(parts: &'a request::Parts) -> Self {
        Self::request_head(&parts.method, &parts.uri, &parts.headers)
    }

    /// A request by its three parts.
    #[must_use]
    pub fn request_head(method: &'a Method, uri: &'a Uri, headers: &'a HeaderMap) -> Self {
        Self::new(Head::Request { method, uri }, headers)
    }

    /// A response.
    #[must_use]
    pub fn response<B>(response: &'a Response<B>) -> Self {
        Self::response_head(response.status(), response.headers())
    }

    /// The head of a response whose body is elsewhere.
    #[must_use]
    pub fn response_parts(parts: &'a response::Parts) -> Self {
        Self::response_head(parts.status, &parts.headers)
    }

    /// A response by its two parts.
    #[must_use]
    pub fn response_head(status: StatusCode, headers: &'a HeaderMap) -> Self {
        Self::new(Head::Response { status, request: None }, headers)
    }

    fn new(head: Head<'a>, headers: &'a HeaderMap) -> Self {
        Self {
            head,
            headers,
            trailers: None,
            body: None,
            scheme: None,
            request_target: None,
            field_types: &[],
        }
    }

    /// The request that this response answers, for components with `req`. Ignored on a request.
    #[must_use]
    pub fn answering(mut self, request: &'a Self) -> Self {
        if let Head::Response { request: answered, .. } = &mut self.head {
            *answered = Some(request);
        }
        self
    }

    /// The trailer fields, for components with `tr` and for signatures sent in trailers.
    #[must_use]
    pub fn trailers(mut self, trailers: &'a HeaderMap) -> Self {
        self.trailers = Some(trailers);
        self
    }

    /// The whole content, so that a covered `content-digest` is checked.
    #[must_use]
    pub fn body(mut self, body: &'a [u8]) -> Self {
        self.body = Some(body);
        self
    }

    /// The scheme of a request whose URI has none, as a server sees it; `https` unless given.
    #[must_use]
    pub fn scheme(mut self, scheme: &'a str) -> Self {
        self.scheme = Some(scheme);
        self
    }

    /// The target exactly as in the request line, for `@request-target` in absolute-form; by default it is
    /// the authority for CONNECT, `*` where the URI is `*`, else path and query.
    #[must_use]
    pub fn with_request_target(mut self, target: &'a str) -> Self {
        self.request_target = Some(target);
        self
    }

    /// Types of structured fields beyond the registered ones, for `sf` (RFC 9421 2.1.1); they win.
    ///
    /// Names are in lower case.
    #[must_use]
    pub fn field_types(mut self, types: &'a [(&'a str, FieldType)]) -> Self {
        self.field_types = types;
        self
    }

    /// Whether this is a request.
    #[must_use]
    pub fn is_request(&self) -> bool {
        matches!(self.head, Head::Request { .. })
    }

    /// The value of one component, as it stands in a signature base.
    ///
    /// # Errors
    /// See [`ValueError`].
    pub fn value(&self, component: &crate::Component) -> Result<String, ValueError> {
        let mut value = String::new();
        crate::value::push(&mut value, self, component)?;
        Ok(value)
    }

    /// The authority, from the URI or the `Host` field, without user information.
    pub(crate) fn authority_as_sent(&self) -> Result<HostPort<'a>, &'static str> {
        let Head::Request { uri, .. } = self.head else {
            return Err("a response has no authority");
        };
        if let Some(authority) = uri.authority() {
            return HostPort::of(authority.as_str());
        }
        let mut hosts = self.headers.get_all(header::HOST).iter();
        let host = hosts.next().ok_or("neither the URI nor a Host field names it")?;
        if hosts.next().is_some() {
            return Err("more than one Host field");
        }
        let text = host.to_str().map_err(|_| "the Host field is not ASCII")?.trim_matches([' ', '\t']);
        // The same grammar as in a URI, so that a Host field cannot smuggle other characters in.
        text.parse::<Authority>().map_err(|_| "the Host field is no authority")?;
        HostPort::of(text)
    }

    /// The scheme in force, as written.
    pub(crate) fn scheme_as_sent(&self) -> &'a str {
        match self.head {
            Head::Request { uri, .. } => uri.scheme_str().or(self.scheme).unwrap_or("https"),
            Head::Response { .. } => "https",
        }
    }
}

/// Host and port of an authority as written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HostPort<'a> {
    pub(crate) host: &'a str,
    pub(crate) port: Option<&'a str>,
}

impl<'a> HostPort<'a> {
    pub(crate) fn of(text: &'a str) -> Result<Self, &'static str> {
        let text = text.rsplit_once('@').map_or(text, |(_, rest)| rest);
        let after_bracket = text.rfind(']').map_or(0, |at| at + 1);
        let (host, port) = match text.get(after_bracket..).and_then(|tail| tail.find(':')) {
            Some(colon) => {
                let (host, port) = text.split_at(after_bracket + colon);
                (host, port.get(1..))
            }
            None => (text, None),
        };
        if host.is_empty() {
            return Err("the host is empty");
        }
        Ok(Self { host, port: port.filter(|port| !port.is_empty()) })
    }
}
