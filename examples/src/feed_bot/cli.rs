//! The command: what a person can ask of the bot.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};

use super::config::Config;
use super::kept::Kept;
use super::record::seconds;
use super::report::{self, moment_text};
use super::session::Session;
use super::{demo, output, switch, translator};
use crate::bot::Bot;
use crate::clock::Clock;
use crate::exit::{Exit, Usage};
use crate::files;
use crate::interrupt::Interrupt;
use crate::ledger::Ledger;
use crate::stack::BoxError;
use crate::talk::{self, Talk};
use crate::world::{Demo, World};

const PROGRAM: &str = "feed_bot";

/// The identity of the demonstration.
const IDENTITY: &str = include_str!("../../identities/city-vibe.toml");

/// Reads open-data calendars of events every three hours, and shows them together in seven languages.
///
/// Without a command it runs against a small world on loopback, twice, and ends with the referee's verdict.
#[derive(Debug, Parser)]
#[command(name = PROGRAM, version)]
struct Arguments {
    /// The sources, with their switches.
    #[arg(long, global = true, value_name = "FILE", default_value = "examples/sources/city-vibe.toml")]
    sources: PathBuf,
    /// Who asks: your own identity. Without one, only this machine is asked.
    #[arg(long, global = true, value_name = "FILE")]
    identity: Option<PathBuf>,
    /// A world that another process serves on loopback.
    #[arg(long, global = true, value_name = "FILE", hide = true)]
    world: Option<PathBuf>,
    /// Where the state and the results are written; the demonstration keeps to a folder `demo` in it.
    #[arg(long, global = true, value_name = "DIR", default_value = "feed-bot-out")]
    out: PathBuf,
    /// Results as JSON on standard output, and no other word.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Read the sources that are due, and go on every three hours until Ctrl-C.
    Run {
        /// Once: what is due now.
        #[arg(long)]
        once: bool,
    },
    /// List the sources with their switches and addresses.
    Sources,
    /// Turn a source on.
    On {
        /// Which.
        id: String,
    },
    /// Turn a source off: a running bot asks it nothing more.
    Off {
        /// Which.
        id: String,
    },
    /// List everything that is held of a source.
    Held {
        /// Which.
        source: String,
    },
    /// Show how a host's robots.txt differs from what was reviewed, and print a review to read and keep.
    Review {
        /// Which.
        host: String,
    },
    /// Show what was asked and what came of it, and write the results anew.
    Report,
    /// Translate lines, as the demonstration's translator does.
    #[command(hide = true)]
    Translate {
        /// The language of the lines.
        from: String,
        /// The language wanted.
        to: String,
    },
}

/// Runs the command line.
pub async fn main() -> ExitCode {
    Exit::of(PROGRAM, run(Arguments::parse()).await)
}

/// Runs these arguments, the name of the program aside.
///
/// # Errors
/// A [`Usage`] where they are wrong; else what went wrong on this side.
pub async fn run_with(arguments: &[String]) -> Result<Exit, BoxError> {
    let words = std::iter::once(PROGRAM.to_owned()).chain(arguments.iter().cloned());
    run(Arguments::try_parse_from(words)?).await
}

async fn run(arguments: Arguments) -> Result<Exit, BoxError> {
    let talk = Talk::new(arguments.json);
    match &arguments.command {
        None => demonstrate(&arguments, &talk).await,
        Some(Command::Run { once: false }) => arguments.online(&talk)?.forever().await,
        Some(Command::Run { once: true }) => {
            let (exit, written) = arguments.online(&talk)?.once().await?;
            if arguments.json {
                talk::line(serde_json::to_string_pretty(&written.status)?);
            }
            Ok(exit)
        }
        Some(Command::Review { host }) => arguments.online(&talk)?.review(host).await,
        Some(Command::On { id }) => arguments.turn(id, true),
        Some(Command::Off { id }) => arguments.turn(id, false),
        Some(Command::Sources) => arguments.list(),
        Some(Command::Held { source }) => arguments.held(source),
        Some(Command::Report) => arguments.report().await,
        Some(Command::Translate { from, to }) => {
            for line in std::io::stdin().lines() {
                talk::line(translator::tiny(&line?, from, to).unwrap_or_default());
            }
            Ok(Exit::Done)
        }
    }
}

impl Arguments {
    fn world(&self) -> Result<Option<World>, Usage> {
        self.world.as_deref().map(World::read).transpose()
    }

    /// The configuration and the state, for commands that ask nobody.
    fn offline(&self) -> Result<(Config, Kept, Clock), BoxError> {
        let world = self.world()?;
        // Nothing is asked: whether an address may be is seen when something is.
        let config = Config::read(&self.sources, None, true)?;
        let kept = Kept::open(&state_of(&self.out)?, config.policy.clone())?;
        Ok((config, kept, world.map_or_else(Clock::real, |world| world.clock)))
    }

    /// Everything, for commands that ask hosts.
    fn online(&self, talk: &Talk) -> Result<Session, BoxError> {
        let world = match self.world()? {
            Some(world) => world,
            None => {
                let config = Config::read(&self.sources, None, true)?;
                let asked =
                    config.sources.iter().flat_map(|source| source.urls.iter().chain(&source.redirects));
                World::of(asked, &[])
            }
        };
        let bot = match &self.identity {
            Some(file) => {
                let bot = Bot::read(file)?;
                bot.may_ask(&world, file)?;
                bot
            }
            None if world.is_loopback() => Bot::demo(IDENTITY)?,
            None => {
                let problem = "real hosts are asked under a name of your own: give --identity FILE, such as";
                return Err(Usage::identity(problem).into());
            }
        };
        let state = state_of(&self.out)?;
        Session::open(&bot, &world, &self.sources, &state, &self.out, talk.clone(), Interrupt::listen())
    }

