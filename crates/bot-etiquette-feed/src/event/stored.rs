//! An event, as it is read back.

use std::sync::Arc;

use super::{Event, EventKey};
use crate::attribution::Attribution;
use crate::clean::CleanText;
use crate::link::Link;
use crate::place::{Place, Price};
use crate::scrub::Scrubbed;
use crate::text::Texts;
use crate::when::{Moment, When};

/// What [`Published`](crate::Published) writes is read back, and cleaned again: so a calendar outlives a restart.
impl<'de> serde::Deserialize<'de> for Event {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        struct Stored {
            key: EventKey,
            titles: Texts,
            descriptions: Texts,
            when: When,
            place: Place,
            price: Option<Price>,
            categories: Vec<CleanText>,
            link: Link,
            updated: Option<String>,
            attribution: Attribution,
        }

        let stored = Stored::deserialize(deserializer)?;
        stored.attribution.check().map_err(serde::de::Error::custom)?;
        let updated = stored.updated.and_then(|updated| Moment::parse(&updated, &stored.when.zone));
        Ok(Self {
            key: stored.key,
            titles: stored.titles,
            descriptions: stored.descriptions,
            when: stored.when,
            place: stored.place,
            price: stored.price,
            categories: stored.categories,
            link: Some(stored.link),
            updated,
            attribution: Arc::new(stored.attribution),
            scrubbed: Scrubbed::default(),
            lossy: false,
        })
    }
}
