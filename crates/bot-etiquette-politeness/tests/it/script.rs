//! Scripts of what happens and what is decided, one event a line, in virtual time.
//!
//! `0.5 ask h/x as:page of:svc-a -> wait 1.3 min-delay`; a URL without a scheme is https.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use bot_etiquette_politeness::{
    Ask, GroupPolicy, HostPolicy, Origin, Outcome, Permit, Policy, Politeness, Refusal, Timestamp,
};
use http::{HeaderMap, HeaderName, HeaderValue};
use url::Url;

/// Fri, 31 Dec 2027 23:59:00 GMT.
pub(crate) const EPOCH: u64 = 1_830_297_540_000;

pub(crate) fn at(seconds: f64) -> Timestamp {
    let millis = (seconds * 1000.0).round();
    assert!(millis >= 0.0, "scripts begin at 0");
    Timestamp::from_millis(EPOCH + millis as u64)
}

/// Runs a script and compares every decision.
#[track_caller]
pub(crate) fn check(name: &str, policy: &str, script: &str) {
    let policy = Policy::from_toml(policy).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut world = World { politeness: Politeness::new(policy.clone()), policy, open: HashMap::new() };
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (event, expected) = line.split_once("->").unwrap_or((line, ""));
        let decided = world.tell(event.trim());
        assert_eq!(decided.unwrap_or_default(), expected.trim(), "{name}: {line}");
    }
}

struct World {
    politeness: Politeness,
    policy: Policy,
    open: HashMap<String, VecDeque<Permit>>,
}

pub(crate) fn url(text: &str) -> Url {
    let text = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    Url::parse(&text).unwrap()
}

impl World {
    fn tell(&mut self, event: &str) -> Option<String> {
        let (time, event) = event.split_once(' ').unwrap();
        let now = at(time.parse().unwrap());
        let (verb, rest) = event.trim().split_once(' ').unwrap_or((event.trim(), ""));
        let words: Vec<&str> = rest.split_whitespace().collect();
        let option = |name: &str| words.iter().find_map(|word| word.strip_prefix(name));
        match verb {
            "ask" => {
                let url = url(words[0]);
                let mut ask = Ask::new(&url);
                if let Some(class) = option("as:") {
                    ask = ask.class(class);
                }
                if let Some(resource) = option("of:") {
                    ask = ask.resource(resource);
                }
                let checked = self.politeness.check(&ask, now);
                let admitted = self.politeness.admit(&ask, now);
                assert_eq!(checked.as_ref().err(), admitted.as_ref().err(), "check agrees with admit");
                return Some(match admitted {
                    Ok(permit) => {
                        assert!(permit.covers(&url));
                        self.open.entry(words[0].into()).or_default().push_back(permit);
                        "go".into()
                    }
                    Err(refusal) => show(&refusal),
                });
            }
            "end" => self.close(words[0]).finish(&answer(&words[1..], now), now),
            "fail" => self.close(words[0]).finish(&Outcome::failed(words[1].parse().unwrap()), now),
            "drop" => {
                drop(self.close(words[0]));
                self.politeness.evict_idle(now);
            }
            "unsent" => self.close(words[0]).unsent(now),
            "report" => {
                let (report, resource) = (words[1].parse().unwrap(), option("of:"));
                match self.open.get_mut(words[0]).and_then(VecDeque::front_mut) {
                    Some(permit) => permit.report(resource, report, now),
                    None => {
                        let url = url(words[0]);
                        let ask = Ask::new(&url);
                        let ask = resource.map_or(ask, |resource| ask.resource(resource));
                        self.politeness.report(&ask, report, now).unwrap();
                    }
                }
            }
            "robots" => {
                let delay = words[1].parse().ok().map(Duration::from_secs_f64);
                self.politeness.set_crawl_delay(&Origin::of(&url(words[0])).unwrap(), delay, now).unwrap();
            }
            "kill" => self.politeness.kill(&words[0].parse().unwrap(), now),
            "revive" => self.politeness.revive(&words[0].parse().unwrap(), now),
            "set" => {
                let keys = rest.split_once(' ').unwrap().1;
                match words[0].strip_prefix("group:") {
                    Some(name) => {
                        let over: GroupPolicy = serde_json::from_str(keys).unwrap();
                        self.policy.override_group(name, over.clone()).unwrap();
                        self.politeness.set_group_policy(name, over, now).unwrap();
                    }
                    None => {
                        let over: HostPolicy = serde_json::from_str(keys).unwrap();
                        let host = words[0].parse().unwrap();
                        self.policy.override_host(&host, over.clone());
                        self.politeness.set_host_policy(&host, over, now);
                    }
                }
            }
            "restart" => {
                let snapshot = self.politeness.export(now);
                let (now, text) = (snapshot.saved_at(), serde_json::to_string(&snapshot).unwrap());
                self.open.clear();
                self.politeness = Politeness::new(self.policy.clone());
                self.politeness.import(serde_json::from_str(&text).unwrap(), now);
            }
            other => panic!("unknown event {other}"),
        }
        None
    }

    #[track_caller]
    fn close(&mut self, url: &str) -> Permit {
        self.open.get_mut(url).and_then(VecDeque::pop_front).expect("an open ask")
    }
}

/// `429 retry-after=120 date=...`; `_` stands for a blank.
fn answer(words: &[&str], now: Timestamp) -> Outcome {
    let mut headers = HeaderMap::new();
    for word in &words[1..] {
        let (name, value) = word.split_once('=').unwrap();
        let value = HeaderValue::from_str(&value.replace('_', " ")).unwrap();
        headers.append(name.parse::<HeaderName>().unwrap(), value);
    }
    Outcome::answered(words[0].parse().unwrap(), &headers, now)
}

pub(crate) fn show(refusal: &Refusal) -> String {
    let codes: Vec<&str> = refusal.reasons().map(|reason| reason.code()).collect();
    let codes = codes.join(" ");
    if refusal.is_never() {
        return format!("never {codes}");
    }
    match refusal.until() {
        Some(until) => format!("wait {} {codes}", (until.as_millis() as f64 - EPOCH as f64) / 1000.0),
        None => format!("wait - {codes}"),
    }
}
