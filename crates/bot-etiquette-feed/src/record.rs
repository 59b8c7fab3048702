//! The mapped values of one record, as read.

use crate::field::{Field, FieldSet};

#[derive(Debug, Default)]
pub(crate) struct Record {
    /// The rule of the map and the value without blanks around it, in the order of the document.
    pub(crate) values: Vec<(usize, String)>,
    fields: FieldSet,
    pub(crate) size: usize,
    pub(crate) spoilt: bool,
}

impl Record {
    pub(crate) fn add(&mut self, rule: usize, field: Field, text: String) {
        self.size = self.size.saturating_add(text.len()).saturating_add(VALUE);
        self.fields.insert(field);
        self.values.push((rule, text));
    }

    /// Whether it takes a value of this length and is no larger than `limit` then.
    pub(crate) fn fits(&self, length: usize, limit: usize) -> bool {
        self.size.saturating_add(length).saturating_add(VALUE) <= limit
    }

    /// Whether it has a value of a field, be it an empty one.
    pub(crate) fn has(&self, field: Field) -> bool {
        self.fields.contains(field)
    }
}

/// What a value costs even when it is empty.
const VALUE: usize = size_of::<(usize, String)>();

/// The room that records no longer need: most are as large as the one before.
#[derive(Debug, Default)]
pub(crate) struct Spare {
    texts: Vec<String>,
    values: Vec<(usize, String)>,
}

/// Texts that are kept, and the bytes of each at the most.
const TEXTS: usize = 32;
const LENGTH: usize = 8 * 1024;
/// Values whose room is kept.
const VALUES: usize = 256;

impl Spare {
    /// An empty text.
    pub(crate) fn text(&mut self) -> String {
        self.texts.pop().unwrap_or_default()
    }

    /// An empty record.
    pub(crate) fn record(&mut self) -> Record {
        Record { values: std::mem::take(&mut self.values), ..Record::default() }
    }

    pub(crate) fn take_text(&mut self, mut text: String) {
        if self.texts.len() < TEXTS && (1..=LENGTH).contains(&text.capacity()) {
            text.clear();
            self.texts.push(text);
        }
    }

    pub(crate) fn take_record(&mut self, record: Record) {
        let mut values = record.values;
        values.drain(..).for_each(|(_, text)| self.take_text(text));
        if values.capacity() <= VALUES {
            self.values = values;
        }
    }
}
