//! Hosts that are read without a parser, because they are written in only one way.

use http::Uri;
use url::Host;

/// The host and port of an http or https URI whose host is a name in lower case or an IPv4 address of four decimal
/// numbers: what the URL standard would leave as it is. `None` for all else, which needs the standard's own parser
/// (`0x7f.1`, `ex%61mple`, names in Unicode, IPv6), and for what it would refuse.
pub(crate) fn plain_host(uri: &Uri) -> Option<(Host<&str>, u16)> {
    let known = match uri.scheme_str()? {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    let authority = uri.authority()?;
    let host = authority.host();
    // What stands before the host, as credentials do, leaves no prefix to strip.
    let port = match authority.as_str().strip_prefix(host)? {
        "" => known,
        rest => number(rest.strip_prefix(':')?)?,
    };
    Some((domain(host).or_else(|| host.parse().ok().map(Host::Ipv4))?, port))
}

/// A name that neither IDNA nor the reading of numbers as addresses changes: ASCII letters in lower case, digits,
/// single hyphens (two may begin an A-label, which has to be looked into), and a last label that begins with a letter.
fn domain(host: &str) -> Option<Host<&str>> {
    let mut before = b'.';
    let mut named = false;
    for byte in host.bytes() {
        match byte {
            b'a'..=b'z' => named |= before == b'.',
            b'0'..=b'9' => named &= before != b'.',
            b'-' if !matches!(before, b'-' | b'.') => {}
            b'.' if before != b'.' => named = false,
            _ => return None,
        }
        before = byte;
    }
    named.then_some(Host::Domain(host))
}

/// A port of digits alone: `parse` would take a sign.
fn number(text: &str) -> Option<u16> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use url::Url;

    use super::*;

    #[track_caller]
    fn check(uri: &str, host: Option<(&str, u16)>) {
        let uri: Uri = uri.parse().unwrap();
        let found = plain_host(&uri).map(|(host, port)| (host.to_string(), port));
        assert_eq!(found, host.map(|(host, port)| (host.to_owned(), port)), "{uri}");
    }

    #[test]
    fn a_plain_host_is_read_as_it_stands() {
        check("http://example.com/a", Some(("example.com", 80)));
        check("https://a-1.2b.example/", Some(("a-1.2b.example", 443)));
        check("http://127.0.0.1:8080/", Some(("127.0.0.1", 8080)));
        check("https://localhost:00443/", Some(("localhost", 443)));
    }

    #[test]
    fn what_could_be_read_in_another_way_is_left_to_the_parser() {
        for uri in [
            "http://0x7f.1/",
            "http://127.1/",
            "http://0177.0.0.1/",
            "http://1.2.3.4./",
            "http://2130706433/",
            "http://example.0x1/",
            "http://Example.com/",
            "http://xn--mnchen-3ya.de/",
            "http://[::1]/",
            "http://a@example.com/",
            "http://example.com@example.com/",
            "http://example.com:80@example.com/",
            "http://example.com:/",
            "http://example.com:+80/",
            "http://example.com:65536/",
            "http://example.com./",
            "http://.example.com/",
            "http://a..b/",
            "ftp://example.com/",
            "/a",
        ] {
            check(uri, None);
        }
    }

    proptest! {
        #[test]
        fn the_parser_reads_a_plain_host_likewise(
            scheme in "http|https",
            authority in "([a-z0-9-]{1,4}\\.){0,4}[a-z0-9x-]{1,5}(:[0-9]{1,5})?",
        ) {
            let text = format!("{scheme}://{authority}/");
            let Ok(uri) = text.parse::<Uri>() else { return Ok(()) };
            if let Some((host, port)) = plain_host(&uri) {
                let url = Url::parse(&text).unwrap();
                prop_assert_eq!(url.host(), Some(host));
                prop_assert_eq!(url.port_or_known_default(), Some(port));
            }
        }
    }
}
