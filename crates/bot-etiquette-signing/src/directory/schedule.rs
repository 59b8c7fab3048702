use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::{DirectoryDocument, PublishedKey};
use crate::{SigningKey, Thumbprint};

/// What clocks may differ by: a new key counts this much earlier than it is used.
const CLOCK_MARGIN: Duration = Duration::from_secs(300);

/// Which key signs when, and which keys the directory lists meanwhile: rotation as dates.
///
/// A key is published one cache lifetime before its first use, so that no verifier meets a signature whose
/// key it cannot know, and stays until its last signature and every cached copy have run out. All dates
/// follow from the first uses. Removal from the directory is the only revocation there is.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use bot_etiquette_signing::SigningKey;
/// use bot_etiquette_signing::directory::KeySchedule;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// const DAY: Duration = Duration::from_secs(86_400);
/// # let [old, new] = [1, 2].map(|byte| SigningKey::from_seed(&[byte; 32]));
/// let start = SystemTime::UNIX_EPOCH + 20_000 * DAY;
/// let schedule = KeySchedule::new(DAY, Duration::from_secs(60))
///     .then(old, start)?
///     .then(new, start + 90 * DAY)?;
///
/// let [first, second] = schedule.dates().try_into().map_err(|_| "two keys")?;
/// assert_eq!(first.last_use, Some(second.first_use));
/// assert!(second.publish < second.first_use - DAY);
/// assert!(first.drop > Some(second.first_use + DAY));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct KeySchedule {
    keys: Vec<(Arc<SigningKey>, SystemTime)>,
    end: Option<SystemTime>,
    cache_lifetime: Duration,
    signature_lifetime: Duration,
}

impl KeySchedule {
    /// A schedule without keys yet. `cache_lifetime` is how long verifiers may keep the directory (its
    /// `max-age`), `signature_lifetime` how long a signed request counts.
    #[must_use]
    pub fn new(cache_lifetime: Duration, signature_lifetime: Duration) -> Self {
        Self { keys: Vec::new(), end: None, cache_lifetime, signature_lifetime }
    }

    /// Adds the next key, which takes over from the one before at `first_use`.
    ///
    /// # Errors
    /// A first use that is not after the one before, or a key that is on the schedule already.
    pub fn then(mut self, key: SigningKey, first_use: SystemTime) -> Result<Self, ScheduleError> {
        if self.end.is_some_and(|end| end <= first_use)
            || self.keys.last().is_some_and(|(_, before)| *before >= first_use)
        {
            return Err(ScheduleError::Order { thumbprint: key.thumbprint() });
        }
        if self.keys.iter().any(|(other, _)| other.verifying_key() == key.verifying_key()) {
            return Err(ScheduleError::Duplicate { thumbprint: key.thumbprint() });
        }
        self.keys.push((Arc::new(key), first_use));
        Ok(self)
    }

    /// Ends the last key's use at `end`. Without an end it signs on.
    ///
    /// # Errors
    /// An end that is not after the last first use.
    pub fn until(mut self, end: SystemTime) -> Result<Self, ScheduleError> {
        if let Some((key, first_use)) = self.keys.last()
            && *first_use >= end
        {
            return Err(ScheduleError::Order { thumbprint: key.thumbprint() });
        }
        self.end = Some(end);
        Ok(self)
    }

    /// The key that signs at `now`; none before the first use and after the end.
    #[must_use]
    pub fn signing_key(&self, now: SystemTime) -> Option<&Arc<SigningKey>> {
        if self.end.is_some_and(|end| end <= now) {
            return None;
        }
        self.keys.iter().rev().find(|(_, first_use)| *first_use <= now).map(|(key, _)| key)
    }

