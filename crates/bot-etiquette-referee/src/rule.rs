//! The rules a crawler may break, each with what can and cannot be seen of it from outside.

use std::fmt;

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident = $code:literal,)*) => {
        /// What a crawler was found to have broken.
        ///
        /// Each rule says which key of the [`Promise`](crate::Promise) turns it on and what it can and cannot
        /// see: the referee knows only what reaches its sockets, never what the crawler meant.
        ///
        /// ```
        /// use bot_etiquette_referee::Rule;
        ///
        /// assert_eq!(Rule::MinDelay.code(), "min-delay");
        /// assert_eq!(Rule::from_code("min-delay"), Some(Rule::MinDelay));
        /// assert_eq!(Rule::ALL.len(), 33);
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[$doc])* $name,)*
        }

        impl Rule {
            /// Every rule, in the order of its documentation.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The stable code of the rule, as reports print it.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self {
                    $(Self::$name => $code,)*
                }
            }
        }
    };
}

rules! {
    /// The User-Agent is missing, repeated, or not the promised one. Key `user_agent`.
    /// Sees every request; cannot see whether the name is the sender's to use.
    UserAgent = "user-agent",
    /// No usable `From` field, or not the promised one. Key `from`.
    /// Sees every request; cannot see whether anybody reads that mailbox.
    FromMissing = "from-missing",
    /// A site was asked for something before it had answered for its `/robots.txt`, or while all its
    /// robots.txt answers were server errors or broke off (RFC 9309 2.3.1.4). Key `robots_first`.
    /// Cannot see whether the file was read, or merely fetched.
    RobotsFirst = "robots-first",
    /// A site was asked for something when its robots.txt had last been asked for too long ago. Key
    /// `robots_max_age`. An answer that failed counts as asked: RFC 9309 lets the old copy be used then.
    RobotsStale = "robots-stale",
    /// A path that the promise names as closed was asked for, in whatever spelling. Key `closed_paths`.
    /// The paths are named, not read from robots.txt: the referee shares no reading with what it judges.
    ClosedPath = "closed-path",
    /// Two requests to one host came closer than promised. Key `min_delay`. Measured from the end of the
    /// last answer where `max_open` is 1, else between starts. The end is when the last bytes were handed
    /// to the system, which is never after the crawler had them: a gap can look longer than it was, not shorter.
    MinDelay = "min-delay",
    /// Two requests to one host came closer than the Crawl-delay of its robots.txt, capped. Key
    /// `crawl_delay_cap`. Counts from the robots.txt answer on; measured as `min-delay`.
    CrawlDelay = "crawl-delay",
    /// More requests of one host were open at once than promised. Key `max_open`. A request is open from its first
    /// byte to the last byte of the answer, or until the crawler hangs up.
    MaxOpen = "max-open",
    /// Two requests to the sites of a group started closer than `1 / per_second`. Key `groups`.
    GroupRate = "group-rate",
    /// A host was asked again before the Retry-After of its 429, 503 or 413 had passed, or a redirect that
    /// carried one was followed early. Key `retry_after`. Seconds (with fractions), the three date forms and
    /// several values are read; what a crawler of good will could not read holds nobody.
    RetryAfter = "retry-after",
    /// A host was asked again too soon after a 429 or 503. Key `busy_first` (with `busy_factor`, `busy_scope`).
    /// A readable Retry-After that is shorter takes the place of the step.
    BusyBackoff = "busy-backoff",
    /// A host was asked again too soon after it gave no answer at all. Key `unreachable_first` (with
    /// `unreachable_factor`). An answer that the crawler did not wait for counts as none.
    UnreachableBackoff = "unreachable-backoff",
    /// No web-bot-auth signature. Key `signed`.
    Unsigned = "unsigned",
    /// A signature that is malformed, covers too little, names an unknown key or does not verify. Key
    /// `signed`; without `key_directory` the mathematics is not checked. Only Ed25519 is known.
    BadSignature = "bad-signature",
    /// A signature that had run out when the request came, by the scaled clock and by the real one. Key `signed`.
    /// Cannot see the crawler's clock: 100 ms are allowed.
    ExpiredSignature = "expired-signature",
    /// A signature or a nonce seen before. Key `signed`. Without a nonce, two signatures made within one second are
    /// equal byte by byte and honest: they are let pass while that second lasts.
    ReusedSignature = "reused-signature",
    /// A Signature-Agent field that is malformed, is not https, or is not covered by a signature; or a
    /// web-bot-auth signature without the field. Always judged.
    AgentHeader = "agent-header",
    /// A Cookie field was sent. Judged unless the promise allows `cookies`.
    Cookie = "cookie",
    /// A password, token or API key was sent: Authorization, Proxy-Authorization, an API-key field, a user name in
    /// the target, or a query field of that name which no page of the site had offered. Always judged.
    Credentials = "credentials",
    /// A method outside `methods` (GET and HEAD when left out). Always judged.
    Method = "method",
    /// A form was sent: a form content type, a body sent to a form's address, or a GET of a form's address with
    /// one of its fields. Always judged. Cannot see a form that no page served here holds.
    Form = "form",
    /// An address was asked for that only links marked nofollow lead to (`rel`, robots meta, X-Robots-Tag).
    /// Key `nofollow`. Cannot see where the crawler has an address from: one it was given looks the same.
    Nofollow = "nofollow",
    /// A site outside `scope` was asked for anything, its robots.txt included. Key `scope`. A host that is
    /// not served here is seen only when its name is sent to one of these sites.
    OffScope = "off-scope",
    /// A chain of redirects was followed further than promised. Key `max_redirects`. An address that is
    /// also linked from a page starts a chain anew.
    Redirects = "redirects",
    /// A redirect was followed to a host whose robots.txt had not been asked for, or to a closed path. Keys
    /// `robots_first` and `closed_paths`.
    RedirectRobots = "redirect-robots",
    /// More of a body was taken than promised, in bytes on the wire. Key `max_body`. Past the limit the body
    /// comes slowly, so that hanging up is seen; cannot see a body that grows when it is decoded.
    BodyLimit = "body-limit",
    /// A request was kept open longer than promised. Key `time_limit`.
    TimeLimit = "time-limit",
    /// A page that had offered an ETag or Last-Modified was taken again without If-None-Match or
    /// If-Modified-Since, or with a validator that was never given. Key `conditional`.
    Unconditional = "unconditional",
    /// The same request came again too soon. Key `revisit`. The same method, address and range count as the
    /// same; robots.txt, and what was busy, gave no answer or broke off before, do not.
    Revisit = "revisit",
    /// More requests to one host than promised within a rolling window. Key `quota`. Every request counts.
    Quota = "quota",
    /// More requests in all than promised. Key `max_requests`. Every request counts.
    Budget = "budget",
    /// A canary came back: in a target, a field or a body, plain or percent-encoded. Key `canaries`. Cannot see
    /// what was kept, or what goes elsewhere.
    PersonalData = "personal-data",
    /// Something reached the sites past the crawler: a request with a browser's own fields, an upgrade, a
    /// connection that sent nothing or no HTTP. Key `browser = false`. Cannot see a browser that sends exactly
    /// what the crawler sends. A silent connection opened while another was busy is let pass: pools do that.
    BrowserLeak = "browser-leak",
}

impl Rule {
    /// The rule of a code.
    #[must_use]
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rule| rule.code() == code)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Rule {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}
