//! Quotas over rolling windows.

use std::collections::VecDeque;
use std::time::Duration;

use crate::Timestamp;
use crate::snapshot::Rebase;
use crate::timestamp::millis_up;

/// At most `limit` admitted asks in any window of this length, counted over the named classes.
///
/// ```
/// use std::time::Duration;
/// use bot_etiquette_politeness::Quota;
///
/// let weekly = Quota::new("pages", 500, Duration::from_secs(7 * 86_400))?.classes(["page"]);
/// assert!(weekly.counts("page") && !weekly.counts("file"));
/// assert!(Quota::new("none", 1, Duration::ZERO).is_err());
/// # Ok::<(), bot_etiquette_politeness::InvalidQuota>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quota {
    pub(crate) name: String,
    pub(crate) limit: u32,
    pub(crate) window: Duration,
    pub(crate) classes: Vec<String>,
}

impl Quota {
    /// A quota over requests of every class. `limit` and `window` must be above zero.
    pub fn new(name: impl Into<String>, limit: u32, window: Duration) -> Result<Self, InvalidQuota> {
        if limit == 0 {
            return Err(InvalidQuota::NoLimit);
        }
        if millis_up(window) == 0 {
            return Err(InvalidQuota::NoWindow);
        }
        Ok(Self { name: name.into(), limit, window, classes: Vec::new() })
    }

    /// Only requests of these classes count, and wait.
    #[must_use]
    pub fn classes<C: Into<String>>(mut self, classes: impl IntoIterator<Item = C>) -> Self {
        self.classes = classes.into_iter().map(Into::into).collect();
        self
    }

    /// Whether a request of this class counts.
    #[must_use]
    pub fn counts(&self, class: &str) -> bool {
        self.classes.is_empty() || self.classes.iter().any(|counted| counted == class)
    }

    fn window_millis(&self) -> u64 {
        millis_up(self.window)
    }
}

/// A quota that could never be kept, or never open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidQuota {
    /// A limit of zero.
    #[error("a quota's limit must be at least 1 (to ask nothing at all, set blocked = true)")]
    NoLimit,
    /// A window without length.
    #[error("a quota's window must be longer than 0 seconds")]
    NoWindow,
}

/// The starts that quotas count, by the quota's name, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub(crate) struct Counted(std::collections::BTreeMap<Box<str>, VecDeque<Timestamp>>);

impl Counted {
    #[cfg(feature = "serde")]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// When the quota lets one more start: now or before where it has room.
    pub(crate) fn opens_at(&self, quota: &Quota) -> Timestamp {
        let starts = self.0.get(quota.name.as_str());
        let limit = usize::try_from(quota.limit).unwrap_or(usize::MAX);
        // The start that must have left the window before one more fits in.
        starts
            .and_then(|starts| starts.get(starts.len().checked_sub(limit)?))
            .map_or(Timestamp::ZERO, |start| start.plus_millis(quota.window_millis()))
    }

    pub(crate) fn record(&mut self, quotas: &[Quota], class: &str, now: Timestamp) {
        for quota in quotas.iter().filter(|quota| quota.counts(class)) {
            let starts = self.0.entry(quota.name.as_str().into()).or_default();
            while starts.front().is_some_and(|start| start.plus_millis(quota.window_millis()) <= now) {
                starts.pop_front();
            }
            starts.push_back(now);
        }
    }

    /// Takes back a start that was recorded and never made.
    pub(crate) fn forget(&mut self, quotas: &[Quota], class: &str, start: Timestamp) {
        for quota in quotas.iter().filter(|quota| quota.counts(class)) {
            if let Some(starts) = self.0.get_mut(quota.name.as_str())
                && let Some(place) = starts.iter().rposition(|&at| at == start)
            {
                starts.remove(place);
            }
        }
    }

    /// When the last start of a window has left it; a quota that is no longer in the policy counts for nothing.
    pub(crate) fn live_until(&self, quotas: &[Quota]) -> Timestamp {
        quotas
            .iter()
            .filter_map(|quota| {
                let last = self.0.get(quota.name.as_str())?.back()?;
                Some(last.plus_millis(quota.window_millis()))
            })
            .max()
            .unwrap_or(Timestamp::ZERO)
    }

    pub(crate) fn rebase(&mut self, rebase: Rebase) {
        for starts in self.0.values_mut() {
            for start in starts.iter_mut() {
                *start = rebase.moment(*start);
            }
            starts.make_contiguous().sort_unstable();
        }
    }
}
