//! Events of many feeds together.

use std::collections::{BTreeMap, HashMap};

use crate::completeness::Completeness;
use crate::event::{Event, EventKey};

/// Events by key: records that repeat a key are one event, and events of two sources that are the same stand together.
///
/// This is the one part that keeps events in memory.
///
/// ```
/// use bot_etiquette_feed::{Calendar, Feed, SourceMap};
///
/// let map = SourceMap::from_toml(include_str!("../tests/fixtures/json.toml"))?;
/// let mut feed = Feed::new(&map);
/// feed.push(br#"{"items":[{"id":1,"title":"Danza","from":"2026-05-01"},{"id":1,"title":"Danza","from":"2026-05-08"}]}"#);
/// feed.finish();
/// let mut calendar = Calendar::new();
/// while let Some(event) = feed.next_event() {
///     calendar.insert(event);
/// }
/// let days: Vec<_> = calendar.events().flat_map(|event| event.when().occurrences()).map(|day| day.to_string()).collect();
/// assert_eq!(days, ["2026-05-01", "2026-05-08"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Calendar {
    events: BTreeMap<EventKey, Event>,
}

impl Calendar {
    /// An empty calendar.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an event; one of the same key takes over its dates, its languages and what was missing.
    pub fn insert(&mut self, event: Event) {
        match self.events.get_mut(event.key()) {
            Some(known) => known.merge(&event),
            None => {
                self.events.insert(event.key().clone(), event);
            }
        }
    }

    /// Takes over what a run read of one source, in the place of what was known of it.
    ///
    /// An event read again replaces the one known; translations stay where the source's words have. One that is absent
    /// goes only when `completeness` [allows it](Completeness::allows_deletions). Events of other sources in `fresh` are
    /// left out.
    ///
    /// ```
    /// use bot_etiquette_feed::{Calendar, Feed, SourceMap};
    ///
    /// let map = SourceMap::from_toml(include_str!("../tests/fixtures/json.toml"))?;
    /// let mut calendar = Calendar::new();
    /// let mut run = |text: &str| {
    ///     let mut feed = Feed::new(&map);
    ///     feed.push(text.as_bytes());
    ///     feed.finish();
    ///     let fresh = std::iter::from_fn(|| feed.next_event()).collect();
    ///     calendar.renew(map.source(), fresh, &feed.report().completeness)
    /// };
    /// run(r#"{"items":[{"id":1,"title":"Danza"},{"id":2,"title":"Cine"}]}"#);
    /// let cut = run(r#"{"items":[{"id":1,"title":"Danza y teatro"},{"id":"#);
    /// assert_eq!((cut.changed, cut.removed), (1, 0));
    /// let whole = run(r#"{"items":[{"id":1,"title":"Danza y teatro"}]}"#);
    /// assert_eq!((whole.unchanged, whole.removed), (1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn renew(&mut self, source: &str, fresh: Self, completeness: &Completeness) -> Renewed {
        let mut renewed = Renewed::default();
        if completeness.allows_deletions() {
            let known = self.events.len();
            self.events.retain(|key, _| key.source() != source || fresh.events.contains_key(key));
            renewed.removed = known.saturating_sub(self.events.len());
        }
        for (key, mut event) in fresh.events {
            if key.source() != source {
                continue;
            }
            let count = match self.events.get(&key) {
                None => &mut renewed.added,
                Some(known) => {
                    event.keep_translations(known);
                    if event.says_the_same(known) { &mut renewed.unchanged } else { &mut renewed.changed }
                }
            };
            *count = count.saturating_add(1);
            self.events.insert(key, event);
        }
        renewed
    }

    /// How many events there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The event of a key.
    #[must_use]
    pub fn get(&self, key: &EventKey) -> Option<&Event> {
        self.events.get(key)
    }

    /// The events by key, to add translations.
    pub fn events_mut(&mut self) -> impl Iterator<Item = &mut Event> {
        self.events.values_mut()
    }

    /// Keeps the events that `keep` says so of.
    pub fn retain(&mut self, mut keep: impl FnMut(&Event) -> bool) {
        self.events.retain(|_, event| keep(event));
    }

    /// The events by key.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.events.values()
    }

    /// The events, each with those of other records that agree with it in title, first start and place; in the order of
    /// the keys. Events without a date stand alone.
    pub fn distinct(&self) -> impl Iterator<Item = Vec<&Event>> {
        let mut groups: Vec<Vec<&Event>> = Vec::new();
        let mut known: HashMap<_, usize> = HashMap::new();
        for event in self.events.values() {
            match event.likeness() {
                Some(likeness) => {
                    let at = *known.entry(likeness).or_insert(groups.len());
                    match groups.get_mut(at) {
                        Some(group) => group.push(event),
                        None => groups.push(vec![event]),
                    }
                }
                None => groups.push(vec![event]),
            }
        }
        groups.into_iter()
    }
}

impl Extend<Event> for Calendar {
    fn extend<I: IntoIterator<Item = Event>>(&mut self, events: I) {
        for event in events {
            self.insert(event);
        }
    }
}

impl FromIterator<Event> for Calendar {
    fn from_iter<I: IntoIterator<Item = Event>>(events: I) -> Self {
        let mut calendar = Self::new();
        calendar.extend(events);
        calendar
    }
}

/// What a run changed: numbers of events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Renewed {
    /// New ones.
    pub added: usize,
    /// Those that say something else now.
    pub changed: usize,
    /// Those that say the same; a later date of change alone is no change.
    pub unchanged: usize,
    /// Those that are gone.
    pub removed: usize,
}
