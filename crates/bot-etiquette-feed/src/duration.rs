//! Durations of iCalendar (RFC 5545, 3.3.6): `P3D`, `P2W`, `PT1H30M`.

use jiff::{Span, ZonedDateTime};

/// Days by the calendar, then seconds by the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Length {
    pub(crate) days: i64,
    pub(crate) seconds: i64,
}

impl Length {
    /// Reads a duration; `None` for a negative one and for what is none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_uppercase();
        let text = text.strip_prefix('+').unwrap_or(&text).strip_prefix('P')?;
        if let Some(weeks) = text.strip_suffix('W') {
            return Some(Self { days: number(weeks)?.checked_mul(7)?, seconds: 0 });
        }
        let (days, clock) = match text.split_once('T') {
            Some((days, clock)) => (days, Some(clock)),
            None => (text, None),
        };
        let days = match days.strip_suffix('D') {
            Some(days) => number(days)?,
            None if days.is_empty() && clock.is_some() => 0,
            None => return None,
        };
        Some(Self { days, seconds: clock.map_or(Some(0), seconds)? })
    }

    /// Where it ends; the days count by the wall clock, over clock changes too.
    pub(crate) fn after(self, start: &ZonedDateTime) -> Option<ZonedDateTime> {
        let span = Span::new().try_days(self.days).ok()?.try_seconds(self.seconds).ok()?;
        start.checked_add(span).ok()
    }
}

/// `1H30M`: hours, minutes, seconds, each once and in this order.
fn seconds(text: &str) -> Option<i64> {
    let mut rest = text;
    let mut total = 0_i64;
    for (unit, worth) in [('H', 3600), ('M', 60), ('S', 1)] {
        if let Some((count, after)) = rest.split_once(unit) {
            total = total.checked_add(number(count)?.checked_mul(worth)?)?;
            rest = after;
        }
    }
    (rest.is_empty() && !text.is_empty()).then_some(total)
}

/// A number of at most nine digits.
fn number(text: &str) -> Option<i64> {
    let is_plain = (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain { text.parse().ok() } else { None }
}
