//! What a reader has to say about a feed, beside its events.

use crate::completeness::Completeness;
use crate::scrub::Scrubbed;
use crate::usage::{self, Drift, FieldUse};

macro_rules! notes {
    ($($(#[doc = $doc:literal])* $variant:ident = $name:literal,)*) => {
        /// Something about a feed that was mended, left out or looks wrong.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Note {
            $($(#[doc = $doc])* $variant,)*
        }

        impl Note {
            /// Every note.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// A short stable name.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

notes! {
    /// A byte order mark.
    Bom = "bom",
    /// Neither UTF-8 nor a usable label: read as windows-1252, or as UTF-16 where every other byte is zero.
    Charset = "charset",
    /// Bytes that are no text, or U+FFFD as served.
    Lossy = "lossy",
    /// A question mark in a CSV that nothing asks, where the publisher's charset had no `…`, `’` or `€`: an event of the same
    /// key from another format is preferred.
    LossySource = "lossy-source",
    /// Broken JSON was mended.
    JsonRepair = "json-repair",
    /// One name twice in an object: the first counts.
    DuplicateName = "duplicate-name",
    /// A name of HTML that XML does not have, such as `&nbsp;`.
    HtmlEntity = "html-entity",
    /// An `&` that begins no reference.
    BareAmpersand = "bare-ampersand",
    /// A reference to nothing, or to a character that XML does not allow.
    BadReference = "bad-reference",
    /// Tags that do not match.
    Unbalanced = "unbalanced",
    /// A document type declaration: its entities are never expanded.
    Doctype = "doctype",
    /// A row with more or fewer cells than the header.
    Ragged = "ragged",
    /// A quote that is never closed: the row was dropped and reading went on in the next line.
    OpenQuote = "open-quote",
    /// A record with a value over the limit was dropped.
    TokenTooLarge = "token-too-large",
    /// A record over the limit was dropped.
    RecordTooLarge = "record-too-large",
    /// A record without a key was dropped.
    NoKey = "no-key",
    /// A record without a title was dropped.
    NoTitle = "no-title",
    /// A date that is none.
    BadDate = "bad-date",
    /// A date before 1980: a filler.
    FillerDate = "filler-date",
    /// A wall time that a clock change skips: read an hour later.
    Gap = "gap",
    /// A wall time that a clock change repeats: the first is meant.
    Fold = "fold",
    /// An end before the start by hours: the next day is meant.
    Rolled = "rolled",
    /// An end before the start by days: dropped.
    EndBeforeStart = "end-before-start",
    /// Winter time named in summer, or summer time in winter: read as written.
    WrongZone = "wrong-zone",
    /// A zone by a name that nobody knows: the map's is meant.
    UnknownZone = "unknown-zone",
    /// A recurrence rule that cannot be followed: it is kept in its own words, and only its first time is given.
    Recurrence = "recurrence",
    /// A recurrence rule that does not give its own first time, which counts all the same.
    Unsynchronized = "unsynchronized",
    /// A change of one time of a series and of all later ones: the series ends before it, and only the time itself is given anew.
    ThisAndFuture = "this-and-future",
    /// More series than [`Limits::series`](crate::Limits::series) has room for: they were dropped.
    TooManySeries = "too-many-series",
    /// A duration that is negative or none: the end is not known.
    BadDuration = "bad-duration",
    /// A record that says of itself that it is cancelled: left out, and the time of a series that it stands for with it.
    Cancelled = "cancelled",
    /// Coordinates that are none.
    BadPoint = "bad-point",
    /// A link that is no web page, or one of a picture: dropped.
    LinkDropped = "link-dropped",
    /// The record's language is not the map's.
    OtherLanguage = "other-language",
    /// An announced total that is no number.
    BadTotal = "bad-total",
    /// The announced total is not the same twice.
    TotalChanged = "total-changed",
}

/// Notes, counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes {
    counts: Vec<(Note, u64)>,
}

impl Notes {
    /// How often a note was made.
    #[must_use]
    pub fn count(&self, note: Note) -> u64 {
        self.counts.iter().find(|(known, _)| *known == note).map_or(0, |(_, count)| *count)
    }

    /// Whether a note was made.
    #[must_use]
    pub fn contains(&self, note: Note) -> bool {
        self.count(note) > 0
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The notes with their counts, in the order they were first made.
    pub fn iter(&self) -> impl Iterator<Item = (Note, u64)> + '_ {
        self.counts.iter().copied()
    }

    /// Adds those of another page.
    pub(crate) fn join(&mut self, other: &Self) {
        for (note, count) in other.iter() {
            self.add_many(note, count);
        }
    }

    pub(crate) fn add(&mut self, note: Note) {
        self.add_many(note, 1);
    }

    pub(crate) fn add_many(&mut self, note: Note, more: u64) {
        match self.counts.iter_mut().find(|(known, _)| *known == note) {
            Some((_, count)) => *count = count.saturating_add(more),
            None if more > 0 => self.counts.push((note, more)),
            None => {}
        }
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Notes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(note, count)| (note.as_str(), count)))
    }
}

/// What came of a feed: how complete it is, what was taken out of its texts, what was mended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Report {
    /// Whether what is absent from this feed is gone.
    pub completeness: Completeness,
    /// Events given out.
    pub events: u64,
    /// Records that were dropped: broken, too large, without key or title.
    pub dropped: u64,
    /// Personal data taken out of texts and links.
    pub scrubbed: Scrubbed,
    /// What was mended or looks wrong.
    pub notes: Notes,
    /// How often each path of the map led to a value.
    pub fields: Vec<FieldUse>,
}

impl Report {
    /// Adds the report of the next page of the same feed; see [`Completeness::with_page`].
    #[must_use]
    pub fn with_page(mut self, page: &Self) -> Self {
        self.completeness = self.completeness.with_page(&page.completeness);
        self.events = self.events.saturating_add(page.events);
        self.dropped = self.dropped.saturating_add(page.dropped);
        self.scrubbed.add(page.scrubbed);
        self.notes.join(&page.notes);
        for (known, more) in self.fields.iter_mut().zip(&page.fields) {
            known.records = known.records.saturating_add(more.records);
            known.numbers = known.numbers.saturating_add(more.numbers);
        }
        self
    }

    /// The fields in which the source is not what it was: `before` is [`Report::fields`] of an earlier run with the same
    /// map.
    ///
    /// ```
    /// use bot_etiquette_feed::{Drift, Feed, SourceMap};
    ///
    /// let map = SourceMap::from_toml(include_str!("../tests/fixtures/json.toml"))?;
    /// let run = |price: &str| {
    ///     let mut feed = Feed::new(&map);
    ///     let items = vec![format!("{{\"id\":1,\"title\":\"Danza\",\"price\":{price}}}"); 20].join(",");
    ///     feed.push(format!("{{\"items\":[{items}]}}").as_bytes());
    ///     feed.finish();
    ///     feed.report()
    /// };
    /// let (last_year, now) = (run("1"), run("\"3 euros\""));
    /// let drifts: Vec<_> = now.drift(&last_year.fields).map(|(usage, drift)| (usage.path.as_str(), drift)).collect();
    /// assert_eq!(drifts, [("price", Drift::Retyped)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn drift<'a>(&'a self, before: &'a [FieldUse]) -> impl Iterator<Item = (&'a FieldUse, Drift)> {
        usage::drift(&self.fields, before)
    }
}
