//! Search by word and place: the catalogue first, then the servers that match, live.

use bot_etiquette::arcgis::{Bbox, Count, Evidence, ServiceUrl, evidence, preview_is_due};
use rusqlite::params;
use serde::Serialize;
use tokio::task::JoinSet;

use super::catalogue::Catalogue;
use super::preview;
use super::records::LayerRecord;
use super::session::{Session, Trouble};
use super::tally::Tally;
use crate::asker::NotRead;
use crate::stack::BoxError;

/// The class of a search's requests, of which the policy lets one be open on a server.
pub const SEARCH: &str = "search";

/// Layers that are found by words, at the most, before the place orders them.
const CANDIDATES: i64 = 300;

/// A layer that was found.
#[derive(Clone, Debug, Serialize)]
pub struct Hit {
    /// Its number in the catalogue.
    pub layer: i64,
    /// Its name.
    pub name: String,
    /// Its service's address.
    pub service: String,
    /// The server that publishes it.
    pub server: String,
    /// Whom the publisher credits.
    pub publisher: Option<String>,
    /// How well it is known that it covers the place; `None` when it is known not to.
    pub evidence: Option<Evidence>,
    /// Features in all.
    pub count: Option<u64>,
    /// Features at the place, as the server said just now.
    pub here: Option<u64>,
    /// How well the words fit; the less, the better.
    pub score: f64,
    /// Whether there is a picture of it.
    pub picture: bool,
    /// Why the server was not asked just now, if it was not.
    pub note: Option<String>,
}

/// A box around a point, so many kilometres in each direction.
#[must_use]
pub fn around((lon, lat): (f64, f64), kilometres: f64) -> Bbox {
    const PER_DEGREE: f64 = 111.32;
    let high = kilometres / PER_DEGREE;
    let wide = high / lat.to_radians().cos().max(0.01);
    Bbox {
        west: (lon - wide).max(-180.0),
        south: (lat - high).max(-90.0),
        east: (lon + wide).min(180.0),
        north: (lat + high).min(90.0),
    }
}

/// The layers that hold all these words and may cover the place: the best evidence first, then the best words. Without a
/// place the words decide alone.
///
/// # Errors
/// When the catalogue cannot be read.
pub fn find(catalogue: &Catalogue, words: &str, place: Option<&Bbox>) -> rusqlite::Result<Vec<Hit>> {
    let Some(query) = full_text(words) else { return Ok(Vec::new()) };
    let found: Vec<(i64, String, f64, Option<String>)> = catalogue.query(|tables| {
        // A layer whose place nobody knows is not ruled out by its place.
        let sql = "SELECT layer.id, service.url, bm25(layer_text, 8.0, 3.0, 1.0),
            json_extract(service.facts, '$.copyrightText') FROM layer_text
            JOIN layer ON layer.id = layer_text.rowid JOIN service ON service.id = layer.service
            WHERE layer_text MATCH ?1 AND service.state IN ('public', 'unchecked')
            AND (?2 IS NULL OR NOT layer.boxed OR layer.id IN
                (SELECT layer FROM layer_box WHERE west <= ?4 AND east >= ?2 AND south <= ?5 AND north >= ?3))
            ORDER BY 3 LIMIT ?6";
        let corner = |edge: fn(&Bbox) -> f64| place.map(edge);
        let [west, south] = [corner(|bbox| bbox.west), corner(|bbox| bbox.south)];
        let [east, north] = [corner(|bbox| bbox.east), corner(|bbox| bbox.north)];
        let mut sql = tables.prepare(sql)?;
        let rows = sql.query_map(params![query, west, south, east, north, CANDIDATES], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })?;
        rows.collect()
    })?;
    let mut hits = Vec::new();
    for (id, service, score, credit) in found {
        let record = catalogue.layer(id)?;
        let evidence = place.map_or(Some(Evidence::Unchecked), |place| evidence_of(&record, place, None));
        if evidence.is_some() {
            hits.push(hit(&record, service, evidence, (score, credit)));
        }
    }
    order(&mut hits);
    Ok(hits)
}

