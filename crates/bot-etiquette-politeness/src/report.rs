//! What only the body of an answer shows.

/// What a crawler found out about a host from what it read, beyond the status.
///
/// ```
/// use bot_etiquette_politeness::Report;
///
/// assert_eq!("busy".parse(), Ok(Report::Busy));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Report {
    /// An answer whose body says that the server is busy, whatever its status.
    Busy,
    /// A challenge stands before the pages: no retry clears it, a person must look.
    Challenged,
    /// A good answer.
    Ok,
}

impl Report {
    /// Every report.
    pub const ALL: &[Self] = &[Self::Busy, Self::Challenged, Self::Ok];

    /// The stable code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Busy => "busy",
            Self::Challenged => "challenged",
            Self::Ok => "ok",
        }
    }
}

impl std::str::FromStr for Report {
    type Err = UnknownReport;

    fn from_str(code: &str) -> Result<Self, UnknownReport> {
        Self::ALL
            .iter()
            .copied()
            .find(|report| report.code() == code)
            .ok_or_else(|| UnknownReport(code.into()))
    }
}

/// Text that names no [`Report`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown outcome {0:?} (give busy, challenged or ok)")]
pub struct UnknownReport(String);
