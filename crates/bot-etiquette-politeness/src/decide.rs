//! May this be asked now? Every clock apart, the latest wins, and the answer names them.

use crate::host_policy::DelayAnchor;
use crate::refusal::{Clock, Refusal};
use crate::rules::{GroupRules, Rules};
use crate::state::{GroupState, Groups, Held, HostState};
use crate::{Ask, Reason, Timestamp};

/// The one path that a host with a Crawl-delay over the cap may still be asked for.
const ROBOTS_TXT: &str = "/robots.txt";

impl HostState {
    /// Whether `ask` may start now; changes nothing.
    ///
    /// The [`Refusal`] names every clock that refuses now, and the moment from which none does.
    pub fn check(
        &self,
        rules: &Rules,
        groups: &Groups,
        ask: &Ask<'_>,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        self.check_with(rules, groups, ask, now, None)
    }

    /// The same, where one more clock is known that refuses.
    pub(crate) fn check_with(
        &self,
        rules: &Rules,
        groups: &Groups,
        ask: &Ask<'_>,
        now: Timestamp,
        refusing: Option<Clock>,
    ) -> Result<(), Refusal> {
        let now = now.max(self.latest()).min(Timestamp::LAST_NOW);
        let mut refusing = refusing.into_iter().collect();
        self.visit(rules, groups, Some(ask), now, |clock| push_refusing(&mut refusing, clock, now));
        Refusal::unless_empty(refusing, rules)
    }

    /// Whether the host may be asked now, as far as that depends on the host, its groups and the default class
    /// alone: for a queue that looks for a host whose turn has come. Changes nothing.
    pub fn check_host(&self, rules: &Rules, groups: &Groups, now: Timestamp) -> Result<(), Refusal> {
        let now = now.max(self.latest()).min(Timestamp::LAST_NOW);
        let mut refusing = Vec::new();
        self.visit(rules, groups, None, now, |clock| push_refusing(&mut refusing, clock, now));
        Refusal::unless_empty(refusing, rules)
    }

    /// Calls `see` with every clock there is, whether it refuses or is past.
    pub(crate) fn visit(
        &self,
        rules: &Rules,
        groups: &Groups,
        ask: Option<&Ask<'_>>,
        now: Timestamp,
        mut see: impl FnMut(Clock),
    ) {
        self.visit_pace(rules, ask, &mut see);
        if let Some(hours) = &rules.hours {
            see(Clock::at(Reason::OutsideHours, hours.opens_at(now).unwrap_or(Timestamp::MAX)));
        }
        if rules.blocked {
            see(Clock::never(Reason::Killed));
        }
        if !rules.may_be_asked {
            see(Clock::never(Reason::NotConfigured));
        }
        for group in &rules.groups {
            self.visit_group(group, groups.get(&group.name), ask, &mut see);
        }
        self.visit_rare(rules, ask, &mut see);
        if let Some(ask) = ask {
            let class = ask.class_name();
            if rules.class_max_open.get(class).is_some_and(|max| self.open_of_class(class) >= *max) {
                see(Clock::slot());
            }
        }
    }

    fn visit_pace(&self, rules: &Rules, ask: Option<&Ask<'_>>, see: &mut impl FnMut(Clock)) {
        if self.open >= rules.max_open {
            see(Clock::slot());
        }
        let (crawl_delay, too_long) = rules.crawl_delay(self.crawl_delay);
        if let Some(anchor) = self.anchor(rules) {
            if rules.min_delay > 0 {
                see(Clock::at(Reason::MinDelay, anchor.plus_millis(rules.min_delay)));
            }
            if crawl_delay > 0 {
                see(Clock::at(Reason::CrawlDelay, anchor.plus_millis(crawl_delay)));
            }
        }
        if too_long && ask.is_none_or(|ask| ask.path() != ROBOTS_TXT) {
            see(Clock::never(Reason::CrawlDelayTooLong));
        }
    }

