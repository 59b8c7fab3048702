//! What people get: `events.ndjson`, `calendar.ics`, `index.html`, and the politeness report.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use bot_etiquette::feed::{Calendar, CleanText, Event, Published, write_icalendar};
use serde::Serialize;

use super::config::Config;
use super::kept::Kept;
use super::page;
use super::report::{self, HostStatus, SourceStatus, Status};
use super::translator::Known;
use crate::files;
use crate::ledger::{Ledger, LedgerReport};
use crate::stack::BoxError;

/// What was written.
#[derive(Debug)]
pub struct Written {
    /// Events shown, each once.
    pub events: usize,
    /// Records behind them.
    pub records: usize,
    /// What could not be translated, and why.
    pub problems: Vec<String>,
    /// The report that stands on the page.
    pub status: Status,
}

/// One line of `events.ndjson`.
#[derive(Serialize)]
struct Line<'e> {
    #[serde(flatten)]
    event: Published<'e>,
    /// The same event elsewhere, with whom to credit.
    also: Vec<Also<'e>>,
}

#[derive(Serialize)]
struct Also<'e> {
    key: &'e str,
    source: &'e str,
    license: &'e str,
    license_url: &'e str,
    link: &'e str,
}

/// One event, with those of other records that are the same.
pub struct Shown<'e> {
    /// The one whose words are shown.
    pub event: Published<'e>,
    /// The others.
    pub also: Vec<Published<'e>>,
}

/// Writes everything that is held and not over into a folder.
///
/// # Errors
/// When the state cannot be read, or a file cannot be written.
pub async fn write(
    out: &Path,
    config: &Config,
    kept: &Kept,
    ledger: &Ledger,
    now: SystemTime,
) -> Result<Written, BoxError> {
    let mut calendar = Calendar::new();
    for source in &config.sources {
        let events = kept.events(&source.id)?.into_iter().map(|(event, _)| event);
        calendar.extend(events.filter(|event| !event.when().is_over(now)));
    }
    let problems = translate(config, kept, &mut calendar).await?;
    let shown: Vec<Shown<'_>> = calendar.distinct().filter_map(|group| shown(&group)).collect();
    let status = report::status(config, kept, now)?;
    files::make_folder(out)?;
    let put = |name: &str, text: String| files::write_whole(&out.join(name), text);
    let mut lines = String::new();
    for shown in &shown {
        lines.push_str(&serde_json::to_string(&shown.line())?);
        lines.push('\n');
    }
    let first = config.languages.first().map_or("es", String::as_str);
    let product = "-//bot-etiquette//feed_bot//EN";
    let politeness = Politeness::new(ledger, &status);
    put("events.ndjson", lines)?;
    put("calendar.ics", write_icalendar(product, first, shown.iter().map(|shown| shown.event), now))?;
    put("index.html", page::index(config, &shown, &status, ledger))?;
    put("politeness.json", serde_json::to_string_pretty(&politeness)?)?;
    Ok(Written { events: shown.len(), records: calendar.len(), problems, status })
}

/// The e-mail addresses and telephone numbers that the texts of an event hold: counted by cleaning them once more.
#[must_use]
pub fn personal(event: &Event) -> (u64, u64) {
    let place = event.place();
    let places = [&place.venue, &place.address, &place.city].into_iter().flatten();
    let texts = event.titles().iter().chain(event.descriptions().iter()).map(|text| text.text());
    let texts = texts.chain(places).chain(event.categories()).chain(event.price().map(|price| &price.text));
    texts.fold((0, 0), |(emails, phones), text| {
        let found = CleanText::block(text).1;
        (emails + found.emails, phones + found.phones)
    })
}

/// Adds what the sources do not publish in a language, if somebody translates.
async fn translate(config: &Config, kept: &Kept, calendar: &mut Calendar) -> Result<Vec<String>, BoxError> {
    let Some(line) = &config.translator else { return Ok(Vec::new()) };
    let (mut known, problems) = Known::of(line, kept, calendar.events(), &config.languages).await?;
    let languages: Vec<&str> = config.languages.iter().map(String::as_str).collect();
    for event in calendar.events_mut() {
        event.titles_mut().translate(&languages, &mut known)?;
        event.descriptions_mut().translate(&languages, &mut known)?;
    }
    Ok(problems)
}

/// What has no source, licence and link is not shown: there is no other form to write.
fn shown<'e>(group: &[&'e Event]) -> Option<Shown<'e>> {
    let mut group = group.iter().filter_map(|event| event.publish().ok());
    Some(Shown { event: group.next()?, also: group.collect() })
}

impl<'e> Shown<'e> {
    fn line(&self) -> Line<'e> {
        let also = self.also.iter().map(|other| {
            let attribution = other.event().attribution();
            Also {
                key: other.event().key().as_str(),
                source: attribution.source(),
                license: attribution.license(),
                license_url: attribution.license_url().as_str(),
                link: other.link(),
            }
        });
        Line { event: self.event, also: also.collect() }
    }
}

/// The politeness report, with what was promised beside what was done.
#[derive(Serialize)]
struct Politeness<'a> {
    #[serde(flatten)]
    ledger: LedgerReport,
    allowed_and_asked: &'a BTreeMap<String, HostStatus>,
    sources: &'a [SourceStatus],
    emails_kept: u64,
    phones_kept: u64,
}

impl<'a> Politeness<'a> {
    fn new(ledger: &Ledger, status: &'a Status) -> Self {
        Self {
            ledger: ledger.report(),
            allowed_and_asked: &status.hosts,
            sources: &status.sources,
            emails_kept: status.emails_kept,
            phones_kept: status.phones_kept,
        }
    }
}
