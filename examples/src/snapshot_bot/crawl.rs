//! One crawl of a site, from its queue to its end; whatever ends it early, the next one goes on from there.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use bot_etiquette::html::{Page, UrlKey};
use bot_etiquette::identity::UserAgentForm;
use bot_etiquette::politeness::Policy;
use http::{HeaderValue, Method, header};
use serde::Serialize;
use tokio::task::JoinSet;

use super::audit::{self, Checked};
use super::bots::SnapshotBot;
use super::pages::Pages;
use super::probes::{self, Probe, Probes, What};
use super::queue::{Job, Queue, Source};
use super::reading::{self, Reading};
use super::record::{HopRecord, PageOutcome, PageRecord};
use super::schema::STEPPED_BACK;
use super::view::Viewer;
use super::visitor::{Errand, Visitor, VisitorOptions};
use super::{Site, languages, sitemaps, time};
use crate::asker::NotRead;
use crate::ledger::Ledger;
use crate::stack::BoxError;
use crate::state::State;
use crate::talk::{self, Talk};
use crate::world::World;

/// Pages read in one crawl of a site at the most, unless it names a limit of its own.
pub const PAGE_LIMIT: u32 = 10_000;
/// Hosts of one site whose pages are read at the same time.
const HOSTS: usize = 8;
/// After so many pages in a row that a firewall answered in the place of, a host is left alone until the next crawl.
const WALLS: u32 = 3;

/// What is wanted of a page, for sites that look.
const ACCEPT: HeaderValue = HeaderValue::from_static("text/html,application/xhtml+xml;q=0.9,*/*;q=0.1");

/// What crawls.
pub struct Crawl {
    /// Who asks.
    pub bot: SnapshotBot,
    /// Where.
    pub world: World,
    /// The rules of politeness that the state was opened under.
    pub policy: Policy,
    /// What is known.
    pub state: Arc<State>,
    /// Makes of pages what is read.
    pub viewer: Arc<dyn Viewer>,
    /// Tells the person.
    pub talk: Talk,
    /// The rest.
    pub options: CrawlOptions,
}

/// How to visit.
pub type CrawlOptions = VisitorOptions;

/// How a crawl of a site ended.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CrawlEnd {
    /// The site's host.
    pub site: String,
    /// Pages by what came of them.
    pub pages: BTreeMap<&'static str, u32>,
    /// Pages that say something else than at the last reading.
    pub changed: u32,
    /// Files and links asked.
    pub checked: u32,
    /// Pages still to be read, and files and links that have to wait.
    pub left: u32,
    /// Why the rest has to wait, where it has to.
    pub waits: Option<String>,
    /// Whether it went on with a crawl that had read some already.
    pub resumed: bool,
    /// Whether the person stopped it.
    pub interrupted: bool,
    /// Whether a firewall stands before it.
    pub blocked: bool,
}

impl CrawlEnd {
    /// Pages that were read.
    #[must_use]
    pub fn read(&self) -> u32 {
        ["read", "moved"].iter().filter_map(|outcome| self.pages.get(outcome)).sum()
    }
}

impl Crawl {
    /// Crawls one site; goes on where an earlier crawl was ended. Adds to `ledger` what was asked of whom.
    ///
    /// # Errors
    /// When the state cannot be written, or the bot may not be used in this world.
    pub async fn run(&self, site: &Site, ledger: &Ledger) -> Result<CrawlEnd, BoxError> {
        let now = self.world.clock.now();
        self.state.politeness.begin(now.into(), STEPPED_BACK)?;
        let now = time::millis(now);
        let (queue, lost) = Queue::open(&self.state, site, now)?;
        let visitor =
            Visitor::new(&self.bot, &self.world, &self.state, site, &self.options, self.viewer.chromium())?;
        let resumed = queue.asked()? > 0;
        let end = CrawlEnd { site: site.host().to_owned(), resumed, ..CrawlEnd::default() };
        let (crawl, site) = (self, Arc::new(site.clone()));
        let mut run = Run { crawl, site, queue, visitor, end, resting: Vec::new(), walls: HashMap::new() };
        run.lost(&lost)?;
        let done = run.all().await;
        run.visitor.tell(ledger);
        done?;
        Ok(run.end)
    }
}

