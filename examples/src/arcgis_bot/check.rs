//! Whether known services still answer: the description of each again, and nothing else.

use std::collections::BTreeMap;

use bot_etiquette::arcgis::{Problem, Service, Standing};
use tokio::task::JoinSet;

use super::records::ServiceRecord;
use super::session::{Session, Trouble};
use super::tally::Tally;
use crate::asker::NotRead;
use crate::stack::BoxError;

/// Checks every known service whose last check is a day old: one request each, the hosts side by side.
///
/// # Errors
/// When the catalogue cannot be used.
pub async fn check(session: &Session) -> Result<Tally, BoxError> {
    let mut hosts: BTreeMap<String, Vec<ServiceRecord>> = BTreeMap::new();
    for record in session.catalogue.unchecked(session.now())? {
        let host = record.url.root().url().host_str().unwrap_or_default().to_owned();
        hosts.entry(host).or_default().push(record);
    }
    let mut checking = JoinSet::new();
    for records in hosts.into_values() {
        session.talk.more(records.len() as u64);
        let session = session.clone();
        checking.spawn(async move { host(&session, records).await });
    }
    let mut tally = Tally::default();
    while let Some(done) = checking.join_next().await {
        tally.add(done??);
    }
    Ok(tally)
}

async fn host(session: &Session, records: Vec<ServiceRecord>) -> Result<Tally, BoxError> {
    let (mut tally, catalogue) = (Tally::default(), &session.catalogue);
    for ServiceRecord { id, url, .. } in records {
        let now = session.now();
        let said = match session.read::<Service>(&url.description(), "check", Some(&url)).await {
            Ok(parsed) => {
                tally.read += 1;
                match catalogue.answered(id, &parsed.facts, now)? {
                    true => "answers, and has changed: the next crawl reads it anew".to_owned(),
                    false => "answers".to_owned(),
                }
            }
            Err(Trouble::Problem(problem @ Problem::Busy { .. })) => {
                let not_read = NotRead::Broken(problem.to_string());
                tally.leave(url.to_string(), &not_read);
                not_read.to_string()
            }
            Err(Trouble::Problem(problem)) => {
                tally.read += 1;
                catalogue.judged(id, &problem.to_string(), now, |standing| standing.failed(&problem, now))?;
                problem.to_string()
            }
            Err(Trouble::NotRead(NotRead::Closed(why))) => {
                catalogue.judged(id, &why, now, Standing::closed_by_robots)?;
                tally.leave(url.to_string(), &NotRead::Closed(why.clone()));
                why
            }
            Err(Trouble::NotRead(not_read)) => {
                tally.leave(url.to_string(), &not_read);
                not_read.to_string()
            }
        };
        session.talk.done(format!("{url}: {said}"));
        if session.is_stopped() {
            tally.interrupted = true;
            break;
        }
    }
    Ok(tally)
}
