//! The mapped values of one record, as read.

use crate::field::FieldSet;

#[derive(Debug)]
pub(crate) struct Record {
    /// The rule of the map and the value, in the order of the document.
    pub(crate) values: Vec<(usize, String)>,
    /// The fields of these rules.
    pub(crate) fields: FieldSet,
    pub(crate) size: usize,
    pub(crate) spoilt: bool,
}

impl Record {
    pub(crate) fn new() -> Self {
        Self { values: Vec::with_capacity(16), fields: FieldSet::default(), size: 0, spoilt: false }
    }
}
