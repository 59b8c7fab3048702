//! Two processes, one file: together they keep the limits of a host.
//!
//! The test starts its own binary again as the other processes: `child` does nothing unless it is told which
//! file to open.

#![allow(clippy::disallowed_methods, reason = "processes share nothing but the file and the real time")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use bot_etiquette::politeness::{
    Ask, Failure, HostPolicy, Outcome, Policy, Reason, Refusal, Store, Timestamp,
};
use bot_etiquette_examples::sqlite_store::{SqliteStore, StoreError};
use url::Url;

const LEASE: Duration = Duration::from_secs(2);

fn now() -> Timestamp {
    SystemTime::now().into()
}

fn policy() -> Policy {
    Policy::new(HostPolicy::new().max_open(2u32).unreachable_first(Duration::from_secs(900)))
}

fn url() -> Url {
    "http://shared.example/".parse().unwrap()
}

/// A new file below the build's folder for temporary things.
fn file(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("state.sqlite");
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{suffix}", file.display()));
    }
    file
}

fn spawn(file: &Path, what: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture", "--quiet"])
        .env("SHARED_STORE_FILE", file)
        .env("SHARED_STORE_CHILD", what)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What another process does: one line for each start and end, `killed` when it was blocked.
#[test]
fn child() {
    let Some(file) = std::env::var_os("SHARED_STORE_FILE") else { return };
    let store = SqliteStore::open(file.as_ref(), policy()).unwrap();
    let url = url();
    let begun = Instant::now();
    let mut turn = 0u64;
    while begun.elapsed() < Duration::from_secs(20) {
        match store.admit(&Ask::new(&url), LEASE, now()) {
            Ok(permit) => {
                println!("start {}", nanos());
                if std::env::var("SHARED_STORE_CHILD").as_deref() == Ok("hang") {
                    std::thread::sleep(Duration::from_secs(60));
                }
                turn += 1;
                std::thread::sleep(Duration::from_millis(1 + turn * 7 % 5));
                println!("end {}", nanos());
                store.finish(permit, &Outcome::status(200), now());
            }
            Err(refusal) if refusal.reasons().any(|reason| reason == Reason::Killed) => {
                println!("killed {}", nanos());
                return;
            }
            Err(_) => std::thread::sleep(Duration::from_micros(500)),
        }
    }
}

fn nanos() -> u128 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos()
}

#[test]
fn two_processes_never_have_three_requests_open_and_a_block_reaches_both() {
    let file = file("two");
    let store = SqliteStore::open(&file, policy()).unwrap();
    // Each child keeps one request open at a time; a third comes from here, so that there is one too many.
    let children = [spawn(&file, "one"), spawn(&file, "two")];
    let mut events: Vec<(u128, i32)> = Vec::new();
    let begun = Instant::now();
    let url = url();
    while begun.elapsed() < Duration::from_millis(1500) {
        match store.admit(&Ask::new(&url), LEASE, now()) {
            Ok(permit) => {
                events.push((nanos(), 1));
                std::thread::sleep(Duration::from_millis(2));
                events.push((nanos(), -1));
                store.finish(permit, &Outcome::status(200), now());
            }
            Err(refusal) => {
                let reasons: BTreeSet<_> = refusal.reasons().collect();
                assert!(reasons.is_subset(&[Reason::InFlight, Reason::StoreUnavailable].into()), "{refusal}");
                std::thread::sleep(Duration::from_micros(500));
            }
        }
    }
    store.kill(&"shared.example".parse().unwrap(), now()).unwrap();
    let blocked = nanos();

    let mut killed = 0;
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        for line in text.lines() {
            let Some((what, at)) = line.split_once(' ') else { continue };
            let Ok(at) = at.parse::<u128>() else { continue };
            match what {
                "start" => {
                    // Admitted in the transaction before the block, and written down a moment later.
                    assert!(at < blocked + 500_000_000, "a start {} ns after the block", at - blocked);
                    events.push((at, 1));
                }
                "end" => events.push((at, -1)),
                "killed" => killed += 1,
                _ => {}
            }
        }
    }
    assert_eq!(killed, 2, "both children were stopped by the block, not by the time");
    // An end at the very moment of a start comes first.
    events.sort_unstable();
    let mut open = 0;
    let mut most = 0;
    for (_, change) in &events {
        open += change;
        most = most.max(open);
    }
    assert!(events.len() > 100, "only {} events", events.len());
    assert_eq!(most, 2, "two at once were seen, never three");
}

