//! How often each path of a map led to a value, and what that says beside an earlier run.

use crate::field::Field;

/// How often one path led to a value: numbers alone, no value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct FieldUse {
    /// The field.
    pub field: Field,
    /// The path, as the map or the format has it.
    pub path: String,
    /// Records with a value there.
    pub records: u64,
    /// Those of them whose first value is a number.
    pub numbers: u64,
}

/// A change of the source's own making.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Drift {
    /// It had values, and has none any more.
    Lost,
    /// It had none, and has some now.
    Appeared,
    /// It held numbers and holds texts now, or the reverse.
    Retyped,
}

/// Fewer records tell nothing.
const ENOUGH: u64 = 20;

/// What changed between two runs; nothing where one of them read fewer than 20 records. One record in twenty counts as
/// having values, nine in ten as numbers.
pub(crate) fn drift<'a>(
    now: &'a [FieldUse],
    before: &'a [FieldUse],
) -> impl Iterator<Item = (&'a FieldUse, Drift)> {
    let most = |uses: &[FieldUse]| uses.iter().map(|usage| usage.records).max().unwrap_or(0);
    let (most_now, most_before) = (most(now), most(before));
    let enough = most_now >= ENOUGH && most_before >= ENOUGH;
    now.iter().filter(move |_| enough).filter_map(move |usage| {
        let known = before.iter().find(|known| known.field == usage.field && known.path == usage.path)?;
        let often = |records: u64, most: u64| records.saturating_mul(20) >= most;
        let drift = match (known.records, usage.records) {
            (was, 0) if often(was, most_before) => Drift::Lost,
            (0, is) if is > 0 && often(is, most_now) => Drift::Appeared,
            (was, is) if was > 0 && is > 0 => {
                let numbers =
                    |usage: &FieldUse| usage.numbers.saturating_mul(10) >= usage.records.saturating_mul(9);
                let texts = |usage: &FieldUse| usage.numbers.saturating_mul(10) <= usage.records;
                let turned = numbers(known) && texts(usage) || texts(known) && numbers(usage);
                turned.then_some(Drift::Retyped)?
            }
            _ => return None,
        };
        Some((usage, drift))
    })
}

/// Counts the values of each rule as they pass.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counter {
    records: u64,
    numbers: u64,
    last: u64,
}

impl Counter {
    /// A value, without blanks around it, of record `record`, from 1.
    pub(crate) fn add(&mut self, text: &str, record: u64) {
        if self.last == record || text.is_empty() {
            return;
        }
        self.last = record;
        self.records = self.records.saturating_add(1);
        let numeric =
            text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '+' | '.'));
        self.numbers = self.numbers.saturating_add(u64::from(numeric && text.parse::<f64>().is_ok()));
    }

    pub(crate) fn usage(&self, field: Field, path: &str) -> FieldUse {
        FieldUse { field, path: path.to_owned(), records: self.records, numbers: self.numbers }
    }
}
