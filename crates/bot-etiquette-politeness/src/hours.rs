use std::fmt;

use crate::{Timestamp, zone::Zone};

/// The hours of the day in which a host may be asked: one or more [`HoursWindow`]s, open when any is.
///
/// Only the start of a request is judged, by what a clock on the wall at the host shows at that moment: a
/// window holds its `from`, not its `to`, and runs over midnight where `to` is the earlier one. When clocks go
/// forward over an opening, the window opens with the first moment after the gap; when they go back into a
/// window, it is open for the repeated hour too.
///
/// ```
/// use bot_etiquette_politeness::{Hours, HoursWindow, Timestamp};
///
/// let night = Hours::new([HoursWindow::new("22:00", "06:00", "+01:00")?])?;
/// let noon = Timestamp::from_millis(1_800_010_800_000); // 2027-01-15 12:00 at +01:00
/// assert!(!night.is_open(noon));
/// assert_eq!(night.opens_at(noon), Some(Timestamp::from_millis(1_800_046_800_000))); // 22:00
/// # Ok::<(), bot_etiquette_politeness::HoursError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hours {
    windows: Vec<HoursWindow>,
}

impl Hours {
    /// Joins windows; at least one is needed, for without any the host could never be asked.
    pub fn new(windows: impl IntoIterator<Item = HoursWindow>) -> Result<Self, HoursError> {
        let windows: Vec<_> = windows.into_iter().collect();
        if windows.is_empty() { Err(HoursError::NoWindow) } else { Ok(Self { windows }) }
    }

    /// The windows, as given.
    #[must_use]
    pub fn windows(&self) -> &[HoursWindow] {
        &self.windows
    }

    /// Whether a request may start at `at`.
    #[must_use]
    pub fn is_open(&self, at: Timestamp) -> bool {
        self.windows.iter().any(|window| window.is_open(at))
    }

    /// The first moment from `at` on in which a request may start; `at` itself while a window is open.
    ///
    /// `None` only where the end of time comes before the next opening.
    #[must_use]
    pub fn opens_at(&self, at: Timestamp) -> Option<Timestamp> {
        self.windows.iter().filter_map(|window| window.opens_at(at)).min()
    }
}

/// A daily span of local time: from `from` up to, not including, `to`.
///
/// ```
/// use bot_etiquette_politeness::{HoursError, HoursWindow};
///
/// assert_eq!(HoursWindow::new("22:00", "06:00", "UTC").unwrap().to_string(), "22:00-06:00 UTC");
/// assert!(matches!(HoursWindow::new("9:00", "17:00", "UTC"), Err(HoursError::NotATime { field: "from", .. })));
/// assert!(matches!(HoursWindow::new("09:00", "09:00", "UTC"), Err(HoursError::EmptyWindow { .. })));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "WindowText", into = "WindowText"))]
pub struct HoursWindow {
    from: TimeOfDay,
    to: TimeOfDay,
    zone: Zone,
}

impl HoursWindow {
    /// Reads a window: times as `HH:MM` or `HH:MM:SS` (`to` may be `24:00`), the zone as `UTC`, a fixed offset
    /// such as `+01:00`, or, with the feature `zones`, a name of the IANA time zone database such as
    /// `Europe/Madrid`.
    pub fn new(from: &str, to: &str, zone: &str) -> Result<Self, HoursError> {
        let window = Self {
            from: TimeOfDay::parse("from", from, DAY - 1)?,
            to: TimeOfDay::parse("to", to, DAY)?,
            zone: Zone::parse(zone)?,
        };
        if window.from == window.to {
            return Err(HoursError::EmptyWindow { time: window.from.to_string() });
        }
        Ok(window)
    }

    /// Whether a request may start at `at`.
    #[must_use]
    pub fn is_open(&self, at: Timestamp) -> bool {
        self.contains(local_millis(at, self.zone.offset_at(at)))
    }

    /// The first moment from `at` on in which a request may start.
    #[must_use]
    pub fn opens_at(&self, at: Timestamp) -> Option<Timestamp> {
        let mut at = at;
        // Between two changes of the offset the day has a fixed length, so the next opening is plain
        // arithmetic; a change may bring the opening forward. Daily windows open within a day or two.
        loop {
            let local = local_millis(at, self.zone.offset_at(at));
            if self.contains(local) {
                return Some(at);
            }
            let wait = (i64::from(self.from.0) * 1000 - local).rem_euclid(DAY_MILLIS);
            let opening = at.as_millis().checked_add(wait.unsigned_abs()).map(Timestamp::from_millis);
            match self.zone.next_change(at) {
                Some(change) if opening.is_none_or(|opening| change <= opening) => at = change,
                _ => return opening,
            }
        }
    }

