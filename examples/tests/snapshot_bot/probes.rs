//! Files, links to other sites, and language versions.

use std::time::Duration;

use bot_etiquette::referee::{Page, Promise, Site};
use bot_etiquette_examples::snapshot_bot::Wish;

use crate::bench::{AGENT, Bench, Log, owed};

const HOME: &str = "http://a.example/";

fn file(media_type: &str, bytes: u64) -> Page {
    Page::new("/").header("Content-Type", media_type).bytes_of(bytes)
}

#[tokio::test]
async fn a_file_is_asked_once_a_week_however_many_pages_load_it() {
    let log = Log::default();
    let page = "<title>t</title><img src=/i.png#x><a href=/b>b</a><a href=http://b.example/l>l</a>";
    let own = log.answers("a.example", "", move |asked| match asked.target {
        "/" | "/b" => Some(Page::new("/").header("Content-Type", "text/html").body(page)),
        "/i.png" => Some(file("image/png", 10)),
        _ => None,
    });
    let other = log.answers("b.example", "", |_| Some(file("text/html", 10)));
    let bench = Bench::new("week", vec![own, other], owed(), 100).await;
    bench.add(HOME, &Wish::default()).unwrap();
    for crawl in 0..3 {
        let end = bench.crawl(HOME).await;
        assert_eq!(end.checked, if crawl == 0 { 2 } else { 0 });
    }
    let heads =
        |site: &str| log.of(site).into_iter().filter(|asked| asked.starts_with("HEAD")).collect::<Vec<_>>();
    assert_eq!(
        (heads("a.example"), heads("b.example")),
        (vec!["HEAD /i.png".to_owned()], vec!["HEAD /l".to_owned()])
    );
    bench.clean();
}

#[tokio::test]
async fn a_week_stays_a_week_when_the_clock_is_set_back_between_two_crawls() {
    const DAY: Duration = Duration::from_secs(86_400);
    for (number, back) in [DAY / 24, DAY, 365 * DAY].into_iter().enumerate() {
        let log = Log::default();
        let own = log.answers("a.example", "", |asked| match asked.target {
            "/" => Some(
                Page::new("/").header("Content-Type", "text/html").body("<title>t</title><img src=/i.png>"),
            ),
            "/i.png" => Some(file("image/png", 10)),
            _ => None,
        });
        let bench = Bench::new(&format!("set-back-{number}"), vec![own], owed(), 100).await;
        bench.add(HOME, &Wish::default()).unwrap();
        assert_eq!(bench.crawl(HOME).await.checked, 1);
        let set = bench.demo.world().unwrap().clock.now() - back;
        for (later, checked) in [(Duration::ZERO, 0), (6 * DAY, 0), (8 * DAY, 1)] {
            let end = bench.crawl_at(HOME, set + later).await;
            assert_eq!(
                (end.checked, end.pages.get("read")),
                (checked, Some(&1)),
                "{back:?} back, {later:?} later: {end:?}"
            );
        }
        bench.clean();
    }
}

#[tokio::test]
async fn only_a_few_files_get_one_more_request() {
    let log = Log::default();
    let page = "<title>t</title><link rel=stylesheet href=/s.css><script src=/z.js></script><img src=/big.png><img src=/small.png>\
                <img src=/gone.png><img src=/mute.png><img src=/refused.png><a href=/doc.pdf>p</a>";
    let own = log.answers("a.example", "", move |asked| {
        let is_head = asked.method == "HEAD";
        Some(match asked.target {
            "/" => Page::new("/").header("Content-Type", "text/html").body(page),
            "/s.css" => file("text/css", 1_400),
            "/z.js" => file("text/javascript", 500).header("Content-Encoding", "gzip"),
            "/big.png" => file("image/png", 100_000),
            "/small.png" => file("image/png", 99_999),
            "/gone.png" => Page::new("/").status(410),
            "/mute.png" if is_head => Page::new("/").header("Content-Type", "image/png"),
            "/refused.png" if is_head => Page::new("/").status(405),
            "/mute.png" | "/refused.png" => {
                file("image/png", 1).status(206).header("Content-Range", "bytes 0-0/2000")
            }
            "/doc.pdf" => file("application/pdf", 120_000),
            _ => return None,
        })
    });
    let bench = Bench::new("few", vec![own], owed().user_agent(AGENT), 100).await;
    bench.add(HOME, &Wish::default()).unwrap();
    bench.crawl(HOME).await;
    let asked = log.of("a.example");
    for (file, requests) in [
        ("/s.css", "HEAD GET"),
        ("/z.js", "HEAD GET"),
        ("/big.png", "HEAD GET"),
        ("/small.png", "HEAD"),
        ("/gone.png", "HEAD"),
        ("/mute.png", "HEAD GET"),
        ("/refused.png", "HEAD GET"),
        ("/doc.pdf", "HEAD GET GET"),
    ] {
        let methods: Vec<_> =
            asked.iter().filter_map(|asked| asked.strip_suffix(&format!(" {file}"))).collect();
        assert_eq!(methods.join(" "), requests, "{file}");
    }
    bench.clean();
}

