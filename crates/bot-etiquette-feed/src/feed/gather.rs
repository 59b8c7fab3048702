//! What the readers of all formats give to: records, which become events.

use std::collections::VecDeque;

use crate::completeness::{Census, Doubt, Outage};
use crate::event::Event;
use crate::feed::Limits;
use crate::field::Field;
use crate::record::{Record, Spare};
use crate::report::{Note, Notes, Report};
use crate::scrub::Scrubbed;
use crate::series::{Replaced, Waiting};
use crate::source_map::SourceMap;
use crate::trim::trimmed;
use crate::usage::Counter;

/// What the readers of all formats give to.
#[derive(Debug)]
pub(crate) struct Gather<'m> {
    pub(crate) map: &'m SourceMap,
    pub(crate) limits: Limits,
    pub(crate) notes: Notes,
    pub(crate) truncated: bool,
    pub(crate) outage: Option<Outage>,
    pub(crate) no_line_end: bool,
    /// Whether the place of records was seen, be there any or not.
    pub(crate) found: bool,
    record: Option<Record>,
    spare: Spare,
    census: Census,
    scrubbed: Scrubbed,
    given: u64,
    counters: Vec<Counter>,
    events: VecDeque<Event>,
    waiting: Waiting,
    /// Whether records may change the times of other records.
    joins: bool,
}

impl<'m> Gather<'m> {
    pub(crate) fn new(map: &'m SourceMap, limits: Limits) -> Self {
        Self {
            map,
            limits,
            notes: Notes::default(),
            truncated: false,
            outage: None,
            no_line_end: false,
            found: false,
            record: None,
            spare: Spare::default(),
            census: Census::default(),
            scrubbed: Scrubbed::default(),
            given: 0,
            counters: vec![Counter::default(); map.rules.len()],
            events: VecDeque::new(),
            waiting: Waiting::default(),
            joins: map.rules.iter().any(|rule| rule.field == Field::Replaces),
        }
    }

    /// Gives the next event away.
    pub(super) fn next_event(&mut self) -> Option<Event> {
        let event = self.events.pop_front();
        self.given = self.given.saturating_add(u64::from(event.is_some()));
        event
    }

    /// What is known so far; all there is to know once the feed has `ended`.
    pub(super) fn report(&self, ended: bool) -> Report {
        let mut completeness = self.census.verdict(self.truncated || !ended, self.outage);
        if self.no_line_end {
            completeness.doubts.push(Doubt::NoLineEnd);
        }
        let fields = self.map.rules.iter().zip(&self.counters);
        Report {
            completeness,
            events: self.given.saturating_add(self.events.len() as u64),
            dropped: self.census.dropped,
            scrubbed: self.scrubbed,
            notes: self.notes.clone(),
            fields: fields.map(|(rule, counter)| counter.usage(rule.field, &rule.path)).collect(),
        }
    }

    pub(crate) fn begin_record(&mut self) {
        self.found = true;
        self.census.read = self.census.read.saturating_add(1);
        self.record = Some(self.spare.record());
    }

    pub(crate) fn in_record(&self) -> bool {
        self.record.is_some()
    }

    /// Takes a value of the record that is open.
    pub(crate) fn value(&mut self, rule: usize, text: &str) {
        let text = trimmed(text);
        if self.fits(text.len()) {
            let mut own = self.spare.text();
            own.push_str(text);
            self.add(rule, own);
        }
    }

    /// The same with a text that nobody else needs.
    pub(crate) fn value_owned(&mut self, rule: usize, text: String) {
        if trimmed(&text).len() < text.len() {
            self.value(rule, &text);
            self.spare.take_text(text);
        } else if self.fits(text.len()) {
            self.add(rule, text);
        }
    }

    /// An empty text, to be given back as a value.
    pub(crate) fn text(&mut self) -> String {
        self.spare.text()
    }

    fn add(&mut self, rule: usize, text: String) {
        let Some(field) = self.map.rule(rule).map(|rule| rule.field) else { return };
        let Some(record) = &mut self.record else { return };
        if let Some(counter) = self.counters.get_mut(rule) {
            // The element around a range has no value of its own.
            counter.add(if field == Field::Range { "range" } else { &text }, self.census.read);
        }
        record.add(rule, field, text);
    }