    /// Whether the window holds a local time of the day, given in milliseconds since midnight.
    fn contains(&self, local: i64) -> bool {
        let (from, to) = (i64::from(self.from.0) * 1000, i64::from(self.to.0) * 1000);
        if from < to { from <= local && local < to } else { from <= local || local < to }
    }
}

/// `22:00-06:00 Europe/Madrid`.
impl fmt::Display for HoursWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{} {}", self.from, self.to, self.zone)
    }
}

/// Why hours were not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HoursError {
    /// The list of windows is empty.
    #[error("hours: no window; leave the key out where every hour is allowed")]
    NoWindow,
    /// A time is not written as `HH:MM`.
    #[error("hours: `{field}` is `{value}`, expected a time of the day such as \"06:00\"")]
    NotATime {
        /// Which end of the window: `from` or `to`.
        field: &'static str,
        /// What was given.
        value: String,
    },
    /// The window opens and closes at the same time.
    #[error(
        "hours: `from` and `to` are both {time}, a window that never opens; for the whole day use \"00:00\" to \"24:00\""
    )]
    EmptyWindow {
        /// The time of both ends.
        time: String,
    },
    /// No time zone has this name.
    #[error(
        "hours: unknown `zone` `{name}`, expected UTC, an offset such as +01:00 or an IANA name such as Europe/Madrid"
    )]
    UnknownZone {
        /// What was given.
        name: String,
    },
    /// The zone is named, and this build has no time zone data.
    #[error(
        "hours: `zone` `{name}` needs the cargo feature `zones`; without it use UTC or an offset such as +01:00"
    )]
    ZonesNotBuilt {
        /// What was given.
        name: String,
    },
}

const DAY: u32 = 86_400;
const DAY_MILLIS: i64 = DAY as i64 * 1000;

/// Local milliseconds since midnight.
fn local_millis(at: Timestamp, offset_seconds: i32) -> i64 {
    // Reduced to a day first: the sum then fits whatever the time is.
    let utc = (at.as_millis() % DAY_MILLIS.unsigned_abs()).cast_signed();
    (utc + i64::from(offset_seconds) * 1000).rem_euclid(DAY_MILLIS)
}

/// Seconds since local midnight, 86,400 being the midnight that ends the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TimeOfDay(u32);

impl TimeOfDay {
    fn parse(field: &'static str, text: &str, latest: u32) -> Result<Self, HoursError> {
        let mut parts = text.split(':').map(|part| {
            let digits = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
            if digits { part.parse::<u32>().ok() } else { None }
        });
        let mut read = || {
            let (hour, minute) = (parts.next()??, parts.next()??);
            let second = parts.next().unwrap_or(Some(0))?;
            let seconds = hour * 3600 + minute * 60 + second;
            (parts.next().is_none() && minute < 60 && second < 60 && seconds <= latest).then_some(seconds)
        };
        read().map(Self).ok_or_else(|| HoursError::NotATime { field, value: text.to_owned() })
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.0 / 3600, self.0 / 60 % 60)?;
        match self.0 % 60 {
            0 => Ok(()),
            second => write!(f, ":{second:02}"),
        }
    }
}

/// A window as files write it.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct WindowText {
    from: String,
    to: String,
    #[serde(default = "utc")]
    zone: String,
}

#[cfg(feature = "serde")]
fn utc() -> String {
    "UTC".to_owned()
}

#[cfg(feature = "serde")]
impl TryFrom<WindowText> for HoursWindow {
    type Error = HoursError;

    fn try_from(text: WindowText) -> Result<Self, HoursError> {
        Self::new(&text.from, &text.to, &text.zone)
    }
}

#[cfg(feature = "serde")]
impl From<HoursWindow> for WindowText {
    fn from(window: HoursWindow) -> Self {
        Self { from: window.from.to_string(), to: window.to.to_string(), zone: window.zone.to_string() }
    }
}
