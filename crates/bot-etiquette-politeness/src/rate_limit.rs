use std::time::Duration;

use sfv::{BareItem, ListEntry, Parser};

use crate::{
    Timestamp,
    retry_after::{Reference, seconds, trim},
};

/// What an answer's rate-limit fields leave: how many requests, and for how long.
///
/// There is no settled standard, so the dialects in use are read, the first found in this order:
///
/// | fields | where from |
/// |---|---|
/// | `RateLimit: "default";r=0;t=30` | draft-ietf-httpapi-ratelimit-headers, 08 and later |
/// | `RateLimit: limit=100, remaining=0, reset=30` | the same draft, 07 |
/// | `RateLimit-Remaining: 0`, `RateLimit-Reset: 30` | the same draft, 06 and before |
/// | `X-RateLimit-Remaining`, `X-RateLimit-Reset` or `-Reset-After`, also spelt `X-Rate-Limit-` | customs |
///
/// A reset of the older dialects is a number of seconds, or a point in time as Unix seconds (from 10^8 on) or
/// milliseconds (from 10^11 on), measured against the answer's `Date` where there is one. Fractions are rounded
/// up. A malformed field is ignored.
///
/// The fields are a hint for slowing down only: no count left ever shortens another wait.
///
/// ```
/// use std::time::Duration;
/// use bot_etiquette_politeness::{RateLimit, Timestamp};
///
/// let now = Timestamp::from_millis(1_830_297_540_000);
/// let limit = RateLimit::parse([("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1830297600")], now);
/// assert_eq!(limit.and_then(|limit| limit.hold()), Some(Duration::from_secs(60)));
///
/// let limit = RateLimit::parse([("ratelimit", "\"burst\";r=20;t=10")], now);
/// assert_eq!(limit.and_then(|limit| limit.hold()), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RateLimit {
    remaining: u64,
    reset: Duration,
}

impl RateLimit {
    /// Reads all header fields of one answer that came at `now`, `Date` among them; names in any case.
    ///
    /// Where several limits are named, the one that holds the client longest is kept.
    pub fn parse<N: AsRef<str>, V: AsRef<[u8]>>(
        fields: impl IntoIterator<Item = (N, V)>,
        now: Timestamp,
    ) -> Option<Self> {
        let mut found = Found::default();
        for (name, value) in fields {
            found.read(name.as_ref(), value.as_ref());
        }
        let reference = || Reference::of_answer(found.date.as_deref(), now);
        let draft = Some(&*found.structured).filter(|value| !value.is_empty());
        draft
            .and_then(|value| structured(value).or_else(|| dictionary(value)))
            .or_else(|| found.draft.limit(reference))
            .or_else(|| found.custom.limit(reference))
    }

    /// Requests left until the reset.
    #[must_use]
    pub const fn remaining(&self) -> u64 {
        self.remaining
    }

    /// Time from the answer until the count starts anew.
    #[must_use]
    pub const fn reset(&self) -> Duration {
        self.reset
    }

    /// How long to stay away: until the reset where nothing is left, else `None`.
    #[must_use]
    pub fn hold(&self) -> Option<Duration> {
        (self.remaining == 0 && !self.reset.is_zero()).then_some(self.reset)
    }

    /// Orders limits by the wait they mean: an empty one by its reset, then by what is left.
    fn strictness(&self) -> (Option<Duration>, std::cmp::Reverse<u64>, Duration) {
        (self.hold(), std::cmp::Reverse(self.remaining), self.reset)
    }
}

/// The fields of one answer, sorted by dialect.
#[derive(Default)]
struct Found {
    date: Option<Vec<u8>>,
    /// All `RateLimit` lines, joined as RFC 9110 (5.3) joins a list.
    structured: Vec<u8>,
    draft: Pair,
    custom: Pair,
}

