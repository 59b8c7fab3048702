//! What may be shown: an event with its source, its licence and a link.

use crate::event::Event;

/// An event that names its source, its licence and a link; the only form that is written out.
///
/// With the feature `serde`, what it writes is read back as an [`Event`].
#[derive(Debug, Clone, Copy)]
pub struct Published<'a> {
    event: &'a Event,
    link: &'a str,
}

/// An event without a link of its own, whose source has none either.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the event {key} has no link, and neither has its source: give `link` in `[attribution]`")]
pub struct Unpublishable {
    key: String,
}

impl Event {
    /// The event as it may be shown: with its own link, or else its source's page.
    ///
    /// ```
    /// use bot_etiquette_feed::{Feed, SourceMap};
    ///
    /// let map = SourceMap::from_toml(include_str!("../tests/fixtures/json.toml"))?;
    /// let mut feed = Feed::new(&map);
    /// feed.push(br#"{"items":[{"id":1,"title":"Danza","url":"https://town.example/1"}]}"#);
    /// feed.finish();
    /// let event = feed.next_event().ok_or("an event")?;
    /// assert_eq!(event.publish()?.link(), "https://town.example/1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Unpublishable`] when there is no link at all. Source and licence cannot be missing.
    pub fn publish(&self) -> Result<Published<'_>, Unpublishable> {
        match self.shown_link() {
            Some(link) => Ok(Published { event: self, link }),
            None => Err(Unpublishable { key: self.key().to_string() }),
        }
    }
}

impl<'a> Published<'a> {
    /// The event.
    #[must_use]
    pub fn event(&self) -> &'a Event {
        self.event
    }

    /// The link readers follow.
    #[must_use]
    pub fn link(&self) -> &'a str {
        self.link
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Published<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;

        let event = self.event;
        let mut out = serializer.serialize_struct("Event", 10)?;
        out.serialize_field("key", event.key().as_str())?;
        out.serialize_field("titles", event.titles())?;
        out.serialize_field("descriptions", event.descriptions())?;
        out.serialize_field("when", event.when())?;
        out.serialize_field("place", event.place())?;
        out.serialize_field("price", &event.price())?;
        out.serialize_field("categories", event.categories())?;
        out.serialize_field("link", self.link)?;
        out.serialize_field("updated", &event.updated())?;
        out.serialize_field("attribution", event.attribution())?;
        out.end()
    }
}
