//! Pages in a browser: what scripts add, what is asked for on their behalf, and what becomes of a page without one.
#![cfg(feature = "render")]

use std::io::Write as _;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bot_etiquette::referee::{Page, Rule};
use bot_etiquette_examples::exit::Exit;
use bot_etiquette_examples::snapshot_bot::bots::{self, Edition};
use bot_etiquette_examples::snapshot_bot::{Browser, Look, Viewer, Wish, demo};
use bot_etiquette_examples::talk;
use bot_etiquette_examples::world::World;

use crate::bench::{AGENT, Bench, Log, folder, owed};
use crate::crawls::setup;

const HOME: &str = "http://a.example/";

/// Quick, and without the sandbox where that cannot be: in tests all run on this machine's own pages.
fn look(no_sandbox: bool) -> Look {
    Look { no_sandbox, quiet: Some(Duration::from_millis(100)), ..Look::default() }
}

/// Starts a browser for sites of this clock, or says that the calling test is left out for want of one.
async fn launch(test: &str, world: &World, edition: &Edition) -> Option<Arc<Browser>> {
    let bot = bots::bot(None, edition).unwrap();
    let mut launched = Browser::launch(&look(false), &bot, world.clock).await;
    if launched.as_ref().is_err_and(|why| why.contains("--no-sandbox")) {
        launched = Browser::launch(&look(true), &bot, world.clock).await;
    }
    match launched {
        Ok(browser) => Some(Arc::new(browser)),
        Err(why) => {
            let is_required = std::env::var_os("BOT_ETIQUETTE_BROWSER").is_some_and(|it| it == "required");
            assert!(!is_required && why.contains("no Chromium found"), "{why}");
            // Past the capture of the test harness: a test that did not run is told of.
            let _ = writeln!(
                std::io::stderr(),
                "left out: {test}: no Chromium; on Debian the package chromium brings one"
            );
            None
        }
    }
}

/// The bench with a browser, of a test that is named.
async fn rendering(name: &str, bench: Bench) -> Option<(Bench, Arc<Browser>)> {
    let browser = launch(name, &bench.demo.world().unwrap(), &Edition::Server).await?;
    Some((bench.viewer(browser.clone()), browser))
}

fn html(body: &str) -> Option<Page> {
    Some(Page::new("/").header("Content-Type", "text/html").body(body))
}

fn script(body: &str) -> Option<Page> {
    Some(Page::new("/").header("Content-Type", "text/javascript").body(body))
}

const APP: &str = "fetch('/data.json').then((answer) => answer.json()).then((data) => {
    document.title = data.title;
    document.body.insertAdjacentHTML('beforeend', `<p>${data.text}</p><a href=/added>added</a><a rel=nofollow href=/marked>m</a>`);
})";

