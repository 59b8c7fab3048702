//! Whether a policy keeps what a configuration promises.

use super::Findings;
use crate::{
    BotIdentity, Number, Promise, Severity,
    lines::Lines,
    rates::{HostRates, Rates, Table, matches},
};

/// One table of the policy: what it says itself, and what holds there.
struct Place<'r> {
    name: &'r str,
    own: &'r HostRates,
    holds: &'r HostRates,
    table: Option<&'r Table>,
}

impl Place<'_> {
    /// The line of a key, or of the table where the key is missing.
    fn line(&self, key: &str, lines: &Lines<'_>) -> Option<usize> {
        let mut path = self.table.map_or_else(|| vec!["default"], Table::path);
        if self.table.is_some_and(Table::is_group) && lines.of(&[&path[..], &["each"]].concat()).is_some() {
            path.push("each");
        }
        lines.of(&[&path[..], &[key]].concat()).or_else(|| lines.of(&path))
    }

    /// Whether the key is this table's own business: the default answers for all that it does not say.
    fn says<T>(&self, of: impl Fn(&HostRates) -> &Option<T>) -> bool {
        self.table.is_none() || of(self.own).is_some()
    }
}

pub(super) fn kept(identity: &BotIdentity, rates: &Rates, policy: &Lines<'_>, found: &mut Findings<'_>) {
    let promise = &identity.profile.promise;
    let mut judge = Judge { promise, policy, found };
    let default = Place { name: "default", own: &rates.default, holds: &rates.default, table: None };
    judge.ignores(&default, false);
    judge.place(&default);
    for table in &rates.tables {
        let told = identity.profile.text.values().any(|texts| texts.exceptions.contains_key(&table.name));
        let differs = table.is_group() || !pace_is_stricter(&table.each, &rates.default);
        let place = Place { name: &table.name, own: &table.own, holds: &table.each, table: Some(table) };
        judge.ignores(&place, told);
        if told {
            continue;
        }
        judge.place(&place);
        // Where only listed hosts are asked, each line is a rule of the page and no exception.
        if differs && !rates.closed && !table.hosts.is_empty() {
            let message = format!(
                "the policy's [{}] has rules of its own, and no text says what it is and why (text.en.exceptions.\"{}\")",
                table.name, table.name
            );
            judge.found.add("PG012", Severity::Warning, &["text"], message);
        }
    }
    judge.groups(rates);
    judge.quota(rates);
    agent(identity, found);
}

/// Whether no site is asked faster by these rules than by the default.
fn pace_is_stricter(rules: &HostRates, default: &HostRates) -> bool {
    let pause = |rules: &HostRates| rules.min_delay.map_or(0.0, Number::value);
    rules.open() <= default.open() && pause(rules) >= pause(default)
}

/// Whether the promise about the name is what the configuration sends.
fn agent(identity: &BotIdentity, found: &mut Findings<'_>) {
    let promise = &identity.profile.promise;
    let agent = identity.user_agent().as_str();
    if let Some(pattern) = &promise.user_agent {
        let mut pieces = pattern.split('*');
        let first = pieces.next().unwrap_or_default();
        let whole = !pattern.contains('*');
        let fits =
            if whole && pattern.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)) {
                identity.user_agent().names(pattern)
            } else if whole {
                pattern == agent
            } else {
                agent.strip_prefix(first).is_some_and(|rest| pieces.all(|piece| rest.contains(piece)))
            };
        // A regular expression is the referee's to read.
        if !fits && !pattern.starts_with('^') && !pattern.contains('\\') {
            let message = format!("promises the User-Agent {pattern:?}, and sends {agent:?}");
            let line = found.lines.of(&["user_agent"]);
            found.broken(
                &["promise", "user_agent"],
                None,
                match line {
                    Some(line) => format!("{message} (line {line})"),
                    None => message,
                },
            );
        }
    }
    if let Some(token) =
        promise.robots_token.as_deref().filter(|token| !token.eq_ignore_ascii_case(identity.token()))
    {
        let message =
            format!("promises to follow the group of {token:?}, and its token is {:?}", identity.token());
        found.broken(&["promise", "robots_token"], None, message);
    }
}

struct Judge<'a, 't> {
    promise: &'a Promise,
    policy: &'a Lines<'a>,
    found: &'a mut Findings<'t>,
}

impl Judge<'_, '_> {
    fn broken(&mut self, key: &str, place: &Place<'_>, policy_key: &str, promised: &str, does: &str) {
        let policy_line = place.line(policy_key, self.policy);
        let message = format!("promises {key} = {promised}, and the policy's [{}] {does}", place.name);
        self.found.broken(&["promise", key], policy_line, message);
    }

    /// A number of the policy that has to be at least what was promised.
    fn at_least(&mut self, key: &str, place: &Place<'_>, promised: Option<Number>, does: Option<Number>) {
        let Some(promised) = promised else { return };
        match does {
            Some(does) if does >= promised => {}
            Some(does) => {
                self.broken(key, place, key, &promised.to_string(), &format!("has {key} = {does}"));
            }
            None => self.broken(key, place, key, &promised.to_string(), &format!("has no {key}")),
        }
    }

    /// A wish of the site's that is not kept, whatever is told; where it is promised, the broken promise says so.
    fn ignores(&mut self, place: &Place<'_>, told: bool) {
        let ignores = place.own.retry_after.as_deref() == Some("ignore");
        if ignores && (told || self.promise.retry_after != Some(true)) {
            let message = format!("the policy's [{}] ignores Retry-After, which sites rely on", place.name);
            self.found.add("CF001", Severity::Error, &["policy"], message);
            if let Some(last) = self.found.found.last_mut() {
                last.policy_line = place.line("retry_after", self.policy);
            }
        }
    }

