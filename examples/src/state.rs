//! What a bot keeps over restarts: one SQLite file, which several of its commands may use at once.
//!
//! The tables of politeness are [`SqliteStore`]'s, the copies of robots.txt are kept here, and each bot adds tables
//! of its own over [`State::connection`].

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use bot_etiquette::politeness::Policy;
use bot_etiquette::robots::{RobotsSnapshot, tower::RobotsLayer};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use crate::sqlite_store::{SqliteStore, StoreError};

/// How long a write waits for those of other processes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS robots_cache (id INTEGER PRIMARY KEY CHECK (id = 1), snapshot TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS bot (name TEXT PRIMARY KEY, schema INTEGER NOT NULL) WITHOUT ROWID;
";

/// The state file, open.
pub struct State {
    path: PathBuf,
    connection: Mutex<Connection>,
    /// When hosts may be asked.
    pub politeness: SqliteStore,
}

/// Why a file is no state.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// SQLite says so.
    #[error("the state {}: {source}", path.display())]
    Sqlite {
        /// Which file.
        path: PathBuf,
        /// What it says.
        source: rusqlite::Error,
    },
    /// The politeness in it is unreadable.
    #[error("the state {}: {source}", path.display())]
    Politeness {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        source: StoreError,
    },
    /// The file is another bot's, or another version's.
    #[error("the state {} holds {found}, expected {expected}; give another file with --state", path.display())]
    Other {
        /// Which file.
        path: PathBuf,
        /// What it holds.
        found: String,
        /// What this program reads.
        expected: String,
    },
}

impl State {
    /// Opens the file of the bot `name`, or makes it with these tables; `version` changes when the tables do.
    ///
    /// # Errors
    /// [`StateError`]; whatever the file held is left as it was.
    pub fn open(
        path: &Path,
        policy: Policy,
        name: &str,
        tables: &str,
        version: i64,
    ) -> Result<Self, StateError> {
        let wrong = |source| StateError::Sqlite { path: path.to_owned(), source };
        let politeness = SqliteStore::open(path, policy)
            .map_err(|source| StateError::Politeness { path: path.to_owned(), source })?;
        let connection = Connection::open(path).map_err(wrong)?;
        connection.busy_timeout(BUSY_TIMEOUT).map_err(wrong)?;
        connection.pragma_update(None, "foreign_keys", true).map_err(wrong)?;
        connection.execute_batch(SCHEMA).map_err(wrong)?;
        let found: Option<(String, i64)> = connection
            .query_row("SELECT name, schema FROM bot", [], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()
            .map_err(wrong)?;
        match found {
            Some((other, schema)) if (other.as_str(), schema) != (name, version) => {
                return Err(StateError::Other {
                    path: path.to_owned(),
                    found: format!("{other} {schema}"),
                    expected: format!("{name} {version}"),
                });
            }
            Some(_) => {}
            None => {
                connection.execute_batch(tables).map_err(wrong)?;
                let put = "INSERT OR IGNORE INTO bot (name, schema) VALUES (?1, ?2)";
                connection.execute(put, (name, version)).map_err(wrong)?;
            }
        }
        Ok(Self { path: path.to_owned(), connection: Mutex::new(connection), politeness })
    }

    /// The bot's own tables. Keep the lock for one statement or transaction, never over an await.
    pub fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the file is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes the kept copies of robots.txt into the layer.
    ///
    /// # Errors
    /// When the file cannot be read. A kept copy that is unreadable is read again from its site when needed.
    pub fn load_robots<F>(&self, robots: &RobotsLayer<F>, now: SystemTime) -> rusqlite::Result<()> {
        if let Some(kept) = kept_robots(&self.connection())? {
            robots.with_cache(|cache| cache.import(&kept, now));
        }
        Ok(())
    }

    /// Keeps the layer's copies of robots.txt, and those that other processes have kept meanwhile.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn keep_robots<F>(&self, robots: &RobotsLayer<F>, now: SystemTime) -> rusqlite::Result<()> {
        let mut connection = self.connection();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let kept = kept_robots(&transaction)?;
        let all = robots.with_cache(|cache| {
            if let Some(kept) = kept {
                cache.import(&kept, now);
            }
            cache.export(now)
        });
        if let Ok(all) = serde_json::to_string(&all) {
            let put = "INSERT OR REPLACE INTO robots_cache (id, snapshot) VALUES (1, ?1)";
            transaction.execute(put, [all])?;
        }
        transaction.commit()
    }
}

fn kept_robots(connection: &Connection) -> rusqlite::Result<Option<RobotsSnapshot>> {
    let query = "SELECT snapshot FROM robots_cache";
    let kept: Option<String> = connection.query_row(query, [], |row| row.get(0)).optional()?;
    Ok(kept.and_then(|kept| serde_json::from_str(&kept).ok()))
}
