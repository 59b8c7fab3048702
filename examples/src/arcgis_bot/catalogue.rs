//! The catalogue: servers, services, layers, pictures, in the bot's one SQLite file.
//!
//! Every step of a crawl is one transaction, so that a crawl that was killed goes on with what is missing. The words
//! of a layer are in an FTS5 table, its boxes in an R*Tree.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bot_etiquette::arcgis::{
    Bbox, Layer, LayerKind, LayerWhere, Place, Report, Root, Service, ServiceUrl, Standing,
};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use serde::Serialize;

use super::records::place;
use crate::state::State;

/// The name and version of the tables, for [`State::open`].
pub const NAME: (&str, i64) = ("arcgis-bot", 1);

/// How long a listing and a description hold: a crawl within that time goes on where the last one ended.
pub const VISIT_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// The number of what a service without layers shows: an image, a set of tiles.
pub const WHOLE_SERVICE: i64 = -1;

/// The tables, for [`State::open`].
pub const TABLES: &str = r#"
    CREATE TABLE IF NOT EXISTS root (
        id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, url TEXT NOT NULL, host TEXT NOT NULL,
        found TEXT NOT NULL, walked INTEGER, problem TEXT
    );
    CREATE TABLE IF NOT EXISTS folder (
        root INTEGER NOT NULL REFERENCES root, name TEXT NOT NULL, problem TEXT, PRIMARY KEY (root, name)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS service (
        id INTEGER PRIMARY KEY, root INTEGER NOT NULL REFERENCES root, name TEXT NOT NULL, type TEXT NOT NULL,
        url TEXT NOT NULL UNIQUE, visited INTEGER, checked INTEGER, standing TEXT, state TEXT NOT NULL DEFAULT 'unchecked',
        problem TEXT, facts TEXT, requests INTEGER NOT NULL DEFAULT 0, asked INTEGER NOT NULL DEFAULT 0, finished INTEGER
    );
    CREATE INDEX IF NOT EXISTS service_root ON service (root);
    CREATE TABLE IF NOT EXISTS layer (
        id INTEGER PRIMARY KEY, service INTEGER NOT NULL REFERENCES service, number INTEGER NOT NULL,
        facts TEXT NOT NULL, known TEXT NOT NULL, boxed INTEGER NOT NULL, UNIQUE (service, number)
    );
    CREATE TABLE IF NOT EXISTS preview (
        layer INTEGER PRIMARY KEY REFERENCES layer, drawn INTEGER NOT NULL, way TEXT NOT NULL, picture BLOB
    );
    CREATE VIRTUAL TABLE IF NOT EXISTS layer_text USING fts5(
        name, service, words, tokenize = "unicode61 remove_diacritics 2"
    );
    CREATE VIRTUAL TABLE IF NOT EXISTS layer_box USING rtree(id, west, east, south, north, +layer INTEGER);
    CREATE TABLE IF NOT EXISTS turn (host TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS probe (host TEXT PRIMARY KEY, until INTEGER NOT NULL, finding TEXT NOT NULL) WITHOUT ROWID;
"#;

/// Moves what was noted when with a clock that was set back by `?1` milliseconds, for
/// [`SqliteStore::begin`](crate::sqlite_store::SqliteStore::begin).
pub const STEPPED_BACK: &[&str] = &[
    "UPDATE root SET walked = walked - ?1",
    "UPDATE service SET visited = visited - ?1, checked = checked - ?1, finished = finished - ?1",
    "UPDATE service SET standing = json_set(standing, '$.auth.last.secs_since_epoch',
        json_extract(standing, '$.auth.last.secs_since_epoch') - ?1 / 1000)
        WHERE json_extract(standing, '$.auth.last') IS NOT NULL",
    "UPDATE service SET standing = json_set(standing, '$.gone.last.secs_since_epoch',
        json_extract(standing, '$.gone.last.secs_since_epoch') - ?1 / 1000)
        WHERE json_extract(standing, '$.gone.last') IS NOT NULL",
    "UPDATE layer SET known = json_set(known, '$.checked.secs_since_epoch',
        json_extract(known, '$.checked.secs_since_epoch') - ?1 / 1000)
        WHERE json_extract(known, '$.checked') IS NOT NULL",
    "UPDATE preview SET drawn = drawn - ?1",
    "UPDATE turn SET until = until - ?1",
    "UPDATE probe SET until = until - ?1",
];

/// The tables of the catalogue; clones share them.
#[derive(Clone)]
pub struct Catalogue(Arc<State>);

impl Catalogue {
    /// The catalogue in this state.
    ///
    /// # Errors
    /// When the file cannot be used.
    pub fn new(state: Arc<State>) -> rusqlite::Result<Self> {
        // What a power failure takes of the catalogue is read again; the politeness beside it is always synced.
        state.connection().pragma_update(None, "synchronous", "normal")?;
        Ok(Self(state))
    }

