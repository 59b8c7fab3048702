//! What identifies an event.

#[cfg(feature = "serde")]
use std::borrow::Cow;
use std::fmt;

use crate::scrub;

/// What identifies an event at its source; the same from run to run.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventKey(String);

impl EventKey {
    /// The key of what `source` calls `id`; `None` for an id without a character or with an e-mail address, for one over
    /// 512 bytes, and for a source whose name is empty or has a colon.
    #[must_use]
    pub fn new(source: &str, id: &str) -> Option<Self> {
        let fits = !id.is_empty()
            && id.len() <= MAX_KEY
            && !scrub::holds_email(id)
            && !id.contains(char::is_control);
        (fits && !source.trim().is_empty() && !source.contains(':')).then(|| Self(format!("{source}:{id}")))
    }

    /// The source's name.
    #[must_use]
    pub fn source(&self) -> &str {
        self.0.split_once(':').map_or(&self.0, |(source, _)| source)
    }

    /// What the source calls the event.
    #[must_use]
    pub fn id(&self) -> &str {
        self.0.split_once(':').map_or("", |(_, id)| id)
    }

    /// The key: the source's name, a colon, the id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EventKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for EventKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EventKey({})", self.0)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for EventKey {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let key = text.split_once(':').and_then(|(source, id)| Self::new(source, id));
        key.ok_or_else(|| serde::de::Error::custom("a key is written source:id"))
    }
}

/// Bytes of a key at the most.
const MAX_KEY: usize = 512;
