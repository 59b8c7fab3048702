//! The reviewed records of the catalogues that may be queried.

use std::time::{Duration, SystemTime};

/// How a catalogue may be asked. What the record leaves out (an opt-out, a kill switch) is the crawl's.
///
/// ```
/// use bot_etiquette_arcgis::discover::{RobotsRule, SOURCES};
///
/// let search = SOURCES.iter().find(|source| source.allows("https://www.arcgis.com/sharing/rest/search?q=x")).unwrap();
/// assert_eq!((search.max_open, search.robots), (1, RobotsRule::Obey));
/// // crt.sh closes every path to programs, so it has no record.
/// assert!(!SOURCES.iter().any(|source| source.allows("https://crt.sh/?q=x")));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApiSource {
    /// A short name.
    pub id: &'static str,
    /// Scheme and host; `*.` in front of the host stands for one label or more.
    pub origin: &'static str,
    /// The paths that may be asked, by their start.
    pub paths: &'static [&'static str],
    /// What its robots.txt means for these paths.
    pub robots: RobotsRule,
    /// Requests open at once.
    pub max_open: u32,
    /// Milliseconds between two starts, or after an end where one is open at a time; a longer Crawl-delay wins.
    pub min_gap_ms: u64,
    /// Requests of one day at the most.
    pub daily_cap: u32,
    /// Bytes of an answer at the most.
    pub body_limit: u64,
    /// Seconds of one request at the most.
    pub timeout_seconds: u32,
    /// Whether its operator wants a User-Agent that names a way to reach who asks.
    pub needs_contact: bool,
    /// Where its operator says how it may be used.
    pub terms: &'static str,
}

/// What robots.txt of a catalogue's host means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RobotsRule {
    /// It is obeyed.
    Obey,
    /// The catalogue's own rules invite programs to these very paths, although its robots.txt closes them to crawlers.
    /// The Crawl-delay is kept all the same.
    Invited {
        /// Where the invitation stands.
        by: &'static str,
        /// What it asks of a program, in short.
        rule: &'static str,
        /// When a person last read it, as `YYYY-MM-DD`; older than a year, it is void.
        reviewed: &'static str,
    },
}

/// What a person's reading of an invitation is still worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Review {
    /// Half a year old at the most, or none is needed.
    Fresh,
    /// Older: read the rule again. It still holds.
    Due,
    /// Older than a year: the paths are closed, as robots.txt says.
    Void,
}

/// A User-Agent without a web address or mail address of who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{id} asks for a way to reach who asks: name an https:// page or a mail address in the User-Agent")]
pub struct ContactRequired {
    /// The source that wants it.
    pub id: &'static str,
}

/// The catalogues that were reviewed.
pub const SOURCES: &[ApiSource] = &[
    ApiSource {
        id: "arcgis-online",
        origin: "https://www.arcgis.com",
        paths: &["/sharing/rest/search"],
        robots: RobotsRule::Obey,
        max_open: 1,
        min_gap_ms: 1_000,
        daily_cap: 2_000,
        body_limit: 8 << 20,
        timeout_seconds: 30,
        needs_contact: false,
        terms: "https://developers.arcgis.com/rest/users-groups-and-items/search/",
    },
    ApiSource {
        id: "arcgis-hub",
        origin: "https://hub.arcgis.com",
        paths: &["/api/search/v1/"],
        robots: RobotsRule::Obey,
        max_open: 1,
        min_gap_ms: 2_000,
        daily_cap: 1_000,
        body_limit: 8 << 20,
        timeout_seconds: 30,
        needs_contact: false,
        terms: "https://hub.arcgis.com/api/search/definition/",
    },
    ApiSource {
        id: "wikidata",
        origin: "https://query.wikidata.org",
        paths: &["/sparql"],
        robots: RobotsRule::Invited {
            by: "https://www.mediawiki.org/wiki/Wikidata_Query_Service/User_Manual#SPARQL_endpoint",
            rule: "programs may send queries to /sparql with a User-Agent that says who they are, 60 seconds of \
                   query time a minute, and wait as Retry-After says",
            reviewed: "2026-11-30",
        },
        max_open: 1,
        min_gap_ms: 5_000,
        daily_cap: 50,
        body_limit: 32 << 20,
        timeout_seconds: 65,
        needs_contact: true,
        terms: "https://foundation.wikimedia.org/wiki/Policy:User-Agent_policy",
    },
    ApiSource {
        id: "arcgis-hub-site",
        origin: "https://*.hub.arcgis.com",
        paths: &["/api/feed/dcat-us/", "/api/feed/dcat-ap/", "/api/search/v1/"],
        robots: RobotsRule::Obey,
        max_open: 1,
        min_gap_ms: 60_000,
        daily_cap: 3,
        body_limit: 64 << 20,
        timeout_seconds: 120,
        needs_contact: false,
        terms: "https://doc.arcgis.com/en/hub/content/federate-data-with-external-catalogs.htm",
    },
    ApiSource {
        id: "ct-log-list",
        origin: "https://www.gstatic.com",
        paths: &["/ct/log_list/v3/"],
        robots: RobotsRule::Obey,
        max_open: 1,
        min_gap_ms: 1_000,
        daily_cap: 1,
        body_limit: 2 << 20,
        timeout_seconds: 30,
        needs_contact: false,
        terms: "https://googlechrome.github.io/CertificateTransparency/log_lists.html",
    },
    ApiSource {
        id: "ct-lets-encrypt",
        origin: "https://*.ct.letsencrypt.org",
        // One path for each half-year's log.
        paths: &["/20"],
        robots: RobotsRule::Obey,
        max_open: 2,
        min_gap_ms: 250,
        daily_cap: 20_000,
        body_limit: 4 << 20,
        timeout_seconds: 30,
        needs_contact: true,
        terms: "https://letsencrypt.org/docs/ct-logs/",
    },
    ApiSource {
        id: "ct-geomys",
        origin: "https://*.skylight.geomys.org",
        paths: &["/checkpoint", "/tile/"],
        robots: RobotsRule::Obey,
        max_open: 2,
        min_gap_ms: 250,
        daily_cap: 20_000,
        body_limit: 4 << 20,
        timeout_seconds: 30,
        needs_contact: true,
        terms: "https://groups.google.com/a/chromium.org/g/ct-policy",
    },
];

