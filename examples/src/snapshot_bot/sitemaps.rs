//! The sitemaps of a site: those that its robots.txt names, else the usual one, and those they name in turn.

use std::sync::Arc;

use bot_etiquette::fetch::OverLimit;
use bot_etiquette::html::{Scope, Sitemap, SitemapKind};
use http::Method;
use rusqlite::{OptionalExtension, params};
use url::Url;

use super::Site;
use super::queue::{Queue, Source};
use super::reading;
use super::visitor::{Errand, Visitor};
use crate::asker::NotRead;
use crate::state::State;
use crate::talk;

/// Sitemaps of one site at the most.
pub(crate) const MAX_SITEMAPS: u32 = 500;
/// Bytes of one sitemap at the most, as the protocol says.
const SITEMAP_BYTES: u64 = 52_428_800;
/// An index names sitemaps; one that names further indexes is followed so far.
const MAX_DEPTH: u32 = 2;

/// Reads the sitemaps that were not read yet in this crawl. What has to wait, where something has.
pub(crate) async fn read(
    state: &Arc<State>,
    queue: &Queue<'_>,
    visitor: &Visitor,
    site: &Site,
) -> rusqlite::Result<Option<NotRead>> {
    let named = visitor.sitemaps(site);
    let usual = || site.start.join("/sitemap.xml").into_iter().collect();
    for url in if named.is_empty() { usual() } else { named } {
        add(state, queue, &url, 0)?;
    }
    while let Some((url, depth)) = next(state, queue)? {
        let mut errand = Errand::new(Method::GET, url.clone(), "sitemap");
        errand.limits =
            errand.limits.wire_bytes(SITEMAP_BYTES).decoded_bytes(SITEMAP_BYTES).over_limit(OverLimit::Cut);
        errand.within = Some(visitor.scope().clone());
        // One whose answer is lost with a program that was killed is read by the next crawl.
        let (kept, crawl, name) = (Arc::clone(state), queue.crawl, url.clone());
        errand.sent = Some(Arc::new(move || {
            let note = "asked for when the program was ended; the next crawl reads it";
            let put = "UPDATE sitemap SET state = 'sent', note = ?3 WHERE crawl = ?1 AND url = ?2";
            if let Err(error) = kept.connection().execute(put, params![crawl, name.as_str(), note]) {
                talk::warn(format_args!("not written down that {name} was asked for: {error}"));
            }
        }));
        let came = visitor.ask(errand).await;
        let note = match came.answer {
            Err(later @ (NotRead::Later { .. } | NotRead::Interrupted)) => return Ok(Some(later)),
            Err(error) => Some(error.to_string()),
            Ok(answer) => match reading::wall(&answer) {
                Some(wall) => Some(format!("{} answered in its place", wall.vendor)),
                None if answer.status.is_success() => {
                    let last = came.chain.last().map_or(&url, |hop| &hop.to);
                    take(state, queue, visitor.scope(), last, &answer.body, depth)?
                }
                None => Some(format!("answered with status {}", answer.status)),
            },
        };
        let put = "UPDATE sitemap SET state = 'done', note = ?3 WHERE crawl = ?1 AND url = ?2";
        state.connection().execute(put, params![queue.crawl, url.as_str(), note])?;
    }
    Ok(None)
}

/// Puts what a sitemap names into the queue. A word on it where it is none.
fn take(
    state: &State,
    queue: &Queue<'_>,
    scope: &Scope,
    url: &Url,
    body: &[u8],
    depth: u32,
) -> rusqlite::Result<Option<String>> {
    let mut sitemap = Sitemap::new(url.clone(), body);
    let mut broken = None;
    let mut entries = Vec::new();
    // One broken entry does not lose the rest; a broken file ends by itself.
    for entry in sitemap.by_ref() {
        match entry {
            Ok(entry) => entries.push(entry.url),
            Err(error) => broken = Some(format!("broken: {error}")),
        }
    }
    let is_index = sitemap.kind() == Some(SitemapKind::Index);
    queue.at_once(|| {
        for entry in entries.iter().filter(|entry| scope.contains(entry)) {
            match is_index {
                true if depth < MAX_DEPTH => add(state, queue, entry, depth + 1)?,
                true => {}
                false if super::probes::as_file(entry).is_some() => {}
                false => drop(queue.add(entry, Source::Sitemap)?),
            }
        }
        Ok(())
    })?;
    let is_none = sitemap.kind() == Some(SitemapKind::NotASitemap);
    Ok(broken.or_else(|| is_none.then(|| "it is no sitemap".to_owned())))
}

fn add(state: &State, queue: &Queue<'_>, url: &Url, depth: u32) -> rusqlite::Result<()> {
    let put = "INSERT OR IGNORE INTO sitemap (crawl, url, depth)
               SELECT ?1, ?2, ?3 WHERE (SELECT count(*) FROM sitemap WHERE crawl = ?1) < ?4";
    state.connection().execute(put, params![queue.crawl, url.as_str(), depth, MAX_SITEMAPS]).map(drop)
}

fn next(state: &State, queue: &Queue<'_>) -> rusqlite::Result<Option<(Url, u32)>> {
    let query =
        "SELECT url, depth FROM sitemap WHERE crawl = ?1 AND state = 'queued' ORDER BY depth, url LIMIT 1";
    let row: Option<(String, u32)> = state
        .connection()
        .query_row(query, [queue.crawl], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    Ok(row.and_then(|(url, depth)| Some((url.parse().ok()?, depth))))
}
