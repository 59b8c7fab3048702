use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use http::{HeaderMap, StatusCode, header};
use url::Url;

use super::{DirectoryDocument, DirectoryError, read_response};
use crate::VerifyingKey;

/// How long a directory counts when its answer does not say.
pub const DEFAULT_FRESH: Duration = Duration::from_secs(3600);
/// How long a directory counts at the least, whatever its answer says.
pub const MIN_FRESH: Duration = Duration::from_secs(60);
/// How long a directory counts at the most, whatever its answer says.
pub const MAX_FRESH: Duration = Duration::from_secs(86_400);
/// How long a failed fetch, or a key that the directory lacks, is not asked for again.
pub const NEGATIVE: Duration = Duration::from_secs(300);
/// How long a fetch may be under way before another may start.
pub const FETCH_LIMIT: Duration = Duration::from_secs(10);
/// Directories kept at the most, unless [`DirectoryCache::with_capacity`] says otherwise.
pub const DEFAULT_CAPACITY: usize = 1000;

/// What verifiers know of the directories they meet: decisions, no fetches.
///
/// Ask [`lookup`](Self::lookup); when it says [`CacheLookup::Fetch`], fetch the directory without following
/// redirects, tell the end to [`fetched`](Self::fetched) or [`failed`](Self::failed), and look up again.
///
/// A key is known by its directory's URL *and* its thumbprint, so that no directory speaks for another. A
/// failed fetch never takes a known key away; a good answer that lacks the key does, and that is how a bot
/// revokes one.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use bot_etiquette_signing::directory::{DirectoryCache, CacheLookup, MEDIA_TYPE, directory_url};
/// use http::{HeaderMap, HeaderValue, StatusCode, header};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
/// # let keyid = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";
/// let mut cache = DirectoryCache::new();
/// let url = directory_url("https://bot.example")?;
/// assert_eq!(cache.lookup(&url, keyid, now), CacheLookup::Fetch);
///
/// // Fetched by your own client:
/// let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE))]);
/// let body = br#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;
/// cache.fetched(&url, StatusCode::OK, &headers, body, now)?;
/// assert!(matches!(cache.lookup(&url, keyid, now), CacheLookup::Found(_)));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct DirectoryCache {
    directories: HashMap<Url, Known>,
    capacity: usize,
}

/// What is known of one directory.
#[derive(Debug, Clone, Default)]
struct Known {
    document: Option<DirectoryDocument>,
    /// Until when the document counts without asking again.
    fresh_until: Option<SystemTime>,
    /// When the last fetch ended, well or not.
    last_end: Option<SystemTime>,
    failure: Option<DirectoryError>,
    /// Until when a fetch counts as under way.
    fetching_until: Option<SystemTime>,
    last_asked: Option<SystemTime>,
}

/// The answer of [`DirectoryCache::lookup`].
///
/// ```
/// use std::time::SystemTime;
///
/// use bot_etiquette_signing::directory::{DirectoryCache, CacheLookup, directory_url};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (mut cache, now) = (DirectoryCache::new(), SystemTime::UNIX_EPOCH);
/// let url = directory_url("https://bot.example")?;
/// assert_eq!(cache.lookup(&url, "keyid", now), CacheLookup::Fetch);
/// assert_eq!(cache.lookup(&url, "keyid", now), CacheLookup::InFlight);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheLookup {
    /// The key, valid now.
    Found(VerifyingKey),
    /// The directory lists the key with dates that exclude now.
    OutOfDate,
    /// The directory does not list the key.
    Unknown,
    /// The last fetch failed, not long ago, and no key is known.
    Unavailable(DirectoryError),
    /// Fetch the directory now; nobody else does.
    Fetch,
    /// Another caller fetches the directory now.
    InFlight,
}

impl Default for DirectoryCache {
    fn default() -> Self {
        Self::new()
    }
}

impl DirectoryCache {
    /// An empty cache for [`DEFAULT_CAPACITY`] directories.
    #[must_use]
    pub fn new() -> Self {
        Self::with_capacity(DEFAULT_CAPACITY)
    }