    fn place(&mut self, place: &Place<'_>) {
        let promise = self.promise;
        let rules = place.holds;
        // A group whose one rate is promised has that rate in the place of slots and pause.
        let by_rate = place.table.is_some_and(|table| {
            table.all.per_second.is_some()
                && table.hosts.iter().all(|host| {
                    promise.groups.iter().any(|group| group.sites.iter().any(|site| matches(site, host)))
                })
        });
        if let Some(promised) = promise.max_open.filter(|promised| *promised < rules.open())
            && place.says(|rules| &rules.max_open)
            && !by_rate
        {
            let does = format!("has max_open = {}", rules.open());
            self.broken("max_open", place, "max_open", &promised.to_string(), &does);
        }
        if place.says(|rules| &rules.min_delay) && !by_rate {
            let pause = rules.min_delay.or(Number::new(0.0));
            self.at_least("min_delay", place, promise.min_delay, pause);
        }
        if place.says(|rules| &rules.crawl_delay_over) || place.says(|rules| &rules.crawl_delay_cap) {
            self.crawl_delay(place);
        }
        if place.says(|rules| &rules.retry_after)
            && promise.retry_after == Some(true)
            && rules.retry_after.as_deref() == Some("ignore")
        {
            self.broken("retry_after", place, "retry_after", "true", "has retry_after = \"ignore\"");
        }
        if place.says(|rules| &rules.unreachable_first) {
            self.at_least("unreachable_first", place, promise.unreachable_first, rules.unreachable_first);
        }
        if place.says(|rules| &rules.unreachable_factor) {
            let factor = rules.unreachable_factor.or(Number::new(2.0));
            self.at_least("unreachable_factor", place, promise.unreachable_factor, factor);
        }
        self.busy(place);
        if let Some(promised) = promise.revisit
            && place.says(|rules| &rules.revisit)
        {
            let least = rules
                .revisit
                .iter()
                .flatten()
                .map(|(_, interval)| *interval)
                .min_by(|a, b| a.value().total_cmp(&b.value()));
            self.at_least("revisit", place, Some(promised), least);
        }
    }

    fn crawl_delay(&mut self, place: &Place<'_>) {
        let Some(promised) = self.promise.crawl_delay_cap else { return };
        if let (Some(cap), Some("clamp")) =
            (place.holds.crawl_delay_cap, place.holds.crawl_delay_over.as_deref())
            && cap < promised
        {
            let does = format!("cuts a Crawl-delay to crawl_delay_cap = {cap}");
            self.broken("crawl_delay_cap", place, "crawl_delay_cap", &promised.to_string(), &does);
        }
    }

    fn busy(&mut self, place: &Place<'_>) {
        let (promise, rules) = (self.promise, place.holds);
        if place.says(|rules| &rules.busy_first) {
            self.at_least("busy_first", place, promise.busy_first, rules.busy_first);
        }
        if place.says(|rules| &rules.busy_factor) {
            let factor = rules.busy_factor.or(Number::new(2.0));
            self.at_least("busy_factor", place, promise.busy_factor, factor);
        }
        let Some(first) = promise.busy_first else { return };
        if place.says(|rules| &rules.busy_statuses)
            && ![429, 503].iter().all(|one| rules.statuses().contains(one))
        {
            let does = format!("has busy_statuses = {:?}, without 429 and 503", rules.statuses());
            self.broken("busy_first", place, "busy_statuses", &first.to_string(), &does);
        }
        if place.says(|rules| &rules.busy_scope)
            && rules.busy_scope.as_deref() == Some("resource")
            && promise.busy_scope.as_deref() != Some("path")
        {
            let does =
                "holds only what was asked for (busy_scope = \"resource\"; promise busy_scope = \"path\")";
            self.broken("busy_first", place, "busy_scope", &first.to_string(), does);
        }
    }

    fn groups(&mut self, rates: &Rates) {
        for group in &self.promise.groups {
            for site in &group.sites {
                let holds = rates.tables.iter().filter(|table| table.has(site));
                let rate = holds
                    .filter_map(|table| Some((table, table.all.per_second?)))
                    .min_by(|a, b| a.1.value().total_cmp(&b.1.value()));
                let promised = format!("promises {} requests a second for {site}", group.per_second);
                let (line, does) = match rate {
                    Some((_, rate)) if rate <= group.per_second => continue,
                    Some((table, rate)) => {
                        let path = [&table.path()[..], &["per_second"]].concat();
                        (self.policy.of(&path), format!("the policy's [{}] allows {rate}", table.name))
                    }
                    None => (None, "no group of the policy has such a rate for it".to_owned()),
                };
                self.found.broken(&["promise", "groups"], line, format!("{promised}, and {does}"));
            }
        }
    }

    fn quota(&mut self, rates: &Rates) {
        let Some(promised) = &self.promise.quota else { return };
        let keeps = rates.default.quota.iter().flatten().any(|quota| {
            quota.classes.is_empty() && quota.limit <= promised.requests && quota.window >= promised.window
        });
        if !keeps {
            let line = self.policy.of(&["default", "quota"]).or_else(|| self.policy.of(&["default"]));
            let message = format!(
                "promises at most {} requests in {} s, and the policy's [default] has no quota that keeps it",
                promised.requests, promised.window
            );
            self.found.broken(&["promise", "quota"], line, message);
        }
    }
}
