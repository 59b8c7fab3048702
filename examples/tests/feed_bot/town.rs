//! A small world for one question: one host, one source, in real folders.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use bot_etiquette::referee::{Page, Promise, Report, Site};
use bot_etiquette_examples::bot::Bot;
use bot_etiquette_examples::clock::Clock;
use bot_etiquette_examples::feed_bot::record::{Row, seconds};
use bot_etiquette_examples::feed_bot::schedule::Round;
use bot_etiquette_examples::feed_bot::session::Session;
use bot_etiquette_examples::interrupt::Interrupt;
use bot_etiquette_examples::talk::Talk;
use bot_etiquette_examples::world::Demo;

pub const HOST: &str = "datos.madrid.es";
pub const IDENTITY: &str = include_str!("../../identities/city-vibe.toml");

/// A map with few fields.
pub const MAP: &str = r#"
source = "town"
format = "json"
records = "items"
zone = "Europe/Madrid"
language = "es"
total = "total"
[attribution]
source = "A town"
license = "CC BY 4.0"
license_url = "https://creativecommons.org/licenses/by/4.0/"
link = "https://town.example/data"
[fields]
key = "id"
title = "title"
description = "text"
start = "from"
venue = "where"
link = "link"
"#;

pub struct Town {
    pub folder: PathBuf,
    pub sources: PathBuf,
    world: Demo,
    /// The bot's clock, where it is another than the world's.
    clock: Option<Clock>,
    session: Option<Session>,
}

