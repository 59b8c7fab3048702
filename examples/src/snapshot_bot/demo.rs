//! The bot shown on this machine: a site under several host names, crawled twice with something changed between, and a
//! referee who watches.

use std::path::Path;
use std::sync::Arc;

use bot_etiquette::politeness::Policy;
use bot_etiquette::referee::Report;
use serde_json::json;

use super::bots::{self, SnapshotBot};
use super::command::{self, Setup};
use super::crawl::{Crawl, CrawlEnd};
use super::evidence::Export;
use super::policy::{POLICY, open_state};
use super::site::{Sites, Wish};
use super::view::Look;
use super::visitor::VisitorOptions;
use super::{report, time, worlds};
use crate::exit::Exit;
use crate::files;
use crate::interrupt::Interrupt;
use crate::ledger::Ledger;
use crate::stack::BoxError;
use crate::talk::{self, Talk};
use crate::world::{Demo, World};

/// How fast its clock runs.
pub const SCALE: u32 = 10;

/// The site of the demonstration.
pub const SITE: &str = "http://orchard.example/";

/// The table of pages that its owner exported from a search console, in German.
pub const EXPORT: &[u8] = include_bytes!("../../worlds/snapshot_bot/Seiten.csv");

/// Longer than any pause of the demonstration, shorter than a host that gave no answer is left alone.
const HORIZON: std::time::Duration = std::time::Duration::from_secs(120);

/// How long a page must do nothing: short, since its files are small and its hosts are on this machine.
const QUIET: std::time::Duration = std::time::Duration::from_millis(50);

/// Runs it, anew each time and in a folder of its own below that of the outputs, and says what was found and whether a promise
/// was broken.
///
/// # Errors
/// What went wrong on this side.
pub async fn run(setup: &Setup) -> Result<Exit, BoxError> {
    let bot = bots::bot(None, &setup.edition)?;
    let demo = Demo::start(worlds::orchard(), worlds::promise(&bot.bot), SCALE).await?;
    let (out, state) = files::begin_demo(&setup.out)?;
    let setup = &Setup { out, ..setup.clone() };
    let (ends, interrupted) = shown(setup, &state, &demo.world()?, bot).await?;
    let verdict = demo.finish().await;
    let data = json!({
        "schema": 1, "crawls": ends, "out": setup.out, "requests": verdict.requests(),
        "violations": verdict.violations().iter().map(|broken| json!({"rule": broken.rule.code(), "evidence": broken.evidence})).collect::<Vec<_>>(),
    });
    match setup.json {
        true => talk::line(data),
        false => tell(setup, &ends, &verdict),
    }
    Ok(match () {
        () if !verdict.is_clean() => Exit::Failed,
        () if interrupted => Exit::Interrupted,
        () => Exit::Done,
    })
}

/// The first crawl knows nothing of the site; for the second, its owner has brought an export of a search console.
async fn shown(
    setup: &Setup,
    path: &Path,
    world: &World,
    bot: SnapshotBot,
) -> Result<(Vec<CrawlEnd>, bool), BoxError> {
    let policy = Policy::from_toml(POLICY)?;
    let agent = bot.bot.identity.user_agent().to_string();
    let options = VisitorOptions { horizon: HORIZON, ..VisitorOptions::new(Interrupt::listen()) };
    let look = Look { quiet: Some(QUIET), ..setup.look.clone() };
    let (viewer, rendering) = look.begin(&bot, world.clock).await;
    let talk = Talk::new(setup.json);
    if let Some(told) = &rendering {
        talk.say(told);
    }
    let ledger = Ledger::new(world.clock);
    let wish = Wish { subdomains: true, ..Wish::default() };
    Sites(&open_state(path, &policy)?).add(SITE, &wish)?;
    let mut crawl = Crawl {
        bot,
        world: world.clone(),
        policy: policy.clone(),
        state: Arc::new(open_state(path, &policy)?),
        viewer,
        talk,
        options,
    };
    let mut ends = Vec::new();
    for number in 1..=2 {
        let site = Sites(&crawl.state).named(SITE)?;
        crawl.talk.say(format!(
            "crawl {number} of {}{}",
            site.host(),
            if site.verified { ", verified" } else { "" }
        ));
        let end = crawl.run(&site, &ledger).await?;
        let interrupted = end.interrupted;
        ends.push(end);
        if interrupted {
            break;
        }
        let export = Export::read(EXPORT)?;
        Sites(&crawl.state).verify(&site, "Seiten.csv", None, &export, time::millis(world.clock.now()))?;
        crawl.state = Arc::new(open_state(path, &policy)?);
    }
    crawl.viewer.close().await;
    crawl.talk.finish();
    report::write(&crawl.state, &Sites(&crawl.state).all()?, &agent, Some(&ledger), &setup.out)?;
    let interrupted = ends.iter().any(|end| end.interrupted);
    Ok((ends, interrupted))
}

fn tell(setup: &Setup, ends: &[CrawlEnd], verdict: &Report) {
    for (number, end) in (1..).zip(ends) {
        talk::line(format_args!("crawl {number}: {}", command::told(end)));
    }
    talk::line(format_args!(
        "written to {}: report.html, pages.ndjson, links.ndjson, politeness.json",
        setup.out.display()
    ));
    talk::line(format_args!(
        "the referee: {} requests, {} violations",
        verdict.requests(),
        verdict.violations().len()
    ));
    if !verdict.is_clean() {
        talk::line(verdict);
    }
}
