//! The configuration while the bot runs: read again before every request.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::config::{Config, Source};
use super::reader::Stop;
use crate::exit::Usage;
use crate::sqlite_store::SqliteStore;

/// The configuration as it is now; clones share it.
#[derive(Clone)]
pub struct Settings(Arc<Inner>);

struct Inner {
    path: PathBuf,
    token: String,
    loopback: bool,
    politeness: SqliteStore,
    current: Mutex<Arc<Config>>,
}

impl Settings {
    /// Watches a configuration that was read from this file; its policy is set in the store.
    #[must_use]
    pub fn watch(
        path: PathBuf,
        token: &str,
        loopback: bool,
        config: Config,
        politeness: SqliteStore,
    ) -> Self {
        politeness.set_policy(config.policy.clone());
        let current = Mutex::new(Arc::new(config));
        Self(Arc::new(Inner { path, token: token.to_owned(), loopback, politeness, current }))
    }

    /// The configuration as the files are now. A file that was changed acts from here on.
    ///
    /// # Errors
    /// The [`Usage`] of a file that has become unreadable: until it is mended nothing may be asked, for what it was
    /// changed to say may be "off".
    pub fn now(&self) -> Result<Arc<Config>, Usage> {
        let mut current = self.0.current.lock().unwrap_or_else(PoisonError::into_inner);
        let same =
            |(path, text): &(PathBuf, String)| std::fs::read_to_string(path).is_ok_and(|now| now == *text);
        if !current.files.iter().all(same) {
            let config = Config::read(&self.0.path, Some(&self.0.token), self.0.loopback)?;
            self.0.politeness.set_policy(config.policy.clone());
            *current = Arc::new(config);
        }
        Ok(Arc::clone(&current))
    }

    /// The configuration as it was last readable.
    #[must_use]
    pub fn last(&self) -> Arc<Config> {
        Arc::clone(&self.0.current.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The source, if it is on.
    ///
    /// # Errors
    /// [`Stop::Off`], or [`Stop::Unreadable`] where nobody can tell.
    pub fn source(&self, id: &str) -> Result<(Arc<Config>, Arc<Source>), Stop> {
        let config = self.now().map_err(|problem| Stop::Unreadable(problem.to_string()))?;
        let source = config.source(id).filter(|source| source.on).cloned().ok_or(Stop::Off)?;
        Ok((config, source))
    }
}
