//! The events of a file, told to a [`Politeness`] in virtual time.

use std::collections::{HashMap, VecDeque};

use bot_etiquette_politeness::{
    Ask, GroupPolicy, HostPolicy, Outcome, Permit, Policy, Politeness, Timestamp,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value};
use url::{Position, Url};

use super::answer::{Asked, Decision};
use super::event::{Event, Subject, What};

pub(crate) struct Simulation {
    politeness: Politeness,
    policy: Policy,
    epoch: Timestamp,
    jitter: Option<u64>,
    /// The latest moment that an event told: one that lies before it counts as this.
    latest: Timestamp,
    /// Open requests by URL, oldest first.
    open: HashMap<String, VecDeque<Permit>>,
    /// Every request that was made, for rules that are set later and count it.
    log: Vec<(Timestamp, Url, String)>,
    /// What `set` events have laid over the policy.
    overrides: HashMap<Subject, Map<String, Value>>,
}

impl Simulation {
    pub(crate) fn new(policy: Policy, epoch: Timestamp, jitter: Option<u64>) -> Self {
        let politeness = start(policy.clone(), jitter);
        Self {
            politeness,
            policy,
            epoch,
            jitter,
            latest: Timestamp::ZERO,
            open: HashMap::new(),
            log: Vec::new(),
            overrides: HashMap::new(),
        }
    }

    /// Tells one event; an ask is answered.
    pub(crate) fn tell(&mut self, event: &Event) -> Result<Option<Asked>, String> {
        let (early, now) = self.moment(&event.at);
        // Dates are read against it, and it is carried over a restart: so the table's own memory is not enough.
        let early = if now < self.latest { self.latest } else { early };
        self.latest = self.latest.max(now);
        let now = self.latest;
        match &event.what {
            What::Ask { url, text, class, resource } => {
                let mut ask = Ask::new(url);
                if let Some(class) = class {
                    ask = ask.class(class);
                }
                if let Some(resource) = resource {
                    ask = ask.resource(resource);
                }
                return Ok(Some(self.ask(&event.at, text, url, &ask, early, now)));
            }
            What::End { url, status, headers } => {
                let permit = self.close(url)?;
                permit.finish(&Outcome::answered(*status, headers, now), now);
            }
            What::Fail { url, kind } => self.close(url)?.finish(&Outcome::failed(*kind), now),
            What::Report { url, outcome, resource } => {
                let resource = resource.as_deref();
                match self.open.get_mut(key(url)).and_then(VecDeque::front_mut) {
                    Some(permit) => permit.report(resource, *outcome, now),
                    None => {
                        let ask = Ask::new(url);
                        let ask = resource.map_or(ask, |resource| ask.resource(resource));
                        // Of a new host that finds the table full nothing is kept: it may not be asked either.
                        drop(self.politeness.report(&ask, *outcome, now));
                    }
                }
            }
            What::Robots { origin, crawl_delay } => {
                drop(self.politeness.set_crawl_delay(origin, *crawl_delay, now));
            }
            What::Kill(host) => self.politeness.kill(host, now),
            What::Revive(host) => self.politeness.revive(host, now),
            What::Set { subject, keys } => self.set(subject, keys, now)?,
            What::Restart => self.restart(now),
        }
        Ok(None)
    }

    fn ask(
        &mut self,
        at: &Number,
        asked: &str,
        url: &Url,
        ask: &Ask<'_>,
        early: Timestamp,
        now: Timestamp,
    ) -> Asked {
        // An ask between two milliseconds is judged by the first and starts at the second: never early.
        let decided = match self.politeness.check(ask, early) {
            Ok(()) => self.politeness.admit(ask, now),
            Err(refusal) => Err(refusal),
        };
        let refusal = match decided {
            Ok(permit) => {
                self.log.push((permit.started(), url.clone(), ask.class_name().to_owned()));
                self.open.entry(ask.url_str().to_owned()).or_default().push_back(permit);
                None
            }
            Err(refusal) => Some(refusal),
        };
        let decision = Decision::of(refusal.as_ref(), |until| self.seconds(until));
        Asked { at: at.clone(), url: asked.to_owned(), decision }
    }

