//! The clocks of all hosts, in memory.

mod ends;
mod memory;

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use url::Url;

use crate::explain::Explanation;
use crate::host::host_str;
use crate::opened::Opened;
use crate::outcome::Outcome;
use crate::permit::Permit;
use crate::policy::{GroupPolicy, Policy, UnknownGroup};
use crate::refusal::Refusal;
use crate::report::Report;
use crate::rules::Rules;
use crate::state::{Groups, HostState};
use crate::table::{HostId, Table};
use crate::{Ask, Host, HostPolicy, Origin, Reason, Timestamp};

/// The most start times that one forecast gives.
pub const MAX_FORECAST: usize = 100_000;

/// When each host may be asked again, and why not before.
///
/// A handle to one table: clones share it. A call takes the time as its last argument; a time before the
/// latest one at which something was done counts as that. The table holds as many hosts as the policy says and forgets only those of
/// which nothing is running; a new host that finds no room is refused.
///
/// ```
/// use bot_etiquette_politeness::{Ask, HostPolicy, Outcome, Policy, Politeness, Timestamp};
/// use std::time::Duration;
///
/// let politeness = Politeness::new(Policy::new(HostPolicy::new().min_delay(Duration::from_secs(1))));
/// let url = url::Url::parse("https://example.com/")?;
/// let at = Timestamp::from_millis;
///
/// let permit = politeness.admit(&Ask::new(&url), at(0))?;
/// // .. the request is made here, and its answer read to the end ..
/// permit.finish(&Outcome::status(200), at(300));
///
/// let refusal = politeness.admit(&Ask::new(&url), at(400)).unwrap_err();
/// assert_eq!(refusal.until(), Some(at(1300)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Politeness(Arc<Mutex<Shared>>);

struct Shared {
    table: Table,
    latest: Timestamp,
    /// Permits dropped since the last call that changed anything.
    dropped: Vec<Dropped>,
    random: Option<Box<dyn FnMut() -> f64 + Send>>,
}

/// A dropped permit: it ends at the next time that is told, of several the earliest.
struct Dropped {
    id: HostId,
    opened: Opened,
    at: Timestamp,
}

impl Shared {
    fn random(&mut self) -> f64 {
        self.random.as_mut().map_or(0.0, |random| random())
    }

    /// The time to judge by.
    fn seen(&mut self, now: Timestamp) -> Timestamp {
        let now = self.latest.max(now).min(Timestamp::LAST_NOW);
        for dropped in &mut self.dropped {
            dropped.at = dropped.at.min(now);
        }
        now
    }

    /// The time to act at; ends the permits that were dropped.
    fn tick(&mut self, now: Timestamp) -> Timestamp {
        let now = self.seen(now);
        self.latest = now;
        while let Some(Dropped { id, opened, at }) = self.dropped.pop() {
            self.end(id, &opened, &Outcome::aborted(), at);
        }
        now
    }

    /// What a question about a host needs: its clocks as they stand when the dropped permits have ended.
    fn peek(&self, id: HostId) -> Option<(Cow<'_, HostState>, &Rules, Cow<'_, Groups>)> {
        let (state, rules, groups) = self.table.view(id)?;
        let (mut state, mut groups) = (Cow::Borrowed(state), Cow::Borrowed(groups));
        let ended = &Outcome::aborted();
        for Dropped { id: of, opened, at } in &self.dropped {
            if *of == id {
                state.to_mut().end(rules, groups.to_mut(), opened, ended, 0.0, *at);
            } else if let Some((other, rules, _)) = self.table.view(*of) {
                other.clone().end(rules, groups.to_mut(), opened, ended, 0.0, *at);
            }
        }
        Some((state, rules, groups))
    }

    fn check(&mut self, ask: &Ask<'_>, now: Timestamp) -> Result<(), Refusal> {
        let known = ask.host_str().and_then(|name| self.table.find(name));
        if let Some((state, rules, groups)) = known.and_then(|id| self.peek(id)) {
            return state.check(rules, &groups, ask, now);
        }
        self.table.check_unknown(&host_of(ask)?, ask, now)
    }

    fn end(&mut self, id: HostId, opened: &Opened, outcome: &Outcome, now: Timestamp) {
        let random = self.random();
        if let Some((state, rules, groups)) = self.table.view_mut(id) {
            state.end(rules, groups, opened, outcome, random, now);
        }
        self.table.released(id);
    }
}

