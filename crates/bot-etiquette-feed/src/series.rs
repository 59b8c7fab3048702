//! Series whose times other records of the feed change: they wait until its end, since those may stand anywhere.

use std::collections::HashMap;

use crate::event::{Event, EventKey};
use crate::when::Moment;

/// One time of a series that has a record of its own: a `RECURRENCE-ID` (RFC 5545, 3.8.4.4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Replaced {
    pub(crate) series: EventKey,
    pub(crate) time: Moment,
    /// Whether all later times are meant too: `RANGE=THISANDFUTURE`.
    pub(crate) and_later: bool,
}

/// What waits.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    events: Vec<Event>,
    replaced: HashMap<EventKey, Vec<Replaced>>,
    bytes: usize,
    /// Series that were held, those without room included.
    series: u64,
    full: bool,
}

impl Waiting {
    /// Keeps a series until the end.
    pub(crate) fn hold(&mut self, event: Event, size: usize, limit: usize) {
        self.series = self.series.saturating_add(1);
        if self.fits(size.saturating_add(size_of::<Event>()), limit) {
            self.events.push(event);
        }
    }

    /// Takes a time from its series.
    pub(crate) fn replace(&mut self, replaced: Replaced, limit: usize) {
        let size = size_of::<Replaced>().saturating_add(replaced.series.as_str().len());
        if self.fits(size.saturating_mul(2), limit) {
            self.replaced.entry(replaced.series.clone()).or_default().push(replaced);
        }
    }

    /// A series is right with all of its changes alone: when there is no room for one of them, none is given.
    fn fits(&mut self, size: usize, limit: usize) -> bool {
        self.bytes = self.bytes.saturating_add(size);
        if self.bytes > limit {
            self.full = true;
            self.events = Vec::new();
            self.replaced = HashMap::new();
        }
        !self.full
    }

    /// The series without the times that were replaced; those of which none is left are no events any more.
    ///
    /// # Errors
    /// How many were lost, where there was no room.
    pub(crate) fn release(&mut self) -> Result<Vec<Event>, u64> {
        let Self { mut events, replaced, series, full, .. } = std::mem::take(self);
        if full {
            return Err(series);
        }
        events.retain_mut(|event| match replaced.get(event.key()) {
            Some(times) => {
                event.when_mut().except(times);
                event.when().first().is_some()
            }
            None => true,
        });
        Ok(events)
    }
}
