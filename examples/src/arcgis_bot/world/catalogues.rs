//! The public catalogues that name servers, as this world has them: a few records each, under the real hosts' names.

use bot_etiquette::referee::{Page, Site};
use serde_json::json;

use super::Log;

/// A server that only ArcGIS Online and Hub name.
const HARBOUR: &str = "https://harbour.alder-isles.example/server/rest/services";

/// ArcGIS Online, Hub, Wikidata's query service and a Certificate Transparency log.
pub(super) fn sites(log: &Log) -> [Site; 4] {
    let item = |title: &str, url: &str| {
        json!({"id": format!("{:032x}", title.len()), "title": title, "type": "Map Service", "url": url,
            "typeKeywords": ["Map Service"], "access": "public", "created": 1_700_000_000_000_u64})
    };
    let items = [
        item("Harbour works", &format!("{HARBOUR}/Works/MapServer")),
        item("Quays of Port Hazel", &format!("{HARBOUR}/Quays/MapServer/0")),
        item("Sheds", "https://localhost/arcgis/rest/services/Sheds/MapServer"),
        item(
            "Behind a proxy",
            "https://utility.arcgis.com/usrsvcs/servers/0123456789abcdef/rest/services/X/MapServer",
        ),
    ];
    let hub: Vec<_> = items[..2]
        .iter()
        .map(|item| json!({"id": item["id"], "type": "Feature", "properties": item}))
        .collect();
    let search = json!({"total": items.len(), "start": 1, "num": 100, "nextStart": -1, "results": items});
    let hub = json!({"type": "FeatureCollection", "numberMatched": hub.len(), "features": hub, "links": []});
    let rows = json!({"head": {"vars": ["item", "url"]}, "results": {"bindings": [
        {"item": {"type": "uri", "value": "http://www.wikidata.org/entity/Q0"},
         "url": {"type": "uri", "value": "https://gis.alder-isles.example/arcgis/rest/services"}}
    ]}});
    let names = [("/checkpoint", checkpoint()), ("/tile/names/000", names())];
    [
        site(
            "www.arcgis.com",
            log,
            "User-agent: *\nSitemap: https://www.arcgis.com/sitemap.xml\n",
            [("/sharing/rest/search", search.to_string())],
        ),
        site(
            "hub.arcgis.com",
            log,
            "User-agent: *\nDisallow: /admin/\nCrawl-delay: 2\n",
            [("/api/search/v1/collections/all/items", hub.to_string())],
        ),
        // Closed to crawlers, while its manual invites programs.
        site(
            "query.wikidata.org",
            log,
            "User-agent: *\nDisallow: /sparql\nDisallow: /bigdata\n",
            [("/sparql", rows.to_string())],
        ),
        site("isles2026h2.skylight.geomys.org", log, "", names),
    ]
}

fn site<const N: usize>(host: &str, log: &Log, robots: &str, pages: [(&'static str, String); N]) -> Site {
    let (name, log) = (host.to_owned(), log.clone());
    Site::new(host).robots(robots).handler(move |request| {
        log.note(&name, request.target);
        let path = request.target.split('?').next().unwrap_or_default();
        let (_, body) = pages.iter().find(|(at, _)| *at == path)?;
        Some(Page::new(path).header("Content-Type", "application/json").body(body))
    })
}

fn checkpoint() -> String {
    let root = "A".repeat(43);
    format!(
        "isles2026h2.skylight.geomys.org\n256\n{root}=\n\n\u{2014} isles2026h2.skylight.geomys.org AQIDBAAAAAAAAAABAA==\n"
    )
}

/// A full tile: most certificates are of hosts that nobody asks, one looks like a map server's.
fn names() -> String {
    let name = |entry: u32| match entry {
        17 => "maps.rowan-school.example".to_owned(),
        40 => "vpn.alder-isles.example".to_owned(),
        41 => "gis.nothing-here.example".to_owned(),
        _ => format!("shop{entry}.port-hazel.example"),
    };
    (0..256).map(|entry| format!("{{\"Timestamp\":{entry},\"DNS\":[\"{}\"]}}\n", name(entry))).collect()
}
