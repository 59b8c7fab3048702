//! What a crawler has promised, and whether that can be kept at all.

use std::time::Duration;

use crate::keys::Keys;
use crate::pattern::{ClosedPath, ValuePattern};

/// What the referee holds a crawler to. What is not set is not judged, except what every crawler owes:
/// no cookies, no credentials, no forms, only GET and HEAD, and an honest Signature-Agent.
///
/// Durations are scaled seconds: see [`Builder::time_scale`](crate::Builder::time_scale).
///
/// ```
/// use std::time::Duration;
/// use bot_etiquette_referee::Promise;
///
/// let promise = Promise::new()
///     .user_agent("MyBot/1.0 (+https://example.com/bot)")
///     .robots_first(true)
///     .closed_path("/private/")
///     .max_open(1)
///     .min_delay(Duration::from_secs(1));
/// assert!(promise.check().is_ok());
/// assert!(Promise::new().max_open(0).check().unwrap_err().to_string().contains("max_open"));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[must_use]
pub struct Promise {
    pub(crate) user_agent: Option<String>,
    pub(crate) robots_token: Option<String>,
    pub(crate) from: Option<String>,
    pub(crate) max_open: Option<u64>,
    pub(crate) max_open_at: Vec<(String, u64)>,
    pub(crate) min_delay: Option<Duration>,
    pub(crate) crawl_delay_cap: Option<Duration>,
    pub(crate) closed_paths: Vec<String>,
    pub(crate) signed: bool,
    pub(crate) key_directory: Option<String>,
    pub(crate) retry_after: bool,
    pub(crate) conditional: bool,
    pub(crate) cookies: bool,
    pub(crate) methods: Option<Vec<String>>,
    pub(crate) max_redirects: Option<u64>,
    pub(crate) max_body: Option<u64>,
    pub(crate) robots_first: bool,
    pub(crate) robots_max_age: Option<Duration>,
    pub(crate) revisit: Option<Duration>,
    pub(crate) max_requests: Option<u64>,
    pub(crate) groups: Vec<Group>,
    pub(crate) nofollow: bool,
    pub(crate) scope: Option<Vec<String>>,
    pub(crate) time_limit: Option<Duration>,
    pub(crate) busy_first: Option<Duration>,
    pub(crate) busy_factor: Option<f64>,
    pub(crate) busy_by_path: bool,
    pub(crate) unreachable_first: Option<Duration>,
    pub(crate) unreachable_factor: Option<f64>,
    pub(crate) quota: Option<(u64, Duration)>,
    pub(crate) canaries: Vec<String>,
    pub(crate) browser: Option<bool>,
}

/// Sites that share one rate.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Group {
    pub(crate) sites: Vec<String>,
    pub(crate) per_second: f64,
}

/// A promise that nobody could keep, or that says nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("promise {key}: {problem}")]
pub struct PromiseError {
    pub(crate) key: &'static str,
    pub(crate) problem: String,
}

impl PromiseError {
    /// The key at fault.
    #[must_use]
    pub const fn key(&self) -> &'static str {
        self.key
    }
}

macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $kind:ty => |$self:ident, $value:ident| $set:expr;)*) => {
        $($(#[$doc])* pub fn $name(mut $self, $value: $kind) -> Self { $set; $self })*
    };
}

impl Promise {
    /// Promises only what every crawler owes.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// The User-Agent of every request. A bare token such as `MyBot` means any value that names this product; else
        /// it is the whole value, where `*` stands for anything; `^..`, or a backslash in it, makes it a regular expression.
        user_agent: &str => |self, value| self.user_agent = Some(value.to_owned());
        /// The name whose group in robots.txt is followed for `crawl_delay_cap` and robots metas. Read
        /// from `user_agent` when left out.
        robots_token: &str => |self, value| self.robots_token = Some(value.to_owned());
        /// The From field of every request, as a pattern like `user_agent`'s; `*@*` takes any mailbox.
        from: &str => |self, value| self.from = Some(value.to_owned());
        /// Requests of one host open at once, at the most.
        max_open: u64 => |self, value| self.max_open = Some(value);
        /// The least time between two requests to one host: from the last answer's end where `max_open` is 1, else
        /// between starts.
        min_delay: Duration => |self, value| self.min_delay = Some(value);
        /// A Crawl-delay is kept up to this long; `Duration::MAX` keeps any.
        crawl_delay_cap: Duration => |self, value| self.crawl_delay_cap = Some(value);
        /// One more path never to be asked for: `/path` on every site or `site/path`; `*` and a final `$` as in
        /// robots.txt.
        closed_path: &str => |self, value| self.closed_paths.push(value.to_owned());
        /// Every request carries a web-bot-auth signature.
        signed: bool => |self, value| self.signed = value;
        /// The keys of those signatures, as JWK Set text.
        key_directory: &str => |self, value| self.key_directory = Some(value.to_owned());
        /// Retry-After is honoured.
        retry_after: bool => |self, value| self.retry_after = value;
        /// Pages are taken again conditionally where they offer ETag or Last-Modified.
        conditional: bool => |self, value| self.conditional = value;
        /// Cookies are sent, which nobody need promise not to.
        cookies: bool => |self, value| self.cookies = value;
        /// The methods used; GET and HEAD when left out.
        methods: &[&str] => |self, value| self.methods = Some(value.iter().map(|&one| one.to_owned()).collect());
        /// Redirects followed in one chain, at the most.
        max_redirects: u64 => |self, value| self.max_redirects = Some(value);
        /// Bytes of a body taken, on the wire, at the most.
        max_body: u64 => |self, value| self.max_body = Some(value);
        /// robots.txt is asked for first, on every site.
        robots_first: bool => |self, value| self.robots_first = value;
        /// The age at which a copy of robots.txt is too old.
        robots_max_age: Duration => |self, value| self.robots_max_age = Some(value);
        /// The least time between two starts of the same request.
        revisit: Duration => |self, value| self.revisit = Some(value);
        /// Requests in all, at the most.
        max_requests: u64 => |self, value| self.max_requests = Some(value);
        /// Links marked nofollow are not followed.
        nofollow: bool => |self, value| self.nofollow = value;
        /// The only sites asked for anything; `*.name` means all below a name.
        scope: &[&str] => |self, value| self.scope = Some(value.iter().map(|one| one.to_ascii_lowercase()).collect());
        /// The longest a request stays open.
        time_limit: Duration => |self, value| self.time_limit = Some(value);
        /// The wait after a 429 or 503.
        busy_first: Duration => |self, value| self.busy_first = Some(value);
        /// What `busy_first` grows by for each further such answer in a row; 1 when left out.
        busy_factor: f64 => |self, value| self.busy_factor = Some(value);
        /// `busy_first` holds the one path that was busy, not its host.
        busy_by_path: bool => |self, value| self.busy_by_path = value;
        /// The wait after a host gave no answer at all.
        unreachable_first: Duration => |self, value| self.unreachable_first = Some(value);
        /// What `unreachable_first` grows by for each further silence in a row; 1 when left out.
        unreachable_factor: f64 => |self, value| self.unreachable_factor = Some(value);
        /// One more text that was planted and must never come back.
        canary: &str => |self, value| self.canaries.push(value.to_owned());
        /// Whether a browser may ask for anything itself. `false` makes every such request a leak.
        browser: bool => |self, value| self.browser = Some(value);
    }

    /// Sites that share one rate: their requests start at least `1 / per_second` apart.
    pub fn group(mut self, sites: &[&str], per_second: f64) -> Self {
        self.groups
            .push(Group { sites: sites.iter().map(|one| one.to_ascii_lowercase()).collect(), per_second });
        self
    }

    /// A site where as many requests may be open at once as this, whatever `max_open` says of the others: hosting that many
    /// publishers share.
    pub fn max_open_at(mut self, site: &str, requests: u64) -> Self {
        self.max_open_at.push((site.to_ascii_lowercase(), requests));
        self
    }

    /// At most so many requests to one host within any stretch of `window`.
    pub fn quota(mut self, requests: u64, window: Duration) -> Self {
        self.quota = Some((requests, window));
        self
    }

    /// Whether nothing is promised, so that only what every crawler owes is judged.
    ///
    /// ```
    /// use bot_etiquette_referee::Promise;
    ///
    /// assert!(Promise::new().is_empty() && !Promise::new().max_open(1).is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the promise can be kept.
    ///
    /// # Errors
    ///
    /// The first key whose value nobody could keep, or that means nothing.
    pub fn check(&self) -> Result<(), PromiseError> {
        Held::new(self.clone(), None).map(|_| ())
    }
}

/// A promise, checked and ready to be judged by.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    pub(crate) promise: Promise,
    pub(crate) user_agent: Option<ValuePattern>,
    pub(crate) from: Option<ValuePattern>,
    pub(crate) token: Option<String>,
    pub(crate) closed: Vec<ClosedPath>,
    pub(crate) keys: Option<Keys>,
    pub(crate) methods: Vec<String>,
}