    /// Takes the oldest open request of a URL.
    fn close(&mut self, url: &Url) -> Result<Permit, String> {
        let permit = self.open.get_mut(key(url)).and_then(VecDeque::pop_front);
        permit.ok_or_else(|| format!("no ask of {url} is open (it was never admitted, or has ended)"))
    }

    fn set(&mut self, subject: &Subject, keys: &Map<String, Value>, now: Timestamp) -> Result<(), String> {
        let mut over = self.overrides.get(subject).cloned().unwrap_or_default();
        for (key, value) in keys {
            // A key that is taken away is not read below: a slip in it must be seen here.
            known_key(subject, key)?;
            if value.is_null() {
                over.remove(key);
            } else {
                over.insert(key.clone(), value.clone());
            }
        }
        match subject {
            Subject::Host(host) => {
                let rules: HostPolicy = rules(&over)?;
                self.policy.override_host(host, rules.clone());
                self.politeness.set_host_policy(host, rules, now);
            }
            Subject::Group(name) => {
                let rules: GroupPolicy = rules(&over)?;
                self.policy.override_group(name, rules.clone()).map_err(|error| error.to_string())?;
                self.politeness.set_group_policy(name, rules, now).map_err(|error| error.to_string())?;
            }
        }
        self.overrides.insert(subject.clone(), over);
        let log = self.log.iter().map(|(started, url, class)| (*started, Ask::new(url).class(class)));
        self.politeness.recount(log, now);
        Ok(())
    }

    /// What a process that ends and one that begins after it do.
    fn restart(&mut self, now: Timestamp) {
        let snapshot = self.politeness.export(now);
        self.open.clear();
        self.politeness = start(self.policy.clone(), self.jitter);
        self.politeness.import(snapshot, now);
    }

    /// The milliseconds around `at`: the last not after it, the first not before it.
    fn moment(&self, at: &Number) -> (Timestamp, Timestamp) {
        let millis = at.as_f64().unwrap_or(0.0) * 1000.0;
        let nearest = millis.round();
        // A decimal fraction of a second has no exact float: what is this close is meant.
        let (early, late) = if (millis - nearest).abs() <= 1e-4 {
            (nearest, nearest)
        } else {
            (millis.floor(), millis.ceil())
        };
        (self.shifted(early), self.shifted(late))
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float saturates")]
    fn shifted(&self, millis: f64) -> Timestamp {
        let distance = millis.abs() as u64;
        let epoch = self.epoch.as_millis();
        Timestamp::from_millis(if millis < 0.0 {
            epoch.saturating_sub(distance)
        } else {
            epoch.saturating_add(distance)
        })
    }

    /// A moment in the unit of `at`.
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of 285,000 years have a float")]
    fn seconds(&self, moment: Timestamp) -> Number {
        let millis = i128::from(moment.as_millis()) - i128::from(self.epoch.as_millis());
        match i64::try_from(millis) {
            Ok(millis) if millis % 1000 == 0 => Number::from(millis / 1000),
            _ => Number::from_f64(millis as f64 / 1000.0).unwrap_or_else(|| Number::from(0)),
        }
    }
}

/// A URL without its fragment, which no request carries.
fn key(url: &Url) -> &str {
    &url[..Position::AfterQuery]
}

fn start(policy: Policy, jitter: Option<u64>) -> Politeness {
    let politeness = Politeness::new(policy);
    match jitter {
        None => politeness,
        Some(mut seed) => politeness.with_random(move || random(&mut seed)),
    }
}

/// SplitMix64: the same numbers for the same seed, everywhere.
#[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut bits = *state;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

fn known_key(subject: &Subject, key: &str) -> Result<(), String> {
    let keys = match subject {
        Subject::Host(_) => HostPolicy::KEYS,
        Subject::Group(_) => GroupPolicy::KEYS,
    };
    if keys.contains(&key) {
        return Ok(());
    }
    Err(format!("unknown key `{key}`, expected one of: {}", keys.join(", ")))
}

fn rules<T: DeserializeOwned>(keys: &Map<String, Value>) -> Result<T, String> {
    // Key by key, so that the error can name the one that is wrong.
    for (key, value) in keys {
        let one = Map::from_iter([(key.clone(), value.clone())]);
        serde_json::from_value::<T>(Value::Object(one)).map_err(|error| format!("`{key}`: {error}"))?;
    }
    serde_json::from_value(Value::Object(keys.clone())).map_err(|error| error.to_string())
}
