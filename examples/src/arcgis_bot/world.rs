//! The bundled world: ArcGIS servers of islands that do not exist, served on loopback, each with a trait of real ones.
//!
//! `examples/worlds/arcgis_bot/servers.toml` says who publishes what; nothing in it is anybody's data.

mod catalogues;
mod server;
mod shapes;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bot_etiquette::referee::{Page, Promise, Site};
use serde::Deserialize;

use crate::bot::Bot;
use crate::exit::Usage;
use crate::files;
use crate::personal;

/// The servers of the demonstration.
pub const SERVERS: &str = include_str!("../../worlds/arcgis_bot/servers.toml");

/// Seconds of the demonstration's clock in a real one.
pub const SCALE: u32 = 300;

/// The servers of a world.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Islands {
    #[serde(rename = "server")]
    servers: Vec<Server>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Server {
    host: String,
    /// Who runs it, for people.
    publisher: String,
    #[serde(default = "context")]
    root: String,
    version: f64,
    #[serde(default)]
    robots: Option<String>,
    /// Paths that nobody must ask for, for the referee.
    #[serde(default)]
    closed: Vec<String>,
    /// It never answers.
    #[serde(default)]
    dead: bool,
    /// It is not given to the bot: only a catalogue names it.
    #[serde(default)]
    hidden: bool,
    /// Seconds before each answer.
    #[serde(default)]
    delay: f64,
    /// Requests that may be open at once here, where that is more than two: hosting that publishers share.
    #[serde(default)]
    max_open: Option<u64>,
    #[serde(default, rename = "service")]
    services: Vec<Service>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Service {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    about: String,
    /// The system of its extents.
    #[serde(default = "degrees")]
    wkid: u32,
    #[serde(default)]
    faults: Vec<String>,
    #[serde(default)]
    layers: Vec<Layer>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Layer {
    name: String,
    shape: String,
    #[serde(default)]
    count: usize,
    #[serde(default)]
    about: String,
    #[serde(default)]
    fields: Vec<String>,
}

fn context() -> String {
    "/arcgis/rest/services".into()
}

const fn degrees() -> u32 {
    4326
}

/// What was asked of the servers, in order: host, path and query. robots.txt is not in it.
#[derive(Clone, Debug, Default)]
pub struct Log(Arc<Mutex<Vec<(String, String)>>>);

impl Log {
    /// All of it.
    #[must_use]
    pub fn all(&self) -> Vec<(String, String)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, host: &str, target: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((host.to_owned(), target.to_owned()));
    }
}

impl Islands {
    /// Reads the description of a world.
    ///
    /// # Errors
    /// A [`Usage`] that names the line.
    pub fn read(text: &str) -> Result<Self, Usage> {
        files::read_toml(text).map_err(Usage::new)
    }

    /// Only these hosts of it.
    #[must_use]
    pub fn only(mut self, hosts: &[&str]) -> Self {
        self.servers.retain(|server| hosts.contains(&server.host.as_str()));
        self
    }

    /// The addresses that a person would give the bot.
    #[must_use]
    pub fn addresses(&self) -> Vec<String> {
        let given = self.servers.iter().filter(|server| !server.hidden);
        given.map(|server| format!("http://{}{}", server.host, server.root)).collect()
    }

    /// Who publishes at each address.
    pub fn publishers(&self) -> impl Iterator<Item = (String, &str)> {
        self.servers.iter().map(|server| (format!("{}{}", server.host, server.root), &*server.publisher))
    }

    /// The sites, and a list of what is asked of them.
    #[must_use]
    pub fn sites(&self) -> (Vec<Site>, Log) {
        let log = Log::default();
        let mut hosts: Vec<&str> = self.servers.iter().map(|server| server.host.as_str()).collect();
        hosts.dedup();
        let site = |host: &&str| {
            let tenants = self.servers.iter().filter(|server| server.host == **host).cloned().collect();
            site(host, tenants, log.clone())
        };
        let sites = hosts.iter().map(site).chain(catalogues::sites(&log)).collect();
        (sites, log)
    }

    /// What the bot has promised, as the referee holds it to: two requests open, Crawl-delays up to two seconds, an hour
    /// for what is busy, a quarter of an hour for who does not answer, and all the rest. `scale` is the clock's.
    pub fn promise(&self, bot: &Bot, scale: u32) -> Promise {
        let promise = Promise::new()
            .user_agent(bot.identity.user_agent().as_ref())
            .robots_token("SmartSitePlanBot")
            .robots_first(true)
            .robots_max_age(Duration::from_secs(86_400))
            .max_open(2)
            .crawl_delay_cap(Duration::from_secs(2))
            .retry_after(true)
            .busy_first(Duration::from_secs(3_600))
            .busy_factor(2.0)
            .busy_by_path(true)
            .unreachable_first(Duration::from_secs(900))
            .unreachable_factor(2.0)
            .max_redirects(5)
            .max_body(32 << 20)
            .signed(true)
            // The limits of a request are real seconds, whatever the clock says.
            .time_limit(Duration::from_secs(30).saturating_mul(scale));
        let promise = personal::ALL.into_iter().fold(promise, Promise::canary);
        let promise = match &bot.key_directory {
            Some(keys) => promise.key_directory(keys),
            None => promise,
        };
        let shared = self.servers.iter().filter_map(|server| Some((&server.host, server.max_open?)));
        let promise = shared.fold(promise, |promise, (host, most)| promise.max_open_at(host, most));
        let closed = self
            .servers
            .iter()
            .flat_map(|server| server.closed.iter().map(|path| format!("{}{path}", server.host)));
        closed.fold(promise, |promise, path| promise.closed_path(&path))
    }
}

fn site(host: &str, tenants: Vec<Server>, log: Log) -> Site {
    let site = Site::new(host);
    let (host, hits) = (host.to_owned(), server::Hits::default());
    if tenants.iter().all(|server| server.dead) {
        let site = site.robots_answer(Page::new("/robots.txt").no_answer());
        return site.handler(move |request| {
            log.note(&host, request.target);
            Some(Page::new("/").no_answer())
        });
    }
    let robots = tenants.iter().find_map(|server| server.robots.as_deref());
    // Two seconds for the file: by then a pause that it asks for is over, however late its request was noticed here.
    let file = Page::new("/robots.txt").delay(Duration::from_secs(2));
    let site = site.robots_answer(match robots {
        Some(robots) => file.header("Content-Type", "text/plain").body(robots),
        None => file.status(404),
    });
    site.handler(move |request| {
        log.note(&host, request.target);
        tenants.iter().find_map(|tenant| server::answer(tenant, request, &hits))
    })
}
