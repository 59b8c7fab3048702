//! What JavaScript added to pages, and what was not loaded for them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::super::shown::Render;
use super::SiteReport;
use super::page::link;
use crate::html::Escaped;

/// Pages that are shown; the rest is in the data.
const PAGES: usize = 200;
/// Lines of what was added that are shown of a page.
const LINES: usize = 60;

pub(super) fn section(body: &mut String, report: &SiteReport) {
    let rendered = report
        .pages
        .iter()
        .filter_map(|known| Some((known.record.url.as_str(), known.record.render.as_ref()?)));
    let all: Vec<_> = rendered.collect();
    if all.is_empty() {
        return;
    }
    let (told, plain): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, render)| has_news(render));
    let _ = write!(
        body,
        "<h3>What JavaScript added, and what was not loaded ({})</h3><p class=soft>Each page as it was sent, beside the page as a browser \
         shows it. Images, fonts and media are never loaded; no form is sent.",
        told.len()
    );
    if !plain.is_empty() {
        let _ = write!(body, " {} more are shown as they were sent.", plain.len());
    }
    for (url, render) in told.iter().take(PAGES) {
        page(body, url, render);
    }
}

fn has_news(render: &Render) -> bool {
    !render.added.is_empty()
        || !render.not_loaded.is_empty()
        || render.redirect.is_some()
        || render.unsettled.is_some()
}

fn page(body: &mut String, url: &str, render: &Render) {
    let count = |(before, after): (usize, usize), what: &str| match after.checked_sub(before) {
        Some(0) => format!("{after} {what}"),
        Some(more) => format!("{after} {what}, {more} of them added"),
        None => format!("{after} {what} instead of {before}"),
    };
    let not_loaded = render.not_loaded.len() + render.not_loaded_beyond;
    let _ = write!(
        body,
        "<details><summary>{} <span class=soft>{}; {}; {} loaded, {not_loaded} not</span></summary>",
        link(url),
        count(render.links, "links"),
        count(render.words, "words"),
        render.loaded
    );
    if let Some((to, by)) = &render.redirect {
        let _ = write!(body, "<p>It wanted to go to {} ({}), which was not followed.", link(to), Escaped(by));
    }
    if let Some(why) = &render.unsettled {
        let _ = write!(body, "<p>There may be more: {}.", Escaped(why));
    }
    if !render.added.is_empty() {
        body.push_str("<pre>");
        let text = render.added.to_string();
        for line in text.lines().take(LINES) {
            let _ = writeln!(body, "{}", Escaped(line));
        }
        if let Some(more @ 1..) = text.lines().count().checked_sub(LINES) {
            let _ = writeln!(body, "and {more} lines more");
        }
        body.push_str("</pre>");
    }
    if not_loaded > 0 {
        reasons(body, render);
    }
    body.push_str("</details>");
}

/// What was not loaded, by why not.
fn reasons(body: &mut String, render: &Render) {
    let mut reasons: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for one in &render.not_loaded {
        reasons.entry((&one.kind, &one.why)).or_default().push(&one.url);
    }
    body.push_str("<table><thead><tr><th>Not loaded<th>Why<th>Which</thead><tbody>");
    for ((kind, why), urls) in reasons {
        let _ = write!(body, "<tr><td>{} {}<td>{}<td>", urls.len(), Escaped(kind), Escaped(why));
        for url in urls.iter().take(5) {
            let _ = write!(body, "{}<br>", Escaped(url));
        }
        if urls.len() > 5 {
            let _ = write!(body, "and {} more", urls.len() - 5);
        }
    }
    body.push_str("</tbody></table>");
    if render.not_loaded_beyond > 0 {
        let _ = write!(body, "<p>{} more were not loaded.", render.not_loaded_beyond);
    }
}
