//! What is read of a source, and as what.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use toml::de::DeTable;

use crate::attribution::Attribution;
use crate::field::Field;
use crate::path::{self, Namespaces, PathProblem};
use crate::plan::Plan;
use crate::preset::Preset;

/// The format of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Format {
    /// JSON (RFC 8259), broken or not.
    Json,
    /// XML 1.0, broken or not.
    Xml,
    /// Character-separated rows below a row of names.
    Csv,
    /// RSS 2.0 and 1.0: the usual fields are mapped already, event dates from the event module (`ev:`) or xCal.
    Rss,
    /// Atom (RFC 4287): the usual fields are mapped already.
    Atom,
    /// JSON Feed 1.1: the usual fields are mapped already; it has no event dates of its own. Its `next_url` is not followed.
    JsonFeed,
    /// iCalendar (RFC 5545): `VEVENT`s, cancelled ones left out; organisers, attendees and alarms are never read.
    ICalendar,
}

/// Which field of a feed becomes which field of an event; what is not named is never decoded.
///
/// | key | what |
/// |---|---|
/// | `source` | the source's name, part of every event's key |
/// | `format` | `json`, `xml`, `csv`, `rss`, `atom`, `jsonfeed`, `icalendar` |
/// | `records` | path of the records: `@graph`, `serviceList/service`; empty for a JSON array |
/// | `zone` | IANA zone of the wall times, such as `Europe/Madrid` |
/// | `language` | language of the texts (BCP 47) |
/// | `charset` | where neither a byte order mark nor valid UTF-8 tells; default windows-1252 |
/// | `delimiter` | of a CSV; default: the most frequent of `;` `,` tab `\|` in its first row |
/// | `total` | path, from the root, of the number of records that the source announces |
/// | `[namespaces]` | XML: by prefix, the namespace that a path means with it, whatever prefix the document has |
/// | `[attribution]` | `source`, `license`, `license_url`, `link`, `text`: see [`Attribution`] |
/// | `[fields]` | by [`Field`]: a path, a rule `{ path, html, lang, split, not, decimal, thousands }`, or a list of them |
///
/// A rule's `html` strips tags and decodes entities (default: only for descriptions); `split` cuts one value into
/// many; `not` drops values with that start; `decimal = "comma"` reads `40,42`, and `thousands = "dot"` (or `comma`,
/// `space`) also `1.040,42`: without it such a number is none. `nested` reads the text of all inner elements too, not only of
/// those of HTML (`<title>A <b>B</b></title>` is `A B` without it). Paths are relative to a record: `a/b`, `item[@name='Horario']`, `@id`, `posicion[0]`;
/// a prefix that `[namespaces]` does not name is compared as written, `*:name` takes any.
///
/// ```
/// use bot_etiquette_feed::SourceMap;
///
/// let error = SourceMap::from_toml(r#"
///     source = "madrid"
///     format = "json"
///     records = "@graph"
///     zone = "Europe/Madrid"
///     language = "es"
///     [attribution]
///     source = "Ayuntamiento de Madrid"
///     license = "Aviso legal"
///     license_url = "https://datos.madrid.es/egob/catalogo/aviso-legal"
///     [fields]
///     key = "id"
///     tittle = "title"
/// "#).unwrap_err();
/// assert!(error.to_string().starts_with("line 13: fields.tittle: no such field"));
/// ```
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "Raw")]
pub struct SourceMap {
    pub(crate) source: String,
    pub(crate) format: Format,
    pub(crate) records: String,
    pub(crate) zone: jiff::tz::TimeZone,
    pub(crate) zone_name: String,
    pub(crate) language: Arc<str>,
    pub(crate) charset: Option<String>,
    pub(crate) delimiter: Option<u8>,
    pub(crate) attribution: Arc<Attribution>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) plan: Plan,
}

impl SourceMap {
    /// Reads a map.
    ///
    /// # Errors
    /// [`MapError`] names the line, the key and what is wrong.
    pub fn from_toml(text: &str) -> Result<Self, MapError> {
        let raw: Raw = toml::from_str(text).map_err(|error| {
            let (line, message) = mistake(text, &error);
            MapError::Toml { line, message }
        })?;
        Self::build(raw).map_err(|flaw| flaw.at(Some(flaw.line(text))))
    }

    /// The source's name.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The format it reads.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// The path of its records, as the map has it.
    #[must_use]
    pub fn records(&self) -> &str {
        &self.records
    }

    /// Whom its events name.
    #[must_use]
    pub fn attribution(&self) -> &Attribution {
        &self.attribution
    }

    pub(crate) fn rule(&self, index: usize) -> Option<&Rule> {
        self.rules.get(index)
    }
}

/// How one value is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) field: Field,
    pub(crate) path: String,
    pub(crate) html: bool,
    pub(crate) nested: bool,
    pub(crate) lang: Option<Arc<str>>,
    pub(crate) split: Option<String>,
    pub(crate) not: Option<String>,
    pub(crate) comma: bool,
    pub(crate) thousands: Option<char>,
}

