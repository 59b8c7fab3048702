//! What a person can ask of the bot, and how each ends.

use std::path::PathBuf;
use std::sync::Arc;

use bot_etiquette::politeness::Policy;
use clap::Subcommand;
use serde_json::json;

use super::bots::{self, Edition, SnapshotBot};
use super::crawl::{Crawl, CrawlEnd};
use super::evidence::Export;
use super::policy::{POLICY, open_state};
use super::report;
use super::site::{SearchEngine, Site, Sites, Wish};
use super::time;
use super::view::Look;
use super::visitor::VisitorOptions;
use crate::exit::{Exit, Usage};
use crate::files;
use crate::interrupt::Interrupt;
use crate::ledger::Ledger;
use crate::stack::BoxError;
use crate::state::State;
use crate::talk::{self, Talk};
use crate::world::World;

/// What all commands share.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Where the outputs go, and the state unless it is elsewhere.
    pub out: PathBuf,
    /// The state file; `state.sqlite` in `out` if there is none.
    pub state: Option<PathBuf>,
    /// The operator's own identity.
    pub identity: Option<PathBuf>,
    /// Other rules of politeness than the bot's.
    pub policy: Option<PathBuf>,
    /// A world on loopback that another process serves.
    pub world: Option<PathBuf>,
    /// Whether the output is for a program.
    pub json: bool,
    /// On whose behalf it runs.
    pub edition: Edition,
    /// How pages are looked at.
    pub look: Look,
}

/// A command.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Watch a site, or change what is asked for with it
    Add {
        /// Its host or any URL of it
        site: String,
        /// Read the names below its host too
        #[arg(long)]
        subdomains: bool,
        /// Render pages as a desktop gets them, not a phone
        #[arg(long)]
        desktop: bool,
        /// Follow the rules that robots.txt has for this search engine, on a verified site, under the bot's own name
        #[arg(long, value_name = "googlebot|bingbot")]
        rules_of: Option<SearchEngine>,
        /// Pages read in one crawl at the most
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        page_limit: Option<u32>,
        /// Let scripts send data to the site when its pages are rendered, on a verified site
        #[arg(long)]
        allow_post: bool,
    },
    /// Show by an export or a saved API answer of Google Search Console or Bing Webmaster Tools that a site is yours
    Verify {
        /// The site
        site: String,
        /// The ZIP, CSV or JSON file
        file: PathBuf,
        /// The property it was exported from, such as sc-domain:example.com; needed for a domain's
        #[arg(long)]
        property: Option<String>,
    },
    /// Read the sites, or one of them; goes on where an earlier crawl was ended
    Crawl {
        /// The site; all of them if there is none
        site: Option<String>,
    },
    /// Write the report of what is known
    Report,
    /// Show what changed on a page
    Diff {
        /// The page's URL
        url: String,
    },
    /// Leave a host alone from now on, whatever its robots.txt says
    Block {
        /// The host
        host: String,
        /// Take the block back
        #[arg(long)]
        lift: bool,
    },
}

/// Runs a command.
///
/// # Errors
/// A [`Usage`] where the command or a file it names is wrong; else what went wrong on this side.
pub async fn run(setup: &Setup, command: Command) -> Result<Exit, BoxError> {
    let policy = policy(setup)?;
    let path = setup.state.clone().unwrap_or_else(|| setup.out.join("state.sqlite"));
    if let Some(folder) = path.parent() {
        files::make_folder(folder)?;
    }
    let world = match &setup.world {
        Some(file) => World::read(file)?,
        None => World::real(&[]),
    };
    let state = open_state(&path, &policy)?;
    let sites = Sites(&state);
    match command {
        Command::Add { site, subdomains, desktop, rules_of, page_limit, allow_post: post } => {
            let site = sites.add(&site, &Wish { subdomains, desktop, rules_of, page_limit, post })?;
            tell(setup, &json!({"schema": 1, "site": site.host(), "verified": site.verified}), &added(&site));
        }
        Command::Verify { site, file, property } => {
            let site = sites.named(&site)?;
            let wrong = |why: &dyn std::fmt::Display| Usage::new(format!("{}: {why}", file.display()));
            let bytes = std::fs::read(&file).map_err(|error| wrong(&error))?;
            let export = Export::read(&bytes).map_err(|error| wrong(&error))?;
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let now = time::millis(world.clock.now());
            let kept = sites.verify(&site, &name, property.as_deref(), &export, now)?;
            let text = format!(
                "{} is verified: {kept} pages with impressions, {} rows left out",
                site.host(),
                export.dropped
            );
            tell(
                setup,
                &json!({"schema": 1, "site": site.host(), "pages": kept, "dropped": export.dropped}),
                &text,
            );
        }
        Command::Crawl { site } => {
            let chosen = match site {
                Some(site) => vec![sites.named(&site)?],
                None => sites.all()?,
            };
            if chosen.is_empty() {
                return Err(Usage::new("no site is watched yet; `add SITE` adds one").into());
            }
            let bot = bots::bot(setup.identity.as_deref(), &setup.edition)?;
            for site in &chosen {
                match (&setup.identity, place(setup, &world, site)) {
                    (Some(file), place) => bot.bot.may_ask(&place, file)?,
                    (None, place) if place.is_loopback() => {}
                    (None, _) => {
                        let problem = "is not on this machine: give an identity of your own as --identity FILE, such as";
                        return Err(Usage::identity(format!("{} {problem}", site.host())).into());
                    }
                }
            }
            return crawl(setup, bot, &world, policy, Arc::new(state), &chosen).await;
        }
        Command::Report => {
            let agent =
                bots::bot(setup.identity.as_deref(), &setup.edition)?.bot.identity.user_agent().to_string();
            let summary = report::write(&state, &sites.all()?, &agent, None, &setup.out)?;
            tell(setup, &json!({"schema": 1, "sites": summary, "out": setup.out}), &written(setup));
        }
        Command::Diff { url } => talk::text(report::diff(&state, &url)?),
        Command::Block { host, lift } => {
            let parsed = host.parse().map_err(|error| Usage::new(format!("host {host:?}: {error}")))?;
            let now = world.clock.now().into();
            match lift {
                false => state.politeness.kill(&parsed, now)?,
                true => state.politeness.revive(&parsed, now)?,
            }
            let text = if lift {
                format!("{host} may be asked again")
            } else {
                format!("{host} is left alone from now on")
            };
            tell(setup, &json!({"schema": 1, "host": host, "blocked": !lift}), &text);
        }
    }
    Ok(Exit::Done)
}

