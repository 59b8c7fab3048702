//! What an answer, and a report about it, teach of a host: what holds it, and what lifts a hold.

use std::time::Duration;

use crate::Timestamp;
use crate::backoff::Backoff;
use crate::host_policy::{BusyScope, RateLimitRule, RetryAfterRule, RetryAfterScope};
use crate::opened::Opened;
use crate::outcome::{End, Outcome};
use crate::report::Report;
use crate::retry_after::RetryAfter;
use crate::rules::Rules;
use crate::state::{Groups, Held, HostState, MAX_RESOURCES_PER_HOST};

impl HostState {
    /// Learns from an answer what holds the host, without ending its request: from the head, while the body still
    /// comes, or from a request that had been given up before (its lease had ended, and its slot went to another).
    /// What it says against the host counts, a good answer lifts nothing.
    pub fn heard(
        &mut self,
        rules: &Rules,
        groups: &mut Groups,
        opened: &Opened,
        outcome: &Outcome,
        random: f64,
        now: Timestamp,
    ) {
        let now = now.max(self.latest()).max(opened.started).min(Timestamp::LAST_NOW);
        if let End::Status(status) = outcome.end {
            let mut opened = opened.clone();
            opened.reported = true;
            self.heed(rules, groups, &opened, (status, outcome), now);
            self.judge(rules, &opened, (status, outcome), rules.jitter * random, now);
        }
        self.shrink();
    }

    /// Learns what only the body showed of a request that is over.
    pub fn report(
        &mut self,
        rules: &Rules,
        resource: Option<&str>,
        report: Report,
        random: f64,
        now: Timestamp,
    ) {
        let now = now.max(self.latest()).min(Timestamp::LAST_NOW);
        match report {
            Report::Challenged => self.rare_mut().challenged = true,
            Report::Busy => {
                let extra = rules.jitter * random;
                self.busy_mut(rules, resource, now).fail_late(rules.busy, now, extra);
            }
            Report::Ok => {
                self.answered(now, now);
                self.not_busy(rules, resource, now, now);
            }
        }
        self.shrink();
    }

    /// The same of a request that is still open: its end will not be taken for a good answer.
    pub fn report_open(
        &mut self,
        rules: &Rules,
        opened: &mut Opened,
        resource: Option<&str>,
        report: Report,
        random: f64,
        now: Timestamp,
    ) {
        let now = now.max(self.latest()).min(Timestamp::LAST_NOW);
        opened.reported |= report != Report::Ok;
        if report == Report::Busy {
            let extra = rules.jitter * random;
            self.busy_mut(rules, resource, now).fail(rules.busy, opened.started, now, extra);
        } else {
            self.report(rules, resource, report, random, now);
        }
    }

    /// The host answered: it is not unreachable.
    pub(crate) fn answered(&mut self, started: Timestamp, now: Timestamp) {
        if let Some(rare) = self.rare.as_deref_mut() {
            rare.unreachable.reset(started, now);
        }
    }

    /// Does as the answer asks: its Retry-After, its rate limit.
    pub(crate) fn heed(
        &mut self,
        rules: &Rules,
        groups: &mut Groups,
        opened: &Opened,
        (status, outcome): (u16, &Outcome),
        now: Timestamp,
    ) {
        if let Some(wait) = heeded_wait(rules, status, outcome) {
            let park = rules.retry_after_park.is_some_and(|park| wait > park);
            self.hold(rules, groups, opened.resource.as_deref(), now, |until, parked| {
                if park {
                    *parked = true;
                } else {
                    *until = (*until).max(Some(now + wait));
                }
            });
        }
        if let (RateLimitRule::SlowOnly, Some(wait)) = (rules.rate_limit, outcome.rate_limit) {
            let until = &mut self.rare_mut().rate_limit;
            *until = (*until).max(Some(now + wait));
        }
    }

    /// Whether the status says busy, and what follows from it.
    pub(crate) fn judge(
        &mut self,
        rules: &Rules,
        opened: &Opened,
        (status, outcome): (u16, &Outcome),
        extra: f64,
        now: Timestamp,
    ) {
        let resource = opened.resource.as_deref();
        if rules.busy_statuses.contains(&status) {
            let told = heeded_wait(rules, status, outcome).is_some();
            let replaced = told && rules.retry_after == RetryAfterRule::Honour;
            if rules.busy.is_some() {
                let steps = if replaced { None } else { rules.busy };
                self.busy_mut(rules, resource, now).fail(steps, opened.started, now, extra);
            }
        } else if !opened.reported {
            self.not_busy(rules, resource, opened.started, now);
        }
    }

    /// Changes the Retry-After of whatever the policy says it holds.
    fn hold(
        &mut self,
        rules: &Rules,
        groups: &mut Groups,
        resource: Option<&str>,
        now: Timestamp,
        change: impl Fn(&mut Option<Timestamp>, &mut bool),
    ) {
        let mut in_group = false;
        if rules.retry_after_scope == RetryAfterScope::Group {
            // Those groups that ask for it; where only the host does, all of them.
            let named = rules.groups.iter().any(|group| group.retry_after);
            for group in rules.groups.iter().filter(|group| group.retry_after == named) {
                in_group = true;
                let state = groups.entry(&group.name);
                change(&mut state.retry_after, &mut state.parked);
            }
        }
        if !in_group {
            let resource = resource.filter(|_| rules.retry_after_scope == RetryAfterScope::Resource);
            let held = self.held_mut(resource, now);
            change(&mut held.retry_after, &mut held.parked);
        }
    }

    fn busy_mut(&mut self, rules: &Rules, resource: Option<&str>, now: Timestamp) -> &mut Backoff {
        let resource = resource.filter(|_| rules.busy_scope == BusyScope::Resource);
        &mut self.held_mut(resource, now).busy
    }

    /// What holds the resource, or the host when there is none, or no room for one more.
    fn held_mut(&mut self, resource: Option<&str>, now: Timestamp) -> &mut Held {
        let rare = self.rare_mut();
        let Some(resource) = resource else { return &mut rare.held };
        if !rare.resources.contains_key(resource) {
            if rare.resources.len() >= MAX_RESOURCES_PER_HOST {
                rare.resources.retain(|_, held| !held.is_over(now));
            }
            if rare.resources.len() >= MAX_RESOURCES_PER_HOST {
                return &mut rare.held;
            }
        }
        rare.resources.entry(resource.into()).or_default()
    }

    /// A good answer about the resource, or the host.
    fn not_busy(&mut self, rules: &Rules, resource: Option<&str>, started: Timestamp, now: Timestamp) {
        let Some(rare) = self.rare.as_deref_mut() else { return };
        let resource = resource.filter(|_| rules.busy_scope == BusyScope::Resource);
        let held = match resource {
            Some(resource) => rare.resources.get_mut(resource),
            None => Some(&mut rare.held),
        };
        if let Some(held) = held {
            held.busy.reset(started, now);
        }
    }
}

/// The wait of a Retry-After, where the status gives it a meaning and the policy does not ignore it.
fn heeded_wait(rules: &Rules, status: u16, outcome: &Outcome) -> Option<Duration> {
    let read = RetryAfter::is_read_on(status) && rules.retry_after != RetryAfterRule::Ignore;
    outcome.retry_after.filter(|_| read)
}
