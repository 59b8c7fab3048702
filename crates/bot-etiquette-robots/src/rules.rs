//! The rules one crawler has to follow.

use std::time::Duration;

use crate::{Access, Reason, Record, Rule, Verdict};

/// The rules one crawler has to follow: owned, cheap to clone, `Send + Sync`.
#[derive(Debug, Clone)]
pub struct Rules {}

impl Rules {
    /// No robots.txt: everything is allowed.
    #[must_use]
    pub fn allow_all() -> Self {
        Self {}
    }

    /// robots.txt cannot be had: everything but `/robots.txt` is disallowed.
    #[must_use]
    pub fn disallow_all() -> Self {
        Self {}
    }

    /// May `target` (an absolute URL, or a path with an optional query) be fetched?
    #[must_use]
    pub fn verdict(&self, target: impl AsRef<[u8]>) -> Verdict<'_> {
        let _ = target.as_ref();
        Verdict { access: Access::Allowed, reason: Reason::NoFile, rule: None, group: None }
    }

    /// The agent value on the first line of the group that was found, as written.
    #[must_use]
    pub fn group(&self) -> Option<&[u8]> {
        None
    }

    /// All rules, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = Rule<'_>> {
        std::iter::empty()
    }

    /// The largest `Crawl-delay` of the group.
    #[must_use]
    pub fn crawl_delay(&self) -> Option<Duration> {
        None
    }

    /// All valid `Crawl-delay` values of the group, in the order of the file.
    pub fn crawl_delays(&self) -> impl Iterator<Item = Duration> {
        std::iter::empty()
    }

    /// The other records of the group (`Content-Signal`, `Request-rate`, ..), in the order of the file.
    pub fn records(&self) -> impl Iterator<Item = Record<'_>> {
        std::iter::empty()
    }
}
