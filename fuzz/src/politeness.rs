//! The targets of the politeness library.

use std::time::Duration;

use bot_etiquette_politeness::{
    Ask, HostPolicy, Outcome, Policy, Politeness, RateLimit, RetryAfter, Snapshot, Timestamp,
};

/// The laws that the property tests of the library check too.
#[path = "../../crates/bot-etiquette-politeness/tests/it/laws/mod.rs"]
mod laws;

/// Any events under any policy: every decision is that of a slow model, and no time whatever breaks a law.
pub fn events(case: &[u8]) {
    // The model works each answer out anew: what is longer than a case of the property tests is left out.
    let case = &case[..case.len().min(laws::RULES + 200 * laws::EVENT)];
    laws::play(case, |snapshot| {
        let text = serde_json::to_string(&snapshot).expect("a snapshot can be written");
        serde_json::from_str(&text).expect("and read")
    });
    laws::survive(case);
}

/// The first eight bytes as a time in milliseconds, and what follows.
fn time(data: &[u8]) -> Option<(Timestamp, &[u8])> {
    let (time, rest) = data.split_first_chunk()?;
    Some((Timestamp::from_millis(u64::from_le_bytes(*time)), rest))
}

/// A time, a `Date` line or an empty one, then header lines of any bytes: no wait of zero, and never a shorter
/// wait for a further line.
pub fn retry_after(data: &[u8]) {
    let Some((now, text)) = time(data) else { return };
    let mut lines = text.split(|&byte| byte == b'\n');
    let date = lines.next().filter(|date| !date.is_empty());
    let lines: Vec<&[u8]> = lines.collect();
    let wait = |lines: &[&[u8]]| RetryAfter::parse(lines, date, now).map(|retry| retry.wait());

    let all = wait(&lines);
    assert!(all.is_none_or(|wait| !wait.is_zero()));
    for shorter in 0..lines.len().min(8) {
        assert!(wait(&lines[..shorter]) <= all);
    }

    let names = ["date", "ratelimit", "RateLimit-Remaining", "x-ratelimit-remaining", "x-ratelimit-reset"];
    let fields = names.iter().cycle().zip(&lines);
    let limit = RateLimit::parse(fields.map(|(name, line)| (name, line)), now);
    assert!(limit.and_then(|limit| limit.hold()).is_none_or(|hold| !hold.is_zero()));
}

/// Two times and a snapshot of any text: it is refused, or read and kept; what is exported then is read again
/// the same, and no request follows another without its pause.
pub fn snapshot(data: &[u8]) {
    let Some((now, rest)) = time(data) else { return };
    let Some((later, text)) = time(rest) else { return };
    let Ok(snapshot) = serde_json::from_slice::<Snapshot>(text) else { return };
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
}
