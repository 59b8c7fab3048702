//! What is kept of runs, pages, looks and days.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bot_etiquette::feed::Completeness;
use bot_etiquette::fetch::Validators;
use bot_etiquette::robots::ReviewedPolicy;
use serde::{Deserialize, Serialize};

/// What is known of the runs of a source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    /// When a feed last came anew, in seconds since the Unix epoch.
    pub last_200: Option<u64>,
    /// When it last was unchanged.
    pub last_304: Option<u64>,
    /// Since when no run went well.
    pub failing_since: Option<u64>,
    /// What went wrong last, for a person.
    pub problem: Option<String>,
    /// Until when the host was held, where that ended a run.
    pub held_until: Option<u64>,
    /// What a person should look at although the run went well.
    pub remarks: Vec<String>,
    /// New events of the last run that read anything.
    pub added: u64,
    /// Those that say something else since.
    pub changed: u64,
    /// Those that say the same.
    pub unchanged: u64,
    /// Those that are gone.
    pub gone: u64,
    /// E-mail addresses that were taken out of texts when the feed last came anew.
    pub emails: u64,
    /// Telephone numbers.
    pub phones: u64,
    /// Identity and account numbers, and links that write or call.
    pub others: u64,
    /// Requests of the last run.
    pub requests: u32,
}

/// A source's row.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// When it is due, in seconds since the Unix epoch.
    pub due: u64,
    /// When its last run began; 0: never.
    pub began: u64,
    /// Whether that run is over; one that is not was killed.
    pub ended: bool,
    /// The requests of that run.
    pub used: u32,
    /// What is known of it.
    pub record: Record,
}

/// What is known of one address of a source.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// When it was last read or found unchanged.
    pub at: u64,
    /// What the server knows it by; `None` where the next request has to take it whole.
    pub validators: Option<Validators>,
    /// How whole it was.
    pub completeness: Option<Completeness>,
}

impl Page {
    /// What is kept to ask whether it has changed.
    #[must_use]
    pub fn validator_text(&self) -> String {
        let Some(validators) = &self.validators else { return "no ETag, no Last-Modified".to_owned() };
        let shown = |name: &str, value: Option<&http::HeaderValue>| {
            value.map(|value| format!("{name} {}", String::from_utf8_lossy(value.as_bytes())))
        };
        let all = [shown("ETag", validators.etag()), shown("Last-Modified", validators.last_modified())];
        all.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// How many events of a page are new, say something else, say the same.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted {
    /// New ones.
    pub added: u64,
    /// Changed ones.
    pub changed: u64,
    /// The same.
    pub unchanged: u64,
}

/// The last daily look at a robots.txt.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Look {
    /// When, in seconds since the Unix epoch.
    pub at: u64,
    /// What came: a status, or why nothing did.
    pub outcome: String,
    /// What the last file that came means; nothing else of it is kept.
    pub live: Option<ReviewedPolicy>,
    /// What the server knows it by.
    pub validators: Option<Validators>,
    /// What is different from what a person read.
    pub drift: Vec<String>,
}

/// What a host was asked on one day.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Asked {
    /// Requests.
    pub requests: u64,
    /// Answers that said "unchanged".
    pub unchanged: u64,
    /// Bytes of bodies on the wire.
    pub bytes: u64,
}

/// Seconds since the Unix epoch.
#[must_use]
pub fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// The moment so many seconds after the Unix epoch.
#[must_use]
pub fn moment(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}
