//! The key directory: where a bot's public keys are published, and read.
//!
//! TODO
mod cache;
mod check;
mod document;
mod error;
mod proof;
mod published;
mod read;
mod response;
mod schedule;
mod writer;

pub use cache::{
    CacheLookup, DEFAULT_CAPACITY, DEFAULT_FRESH, DirectoryCache, FETCH_LIMIT, MAX_FRESH, MIN_FRESH, NEGATIVE,
};
pub use check::{CheckStep, DirectoryCheck, Finding};
pub use document::{
    DirectoryDocument, DirectoryEntry, EntryNote, MAX_DIRECTORY_BYTES, MAX_DIRECTORY_KEYS, SkipReason,
    SkippedKey,
};
pub use error::DirectoryError;
pub use proof::KeyProof;
pub use published::PublishedKey;
pub use read::{directory_url, read_response};
#[cfg(feature = "tower")]
pub(crate) use response::address;
pub use schedule::{KeyDates, KeySchedule, RotationProblem, ScheduleError};
pub use writer::{DEFAULT_MAX_AGE, KeyDirectory, KeyDirectoryBuilder};

/// The media type of a key directory.
pub const MEDIA_TYPE: &str = "application/http-message-signatures-directory+json";
