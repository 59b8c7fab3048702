//! What was repaired, and where.

use std::fmt;

/// A kind of fault that is safe to mend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RepairKind {
    /// A byte order mark before the document.
    Bom,
    /// A function call around the document.
    Jsonp,
    /// `NaN`, an infinity or `undefined`, read as null.
    NotANumber,
    /// A number in a form JSON does not have, such as `+1` or `.5`.
    Number,
    /// A comma with nothing after or before it.
    ExtraComma,
    /// No comma before a key of an object, or before an array or object in an array.
    MissingComma,
    /// Nothing between a colon and the comma or bracket behind it, read as null.
    MissingValue,
    /// A raw control character inside a string.
    ControlCharacter,
    /// A backslash before a character that needs none: both are text.
    Escape,
    /// Half of a surrogate pair, read as U+FFFD.
    Surrogate,
    /// Bytes inside a string that are no UTF-8, read as U+FFFD.
    Utf8,
    /// The input ends before the document does.
    CutEnd,
    /// An HTML comment after the document.
    TrailingComment,
}

impl RepairKind {
    /// Every kind, in the order of the table in the module's documentation.
    pub const ALL: [Self; 13] = [
        Self::Bom,
        Self::Jsonp,
        Self::NotANumber,
        Self::Number,
        Self::ExtraComma,
        Self::MissingComma,
        Self::MissingValue,
        Self::ControlCharacter,
        Self::Escape,
        Self::Surrogate,
        Self::Utf8,
        Self::CutEnd,
        Self::TrailingComment,
    ];

    /// A short stable name, such as `extra-comma`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bom => "bom",
            Self::Jsonp => "jsonp",
            Self::NotANumber => "not-a-number",
            Self::Number => "number",
            Self::ExtraComma => "extra-comma",
            Self::MissingComma => "missing-comma",
            Self::MissingValue => "missing-value",
            Self::ControlCharacter => "control-character",
            Self::Escape => "escape",
            Self::Surrogate => "surrogate",
            Self::Utf8 => "utf8",
            Self::CutEnd => "cut-end",
            Self::TrailingComment => "trailing-comment",
        }
    }
}

impl fmt::Display for RepairKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One repair: its kind and the byte where it was needed, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repair {
    /// What was mended.
    pub kind: RepairKind,
    /// Where, in bytes from the start of the input.
    pub offset: u64,
}

/// The repairs of one document: a count by kind, and the first [`Repairs::KEPT`] one by one.
///
/// ```
/// use bot_etiquette_lenient::json::{Limits, RepairKind, repair};
///
/// let mended = repair(b"[1,2,]", Limits::default())?;
/// assert_eq!(mended.repairs().count(RepairKind::ExtraComma), 1);
/// assert_eq!(mended.repairs().to_string(), "extra-comma at byte 4");
/// # Ok::<(), bot_etiquette_lenient::json::JsonError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repairs {
    first: Vec<Repair>,
    counts: [u64; RepairKind::ALL.len()],
}

impl Repairs {
    /// How many repairs are kept one by one; all are counted.
    pub const KEPT: usize = 64;

    /// Whether the document needed none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// How many repairs there were in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// How many repairs of one kind there were.
    #[must_use]
    pub fn count(&self, kind: RepairKind) -> u64 {
        self.counts.get(kind as usize).copied().unwrap_or(0)
    }

    /// Whether a repair of this kind was needed.
    #[must_use]
    pub fn contains(&self, kind: RepairKind) -> bool {
        self.count(kind) > 0
    }

    /// The first repairs, in the order they were made.
    pub fn iter(&self) -> impl Iterator<Item = Repair> + '_ {
        self.first.iter().copied()
    }

    pub(super) fn add(&mut self, kind: RepairKind, offset: u64) {
        if let Some(count) = self.counts.get_mut(kind as usize) {
            *count = count.saturating_add(1);
        }
        if self.first.len() < Self::KEPT {
            self.first.push(Repair { kind, offset });
        }
    }
}

impl fmt::Display for Repairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Repair { kind, offset }) in self.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{kind} at byte {offset}")?;
        }
        let more = self.total().saturating_sub(self.first.len() as u64);
        if more > 0 { write!(f, " and {more} more") } else { Ok(()) }
    }
}
