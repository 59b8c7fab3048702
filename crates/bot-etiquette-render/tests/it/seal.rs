//! The browser has no network: whatever a page tries, nobody hears of it but the crawler.

use std::time::Duration;

use bot_etiquette_referee::{Page, Promise, Referee, Site};
use bot_etiquette_render::{Cause, Kind, Outcome, RenderConfig};
use bot_etiquette_robots::{ProductToken, Robots};
use bytes::Bytes;
use http::Request;

use crate::support::{Memory, Trap, assert_blocked, browser, get, outcomes, page};

/// Everything by which a page may speak. `TCP` and `UDP` are ports where somebody listens.
const EVERYTHING: &str = include_str!("../fixtures/everything.html");

#[tokio::test]
async fn a_page_that_tries_everything_reaches_nobody_and_each_attempt_is_listed() {
    let Some(renderer) = browser!() else { return };
    let trap = Trap::set().await;
    let (tcp, udp) = (trap.tcp.to_string(), trap.udp.to_string());
    let html = EVERYTHING.replace("{TCP}", &tcp).replace("{UDP}", &udp);
    let base = format!("http://127.0.0.1:{tcp}");
    let script = format!("{base}/app.js");
    let crawler = Memory::new(&[(&script, "text/javascript", "document.title += ' and a script'")]);
    let rendered = crawler.render(&renderer, page(&format!("{base}/"), &html)).await;

    assert_eq!(rendered.title, "Everything and a script");
    assert_eq!(rendered.text.lines().last(), Some("the page is still here"), "{}", rendered.text);
    for (kind, end, cause) in [
        (Kind::Image, "/image.png", Cause::Kind),
        (Kind::Image, "/background.png", Cause::Kind),
        (Kind::Font, "/font.woff2", Cause::Kind),
        (Kind::Media, "/video.mp4", Cause::Kind),
        (Kind::Media, "/audio.mp3", Cause::Kind),
        (Kind::Frame, "/frame.html", Cause::Kind),
        (Kind::Image, "/in-a-frame.png", Cause::SubFrame),
        (Kind::WebSocket, "/socket", Cause::Kind),
        (Kind::WebTransport, "/transport", Cause::Kind),
        (Kind::EventSource, "/events", Cause::Kind),
        (Kind::Beacon, "/beacon", Cause::Kind),
        (Kind::Data, "/keepalive", Cause::Method),
        (Kind::ServiceWorker, "/service.js", Cause::Kind),
        (Kind::SharedWorker, "/shared.js", Cause::Kind),
        (Kind::Other, "/worker.js", Cause::Kind),
        (Kind::Worker, "", Cause::Kind),
        (Kind::WebRtc, "", Cause::Kind),
        (Kind::Popup, "/popup.html", Cause::Kind),
        (Kind::Popup, "/blank.html", Cause::Kind),
        (Kind::Form, "/form", Cause::Kind),
        (Kind::Download, "/file.zip", Cause::Kind),
        (Kind::Prefetch, "/prefetched.html", Cause::Kind),
        (Kind::Preconnect, "/preconnect", Cause::Kind),
        (Kind::Dialog, "", Cause::Kind),
        (Kind::Navigation, "/elsewhere.html", Cause::Kind),
    ] {
        assert_blocked(&rendered, kind, end, cause);
        assert!(rendered.blocked[&kind] > 0, "{kind}");
    }
    let redirect = rendered.redirect.expect("a redirect");
    assert_eq!(
        (redirect.url.ends_with("/elsewhere.html"), redirect.reason.as_str()),
        (true, "scriptInitiated")
    );
    assert_eq!(crawler.urls(), [script, format!("{base}/data.json")]);
    assert_eq!(trap.came(), 0);
    renderer.close().await;
    assert_eq!(trap.came(), 0);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn no_process_of_the_browser_holds_a_connection() {
    let Some(renderer) = browser!(RenderConfig::default().quiet(Duration::from_secs(1))) else { return };
    let trap = Trap::set().await;
    let html = EVERYTHING.replace("{TCP}", &trap.tcp.to_string()).replace("{UDP}", &trap.udp.to_string());
    let crawler = Memory::default();
    let process = renderer.process_id().await.expect("a process");
    let looking = async {
        let mut seen = 0;
        for _ in 0..20 {
            tokio::time::sleep(Duration::from_millis(50)).await;
            let family = crate::support::processes(process);
            seen = seen.max(family.len());
            assert_eq!(connections(&family), Vec::<String>::new());
        }
        assert!(seen > 2, "the browser's processes were not found");
    };
    let render = crawler.render(&renderer, page(&format!("http://127.0.0.1:{}/", trap.tcp), &html));
    let (rendered, ()) = tokio::join!(render, looking);
    assert!(rendered.requests.len() > 20);
    assert_eq!(trap.came(), 0);
    renderer.close().await;
}

/// The TCP connections of the processes, from what the system says of their open files.
#[cfg(target_os = "linux")]
fn connections(family: &[u32]) -> Vec<String> {
    let mut sockets = Vec::new();
    for id in family {
        for file in std::fs::read_dir(format!("/proc/{id}/fd")).into_iter().flatten().flatten() {
            let link = std::fs::read_link(file.path()).unwrap_or_default().to_string_lossy().into_owned();
            sockets.extend(link.strip_prefix("socket:[").map(|rest| rest.trim_end_matches(']').to_owned()));
        }
    }
    let tables = ["tcp", "tcp6"]
        .map(|table| std::fs::read_to_string(format!("/proc/net/{table}")).unwrap_or_default());
    let rows = tables.iter().flat_map(|table| table.lines().skip(1));
    let of_browser = rows.filter(|row| {
        row.split_whitespace().nth(9).is_some_and(|inode| sockets.iter().any(|socket| socket == inode))
    });
    of_browser.map(str::to_owned).collect()
}

#[tokio::test]
async fn a_browser_without_any_network_device_renders_as_well() {
    let unshared = std::process::Command::new("unshare").args(["--net", "true"]).output();
    if !unshared.is_ok_and(|output| output.status.success()) {
        return; // Not everybody may make a name space; the seal is tested without.
    }
    let config = RenderConfig::default().run_under(["unshare", "--net"]);
    let Some(renderer) = browser!(config) else { return };
    let crawler = Memory::new(&[("https://shop.example/a.js", "text/javascript", "document.title = 'done'")]);
    let rendered =
        crawler.render(&renderer, page("https://shop.example/", "<script src=/a.js></script>")).await;
    assert_eq!(rendered.title, "done");
    renderer.close().await;
}

#[tokio::test]
async fn the_referee_sees_the_crawler_alone_and_a_closed_script_is_never_asked() {
    let Some(renderer) = browser!() else { return };
    let referee = Referee::builder()
        .site(
            Site::new("shop.example")
                .robots("User-agent: *\nDisallow: /closed/\n")
                .page(
                    Page::new("/app.js")
                        .header("content-type", "text/javascript")
                        .body("fetch('/prices.json')"),
                )
                .page(Page::new("/prices.json").header("content-type", "application/json").body("{}"))
                .page(Page::new("/closed/*").body("never")),
        )
        .promise(
            Promise::new()
                .user_agent("ShopBot")
                .robots_first(true)
                .closed_path("/closed/")
                .browser(false)
                .cookies(false),
        )
        .start()
        .await
        .unwrap();
    let address = referee.address("shop.example").unwrap();
    let robots =
        get(address, "shop.example", &Request::get("/robots.txt").body(Bytes::new()).unwrap()).await.unwrap();
    let robots = std::sync::Arc::new(Robots::parse(robots.body()));
    let html = "<script src=/closed/tracker.js></script><script src=/app.js></script>\
        <img src=/i.png><iframe src=/frame.html></iframe><script>new WebSocket('ws://' + location.host + '/s');\
        document.cookie = 'a=b'; fetch('/closed/data.json').catch(() => {})</script>";
    let rendered = renderer
        .render(page(&format!("http://{address}/"), html), move |request| {
            let robots = robots.clone();
            async move {
                let rules = robots.rules_for(&"ShopBot".parse::<ProductToken>()?);
                let verdict = rules.verdict(request.uri().to_string());
                if !verdict.is_allowed() {
                    return Err(verdict.to_string().into());
                }
                Ok(get(address, "shop.example", &request).await?)
            }
        })
        .await
        .unwrap();
    let closed =
        Outcome::NotLoaded { reason: "disallowed by line 2: Disallow: /closed/ (group *)".to_owned() };
    assert_eq!(
        outcomes(&rendered, Kind::Script),
        [closed.clone(), Outcome::Answered { status: 200, bytes: 21 }]
    );
    let data = outcomes(&rendered, Kind::Data);
    assert!(
        data.contains(&closed) && data.contains(&Outcome::Answered { status: 200, bytes: 2 }),
        "{data:?}"
    );
    renderer.close().await;
    let report = referee.finish().await;
    assert!(report.is_clean(), "{report}");
    assert_eq!(report.requests(), 3, "robots.txt, app.js, prices.json: {report}");
}
