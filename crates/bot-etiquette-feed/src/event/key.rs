//! What identifies an event.

#[cfg(feature = "serde")]
use std::borrow::Cow;
use std::fmt;

use crate::kinds::Kinds;
use crate::scrub;

/// What identifies an event at its source; the same from run to run.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventKey(String);

impl EventKey {
    /// The key of what `source` calls `id`; `None` for an id without a character or with an e-mail address, for one over
    /// 512 bytes, and for a source whose name is empty or has a colon.
    #[must_use]
    pub fn new(source: &str, id: &str) -> Option<Self> {
        let named = !source.trim().is_empty() && !source.contains(':');
        let mut key = KeyBuilder::new(source);
        key.text.push_str(id);
        key.build().filter(|_| named)
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

/// A key in the making: the name of a source, which a map has checked, and the parts of an id.
pub(super) struct KeyBuilder {
    text: String,
    /// Where the id begins.
    start: usize,
}

impl KeyBuilder {
    pub(super) fn new(source: &str) -> Self {
        // Most ids are short.
        let mut text = String::with_capacity(source.len().saturating_add(SHORT));
        text.push_str(source);
        text.push(':');
        Self { start: text.len(), text }
    }

    /// Adds a part; a link's scheme does not count, since sites move to `https`.
    pub(super) fn add(&mut self, part: &str) {
        let part = part.strip_prefix("https://").or_else(|| part.strip_prefix("http://")).unwrap_or(part);
        if !self.is_empty() {
            self.text.push('|');
        }
        if holds_control(part) {
            self.text.extend(part.chars().filter(|character| !character.is_control()));
        } else {
            self.text.push_str(part);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.len() == self.start
    }

    /// The key; `None` for an id that is none, as [`EventKey::new`] tells.
    pub(super) fn build(self) -> Option<EventKey> {
        let id = self.text.get(self.start..)?;
        let fits = !id.is_empty() && id.len() <= MAX_KEY && !scrub::holds_email(id) && !holds_control(id);
        fits.then_some(EventKey(self.text))
    }
}

/// Whether a text holds a control character; those beyond ASCII begin as other characters do.
fn holds_control(text: &str) -> bool {
    let kinds = Kinds::CONTROL.or(Kinds::LINE_FEED).or(Kinds::FOREIGN);
    Kinds::of(text).any(kinds) && text.contains(char::is_control)
}

/// Bytes of a colon and an id as most are.
const SHORT: usize = 40;
/// Bytes of a key at the most.
const MAX_KEY: usize = 512;