#[tokio::test]
async fn file_and_link_checks_obey_robots_txt_and_carry_the_bots_own_name() {
    let log = Log::default();
    let rules = "User-agent: SiteSnapshot\nDisallow: /no\n";
    let page = "<title>t</title><img src=/no.png><img src=/yes.png><a href=http://b.example/no>n</a><a href=http://b.example/yes>y</a>\
                <a rel=nofollow href=http://b.example/marked>m</a><img src=http://b.example/to>";
    let own = log.answers("a.example", rules, move |asked| match asked.target {
        "/" => Some(Page::new("/").header("Content-Type", "text/html").body(page)),
        _ => Some(file("image/png", 10)),
    });
    let other = log.answers("b.example", rules, |asked| {
        Some(if asked.target == "/to" {
            Page::new("/").redirect("/no/behind")
        } else {
            file("text/html", 10)
        })
    });
    let bench =
        Bench::new("checks", vec![own, other], owed().user_agent(AGENT).closed_path("/no"), 100).await;
    bench.add(HOME, &Wish::default()).unwrap();
    bench.crawl(HOME).await;
    assert_eq!(log.of("a.example"), ["GET /", "GET /sitemap.xml", "HEAD /yes.png"]);
    assert_eq!(log.of("b.example"), ["HEAD /to", "HEAD /yes"]);
    assert_eq!(log.field("user-agent"), [AGENT]);
    bench.clean();
}

#[tokio::test]
async fn shared_cdns_are_asked_eight_times_a_second_in_all() {
    let log = Log::default();
    let pictures: String = (0..10)
        .map(|number| {
            format!(
                "<img src=http://cdn.shopify.com/{number}.png><img src=http://cdn.jsdelivr.net/{number}.png>"
            )
        })
        .collect();
    let page = format!("<title>t</title>{pictures}");
    let own = log.site("a.example", "User-agent: *\nCrawl-delay: 1\n", &[("/", &page)]);
    let cdn = |name: &str| log.answers(name, "", |_| Some(file("image/png", 10)));
    let sites = vec![own, cdn("cdn.shopify.com"), cdn("cdn.jsdelivr.net")];
    let promise = Promise::new()
        .robots_first(true)
        .crawl_delay_cap(Duration::from_secs(10))
        .group(&["cdn.shopify.com", "cdn.jsdelivr.net"], 8.0);
    let bench = Bench::new("cdn", sites, promise, 4).await;
    bench.add(HOME, &Wish::default()).unwrap();
    assert_eq!(bench.crawl(HOME).await.checked, 20);
    bench.clean();
}

#[tokio::test]
async fn one_page_on_each_of_ten_other_domains_is_asked_whether_it_names_the_page_back() {
    let log = Log::default();
    let other = |number: usize| format!("l{number}.example");
    let named: String = (0..12)
        .map(|number| format!("<link rel=alternate hreflang=de href=http://{}/>", other(number)))
        .chain(["<link rel=alternate hreflang=fr href=http://l0.example/second>".to_owned()])
        .collect();
    let mut sites = vec![log.site("a.example", "", &[("/", &format!("<title>t</title>{named}"))])];
    for number in 0..12 {
        let back = if number == 1 { "" } else { "<link rel=alternate hreflang=en href=http://a.example/>" };
        let robots = if number == 2 { "User-agent: *\nDisallow: /\n" } else { "" };
        sites.push(log.site(
            &other(number),
            robots,
            &[("/", &format!("<title>v</title>{back}<a href=/more>m</a>"))],
        ));
    }
    let bench = Bench::new("languages", sites, owed().user_agent(AGENT), 100).await;
    bench.add(HOME, &Wish::default()).unwrap();
    bench.crawl(HOME).await;
    let asked: Vec<_> = (0..12).map(|number| log.of(&other(number))).collect();
    assert_eq!(asked.iter().filter(|asked| **asked == ["GET /"]).count(), 9, "{asked:?}");
    assert!(asked[2].is_empty() && asked[10].is_empty() && asked[11].is_empty(), "{asked:?}");
    let (report, _) = bench.report(None);
    for told in ["confirmed", "missing", "robots", "budget-used"] {
        assert!(report.contains(told), "{told}");
    }
    bench.clean();
}

#[tokio::test]
async fn a_large_page_is_cut_and_flagged() {
    let site =
        Site::new("a.example").page(Page::new("/").header("Content-Type", "text/html").bytes_of(6_000_000));
    let bench = Bench::new("large", vec![site], owed().max_body(5_000_000), 10).await;
    bench.add(HOME, &Wish::default()).unwrap();
    bench.crawl(HOME).await;
    let (report, _) = bench.report(None);
    let page = &bench.pages()[HOME];
    // One byte more says that there is more.
    assert_eq!((page["cut"].as_bool(), page["bytes"].as_u64()), (Some(true), Some(5_000_001)));
    assert!(report.contains("Pages of more than 5 MB"));
    bench.clean();
}
