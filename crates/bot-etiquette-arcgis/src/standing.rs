//! What repeated visits say of a service: public, not public, gone, unchecked.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::outcome::Problem;

/// Checks that must ask for a token before a service counts as not public.
pub const AUTH_STRIKES: u32 = 3;
/// Checks that must miss a service before it counts as gone.
pub const GONE_STRIKES: u32 = 2;
/// The least time between two strikes: what happens within a day may be one mishap.
pub const STRIKE_GAP: Duration = Duration::from_secs(24 * 60 * 60);

/// Strikes against a service, at least a day apart; a good answer clears them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strikes {
    count: u32,
    last: Option<SystemTime>,
}

impl Strikes {
    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Counts one, unless the last one is less than [`STRIKE_GAP`] ago. A clock that went back counts nothing.
    pub fn strike(&mut self, now: SystemTime) {
        let is_apart = match self.last {
            Some(last) => now.duration_since(last).is_ok_and(|gap| gap >= STRIKE_GAP),
            None => true,
        };
        if is_apart {
            self.count = self.count.saturating_add(1);
            self.last = Some(now);
        }
    }
}

/// What a service's standing is after its checks so far.
///
/// ```
/// use bot_etiquette_arcgis::{Answer, Directory, ServiceState, Standing};
/// use std::time::{Duration, SystemTime};
///
/// let token = Answer::body(br#"{"error":{"code":499,"message":"Token Required"}}"#).read::<Directory>().unwrap_err();
/// let day = |n| SystemTime::UNIX_EPOCH + n * Duration::from_secs(86_400);
/// let mut standing = Standing::default();
/// standing.succeeded();
/// for n in [1, 2] {
///     standing.failed(&token, day(n));
///     assert_eq!(standing.state(), ServiceState::Public);
/// }
/// standing.failed(&token, day(3));
/// assert_eq!(standing.state(), ServiceState::NotPublic);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    is_known: bool,
    is_closed: bool,
    auth: Strikes,
    gone: Strikes,
}

/// What a search may say of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ServiceState {
    /// Its description was read; a strike or two change nothing yet.
    Public,
    /// Listed, and not looked at: never visited, or closed by robots.txt.
    Unchecked,
    /// It asked for a token three times, a day or more apart: it drops out.
    NotPublic,
    /// It was missing twice, a day or more apart: it drops out.
    Gone,
}

impl Standing {
    /// A check that read the service: clears every strike.
    pub fn succeeded(&mut self) {
        *self = Self { is_known: true, ..Self::default() };
    }

    /// A check that ended in `problem`. Only a token or a miss counts: a busy, broken or walled service says nothing
    /// about whether it is public.
    pub fn failed(&mut self, problem: &Problem, now: SystemTime) {
        self.is_closed = false;
        match problem {
            Problem::AuthRequired { .. } => {
                self.gone = Strikes::default();
                self.auth.strike(now);
            }
            Problem::Gone { .. } => {
                self.auth = Strikes::default();
                self.gone.strike(now);
            }
            _ => {}
        }
    }

    /// robots.txt closes the path: it stays listed, and nothing is held against it.
    pub fn closed_by_robots(&mut self) {
        self.is_closed = true;
    }

    /// What follows from the checks so far.
    #[must_use]
    pub fn state(&self) -> ServiceState {
        if self.auth.count >= AUTH_STRIKES {
            ServiceState::NotPublic
        } else if self.gone.count >= GONE_STRIKES {
            ServiceState::Gone
        } else if self.is_closed || !self.is_known {
            ServiceState::Unchecked
        } else {
            ServiceState::Public
        }
    }
}
