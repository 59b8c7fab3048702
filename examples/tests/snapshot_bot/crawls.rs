//! Which pages are read, in which order, and what is told of them.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use bot_etiquette::referee::{Page, Site};
use bot_etiquette_examples::exit::Exit;
use bot_etiquette_examples::ledger::Ledger;
use bot_etiquette_examples::snapshot_bot::bots::{self, Edition};
use bot_etiquette_examples::snapshot_bot::command::{self, Setup, exit};
use bot_etiquette_examples::snapshot_bot::{Look, Wish, demo, worlds};
use bot_etiquette_examples::talk;

use crate::bench::{AGENT, Bench, Log, folder, owed};

const HOME: &str = "http://a.example/";

pub(crate) fn setup(out: PathBuf) -> Setup {
    Setup {
        out,
        state: None,
        identity: None,
        policy: None,
        world: None,
        json: true,
        edition: Edition::Server,
        look: Look { no_render: true, ..Look::default() },
    }
}

#[tokio::test]
#[allow(clippy::disallowed_methods, reason = "the promise is about real time")]
async fn the_demonstration_ends_in_time_and_without_a_violation() {
    talk::hush();
    let (out, begun) = (folder("demo"), Instant::now());
    let exit = demo::run(&setup(out.clone())).await.unwrap();
    assert_eq!(exit, Exit::Done, "the referee found something; run the example to see what");
    assert!(begun.elapsed() < Duration::from_secs(40), "{:?}", begun.elapsed());
    let out = out.join("demo");
    let report = std::fs::read_to_string(out.join("report.html")).unwrap();
    for told in [
        "Cannot read your pages",
        "Redirects",
        "Pages of more than 5 MB",
        "Broken links to other sites",
        "Oversized files",
        "not rendered",
        "A crate of apples: 12.50",
        "Prices of the orchard",
        "200 x 180 pixels",
        "Verified by a search console",
    ] {
        assert!(report.contains(told), "{told} is not in the report");
    }
    let pages = std::fs::read_to_string(out.join("pages.ndjson")).unwrap();
    let outcome = |url: &str| {
        let line =
            pages.lines().find(|line| line.contains(&format!("\"url\":\"{url}\""))).unwrap_or_default();
        let line: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
        line["outcome"].as_str().unwrap_or_default().to_owned()
    };
    for (url, expected) in [
        ("http://orchard.example/", "read"),
        ("http://orchard.example/old-prices", "moved"),
        ("http://orchard.example/chain/2", "moved"),
        ("http://orchard.example/circle/a", "redirect"),
        ("http://orchard.example/far/1", "redirect"),
        ("http://orchard.example/away", "redirect"),
        ("http://orchard.example/private/ledger", "closed"),
        ("http://orchard.example/members", "blocked"),
        ("http://orchard.example/half", "broken"),
        ("http://orchard.example/sponsored", ""),
    ] {
        assert_eq!(outcome(url), expected, "{url}");
    }
    let links = std::fs::read_to_string(out.join("links.ndjson")).unwrap();
    assert!(
        links
            .lines()
            .any(|line| line.contains("http://gone.example/recipe") && line.contains("\"status\":410"))
    );
    let politeness: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(out.join("politeness.json")).unwrap()).unwrap();
    assert!(politeness["hosts"]["orchard.example"]["requests"].as_u64() > Some(50));
}

#[tokio::test]
async fn a_verified_site_is_read_by_impressions_then_sitemaps_then_one_link_deep() {
    let log = Log::default();
    let pages = [
        (
            "/sitemap.xml",
            "<urlset><url><loc>/map</loc></url><url><loc>http://b.example/not</loc></url></urlset>",
        ),
        ("/few", "<title>few</title><a href=/one>1</a>"),
        ("/many", "<title>many</title>"),
        ("/map", "<title>map</title>"),
        ("/one", "<title>one</title><a href=/two>2</a>"),
        ("/two", "<title>two</title>"),
    ];
    let bench = Bench::new("order", vec![log.site("a.example", "", &pages)], owed(), 100).await;
    bench.add(HOME, &Wish::default()).unwrap();
    bench.verify(HOME, &[("http://a.example/few", 5), ("http://a.example/many", 900)]);
    let end = bench.crawl(HOME).await;
    assert_eq!(log.of("a.example"), ["GET /many", "GET /sitemap.xml", "GET /few", "GET /map", "GET /one"]);
    assert_eq!((end.read(), exit(&[end])), (4, Exit::Done));
    bench.clean();
}

#[tokio::test]
async fn a_site_is_read_up_to_its_page_limit() {
    for (limit, expected) in [(1, 1), (2, 2), (3, 3), (4, 3)] {
        let log = Log::default();
        let pages = [("/", "<a href=/1>1</a><a href=/2>2</a>"), ("/1", "one"), ("/2", "two")];
        let bench =
            Bench::new(&format!("limit{limit}"), vec![log.site("a.example", "", &pages)], owed(), 100).await;
        bench.add(HOME, &Wish { page_limit: Some(limit), ..Wish::default() }).unwrap();
        assert_eq!(bench.crawl(HOME).await.read(), expected, "{limit}");
    }
}

