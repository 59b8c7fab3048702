//! The key directory: where a bot publishes its public keys, and where verifiers read them.
//!
//! It is a JWK Set at `https://BOT/.well-known/http-message-signatures-directory` (Web Bot Auth, draft
//! `http-message-signatures-directory`), with a media type of its own. Nothing here opens a socket: the reader
//! takes answers that your client fetched, the writer gives responses that your server sends.
//!
//! **A bot** builds a [`KeyDirectory`] of [`PublishedKey`]s and sends its [`response`](KeyDirectory::response),
//! signed by each key for the authority that was asked. A [`KeySchedule`] turns the first uses of its keys
//! into all other dates, and says what is wrong today.
//!
//! **A site** keeps a [`DirectoryCache`]: it says when to fetch, what a failure means, and which key belongs to
//! which agent. One answer is read by [`read_response`], and its signatures are judged by
//! [`DirectoryDocument::proofs`].
//!
//! **A person** runs a [`DirectoryCheck`], step by step.
//!
//! ```
//! use std::time::{Duration, SystemTime};
//!
//! use bot_etiquette_signing::SigningKey;
//! use bot_etiquette_signing::directory::{CheckStep, DirectoryCheck, KeyDirectory, KeySchedule};
//! use http::StatusCode;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
//! # let [key, next] = [1, 2].map(|byte| SigningKey::from_seed(&[byte; 32]));
//! const HOUR: Duration = Duration::from_secs(3600);
//! let schedule =
//!     KeySchedule::new(HOUR, Duration::from_secs(60)).then(key, now)?.then(next, now + 30 * 24 * HOUR)?;
//! let directory = KeyDirectory::builder().keys(schedule.published_keys()).max_age(HOUR).build()?;
//! let response = directory.response("bot.example", now)?;
//!
//! let findings = DirectoryCheck::new(response.body().as_bytes())
//!     .response(StatusCode::OK, response.headers())
//!     .authority("bot.example")
//!     .run(now);
//! assert!(findings.iter().all(|finding| finding.ok == Some(true)), "{findings:?}");
//! # Ok(()) }
//! ```

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
