//! The values of derived components (RFC 9421 2.2).

use std::borrow::Cow;

use http::Method;
use url::form_urlencoded;

use crate::component::Name;
use crate::message::{Head, HostPort, Message, ValueError};

/// Appends the value of the derived component `name` of the request or response `message`.
pub(crate) fn push(
    out: &mut String,
    message: &Message<'_>,
    name: &Name,
    identifier: &str,
) -> Result<(), ValueError> {
    let start = out.len();
    let (method, uri) = match (message.head, name) {
        (Head::Response { status, .. }, Name::Status) => {
            out.push_str(status.as_str());
            return Ok(());
        }
        (Head::Request { .. }, Name::Status) => return Err(wrong(identifier, "a request has no status")),
        (Head::Response { .. }, _) => {
            return Err(wrong(identifier, "a part of the request needs \"req\" in a response signature"));
        }
        (Head::Request { method, uri }, _) => (method, uri),
    };
    let query = uri.query();
    match name {
        Name::Method => out.push_str(method.as_str()),
        Name::Authority => return push_request_authority(out, message, identifier),
        Name::Scheme => push_lower(out, message.scheme_as_sent()),
        Name::TargetUri => {
            let HostPort { host, port } = authority(message, identifier)?;
            out.push_str(message.scheme_as_sent());
            out.push_str("://");
            out.push_str(host);
            if let Some(port) = port {
                out.push(':');
                out.push_str(port);
            }
            if let Some(path) = path(method, uri) {
                push_path_and_query(out, path, uri);
            }
        }
        Name::RequestTarget => match message.request_target {
            Some(target) => out.push_str(target),
            None if *method == Method::CONNECT => {
                let HostPort { host, port } = authority(message, identifier)?;
                out.push_str(host);
                if let Some(port) = port {
                    out.push(':');
                    out.push_str(port);
                }
            }
            None => push_path_and_query(out, path(method, uri).unwrap_or("*"), uri),
        },
        Name::Path => out.push_str(path(method, uri).unwrap_or("/")),
        Name::Query => {
            out.push('?');
            out.push_str(query.unwrap_or_default());
        }
        Name::QueryParam(wanted) => push_query_param(out, query.unwrap_or_default(), wanted, identifier)?,
        Name::Status | Name::Field(_) => {}
    }
    match out.bytes().skip(start).position(|byte| !matches!(byte, 0x20..=0x7e)) {
        Some(position) => Err(ValueError::NotAscii { component: identifier.to_owned(), position }),
        None => Ok(()),
    }
}

/// Appends text as application/x-www-form-urlencoded does, but for the space, which becomes `%20`
/// (RFC 9421 2.2.8).
pub(crate) fn push_form_encoded(out: &mut String, text: &str) {
    for piece in form_urlencoded::byte_serialize(text.as_bytes()) {
        out.push_str(if piece == "+" { "%20" } else { piece });
    }
}

/// Appends `@authority`: the host in lower case, and the port unless it is the scheme's own.
pub(crate) fn push_request_authority(
    out: &mut String,
    message: &Message<'_>,
    identifier: &str,
) -> Result<(), ValueError> {
    let authority = authority(message, identifier)?;
    push_lower(out, authority.host);
    if let Some(port) = explicit_port(authority, message.scheme_as_sent()) {
        out.push(':');
        out.push_str(port);
    }
    Ok(())
}

/// The port, unless it is the scheme's own. Leading zeros are digits of a port too (RFC 3986 3.2.3).
pub(crate) fn explicit_port<'a>(authority: HostPort<'a>, scheme: &str) -> Option<&'a str> {
    let own = if scheme.eq_ignore_ascii_case("http") { "80" } else { "443" };
    authority.port.filter(|port| port.trim_start_matches('0') != own)
}

fn authority<'a>(message: &Message<'a>, identifier: &str) -> Result<HostPort<'a>, ValueError> {
    message
        .authority_as_sent()
        .map_err(|reason| ValueError::Authority { component: identifier.to_owned(), reason })
}

fn push_lower(out: &mut String, text: &str) {
    let start = out.len();
    out.push_str(text);
    if let Some(tail) = out.get_mut(start..) {
        tail.make_ascii_lowercase();
    }
}

fn push_path_and_query(out: &mut String, path: &str, uri: &http::Uri) {
    out.push_str(path);
    if let Some(query) = uri.query() {
        out.push('?');
        out.push_str(query);
    }
}

/// The path of a request target, or none where it has the authority-form or the asterisk-form.
fn path<'a>(method: &Method, uri: &'a http::Uri) -> Option<&'a str> {
    match uri.path() {
        _ if *method == Method::CONNECT => None,
        "*" if *method == Method::OPTIONS => None,
        "" => Some("/"),
        path => Some(path),
    }
}

fn push_query_param(out: &mut String, query: &str, wanted: &str, identifier: &str) -> Result<(), ValueError> {
    let mut found: Option<Cow<'_, str>> = None;
    let mut name_buffer = String::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        name_buffer.clear();
        push_form_encoded(&mut name_buffer, &name);
        if name_buffer == wanted && found.replace(value).is_some() {
            return Err(ValueError::RepeatedQueryParam { component: identifier.to_owned() });
        }
    }
    match found {
        Some(value) => push_form_encoded(out, &value),
        None => return Err(ValueError::Missing { component: identifier.to_owned() }),
    }
    Ok(())
}

fn wrong(identifier: &str, expected: &'static str) -> ValueError {
    ValueError::WrongTarget { component: identifier.to_owned(), expected }
}
