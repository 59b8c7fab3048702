//! What the bot keeps: events without personal data, validators, what each run did, and what the live robots.txt says.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bot_etiquette::feed::{Calendar, Event};
use bot_etiquette::politeness::Policy;
use rusqlite::{OptionalExtension, TransactionBehavior, params};
use serde::{Deserialize, Serialize};

use super::config::MAX_REQUESTS;
use super::record::{Asked, Counted, Look, Page, Record, Row};
use crate::state::{State, StateError};

const TABLES: &str = "
    CREATE TABLE source (
        id TEXT PRIMARY KEY, due INTEGER NOT NULL, began INTEGER NOT NULL, ended INTEGER, used INTEGER NOT NULL, record TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE page (
        source TEXT NOT NULL, url TEXT NOT NULL, at INTEGER NOT NULL, validators TEXT, completeness TEXT,
        PRIMARY KEY (source, url)
    ) WITHOUT ROWID;
    CREATE TABLE event (
        source TEXT NOT NULL, key TEXT NOT NULL, page TEXT NOT NULL, since INTEGER NOT NULL, seen INTEGER NOT NULL, event TEXT NOT NULL,
        PRIMARY KEY (source, key)
    ) WITHOUT ROWID;
    CREATE TABLE look (origin TEXT PRIMARY KEY, look TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE asked (
        host TEXT NOT NULL, day INTEGER NOT NULL, requests INTEGER NOT NULL, unchanged INTEGER NOT NULL, bytes INTEGER NOT NULL,
        PRIMARY KEY (host, day)
    ) WITHOUT ROWID;
    CREATE TABLE translation (
        source_language TEXT NOT NULL, language TEXT NOT NULL, text TEXT NOT NULL, translator TEXT NOT NULL, translated TEXT NOT NULL,
        PRIMARY KEY (source_language, language, translator, text)
    ) WITHOUT ROWID;
";

/// Moves what was noted when with a clock that was set back by `?1` milliseconds.
pub(super) const STEPPED_BACK: &[&str] = &[
    "UPDATE source SET due = max(0, due - ?1 / 1000), began = max(1, began - ?1 / 1000), ended = ended - ?1 / 1000",
    "UPDATE page SET at = max(0, at - ?1 / 1000)",
    "UPDATE event SET since = max(0, since - ?1 / 1000), seen = max(0, seen - ?1 / 1000)",
    "UPDATE look SET look = json_set(look, '$.at', max(0, json_extract(look, '$.at') - ?1 / 1000))",
];

const DAY: i64 = 86_400;

/// The state file of the bot; clones share it.
#[derive(Clone)]
pub struct Kept(Arc<State>);

fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn read(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

fn json<T: Serialize>(value: &T) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

/// What a column holds; what cannot be read is taken for absent, so that it is asked for again.
fn parsed<T: for<'de> Deserialize<'de>>(text: Option<&str>) -> Option<T> {
    serde_json::from_str(text?).ok()
}

impl Kept {
    /// Opens the state, or makes it.
    ///
    /// # Errors
    /// [`StateError`]; a file of something else is left as it was.
    pub fn open(path: &Path, policy: Policy) -> Result<Self, StateError> {
        Ok(Self(Arc::new(State::open(path, policy, "feed-bot", TABLES, 1)?)))
    }

    /// The file below, with the politeness.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.0
    }

    /// The row of a source; that of one that never ran is due at once.
    ///
    /// # Errors
    /// When the file cannot be read, as all of these.
    pub fn row(&self, id: &str) -> rusqlite::Result<Row> {
        let query = "SELECT due, began, ended, used, record FROM source WHERE id = ?1";
        let row = self.0.connection().query_row(query, [id], |row| {
            let record: String = row.get(4)?;
            Ok(Row {
                due: read(row.get(0)?),
                began: read(row.get(1)?),
                ended: row.get::<_, Option<i64>>(2)?.is_some(),
                used: row.get(3)?,
                record: parsed(Some(&record)).unwrap_or_default(),
            })
        });
        Ok(row.optional()?.unwrap_or_default())
    }

    /// Begins a run, or goes on with one that was killed. The next is due `every` later at the earliest.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn begin(&self, id: &str, now: u64, every: Duration) -> rusqlite::Result<Row> {
        let mut row = self.row(id)?;
        if row.began == 0 || row.ended {
            row = Row { due: now + every.as_secs(), began: now, ended: false, used: 0, record: row.record };
            let put = "INSERT OR REPLACE INTO source (id, due, began, ended, used, record) VALUES (?1, ?2, ?3, NULL, 0, ?4)";
            let record = json(&row.record)?;
            self.0.connection().execute(put, params![id, stored(row.due), stored(row.began), record])?;
        }
        Ok(row)
    }

    /// Counts a request before it leaves; `false` where the run has made all it may.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn count(&self, id: &str, host: &str, now: u64) -> rusqlite::Result<bool> {
        let mut connection = self.0.connection();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let count = "UPDATE source SET used = used + 1 WHERE id = ?1 AND used < ?2";
        let counted = transaction.execute(count, params![id, MAX_REQUESTS])? > 0;
        if counted {
            ask(&transaction, host, now, 1)?;
        }
        transaction.commit()?;
        Ok(counted)
    }

    /// Takes back what was counted of a request that did not leave.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn uncount(&self, id: &str, host: &str, now: u64) -> rusqlite::Result<()> {
        let mut connection = self.0.connection();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute("UPDATE source SET used = used - 1 WHERE id = ?1 AND used > 0", [id])?;
        ask(&transaction, host, now, -1)?;
        transaction.commit()
    }

    /// Counts a request that belongs to no run.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn count_look(&self, host: &str, now: u64) -> rusqlite::Result<()> {
        ask(&self.0.connection(), host, now, 1)
    }

    /// Adds what came of a request.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn answered(&self, host: &str, now: u64, unchanged: bool, bytes: u64) -> rusqlite::Result<()> {
        let add =
            "UPDATE asked SET unchanged = unchanged + ?3, bytes = bytes + ?4 WHERE host = ?1 AND day = ?2";
        let day = stored(now) / DAY;
        self.0.connection().execute(add, params![host, day, i64::from(unchanged), stored(bytes)]).map(drop)
    }

    /// What each host was asked on the day with the most requests, and how many days there were.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn busiest_days(&self) -> rusqlite::Result<BTreeMap<String, Asked>> {
        let connection = self.0.connection();
        let mut query =
            connection.prepare("SELECT host, requests, unchanged, bytes FROM asked ORDER BY requests")?;
        let rows = query.query_map([], |row| {
            let (requests, unchanged, bytes) = (read(row.get(1)?), read(row.get(2)?), read(row.get(3)?));
            Ok((row.get(0)?, Asked { requests, unchanged, bytes }))
        })?;
        rows.collect()
    }

    /// Ends a run: the next is due at `due`.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn end(&self, id: &str, now: u64, due: u64, record: &Record) -> rusqlite::Result<()> {
        let put = "UPDATE source SET ended = ?2, due = ?3, record = ?4 WHERE id = ?1";
        self.0.connection().execute(put, params![id, stored(now), stored(due), json(record)?]).map(drop)
    }

    /// What is known of an address of a source.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn page(&self, id: &str, url: &str) -> rusqlite::Result<Option<Page>> {
        let query = "SELECT at, validators, completeness FROM page WHERE source = ?1 AND url = ?2";
        let page = self.0.connection().query_row(query, [id, url], |row| {
            let (validators, completeness): (Option<String>, Option<String>) = (row.get(1)?, row.get(2)?);
            Ok(Page {
                at: read(row.get(0)?),
                validators: parsed(validators.as_deref()),
                completeness: parsed(completeness.as_deref()),
            })
        });
        page.optional()
    }

    /// All addresses of a source of which something is held.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn pages(&self, id: &str) -> rusqlite::Result<Vec<(String, Page)>> {
        let urls: Vec<String> = {
            let connection = self.0.connection();
            let mut query = connection.prepare("SELECT url FROM page WHERE source = ?1 ORDER BY url")?;
            query.query_map([id], |row| row.get(0))?.collect::<Result<_, _>>()?
        };
        let page = |url: String| self.page(id, &url).map(|page| (url, page.unwrap_or_default()));
        urls.into_iter().map(page).collect()
    }

    /// Takes in what a page holds: its events, and its validators with them or not at all.
    ///
    /// # Errors
    /// When the file cannot be written; then nothing of it is.
    pub fn accept(&self, id: &str, url: &str, page: &Page, events: &Calendar) -> rusqlite::Result<Counted> {
        let mut counted = Counted::default();
        let mut connection = self.0.connection();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let mut known = transaction.prepare("SELECT event FROM event WHERE source = ?1 AND key = ?2")?;
            let mut put = transaction.prepare(
                "INSERT INTO event (source, key, page, since, seen, event) VALUES (?1, ?2, ?3, ?4, ?4, ?5)
                 ON CONFLICT (source, key) DO UPDATE SET page = ?3, seen = ?4, event = ?5",
            )?;
            for event in events.events() {
                // What has no link cannot be shown, and is not kept either.
                let Ok(published) = event.publish() else { continue };
                let key = event.key().as_str();
                let text = json(&published)?;
                let before: Option<String> = known.query_row([id, key], |row| row.get(0)).optional()?;
                let count = match before {
                    None => &mut counted.added,
                    Some(before) if same(&before, &text) => &mut counted.unchanged,
                    Some(_) => &mut counted.changed,
                };
                *count += 1;
                put.execute(params![id, key, url, stored(page.at), text])?;
            }
        }
        put_page(&transaction, id, url, page)?;
        transaction.commit()?;
        Ok(counted)
    }

    /// A page was unchanged: its events stand. Returns how many there are.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn unchanged(&self, id: &str, url: &str, page: &Page) -> rusqlite::Result<u64> {
        let mut connection = self.0.connection();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let seen = "UPDATE event SET seen = ?3 WHERE source = ?1 AND page = ?2";
        let events = transaction.execute(seen, params![id, url, stored(page.at)])?;
        put_page(&transaction, id, url, page)?;
        transaction.commit()?;
        Ok(u64::try_from(events).unwrap_or(u64::MAX))
    }

    /// Takes away the events that a whole run has not seen; how many those were.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn forget_unseen(&self, id: &str, began: u64) -> rusqlite::Result<u64> {
        let delete = "DELETE FROM event WHERE source = ?1 AND seen < ?2";
        let gone = self.0.connection().execute(delete, params![id, stored(began)])?;
        Ok(u64::try_from(gone).unwrap_or(u64::MAX))
    }

    /// The events of a source, cleaned once more; with the moment each was first seen.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn events(&self, id: &str) -> rusqlite::Result<Vec<(Event, u64)>> {
        let connection = self.0.connection();
        let mut query =
            connection.prepare("SELECT event, since FROM event WHERE source = ?1 ORDER BY key")?;
        let rows = query.query_map([id], |row| Ok((row.get::<_, String>(0)?, read(row.get(1)?))))?;
        let events = rows.filter_map(|row| match row {
            Ok((text, since)) => parsed(Some(&text)).map(|event| Ok((event, since))),
            Err(error) => Some(Err(error)),
        });
        events.collect()
    }

    /// The sources of which anything is held.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn sources(&self) -> rusqlite::Result<Vec<String>> {
        let connection = self.0.connection();
        let mut query = connection.prepare("SELECT id FROM source ORDER BY id")?;
        query.query_map([], |row| row.get(0))?.collect()
    }

    /// The last look at the robots.txt of an origin.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn look(&self, origin: &str) -> rusqlite::Result<Option<Look>> {
        let query = "SELECT look FROM look WHERE origin = ?1";
        let look: Option<String> =
            self.0.connection().query_row(query, [origin], |row| row.get(0)).optional()?;
        Ok(parsed(look.as_deref()))
    }

    /// Keeps a look.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn keep_look(&self, origin: &str, look: &Look) -> rusqlite::Result<()> {
        let put = "INSERT OR REPLACE INTO look (origin, look) VALUES (?1, ?2)";
        self.0.connection().execute(put, params![origin, json(look)?]).map(drop)
    }

    /// A translation that was made before.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn translation(
        &self,
        from: &str,
        to: &str,
        by: &str,
        text: &str,
    ) -> rusqlite::Result<Option<String>> {
        let query = "SELECT translated FROM translation WHERE source_language = ?1 AND language = ?2 AND translator = ?3 AND text = ?4";
        self.0.connection().query_row(query, [from, to, by, text], |row| row.get(0)).optional()
    }

    /// Keeps translations, so that no text is translated twice; an empty one says that it cannot be.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn keep_translations(
        &self,
        from: &str,
        to: &str,
        by: &str,
        texts: impl IntoIterator<Item = (String, String)>,
    ) -> rusqlite::Result<()> {
        let mut connection = self.0.connection();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for (text, translated) in texts {
            let put = "INSERT OR REPLACE INTO translation (source_language, language, translator, text, translated) VALUES (?1, ?2, ?3, ?4, ?5)";
            transaction.prepare_cached(put)?.execute([from, to, by, &text, &translated])?;
        }
        transaction.commit()
    }
}

fn put_page(connection: &rusqlite::Connection, id: &str, url: &str, page: &Page) -> rusqlite::Result<()> {
    let put =
        "INSERT OR REPLACE INTO page (source, url, at, validators, completeness) VALUES (?1, ?2, ?3, ?4, ?5)";
    let validators = page.validators.as_ref().map(json).transpose()?;
    let completeness = page.completeness.as_ref().map(json).transpose()?;
    connection.execute(put, params![id, url, stored(page.at), validators, completeness]).map(drop)
}

fn ask(connection: &rusqlite::Connection, host: &str, now: u64, requests: i64) -> rusqlite::Result<()> {
    let put = "INSERT INTO asked (host, day, requests, unchanged, bytes) VALUES (?1, ?2, ?3, 0, 0)
               ON CONFLICT (host, day) DO UPDATE SET requests = requests + ?3";
    connection.execute(put, params![host, stored(now) / DAY, requests]).map(drop)
}

/// Whether two records say the same; a later date of change alone is no change.
fn same(one: &str, other: &str) -> bool {
    let told = |text: &str| {
        let mut event: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
        if let Some(fields) = event.as_object_mut() {
            fields.remove("updated");
        }
        event
    };
    one == other || told(one) == told(other)
}
