//! Why a request did not pass.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use crate::{Origin, Unreachable};

/// Why the layer let a request not pass. What stands among its sources is about the robots.txt, not about the request: a
/// redirect there is none that the request met.
///
/// ```
/// use bot_etiquette_robots::tower::RobotsRefusal;
///
/// let refusal = RobotsRefusal::NoOrigin { uri: "/index.html".into() };
/// assert_eq!(refusal.to_string(), "`/index.html` has no origin: expected an absolute http or https URL");
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum RobotsRefusal {
    /// The rules close the target.
    Disallowed {
        /// Whose rules.
        origin: Origin,
        /// The path and query that were judged.
        target: String,
        /// The line of the rule that decided.
        line: Option<u32>,
        /// The verdict in words.
        verdict: String,
    },
    /// The rules are not known, so nothing may be asked.
    Unreachable {
        /// Whose rules.
        origin: Origin,
        /// How the last fetch of robots.txt ended.
        why: Unreachable,
        /// When robots.txt may be asked for again.
        until: SystemTime,
        /// The error of the service that fetches, where there was no answer; it is also the
        /// [`source`](Error::source) of this one.
        cause: Option<Arc<dyn Error + Send + Sync>>,
    },
    /// The robots.txt could not be asked for yet, by the crawler's own limits; nothing was learned.
    Deferred {
        /// Whose rules.
        origin: Origin,
        /// The refusal of the layer below, which is also the [`source`](Error::source) of this one.
        cause: Arc<dyn Error + Send + Sync>,
    },
    /// The cache holds as many failing origins as it may.
    Full {
        /// Whose rules.
        origin: Origin,
    },
    /// The request's URI is not absolute, or neither http nor https.
    NoOrigin {
        /// The URI as it came.
        uri: String,
    },
}

impl fmt::Display for RobotsRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disallowed { origin, target, verdict, .. } => write!(f, "{origin}{target} is {verdict}"),
            Self::Unreachable { origin, why, .. } => write!(f, "{origin} is closed for now: {why}"),
            Self::Deferred { origin, .. } => write!(f, "{origin}/robots.txt could not be asked for yet"),
            Self::Full { origin } => {
                write!(f, "no room to read {origin}/robots.txt: too many origins are failing")
            }
            Self::NoOrigin { uri } => {
                write!(f, "`{uri}` has no origin: expected an absolute http or https URL")
            }
        }
    }
}

impl Error for RobotsRefusal {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Deferred { cause, .. } | Self::Unreachable { cause: Some(cause), .. } => Some(&**cause),
            _ => None,
        }
    }
}
