//! [`Lines`]: on which line of a TOML file a key stands.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Finds the lines of keys; knows none where the text is no TOML.
pub(crate) struct Lines<'t> {
    text: &'t str,
    document: Option<Spanned<DeTable<'t>>>,
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, document: DeTable::parse(text).ok() }
    }

    /// The line of a key, from 1: `["promise", "min_delay"]`.
    pub(crate) fn of(&self, path: &[&str]) -> Option<usize> {
        let (key, tables) = path.split_last()?;
        let mut table = self.document.as_ref()?.get_ref();
        for name in tables {
            table = match table.get(*name)?.get_ref() {
                DeValue::Table(inner) => inner,
                _ => return None,
            };
        }
        let (key, _) = table.get_key_value(*key)?;
        let before = self.text.as_bytes().get(..key.span().start)?;
        Some(before.iter().filter(|byte| **byte == b'\n').count().saturating_add(1))
    }
}