/// A crawl under way.
struct Run<'c> {
    crawl: &'c Crawl,
    site: Arc<Site>,
    queue: Queue<'c>,
    visitor: Visitor,
    end: CrawlEnd,
    /// Hosts that are not asked for more pages now.
    resting: Vec<String>,
    /// Firewalls in a row.
    walls: HashMap<String, u32>,
}

impl Run<'_> {
    async fn all(&mut self) -> Result<(), BoxError> {
        // The first page has robots.txt read, which names the sitemaps.
        self.pages(1).await?;
        if !self.is_stopped() {
            let waits = sitemaps::read(&self.crawl.state, &self.queue, &self.visitor, &self.site).await?;
            if let Some(waits) = waits {
                let site = Arc::clone(&self.site);
                self.rests(site.host(), &waits);
            }
            self.pages(u32::MAX).await?;
        }
        let (state, clock, talk) = (&self.crawl.state, self.crawl.world.clock, &self.crawl.talk);
        if !self.is_stopped() {
            let due = Probes(state).due(&self.site, time::millis(clock.now()))?;
            talk.say(format!("{}: {} files and links to check", self.site.host(), due.len()));
            let Checked { asked, later, .. } =
                audit::check(&self.visitor, state, clock, talk, &self.crawl.policy, due).await?;
            self.end.checked += asked;
            self.end.left += later;
        }
        if !self.is_stopped() {
            let pages = Pages::new(state, &self.site).all()?;
            let token = &self.crawl.bot.token;
            languages::check(state, &self.queue, &self.visitor, &self.site, token, &pages, talk).await?;
        }
        self.end.interrupted = self.is_stopped();
        let pages_left = if self.is_full()? { 0 } else { self.queue.left()? };
        self.end.left += pages_left;
        self.queue.note(self.end.waits.as_deref())?;
        // Behind a firewall nothing is tried again before the next visit.
        let is_over = pages_left == 0 || self.end.blocked;
        if is_over && !self.end.interrupted {
            self.queue.finish(time::millis(clock.now()))?;
        }
        Ok(())
    }

    fn is_stopped(&self) -> bool {
        self.visitor.is_interrupted()
    }

    fn is_full(&self) -> rusqlite::Result<bool> {
        Ok(self.queue.asked()? >= self.site.page_limit.unwrap_or(PAGE_LIMIT))
    }

    /// Reads up to so many pages of the queue, those of several hosts at the same time.
    async fn pages(&mut self, most: u32) -> Result<(), BoxError> {
        let mut running: JoinSet<(Job, Reading, Option<NotRead>)> = JoinSet::new();
        let (mut busy, mut begun) = (Vec::<String>::new(), 0);
        loop {
            while running.len() < HOSTS && begun < most && !self.is_stopped() && !self.is_full()? {
                let closed: Vec<_> = busy.iter().chain(&self.resting).cloned().collect();
                let Some(job) = self.queue.next(&closed)? else { break };
                begun += 1;
                if let Some(kind) = probes::as_file(&job.url) {
                    self.as_file(&job, kind)?;
                    continue;
                }
                busy.push(job.host.clone());
                running.spawn(self.page(job)?);
            }
            let Some(done) = running.join_next().await else { return Ok(()) };
            let (job, reading, waits) = done?;
            busy.retain(|host| *host != job.host);
            match waits {
                Some(NotRead::Interrupted) => {}
                Some(waits) => self.rests(&job.host, &waits),
                None => self.keep(&job, reading)?,
            }
        }
    }

    /// One page: asked for, and read.
    fn page(
        &self,
        job: Job,
    ) -> Result<impl Future<Output = (Job, Reading, Option<NotRead>)> + Send + 'static, BoxError> {
        let crawl = self.crawl;
        let before = Pages::new(&crawl.state, &self.site).record(&job.key)?;
        let mut errand = Errand::new(Method::GET, job.url.clone(), "page");
        errand.headers.insert(header::ACCEPT, ACCEPT);
        errand.within = Some(self.visitor.scope().clone());
        let form = crawl.viewer.form(&self.site);
        if form != UserAgentForm::Bot {
            errand.extensions.insert(form);
        }
        // What was not rendered yet has to come whole.
        let known = before.as_ref().filter(|before| before.rendered || crawl.viewer.chromium().is_none());
        if let Some(validators) = known.and_then(reading::validators) {
            errand.extensions.insert(validators);
        }
        let (state, id) = (Arc::clone(&crawl.state), job.id);
        errand.sent = Some(Arc::new(move || {
            if let Err(error) = Queue::sent(&state, id) {
                talk::warn(format_args!("not written down that a page was asked for: {error}"));
            }
        }));
        let (state, number, from) = (Arc::clone(&crawl.state), self.queue.crawl, job.key.clone());
        // Where that cannot be written down, the redirect is not followed.
        errand.claim = Some(Arc::new(move |url| Queue::claim(&state, number, &from, url).unwrap_or(false)));
        let (visitor, site, viewer) =
            (self.visitor.clone(), Arc::clone(&self.site), Arc::clone(&crawl.viewer));
        let (token, clock) = (crawl.bot.token.clone(), crawl.world.clock);
        Ok(async move {
            let came = visitor.ask(errand).await;
            let waits = match &came.answer {
                Err(error @ (NotRead::Later { .. } | NotRead::Never { .. } | NotRead::Interrupted))
                    if came.chain.is_empty() =>
                {
                    Some(error.clone())
                }
                _ => None,
            };
            let now = time::millis(clock.now());
            let record = PageRecord::new(job.url.clone(), job.source.as_str(), PageOutcome::NoAnswer, now);
            let reading =
                reading::read(&site, (&*viewer, visitor.load()), &token, came, record, before.as_ref()).await;
            (job, reading, waits)
        })
    }

    /// Keeps what came of a page, and puts what it links to into the queue.
    fn keep(&mut self, job: &Job, reading: Reading) -> Result<(), BoxError> {
        let pages = Pages::new(&self.crawl.state, &self.site);
        let Reading { mut record, page, unchanged } = reading;
        let (outcome, last) = (record.outcome, record.last.clone());
        let key = UrlKey::without_tracking(&last).as_str().to_owned();
        let has_moved = !record.chain.is_empty() && key != job.key;
        if has_moved {
            self.moved(&pages, &record)?;
            if page.is_some()
                || matches!(outcome, PageOutcome::Broken | PageOutcome::Blocked | PageOutcome::NotAPage)
            {
                // What is there is kept under its own URL.
                record = PageRecord { url: last.clone(), chain: Vec::new(), ..record };
            }
        }
        let own = if has_moved && record.chain.is_empty() { &key } else { &job.key };
        let page = match unchanged {
            true => pages.page(own, record.rendered)?,
            false => page,
        };
        let changed = pages.keep(own, &record, page.as_ref())?;
        self.end.changed += u32::from(changed);
        *self.end.pages.entry(outcome.as_str()).or_default() += 1;
        let walls = self.walls.entry(job.host.clone()).or_default();
        *walls = if outcome == PageOutcome::Blocked { *walls + 1 } else { 0 };
        if *walls >= WALLS {
            let why = record.note.clone().unwrap_or_default();
            self.end.blocked = true;
            self.end.waits = Some(why);
            self.resting.push(job.host.clone());
        }
        match &page {
            Some(page) => self.links(job, own, &record, page)?,
            // What is no page any more loads nothing and links to nothing.
            None if !matches!(
                outcome,
                PageOutcome::Blocked | PageOutcome::NoAnswer | PageOutcome::NotAsked | PageOutcome::Closed
            ) =>
            {
                Probes(&self.crawl.state).want(&self.site, own, &[])?;
            }
            None => {}
        }
        self.queue.done(job)?;
        let what = if unchanged { "unchanged" } else { outcome.as_str() };
        self.crawl.talk.total(u64::from(self.queue.asked()? + self.queue.left()?));
        let why = record.note.as_deref().filter(|_| outcome == PageOutcome::NotAsked);
        let why = why.map_or_else(String::new, |why| format!(": {}", why.trim_start_matches("not asked: ")));
        self.crawl.talk.done(format!("{what} {}{why}", job.url));
        Ok(())
    }

    /// Each URL of a chain of redirects is known by where it leads.
    fn moved(&self, pages: &Pages<'_>, record: &PageRecord) -> rusqlite::Result<()> {
        for (at, hop) in record.chain.iter().enumerate() {
            self.queue.done_too(&hop.to)?;
            let outcome = match record.outcome {
                PageOutcome::Redirect
                | PageOutcome::Closed
                | PageOutcome::NoAnswer
                | PageOutcome::NotAsked => record.outcome,
                _ => PageOutcome::Moved,
            };
            let chain: Vec<HopRecord> = record.chain.get(at..).unwrap_or_default().to_vec();
            let note = record.note.clone().filter(|_| outcome != PageOutcome::Moved);
            let known = PageRecord::new(hop.from.clone(), &record.source, outcome, record.at);
            let known = PageRecord {
                last: record.last.clone(),
                status: Some(hop.status),
                chain,
                note,
                seconds: record.seconds,
                ..known
            };
            let key = UrlKey::without_tracking(&hop.from);
            pages.keep(key.as_str(), &known, None)?;
        }
        Ok(())
    }

    fn links(&self, job: &Job, key: &str, record: &PageRecord, page: &Page) -> rusqlite::Result<()> {
        let scope = self.visitor.scope();
        // Of a verified site the pages that are linked are read, but not what those link to in turn.
        if !self.site.verified || job.source != Source::Linked {
            let own = page.followed(record.nofollow).filter(|link| scope.contains(&link.url));
            let mut own = own.filter(|link| probes::as_file(&link.url).is_none());
            self.queue
                .at_once(|| own.try_for_each(|link| self.queue.add(&link.url, Source::Linked).map(drop)))?;
        }
        Probes(&self.crawl.state).want(&self.site, key, &probes::of_page(page, scope, record.nofollow))
    }

    /// What is no page by its name is checked as a file.
    fn as_file(&self, job: &Job, kind: bot_etiquette::html::LinkKind) -> rusqlite::Result<()> {
        let probe = Probe { url: job.url.clone(), what: What::File, kind };
        Probes(&self.crawl.state).want(&self.site, &job.key, &[probe])?;
        self.queue.done(job)
    }

    /// The pages whose answers were lost when the program was ended are not asked twice.
    fn lost(&self, lost: &[Job]) -> rusqlite::Result<()> {
        let pages = Pages::new(&self.crawl.state, &self.site);
        for job in lost {
            let now = time::millis(self.crawl.world.clock.now());
            let known = pages.record(&job.key)?;
            let mut record = PageRecord::new(job.url.clone(), job.source.as_str(), PageOutcome::Lost, now);
            record.note = Some("asked for when the program was ended; the next crawl reads it".to_owned());
            // What is known of it from before still stands.
            if known.is_none() {
                pages.keep(&job.key, &record, None)?;
            }
            self.queue.done(job)?;
        }
        Ok(())
    }

    fn rests(&mut self, host: &str, waits: &NotRead) {
        if !matches!(waits, NotRead::Interrupted) {
            self.end.waits = Some(format!("{host} {waits}"));
            self.crawl.talk.say(format!("{host} {waits}"));
        }
        self.resting.push(host.to_owned());
    }
}