    /// The dates of every key, in order of use.
    #[must_use]
    pub fn dates(&self) -> Vec<KeyDates> {
        let next = self.keys.iter().skip(1).map(|(_, first_use)| Some(*first_use)).chain([self.end]);
        self.keys
            .iter()
            .zip(next)
            .map(|((key, first_use), last_use)| {
                let lead = self.cache_lifetime.saturating_add(CLOCK_MARGIN);
                let rest = lead.saturating_add(self.signature_lifetime);
                KeyDates {
                    thumbprint: key.thumbprint(),
                    publish: first_use.checked_sub(lead).unwrap_or(SystemTime::UNIX_EPOCH),
                    first_use: *first_use,
                    last_use,
                    drop: last_use.and_then(|date| date.checked_add(rest)),
                }
            })
            .collect()
    }

    /// The keys as a [`KeyDirectory`](super::KeyDirectory) takes them: each is listed between its dates.
    pub fn published_keys(&self) -> impl Iterator<Item = PublishedKey> {
        self.keys.iter().zip(self.dates()).map(|((key, first_use), dates)| {
            let mut published = PublishedKey::new(Arc::clone(key)).publish_from(dates.publish);
            if let Some(date) = first_use.checked_sub(CLOCK_MARGIN) {
                published = published.not_before(date);
            }
            match dates.drop {
                Some(date) => published.expires(date),
                None => published,
            }
        })
    }

    /// What is wrong at `now` with the directory as it is really published.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    ///
    /// use bot_etiquette_signing::SigningKey;
    /// use bot_etiquette_signing::directory::{DirectoryDocument, KeySchedule};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    /// # let key = SigningKey::from_seed(&[1; 32]);
    /// let schedule = KeySchedule::new(Duration::from_secs(3600), Duration::from_secs(60)).then(key, now)?;
    /// let published = DirectoryDocument::parse(br#"{"keys":[]}"#)?;
    /// let problems = schedule.check(&published, now);
    /// assert!(problems[0].to_string().ends_with("signs, but the directory does not list it"));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn check(&self, published: &DirectoryDocument, now: SystemTime) -> Vec<RotationProblem> {
        let mut problems = Vec::new();
        let current = self.signing_key(now).map(|key| key.thumbprint());
        if current.is_none() {
            problems.push(RotationProblem::NoKeyInUse);
        }
        let dates = self.dates();
        for dates in &dates {
            let thumbprint = dates.thumbprint.clone();
            let entry = published.find(thumbprint.as_str());
            let signs = current.as_ref() == Some(&thumbprint);
            let due = dates.publish <= now && dates.drop.is_none_or(|date| now < date);
            match entry {
                None if signs => problems.push(RotationProblem::SigningUnlisted { thumbprint }),
                None if due && now < dates.first_use => {
                    let first_use =
                        now.checked_add(self.cache_lifetime).and_then(|at| at.checked_add(CLOCK_MARGIN));
                    let first_use = first_use.unwrap_or(dates.first_use);
                    problems.push(RotationProblem::NotYetListed { thumbprint, first_use });
                }
                None if due => problems.push(RotationProblem::DroppedTooSoon { thumbprint }),
                Some(entry) if signs && !entry.is_valid_at(now) => {
                    problems.push(RotationProblem::SigningOutsideDates { thumbprint });
                }
                Some(_) if dates.drop.is_some_and(|date| date <= now) => {
                    problems.push(RotationProblem::StillListed { thumbprint });
                }
                _ => {}
            }
        }
        for entry in published.entries() {
            if !dates.iter().any(|dates| &dates.thumbprint == entry.thumbprint()) {
                problems.push(RotationProblem::Unscheduled { thumbprint: entry.thumbprint().clone() });
            }
        }
        problems
    }
}

