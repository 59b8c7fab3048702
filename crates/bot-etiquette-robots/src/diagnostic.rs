//! What can be wrong with a robots.txt, each with a stable code.

use std::fmt;

/// How much a [`Diagnostic`] matters.
///
/// ```
/// use bot_etiquette_robots::{Robots, Severity};
///
/// let found = Robots::parse(b"User-agent: *\nDisallow: /a\nDisallow: /a\n").diagnostics();
/// let problems = found.iter().filter(|found| found.severity >= Severity::Warning);
/// assert_eq!((found.len(), problems.count()), (1, 0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Severity {
    /// Good to know; nothing has to change.
    Info,
    /// It may not do what was meant, or not for every crawler.
    Warning,
    /// It does not do what was meant: a line, or the file, has no effect.
    Error,
}

/// What a [`Diagnostic`] is about. [`as_str`](Self::as_str) is stable.
///
/// ```
/// use bot_etiquette_robots::Code;
///
/// assert_eq!(Code::NoLeadingSlash.as_str(), "no-leading-slash");
/// assert!(Code::ALL.contains(&Code::Bom));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Code {
    /// A byte order mark: skipped at the very start, spoiling a line elsewhere.
    Bom,
    /// The file is UTF-16, which no crawler reads.
    Utf16,
    /// Bytes that are not UTF-8.
    #[cfg_attr(feature = "serde", serde(rename = "not-utf8"))]
    NotUtf8,
    /// A NUL, which ends the text of its line.
    Nul,
    /// Longer than what is read.
    TooLarge,
    /// An HTML page, not a robots.txt.
    Html,
    /// A key that no crawler is known to read.
    UnknownKey,
    /// A key that is nearly a known one.
    MisspeltKey,
    /// No colon between key and value.
    MissingColon,
    /// A rule or Crawl-delay before the first `User-agent` line.
    RuleBeforeGroup,
    /// An agent value that is more, or less, than a product token.
    AgentNotAToken,
    /// Several agents on one line.
    AgentList,
    /// A pattern that begins with neither `/` nor `*`.
    NoLeadingSlash,
    /// A whole URL where a path belongs.
    FullUrl,
    /// A blank inside a pattern.
    InnerSpace,
    /// A `$` that is not at the end of a pattern.
    InnerDollar,
    /// A rule that never changes the answer, because of another rule of its group.
    ShadowedRule,
    /// A rule that its group has already.
    DuplicateRule,
    /// A record such as Crawl-delay between agents, which does not split them into two groups.
    GroupJoinedOverRecord,
    /// A Crawl-delay that is no number of seconds.
    CrawlDelayInvalid,
    /// A second Crawl-delay for the same agents.
    CrawlDelayRepeated,
    /// A group with a Crawl-delay and no rule, which frees its crawler of all rules for `*`.
    CrawlDelayAlone,
    /// A sitemap that is no absolute URL.
    SitemapNotAbsolute,
    /// `Noindex` and its like, which robots.txt cannot say.
    NoindexUnsupported,
}

/// One finding in a robots.txt.
///
/// ```
/// use bot_etiquette_robots::{Code, Robots, Severity};
///
/// let found = Robots::parse(b"User-agent: *\nDisallow: private\n").diagnostics();
/// assert_eq!((found[0].line, found[0].column), (2, 11));
/// assert_eq!((found[0].code, found[0].severity), (Code::NoLeadingSlash, Severity::Error));
/// println!("{}", found[0]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Diagnostic {
    /// The line, from 1.
    pub line: u32,
    /// The column, in bytes from 1.
    pub column: u32,
    /// What it is about.
    pub code: Code,
    /// How much it matters.
    pub severity: Severity,
    /// What is wrong and what to do, for a person.
    pub message: String,
}

impl Severity {
    /// The name in lower case.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl Code {
    /// Every code there is.
    pub const ALL: [Self; 24] = [
        Self::Bom,
        Self::Utf16,
        Self::NotUtf8,
        Self::Nul,
        Self::TooLarge,
        Self::Html,
        Self::UnknownKey,
        Self::MisspeltKey,
        Self::MissingColon,
        Self::RuleBeforeGroup,
        Self::AgentNotAToken,
        Self::AgentList,
        Self::NoLeadingSlash,
        Self::FullUrl,
        Self::InnerSpace,
        Self::InnerDollar,
        Self::ShadowedRule,
        Self::DuplicateRule,
        Self::GroupJoinedOverRecord,
        Self::CrawlDelayInvalid,
        Self::CrawlDelayRepeated,
        Self::CrawlDelayAlone,
        Self::SitemapNotAbsolute,
        Self::NoindexUnsupported,
    ];

    /// The stable code.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bom => "bom",
            Self::Utf16 => "utf16",
            Self::NotUtf8 => "not-utf8",
            Self::Nul => "nul",
            Self::TooLarge => "too-large",
            Self::Html => "html",
            Self::UnknownKey => "unknown-key",
            Self::MisspeltKey => "misspelt-key",
            Self::MissingColon => "missing-colon",
            Self::RuleBeforeGroup => "rule-before-group",
            Self::AgentNotAToken => "agent-not-a-token",
            Self::AgentList => "agent-list",
            Self::NoLeadingSlash => "no-leading-slash",
            Self::FullUrl => "full-url",
            Self::InnerSpace => "inner-space",
            Self::InnerDollar => "inner-dollar",
            Self::ShadowedRule => "shadowed-rule",
            Self::DuplicateRule => "duplicate-rule",
            Self::GroupJoinedOverRecord => "group-joined-over-record",
            Self::CrawlDelayInvalid => "crawl-delay-invalid",
            Self::CrawlDelayRepeated => "crawl-delay-repeated",
            Self::CrawlDelayAlone => "crawl-delay-alone",
            Self::SitemapNotAbsolute => "sitemap-not-absolute",
            Self::NoindexUnsupported => "noindex-unsupported",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {} [{}]", self.line, self.column, self.severity, self.message, self.code)
    }
}
