//! The reviewed records of the catalogues that may be queried.

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
    /// Scheme and host.
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
        /// When a person last read it, as `YYYY-MM-DD`; older than a year, it is void.
        reviewed: &'static str,
    },
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
        terms: "https://hub.arcgis.com/api/search/definition/",
    },
    ApiSource {
        id: "wikidata",
        origin: "https://query.wikidata.org",
        paths: &["/sparql"],
        robots: RobotsRule::Invited {
            by: "https://www.mediawiki.org/wiki/Wikidata_Query_Service/User_Manual#SPARQL_endpoint",
            reviewed: "2026-11-30",
        },
        max_open: 1,
        min_gap_ms: 5_000,
        daily_cap: 50,
        body_limit: 32 << 20,
        timeout_seconds: 65,
        terms: "https://foundation.wikimedia.org/wiki/Policy:User-Agent_policy",
    },
];

impl ApiSource {
    /// Whether a URL lies under this record: its origin, and one of its paths.
    #[must_use]
    pub fn allows(&self, url: &str) -> bool {
        url::Url::parse(url).is_ok_and(|url| {
            url.origin().ascii_serialization() == self.origin
                && self.paths.iter().any(|path| url.path().starts_with(path))
        })
    }
}
