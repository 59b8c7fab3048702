//! report.html: one file that a person opens.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::super::issues::IssueKind;
use super::super::pages::Known;
use super::super::record::{HopRecord, PageOutcome, WallRecord};
use super::super::time;
use super::SiteReport;
use crate::html::{self, Escaped};
use crate::ledger::Ledger;

/// Rows of an issue that are shown at once; the rest is in the data.
const ROWS: usize = 200;
/// The Crawl-delay that is kept at the most, in seconds.
const CRAWL_DELAY: f64 = 10.0;

pub(super) fn document(reports: &[SiteReport], agent: &str, ledger: Option<&Ledger>) -> String {
    let mut body = String::from("<h1>What these sites say</h1>");
    for (number, report) in reports.iter().enumerate() {
        site(&mut body, report, agent, number);
    }
    if reports.is_empty() {
        body.push_str("<p>No site is watched yet.");
    }
    if let Some(ledger) = ledger {
        body.push_str("<h2>When each host was asked, and why something waited</h2>");
        for (host, asked) in ledger.hosts() {
            if let Some(delay) = asked.crawl_delay.filter(|delay| *delay > CRAWL_DELAY) {
                let _ = write!(
                    body,
                    "<p>{} asks for {delay} s between two requests; {CRAWL_DELAY} s are kept, the most that is promised.",
                    Escaped(&host)
                );
            }
        }
        body.push_str(&html::timelines(ledger));
    }
    html::document("en", "What these sites say", &body)
}

fn site(body: &mut String, report: &SiteReport, agent: &str, number: usize) {
    let (site, last) = (&report.site, &report.last);
    let when =
        |at: Option<i64>| at.map_or("not yet".to_owned(), |at| format!("{} UTC", time::day_and_minute(at)));
    let _ = write!(body, "<h2>{}</h2><p class=soft>", Escaped(site.host()));
    let _ = write!(body, "Crawl begun {}, ended {}. ", when(last.started), when(last.finished));
    body.push_str(match site.verified {
        true => "Verified by a search console's own data. ",
        false => "Not verified: at most 500 pages in any week. ",
    });
    if let Some(engine) = site.rules_of {
        let _ =
            write!(body, "Read by the rules that robots.txt has for {engine}, under the bot's own name. ");
    }
    let rendered = report.pages.iter().filter(|known| known.record.rendered).count();
    let read = report.read();
    let _ = write!(body, "{} pages known, {read} read, {rendered} of them rendered, ", report.pages.len());
    let _ =
        write!(body, "{} files and links, {} things to look at.", report.probes.len(), report.issues.len());
    if let Some(note) = &last.note {
        let _ = write!(body, "<p><strong>Not everything was read.</strong> {}", Escaped(note));
    }
    if read == 0 && last.started.is_some() {
        let _ = write!(
            body,
            "<p><strong>How to allow the bot:</strong> robots.txt has to answer, with a file or with 404, and to leave the pages open \
             to the bot's own name; a firewall has to let requests with the User-Agent <code>{}</code> through, and with a browser's that names the same bot.",
            Escaped(agent)
        );
    }
    walls(body, report, agent);
    issues(body, report);
    redirects(body, report);
    changes(body, report);
    super::scripts::section(body, report);
    languages(body, report);
    pages(body, report, number);
    files(body, report, number);
}

/// The first thing an owner has to know: that the pages cannot be read, and how they let the bot in.
fn walls(body: &mut String, report: &SiteReport, agent: &str) {
    let mut walls: BTreeMap<&str, (&WallRecord, usize)> = BTreeMap::new();
    for wall in report.pages.iter().filter_map(|known| known.record.wall.as_ref()) {
        walls.entry(&wall.vendor).or_insert((wall, 0)).1 += 1;
    }
    for (vendor, (wall, pages)) in walls {
        let pages = if pages == 1 { "One page was".to_owned() } else { format!("{pages} pages were") };
        let _ = write!(
            body,
            "<h3>Cannot read your pages</h3><p>{pages} answered by a firewall ({}, {}), known by {}. \
             Nothing is tried again before the next visit, under no other name and from nowhere else.<p><strong>How to allow the bot:</strong> {}\
             <p>It sends the User-Agent <code>{}</code>, and for pages that are rendered a browser's that names the same bot.",
            Escaped(vendor),
            Escaped(&wall.kind),
            Escaped(&wall.evidence.join(", ")),
            Escaped(&wall.advice),
            Escaped(agent)
        );
    }
}

