//! TOML whose every value knows its full key and its line.

use std::collections::BTreeMap;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::ScenarioError;

pub(super) fn document(text: &str) -> Result<Spanned<DeTable<'_>>, ScenarioError> {
    DeTable::parse(text).map_err(|error| ScenarioError {
        line: line_of(text, error.span().map_or(0, |span| span.start)),
        problem: format!("is no TOML: {}", error.message()),
    })
}

fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}

/// A table whose keys are taken one by one, so that what is left over is unknown.
pub(super) struct Table<'t, 'i> {
    /// The name in front of its keys, such as `site.page`.
    pub(super) name: String,
    pub(super) entries: BTreeMap<String, Entry<'t, 'i>>,
    pub(super) known: Vec<&'static str>,
    pub(super) line: usize,
}

/// One value, with its key's full name and line.
pub(super) struct Entry<'t, 'i> {
    pub(super) text: &'t str,
    pub(super) key: String,
    pub(super) line: usize,
    pub(super) value: &'t DeValue<'i>,
}

impl<'t, 'i> Table<'t, 'i> {
    pub(super) fn new(text: &'t str, name: &str, table: &'t DeTable<'i>, line: usize) -> Self {
        let entry = |(key, value): (&'t Spanned<_>, &'t Spanned<DeValue<'i>>)| {
            let short: &std::borrow::Cow<'_, str> = key.get_ref();
            let line = line_of(text, key.span().start);
            let full = if name.is_empty() { short.to_string() } else { format!("{name}.{short}") };
            (short.to_string(), Entry { text, key: full, line, value: value.get_ref() })
        };
        let entries: BTreeMap<_, _> = table.iter().map(entry).collect();
        let line = entries.values().map(|entry| entry.line).min().unwrap_or(line);
        Self { name: name.to_owned(), entries, known: Vec::new(), line }
    }

    pub(super) fn take(&mut self, key: &'static str) -> Option<Entry<'t, 'i>> {
        self.known.push(key);
        self.entries.remove(key)
    }

    pub(super) fn table(&mut self, key: &'static str) -> Result<Option<Self>, ScenarioError> {
        self.take(key).map(|entry| entry.table()).transpose()
    }

    pub(super) fn tables(&mut self, key: &'static str) -> Result<Vec<Self>, ScenarioError> {
        self.take(key).map_or(Ok(Vec::new()), |entry| entry.list()?.iter().map(Entry::table).collect())
    }

    pub(super) fn required(&mut self, key: &'static str) -> Result<Entry<'t, 'i>, ScenarioError> {
        let (line, name) = (self.line, self.name.clone());
        self.take(key)
            .ok_or_else(|| ScenarioError { line, problem: format!("{name} has no {key}: it needs one") })
    }

    /// Complains about the first key that nobody took.
    pub(super) fn finish(self) -> Result<(), ScenarioError> {
        match self.entries.values().min_by_key(|entry| entry.line) {
            Some(entry) => Err(ScenarioError {
                line: entry.line,
                problem: format!("unknown key {}: known are {}", entry.key, self.known.join(", ")),
            }),
            None => Ok(()),
        }
    }
}

impl<'t, 'i> Entry<'t, 'i> {
    pub(super) fn wrong(&self, expected: &str) -> ScenarioError {
        let kind = self.value.type_str();
        ScenarioError { line: self.line, problem: format!("{} is a {kind}: give {expected}", self.key) }
    }

    pub(super) fn fault(&self, problem: impl std::fmt::Display) -> ScenarioError {
        ScenarioError { line: self.line, problem: format!("{} {problem}", self.key) }
    }

    pub(super) fn table(&self) -> Result<Table<'t, 'i>, ScenarioError> {
        match self.value {
            DeValue::Table(table) => Ok(Table::new(self.text, &self.key, table, self.line)),
            _ => Err(self.wrong("a table")),
        }
    }

    pub(super) fn list(&self) -> Result<Vec<Self>, ScenarioError> {
        let DeValue::Array(list) = self.value else { return Err(self.wrong("a list")) };
        let entry = |value: &'t Spanned<DeValue<'i>>| Entry {
            text: self.text,
            key: self.key.clone(),
            line: line_of(self.text, value.span().start),
            value: value.get_ref(),
        };
        Ok(list.iter().map(entry).collect())
    }

    pub(super) fn string(&self) -> Result<&'t str, ScenarioError> {
        self.value.as_str().ok_or_else(|| self.wrong("a text in quotes"))
    }

    pub(super) fn strings(&self) -> Result<Vec<&'t str>, ScenarioError> {
        match self.value {
            DeValue::String(_) => Ok(vec![self.string()?]),
            _ => self.list()?.iter().map(Entry::string).collect(),
        }
    }

    pub(super) fn bool(&self) -> Result<bool, ScenarioError> {
        self.value.as_bool().ok_or_else(|| self.wrong("true or false"))
    }

    /// A whole number of 0 or more.
    pub(super) fn whole(&self) -> Result<u64, ScenarioError> {
        let Some(integer) = self.value.as_integer() else { return Err(self.wrong("a whole number")) };
        u64::from_str_radix(integer.as_str(), integer.radix())
            .map_err(|_| self.fault("is no whole number of 0 or more"))
    }

    /// A finite number of 0 or more.
    pub(super) fn number(&self) -> Result<f64, ScenarioError> {
        let number = match self.value {
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().parse::<f64>().ok(),
            DeValue::Float(float) => float.as_str().parse::<f64>().ok(),
            _ => return Err(self.wrong("a number")),
        };
        number
            .filter(|number| number.is_finite() && *number >= 0.0)
            .ok_or_else(|| self.fault("is no number of 0 or more"))
    }

    pub(super) fn seconds(&self) -> Result<Duration, ScenarioError> {
        Duration::try_from_secs_f64(self.number()?)
            .map_err(|_| self.fault("is more seconds than can be counted"))
    }
}
