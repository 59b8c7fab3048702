//! Which pages a crawl reads, in which order, and how far it has come.

use bot_etiquette::html::{Trap, UrlKey};
use rusqlite::{OptionalExtension, params};
use url::Url;

use super::Site;
use crate::state::State;

/// Pages of a crawl at the most, whatever a site links to.
pub(crate) const MAX_JOBS: i64 = 200_000;

/// Why a page is read; the first comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    /// People see it in searches.
    Impressions,
    /// It is the home page.
    Home,
    /// A sitemap names it.
    Sitemap,
    /// Another page links to it.
    Linked,
}

impl Source {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Impressions => "impressions",
            Self::Home => "home",
            Self::Sitemap => "sitemap",
            Self::Linked => "linked",
        }
    }

    fn of(text: &str) -> Self {
        [Self::Impressions, Self::Home, Self::Sitemap]
            .into_iter()
            .find(|source| source.as_str() == text)
            .unwrap_or(Self::Linked)
    }
}

/// A page to read.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) id: i64,
    pub(crate) key: String,
    pub(crate) url: Url,
    pub(crate) host: String,
    pub(crate) source: Source,
}

/// The queue of one crawl.
pub(crate) struct Queue<'s> {
    state: &'s State,
    pub(crate) crawl: i64,
}

impl<'s> Queue<'s> {
    /// Goes on with the crawl of the site that has not ended, or begins one. Second, the pages whose answers were lost.
    pub(crate) fn open(state: &'s State, site: &Site, now: i64) -> rusqlite::Result<(Self, Vec<Job>)> {
        let connection = state.connection();
        let query = "SELECT id FROM crawl WHERE site = ?1 AND finished IS NULL ORDER BY id DESC";
        let open: Option<i64> = connection.query_row(query, [site.id], |row| row.get(0)).optional()?;
        let crawl = match open {
            Some(crawl) => crawl,
            None => {
                connection.execute("INSERT INTO crawl (site, started) VALUES (?1, ?2)", [site.id, now])?;
                let crawl = connection.last_insert_rowid();
                let put = "INSERT INTO job (crawl, key, url, host, source, priority, weight)
                           SELECT ?1, key, min(url), '', 'impressions', 0, sum(impressions) FROM demand WHERE site = ?2 GROUP BY key";
                connection.execute(put, [crawl, site.id])?;
                crawl
            }
        };
        drop(connection);
        let queue = Self { state, crawl };
        // What a search console names has no host yet.
        for job in queue.jobs("host = ''")? {
            let host = job.url.host_str().unwrap_or_default();
            queue
                .state
                .connection()
                .execute("UPDATE job SET host = ?2 WHERE id = ?1", params![job.id, host])?;
        }
        let lost = queue.jobs("state = 'sent'")?;
        if !site.verified {
            queue.add(&site.start, Source::Home)?;
        }
        Ok((queue, lost))
    }

    /// Writes many things at once, or none of them.
    pub(crate) fn at_once<T>(&self, work: impl FnOnce() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
        self.state.connection().execute_batch("BEGIN IMMEDIATE")?;
        let done = work();
        let end = if done.is_ok() { "COMMIT" } else { "ROLLBACK" };
        self.state.connection().execute_batch(end)?;
        done
    }

    /// Adds a page, unless it is known or looks like a maze; a better reason than before moves it forward.
    pub(crate) fn add(&self, url: &Url, source: Source) -> rusqlite::Result<bool> {
        if Trap::of(url).is_some() {
            return Ok(false);
        }
        let key = UrlKey::without_tracking(url);
        let mut plain = url.clone();
        plain.set_fragment(None);
        let put = "INSERT INTO job (crawl, key, url, host, source, priority, weight)
                   SELECT ?1, ?2, ?3, ?4, ?5, ?6, 0 WHERE (SELECT count(*) FROM job WHERE crawl = ?1) < ?7
                   ON CONFLICT (crawl, key) DO UPDATE SET source = ?5, priority = ?6 WHERE priority > ?6 AND state = 'queued'";
        let host = url.host_str().unwrap_or_default();
        let connection = self.state.connection();
        let changed = connection.prepare_cached(put)?.execute(params![
            self.crawl,
            key.as_str(),
            plain.as_str(),
            host,
            source.as_str(),
            source as i64,
            MAX_JOBS
        ])?;
        Ok(changed > 0)
    }

