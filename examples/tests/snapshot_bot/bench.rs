//! A world of a few sites, a log of what they were asked, and the bot let loose in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use bot_etiquette::politeness::Policy;
use bot_etiquette::referee::{Page, Promise, Report, Site};
use bot_etiquette_examples::clock::Clock;
use bot_etiquette_examples::interrupt::Interrupt;
use bot_etiquette_examples::ledger::Ledger;
use bot_etiquette_examples::snapshot_bot::bots::{self, Edition};
use bot_etiquette_examples::snapshot_bot::evidence::Export;
use bot_etiquette_examples::snapshot_bot::policy::{POLICY, open_state};
use bot_etiquette_examples::snapshot_bot::report::{self, Summary};
use bot_etiquette_examples::snapshot_bot::{AsSent, Crawl, CrawlEnd, CrawlOptions, Sites, Viewer, Wish};
use bot_etiquette_examples::talk::Talk;
use bot_etiquette_examples::world::{Demo, World};

pub(crate) const AGENT: &str = "SiteSnapshot/1.0 (+https://seostudio.com/docs/site-snapshot)";

/// What a site was asked: its method, its target, and the fields.
pub(crate) type Asked = (String, String, Vec<(String, String)>);

/// Remembers what its sites were asked, robots.txt aside.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<(String, Asked)>>>);

impl Log {
    /// A site with these pages of HTML, all else being 404.
    pub(crate) fn site(&self, name: &str, robots: &str, pages: &[(&str, &str)]) -> Site {
        let pages: BTreeMap<String, String> =
            pages.iter().map(|(path, body)| ((*path).to_owned(), (*body).to_owned())).collect();
        self.answers(name, robots, move |asked| {
            let body = pages.get(asked.target)?;
            Some(Page::new(asked.target).header("Content-Type", "text/html").body(body))
        })
    }

    /// A site that answers as it is told.
    pub(crate) fn answers(
        &self,
        name: &str,
        robots: &str,
        answer: impl Fn(&bot_etiquette::referee::Asked<'_>) -> Option<Page> + Send + Sync + 'static,
    ) -> Site {
        let (log, site) = (self.clone(), name.to_owned());
        Site::new(name).robots(robots).handler(move |asked| {
            let one = (asked.method.to_owned(), asked.target.to_owned(), asked.headers.to_vec());
            log.0.lock().unwrap().push((site.clone(), one));
            answer(asked)
        })
    }

    /// `GET /a` of a site, in order.
    pub(crate) fn of(&self, site: &str) -> Vec<String> {
        let all = self.0.lock().unwrap();
        all.iter()
            .filter(|(name, _)| name == site)
            .map(|(_, (method, target, _))| format!("{method} {target}"))
            .collect()
    }

    /// The names under which something was asked for, each once.
    pub(crate) fn agents(&self, method: &str, target: &str) -> Vec<String> {
        let all = self.0.lock().unwrap();
        let asked = all.iter().map(|(_, asked)| asked).filter(|asked| asked.0 == method && asked.1 == target);
        let fields = asked.flat_map(|(_, _, fields)| fields).filter(|(field, _)| field == "user-agent");
        fields
            .map(|(_, value)| value.clone())
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect()
    }

    /// Every value of a field that was sent, each once.
    pub(crate) fn field(&self, name: &str) -> Vec<String> {
        let all = self.0.lock().unwrap();
        let fields = all.iter().flat_map(|(_, (_, _, fields))| fields);
        let values: std::collections::BTreeSet<_> =
            fields.filter(|(field, _)| field == name).map(|(_, value)| value.clone()).collect();
        values.into_iter().collect()
    }
}

/// The bot before a world.
pub(crate) struct Bench {
    pub(crate) demo: Demo,
    pub(crate) out: PathBuf,
    pub(crate) state: PathBuf,
    pub(crate) policy: Policy,
    edition: Edition,
    viewer: Arc<dyn Viewer>,
}

/// What every crawl owes.
pub(crate) fn owed() -> Promise {
    Promise::new()
        .robots_first(true)
        .max_open(1)
        .min_delay(Duration::from_secs(1))
        .crawl_delay_cap(Duration::from_secs(10))
        .retry_after(true)
        .max_redirects(5)
        .nofollow(true)
}

impl Bench {
    /// Serves these sites.
    pub(crate) async fn new(name: &str, sites: Vec<Site>, promise: Promise, scale: u32) -> Self {
        let out = folder(name);
        let demo = Demo::start(sites, promise, scale).await.unwrap();
        let policy = Policy::from_toml(POLICY).unwrap();
        Self {
            demo,
            state: out.join("state.sqlite"),
            out,
            policy,
            edition: Edition::Server,
            viewer: Arc::new(AsSent::default()),
        }
    }

