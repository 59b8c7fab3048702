//! Whether a feed is whole: only then does absence mean that an event is gone.

use crate::fold::fold;

/// How much of its source a feed holds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Completeness {
    /// The verdict.
    pub verdict: Verdict,
    /// Records the source says it has.
    pub announced: Option<u64>,
    /// Records read, those included that were dropped.
    pub read: u64,
    /// Why the feed may be cut although it ends well.
    pub doubts: Vec<Doubt>,
}

/// The ways a feed ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Verdict {
    /// It ends where it should.
    Complete,
    /// It ends well but holds fewer records than announced.
    Partial,
    /// It breaks off, or could not be read to its end.
    Truncated,
    /// It is no feed: the last good one stands.
    Outage(Outage),
}

/// What came in place of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Outage {
    /// Nothing, or blanks.
    Empty,
    /// An HTML page: an error, a login, a portal.
    Html,
    /// An API's own error: `"success": false` or an `error` without records.
    Api,
    /// Compressed bytes. What a server says of its codings is undone where the answer is fetched, within limits of size, ratio
    /// and layers; a body that is compressed without saying so, or twice, is not unpacked here.
    Compressed,
    /// Something else that can be read: no place of records in it, or no column that the map names.
    Foreign,
}

/// Why a feed that ends well may still be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Doubt {
    /// The number of records is one at which servers cut: 100, 500, a multiple of 1000, or one more; not asked where as
    /// many were announced.
    RoundCount,
    /// The titles are in order and stop well before the end of the alphabet.
    SortedCut,
    /// Less than 60 % of the records of the last good run.
    MassLoss,
    /// Records were dropped.
    Dropped,
    /// The last row has no line end.
    NoLineEnd,
    /// The source announced one total, then another: it changed while it was read.
    TotalChanged,
}

impl Completeness {
    /// Whether an event that is absent from this feed may be taken as gone.
    ///
    /// ```
    /// use bot_etiquette_feed::{Feed, SourceMap};
    ///
    /// # let map = SourceMap::from_toml(include_str!("../tests/fixtures/json.toml"))?;
    /// let mut feed = Feed::new(&map);
    /// feed.push(br#"{"total":2,"items":[{"id":"1","title":"Concert"}]}"#);
    /// feed.finish();
    /// while let Some(_event) = feed.next_event() {}
    /// assert!(!feed.report().completeness.allows_deletions(), "one of two came");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn allows_deletions(&self) -> bool {
        self.verdict == Verdict::Complete && self.doubts.is_empty()
    }

    /// Doubts the feed when it holds less than 60 % of the records of the last good run.
    #[must_use]
    pub fn against_last(mut self, last_good: u64) -> Self {
        if u128::from(self.read) * 100 < u128::from(last_good) * 60 && !self.doubts.contains(&Doubt::MassLoss)
        {
            self.doubts.push(Doubt::MassLoss);
        }
        self
    }
}

