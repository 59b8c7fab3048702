//! The layers before the referee: what each promises is kept, and the referee sees it when a layer is left out.

use std::sync::Arc;
use std::time::Duration;

use bot_etiquette::fetch::tower::FollowLayer;
use bot_etiquette::fetch::{AddressPolicy, Fetcher, ResolverOverride};
use bot_etiquette::identity::BotIdentity;
use bot_etiquette::politeness::{HostPolicy, Policy, Politeness, tower::PolitenessLayer};
use bot_etiquette::referee::{Page, Promise, Referee, Report, RetryAfter, Rule, Site};
use bot_etiquette::robots::{RobotsCache, tower::RobotsLayer};
use bot_etiquette::signing::{Signer, SigningKey, tower::SignLayer};
use bot_etiquette_examples::clock::Clock;
use bot_etiquette_examples::stack::{BoxError, Client, Stack, quiet};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use tower::{Service, ServiceBuilder, ServiceExt};

const SCALE: u32 = 10;
const SECOND: Duration = Duration::from_secs(1);
const AGENT: &str = "https://smartsiteplan.com";

const URLS: [&str; 13] = [
    "http://a.example.com/",
    "http://a.example.com/page/1",
    "http://a.example.com/page/2",
    "http://a.example.com/private/1",
    "http://a.example.com/busy",
    "http://a.example.com/old",
    "http://a.example.com/moved",
    "http://a.example.com/trap",
    "http://b.example.com/",
    "http://b.example.com/page/1",
    "http://b.example.com/page/2",
    "http://b.example.com/private/1",
    "http://b.example.com/page/3",
];

fn sites() -> [Site; 2] {
    let pages = |site: Site| {
        site.page(Page::new("/").body("home"))
            .page(Page::new("/page/*").delay(SECOND / 5).bytes_of(20_000))
            .page(Page::new("/private/*").body("not for bots"))
    };
    [
        pages(Site::new("a.example.com"))
            .robots("User-agent: *\nDisallow: /private/\nCrawl-delay: 2\n")
            .page(Page::new("/busy").status(503).retry_after(RetryAfter::Seconds(5)))
            .page(Page::new("/busy").body("open again"))
            .page(Page::new("/old").redirect("http://b.example.com/new"))
            .page(Page::new("/moved").redirect("/page/3"))
            .page(Page::new("/trap").redirect("http://b.example.com/private/2")),
        pages(Site::new("b.example.com")).robots("User-agent: *\nDisallow: /private/\n"),
    ]
}

fn key() -> SigningKey {
    SigningKey::from_seed(&[7; 32])
}

fn signer() -> Arc<Signer<SigningKey>> {
    Arc::new(Signer::builder(key(), AGENT).build().unwrap())
}

fn politeness() -> Politeness {
    Politeness::new(Policy::new(HostPolicy::new().min_delay(SECOND)))
}