/// A map that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MapError {
    /// No TOML, a missing or an unknown key.
    #[error("line {line}: {message}")]
    Toml {
        /// From 1.
        line: usize,
        /// What the reader says.
        message: String,
    },
    /// A key has a value that it cannot have, or a field is unknown or missing.
    #[error("{}{key}: {problem}", line.map_or_else(String::new, |line| format!("line {line}: ")))]
    Value {
        /// From 1; `None` where the map was not read from a text.
        line: Option<usize>,
        /// The key: `zone`, `fields.title`.
        key: String,
        /// What is wrong, and a fix.
        problem: String,
    },
}

/// What is wrong with a map, and under which key.
#[derive(Debug)]
struct Flaw {
    /// From the outermost table.
    keys: Vec<String>,
    /// Which one of a list.
    item: usize,
    problem: String,
}

impl Flaw {
    fn new(key: &str, problem: impl Into<String>) -> Self {
        Self { keys: vec![key.to_owned()], item: 0, problem: problem.into() }
    }

    fn of_field(field: &str, item: usize, problem: String) -> Self {
        Self { keys: vec!["fields".to_owned(), field.to_owned()], item, problem }
    }

    fn at(&self, line: Option<usize>) -> MapError {
        MapError::Value { line, key: self.keys.join("."), problem: self.problem.clone() }
    }

    /// The line of its key in the map's text, or of the innermost table around it that is there; from 1.
    fn line(&self, text: &str) -> usize {
        let mut at = 0;
        let Ok(document) = DeTable::parse(text) else { return 1 };
        let mut table = Some(document.get_ref());
        for key in &self.keys {
            let Some((key, value)) =
                table.and_then(|table| table.iter().find(|(name, _)| name.get_ref() == key))
            else {
                break;
            };
            at = key.span().start;
            table = value.get_ref().as_table();
            if let Some(item) = value.get_ref().as_array().and_then(|items| items.get(self.item)) {
                at = item.span().start;
            }
        }
        line_at(text, at)
    }
}

/// The line at a place of a text, from 1.
fn line_at(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    before.iter().filter(|byte| **byte == b'\n').count().saturating_add(1)
}

