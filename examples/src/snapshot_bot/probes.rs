//! Files and links to other sites: which there are, and which may be asked again.

use std::time::Duration;

use bot_etiquette::html::{LinkKind, Page, Place, Scope};
use rusqlite::{OptionalExtension, params};
use url::{Position, Url};

use super::record::{ProbeRecord, word};
use super::{Site, time};
use crate::state::State;

/// A file is asked again after a week, as the policy says too.
pub(crate) const FILE_AGE: Duration = Duration::from_secs(7 * 86_400);
/// A link to another site after thirty days.
pub(crate) const LINK_AGE: Duration = Duration::from_secs(30 * 86_400);

/// What is asked of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum What {
    /// A file that pages load: is it there, and how large?
    File,
    /// A link to another site: is it there?
    Link,
}

impl What {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Link => "link",
        }
    }

    pub(crate) const fn age(self) -> Duration {
        match self {
            Self::File => FILE_AGE,
            Self::Link => LINK_AGE,
        }
    }
}

/// One URL to ask.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    pub(crate) url: Url,
    pub(crate) what: What,
    pub(crate) kind: LinkKind,
}

/// A URL as it is known.
pub(crate) struct Probed {
    pub(crate) url: String,
    pub(crate) what: String,
    pub(crate) kind: String,
    pub(crate) record: Option<ProbeRecord>,
    /// The pages that load it or link to it.
    pub(crate) pages: Vec<String>,
}

/// The files and links of a state.
pub(crate) struct Probes<'s>(pub(crate) &'s State);

impl Probes<'_> {
    /// Keeps what a page loads and links to, in the place of what it did.
    pub(crate) fn want(&self, site: &Site, page_key: &str, probes: &[Probe]) -> rusqlite::Result<()> {
        let mut connection = self.0.connection();
        let transaction = connection.transaction()?;
        transaction
            .execute("DELETE FROM wanted WHERE site = ?1 AND page = ?2", params![site.id, page_key])?;
        for probe in probes {
            let (url, what) = (key(&probe.url), probe.what.as_str());
            let put = "INSERT OR IGNORE INTO probe (url, what, kind) VALUES (?1, ?2, ?3)";
            transaction.prepare_cached(put)?.execute(params![url, what, word(&probe.kind)])?;
            let put = "INSERT OR IGNORE INTO wanted (site, page, url, what) VALUES (?1, ?2, ?3, ?4)";
            transaction.prepare_cached(put)?.execute(params![site.id, page_key, url, what])?;
        }
        transaction.commit()
    }

    /// Those of the site that may be asked now.
    pub(crate) fn due(&self, site: &Site, now: i64) -> rusqlite::Result<Vec<Probe>> {
        let connection = self.0.connection();
        let query = "SELECT url, what, kind FROM probe
                     WHERE (asked IS NULL OR asked + iif(what = 'file', ?2, ?3) <= ?4)
                     AND EXISTS (SELECT 1 FROM wanted WHERE site = ?1 AND wanted.url = probe.url AND wanted.what = probe.what)
                     ORDER BY what, url";
        let ages = (time::of(FILE_AGE), time::of(LINK_AGE));
        let mut query = connection.prepare(query)?;
        let rows = query.query_map(params![site.id, ages.0, ages.1, now], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
        })?;
        let rows = rows.collect::<rusqlite::Result<Vec<_>>>()?;
        Ok(rows.into_iter().filter_map(|(url, what, kind)| probe(&url, &what, &kind)).collect())
    }

    /// Marks a URL as asked: called before the request leaves.
    pub(crate) fn asked(&self, url: &Url, what: What, now: i64) -> rusqlite::Result<()> {
        let put = "UPDATE probe SET asked = ?3 WHERE url = ?1 AND what = ?2";
        self.0.connection().execute(put, params![key(url), what.as_str(), now]).map(drop)
    }

    /// Keeps what came of it, as that of the URL where its redirects led too: that was asked as well.
    pub(crate) fn keep(&self, probe: &Probe, record: &ProbeRecord, now: i64) -> rusqlite::Result<()> {
        let json = serde_json::to_string(record).unwrap_or_default();
        let connection = self.0.connection();
        let put = "UPDATE probe SET record = ?3 WHERE url = ?1 AND what = ?2";
        connection.execute(put, params![key(&probe.url), probe.what.as_str(), json])?;
        if let Some(last) = record.chain.last()
            && record.outcome != "redirect"
        {
            let own = ProbeRecord { chain: Vec::new(), ..record.clone() };
            let json = serde_json::to_string(&own).unwrap_or_default();
            let put =
                "UPDATE probe SET record = ?3, asked = ?4 WHERE url = ?1 AND what = ?2 AND asked IS NULL";
            connection.execute(put, params![key(&last.to), probe.what.as_str(), json, now])?;
        }
        Ok(())
    }

    /// What is known of one.
    pub(crate) fn record(&self, url: &Url, what: What) -> rusqlite::Result<Option<ProbeRecord>> {
        let query = "SELECT record FROM probe WHERE url = ?1 AND what = ?2";
        let text: Option<Option<String>> = self
            .0
            .connection()
            .query_row(query, params![key(url), what.as_str()], |row| row.get(0))
            .optional()?;
        Ok(text.flatten().and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// All of a site, by URL.
    pub(crate) fn all(&self, site: &Site) -> rusqlite::Result<Vec<Probed>> {
        let connection = self.0.connection();
        let query = "SELECT wanted.url, wanted.what, probe.kind, probe.record, wanted.page FROM wanted
                     JOIN probe ON probe.url = wanted.url AND probe.what = wanted.what WHERE wanted.site = ?1
                     ORDER BY wanted.what, wanted.url, wanted.page";
        let mut query = connection.prepare(query)?;
        let mut rows = query.query([site.id])?;
        let mut all: Vec<Probed> = Vec::new();
        while let Some(row) = rows.next()? {
            let (url, what, page): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(4)?);
            if let Some(last) = all.last_mut().filter(|last| last.url == url && last.what == what) {
                last.pages.push(page);
                continue;
            }
            let record: Option<String> = row.get(3)?;
            let record = record.and_then(|text| serde_json::from_str(&text).ok());
            all.push(Probed { url, what, kind: row.get(2)?, record, pages: vec![page] });
        }
        Ok(all)
    }
}

