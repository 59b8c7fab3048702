//! Rates in plain words.

use super::Language;
use crate::{
    Number, Promise, Texts,
    rates::{HostRates, Quota, Rates, Table},
};

/// Where the name of a policy's class is looked up.
pub(super) struct Names<'a> {
    pub(super) language: Language,
    pub(super) texts: &'a [(&'a str, &'a Texts)],
}

impl Names<'_> {
    fn class(&self, name: &str) -> String {
        let written = self.texts.iter().find_map(|(_, texts)| texts.classes.get(name));
        match written {
            Some(words) => words.clone(),
            None if name == "crawl" => self.language.say("class_crawl", &[]),
            None => name.to_owned(),
        }
    }

    fn classes(&self, names: &[String]) -> String {
        names.iter().map(|name| self.class(name)).collect::<Vec<_>>().join(", ")
    }
}

/// How fast a host is asked.
pub(super) fn pace(rules: &HostRates, names: &Names<'_>) -> Vec<String> {
    let language = names.language;
    let mut said = Vec::new();
    if rules.blocked == Some(true) {
        return vec![language.say("blocked", &[])];
    }
    let open = rules.open();
    said.push(match open {
        1 => language.say("open_one", &[]),
        open => language.say("open_many", &[&open.to_string()]),
    });
    for (class, open) in rules.class_max_open.iter().flatten() {
        said.push(language.say("open_class", &[&open.to_string(), &names.class(class)]));
    }
    said.push(match rules.min_delay.filter(|pause| pause.value() > 0.0) {
        None => language.say("pause_none", &[]),
        Some(pause) if rules.paced_by_starts() => language.say("pause_start", &[&language.span(pause)]),
        Some(pause) => language.say("pause_end", &[&language.span(pause)]),
    });
    for hours in rules.hours.iter().flatten() {
        let zone = hours.zone.as_deref().unwrap_or("UTC");
        said.push(language.say("hours", &[&hours.from, &hours.to, zone]));
    }
    for quota in rules.quota.iter().flatten() {
        said.push(of_quota(quota, names));
    }
    for (class, interval) in rules.revisit.iter().flatten() {
        said.push(language.say("revisit", &[&language.span(*interval), &names.class(class)]));
    }
    if rules.rate_limit.as_deref() == Some("slow-only") {
        said.push(language.say("slow_only", &[]));
    }
    said
}

fn of_quota(quota: &Quota, names: &Names<'_>) -> String {
    let language = names.language;
    let (limit, window) = (quota.limit.to_string(), language.span(quota.window));
    if quota.classes.is_empty() {
        language.say("quota", &[&limit, &window])
    } else {
        language.say("quota_class", &[&limit, &window, &names.classes(&quota.classes)])
    }
}

/// What happens when a host is busy or silent.
pub(super) fn holds(rules: &HostRates, language: Language) -> Vec<String> {
    let mut said = Vec::new();
    let bound = |most: Option<Number>| {
        most.map_or_else(String::new, |most| language.say("up_to", &[&language.span(most)]))
    };
    if let Some(first) = rules.unreachable_first {
        let growth = growth(rules.unreachable_factor, language);
        said.push(language.say("silent", &[&language.span(first), &growth, &bound(rules.unreachable_max)]));
    }
    if let Some(first) = rules.busy_first {
        let statuses: Vec<_> = rules.statuses().iter().map(u16::to_string).collect();
        let key = if rules.busy_scope.as_deref() == Some("resource") { "busy_resource" } else { "busy_host" };
        let growth = growth(rules.busy_factor, language);
        let values = [&statuses.join(", "), &language.span(first), &growth, &bound(rules.busy_max)];
        said.push(language.say(key, &values.map(String::as_str)));
    }
    let mut retry = match rules.retry_after.as_deref() {
        Some("honour") => language.say("retry_honour", &[]),
        Some("ignore") => language.say("retry_ignore", &[]),
        _ => language.say("retry_longest", &[]),
    };
    if rules.busy_scope.as_deref() == Some("resource")
        && matches!(rules.retry_after_scope.as_deref(), None | Some("host"))
    {
        retry = format!("{retry} {}", language.say("retry_host", &[]));
    }
    if let Some(most) = rules.retry_after_park {
        retry = format!("{retry} {}", language.say("retry_park", &[&language.span(most)]));
    }
    said.push(retry);
    if let Some(jitter) = rules.jitter.filter(|jitter| jitter.value() > 0.0) {
        said.push(language.say("jitter", &[&language.number(jitter.value() * 100.0)]));
    }
    said
}

fn growth(factor: Option<Number>, language: Language) -> String {
    match factor.map_or(2.0, Number::value) {
        1.0 => language.say("as_long", &[]),
        2.0 => language.say("twice", &[]),
        factor => language.say("times", &[&language.number(factor)]),
    }
}