    /// What the pause is counted from.
    fn anchor(&self, rules: &Rules) -> Option<Timestamp> {
        match rules.anchor {
            DelayAnchor::Start => self.last_start,
            // The latest start counts while it is open; once it has ended, the last end is no earlier.
            DelayAnchor::End if self.open > 0 => self.last_end.max(self.last_start),
            DelayAnchor::End => self.last_end,
        }
    }

    fn visit_rare(&self, rules: &Rules, ask: Option<&Ask<'_>>, see: &mut impl FnMut(Clock)) {
        let Some(rare) = self.rare.as_deref() else { return };
        if rare.killed {
            see(Clock::never(Reason::Killed));
        }
        if rare.challenged {
            see(Clock::never(Reason::Challenged));
        }
        if let Some(until) = rare.unreachable.until {
            see(Clock::at(Reason::Unreachable, until));
        }
        if let Some(until) = rare.rate_limit {
            see(Clock::at(Reason::RateLimit, until));
        }
        visit_held(&rare.held, see);
        let class = ask.map_or(Ask::DEFAULT_CLASS, Ask::class_name);
        for quota in rules.quotas.iter().filter(|quota| quota.counts(class)) {
            see(Clock::at(Reason::Quota, rare.quotas.opens_at(quota)));
        }
        let Some(ask) = ask else { return };
        if let Some(held) = ask.resource_name().and_then(|resource| rare.resources.get(resource)) {
            visit_held(held, see);
        }
        if let Some(interval) = rules.revisit.get(class).filter(|interval| **interval > 0) {
            match rare.visits.last(class, ask.url_str()) {
                Some(last) => see(Clock::at(Reason::Revisit, last.plus_millis(*interval))),
                None => see(Clock::at(Reason::TableFull, rare.visits.room_at(rules))),
            }
        }
    }

    fn visit_group(
        &self,
        rules: &GroupRules,
        state: Option<&GroupState>,
        ask: Option<&Ask<'_>>,
        see: &mut impl FnMut(Clock),
    ) {
        if let (Some(max), Some(ask), Some(rare)) = (rules.path_max_open, ask, self.rare.as_deref())
            && rare.open_segments.of(first_segment(ask)) >= max
        {
            see(Clock::slot());
        }
        let Some(state) = state else { return };
        if rules.max_open.is_some_and(|max| state.open >= max) {
            see(Clock::slot());
        }
        if let (Some(last), true) = (state.last_start, rules.interval > 0) {
            see(Clock::at(Reason::GroupRate, last.plus_millis(rules.interval)));
        }
        if let Some(until) = state.retry_after {
            see(Clock::at(Reason::RetryAfter, until));
        }
        if state.parked {
            see(Clock::never(Reason::RetryAfterTooLong));
        }
        let class = ask.map_or(Ask::DEFAULT_CLASS, Ask::class_name);
        for quota in rules.quotas.iter().filter(|quota| quota.counts(class)) {
            see(Clock::at(Reason::Quota, state.quotas.opens_at(quota)));
        }
    }
}

fn visit_held(held: &Held, see: &mut impl FnMut(Clock)) {
    if let Some(until) = held.busy.until {
        see(Clock::at(Reason::Busy, until));
    }
    if let Some(until) = held.retry_after {
        see(Clock::at(Reason::RetryAfter, until));
    }
    if held.parked {
        see(Clock::never(Reason::RetryAfterTooLong));
    }
}

/// Keeps a clock if it refuses; of two with one name, the later.
fn push_refusing(refusing: &mut Vec<Clock>, clock: Clock, now: Timestamp) {
    if clock.until.is_some_and(|until| until <= now) {
        return;
    }
    match refusing.iter_mut().find(|known| known.reason == clock.reason) {
        Some(known) => known.until = known.until.max(clock.until),
        None => refusing.push(clock),
    }
}

/// The first segment of the path: `org` of `/org/rest/services`.
pub(crate) fn first_segment<'a>(ask: &Ask<'a>) -> &'a str {
    ask.path().trim_start_matches('/').split('/').next().unwrap_or("")
}