    /// An empty cache for `capacity` directories, one at the least. To make room,
    /// those that never answered go first, then the one not asked for the longest.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self { directories: HashMap::new(), capacity: capacity.max(1) }
    }

    /// The key with this thumbprint in the directory at `url`, or what to do first.
    pub fn lookup(&mut self, url: &Url, keyid: &str, now: SystemTime) -> CacheLookup {
        self.make_room(url);
        let known = self.directories.entry(url.clone()).or_default();
        known.last_asked = Some(now);
        let fresh = known.fresh_until.is_some_and(|until| now < until);
        let entry = known.document.as_ref().and_then(|document| document.find(keyid));
        if let (Some(entry), true) = (entry, fresh) {
            return if entry.is_valid_at(now) {
                CacheLookup::Found(entry.key().clone())
            } else {
                CacheLookup::OutOfDate
            };
        }
        if known.fetching_until.is_some_and(|until| now < until) {
            return CacheLookup::InFlight;
        }
        // A clock that ran back must not keep a directory unasked.
        let asked_lately =
            known.last_end.is_some_and(|end| now.duration_since(end).is_ok_and(|since| since < NEGATIVE));
        let stale = entry.is_some() && known.failure.is_none();
        if stale || !asked_lately {
            known.fetching_until = now.checked_add(FETCH_LIMIT);
            return CacheLookup::Fetch;
        }
        match entry {
            Some(entry) if entry.is_valid_at(now) => CacheLookup::Found(entry.key().clone()),
            Some(_) => CacheLookup::OutOfDate,
            None if known.document.is_some() => CacheLookup::Unknown,
            None => CacheLookup::Unavailable(known.failure.clone().unwrap_or(DirectoryError::NoAnswer)),
        }
    }

    /// Takes the answer of a fetch.
    ///
    /// # Errors
    /// Those of [`read_response`]. They count as a failed fetch: known keys stay.
    pub fn fetched(
        &mut self,
        url: &Url,
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
        now: SystemTime,
    ) -> Result<&DirectoryDocument, DirectoryError> {
        let document = match read_response(status, headers, body) {
            Ok(document) => document,
            Err(error) => {
                self.end(url, now).failure = Some(error.clone());
                return Err(error);
            }
        };
        let known = self.end(url, now);
        known.failure = None;
        known.fresh_until = now.checked_add(freshness(headers));
        Ok(known.document.insert(document))
    }

    /// Takes a fetch that got no answer. Known keys stay.
    pub fn failed(&mut self, url: &Url, now: SystemTime) {
        self.end(url, now).failure = Some(DirectoryError::NoAnswer);
    }

    /// Takes back a fetch that was given up before it ended: the next lookup may start another.
    pub fn abandoned(&mut self, url: &Url) {
        if let Some(known) = self.directories.get_mut(url) {
            known.fetching_until = None;
        }
    }

    fn end(&mut self, url: &Url, now: SystemTime) -> &mut Known {
        self.make_room(url);
        let known = self.directories.entry(url.clone()).or_default();
        known.fetching_until = None;
        known.last_end = Some(now);
        known
    }

    fn make_room(&mut self, url: &Url) {
        if self.directories.len() < self.capacity || self.directories.contains_key(url) {
            return;
        }
        // Those that never answered go first: made-up names must not push a real bot out.
        let oldest = self
            .directories
            .iter()
            .min_by_key(|(_, known)| (known.document.is_some(), known.last_asked))
            .map(|(url, _)| url.clone());
        if let Some(oldest) = oldest {
            self.directories.remove(&oldest);
        }
    }
}

/// How long an answer counts (RFC 9111 4.2), within our own bounds.
fn freshness(headers: &HeaderMap) -> Duration {
    let mut fresh = DEFAULT_FRESH;
    for value in headers.get_all(header::CACHE_CONTROL) {
        for directive in value.to_str().unwrap_or_default().split(',') {
            let (name, argument) = directive.split_once('=').unwrap_or((directive, ""));
            let name = name.trim();
            if name.eq_ignore_ascii_case("no-store") || name.eq_ignore_ascii_case("no-cache") {
                return MIN_FRESH;
            }
            if name.eq_ignore_ascii_case("max-age") {
                let seconds = argument.trim().trim_matches('"');
                fresh = seconds.parse().map_or(MIN_FRESH, Duration::from_secs);
            }
        }
    }
    let age = headers.get(header::AGE).and_then(|value| value.to_str().ok()?.trim().parse().ok());
    fresh.saturating_sub(Duration::from_secs(age.unwrap_or(0))).clamp(MIN_FRESH, MAX_FRESH)
}
