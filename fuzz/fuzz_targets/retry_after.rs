//! Header lines of any bytes at any time: no panic, no wait of zero, and never a shorter wait for a further line.
//! `cargo +nightly fuzz run retry_after -- -dict=dictionaries/retry_after.dict -max_len=65536`
#![no_main]

use bot_etiquette_politeness::{RateLimit, RetryAfter, Timestamp};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u64, Option<Vec<u8>>, Vec<u8>)| {
    let (now, date, text) = input;
    let now = Timestamp::from_millis(now);
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    let wait = |lines: &[&[u8]]| RetryAfter::parse(lines, date.as_deref(), now).map(|retry| retry.wait());

    let all = wait(&lines);
    assert!(all.is_none_or(|wait| !wait.is_zero()));
    for shorter in 0..lines.len().min(8) {
        assert!(wait(&lines[..shorter]) <= all);
    }

    let names = ["date", "ratelimit", "RateLimit-Remaining", "x-ratelimit-remaining", "x-ratelimit-reset"];
    let fields = names.iter().cycle().zip(&lines);
    let limit = RateLimit::parse(fields.map(|(name, line)| (name, line)), now);
    assert!(limit.and_then(|limit| limit.hold()).is_none_or(|hold| !hold.is_zero()));
});
