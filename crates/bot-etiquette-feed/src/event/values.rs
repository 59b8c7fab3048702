//! The values of one record, as the fields of an event.

use std::borrow::Cow;
use std::sync::Arc;

use super::key::KeyBuilder;
use super::{EventKey, lossy};
use crate::clean::CleanText;
use crate::field::Field;
use crate::fold;
use crate::html;
use crate::kinds;
use crate::link::Link;
use crate::place::{self, Place, Price, PriceKind};
use crate::record::Record;
use crate::report::{Note, Notes};
use crate::scrub::{self, Scrubbed};
use crate::series::Replaced;
use crate::source_map::{Format, Rule, SourceMap};
use crate::text::Texts;
use crate::time;
use crate::trim::trimmed;
use crate::when::{MAX_LIST, Moment};

/// The values of a record by field.
#[derive(Debug)]
pub(crate) struct Values<'a> {
    pub(crate) record: &'a Record,
    pub(crate) map: &'a SourceMap,
    pub(crate) notes: &'a mut Notes,
    pub(super) scrubbed: Scrubbed,
    /// Whether a text has lost characters at the publisher's.
    pub(super) lossy: bool,
}

impl<'a> Values<'a> {
    pub(super) fn new(record: &'a Record, map: &'a SourceMap, notes: &'a mut Notes) -> Self {
        Self { record, map, notes, scrubbed: Scrubbed::default(), lossy: false }
    }

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
        self.one_with_rule(field).map(|(_, text)| text)
    }

    fn one_with_rule(&self, field: Field) -> Option<(&'a Rule, &'a str)> {
        if !self.record.has(field) {
            return None;
        }
        let map = self.map;
        let values = self.record.values.iter().filter(|(index, text)| {
            map.rule(*index).is_some_and(|rule| rule.field == field) && !text.is_empty()
        });
        let (index, text) = values.min_by_key(|(index, _)| *index)?;
        Some((map.rule(*index)?, text.as_str()))
    }

    pub(crate) fn clean(&mut self, text: &str, html: bool, lines: bool) -> CleanText {
        // Tags may take an address apart in a text that is said to be plain, too.
        let plain = |text: &str| {
            memchr::memchr(b'<', text.as_bytes()).is_none() || !scrub::is_personal(&html::to_text(text))
        };
        let text = if !html && plain(text) { Cow::Borrowed(text) } else { html::to_text(text) };
        if kinds::highest(&text) >= 0xEF && text.contains(char::REPLACEMENT_CHARACTER) {
            self.notes.add(Note::Lossy);
            self.lossy = true;
        }
        if self.map.format == Format::Csv && lossy::has_lost(&text, &self.map.language) {
            self.notes.add(Note::LossySource);
            self.lossy = true;
        }
        let (clean, scrubbed) = if lines { CleanText::block(&text) } else { CleanText::line(&text) };
        self.scrubbed.add(scrubbed);
        clean
    }

    pub(crate) fn clean_one(&mut self, field: Field) -> Option<CleanText> {
        let (rule, text) = self.one_with_rule(field)?;
        Some(self.clean(text, rule.html, false)).filter(|text| !text.is_empty())
    }

    /// The key; with the series and the time in it that the record stands for, which are then part of its key.
    pub(super) fn key_and_series(&mut self) -> Option<(EventKey, Option<Replaced>)> {
        let series = self.key()?;
        let Some(text) = self.one(Field::Replaces) else { return Some((series, None)) };
        let (text, and_later) = match text.strip_suffix("/..") {
            Some(text) => (text, true),
            None => (text, false),
        };
        let time = time::moments(text, &self.map.zone, self.notes).into_iter().next()?;
        let of_series = match &time {
            Moment::Day(day) => day.0.strftime("%Y%m%d").to_string(),
            Moment::Local(local) => local.0.strftime("%Y%m%dT%H%M%S").to_string(),
        };
        let key = EventKey::new(&self.map.source, &format!("{}|{of_series}", series.id()))?;
        Some((key, Some(Replaced { series, time, and_later })))
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

    pub(super) fn language(&mut self) -> Arc<str> {
        let named = self.one(Field::Language).filter(|lang| {
            (2..=35).contains(&lang.len())
                && lang.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        });
        let Some(named) = named else { return Arc::clone(&self.map.language) };
        if !named.eq_ignore_ascii_case(&self.map.language) {
            self.notes.add(Note::OtherLanguage);
        }
        named.to_ascii_lowercase().into()
    }

    /// The texts of a field, one of each language: the map's first path that has one counts.
    pub(super) fn texts(&mut self, field: Field, lang: &Arc<str>, lines: bool) -> Texts {
        let mut texts = Texts::default();
        let (map, record) = (self.map, self.record);
        for (index, rule) in map.rules.iter().enumerate().filter(|(_, rule)| rule.field == field) {
            let lang = rule.lang.as_ref().unwrap_or(lang);
            for (_, text) in record.values.iter().filter(|(of, _)| *of == index) {
                if texts.in_language(lang).is_none() {
                    texts.add(lang, self.clean(text, rule.html, lines));
                }
            }
        }
        texts
    }

    pub(super) fn place(&mut self) -> Place {
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
        let (rule, text) = self.one_with_rule(field)?;
        place::number(text, rule.comma, rule.thousands)
    }

    fn point(&mut self) -> Option<(f64, f64)> {
        let said = self.one(Field::Point).or_else(|| self.one(Field::Latitude)).is_some();
        let pair = match self.one(Field::Point) {
            Some(text) => place::pair(text),
            None => self.number(Field::Latitude).zip(self.number(Field::Longitude)),
        };
        let point = pair.and_then(|(latitude, longitude)| place::point(latitude, longitude));
        if said && point.is_none() {
            self.notes.add(Note::BadPoint);
        }
        point
    }

    pub(super) fn price(&mut self) -> Option<Price> {
        let text = self.clean_one(Field::Price);
        let free = self.one(Field::Free).map(fold::fold);
        let is_free = matches!(free.as_deref(), Some("1" | "true" | "si" | "yes"));
        match text {
            Some(text) => {
                let kind = match place::price_kind(&text) {
                    PriceKind::Unknown if is_free && !place::denies_free(&text) => PriceKind::Free,
                    kind => kind,
                };
                Some(Price { text, kind })
            }
            None => is_free.then(|| Price { text: CleanText::default(), kind: PriceKind::Free }),
        }
    }

    pub(super) fn categories(&mut self) -> Vec<CleanText> {
        let mut categories = Vec::new();
        let mut add = |category: CleanText| {
            if !category.is_empty() && categories.len() < MAX_LIST && !categories.contains(&category) {
                categories.push(category);
            }
        };
        for (rule, text) in self.all(Field::Category) {
            // Cleaned before it is cut: a cut may go through the middle of an address.
            let whole = self.clean(text, rule.html, false);
            let mut is_whole = false;
            let mut rest = Some(whole.as_str());
            while let Some(text) = rest.take() {
                let split = rule.split.as_ref().and_then(|split| text.split_once(split.as_str()));
                let part = trimmed(split.map_or(text, |(part, _)| part));
                rest = split.map(|(_, rest)| rest);
                if rule.not.as_ref().is_some_and(|not| part.starts_with(not.as_str())) {
                    continue;
                }
                // The last part of a path such as `/contenido/actividades/Musica`.
                let name = part.strip_prefix('/').and_then(|path| path.rsplit('/').next()).unwrap_or(part);
                is_whole = name.len() == whole.len();
                if !is_whole {
                    let (clean, scrubbed) = CleanText::line(name);
                    self.scrubbed.add(scrubbed);
                    add(clean);
                }
            }
            if is_whole {
                add(whole);
            }
        }
        categories
    }

    pub(super) fn link(&mut self) -> Option<Link> {
        let text = self.one(Field::Link)?;
        let (link, scrubbed) = Link::parse(&html::decode_entities(text));
        self.scrubbed.add(scrubbed);
        if link.is_none() {
            self.notes.add(Note::LinkDropped);
        }
        link
    }

    pub(super) fn moment(&mut self, field: Field) -> Option<Moment> {
        let written = time::written(self.one(field)?, self.notes)?;
        Some(time::moment(written.date, written.time, written.offset, &self.map.zone, &mut Notes::default()))
    }
}
