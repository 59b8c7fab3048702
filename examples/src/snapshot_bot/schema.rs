//! The tables of the state file.

use std::path::Path;

use bot_etiquette::politeness::Policy;

use crate::state::{State, StateError};

const NAME: &str = "SiteSnapshot";
const VERSION: i64 = 2;

/// Times are milliseconds since the Unix epoch, of the clock that the bot ran by.
const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS site (
        id INTEGER PRIMARY KEY, host TEXT NOT NULL UNIQUE, start TEXT NOT NULL, subdomains INTEGER NOT NULL,
        desktop INTEGER NOT NULL, rules_of TEXT, page_limit INTEGER,
        post INTEGER NOT NULL
    );
    -- Why a site counts as verified: what was imported, never the word of a person alone.
    CREATE TABLE IF NOT EXISTS evidence (
        site INTEGER NOT NULL REFERENCES site (id), source TEXT NOT NULL, property TEXT NOT NULL, file TEXT NOT NULL,
        pages INTEGER NOT NULL, dropped INTEGER NOT NULL, imported INTEGER NOT NULL
    );
    CREATE TABLE IF NOT EXISTS demand (
        site INTEGER NOT NULL REFERENCES site (id), key TEXT NOT NULL, url TEXT NOT NULL, source TEXT NOT NULL,
        impressions INTEGER NOT NULL, clicks INTEGER NOT NULL, PRIMARY KEY (site, key, source)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS crawl (
        id INTEGER PRIMARY KEY, site INTEGER NOT NULL REFERENCES site (id), started INTEGER NOT NULL, finished INTEGER,
        note TEXT
    );
    -- A request is marked sent before it leaves, so that no restart asks it once more.
    CREATE TABLE IF NOT EXISTS job (
        id INTEGER PRIMARY KEY, crawl INTEGER NOT NULL REFERENCES crawl (id), key TEXT NOT NULL, url TEXT NOT NULL,
        host TEXT NOT NULL, source TEXT NOT NULL, priority INTEGER NOT NULL, weight INTEGER NOT NULL,
        state TEXT NOT NULL DEFAULT 'queued', UNIQUE (crawl, key)
    );
    CREATE INDEX IF NOT EXISTS job_next ON job (crawl, state, priority, weight DESC, id);
    CREATE TABLE IF NOT EXISTS sitemap (
        crawl INTEGER NOT NULL REFERENCES crawl (id), url TEXT NOT NULL, depth INTEGER NOT NULL,
        state TEXT NOT NULL DEFAULT 'queued', pages INTEGER NOT NULL DEFAULT 0, note TEXT, PRIMARY KEY (crawl, url)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS page (
        site INTEGER NOT NULL REFERENCES site (id), key TEXT NOT NULL, first_read INTEGER, changed INTEGER,
        hash TEXT, record TEXT NOT NULL, PRIMARY KEY (site, key)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS version (
        site INTEGER NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL, rendered INTEGER NOT NULL, page TEXT NOT NULL,
        PRIMARY KEY (site, key, at)
    ) WITHOUT ROWID;
    -- A file or a link to another site, over all sites: asked once a week, or once in 30 days.
    CREATE TABLE IF NOT EXISTS probe (
        url TEXT NOT NULL, what TEXT NOT NULL, kind TEXT NOT NULL, asked INTEGER, record TEXT, PRIMARY KEY (url, what)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS wanted (
        site INTEGER NOT NULL REFERENCES site (id), page TEXT NOT NULL, url TEXT NOT NULL, what TEXT NOT NULL,
        PRIMARY KEY (site, page, url, what)
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS wanted_probe ON wanted (site, url, what);
    CREATE TABLE IF NOT EXISTS language (
        crawl INTEGER NOT NULL REFERENCES crawl (id), url TEXT NOT NULL, state TEXT NOT NULL, names TEXT,
        PRIMARY KEY (crawl, url)
    ) WITHOUT ROWID;
";

/// Moves what was noted when with a clock that was set back by `?1` milliseconds.
pub(crate) const STEPPED_BACK: &[&str] = &[
    "UPDATE probe SET asked = asked - ?1, record = json_set(record, '$.at', json_extract(record, '$.at') - ?1)",
    "UPDATE crawl SET started = started - ?1, finished = finished - ?1",
    "UPDATE page SET first_read = first_read - ?1, changed = changed - ?1,
        record = json_set(record, '$.at', json_extract(record, '$.at') - ?1)",
    // By way of moments that no version has: each is part of its key.
    "UPDATE version SET at = -at - ?1",
    "UPDATE version SET at = -at - 2 * ?1",
    "UPDATE evidence SET imported = imported - ?1",
];

/// Opens the state file, or makes it.
///
/// # Errors
/// [`StateError`]; whatever the file held is left as it was.
pub fn open(path: &Path, policy: Policy) -> Result<State, StateError> {
    State::open(path, policy, NAME, TABLES, VERSION)
}
