//! Finding servers: public catalogues, each a reviewed record with its own paths, pace and caps.
//!
//! A catalogue is asked for nothing outside its record. Its robots.txt is read and obeyed, its Crawl-delay kept; past a
//! line that closes it goes only a record that quotes the catalogue's own invitation, as long as the review of that holds.
//! A refusal is an error, never an empty result. Names out of certificates are asked only where they look like a map
//! server's, with two requests at the most after robots.txt, and left alone for half a year after.

use std::time::Duration;

use bot_etiquette::arcgis::discover::ct::{Checkpoint, TILE_WIDTH, TileWalk, tiles};
use bot_etiquette::arcgis::discover::{
    ApiSource, Finding, HubPage, PortalWalk, Probe, Review, RobotsRule, SOURCES, SearchPage,
    WikidataProperty, WikidataRows, Window, hub_search, is_probeable, server_root, wikidata_query,
};
use bot_etiquette::arcgis::{Directory, Facts, Request, Root};
use bot_etiquette::fetch::Fetched;
use rusqlite::{OptionalExtension, params};
use url::Url;

use super::catalogue::millis;
use super::session::{Session, Trouble};
use super::tally::Tally;
use crate::asker::NotRead;
use crate::stack::BoxError;

/// The class of a request to a catalogue.
const API: &str = "api";

/// The class of a request to a host whose name came out of a certificate.
const PROBE: &str = "probe";

/// Pages of one catalogue and run, at the most.
const PAGES: usize = 100;

/// The catalogues that can be asked.
pub const LANES: [&str; 4] = ["arcgis-online", "arcgis-hub", "wikidata", "certificates"];

