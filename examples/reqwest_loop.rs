//! A polite crawl with reqwest in a plain loop: the queue says what may be asked now, the client asks it, the
//! permit learns how it ended. No tower, no tasks.
//!
//! It shows politeness alone: a real crawler asks for robots.txt first (`RobotsCache`) and sends a name of its own.
//! Run it without arguments: it crawls a site of its own on loopback.

use std::error::Error;
use std::time::{Duration, SystemTime};

use bot_etiquette::politeness::tower::{Timer, TokioTimer};
use bot_etiquette::politeness::{
    Ask, Failure, HostPolicy, Next, Outcome, Policy, Politeness, Priority, ReadyQueue, RetryAfterRule,
};
use bot_etiquette_examples::demo_site;
use url::Url;

/// Redirects that are followed of one page.
const MAX_HOPS: usize = 5;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    for (url, status) in crawl(&demo_site::serve()?).await? {
        println!("{status} {url}");
    }
    Ok(())
}

/// Asks for every page and its redirects; returns what was asked, in order, with the status.
#[expect(clippy::disallowed_methods, reason = "a program reads the clock once")]
async fn crawl(pages: &[String]) -> Result<Vec<(Url, u16)>, Box<dyn Error>> {
    let timer = TokioTimer::starting_at(SystemTime::now().into());
    let policy = HostPolicy::new()
        .min_delay(Duration::from_millis(300))
        // A busy host that says for how long is taken at its word.
        .busy_first(Duration::from_secs(60))
        .retry_after(RetryAfterRule::Honour)
        .unreachable_first(Duration::from_secs(900));
    let politeness = Politeness::new(Policy::new(policy));
    // The client follows no redirect: each hop must wait for its own host's turn.
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(Duration::from_secs(30))
        .build()?;

    let mut queue = ReadyQueue::new();
    let push = |queue: &mut ReadyQueue<(Url, usize)>, url: Url, hops| -> Result<(), Box<dyn Error>> {
        let host = politeness.host_id_of(&url, timer.now())?;
        queue.push(host, Priority::Crawl, (url, hops), timer.now());
        Ok(())
    };
    for page in pages {
        push(&mut queue, page.parse()?, 0)?;
    }

    let mut asked = Vec::new();
    loop {
        let (permit, ready) = match queue.admit_next(&politeness, timer.now(), |(url, _)| Ask::new(url)) {
            Next::Go(permit, ready) => (permit, ready),
            Next::Wait(until) => {
                timer.sleep_until(until).await;
                continue;
            }
            Next::Never(ready, refusal) => {
                eprintln!("{} left out: {refusal}", ready.item.0);
                continue;
            }
            Next::Empty => return Ok(asked),
        };
        let (url, hops) = ready.item;
        let answer = match client.get(url.clone()).send().await {
            Ok(answer) => answer,
            Err(error) => {
                let failure = if error.is_timeout() { Failure::Timeout } else { Failure::Connect };
                permit.finish(&Outcome::failed(failure), timer.now());
                queue.wake(ready.host, timer.now());
                eprintln!("{url}: {error}");
                continue;
            }
        };
        let status = answer.status();
        let outcome = Outcome::answered(status.as_u16(), answer.headers(), timer.now());
        let location =
            answer.headers().get("location").and_then(|value| value.to_str().ok().map(str::to_owned));
        // The slot is held until the body has ended.
        let body = answer.bytes().await;
        let outcome = if body.is_ok() { outcome } else { Outcome::failed(Failure::Incomplete) };
        permit.finish(&outcome, timer.now());
        queue.wake(ready.host, timer.now());
        asked.push((url.clone(), status.as_u16()));

        if matches!(status.as_u16(), 429 | 503) {
            // Back into its line: the host is held for as long as its Retry-After says.
            push(&mut queue, url, hops)?;
        } else if let (true, Some(location)) = (status.is_redirection() && hops < MAX_HOPS, location) {
            push(&mut queue, url.join(&location)?, hops + 1)?;
        }
    }
}

#[test]
fn every_page_is_asked_in_its_turn_and_the_busy_one_again() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let asked = runtime.block_on(crawl(&demo_site::serve().unwrap())).unwrap();
    let mut seen: Vec<(&str, u16)> = asked.iter().map(|(url, status)| (url.path(), *status)).collect();
    seen.sort_unstable();
    assert_eq!(
        seen,
        [("/", 200), ("/about", 200), ("/busy", 200), ("/busy", 503), ("/new", 200), ("/old", 301)]
    );
}
