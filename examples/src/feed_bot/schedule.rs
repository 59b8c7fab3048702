//! Which source is due: each every three hours from its own start, hosts side by side, one request a host.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;

use super::config::{Config, Source};
use super::reader::{Reader, Stop};
use super::record::{Record, Row, seconds};
use super::review;
use crate::stack::BoxError;
use crate::talk::Talk;

/// How the sources of one round did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Those whose feed was read or unchanged.
    pub read: u64,
    /// Those that could not be read, or have to wait.
    pub not_read: u64,
}

/// When a source runs next, in seconds since the Unix epoch: at once where it never ran, or was killed.
///
/// A run that a hold kept from asking counts as one: the next is three hours later, not two at once.
#[must_use]
pub fn due(row: &Row) -> u64 {
    if row.began == 0 || !row.ended { 0 } else { row.due }
}

/// Runs all sources that are due at this moment.
///
/// # Errors
/// When the state cannot be used, or the configuration cannot be read.
pub async fn round(reader: &Reader, talk: &Talk) -> Result<Round, BoxError> {
    let config = reader.settings.now()?;
    let now = seconds(reader.clock.now());
    let mut ready = Vec::new();
    for source in config.sources.iter().filter(|source| source.on) {
        if due(&reader.kept.row(&source.id)?) <= now {
            ready.push(Arc::clone(source));
        }
    }
    run_all(reader, talk, &config, ready).await
}

/// Goes on until the person stops it: `done` is told after each round that ran anything.
///
/// # Errors
/// As [`round`], and those of `done`.
pub async fn forever(
    reader: &Reader,
    talk: &Talk,
    mut done: impl AsyncFnMut(Round) -> Result<(), BoxError>,
) -> Result<(), BoxError> {
    /// How long the configuration may have been changed before it is noticed, in real seconds.
    const LOOK_AGAIN: Duration = Duration::from_secs(5);
    let started = seconds(reader.clock.now());
    let mut told = String::new();
    while !reader.interrupt.requested() {
        let now = seconds(reader.clock.now());
        let mut ready = Vec::new();
        let mut next: Option<u64> = None;
        match reader.settings.now() {
            Err(problem) if told != problem.to_string() => {
                told = problem.to_string();
                talk.say(format!("nothing is asked until the configuration is mended: {told}"));
            }
            Err(_) => {}
            Ok(config) => {
                told.clear();
                for source in config.sources.iter().filter(|source| source.on) {
                    let row = reader.kept.row(&source.id)?;
                    // The first run ever waits for its phase, so that they do not all come at once.
                    let due =
                        due(&row).max(if row.began == 0 { started + source.phase.as_secs() } else { 0 });
                    if due <= now {
                        ready.push(Arc::clone(source));
                    } else {
                        next = Some(next.map_or(due, |next| next.min(due)));
                    }
                }
                if !ready.is_empty() {
                    let round = run_all(reader, talk, &config, ready).await?;
                    done(round).await?;
                    continue;
                }
            }
        }
        let wait =
            next.map_or(LOOK_AGAIN, |next| reader.clock.real_duration(Duration::from_secs(next - now)));
        tokio::select! {
            () = reader.interrupt.wait() => {}
            () = tokio::time::sleep(wait.min(LOOK_AGAIN)) => {}
        }
    }
    Ok(())
}

async fn run_all(
    reader: &Reader,
    talk: &Talk,
    config: &Config,
    ready: Vec<Arc<Source>>,
) -> Result<Round, BoxError> {
    reader.keep_delays(config)?;
    talk.total(u64::try_from(ready.len()).unwrap_or(u64::MAX));
    let mut hosts: BTreeMap<String, Vec<Arc<Source>>> = BTreeMap::new();
    for source in ready {
        let host = source.urls.first().and_then(|url| url.host_str()).unwrap_or_default();
        let clock = host.parse().map(|host| config.policy.clock_of(&host).as_str().to_owned());
        hosts.entry(clock.unwrap_or_default()).or_default().push(source);
    }
    let mut tasks = JoinSet::new();
    for sources in hosts.into_values() {
        let (reader, talk) = (reader.clone(), talk.clone());
        tasks.spawn(async move {
            let mut round = Round::default();
            for source in sources {
                match one(&reader, &talk, &source).await {
                    Ok(_) => round.read += 1,
                    Err(Stop::State(error)) => return Err(error),
                    Err(_) => round.not_read += 1,
                }
            }
            Ok(round)
        });
    }
    let mut all = Round::default();
    while let Some(done) = tasks.join_next().await {
        let round = done??;
        all.read += round.read;
        all.not_read += round.not_read;
    }
    Ok(all)
}

async fn one(reader: &Reader, talk: &Talk, source: &Source) -> Result<Record, Stop> {
    let id = &source.id;
    for url in source.urls.iter().chain(&source.redirects) {
        let config = reader.settings.now().map_err(|problem| Stop::Unreadable(problem.to_string()))?;
        let origin = review::origin(url);
        let Some(reviewed) = config.reviews.of(&origin).filter(|review| review::is_done(review)) else {
            continue;
        };
        match reader.look(&origin, reviewed).await {
            Ok(Some(look)) => {
                talk.say(format!("{origin}/robots.txt: {}", look.outcome));
                look.drift.iter().for_each(|change| talk.say(format!("  {change}")));
                reader.keep_delays(&config)?;
            }
            Ok(None) => {}
            Err(Stop::State(error)) => return Err(Stop::State(error)),
            Err(stop) => talk.say(format!("{origin}/robots.txt: {stop}")),
        }
    }
    let run = reader.run(id).await;
    match &run {
        Ok(record) => talk.done(format!(
            "{id}: {} new, {} changed, {} the same, {} gone ({} requests)",
            record.added, record.changed, record.unchanged, record.gone, record.requests
        )),
        Err(Stop::Off) => talk.done(format!("{id}: off")),
        Err(stop) => talk.done(format!("{id}: {stop}; its last good events stand")),
    }
    run
}
