//! What the referee found: violations with evidence, and what was measured.

use std::collections::BTreeMap;
use std::fmt;

use crate::rule::Rule;

/// The result of watching a crawler. Displays as text for a person; with the feature `serde` it serializes
/// to `requests`, `violations`, `left_out` (where there is any), `unseen` (of a log only) and `figures`.
///
/// ```
/// use bot_etiquette_referee::{Promise, read_log};
///
/// let log = r#"{"at":0,"host":"a.example","method":"GET","path":"/"}
/// {"at":0.4,"host":"a.example","method":"GET","path":"/b"}"#;
/// let promise = Promise::new().min_delay(std::time::Duration::from_secs(1));
/// let report = read_log(log.as_bytes(), promise).unwrap();
/// assert_eq!(report.violations()[0].to_string(), "0.400 s min-delay: GET a.example/b: 0.400 s after the start \
///     of GET a.example/, promised 1 s");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Report {
    pub(crate) requests: u64,
    pub(crate) violations: Vec<Violation>,
    pub(crate) left_out: BTreeMap<Rule, u64>,
    pub(crate) unseen: Vec<Rule>,
    pub(crate) from_log: bool,
    pub(crate) lines: u64,
    pub(crate) passed_over: Vec<String>,
    pub(crate) figures: Figures,
}

/// One broken promise.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Violation {
    /// Which rule.
    pub rule: Rule,
    /// Scaled seconds since the first request.
    pub at: f64,
    /// The request and the figures that prove it, in words. Secrets and canaries are left out.
    pub evidence: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} s {}: {}", self.at, self.rule, self.evidence)
    }
}

/// What was measured, whether or not a promise says anything of it.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Figures {
    /// Requests by what they were: `robots`, then the methods, then the classes of their answers (`2xx`, `none`).
    pub kinds: BTreeMap<String, u64>,
    /// By host.
    pub hosts: BTreeMap<String, HostFigures>,
}

/// What was measured of one host. Durations are scaled seconds.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct HostFigures {
    /// Requests.
    pub requests: u64,
    /// Bytes of bodies sent to the crawler.
    pub bytes: u64,
    /// Most requests open at once.
    pub most_open: u64,
    /// The shortest time between two starts.
    pub smallest_gap: Option<f64>,
    /// The shortest time from an answer's end to the next start, where none was open between.
    pub smallest_pause: Option<f64>,
    /// The time during which no request was open, from the first to the last.
    pub waited: f64,
}

impl Report {
    /// How many requests came.
    #[must_use]
    pub const fn requests(&self) -> u64 {
        self.requests
    }

    /// The broken promises, in order of time: of each rule the first ten thousand, the rest is [counted](Self::left_out).
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    /// How many more times a rule was broken than [`violations`](Self::violations) tells; a rule told in full is not here.
    #[must_use]
    pub const fn left_out(&self) -> &BTreeMap<Rule, u64> {
        &self.left_out
    }

    /// Whether no promise was broken.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.violations.is_empty()
    }

    /// The rules that the source of this report cannot show; empty when the referee watched itself.
    #[must_use]
    pub fn unseen(&self) -> &[Rule] {
        &self.unseen
    }

    /// How many requests the log holds, whoever made them; 0 when the referee watched itself.
    #[must_use]
    pub const fn lines(&self) -> u64 {
        self.lines
    }

    /// Of a log read for one crawler: what others called themselves, by product, each once and ten at the most.
    #[must_use]
    pub fn passed_over(&self) -> &[String] {
        &self.passed_over
    }

    /// What was measured.
    #[must_use]
    pub const fn figures(&self) -> &Figures {
        &self.figures
    }

    /// The rules that were broken, each once.
    #[must_use]
    pub fn broken(&self) -> Vec<Rule> {
        let mut rules: Vec<Rule> = self.violations.iter().map(|violation| violation.rule).collect();
        rules.sort_unstable();
        rules.dedup();
        rules
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = u64::try_from(self.violations.len()).unwrap_or(u64::MAX);
        let broken = self.left_out.values().fold(told, |sum, more| sum.saturating_add(*more));
        writeln!(f, "{} requests, {broken} violations", self.requests)?;
        for violation in &self.violations {
            writeln!(f, "  {violation}")?;
        }
        for (rule, more) in &self.left_out {
            writeln!(f, "  and {more} more of {rule}")?;
        }
        for (host, figures) in &self.figures.hosts {
            let seconds = |value: Option<f64>| value.map_or("none".into(), |value| format!("{value:.3} s"));
            writeln!(
                f,
                "{host}: {} requests, {} bytes, most open {}, smallest gap {}, smallest pause {}",
                figures.requests,
                figures.bytes,
                figures.most_open,
                seconds(figures.smallest_gap),
                seconds(figures.smallest_pause),
            )?;
        }
        let kinds: Vec<String> =
            self.figures.kinds.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        if !kinds.is_empty() {
            writeln!(f, "kinds: {}", kinds.join(", "))?;
        }
        if self.from_log {
            let unseen: Vec<&str> = self.unseen.iter().map(|rule| rule.code()).collect();
            writeln!(f, "not to be seen in this log: {}", unseen.join(" "))?;
        }
        Ok(())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Report {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut report = serializer.serialize_struct("Report", 5)?;
        report.serialize_field("requests", &self.requests)?;
        report.serialize_field("violations", &self.violations)?;
        if !self.left_out.is_empty() {
            report.serialize_field("left_out", &self.left_out)?;
        }
        if self.from_log {
            report.serialize_field("unseen", &self.unseen)?;
        }
        report.serialize_field("figures", &self.figures)?;
        report.end()
    }
}
