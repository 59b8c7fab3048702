//! Whether the pages in other languages, on other domains, name the site's pages back.

use bot_etiquette::html::{ReturnBudget, Scope, names_back, registrable_domain};
use http::Method;
use rusqlite::params;
use url::Url;

use super::Site;
use super::pages::Known;
use super::queue::Queue;
use super::reading;
use super::visitor::{Errand, Visitor};
use crate::asker::NotRead;
use crate::state::State;
use crate::talk::Talk;

/// Other domains that are asked in one crawl at the most, one page on each.
pub(crate) const DOMAINS: usize = 10;

/// Asks one page on each other domain that the pages name a language version on.
pub(crate) async fn check(
    state: &State,
    queue: &Queue<'_>,
    visitor: &Visitor,
    site: &Site,
    token: &str,
    pages: &[Known],
    talk: &Talk,
) -> rusqlite::Result<()> {
    let mut budget = ReturnBudget::new(DOMAINS);
    for url in asked(state, queue)? {
        budget.admit(&site.start, &url);
    }
    let named = pages.iter().filter_map(|known| known.page.as_ref()).flat_map(|page| &page.alternates);
    for alternate in named {
        let url = &alternate.url;
        if !is_elsewhere(site, url) || asked(state, queue)?.contains(url) || !budget.admit(&site.start, url) {
            continue;
        }
        if visitor.is_interrupted() {
            break;
        }
        let (found, names) = ask(state, queue, visitor, url, token).await;
        let names = serde_json::to_string(&names).unwrap_or_default();
        let put = "INSERT OR REPLACE INTO language (crawl, url, state, names) VALUES (?1, ?2, ?3, ?4)";
        state.connection().execute(put, params![queue.crawl, url.as_str(), found, names])?;
        talk.done(format!("{found} language version {url}"));
    }
    Ok(())
}

/// What came of a language version in the last crawl, for one page: a word as the outputs have it.
pub(crate) fn result(
    state: &State,
    crawl: i64,
    page: &Url,
    alternate: &Url,
) -> rusqlite::Result<&'static str> {
    let query = "SELECT state, names FROM language WHERE crawl = ?1 AND url = ?2";
    let connection = state.connection();
    let mut query = connection.prepare_cached(query)?;
    let mut rows = query.query(params![crawl, alternate.as_str()])?;
    let Some(row) = rows.next()? else { return Ok("budget-used") };
    let (found, names): (String, Option<String>) = (row.get(0)?, row.get(1)?);
    let names: Vec<Url> = names.and_then(|names| serde_json::from_str(&names).ok()).unwrap_or_default();
    let names: Vec<_> = names
        .into_iter()
        .map(|url| bot_etiquette::html::Alternate::new("", url, bot_etiquette::html::LinkSource::Element))
        .collect();
    Ok(match found.as_str() {
        "read" if names_back(page, &names) => "confirmed",
        "read" => "missing",
        "closed" => "robots",
        "blocked" => "blocked",
        _ => "error",
    })
}

/// Whether a URL is of another domain than the site.
pub(crate) fn is_elsewhere(site: &Site, url: &Url) -> bool {
    let domain = |url: &Url| registrable_domain(url).or_else(|| url.host_str()).map(str::to_owned);
    domain(&site.start) != domain(url)
}

async fn ask(
    state: &State,
    queue: &Queue<'_>,
    visitor: &Visitor,
    url: &Url,
    token: &str,
) -> (&'static str, Vec<Url>) {
    let mut errand = Errand::new(Method::GET, url.clone(), "hreflang");
    // No other page there than this one, wherever that host keeps it.
    errand.within = Scope::host(url).ok();
    let put = "INSERT OR REPLACE INTO language (crawl, url, state) VALUES (?1, ?2, 'sent')";
    if state.connection().execute(put, params![queue.crawl, url.as_str()]).is_err() {
        return ("error", Vec::new());
    }
    let came = visitor.ask(errand).await;
    match came.answer {
        Err(NotRead::Closed(_)) => ("closed", Vec::new()),
        Err(_) => ("error", Vec::new()),
        Ok(answer) if reading::wall(&answer).is_some() => ("blocked", Vec::new()),
        Ok(answer) if !answer.status.is_success() => ("error", Vec::new()),
        Ok(answer) => {
            let last = came.chain.last().map_or(url, |hop| &hop.to);
            let page = reading::facts(last, &answer.headers, token, &answer.body);
            ("read", page.alternates.into_iter().map(|alternate| alternate.url).collect())
        }
    }
}

fn asked(state: &State, queue: &Queue<'_>) -> rusqlite::Result<Vec<Url>> {
    let connection = state.connection();
    let mut query = connection.prepare_cached("SELECT url FROM language WHERE crawl = ?1")?;
    let urls: Vec<String> =
        query.query_map([queue.crawl], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    Ok(urls.iter().filter_map(|url| url.parse().ok()).collect())
}
