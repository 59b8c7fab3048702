//! Whose rules are followed, and under which name.

use bot_etiquette::politeness::{Ask, Policy, Politeness, Timestamp};
use bot_etiquette::referee::{Page, Site};
use bot_etiquette_examples::snapshot_bot::bots::Edition;
use bot_etiquette_examples::snapshot_bot::policy::{POLICY, is_shared_cdn};
use bot_etiquette_examples::snapshot_bot::{SearchEngine, Wish};

use crate::bench::{AGENT, Bench, Log, owed};

const HOME: &str = "http://a.example/";

#[tokio::test]
async fn the_rules_of_a_search_engine_need_evidence_and_change_no_name() {
    let log = Log::default();
    let robots = "User-agent: Googlebot\nDisallow: /g\n\nUser-agent: *\nDisallow: /\n";
    let own = log.site(
        "a.example",
        robots,
        &[
            ("/", "<a href=/g>g</a><a href=/b>b</a><img src=/to><a href=http://b.example/x>x</a>"),
            ("/b", "b"),
        ],
    );
    let own = own.page(Page::new("/to").redirect("http://b.example/img.png"));
    let other = log.site("b.example", robots, &[("/x", "x")]);
    let bench = Bench::new("engine", vec![own, other], owed().user_agent(AGENT), 100).await;
    let wish = Wish { rules_of: Some(SearchEngine::Googlebot), ..Wish::default() };
    let refused = bench.add(HOME, &wish).unwrap_err();
    assert!(refused.contains("verified") && refused.contains("verify a.example FILE"), "{refused}");
    bench.add(HOME, &Wish::default()).unwrap();
    let refused = bench.add(HOME, &wish).unwrap_err();
    assert!(refused.contains("nothing shows yet that a.example is yours"), "{refused}");
    bench.crawl(HOME).await;
    assert!(log.of("a.example").is_empty(), "its own rules close everything");

    bench.verify(HOME, &[(HOME, 10)]);
    bench.add(HOME, &wish).unwrap();
    bench.crawl(HOME).await;
    assert_eq!(log.of("a.example"), ["GET /", "GET /sitemap.xml", "GET /b"]);
    assert!(log.of("b.example").is_empty(), "on other sites its own rules hold, behind a redirect too");
    assert_eq!(log.field("user-agent"), [AGENT]);
    bench.clean();
}

#[tokio::test]
async fn every_request_of_the_servers_is_signed_and_none_of_the_desktop_edition() {
    let agent = "Mozilla/5.0 (X11; Linux x86_64) OrchardDesk/3.1";
    for (edition, expected) in [
        (Edition::Server, AGENT),
        (Edition::Desktop(Some(agent.to_owned())), agent),
        (Edition::Desktop(None), AGENT),
    ] {
        let log = Log::default();
        let robots = "User-agent: SiteSnapshot\nDisallow: /closed\n\nUser-agent: *\nDisallow: /\n";
        let site = log.site(
            "a.example",
            robots,
            &[("/", "<a href=/closed>c</a><a href=/open>o</a>"), ("/open", "o")],
        );
        let is_server = edition == Edition::Server;
        let name = if is_server { "server" } else { expected.get(..7).unwrap() };
        let bench = Bench::new(name, vec![site], owed().user_agent(expected).signed(is_server), 100).await;
        let bench = bench.edition(edition);
        bench.add(HOME, &Wish::default()).unwrap();
        bench.crawl(HOME).await;
        assert_eq!(
            log.of("a.example"),
            ["GET /", "GET /sitemap.xml", "GET /open"],
            "its own rules hold under any name"
        );
        assert_eq!(log.field("user-agent"), [expected]);
        let agents = log.field("signature-agent");
        assert_eq!(agents.len(), usize::from(is_server), "{agents:?}");
        assert_eq!(log.field("signature").is_empty(), !is_server);
        if is_server {
            assert_eq!(agents, ["\"https://seostudio.com\""]);
            let inputs = log.field("signature-input");
            for part in [
                "\"@authority\"",
                "\"signature-agent\"",
                "created=",
                "expires=",
                "keyid=",
                "tag=\"web-bot-auth\"",
            ] {
                assert!(inputs.iter().all(|input| input.contains(part)), "{part} {inputs:?}");
            }
        }
        bench.clean();
    }
}

#[tokio::test]
async fn robots_txt_is_read_anew_at_each_crawl_and_a_change_applies() {
    let log = Log::default();
    let robots = |rules: &str, etag: &str| {
        Page::new("/robots.txt").etag(etag).body(format!("User-agent: *\n{rules}\n"))
    };
    let site = log
        .site("a.example", "", &[("/", "<a href=/b>b</a><a href=/c>c</a>"), ("/b", "b"), ("/c", "c")])
        .page(robots("Disallow: /c", "\"1\""))
        .page(robots("Disallow: /c", "\"1\""))
        .page(robots("Disallow: /b", "\"2\""));
    let bench = Bench::new("robots", vec![site], owed().conditional(true), 100).await;
    bench.add(HOME, &Wish::default()).unwrap();
    for page in ["GET /b", "GET /b", "GET /c"] {
        let before = log.of("a.example").len();
        bench.crawl(HOME).await;
        assert_eq!(log.of("a.example").get(before..).unwrap(), ["GET /", "GET /sitemap.xml", page]);
    }
    bench.clean();
}

