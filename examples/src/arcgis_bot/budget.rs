//! What a crawl would ask, told beforehand: nothing is sent.

use std::fmt::Write as _;

use bot_etiquette::arcgis::{PREVIEW_TILES, Root, VISIT_LIMIT, WHERE_LIMIT};
use serde::Serialize;

use super::crawl::label;
use super::session::Session;

/// The most that a crawl would ask of one server.
#[derive(Clone, Debug, Serialize)]
pub struct Budget {
    /// The server.
    pub server: String,
    /// Services to visit, as far as they are known.
    pub services: u64,
    /// Whether the directory is known, so that this is the whole number.
    pub known: bool,
    /// robots.txt and the directory.
    pub directory: u64,
    /// Descriptions, at the most.
    pub descriptions: u64,
    /// Where layers lie, at the most.
    pub places: u64,
    /// Pictures, at the most; a picture out of tiles takes several.
    pub pictures: u64,
}

impl Budget {
    /// All of it.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.directory + self.descriptions + self.places + self.pictures
    }
}

/// The budget of each of these servers.
///
/// # Errors
/// When the catalogue cannot be read.
pub fn budget(session: &Session, roots: &[Root]) -> rusqlite::Result<Vec<Budget>> {
    let known = session.catalogue.roots()?;
    let each = roots.iter().map(|root| {
        let record = known.iter().find(|record| record.root().is_some_and(|own| own.key() == root.key()));
        let (mut services, mut directory) = (0, 2);
        if let Some(record) = record {
            services = session.catalogue.due(record.id, session.now())?.len() as u64;
            let folders = "SELECT count(*) FROM folder WHERE root = ?1";
            let folders: i64 =
                session.catalogue.query(|tables| tables.query_row(folders, [record.id], |row| row.get(0)))?;
            let walked = session.catalogue.is_walked(record.id, session.now())?;
            directory = if walked { 1 } else { 1 + u64::try_from(folders).unwrap_or(0).max(1) };
        }
        let pictures = session.config.previews * PREVIEW_TILES;
        Ok(Budget {
            server: label(root),
            services,
            known: record.is_some(),
            directory,
            descriptions: services * u64::from(VISIT_LIMIT),
            places: services * u64::from(WHERE_LIMIT),
            pictures: services * pictures as u64,
        })
    });
    each.collect()
}

/// The budgets as lines for a person.
#[must_use]
pub fn told(budgets: &[Budget]) -> String {
    let mut text = String::from("A dry run: nothing is sent. At the most, a crawl would ask\n");
    for one in budgets {
        if one.known {
            let _ = writeln!(
                text,
                "{}: {} requests ({} for robots.txt and directory, {} to describe {} services, {} for places, {} for pictures)",
                one.server,
                one.total(),
                one.directory,
                one.descriptions,
                one.services,
                one.places,
                one.pictures
            );
        } else {
            let _ = writeln!(
                text,
                "{}: 2 requests for robots.txt and the root, 1 for each folder, then for each service {VISIT_LIMIT} to describe \
                 it, {WHERE_LIMIT} for its places, and its pictures",
                one.server
            );
        }
    }
    text
}