    /// Runs a query; never over an await.
    ///
    /// # Errors
    /// Those of the query.
    pub fn query<T>(&self, query: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> rusqlite::Result<T> {
        query(&self.0.connection())
    }

    fn change<T>(&self, change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> rusqlite::Result<T> {
        let mut connection = self.0.connection();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = change(&transaction)?;
        transaction.commit()?;
        Ok(done)
    }

    /// The number of a root; `found` says how it was come by, the first time.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn root(&self, root: &Root, found: &str) -> rusqlite::Result<i64> {
        self.change(|tables| {
            let known = "SELECT id FROM root WHERE key = ?1";
            if let Some(id) = tables.query_row(known, [root.key()], |row| row.get(0)).optional()? {
                return Ok(id);
            }
            let host = root.url().host_str().unwrap_or_default();
            let put = "INSERT INTO root (key, url, host, found) VALUES (?1, ?2, ?3, ?4)";
            tables.execute(put, params![root.key(), root.url().as_str(), host, found])?;
            Ok(tables.last_insert_rowid())
        })
    }

    /// Notes how the reading of a root went: `None` when it was read to its end.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn walked(&self, root: i64, problem: Option<&str>, now: SystemTime) -> rusqlite::Result<()> {
        let put = "UPDATE root SET walked = CASE WHEN ?2 IS NULL THEN ?3 ELSE walked END, problem = ?2 WHERE id = ?1";
        self.change(|tables| tables.execute(put, params![root, problem, millis(now)]).map(drop))
    }

