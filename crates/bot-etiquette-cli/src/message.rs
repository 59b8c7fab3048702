//! A raw HTTP/1.1 message in a file, as people save or paste one.

use bot_etiquette_signing::Message;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};

use crate::exit::Failure;

/// A message read from a file.
#[derive(Debug)]
pub(crate) struct RawMessage {
    start: Start,
    headers: HeaderMap,
    trailers: HeaderMap,
    body: Option<Vec<u8>>,
}

#[derive(Debug)]
enum Start {
    Request { method: Method, uri: Uri, target: String },
    Response(StatusCode),
}

/// Why a message has no meaning.
#[derive(Debug)]
pub(crate) enum Unreadable {
    /// The file holds no HTTP message.
    NoMessage(Failure),
    /// It is one, with a target or a field that no message may have.
    Malformed(String),
}

impl RawMessage {
    /// Reads a request or a response. Line ends may be LF alone, lines may be folded, and the body may
    /// be left out.
    pub(crate) fn parse(name: &str, bytes: &[u8]) -> Result<Self, Unreadable> {
        let mut reader = Lines { rest: bytes, number: 0 };
        let first = loop {
            match reader.next() {
                Some([]) => {}
                Some(line) => break line,
                None => return Err(no_message(name, "the file is empty")),
            }
        };
        let start = start(name, first)?;
        let headers = fields(name, &mut reader)?;
        let is_request = matches!(start, Start::Request { .. });
        let (body, trailers) = body(name, is_request, &headers, reader.rest)?;
        Ok(Self { start, headers, trailers, body })
    }

    /// The message for the signing library.
    pub(crate) fn message<'a>(&'a self, scheme: &'a str) -> Message<'a> {
        let message = match &self.start {
            Start::Request { method, uri, target } => {
                Message::request_head(method, uri, &self.headers).with_request_target(target)
            }
            Start::Response(status) => Message::response_head(*status, &self.headers),
        };
        let message = message.scheme(scheme).trailers(&self.trailers);
        match &self.body {
            Some(body) => message.body(body),
            None => message,
        }
    }

    pub(crate) fn is_request(&self) -> bool {
        matches!(self.start, Start::Request { .. })
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.headers
    }
}

fn no_message(name: &str, found: &str) -> Unreadable {
    Unreadable::NoMessage(Failure::new(format_args!(
        "{name}: line 1: {found} (expected an HTTP/1.1 message: `GET /path HTTP/1.1` or `HTTP/1.1 200 OK`, then fields, \
         an empty line and the body)"
    )))
}

fn start(name: &str, line: &[u8]) -> Result<Start, Unreadable> {
    // A byte that is no UTF-8 can only stand in the target, whose value is then never ASCII.
    let line = String::from_utf8_lossy(line);
    let mut words = line.split(' ').filter(|word| !word.is_empty());
    let (first, second, third) = (words.next(), words.next(), words.next());
    match (first, second, third) {
        (Some(version), Some(status), _) if version.starts_with("HTTP/") => {
            let status =
                status.parse().map_err(|_| no_message(name, "the status is no number of three digits"))?;
            Ok(Start::Response(status))
        }
        (Some(method), Some(target), Some(version)) if version.starts_with("HTTP/") => {
            let malformed = |what: &str| Unreadable::Malformed(format!("{name}: line 1: {what}"));
            let method = method.parse().map_err(|_| malformed("the method is no token"))?;
            let uri = target.parse().map_err(|error| malformed(&format!("the request target: {error}")))?;
            Ok(Start::Request { method, uri, target: target.to_owned() })
        }
        _ => Err(no_message(name, "neither a request line nor a status line")),
    }
}

/// Lines ended by LF or CRLF, with the number of the one read last.
struct Lines<'a> {
    rest: &'a [u8],
    number: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        self.number += 1;
        let (line, rest) = match self.rest.iter().position(|byte| *byte == b'\n') {
            Some(end) => (self.rest.get(..end)?, self.rest.get(end + 1..)?),
            None => (self.rest, &[] as &[u8]),
        };
        self.rest = rest;
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}

/// Reads fields up to the empty line.
fn fields(name: &str, lines: &mut Lines<'_>) -> Result<HeaderMap, Unreadable> {
    let mut list: Vec<(usize, HeaderName, Vec<u8>)> = Vec::new();
    while let Some(line) = lines.next().filter(|line| !line.is_empty()) {
        let malformed = |what: &str| Unreadable::Malformed(format!("{name}: line {}: {what}", lines.number));
        if line.starts_with(b" ") || line.starts_with(b"\t") {
            // Obsolete folding: the line end and the blanks around it count as one space.
            let (_, _, value) =
                list.last_mut().ok_or_else(|| malformed("a folded line before the first field"))?;
            value.truncate(value.trim_ascii_end().len());
            value.push(b' ');
            value.extend_from_slice(line.trim_ascii());
            continue;
        }
        let colon =
            line.iter().position(|byte| *byte == b':').ok_or_else(|| malformed("a field without colon"))?;
        let (field, value) = line.split_at(colon);
        let field = HeaderName::from_bytes(field).map_err(|_| malformed("a field name that is no token"))?;
        list.push((lines.number, field, value.get(1..).unwrap_or_default().trim_ascii().to_vec()));
    }
    let mut map = HeaderMap::new();
    for (number, field, value) in list {
        let value = HeaderValue::from_bytes(&value).map_err(|_| {
            Unreadable::Malformed(format!("{name}: line {number}: a control character in {field}"))
        })?;
        map.try_append(field, value)
            .map_err(|_| Unreadable::Malformed(format!("{name}: line {number}: too many fields")))?;
    }
    Ok(map)
}

