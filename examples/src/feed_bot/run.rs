//! One run of one source: one to five requests, and what they change.

use std::pin::pin;

use bot_etiquette::feed::{Calendar, Completeness, Doubt, Feed, Outage, Report, Verdict};
use bot_etiquette::fetch::{Revalidated, Validators};
use bot_etiquette::politeness::Reason;
use http::{StatusCode, header};
use http_body_util::BodyExt;
use url::Url;

use super::config::Source;
use super::reader::{Answer, For, Reader, Stop, no_answer};
use super::record::{Page, Record, seconds};

/// What a feed's body brought.
struct Feeding {
    events: Calendar,
    report: Report,
}

impl Reader {
    /// Runs a source that is due, or goes on with a run that was killed. What it did is in the state, whatever it was.
    ///
    /// # Errors
    /// [`Stop`] says why its feed was not read, or not to its end: the last good events stand.
    pub async fn run(&self, id: &str) -> Result<Record, Stop> {
        let (config, source) = self.settings.source(id)?;
        let row = self.kept.begin(id, self.seconds(), config.every)?;
        let mut record = Record {
            last_200: row.record.last_200,
            last_304: row.record.last_304,
            failing_since: row.record.failing_since,
            emails: row.record.emails,
            phones: row.record.phones,
            others: row.record.others,
            ..Record::default()
        };
        let mut due = None;
        let read = self.pages(&source, row.began, &mut record).await;
        record.requests = self.kept.row(id)?.used;
        match &read {
            // Whoever starts the bot again goes on with this run.
            Err(Stop::Interrupted) => return Err(Stop::Interrupted),
            Ok(()) => record.failing_since = None,
            Err(Stop::Off) => {}
            Err(stop) => {
                record.failing_since = record.failing_since.or(Some(self.seconds()));
                record.problem = Some(stop.to_string());
                if let Stop::Held { until: Some(until), reason } = stop {
                    record.held_until = Some(until.as_millis().div_ceil(1000));
                    // A person's hours move the run to when they open; any other hold costs it.
                    due = record.held_until.filter(|_| *reason == Reason::OutsideHours);
                }
            }
        }
        let now = self.seconds();
        // Counted from the last answer: no address is asked twice within the time.
        self.kept.end(id, now, due.unwrap_or(now + config.every.as_secs()), &record)?;
        read.map(|()| record)
    }

    async fn pages(&self, source: &Source, began: u64, record: &mut Record) -> Result<(), Stop> {
        let mut whole: Option<Completeness> = None;
        for url in &source.urls {
            let known = self.kept.page(&source.id, url.as_str())?.unwrap_or_default();
            let page = match &known.completeness {
                // Read before this run was killed.
                Some(completeness) if known.at >= began => completeness.clone(),
                _ => self.page(source, url, known, record).await?,
            };
            let read = match whole {
                None => page,
                Some(whole) => whole.with_page(&page),
            };
            let all = read.announced.is_some_and(|announced| read.read >= announced);
            whole = Some(read);
            // Less is asked than may be: the pages after the last are left alone.
            if all {
                break;
            }
        }
        let Some(whole) = whole else { return Ok(()) };
        if whole.allows_deletions() {
            record.gone = self.kept.forget_unseen(&source.id, began)?;
        } else {
            record.remarks.extend(doubts(&whole));
        }
        Ok(())
    }

    async fn page(
        &self,
        source: &Source,
        url: &Url,
        known: Page,
        record: &mut Record,
    ) -> Result<Completeness, Stop> {
        let mut validators = known.validators.clone().filter(|_| known.completeness.is_some());
        loop {
            let answer = self.ask(For::Source(&source.id), url, validators.as_ref()).await?;
            let (status, hops) = (answer.status, answer.hops);
            if hops > 0 && !source.urls.iter().chain(&source.redirects).any(|listed| *listed == answer.url) {
                record
                    .remarks
                    .push(format!("{hops} redirects lead to another address than is listed: look at it"));
            }
            if let Some(kind) = answer.no_feed() {
                self.received(&answer.url, status, answer.report.wire_bytes());
                return Err(Stop::NoFeed(kind));
            }
            match (status, &validators) {
                (StatusCode::OK, _) => return self.fresh(source, url, &known, answer, record).await,
                (StatusCode::NOT_MODIFIED, Some(sent)) => {
                    self.received(&answer.url, status, 0);
                    let Revalidated::Unchanged(validators_now) = sent.revalidated(status, &answer.headers)
                    else {
                        // It speaks of another document: taken whole, as one more request of this run.
                        validators = None;
                        continue;
                    };
                    let page = Page { at: self.seconds(), validators: Some(validators_now), ..known.clone() };
                    let events = self.kept.unchanged(&source.id, url.as_str(), &page)?;
                    let Some(completeness) = page.completeness.filter(|known| events > 0 || known.read == 0)
                    else {
                        // What it is unchanged from is lost.
                        validators = None;
                        continue;
                    };
                    record.last_304 = Some(self.seconds());
                    record.unchanged += events;
                    return Ok(completeness);
                }
                (
                    StatusCode::UNAUTHORIZED
                    | StatusCode::FORBIDDEN
                    | StatusCode::PROXY_AUTHENTICATION_REQUIRED,
                    _,
                ) => {
                    self.received(&answer.url, status, 0);
                    return Err(Stop::NoAnswer(format!(
                        "status {}: nothing behind a login is asked for",
                        status.as_u16()
                    )));
                }
                _ => {
                    self.received(&answer.url, status, 0);
                    return Err(Stop::NoAnswer(format!("status {}", status.as_u16())));
                }
            }
        }
    }

