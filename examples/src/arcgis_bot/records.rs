//! What the catalogue holds, as it is read back.

use std::time::SystemTime;

use bot_etiquette::arcgis::{
    Address, Bbox, Extent, Layer, LayerWhere, Place, Root, Service, ServiceState, ServiceUrl,
};
use rusqlite::{Row, params};

use super::catalogue::{Catalogue, VISIT_AGE, WHOLE_SERVICE, millis, parsed, time};

/// A server's directory.
#[derive(Clone, Debug)]
pub struct RootRecord {
    /// Its number.
    pub id: i64,
    /// Its address.
    pub url: String,
    /// Its host.
    pub host: String,
    /// How it was found.
    pub found: String,
    /// When it was last read to its end.
    pub walked: Option<SystemTime>,
    /// Why it was not.
    pub problem: Option<String>,
    /// Services that it lists, and how many of them were read.
    pub services: (u64, u64),
    /// Folders that could not be read, and why.
    pub closed: Vec<(String, String)>,
}

/// A service.
#[derive(Clone, Debug)]
pub struct ServiceRecord {
    /// Its number.
    pub id: i64,
    /// Its address.
    pub url: ServiceUrl,
    /// When it was last described.
    pub visited: Option<SystemTime>,
    /// When it was last asked whether it is there.
    pub checked: Option<SystemTime>,
    /// Whether it is public.
    pub state: ServiceState,
    /// What was wrong.
    pub problem: Option<String>,
    /// Its description.
    pub facts: Option<Service>,
    /// Requests of its last description.
    pub requests: u32,
    /// Requests about where its layers lie since then.
    pub asked: u32,
}

/// A layer.
#[derive(Clone, Debug)]
pub struct LayerRecord {
    /// Its number in the catalogue.
    pub id: i64,
    /// Its number in the service; [`WHOLE_SERVICE`] stands for the service itself.
    pub number: i64,
    /// Its description.
    pub layer: Layer,
    /// Where it lies.
    pub known: LayerWhere,
    /// When its picture was last drawn, or tried.
    pub drawn: Option<SystemTime>,
    /// How.
    pub way: Option<String>,
    /// The picture.
    pub picture: Option<Vec<u8>>,
}

impl LayerRecord {
    /// Its name, or its number.
    #[must_use]
    pub fn name(&self) -> String {
        self.layer.name.clone().unwrap_or_else(|| format!("layer {}", self.number))
    }

    /// Where it lies: where all its outlines were seen, or else where its server says.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        place(&self.known)
    }

    /// Whether it is a layer of a service that has any.
    #[must_use]
    pub fn is_layer(&self) -> bool {
        self.number != WHOLE_SERVICE
    }
}

/// Where a layer lies, by the best that is known.
#[must_use]
pub fn place(known: &LayerWhere) -> Option<Place> {
    let Some(coverage) = &known.coverage else { return known.place.clone() };
    let Bbox { west, south, east, north } = coverage.area();
    Some(Extent::new([west, south, east, north], 4326).to_wgs84())
}

const SERVICE: &str = "SELECT id, url, visited, checked, state, problem, facts, requests, asked FROM service";

const LAYER: &str =
    "SELECT layer.id, layer.number, layer.facts, layer.known, preview.drawn, preview.way, preview.picture
    FROM layer LEFT JOIN preview ON preview.layer = layer.id";