impl Held {
    /// Checks `promise`, against the names of the sites where they are known.
    pub(crate) fn new(promise: Promise, sites: Option<&[String]>) -> Result<Self, PromiseError> {
        let fault = |key: &'static str, problem: &str| PromiseError { key, problem: problem.to_owned() };
        for (key, value, problem) in [
            ("max_open", promise.max_open, "is 0: no request could ever be open; the least is 1"),
            (
                "max_open_at",
                promise.max_open_at.iter().map(|(_, most)| *most).min(),
                "is 0: no request could ever be open; the least is 1",
            ),
            ("max_requests", promise.max_requests, "is 0: no request could ever be made; the least is 1"),
            ("quota", promise.quota.map(|quota| quota.0), "allows 0 requests: the least is 1"),
        ] {
            if value == Some(0) {
                return Err(fault(key, problem));
            }
        }
        for (key, value) in
            [("time_limit", promise.time_limit), ("quota", promise.quota.map(|quota| quota.1))]
        {
            if value.is_some_and(|value| value.is_zero()) {
                return Err(fault(key, "is 0 s: give the seconds it lasts, or leave the key out"));
            }
        }
        for (key, value) in
            [("busy_factor", promise.busy_factor), ("unreachable_factor", promise.unreachable_factor)]
        {
            if value.is_some_and(|value| !(value.is_finite() && value >= 1.0)) {
                return Err(fault(key, "is no number of 1 or more"));
            }
        }
        for group in &promise.groups {
            if !(group.per_second.is_finite() && group.per_second > 0.0) {
                return Err(fault("groups", "per_second is no number above 0"));
            }
            if group.sites.is_empty() {
                return Err(fault("groups", "sites is empty: name the sites that share the rate"));
            }
        }
        if promise.scope.as_ref().is_some_and(Vec::is_empty) {
            return Err(fault(
                "scope",
                "is empty: no site could be asked; name the sites, or leave the key out",
            ));
        }
        let named = promise.groups.iter().flat_map(|group| group.sites.iter().map(|site| ("groups", site)));
        let shared = promise.max_open_at.iter().map(|(site, _)| ("max_open_at", site));
        let named = named.chain(shared).chain(promise.scope.iter().flatten().map(|site| ("scope", site)));
        for (key, pattern) in named {
            if let Some(sites) = sites
                && !sites.iter().any(|site| crate::pattern::site_matches(pattern, site))
            {
                return Err(fault(key, &format!("names {pattern:?}, which is no site of the scenario")));
            }
        }
        if promise.canaries.iter().any(|canary| canary.trim().len() < 4) {
            return Err(fault(
                "canaries",
                "holds a text under 4 bytes, which any request may hold by chance",
            ));
        }
        let methods = match &promise.methods {
            None => vec!["GET".to_owned(), "HEAD".to_owned()],
            Some(methods) if methods.is_empty() => {
                return Err(fault("methods", "is empty: no request could be made; name the methods"));
            }
            Some(methods) => methods.iter().map(|method| method.to_ascii_uppercase()).collect(),
        };
        if methods.iter().any(|one| one.is_empty() || !one.bytes().all(|byte| byte.is_ascii_graphic())) {
            return Err(fault("methods", "holds something that is no method name, such as GET"));
        }
        let pattern = |key: &'static str, text: &Option<String>| {
            text.as_deref()
                .map(ValuePattern::new)
                .transpose()
                .map_err(|problem| PromiseError { key, problem })
        };
        let user_agent = pattern("user_agent", &promise.user_agent)?;
        let from = pattern("from", &promise.from)?;
        let token =
            promise.robots_token.clone().or_else(|| user_agent.as_ref().and_then(ValuePattern::token));
        let closed =
            promise.closed_paths.iter().map(|path| ClosedPath::new(path)).collect::<Result<Vec<_>, _>>();
        let closed = closed.map_err(|problem| PromiseError { key: "closed_paths", problem })?;
        if let Some(sites) = sites {
            for site in closed.iter().filter_map(|path| path.site.as_ref()) {
                if !sites.contains(site) {
                    return Err(fault(
                        "closed_paths",
                        &format!("names {site:?}, which is no site of the scenario"),
                    ));
                }
            }
        }
        let keys = promise.key_directory.as_deref().map(Keys::read).transpose();
        let keys = keys.map_err(|problem| PromiseError { key: "key_directory", problem })?;
        Ok(Self { promise, user_agent, from, token, closed, keys, methods })
    }
}
