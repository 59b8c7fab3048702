//! A bot that is running: its state, its stack, its rounds.

use std::path::{Path, PathBuf};

use bot_etiquette::robots::ReviewedPolicy;

use super::config::Config;
use super::kept::{Kept, STEPPED_BACK};
use super::output::{self, Written};
use super::reader::{self, Reader};
use super::record::seconds;
use super::report::moment_text;
use super::schedule::{self, Round};
use super::settings::Settings;
use super::{look, review};
use crate::bot::Bot;
use crate::exit::{Exit, Usage};
use crate::interrupt::Interrupt;
use crate::ledger::Ledger;
use crate::stack::BoxError;
use crate::talk::{self, Talk};
use crate::world::World;

/// A bot that can ask.
pub struct Session {
    /// What asks.
    pub reader: Reader,
    out: PathBuf,
    talk: Talk,
}

impl Session {
    /// Opens the state and assembles the stack.
    ///
    /// # Errors
    /// A [`Usage`] for what a person wrote; else what went wrong here.
    pub fn open(
        bot: &Bot,
        world: &World,
        sources: &Path,
        state: &Path,
        out: &Path,
        talk: Talk,
        interrupt: Interrupt,
    ) -> Result<Self, BoxError> {
        let token = bot.identity.token();
        let config = Config::read(sources, Some(token), world.is_loopback())?;
        let kept = Kept::open(state, config.policy.clone())?;
        kept.state().politeness.begin(world.clock.now().into(), STEPPED_BACK)?;
        let ledger = Ledger::new(world.clock);
        let client = reader::assemble(bot, world, &kept, &ledger)?;
        let politeness = kept.state().politeness.clone();
        let settings = Settings::watch(sources.to_owned(), token, world.is_loopback(), config, politeness);
        let reader = Reader { client, settings, kept, clock: world.clock, ledger, interrupt };
        Ok(Self { reader, out: out.to_owned(), talk })
    }

    /// Runs what is due, and writes the results.
    ///
    /// # Errors
    /// When the state or a result cannot be written.
    pub async fn round(&self) -> Result<(Round, Written), BoxError> {
        let round = schedule::round(&self.reader, &self.talk).await?;
        Ok((round, self.write().await?))
    }

    async fn write(&self) -> Result<Written, BoxError> {
        let Reader { settings, kept, ledger, clock, .. } = &self.reader;
        let config = settings.last();
        let written = output::write(&self.out, &config, kept, ledger, clock.now()).await?;
        written.problems.iter().for_each(|problem| self.talk.say(format!("not translated, {problem}")));
        Ok(written)
    }

    /// Goes on every three hours until the person stops it.
    ///
    /// # Errors
    /// As [`round`](Self::round).
    pub async fn forever(&self) -> Result<Exit, BoxError> {
        let wrote = async |round: Round| {
            let written = self.write().await?;
            self.talk.say(format!("{} read, {} not; {} events", round.read, round.not_read, written.events));
            Ok(())
        };
        schedule::forever(&self.reader, &self.talk, wrote).await?;
        self.talk.finish();
        Ok(Exit::Interrupted)
    }

    /// Runs what is due, writes the results and says how it went.
    ///
    /// # Errors
    /// As [`round`](Self::round).
    pub async fn once(&self) -> Result<(Exit, Written), BoxError> {
        let (round, written) = self.round().await?;
        self.talk.finish();
        self.talk.say(format!("{} events in {}", written.events, self.out.display()));
        if round == Round::default() {
            let due = written.status.sources.iter().filter_map(|source| source.next_allowed).min();
            let due = due.map_or("a source is on".to_owned(), moment_text);
            self.talk.say(format!("no source is due before {due}"));
        }
        let exit = match (self.reader.interrupt.requested(), round.read, round.not_read) {
            (true, ..) => Exit::Interrupted,
            (_, _, 0) => Exit::Done,
            (_, 0, _) => Exit::Nothing,
            _ => Exit::Partial,
        };
        Ok((exit, written))
    }

    /// Looks at a host's robots.txt, if that was not done today, and prints a review to read and keep.
    ///
    /// # Errors
    /// A [`Usage`] for a host that no source asks; else what kept it from looking.
    pub async fn review(&self, host: &str) -> Result<Exit, BoxError> {
        let Reader { settings, kept, clock, .. } = &self.reader;
        let config = settings.now()?;
        let named = |origin: &str| origin.split_once("://").is_some_and(|(_, name)| name == host);
        let Some((origin, reviewed)) = config.reviews.iter().find(|(origin, _)| named(origin)) else {
            return Err(Usage::new(format!("no source asks {host:?}; `sources` lists the addresses")).into());
        };
        // One look a day is all there is: a second review of the day reads what the first saw.
        let look = match self.reader.look(origin, reviewed).await? {
            Some(look) => look,
            None => kept.look(origin)?.unwrap_or_default(),
        };
        self.talk.say(format!("{origin}/robots.txt, looked at {}: {}", moment_text(look.at), look.outcome));
        look.drift.iter().for_each(|change| self.talk.say(format!("  {change}")));
        let Some(live) = look.live else { return Ok(Exit::Nothing) };
        talk::text(draft(&config, origin, live, &look::day(seconds(clock.now())))?);
        Ok(Exit::Done)
    }
}

/// A review as a person would keep it, with the verdict for each address that is asked.
fn draft(config: &Config, origin: &str, live: ReviewedPolicy, day: &str) -> Result<String, BoxError> {
    let mut draft = live;
    draft.reviewed = day.to_owned();
    let asked = config.sources.iter().flat_map(|source| source.urls.iter().chain(&source.redirects));
    for url in asked.filter(|url| review::origin(url) == origin) {
        draft = draft.with_url(url.as_str());
    }
    Ok(format!(
        "# Read {origin}/robots.txt yourself before you keep this: loosening is a person's act.\n{}",
        toml::to_string(&draft)?
    ))
}