/// What a page loads, and which links to other sites it holds that may be followed.
pub(crate) fn of_page(page: &Page, scope: &Scope, page_nofollow: bool) -> Vec<Probe> {
    let files = page
        .links
        .iter()
        .filter(|link| link.kind.is_file() && link.place != Place::Template && !link.guessed);
    let files = files.map(|link| Probe { url: plain(&link.url), what: What::File, kind: link.kind });
    let links = page.followed(page_nofollow).filter_map(|link| {
        match (scope.contains(&link.url), as_file(&link.url)) {
            (true, Some(kind)) => Some(Probe { url: plain(&link.url), what: What::File, kind }),
            (true, None) => None,
            (false, _) => Some(Probe { url: plain(&link.url), what: What::Link, kind: link.kind }),
        }
    });
    files.chain(links).collect()
}

/// What a link leads to where it is no page by its name, and is checked as a file instead of read.
pub(crate) fn as_file(url: &Url) -> Option<LinkKind> {
    let (_, extension) = url.path().rsplit('/').next()?.rsplit_once('.')?;
    match extension.to_ascii_lowercase().as_str() {
        "jpg" | "jpeg" | "png" | "gif" | "webp" | "avif" | "svg" | "ico" | "bmp" | "tif" | "tiff" => {
            Some(LinkKind::Image)
        }
        "mp3" | "mp4" | "m4a" | "webm" | "ogg" | "wav" | "mov" | "avi" => Some(LinkKind::Media),
        "css" => Some(LinkKind::Stylesheet),
        "js" | "mjs" => Some(LinkKind::Script),
        "woff" | "woff2" | "ttf" | "otf" => Some(LinkKind::Font),
        "pdf" | "zip" | "gz" | "tar" | "7z" | "rar" | "doc" | "docx" | "xls" | "xlsx" | "ppt" | "pptx"
        | "odt" | "ods" | "epub" | "exe" | "dmg" | "apk" | "iso" => Some(LinkKind::Object),
        _ => None,
    }
}

fn probe(url: &str, what: &str, kind: &str) -> Option<Probe> {
    let kind = serde_json::from_value(serde_json::Value::from(kind)).unwrap_or(LinkKind::Object);
    let what = if what == What::File.as_str() { What::File } else { What::Link };
    Some(Probe { url: url.parse().ok()?, what, kind })
}

fn plain(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    url
}

/// A URL without its fragment.
fn key(url: &Url) -> &str {
    &url[..Position::AfterQuery]
}