/// An own folder below the build's folder for temporary things.
pub fn folder(name: &str) -> PathBuf {
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("feed-bot-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("reviews")).unwrap();
    folder
}

/// Writes a configuration with one source; `lines` stand before it.
pub fn configure(folder: &Path, lines: &str, urls: &[&str], redirects: &[&str]) -> PathBuf {
    fs::write(folder.join("policy.toml"), include_str!("../../policies/city-vibe.toml")).unwrap();
    fs::write(folder.join("map.toml"), MAP).unwrap();
    let sources = folder.join("sources.toml");
    let text = format!(
        "policy = \"policy.toml\"\nreviews = \"reviews\"\n{lines}\n[[source]]\nid = \"town\"\non = true # the switch\n\
         map = \"map.toml\"\nurls = {urls:?}\nredirects = {redirects:?}\n"
    );
    fs::write(&sources, text).unwrap();
    review(folder, HOST, "", "");
    sources
}

/// Writes what a person read in the robots.txt of a host.
pub fn review(folder: &Path, host: &str, closed: &str, more: &str) {
    let closed = if closed.is_empty() { String::new() } else { format!("{closed:?}") };
    let text = format!(
        "origin = \"http://{host}\"\nreviewed = \"2026-11-02\"\nsha256 = \"{}\"\ntoken = \"CityVibeBot\"\nclosed = [{closed}]\n{more}\n",
        "0".repeat(64)
    );
    fs::write(folder.join(format!("reviews/{host}.toml")), text).unwrap();
}

/// A feed of these titles, each an event.
pub fn feed(titles: &[&str]) -> String {
    let items: Vec<String> = (0..).zip(titles).map(|(at, title)| item(at, title)).collect();
    format!("{{\"items\":[{}]}}", items.join(","))
}

/// One event of a feed.
pub fn item(at: usize, title: &str) -> String {
    let day = at % 28 + 1;
    format!(
        "{{\"id\":{at},\"title\":\"{title}\",\"from\":\"2099-05-{day:02} 20:00:00\",\"link\":\"https://town.example/{at}\"}}"
    )
}

pub fn page(path: &str, titles: &[&str]) -> Page {
    Page::new(path).header("Content-Type", "application/json").body(feed(titles))
}

/// What every town's bot promises.
pub fn promise() -> Promise {
    Promise::new()
        .user_agent("CityVibeBot/1.0 (+https://cityvibe.guide/bot-info)")
        .max_open(1)
        .min_delay(Duration::from_secs(2))
        .crawl_delay_cap(Duration::MAX)
        .retry_after(true)
        .conditional(true)
        .methods(&["GET"])
}

impl Town {
    pub async fn found(name: &str, scale: u32, sites: Vec<Site>, urls: &[&str], redirects: &[&str]) -> Self {
        Self::with(name, "", scale, sites, urls, redirects).await
    }

    pub async fn with(
        name: &str,
        lines: &str,
        scale: u32,
        sites: Vec<Site>,
        urls: &[&str],
        redirects: &[&str],
    ) -> Self {
        let folder = folder(name);
        Self::within(folder, lines, scale, sites, urls, redirects).await
    }

    /// In a folder that is there already: what a handler of a site wants to change has a known place.
    pub async fn within(
        folder: PathBuf,
        lines: &str,
        scale: u32,
        sites: Vec<Site>,
        urls: &[&str],
        redirects: &[&str],
    ) -> Self {
        let sources = configure(&folder, lines, urls, redirects);
        let world = Demo::start(sites, promise(), scale).await.unwrap();
        world.write(&folder.join("world.json")).unwrap();
        Self { folder, sources, world, clock: None, session: None }
    }

    /// The bot; opened when it is first needed, so that a test can change the folder before.
    pub fn session(&mut self) -> &Session {
        if self.session.is_none() {
            let bot = Bot::demo(IDENTITY).unwrap();
            let (talk, interrupt) = (Talk::new(true), Interrupt::never());
            let (state, out) = (self.folder.join("state.sqlite"), self.folder.clone());
            let mut world = self.world.world().unwrap();
            world.clock = self.clock.unwrap_or(world.clock);
            let session = Session::open(&bot, &world, &self.sources, &state, &out, talk, interrupt);
            self.session = Some(session.unwrap());
        }
        self.session.as_ref().unwrap()
    }

    /// The bot is started anew.
    pub fn restart(&mut self) {
        self.session = None;
    }

    /// The bot is started anew on a machine whose clock was set.
    pub fn restart_at(&mut self, set: impl FnOnce(SystemTime) -> SystemTime) {
        let world = self.world.world().unwrap();
        let (clock, machine) = (world.clock, Clock::real());
        let addresses: Vec<_> = world.hosts().map(|_| ([127, 0, 0, 1], 80).into()).collect();
        let set = set(clock.now());
        self.clock = Some(Clock::joined(clock.scale(), machine.now(), set, &addresses).unwrap());
        self.session = None;
    }

    pub async fn round(&mut self) -> Round {
        self.session().round().await.unwrap().0
    }

    /// Waits until the source is due again, and runs it.
    pub async fn next_round(&mut self) -> Round {
        self.sleep_until_due().await;
        self.round().await
    }

    pub async fn sleep_until_due(&mut self) {
        let due = self.row().due;
        let clock = self.session().reader.clock;
        let wait = Duration::from_secs(due.saturating_sub(seconds(clock.now())) + 1);
        tokio::time::sleep(clock.real_duration(wait)).await;
    }

    pub fn row(&mut self) -> Row {
        self.session().reader.kept().row("town").unwrap()
    }

    pub fn problem(&mut self) -> String {
        self.row().record.problem.unwrap_or_default()
    }

    pub fn titles(&mut self) -> Vec<String> {
        let events = self.session().reader.kept().events("town").unwrap();
        events.iter().map(|(event, _)| event.titles().source().unwrap().text().to_string()).collect()
    }

    pub fn report(&self) -> Report {
        self.world.report()
    }

    /// Ends the world; every promise has to have been kept, with so many requests in all.
    #[track_caller]
    pub fn kept(self, requests: u64) {
        let report = self.world.report();
        assert!(report.is_clean(), "{report}");
        assert_eq!(report.requests(), requests, "{report}");
    }
}
