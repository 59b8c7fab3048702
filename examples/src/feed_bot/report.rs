//! What was asked and what came of it: a row a source, and what each host allows beside what it was asked.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::SystemTime;

use bot_etiquette::politeness::Ask;
use serde::Serialize;

use super::config::{Config, Source};
use super::kept::Kept;
use super::record::{Asked, Record, moment, seconds};
use super::{review, schedule};

/// The report of all sources and hosts.
#[derive(Debug, Serialize)]
pub struct Status {
    /// A row a source.
    pub sources: Vec<SourceStatus>,
    /// A row a host.
    pub hosts: BTreeMap<String, HostStatus>,
    /// E-mail addresses in what is kept: counted, and nothing but 0 is right.
    pub emails_kept: u64,
    /// Telephone numbers in what is kept.
    pub phones_kept: u64,
}

/// What is known of a source.
#[derive(Debug, Serialize)]
pub struct SourceStatus {
    /// Its name.
    pub id: String,
    /// The publisher's name.
    pub publisher: String,
    /// The words the publisher asks for.
    pub credit: String,
    /// The licence.
    pub licence: String,
    /// Its text.
    pub licence_url: String,
    /// The publisher's page.
    pub link: Option<String>,
    /// Whether it is on.
    pub on: bool,
    /// Seconds between two runs.
    pub every: u64,
    /// Events held of it.
    pub events: u64,
    /// Its runs.
    #[serde(flatten)]
    pub record: Record,
    /// When it may be asked next, in seconds since the Unix epoch; `None` where a person has to act first.
    pub next_allowed: Option<u64>,
    /// What a person still has to look up.
    pub verify: Vec<String>,
}

/// What a host allows, and what it was asked.
#[derive(Debug, Serialize)]
pub struct HostStatus {
    /// The Crawl-delay that holds: the longer of the reviewed and the live one.
    pub crawl_delay: Option<f64>,
    /// The pause that the bot keeps, in seconds.
    pub pause: f64,
    /// Requests a day that robots.txt leaves room for; `None`: it names no bound.
    pub allowed_a_day: Option<u64>,
    /// What was asked on the busiest day so far.
    pub asked: Asked,
    /// The day a person reviewed its robots.txt; `None`: nobody has.
    pub reviewed: Option<String>,
    /// What the last daily look saw.
    pub last_look: Option<String>,
    /// What is different from what was reviewed.
    pub drift: Vec<String>,
}

/// Gathers the report from the configuration and the state.
///
/// # Errors
/// When the state cannot be read.
pub fn status(config: &Config, kept: &Kept, now: SystemTime) -> rusqlite::Result<Status> {
    let mut sources = Vec::new();
    let (mut emails_kept, mut phones_kept) = (0, 0);
    for source in &config.sources {
        let events = kept.events(&source.id)?;
        for (event, _) in &events {
            let (emails, phones) = super::output::personal(event);
            emails_kept += emails;
            phones_kept += phones;
        }
        sources.push(of_source(config, source, kept, u64::try_from(events.len()).unwrap_or(u64::MAX), now)?);
    }
    Ok(Status { sources, hosts: hosts(config, kept)?, emails_kept, phones_kept })
}

fn of_source(
    config: &Config,
    source: &Source,
    kept: &Kept,
    events: u64,
    now: SystemTime,
) -> rusqlite::Result<SourceStatus> {
    let row = kept.row(&source.id)?;
    let mut next_allowed = Some(schedule::due(&row).max(seconds(now)));
    if let Some(url) = source.urls.first()
        && let Err(refusal) = kept.state().politeness.check(&Ask::new(url).class("feed"), now.into())
    {
        let until = refusal.until().filter(|_| !refusal.is_never());
        next_allowed = next_allowed.zip(until).map(|(due, until)| due.max(until.as_millis().div_ceil(1000)));
    }
    let attribution = source.map.attribution();
    Ok(SourceStatus {
        id: source.id.clone(),
        publisher: attribution.source().to_owned(),
        credit: attribution.text().to_owned(),
        licence: attribution.license().to_owned(),
        licence_url: attribution.license_url().to_string(),
        link: attribution.link().map(ToString::to_string),
        on: source.on,
        every: config.every.as_secs(),
        events,
        record: row.record,
        next_allowed: next_allowed.filter(|_| source.on),
        verify: source.verify.clone(),
    })
}