#[test]
fn the_slots_of_a_process_that_was_killed_come_free_with_their_lease() {
    let file = file("killed");
    let store = SqliteStore::open(&file, policy()).unwrap();
    let mut children = [spawn(&file, "hang"), spawn(&file, "hang")];
    let url = url();
    let ask = Ask::new(&url);
    let begun = Instant::now();
    // Both have their slot when there is none left.
    let refusal = loop {
        match store.admit(&ask, LEASE, now()) {
            Ok(permit) => store.unsent(permit, now()),
            Err(refusal) if refusal.reasons().any(|reason| reason == Reason::InFlight) => break refusal,
            Err(_) => {}
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "the children never came");
        std::thread::sleep(Duration::from_millis(2));
    };
    assert_eq!(refusal.until(), None);
    for child in &mut children {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(store.admit(&ask, LEASE, now()).is_err(), "nobody knows yet that they are gone");
    drop(store.admit(&ask, LEASE, now() + LEASE).expect("their leases have ended"));
}

#[track_caller]
fn reasons(store: &SqliteStore, now: Timestamp) -> Vec<Reason> {
    let url = url();
    match store.admit(&Ask::new(&url), LEASE, now) {
        Ok(permit) => {
            store.unsent(permit, now);
            Vec::new()
        }
        Err(refusal) => Refusal::reasons(&refusal).collect(),
    }
}

#[test]
fn what_one_handle_learns_another_knows() {
    let file = file("learns");
    let (one, other) =
        (SqliteStore::open(&file, policy()).unwrap(), SqliteStore::open(&file, policy()).unwrap());
    let at = Timestamp::from_millis;
    let url = url();
    let permit = one.admit(&Ask::new(&url), LEASE, at(0)).unwrap();
    one.finish(permit, &Outcome::failed(Failure::Connect), at(100));
    assert_eq!(reasons(&other, at(200)), [Reason::Unreachable]);
    drop((one, other));
    let again = SqliteStore::open(&file, policy()).unwrap();
    assert_eq!(reasons(&again, at(899_000)), [Reason::Unreachable], "a restart forgets nothing");
    assert_eq!(reasons(&again, at(900_100)), []);
}

#[test]
fn a_kill_shows_in_open_requests_of_another_handle() {
    let file = file("kill");
    let (one, other) =
        (SqliteStore::open(&file, policy()).unwrap(), SqliteStore::open(&file, policy()).unwrap());
    let at = Timestamp::from_millis;
    let url = url();
    let permit = one.admit(&Ask::new(&url), LEASE, at(0)).unwrap();
    assert!(!one.is_killed(&permit, at(10)));
    let host = "shared.example".parse().unwrap();
    other.kill(&host, at(10)).unwrap();
    assert!(one.is_killed(&permit, at(10)));
    one.finish(permit, &Outcome::aborted(), at(20));
    assert_eq!(reasons(&one, at(30)), [Reason::Killed]);
    one.revive(&host, at(40)).unwrap();
    assert_eq!(reasons(&other, at(50)), []);
}

#[test]
fn a_late_end_holds_but_lifts_nothing() {
    let file = file("late");
    let store = SqliteStore::open(&file, policy()).unwrap();
    let at = Timestamp::from_millis;
    let url = url();
    let late = store.admit(&Ask::new(&url), LEASE, at(0)).unwrap();
    // Its lease ends at 2 s, with the next decision after.
    let _open = [
        store.admit(&Ask::new(&url), LEASE, at(3000)).unwrap(),
        store.admit(&Ask::new(&url), LEASE, at(3000)).unwrap(),
    ];
    let outcome = Outcome::status(429).retry_after(Duration::from_secs(60));
    store.finish(late, &outcome, at(3500));
    assert_eq!(reasons(&store, at(4000)), [Reason::InFlight, Reason::RetryAfter], "no slot came free by it");
}

#[test]
fn a_dropped_permit_and_one_unsent_give_their_slots_back() {
    let file = file("dropped");
    let policy = Policy::new(HostPolicy::new().min_delay(Duration::from_secs(1)));
    let store = SqliteStore::open(&file, policy).unwrap();
    let at = Timestamp::from_millis;
    let url = url();
    drop(store.admit(&Ask::new(&url), LEASE, at(0)).unwrap());
    assert_eq!(reasons(&store, at(500)), [Reason::MinDelay], "it counts as an end at the next decision");
    assert_eq!(reasons(&store, at(1500)), []);
    assert_eq!(reasons(&store, at(1500)), [], "one unsent costs nothing");
}

#[test]
fn a_file_of_another_version_is_refused() {
    let file = file("version");
    drop(SqliteStore::open(&file, policy()).unwrap());
    let connection = rusqlite::Connection::open(&file).unwrap();
    connection.pragma_update(None, "user_version", 7).unwrap();
    let error = SqliteStore::open(&file, policy()).err().unwrap();
    assert!(matches!(error, StoreError::Version { found: 7 }), "{error}");
}

const MINUTE: u64 = 60_000;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
const YEAR: u64 = 365 * DAY;

/// When each of four hosts is free after a restart whose clock stands at `now`: after a pause, a Retry-After of half an hour,
/// a request whose process was killed, and a quota of a day.
fn free_after(name: &str, last: u64, now: u64) -> [u64; 4] {
    let file = file(name);
    let policy = Policy::from_toml(
        "[default]\nmax_open = 1\nmin_delay = 10.0\n[host.\"quota.example\"]\nquota = [{ name = \"day\", limit = 1, window = 86400.0 }]\n",
    )
    .unwrap();
    let (last, now) = (Timestamp::from_millis(last), Timestamp::from_millis(now));
    let url = |host: &str| -> Url { format!("http://{host}/").parse().unwrap() };
    let hosts = ["pause.example", "busy.example", "killed.example", "quota.example"];
    let before = SqliteStore::open(&file, policy.clone()).unwrap();
    before.begin(last, &[]).unwrap();
    for host in hosts {
        let permit = before.admit(&Ask::new(&url(host)), LEASE, last).unwrap();
        match host {
            "busy.example" => {
                before.finish(permit, &Outcome::status(503).retry_after(Duration::from_secs(1800)), last);
            }
            // Its process is gone: nothing ends it but its deadline.
            "killed.example" => std::mem::forget(permit),
            _ => before.finish(permit, &Outcome::status(200), last),
        }
    }
    let store = SqliteStore::open(&file, policy).unwrap();
    let stepped = store.begin(now, &[]).unwrap();
    assert_eq!(stepped.is_some(), last.since(now) > Duration::from_secs(60), "{name}");
    if stepped.is_some() {
        let refused = before.check(&Ask::new(&url("pause.example")), last).unwrap_err();
        assert_eq!(
            refused.reasons().collect::<Vec<_>>(),
            [Reason::StoreUnavailable],
            "{name}: by the old clock"
        );
    }
    hosts.map(|host| {
        // As a bot waits: until it may go, or for as long as it is told.
        let mut at = now;
        while let Err(refusal) = store.check(&Ask::new(&url(host)), at) {
            at = refusal
                .until()
                .map_or(at + Duration::from_millis(100), |until| until.max(at + Duration::from_millis(1)));
        }
        at.since(now).as_millis() as u64
    })
}

#[test]
fn no_wait_is_lost_and_none_becomes_endless_when_the_clock_steps_between_two_runs() {
    let last = 2 * YEAR;
    let waits = [10_000, 30 * MINUTE, 12_000, DAY];
    for (name, now) in [
        ("stays", last),
        ("hour-back", last - HOUR),
        ("day-back", last - DAY),
        ("year-back", last - YEAR),
        ("to-the-epoch", 0),
        ("hour-on", last + HOUR),
        ("day-on", last + DAY),
        ("year-on", last + YEAR),
        ("to-the-end", u64::MAX / 4),
    ] {
        let left = free_after(name, last, now);
        for (left, wait) in left.into_iter().zip(waits) {
            // What passed by the clock is over; of what was set back all is left, to the second at which a moment is noted.
            let expected = wait.saturating_sub(now.saturating_sub(last));
            assert!((expected..=expected + 2_100).contains(&left), "{name}: {left} ms, expected {expected}");
        }
    }
    // Less than a minute is waited for instead.
    let left = free_after("a-little-back", last, last - 30_000);
    for (left, wait) in left.into_iter().zip(waits) {
        assert!(
            (wait..=wait + 32_100).contains(&left),
            "{left} ms, expected up to half a minute above {wait}"
        );
    }
}
