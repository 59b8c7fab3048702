//! When a robots.txt must be read, and what holds until then: one state per origin, no clock, no socket.

mod answer;
mod entry;
mod lookup;
mod origin;
#[cfg(feature = "serde")]
mod snapshot;
mod time;

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, SystemTime};

pub use answer::RobotsAnswer;
pub use lookup::{FetchTicket, Lookup, RobotsCopy};
pub use origin::{Origin, OriginError};
#[cfg(feature = "serde")]
pub use snapshot::RobotsSnapshot;

use crate::ProductToken;
use entry::{Entry, Flight, Step};
use time::{Moment, Timeline};

/// The longest a copy is used without asking again (RFC 9309, section 2.4): a copy of exactly this age is
/// read again first.
pub const MAX_AGE: Duration = Duration::from_secs(86_400);

/// The shortest time a copy is used, whatever `Cache-Control` says.
pub const MIN_AGE: Duration = Duration::from_secs(300);

/// The robots.txt files of many origins: which are known, which must be read, and when a failed one may be
/// asked again.
///
/// It is a state machine: the time is an argument, and the fetching is yours. For each request
/// [`check`](Self::check) its origin and do what the [`Lookup`] says.
///
/// - A copy lives for [`MAX_AGE`] at the most, counted from when it was asked for. `Cache-Control` or `Expires` may
///   shorten that to no less than [`MIN_AGE`].
/// - A copy with `ETag` or `Last-Modified` is asked for conditionally, with the bytes as they came.
/// - While the site answers 429, 5xx or nothing, the last good copy goes on to hold; without one the site is closed.
///   It is asked again after 15 minutes where nothing answered, after 60 seconds where a status did, doubling
///   to a day, and never before a `Retry-After`.
/// - A site without a copy that has been failing for 30 days counts as one without a file
///   (RFC 9309, section 2.3.1.4), see [`CacheOptions::give_up_after`].
/// - A clock that is set back makes no copy younger and no wait longer.
/// - Memory is bounded ([`CacheOptions`]). What is forgotten is read again before the next request; a failing
///   site is remembered until it may be asked again. Forgetting never opens a path.
///
/// ```
/// use bot_etiquette_robots::{Lookup, Origin, RobotsAnswer, RobotsCache};
/// use std::time::{Duration, UNIX_EPOCH};
///
/// let mut cache = RobotsCache::new(["MyBot".parse()?]);
/// let origin: Origin = "https://example.com/a".parse()?;
/// let now = UNIX_EPOCH + Duration::from_secs(1_800_000_000);
///
/// let Lookup::Fetch(ticket) = cache.check(&origin, now, Duration::ZERO) else { panic!() };
/// // Ask for `ticket.origin().robots_txt()`, following up to five redirects. Meanwhile others wait:
/// assert!(matches!(cache.check(&origin, now, Duration::ZERO), Lookup::Wait));
/// let answer = RobotsAnswer::from_status(200).body(b"User-agent: *\nDisallow: /private/\n");
/// cache.finished(ticket, &answer, now);
///
/// let Lookup::Use(copy) = cache.check(&origin, now, Duration::ZERO) else { panic!() };
/// assert!(!copy.rules().verdict("/private/diary").is_allowed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RobotsCache {
    agents: Vec<ProductToken>,
    options: CacheOptions,
    timeline: Timeline,
    entries: HashMap<Origin, Slot>,
    /// Entries that may be forgotten at any time, the longest unused first.
    idle: BTreeMap<u64, Origin>,
    uses: u64,
    flights: u64,
    bytes: usize,
}

