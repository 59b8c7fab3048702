//! One service: its description in three requests at the most, where its layers lie in three more, pictures.

use bot_etiquette::arcgis::{
    Facts, LayerWhere, Parsed, Problem, Question, Standing, Step, Visit, WHERE_LIMIT, Where,
};

use super::preview;
use super::records::ServiceRecord;
use super::session::{Session, Trouble};
use crate::asker::NotRead;
use crate::stack::BoxError;

/// The class of the requests of a crawl: whatever the policy says of all.
pub const CRAWL: &str = "crawl";

/// How a visit ended.
#[derive(Debug)]
pub enum Visited {
    /// All that can be read was read, or is known not to be.
    Done,
    /// What it answered is no description: noted, and not asked again on the same day.
    Unreadable(String),
    /// The service is busy: to be taken up again when its hold is over.
    Busy,
    /// The rest has to wait, or is closed.
    Left(NotRead),
}

/// Visits a service, looks where its layers lie, has the pictures drawn that are due.
///
/// # Errors
/// When the catalogue cannot be written.
pub async fn service(session: &Session, record: &ServiceRecord) -> Result<Visited, BoxError> {
    // What a crawl that was killed had described is not asked for again.
    let described = match record.is_fresh(session.now()) {
        true => Visited::Done,
        false => describe(session, record).await?,
    };
    match described {
        Visited::Done => places(session, record).await,
        other => Ok(other),
    }
}

/// The same without the description.
///
/// # Errors
/// When the catalogue cannot be written.
pub async fn places(session: &Session, record: &ServiceRecord) -> Result<Visited, BoxError> {
    match place(session, record).await? {
        Visited::Done => {}
        other => return Ok(other),
    }
    match preview::service(session, record, CRAWL).await? {
        Visited::Done => {}
        other => return Ok(other),
    }
    session.catalogue.finished(record.id, Some(session.now()))?;
    Ok(Visited::Done)
}

/// An answer that came, with or without facts; or none.
fn answer<T: Facts>(read: Result<Parsed<T>, Trouble>) -> Result<Result<Parsed<T>, Problem>, NotRead> {
    match read {
        Ok(parsed) => Ok(Ok(parsed)),
        Err(Trouble::Problem(problem)) => Ok(Err(problem)),
        Err(Trouble::NotRead(not_read)) => Err(not_read),
    }
}

async fn describe(session: &Session, record: &ServiceRecord) -> Result<Visited, BoxError> {
    let (url, catalogue) = (&record.url, &session.catalogue);
    let mut visit = Visit::new(url.clone());
    while let Some(step) = visit.next() {
        let missed =
            match step {
                Step::Description(request) => answer(session.read(&request, CRAWL, Some(url)).await)
                    .map(|answer| visit.described(answer)),
                Step::Layers(request) => {
                    answer(session.read(&request, CRAWL, Some(url)).await).map(|answer| visit.layered(answer))
                }
                Step::Layer(_, request) => answer(session.read(&request, CRAWL, Some(url)).await)
                    .map(|answer| visit.one_layer(answer)),
                Step::Counts(request) => {
                    answer(session.read(&request, CRAWL, Some(url)).await).map(|answer| visit.counted(answer))
                }
                _ => break,
            };
        match missed {
            Ok(()) => {}
            // robots.txt closes this path: what was read stays, and the service stays listed.
            Err(NotRead::Closed(why)) if visit.clone().finish().service.is_none() => {
                catalogue.judged(record.id, &why, session.now(), Standing::closed_by_robots)?;
                return Ok(Visited::Left(NotRead::Closed(why)));
            }
            Err(NotRead::Closed(_)) => visit.skip(),
            Err(not_read) => return Ok(Visited::Left(not_read)),
        }
    }
    let report = visit.finish();
    if report.problems.iter().any(|problem| matches!(problem, Problem::Busy { .. })) {
        return Ok(Visited::Busy);
    }
    let now = session.now();
    if report.service.is_some() {
        catalogue.visited(record.id, url, &report, now)?;
        return Ok(Visited::Done);
    }
    let Some(problem) = report.problems.first() else { return Ok(Visited::Done) };
    catalogue.judged(record.id, &problem.to_string(), now, |standing| standing.failed(problem, now))?;
    Ok(Visited::Unreadable(problem.to_string()))
}

/// The job "where": at most three requests about the layers, stalest first.
async fn place(session: &Session, record: &ServiceRecord) -> Result<Visited, BoxError> {
    let (url, catalogue) = (&record.url, &session.catalogue);
    let Some((facts, asked)) =
        catalogue.service(record.id)?.and_then(|record| Some((record.facts?, record.asked)))
    else {
        return Ok(Visited::Done);
    };
    let layers = catalogue.layers(record.id)?.into_iter().filter(|layer| layer.is_layer());
    let layers: Vec<(_, LayerWhere)> = layers.map(|layer| (layer.layer, layer.known)).collect();
    let mut job = Where::new(url.clone(), layers, session.now()).within(&facts);
    let mut missed = None;
    while let Some((_, question, request)) = job.next().filter(|_| asked + job.requests() < WHERE_LIMIT) {
        let before = job.requests();
        let answered = match question {
            Question::Count | Question::Ids => {
                answer(session.read(&request, CRAWL, Some(url)).await).map(|answer| job.counted(answer))
            }
            Question::Extent => {
                answer(session.read(&request, CRAWL, Some(url)).await).map(|answer| job.placed(answer))
            }
            _ => answer(session.read(&request, CRAWL, Some(url)).await).map(|answer| job.outlined(answer)),
        };
        match answered {
            // Kept answer by answer: a crawl that is killed asks nothing twice.
            Ok(()) => catalogue.placed(record.id, &job.clone().finish(), job.requests() - before)?,
            Err(NotRead::Closed(_)) => job.skip(),
            Err(not_read) => {
                missed = Some(not_read);
                break;
            }
        }
    }
    catalogue.placed(record.id, &job.finish(), 0)?;
    Ok(missed.map_or(Visited::Done, Visited::Left))
}
