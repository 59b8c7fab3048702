//! The table in memory: permits, forecasts, explanations, snapshots, kills over versions.

use std::time::Duration;

use bot_etiquette_politeness::{
    Ask, Groups, HostPolicy, HostState, Outcome, Policy, Politeness, Quota, Reason, Refusal, Snapshot,
    Timestamp,
};
use url::Url;

fn at(second: u64) -> Timestamp {
    Timestamp::from_millis(second * 1000)
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn url(host: &str) -> Url {
    Url::parse(&format!("https://{host}/page")).unwrap()
}

fn paced() -> Politeness {
    Politeness::new(Policy::new(HostPolicy::new().min_delay(seconds(10)).unreachable_first(seconds(900))))
}

#[track_caller]
fn until<T: std::fmt::Debug>(decision: Result<T, Refusal>) -> Option<Timestamp> {
    decision.expect_err("a refusal").until()
}

#[test]
fn a_redirect_waits_for_its_own_host_and_gives_back_the_first() {
    let politeness = paced();
    let (from, to) = (url("h"), url("g"));
    politeness.admit(&Ask::new(&to), at(0)).unwrap().finish(&Outcome::status(200), at(2));
    let permit = politeness.admit(&Ask::new(&from), at(3)).unwrap();
    assert!(permit.covers(&from) && !permit.covers(&to));
    let hop = permit.redirected(&Outcome::status(302), &Ask::new(&to), at(4));
    assert_eq!(until(hop), Some(at(12)), "the hop waits on the clock of its own host");
    assert_eq!(
        until(politeness.check(&Ask::new(&from), at(4))),
        Some(at(14)),
        "the first host's slot is free"
    );
}

#[test]
fn a_dropped_permit_ends_at_the_next_time_that_is_told() {
    let politeness = paced();
    let url = url("h");
    drop(politeness.admit(&Ask::new(&url), at(0)).unwrap());
    assert_eq!(until(politeness.check(&Ask::new(&url), at(30))), Some(at(40)));
    // To ask changes nothing, and what was answered holds.
    assert!(politeness.admit(&Ask::new(&url), at(40)).is_ok());
}

#[test]
fn a_question_about_a_later_time_is_no_later_time() {
    let politeness = paced();
    let (asked, other) = (url("h"), url("g"));
    let permit = politeness.admit(&Ask::new(&asked), at(0)).unwrap();
    let id = politeness.host_id_of(&asked, at(0)).unwrap();
    permit.finish(&Outcome::status(200), at(1));
    for ask in [Ask::new(&asked), Ask::new(&other)] {
        assert_eq!(politeness.check(&ask, at(500)), Ok(()));
        assert_eq!(politeness.explain(&ask, at(500)).refusal(), None);
        assert_eq!(politeness.forecast(&ask, 1, at(500)), [at(500)]);
    }
    assert_eq!(politeness.check_host(id, at(500)), Ok(()));
    assert_eq!(until(politeness.check(&Ask::new(&asked), at(2))), Some(at(11)));
    let permit = politeness.admit(&Ask::new(&other), at(2)).unwrap();
    assert_eq!(permit.started(), at(2));
}

#[test]
fn a_question_forgets_no_host() {
    let politeness = Politeness::new(Policy::new(HostPolicy::new().min_delay(seconds(10))).max_hosts(1));
    let (known, new) = (url("h"), url("g"));
    politeness.admit(&Ask::new(&known), at(0)).unwrap().finish(&Outcome::status(200), at(1));
    assert_eq!(politeness.check(&Ask::new(&new), at(11)), Ok(()), "by then there is room");
    assert_eq!(until(politeness.check(&Ask::new(&new), at(2))), Some(at(11)), "the table is full");
    assert_eq!(until(politeness.check(&Ask::new(&known), at(2))), Some(at(11)), "the host is remembered");
}

#[test]
fn numbers_that_a_file_would_refuse_do_no_harm() {
    let odd = HostPolicy::new()
        .max_open(0)
        .class_max_open([("page".to_owned(), 0)].into())
        .jitter(f64::NAN)
        .unreachable_first(seconds(60))
        .unreachable_factor(f64::NAN);
    let politeness = Politeness::new(Policy::new(odd)).with_random(|| 1.0);
    let url = url("h");
    let ask = Ask::new(&url).class("page");
    let failed = Outcome::failed(bot_etiquette_politeness::Failure::Dns);
    politeness.admit(&ask, at(0)).unwrap().finish(&failed, at(0));
    politeness.admit(&ask, at(60)).unwrap().finish(&failed, at(60));
    assert_eq!(until(politeness.check(&ask, at(60))), Some(at(120)), "a step grows by no such factor");
}

#[test]
fn a_forecast_names_the_starts_to_come_and_changes_nothing() {
    let quota = Quota::new("day", 3, seconds(86_400)).unwrap();
    let policy = HostPolicy::new().min_delay(seconds(10)).quota(vec![quota]);
    let politeness = Politeness::new(Policy::new(policy));
    let url = url("h");
    let ask = Ask::new(&url);
    let starts = [at(0), at(10), at(20), at(86_400), at(86_410)];
    assert_eq!(politeness.forecast(&ask, 5, at(0)), starts);
    assert_eq!(politeness.forecast(&ask, 5, at(0)), starts, "it changed nothing");
    let permit = politeness.admit(&ask, at(0)).unwrap();
    assert_eq!(politeness.forecast(&ask, 5, at(11)), [], "a slot comes free when it does");
    permit.finish(&Outcome::status(200), at(11));
    assert_eq!(politeness.forecast(&ask, 2, at(11)), [at(21), at(31)]);
    politeness.kill(&"h".parse().unwrap(), at(11));
    assert_eq!(politeness.forecast(&ask, 2, at(11)), []);
}

#[test]
fn an_explanation_names_what_refuses_and_what_is_past() {
    let politeness = paced();
    let url = url("h");
    let ask = Ask::new(&url);
    assert_eq!(politeness.explain(&ask, at(0)).to_string(), "go\n");
    politeness.admit(&ask, at(1)).unwrap().finish(&Outcome::failed("dns".parse().unwrap()), at(2));
    assert_eq!(
        politeness.explain(&ask, at(20)).to_string(),
        "wait until 902 (in 882 s)
* unreachable until 902: the host did not answer and is left alone for a while
  min-delay passed at 12
"
    );
}

#[test]
fn jitter_lengthens_a_hold_by_what_the_caller_draws() {
    for (drawn, held) in [(0.0, 900_000), (0.5, 945_000), (1.0, 990_000)] {
        let policy = HostPolicy::new().unreachable_first(seconds(900)).jitter(0.1);
        let politeness = Politeness::new(Policy::new(policy)).with_random(move || drawn);
        let url = url("h");
        politeness
            .admit(&Ask::new(&url), at(0))
            .unwrap()
            .finish(&Outcome::failed("timeout".parse().unwrap()), at(0));
        assert_eq!(until(politeness.check(&Ask::new(&url), at(0))), Some(Timestamp::from_millis(held)));
    }
}

#[test]
fn a_host_by_its_id_is_the_same_host_until_it_is_forgotten() {
    let politeness = Politeness::new(Policy::new(HostPolicy::new()).max_hosts(1));
    let id = politeness.host_id(&"h".parse().unwrap(), at(0)).unwrap();
    let (own, other) = (url("h"), url("other"));
    assert_eq!(politeness.host_id_of(&own, at(0)), Ok(id));
    let next = politeness.host_id_of(&url("next"), at(0));
    assert!(next.is_ok(), "a host of which nothing runs makes room");
    let id = politeness.host_id_of(&own, at(0)).unwrap();
    let nowhere = politeness.host_id_of(&Url::parse("data:,x").unwrap(), at(0)).unwrap_err();
    assert!(nowhere.reasons().eq([Reason::NotConfigured]));
    assert!(politeness.check_host(id, at(0)).is_ok());
    let permit = politeness.admit_at(id, &Ask::new(&own), at(0)).unwrap();
    assert!(politeness.admit_at(id, &Ask::new(&other), at(0)).is_err(), "an id is good for one host");
    let in_flight = politeness.check_host(id, at(0)).unwrap_err();
    assert!(in_flight.reasons().eq([Reason::InFlight]));
    permit.finish(&Outcome::status(200), at(1));
    let _other = politeness.admit(&Ask::new(&other), at(2)).unwrap();
    assert_eq!(politeness.hosts(), 1);
    assert!(politeness.check_host(id, at(2)).is_err(), "the id of a forgotten host names no other");
}

#[test]
fn a_new_policy_acts_at_once_and_shortens_no_hold() {
    let politeness = paced();
    let url = url("h");
    let ask = Ask::new(&url);
    politeness.admit(&ask, at(0)).unwrap().finish(&Outcome::failed("reset".parse().unwrap()), at(0));
    politeness.set_policy(Policy::new(HostPolicy::new().min_delay(seconds(1000))), at(1));
    let refusal = politeness.check(&ask, at(1)).unwrap_err();
    assert!(refusal.reasons().eq([Reason::MinDelay, Reason::Unreachable]));
    assert_eq!(refusal.until(), Some(at(1000)));
}

#[test]
fn a_name_that_becomes_one_of_another_host_leaves_it_its_holds() {
    let politeness = paced();
    let (old, new) = (url("www.h"), url("h"));
    politeness.admit(&Ask::new(&old), at(0)).unwrap().finish(&Outcome::failed("dns".parse().unwrap()), at(1));
    politeness.kill(&"www.h".parse().unwrap(), at(2));
    assert!(politeness.check(&Ask::new(&new), at(2)).is_ok());
    let one = Policy::new(HostPolicy::new().min_delay(seconds(10)));
    let one = one.shared_clock("h".parse().unwrap(), "www.h".parse().unwrap());
    politeness.set_policy(one, at(3));
    let refusal = politeness.check(&Ask::new(&new), at(3)).unwrap_err();
    assert!(refusal.reasons().eq([Reason::Killed, Reason::Unreachable, Reason::MinDelay]), "{refusal}");
    politeness.revive(&"www.h".parse().unwrap(), at(3));
    assert_eq!(until(politeness.check(&Ask::new(&new), at(3))), Some(at(901)));
}

#[test]
fn memory_of_urls_is_bounded_and_fails_closed() {
    use bot_etiquette_politeness::MAX_URLS_PER_HOST;
    let revisit = std::collections::BTreeMap::from([("file".to_owned(), seconds(1_000_000))]);
    let politeness = Politeness::new(Policy::new(HostPolicy::new().max_open(u32::MAX).revisit(revisit)));
    let mut last = None;
    for file in 0..=MAX_URLS_PER_HOST as u64 {
        let url = Url::parse(&format!("https://h/{file}")).unwrap();
        let second = at(file / 1000);
        last = Some(politeness.admit(&Ask::new(&url).class("file"), second).map(|permit| {
            permit.finish(&Outcome::status(200), second);
        }));
        assert_eq!(last.as_ref().unwrap().is_ok(), file < MAX_URLS_PER_HOST as u64, "{file}");
    }
    let refusal = last.unwrap().unwrap_err();
    assert!(refusal.reasons().eq([Reason::TableFull]));
    assert_eq!(refusal.until(), Some(at(1_000_000)), "when the oldest is due");
}

#[test]
fn resources_beyond_the_bound_hold_the_whole_host() {
    use bot_etiquette_politeness::{BusyScope, MAX_RESOURCES_PER_HOST};
    let policy = HostPolicy::new().busy_first(seconds(3600)).busy_scope(BusyScope::Resource);
    let politeness = Politeness::new(Policy::new(policy));
    let url = url("h");
    for resource in 0..=MAX_RESOURCES_PER_HOST {
        let name = format!("svc-{resource}");
        let free = politeness.check(&Ask::new(&url).resource("free"), at(0));
        assert!(free.is_ok(), "{resource}");
        let ask = Ask::new(&url).resource(&name);
        politeness.admit(&ask, at(0)).unwrap().finish(&Outcome::status(503), at(0));
    }
    assert_eq!(until(politeness.check(&Ask::new(&url).resource("free"), at(0))), Some(at(3600)));
}

/// A host that failed at 100 and is left alone until 1000, saved at 200.
fn failed() -> Snapshot {
    let politeness = paced();
    let url = url("h");
    politeness
        .admit(&Ask::new(&url), at(100))
        .unwrap()
        .finish(&Outcome::failed("connect".parse().unwrap()), at(100));
    politeness.export(at(200))
}

#[test]
fn an_import_keeps_deadlines_and_leaves_what_was_left_when_the_clock_was_stepped() {
    for (now, free) in [(200, 1000), (300, 1000), (1000, 1000), (90_000, 90_000), (150, 950), (0, 800)] {
        let politeness = paced();
        politeness.import(failed(), at(now));
        let url = url("h");
        let decision = politeness.check(&Ask::new(&url), at(now));
        assert_eq!(
            decision.err().and_then(|refusal| refusal.until()).unwrap_or(at(now)),
            at(free),
            "at {now}"
        );
    }
}

#[test]
fn a_state_of_a_store_of_ones_own_keeps_what_was_left_when_the_clock_was_set_back() {
    let policy = Policy::new(HostPolicy::new().unreachable_first(seconds(900)));
    let (rules, url) = (policy.rules(&"h".parse().unwrap()), url("h"));
    for (from, to, free) in [(200, 150, 950), (200, 0, 800), (200, 200, 1000), (200, 300, 1000), (5000, 7, 7)]
    {
        let (mut state, mut groups) = (HostState::default(), Groups::default());
        let opened = state.start(&rules, &mut groups, &Ask::new(&url), at(100)).unwrap();
        state.end(&rules, &mut groups, &opened, &Outcome::failed("connect".parse().unwrap()), 0.0, at(100));
        state.step_back(at(from), at(to));
        let decision = state.check(&rules, &groups, &Ask::new(&url), at(to));
        let until = decision.err().and_then(|refusal| refusal.until()).unwrap_or(at(to));
        assert_eq!(until, at(free), "from {from} to {to}");
    }
}

#[test]
fn a_host_that_was_forgotten_waits_a_pause_that_is_set_after_a_restart() {
    let before = Politeness::new(Policy::new(HostPolicy::new()));
    let url = url("h");
    before.admit(&Ask::new(&url), at(5)).unwrap().finish(&Outcome::status(200), at(5));
    assert_eq!(before.evict_idle(at(6)), 1);
    for (now, free) in [(6, 15), (9, 15), (4, 13)] {
        let after = paced();
        after.import(before.export(at(6)), at(now));
        assert_eq!(until(after.check(&Ask::new(&url), at(now))), Some(at(free)), "at {now}");
    }
}

#[test]
fn without_a_snapshot_every_host_waits_one_pause() {
    let politeness = paced();
    politeness.quarantine(at(50));
    let url = url("h");
    assert_eq!(until(politeness.check(&Ask::new(&url), at(50))), Some(at(60)));
    assert_eq!(until(politeness.admit(&Ask::new(&url), at(50))), Some(at(60)));
    assert!(politeness.admit(&Ask::new(&url), at(60)).is_ok());
}

#[cfg(feature = "serde")]
mod text {
    use super::*;

    #[test]
    fn a_snapshot_of_an_unknown_version_keeps_its_kills_and_every_host_waits() {
        let text = r#"[7, {"hosts": [{"name": "h", "state": "?"}], "killed": ["bad.example"], "more": 1}]"#;
        let snapshot: Snapshot = serde_json::from_str(text).unwrap();
        assert!(snapshot.is_foreign());
        let politeness = paced();
        politeness.import(snapshot, at(50));
        let (bad, any) = (url("bad.example"), url("any"));
        assert_eq!(until(politeness.check(&Ask::new(&any), at(50))), Some(at(60)), "one pause");
        assert!(politeness.check(&Ask::new(&bad), at(9999)).unwrap_err().is_never());
        let politeness = paced();
        politeness.import(serde_json::from_str("[0, {}]").unwrap(), at(50));
        assert_eq!(until(politeness.check(&Ask::new(&any), at(50))), Some(at(60)));
    }

    #[test]
    fn kills_are_written_where_every_version_finds_them() {
        let politeness = paced();
        politeness.kill(&"h".parse().unwrap(), at(1));
        let text = serde_json::to_string(&politeness.export(at(2))).unwrap();
        assert!(text.starts_with(r#"[1,{"saved_at":2000,"killed":["h"],"#), "{text}");
    }

    #[test]
    fn what_was_forgotten_is_written_and_read() {
        let politeness = paced();
        politeness.quarantine(at(1));
        let snapshot = politeness.export(at(2));
        let text = serde_json::to_string(&snapshot).unwrap();
        assert!(text.starts_with(r#"[1,{"saved_at":2000,"forgotten":1000,"#), "{text}");
        assert_eq!(serde_json::from_str::<Snapshot>(&text).unwrap(), snapshot);
    }

    #[test]
    fn what_is_no_snapshot_is_refused_with_what_was_expected() {
        for (text, expected) in [
            ("{}", "a snapshot: [version, body]"),
            ("[]", "a snapshot: [version, body]"),
            ("[1]", "a snapshot: [version, body]"),
            (r#"[1, {"saved_at": 1}]"#, "missing field `hosts`"),
            (r#"[1, {"saved_at": -1, "hosts": {}}]"#, "expected u64"),
            (r#"[1, {"saved_at": 1, "hosts": {"a b": {}}}]"#, "is not a host name"),
        ] {
            let error = serde_json::from_str::<Snapshot>(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn moments_that_cannot_be_are_moments_of_now() {
        let text = r#"[1, {"saved_at": 5, "hosts": {"h": {"last_start": 18446744073709551615, "open": 7,
            "last_end": 99999999999, "rare": {"crawl_delays": {"https://h": {"delay": 30000, "at": 1}}}}}}]"#;
        let politeness = paced();
        politeness.import(serde_json::from_str(text).unwrap(), at(50));
        let url = url("h");
        assert_eq!(
            until(politeness.check(&Ask::new(&url), at(50))),
            Some(at(80)),
            "the Crawl-delay from now"
        );
        assert!(politeness.admit(&Ask::new(&url), at(80)).is_ok());
    }
}