    fn turn(&self, id: &str, on: bool) -> Result<Exit, BoxError> {
        let changed = switch::turn(&self.sources, id, on)?;
        let state = if on { "on" } else { "off" };
        talk::line(format_args!("{id} is {}{state}", if changed { "" } else { "already " }));
        Ok(Exit::Done)
    }

    fn list(&self) -> Result<Exit, BoxError> {
        let (config, kept, clock) = self.offline()?;
        let status = report::status(&config, &kept, clock.now())?;
        if self.json {
            talk::line(serde_json::to_string_pretty(&status.sources)?);
            return Ok(Exit::Done);
        }
        for (source, status) in config.sources.iter().zip(&status.sources) {
            let state = if source.on { "on " } else { "off" };
            talk::line(format_args!("{state} {} ({}, {})", source.id, status.publisher, status.licence));
            source.urls.iter().for_each(|url| talk::line(format_args!("    {url}")));
            source.redirects.iter().for_each(|url| talk::line(format_args!("    may lead to {url}")));
            source.verify.iter().for_each(|open| talk::line(format_args!("    to look up: {open}")));
        }
        Ok(Exit::Done)
    }

    fn held(&self, id: &str) -> Result<Exit, BoxError> {
        let (config, kept, _) = self.offline()?;
        let mut known = kept.sources()?;
        known.extend(config.sources.iter().map(|source| source.id.clone()));
        if !known.iter().any(|known| known == id) {
            known.sort();
            known.dedup();
            return Err(Usage::new(format!(
                "nothing is held of {id:?}; the sources are {}",
                known.join(", ")
            ))
            .into());
        }
        let (row, events, pages) = (kept.row(id)?, kept.events(id)?, kept.pages(id)?);
        if self.json {
            for (event, _) in &events {
                talk::line(serde_json::to_string(&event.publish()?)?);
            }
            return Ok(Exit::Done);
        }
        for (url, page) in &pages {
            talk::line(format_args!(
                "{url}\n    last read {}; {}",
                moment_text(page.at),
                page.validator_text()
            ));
        }
        talk::line(format_args!("the figures of its runs: {}", serde_json::to_string(&row.record)?));
        talk::line(format_args!(
            "{} events, with these fields each: key, titles, descriptions, when, place, price, categories, link, updated, attribution",
            events.len()
        ));
        for (event, since) in &events {
            let title = event.titles().source().map(|title| title.text().as_str()).unwrap_or_default();
            talk::line(format_args!("    {} {title} (since {})", event.key(), moment_text(*since)));
        }
        talk::line("no feed itself, no e-mail address, no telephone number, no picture");
        Ok(Exit::Done)
    }

    async fn report(&self) -> Result<Exit, BoxError> {
        let (config, kept, clock) = self.offline()?;
        let written = output::write(&self.out, &config, &kept, &Ledger::new(clock), clock.now()).await?;
        match self.json {
            true => talk::line(serde_json::to_string_pretty(&written.status)?),
            false => talk::text(written.status.to_text()),
        }
        Ok(Exit::Done)
    }
}

fn state_of(out: &Path) -> Result<PathBuf, BoxError> {
    files::make_folder(out)?;
    Ok(out.join("state.sqlite"))
}

/// Two runs in a small world, three of its hours apart.
async fn demonstrate(arguments: &Arguments, talk: &Talk) -> Result<Exit, BoxError> {
    let (out, state) = files::begin_demo(&arguments.out)?;
    let sources = demo::configure(&out, std::env::current_exe().ok().as_deref())?;
    let world = Demo::start(demo::sites(Clock::real().now()), demo::promise(), demo::SCALE).await?;
    let (bot, seen) = (Bot::demo(IDENTITY)?, world.world()?);
    let interrupt = Interrupt::listen();
    let session = Session::open(&bot, &seen, &sources, &state, &out, talk.clone(), interrupt.clone())?;
    talk.say("first run");
    let (_, mut written) = session.round().await?;
    talk.say(format!("{} events; three hours pass in eleven seconds", written.events));
    let due = session.reader.settings.last();
    let due =
        due.sources.iter().filter_map(|source| session.reader.kept.row(&source.id).ok()).map(|row| row.due);
    let due = due.max().unwrap_or_default();
    let wait = Duration::from_secs(due.saturating_sub(seconds(seen.clock.now())) + 1);
    tokio::select! {
        biased;
        () = interrupt.wait() => {}
        () = tokio::time::sleep(seen.clock.real_duration(wait)) => {
            talk.say("second run");
            (_, written) = session.round().await?;
        }
    }
    talk.finish();
    let report = world.finish().await;
    let files = ["events.ndjson", "calendar.ics", "index.html", "politeness.json"];
    match arguments.json {
        true => talk::line(serde_json::to_string_pretty(&written.status)?),
        false => {
            talk::text(written.status.to_text());
            talk::line(format_args!("{} events of {} records; written:", written.events, written.records));
            files.iter().for_each(|file| talk::line(format_args!("  {}", out.join(file).display())));
            talk::line(&report);
        }
    }
    Ok(match report.is_clean() {
        false => Exit::Failed,
        true if interrupt.requested() => Exit::Interrupted,
        true => Exit::Done,
    })
}
