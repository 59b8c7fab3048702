//! The report: one page with the map, what was searched for, a table of layers, the servers, and when each was asked.

use std::fmt::Write as _;
use std::time::SystemTime;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bot_etiquette::arcgis::ServiceState;
use bot_etiquette::politeness::Timestamp;
use bot_etiquette::referee;

use super::map;
use super::outputs::{Contents, evidence};
use super::records::{LayerRecord, RootRecord, ServiceRecord};
use super::search::{Hit, evidence_word};
use super::session::Session;
use super::tally::Tally;
use crate::html::{self, Escaped};

/// What the page tells beside the catalogue.
#[derive(Default)]
pub struct Story<'s> {
    /// The title.
    pub title: &'s str,
    /// A sentence below it.
    pub lead: &'s str,
    /// A search: its words, its place, what was found.
    pub search: Option<(&'s str, (f64, f64), &'s [Hit])>,
    /// What was left.
    pub tally: Option<&'s Tally>,
    /// What the referee saw.
    pub verdict: Option<&'s referee::Report>,
}

const STYLE: &str = "<style>
.tiles{display:flex;flex-wrap:wrap;gap:.6rem;margin:1.2rem 0}
.tiles div{flex:1 1 7rem;padding:.6rem .9rem;border:1px solid var(--line);border-radius:.5rem}
.tiles b{display:block;font-size:1.5rem;line-height:1.2}.tiles .good{border-color:#2f8f5b;color:#2f8f5b}.tiles .bad{border-color:var(--bad);color:var(--bad)}
#map{width:100%;border-radius:.5rem;border:1px solid var(--line);display:block}#map .sea{fill:#e6f0f7}#map .grid{stroke:#cddfea;stroke-width:1;fill:none}
#map text{font:11px system-ui,sans-serif;fill:#7d95a6}#map path{stroke-linecap:round;fill:none}#map .k0 path{fill:var(--c);filter:url(#soft);opacity:.75}
#map .k1 path{stroke:var(--c);stroke-width:2;opacity:.8}#map .k2 path{stroke:var(--c);stroke-width:4.5;opacity:.75}
#map .box{fill:none;stroke:var(--c);stroke-dasharray:6 5;stroke-width:1.5}#map.one .layer{opacity:.12}#map.one .on{opacity:1}
#map .pin circle{fill:none;stroke:#14181c;stroke-width:2.5}#map .pin circle:last-child{fill:#14181c}
.hits{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:.8rem}.hits figure{margin:0;border:1px solid var(--line);border-radius:.5rem;overflow:hidden}
.hits img,.hits .none{width:100%;max-width:none;aspect-ratio:4/3;object-fit:cover;background:#f4f7fa;display:block}.hits figcaption{padding:.5rem .8rem}
table img{width:6.5rem;background:#f4f7fa;border-radius:.25rem;display:block}tbody tr:hover{background:color-mix(in srgb,var(--go) 8%,transparent)}
td code{word-break:break-word}
.mark{display:inline-block;padding:0 .5em;border-radius:1em;font-size:.85em;border:1px solid var(--line);white-space:nowrap}
.mark.outlines,.mark.public{color:#2f8f5b;border-color:#2f8f5b}.mark.extent-only{color:#a8741a;border-color:#e0a63a}.mark.not-public,.mark.gone{color:var(--bad);border-color:var(--bad)}
details{margin:.3rem 0}summary{cursor:pointer}
@media(prefers-color-scheme:dark){#map .sea{fill:#18232c}#map .grid{stroke:#263643}.hits img,table img,.hits .none{background:#e8eef3}#map .pin circle{stroke:#fff}}
</style>";

/// The layer under the pointer alone is seen on the map.
const POINT: &str = "<script>
for(const row of document.querySelectorAll('[data-layer]')){const on=is=>{map.classList.toggle('one',is);
document.getElementById('map-'+row.dataset.layer)?.classList.toggle('on',is)};
row.addEventListener('mouseenter',()=>on(true));row.addEventListener('mouseleave',()=>on(false))}
</script>";

/// The page.
#[must_use]
pub fn page(contents: &Contents, session: &Session, story: &Story<'_>) -> String {
    let mut body = String::from(STYLE);
    let title = if story.title.is_empty() { "What map servers publish" } else { story.title };
    let _ = write!(body, "<h1>{}</h1><p class=\"soft\">{}</p>", Escaped(title), Escaped(story.lead));
    figures(&mut body, contents, story);
    body.push_str(&map::map(contents, story.search.map(|(_, at, _)| at)));
    body.push_str("<p class=\"soft\">Drawn: where outlines of features were seen, in 64 steps each way. Dashed: what a server says of a layer whose outlines were not. Point at a row below to see its layer alone.</p>");
    if let Some((words, (lon, lat), hits)) = story.search {
        let _ = write!(body, "<h2>Search: &ldquo;{}&rdquo; at {lon}, {lat}</h2>", Escaped(words));
        found(&mut body, contents, hits);
    }
    layers(&mut body, contents);
    servers(&mut body, contents);
    if let Some(tally) = story.tally.filter(|tally| !tally.left.is_empty()) {
        left(&mut body, tally);
    }
    let _ = write!(
        body,
        "<h2>When each host was asked</h2><p class=\"soft\">{:.0} minutes of the bot&rsquo;s clock. Blue: a request. Amber: a wait, with its \
         reason. Red: no answer.</p>",
        session.asker.ledger.duration().as_secs_f64() / 60.0
    );
    body.push_str(&html::timelines(&session.asker.ledger));
    if let Some(verdict) = story.verdict {
        watched(&mut body, verdict);
    }
    body.push_str(POINT);
    html::document("en", title, &body)
}

fn figures(body: &mut String, contents: &Contents, story: &Story<'_>) {
    let services = || contents.servers.iter().flat_map(|(_, services)| services);
    let read = services().filter(|(service, _)| service.visited.is_some()).count();
    let features: u64 = contents.layers().filter_map(|(_, _, layer)| layer.known.count).sum();
    let pictures = contents.layers().filter(|(_, _, layer)| layer.picture.is_some()).count();
    body.push_str("<div class=\"tiles\">");
    let mut tile = |class: &str, figure: String, what: &str| {
        let _ = write!(body, "<div class=\"{class}\"><b>{figure}</b>{what}</div>");
    };
    tile("", contents.servers.len().to_string(), "servers");
    tile("", format!("{read} of {}", services().count()), "services read");
    tile("", contents.layers().count().to_string(), "layers");
    tile("", thousands(features), "features counted, none copied");
    tile("", pictures.to_string(), "pictures");
    if let Some(verdict) = story.verdict {
        let count = verdict.violations().len();
        tile(
            if count == 0 { "good" } else { "bad" },
            count.to_string(),
            &format!("violations in {} requests, says the referee", verdict.requests()),
        );
    }
    body.push_str("</div>");
}

fn found(body: &mut String, contents: &Contents, hits: &[Hit]) {
    if hits.is_empty() {
        body.push_str("<p>Nothing was found.</p>");
        return;
    }
    body.push_str("<div class=\"hits\">");
    for hit in hits {
        let layer = contents.layers().find(|(_, _, layer)| layer.id == hit.layer);
        let picture = layer.and_then(|(_, _, layer)| image(layer));
        let _ = write!(
            body,
            "<figure data-layer=\"{}\">{}<figcaption><b>{}</b><br>{}<br><span class=\"soft\">{}{}</span></figcaption></figure>",
            hit.layer,
            picture.unwrap_or_else(|| "<div class=\"none\"></div>".into()),
            Escaped(&hit.name),
            Escaped(hit.publisher.as_deref().unwrap_or(&hit.server)),
            evidence_word(hit.evidence),
            hit.here.map(|here| format!("; {} features here just now", thousands(here))).unwrap_or_default(),
        );
    }
    body.push_str("</div>");
}

fn layers(body: &mut String, contents: &Contents) {
    body.push_str("<h2>Layers</h2>");
    body.push_str(&html::filter("layers", "a word, a server, a kind"));
    body.push_str(
        "<table id=\"layers\"><thead><tr><th>Picture<th>Layer<th>Publisher and server<th>Shows<th>Features<th>Where it lies</thead><tbody>",
    );
    for (root, service, layer) in contents.layers() {
        let shows = layer.layer.geometry_type.as_deref().unwrap_or("").trim_start_matches("esriGeometry");
        let credit = service.facts.as_ref().and_then(|facts| facts.copyright_text.as_deref());
        let place = layer.known.place.as_ref().and_then(|place| place.reason).map(|reason| reason.as_str());
        let _ = write!(
            body,
            "<tr data-layer=\"{}\"><td>{}<td><b>{}</b><br><span class=\"soft\">{}</span><td>{}<br><code>{}</code><td>{}<td>{}<td><span \
             class=\"mark {}\">{}</span>{}",
            layer.id,
            image(layer).unwrap_or_default(),
            Escaped(&layer.name()),
            Escaped(layer.layer.description.as_deref().unwrap_or(service.url.name())),
            Escaped(credit.unwrap_or(&root.host)),
            Escaped(&format!("{}/{}", root.host, service.url.name())),
            Escaped(shows),
            layer.known.count.map(thousands).unwrap_or_default(),
            evidence(layer),
            evidence(layer).replace('-', " "),
            place
                .map(|place| format!("<br><span class=\"soft\">{}</span>", place.replace('-', " ")))
                .unwrap_or_default(),
        );
    }
    body.push_str("</tbody></table>");
}

fn servers(body: &mut String, contents: &Contents) {
    body.push_str(
        "<h2>Servers</h2><table><thead><tr><th>Server<th>Services<th>What stands in the way</thead><tbody>",
    );
    for (root, services) in &contents.servers {
        let _ = write!(
            body,
            "<tr><td><code>{}</code><br><span class=\"soft\">{}</span><td>{} of {} read<td>{}",
            Escaped(root.url.trim_start_matches("http://").trim_start_matches("https://")),
            if root.found == "given" { String::new() } else { format!("found by {}", Escaped(&root.found)) },
            root.services.1,
            root.services.0,
            obstacles(root, services)
        );
    }
    body.push_str("</tbody></table>");
}

fn obstacles(root: &RootRecord, services: &[(ServiceRecord, Vec<LayerRecord>)]) -> String {
    let mut lines = Vec::new();
    if let Some(problem) = &root.problem {
        lines.push(Escaped(problem).to_string());
    }
    for (folder, problem) in root.closed.iter().filter(|(folder, _)| !folder.is_empty()) {
        lines.push(format!("folder <b>{}</b>: {}", Escaped(folder), Escaped(problem)));
    }
    for (service, _) in services {
        let Some(problem) = &service.problem else { continue };
        let state = match service.state {
            ServiceState::NotPublic => "<span class=\"mark not-public\">not public</span> ",
            ServiceState::Gone => "<span class=\"mark gone\">gone</span> ",
            _ => "",
        };
        lines.push(format!("{state}<b>{}</b>: {}", Escaped(service.url.name()), Escaped(problem)));
    }
    lines.join("<br>")
}

fn left(body: &mut String, tally: &Tally) {
    let _ = write!(body, "<h2>Left for later, or for good</h2><table><tbody>");
    for left in &tally.left {
        let until = left.until.map(|until| format!("come back at {}", moment(Timestamp::from_millis(until))));
        let _ = write!(
            body,
            "<tr><td>{}<td>{}<td>{}",
            Escaped(&left.what),
            Escaped(&left.why),
            until.unwrap_or_default()
        );
    }
    body.push_str("</tbody></table>");
}

fn watched(body: &mut String, verdict: &referee::Report) {
    let _ = write!(
        body,
        "<h2>What the referee saw</h2><p>{} requests, <b>{} violations</b>. It watched every request from the servers&rsquo; side, and shares no \
         code with the bot.</p><table><thead><tr><th>Host<th>Requests<th>Most open at once<th>Shortest time between two starts</thead><tbody>",
        verdict.requests(),
        verdict.violations().len()
    );
    for (host, figures) in &verdict.figures().hosts {
        let gap = figures.smallest_gap.map(|gap| format!("{gap:.2} s")).unwrap_or_default();
        let _ = write!(
            body,
            "<tr><td><code>{}</code><td>{}<td>{}<td>{gap}",
            Escaped(host),
            figures.requests,
            figures.most_open
        );
    }
    body.push_str("</tbody></table>");
    for violation in verdict.violations() {
        let _ = write!(body, "<p><code>{}</code></p>", Escaped(&violation.to_string()));
    }
}

fn image(layer: &LayerRecord) -> Option<String> {
    let picture = layer.picture.as_ref()?;
    let kind = if picture.starts_with(b"\x89PNG") { "png" } else { "jpeg" };
    Some(format!(
        "<img src=\"data:image/{kind};base64,{}\" alt=\"{}\" loading=\"lazy\" title=\"{}\">",
        STANDARD.encode(picture),
        Escaped(&layer.name()),
        Escaped(layer.way.as_deref().unwrap_or_default())
    ))
}

/// 12345 as 12,345.
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let head = digits.len() % 3;
    let (first, rest) = digits.split_at(head);
    let groups = rest.as_bytes().chunks(3).map(|group| String::from_utf8_lossy(group).into_owned());
    let parts: Vec<String> =
        std::iter::once(first.to_owned()).filter(|first| !first.is_empty()).chain(groups).collect();
    parts.join(",")
}

/// A moment as a date.
#[must_use]
pub fn moment(at: Timestamp) -> String {
    httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + std::time::Duration::from_millis(at.as_millis()))
}
