//! The value of each component (RFC 9421 2), by example.

use bot_etiquette_signing::{Component, FieldType, Message};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response};

/// A request by method, URL and fields.
fn request(method: &str, url: &str, fields: &[(&str, &str)]) -> Request<()> {
    let mut request = Request::builder().method(method).uri(url).body(()).unwrap();
    *request.headers_mut() = map(fields);
    request
}

fn map(fields: &[(&str, &str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in fields {
        map.append(name.parse::<HeaderName>().unwrap(), HeaderValue::from_str(value).unwrap());
    }
    map
}

fn value(message: &Message<'_>, component: &str) -> Result<String, String> {
    let component: Component = component.parse().map_err(|error| format!("{error}"))?;
    message.value(&component).map_err(|error| error.to_string())
}

#[track_caller]
fn of_url(method: &str, url: &str, component: &str, expected: &str) {
    let request = request(method, url, &[]);
    assert_eq!(
        value(&Message::request(&request), component).as_deref(),
        Ok(expected),
        "{component} of {url}"
    );
}

#[track_caller]
fn of_fields(fields: &[(&str, &str)], component: &str, expected: &str) {
    let request = request("GET", "https://example.com/", fields);
    assert_eq!(value(&Message::request(&request), component).as_deref(), Ok(expected), "{component}");
}

#[track_caller]
fn refused(message: &Message<'_>, component: &str, expected: &str) {
    let error = value(message, component).unwrap_err();
    assert!(error.contains(expected), "{component}: {error}");
}

#[test]
fn parts_of_a_request_are_taken_as_sent() {
    let url = "https://www.example.com/path?param=value";
    for (component, expected) in [
        ("@method", "POST"),
        ("@target-uri", url),
        ("@authority", "www.example.com"),
        ("@scheme", "https"),
        ("@request-target", "/path?param=value"),
        ("@path", "/path"),
        ("@query", "?param=value"),
        (r#"@query-param;name="param""#, "value"),
    ] {
        of_url("POST", url, component, expected);
    }
    of_url("get", url, "@method", "get");
    of_url("GET", "https://example.com/a%2Fb/%7Euser", "@path", "/a%2Fb/%7Euser");
    of_url("GET", "https://example.com", "@path", "/");
    of_url("GET", "https://example.com", "@target-uri", "https://example.com/");
    of_url("GET", "https://example.com/p", "@query", "?");
    of_url("GET", "https://example.com/p?", "@query", "?");
    of_url("GET", "https://example.com/p?", "@target-uri", "https://example.com/p?");
    of_url("GET", "https://example.com/?a=%2D", "@query", "?a=%2D");
}

#[test]
fn the_authority_is_in_lower_case_without_the_schemes_own_port() {
    for (url, expected) in [
        ("https://EXAMPLE.com:443/", "example.com"),
        ("https://example.com:0443/", "example.com"),
        ("http://example.com:80/", "example.com"),
        ("https://example.com:80/", "example.com:80"),
        ("http://example.com:443/", "example.com:443"),
        ("https://example.com:8443/", "example.com:8443"),
        ("https://example.com:/", "example.com"),
        ("https://user:secret@example.com/", "example.com"),
        ("https://[2001:DB8::1]:443/", "[2001:db8::1]"),
        ("https://[2001:DB8::1]:8443/", "[2001:db8::1]:8443"),
    ] {
        of_url("GET", url, "@authority", expected);
    }
}

#[test]
fn a_server_takes_the_authority_from_the_host_field() {
    let request = request("GET", "/a?b", &[("host", "Example.com:443")]);
    let message = Message::request(&request);
    assert_eq!(value(&message, "@authority").as_deref(), Ok("example.com"));
    assert_eq!(value(&message, "@target-uri").as_deref(), Ok("https://Example.com:443/a?b"));
    let plain = message.scheme("http");
    assert_eq!(value(&plain, "@authority").as_deref(), Ok("example.com:443"));
    assert_eq!(value(&plain, "@scheme").as_deref(), Ok("http"));
}

#[test]
fn an_authority_that_is_none_is_refused() {
    for (fields, expected) in [
        (&[][..], "neither the URI nor a Host field"),
        (&[("host", "a.example"), ("host", "b.example")], "more than one Host field"),
        (&[("host", "a b")], "no authority"),
        (&[("host", "")], "no authority"),
        (&[("host", ":80")], "the host is empty"),
    ] {
        let request = request("GET", "/", fields);
        refused(&Message::request(&request), "@authority", expected);
    }
}

#[test]
fn the_request_target_has_the_four_forms() {
    of_url("GET", "https://example.com/a?b", "@request-target", "/a?b");
    of_url("CONNECT", "www.example.com:80", "@request-target", "www.example.com:80");
    let request = request("OPTIONS", "*", &[("host", "example.com")]);
    let message = Message::request(&request);
    assert_eq!(value(&message, "@request-target").as_deref(), Ok("*"));
    assert_eq!(value(&message, "@path").as_deref(), Ok("/"));
    assert_eq!(value(&message, "@target-uri").as_deref(), Ok("https://example.com"));
    of_url("OPTIONS", "https://example.com/", "@request-target", "/");
    let message = message.with_request_target("https://example.com/a");
    assert_eq!(value(&message, "@request-target").as_deref(), Ok("https://example.com/a"));
}

#[test]
fn a_query_parameter_is_decoded_and_encoded_anew() {
    let url = "https://example.com/?var=this%20is%20a%20big%0Amultiline%20value&bar=with+plus+whitespace&\
               fa%C3%A7ade%22%3A%20=something&empty=&bad=%FF&signs=~*-._!%27()";
    for (name, expected) in [
        ("var", "this%20is%20a%20big%0Amultiline%20value"),
        ("bar", "with%20plus%20whitespace"),
        ("fa%C3%A7ade%22%3A%20", "something"),
        ("empty", ""),
        ("bad", "%EF%BF%BD"),
        ("signs", "%7E*-._%21%27%28%29"),
    ] {
        of_url("GET", url, &format!("@query-param;name=\"{name}\""), expected);
    }
    let decoded = Component::query_param("façade\": ").unwrap();
    assert_eq!(decoded.to_string(), r#""@query-param";name="fa%C3%A7ade%22%3A%20""#);

    let request = request("GET", "https://example.com/?a=1&a=2&%61=3", &[]);
    let message = Message::request(&request);
    refused(&message, r#"@query-param;name="a""#, "more than once");
    refused(&message, r#"@query-param;name="b""#, "not in the message");
    refused(&message, "@query-param", "must name a query parameter");
}

#[test]
fn field_lines_are_trimmed_and_joined() {
    of_fields(&[("x-ows", "  two  words \t")], "x-ows", "two  words");
    of_fields(
        &[("cache-control", "max-age=60"), ("cache-control", "   must-revalidate")],
        "cache-control",
        "max-age=60, must-revalidate",
    );
    of_fields(&[("x-empty", "")], "x-empty", "");
    of_fields(&[("x-empty", ""), ("x-empty", "")], "x-empty", ", ");
    of_fields(&[("x-tab", "a\tb")], "x-tab", "a\tb");
}

#[test]
fn structured_fields_are_serialized_strictly() {
    let dictionary = [("example-dict", " a=1,    b=2;x=1;y=2,   c=(a   b    c), d")];
    of_fields(&dictionary, "example-dict;sf", "a=1, b=2;x=1;y=2, c=(a b c), d");
    for (key, expected) in [("a", "1"), ("b", "2;x=1;y=2"), ("c", "(a b c)"), ("d", "?1")] {
        of_fields(&dictionary, &format!("example-dict;key=\"{key}\""), expected);
        of_fields(&dictionary, &format!("example-dict;sf;key=\"{key}\""), expected);
    }
    of_fields(&[("priority", "u=1"), ("priority", "u=3,  i")], "priority;sf", "u=3, i");
    of_fields(&[("priority", "u=1"), ("priority", "u=3")], r#"priority;key="u""#, "3");
    of_fields(
        &[("signature-agent", r#""https://bot.example""#)],
        "signature-agent;sf",
        r#""https://bot.example""#,
    );
    of_fields(
        &[("signature-agent", r#"g="https://bot.example""#)],
        "signature-agent;sf",
        r#"g="https://bot.example""#,
    );

    let request = request(
        "GET",
        "https://example.com/",
        &[("x-list", "a,  (b   c)"), ("date", "Tue, 20 Apr 2021 02:07:55 GMT")],
    );
    let message = Message::request(&request);
    refused(&message, "x-list;sf", "type of this field is not known");
    refused(&message, r#"date;key="a""#, "at byte");
    refused(&message, r#"x-list;key="z""#, "at byte");
    let types = [("x-list", FieldType::List)];
    assert_eq!(value(&message.field_types(&types), "x-list;sf").as_deref(), Ok("a, (b c)"));
}

#[test]
fn bytes_are_wrapped_line_by_line() {
    let one = [("example-header", "value, with, lots, of, commas")];
    of_fields(&one, "example-header;bs", ":dmFsdWUsIHdpdGgsIGxvdHMsIG9mLCBjb21tYXM=:");
    let two = [("example-header", "value, with, lots"), ("example-header", " of, commas")];
    of_fields(&two, "example-header;bs", ":dmFsdWUsIHdpdGgsIGxvdHM=:, :b2YsIGNvbW1hcw==:");
}

#[test]
fn a_value_that_is_no_ascii_is_refused_unless_wrapped() {
    let mut request = request("GET", "https://example.com/", &[]);
    request.headers_mut().insert("x-a", HeaderValue::from_bytes("caf\u{e9}".as_bytes()).unwrap());
    let message = Message::request(&request);
    refused(&message, "x-a", "at byte 3");
    assert_eq!(value(&message, "x-a;bs").as_deref(), Ok(":Y2Fmw6k=:"));
}

#[test]
fn trailers_are_never_mixed_with_headers() {
    let response = Response::builder().header("trailer", "Expires").body(()).unwrap();
    let trailers = map(&[("expires", "Wed, 9 Nov 2022 07:28:00 GMT")]);
    let message = Message::response(&response).trailers(&trailers);
    assert_eq!(value(&message, "expires;tr").as_deref(), Ok("Wed, 9 Nov 2022 07:28:00 GMT"));
    refused(&message, "expires", "not in the message");
    refused(&message, "trailer;tr", "not in the message");
    refused(&Message::response(&response), "expires;tr", "not in the message");
}

#[test]
fn a_response_reaches_its_request_by_req_alone() {
    let asked = request("POST", "https://example.com/a?b=c", &[("x-a", "1")]);
    let asked = Message::request(&asked);
    let response = Response::builder().status(503).header("x-a", "2").body(()).unwrap();
    let message = Message::response(&response).answering(&asked);
    for (component, expected) in [
        ("@status", "503"),
        ("x-a", "2"),
        ("x-a;req", "1"),
        ("@method;req", "POST"),
        ("@path;req", "/a"),
        (r#"@query-param;req;name="b""#, "c"),
    ] {
        assert_eq!(value(&message, component).as_deref(), Ok(expected), "{component}");
    }
    refused(&message, "@method", "needs \"req\"");
    refused(&Message::response(&response), "@method;req", "is not known");
    refused(&asked, "@method;req", "no sense on a request");
    refused(&asked, "@status", "no status");
    assert!("@status;req".parse::<Component>().is_err());
}

#[test]
fn identifiers_that_rfc_9421_does_not_know_are_refused() {
    for identifier in [
        "",
        "\"\"",
        "@",
        "@nonsense",
        "@signature-params",
        "Date",
        "\"Date\"",
        "a b",
        "x-é",
        "\"a\" \"b\"",
        "a;foo",
        "a;sf=1",
        "a;sf=?0",
        "a;key",
        "a;key=tok",
        "a;key=\"A\"",
        "a;bs;sf",
        "a;bs;key=\"k\"",
        "@path;sf",
        "@path;tr",
        "@path;bs",
        "@path;key=\"k\"",
        "@path;name=\"n\"",
        "a;name=\"n\"",
        "@query-param;name=n",
        "?1",
        "(\"a\")",
    ] {
        assert!(identifier.parse::<Component>().is_err(), "{identifier}");
    }
}

#[test]
fn the_order_of_parameters_is_kept_and_does_not_make_another_component() {
    let one: Component = r#""a";req;key="k""#.parse().unwrap();
    let two: Component = r#""a";key="k";req"#.parse().unwrap();
    assert_eq!(one, two);
    assert_eq!(two.as_str(), r#""a";key="k";req"#);
    assert_eq!(two.short(), r#"a;key="k";req"#);
    assert_ne!(one, r#""a";key="k""#.parse().unwrap());
}

#[test]
fn the_length_of_an_identifier_is_bounded() {
    for (length, fits) in [(1023, true), (1024, true), (1025, false)] {
        let identifier = format!("\"{}\"", "a".repeat(length - 2));
        assert_eq!(identifier.parse::<Component>().is_ok(), fits, "{length}");
        assert_eq!(Component::field(&"a".repeat(length - 2)).is_ok(), fits, "{length}");
    }
}

#[test]
fn methods_of_any_case_and_kind_are_kept() {
    let request = Request::builder()
        .method(Method::from_bytes(b"pAtCh").unwrap())
        .uri("https://a.example/")
        .body(())
        .unwrap();
    assert_eq!(value(&Message::request(&request), "@method").as_deref(), Ok("pAtCh"));
}
