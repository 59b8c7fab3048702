//! Policies in TOML.

use crate::policy::Policy;

/// A policy file that was not understood: the line, the key and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct PolicyError {
    message: String,
    line: usize,
}

impl PolicyError {
    /// The line of the file, counted from 1.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        Some(self.line)
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
            let (line, message) = mistake(text, &error);
            PolicyError { message, line }
        })
    }
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
