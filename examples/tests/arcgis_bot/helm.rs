//! What the tests share: a world of some of the islands' servers, and a session in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use bot_etiquette::arcgis::Root;
use bot_etiquette::politeness::Policy;
use bot_etiquette::referee::{Promise, Report};
use bot_etiquette::signing::SigningKey;
use bot_etiquette_examples::arcgis_bot::catalogue::{NAME, TABLES};
use bot_etiquette_examples::arcgis_bot::config::{Config, DEMO_IDENTITY, POLICY, roots};
use bot_etiquette_examples::arcgis_bot::crawl::crawl;
use bot_etiquette_examples::arcgis_bot::session::Session;
use bot_etiquette_examples::arcgis_bot::tally::Tally;
use bot_etiquette_examples::arcgis_bot::world::{Islands, Log, SERVERS};
use bot_etiquette_examples::bot::Bot;
use bot_etiquette_examples::clock::Clock;
use bot_etiquette_examples::interrupt::Interrupt;
use bot_etiquette_examples::state::State;
use bot_etiquette_examples::talk::Talk;
use bot_etiquette_examples::world::{Demo, World};

pub const SCALE: u32 = 60;

pub const DAY: Duration = Duration::from_secs(86_400);

/// A folder of its own, gone at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("arcgis-bot-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// Some servers of the islands, served, with the bot before them.
pub struct Isles {
    pub islands: Islands,
    pub demo: Demo,
    pub world: World,
    pub log: Log,
    pub bot: Bot,
    pub folder: Folder,
}

impl Isles {
    pub async fn serve(hosts: &[&str]) -> Self {
        Self::of(Islands::read(SERVERS).unwrap().only(hosts), SCALE).await
    }

    pub async fn of(islands: Islands, scale: u32) -> Self {
        Self::held_to(islands, scale, |promise| promise).await
    }

    pub async fn held_to(islands: Islands, scale: u32, change: impl FnOnce(Promise) -> Promise) -> Self {
        let folder = Folder::new();
        // A key that processes share, beside the identity that names it.
        let key = SigningKey::from_seed(&[5; 32]).to_pkcs8_pem();
        std::fs::write(folder.file("smart-site-plan.key"), key.as_str()).unwrap();
        std::fs::write(folder.file("identity.toml"), DEMO_IDENTITY).unwrap();
        let bot = Bot::read_signed(&folder.file("identity.toml")).unwrap();
        let (sites, log) = islands.sites();
        let demo = Demo::start(sites, change(islands.promise(&bot, scale)), scale).await.unwrap();
        let world = demo.world().unwrap();
        Self { islands, demo, world, log, bot, folder }
    }

    pub fn state(&self) -> PathBuf {
        self.folder.file("state.sqlite")
    }

    /// A session in this world that waits for turns up to ten minutes.
    pub fn session(&self) -> Session {
        self.session_in(&self.world, Config::default(), Duration::from_secs(600))
    }

    pub fn session_in(&self, world: &World, config: Config, patience: Duration) -> Session {
        let state =
            State::open(&self.state(), Policy::from_toml(POLICY).unwrap(), NAME.0, TABLES, NAME.1).unwrap();
        state.politeness.unsynced().unwrap();
        let talk = (Talk::new(true), Interrupt::never(), patience);
        Session::new(&self.bot, world, Arc::new(state), config, talk).unwrap()
    }

    /// The same world so many days later.
    pub fn days_later(&self, days: u32) -> World {
        self.at(self.world.clock.now() + DAY * days)
    }

    /// The same world, seen from a machine whose clock says so.
    pub fn at(&self, now: SystemTime) -> World {
        let mut world = self.world.clone();
        world.clock = Clock::joined(1, Clock::real().now(), now, &[]).unwrap();
        world
    }

    pub fn roots(&self) -> Vec<Root> {
        roots(&self.islands.addresses()).unwrap()
    }

    pub async fn crawl(&self) -> (Session, Tally) {
        let session = self.session();
        let tally = crawl(&session, self.roots()).await.unwrap();
        (session, tally)
    }

    /// How often this was asked of the host, robots.txt aside.
    pub fn asked(&self, host: &str, is: impl Fn(&str) -> bool) -> usize {
        self.log.all().iter().filter(|(at, target)| at == host && is(target)).count()
    }

    pub async fn kept(self) -> Report {
        let report = self.demo.finish().await;
        assert!(report.is_clean(), "{report}");
        report
    }
}

/// What a catalogue holds, times left out.
pub fn contents(file: &Path) -> Vec<String> {
    let connection = rusqlite::Connection::open(file).unwrap();
    let mut all = Vec::new();
    for query in [
        "SELECT url || ' ' || (walked IS NOT NULL) || coalesce(problem, '') FROM root ORDER BY url",
        "SELECT url || ' ' || state || coalesce(problem, '') || coalesce(facts, '') FROM service ORDER BY url",
        "SELECT service.url || layer.number || layer.facts || json_extract(layer.known, '$.place')
            || coalesce(json_extract(layer.known, '$.count'), '') || coalesce(json_extract(layer.known, '$.coverage'), '')
            || (json_extract(layer.known, '$.checked') IS NOT NULL)
            FROM layer JOIN service ON service.id = layer.service ORDER BY service.url, number",
        "SELECT service.url || layer.number || way || coalesce(hex(picture), '') FROM preview
            JOIN layer ON layer.id = preview.layer JOIN service ON service.id = layer.service ORDER BY service.url, number",
    ] {
        let mut query = connection.prepare(query).unwrap();
        let rows = query.query_map([], |row| row.get::<_, String>(0)).unwrap();
        all.extend(rows.map(Result::unwrap));
    }
    all
}
