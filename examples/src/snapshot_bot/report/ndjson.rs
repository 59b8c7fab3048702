//! A line for each page, and a line for each link: `{"schema":1,..}`.

use std::collections::HashMap;

use bot_etiquette::html::UrlKey;
use serde_json::{Value, json};
use url::Position;

use super::super::record::word;
use super::super::time;
use super::SiteReport;

pub(super) fn pages(reports: &[SiteReport]) -> String {
    let mut lines = String::new();
    for report in reports {
        for known in &report.pages {
            let (record, page) = (&known.record, known.page.as_ref());
            let text = |take: fn(&bot_etiquette::html::Page) -> Value| page.map_or(Value::Null, take);
            let line = json!({
                "schema": 1,
                "site": report.site.host(),
                "url": record.url,
                "outcome": record.outcome,
                "status": record.status,
                "source": record.source,
                "last_url": record.last,
                "redirects": record.chain,
                "read_at": time::rfc3339(record.at),
                "first_read_at": known.first_read.map(time::rfc3339),
                "changed_at": known.changed.map(time::rfc3339),
                "hash": known.hash,
                "rendered": record.rendered,
                "render": record.render,
                "bytes": record.bytes,
                "cut": record.cut,
                "seconds": record.seconds,
                "media_type": record.media_type,
                "noindex": record.noindex,
                "nofollow": record.nofollow,
                "wall": record.wall,
                "note": record.note,
                "title": text(|page| json!(page.title)),
                "description": text(|page| json!(page.description)),
                "h1": text(|page| json!(page.h1)),
                "lang": text(|page| json!(page.lang)),
                "canonical": text(|page| json!(page.canonical.url)),
                "alternates": text(|page| json!(page.alternates)),
                "words": text(|page| json!(page.text.split_whitespace().count())),
                "links": text(|page| json!(page.links.len())),
            });
            lines.push_str(&line.to_string());
            lines.push('\n');
        }
    }
    lines
}

pub(super) fn links(reports: &[SiteReport]) -> String {
    let mut lines = String::new();
    for report in reports {
        let pages: HashMap<&str, _> =
            report.pages.iter().map(|known| (known.key.as_str(), &known.record)).collect();
        let probes: HashMap<&str, _> = report
            .probes
            .iter()
            .filter_map(|probed| Some((probed.url.as_str(), probed.record.as_ref()?)))
            .collect();
        for known in &report.pages {
            for link in known.page.iter().flat_map(|page| &page.links) {
                let own = pages.get(UrlKey::without_tracking(&link.url).as_str());
                let probe = probes.get(&link.url[..Position::AfterQuery]);
                let outcome = own.map(|record| record.outcome.as_str().to_owned());
                let line = json!({
                    "schema": 1,
                    "page": known.record.url,
                    "url": link.url,
                    "kind": word(&link.kind),
                    "nofollow": link.nofollow || known.record.nofollow,
                    "text": link.text,
                    "line": link.line,
                    "place": word(&link.place),
                    "outcome": outcome.or_else(|| probe.map(|record| record.outcome.clone())),
                    "status": own.and_then(|record| record.status).or_else(|| probe.and_then(|record| record.status)),
                    "size": probe.and_then(|record| record.size),
                    "redirects": probe.map(|record| record.chain.len()).unwrap_or_default(),
                });
                lines.push_str(&line.to_string());
                lines.push('\n');
            }
        }
    }
    lines
}