fn issues(body: &mut String, report: &SiteReport) {
    let mut kinds: BTreeMap<IssueKind, Vec<_>> = BTreeMap::new();
    for issue in &report.issues {
        kinds.entry(issue.kind).or_default().push(issue);
    }
    body.push_str("<h3>To look at</h3>");
    if kinds.is_empty() {
        body.push_str("<p>Nothing.");
    }
    for (kind, issues) in kinds {
        let _ = write!(body, "<details><summary>{} ({})</summary><table><tbody>", kind.title(), issues.len());
        for issue in issues.iter().take(ROWS) {
            let _ = write!(body, "<tr><td>{}<td>{}<td>", link(&issue.url), Escaped(&issue.detail));
            for page in issue.on.iter().take(5) {
                let _ = write!(body, "{}<br>", Escaped(page));
            }
            if issue.on.len() > 5 {
                let _ = write!(body, "and {} more", issue.on.len() - 5);
            }
        }
        body.push_str("</tbody></table></details>");
    }
}

fn redirects(body: &mut String, report: &SiteReport) {
    let pages = report.pages.iter().map(|known| &known.record);
    let pages = pages.filter(|record| !record.chain.is_empty()).map(|record| {
        let end = record.note.clone().unwrap_or_else(|| record.outcome.as_str().to_owned());
        (record.url.to_string(), &record.chain, end)
    });
    let probes = report.probes.iter().filter_map(|probed| {
        let record = probed.record.as_ref().filter(|record| !record.chain.is_empty())?;
        Some((probed.url.clone(), &record.chain, record.outcome.clone()))
    });
    let all: Vec<_> = pages.chain(probes).collect();
    if all.is_empty() {
        return;
    }
    let _ = write!(
        body,
        "<h3>Redirects ({})</h3><table><thead><tr><th>From<th>By way of<th>End</thead><tbody>",
        all.len()
    );
    for (url, chain, end) in all.iter().take(ROWS) {
        let _ = write!(body, "<tr><td>{}<td>{}<td>{}", link(url), way(chain), Escaped(end));
    }
    body.push_str("</tbody></table>");
}

fn way(chain: &[HopRecord]) -> String {
    chain
        .iter()
        .map(|hop| format!("{} to {}", hop.status, Escaped(hop.to.as_str())))
        .collect::<Vec<_>>()
        .join("<br>")
}

fn changes(body: &mut String, report: &SiteReport) {
    let mut changed: Vec<_> = report.pages.iter().filter_map(|known| Some((known, known.diff()?))).collect();
    changed.sort_by_key(|(known, _)| std::cmp::Reverse(known.changed));
    let _ = write!(body, "<h3>What changed, and since when ({})</h3>", changed.len());
    if changed.is_empty() {
        body.push_str("<p>Nothing since the first reading.");
    }
    for (known, diff) in changed.iter().take(ROWS) {
        let since = known.changed.map_or(String::new(), time::day_and_minute);
        let _ = write!(
            body,
            "<details open><summary>{} <span class=soft>as it is now since {since} UTC</span></summary><pre>",
            link(known.record.url.as_str())
        );
        for line in diff.to_string().lines() {
            let _ = writeln!(body, "{}", Escaped(line));
        }
        body.push_str("</pre></details>");
    }
}

fn languages(body: &mut String, report: &SiteReport) {
    if report.languages.is_empty() {
        return;
    }
    body.push_str("<h3>Language versions on other domains</h3><p class=soft>One page on each of at most ten other domains is read, to see whether it names the page back.<table><thead><tr><th>Page<th>Its version<th>Named back</thead><tbody>");
    for (page, alternate, result) in report.languages.iter().take(ROWS) {
        let _ = write!(body, "<tr><td>{}<td>{}<td>{result}", link(page), link(alternate));
    }
    body.push_str("</tbody></table>");
}