/// What becomes of a Crawl-delay.
pub(super) fn crawl_delay(rules: &HostRates, language: Language) -> String {
    match (rules.crawl_delay_cap, rules.crawl_delay_over.as_deref()) {
        (Some(cap), Some("clamp")) => language.say("delay_clamp", &[&language.span(cap)]),
        (Some(cap), Some("refuse")) => language.say("delay_refuse", &[&language.span(cap)]),
        _ => language.say("delay_any", &[]),
    }
}

/// Where a table of the policy differs from its default.
pub(super) fn exception(table: &Table, default: &HostRates, names: &Names<'_>) -> Vec<String> {
    let language = names.language;
    let mut said = Vec::new();
    if let Some(rate) = table.all.per_second {
        said.push(language.say("group_rate", &[&language.number(rate.value())]));
    }
    if let Some(open) = table.all.max_open {
        said.push(language.say("group_open", &[&open.to_string()]));
    }
    if let Some(path) = &table.all.per_path {
        said.push(language.say("group_path", &[&path.max_open.to_string()]));
    }
    for quota in table.all.quota.iter().flatten() {
        let window = language.span(quota.window);
        said.push(language.say("quota_group", &[&quota.limit.to_string(), &window]));
    }
    if table.all.retry_after_scope.as_deref() == Some("group") {
        said.push(language.say("retry_group", &[]));
    }
    let all = |rules: &HostRates| {
        let mut all = pace(rules, names);
        all.extend(holds(rules, language));
        all.push(crawl_delay(rules, language));
        all
    };
    let usual = all(default);
    // Where a rate over all of them takes the pause's place, that none is left needs no word.
    let none = table.all.per_second.map(|_| language.say("pause_none", &[]));
    said.extend(
        all(&table.each).into_iter().filter(|one| !usual.contains(one) && Some(one) != none.as_ref()),
    );
    said
}

/// The pace where there is no policy: what the operator promises.
pub(super) fn promised_pace(promise: &Promise, language: Language) -> Vec<String> {
    let mut said = Vec::new();
    match promise.max_open {
        None => {}
        Some(1) => said.push(language.say("open_one", &[])),
        Some(open) => said.push(language.say("open_many", &[&open.to_string()])),
    }
    if let Some(pause) = promise.min_delay {
        let key = if promise.max_open == Some(1) { "pause_end" } else { "pause_start" };
        said.push(language.say(key, &[&language.span(pause)]));
    }
    for group in &promise.groups {
        let rate = language.say("group_rate", &[&language.number(group.per_second.value())]);
        said.push(format!("{}: {rate}", group.sites.join(", ")));
    }
    said
}

/// The holds where there is no policy.
pub(super) fn promised_holds(promise: &Promise, language: Language) -> Vec<String> {
    let rules = HostRates {
        unreachable_first: promise.unreachable_first,
        unreachable_factor: promise.unreachable_factor.or(Number::new(1.0)),
        busy_first: promise.busy_first,
        busy_factor: promise.busy_factor.or(Number::new(1.0)),
        busy_scope: promise.busy_scope.as_deref().filter(|scope| *scope == "path").map(|_| "resource".into()),
        retry_after_scope: Some("none".into()),
        ..HostRates::default()
    };
    let mut said = holds(&rules, language);
    said.pop();
    if promise.retry_after == Some(true) {
        said.push(language.say("retry_promised", &[]));
    }
    said
}

/// Limits of a single request, which no politeness policy knows.
pub(super) fn limits(promise: &Promise, language: Language) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(count) = promise.max_redirects {
        said.push(language.say("limit_redirects", &[&count.to_string()]));
    }
    if let Some(time) = promise.time_limit {
        said.push(language.say("limit_time", &[&language.span(time)]));
    }
    if let Some(bytes) = promise.max_body {
        said.push(language.say("limit_body", &[&language.size(bytes)]));
    }
    if promise.conditional == Some(true) {
        said.push(language.say("limit_conditional", &[]));
    }
    if let Some(interval) = promise.revisit {
        said.push(language.say("revisit_promised", &[&language.span(interval)]));
    }
    if let Some(quota) = &promise.quota {
        said.push(
            language.say("limit_requests", &[&quota.requests.to_string(), &language.span(quota.window)]),
        );
    }
    said
}

/// Whether the policy has anything to say of single servers.
pub(super) fn exceptions<'r>(rates: &'r Rates, names: &Names<'_>) -> Vec<(&'r Table, Vec<String>)> {
    let tables = rates.tables.iter().filter(|table| !table.hosts.is_empty());
    tables
        .map(|table| (table, exception(table, &rates.default, names)))
        .filter(|(_, said)| rates.closed || !said.is_empty())
        .collect()
}