#[tokio::test]
async fn an_unverified_site_is_read_five_hundred_pages_in_a_week_and_not_one_more() {
    for (pages, read, left) in [(500, 500, 0), (501, 500, 1)] {
        let log = Log::default();
        let site = log.answers("a.example", "", move |asked| {
            let links: String = (1..pages).map(|number| format!("<a href=/{number}>.</a>")).collect();
            let body = if asked.target == "/" { links } else { "<title>a page</title>".to_owned() };
            let is_page = asked.target != "/sitemap.xml";
            is_page.then(|| Page::new("/").header("Content-Type", "text/html").body(body))
        });
        let bench = Bench::new(&format!("quota{pages}"), vec![site], owed(), 1000).await;
        bench.add(HOME, &Wish::default()).unwrap();
        let end = bench.crawl(HOME).await;
        assert_eq!((end.read(), end.left), (read, left), "{end:?}");
        let asked = log.of("a.example").len();
        assert_eq!(asked, 500 + 1, "with the sitemap");
        if left == 0 {
            continue;
        }
        assert!(end.waits.as_deref().is_some_and(|why| why.contains("quota")), "{end:?}");
        assert_eq!(exit(&[end]), Exit::Partial);
        // The next one asks robots.txt, and waits.
        let again = bench.crawl(HOME).await;
        assert_eq!((again.read(), log.of("a.example").len()), (0, asked));
    }
}

#[tokio::test]
async fn it_stays_on_the_host_and_its_subdomains_when_asked() {
    for (subdomains, expected) in [(false, vec!["HEAD /"]), (true, vec!["GET /"])] {
        let log = Log::default();
        let own = log.site(
            "a.example",
            "",
            &[("/", "<a href=http://www.a.example/>w</a><a href=http://nota.example/>n</a>")],
        );
        let sites = vec![
            own,
            log.site("www.a.example", "", &[("/", "www")]),
            log.site("nota.example", "", &[("/", "not")]),
        ];
        let bench = Bench::new(&format!("scope{subdomains}"), sites, owed(), 100).await;
        bench.add(HOME, &Wish { subdomains, ..Wish::default() }).unwrap();
        bench.crawl(HOME).await;
        assert_eq!(log.of("www.a.example"), expected);
        assert_eq!(log.of("nota.example"), ["HEAD /"]);
        bench.clean();
    }
}

#[tokio::test]
async fn pages_are_read_with_get_and_head_alone_and_no_cookie_goes_back() {
    let log = Log::default();
    let site = log.answers("a.example", "", |asked| {
        let body = "<title>t</title><form action=/search><input name=q></form><form method=post action=/order></form><a href=/b>b</a>";
        let is_page = matches!(asked.target, "/" | "/b");
        is_page.then(|| {
            Page::new("/").header("Content-Type", "text/html").header("Set-Cookie", "id=1; Path=/").body(body)
        })
    });
    let bench = Bench::new("cookies", vec![site], owed().user_agent(AGENT), 100).await;
    bench.add(HOME, &Wish::default()).unwrap();
    bench.crawl(HOME).await;
    assert_eq!(log.of("a.example"), ["GET /", "GET /sitemap.xml", "GET /b"]);
    assert!(log.field("cookie").is_empty());
    bench.clean();
}

#[tokio::test]
async fn a_site_behind_a_firewall_is_told_with_how_to_allow_the_bot() {
    let bench = Bench::new("wall", vec![worlds::guarded("a.example")], owed(), 100).await;
    bench.add(HOME, &Wish::default()).unwrap();
    bench.verify(HOME, &(1..9).map(|_| ("http://a.example/x", 1)).collect::<Vec<_>>());
    let end = bench.crawl(HOME).await;
    assert_eq!((end.read(), end.blocked || end.pages.contains_key("blocked")), (0, true), "{end:?}");
    assert_eq!(exit(&[end]), Exit::Nothing);
    let (report, _) = bench.report(None);
    for told in ["Cannot read your pages", "cloudflare", "Skip", AGENT] {
        assert!(report.contains(told), "{told}");
    }
    assert!(!report.contains("honeypot"), "nothing of a firewall's page is the site's");
    bench.clean();
}

#[tokio::test]
async fn after_three_firewalls_in_a_row_a_host_is_left_alone() {
    let bench = Bench::new("walls", vec![worlds::guarded("a.example")], owed(), 100).await;
    bench.add(HOME, &Wish::default()).unwrap();
    let urls: Vec<_> = (0..9).map(|number| format!("http://a.example/{number}")).collect();
    bench.verify(HOME, &urls.iter().map(|url| (url.as_str(), 1)).collect::<Vec<_>>());
    let end = bench.crawl(HOME).await;
    assert!(end.blocked);
    // robots.txt, three pages and the sitemap.
    assert_eq!(bench.clean().requests(), 5);
}

