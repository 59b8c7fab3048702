//! A cache under any events, any answers and any clock.

use std::collections::HashMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bot_etiquette_robots::{
    Availability, CacheOptions, FetchTicket, Lookup, MAX_AGE, Origin, ProductToken, RobotsAnswer, RobotsCache,
};

const MAX_ORIGINS: usize = 4;
const MAX_BYTES: usize = 2_048;
/// Seconds after which a fetch counts as lost.
const FETCH_LIMIT: u64 = 600;

/// Each pair of bytes is an event and its amount. Whatever comes, no copy is used beyond its day unless the
/// site is failing, no origin is fetched twice at once, and the bounds hold.
pub fn cache(data: &[u8]) {
    let mut world = World::new();
    for pair in data.chunks_exact(2).take(4_096) {
        world.event(pair[0], pair[1]);
        assert!(world.cache.len() <= MAX_ORIGINS);
        assert!(world.cache.bytes() <= MAX_BYTES, "{}", world.cache.bytes());
    }
}

struct World {
    cache: RobotsCache,
    options: CacheOptions,
    origins: Vec<Origin>,
    /// True time, which only passes, and what the clock says.
    passed: u64,
    clock: u64,
    /// The last ticket of each origin, while it is held, and when it was given.
    tickets: HashMap<Origin, FetchTicket>,
    given: HashMap<Origin, u64>,
    /// When the copy of each origin was asked for.
    asked: HashMap<Origin, u64>,
}

fn agents() -> [ProductToken; 1] {
    ["FooBot".parse().expect("a token")]
}

impl World {
    fn new() -> Self {
        let mut options = CacheOptions::default();
        options.max_origins = MAX_ORIGINS;
        options.max_bytes = MAX_BYTES;
        let origin = |host| format!("https://h{host}.example").parse().expect("an origin");
        Self {
            cache: RobotsCache::with_options(agents(), options.clone()),
            options,
            origins: (0..MAX_ORIGINS + 2).map(origin).collect(),
            passed: 0,
            clock: 1_800_000_000,
            tickets: HashMap::new(),
            given: HashMap::new(),
            asked: HashMap::new(),
        }
    }

    fn now(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(self.clock)
    }

    fn event(&mut self, event: u8, amount: u8) {
        let origin = self.origins[usize::from(event >> 3) % self.origins.len()].clone();
        match event & 7 {
            0..=2 => self.check(&origin, amount),
            3 | 4 => self.end(&origin, amount),
            5 => {
                let seconds = 4 * u64::from(amount) * u64::from(amount);
                self.passed += seconds;
                self.clock += seconds;
                self.check(&origin, 0);
            }
            6 => {
                // The cache sees the time before and after a step of the clock: what passes unseen between
                // cannot be known.
                self.check(&origin, 0);
                self.clock = self.clock.saturating_sub(u64::from(amount) * 40_000);
                self.check(&origin, 0);
            }
            _ if amount % 2 == 0 => self.cache.refresh(&origin),
            _ => self.restart(),
        }
    }

    fn check(&mut self, origin: &Origin, margin: u8) {
        let now = self.now();
        match self.cache.check(origin, now, Duration::from_secs(margin.into())) {
            Lookup::Fetch(ticket) => {
                let lost = self.given.get(origin).is_none_or(|given| self.passed >= given + FETCH_LIMIT);
                assert!(lost || !self.tickets.contains_key(origin), "fetched twice at once");
                self.given.insert(origin.clone(), self.passed);
                self.tickets.insert(origin.clone(), ticket);
            }
            Lookup::Use(copy) if copy.availability() == Availability::Successful && !copy.is_stale() => {
                assert!(self.passed - self.asked[origin] < MAX_AGE.as_secs(), "older than a day");
            }
            Lookup::Use(_) => {}
            Lookup::Closed { until, .. } => assert!(until > now),
            Lookup::Wait => assert!(self.passed < self.given[origin] + FETCH_LIMIT),
            Lookup::Full => assert_eq!(self.cache.len(), MAX_ORIGINS),
        }
    }

    fn end(&mut self, origin: &Origin, amount: u8) {
        let Some(ticket) = self.tickets.remove(origin) else { return };
        let seconds = u64::from(amount);
        let answer = match amount % 8 {
            0 | 1 => RobotsAnswer::from_status(200).header("etag", [b'"', amount, b'"']).body(vec![
                b'#';
                usize::from(amount)
                    * 8
            ]),
            2 => RobotsAnswer::from_status(304).header("cache-control", format!("max-age={}", seconds * 300)),
            3 => RobotsAnswer::from_status(404).header("expires", "0"),
            4 => RobotsAnswer::from_status(503).header("retry-after", (seconds * 997).to_string()),
            5 => RobotsAnswer::no_answer(),
            6 => RobotsAnswer::from_status(amount.into()),
            _ => return self.cache.abandoned(ticket),
        };
        if answer.availability() == Availability::Successful || amount % 8 == 2 {
            self.asked.insert(origin.clone(), self.given[origin]);
        }
        self.cache.finished(ticket, &answer, self.now());
    }

    /// What was exported is what the next process exports.
    fn restart(&mut self) {
        let now = self.now();
        let before = serde_json::to_string(&self.cache.export(now)).expect("it can be written");
        let mut again = RobotsCache::with_options(agents(), self.options.clone());
        again.import(&serde_json::from_str(&before).expect("it can be read"), now);
        let after = serde_json::to_string(&again.export(now)).expect("it can be written");
        assert_eq!(before, after);
    }
}