    /// Notes a folder, the services found so far, and what was wrong with the folder.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn listed(
        &self,
        root: i64,
        folder: &str,
        problem: Option<&str>,
        services: &[ServiceUrl],
    ) -> rusqlite::Result<()> {
        self.change(|tables| {
            let put = "INSERT OR REPLACE INTO folder (root, name, problem) VALUES (?1, ?2, ?3)";
            tables.execute(put, params![root, folder, problem])?;
            let put = "INSERT OR IGNORE INTO service (root, name, type, url) VALUES (?1, ?2, ?3, ?4)";
            let mut put = tables.prepare_cached(put)?;
            for service in services {
                let kind = service.service_type().as_str();
                put.execute(params![root, service.name(), kind, service.url().as_str()])?;
            }
            Ok(())
        })
    }

    /// Keeps what a visit read: the description, every layer, the counts; layers that are gone go.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn visited(
        &self,
        service: i64,
        url: &ServiceUrl,
        report: &Report,
        now: SystemTime,
    ) -> rusqlite::Result<()> {
        let Some(facts) = &report.service else { return Ok(()) };
        self.change(|tables| {
            let mut standing = standing(tables, service)?;
            standing.succeeded();
            keep_standing(tables, service, &standing)?;
            let problem = report.problems.first().map(ToString::to_string);
            let put = "UPDATE service SET visited = ?2, checked = ?2, problem = ?3, facts = ?4,
                requests = ?5, asked = 0, finished = NULL WHERE id = ?1";
            tables.execute(put, params![service, millis(now), problem, json(facts)?, report.requests])?;
            let whole = report.layers.is_empty().then(|| (WHOLE_SERVICE, whole(url, facts)));
            let layers = report.layers.iter().map(|layer| (number(layer), layer.clone()));
            let mut kept = Vec::new();
            for (number, layer) in layers.chain(whole) {
                let query = "SELECT known FROM layer WHERE service = ?1 AND number = ?2";
                let known: Option<String> =
                    tables.query_row(query, params![service, number], |row| row.get(0)).optional()?;
                let mut known: LayerWhere = known.map(|text| parsed(&text)).transpose()?.unwrap_or_default();
                if let Some(told) = report.counts.layers.iter().find(|told| told.id == layer.id) {
                    known.learn(told, now);
                }
                if known.place.is_none() {
                    known.place = Some(layer.place(Some(facts), known.count));
                }
                kept.push(keep_layer(tables, service, number, &layer, &known)?);
                keep_words(tables, *kept.last().unwrap_or(&0), url, facts, &layer)?;
            }
            forget_others(tables, service, &kept)
        })
    }

    /// Notes a visit or a check that read nothing: what it says of the service, if it says anything.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn judged(
        &self,
        service: i64,
        problem: &str,
        now: SystemTime,
        judge: impl FnOnce(&mut Standing),
    ) -> rusqlite::Result<()> {
        self.change(|tables| {
            let mut standing = standing(tables, service)?;
            judge(&mut standing);
            keep_standing(tables, service, &standing)?;
            let put = "UPDATE service SET checked = ?2, problem = ?3 WHERE id = ?1";
            tables.execute(put, params![service, millis(now), problem]).map(drop)
        })
    }

    /// Notes a check that the service answered; whether its description says something else than the one that is kept.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn answered(&self, service: i64, facts: &Service, now: SystemTime) -> rusqlite::Result<bool> {
        self.change(|tables| {
            let mut standing = standing(tables, service)?;
            standing.succeeded();
            keep_standing(tables, service, &standing)?;
            let query = "SELECT facts FROM service WHERE id = ?1";
            let kept: Option<String> = tables.query_row(query, [service], |row| row.get(0))?;
            let kept: Option<Service> = kept.map(|text| parsed(&text)).transpose()?;
            let changed = kept.is_none_or(|kept| kept.fingerprint() != facts.fingerprint());
            // One that has changed is visited by the next crawl, whatever its age.
            let put = "UPDATE service SET checked = ?2, problem = NULL,
                visited = CASE WHEN ?3 THEN NULL ELSE visited END,
                finished = CASE WHEN ?3 THEN NULL ELSE finished END WHERE id = ?1";
            tables.execute(put, params![service, millis(now), changed])?;
            Ok(changed)
        })
    }

    /// Keeps what is known of where layers lie, after so many requests more about it.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn placed(&self, service: i64, layers: &[(u64, LayerWhere)], requests: u32) -> rusqlite::Result<()> {
        self.change(|tables| {
            let put = "UPDATE service SET asked = asked + ?2 WHERE id = ?1";
            tables.execute(put, params![service, requests])?;
            for (number, known) in layers {
                let query = "SELECT id FROM layer WHERE service = ?1 AND number = ?2";
                let layer = tables.query_row(query, params![service, number_of(*number)], |row| row.get(0));
                let Some(layer) = layer.optional()? else { continue };
                let put = "UPDATE layer SET known = ?2 WHERE id = ?1";
                tables.execute(put, params![layer, json(known)?])?;
                keep_boxes(tables, layer, place(known).as_ref())?;
            }
            Ok(())
        })
    }

    /// Begins a new visit that asks where layers lie, or with a time ends one.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finished(&self, service: i64, at: Option<SystemTime>) -> rusqlite::Result<()> {
        let put = "UPDATE service SET finished = ?2, asked = CASE WHEN ?2 IS NULL THEN 0 ELSE asked END WHERE id = ?1";
        self.change(|tables| tables.execute(put, params![service, at.map(millis)]).map(drop))
    }

    /// Keeps a picture, or that none came of trying.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn drawn(
        &self,
        layer: i64,
        way: &str,
        picture: Option<&[u8]>,
        now: SystemTime,
    ) -> rusqlite::Result<()> {
        let put = "INSERT INTO preview (layer, drawn, way, picture) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (layer) DO UPDATE SET drawn = ?2, way = ?3, picture = coalesce(?4, picture)";
        self.change(|tables| tables.execute(put, params![layer, millis(now), way, picture]).map(drop))
    }
}

impl Catalogue {
    /// Takes the turn at a host where requests go in single file, until it is ended or this time has come; or says until
    /// when another process has it.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn take_turn(
        &self,
        host: &str,
        now: SystemTime,
        until: SystemTime,
    ) -> rusqlite::Result<Option<SystemTime>> {
        self.change(|tables| {
            let query = "SELECT until FROM turn WHERE host = ?1 AND until > ?2";
            let held = tables.query_row(query, params![host, millis(now)], |row| row.get(0)).optional()?;
            if let Some(held) = held {
                return Ok(Some(time(held)));
            }
            let put = "INSERT OR REPLACE INTO turn (host, until) VALUES (?1, ?2)";
            tables.execute(put, params![host, millis(until)])?;
            Ok(None)
        })
    }

    /// Ends the turn: the next one begins at this time.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn end_turn(&self, host: &str, next: SystemTime) -> rusqlite::Result<()> {
        let put = "UPDATE turn SET until = ?2 WHERE host = ?1";
        // A part of a millisecond is a whole one here: nobody is early by rounding.
        self.change(|tables| tables.execute(put, params![host, millis(next).saturating_add(1)]).map(drop))
    }
}

fn standing(tables: &Transaction<'_>, service: i64) -> rusqlite::Result<Standing> {
    let query = "SELECT standing FROM service WHERE id = ?1";
    let kept: Option<String> = tables.query_row(query, [service], |row| row.get(0))?;
    Ok(kept.map(|text| parsed(&text)).transpose()?.unwrap_or_default())
}