#[tokio::test]
async fn a_site_whose_robots_txt_cannot_be_read_is_told_with_why() {
    let site = Site::new("a.example").robots_answer(Page::new("/robots.txt").status(503));
    let bench = Bench::new("unreachable", vec![site], owed(), 100).await;
    bench.add(HOME, &Wish::default()).unwrap();
    let end = bench.crawl(HOME).await;
    assert!(end.waits.is_some(), "{end:?}");
    assert_eq!(exit(&[end]), Exit::Nothing);
    let (report, _) = bench.report(None);
    for told in ["Not everything was read", "How to allow the bot", AGENT] {
        assert!(report.contains(told), "{told}");
    }
    bench.clean();
}

#[tokio::test]
async fn what_changed_is_told_line_by_line_and_what_did_not_is_not_sent_again() {
    let log = Log::default();
    let site = log.site("a.example", "", &[]);
    let html = |body: &str| Page::new("/").header("Content-Type", "text/html").body(body);
    let site = site
        .page(html("<title>Shop</title><p>Tea 2.00<p>Open<a href=/same>s</a>"))
        .page(html("<title>Shop</title><p>Tea 2.50<p>Open<a href=/same>s</a>"))
        .page(
            Page::new("/same").etag("\"1\"").header("Content-Type", "text/html").body("<title>Same</title>"),
        );
    let bench = Bench::new("diff", vec![site], owed().conditional(true), 100).await;
    bench.add(HOME, &Wish::default()).unwrap();
    assert_eq!(bench.crawl(HOME).await.changed, 0);
    assert_eq!(bench.crawl(HOME).await.changed, 1);
    let told = bench.diff(HOME);
    assert!(told.contains("- Tea 2.00\n+ Tea 2.50\n"), "{told}");
    assert!(bench.diff("http://a.example/same").contains("is as it was since"));
    let (report, _) = bench.report(None);
    assert!(report.contains("+ Tea 2.50") && report.contains("as it is now since"));
    let pages = bench.pages();
    assert_eq!(pages["http://a.example/same"]["status"], 200, "a 304 leaves what was read");
    assert_ne!(pages[HOME]["changed_at"], pages[HOME]["first_read_at"]);
    assert_eq!(pages[HOME]["rendered"], false);
    bench.clean();
}

#[tokio::test]
async fn a_crawl_delay_beyond_ten_seconds_is_kept_up_to_ten_and_told() {
    let log = Log::default();
    let site = log.site("a.example", "User-agent: *\nCrawl-delay: 30\n", &[("/", "<title>t</title>")]);
    let bench = Bench::new("delay", vec![site], owed(), 100).await;
    bench.add(HOME, &Wish::default()).unwrap();
    let ledger = Ledger::new(bench.demo.world().unwrap().clock);
    bench.crawl_noting(HOME, &ledger).await;
    assert!(bench.report(Some(&ledger)).0.contains("asks for 30 s between two requests; 10 s are kept"));
    bench.clean();
}

#[tokio::test]
async fn off_this_machine_it_needs_an_identity_of_its_users_own() {
    talk::hush();
    let setup = setup(folder("identity"));
    let add = command::Command::Add {
        site: "example.com".to_owned(),
        subdomains: false,
        desktop: false,
        rules_of: None,
        page_limit: None,
        allow_post: false,
    };
    assert_eq!(command::run(&setup, add).await.unwrap(), Exit::Done);
    let error = command::run(&setup, command::Command::Crawl { site: None }).await.unwrap_err();
    assert!(error.to_string().contains("--identity"), "{error}");
}

#[tokio::test]
async fn without_a_browser_pages_are_read_under_the_bots_own_name_and_marked() {
    let page = "<title>Sent</title><script>document.title = 'Shown'</script>";
    let nowhere = Look { browser: Some("/nowhere/chromium".into()), ..Look::default() };
    let built = if cfg!(feature = "render") { "no Chromium found" } else { "without the feature render" };
    for (look, expected) in [(nowhere, Some(built)), (Look { no_render: true, ..Look::default() }, None)] {
        let log = Log::default();
        let name = format!("without{}", look.no_render);
        let site = log.site("a.example", "", &[("/", page)]);
        let bench = Bench::new(&name, vec![site], owed().user_agent(AGENT), 100).await;
        let bot = bots::bot(None, &Edition::Server).unwrap();
        let (viewer, why) = look.begin(&bot, bench.demo.world().unwrap().clock).await;
        assert_eq!(why.is_some(), expected.is_some());
        let bench = bench.viewer(viewer);
        bench.add(HOME, &Wish::default()).unwrap();
        bench.crawl(HOME).await;
        let (report, _) = bench.report(None);
        assert!(report.contains("not rendered") && report.contains(expected.unwrap_or_default()));
        let page = &bench.pages()[HOME];
        assert_eq!((page["rendered"].as_bool(), page["title"].as_str()), (Some(false), Some("Sent")));
        assert_eq!(page["note"].as_str(), why.as_deref());
        assert_eq!(log.agents("GET", "/"), [AGENT]);
        bench.clean();
    }
}
