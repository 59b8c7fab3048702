//! [`Lines`]: on which line of a TOML file a key stands, or a mistake.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What is wrong in a file that cannot be read, in one line after the number of its own.
pub(crate) fn mistake(text: &str, error: &toml::de::Error) -> String {
    let start = error.span().map_or(0, |span| span.start);
    // The reader names Rust's types, which tell a person nothing.
    let mut problem = error.message().trim().replace('\n', ", ");
    for (kind, words) in [
        ("expected u8", "expected a whole number from 0 to 255"),
        ("expected u16", "expected a whole number from 0 to 65535"),
        ("expected u32", "expected a whole number, 0 or more"),
        ("expected u64", "expected a whole number, 0 or more"),
        ("expected usize", "expected a whole number, 0 or more"),
        ("expected i64", "expected a whole number"),
        ("expected f64", "expected a number"),
        ("expected a boolean", "expected true or false"),
        ("expected a string", "expected a text in quotes"),
        ("expected a sequence", "expected a list in [ ]"),
    ] {
        if let Some(front) = problem.strip_suffix(kind) {
            problem = format!("{front}{words}");
            break;
        }
    }
    let row = text.get(..start).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
    let key = row.split_once('=').map_or_else(String::new, |(key, _)| format!("{}: ", key.trim()));
    format!("line {}: {key}{problem}", line(text, start))
}

/// The line of a byte, from 1.
fn line(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count().saturating_add(1)
}

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
        Some(line(self.text, key.span().start))
    }
}