/// The limits of a [`RobotsCache`].
///
/// ```
/// use bot_etiquette_robots::{CacheOptions, RobotsCache};
///
/// let mut options = CacheOptions::default();
/// options.max_origins = 100;
/// options.give_up_after = None;
/// let cache = RobotsCache::with_options(["MyBot".parse()?], options);
/// assert!(cache.is_empty());
/// # Ok::<(), bot_etiquette_robots::TokenError>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CacheOptions {
    /// Origins remembered at the most; 10,000 by default, at least 1.
    pub max_origins: usize,
    /// Bytes of robots.txt text remembered at the most; 64 MiB by default. The file just read always stays,
    /// so one file may exceed it.
    pub max_bytes: usize,
    /// How long a fetch may take before it counts as lost and another asker gets it; 10 minutes by default.
    pub fetch_limit: Duration,
    /// After failing for so long, a site without a copy counts as one without a robots.txt; 30 days by
    /// default. `None` keeps it closed for as long as it fails.
    pub give_up_after: Option<Duration>,
}

impl Default for CacheOptions {
    fn default() -> Self {
        Self {
            max_origins: 10_000,
            max_bytes: 64 * 1024 * 1024,
            fetch_limit: Duration::from_secs(600),
            give_up_after: Some(Duration::from_secs(30 * 86_400)),
        }
    }
}

/// An entry, and its place in the order of use while it may be forgotten.
#[derive(Debug, Default)]
struct Slot {
    entry: Entry,
    idle: Option<u64>,
}

impl RobotsCache {
    /// An empty cache for a crawler that follows the rules of the first of these tokens that a file names.
    #[must_use]
    pub fn new(agents: impl IntoIterator<Item = ProductToken>) -> Self {
        Self::with_options(agents, CacheOptions::default())
    }

    /// An empty cache with limits of its own.
    #[must_use]
    pub fn with_options(agents: impl IntoIterator<Item = ProductToken>, options: CacheOptions) -> Self {
        Self {
            agents: agents.into_iter().collect(),
            options,
            timeline: Timeline::default(),
            entries: HashMap::new(),
            idle: BTreeMap::new(),
            uses: 0,
            flights: 0,
            bytes: 0,
        }
    }

    /// What to do before asking this origin for anything.
    ///
    /// `margin` is how long the request may still wait after this answer before it leaves: a copy that would
    /// be too old by then is read again now.
    #[must_use]
    pub fn check(&mut self, origin: &Origin, now: SystemTime, margin: Duration) -> Lookup {
        let now = self.timeline.at(now);
        let step = match self.entries.get_mut(origin) {
            Some(slot) => match slot.entry.step(now, margin, &self.options) {
                // The last in the order of use stays where it is.
                Step::Use(copy) if slot.idle == Some(self.uses) => return Lookup::Use(copy),
                step => step,
            },
            None => {
                if !self.make_room(now) {
                    return Lookup::Full;
                }
                Step::Fetch
            }
        };
        let lookup = match step {
            Step::Use(copy) => Lookup::Use(copy),
            Step::Wait => Lookup::Wait,
            Step::Closed(why, until) => Lookup::Closed { why, until: self.timeline.wall(until) },
            Step::Fetch => {
                self.flights = self.flights.wrapping_add(1);
                let slot = self.entries.entry(origin.clone()).or_default();
                slot.entry.flight = Some(Flight { number: self.flights, since: now });
                let validators = slot.entry.known.as_ref().map(|known| known.validators.clone());
                let validators = validators.unwrap_or_default();
                Lookup::Fetch(FetchTicket {
                    origin: origin.clone(),
                    number: self.flights,
                    asked: now,
                    etag: validators.etag,
                    last_modified: validators.last_modified,
                })
            }
        };
        self.used(origin);
        lookup
    }

    /// Takes in the end of a fetch. An answer that comes after [`CacheOptions::fetch_limit`], when another
    /// asker has been sent, changes nothing.
    pub fn finished(&mut self, ticket: FetchTicket, answer: &RobotsAnswer, now: SystemTime) {
        let wall = now;
        let now = self.timeline.at(now);
        let Some(slot) = slot_of(&mut self.entries, &ticket) else { return };
        let before = slot.entry.size();
        slot.entry.finished(answer, ticket.asked, now, wall, &self.agents, &self.options);
        self.bytes = self.bytes.saturating_sub(before).saturating_add(slot.entry.size());
        self.used(&ticket.origin);
        self.shed_bytes(&ticket.origin);
    }

