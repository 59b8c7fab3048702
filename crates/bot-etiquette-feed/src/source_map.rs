//! What is read of a source, and as what.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use crate::attribution::Attribution;
use crate::field::Field;
use crate::path::{self, Namespaces};
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
/// `space`) also `1.040,42`: without it such a number is none. `nested` reads the text of inner elements too. Paths are relative to a record: `a/b`, `item[@name='Horario']`, `@id`, `posicion[0]`;
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
/// assert!(error.to_string().starts_with("field `tittle` of the records at `@graph`: no such field"));
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
    /// [`MapError`] names the field, the record path and what is wrong.
    pub fn from_toml(text: &str) -> Result<Self, MapError> {
        let raw: Raw = toml::from_str(text).map_err(|error| {
            let (line, message) = mistake(text, &error);
            MapError::Toml { line, message }
        })?;
        Self::try_from(raw)
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
    /// A key of the map has a value that it cannot have.
    #[error("`{key}`: {problem}")]
    Key {
        /// The key.
        key: &'static str,
        /// What is wrong, and a fix.
        problem: String,
    },
    /// A field's rule cannot be used.
    #[error("field `{field}` of the records at `{records}`: {problem}")]
    Field {
        /// The field, as the map names it.
        field: String,
        /// The path of the records.
        records: String,
        /// What is wrong, and a fix.
        problem: String,
    },
}

/// The line of a mistake, and what it is: after its key, in one line.
fn mistake(text: &str, error: &toml::de::Error) -> (usize, String) {
    // What is missing in the whole file is missing in its first line.
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.bytes().filter(|byte| *byte == b'\n').count().saturating_add(1);
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
        let key = |key: &'static str, problem: String| MapError::Key { key, problem };
        if raw.source.trim().is_empty() {
            return Err(key("source", "give the source a name".to_owned()));
        }
        if raw.source.contains(':') {
            return Err(key("source", "a colon ends the name in an event's key: leave it out".to_owned()));
        }
        let zone = jiff::tz::TimeZone::get(&raw.zone).map_err(|_| {
            key("zone", format!("`{}` is no IANA time zone, such as `Europe/Madrid`", raw.zone))
        })?;
        if let Some(label) = &raw.charset
            && encoding_rs::Encoding::for_label_no_replacement(label.as_bytes()).is_none()
        {
            return Err(key("charset", format!("`{label}` is no charset of the WHATWG Encoding standard")));
        }
        let delimiter = match raw.delimiter.as_deref().map(str::as_bytes) {
            None => None,
            Some([byte]) if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Some(*byte),
            Some(_) => return Err(key("delimiter", "give one ASCII character, such as `;`".to_owned())),
        };
        raw.attribution.check().map_err(|problem| key("attribution", problem))?;
        let preset = Preset::of(raw.format);
        let grammar = preset.grammar;
        let mut namespaces = preset.namespaces();
        namespaces.extend(raw.namespaces);
        let places: Vec<&str> = match &raw.records {
            Some(records) => vec![records],
            None => preset.records.to_vec(),
        };
        let Some(records) = places.first().map(|records| (*records).to_owned()) else {
            let problem = "an XML source needs the path of its records, such as `list/item`";
            return Err(key("records", problem.to_owned()));
        };
        let record_paths = places
            .iter()
            .map(|records| path::parse(records, grammar, &namespaces))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|problem| key("records", problem.to_string()))?;
        let mut rules = Vec::new();
        for (name, value) in &raw.fields {
            rules.extend(field_rules(name, value, &records)?);
        }
        rules.extend(preset.rules(|field| raw.fields.contains_key(field.as_str())));
        let mut plan = Plan::new(&record_paths);
        for (index, rule) in rules.iter().enumerate() {
            let steps = path::parse(&rule.path, grammar, &namespaces).map_err(|problem| MapError::Field {
                field: rule.field.as_str().to_owned(),
                records: records.clone(),
                problem: format!("the path `{}` cannot be read: {problem}", rule.path),
            })?;
            plan.add_rule(&steps, index);
        }
        if !rules.iter().any(|rule| rule.field == Field::Key) {
            let problem =
                "every event needs what identifies it at its source: name the path of its id".to_owned();
            return Err(MapError::Field { field: "key".to_owned(), records, problem });
        }
        if let Some(total) = &raw.total {
            let steps = path::parse(total, grammar, &namespaces)
                .map_err(|problem| key("total", problem.to_string()))?;
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

fn field_rules(name: &str, value: &toml::Value, records: &str) -> Result<Vec<Rule>, MapError> {
    let wrong =
        |problem: String| MapError::Field { field: name.to_owned(), records: records.to_owned(), problem };
    let Some(field) = Field::from_name(name) else {
        let known: Vec<_> = Field::ALL.iter().map(|field| field.as_str()).collect();
        return Err(wrong(format!("no such field; the fields are {}", known.join(", "))));
    };
    let items = match value {
        toml::Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    let mut rules = Vec::new();
    for item in items {
        let rule = match item {
            toml::Value::String(path) => Rule::plain(field, path),
            toml::Value::Table(_) => {
                let raw: RawRule =
                    item.clone().try_into().map_err(|error| wrong(format!("{error}").trim().to_owned()))?;
                let comma = raw.decimal == Some(Decimal::Comma);
                let thousands = raw.thousands.map(Thousands::mark);
                if thousands == Some(if comma { ',' } else { '.' }) {
                    let problem = "`thousands` and `decimal` are the same mark: give `decimal` the other";
                    return Err(wrong(problem.to_owned()));
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
                return Err(wrong(format!(
                    "expected a path, a rule or a list of them, found {}",
                    other.type_str()
                )));
            }
        };
        if rule.path.trim().is_empty() {
            return Err(wrong("the path is empty".to_owned()));
        }
        rules.push(rule);
    }
    Ok(rules)
}