/// Why a catalogue was not asked to its end.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error("{0} is not in the reviewed record")]
    OffRecord(String),
    #[error("the review of the invitation is more than a year old: read {0} again")]
    Stale(&'static str),
    #[error(transparent)]
    Nameless(#[from] bot_etiquette::arcgis::discover::ContactRequired),
    #[error(transparent)]
    Trouble(#[from] Trouble),
    #[error(transparent)]
    Catalogue(#[from] rusqlite::Error),
    #[error("{0}")]
    Answer(String),
}

/// Asks these lanes; new servers are in the catalogue after, and come back as a list.
///
/// # Errors
/// When the catalogue of the bot cannot be used.
pub async fn discover(session: &Session, lanes: &[&str]) -> Result<(Vec<Root>, Tally), BoxError> {
    let mut known: Vec<String> =
        session.catalogue.roots()?.iter().filter_map(|record| Some(record.root()?.key())).collect();
    let (mut found, mut tally) = (Vec::new(), Tally::default());
    for lane in lanes {
        session.talk.doing(format!("asking {lane}"));
        let mut named = Vec::new();
        let asked = match *lane {
            "arcgis-online" => portal(session, &mut named).await,
            "arcgis-hub" => hub(session, &mut named).await,
            "wikidata" => wikidata(session, &mut named).await,
            "certificates" => certificates(session, &mut named).await,
            other => {
                Err(Refused::Answer(format!("no lane of the name {other}; there are {}", LANES.join(", "))))
            }
        };
        let count = named.len();
        let mut fresh = 0;
        for root in named {
            if !known.contains(&root.key()) {
                known.push(root.key());
                session.catalogue.root(&root, lane)?;
                found.push(root);
                fresh += 1;
            }
        }
        match asked {
            Ok(()) => {
                tally.read += 1;
                session.talk.say(format!("{lane}: {count} addresses of servers, {fresh} of them new"));
            }
            Err(Refused::Catalogue(error)) => return Err(error.into()),
            Err(refused) => {
                session.talk.say(format!("{lane}: refused, which is no empty result: {refused}"));
                match refused {
                    Refused::Trouble(Trouble::NotRead(not_read)) => tally.leave(*lane, &not_read),
                    other => tally.leave(*lane, &NotRead::Refused(other.to_string())),
                }
            }
        }
    }
    Ok((found, tally))
}

async fn portal(session: &Session, named: &mut Vec<Root>) -> Result<(), Refused> {
    let now = u64::try_from(millis(session.now())).unwrap_or(0);
    let mut walk = PortalWalk::new(&address("https://www.arcgis.com")?, Window { from: 0, to: now });
    for _ in 0..PAGES {
        let Some(request) = walk.next() else { break };
        let page: SearchPage = ask(session, "arcgis-online", &request).await?;
        named.extend(walk.answered(page).iter().filter_map(|item| item.root().ok()));
    }
    Ok(())
}

async fn hub(session: &Session, named: &mut Vec<Root>) -> Result<(), Refused> {
    let mut next = Some(hub_search(&address("https://hub.arcgis.com")?, "Feature Service", 1));
    for _ in 0..PAGES {
        let Some(request) = next else { break };
        let page: HubPage = ask(session, "arcgis-hub", &request).await?;
        named.extend(page.items.iter().filter_map(|item| item.properties.root().ok()));
        next = page.next(request.url.as_str());
    }
    Ok(())
}

async fn wikidata(session: &Session, named: &mut Vec<Root>) -> Result<(), Refused> {
    let endpoint = address("https://query.wikidata.org/sparql")?;
    for property in [WikidataProperty::ApiEndpoint, WikidataProperty::Url, WikidataProperty::DescribedAt] {
        let rows: WikidataRows = ask(session, "wikidata", &wikidata_query(&endpoint, property)).await?;
        named.extend(rows.urls.iter().filter_map(|url| server_root(url).ok()));
    }
    Ok(())
}

/// Names out of certificates, and a polite look at those that are a map server's.
async fn certificates(session: &Session, named: &mut Vec<Root>) -> Result<(), Refused> {
    for log in &session.config.ct_logs {
        let log = address(log)?;
        let source = source_of(log.as_str()).or_else(|| source_of(log.join("checkpoint").ok()?.as_str()));
        let source = source.ok_or_else(|| Refused::OffRecord(log.to_string()))?;
        let head = lane(session, source, &TileWalk::new(&log, []).checkpoint()).await?;
        let text = String::from_utf8_lossy(&head.body);
        let checkpoint = Checkpoint::parse(&text).map_err(|error| Refused::Answer(error.to_string()))?;
        // The newest full tiles: certificates recur, so that older ones come by again.
        let (full, _) = tiles(checkpoint.size, 0);
        let wanted = full.saturating_sub(session.config.ct_tiles)..full;
        let count = wanted.clone().count() as u64 * TILE_WIDTH;
        let mut walk = TileWalk::new(&log, wanted);
        let mut names = Vec::new();
        while let Some(request) = walk.next() {
            let tile = lane(session, source, &request).await?;
            match walk.answered(tile.status, &tile.body) {
                Ok(found) => names.extend(found.into_iter().filter(|name| is_probeable(name))),
                Err(error) => session.talk.say(format!("{log}: {error}")),
            }
        }
        names.sort_unstable();
        names.dedup();
        session
            .talk
            .say(format!("{log}: {count} certificates, {} names that look like a map server's", names.len()));
        for name in names {
            named.extend(probe(session, &name).await?);
        }
    }
    Ok(())
}

async fn probe(session: &Session, host: &str) -> Result<Option<Root>, Refused> {
    let now = millis(session.now());
    let query = "SELECT until FROM probe WHERE host = ?1 AND until > ?2";
    let held: Option<i64> = session
        .catalogue
        .query(|tables| tables.query_row(query, params![host, now], |row| row.get(0)).optional())?;
    let Some(mut probe) = Probe::new(host).filter(|_| held.is_none()) else { return Ok(None) };
    // A host that does not answer is not waited for: nobody invited the question.
    let hasty = session.clone().with_patience(Duration::ZERO);
    while let Some(request) = probe.next() {
        match hasty.read::<Directory>(&request, PROBE, None).await {
            Ok(parsed) => probe.answered(Ok(parsed)),
            Err(Trouble::Problem(problem)) => probe.answered(Err(problem)),
            Err(Trouble::NotRead(NotRead::Interrupted)) => {
                return Err(Trouble::NotRead(NotRead::Interrupted).into());
            }
            Err(Trouble::NotRead(_)) => probe.stop(),
        }
    }
    let Some(finding) = probe.finding() else { return Ok(None) };
    let until = millis(session.now() + finding.holds());
    let word = match finding {
        Finding::Server(_) => "a server",
        Finding::Nothing => "no server",
        _ => "closed",
    };
    session.talk.say(format!("{host}: {word}"));
    let put = "INSERT OR REPLACE INTO probe (host, until, finding) VALUES (?1, ?2, ?3)";
    session.catalogue.query(|tables| tables.execute(put, params![host, until, word]))?;
    Ok(match finding {
        Finding::Server(root) => Some(root.clone()),
        _ => None,
    })
}

async fn ask<T: Facts>(session: &Session, id: &str, request: &Request) -> Result<T, Refused> {
    let source =
        SOURCES.iter().find(|source| source.id == id).ok_or_else(|| Refused::OffRecord(id.into()))?;
    let fetched = lane(session, source, request).await?;
    let parsed = session.facts(request, None, &fetched).map_err(Trouble::Problem)?;
    Ok(parsed.facts)
}

/// One request under a record.
async fn lane(session: &Session, source: &ApiSource, request: &Request) -> Result<Fetched, Refused> {
    if !source.allows(request.url.as_str()) {
        return Err(Refused::OffRecord(request.url.to_string()));
    }
    source.check_user_agent(&session.user_agent)?;
    match session.ask(request, API, None).await {
        // Its robots.txt was read for this refusal, so that the Crawl-delay in it is kept in what follows.
        Err(NotRead::Closed(why)) => match source.robots {
            RobotsRule::Invited { by, .. } if source.robots.review(session.now()) == Review::Void => {
                Err(Refused::Stale(by))
            }
            RobotsRule::Invited { .. } => {
                Ok(session.ask_invited(request, API).await.map_err(Trouble::NotRead)?)
            }
            _ => Err(Trouble::NotRead(NotRead::Closed(why)).into()),
        },
        asked => Ok(asked.map_err(Trouble::NotRead)?),
    }
}

fn source_of(url: &str) -> Option<&'static ApiSource> {
    SOURCES.iter().find(|source| source.allows(url))
}

fn address(text: &str) -> Result<Url, Refused> {
    text.parse().map_err(|error| Refused::Answer(format!("{text}: {error}")))
}