/// A count and a reset that stand in fields of their own: the least count, the latest reset.
#[derive(Default)]
struct Pair {
    remaining: Option<u64>,
    reset: Option<u64>,
    reset_after: Option<u64>,
}

impl Found {
    fn read(&mut self, name: &str, value: &[u8]) {
        // Most fields are others, and are left at once.
        let start = name.as_bytes().get(..4).unwrap_or_default();
        if !["date", "rate", "x-ra"].iter().any(|ours| start.eq_ignore_ascii_case(ours.as_bytes())) {
            return;
        }
        let name = name.to_ascii_lowercase();
        match name.as_str() {
            "date" => self.date = Some(value.to_vec()),
            "ratelimit" => {
                if !self.structured.is_empty() {
                    self.structured.extend_from_slice(b", ");
                }
                self.structured.extend_from_slice(value);
            }
            _ => {
                if let Some(part) = name.strip_prefix("ratelimit-") {
                    self.draft.read(part, value);
                } else if let Some(part) =
                    name.strip_prefix("x-ratelimit-").or_else(|| name.strip_prefix("x-rate-limit-"))
                {
                    self.custom.read(part, value);
                }
            }
        }
    }
}

impl Pair {
    fn read(&mut self, part: &str, value: &[u8]) {
        let Some(number) = seconds(trim(value)) else { return };
        match part {
            "remaining" => self.remaining = Some(self.remaining.map_or(number, |least| least.min(number))),
            "reset" => self.reset = self.reset.max(Some(number)),
            "reset-after" => self.reset_after = self.reset_after.max(Some(number)),
            _ => {}
        }
    }

    fn limit(&self, reference: impl Fn() -> Reference) -> Option<RateLimit> {
        const EPOCH_SECONDS_FROM: u64 = 100_000_000;
        const EPOCH_MILLIS_FROM: u64 = 100_000_000_000;
        let remaining = self.remaining?;
        let until = |millis: u64| reference().until_millis(i64::try_from(millis).unwrap_or(i64::MAX));
        let reset = match (self.reset_after, self.reset) {
            (Some(after), _) => Duration::from_secs(after),
            (None, reset) => match reset? {
                millis @ EPOCH_MILLIS_FROM.. => until(millis),
                seconds @ EPOCH_SECONDS_FROM.. => until(seconds * 1000),
                delta => Duration::from_secs(delta),
            },
        };
        Some(RateLimit { remaining, reset })
    }
}

/// `RateLimit: "burst";r=5;t=10, "daily";r=0;t=3600`: a List of String Items (RFC 9651).
fn structured(value: &[u8]) -> Option<RateLimit> {
    let list: sfv::List = Parser::new(value).parse().ok()?;
    let limits = list.iter().map(|entry| {
        let ListEntry::Item(item) = entry else { return None };
        item.bare_item.as_string()?;
        let remaining = count(item.params.get("r")?)?;
        // The time is optional; without it nothing can be waited for.
        let reset = item.params.get("t").map_or(Some(0), count)?;
        Some(RateLimit { remaining, reset: Duration::from_secs(reset) })
    });
    // One bad member makes the field malformed, and a malformed field is ignored whole.
    let limits = limits.collect::<Option<Vec<_>>>()?;
    limits.into_iter().max_by_key(RateLimit::strictness)
}

/// `RateLimit: limit=100, remaining=50, reset=30`: a Dictionary (RFC 9651).
fn dictionary(value: &[u8]) -> Option<RateLimit> {
    let dictionary: sfv::Dictionary = Parser::new(value).parse().ok()?;
    let member = |key| match dictionary.get(key) {
        Some(ListEntry::Item(item)) => count(&item.bare_item),
        _ => None,
    };
    Some(RateLimit { remaining: member("remaining")?, reset: Duration::from_secs(member("reset")?) })
}

fn count(item: &BareItem) -> Option<u64> {
    u64::try_from(i64::from(item.as_integer()?)).ok()
}
