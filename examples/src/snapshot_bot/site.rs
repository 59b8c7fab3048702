//! The sites a person watches, and why a site counts as verified.

use std::fmt;
use std::str::FromStr;

use bot_etiquette::html::{Scope, ScopeError, UrlKey};
use bot_etiquette::robots::ProductToken;
use rusqlite::{Connection, OptionalExtension, Row, params};
use url::Url;

use super::evidence::Export;
use crate::exit::Usage;
use crate::state::State;

/// A site that is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Its row in the state.
    pub id: i64,
    /// Its home page.
    pub start: Url,
    /// Whether the names below its host are the site's own too.
    pub subdomains: bool,
    /// Whether pages are rendered as a desktop gets them.
    pub desktop: bool,
    /// Whose rules in robots.txt are followed on it, where not the bot's own.
    pub rules_of: Option<SearchEngine>,
    /// Pages read in one crawl at the most.
    pub page_limit: Option<u32>,
    /// Whether scripts may send data to the site itself, which is verified, when a page is rendered.
    pub post: bool,
    /// Whether an export or an answer of a search console shows that it is the person's own.
    pub verified: bool,
}

/// A search engine whose rules in robots.txt may be followed, on a verified site, under the bot's own name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchEngine {
    /// Google's.
    Googlebot,
    /// Microsoft's.
    Bingbot,
}

impl SearchEngine {
    /// Its name in robots.txt.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Googlebot => "googlebot",
            Self::Bingbot => "bingbot",
        }
    }

    /// Its name in robots.txt, to look rules up by.
    #[must_use]
    pub fn token(self) -> Option<ProductToken> {
        self.as_str().parse().ok()
    }
}

impl fmt::Display for SearchEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for SearchEngine {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = [Self::Googlebot, Self::Bingbot];
        let found = known.into_iter().find(|engine| engine.as_str().eq_ignore_ascii_case(text));
        found.ok_or_else(|| format!("expected googlebot or bingbot, got {text:?}"))
    }
}

impl Site {
    /// What is the site's own.
    ///
    /// # Errors
    /// Where subdomains are wanted of a host that has none of its own.
    pub fn scope(&self) -> Result<Scope, ScopeError> {
        match self.subdomains {
            true => Scope::subdomains(&self.start),
            false => Scope::host(&self.start),
        }
    }

    /// Its host.
    #[must_use]
    pub fn host(&self) -> &str {
        self.start.host_str().unwrap_or_default()
    }

    fn of_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let unreadable = |column: usize, error: Box<dyn std::error::Error + Send + Sync>| {
            rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, error)
        };
        let start: String = row.get(1)?;
        let rules_of: Option<String> = row.get(4)?;
        Ok(Self {
            id: row.get(0)?,
            start: start.parse().map_err(|error: url::ParseError| unreadable(1, error.into()))?,
            subdomains: row.get(2)?,
            desktop: row.get(3)?,
            rules_of: rules_of
                .map(|name| name.parse())
                .transpose()
                .map_err(|error: String| unreadable(4, error.into()))?,
            page_limit: row.get(5)?,
            post: row.get(6)?,
            verified: row.get(7)?,
        })
    }
}

const COLUMNS: &str = "id, start, subdomains, desktop, rules_of, page_limit, post, \
                       EXISTS (SELECT 1 FROM evidence WHERE evidence.site = site.id)";

/// What a person asked for with a site.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// See [`Site::subdomains`].
    pub subdomains: bool,
    /// See [`Site::desktop`].
    pub desktop: bool,
    /// See [`Site::rules_of`].
    pub rules_of: Option<SearchEngine>,
    /// See [`Site::page_limit`].
    pub page_limit: Option<u32>,
    /// See [`Site::post`].
    pub post: bool,
}

/// The sites of a state.
pub struct Sites<'s>(pub &'s State);

