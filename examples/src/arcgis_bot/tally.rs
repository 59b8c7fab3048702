//! What a command read, and what it had to leave.

use bot_etiquette::politeness::Timestamp;
use serde::Serialize;

use crate::asker::NotRead;
use crate::exit::Exit;

/// The sum of a command.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Tally {
    /// Services, or servers, that were read.
    pub read: u64,
    /// What has to wait, was closed, or could not be read.
    pub left: Vec<Left>,
    /// Whether the person stopped it.
    pub interrupted: bool,
}

/// Something that was not read.
#[derive(Clone, Debug, Serialize)]
pub struct Left {
    /// What.
    pub what: String,
    /// Why.
    pub why: String,
    /// When to come back, in milliseconds since the Unix epoch, where time alone helps.
    pub until: Option<u64>,
}

impl Tally {
    /// Takes what another part of the command did.
    pub fn add(&mut self, other: Self) {
        self.read += other.read;
        self.left.extend(other.left);
        self.interrupted |= other.interrupted;
    }

    /// Notes what was not read.
    pub fn leave(&mut self, what: impl Into<String>, not_read: &NotRead) {
        self.interrupted |= *not_read == NotRead::Interrupted;
        let until = match not_read {
            NotRead::Later { until, .. } => until.map(Timestamp::as_millis),
            _ => None,
        };
        self.left.push(Left { what: what.into(), why: not_read.to_string(), until });
    }

    /// The first moment at which something more can be read.
    #[must_use]
    pub fn come_back(&self) -> Option<Timestamp> {
        self.left.iter().filter_map(|left| left.until).min().map(Timestamp::from_millis)
    }

    /// How the command ended.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match self {
            Self { interrupted: true, .. } => Exit::Interrupted,
            Self { read: 0, left, .. } if !left.is_empty() => Exit::Nothing,
            _ if self.come_back().is_some() => Exit::Partial,
            _ => Exit::Done,
        }
    }
}