/// Asks the servers of the first `most` hits what they hold at the place, and for pictures that are due; orders anew.
///
/// # Errors
/// When the catalogue cannot be used.
pub async fn ask_live(
    session: &Session,
    hits: &mut Vec<Hit>,
    place: &Bbox,
    most: usize,
) -> Result<Tally, BoxError> {
    let mut asking = JoinSet::new();
    for hit in hits.drain(..most.min(hits.len())) {
        let (session, place) = (session.clone(), *place);
        asking.spawn(async move { ask(&session, hit, &place).await });
    }
    let mut tally = Tally::default();
    while let Some(done) = asking.join_next().await {
        let (hit, missed) = done??;
        match missed {
            Some(not_read) => tally.leave(format!("{} of {}", hit.name, hit.server), &not_read),
            None => tally.read += 1,
        }
        hits.push(hit);
    }
    order(hits);
    Ok(tally)
}

async fn ask(session: &Session, mut hit: Hit, place: &Bbox) -> Result<(Hit, Option<NotRead>), BoxError> {
    let record = session.catalogue.layer(hit.layer)?;
    let Some(url) = hit.service.parse::<bot_etiquette::arcgis::Address>().ok().and_then(|one| one.service)
    else {
        return Ok((hit, None));
    };
    if record.is_layer() && record.layer.is_queryable() {
        let request = url.count_in(record.layer.id, place);
        match session.read::<Count>(&request, SEARCH, Some(&url)).await {
            Ok(counted) => {
                hit.here = Some(counted.facts.count);
                hit.evidence = evidence_of(&record, place, hit.here);
            }
            Err(Trouble::Problem(problem)) => hit.note = Some(problem.to_string()),
            Err(Trouble::NotRead(not_read)) => {
                hit.note = Some(not_read.to_string());
                return Ok((hit, Some(not_read)));
            }
        }
    }
    let missed = picture(session, &url, &record, &hit).await?;
    hit.picture = session.catalogue.layer(hit.layer)?.picture.is_some();
    Ok((hit, missed))
}

async fn picture(
    session: &Session,
    url: &ServiceUrl,
    record: &LayerRecord,
    hit: &Hit,
) -> Result<Option<NotRead>, BoxError> {
    if hit.here == Some(0) || !preview_is_due(record.drawn, session.now()) {
        return Ok(None);
    }
    let query = "SELECT service FROM layer WHERE id = ?1";
    let service: i64 =
        session.catalogue.query(|tables| tables.query_row(query, [record.id], |row| row.get(0)))?;
    let Some(facts) = session.catalogue.service(service)?.and_then(|service| service.facts) else {
        return Ok(None);
    };
    preview::layer(session, url, &facts, record, SEARCH).await
}

/// Outlines that were seen decide, unless the server has just said that nothing is there.
fn evidence_of(record: &LayerRecord, place: &Bbox, here: Option<u64>) -> Option<Evidence> {
    let known = &record.known;
    match here {
        Some(0) => None,
        Some(_) if known.coverage.as_ref().is_some_and(|coverage| coverage.covers_some_of(place)) => {
            Some(Evidence::Outlines)
        }
        Some(_) => evidence(place, None, here, known.place.as_ref()),
        None => evidence(place, known.coverage.as_ref(), None, known.place.as_ref()),
    }
}

fn hit(
    record: &LayerRecord,
    service: String,
    evidence: Option<Evidence>,
    (score, credit): (f64, Option<String>),
) -> Hit {
    let server = url::Url::parse(&service).ok().and_then(|url| url.host_str().map(str::to_owned));
    Hit {
        layer: record.id,
        name: record.name(),
        server: server.unwrap_or_default(),
        service,
        publisher: record.layer.copyright_text.clone().or(credit),
        evidence,
        count: record.known.count,
        here: None,
        score,
        picture: record.picture.is_some(),
        note: None,
    }
}

fn order(hits: &mut [Hit]) {
    hits.sort_by(|a, b| b.evidence.cmp(&a.evidence).then(a.score.total_cmp(&b.score)));
}

/// The words as a query of FTS5: each must occur, the beginning of a word is enough.
fn full_text(words: &str) -> Option<String> {
    let words = words.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(|word| format!("\"{word}\"*")).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// What evidence is called in a report.
#[must_use]
pub const fn evidence_word(evidence: Option<Evidence>) -> &'static str {
    match evidence {
        Some(Evidence::Outlines) => "covers this place: its outlines were seen here",
        Some(Evidence::CountInBox) => "has features here, by the server's count",
        Some(Evidence::ExtentOnly) => "says that it covers this place",
        Some(_) => "unchecked",
        None => "has nothing here",
    }
}
