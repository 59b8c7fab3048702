//! [`Policy`]: what of a page is put to the crawler.

use std::collections::BTreeSet;

use http::Method;
use url::Url;

use crate::{Cause, Kind};

/// Hosts that do nothing but count visits. A crawl is none.
///
/// Refused by default, with every host below them.
pub const COUNTING_HOSTS: [&str; 15] = [
    "google-analytics.com",
    "googletagmanager.com",
    "analytics.google.com",
    "doubleclick.net",
    "connect.facebook.net",
    "hotjar.com",
    "clarity.ms",
    "static.cloudflareinsights.com",
    "plausible.io",
    "matomo.cloud",
    "mc.yandex.ru",
    "segment.io",
    "mixpanel.com",
    "fullstory.com",
    "bat.bing.com",
];

/// What of a page is put to the crawler. All else is refused and listed.
///
/// By default: scripts, stylesheets and data, asked for by GET or HEAD, from any host but
/// [`COUNTING_HOSTS`]. Sub-frames, workers, sockets, popups, downloads and forms cannot be allowed at all.
///
/// ```
/// use bot_etiquette_render::{Kind, Policy};
///
/// let policy = Policy::default().allow(Kind::Image).post(true).refuse_host("ads.example");
/// assert!(policy.kinds.contains(&Kind::Script));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct Policy {
    /// The kinds that are put to the crawler.
    pub kinds: BTreeSet<Kind>,
    /// Whether a data request may be a POST. For the person's own site alone.
    pub post: bool,
    /// Hosts that are not asked, nor any host below them.
    pub refused_hosts: Vec<String>,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            kinds: BTreeSet::from([Kind::Script, Kind::Stylesheet, Kind::Data]),
            post: false,
            refused_hosts: COUNTING_HOSTS.map(str::to_owned).to_vec(),
        }
    }
}

impl Policy {
    /// Puts a kind to the crawler as well.
    #[must_use]
    pub fn allow(mut self, kind: Kind) -> Self {
        self.kinds.insert(kind);
        self
    }

    /// Refuses a kind.
    #[must_use]
    pub fn refuse(mut self, kind: Kind) -> Self {
        self.kinds.remove(&kind);
        self
    }

    /// Sets whether a data request may be a POST.
    #[must_use]
    pub fn post(mut self, post: bool) -> Self {
        self.post = post;
        self
    }

    /// Refuses a host and all below it.
    #[must_use]
    pub fn refuse_host(mut self, host: impl Into<String>) -> Self {
        self.refused_hosts.push(host.into());
        self
    }

    /// Why a request of the page is refused, if it is: for who asks for a page's files before it is rendered.
    ///
    /// ```
    /// use bot_etiquette_render::{Cause, Kind, Policy};
    ///
    /// let url = "https://www.google-analytics.com/analytics.js".parse()?;
    /// assert_eq!(Policy::default().refusal(Kind::Script, &http::Method::GET, &url), Some(Cause::Host));
    /// # Ok::<(), url::ParseError>(())
    /// ```
    #[must_use]
    pub fn refusal(&self, kind: Kind, method: &Method, url: &Url) -> Option<Cause> {
        let may = *method == Method::GET
            || *method == Method::HEAD
            || (self.post && kind == Kind::Data && *method == Method::POST);
        if !self.kinds.contains(&kind) {
            Some(Cause::Kind)
        } else if !may {
            Some(Cause::Method)
        } else if url.host_str().is_none_or(|host| self.refuses(host)) {
            Some(Cause::Host)
        } else {
            None
        }
    }

    fn refuses(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.');
        self.refused_hosts.iter().any(|refused| {
            host.len().checked_sub(refused.len()).is_some_and(|start| {
                host.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(refused))
                    && host.get(..start).is_some_and(|before| before.is_empty() || before.ends_with('.'))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(policy: &Policy, kind: Kind, method: Method, url: &str, refusal: Option<Cause>) {
        assert_eq!(policy.refusal(kind, &method, &url.parse().unwrap()), refusal, "{method} {url} as {kind}");
    }

    #[test]
    fn scripts_stylesheets_and_data_are_put_to_the_crawler_and_nothing_else() {
        let policy = Policy::default();
        for kind in [Kind::Script, Kind::Stylesheet, Kind::Data] {
            check(&policy, kind, Method::GET, "https://shop.example/x", None);
        }
        for kind in
            [Kind::Image, Kind::Font, Kind::Media, Kind::Manifest, Kind::Other, Kind::Beacon, Kind::Prefetch]
        {
            check(&policy, kind, Method::GET, "https://shop.example/x", Some(Cause::Kind));
        }
        check(
            &policy.refuse(Kind::Script),
            Kind::Script,
            Method::GET,
            "https://a.example/",
            Some(Cause::Kind),
        );
    }

    #[test]
    fn a_post_is_refused_unless_it_is_allowed_for_data() {
        let closed = Policy::default();
        let open = Policy::default().post(true);
        check(&closed, Kind::Data, Method::HEAD, "https://shop.example/x", None);
        check(&closed, Kind::Data, Method::POST, "https://shop.example/x", Some(Cause::Method));
        check(&open, Kind::Data, Method::POST, "https://shop.example/x", None);
        check(&open, Kind::Script, Method::POST, "https://shop.example/x", Some(Cause::Method));
        check(&open, Kind::Data, Method::DELETE, "https://shop.example/x", Some(Cause::Method));
    }

    #[test]
    fn a_refused_host_stands_for_all_below_it_and_for_no_other() {
        let policy = Policy::default().refuse_host("ads.example");
        for (url, refused) in [
            ("https://ads.example/a.js", true),
            ("https://cdn.ads.example/a.js", true),
            ("https://ADS.example./a.js", true),
            ("https://leads.example/a.js", false),
            ("https://ads.example.org/a.js", false),
            ("https://www.google-analytics.com/g/collect", true),
        ] {
            check(&policy, Kind::Script, Method::GET, url, refused.then_some(Cause::Host));
        }
    }
}