impl Catalogue {
    /// Every root, in the order of its finding.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn roots(&self) -> rusqlite::Result<Vec<RootRecord>> {
        self.query(|tables| {
            let query = "SELECT id, url, host, found, walked, problem,
                (SELECT count(*) FROM service WHERE root = root.id),
                (SELECT count(*) FROM service WHERE root = root.id AND visited IS NOT NULL) FROM root ORDER BY id";
            let mut query = tables.prepare(query)?;
            let mut roots = Vec::new();
            for root in query.query_map([], root)? {
                let mut root = root?;
                let query = "SELECT name, problem FROM folder WHERE root = ?1 AND problem IS NOT NULL ORDER BY name";
                let mut folders = tables.prepare_cached(query)?;
                let folders = folders.query_map([root.id], |row| Ok((row.get(0)?, row.get(1)?)))?;
                root.closed = folders.collect::<Result<_, _>>()?;
                roots.push(root);
            }
            Ok(roots)
        })
    }

    /// Whether a root was read to its end within the last day.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn is_walked(&self, root: i64, now: SystemTime) -> rusqlite::Result<bool> {
        let query = "SELECT coalesce(walked, 0) > ?2 FROM root WHERE id = ?1";
        self.query(|tables| tables.query_row(query, params![root, day_before(now)], |row| row.get(0)))
    }

    /// The services of a root that a crawl still has to visit: of kinds that show a map, whose last visit was not finished
    /// within a day, not judged within a day, and not dropped; unvisited ones first.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn due(&self, root: i64, now: SystemTime) -> rusqlite::Result<Vec<ServiceRecord>> {
        let query = format!(
            "{SERVICE} WHERE root = ?1 AND coalesce(finished, 0) <= ?2 AND (visited IS NOT NULL OR coalesce(checked, 0) <= ?2)
             AND state IN ('unchecked', 'public') AND type IN ('MapServer', 'FeatureServer', 'ImageServer', 'VectorTileServer',
             'SceneServer') ORDER BY visited, id"
        );
        self.services_of(&query, params![root, day_before(now)])
    }

    /// One service as it is now.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn service(&self, id: i64) -> rusqlite::Result<Option<ServiceRecord>> {
        Ok(self.services_of(&format!("{SERVICE} WHERE id = ?1"), params![id])?.pop())
    }

    /// Every service of a root.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn services(&self, root: i64) -> rusqlite::Result<Vec<ServiceRecord>> {
        self.services_of(&format!("{SERVICE} WHERE root = ?1 ORDER BY name, type"), params![root])
    }

    /// Known services whose last check is a day old or more, and that were not dropped; the oldest first.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn unchecked(&self, now: SystemTime) -> rusqlite::Result<Vec<ServiceRecord>> {
        let query = format!(
            "{SERVICE} WHERE checked IS NOT NULL AND checked <= ?1 AND state IN ('unchecked', 'public') ORDER BY checked, id"
        );
        self.services_of(&query, params![day_before(now)])
    }

    fn services_of(
        &self,
        query: &str,
        parameters: impl rusqlite::Params,
    ) -> rusqlite::Result<Vec<ServiceRecord>> {
        self.query(|tables| {
            let mut query = tables.prepare(query)?;
            let services = query.query_map(parameters, service)?;
            // An address of no known kind was listed, and is not asked.
            services.filter_map(|service| service.transpose()).collect()
        })
    }

    /// The layers of a service, in the server's numbers.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn layers(&self, service: i64) -> rusqlite::Result<Vec<LayerRecord>> {
        self.query(|tables| {
            let mut query =
                tables.prepare_cached(&format!("{LAYER} WHERE layer.service = ?1 ORDER BY number"))?;
            query.query_map([service], layer)?.collect()
        })
    }

    /// One layer.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn layer(&self, id: i64) -> rusqlite::Result<LayerRecord> {
        self.query(|tables| tables.query_row(&format!("{LAYER} WHERE layer.id = ?1"), [id], layer))
    }
}

fn day_before(now: SystemTime) -> i64 {
    millis(now).saturating_sub(i64::try_from(VISIT_AGE.as_millis()).unwrap_or(i64::MAX))
}

fn root(row: &Row<'_>) -> rusqlite::Result<RootRecord> {
    Ok(RootRecord {
        id: row.get(0)?,
        url: row.get(1)?,
        host: row.get(2)?,
        found: row.get(3)?,
        walked: row.get::<_, Option<i64>>(4)?.map(time),
        problem: row.get(5)?,
        services: (count(row, 6)?, count(row, 7)?),
        closed: Vec::new(),
    })
}

fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(column)?).unwrap_or(0))
}

fn service(row: &Row<'_>) -> rusqlite::Result<Option<ServiceRecord>> {
    let address: String = row.get(1)?;
    let Some(url) = address.parse::<Address>().ok().and_then(|address| address.service) else {
        return Ok(None);
    };
    let state: String = row.get(4)?;
    Ok(Some(ServiceRecord {
        id: row.get(0)?,
        url,
        visited: row.get::<_, Option<i64>>(2)?.map(time),
        checked: row.get::<_, Option<i64>>(3)?.map(time),
        state: parsed(&format!("\"{state}\""))?,
        problem: row.get(5)?,
        facts: row.get::<_, Option<String>>(6)?.map(|text| parsed(&text)).transpose()?,
        requests: row.get(7)?,
        asked: row.get(8)?,
    }))
}

fn layer(row: &Row<'_>) -> rusqlite::Result<LayerRecord> {
    Ok(LayerRecord {
        id: row.get(0)?,
        number: row.get(1)?,
        layer: parsed(&row.get::<_, String>(2)?)?,
        known: parsed(&row.get::<_, String>(3)?)?,
        drawn: row.get::<_, Option<i64>>(4)?.map(time),
        way: row.get(5)?,
        picture: row.get(6)?,
    })
}

impl ServiceRecord {
    /// Whether it was described within the last day.
    #[must_use]
    pub fn is_fresh(&self, now: SystemTime) -> bool {
        self.visited.is_some_and(|visited| millis(visited) > day_before(now))
    }
}

impl RootRecord {
    /// Its address, as the crawl takes it.
    #[must_use]
    pub fn root(&self) -> Option<Root> {
        self.url.parse().ok()
    }
}