#[tokio::test]
async fn a_rendered_page_adds_links_title_and_text_and_each_request_of_it_keeps_the_rules() {
    let log = Log::default();
    let rules = "User-agent: SiteSnapshot\nDisallow: /no\n";
    let page = "<title>Sent</title><p>one moment<link rel=stylesheet href=/s.css><script src=/app.js></script><script src=/no.js></script>\
                <img src=/i.png><iframe src=/frame></iframe><video src=/v.mp4></video><script src=http://b.example/no/x.js></script>\
                <style>@font-face{font-family:f;src:url(/f.woff2)}p{font-family:f}</style><a href=/sent>sent</a>\
                <script>fetch('/no/data.json').catch(() => 0); fetch('/order', {method: 'POST', body: 'x'}).catch(() => 0)</script>";
    let own = log.answers("a.example", rules, move |asked| match asked.target {
        "/" => html(page),
        "/app.js" => script(APP),
        "/s.css" => Some(Page::new("/").header("Content-Type", "text/css").body("p { margin: 0 }")),
        "/data.json" => Some(
            Page::new("/")
                .header("Content-Type", "application/json")
                .header("Set-Cookie", "id=1; Path=/")
                .body(r#"{"title": "Shown", "text": "two kinds of tea"}"#),
        ),
        "/sent" | "/added" => html("<title>plain</title><p>plain"),
        _ => None,
    });
    let other = log.answers("b.example", rules, |_| None);
    let promise = owed().user_agent("SiteSnapshot").signed(true).closed_path("/no").browser(false);
    let bench = Bench::new("rendered", vec![own, other], promise, 20).await;
    let test = "rendered::a_rendered_page_adds_links_title_and_text_and_each_request_of_it_keeps_the_rules";
    let Some((bench, browser)) = rendering(test, bench).await else { return };
    bench.add(HOME, &Wish::default()).unwrap();
    assert_eq!(bench.crawl(HOME).await.read(), 3);
    let asked = log.of("a.example");
    let gets: Vec<_> = asked.iter().filter(|asked| asked.starts_with("GET")).map(String::as_str).collect();
    let (first, rest) = gets.split_at(3);
    // The page, what its HTML names, what its script asks for, and the pages that either links to.
    assert_eq!(first, ["GET /", "GET /s.css", "GET /app.js"]);
    assert_eq!(rest[0], "GET /data.json");
    assert!(rest.contains(&"GET /sent") && rest.contains(&"GET /added"), "{gets:?}");
    for closed in ["no", "frame", "marked", "order", "POST"] {
        assert!(!asked.iter().any(|asked| asked.contains(closed)), "{closed} was asked: {asked:?}");
    }
    assert!(log.of("b.example").iter().all(|asked| !asked.starts_with("GET")));
    assert!(log.field("cookie").is_empty());

    let major = browser.chromium().unwrap();
    let phone = format!(
        "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{major}.0.0.0 Mobile Safari/537.36 \
         (compatible; SiteSnapshot/1.0; bot; +https://seostudio.com/docs/site-snapshot)"
    );
    for target in ["/", "/s.css", "/app.js", "/data.json", "/added"] {
        let agents = log.agents("GET", target);
        assert!(agents.contains(&phone), "{target}: {agents:?}");
    }
    assert_eq!(log.agents("HEAD", "/i.png"), [AGENT], "files are checked under its own name");

    let (report, _) = bench.report(None);
    for told in [
        "What JavaScript added",
        "title: &quot;Sent&quot; -&gt; &quot;Shown&quot;",
        "+ two kinds of tea",
        "http://a.example/added",
        "closed by robots.txt",
        "this kind is not loaded",
        "a POST is sent to a verified site",
    ] {
        assert!(report.contains(told), "{told} is not in the report");
    }
    let page = &bench.pages()[HOME];
    assert_eq!((page["rendered"].as_bool(), page["title"].as_str()), (Some(true), Some("Shown")));
    let not_loaded = page["render"]["not_loaded"].as_array().unwrap();
    for (kind, url) in [
        ("script", "http://a.example/no.js"),
        ("script", "http://b.example/no/x.js"),
        ("data", "http://a.example/no/data.json"),
        ("image", "http://a.example/i.png"),
        ("media", "http://a.example/v.mp4"),
        ("font", "http://a.example/f.woff2"),
        ("frame", "http://a.example/frame"),
        ("data", "http://a.example/order"),
    ] {
        let found = not_loaded.iter().any(|one| one["kind"] == kind && one["url"] == url);
        assert!(found, "{kind} {url} is not in {not_loaded:#?}");
    }
    bench.clean();
}

#[tokio::test]
async fn a_page_sends_data_to_a_verified_site_alone_where_that_was_chosen() {
    let log = Log::default();
    let page = "<title>t</title><script>for (const to of ['/order', 'http://b.example/order'])
                fetch(to, {method: 'POST', body: 'tea'}).catch(() => 0)</script>";
    let own = log.answers("a.example", "", move |asked| match asked.target {
        "/" => html(page),
        "/order" => Some(Page::new("/").body("taken")),
        _ => None,
    });
    let other = log.answers("b.example", "", |_| Some(Page::new("/").body("taken")));
    let bench = Bench::new("post", vec![own, other], owed().user_agent("SiteSnapshot"), 20).await;
    let test = "rendered::a_page_sends_data_to_a_verified_site_alone_where_that_was_chosen";
    let Some((bench, _browser)) = rendering(test, bench).await else { return };
    let wish = Wish { post: true, ..Wish::default() };
    let refused = bench.add(HOME, &wish).unwrap_err();
    assert!(refused.contains("data is sent on a verified site alone"), "{refused}");
    let posts = || log.of("a.example").iter().filter(|asked| asked.starts_with("POST")).count();

    bench.add(HOME, &Wish::default()).unwrap();
    bench.verify(HOME, &[(HOME, 10)]);
    bench.crawl(HOME).await;
    assert_eq!(posts(), 0, "it was not chosen");
    bench.add(HOME, &wish).unwrap();
    bench.crawl(HOME).await;
    assert_eq!(posts(), 1);
    assert!(
        !log.of("b.example").iter().any(|asked| asked.starts_with("POST")),
        "nobody else's site is sent data"
    );
    // The referee judges methods whatever was promised: here the person chose otherwise.
    let report = bench.demo.report();
    assert!(report.broken().iter().all(|rule| matches!(rule, Rule::Method | Rule::Form)), "{report}");
}

#[tokio::test]
async fn a_file_of_two_pages_is_asked_once_within_ten_minutes_and_again_after() {
    let log = Log::default();
    let own = log.answers("a.example", "", |asked| match asked.target {
        "/" => html(
            "<title>a</title><script src=/app.js></script><script src=/broken.js></script><a href=/b>b</a>",
        ),
        "/b" => html("<title>b</title><script src=/app.js></script>"),
        "/app.js" => script("document.title += '!'"),
        "/broken.js" => Some(Page::new("/").status(500)),
        _ => None,
    });
    let bench = Bench::new("assets", vec![own], owed().browser(false), 20).await;
    let test = "rendered::a_file_of_two_pages_is_asked_once_within_ten_minutes_and_again_after";
    let Some((bench, _)) = rendering(test, bench).await else { return };
    let clock = bench.demo.world().unwrap().clock;
    bench.add(HOME, &Wish::default()).unwrap();
    let gets =
        |target: &str| log.of("a.example").iter().filter(|asked| **asked == format!("GET {target}")).count();
    let began = clock.now();
    bench.crawl(HOME).await;
    bench.report(None);
    assert_eq!(bench.pages()["http://a.example/b"]["title"], "b!");
    assert_eq!(
        (gets("/app.js"), gets("/broken.js")),
        (1, 1),
        "what failed is not asked for once more either"
    );
    let passed = clock.now().duration_since(began).unwrap();
    tokio::time::sleep(clock.real_duration(Duration::from_secs(601).saturating_sub(passed))).await;
    bench.crawl(HOME).await;
    assert_eq!(gets("/app.js"), 2);
    bench.clean();
}

#[tokio::test]
async fn a_browser_that_is_killed_marks_the_page_and_the_crawl_goes_on_in_a_new_one() {
    let log = Log::default();
    let process = Arc::new(Mutex::new(None::<u32>));
    let known = Arc::clone(&process);
    let own = log.answers("a.example", "", move |asked| match asked.target {
        "/" => html("<title>a</title><a href=/kills>k</a><a href=/zoo>z</a>"),
        "/kills" => html("<title>kills</title><script>fetch('/now')</script>"),
        "/now" => {
            let process = known.lock().unwrap().take()?;
            std::process::Command::new("kill").args(["-9", &process.to_string()]).status().unwrap();
            None
        }
        "/zoo" => html("<title>zoo</title><script>document.title = 'alive'</script>"),
        _ => None,
    });
    let bench = Bench::new("lost", vec![own], owed().browser(false), 20).await;
    let test = "rendered::a_browser_that_is_killed_marks_the_page_and_the_crawl_goes_on_in_a_new_one";
    let Some((bench, browser)) = rendering(test, bench).await else { return };
    let first = browser.process_id().await;
    *process.lock().unwrap() = first;
    bench.add(HOME, &Wish::default()).unwrap();
    assert_eq!(bench.crawl(HOME).await.read(), 3);
    let (report, _) = bench.report(None);
    let pages = bench.pages();
    let (lost, next) = (&pages["http://a.example/kills"], &pages["http://a.example/zoo"]);
    assert_eq!((lost["outcome"].as_str(), lost["rendered"].as_bool()), (Some("read"), Some(false)));
    assert_eq!(lost["note"], "not rendered: the browser ended while it had the page");
    assert!(report.contains("not rendered: the browser ended while it had the page"));
    assert_eq!((next["title"].as_str(), next["rendered"].as_bool()), (Some("alive"), Some(true)));
    assert_ne!(browser.process_id().await, first);
    assert_eq!(log.of("a.example").iter().filter(|asked| *asked == "GET /kills").count(), 1);
    bench.clean();
}

#[tokio::test]
async fn a_page_that_goes_elsewhere_is_told_and_not_followed() {
    let log = Log::default();
    let own = log.answers("a.example", "", |asked| match asked.target {
        "/" => html("<title>a</title><p>stays<script>location.href = 'http://b.example/elsewhere'</script>"),
        _ => None,
    });
    let other = log.answers("b.example", "", |_| html("<title>b</title>"));
    let bench = Bench::new("elsewhere", vec![own, other], owed().browser(false), 20).await;
    let test = "rendered::a_page_that_goes_elsewhere_is_told_and_not_followed";
    let Some((bench, _)) = rendering(test, bench).await else { return };
    bench.add(HOME, &Wish::default()).unwrap();
    bench.crawl(HOME).await;
    assert!(log.of("b.example").is_empty());
    assert!(bench.report(None).0.contains("It wanted to go to"));
    let page = &bench.pages()[HOME];
    assert_eq!(page["render"]["redirect"][0], "http://b.example/elsewhere");
    assert_eq!(page["title"], "a");
    bench.clean();
}

#[tokio::test]
async fn a_desktop_site_and_a_chosen_agent_are_asked_under_those_names() {
    let agent = "Mozilla/5.0 (X11; Linux x86_64) OrchardDesk/3.1";
    for (edition, desktop) in [(Edition::Server, true), (Edition::Desktop(Some(agent.to_owned())), false)] {
        let log = Log::default();
        let own = log.answers("a.example", "", |asked| match asked.target {
            "/" => html("<title>a</title><script src=/app.js></script>"),
            "/app.js" => script("document.title = navigator.userAgent"),
            _ => None,
        });
        let bench = Bench::new(&format!("form{desktop}"), vec![own], owed().browser(false), 20).await;
        let bench = bench.edition(edition.clone());
        let test = "rendered::a_desktop_site_and_a_chosen_agent_are_asked_under_those_names";
        let Some(browser) = launch(test, &bench.demo.world().unwrap(), &edition).await else { return };
        let major = browser.chromium().unwrap();
        let bench = bench.viewer(browser);
        bench.add(HOME, &Wish { desktop, ..Wish::default() }).unwrap();
        bench.crawl(HOME).await;
        bench.report(None);
        let expected = match desktop {
            false => agent.to_owned(),
            true => format!(
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{major}.0.0.0 Safari/537.36 \
                 (compatible; SiteSnapshot/1.0; bot; +https://seostudio.com/docs/site-snapshot)"
            ),
        };
        for target in ["/", "/app.js"] {
            assert_eq!(log.agents("GET", target), [expected.as_str()]);
        }
        assert_eq!(bench.pages()[HOME]["title"], expected.as_str(), "scripts read the same name");
    }
}

#[tokio::test]
async fn a_page_that_is_rendered_for_the_first_time_comes_whole_and_counts_as_no_change() {
    let log = Log::default();
    let page = Page::new("/")
        .etag("\"1\"")
        .header("Content-Type", "text/html")
        .body("<title>Sent</title><script>document.title = 'Shown'</script>");
    let own = log.site("a.example", "", &[]).page(page);
    let bench = Bench::new("first", vec![own], owed(), 20).await;
    bench.add(HOME, &Wish::default()).unwrap();
    bench.crawl(HOME).await;
    let test = "rendered::a_page_that_is_rendered_for_the_first_time_comes_whole_and_counts_as_no_change";
    let Some((bench, _)) = rendering(test, bench).await else { return };
    for _ in 0..2 {
        assert_eq!(bench.crawl(HOME).await.changed, 0);
        bench.report(None);
        assert_eq!(bench.pages()[HOME]["title"], "Shown", "a 304 leaves what was shown");
    }
    assert!(bench.diff(HOME).contains("is as it was since"));
}

#[tokio::test]
#[allow(clippy::disallowed_methods, reason = "the promise is about real time")]
async fn the_demonstration_renders_in_time_and_without_a_violation() {
    let test = "rendered::the_demonstration_renders_in_time_and_without_a_violation";
    if launch(test, &World::loopback(), &Edition::Server).await.is_none() {
        return;
    }
    talk::hush();
    let (out, begun) = (folder("demo-rendered"), Instant::now());
    let mut setup = setup(out.clone());
    // The demonstration's pages are this project's own.
    setup.look = Look { no_sandbox: true, ..Look::default() };
    let exit = demo::run(&setup).await.unwrap();
    assert_eq!(exit, Exit::Done, "the referee found something; run the example to see what");
    assert!(begun.elapsed() < Duration::from_secs(40), "{:?}", begun.elapsed());
    let report = std::fs::read_to_string(out.join("demo/report.html")).unwrap();
    for told in [
        "Harvest: 2 kinds today",
        "Picked today: Gravenstein, Boskoop",
        "http://orchard.example/harvest/next",
    ] {
        assert!(report.contains(told), "{told} is not in the report");
    }
}