impl Sites<'_> {
    /// Adds a site, or changes what is asked for with it.
    ///
    /// # Errors
    /// A [`Usage`] where the text is no site, where its host has no subdomains of its own, or where a search engine's rules
    /// are wanted on a site that nothing shows to be the person's own.
    pub fn add(&self, text: &str, wish: &Wish) -> Result<Site, Box<dyn std::error::Error + Send + Sync>> {
        let start = start(text)?;
        let host = start.host_str().unwrap_or_default().to_owned();
        let scope = if wish.subdomains { Scope::subdomains(&start) } else { Scope::host(&start) };
        scope.map_err(|error| Usage::new(format!("site {text:?}: {error}")))?;
        let known = self.find(&host)?;
        let wanted = match (wish.rules_of, wish.post) {
            (Some(engine), _) => Some((format!("the rules of {engine} are followed"), "--rules-of")),
            (None, true) => Some(("data is sent".to_owned(), "--allow-post")),
            (None, false) => None,
        };
        if let Some((what, option)) = wanted
            && !known.as_ref().is_some_and(|site| site.verified)
        {
            return Err(Usage::new(format!(
                "{what} on a verified site alone, and nothing shows yet that {host} is yours: add it without {option}, then \
                 `verify {host} FILE` with the pages' export of Google Search Console or Bing Webmaster Tools"
            ))
            .into());
        }
        let put = "INSERT INTO site (host, start, subdomains, desktop, rules_of, page_limit, post) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                   ON CONFLICT (host) DO UPDATE SET start = ?2, subdomains = ?3, desktop = ?4, rules_of = ?5, page_limit = ?6,
                   post = ?7";
        let rules_of = wish.rules_of.map(SearchEngine::as_str);
        self.0.connection().execute(
            put,
            params![
                host,
                start.as_str(),
                wish.subdomains,
                wish.desktop,
                rules_of,
                wish.page_limit,
                wish.post
            ],
        )?;
        self.find(&host)?.ok_or_else(|| "the site was not written".into())
    }

    /// All of them.
    ///
    /// # Errors
    /// When the state cannot be read.
    pub fn all(&self) -> rusqlite::Result<Vec<Site>> {
        all(&self.0.connection())
    }

    /// The site of this host or URL.
    ///
    /// # Errors
    /// A [`Usage`] that names the sites there are.
    pub fn named(&self, text: &str) -> Result<Site, Box<dyn std::error::Error + Send + Sync>> {
        let host = start(text)?.host_str().unwrap_or_default().to_owned();
        if let Some(site) = self.find(&host)? {
            return Ok(site);
        }
        let known: Vec<_> = self.all()?.iter().map(|site| site.host().to_owned()).collect();
        let known = if known.is_empty() { "there is none yet".to_owned() } else { known.join(", ") };
        Err(Usage::new(format!("{host} is not watched ({known}); `add {host}` adds it")).into())
    }

    /// Takes an export as evidence that the site is the person's own, and its impressions with it.
    ///
    /// # Errors
    /// A [`Usage`] where the export is of another property.
    pub fn verify(
        &self,
        site: &Site,
        file: &str,
        property: Option<&str>,
        export: &Export,
        now: i64,
    ) -> Result<usize, Box<dyn std::error::Error + Send + Sync>> {
        let pages = export.of_property(site, property)?;
        let scope = site.scope()?;
        let mut connection = self.0.connection();
        let transaction = connection.transaction()?;
        let source = export.source.as_str();
        transaction
            .execute("DELETE FROM demand WHERE site = ?1 AND source = ?2", params![site.id, source])?;
        let mut kept = 0;
        for (url, demand) in pages.iter().filter(|(url, _)| scope.contains(url)) {
            let put = "INSERT INTO demand (site, key, url, source, impressions, clicks) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                       ON CONFLICT DO UPDATE SET impressions = impressions + ?5, clicks = clicks + ?6";
            let key = UrlKey::without_tracking(url);
            let (impressions, clicks) = (count(demand.impressions), count(demand.clicks));
            transaction
                .execute(put, params![site.id, key.as_str(), url.as_str(), source, impressions, clicks])?;
            kept += 1;
        }
        let put = "INSERT INTO evidence (site, source, property, file, pages, dropped, imported) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let property = property.unwrap_or(site.start.as_str());
        let (pages, dropped) = (count(Some(pages.len() as u64)), count(Some(export.dropped as u64)));
        transaction.execute(put, params![site.id, source, property, file, pages, dropped, now])?;
        transaction.commit()?;
        Ok(kept)
    }

    fn find(&self, host: &str) -> rusqlite::Result<Option<Site>> {
        let query = format!("SELECT {COLUMNS} FROM site WHERE host = ?1");
        self.0.connection().query_row(&query, [host], Site::of_row).optional()
    }
}

/// All sites of a state that may not have its tables yet.
pub(crate) fn all(connection: &Connection) -> rusqlite::Result<Vec<Site>> {
    let query = format!("SELECT {COLUMNS} FROM site ORDER BY id");
    connection.prepare(&query)?.query_map([], Site::of_row)?.collect()
}

/// The home page of what a person calls a site: a host name, or any URL of it.
pub(crate) fn start(text: &str) -> Result<Url, Usage> {
    let text = text.trim();
    // What follows the colon of a host is a port; `mailto:` and the like are URLs already.
    let has_scheme = text.split_once(':').is_some_and(|(front, rest)| {
        !front.contains(['/', '[']) && rest.starts_with(|c: char| !c.is_ascii_digit())
    });
    let whole = if has_scheme { text.to_owned() } else { format!("https://{text}") };
    let wrong = |why: &dyn fmt::Display| {
        Usage::new(format!("site {text:?}: {why}; expected a host such as example.com, or its URL"))
    };
    let mut url = Url::parse(&whole).map_err(|error| wrong(&error))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong(&format_args!("{} is not read, only http and https are", url.scheme())));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong(&"it holds a user name or password, and pages behind a login are not read"));
    }
    url.set_path("/");
    url.set_query(None);
    url.set_fragment(None);
    Ok(url)
}

fn count(number: Option<u64>) -> i64 {
    number.and_then(|number| i64::try_from(number).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_a_host_or_a_web_address_of_it() {
        for (text, home) in [
            ("example.com", "https://example.com/"),
            (" localhost:8080 ", "https://localhost:8080/"),
            ("[::1]:8080/a", "https://[::1]:8080/"),
            ("http://example.com/a?b#c", "http://example.com/"),
            ("example.com/a:b", "https://example.com/"),
        ] {
            assert_eq!(start(text).map(String::from).map_err(|error| error.to_string()), Ok(home.to_owned()));
        }
        for (text, told) in [
            ("mailto:bot@example.com", "mailto is not read, only http and https are"),
            ("data:text/plain,hi", "data is not read, only http and https are"),
            ("ftp://example.com", "ftp is not read, only http and https are"),
            ("https://me:secret@example.com", "user name or password"),
        ] {
            let problem = start(text).map(String::from).map_err(|error| error.to_string()).err();
            assert!(problem.as_ref().is_some_and(|problem| problem.contains(told)), "{text}: {problem:?}");
        }
    }
}
