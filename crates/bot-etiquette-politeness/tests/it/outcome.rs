use std::time::Duration;

use bot_etiquette_politeness::{Outcome, Timestamp};
use http::{HeaderMap, HeaderValue};

/// Fri, 31 Dec 2027 23:59:00 GMT.
const NOW: Timestamp = Timestamp::from_millis(1_830_297_540_000);

#[track_caller]
fn reads(
    status: u16,
    fields: &[(&'static str, &'static str)],
    retry_after: Option<u64>,
    rate_limit: Option<u64>,
) {
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        headers.append(*name, HeaderValue::from_static(value));
    }
    let outcome = Outcome::answered(status, &headers, NOW);
    assert_eq!(outcome.retry_after, retry_after.map(Duration::from_secs), "{status} {fields:?}");
    assert_eq!(outcome.rate_limit, rate_limit.map(Duration::from_secs), "{status} {fields:?}");
}

#[test]
fn an_answer_is_read_by_its_status_and_fields() {
    let retry = ("retry-after", "120");
    for status in [429, 503, 413, 301, 304] {
        reads(status, &[retry], Some(120), None);
    }
    for status in [200, 404, 500, 502, 504] {
        reads(status, &[retry], None, None);
    }
    reads(429, &[retry, ("retry-after", "300")], Some(300), None);
    reads(
        503,
        &[("date", "Sat, 01 Jan 2028 00:59:00 GMT"), ("retry-after", "Sat, 01 Jan 2028 01:00:00 GMT")],
        Some(60),
        None,
    );
}

#[test]
fn a_rate_limit_counts_on_any_status_and_gives_way_to_a_retry_after() {
    let limit = ("ratelimit", "\"default\";r=0;t=30");
    reads(200, &[limit], None, Some(30));
    reads(429, &[limit], None, Some(30));
    reads(429, &[limit, ("retry-after", "10")], Some(10), None);
    reads(429, &[limit, ("retry-after", "0")], None, Some(30));
    reads(200, &[limit, ("retry-after", "10")], None, Some(30));
}
