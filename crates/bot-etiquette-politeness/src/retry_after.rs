use std::time::Duration;

use crate::{Timestamp, http_date::parse_http_date};

/// How long an answer's `Retry-After` (RFC 9110, 10.2.3) asks a client to stay away.
///
/// Read are both forms of the field, and what servers send in their place: fractions of a second (rounded up),
/// several values or lines (the longest counts), dates in the three HTTP forms with the usual slips, numbers
/// too large for any clock (as long as a clock can count). Zero, a negative number, a date that has passed and
/// whatever is no delay at all count as absent, so that a server's nonsense never shortens a caller's own wait.
///
/// A date is measured against the answer's own `Date`, so a server whose clock is wrong still gets the pause
/// it meant; without a readable `Date` it is measured against `now`.
///
/// ```
/// use std::time::Duration;
/// use bot_etiquette_politeness::{RetryAfter, Timestamp};
///
/// let now = Timestamp::from_millis(784_111_777_000); // Sun, 06 Nov 1994 08:49:37 GMT
/// let read = |line: &str| RetryAfter::parse([line], None, now).map(|retry| retry.wait());
///
/// assert_eq!(read("120"), Some(Duration::from_secs(120)));
/// assert_eq!(read("Sun, 06 Nov 1994 08:50:37 GMT"), Some(Duration::from_secs(60)));
/// assert_eq!(read("1.5"), Some(Duration::from_secs(2)));
/// assert_eq!(read("0"), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RetryAfter {
    wait: Duration,
}

impl RetryAfter {
    /// The longest delay named by the field's lines, or `None` where no line names one.
    ///
    /// `lines` are the values of every `Retry-After` line of one answer (`headers.get_all(RETRY_AFTER)`),
    /// `date` is its `Date`, `now` the time at which the answer came.
    pub fn parse<V: AsRef<[u8]>>(
        lines: impl IntoIterator<Item = V>,
        date: Option<&[u8]>,
        now: Timestamp,
    ) -> Option<Self> {
        let reference = Reference::of_answer(date, now);
        lines
            .into_iter()
            .filter_map(|line| longest_of_list(line.as_ref(), reference))
            .max()
            .filter(|wait| !wait.is_zero())
            .map(|wait| Self { wait })
    }

    /// Whether the field has a meaning on an answer with this status: 429 (RFC 6585), 503, 413 and every 3xx.
    #[must_use]
    pub const fn is_read_on(status: u16) -> bool {
        matches!(status, 413 | 429 | 503 | 300..=399)
    }

    /// The pause asked for, counted from the moment the answer came; never zero.
    #[must_use]
    pub const fn wait(self) -> Duration {
        self.wait
    }
}

/// The longest delay of one line. A comma parts the items of a list, but also stands within a date.
fn longest_of_list(line: &[u8], reference: Reference) -> Option<Duration> {
    let mut longest = None;
    let (mut before, mut start) = (0, 0);
    let commas = line.iter().enumerate().filter(|&(_, &byte)| byte == b',').map(|(at, _)| at);
    for end in commas.chain([line.len()]) {
        let item = line.get(start..end)?;
        let with_weekday = line.get(before..end)?;
        let delay = seconds(trim(item))
            .map(Duration::from_secs)
            .or_else(|| reference.until(item))
            .or_else(|| reference.until(with_weekday));
        longest = longest.max(delay);
        (before, start) = (start, end + 1);
    }
    longest
}

/// The moment that dates of an answer are measured from: its `Date`, or when it came. In Unix milliseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reference(i64);

impl Reference {
    pub(crate) fn of_answer(date: Option<&[u8]>, now: Timestamp) -> Self {
        let now = Self(i64::try_from(now.as_millis()).unwrap_or(i64::MAX));
        match date.and_then(|date| parse_http_date(date, now.0 / 1000)) {
            Some(date) => Self(date.saturating_mul(1000)),
            None => now,
        }
    }

    /// The time until an HTTP-date; zero where it has passed.
    pub(crate) fn until(self, date: &[u8]) -> Option<Duration> {
        let date = parse_http_date(date, self.0 / 1000)?;
        Some(self.until_millis(date.saturating_mul(1000)))
    }

    pub(crate) fn until_millis(self, unix_millis: i64) -> Duration {
        Duration::from_millis(unix_millis.saturating_sub(self.0).try_into().unwrap_or(0))
    }
}

/// `1*DIGIT` with an optional fraction, in whole seconds rounded up; too large a number is the largest.
pub(crate) fn seconds(item: &[u8]) -> Option<u64> {
    let (whole, fraction) = match item.iter().position(|&byte| byte == b'.') {
        Some(dot) => (item.get(..dot)?, item.get(dot + 1..)?),
        None => (item, b"0".as_slice()),
    };
    let digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    if !digits(whole) || !digits(fraction) {
        return None;
    }
    let whole = whole
        .iter()
        .fold(0u64, |sum, digit| sum.saturating_mul(10).saturating_add(u64::from(digit.wrapping_sub(b'0'))));
    Some(whole.saturating_add(u64::from(fraction.iter().any(|&digit| digit != b'0'))))
}

/// Without the optional whitespace around it (RFC 9110, 5.6.3).
pub(crate) fn trim(mut item: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = item {
        item = rest;
    }
    item
}
