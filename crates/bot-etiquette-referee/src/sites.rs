//! Which site a request is for, and where each is reached.

use std::net::SocketAddr;
use std::sync::Arc;

use crate::site::{Body, Page, Site};

/// The sites of a scenario and their addresses, in the same order.
#[derive(Debug)]
pub(crate) struct Sites {
    sites: Vec<Site>,
    addresses: Vec<SocketAddr>,
}

impl Sites {
    pub(crate) const fn new(sites: Vec<Site>, addresses: Vec<SocketAddr>) -> Self {
        Self { sites, addresses }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, SocketAddr)> {
        self.sites.iter().map(Site::name).zip(self.addresses.iter().copied())
    }

    pub(crate) fn site(&self, name: &str) -> Option<&Site> {
        self.sites.iter().find(|site| site.name == name)
    }

    /// The name of the site that an authority means, and whether it is one of these.
    ///
    /// A known name stands wherever it is sent; an address, `localhost` or nothing means the site that is reached there.
    pub(crate) fn name(&self, authority: &str, local: SocketAddr) -> (String, bool) {
        let authority = authority.rsplit('@').next().unwrap_or_default().to_ascii_lowercase();
        let has_port = authority.rsplit_once(':').filter(|(host, port)| {
            !host.is_empty()
                && port.bytes().all(|byte| byte.is_ascii_digit())
                && (!host.contains(':') || host.ends_with(']'))
        });
        let host = has_port.map_or(authority.as_str(), |(host, _)| host).trim_end_matches('.');
        if self.site(host).is_some() {
            return (host.to_owned(), true);
        }
        let ip = host.trim_matches(['[', ']']).parse().ok();
        let at = match ip {
            Some(ip) => Some(SocketAddr::new(
                ip,
                has_port.and_then(|(_, port)| port.parse().ok()).unwrap_or(local.port()),
            )),
            None if host.is_empty() || host == "localhost" => Some(local),
            None => None,
        };
        let found = at.and_then(|at| self.iter().find(|(_, address)| *address == at));
        match found {
            Some((name, _)) => (name.to_owned(), true),
            None => (host.to_owned(), false),
        }
    }

    /// Puts the addresses of sites in place of `{site:NAME}`.
    pub(crate) fn filled(&self, mut page: Page) -> Page {
        for (_, value) in &mut page.headers {
            *value = self.with_addresses(value);
        }
        if let Body::Bytes(bytes) = &page.body
            && let Ok(text) = std::str::from_utf8(bytes)
            && text.contains("{site:")
        {
            page.body = Body::Bytes(Arc::from(self.with_addresses(text).into_bytes()));
        }
        page
    }

    fn with_addresses(&self, text: &str) -> String {
        let mut text = text.to_owned();
        if text.contains("{site:") {
            for (name, address) in self.iter() {
                text = text.replace(&format!("{{site:{name}}}"), &format!("http://{address}"));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_found_by_name_or_by_address() {
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();
        let sites = Sites::new(
            vec![Site::new("a.example"), Site::new("b.example")],
            vec![at("127.0.0.2:80"), at("127.0.0.3:8080")],
        );
        for (authority, local, expected) in [
            ("a.example", "127.0.0.3:8080", ("a.example", true)),
            ("A.Example.:99", "127.0.0.3:8080", ("a.example", true)),
            ("127.0.0.3:8080", "127.0.0.2:80", ("b.example", true)),
            ("127.0.0.2", "127.0.0.2:80", ("a.example", true)),
            ("", "127.0.0.3:8080", ("b.example", true)),
            ("localhost:8080", "127.0.0.3:8080", ("b.example", true)),
            ("c.example:80", "127.0.0.2:80", ("c.example", false)),
            ("[::1]:80", "127.0.0.2:80", ("[::1]", false)),
        ] {
            let (name, known) = sites.name(authority, at(local));
            assert_eq!((name.as_str(), known), expected, "{authority} at {local}");
        }
        let page =
            sites.filled(Page::new("/").redirect("{site:b.example}/x").body("{site:a.example} {site:c}"));
        assert_eq!(page.field("location"), Some("http://127.0.0.3:8080/x"));
        assert_eq!(page.body.piece(0, 100), b"http://127.0.0.2:80 {site:c}");
    }
}
