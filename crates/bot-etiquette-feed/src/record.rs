//! The mapped values of one record, as read.

#[derive(Debug)]
pub(crate) struct Record {
    /// The rule of the map and the value, in the order of the document.
    pub(crate) values: Vec<(usize, String)>,
    pub(crate) size: usize,
    pub(crate) spoilt: bool,
}

impl Record {
    pub(crate) fn new() -> Self {
        Self { values: Vec::with_capacity(16), size: 0, spoilt: false }
    }
}
