//! When each URL was last asked, where a policy keeps a URL from being asked again too soon.

use std::collections::BTreeMap;

use crate::Timestamp;
use crate::rules::Rules;
use crate::snapshot::Rebase;

/// URLs of one host that are remembered for `revisit`; beyond, a new one is refused until an old one is due.
pub const MAX_URLS_PER_HOST: usize = 262_144;

/// The last start by class and URL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub(crate) struct Visits(BTreeMap<Box<str>, BTreeMap<Box<str>, Timestamp>>);

impl Visits {
    #[cfg(feature = "serde")]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn last(&self, class: &str, url: &str) -> Option<Timestamp> {
        self.0.get(class)?.get(url).copied()
    }

    /// When there is room for one more URL.
    pub(crate) fn room_at(&self, rules: &Rules) -> Timestamp {
        if self.len() < MAX_URLS_PER_HOST {
            return Timestamp::ZERO;
        }
        self.due(rules).min().unwrap_or(Timestamp::ZERO)
    }

    /// Remembers a start.
    pub(crate) fn record(&mut self, rules: &Rules, class: &str, url: &str, now: Timestamp) {
        if self.len() >= MAX_URLS_PER_HOST {
            self.0.retain(|class, urls| {
                let interval = rules.revisit.get(&**class).copied().unwrap_or(0);
                urls.retain(|_, last| last.plus_millis(interval) > now);
                !urls.is_empty()
            });
        }
        let urls = match self.0.get_mut(class) {
            Some(urls) => urls,
            None => self.0.entry(class.into()).or_default(),
        };
        urls.insert(url.into(), now);
    }

    /// Puts back what was remembered before a start that was never made.
    pub(crate) fn restore(&mut self, class: &str, url: &str, before: Option<Timestamp>) {
        let Some(urls) = self.0.get_mut(class) else { return };
        match before {
            Some(before) => drop(urls.insert(url.into(), before)),
            None => drop(urls.remove(url)),
        }
    }

    pub(crate) fn live_until(&self, rules: &Rules) -> Timestamp {
        self.due(rules).max().unwrap_or(Timestamp::ZERO)
    }

    /// When each URL may be asked again.
    fn due<'a>(&'a self, rules: &'a Rules) -> impl Iterator<Item = Timestamp> + 'a {
        self.0.iter().flat_map(|(class, urls)| {
            let interval = rules.revisit.get(&**class).copied().unwrap_or(0);
            urls.values().map(move |last| last.plus_millis(interval))
        })
    }

    fn len(&self) -> usize {
        self.0.values().map(BTreeMap::len).sum()
    }

    pub(crate) fn rebase(&mut self, rebase: Rebase) {
        for last in self.0.values_mut().flat_map(BTreeMap::values_mut) {
            *last = rebase.moment(*last);
        }
    }
}
