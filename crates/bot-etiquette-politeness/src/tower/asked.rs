//! What a request asks for, as far as politeness cares.

use std::net::Ipv4Addr;
use std::ops::Range;

use http::uri::{Authority, PathAndQuery};
use http::{Request, Uri};
use url::Url;

use super::{RequestClass, Resource};
use crate::Ask;

/// The URL, the class and the resource of a request.
pub(crate) struct Asked {
    target: Target,
    class: Option<RequestClass>,
    resource: Option<Resource>,
}

impl Asked {
    /// `None` where the request names no host.
    pub(crate) fn by<A>(request: &Request<A>) -> Option<Self> {
        let target = Target::of(request.uri())?;
        let host = target.ask().host_str()?;
        let extensions = request.extensions();
        let resource = extensions.get::<Resource>().filter(|resource| resource.host().as_str() == host);
        let (resource, class) = (resource.cloned(), extensions.get().cloned());
        Some(Self { target, class, resource })
    }

    pub(crate) fn ask(&self) -> Ask<'_> {
        let class = self.class.as_ref().map_or(Ask::DEFAULT_CLASS, RequestClass::as_str);
        let ask = self.target.ask().class(class);
        match &self.resource {
            Some(resource) => ask.resource(resource.name()),
            None => ask,
        }
    }
}

/// A URL. Nearly every URI is spelt as the parser of URLs would spell it, and then that parser is spared: it would
/// cost more than all the rest of a decision.
enum Target {
    Plain { text: String, host: Range<usize>, path: Range<usize> },
    Parsed(Url),
}

impl Target {
    fn of(uri: &Uri) -> Option<Self> {
        let (scheme, authority) = (uri.scheme_str()?, uri.authority()?);
        let target = uri.path_and_query().map_or("/", PathAndQuery::as_str);
        let text = [scheme, "://", authority.as_str(), target].concat();
        if is_plain_authority(scheme, authority) && is_plain_target(target) {
            let host = scheme.len() + "://".len();
            let path = host + authority.as_str().len();
            let (host, path) = (host..host + authority.host().len(), path..path + uri.path().len());
            return Some(Self::Plain { text, host, path });
        }
        Url::parse(&text).ok().map(Self::Parsed)
    }

    fn ask(&self) -> Ask<'_> {
        match self {
            Self::Plain { text, host, path } => {
                Ask::of_parts(text, text.get(host.clone()), text.get(path.clone()).unwrap_or("/"))
            }
            Self::Parsed(url) => Ask::new(url),
        }
    }
}

/// Whether a URL parser leaves the authority as it is: a name in lower case or an address, and a port other than the
/// scheme's own.
fn is_plain_authority(scheme: &str, authority: &Authority) -> bool {
    let own_port = match scheme {
        "http" => 80,
        "https" => 443,
        _ => return false,
    };
    let host = authority.host();
    let port = match authority.port() {
        Some(port) if port.as_str().starts_with('0') => return false,
        Some(port) => match port.as_str().parse::<u16>() {
            Ok(number) if number != own_port => port.as_str().len() + ":".len(),
            _ => return false,
        },
        None => 0,
    };
    // Anything else of an authority is a name and password of a user.
    authority.as_str().len() == host.len() + port && is_plain_host(host)
}

fn is_plain_host(host: &str) -> bool {
    let (mut before, mut last_starts) = (b'.', b'.');
    for byte in host.bytes() {
        // `--` may be that of `xn--`, which a parser checks.
        let plain = match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'_' => true,
            b'-' | b'.' => before != byte,
            _ => false,
        };
        if !plain {
            return false;
        }
        if before == b'.' {
            last_starts = byte;
        }
        before = byte;
    }
    // A name that ends in a number is an address, in one of many spellings.
    before != b'.' && (!last_starts.is_ascii_digit() || host.parse::<Ipv4Addr>().is_ok())
}

/// Whether a URL parser leaves path and query as they are: nothing to encode, and no segment that leads upwards.
fn is_plain_target(target: &str) -> bool {
    let mut before = 0;
    let plain = |byte: u8| {
        let before = std::mem::replace(&mut before, byte);
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => true,
            b'/' | b'?' | b'=' | b'&' | b'-' | b'_' | b'~' | b'+' | b',' | b':' | b';' | b'@' => true,
            b'!' | b'$' | b'(' | b')' | b'*' => true,
            b'.' => before != b'/',
            _ => false,
        }
    };
    target.starts_with('/') && target.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(uri: &str, plain: bool) {
        let read = Target::of(&uri.parse().unwrap()).unwrap();
        assert_eq!(matches!(read, Target::Plain { .. }), plain, "{uri}");
        let url = Url::parse(uri).unwrap();
        assert_eq!(format!("{:?}", read.ask()), format!("{:?}", Ask::new(&url)), "{uri}");
    }

    #[test]
    fn a_plain_uri_is_read_without_a_parser() {
        check("https://example.com/", true);
        check("https://example.com/a/b.html?x=1&y=a:b@c/d", true);
        check("http://www.example.com:8080/a//b", true);
        check("http://127.0.0.1:3000/", true);
        check("https://a_b.example.co-op.com/~user/(x)!$*,;+", true);
        check("https://1st.example/", true);
    }

    #[test]
    fn what_a_url_parser_would_spell_otherwise_is_parsed() {
        for uri in [
            "https://EXAMPLE.com/",
            "https://example.com./",
            "https://example.com:443/",
            "http://example.com:080/",
            "http://example.com:0/",
            "https://user@example.com/",
            "https://xn--mnchen-3ya.de/",
            "https://[::1]/",
            "http://127.1/",
            "http://0x7f000001/",
            "http://2130706433/",
            "https://example.com/a/../b",
            "https://example.com/./robots.txt",
            "https://example.com/%2e%2e/b",
            "https://example.com/?a='b'",
            "https://example.com/{a}",
            "https://example.com?a=b",
        ] {
            check(uri, false);
        }
    }

    proptest! {
        #[test]
        fn a_plain_uri_is_what_the_parser_makes_of_it(
            uri in "https?://[a-zA-Z0-9._@:%-]{0,4}[a-z0-9.-]{1,12}(:[0-9]{0,5})?(/[a-z./%2eE'?=:@~ \"<{}|^`#&;]{0,12})?"
        ) {
            let Ok(parsed) = uri.parse::<Uri>() else { return Ok(()) };
            let (read, url) = (Target::of(&parsed), Url::parse(uri.split('#').next().unwrap()));
            match (read, url) {
                (Some(read), Ok(url)) => prop_assert_eq!(format!("{:?}", read.ask()), format!("{:?}", Ask::new(&url))),
                (read, url) => prop_assert_eq!(read.is_some(), url.is_ok() && parsed.authority().is_some()),
            }
        }
    }
}
