//! What must hold after any events whatsoever: the decisions are those of a slow model that remembers
//! everything and works each answer out from the start.
//!
//! A case is bytes, so that property tests and fuzzing share every line of it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bot_etiquette_politeness::{
    Ask, Failure, Origin, Outcome, Permit, Politeness, Reason, Refusal, Report, Snapshot, Timestamp,
};
use url::Url;

use model::{Entry, How, Law, Model, What};

mod model;

/// Bytes of one event.
pub(crate) const EVENT: usize = 6;
/// Bytes of the policy, before the events.
pub(crate) const RULES: usize = 12;

/// The hosts of every case; the first two are one group.
const HOSTS: [&str; 3] = ["a.group", "b.group", "alone"];
const CLASSES: [&str; 3] = ["crawl", "page", "file"];
const RESOURCES: [&str; 2] = ["svc-a", "svc-b"];

/// A refusal in the words of the model.
fn told(refusal: Option<&Refusal>) -> Vec<(Reason, Option<u64>)> {
    let clocks = refusal.map(Refusal::clocks).unwrap_or_default();
    clocks
        .iter()
        .map(|clock| {
            (clock.reason, if clock.never { Some(u64::MAX) } else { clock.until.map(Timestamp::as_millis) })
        })
        .collect()
}

/// Slots first, then the latest first, then the order of the codes.
fn in_order(refusing: BTreeMap<Reason, Option<u64>>) -> Vec<(Reason, Option<u64>)> {
    let mut refusing: Vec<_> = refusing.into_iter().collect();
    refusing.sort_by_key(|(reason, until)| (until.is_some(), std::cmp::Reverse(*until), *reason));
    refusing
}

/// Plays a case, where `carry` takes a snapshot over a restart; panics where a law is broken.
pub(crate) fn play(bytes: &[u8], carry: impl Fn(Snapshot) -> Snapshot) {
    let Some((rules, events)) = bytes.split_first_chunk::<RULES>() else { return };
    let law = Law::read(rules);
    let policy = law.policy();
    let mut politeness = Politeness::new(policy.clone());
    let mut model = Model { law, log: Vec::new() };
    let mut open: Vec<(usize, Permit, bool)> = Vec::new();
    let mut now = 1_000_000u64;
    let mut reopening = now;
    let _ = politeness.export(Timestamp::from_millis(now));
    for event in events.chunks_exact(EVENT) {
        let &[verb, step, host, class, path, extra] = event else { continue };
        // Time mostly creeps, sometimes leaps, sometimes runs back, which counts as standing still.
        let told_now = match step {
            0..200 => now + u64::from(step % 50) * 40,
            200..220 => now + u64::from(step) * 100,
            220..235 => now.saturating_sub(u64::from(step)),
            // Exactly when the last refusal said.
            _ => reopening.max(now),
        };
        now = now.max(told_now);
        let at = Timestamp::from_millis(told_now);
        let host = usize::from(host % 3);
        let (class, path) = (usize::from(class % 3), path % 3);
        let resource = [None, Some(0), Some(1)][usize::from(extra % 3)];
        let scheme = if extra & 8 == 0 { "https" } else { "http" };
        let page = ["robots.txt", "b", "c"][usize::from(path)];
        let url = Url::parse(&format!("https://{}/{page}", HOSTS[host])).unwrap();
        let log = |model: &mut Model, what: What| model.log.push(Entry { at: now, what });
        match verb % 16 {
            0..7 => {
                let mut ask = Ask::new(&url).class(CLASSES[class]);
                if let Some(resource) = resource {
                    ask = ask.resource(RESOURCES[resource]);
                }
                let expected = in_order(model.refusing(host, class, path, resource, now));
                let checked = politeness.check(&ask, at);
                assert_eq!(told(checked.as_ref().err()), expected, "at {now}: {law:?}");
                match politeness.admit(&ask, at) {
                    Ok(permit) => {
                        assert_eq!(expected, []);
                        open.push((model.log.len(), permit, false));
                        log(&mut model, What::Start { host, class, path, resource });
                    }
                    Err(refusal) => {
                        assert_eq!(checked, Err(refusal.clone()), "check and admit agree");
                        if let Some(until) = refusal.until() {
                            reopening = until.as_millis();
                        }
                    }
                }
            }
            verb @ 7..12 if !open.is_empty() => {
                let (start, permit, reported) = open.remove(usize::from(extra / 4) % open.len());
                let wait = (path > 0).then(|| u64::from(extra) * 50 + 1);
                let (how, outcome) = match verb {
                    7 => (How::Failed, Outcome::failed(Failure::Timeout)),
                    8 if class == 0 => (How::Incomplete, Outcome::failed(Failure::Incomplete)),
                    8 => (How::Aborted, Outcome::aborted()),
                    _ => {
                        let status = [200, 429, 503, 404, 301][class + usize::from(verb > 9) * 2];
                        let outcome = Outcome::status(status);
                        let outcome =
                            wait.map_or(outcome, |wait| outcome.retry_after(Duration::from_millis(wait)));
                        (How::Status(status, wait), outcome)
                    }
                };
                permit.finish(&outcome, at);
                log(&mut model, What::End { start, how, reported });
            }
            12 if class == 0 => {
                let delay = (path > 0).then_some(u64::from(extra) * 20);
                let origin =
                    Origin::of(&Url::parse(&format!("{scheme}://{}/", HOSTS[host])).unwrap()).unwrap();
                politeness.set_crawl_delay(&origin, delay.map(Duration::from_millis), at).unwrap();
                log(&mut model, What::Robots { host, secure: scheme == "https", delay });
            }
            13 if class == 0 => {
                politeness.kill(&HOSTS[host].parse().unwrap(), at);
                log(&mut model, What::Kill(host));
            }
            13 => {
                politeness.revive(&HOSTS[host].parse().unwrap(), at);
                log(&mut model, What::Revive(host));
            }
            14 => {
                let report = [Report::Busy, Report::Ok, Report::Challenged][class];
                let about = resource.map(|resource| RESOURCES[resource]);
                let of_open =
                    open.iter_mut().find(|(start, ..)| model.start_at(*start).1 == host && path == 0);
                let start = match of_open {
                    Some((start, permit, reported)) => {
                        permit.report(about, report, at);
                        *reported |= report != Report::Ok;
                        Some(*start)
                    }
                    None => {
                        let ask = Ask::new(&url);
                        let ask = about.map_or(ask, |about| ask.resource(about));
                        politeness.report(&ask, report, at).unwrap();
                        None
                    }
                };
                log(
                    &mut model,
                    match report {
                        Report::Busy => What::Busy { host, resource, start },
                        Report::Ok => What::Ok { host, resource },
                        _ => What::Challenged(host),
                    },
                );
            }
            15 if class == 0 => {
                for (start, permit, reported) in open.drain(..) {
                    drop(permit);
                    log(&mut model, What::End { start, how: How::Aborted, reported });
                }
                let snapshot = politeness.export(at);
                let at = snapshot.saved_at();
                politeness = Politeness::new(policy.clone());
                politeness.import(carry(snapshot.clone()), at);
                let again = politeness.export(at);
                assert_eq!(sorted(&again), sorted(&snapshot), "what is imported is what was exported");
            }
            // Time passes.
            _ => drop(politeness.evict_idle(at)),
        }
        assert!(politeness.hosts() <= HOSTS.len());
    }
}

