//! The daily look at a robots.txt that a person has reviewed: a change is reported, and may only close.

use std::pin::pin;
use std::time::Duration;

use bot_etiquette::feed::Day;
use bot_etiquette::fetch::Validators;
use bot_etiquette::robots::{Availability, ReviewedPolicy, Robots};
use http::StatusCode;
use http_body_util::BodyExt;
use url::Url;

use super::config::Config;
use super::reader::{Answer, For, Reader, Stop, no_answer};
use super::record::{Look, moment, seconds};
use super::review;

/// The least time between two looks at one host's file.
pub const LOOK_EVERY: Duration = Duration::from_secs(86_400);

/// More of a robots.txt is not read; RFC 9309 asks for 500 KiB at least.
const ROBOTS_BYTES: usize = 512 * 1024;

impl Reader {
    /// Keeps the longer of the reviewed and the live Crawl-delay of each host.
    ///
    /// # Errors
    /// When the state cannot be read.
    pub fn keep_delays(&self, config: &Config) -> Result<(), Stop> {
        for (origin, reviewed) in config.reviews.iter() {
            let live = self.kept.look(origin)?.and_then(|look| look.live);
            let delay = review::valve(reviewed, live.as_ref()).crawl_delay();
            if let Ok(origin) = origin.parse() {
                // Where it cannot be written, no decision can be made either, and nothing is asked.
                let _ = self.kept.state().politeness.set_crawl_delay(&origin, delay, self.clock.now().into());
            }
        }
        Ok(())
    }

    /// Looks at the robots.txt of an origin, if that has not been done for a day; returns what was seen.
    ///
    /// # Errors
    /// [`Stop`] where it could not be asked; what was known stands.
    pub async fn look(&self, origin: &str, reviewed: &ReviewedPolicy) -> Result<Option<Look>, Stop> {
        let before = self.kept.look(origin)?;
        let now = seconds(self.clock.now());
        let due = before.as_ref().is_none_or(|look| look.at + LOOK_EVERY.as_secs() <= now);
        let Ok(url) = format!("{origin}/robots.txt").parse::<Url>() else { return Ok(None) };
        if !due {
            return Ok(None);
        }
        let before = before.unwrap_or_default();
        // Written down before it leaves: whatever happens, there is no second one today.
        let mut look = Look { at: now, outcome: "asked".to_owned(), ..before.clone() };
        self.kept.keep_look(origin, &look)?;
        match self.ask(For::Look, &url, before.validators.as_ref()).await {
            Ok(answer) => self.looked(reviewed, answer, &mut look).await,
            Err(Stop::NoAnswer(why)) => look.outcome = format!("{why}: the reviewed rules stand"),
            Err(stop) => {
                self.kept.keep_look(origin, &before)?;
                return Err(stop);
            }
        }
        self.kept.keep_look(origin, &look)?;
        Ok(Some(look))
    }

    async fn looked(&self, reviewed: &ReviewedPolicy, answer: Answer, look: &mut Look) {
        let (status, url, report) = (answer.status, answer.url.clone(), answer.report.clone());
        look.outcome = match status {
            StatusCode::NOT_MODIFIED => "unchanged".to_owned(),
            status if status.is_success() => {
                let validators = Validators::of(&url, status, &answer.headers);
                match text(answer).await {
                    Ok(text) => {
                        let live = Robots::parse(&text);
                        let drift = reviewed.drift(Availability::Successful, &live);
                        let (origin, token) = (reviewed.origin.clone(), reviewed.token.clone());
                        // Its rules alone: what else is written there, such as whom to write to, is not kept.
                        look.live = Some(ReviewedPolicy::draft(origin, token, day(look.at), &live));
                        look.validators = validators;
                        look.drift = drift.changes.iter().map(ToString::to_string).collect();
                        match (drift.text_changed, drift.changes.is_empty()) {
                            (false, _) => "as reviewed".to_owned(),
                            (true, true) => "other words, the same rules".to_owned(),
                            (true, false) => "changed: a person has to review it".to_owned(),
                        }
                    }
                    Err(stop) => format!("{stop}: the reviewed rules stand"),
                }
            }
            status if status.is_redirection() => {
                "leads elsewhere: the reviewed rules stand, a person has to look".to_owned()
            }
            status => format!("status {}: the reviewed rules stand", status.as_u16()),
        };
        self.received(&url, status, report.wire_bytes());
    }
}

/// The day of a look, as a person would write it.
#[must_use]
pub fn day(at: u64) -> String {
    Day::at(moment(at), "UTC").map(|day| day.to_string()).unwrap_or_default()
}

async fn text(answer: Answer) -> Result<Vec<u8>, Stop> {
    let mut text = Vec::new();
    let mut body = pin!(answer.body);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| no_answer(&*error))?;
        text.extend_from_slice(frame.data_ref().map_or(&[], |data| data));
        if text.len() > ROBOTS_BYTES {
            text.truncate(ROBOTS_BYTES);
            break;
        }
    }
    Ok(text)
}