/// The content and the trailers. None when the body was left out: where a length says that there was one, and of a response
/// without length.
fn body(
    name: &str,
    is_request: bool,
    headers: &HeaderMap,
    rest: &[u8],
) -> Result<(Option<Vec<u8>>, HeaderMap), Unreadable> {
    let text = |field| headers.get(field).and_then(|value| value.to_str().ok());
    if text(header::TRANSFER_ENCODING).is_some_and(|coding| coding.trim().eq_ignore_ascii_case("chunked"))
        && let Some((content, after)) = dechunked(rest)
    {
        let trailers = fields(name, &mut Lines { rest: after, number: 0 })?;
        return Ok((Some(content), trailers));
    }
    let length = text(header::CONTENT_LENGTH).and_then(|length| length.trim().parse::<usize>().ok());
    if rest.is_empty() {
        // A request without length has no content (RFC 9112 6.3), and a digest over some does not fit.
        let empty = match length {
            Some(length) => length == 0,
            None => is_request && !headers.contains_key(header::TRANSFER_ENCODING),
        };
        return Ok((empty.then(Vec::new), HeaderMap::new()));
    }
    Ok((Some(cut(rest, length).to_vec()), HeaderMap::new()))
}

/// The body of so many bytes. What a person saves has often a line end too many: at the end as a rule, and
/// before the body where the blank line was doubled.
fn cut(rest: &[u8], length: Option<usize>) -> &[u8] {
    let Some(length) = length.filter(|length| *length < rest.len()) else { return rest };
    let doubled = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n"));
    match doubled {
        Some(body) if body.len() == length => body,
        _ => rest.get(..length).unwrap_or(rest),
    }
}

/// The content of a chunked body and what follows the last chunk, or none when it is not chunked after all.
fn dechunked(rest: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut lines = Lines { rest, number: 0 };
    let mut content = Vec::new();
    loop {
        let size = std::str::from_utf8(lines.next()?).ok()?;
        let size = usize::from_str_radix(size.split(';').next()?.trim(), 16).ok()?;
        if size == 0 {
            return Some((content, lines.rest));
        }
        let (chunk, after) = lines.rest.split_at_checked(size)?;
        content.extend_from_slice(chunk);
        lines.rest = after;
        if !lines.next()?.is_empty() {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn body_of(text: &str, expected: Option<&str>) {
        let message = RawMessage::parse("m", text.as_bytes()).unwrap();
        assert_eq!(message.body.as_deref(), expected.map(str::as_bytes));
    }

    #[test]
    fn the_body_ends_where_its_length_says() {
        body_of("HTTP/1.1 200 OK\nContent-Length: 2\n\nab\n", Some("ab"));
        body_of("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\nab", Some("ab"));
        body_of("HTTP/1.1 200 OK\n\nab\n", Some("ab\n"));
        body_of("HTTP/1.1 200 OK\nContent-Length: 2\n\n", None);
        body_of("HTTP/1.1 200 OK\nContent-Length: 2", None);
        body_of("HTTP/1.1 200 OK\n\n", None);
        body_of("HTTP/1.1 200 OK\nContent-Length: 0\n\n", Some(""));
        body_of("POST / HTTP/1.1\nContent-Length: 0\n\n", Some(""));
        body_of("POST / HTTP/1.1\n\n", Some(""));
        body_of("POST / HTTP/1.1\nContent-Length: 5\n\n", None);
        body_of("POST / HTTP/1.1\nTransfer-Encoding: chunked\n\n", None);
        body_of("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\r\nab\r\n1\nc\n0\r\n\r\n", Some("abc"));
        body_of("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\nplain", Some("plain"));
    }

    #[test]
    fn fields_are_unfolded_and_trailers_kept_apart() {
        let text = "\nGET /a HTTP/1.1\nX-A: one\n\ttwo\nTransfer-Encoding: chunked\n\n0\nX-T: 1\n\n";
        let message = RawMessage::parse("m", text.as_bytes()).unwrap();
        assert_eq!(message.headers["x-a"], "one two");
        assert_eq!(message.trailers["x-t"], "1");
        assert!(message.is_request());
    }

    #[test]
    fn what_is_no_message_is_told_from_a_bad_one() {
        for text in ["", "\n", "hello", "GET /", "HTTP/1.1 ok"] {
            assert!(
                matches!(RawMessage::parse("m", text.as_bytes()), Err(Unreadable::NoMessage(_))),
                "{text}"
            );
        }
        for text in
            ["GET / HTTP/1.1\nno colon", "GET / HTTP/1.1\na b: c", "GET / HTTP/1.1\n x", "GET <> HTTP/1.1"]
        {
            assert!(
                matches!(RawMessage::parse("m", text.as_bytes()), Err(Unreadable::Malformed(_))),
                "{text}"
            );
        }
    }
}