fn sorted(snapshot: &Snapshot) -> BTreeSet<String> {
    snapshot.hosts().map(|(host, state)| format!("{host} {state:?}")).collect()
}

/// Any events at any times: nothing panics, and nothing starts within a pause.
pub(crate) fn survive(bytes: &[u8]) {
    let Some((rules, events)) = bytes.split_first_chunk::<RULES>() else { return };
    let law = Law::read(rules);
    let politeness = Politeness::new(law.policy());
    let url = Url::parse("https://alone/x").unwrap();
    let mut open = Vec::new();
    let (mut now, mut started) = (0u64, None::<u64>);
    for event in events.chunks_exact(EVENT) {
        let mut time = [0; 8];
        time[..EVENT].copy_from_slice(event);
        let told = u64::from_le_bytes(time).rotate_right(u32::from(event[0] % 64));
        now = now.max(told).min(u64::MAX - 2);
        let at = Timestamp::from_millis(told);
        match event[1] % 4 {
            0 | 1 => {
                if let Ok(permit) = politeness.admit(&Ask::new(&url), at) {
                    let earliest = started.map_or(0, |started| started.saturating_add(law.min_delay));
                    assert!(now >= earliest, "started {started:?}, again at {now}");
                    assert!(
                        law.min_delay == 0 || earliest < u64::MAX - 1,
                        "nothing starts after the end of time"
                    );
                    started = Some(now);
                    open.push(permit);
                }
            }
            2 => {
                drop(open.pop());
                politeness.evict_idle(at);
            }
            _ => match open.pop() {
                Some(permit) => {
                    permit.finish(&Outcome::status(503).retry_after(Duration::from_secs(now)), at);
                }
                None => drop(politeness.evict_idle(at)),
            },
        }
        assert!(open.len() <= law.max_open as usize, "no more open than may be");
    }
}