    /// Whether the open record takes a value of this length; it is spoilt when it does not.
    fn fits(&mut self, length: usize) -> bool {
        let Some(record) = &self.record else { return false };
        let fits = record.fits(length, self.limits.record);
        if !fits {
            self.spoil(Note::RecordTooLarge);
        }
        fits
    }

    /// Marks the open record as one to drop.
    pub(crate) fn spoil(&mut self, note: Note) {
        self.notes.add(note);
        if let Some(record) = &mut self.record {
            record.spoilt = true;
        }
    }

    /// Drops the open record: the feed broke off inside.
    pub(crate) fn abandon(&mut self) {
        if self.record.take().is_some() {
            self.census.dropped = self.census.dropped.saturating_add(1);
        }
    }

    /// Leaves the open record out, which says itself that it is no event any more, and the time of a series with it.
    pub(crate) fn withdraw(&mut self, note: Note) {
        let Some(record) = self.record.take() else { return };
        self.notes.add(note);
        let replaced = Event::replaced(&record, self.map, &mut self.notes);
        self.replace(replaced);
    }

    /// Gives out the series, at the end of the feed.
    pub(super) fn release(&mut self) {
        match self.waiting.release() {
            Ok(events) => self.events.extend(events),
            Err(lost) => {
                self.notes.add(Note::TooManySeries);
                self.census.dropped = self.census.dropped.saturating_add(lost);
            }
        }
    }

    /// Takes a time from its series.
    fn replace(&mut self, replaced: Option<Replaced>) {
        if let Some(replaced) = replaced {
            self.waiting.replace(replaced, self.limits.series);
        }
    }

    pub(crate) fn end_record(&mut self) {
        let Some(record) = self.record.take() else { return };
        let event = if record.spoilt { None } else { Event::of(&record, self.map, &mut self.notes) };
        let size = record.size;
        let Some((event, replaced)) = event else {
            self.census.dropped = self.census.dropped.saturating_add(1);
            if self.joins {
                // What cannot be read does not make the series right.
                let replaced = Event::replaced(&record, self.map, &mut Notes::default());
                self.replace(replaced);
            }
            self.spare.take_record(record);
            return;
        };
        self.spare.take_record(record);
        self.scrubbed.add(event.scrubbed());
        if let Some(title) = event.titles().source() {
            self.census.title(title.text());
        }
        if replaced.as_ref().is_some_and(|replaced| replaced.and_later) {
            self.notes.add(Note::ThisAndFuture);
        }
        self.replace(replaced);
        if self.joins && event.when().is_series() {
            self.waiting.hold(event, size, self.limits.series);
        } else {
            self.events.push_back(event);
        }
    }

    /// Ends a record that is the whole document: where no event comes of it, the document is none of this source.
    pub(crate) fn end_only_record(&mut self) {
        let is_spoilt = self.record.as_ref().is_some_and(|record| record.spoilt);
        let dropped = self.census.dropped;
        self.end_record();
        if self.census.dropped > dropped && !is_spoilt {
            self.census.dropped = dropped;
            self.census.read = self.census.read.saturating_sub(1);
            self.found = false;
        }
    }

    /// Takes the open record back: it is none.
    pub(crate) fn forget_record(&mut self) {
        if self.record.take().is_some() {
            self.census.read = self.census.read.saturating_sub(1);
        }
    }

    pub(crate) fn announce(&mut self, total: &str) {
        let total = total.trim();
        // Some write `3.0`.
        let Ok(total) = total.strip_suffix(".0").unwrap_or(total).parse() else {
            self.notes.add(Note::BadTotal);
            return;
        };
        if self.census.announced.is_some_and(|known| known != total) {
            self.notes.add(Note::TotalChanged);
            self.census.total_changed = true;
        }
        self.census.announced = Some(total);
    }

    pub(crate) fn nothing_read(&self) -> bool {
        self.census.read == 0
    }
}
