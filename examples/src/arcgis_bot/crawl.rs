//! The crawl: each server's directory, then its services, two at a time.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use bot_etiquette::arcgis::{Directory, DirectoryWalk, Problem, Root, ServiceState};
use tokio::task::JoinSet;

use super::records::ServiceRecord;
use super::session::{Session, Trouble};
use super::tally::Tally;
use super::visit::{self, CRAWL, Visited};
use crate::asker::NotRead;
use crate::stack::BoxError;

/// Servers that are read at once, at the most.
const SERVERS: usize = 32;

/// Times that a busy directory, or service, is taken up again within one command.
const RETRIES: usize = 8;

/// Crawls these servers. What was read within a day is not asked for again.
///
/// # Errors
/// When the catalogue cannot be used.
pub async fn crawl(session: &Session, roots: Vec<Root>) -> Result<Tally, BoxError> {
    let mut tally = Tally::default();
    let mut waiting: VecDeque<Root> = VecDeque::new();
    for root in roots {
        if !waiting.iter().any(|known| known.key() == root.key()) {
            waiting.push_back(root);
        }
    }
    let mut crawling = JoinSet::new();
    loop {
        while crawling.len() < SERVERS
            && let Some(root) = waiting.pop_front()
        {
            let session = session.clone();
            crawling.spawn(async move { server(&session, &root).await });
        }
        let Some(done) = crawling.join_next().await else { return Ok(tally) };
        tally.add(done??);
    }
}

/// The job "where" and the pictures, for services that were described before.
///
/// # Errors
/// When the catalogue cannot be used.
pub async fn places(session: &Session) -> Result<Tally, BoxError> {
    let mut working = JoinSet::new();
    for root in session.catalogue.roots()? {
        let session = session.clone();
        working.spawn(async move {
            let mut tally = Tally::default();
            for record in session.catalogue.services(root.id)? {
                if session.is_stopped() || record.facts.is_none() || record.state != ServiceState::Public {
                    continue;
                }
                session.catalogue.finished(record.id, None)?;
                match visit::places(&session, &record).await? {
                    Visited::Left(not_read) => tally.leave(record.url.to_string(), &not_read),
                    Visited::Done | Visited::Busy | Visited::Unreadable(_) => tally.read += 1,
                }
            }
            Ok::<_, BoxError>(tally)
        });
    }
    let mut tally = Tally::default();
    while let Some(done) = working.join_next().await {
        tally.add(done??);
    }
    tally.interrupted |= session.is_stopped();
    Ok(tally)
}

async fn server(session: &Session, root: &Root) -> Result<Tally, BoxError> {
    let mut tally = Tally::default();
    let id = session.catalogue.root(root, "given")?;
    let name = label(root);
    if !session.catalogue.is_walked(id, session.now())? {
        session.talk.doing(format!("{name}: reading the directory"));
        let missed = walk(session, id, root).await?;
        let problem = missed.as_ref().map(ToString::to_string);
        session.catalogue.walked(id, problem.as_deref(), session.now())?;
        if let Some(not_read) = missed {
            session.talk.say(format!("{name}: {not_read}"));
            tally.leave(&name, &not_read);
        }
    }
    let due: VecDeque<_> =
        session.catalogue.due(id, session.now())?.into_iter().map(|one| (one, 0)).collect();
    session.talk.more(due.len() as u64);
    let (due, sum) = (Mutex::new(due), Mutex::new(&mut tally));
    let (one, other) = tokio::join!(work(session, &name, &due, &sum), work(session, &name, &due, &sum));
    one.and(other)?;
    Ok(tally)
}

