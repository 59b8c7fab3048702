//! The list of all that a page asked for.

use std::collections::BTreeMap;

use crate::{
    Cause, Kind, Outcome, PageRequest,
    rendered::{MAX_REQUESTS, MAX_URL},
};

/// Lists up to [`MAX_REQUESTS`] and counts all.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    requests: Vec<PageRequest>,
    blocked: BTreeMap<Kind, u64>,
}

/// The place of a request whose outcome is not known yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    kind: Kind,
    index: Option<usize>,
}

impl Ledger {
    /// Notes a request whose outcome follows; until then it is one that was given up.
    pub(crate) fn open(&mut self, kind: Kind, method: &str, url: &str) -> Entry {
        Entry { kind, index: self.push(kind, method, url, Outcome::Blocked { cause: Cause::Ended }) }
    }

    pub(crate) fn close(&mut self, entry: Entry, outcome: Outcome) {
        if let Outcome::Blocked { .. } | Outcome::NotLoaded { .. } = outcome {
            self.count(entry.kind);
        }
        if let Some(request) = entry.index.and_then(|index| self.requests.get_mut(index)) {
            request.outcome = outcome;
        }
    }

    pub(crate) fn note(&mut self, kind: Kind, method: &str, url: &str, outcome: Outcome) {
        let entry = self.open(kind, method, url);
        self.close(entry, outcome);
    }

    pub(crate) fn block(&mut self, kind: Kind, method: &str, url: &str, cause: Cause) {
        self.note(kind, method, url, Outcome::Blocked { cause });
    }

    pub(crate) fn lists(&self, kind: Kind, url: &str) -> bool {
        self.requests.iter().any(|request| request.kind == kind && request.url == shortened(url))
    }

    pub(crate) fn into_parts(self) -> (Vec<PageRequest>, BTreeMap<Kind, u64>) {
        (self.requests, self.blocked)
    }

    fn push(&mut self, kind: Kind, method: &str, url: &str, outcome: Outcome) -> Option<usize> {
        let index = self.requests.len();
        if index >= MAX_REQUESTS {
            return None;
        }
        let (method, url) = (method.chars().take(32).collect(), shortened(url).to_owned());
        self.requests.push(PageRequest { kind, method, url, outcome });
        Some(index)
    }

    fn count(&mut self, kind: Kind) {
        let count = self.blocked.entry(kind).or_default();
        *count = count.saturating_add(1);
    }
}

fn shortened(url: &str) -> &str {
    let end = (0..=MAX_URL.min(url.len())).rev().find(|&end| url.is_char_boundary(end));
    url.get(..end.unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_ends_at_its_limit_and_the_count_goes_on() {
        for (count, listed) in [
            (MAX_REQUESTS - 1, MAX_REQUESTS - 1),
            (MAX_REQUESTS, MAX_REQUESTS),
            (MAX_REQUESTS + 1, MAX_REQUESTS),
        ] {
            let mut ledger = Ledger::default();
            for _ in 0..count {
                ledger.block(Kind::Image, "GET", "https://shop.example/i.png", Cause::Kind);
            }
            let (requests, blocked) = ledger.into_parts();
            assert_eq!(requests.len(), listed);
            assert_eq!(blocked[&Kind::Image], count as u64);
        }
    }

    #[test]
    fn a_url_is_cut_between_characters() {
        let long = "é".repeat(MAX_URL);
        assert_eq!(shortened(&long).len(), MAX_URL);
        assert_eq!(shortened(&format!("x{long}")).len(), MAX_URL - 1);
        assert_eq!(shortened("https://shop.example/"), "https://shop.example/");
    }

    #[test]
    fn an_answered_request_is_not_counted_as_blocked() {
        let mut ledger = Ledger::default();
        let entry = ledger.open(Kind::Script, "GET", "https://shop.example/a.js");
        ledger.close(entry, Outcome::Answered { status: 200, bytes: 3 });
        assert!(ledger.lists(Kind::Script, "https://shop.example/a.js"));
        let (requests, blocked) = ledger.into_parts();
        assert_eq!(requests[0].outcome, Outcome::Answered { status: 200, bytes: 3 });
        assert!(blocked.is_empty());
    }
}