fn pages(body: &mut String, report: &SiteReport, number: usize) {
    let table = format!("pages{number}");
    let _ = write!(body, "<h3>What each page says</h3>{}", html::filter(&table, "Filter pages"));
    let _ = write!(body, "<table id={table}><thead><tr><th>Page<th>Says<th>State<th>Since</thead><tbody>");
    for known in &report.pages {
        let record = &known.record;
        let _ = write!(
            body,
            "<tr><td>{}<br><span class=soft>{}</span><td>",
            link(record.url.as_str()),
            Escaped(&record.source)
        );
        says(body, known);
        let status = record.status.map_or(String::new(), |status| status.to_string());
        let _ = write!(body, "<td>{} {status}", record.outcome.as_str());
        if record.outcome == PageOutcome::Read {
            let note = record.note.as_deref().unwrap_or("not rendered");
            let _ = write!(body, "<br>{}", Escaped(if record.rendered { "rendered" } else { note }));
        }
        for (is_so, word) in
            [(record.noindex, "noindex"), (record.nofollow, "nofollow"), (record.cut, "cut at 5 MB")]
        {
            if is_so {
                let _ = write!(body, "<br>{word}");
            }
        }
        let _ = write!(body, "<td>{}", known.changed.map_or(String::new(), time::day_and_minute));
    }
    body.push_str("</tbody></table>");
}

fn says(body: &mut String, known: &Known) {
    let Some(page) = &known.page else {
        let _ = write!(body, "{}", Escaped(known.record.note.as_deref().unwrap_or_default()));
        return;
    };
    let _ = write!(body, "<strong>{}</strong>", Escaped(page.title.as_deref().unwrap_or("(no title)")));
    for heading in page.h1.iter().take(2) {
        let _ = write!(body, "<br>{}", Escaped(heading));
    }
    if let Some(description) = &page.description {
        let _ = write!(body, "<br><span class=soft>{}</span>", Escaped(description));
    }
    let words = page.text.split_whitespace().count();
    let _ = write!(body, "<br><span class=soft>{words} words, {} links", page.links.len());
    if let Some(render) = &known.record.render {
        let _ = write!(body, "; as it was sent {} and {}", render.words.0, render.links.0);
    }
    body.push_str("</span>");
}

fn files(body: &mut String, report: &SiteReport, number: usize) {
    let table = format!("files{number}");
    let _ = write!(
        body,
        "<h3>Files and links to other sites</h3>{}",
        html::filter(&table, "Filter files and links")
    );
    let _ = write!(
        body,
        "<table id={table}><thead><tr><th>URL<th>What<th>State<th>Size<th>On pages</thead><tbody>"
    );
    for probed in &report.probes {
        let _ = write!(body, "<tr><td>{}<td>{} {}", link(&probed.url), probed.what, Escaped(&probed.kind));
        let Some(record) = &probed.record else {
            let _ = write!(body, "<td>not asked yet<td><td>{}", probed.pages.len());
            continue;
        };
        let status = record.status.map_or(String::new(), |status| status.to_string());
        let _ = write!(body, "<td>{} {status}<td>", Escaped(&record.outcome));
        if let Some(size) = record.size {
            let _ = write!(body, "{size} bytes");
        }
        if let Some((width, height)) = record.pixels {
            let _ = write!(body, "<br>{width} x {height} pixels");
        }
        if let Some(unpacked) = record.unpacked {
            let _ = write!(body, "<br>{unpacked} unpacked");
        }
        if let Some(title) = &record.title {
            let _ = write!(body, "<br>{}", Escaped(title));
        }
        let _ = write!(body, "<td>{}", probed.pages.len());
    }
    body.push_str("</tbody></table>");
}

/// A URL of a site as a link that tells nobody where the reader came from.
pub(super) fn link(url: &str) -> String {
    format!("<a rel=\"noreferrer nofollow\" href=\"{0}\">{0}</a>", Escaped(url))
}