/// Takes service after service until none is left.
async fn work(
    session: &Session,
    name: &str,
    due: &Mutex<VecDeque<(ServiceRecord, usize)>>,
    tally: &Mutex<&mut Tally>,
) -> Result<(), BoxError> {
    let next = || due.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    while let Some((record, times)) = next() {
        let what = format!("{name}  {} ({})", record.url.name(), record.url.service_type());
        // Another process may have been here meanwhile.
        if session.catalogue.service(record.id)?.is_some_and(|now| now.visited != record.visited) {
            session.talk.done(format!("{what}: read meanwhile by another process"));
            continue;
        }
        session.talk.doing(&what);
        let visited = visit::service(session, &record).await?;
        let again = |id| -> Result<(), BoxError> {
            // As it is now: part of it may have been read.
            let record = session.catalogue.service(id)?.map(|record| (record, times + 1));
            due.lock().unwrap_or_else(PoisonError::into_inner).extend(record);
            Ok(())
        };
        let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
        match visited {
            Visited::Left(NotRead::Interrupted) => {
                tally.interrupted = true;
                return Ok(());
            }
            Visited::Done => {
                tally.read += 1;
                session.talk.done(format!("{what}: {}", summary(session, record.id)?));
            }
            Visited::Busy if times < RETRIES => {
                session.talk.say(format!("{what}: busy, left alone for about an hour"));
                again(record.id)?;
            }
            // The host is left alone for a while now: taken up again where there is time for that.
            Visited::Left(missed @ (NotRead::NoAnswer(_) | NotRead::Broken(_))) if times < RETRIES => {
                session.talk.say(format!("{what}: {missed}"));
                again(record.id)?;
            }
            Visited::Unreadable(why) => {
                session.talk.done(format!("{what}: {why}"));
                tally.leave(&what, &NotRead::Broken(why));
            }
            Visited::Busy => tally.leave(&what, &NotRead::Broken("is busy again and again".into())),
            Visited::Left(not_read) => {
                session.talk.done(format!("{what}: {not_read}"));
                tally.leave(&what, &not_read);
            }
        }
    }
    Ok(())
}

/// Reads root and folders; says why it could not be finished, if it could not.
async fn walk(session: &Session, id: i64, root: &Root) -> Result<Option<NotRead>, BoxError> {
    let mut walk = DirectoryWalk::new(root.clone());
    let (mut missed, mut retries) = (None, 0);
    while let Some(request) = walk.next() {
        let folder = folder_of(root, request.url.path());
        match session.read::<Directory>(&request, CRAWL, None).await {
            // It holds the whole host now; the next try waits for that.
            Err(Trouble::Problem(Problem::Busy { .. }) | Trouble::NotRead(NotRead::NoAnswer(_)))
                if retries < RETRIES =>
            {
                retries += 1;
            }
            Err(Trouble::Problem(problem)) => {
                session.catalogue.listed(id, &folder, Some(&problem.to_string()), &[])?;
                if folder.is_empty() {
                    return Ok(Some(NotRead::Broken(problem.to_string())));
                }
                walk.answered(Err(problem));
            }
            Err(Trouble::NotRead(NotRead::Closed(why))) => {
                session.catalogue.listed(id, &folder, Some(&why), &[])?;
                session.talk.say(format!("{}  {folder}: closed by robots.txt, not asked", label(root)));
                if folder.is_empty() {
                    missed = Some(NotRead::Closed(why));
                }
                walk.skip();
            }
            Err(Trouble::NotRead(not_read)) => {
                session.catalogue.listed(id, &folder, Some(&not_read.to_string()), &[])?;
                missed = Some(not_read);
                if folder.is_empty() || session.is_stopped() {
                    break;
                }
                walk.skip();
            }
            Ok(parsed) => {
                let before = walk.services().len();
                walk.answered(Ok(parsed));
                let found = walk.services().get(before..).unwrap_or_default();
                session.catalogue.listed(id, &folder, None, found)?;
            }
        }
    }
    Ok(missed)
}

/// The folder that an address of a directory names; the root is the empty one.
fn folder_of(root: &Root, path: &str) -> String {
    let folder = path.strip_prefix(root.url().path()).unwrap_or_default().trim_matches('/');
    percent_decoded(folder)
}

fn percent_decoded(text: &str) -> String {
    // A query without names decodes as form text does, where a plus would be a blank.
    let pairs = url::form_urlencoded::parse(text.as_bytes()).map(|(name, _)| name.into_owned());
    if text.contains('+') { text.to_owned() } else { pairs.collect() }
}

fn summary(session: &Session, id: i64) -> Result<String, BoxError> {
    let Some(record) = session.catalogue.service(id)? else { return Ok("gone".into()) };
    if record.state != ServiceState::Public {
        return Ok(record.problem.unwrap_or_else(|| "not read".into()));
    }
    let layers = session.catalogue.layers(id)?;
    let features: u64 = layers.iter().filter_map(|layer| layer.known.count).sum();
    let pictures = layers.iter().filter(|layer| layer.picture.is_some()).count();
    let layers = layers.iter().filter(|layer| layer.is_layer()).count();
    Ok(format!(
        "{layers} layers, {features} features, {pictures} pictures, described in {} requests",
        record.requests
    ))
}

/// The name of a server for people.
#[must_use]
pub fn label(root: &Root) -> String {
    let host = root.authority();
    root.organisation().map_or_else(|| host.to_owned(), |organisation| format!("{host}/{organisation}"))
}
