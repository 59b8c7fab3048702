//! The demonstration: serves the islands, finds, crawls and searches them, and lets the referee judge.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::catalogue::{NAME, TABLES};
use super::config::{Config, DEMO_IDENTITY, policy, roots};
use super::crawl::crawl;
use super::discover::{LANES, discover};
use super::outputs;
use super::report::{Story, moment, thousands};
use super::search::{self, Hit, evidence_word};
use super::session::Session;
use super::world::{Islands, SCALE, SERVERS};
use crate::bot::Bot;
use crate::exit::Exit;
use crate::files;
use crate::interrupt::Interrupt;
use crate::stack::BoxError;
use crate::state::State;
use crate::talk::{self, Talk};
use crate::world::Demo;

/// What the demonstration searches for, and where: the middle of the largest island.
const SEARCH: (&str, (f64, f64)) = ("water", (-7.62, 47.5));

/// The certificate log of the islands.
const CT_LOG: &str = "https://isles2026h2.skylight.geomys.org/";

/// How long the bot waits for turns, of its clock: longer than a busy service is left alone.
const PATIENCE: Duration = Duration::from_secs(100 * 60);

/// Runs it, anew each time; its files go to a folder of its own below `out`.
///
/// # Errors
/// When nothing can be served, or a file cannot be written.
pub async fn run(out: &Path, talk: Talk, json: bool, interrupt: Interrupt) -> Result<Exit, BoxError> {
    let islands = Islands::read(SERVERS)?;
    let bot = Bot::demo(DEMO_IDENTITY)?;
    let (sites, _) = islands.sites();
    let served = Demo::start(sites, islands.promise(&bot, SCALE), SCALE).await?;
    let world = served.world()?;
    talk.say(format!(
        "The Alder Isles do not exist. Their {} servers are served here, on loopback, under their own names,\n\
         and watched by a referee. The clock runs {SCALE} times as fast: the hour for which a busy service is\n\
         left alone takes {} seconds.\n",
        islands.addresses().len(),
        3600 / SCALE
    ));
    let (out, file) = files::begin_demo(out)?;
    let state = Arc::new(State::open(&file, policy(None)?, NAME.0, TABLES, NAME.1)?);
    state.politeness.unsynced()?;
    let config = Config { ct_logs: vec![CT_LOG.into()], ..Config::default() };
    let session = Session::new(&bot, &world, state, config, (talk.clone(), interrupt, PATIENCE))?;

    let mut servers = roots(&islands.addresses())?;
    for root in &servers {
        session.catalogue.root(root, "given")?;
    }
    talk.say("Finding servers in public catalogues");
    let (found, mut tally) = discover(&session, &LANES).await?;
    talk.say("\nReading what they publish");
    let session = session.with_patience(PATIENCE);
    servers.extend(found);
    tally.add(crawl(&session, servers).await?);
    let (words, at) = SEARCH;
    let place = search::around(at, 8.0);
    let mut hits = search::find(&session.catalogue, words, Some(&place))?;
    tally.add(search::ask_live(&session, &mut hits, &place, 6).await?);
    talk.finish();

    let verdict = served.finish().await;
    let lead = format!(
        "Servers of islands that do not exist, read by SmartSitePlanBot under its real policy on a clock that runs {SCALE} times as fast, and \
         watched by a referee."
    );
    let story = Story {
        title: "What the Alder Isles publish",
        lead: &lead,
        search: Some((words, at, &hits)),
        tally: Some(&tally),
        verdict: Some(&verdict),
    };
    outputs::write(&out, &session, &story)?;
    if json {
        talk::line(serde_json::json!({"tally": tally, "search": hits, "referee": verdict}));
    } else {
        told(&session, &tally, &hits)?;
        talk::line(format_args!(
            "\nReferee: {} requests, {} violations",
            verdict.requests(),
            verdict.violations().len()
        ));
        for violation in verdict.violations() {
            talk::line(format_args!("  {violation}"));
        }
        talk::line(format_args!(
            "\nOpen {} ({} s in all)",
            out.join("report.html").display(),
            (session.asker.ledger.duration() / SCALE).as_secs()
        ));
    }
    Ok(match verdict.is_clean() {
        true if tally.interrupted => Exit::Interrupted,
        true if tally.read > 0 => Exit::Done,
        _ => Exit::Failed,
    })
}

fn told(session: &Session, tally: &super::tally::Tally, hits: &[Hit]) -> Result<(), BoxError> {
    let contents = outputs::Contents::read(&session.catalogue)?;
    let features: u64 = contents.layers().filter_map(|(_, _, layer)| layer.known.count).sum();
    let services: u64 = contents.servers.iter().map(|(root, _)| root.services.1).sum();
    talk::line(format_args!(
        "\nRead {services} services of {} servers: {} layers, {} features counted and none copied",
        contents.servers.iter().filter(|(root, _)| root.services.1 > 0).count(),
        contents.layers().count(),
        thousands(features)
    ));
    talk::line("\nLeft, and why");
    for left in &tally.left {
        let until = left.until.map(bot_etiquette::politeness::Timestamp::from_millis);
        let until = until.map(|until| format!("; come back at {}", moment(until))).unwrap_or_default();
        talk::line(format_args!("  {}: {}{until}", left.what, left.why));
    }
    talk::line(format_args!("\nSearch for \u{201c}{}\u{201d} at {}, {}", SEARCH.0, SEARCH.1.0, SEARCH.1.1));
    print_hits(hits);
    Ok(())
}

/// Prints what a search found, the best first.
pub fn print_hits(hits: &[Hit]) {
    if hits.is_empty() {
        talk::line("  nothing was found");
    }
    for hit in hits {
        let here = hit.here.map(|here| format!(", {} here just now", thousands(here))).unwrap_or_default();
        let count =
            hit.count.map(|count| format!("{} features{here}; ", thousands(count))).unwrap_or_default();
        talk::line(format_args!("  {}  ({})", hit.name, hit.publisher.as_deref().unwrap_or(&hit.server)));
        talk::line(format_args!("      {count}{}", evidence_word(hit.evidence)));
        talk::line(format_args!("      published by {}: {}", hit.server, hit.service));
        if let Some(note) = &hit.note {
            talk::line(format_args!("      not asked just now: {note}"));
        }
    }
}