impl Completeness {
    /// What is known of a feed of several pages, when one more was read.
    ///
    /// The records add up; a page that is cut or no feed makes the whole truncated, and a total that is not the same on
    /// each page is a doubt. Only the end of the last page tells where the titles stop.
    ///
    /// ```
    /// use bot_etiquette_feed::{Feed, SourceMap, Verdict};
    ///
    /// # let map = SourceMap::from_toml(include_str!("../tests/fixtures/json.toml"))?;
    /// let page = |text: &str| {
    ///     let mut feed = Feed::new(&map);
    ///     feed.push(text.as_bytes());
    ///     feed.finish();
    ///     feed.report().completeness
    /// };
    /// let first = page(r#"{"total":2,"items":[{"id":1,"title":"Concert"}]}"#);
    /// assert_eq!(first.verdict, Verdict::Partial);
    /// let both = first.with_page(&page(r#"{"total":2,"items":[{"id":2,"title":"Ballet"}]}"#));
    /// assert!(both.allows_deletions());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_page(mut self, page: &Self) -> Self {
        let changed =
            self.announced.is_some() && page.announced.is_some() && self.announced != page.announced;
        self.announced = self.announced.max(page.announced);
        self.read = self.read.saturating_add(page.read);
        let of_the_end = |doubt: &Doubt| matches!(doubt, Doubt::RoundCount | Doubt::SortedCut);
        self.doubts.retain(|doubt| !of_the_end(doubt));
        let all_came = self.announced == Some(self.read);
        let sorted_cut = (!all_came && page.doubts.contains(&Doubt::SortedCut)).then_some(Doubt::SortedCut);
        let round = (!all_came && is_round(self.read)).then_some(Doubt::RoundCount);
        let more = page.doubts.iter().copied().filter(|doubt| !of_the_end(doubt));
        for doubt in more.chain(sorted_cut).chain(round).chain(changed.then_some(Doubt::TotalChanged)) {
            if !self.doubts.contains(&doubt) {
                self.doubts.push(doubt);
            }
        }
        let ended = |verdict| matches!(verdict, Verdict::Complete | Verdict::Partial);
        self.verdict = match (self.verdict, page.verdict) {
            (own, other) if ended(own) && ended(other) => match self.announced {
                Some(announced) if announced > self.read => Verdict::Partial,
                _ => Verdict::Complete,
            },
            (own, other) if own == other => own,
            _ => Verdict::Truncated,
        };
        self
    }
}

/// Whether servers cut at this number of records, or let one more through.
fn is_round(read: u64) -> bool {
    read >= 100 && (matches!(read, 100 | 101 | 500 | 501) || read % 1000 <= 1)
}

/// Counts records and looks at their titles as they pass.
#[derive(Debug, Clone, Default)]
pub(crate) struct Census {
    pub(crate) read: u64,
    pub(crate) dropped: u64,
    pub(crate) announced: Option<u64>,
    pub(crate) total_changed: bool,
    titles: u64,
    in_order: u64,
    last_initial: Option<char>,
}

/// Fewer titles than this tell nothing about their order.
const ENOUGH_TITLES: u64 = 50;

impl Census {
    pub(crate) fn title(&mut self, title: &str) {
        let Some(initial) = title.chars().find(|character| character.is_alphabetic()) else { return };
        let initial = match initial.is_ascii() {
            true => Some(initial.to_ascii_lowercase()),
            false => fold(initial.encode_utf8(&mut [0; 4])).chars().next(),
        };
        let Some(initial) = initial else { return };
        self.titles = self.titles.saturating_add(1);
        if self.last_initial.is_none_or(|last| last <= initial) {
            self.in_order = self.in_order.saturating_add(1);
        }
        self.last_initial = Some(initial);
    }

    pub(crate) fn verdict(&self, truncated: bool, outage: Option<Outage>) -> Completeness {
        let mut doubts = Vec::new();
        let all_came = self.announced == Some(self.read);
        if !all_came && is_round(self.read) {
            doubts.push(Doubt::RoundCount);
        }
        let ordered = self.titles >= ENOUGH_TITLES
            && self.in_order.saturating_mul(100) >= self.titles.saturating_mul(97);
        if !all_came && ordered && self.last_initial.is_some_and(|last| ('b'..='r').contains(&last)) {
            doubts.push(Doubt::SortedCut);
        }
        if self.dropped > 0 {
            doubts.push(Doubt::Dropped);
        }
        if self.total_changed {
            doubts.push(Doubt::TotalChanged);
        }
        let verdict = match outage {
            Some(outage) => Verdict::Outage(outage),
            None if truncated => Verdict::Truncated,
            None if self.announced.is_some_and(|announced| announced > self.read) => Verdict::Partial,
            None => Verdict::Complete,
        };
        Completeness { verdict, announced: self.announced, read: self.read, doubts }
    }
}