/// Lets a client loose on all URLs at once, and once more on the busy one.
async fn watch<C, B>(promise: Promise, assemble: impl FnOnce(Fetcher, Clock) -> C) -> Report
where
    C: Service<Request<Full<Bytes>>, Response = Response<B>> + Clone + Send + 'static,
    C::Future: Send,
    C::Error: Into<BoxError> + Send,
    B: http_body::Body + Send,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    let clock = Clock::scaled(SCALE, &[]).unwrap();
    let (instant, wall) = clock.started();
    let builder = sites().into_iter().fold(Referee::builder(), |builder, site| builder.site(site));
    let builder = builder.promise(promise).time_scale(SCALE.into()).started_at(instant, wall);
    let referee = builder.start().await.unwrap();
    let names = referee.addresses().fold(ResolverOverride::only(), |names, (name, at)| names.host(name, at));
    let fetcher =
        Fetcher::builder().addresses(AddressPolicy::loopback_only()).resolver(names).build().unwrap();
    let client = assemble(fetcher, clock);
    let mut tasks = tokio::task::JoinSet::new();
    for url in URLS.into_iter().chain(["http://a.example.com/busy"]) {
        let client = client.clone();
        tasks.spawn(async move {
            let answer = client.oneshot(Request::get(url).body(Full::default()).unwrap()).await;
            if let Ok(answer) = answer {
                let _ = answer.into_body().collect().await.map_err(Into::into);
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    referee.finish().await
}

#[track_caller]
fn kept(report: &Report, requests: u64) {
    assert!(report.is_clean(), "{report}");
    assert_eq!(report.requests(), requests, "{report}");
}

#[track_caller]
fn caught(report: &Report, rules: &[Rule]) {
    let missed: Vec<_> = rules.iter().filter(|rule| !report.broken().contains(rule)).collect();
    assert!(missed.is_empty(), "not caught: {missed:?}\n{report}");
}

fn everything() -> Promise {
    let directory = format!("{{\"keys\":[{}]}}", key().verifying_key().to_jwk());
    Promise::new()
        .user_agent("Mozilla/5.0 (compatible; SmartSitePlanBot/1.0; +https://smartsiteplan.com/contact)")
        .signed(true)
        .key_directory(&directory)
        .robots_first(true)
        .closed_path("/private/")
        .max_open(1)
        .min_delay(SECOND)
        .crawl_delay_cap(Duration::MAX)
        .retry_after(true)
        .max_redirects(5)
        .max_body(5_000_000)
}

const SMART_SITE_PLAN: &str = include_str!("../identities/smart-site-plan.toml");
const SITE_SNAPSHOT: &str = include_str!("../identities/site-snapshot.toml");

fn stack(fetcher: Fetcher, clock: Clock, identity: &str, politeness: Politeness) -> Client {
    let identity = BotIdentity::from_toml(identity).unwrap();
    let signer = Some(signer());
    let follow = FollowLayer::default();
    let stack =
        Stack { identity, chromium: None, politeness, signer, fetcher, follow, clock, watch: quiet() };
    stack.assemble().unwrap().client
}

#[tokio::test]
async fn the_whole_stack_keeps_every_promise() {
    let report =
        watch(everything(), |fetcher, clock| stack(fetcher, clock, SMART_SITE_PLAN, politeness())).await;
    // Of 14 URLs two are closed; of three redirects one is; and the robots.txt of both hosts.
    kept(&report, 12 + 2 + 2);
}

#[tokio::test]
async fn two_bots_keep_what_their_pages_promise_by_their_own_policies() {
    let owed = || Promise::new().signed(true).robots_first(true).closed_path("/private/").retry_after(true);
    let smart_site_plan = owed()
        .user_agent("Mozilla/5.0 (compatible; SmartSitePlanBot/1.0; +https://smartsiteplan.com/contact)")
        .max_open(2)
        .crawl_delay_cap(2 * SECOND)
        .busy_first(3600 * SECOND)
        .time_limit(30 * SECOND);
    let site_snapshot = owed()
        .user_agent("SiteSnapshot/1.0 (+https://seostudio.com/docs/site-snapshot)")
        .max_open(1)
        .min_delay(SECOND)
        .crawl_delay_cap(10 * SECOND)
        .max_redirects(5)
        .busy_first(60 * SECOND);
    for (promise, identity, policy) in [
        (smart_site_plan, SMART_SITE_PLAN, include_str!("../policies/smart-site-plan.toml")),
        (site_snapshot, SITE_SNAPSHOT, include_str!("../policies/site-snapshot.toml")),
    ] {
        let politeness = Politeness::new(Policy::from_toml(policy).unwrap());
        let report = watch(promise, |fetcher, clock| stack(fetcher, clock, identity, politeness)).await;
        assert!(report.is_clean(), "{report}");
        // A busy host is left alone for longer than a request waits: some of its pages are not asked today.
        assert!(report.requests() >= 8, "{report}");
    }
}

#[tokio::test]
async fn a_stack_that_knows_no_pause_is_caught() {
    let hasty = Politeness::new(Policy::new(HostPolicy::new().max_open(100u32)));
    let report = watch(everything(), |fetcher, clock| stack(fetcher, clock, SMART_SITE_PLAN, hasty)).await;
    caught(&report, &[Rule::MaxOpen, Rule::MinDelay]);
}

#[tokio::test]
async fn a_client_without_any_layer_is_caught() {
    let follow = ServiceBuilder::new().layer(FollowLayer::default());
    let report = watch(everything(), |fetcher, _| follow.service(fetcher)).await;
    let rules = [Rule::UserAgent, Rule::RobotsFirst, Rule::ClosedPath, Rule::MaxOpen, Rule::Unsigned];
    caught(&report, &rules);
}

#[tokio::test]
async fn the_robots_layer_asks_first_and_leaves_closed_paths_alone() {
    let promise = || Promise::new().robots_first(true).closed_path("/private/");
    let report = watch(promise(), |fetcher, clock| {
        let cache = RobotsCache::new(["TestBot".parse().unwrap()]);
        let robots = RobotsLayer::new(cache, fetcher.clone(), move || clock.now());
        ServiceBuilder::new().layer(FollowLayer::default()).layer(robots).service(fetcher)
    });
    kept(&report.await, 16);
    // Above the redirects it sees no hop.
    let report = watch(promise(), |fetcher, clock| {
        let cache = RobotsCache::new(["TestBot".parse().unwrap()]);
        let robots = RobotsLayer::new(cache, fetcher.clone(), move || clock.now());
        ServiceBuilder::new().layer(robots).layer(FollowLayer::default()).service(fetcher)
    });
    caught(&report.await, &[Rule::ClosedPath]);
}

#[tokio::test]
async fn the_politeness_layer_keeps_pause_slot_and_retry_after() {
    let promise = || Promise::new().max_open(1).min_delay(SECOND).retry_after(true);
    let report = watch(promise(), |fetcher, clock| {
        let polite = PolitenessLayer::new(politeness(), clock);
        ServiceBuilder::new().layer(FollowLayer::default()).layer(polite).service(fetcher)
    });
    kept(&report.await, 17);
    let report = watch(promise(), |fetcher, clock| {
        let polite = PolitenessLayer::new(politeness(), clock);
        ServiceBuilder::new().layer(polite).layer(FollowLayer::default()).service(fetcher)
    });
    caught(&report.await, &[Rule::MinDelay]);
}

#[tokio::test]
async fn the_sign_layer_signs_every_hop_for_its_own_host() {
    let directory = format!("{{\"keys\":[{}]}}", key().verifying_key().to_jwk());
    let promise = || Promise::new().signed(true).key_directory(&directory);
    let report = watch(promise(), |fetcher, clock| {
        let sign = SignLayer::new(signer(), move || clock.now());
        ServiceBuilder::new().layer(FollowLayer::default()).layer(sign).service(fetcher)
    });
    kept(&report.await, 17);
    // Above the redirects it signs the first request alone.
    let report = watch(promise(), |fetcher, clock| {
        let sign = SignLayer::new(signer(), move || clock.now());
        ServiceBuilder::new().layer(sign).layer(FollowLayer::default()).service(fetcher)
    });
    caught(&report.await, &[Rule::Unsigned]);
}