    /// Reads a feed that came anew. Its validators are kept with its events, and only when it came to its end.
    async fn fresh(
        &self,
        source: &Source,
        url: &Url,
        known: &Page,
        answer: Answer,
        record: &mut Record,
    ) -> Result<Completeness, Stop> {
        let (answered, status, report) = (answer.url.clone(), answer.status, answer.report.clone());
        let validators = Validators::of(&answered, status, &answer.headers);
        let fed = feed(source, answer).await;
        self.received(&answered, status, report.wire_bytes());
        let (Feeding { events, report }, broken) = fed;
        let now = self.seconds();
        if let Verdict::Outage(outage) = report.completeness.verdict {
            return Err(broken.unwrap_or(Stop::NoFeed(outage_words(outage))));
        }
        let whole = matches!(report.completeness.verdict, Verdict::Complete | Verdict::Partial);
        let last = known.completeness.as_ref().map_or(0, |last| last.read);
        let completeness = report.completeness.clone().against_last(last);
        let page = match whole {
            true => Page { at: now, validators, completeness: Some(completeness.clone()) },
            false => Page { at: now, ..known.clone() },
        };
        let counted = self.kept.accept(&source.id, url.as_str(), &page, &events)?;
        record.added += counted.added;
        record.changed += counted.changed;
        record.unchanged += counted.unchanged;
        if record.last_200 < Some(now) || record.last_200.is_none() {
            (record.emails, record.phones, record.others) = (0, 0, 0);
        }
        let taken = report.scrubbed;
        record.emails += taken.emails;
        record.phones += taken.phones;
        record.others += taken.identities + taken.accounts + taken.links;
        record.remarks.extend(report.notes.iter().map(|(note, times)| format!("{}: {times}", note.as_str())));
        if !whole {
            let read = completeness.read;
            return Err(broken.unwrap_or_else(|| {
                Stop::NoAnswer(format!(
                    "the feed broke off after {read} records: they are kept, and none is taken away"
                ))
            }));
        }
        record.last_200 = Some(now);
        Ok(completeness)
    }

    fn seconds(&self) -> u64 {
        seconds(self.clock.now())
    }
}

/// Reads a body into events, piece by piece: the feed itself is kept nowhere.
async fn feed(source: &Source, answer: Answer) -> (Feeding, Option<Stop>) {
    let mut feed = Feed::new(&source.map);
    if let Some(kind) = answer.content_type() {
        feed.content_type(kind);
    }
    let length =
        answer.headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if let Some(length) = length {
        feed.expect_bytes(length);
    }
    let mut events = Calendar::new();
    let mut body = pin!(answer.body);
    let mut broken = None;
    while let Some(frame) = body.frame().await {
        match frame {
            Ok(frame) => feed.push(frame.data_ref().map_or(&[], |data| data)),
            Err(error) => {
                broken = Some(no_answer(&*error));
                break;
            }
        }
        events.extend(std::iter::from_fn(|| feed.next_event()));
    }
    // Without an end the verdict stays that of a feed that was cut.
    if broken.is_none() {
        feed.finish();
    }
    events.extend(std::iter::from_fn(|| feed.next_event()));
    (Feeding { report: feed.report(), events }, broken)
}

const fn outage_words(outage: Outage) -> &'static str {
    match outage {
        Outage::Empty => "nothing",
        Outage::Html => "an HTML page",
        Outage::Api => "an error of the server's interface",
        Outage::Compressed => "compressed bytes",
        _ => "something else",
    }
}

/// Why events that are absent are kept, in words.
fn doubts(whole: &Completeness) -> Vec<String> {
    let words = |doubt: &Doubt| match doubt {
        Doubt::RoundCount => format!("{} records is a number at which servers cut", whole.read),
        Doubt::SortedCut => "the titles are in order and stop early".to_owned(),
        Doubt::MassLoss => "far fewer records than before".to_owned(),
        Doubt::Dropped => "records were dropped".to_owned(),
        Doubt::NoLineEnd => "the last row has no end".to_owned(),
        Doubt::TotalChanged => "the announced total changed while it was read".to_owned(),
        _ => "it may not be whole".to_owned(),
    };
    let mut all: Vec<String> = whole.doubts.iter().map(words).collect();
    if let (Verdict::Partial, Some(announced)) = (whole.verdict, whole.announced) {
        all.push(format!("{} of {announced} records came", whole.read));
    }
    all.iter_mut().for_each(|doubt| doubt.push_str(": events that are absent are kept"));
    all
}
