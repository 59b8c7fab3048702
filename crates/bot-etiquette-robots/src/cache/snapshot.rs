//! The cache as data, to be kept over a restart.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::answer::Validators;
use super::entry::{Entry, Known, Trouble};
use super::time::{Moment, from_millis, wall_millis};
use super::{MAX_AGE, Origin, RobotsCache, RobotsCopy, Slot};
use crate::{Availability, Unreachable};

/// A [`RobotsCache`] as data: the texts, their validators and ages, and the waits of failing sites.
///
/// It holds nothing but what sites publish, and fetches under way are left out.
///
/// ```
/// use bot_etiquette_robots::{Lookup, Origin, RobotsAnswer, RobotsCache, RobotsSnapshot};
/// use std::time::{Duration, UNIX_EPOCH};
///
/// let now = UNIX_EPOCH + Duration::from_secs(1_800_000_000);
/// let origin: Origin = "https://example.com".parse()?;
/// let mut cache = RobotsCache::new(["MyBot".parse()?]);
/// if let Lookup::Fetch(ticket) = cache.check(&origin, now, Duration::ZERO) {
///     cache.finished(ticket, &RobotsAnswer::from_status(200).body(b"User-agent: *\nDisallow: /a\n"), now);
/// }
/// let json = serde_json::to_string(&cache.export(now))?;
///
/// let mut again = RobotsCache::new(["MyBot".parse()?]);
/// let snapshot: RobotsSnapshot = serde_json::from_str(&json)?;
/// assert_eq!(again.import(&snapshot, now), 1);
/// assert!(matches!(again.check(&origin, now, Duration::ZERO), Lookup::Use(copy) if !copy.rules().verdict("/a").is_allowed()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RobotsSnapshot {
    /// When it was taken, in milliseconds since the Unix epoch, as every time below.
    taken: u64,
    origins: Vec<SavedOrigin>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct SavedOrigin {
    origin: String,
    #[serde(default)]
    refresh: bool,
    known: Option<SavedKnown>,
    trouble: Option<SavedTrouble>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct SavedKnown {
    /// `None` where there is no file.
    file: Option<Bytes>,
    looks_like_html: bool,
    etag: Option<Bytes>,
    last_modified: Option<Bytes>,
    asked: u64,
    fresh_until: u64,
    read_at: Option<u64>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct SavedTrouble {
    why: Unreachable,
    since: u64,
    busy: u32,
    silent: u32,
    next: u64,
    given_up: bool,
}

/// Bytes, as text where they are text.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Bytes {
    Text(String),
    Bytes(Vec<u8>),
}

impl Bytes {
    fn new(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Bytes(bytes.to_vec()),
        }
    }

    fn as_slice(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

impl RobotsCache {
    /// Everything known, as data.
    #[must_use]
    pub fn export(&mut self, now: SystemTime) -> RobotsSnapshot {
        self.timeline.at(now);
        let saved = self.entries.iter().filter_map(|(origin, slot)| {
            let entry = &slot.entry;
            (entry.known.is_some() || entry.trouble.is_some()).then(|| SavedOrigin {
                origin: origin.as_str().to_owned(),
                refresh: entry.refresh,
                known: entry.known.as_ref().map(|known| self.save(known)),
                trouble: entry.trouble.as_ref().map(|trouble| SavedTrouble {
                    why: trouble.why,
                    since: self.timeline.wall_millis(trouble.since),
                    busy: trouble.busy,
                    silent: trouble.silent,
                    next: self.timeline.wall_millis(trouble.next),
                    given_up: trouble.given_up,
                }),
            })
        });
        let mut origins: Vec<_> = saved.collect();
        origins.sort_by(|one, other| one.origin.cmp(&other.origin));
        RobotsSnapshot { taken: wall_millis(now), origins }
    }

    fn save(&self, known: &Known) -> SavedKnown {
        let bytes = |bytes: &Option<Vec<u8>>| bytes.as_deref().map(Bytes::new);
        SavedKnown {
            file: known.copy.robots().map(|robots| Bytes::new(robots.text())),
            looks_like_html: known.copy.looks_like_html,
            etag: bytes(&known.validators.etag),
            last_modified: bytes(&known.validators.last_modified),
            asked: self.timeline.wall_millis(known.asked),
            fresh_until: self.timeline.wall_millis(known.fresh_until),
            read_at: known.copy.read_at.map(wall_millis),
        }
    }

    /// Takes in what was exported, and says how many origins it took. What this cache knows already stays;
    /// what finds no room, or has an origin that is none, is left out and will be read again when needed.
    ///
    /// Ages go on over the time between. Where the clock has been set back meanwhile, they are what they were.
    pub fn import(&mut self, snapshot: &RobotsSnapshot, now: SystemTime) -> usize {
        let own = self.timeline.at(now);
        let elapsed = wall_millis(now).saturating_sub(snapshot.taken);
        let mut taken_in = 0_usize;
        // Failing sites first: they are what must not be forgotten.
        let (failing, others): (Vec<_>, Vec<_>) =
            snapshot.origins.iter().partition(|saved| saved.trouble.is_some());
        for saved in failing.into_iter().chain(others) {
            let Ok(origin) = saved.origin.parse::<Origin>() else { continue };
            let full = self.entries.len() >= self.options.max_origins.max(1);
            if full || self.entries.contains_key(&origin) {
                continue;
            }
            let moment = |time: u64| own.shifted(time, snapshot.taken, elapsed);
            let known = saved.known.as_ref().map(|known| self.restore(known, snapshot.taken, moment));
            let trouble = saved.trouble.as_ref().map(|trouble| Trouble {
                why: trouble.why,
                since: moment(trouble.since),
                busy: trouble.busy,
                silent: trouble.silent,
                next: moment(trouble.next),
                given_up: trouble.given_up,
            });
            let entry = Entry { known, trouble, flight: None, refresh: saved.refresh, news: true };
            self.bytes = self.bytes.saturating_add(entry.size());
            self.entries.insert(origin.clone(), Slot { entry, idle: None });
            self.used(&origin);
            self.shed_bytes(&origin);
            taken_in = taken_in.saturating_add(1);
        }
        taken_in
    }

    fn restore(&self, saved: &SavedKnown, taken: u64, moment: impl Fn(u64) -> Moment) -> Known {
        let bytes = |bytes: &Option<Bytes>| bytes.as_ref().map(|bytes| bytes.as_slice().to_vec());
        // What claims to be read later than it was saved is of no known age: the oldest there is.
        let (asked, fresh_until) = if saved.asked > taken {
            (Moment::default(), Moment::default())
        } else {
            (moment(saved.asked), moment(saved.fresh_until))
        };
        let copy = match &saved.file {
            Some(text) => RobotsCopy::read(text.as_slice(), &self.agents, saved.looks_like_html),
            None => RobotsCopy::without_file(Availability::Unavailable),
        };
        Known {
            copy: RobotsCopy { read_at: saved.read_at.map(from_millis), ..copy },
            validators: Validators { etag: bytes(&saved.etag), last_modified: bytes(&saved.last_modified) },
            asked,
            fresh_until: fresh_until.min(asked.plus(MAX_AGE)),
        }
    }
}