fn keep_standing(tables: &Transaction<'_>, service: i64, standing: &Standing) -> rusqlite::Result<()> {
    let state = serde_json::to_value(standing.state()).map_err(unwritable)?;
    let put = "UPDATE service SET standing = ?2, state = ?3 WHERE id = ?1";
    tables.execute(put, params![service, json(standing)?, state.as_str()]).map(drop)
}

fn keep_layer(
    tables: &Transaction<'_>,
    service: i64,
    number: i64,
    layer: &Layer,
    known: &LayerWhere,
) -> rusqlite::Result<i64> {
    let put = "INSERT INTO layer (service, number, facts, known, boxed) VALUES (?1, ?2, ?3, ?4, 0)
        ON CONFLICT (service, number) DO UPDATE SET facts = ?3, known = ?4 RETURNING id";
    let id = tables.query_row(put, params![service, number, json(layer)?, json(known)?], |row| row.get(0))?;
    keep_boxes(tables, id, place(known).as_ref())?;
    Ok(id)
}

fn keep_boxes(tables: &Transaction<'_>, layer: i64, place: Option<&Place>) -> rusqlite::Result<()> {
    // Two boxes at the antimeridian, so two numbers for each layer.
    let ids = [layer.saturating_mul(2), layer.saturating_mul(2).saturating_add(1)];
    tables.execute("DELETE FROM layer_box WHERE id IN (?1, ?2)", params![ids[0], ids[1]])?;
    let boxes = place.map_or(&[][..], |place| &place.boxes);
    for (id, Bbox { west, south, east, north }) in ids.iter().zip(boxes) {
        let put =
            "INSERT INTO layer_box (id, west, east, south, north, layer) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        tables.execute(put, params![id, west, east, south, north, layer])?;
    }
    let put = "UPDATE layer SET boxed = ?2 WHERE id = ?1";
    tables.execute(put, params![layer, !boxes.is_empty()]).map(drop)
}

/// What a layer is found by: its names, what is said of it, the names of its fields.
fn keep_words(
    tables: &Transaction<'_>,
    id: i64,
    url: &ServiceUrl,
    service: &Service,
    layer: &Layer,
) -> rusqlite::Result<()> {
    let fields = layer.fields.iter().flat_map(|field| [Some(&field.name), field.alias.as_ref()]).flatten();
    let said =
        [&layer.description, &layer.copyright_text, &service.service_description, &service.description];
    let words: Vec<&str> = said.into_iter().flatten().chain(fields).map(String::as_str).collect();
    tables.execute("DELETE FROM layer_text WHERE rowid = ?1", [id])?;
    let put = "INSERT INTO layer_text (rowid, name, service, words) VALUES (?1, ?2, ?3, ?4)";
    let name = layer.name.as_deref().unwrap_or_default().replace('_', " ");
    let service = url.name().replace(['/', '_'], " ");
    tables.execute(put, params![id, name, service, words.join(" ")]).map(drop)
}

fn forget_others(tables: &Transaction<'_>, service: i64, kept: &[i64]) -> rusqlite::Result<()> {
    let mut query = tables.prepare("SELECT id FROM layer WHERE service = ?1")?;
    let known: Vec<i64> = query.query_map([service], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for id in known.into_iter().filter(|id| !kept.contains(id)) {
        keep_boxes(tables, id, None)?;
        for delete in [
            "DELETE FROM layer_text WHERE rowid = ?1",
            "DELETE FROM preview WHERE layer = ?1",
            "DELETE FROM layer WHERE id = ?1",
        ] {
            tables.execute(delete, [id])?;
        }
    }
    Ok(())
}

/// A service without layers as a layer of its own, so that it can be found.
fn whole(url: &ServiceUrl, service: &Service) -> Layer {
    let mut layer = Layer::default();
    layer.name = service.name.clone().or_else(|| url.name().rsplit('/').next().map(str::to_owned));
    layer.kind = Some(LayerKind::Other(url.service_type().to_string()));
    layer.extent = service.full_extent.clone().or_else(|| service.initial_extent.clone());
    layer.spatial_reference = service.spatial_reference.clone();
    layer
}

fn number(layer: &Layer) -> i64 {
    number_of(layer.id)
}

fn number_of(layer: u64) -> i64 {
    i64::try_from(layer).unwrap_or(i64::MAX)
}

/// Milliseconds since the Unix epoch.
#[must_use]
pub fn millis(time: SystemTime) -> i64 {
    let passed = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(passed.as_millis()).unwrap_or(i64::MAX)
}

/// A time out of the file.
#[must_use]
pub fn time(millis: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}

fn json(value: &impl Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(unwritable)
}

fn unwritable(error: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(error.into())
}

/// Reads a column that holds JSON.
pub(super) fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> rusqlite::Result<T> {
    serde_json::from_str(text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, error.into())
    })
}