    pub(crate) fn edition(mut self, edition: Edition) -> Self {
        self.edition = edition;
        self
    }

    /// Looks at pages so.
    pub(crate) fn viewer(mut self, viewer: Arc<dyn Viewer>) -> Self {
        self.viewer = viewer;
        self
    }

    /// Watches a site.
    pub(crate) fn add(&self, site: &str, wish: &Wish) -> Result<(), String> {
        let state = open_state(&self.state, &self.policy).unwrap();
        Sites(&state).add(site, wish).map(drop).map_err(|error| error.to_string())
    }

    /// Brings an export with these pages and impressions.
    pub(crate) fn verify(&self, site: &str, pages: &[(&str, u32)]) {
        let state = open_state(&self.state, &self.policy).unwrap();
        let mut table = String::from("Top pages,Clicks,Impressions,CTR,Position\n");
        for (page, impressions) in pages {
            table.push_str(&format!("{page},1,{impressions},1%,3\n"));
        }
        let export = Export::read(table.as_bytes()).unwrap();
        let sites = Sites(&state);
        sites.verify(&sites.named(site).unwrap(), "Pages.csv", None, &export, 0).unwrap();
    }

    /// Crawls a site once.
    pub(crate) async fn crawl(&self, site: &str) -> CrawlEnd {
        let ledger = Ledger::new(self.demo.world().unwrap().clock);
        self.crawl_noting(site, &ledger).await
    }

    pub(crate) async fn crawl_noting(&self, site: &str, ledger: &Ledger) -> CrawlEnd {
        self.crawl_in(site, self.demo.world().unwrap(), ledger).await
    }

    /// Crawls a site once, seen from a machine whose clock says so.
    pub(crate) async fn crawl_at(&self, site: &str, now: SystemTime) -> CrawlEnd {
        let mut world = self.demo.world().unwrap();
        let here = [([127, 0, 0, 1], 80).into()];
        world.clock = Clock::joined(world.clock.scale(), Clock::real().now(), now, &here).unwrap();
        let ledger = Ledger::new(world.clock);
        self.crawl_in(site, world, &ledger).await
    }

    async fn crawl_in(&self, site: &str, world: World, ledger: &Ledger) -> CrawlEnd {
        let state = Arc::new(open_state(&self.state, &self.policy).unwrap());
        let site = Sites(&state).named(site).unwrap();
        let options =
            CrawlOptions { horizon: Duration::from_secs(120), ..CrawlOptions::new(Interrupt::never()) };
        let crawl = Crawl {
            bot: bots::bot(None, &self.edition).unwrap(),
            world,
            policy: self.policy.clone(),
            state,
            viewer: Arc::clone(&self.viewer),
            talk: Talk::new(true),
            options,
        };
        crawl.run(&site, ledger).await.unwrap()
    }

    /// Writes the report. Its HTML, and what it comes to.
    pub(crate) fn report(&self, ledger: Option<&Ledger>) -> (String, Vec<Summary>) {
        let state = open_state(&self.state, &self.policy).unwrap();
        let summary = report::write(&state, &Sites(&state).all().unwrap(), AGENT, ledger, &self.out).unwrap();
        (std::fs::read_to_string(self.out.join("report.html")).unwrap(), summary)
    }

    pub(crate) fn diff(&self, url: &str) -> String {
        report::diff(&open_state(&self.state, &self.policy).unwrap(), url).unwrap()
    }

    /// The lines of pages.ndjson, by URL.
    pub(crate) fn pages(&self) -> BTreeMap<String, serde_json::Value> {
        let text = std::fs::read_to_string(self.out.join("pages.ndjson")).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        lines.map(|line| (line["url"].as_str().unwrap().to_owned(), line)).collect()
    }

    /// The referee's word.
    #[track_caller]
    pub(crate) fn clean(&self) -> Report {
        let report = self.demo.report();
        assert!(report.is_clean(), "{report}");
        report
    }
}

/// An empty folder below the build's folder for temporary things.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("snapshot-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}
