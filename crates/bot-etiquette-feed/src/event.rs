//! An event, as it came of one record.

use std::sync::Arc;

use crate::attribution::Attribution;
use crate::clean::CleanText;
use crate::field::Field;
use crate::fold;
use crate::link::Link;
use crate::place::{Place, Price};
use crate::record::Record;
use crate::report::{Note, Notes};
use crate::schedule::Schedule;
use crate::scrub::Scrubbed;
use crate::series::Replaced;
use crate::source_map::SourceMap;
use crate::text::Texts;
use crate::when::{MAX_LIST, Moment, When};

mod key;
mod lossy;
#[cfg(feature = "serde")]
mod stored;
mod values;

pub use self::key::EventKey;
pub(crate) use self::values::Values;

/// An event. It holds clean text alone, and is published by way of [`Event::publish`].
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    key: EventKey,
    titles: Texts,
    descriptions: Texts,
    when: When,
    place: Place,
    price: Option<Price>,
    categories: Vec<CleanText>,
    link: Option<Link>,
    updated: Option<Moment>,
    attribution: Arc<Attribution>,
    scrubbed: Scrubbed,
    /// Whether its texts have lost characters at the publisher's.
    lossy: bool,
}

impl Event {
    /// What identifies it.
    #[must_use]
    pub fn key(&self) -> &EventKey {
        &self.key
    }

    /// The title, by language.
    #[must_use]
    pub fn titles(&self) -> &Texts {
        &self.titles
    }

    /// The title, to add translations.
    pub fn titles_mut(&mut self) -> &mut Texts {
        &mut self.titles
    }

    /// The description, by language.
    #[must_use]
    pub fn descriptions(&self) -> &Texts {
        &self.descriptions
    }

    /// The description, to add translations.
    pub fn descriptions_mut(&mut self) -> &mut Texts {
        &mut self.descriptions
    }

    /// When it takes place.
    #[must_use]
    pub fn when(&self) -> &When {
        &self.when
    }

    pub(crate) fn when_mut(&mut self) -> &mut When {
        &mut self.when
    }

    /// Where.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// What it costs, when the source says anything about that.
    #[must_use]
    pub fn price(&self) -> Option<&Price> {
        self.price.as_ref()
    }

    /// Categories and tags.
    #[must_use]
    pub fn categories(&self) -> &[CleanText] {
        &self.categories
    }

    /// Its page at the source.
    #[must_use]
    pub fn link(&self) -> Option<&Link> {
        self.link.as_ref()
    }

    /// When the source last changed it.
    #[must_use]
    pub fn updated(&self) -> Option<&Moment> {
        self.updated.as_ref()
    }

    /// Whom it names.
    #[must_use]
    pub fn attribution(&self) -> &Attribution {
        &self.attribution
    }

    /// What was taken out of its texts.
    #[must_use]
    pub fn scrubbed(&self) -> Scrubbed {
        self.scrubbed
    }

    /// Title, first start and place, folded: events of two sources that agree in them are the same.
    #[must_use]
    pub fn likeness(&self) -> Option<(String, String, String)> {
        let title = fold::words(self.titles.source()?.text());
        let start = self.when.first()?.to_string();
        let place = self
            .place
            .venue
            .as_ref()
            .or(self.place.city.as_ref())
            .map(|place| fold::words(place))
            .unwrap_or_default();
        (!title.is_empty()).then_some((title, start, place))
    }

    /// Whether the two say the same in the source's words, whenever they were changed.
    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        self.titles.source() == other.titles.source()
            && self.descriptions.source() == other.descriptions.source()
            && self.when == other.when
            && self.place == other.place
            && self.price == other.price
            && self.categories == other.categories
            && self.shown_link() == other.shown_link()
            && self.attribution == other.attribution
    }

    /// Its own link, or else its source's page.
    pub(crate) fn shown_link(&self) -> Option<&str> {
        self.link.as_ref().map(Link::as_str).or_else(|| self.attribution.link().map(url::Url::as_str))
    }

    /// Keeps the translations of what was known before, where the source's words have not changed.
    pub(crate) fn keep_translations(&mut self, known: &Self) {
        if self.titles.source() == known.titles.source() {
            self.titles.merge(&known.titles);
        }
        if self.descriptions.source() == known.descriptions.source() {
            self.descriptions.merge(&known.descriptions);
        }
    }

    /// Takes over what another record of the same event has: dates, languages, what is missing here, and texts that have
    /// lost characters here alone.
    pub(crate) fn merge(&mut self, other: &Self) {
        if self.lossy && !other.lossy {
            let lossy = std::mem::replace(self, other.clone());
            return self.merge(&lossy);
        }
        self.titles.merge(&other.titles);
        self.descriptions.merge(&other.descriptions);
        for run in &other.when.runs {
            if self.when.runs.len() < MAX_LIST && !self.when.runs.contains(run) {
                self.when.runs.push(run.clone());
            }
        }
        self.when.runs.sort_by_key(|run| crate::when::order(&run.start));
        for time in &other.when.included {
            if self.when.included.len() < MAX_LIST && !self.when.included.contains(time) {
                self.when.included.push(time.clone());
            }
        }
        self.when.hours = self.when.hours.take().or_else(|| other.when.hours.clone());
        self.price = self.price.take().or_else(|| other.price.clone());
        self.link = self.link.take().or_else(|| other.link.clone());
        for category in &other.categories {
            if self.categories.len() < MAX_LIST && !self.categories.contains(category) {
                self.categories.push(category.clone());
            }
        }
        let place = &mut self.place;
        place.venue = place.venue.take().or_else(|| other.place.venue.clone());
        place.address = place.address.take().or_else(|| other.place.address.clone());
        place.city = place.city.take().or_else(|| other.place.city.clone());
        place.point = place.point.or(other.place.point);
    }

    /// Builds the event of a record, with the time of a series that it stands for; `None`, with a note, when it has no key or
    /// no title.
    pub(crate) fn of(
        record: &Record,
        map: &SourceMap,
        notes: &mut Notes,
    ) -> Option<(Self, Option<Replaced>)> {
        let mut values = Values::new(record, map, notes);
        let Some((key, replaced)) = values.key_and_series() else {
            notes.add(Note::NoKey);
            return None;
        };
        let lang = values.language();
        let titles = values.texts(Field::Title, &lang, false);
        if titles.source().is_none() {
            notes.add(Note::NoTitle);
            return None;
        }
        let descriptions = values.texts(Field::Description, &lang, true);
        let when = Schedule::of(&mut values);
        let place = values.place();
        let price = values.price();
        let categories = values.categories();
        let link = values.link();
        let updated = values.moment(Field::Updated);
        let (scrubbed, lossy) = (values.scrubbed, values.lossy);
        let attribution = Arc::clone(&map.attribution);
        let event = Self {
            key,
            titles,
            descriptions,
            when,
            place,
            price,
            categories,
            link,
            updated,
            attribution,
            scrubbed,
            lossy,
        };
        Some((event, replaced))
    }

    /// The time of a series that a record stands for, where the record itself is no event.
    pub(crate) fn replaced(record: &Record, map: &SourceMap, notes: &mut Notes) -> Option<Replaced> {
        Values::new(record, map, notes).key_and_series()?.1
    }
}
