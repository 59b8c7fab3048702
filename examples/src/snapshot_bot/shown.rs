//! What a browser made of a page, beside the page as it was sent.

use std::collections::HashSet;

use bot_etiquette::html::{Page, PageDiff};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};
use serde::{Deserialize, Serialize};
use url::Url;

use super::reading;

/// Requests of a page that are listed; the others are counted.
pub(crate) const LISTED: usize = 200;

/// A page as a browser shows it in the end.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Its HTML.
    pub html: Bytes,
    /// Its URL, which scripts may have changed without leaving the page.
    pub url: Url,
    /// How it came to that.
    pub render: Render,
}

/// How a page was rendered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Render {
    /// From the page as it was sent to the page as it is shown.
    pub added: PageDiff,
    /// Words before, and after.
    pub words: (usize, usize),
    /// Links before, and after.
    pub links: (usize, usize),
    /// What was asked for and loaded.
    pub loaded: usize,
    /// What was not loaded, in order; at most 200.
    pub not_loaded: Vec<NotLoaded>,
    /// How much more was not.
    pub not_loaded_beyond: usize,
    /// Where the page wanted to go instead, and by what. It was not followed.
    pub redirect: Option<(String, String)>,
    /// Why the page may not be all there is, where it did not come to rest or was cut.
    pub unsettled: Option<String>,
    /// What the browser worked, in seconds.
    pub work: f64,
    /// What it waited for answers, in seconds.
    pub waited: f64,
}

/// One thing that a page asked for in vain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotLoaded {
    /// What: `image`, `script`, ..
    pub kind: String,
    /// By which method.
    pub method: String,
    /// From where.
    pub url: String,
    /// Why not.
    pub why: String,
}

impl Render {
    /// Notes one more thing that was not loaded.
    pub fn not_loaded(&mut self, what: NotLoaded) {
        if self.not_loaded.len() < LISTED {
            self.not_loaded.push(what);
        } else {
            self.not_loaded_beyond += 1;
        }
    }
}

impl Shown {
    /// Reads it, with what the page said as it was sent: a link of either is one of the page, and what either asks of
    /// robots holds.
    pub(crate) fn read(self, sent: Page, headers: &HeaderMap, token: &str) -> (Page, Render) {
        let mut headers = headers.clone();
        // Whatever it was written in, the browser writes UTF-8.
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        let mut page = reading::facts(&self.url, &headers, token, &self.html);
        page.url.clone_from(&sent.url);
        let words = |page: &Page| page.text.split_whitespace().count();
        let mut render = self.render;
        render.added = PageDiff::between(&sent, &page);
        render.words = (words(&sent), words(&page));
        render.links.0 = sent.links.len();
        merge(&mut page, sent);
        render.links.1 = page.links.len();
        (page, render)
    }
}

/// Takes over into a rendered page what the one that was sent says beside.
fn merge(page: &mut Page, sent: Page) {
    let (marked, open): (Vec<_>, Vec<_>) = page.links.iter().partition(|link| link.nofollow);
    let open: HashSet<Url> = open.into_iter().map(|link| link.url.clone()).collect();
    let marked: HashSet<Url> =
        marked.into_iter().map(|link| link.url.clone()).filter(|url| !open.contains(url)).collect();
    let known: HashSet<_> = sent.links.iter().map(|link| (link.kind, link.url.clone())).collect();
    let shown = std::mem::replace(&mut page.links, sent.links);
    for link in &mut page.links {
        // A script may mark a link that was sent without the mark.
        link.nofollow |= marked.contains(&link.url);
    }
    page.links.extend(shown.into_iter().filter(|link| !known.contains(&(link.kind, link.url.clone()))));
    for asked in sent.robots {
        if !page.robots.contains(&asked) {
            page.robots.push(asked);
        }
    }
    page.charset = sent.charset;
    // Their lines are those of the file that the owner wrote.
    page.findings = sent.findings;
}