impl Politeness {
    /// Clocks under a policy, of which none runs yet.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        let shared =
            Shared { table: Table::new(policy), latest: Timestamp::ZERO, dropped: Vec::new(), random: None };
        Self(Arc::new(Mutex::new(shared)))
    }

    /// Where jitter comes from: numbers from 0 to 1. Without it there is none, whatever the policy allows.
    #[must_use]
    pub fn with_random(self, random: impl FnMut() -> f64 + Send + 'static) -> Self {
        self.lock().random = Some(Box::new(random));
        self
    }

    /// A call that panicked left no half-made change worth refusing all others for.
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether `ask` may start now; changes nothing, so that `now` may lie ahead.
    pub fn check(&self, ask: &Ask<'_>, now: Timestamp) -> Result<(), Refusal> {
        let mut shared = self.lock();
        let now = shared.seen(now);
        shared.check(ask, now)
    }

    /// Admits a request, which starts now, or refuses it, which reserves nothing.
    pub fn admit(&self, ask: &Ask<'_>, now: Timestamp) -> Result<Permit, Refusal> {
        let mut shared = self.lock();
        let now = shared.tick(now);
        let name = ask.host_str().ok_or_else(names_no_host)?;
        let table = &mut shared.table;
        let id = match table.find(name) {
            Some(id) => id,
            None => {
                let host = host_of(ask)?;
                table.check_unknown(&host, ask, now)?;
                table.intern(&host, now)?
            }
        };
        let host = match table.name(id) {
            Some(known) if known.as_str() == name => known.clone(),
            // It shares the clock of another name.
            _ => host_of(ask)?,
        };
        let (state, rules, groups) = table.view_mut(id).ok_or_else(no_such_host)?;
        let opened = state.start(rules, groups, ask, now)?;
        drop(shared);
        Ok(Permit::new(self.clone(), id, host, opened))
    }

    /// The place of a host, for decisions that hash no name. A new host is refused where there is no room.
    pub fn host_id(&self, host: &Host, now: Timestamp) -> Result<HostId, Refusal> {
        let mut shared = self.lock();
        let now = shared.tick(now);
        shared.table.intern(host, now)
    }

    /// The place of the host of a URL, which builds no [`Host`] where the host is known. A URL without a host is
    /// refused as [`NotConfigured`](Reason::NotConfigured), a new host where there is no room.
    ///
    /// ```
    /// use bot_etiquette_politeness::{Host, HostPolicy, Policy, Politeness, Timestamp};
    ///
    /// let politeness = Politeness::new(Policy::new(HostPolicy::new()));
    /// let now = Timestamp::from_millis(0);
    /// let url = url::Url::parse("https://example.com/page")?;
    /// let host = politeness.host_id_of(&url, now)?;
    /// assert_eq!(politeness.host_id(&"example.com".parse()?, now)?, host);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn host_id_of(&self, url: &Url, now: Timestamp) -> Result<HostId, Refusal> {
        let mut shared = self.lock();
        let now = shared.tick(now);
        let name = host_str(url).ok_or_else(names_no_host)?;
        match shared.table.find(name) {
            Some(id) => Ok(id),
            None => shared.table.intern(&Host::of(url).ok_or_else(names_no_host)?, now),
        }
    }

    /// Whether the host may be asked now, as far as the host itself and its groups decide: resources, classes,
    /// paths and revisits are judged by [`admit`](Self::admit). An id of an evicted host is refused as
    /// [`TableFull`](Reason::TableFull): ask for its id again. Changes nothing.
    pub fn check_host(&self, host: HostId, now: Timestamp) -> Result<(), Refusal> {
        let mut shared = self.lock();
        let now = shared.seen(now);
        let (state, rules, groups) = shared.peek(host).ok_or_else(no_such_host)?;
        state.check_host(rules, &groups, now)
    }

    /// [`admit`](Self::admit) without hashing: `host` is the place of the host of `ask`.
    pub fn admit_at(&self, host: HostId, ask: &Ask<'_>, now: Timestamp) -> Result<Permit, Refusal> {
        let mut shared = self.lock();
        let now = shared.tick(now);
        let name = ask.host_str().ok_or_else(names_no_host)?;
        let table = &mut shared.table;
        let known = table.name(host).ok_or_else(no_such_host)?;
        // An address may be spelt with the clock's own name, or with one that shares it.
        let asked = if known.as_str() == name { known.clone() } else { host_of(ask)? };
        if table.policy.clock_of(&asked) != known {
            return Err(no_such_host());
        }
        let (state, rules, groups) = table.view_mut(host).ok_or_else(no_such_host)?;
        let opened = state.start(rules, groups, ask, now)?;
        drop(shared);
        Ok(Permit::new(self.clone(), host, asked, opened))
    }

    /// Every clock that bears on `ask`, whether it refuses or is past; changes nothing.
    #[must_use]
    pub fn explain(&self, ask: &Ask<'_>, now: Timestamp) -> Explanation {
        let mut shared = self.lock();
        let now = shared.seen(now);
        let refusal = shared.check(ask, now).err();
        let known = ask.host_str().and_then(|name| shared.table.find(name));
        let mut clocks = Vec::new();
        if let Some((state, rules, groups)) = known.and_then(|id| shared.peek(id)) {
            state.visit(rules, &groups, Some(ask), now, |clock| clocks.push(clock));
        }
        Explanation::new(refusal, clocks, now)
    }

    /// The next `count` times at which requests like `ask`, each of another URL, could start if each were
    /// answered at once and well. Fewer where no time is known: when slots alone are missing, or never.
    ///
    /// At most [`MAX_FORECAST`]. Changes nothing.
    #[must_use]
    pub fn forecast(&self, ask: &Ask<'_>, count: usize, now: Timestamp) -> Vec<Timestamp> {
        let Ok(host) = host_of(ask) else { return Vec::new() };
        let mut shared = self.lock();
        let mut now = shared.seen(now);
        let table = &shared.table;
        let (mut state, mut groups) = match table.find(host.as_str()).and_then(|id| shared.peek(id)) {
            Some((state, _, groups)) => (state.into_owned(), groups.into_owned()),
            None => (HostState::default(), table.groups.clone()),
        };
        let mut rules = table.policy.rules(&host);
        rules.revisit.clear();
        drop(shared);
        let mut starts = Vec::new();
        while starts.len() < count.min(MAX_FORECAST) {
            match state.start(&rules, &mut groups, ask, now) {
                Ok(opened) => {
                    starts.push(now);
                    state.end(&rules, &mut groups, &opened, &Outcome::status(200), 0.0, now);
                }
                // A time that does not lie ahead is the end of time.
                Err(refusal) => match refusal.until() {
                    Some(until) if until > now && until < Timestamp::MAX => now = until,
                    _ => break,
                },
            }
        }
        starts
    }

    /// Learns what only the body of an answer showed, after its request has ended. While it is open, use
    /// [`Permit::report`]. `ask` names the host and the resource.
    ///
    /// Refused only where the host is new and the table is full.
    pub fn report(&self, ask: &Ask<'_>, report: Report, now: Timestamp) -> Result<(), Refusal> {
        let mut shared = self.lock();
        let now = shared.tick(now);
        let random = shared.random();
        let id = shared.table.intern(&host_of(ask)?, now)?;
        if let Some((state, rules, _)) = shared.table.view_mut(id) {
            state.report(rules, ask.resource_name(), report, random, now);
        }
        Ok(())
    }

    /// An operator blocks a host: nothing of it is admitted from now on, robots.txt included, until it is
    /// [revived](Self::revive). Open requests keep their slots until they end. It is remembered even when the
    /// table is full.
    pub fn kill(&self, host: &Host, now: Timestamp) {
        let mut shared = self.lock();
        shared.tick(now);
        let id = shared.table.intern_always(host);
        if let Some((state, ..)) = shared.table.view_mut(id) {
            state.kill();
        }
    }

    /// Lifts a kill, a challenge, and the park of a Retry-After too long to wait for. Running clocks run on.
    pub fn revive(&self, host: &Host, now: Timestamp) {
        let mut shared = self.lock();
        shared.tick(now);
        let Some(id) = shared.table.find(host.as_str()) else {
            // A group may be parked by another of its hosts.
            let rules = shared.table.policy.rules(host);
            let table = &mut shared.table;
            return HostState::default().revive(&rules, &mut table.groups);
        };
        if let Some((state, rules, groups)) = shared.table.view_mut(id) {
            state.revive(rules, groups);
        }
        shared.table.released(id);
    }

    /// What the robots.txt of one origin asks for; `None` takes that origin's wish back. Of several origins of
    /// a host the largest counts, from the last request on, at once.
    ///
    /// Refused only where the host is new and the table is full.
    pub fn set_crawl_delay(
        &self,
        origin: &Origin,
        delay: Option<Duration>,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        let mut shared = self.lock();
        let now = shared.tick(now);
        let id = shared.table.intern(origin.host(), now)?;
        if let Some((state, ..)) = shared.table.view_mut(id) {
            state.set_crawl_delay(origin, delay, now);
        }
        shared.table.released(id);
        Ok(())
    }

    /// Replaces the policy. Clocks act by the new rules from their last events on, at once; a hold that runs
    /// is not shortened. Overrides of the old policy are gone.
    pub fn set_policy(&self, policy: Policy, now: Timestamp) {
        let mut shared = self.lock();
        shared.tick(now);
        shared.table.set_policy(policy);
    }

    /// Lays rules over those that the policy has for a host; empty rules take the override away.
    pub fn set_host_policy(&self, host: &Host, over: HostPolicy, now: Timestamp) {
        let mut shared = self.lock();
        shared.tick(now);
        shared.table.policy.override_host(host, over);
        shared.table.renew_rules();
    }

    /// The same for a group of the policy.
    pub fn set_group_policy(
        &self,
        name: &str,
        over: GroupPolicy,
        now: Timestamp,
    ) -> Result<(), UnknownGroup> {
        let mut shared = self.lock();
        shared.tick(now);
        shared.table.policy.override_group(name, over)?;
        shared.table.renew_rules();
        Ok(())
    }
}

/// A URL without a host is in nobody's list.
fn host_of(ask: &Ask<'_>) -> Result<Host, Refusal> {
    ask.host().ok_or_else(names_no_host)
}

fn names_no_host() -> Refusal {
    Refusal::never(Reason::NotConfigured)
}

fn no_such_host() -> Refusal {
    Refusal::new(Reason::TableFull, None)
}

impl fmt::Debug for Politeness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Politeness").field("hosts", &self.hosts()).finish_non_exhaustive()
    }
}