impl ApiSource {
    /// Whether a URL lies under this record: its origin, and one of its paths.
    #[must_use]
    pub fn allows(&self, url: &str) -> bool {
        url::Url::parse(url).is_ok_and(|url| {
            self.is_origin(&url) && self.paths.iter().any(|path| url.path().starts_with(path))
        })
    }

    fn is_origin(&self, url: &url::Url) -> bool {
        match self.origin.split_once("://*") {
            None => url.origin().ascii_serialization() == self.origin,
            Some((scheme, end)) => {
                let host = url.host_str().unwrap_or_default();
                url.scheme() == scheme
                    && url.port().is_none()
                    && host.strip_suffix(end).is_some_and(|label| !label.is_empty())
            }
        }
    }

    /// The time between two requests: the record's own, or a longer Crawl-delay of the host.
    ///
    /// ```
    /// use bot_etiquette_arcgis::discover::SOURCES;
    /// use std::time::Duration;
    ///
    /// let hub = SOURCES.iter().find(|source| source.id == "arcgis-hub").unwrap();
    /// assert_eq!(hub.gap(None), Duration::from_secs(2));
    /// assert_eq!(hub.gap(Some(Duration::from_secs(60))), Duration::from_secs(60));
    /// ```
    #[must_use]
    pub fn gap(&self, crawl_delay: Option<Duration>) -> Duration {
        Duration::from_millis(self.min_gap_ms).max(crawl_delay.unwrap_or_default())
    }

    /// Whether this User-Agent may be sent here: where a contact is wanted, it holds an `https://` address or a mail
    /// address, and not that of an example.
    ///
    /// # Errors
    /// [`ContactRequired`] where the source would count the crawler among the nameless.
    pub fn check_user_agent(&self, user_agent: &str) -> Result<(), ContactRequired> {
        let has_contact = (user_agent.contains("https://") || user_agent.contains('@'))
            && !user_agent.contains("example.com");
        if has_contact || !self.needs_contact { Ok(()) } else { Err(ContactRequired { id: self.id }) }
    }
}

impl RobotsRule {
    /// What the reading of an invitation is worth at `now`.
    ///
    /// ```
    /// use bot_etiquette_arcgis::discover::{Review, RobotsRule};
    /// use std::time::{Duration, SystemTime};
    ///
    /// let invited = RobotsRule::Invited { by: "https://api.example.org/rules", rule: "", reviewed: "1970-01-01" };
    /// let day = |n: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(n * 86_400);
    /// assert_eq!(invited.review(day(180)), Review::Fresh);
    /// assert_eq!(invited.review(day(181)), Review::Due);
    /// assert_eq!(invited.review(day(366)), Review::Void);
    /// ```
    #[must_use]
    pub fn review(&self, now: SystemTime) -> Review {
        const DAY: u64 = 24 * 60 * 60;
        let Self::Invited { reviewed, .. } = self else { return Review::Fresh };
        let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs() / DAY;
        match days_since_epoch(reviewed).map(|reviewed| since.saturating_sub(reviewed)) {
            Some(..=180) => Review::Fresh,
            Some(..=365) => Review::Due,
            Some(_) | None => Review::Void,
        }
    }
}

/// Days since the Unix epoch of a date `YYYY-MM-DD`.
pub(super) fn days_since_epoch(date: &str) -> Option<u64> {
    let mut parts = date.split('-').map(|part| part.parse::<u64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    // Counted from 1 March of the year 0, so that a leap day is the last of its year.
    let (year, month) =
        if month > 2 { (year, month.checked_sub(3)?) } else { (year.checked_sub(1)?, month.checked_add(9)?) };
    let days =
        year.checked_mul(365)?.checked_add(year / 4)?.checked_sub(year / 100)?.checked_add(year / 400)?;
    let days = days.checked_add(month.checked_mul(153)?.checked_add(2)? / 5)?;
    days.checked_add(day)?.checked_sub(719_469)
}
