//! Why a host may not be asked now.

use std::fmt;

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $sentence:literal;)*) => {
        /// Why a host may not be asked now: a stable code and one sentence.
        ///
        /// ```
        /// use bot_etiquette_politeness::Reason;
        ///
        /// assert_eq!(Reason::RetryAfter.code(), "retry-after");
        /// assert_eq!(Reason::RetryAfter.to_string(), "the server said Retry-After");
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Reason {
            $($(#[$doc])* $name,)*
        }

        impl Reason {
            /// Every reason, in the order in which equal deadlines are named.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The stable code, for logs and metrics.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// What it means, as one sentence without its full stop.
            #[must_use]
            pub const fn sentence(self) -> &'static str {
                match self { $(Self::$name => $sentence,)* }
            }
        }
    };
}

reasons! {
    /// Every slot of the host, its class, its path or its group is taken.
    InFlight = "in-flight", "as many requests are open as may be";
    /// The policy's own pause is not over.
    MinDelay = "min-delay", "the pause between two requests is not over";
    /// The robots.txt asked for a longer pause.
    CrawlDelay = "crawl-delay", "the Crawl-delay of robots.txt is not over";
    /// The robots.txt asks for a pause beyond the policy's cap.
    CrawlDelayTooLong = "crawl-delay-too-long", "robots.txt asks for a longer Crawl-delay than this crawler keeps, so it stays away";
    /// The host did not answer.
    Unreachable = "unreachable", "the host did not answer and is left alone for a while";
    /// The host, or the resource, said that it is busy.
    Busy = "busy", "the server said that it is busy and is left alone for a while";
    /// A Retry-After is running.
    RetryAfter = "retry-after", "the server said Retry-After";
    /// A Retry-After was too long to wait for.
    RetryAfterTooLong = "retry-after-too-long", "the server said Retry-After for so long that a person should look";
    /// The server's own rate limit is used up.
    RateLimit = "rate-limit", "the rate limit that the server announced is used up";
    /// The rate of a group of hosts is used up.
    GroupRate = "group-rate", "the rate shared by a group of hosts is used up";
    /// A quota of a rolling window is used up.
    Quota = "quota", "the quota of a rolling window is used up";
    /// This URL was asked not long ago.
    Revisit = "revisit", "this URL was asked not long ago";
    /// The hours in which the host may be asked are over.
    OutsideHours = "outside-hours", "the hours in which the host may be asked are over";
    /// An operator blocked the host.
    Killed = "killed", "an operator blocked the host";
    /// Only listed hosts may be asked.
    NotConfigured = "not-configured", "the host is not in the list of hosts that may be asked";
    /// The table of hosts is full.
    TableFull = "table-full", "more hosts, or URLs of a host, are being remembered than the memory bound allows";
    /// The host put a challenge before its pages.
    Challenged = "challenged", "the host answers with a challenge, which no retry clears";
    /// The store that keeps the clocks cannot be reached.
    StoreUnavailable = "store-unavailable", "the store that keeps the clocks cannot be reached";
}

/// The sentence.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sentence())
    }
}

/// As its code.
#[cfg(feature = "serde")]
impl serde::Serialize for Reason {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}
