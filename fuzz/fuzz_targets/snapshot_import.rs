//! A snapshot of any text: it is refused, or read and kept; what is exported then is read again the same.
//! `cargo +nightly fuzz run snapshot_import -- -max_len=65536`
#![no_main]

use bot_etiquette_politeness::{Ask, HostPolicy, Outcome, Policy, Politeness, Snapshot, Timestamp};
use libfuzzer_sys::fuzz_target;
use std::time::Duration;

fuzz_target!(|input: (u64, u64, &str)| {
    let (now, later, text) = input;
    let Ok(snapshot) = serde_json::from_str::<Snapshot>(text) else { return };
    let (now, later) = (Timestamp::from_millis(now), Timestamp::from_millis(later));
    let politeness = Politeness::new(Policy::new(HostPolicy::new().min_delay(Duration::from_secs(1))));
    let hosts: Vec<String> = snapshot.hosts().map(|(host, _)| host.to_string()).collect();
    politeness.import(snapshot, now);

    let exported = politeness.export(now);
    let written = serde_json::to_string(&exported).expect("a snapshot can be written");
    assert_eq!(serde_json::from_str::<Snapshot>(&written).expect("and read"), exported);

    for host in hosts.iter().take(8) {
        let Ok(url) = url::Url::parse(&format!("https://{host}/x")) else { continue };
        let ask = Ask::new(&url);
        if let Ok(permit) = politeness.admit(&ask, later) {
            permit.finish(&Outcome::status(503).retry_after(Duration::from_secs(5)), later);
            assert!(politeness.check(&ask, later).is_err(), "a pause follows every request");
        }
    }
    politeness.evict_idle(later);
});