fn hosts(config: &Config, kept: &Kept) -> rusqlite::Result<BTreeMap<String, HostStatus>> {
    /// Seconds.
    const DAY: f64 = 86_400.0;
    let asked = kept.busiest_days()?;
    let mut hosts = BTreeMap::new();
    for (origin, reviewed) in config.reviews.iter() {
        let look = kept.look(origin)?;
        let valve = review::valve(reviewed, look.as_ref().and_then(|look| look.live.as_ref()));
        let name = origin.split_once("://").map_or(origin, |(_, host)| host).to_owned();
        let crawl_delay = valve.crawl_delay().map(|delay| delay.as_secs_f64());
        let pause =
            config.pause(&name).unwrap_or_default().as_secs_f64().max(crawl_delay.unwrap_or_default());
        let status = HostStatus {
            crawl_delay,
            pause,
            allowed_a_day: crawl_delay.filter(|delay| *delay > 0.0).map(|delay| (DAY / delay) as u64),
            asked: asked.get(&name).copied().unwrap_or_default(),
            reviewed: Some(reviewed.reviewed.clone()).filter(|_| review::is_done(reviewed)),
            last_look: look.as_ref().map(|look| look.outcome.clone()),
            drift: look.map(|look| look.drift).unwrap_or_default(),
        };
        hosts.insert(name, status);
    }
    Ok(hosts)
}

/// A moment, as people read it.
#[must_use]
pub fn moment_text(at: u64) -> String {
    let day = super::look::day(at);
    let second = at % 86_400;
    format!("{day} {:02}:{:02}:{:02} UTC", second / 3600, second / 60 % 60, second % 60)
}

impl Status {
    /// The report as plain lines.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for source in &self.sources {
            let _ = writeln!(text, "{}", source.to_text());
        }
        let _ =
            writeln!(text, "{} e-mail addresses, {} phone numbers kept", self.emails_kept, self.phones_kept);
        for (name, host) in &self.hosts {
            let allowed = host.allowed_a_day.map_or("any number".to_owned(), |allowed| allowed.to_string());
            let _ = writeln!(
                text,
                "{name}: allowed {allowed} a day, asked {} on the busiest ({} unchanged), a pause of {} s",
                host.asked.requests, host.asked.unchanged, host.pause
            );
            let reviewed = host.reviewed.as_deref().unwrap_or("by nobody yet");
            let _ = writeln!(
                text,
                "  robots.txt reviewed {reviewed}; last look: {}",
                host.last_look.as_deref().unwrap_or("none")
            );
            host.drift.iter().for_each(|change| text.push_str(&format!("  {change}\n")));
        }
        text
    }
}

impl SourceStatus {
    fn to_text(&self) -> String {
        let at = |at: Option<u64>| at.map_or("never".to_owned(), moment_text);
        let record = &self.record;
        let mut text = format!("{} ({}, {})", self.id, self.publisher, self.licence);
        if !self.on {
            text.push_str(": off");
        }
        let _ = write!(
            text,
            "\n  every {} h; last 200 {}, last 304 {}; {} new, {} changed, {} gone; {} events; next not before {}",
            self.every as f64 / 3600.0,
            at(record.last_200),
            at(record.last_304),
            record.added,
            record.changed,
            record.gone,
            self.events,
            if self.on { at(self.next_allowed) } else { "it is on".to_owned() },
        );
        if let Some(problem) = &record.problem {
            let _ = write!(text, "\n  not read since {}: {problem}", at(record.failing_since));
        }
        for remark in &record.remarks {
            let _ = write!(text, "\n  {remark}");
        }
        for open in &self.verify {
            let _ = write!(text, "\n  to look up: {open}");
        }
        text
    }

    /// The moment of its last good data.
    #[must_use]
    pub fn last_good(&self) -> Option<SystemTime> {
        self.record.last_200.max(self.record.last_304).map(moment)
    }
}