    /// Takes back a ticket whose fetch was not made or has no end to tell, as when the crawler's own limits
    /// refused it. What is known of the origin stays as it was.
    pub fn abandoned(&mut self, ticket: FetchTicket) {
        if let Some(slot) = slot_of(&mut self.entries, &ticket) {
            slot.entry.flight = None;
            self.used(&ticket.origin);
        }
    }

    /// Has the robots.txt of an origin read again before its next use, conditionally where it can be. A wait
    /// after failures is not shortened.
    pub fn refresh(&mut self, origin: &Origin) {
        if let Some(slot) = self.entries.get_mut(origin) {
            slot.entry.refresh = true;
        }
    }

    /// Origins remembered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether anything is remembered of an origin.
    #[cfg(feature = "tower")]
    pub(crate) fn remembers(&self, origin: &Origin) -> bool {
        self.entries.contains_key(origin)
    }

    /// Bytes of robots.txt text remembered.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Puts an origin at the end of the order of use, where it may be forgotten at all.
    fn used(&mut self, origin: &Origin) {
        self.uses = self.uses.wrapping_add(1);
        let Some(slot) = self.entries.get_mut(origin) else { return };
        if let Some(place) = slot.idle.take() {
            self.idle.remove(&place);
        }
        if slot.entry.held_until(&self.options).is_none() {
            slot.idle = Some(self.uses);
            self.idle.insert(self.uses, origin.clone());
        }
    }

    /// Forgets what may be forgotten until there is room for one more origin.
    fn make_room(&mut self, now: Moment) -> bool {
        while self.entries.len() >= self.options.max_origins.max(1) {
            let oldest = self.idle.first_key_value().map(|(_, origin)| origin.clone());
            // A failing site that may be asked again by now loses its copy and the count of its failures:
            // it is closed until it answers. A fetch that nobody ended is lost by now.
            let Some(origin) = oldest.or_else(|| {
                let held = self.entries.iter().filter_map(|(origin, slot)| {
                    slot.entry.held_until(&self.options).map(|until| (until, origin))
                });
                held.filter(|(until, _)| *until <= now).min().map(|(_, origin)| origin.clone())
            }) else {
                return false;
            };
            self.forget(&origin);
        }
        true
    }

    /// Keeps the text within its limit: first what is idle goes, then the copies of failing sites, which are
    /// closed without them.
    fn shed_bytes(&mut self, keep: &Origin) {
        while self.bytes > self.options.max_bytes {
            let has_text = |origin: &&Origin| {
                *origin != keep && self.entries.get(*origin).is_some_and(|slot| slot.entry.size() > 0)
            };
            let Some(origin) = self.idle.values().find(has_text).cloned() else { break };
            self.forget(&origin);
        }
        if self.bytes <= self.options.max_bytes {
            return;
        }
        for (origin, slot) in &mut self.entries {
            if origin != keep && slot.entry.size() > 0 {
                self.bytes = self.bytes.saturating_sub(slot.entry.size());
                slot.entry.known = None;
                if self.bytes <= self.options.max_bytes {
                    break;
                }
            }
        }
    }

    fn forget(&mut self, origin: &Origin) {
        if let Some(slot) = self.entries.remove(origin) {
            self.bytes = self.bytes.saturating_sub(slot.entry.size());
            if let Some(place) = slot.idle {
                self.idle.remove(&place);
            }
        }
    }
}

/// The entry a ticket was made for, while its fetch is still the one under way.
fn slot_of<'e>(entries: &'e mut HashMap<Origin, Slot>, ticket: &FetchTicket) -> Option<&'e mut Slot> {
    let slot = entries.get_mut(&ticket.origin)?;
    slot.entry.flight.is_some_and(|flight| flight.number == ticket.number).then_some(slot)
}
