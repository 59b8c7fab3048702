//! Policies in TOML.

use crate::policy::Policy;

/// A policy file that was not understood: the line, the key and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PolicyError {
    message: String,
    line: Option<usize>,
}

impl PolicyError {
    /// The line of the file, counted from 1.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.line
    }
}

impl Policy {
    /// Reads a policy file.
    ///
    /// Durations are seconds. The tables are `[default]` (which may say `closed = true`), `[host."name"]`
    /// (where `hosts` lists other names of the same machine) and `[group.name]`; the keys are
    /// [`HostPolicy::KEYS`](crate::HostPolicy::KEYS) and [`GroupPolicy::KEYS`](crate::GroupPolicy::KEYS). At the top,
    /// `max_hosts` bounds the memory.
    ///
    /// ```
    /// use bot_etiquette_politeness::Policy;
    ///
    /// let policy = Policy::from_toml(r#"
    ///     [default]
    ///     min_delay = 1.0
    ///     [host."example.com"]
    ///     hosts = ["www.example.com"]
    ///     min_delay = 10.0
    /// "#)?;
    /// assert_eq!(policy.rules(&"www.example.com".parse()?).min_delay().as_secs(), 10);
    ///
    /// let error = Policy::from_toml("[default]\nmin_delay = -1\n").unwrap_err();
    /// assert_eq!(error.line(), Some(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<Self, PolicyError> {
        toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| {
                let before = text.as_bytes().iter().take(span.start);
                before.filter(|byte| **byte == b'\n').count().saturating_add(1)
            });
            PolicyError { message: error.to_string().trim_end().to_owned(), line }
        })
    }
}
