//! What is kept of pages: the last record, and the states they were in.

use bot_etiquette::html::{Page, PageDiff};
use rusqlite::{Connection, OptionalExtension, params};

use super::Site;
use super::record::{PageOutcome, PageRecord};
use crate::state::State;

/// States of a page that are kept.
pub(crate) const VERSIONS: i64 = 10;

/// The pages of a site.
pub(crate) struct Pages<'s> {
    state: &'s State,
    site: i64,
}

/// A page as it is known.
pub(crate) struct Known {
    pub(crate) key: String,
    pub(crate) record: PageRecord,
    pub(crate) first_read: Option<i64>,
    /// When it was first seen as it is now.
    pub(crate) changed: Option<i64>,
    /// SHA-256 of its words.
    pub(crate) hash: Option<String>,
    pub(crate) page: Option<Page>,
    /// The state before.
    pub(crate) before: Option<Page>,
}

impl Known {
    /// What changed when it last did.
    pub(crate) fn diff(&self) -> Option<PageDiff> {
        let diff = PageDiff::between(self.before.as_ref()?, self.page.as_ref()?);
        (!diff.is_empty()).then_some(diff)
    }
}

impl<'s> Pages<'s> {
    pub(crate) const fn new(state: &'s State, site: &Site) -> Self {
        Self { state, site: site.id }
    }

    /// What was last known of a page.
    pub(crate) fn record(&self, key: &str) -> rusqlite::Result<Option<PageRecord>> {
        let query = "SELECT record FROM page WHERE site = ?1 AND key = ?2";
        let text: Option<String> =
            self.state.connection().query_row(query, params![self.site, key], |row| row.get(0)).optional()?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// The page as it was last read so.
    pub(crate) fn page(&self, key: &str, rendered: bool) -> rusqlite::Result<Option<Page>> {
        Ok(versions(&self.state.connection(), self.site, key, rendered, 1)?.into_iter().next())
    }

    /// Keeps what came of a page. Whether it says something else than before.
    pub(crate) fn keep(&self, key: &str, record: &PageRecord, page: Option<&Page>) -> rusqlite::Result<bool> {
        let mut connection = self.state.connection();
        let transaction = connection.transaction()?;
        let query = "SELECT first_read FROM page WHERE site = ?1 AND key = ?2";
        let first_read: Option<Option<i64>> =
            transaction.query_row(query, params![self.site, key], |row| row.get(0)).optional()?;
        let before = versions(&transaction, self.site, key, record.rendered, 1)?.into_iter().next();
        let put =
            "INSERT INTO page (site, key, record) VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET record = ?3";
        transaction.execute(put, params![self.site, key, json(record)])?;
        let mut changed = false;
        if let Some(page) = page {
            let is_first = first_read.flatten().is_none();
            changed = before.as_ref().is_some_and(|before| !PageDiff::between(before, page).is_empty());
            if changed || before.is_none() {
                let put = "INSERT OR REPLACE INTO version (site, key, at, rendered, page) VALUES (?1, ?2, ?3, ?4, ?5)";
                transaction.execute(put, params![self.site, key, record.at, record.rendered, json(page)])?;
                let drop = "DELETE FROM version WHERE site = ?1 AND key = ?2 AND at NOT IN
                            (SELECT at FROM version WHERE site = ?1 AND key = ?2 ORDER BY at DESC LIMIT ?3)";
                transaction.execute(drop, params![self.site, key, VERSIONS])?;
                // Looked at in another way for the first time, it need not be another.
                let put = "UPDATE page SET hash = ?3, changed = iif(?5, ?4, ifnull(changed, ?4)) WHERE site = ?1 AND key = ?2";
                transaction.execute(put, params![self.site, key, hash(page), record.at, changed])?;
            }
            if is_first {
                let put = "UPDATE page SET first_read = ?3 WHERE site = ?1 AND key = ?2";
                transaction.execute(put, params![self.site, key, record.at])?;
            }
        }
        transaction.commit()?;
        Ok(changed)
    }

    /// All pages, by URL.
    pub(crate) fn all(&self) -> rusqlite::Result<Vec<Known>> {
        self.load(None)
    }

    /// One page.
    pub(crate) fn known(&self, key: &str) -> rusqlite::Result<Option<Known>> {
        Ok(self.load(Some(key))?.pop())
    }

    fn load(&self, key: Option<&str>) -> rusqlite::Result<Vec<Known>> {
        let connection = self.state.connection();
        let query = "SELECT key, record, first_read, changed, hash FROM page
                     WHERE site = ?1 AND (?2 IS NULL OR key = ?2) ORDER BY key";
        let mut query = connection.prepare(query)?;
        let mut rows = query.query(params![self.site, key])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            let (key, text): (String, String) = (row.get(0)?, row.get(1)?);
            let Ok(record) = serde_json::from_str::<PageRecord>(&text) else { continue };
            let mut versions = versions(&connection, self.site, &key, record.rendered, 2)?.into_iter();
            // A page that can no longer be read says what it last said, which is not what it says now.
            let page = versions.next().filter(|_| record.outcome == PageOutcome::Read);
            let (first_read, changed, hash) = (row.get(2)?, row.get(3)?, row.get(4)?);
            all.push(Known { key, record, first_read, changed, hash, page, before: versions.next() });
        }
        Ok(all)
    }
}

/// The newest states of a page, as it was sent or as it was shown: the two are not compared.
fn versions(
    connection: &Connection,
    site: i64,
    key: &str,
    rendered: bool,
    most: i64,
) -> rusqlite::Result<Vec<Page>> {
    let query =
        "SELECT page FROM version WHERE site = ?1 AND key = ?2 AND rendered = ?3 ORDER BY at DESC LIMIT ?4";
    let mut query = connection.prepare_cached(query)?;
    let texts: Vec<String> = query
        .query_map(params![site, key, rendered, most], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(texts.iter().filter_map(|text| serde_json::from_str(text).ok()).collect())
}

/// SHA-256 of the words that are seen.
fn hash(page: &Page) -> String {
    page.text_hash().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
