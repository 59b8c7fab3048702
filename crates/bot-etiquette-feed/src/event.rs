//! An event, as it came of one record.

mod key;

use std::borrow::Cow;
use std::sync::Arc;

use crate::attribution::Attribution;
use crate::clean::CleanText;
use crate::field::Field;
use crate::fold;
use crate::html;
use crate::link::Link;
use crate::place::{self, Place, Price, PriceKind};
use crate::record::Record;
use crate::report::{Note, Notes};
use crate::schedule::Schedule;
use crate::scrub::{self, Scrubbed};
use crate::source_map::{Rule, SourceMap};
use crate::text::Texts;
use crate::time;
use crate::when::{MAX_LIST, Moment, When};

pub use key::EventKey;
use key::KeyBuilder;

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
}

/// What [`Published`](crate::Published) writes is read back, and cleaned again: so a calendar outlives a restart.
#[cfg(feature = "serde")]
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
        })
    }
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

    /// Takes over what another record of the same event has: dates, languages, what is missing here.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.titles.merge(&other.titles);
        self.descriptions.merge(&other.descriptions);
        for run in &other.when.runs {
            if self.when.runs.len() < MAX_LIST && !self.when.runs.contains(run) {
                self.when.runs.push(run.clone());
            }
        }
        self.when.runs.sort_by_key(|run| crate::when::order(&run.start));
        for day in &other.when.included {
            if self.when.included.len() < MAX_LIST && !self.when.included.contains(day) {
                self.when.included.push(*day);
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

    /// Builds the event of a record; `None`, with a note, when it has no key or no title.
    pub(crate) fn of(record: &Record, map: &SourceMap, notes: &mut Notes) -> Option<Self> {
        let mut values = Values { record, map, scrubbed: Scrubbed::default(), notes };
        let Some(key) = values.key() else {
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
        let scrubbed = values.scrubbed;
        let attribution = Arc::clone(&map.attribution);
        Some(Self {
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
        })
    }
}

/// The values of a record by field.
#[derive(Debug)]
pub(crate) struct Values<'a> {
    pub(crate) record: &'a Record,
    pub(crate) map: &'a SourceMap,
    pub(crate) notes: &'a mut Notes,
    scrubbed: Scrubbed,
}

impl<'a> Values<'a> {
    /// Every value of a field, with its rule.
    pub(crate) fn all(&self, field: Field) -> impl Iterator<Item = (&'a Rule, &'a str)> + use<'a> {
        let map = self.map;
        let values = if self.record.has(field) { self.record.values.as_slice() } else { &[] };
        values.iter().filter_map(move |(index, text)| {
            let rule = map.rule(*index).filter(|rule| rule.field == field)?;
            Some((rule, text.as_str()))
        })
    }

    /// The first value of the first rule of a field that has one.
    pub(crate) fn one(&self, field: Field) -> Option<&'a str> {
        if !self.record.has(field) {
            return None;
        }
        let map = self.map;
        let values = self.record.values.iter().filter(|(index, text)| {
            map.rule(*index).is_some_and(|rule| rule.field == field) && !text.is_empty()
        });
        values.min_by_key(|(index, _)| *index).map(|(_, text)| text.as_str())
    }

    pub(crate) fn clean(&mut self, text: &str, html: bool, lines: bool) -> CleanText {
        // Tags may take an address apart in a text that is said to be plain, too.
        let plain = |text: &str| {
            memchr::memchr(b'<', text.as_bytes()).is_none() || !scrub::is_personal(&html::to_text(text))
        };
        let text = if !html && plain(text) { Cow::Borrowed(text) } else { html::to_text(text) };
        // Its first byte is rare in Latin letters, so the quick look settles most texts.
        if memchr::memchr(0xEF, text.as_bytes()).is_some() && text.contains(char::REPLACEMENT_CHARACTER) {
            self.notes.add(Note::Lossy);
        }
        let (clean, scrubbed) = if lines { CleanText::block(&text) } else { CleanText::line(&text) };
        self.scrubbed.add(scrubbed);
        clean
    }

    pub(crate) fn clean_one(&mut self, field: Field) -> Option<CleanText> {
        let text = self.one(field)?;
        let html = self.all(field).next().is_some_and(|(rule, _)| rule.html);
        Some(self.clean(text, html, false)).filter(|text| !text.is_empty())
    }

    /// All paths of the key joined; the link where there are none.
    fn key(&self) -> Option<EventKey> {
        let parts = self.all(Field::Key).map(|(_, text)| text).filter(|text| !text.is_empty());
        let mut key = KeyBuilder::new(&self.map.source);
        parts.for_each(|part| key.add(part));
        if key.is_empty() {
            self.one(Field::Link).into_iter().for_each(|link| key.add(link));
        }
        key.build()
    }

    fn language(&mut self) -> Cow<'a, str> {
        let named = self.one(Field::Language).filter(|lang| {
            (2..=35).contains(&lang.len())
                && lang.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        });
        let Some(named) = named else { return Cow::Borrowed(&self.map.language) };
        if !named.eq_ignore_ascii_case(&self.map.language) {
            self.notes.add(Note::OtherLanguage);
        }
        Cow::Owned(named.to_ascii_lowercase())
    }

    fn texts(&mut self, field: Field, lang: &str, lines: bool) -> Texts {
        let mut texts = Texts::default();
        for (rule, text) in self.all(field) {
            let lang = rule.lang.as_deref().unwrap_or(lang);
            if texts.in_language(lang).is_none() {
                texts.add(lang, self.clean(text, rule.html, lines));
            }
        }
        texts
    }

    fn place(&mut self) -> Place {
        let city = self.clean_one(Field::City).map(|city| match place::article_first(&city) {
            Some(turned) => CleanText::line(&turned).0,
            None => city,
        });
        Place {
            venue: self.clean_one(Field::Venue),
            address: self.clean_one(Field::Address),
            postal_code: self.clean_one(Field::PostalCode),
            city,
            province: self.clean_one(Field::Province),
            point: self.point(),
        }
    }

    fn number(&self, field: Field) -> Option<f64> {
        let comma = self.all(field).next().is_some_and(|(rule, _)| rule.comma);
        place::number(self.one(field)?, comma)
    }

    fn point(&mut self) -> Option<(f64, f64)> {
        let said = self.one(Field::Point).or_else(|| self.one(Field::Latitude)).is_some();
        let pair = match self.one(Field::Point) {
            Some(text) => {
                let mut numbers =
                    text.split([',', ' ', ';']).filter(|part| !part.is_empty()).map(str::parse::<f64>);
                numbers.next().and_then(Result::ok).zip(numbers.next().and_then(Result::ok))
            }
            None => self.number(Field::Latitude).zip(self.number(Field::Longitude)),
        };
        let point = pair.and_then(|(latitude, longitude)| place::point(latitude, longitude));
        if said && point.is_none() {
            self.notes.add(Note::BadPoint);
        }
        point
    }

    fn price(&mut self) -> Option<Price> {
        let text = self.clean_one(Field::Price);
        let free = self.one(Field::Free).map(fold::fold);
        let is_free = matches!(free.as_deref(), Some("1" | "true" | "si" | "yes"));
        match text {
            Some(text) => {
                let kind = match place::price_kind(&text) {
                    PriceKind::Unknown if is_free => PriceKind::Free,
                    kind => kind,
                };
                Some(Price { text, kind })
            }
            None => is_free.then(|| Price { text: CleanText::default(), kind: PriceKind::Free }),
        }
    }

    fn categories(&mut self) -> Vec<CleanText> {
        let mut categories = Vec::new();
        for (rule, text) in self.all(Field::Category) {
            // Cleaned before it is cut: a cut may go through the middle of an address.
            let whole = self.clean(text, rule.html, false);
            let mut rest = Some(whole.as_str());
            while let Some(text) = rest.take() {
                let split = rule.split.as_ref().and_then(|split| text.split_once(split.as_str()));
                let part = split.map_or(text, |(part, _)| part).trim();
                rest = split.map(|(_, rest)| rest);
                if rule.not.as_ref().is_some_and(|not| part.starts_with(not.as_str())) {
                    continue;
                }
                // The last part of a path such as `/contenido/actividades/Musica`.
                let name = part.strip_prefix('/').and_then(|path| path.rsplit('/').next()).unwrap_or(part);
                let clean = if name.len() == whole.len() {
                    whole.clone()
                } else {
                    let (clean, scrubbed) = CleanText::line(name);
                    self.scrubbed.add(scrubbed);
                    clean
                };
                if !clean.is_empty() && categories.len() < MAX_LIST && !categories.contains(&clean) {
                    categories.push(clean);
                }
            }
        }
        categories
    }

    fn link(&mut self) -> Option<Link> {
        let text = self.one(Field::Link)?;
        let (link, scrubbed) = Link::parse(&html::decode_entities(text));
        self.scrubbed.add(scrubbed);
        if link.is_none() {
            self.notes.add(Note::LinkDropped);
        }
        link
    }

    fn moment(&mut self, field: Field) -> Option<Moment> {
        let written = time::written(self.one(field)?, self.notes)?;
        Some(time::moment(written.date, written.time, written.offset, &self.map.zone, &mut Notes::default()))
    }
}
