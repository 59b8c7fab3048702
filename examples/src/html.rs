//! The pages that bots write: one file each, with nothing to load from elsewhere.

use std::fmt::{self, Display, Write as _};

use crate::ledger::{HostLedger, Ledger, What};

/// Text of a site or a person, safe within HTML text and quoted attributes.
///
/// ```
/// use bot_etiquette_examples::html::Escaped;
///
/// assert_eq!(Escaped("<b> & \"c\"").to_string(), "&lt;b&gt; &amp; &quot;c&quot;");
/// ```
pub struct Escaped<'t>(pub &'t str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
            let (before, special) = rest.split_at(at);
            f.write_str(before)?;
            f.write_str(match special.as_bytes()[0] {
                b'&' => "&amp;",
                b'<' => "&lt;",
                b'>' => "&gt;",
                b'"' => "&quot;",
                _ => "&#39;",
            })?;
            rest = &special[1..];
        }
        f.write_str(rest)
    }
}

const STYLE: &str = "
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#5b6670;--line:#d5dbe1;--back:#fff;--go:#2a7de1;--wait:#e0a63a;--bad:#c8453b}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ec;--soft:#9aa5af;--line:#39424b;--back:#14181c}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--back);max-width:72rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2rem}p.soft,.soft{color:var(--soft)}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}
input[type=search]{font:inherit;padding:.3rem .6rem;width:min(30rem,100%);margin:.5rem 0}
svg{max-width:100%;height:auto}code{font-size:.9em;overflow-wrap:anywhere}img{max-width:12rem;height:auto}";

/// Rows of a table that do not hold what was typed are hidden.
const FILTER: &str = "
for(const box of document.querySelectorAll('input[type=search]'))box.addEventListener('input',()=>{
const words=box.value.toLowerCase().split(/\\s+/);
for(const row of document.querySelectorAll('#'+box.dataset.table+' tbody tr'))
row.hidden=!words.every(word=>row.textContent.toLowerCase().includes(word))})";

/// A whole page; `body` is HTML already.
#[must_use]
pub fn document(language: &str, title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"{}\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n<title>{}</title>\n<style>{STYLE}</style>\n<body>\n{body}\n<script>{FILTER}</script>\n</html>\n",
        Escaped(language),
        Escaped(title)
    )
}

/// A field that filters the rows of the table with this id.
#[must_use]
pub fn filter(table: &str, label: &str) -> String {
    format!(
        "<input type=\"search\" data-table=\"{}\" placeholder=\"{label}\" aria-label=\"{label}\">",
        Escaped(table),
        label = Escaped(label)
    )
}

/// A row a host: when it was asked, when something waited for it and why.
#[must_use]
pub fn timelines(ledger: &Ledger) -> String {
    let seconds = ledger.duration().as_secs_f64().max(1.0);
    let mut page = String::from("<table><thead><tr><th>Host<th>Requests<th>Timeline<th>Waits</thead><tbody>");
    for (name, host) in &ledger.hosts() {
        let _ = write!(
            page,
            "<tr><td>{}<td>{}<td>{}<td>{}",
            Escaped(name),
            host.requests,
            timeline(host, seconds),
            waits(host)
        );
    }
    page.push_str("</tbody></table>");
    page
}

fn timeline(host: &HostLedger, seconds: f64) -> String {
    const WIDTH: f64 = 600.0;
    let x = |at: f64| (at / seconds).clamp(0.0, 1.0) * WIDTH;
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} 20\" width=\"{WIDTH}\" height=\"20\" role=\"img\">");
    svg.push_str("<line x1=\"0\" y1=\"19\" x2=\"600\" y2=\"19\" stroke=\"var(--line)\"/>");
    for event in &host.events {
        let at = x(event.at);
        let _ = match &event.what {
            What::Sent { method, path } => write!(
                svg,
                "<rect x=\"{at:.1}\" y=\"2\" width=\"2\" height=\"16\" fill=\"var(--go)\"><title>{:.1} s {} {}</title></rect>",
                event.at,
                Escaped(method),
                Escaped(path)
            ),
            What::Waits { reason, seconds: Some(wait) } => write!(
                svg,
                "<rect x=\"{at:.1}\" y=\"8\" width=\"{:.1}\" height=\"4\" fill=\"var(--wait)\"><title>{:.1} s waits {wait:.1} s: {reason}</title></rect>",
                (x(event.at + wait) - at).max(1.0),
                event.at
            ),
            What::Failed { why } => write!(
                svg,
                "<circle cx=\"{at:.1}\" cy=\"10\" r=\"4\" fill=\"var(--bad)\"><title>{:.1} s {}</title></circle>",
                event.at,
                Escaped(why)
            ),
            What::Waits { seconds: None, .. } | What::Answered { .. } => Ok(()),
        };
    }
    svg.push_str("</svg>");
    svg
}

fn waits(host: &HostLedger) -> String {
    let waits = host
        .waits
        .iter()
        .map(|(reason, waited)| format!("{reason} {}&times; {:.1} s", waited.times, waited.seconds));
    let mut waits: Vec<_> = waits.collect();
    if let Some(delay) = host.crawl_delay {
        waits.push(format!("asks for {delay} s"));
    }
    if host.closed > 0 {
        waits.push(format!("{} closed", host.closed));
    }
    waits.join("<br>")
}
