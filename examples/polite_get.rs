//! Fetches a page through all layers, and tells what each did and why.
//!
//! `cargo run --example polite_get` serves a small site itself, on loopback under a real host's name, fetches from
//! it, and ends with the verdict of the referee that watched from the other side.
//!
//! `cargo run --example polite_get -- URL --identity FILE` fetches from a site of somebody's. That takes an identity
//! and a key of your own: nobody else's bot is impersonated. A URL on loopback needs none.

#![warn(clippy::print_stdout, clippy::print_stderr)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use bot_etiquette::fetch::{Fetched, Fetcher, Followed, tower::FollowLayer};
use bot_etiquette::politeness::{HostPolicy, Policy, Politeness, RetryAfterRule, Timestamp};
use bot_etiquette::referee::{Page, Promise, Report, RetryAfter, Site};
use bot_etiquette::robots::tower::RobotsRefusal;
use bot_etiquette_examples::bot::Bot;
use bot_etiquette_examples::exit::{Exit, Usage, causes};
use bot_etiquette_examples::narrator::Narrator;
use bot_etiquette_examples::stack::{BoxError, Client, Stack, find};
use bot_etiquette_examples::talk;
use bot_etiquette_examples::world::{Demo, World};
use clap::Parser;
use http::Request;
use tower::ServiceExt;
use url::Url;

/// The pause between two requests to a host.
const PAUSE: Duration = Duration::from_secs(1);
/// How often a page that says it is busy is asked again.
const RETRIES: usize = 2;
/// How fast the clock of the demonstration runs.
const SCALE: u32 = 10;
/// A name that is its operator's, good on loopback alone.
const DEMO_IDENTITY: &str = include_str!("identities/smart-site-plan.toml");

/// Fetches a page through all layers, and tells what each did and why. Without a URL it serves a small site itself.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The page; one on this machine needs no identity
    url: Option<String>,
    /// The same as --identity
    #[arg(value_name = "IDENTITY")]
    file: Option<PathBuf>,
    /// Who you are: needed for any site that is not on this machine
    #[arg(long, value_name = "FILE", conflicts_with = "file", requires = "url")]
    identity: Option<PathBuf>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Arguments { url, file, identity } = Arguments::parse();
    let done = match url {
        None => demonstrate().await.map(|report| report.is_clean()),
        Some(url) => fetch(&url, identity.or(file).as_deref()).await,
    };
    let exit = |came| if came { Exit::Done } else { Exit::Failed };
    Exit::of("polite_get", done.map(exit))
}

/// The stack of a bot, telling what it does.
fn client(bot: Bot, world: &World, narrator: &Narrator) -> Result<Client, BoxError> {
    // A busy host that does not say for how long is left alone for a minute.
    let policy = HostPolicy::new()
        .min_delay(PAUSE)
        .busy_first(Duration::from_secs(60))
        .retry_after(RetryAfterRule::Honour);
    let stack = Stack {
        identity: bot.identity,
        chromium: None,
        politeness: Politeness::new(Policy::new(policy)),
        signer: bot.signer,
        fetcher: world.reach(Fetcher::builder()).build()?,
        follow: FollowLayer::default(),
        clock: world.clock,
        watch: narrator.watch(),
    };
    Ok(stack.assemble()?.client)
}