#[tokio::test]
async fn nofollow_holds_in_all_its_forms() {
    let log = Log::default();
    let quiet = |asked: &bot_etiquette::referee::Asked<'_>| {
        let (tag, head) = match asked.target {
            "/header" => (Some("nofollow"), ""),
            "/none" => (Some("none"), ""),
            "/named" => (Some("otherbot: noindex, sitesnapshot: nofollow"), ""),
            "/others" => (Some("otherbot: nofollow"), "<meta name=otherbot content=nofollow>"),
            "/meta" => (None, "<meta name=ROBOTS content='noindex, NoFollow'>"),
            "/own" => (None, "<meta name=SiteSnapshot content=none>"),
            "/" => {
                let links = ["header", "none", "named", "others", "meta", "own"]
                    .map(|page| format!("<a href=/{page}>.</a>"));
                let body = links.concat() + "<a rel='external NOFOLLOW' href=/marked>m</a>";
                return Some(Page::new("/").header("Content-Type", "text/html").body(body));
            }
            _ => return None,
        };
        let body = format!("<title>t</title>{head}<a href={0}/on>on</a>", asked.target);
        let page = Page::new("/").header("Content-Type", "text/html").body(body);
        Some(tag.into_iter().fold(page, |page, tag| page.header("X-Robots-Tag", tag)))
    };
    let bench = Bench::new("nofollow", vec![log.answers("a.example", "", quiet)], owed(), 100).await;
    bench.add(HOME, &Wish::default()).unwrap();
    bench.crawl(HOME).await;
    let asked = log.of("a.example");
    let on: Vec<_> = asked.iter().filter(|asked| asked.ends_with("/on")).collect();
    assert_eq!(on, ["GET /others/on"], "{asked:?}");
    assert!(!asked.contains(&"GET /marked".to_owned()));
    bench.clean();
}

#[tokio::test]
async fn a_host_that_was_blocked_is_left_alone_whatever_leads_there() {
    let log = Log::default();
    let sites =
        vec![log.site("a.example", "", &[("/", "<a href=http://b.example/x>x</a>")]), Site::new("b.example")];
    let bench = Bench::new("block", sites, owed(), 100).await;
    bench.add(HOME, &Wish::default()).unwrap();
    let state =
        bot_etiquette_examples::snapshot_bot::policy::open_state(&bench.state, &bench.policy).unwrap();
    let now = bench.demo.world().unwrap().clock.now().into();
    state.politeness.kill(&"b.example".parse().unwrap(), now).unwrap();
    bench.crawl(HOME).await;
    // The home page, the sitemap and robots.txt; of the other host not even that.
    assert_eq!(bench.clean().requests(), 3);
}

#[test]
fn a_shared_cdn_is_known_by_its_exact_name() {
    let policy = Policy::from_toml(POLICY).unwrap();
    for (host, expected) in [
        ("cdn.shopify.com", true),
        ("CDN.jsdelivr.net", true),
        ("d3e54v103j8qbb.cloudfront.net", true),
        ("1.bp.blogspot.com", true),
        ("x.cdn.shopify.com", false),
        ("cdn.shopify.com.evil.net", false),
        ("d111.cloudfront.net", false),
        ("shop.example", false),
        ("shop.myshopify.com", false),
        ("someone.github.io", false),
        ("storage.googleapis.com", false),
    ] {
        assert_eq!(is_shared_cdn(&policy, host), expected, "{host}");
    }
}

#[test]
fn sixteen_requests_to_two_shared_cdns_start_an_eighth_of_a_second_apart() {
    let politeness = Politeness::new(Policy::from_toml(POLICY).unwrap());
    let (mut starts, mut now) = (Vec::new(), 0);
    let urls =
        ["https://cdn.jsdelivr.net/a.js", "https://cdn.shopify.com/a.png"].map(|url| url.parse().unwrap());
    for url in urls.iter().cycle().take(16) {
        let at = |millis: u64| Timestamp::from_millis(1_800_000_000_000 + millis);
        let permit = loop {
            match politeness.admit(&Ask::new(url), at(now)) {
                Ok(permit) => break permit,
                Err(refusal) => now += refusal.until().unwrap().since(at(now)).as_millis() as u64,
            }
        };
        starts.push(now);
        permit.finish(&bot_etiquette::politeness::Outcome::status(200), at(now));
    }
    let expected: Vec<_> = (0..16).map(|number| number * 125).collect();
    assert_eq!(starts, expected);
}
