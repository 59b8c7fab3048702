//! Renders a page in a browser that has no network, and lists what the page asked for and what came of it.
//!
//! `cargo run --example render_page` serves a small shop itself, on loopback under a real host's name, and ends with the
//! verdict of the referee that watched from the other side: it saw the crawler alone.

use std::process::ExitCode;
use std::time::Duration;

use bot_etiquette::fetch::{AddressPolicy, Fetched, Fetcher, ResolverOverride, tower::FollowLayer};
use bot_etiquette::identity::UserAgentForm;
use bot_etiquette::politeness::{HostPolicy, Policy, Politeness};
use bot_etiquette::referee::{Page, Promise, Referee, Report, Site};
use bot_etiquette::render::{PageInput, RenderConfig, RenderError, Rendered, Sandbox};
use bot_etiquette_examples::bot::Bot;
use bot_etiquette_examples::clock::Clock;
use bot_etiquette_examples::rendering::{Rendering, through};
use bot_etiquette_examples::stack::{BoxError, Stack, quiet};
use http::Request;
use tower::ServiceExt;

/// A name that is its operator's, good on loopback alone.
const DEMO_IDENTITY: &str = include_str!("identities/site-snapshot.toml");
/// The pause between two requests to a host.
const PAUSE: Duration = Duration::from_secs(1);
/// How fast the clock of the demonstration runs.
const SCALE: u32 = 10;
/// A shop whose offers come by script, and that would like to be seen by others.
const SHOP: &str = "<!doctype html><title>Shop</title><link rel=stylesheet href=/shop.css><body><h1>Offers</h1>\
    <img src=/logo.png><iframe src=https://ads.example/frame.html></iframe>\
    <script src=/private/profile.js></script><script src=/shop.js></script>\
    <script>new WebSocket('ws://' + location.host + '/live'); navigator.sendBeacon('/seen')</script>";
const SCRIPT: &str = "fetch('/offers.json').then((answer) => answer.json()).then((offers) => { for (const offer of offers) {\
    const link = document.createElement('a'); link.href = '/offer/' + offer; link.textContent = offer;\
    document.body.append(link, ' ') } document.title = offers.length + ' offers' })";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match demonstrate().await {
        Ok((_, report)) if report.is_clean() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("render_page: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn demonstrate() -> Result<(Rendered, Report), BoxError> {
    // Nothing but loopback is ever asked, so the clock may run faster.
    let clock = Clock::scaled(SCALE, &[])?;
    let (instant, wall) = clock.started();
    let rendering = match Rendering::launch(RenderConfig::default(), clock).await {
        Err(error @ RenderError::Root) => {
            println!("{error}.\nThe page below is this program's own, so it goes without.");
            Rendering::launch(RenderConfig::default().sandbox(Sandbox::Off), clock).await?
        }
        launched => launched?,
    };
    let bot = Bot::demo(DEMO_IDENTITY)?;
    let agent = bot.identity.phone(rendering.version().major);
    let referee = Referee::builder()
        .site(
            Site::new("shop.example")
                .robots("User-agent: *\nDisallow: /private/\n")
                .page(Page::new("/").header("Content-Type", "text/html").body(SHOP))
                .page(Page::new("/shop.css").header("Content-Type", "text/css").body("h1 { color: green }"))
                .page(Page::new("/shop.js").header("Content-Type", "text/javascript").body(SCRIPT))
                .page(
                    Page::new("/offers.json")
                        .header("Content-Type", "application/json")
                        .body("[\"tea\", \"salt\"]"),
                ),
        )
        .promise(
            Promise::new()
                .user_agent("SiteSnapshot")
                .signed(true)
                .key_directory(bot.key_directory.as_deref().unwrap_or_default())
                .robots_first(true)
                .closed_path("shop.example/private/")
                .max_open(1)
                .min_delay(PAUSE)
                .browser(false),
        )
        .time_scale(SCALE.into())
        .started_at(instant, wall)
        .start()
        .await?;
    let names = referee
        .addresses()
        .fold(ResolverOverride::only(), |names, (name, address)| names.host(name, address));
    let stack = Stack {
        identity: bot.identity,
        chromium: Some(rendering.version().major),
        politeness: Politeness::new(Policy::new(HostPolicy::new().min_delay(PAUSE).max_open(1))),
        signer: bot.signer,
        fetcher: Fetcher::builder().addresses(AddressPolicy::loopback_only()).resolver(names).build()?,
        follow: FollowLayer::default(),
        clock,
        watch: quiet(),
    };
    let client = stack.assemble()?.client;

    let url: url::Url = "http://shop.example/".parse()?;
    let mut request = Request::get(url.as_str()).body(Default::default())?;
    request.extensions_mut().insert(UserAgentForm::Phone);
    let page = Fetched::collect(client.clone().oneshot(request).await?).await?;
    println!("\n{url} is {} bytes without a link.", page.body.len());

    let page = PageInput::new(url, page.body, agent.as_str()).status(page.status).headers(page.headers);
    let rendered = rendering.render(&through(&client), page, Vec::new()).await?;
    println!("Rendered it is {:?}, with {} links:", rendered.title, rendered.links.len());
    for link in &rendered.links {
        println!("  {} ({})", link.url, link.text);
    }
    println!("What it asked for on the way:");
    for request in &rendered.requests {
        println!("  {:<11} {:<4} {} {}", request.kind.as_str(), request.method, request.url, request.outcome);
    }
    let (work, waited) = (rendered.timings.work, rendered.timings.waited);
    println!("The browser worked {work:.1?} and waited {waited:.1?} for the host's turns.");
    rendering.close().await;
    let report = referee.finish().await;
    println!("\nWhat the site saw: {}", report.to_string().trim_end());
    Ok((rendered, report))
}

#[tokio::test]
async fn the_referee_sees_the_crawler_alone() {
    let (rendered, report) = match demonstrate().await {
        Ok(done) => done,
        Err(error) if matches!(error.downcast_ref(), Some(RenderError::NoBrowser { .. })) => {
            assert!(std::env::var_os("BOT_ETIQUETTE_BROWSER").is_none(), "{error}");
            return println!("left out: {error}");
        }
        Err(error) => panic!("{error}"),
    };
    assert_eq!((rendered.title.as_str(), rendered.links.len()), ("2 offers", 2));
    assert!(report.is_clean(), "{report}");
    assert_eq!(report.requests(), 5, "robots.txt, the page, a stylesheet, a script, data: {report}");
}