/// Fetches one page; whether it came.
async fn fetch(url: &str, identity: Option<&Path>) -> Result<bool, BoxError> {
    let url = Url::parse(url).map_err(|error| {
        Usage::new(format!("{url} is no URL: {error}; give one such as https://example.com/page"))
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        let problem = format!("{url} is a {} URL, and only http and https are asked", url.scheme());
        return Err(Usage::new(problem).into());
    }
    let world = World::of([&url], &[]);
    let problem = format!(
        "{url} asks a site of somebody's, and needs an identity of your own: fill this in, and give its file as --identity FILE"
    );
    let bot = Bot::in_world(identity, &world, DEMO_IDENTITY, &problem)?;
    let narrator = Narrator::new(world.clock);
    let client = client(bot, &world, &narrator)?;
    show(&client, &narrator, url).await
}

/// Serves two hosts, fetches from them, and asks the referee who served them what it saw.
async fn demonstrate() -> Result<Report, BoxError> {
    let bot = Bot::demo(DEMO_IDENTITY)?;
    let page = "<title>A plan</title>".repeat(100);
    let moved = Page::new("/plan").status(301).header("Location", "http://www.example.com/plan");
    let robots =
        "User-agent: SmartSitePlanBot\nCrawl-delay: 2\nDisallow: /drafts/\n\nUser-agent: *\nDisallow: /\n";
    let sites = vec![
        Site::new("example.com").page(moved),
        Site::new("www.example.com")
            .robots(robots)
            .page(Page::new("/plan").status(503).retry_after(RetryAfter::Seconds(15)))
            .page(Page::new("/plan").body(page))
            .page(Page::new("/drafts/plan").body("never seen")),
    ];
    let promise = Promise::new()
        .user_agent(bot.identity.user_agent().as_str())
        .signed(true)
        .key_directory(bot.key_directory.as_deref().unwrap_or_default())
        .robots_first(true)
        .closed_path("www.example.com/drafts/")
        .max_open(1)
        .min_delay(PAUSE)
        .crawl_delay_cap(Duration::MAX)
        .retry_after(true)
        .max_redirects(5);
    // Nothing but loopback is ever asked, so the clock may run faster.
    let demo = Demo::start(sites, promise, SCALE).await?;
    let world = demo.world()?;
    let narrator = Narrator::new(world.clock);
    talk::line(format_args!(
        "example.com and www.example.com, served on loopback; the clock runs {SCALE} times as fast."
    ));
    let client = client(bot, &world, &narrator)?;
    for url in ["http://example.com/plan", "http://www.example.com/drafts/plan"] {
        show(&client, &narrator, url.parse()?).await?;
    }
    let report = demo.finish().await;
    talk::line(format_args!("\nWhat the site saw: {}", report.to_string().trim_end()));
    if report.is_clean() {
        talk::line(
            "Every promise was kept: its own name, signed, robots.txt first, one request at a time, every pause.",
        );
    }
    Ok(report)
}

/// Fetches a page and says how that ended; whether it came.
async fn show(client: &Client, narrator: &Narrator, url: Url) -> Result<bool, BoxError> {
    talk::line(format_args!("\n{url}"));
    match get(client, narrator, url).await {
        Ok(page) => {
            let hops = page.followed.len();
            let size = format!("{} bytes ({} on the wire)", page.body.len(), page.wire_bytes);
            let cut = page.cut.map_or_else(String::new, |limit| format!(", cut at the limit: {limit}"));
            talk::line(format_args!(
                "{}, {size}, {hops} redirect{}{cut}",
                page.status,
                if hops == 1 { "" } else { "s" }
            ));
            Ok(page.status.is_success())
        }
        Err(error) => {
            talk::line(format_args!("not fetched: {error}"));
            causes(&*error).iter().for_each(|cause| talk::line(format_args!("  because {cause}")));
            if let Some(RobotsRefusal::Unreachable { until, .. }) = find(&*error) {
                let wait = Timestamp::from(*until).since(narrator.now()).as_millis().div_ceil(1000);
                talk::line(format_args!("  robots.txt is asked for again in {wait} s at the earliest"));
            }
            Ok(false)
        }
    }
}

/// Asks for a page, and for one that is busy again: its turn comes when its Retry-After, or the backoff, is over.
async fn get(client: &Client, narrator: &Narrator, mut url: Url) -> Result<Fetched, BoxError> {
    let (mut tries, mut followed) = (0, Vec::new());
    loop {
        let mut request = Request::get(url.as_str()).body(Default::default())?;
        // Where the page had moved, the next try goes on from there with the count kept.
        request.extensions_mut().insert(Followed(followed));
        let page = Fetched::collect(client.clone().oneshot(request).await?).await?;
        tries += 1;
        if !matches!(page.status.as_u16(), 429 | 503) || tries > RETRIES {
            return Ok(page);
        }
        if let Some(hop) = page.followed.last() {
            url = hop.to.clone();
        }
        followed = page.followed;
        narrator.say("polite_get", "busy: asks again at its turn");
    }
}

#[tokio::test]
async fn a_page_that_moved_and_was_busy_counts_its_redirect() {
    talk::hush();
    let page = |path| Page::new(path);
    let sites = vec![
        Site::new("example.com")
            .page(page("/plan").redirect("/new"))
            .page(page("/new").status(503).retry_after(RetryAfter::Seconds(1)))
            .page(page("/new").body("A plan")),
    ];
    let demo = Demo::start(sites, Promise::new(), SCALE).await.unwrap();
    let world = demo.world().unwrap();
    let narrator = Narrator::new(world.clock);
    let client = client(Bot::demo(DEMO_IDENTITY).unwrap(), &world, &narrator).unwrap();
    let page = get(&client, &narrator, "http://example.com/plan".parse().unwrap()).await.unwrap();
    assert_eq!((page.status.as_u16(), page.followed.len()), (200, 1));
}

#[tokio::test]
async fn what_is_no_web_address_is_told_with_its_scheme() {
    for (url, problem) in [
        (
            "mailto:bot@example.com",
            "mailto:bot@example.com is a mailto URL, and only http and https are asked",
        ),
        ("data:text/plain,hi", "data:text/plain,hi is a data URL, and only http and https are asked"),
        (
            "example.com",
            "example.com is no URL: relative URL without a base; give one such as https://example.com/page",
        ),
    ] {
        let error = fetch(url, None).await.unwrap_err();
        assert!(error.is::<Usage>());
        assert_eq!(error.to_string(), problem);
    }
}

#[tokio::test]
async fn the_referee_finds_that_every_promise_is_kept() {
    talk::hush();
    let report = demonstrate().await.unwrap();
    assert_eq!((report.requests(), report.violations()), (5, &[][..]), "{report}");
}

#[cfg(test)]
use bot_etiquette::{identity::BotIdentity, signing::SigningKey};

#[tokio::test]
async fn a_site_of_somebodys_is_asked_by_an_identity_of_ones_own_alone() {
    let folder = std::env::temp_dir().join(format!("polite_get-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("bot.toml");
    let demo = DEMO_IDENTITY.replace("smart-site-plan.key", "bot.key");
    std::fs::write(folder.join("bot.key"), SigningKey::from_seed(&[7; 32]).to_pkcs8_pem().as_bytes())
        .unwrap();
    for (identity, problem) in [
        (None, "needs an identity of your own"),
        (Some(""), "missing field"),
        (Some(BotIdentity::TEMPLATE), "needs key_file"),
        (Some(demo.as_str()), "loopback_only"),
        (Some(demo.replace("bot.key", "none.key").as_str()), "none.key"),
    ] {
        let file = identity.map(|text| std::fs::write(&file, text).map(|()| file.as_path()).unwrap());
        // A name that never resolves: should all else fail, nobody is asked.
        let error = fetch("https://site.invalid/", file).await.unwrap_err();
        assert!(error.is::<Usage>() && error.to_string().contains(problem), "{error}");
        assert!(error.to_string().contains("identity"), "the template is shown: {error}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}
