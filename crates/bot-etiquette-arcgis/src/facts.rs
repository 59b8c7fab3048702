//! What can be read from an answer.

use serde::{Deserialize, Serialize};

use crate::document::Document;
use crate::outcome::Problem;

/// A kind of facts that [`Answer::read`](crate::Answer::read) gives. Sealed: the kinds are those of this crate.
pub trait Facts: Sized + sealed::Read {}

impl<T: sealed::Read> Facts for T {}

pub(crate) mod sealed {
    use super::{Document, Problem};

    #[allow(unnameable_types, reason = "the methods of a sealed trait")]
    pub trait Read: Sized {
        /// What it is called in an error.
        const KIND: &'static str;
        /// Whether `error` is a name of data here.
        const HAS_ERROR_KEY: bool = false;

        fn from_document(document: &Document<'_>) -> Result<Self, Problem>;

        /// Whether an unreadable body shows that the server sent features instead of a count.
        fn ignores_count(_body: &[u8]) -> bool {
            false
        }
    }
}

/// An item of a list that could not be read; the others of the list are there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BadItem {
    /// The name of the list, such as `layers`.
    pub list: String,
    /// Its place in the list, from 0.
    pub index: usize,
    /// What was wrong.
    pub error: String,
}

/// Reads every item of the list named, each by itself; gives what was read and what was not.
pub(crate) fn items<T: serde::de::DeserializeOwned>(
    document: &Document<'_>,
    list: &str,
) -> (Vec<T>, Vec<BadItem>) {
    let raw = document.items(list);
    let mut read = Vec::with_capacity(raw.len().min(4096));
    let mut bad = Vec::new();
    for (index, raw) in raw.iter().enumerate() {
        match document.item(raw) {
            Ok(item) => read.push(item),
            Err(error) => {
                let error = error.to_string();
                let error = error.split(" at line ").next().unwrap_or_default().to_owned();
                bad.push(BadItem { list: list.to_owned(), index, error });
            }
        }
    }
    (read, bad)
}