/// Where a site is, unless all of them are served by another process.
fn place(setup: &Setup, world: &World, site: &Site) -> World {
    if setup.world.is_some() { world.clone() } else { World::of([&site.start], &[]) }
}

async fn crawl(
    setup: &Setup,
    bot: SnapshotBot,
    world: &World,
    policy: Policy,
    state: Arc<State>,
    sites: &[Site],
) -> Result<Exit, BoxError> {
    let agent = bot.bot.identity.user_agent().to_string();
    let ledger = Ledger::new(world.clock);
    let options = VisitorOptions::new(Interrupt::listen());
    let (viewer, rendering) = setup.look.begin(&bot, world.clock).await;
    let talk = Talk::new(setup.json);
    if let Some(told) = &rendering {
        talk.say(told);
    }
    let mut crawl = Crawl { bot, world: world.clone(), policy, state, viewer, talk, options };
    let mut ends = Vec::new();
    for site in sites {
        crawl.world = place(setup, world, site);
        let end = crawl.run(site, &ledger).await?;
        let is_interrupted = end.interrupted;
        ends.push(end);
        if is_interrupted {
            break;
        }
    }
    crawl.viewer.close().await;
    crawl.talk.finish();
    let summary = report::write(&crawl.state, sites, &agent, Some(&ledger), &setup.out)?;
    let data = json!({
        "schema": 1, "crawls": ends, "sites": summary, "out": setup.out, "chromium": crawl.viewer.chromium(), "rendering": rendering,
    });
    let text: Vec<_> = ends.iter().map(told).chain([written(setup)]).collect();
    tell(setup, &data, &text.join("\n"));
    Ok(exit(&ends))
}

/// The exit code of these crawls.
#[must_use]
pub fn exit(ends: &[CrawlEnd]) -> Exit {
    match () {
        () if ends.iter().any(|end| end.interrupted) => Exit::Interrupted,
        () if ends.iter().all(|end| end.read() == 0 && !end.resumed) => Exit::Nothing,
        () if ends.iter().any(|end| end.left > 0 || end.waits.is_some()) => Exit::Partial,
        () => Exit::Done,
    }
}

/// A crawl in a line or two.
#[must_use]
pub fn told(end: &CrawlEnd) -> String {
    let pages: Vec<_> = end.pages.iter().map(|(outcome, pages)| format!("{pages} {outcome}")).collect();
    let mut text = format!(
        "{}: {}; {} changed; {} files and links asked",
        end.site,
        pages.join(", "),
        end.changed,
        end.checked
    );
    if let Some(why) = &end.waits {
        text.push_str(&format!("\n  {} left: {why}", end.left));
    }
    text
}

fn policy(setup: &Setup) -> Result<Policy, BoxError> {
    let Some(file) = &setup.policy else { return Ok(Policy::from_toml(POLICY)?) };
    let wrong = |error: &dyn std::fmt::Display| Usage::new(format!("policy {}: {error}", file.display()));
    let text = files::read_text(file).map_err(|error| wrong(&error))?;
    Ok(Policy::from_toml(&text).map_err(|error| wrong(&error))?)
}

fn added(site: &Site) -> String {
    let (host, start) = (site.host(), &site.start);
    match site.verified {
        true => format!("{start} is watched: pages with impressions, the sitemaps' and those they link to"),
        false => format!(
            "{start} is watched, at most 500 pages in any week until `verify {host} FILE` shows that it is yours"
        ),
    }
}

fn written(setup: &Setup) -> String {
    format!("written to {}: report.html, pages.ndjson, links.ndjson", setup.out.display())
}

fn tell(setup: &Setup, data: &serde_json::Value, text: &str) {
    match setup.json {
        true => talk::line(data),
        false => talk::line(text),
    }
}
