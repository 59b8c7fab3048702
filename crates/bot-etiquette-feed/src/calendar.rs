//! Events of many feeds together.

use std::collections::{BTreeMap, HashMap};

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