/// The four dates of a key on a [`KeySchedule`].
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use bot_etiquette_signing::SigningKey;
/// use bot_etiquette_signing::directory::{KeyDates, KeySchedule};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
/// let schedule = KeySchedule::new(Duration::from_secs(3600), Duration::from_secs(60))
///     .then(SigningKey::from_seed(&[1; 32]), start)?;
/// let dates: KeyDates = schedule.dates().remove(0);
/// assert_eq!((dates.first_use, dates.last_use, dates.drop), (start, None, None));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyDates {
    /// Which key.
    pub thumbprint: Thumbprint,
    /// From when the directory lists it: a cache lifetime and five minutes before the first use.
    pub publish: SystemTime,
    /// From when it signs.
    pub first_use: SystemTime,
    /// Until when it signs; none while no key follows.
    pub last_use: Option<SystemTime>,
    /// Until when the directory lists it: the last signature's end, a cache lifetime and five minutes.
    pub drop: Option<SystemTime>,
}

/// Why a key cannot stand on a [`KeySchedule`].
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use bot_etiquette_signing::SigningKey;
/// use bot_etiquette_signing::directory::{KeySchedule, ScheduleError};
///
/// let [first, second] = [1, 2].map(|byte| SigningKey::from_seed(&[byte; 32]));
/// let now = SystemTime::UNIX_EPOCH;
/// let schedule = KeySchedule::new(Duration::ZERO, Duration::ZERO).then(first, now);
/// let same_time = schedule.and_then(|schedule| schedule.then(second, now));
/// assert!(matches!(same_time, Err(ScheduleError::Order { .. })));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// A date that is not after the one before.
    #[error(
        "the date of key {thumbprint} is out of order: each first use comes after the one before, the end last"
    )]
    Order {
        /// Which key.
        thumbprint: Thumbprint,
    },
    /// A key that is on the schedule already.
    #[error("the key {thumbprint} is on the schedule already: a key that was replaced is never used again")]
    Duplicate {
        /// Which key.
        thumbprint: Thumbprint,
    },
}

/// What [`KeySchedule::check`] finds wrong.
///
/// ```
/// use bot_etiquette_signing::directory::RotationProblem;
///
/// assert_eq!(RotationProblem::NoKeyInUse.to_string(), "no key signs today: add one to the schedule");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RotationProblem {
    /// No key signs at this time.
    NoKeyInUse,
    /// The key that signs is not in the directory: its requests do not verify.
    SigningUnlisted {
        /// Which key.
        thumbprint: Thumbprint,
    },
    /// The key that signs is listed with dates that exclude this time.
    SigningOutsideDates {
        /// Which key.
        thumbprint: Thumbprint,
    },
    /// The next key should be listed by now.
    NotYetListed {
        /// Which key.
        thumbprint: Thumbprint,
        /// The earliest first use, if it is listed at once.
        first_use: SystemTime,
    },
    /// A key was dropped while requests it signed may still be on their way.
    DroppedTooSoon {
        /// Which key.
        thumbprint: Thumbprint,
    },
    /// A key that should be gone.
    StillListed {
        /// Which key.
        thumbprint: Thumbprint,
    },
    /// A key that is not on the schedule.
    Unscheduled {
        /// Which key.
        thumbprint: Thumbprint,
    },
}

impl fmt::Display for RotationProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoKeyInUse => f.write_str("no key signs today: add one to the schedule"),
            Self::SigningUnlisted { thumbprint } => {
                write!(f, "key {thumbprint} signs, but the directory does not list it")
            }
            Self::SigningOutsideDates { thumbprint } => {
                write!(f, "key {thumbprint} signs, but its \"nbf\" and \"exp\" exclude today")
            }
            Self::NotYetListed { thumbprint, first_use } => {
                let seconds = first_use.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
                write!(
                    f,
                    "key {thumbprint} should be listed by now: list it, and first use it at {seconds} or later"
                )
            }
            Self::DroppedTooSoon { thumbprint } => {
                write!(f, "key {thumbprint} was dropped while its last signatures may still count")
            }
            Self::StillListed { thumbprint } => {
                write!(f, "key {thumbprint} is no longer used and should be dropped")
            }
            Self::Unscheduled { thumbprint } => {
                write!(f, "key {thumbprint} is listed, but is not on the schedule")
            }
        }
    }
}
