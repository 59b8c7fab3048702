//! What was found, for people (HTML) and for programs (NDJSON).

mod ndjson;
mod page;
mod scripts;

use std::path::Path;

use rusqlite::OptionalExtension;
use serde::Serialize;

use super::issues::{self, Issue};
use super::pages::{Known, Pages};
use super::probes::{Probed, Probes};
use super::record::PageOutcome;
use super::{Site, Sites, languages};
use crate::files;
use crate::ledger::Ledger;
use crate::stack::BoxError;
use crate::state::State;

/// The last crawl of a site.
#[derive(Clone, Debug, Default)]
pub(crate) struct Last {
    pub(crate) crawl: i64,
    pub(crate) started: Option<i64>,
    pub(crate) finished: Option<i64>,
    pub(crate) note: Option<String>,
}

/// All that is known of a site.
pub(crate) struct SiteReport {
    pub(crate) site: Site,
    pub(crate) last: Last,
    pub(crate) pages: Vec<Known>,
    pub(crate) probes: Vec<Probed>,
    /// A page, its version in another language on another domain, and whether that names it back.
    pub(crate) languages: Vec<(String, String, &'static str)>,
    pub(crate) issues: Vec<Issue>,
}

/// What a report comes to.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The site's host.
    pub site: String,
    /// Whether something shows that it is the person's own.
    pub verified: bool,
    /// Pages that are known.
    pub pages: usize,
    /// Of these, pages that could be read.
    pub read: usize,
    /// Files and links that are known.
    pub files_and_links: usize,
    /// Things to look at.
    pub issues: usize,
}

impl SiteReport {
    fn new(state: &State, site: Site) -> rusqlite::Result<Self> {
        let pages = Pages::new(state, &site).all()?;
        let probes = Probes(state).all(&site)?;
        let last = last(state, &site)?;
        let mut languages = Vec::new();
        for known in &pages {
            for alternate in known.page.iter().flat_map(|page| &page.alternates) {
                if languages::is_elsewhere(&site, &alternate.url) {
                    let result = languages::result(state, last.crawl, &known.record.last, &alternate.url)?;
                    languages.push((known.record.url.to_string(), alternate.url.to_string(), result));
                }
            }
        }
        let issues = issues::find(&pages, &probes, &languages);
        Ok(Self { site, last, pages, probes, languages, issues })
    }

    /// Pages that were read, or lead to such.
    pub(crate) fn read(&self) -> usize {
        self.pages.iter().filter(|known| known.record.outcome == PageOutcome::Read).count()
    }

    fn summary(&self) -> Summary {
        Summary {
            site: self.site.host().to_owned(),
            verified: self.site.verified,
            pages: self.pages.len(),
            read: self.read(),
            files_and_links: self.probes.len(),
            issues: self.issues.len(),
        }
    }
}

/// Writes report.html, pages.ndjson and links.ndjson, and with a ledger politeness.json, into a folder.
///
/// # Errors
/// When the state cannot be read or the folder not be written.
pub fn write(
    state: &State,
    sites: &[Site],
    agent: &str,
    ledger: Option<&Ledger>,
    out: &Path,
) -> Result<Vec<Summary>, BoxError> {
    let reports = sites
        .iter()
        .map(|site| SiteReport::new(state, site.clone()))
        .collect::<rusqlite::Result<Vec<_>>>()?;
    files::make_folder(out)?;
    let put = |name: &str, text: String| files::write_whole(&out.join(name), text);
    put("pages.ndjson", ndjson::pages(&reports))?;
    put("links.ndjson", ndjson::links(&reports))?;
    put("report.html", page::document(&reports, agent, ledger))?;
    if let Some(ledger) = ledger {
        put("politeness.json", serde_json::to_string_pretty(&ledger.report())? + "\n")?;
    }
    Ok(reports.iter().map(SiteReport::summary).collect())
}

/// What changed on a page when it last did, in lines for a person.
///
/// # Errors
/// When no such page is known, or the state cannot be read.
pub fn diff(state: &State, url: &str) -> Result<String, BoxError> {
    let parsed = url::Url::parse(url)
        .map_err(|error| crate::exit::Usage::new(format!("{url:?}: {error}; expected a page's URL")))?;
    let key = bot_etiquette::html::UrlKey::without_tracking(&parsed);
    for site in Sites(state).all()? {
        let Some(known) = Pages::new(state, &site).known(key.as_str())? else { continue };
        let since = |at: Option<i64>| at.map_or("never".to_owned(), super::time::day_and_minute);
        return Ok(match known.diff() {
            Some(diff) => format!(
                "{url} changed between the two last states; as it is now since {}\n{diff}",
                since(known.changed)
            ),
            None => format!("{url} is as it was since {}\n", since(known.changed)),
        });
    }
    Err(crate::exit::Usage::new(format!(
        "{url} is not known; `crawl` reads the pages of the sites that were added"
    ))
    .into())
}

fn last(state: &State, site: &Site) -> rusqlite::Result<Last> {
    let query = "SELECT id, started, finished, note FROM crawl WHERE site = ?1 ORDER BY id DESC LIMIT 1";
    let row = |row: &rusqlite::Row<'_>| {
        Ok(Last { crawl: row.get(0)?, started: row.get(1)?, finished: row.get(2)?, note: row.get(3)? })
    };
    Ok(state.connection().query_row(query, [site.id], row).optional()?.unwrap_or_default())
}