/// The line of a mistake, and what it is: after its key, in one line.
fn mistake(text: &str, error: &toml::de::Error) -> (usize, String) {
    // What is missing in the whole file is missing in its first line.
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = line_at(text, before.len());
    let row = before.rsplit('\n').next().unwrap_or_default();
    let key = row.split_once('=').map_or_else(String::new, |(key, _)| format!("{}: ", key.trim()));
    (line, format!("{key}{}", error.message().trim().replace('\n', ", ")))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    source: String,
    format: Format,
    records: Option<String>,
    zone: String,
    language: String,
    charset: Option<String>,
    delimiter: Option<String>,
    total: Option<String>,
    #[serde(default)]
    namespaces: Namespaces,
    attribution: Attribution,
    #[serde(default)]
    fields: BTreeMap<String, toml::Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRule {
    path: String,
    html: Option<bool>,
    #[serde(default)]
    nested: bool,
    lang: Option<String>,
    split: Option<String>,
    not: Option<String>,
    decimal: Option<Decimal>,
    thousands: Option<Thousands>,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Decimal {
    Comma,
    Dot,
}

#[derive(Debug, Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Thousands {
    Dot,
    Comma,
    Space,
}

impl Thousands {
    fn mark(self) -> char {
        match self {
            Self::Dot => '.',
            Self::Comma => ',',
            Self::Space => ' ',
        }
    }
}

impl TryFrom<Raw> for SourceMap {
    type Error = MapError;

    fn try_from(raw: Raw) -> Result<Self, MapError> {
        Self::build(raw).map_err(|flaw| flaw.at(None))
    }
}

impl SourceMap {
    fn build(raw: Raw) -> Result<Self, Flaw> {
        if raw.source.trim().is_empty() {
            return Err(Flaw::new("source", "it is empty (give the source a name)"));
        }
        if raw.source.contains(':') {
            return Err(Flaw::new("source", "a colon ends the name in an event's key (leave it out)"));
        }
        let zone = jiff::tz::TimeZone::get(&raw.zone).map_err(|_| {
            Flaw::new(
                "zone",
                format!("`{}` is no time zone (give an IANA name, such as `Europe/Madrid`)", raw.zone),
            )
        })?;
        if let Some(label) = &raw.charset
            && encoding_rs::Encoding::for_label_no_replacement(label.as_bytes()).is_none()
        {
            let problem = format!(
                "`{label}` is no charset (give a label of the WHATWG Encoding standard, such as `utf-8`)"
            );
            return Err(Flaw::new("charset", problem));
        }
        let delimiter = match raw.delimiter.as_deref().map(str::as_bytes) {
            None => None,
            Some([byte]) if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Some(*byte),
            Some(_) => {
                return Err(Flaw::new(
                    "delimiter",
                    "it is no delimiter (give one ASCII character, such as `;`)",
                ));
            }
        };
        raw.attribution.check().map_err(|error| Flaw {
            keys: vec!["attribution".to_owned(), error.key.to_owned()],
            item: 0,
            problem: error.problem.to_owned(),
        })?;
        let preset = Preset::of(raw.format);
        let grammar = preset.grammar;
        let mut namespaces = preset.namespaces();
        namespaces.extend(raw.namespaces);
        let places: Vec<&str> = match &raw.records {
            Some(records) => vec![records],
            None => preset.records.to_vec(),
        };
        let Some(records) = places.first().map(|records| (*records).to_owned()) else {
            return Err(Flaw::new(
                "records",
                "it is missing (give the path of the source's records, such as `list/item`)",
            ));
        };
        let read =
            |path: &str| path::parse(path, grammar, &namespaces).map_err(|problem| unreadable(path, problem));
        let record_paths = places.iter().map(|records| read(records)).collect::<Result<Vec<_>, _>>();
        let record_paths = record_paths.map_err(|problem| Flaw::new("records", problem))?;
        let mut plan = Plan::new(&record_paths);
        let mut rules = Vec::new();
        for (name, value) in &raw.fields {
            for (item, rule) in field_rules(name, value)?.into_iter().enumerate() {
                let steps = read(&rule.path).map_err(|problem| Flaw::of_field(name, item, problem))?;
                plan.add_rule(&steps, rules.len());
                rules.push(rule);
            }
        }
        for rule in preset.rules(|field| raw.fields.contains_key(field.as_str())) {
            let steps =
                read(&rule.path).map_err(|problem| Flaw::of_field(rule.field.as_str(), 0, problem))?;
            plan.add_rule(&steps, rules.len());
            rules.push(rule);
        }
        if !rules.iter().any(|rule| rule.field == Field::Key) {
            let place = match records.trim() {
                "" | "." => "each record".to_owned(),
                records => format!("each record at `{records}`"),
            };
            let problem = format!(
                "it is missing (name the path of what identifies {place} at its source, such as its id)"
            );
            return Err(Flaw::of_field("key", 0, problem));
        }
        if let Some(total) = &raw.total {
            let steps = read(total).map_err(|problem| Flaw::new("total", problem))?;
            plan.add_total(&steps);
        }
        Ok(Self {
            source: raw.source,
            format: raw.format,
            records,
            zone,
            zone_name: raw.zone,
            language: raw.language.into(),
            charset: raw.charset,
            delimiter,
            attribution: Arc::new(raw.attribution),
            rules,
            plan,
        })
    }
}

fn unreadable(path: &str, problem: PathProblem) -> String {
    format!(
        "the path `{path}` cannot be read: {problem} (write it as `a/b`, `item[@name='x']`, `@id` or `list[0]`)"
    )
}

impl Rule {
    /// A path alone.
    pub(crate) fn plain(field: Field, path: &str) -> Self {
        Self {
            field,
            path: path.to_owned(),
            html: field == Field::Description,
            nested: false,
            lang: None,
            split: None,
            not: None,
            comma: false,
            thousands: None,
        }
    }
}

fn field_rules(name: &str, value: &toml::Value) -> Result<Vec<Rule>, Flaw> {
    let Some(field) = Field::from_name(name) else {
        let known: Vec<_> = Field::ALL.iter().map(|field| field.as_str()).collect();
        return Err(Flaw::of_field(name, 0, format!("no such field (the fields are {})", known.join(", "))));
    };
    let items = match value {
        toml::Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    let numbered = items.iter().enumerate();
    numbered
        .map(|(index, item)| rule(field, item).map_err(|problem| Flaw::of_field(name, index, problem)))
        .collect()
}

fn rule(field: Field, item: &toml::Value) -> Result<Rule, String> {
    let rule = match item {
        toml::Value::String(path) => Rule::plain(field, path),
        toml::Value::Table(_) => {
            let raw: RawRule = item.clone().try_into().map_err(|error: toml::de::Error| {
                format!("{} (a rule has `path` and its options)", error.message().trim().replace('\n', ", "))
            })?;
            let comma = raw.decimal == Some(Decimal::Comma);
            let thousands = raw.thousands.map(Thousands::mark);
            if thousands == Some(if comma { ',' } else { '.' }) {
                return Err(
                    "`thousands` and `decimal` are the same mark (give `decimal` the other)".to_owned()
                );
            }
            Rule {
                field,
                html: raw.html.unwrap_or(field == Field::Description),
                nested: raw.nested,
                lang: raw.lang.map(Arc::from),
                split: raw.split.filter(|split| !split.is_empty()),
                not: raw.not.filter(|not| !not.is_empty()),
                comma,
                thousands,
                path: raw.path,
            }
        }
        other => {
            return Err(format!(
                "expected a path, a rule or a list of them, found {} (give the path as a string)",
                other.type_str()
            ));
        }
    };
    if rule.path.trim().is_empty() {
        return Err(
            "the path is empty (give that of the value in its record, or leave the field out)".to_owned()
        );
    }
    Ok(rule)
}