    /// The page that comes next, on none of these hosts.
    pub(crate) fn next(&self, not_on: &[String]) -> rusqlite::Result<Option<Job>> {
        let hosts = serde_json::json!(not_on).to_string();
        let connection = self.state.connection();
        let query = "SELECT id, key, url, host, source FROM job WHERE crawl = ?1 AND state = 'queued'
                     AND host NOT IN (SELECT value FROM json_each(?2)) ORDER BY priority, weight DESC, id LIMIT 1";
        connection.prepare_cached(query)?.query_row(params![self.crawl, hosts], job).optional()
    }

    /// A page was dealt with.
    pub(crate) fn done(&self, job: &Job) -> rusqlite::Result<()> {
        self.state.connection().execute("UPDATE job SET state = 'done' WHERE id = ?1", [job.id]).map(drop)
    }

    /// Marks a page as asked for: called before the request leaves.
    pub(crate) fn sent(state: &State, job: i64) -> rusqlite::Result<()> {
        state.connection().execute("UPDATE job SET state = 'sent' WHERE id = ?1", [job]).map(drop)
    }

    /// Takes the page that a redirect of `from` leads to, as asked for; false where it was already.
    pub(crate) fn claim(state: &State, crawl: i64, from: &str, url: &Url) -> rusqlite::Result<bool> {
        let key = UrlKey::without_tracking(url);
        if key.as_str() == from {
            return Ok(true);
        }
        let put = "INSERT INTO job (crawl, key, url, host, source, priority, weight, state)
                   VALUES (?1, ?2, ?3, ?4, 'linked', 3, 0, 'sent')
                   ON CONFLICT (crawl, key) DO UPDATE SET state = 'sent' WHERE state = 'queued'";
        let host = url.host_str().unwrap_or_default();
        let changed = state.connection().execute(put, params![crawl, key.as_str(), url.as_str(), host])?;
        Ok(changed > 0)
    }

    /// Those of a chain of redirects were dealt with.
    pub(crate) fn done_too(&self, url: &Url) -> rusqlite::Result<()> {
        let key = UrlKey::without_tracking(url);
        let put = "UPDATE job SET state = 'done' WHERE crawl = ?1 AND key = ?2 AND state = 'sent'";
        self.state.connection().execute(put, params![self.crawl, key.as_str()]).map(drop)
    }

    /// How many pages were asked for in this crawl.
    pub(crate) fn asked(&self) -> rusqlite::Result<u32> {
        self.count("state <> 'queued'")
    }

    /// How many are still to be asked for.
    pub(crate) fn left(&self) -> rusqlite::Result<u32> {
        self.count("state = 'queued'")
    }

    /// The crawl has come to its end.
    pub(crate) fn finish(&self, now: i64) -> rusqlite::Result<()> {
        let connection = self.state.connection();
        connection.execute("UPDATE crawl SET finished = ?2 WHERE id = ?1", [self.crawl, now])?;
        // What was beyond the limit is of no use to anybody.
        connection.execute("DELETE FROM job WHERE crawl = ?1", [self.crawl])?;
        connection.execute("DELETE FROM sitemap WHERE crawl = ?1", [self.crawl]).map(drop)
    }

    /// Why it could not go on, for the report; `None` takes an earlier word back.
    pub(crate) fn note(&self, note: Option<&str>) -> rusqlite::Result<()> {
        let put = "UPDATE crawl SET note = ?2 WHERE id = ?1";
        self.state.connection().execute(put, params![self.crawl, note]).map(drop)
    }

    fn count(&self, which: &str) -> rusqlite::Result<u32> {
        let query = format!("SELECT count(*) FROM job WHERE crawl = ?1 AND {which}");
        self.state.connection().query_row(&query, [self.crawl], |row| row.get(0))
    }

    fn jobs(&self, which: &str) -> rusqlite::Result<Vec<Job>> {
        let query = format!("SELECT id, key, url, host, source FROM job WHERE crawl = ?1 AND {which}");
        self.state.connection().prepare(&query)?.query_map([self.crawl], job)?.collect()
    }
}

fn job(row: &rusqlite::Row<'_>) -> rusqlite::Result<Job> {
    let url: String = row.get(2)?;
    let url = url.parse().map_err(|error: url::ParseError| {
        rusqlite::Error::FromSqlConversionFailure(2, rusqlite::types::Type::Text, error.into())
    })?;
    let source: String = row.get(4)?;
    Ok(Job { id: row.get(0)?, key: row.get(1)?, url, host: row.get(3)?, source: Source::of(&source) })
}
