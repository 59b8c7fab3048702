//! What a page becomes, and what it is told.

use std::time::SystemTime;

use bot_etiquette_render::{
    AssetCache, Cause, Device, Kind, LoadedFrom, Outcome, PageInput, Policy, RenderConfig, Settled,
};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};

use crate::support::{AGENT, Memory, Trap, assert_blocked, browser, outcomes, page};

const JS: &str = "text/javascript";

#[tokio::test]
async fn what_scripts_add_is_read_back_beside_what_was_there() {
    let Some(renderer) = browser!() else { return };
    let script = "document.title = 'Rendered';\
        for (const path of ['/one', '/two', '/three']) { const link = document.createElement('a'); link.href = path;\
        link.rel = 'nofollow'; link.textContent = 'to ' + path; document.body.append(link); }\
        const host = document.createElement('div'); document.body.append(host);\
        host.attachShadow({ mode: 'open' }).innerHTML = '<p>in the shade</p><a href=/shade>shade</a>';";
    let crawler = Memory::new(&[("https://shop.example/assets/app.js", JS, script)]);
    let html = "<!doctype html><html lang=en><head><base href=/shop/><title>Raw</title></head>\
        <body><a href=zero>zero</a><script src=/assets/app.js></script></body></html>";
    let rendered = crawler.render(&renderer, page("https://shop.example/index.html#part", html)).await;
    let links: Vec<(&str, &str, &str)> = rendered
        .links
        .iter()
        .map(|link| (link.url.as_str(), link.rel.as_str(), link.text.as_str()))
        .collect();
    assert_eq!(
        links,
        [
            ("https://shop.example/shop/zero", "", "zero"),
            ("https://shop.example/one", "nofollow", "to /one"),
            ("https://shop.example/two", "nofollow", "to /two"),
            ("https://shop.example/three", "nofollow", "to /three"),
            ("https://shop.example/shade", "", "shade"),
        ]
    );
    assert_eq!(rendered.title, "Rendered");
    assert_eq!(rendered.base, "https://shop.example/shop/");
    assert_eq!(rendered.url, "https://shop.example/index.html");
    assert!(rendered.html.starts_with("<!DOCTYPE html>\n<html lang=\"en\"><head>"), "{}", rendered.html);
    assert!(rendered.html.ends_with("</body></html>"), "{}", rendered.html);
    assert!(
        rendered.html.contains("<template shadowrootmode=\"open\"><p>in the shade</p>"),
        "{}",
        rendered.html
    );
    assert!(
        rendered.text.contains("to /three") && rendered.text.contains("in the shade"),
        "{}",
        rendered.text
    );
    assert_eq!(rendered.settled, Settled::Quiet);
    assert_eq!(outcomes(&rendered, Kind::Page), [Outcome::Held]);
    renderer.close().await;
}

#[tokio::test]
async fn the_page_is_not_asked_for_again_and_its_bytes_status_and_charset_are_used() {
    let Some(renderer) = browser!() else { return };
    let crawler = Memory::default();
    let mut headers = HeaderMap::new();
    headers.insert("content-type", HeaderValue::from_static("text/html; charset=iso-8859-1"));
    headers.insert("content-security-policy", HeaderValue::from_static("script-src 'unsafe-inline'"));
    headers.insert("set-cookie", HeaderValue::from_static("session=1"));
    headers.insert("refresh", HeaderValue::from_static("0;url=/refreshed"));
    headers.insert("content-disposition", HeaderValue::from_static("attachment"));
    let html = b"<title>Caf\xe9</title><p id=p></p><script src=/blocked-by-the-page.js></script>\
        <script>p.textContent = document.cookie + performance.getEntriesByType('navigation')[0].responseStatus</script>";
    let input = PageInput::new("https://shop.example/".parse().unwrap(), Bytes::from_static(html), AGENT)
        .headers(headers)
        .status(StatusCode::NOT_FOUND);
    let rendered = crawler.render(&renderer, input).await;
    assert_eq!((rendered.title.as_str(), rendered.text.trim()), ("Café", "404"));
    assert_eq!(rendered.redirect, None);
    assert_eq!(crawler.urls(), [""; 0]);
    assert_blocked(&rendered, Kind::Script, "/blocked-by-the-page.js", Cause::Browser);
    renderer.close().await;
}

#[tokio::test]
async fn scripts_read_one_name_everywhere() {
    let Some(renderer) = browser!() else { return };
    let html = "<script>document.title = JSON.stringify([navigator.userAgent, navigator.userAgentData.brands,\
        navigator.userAgentData.mobile, navigator.userAgentData.platform, navigator.language, navigator.webdriver,\
        innerWidth, navigator.maxTouchPoints > 0])</script>";
    for (device, rest) in [
        (Device::Phone, r#"],true,"Android","de",true,412,true]"#),
        (Device::Desktop, r#"],false,"Linux","de",true,1366,false]"#),
    ] {
        let html = format!("<meta name=viewport content=width=device-width>{html}");
        let input = page("https://shop.example/", &html).device(device).language("de");
        let rendered = Memory::default().render(&renderer, input).await;
        assert!(rendered.title.starts_with(&format!("[\"{AGENT}\",[")), "{}", rendered.title);
        assert!(rendered.title.contains(r#"{"brand":"ShopBot","version":"1"}"#), "{}", rendered.title);
        assert!(rendered.title.contains(&format!(r#""version":"{}"}}"#, renderer.version().major)));
        assert!(rendered.title.ends_with(rest), "{}", rendered.title);
    }
    renderer.close().await;
}

#[tokio::test]
async fn the_crawler_is_told_the_kind_and_no_secret_of_the_page() {
    let Some(renderer) = browser!() else { return };
    let html = "<link rel=stylesheet href=/a.css><script>document.cookie = 'a=b'; fetch('/data.json', { headers: \
        { 'X-Part': '7', Accept: 'application/json', Authorization: 'Bearer secret' } })</script>";
    let crawler = Memory::new(&[("https://shop.example/a.css", "text/css", "body {}")]);
    crawler.render(&renderer, page("https://shop.example/", html)).await;
    let asked = std::mem::take(&mut *crawler.asked.lock().unwrap());
    let find = |path: &str| asked.iter().find(|request| request.uri().path() == path).unwrap();
    assert_eq!(find("/a.css").extensions().get(), Some(&Kind::Stylesheet));
    let data = find("/data.json");
    assert_eq!(data.extensions().get(), Some(&Kind::Data));
    assert_eq!(data.headers()["x-part"], "7");
    assert_eq!(data.headers()["accept"], "application/json");
    for name in ["cookie", "authorization", "user-agent", "referer", "sec-ch-ua", "sec-fetch-mode"] {
        assert!(!data.headers().contains_key(name), "{name}: {data:?}");
    }
    renderer.close().await;
}

#[tokio::test]
async fn nothing_is_left_for_the_next_page_of_the_site() {
    let Some(renderer) = browser!() else { return };
    let leave = "<script>document.cookie = 'left=1; max-age=9999'; localStorage.left = sessionStorage.left = 1;\
        indexedDB.open('left'); caches.open('left'); window.name = 'left';\
        fetch('/set-cookie')</script>";
    let find = "<script>(async () => { const names = [document.cookie, Object.keys(localStorage),\
        Object.keys(sessionStorage), (await indexedDB.databases()).map(d => d.name), await caches.keys(), name,\
        (await navigator.serviceWorker.getRegistrations()).length];\
        document.title = names.flat().join('') })()</script>";
    let answer = |request: Request<Bytes>| async move {
        assert!(!request.headers().contains_key("cookie"));
        Ok(Response::builder()
            .header("set-cookie", "from-a-header=1; Max-Age=9999; Path=/")
            .body(Bytes::new())?)
    };
    for html in [leave, find] {
        let rendered = renderer.render(page("https://shop.example/", html), answer).await.unwrap();
        if html == find {
            assert_eq!(rendered.title, "0");
        }
    }
    renderer.close().await;
}

#[tokio::test]
async fn two_pages_of_a_site_ask_for_each_asset_once_within_ten_minutes() {
    let Some(renderer) = browser!() else { return };
    let cache = std::sync::Arc::new(std::sync::Mutex::new(AssetCache::default()));
    let crawler = Memory::new(&[
        ("https://shop.example/app.js", JS, "document.title = 'app'; fetch('/data.json')"),
        ("https://shop.example/app.css", "text/css", "p {}"),
    ]);
    let html = "<link rel=stylesheet href=/app.css><script src=/app.js></script>";
    let second = std::time::Duration::from_secs(1);
    for (after, asked) in [(0, 3), (599, 4), (600, 7)] {
        let now = SystemTime::UNIX_EPOCH + second * after;
        let answer = |request: Request<Bytes>| {
            let kept = cache.lock().unwrap().get(&request, now);
            let (cache, crawler) = (cache.clone(), crawler.clone());
            async move {
                if let Some(kept) = kept {
                    return Ok(kept);
                }
                let key = request.clone();
                let answer = crawler.answer(request).await?;
                cache.lock().unwrap().insert(&key, &answer, now);
                Ok(answer)
            }
        };
        let rendered = renderer.render(page("https://shop.example/", html), answer).await.unwrap();
        assert_eq!(rendered.title, "app");
        assert_eq!(crawler.urls().len(), asked, "after {after} s: {:?}", crawler.urls());
    }
    renderer.close().await;
}

#[tokio::test]
async fn a_page_that_leaves_is_read_where_it_was_and_its_goal_is_told() {
    let Some(renderer) = browser!() else { return };
    for (html, goal, reason) in [
        ("<script>setTimeout(() => location.href = '/other', 50)</script>", "/other", "scriptInitiated"),
        ("<meta http-equiv=refresh content='0;url=/meta'>", "/meta", "metaTagRefresh"),
        (
            "<script>location.replace('https://elsewhere.example/')</script>",
            "elsewhere.example/",
            "scriptInitiated",
        ),
        ("<a id=a href=/clicked>x</a><script>a.click()</script>", "/clicked", "anchorClick"),
    ] {
        let crawler = Memory::default();
        let html = format!("<title>first</title><p>still here</p>{html}");
        let rendered = crawler.render(&renderer, page("https://shop.example/", &html)).await;
        let redirect =
            rendered.redirect.clone().unwrap_or_else(|| panic!("no redirect: {html} {rendered:#?}"));
        assert!(redirect.url.ends_with(goal), "{redirect:?}");
        assert_eq!(redirect.reason, reason, "{html}");
        assert_eq!(rendered.title, "first");
        assert!(rendered.text.contains("still here"), "{}", rendered.text);
        assert_eq!(crawler.urls(), [""; 0]);
    }
    renderer.close().await;
}

#[tokio::test]
async fn a_page_that_reloads_itself_is_given_once_more_and_not_for_ever() {
    let Some(renderer) = browser!() else { return };
    let crawler = Memory::default();
    let html = "<title>again</title><script>setTimeout(() => location.reload(), 20)</script>";
    let rendered = crawler.render(&renderer, page("https://shop.example/", html)).await;
    assert_eq!(outcomes(&rendered, Kind::Page), [Outcome::Held, Outcome::Held]);
    assert_blocked(&rendered, Kind::Navigation, "https://shop.example/", Cause::Kind);
    assert_eq!((rendered.title.as_str(), crawler.urls().len()), ("again", 0));
    renderer.close().await;
}

#[tokio::test]
async fn a_script_that_was_redirected_names_others_from_where_it_lies() {
    let Some(renderer) = browser!() else { return };
    let crawler = Memory::new(&[
        ("https://cdn.example/v2/app.js", JS, "import { name } from './part.js'; document.title = name"),
        ("https://cdn.example/v2/part.js", JS, "export const name = 'moved'"),
    ]);
    let answer = |request: Request<Bytes>| {
        let from = (request.uri() == "https://shop.example/app.js")
            .then(|| LoadedFrom("https://cdn.example/v2/app.js".parse().unwrap()));
        let uri = from.as_ref().map_or(request.uri().to_string(), |from| from.0.to_string());
        let answer = crawler.answer(Request::get(uri).body(Bytes::new()).unwrap());
        async move {
            let mut answer = answer.await?;
            from.map(|from| answer.extensions_mut().insert(from));
            Ok(answer)
        }
    };
    let html = "<script type=module src=/app.js></script>";
    let rendered = renderer.render(page("https://shop.example/", html), answer).await.unwrap();
    assert_eq!(rendered.title, "moved");
    assert_eq!(crawler.urls(), ["https://cdn.example/v2/app.js", "https://cdn.example/v2/part.js"]);
    renderer.close().await;
}

#[tokio::test]
async fn a_preflight_is_answered_here_and_the_site_decides_what_is_read() {
    let Some(renderer) = browser!() else { return };
    let crawler = Memory::new(&[("https://api.example/open", "application/json", "{\"name\":\"open\"}")]);
    let html = "<script>const ask = (path, method) => fetch('https://api.example' + path, { method, headers: { 'X-A': \
        '1' } }).then((answer) => answer.json()); ask('/open', 'GET').then((data) => document.title = data.name);\
        ask('/deleted', 'DELETE').catch(() => {})</script>";
    let rendered = crawler.render(&renderer, page("https://shop.example/", html)).await;
    assert_eq!(rendered.title, "open");
    assert_eq!(crawler.urls(), ["https://api.example/open"]);
    assert_blocked(&rendered, Kind::Data, "/deleted", Cause::Method);
    renderer.close().await;
}

#[tokio::test]
async fn a_post_goes_to_the_crawler_where_the_site_is_the_persons_own() {
    let config = RenderConfig::default().policy(Policy::default().post(true));
    let Some(renderer) = browser!(config) else { return };
    let crawler = Memory::new(&[("https://shop.example/search", "text/plain", "found")]);
    let html = "<script>fetch('/search', { method: 'POST', body: 'q=sho\u{e9}s' }).then((a) => a.text()).then((text) => \
        document.title = text)</script>";
    let rendered = crawler
        .render(&renderer, page("https://shop.example/", &format!("<meta charset=utf-8>{html}")))
        .await;
    assert_eq!(rendered.title, "found");
    assert_eq!(crawler.asked.lock().unwrap()[0].body(), "q=sho\u{e9}s");
    renderer.close().await;
}

#[tokio::test]
async fn an_answer_that_is_too_long_and_one_that_is_no_end_are_refused_and_listed() {
    let Some(renderer) = browser!(RenderConfig::default().answer_bytes(1_000)) else { return };
    let answer = |request: Request<Bytes>| async move {
        let length = request.uri().query().and_then(|query| query.parse().ok());
        match length {
            Some(length) => Ok(Response::new(vec![b' '; length].into())),
            None => Ok(Response::builder().status(302).header("location", "/x").body(Bytes::new())?),
        }
    };
    let html = "<script src=/a.js?999></script><script src=/a.js?1000></script><script src=/a.js?1001></script>\
        <script src=/moved.js></script>";
    let rendered = renderer.render(page("https://shop.example/", html), answer).await.unwrap();
    let mut scripts = outcomes(&rendered, Kind::Script);
    assert_eq!(scripts.pop(), Some(Outcome::NotLoaded { reason: "302 is no end of a redirect".to_owned() }));
    let good = |bytes| Outcome::Answered { status: 200, bytes };
    assert_eq!(scripts, [good(999), good(1_000), Outcome::Blocked { cause: Cause::Size }]);
    renderer.close().await;
}

#[tokio::test]
async fn a_page_may_ask_the_crawler_so_often_and_no_more() {
    for (limit, answered) in [(4, 4), (5, 5), (6, 5)] {
        let Some(renderer) = browser!(RenderConfig::default().requests(limit)) else { return };
        let crawler = Memory::default();
        let html = "<script>for (let n = 0; n < 5; n++) fetch('/' + n)</script>";
        let rendered = crawler.render(&renderer, page("https://shop.example/", html)).await;
        assert_eq!(crawler.urls().len(), answered, "limit {limit}");
        let refused = outcomes(&rendered, Kind::Data).into_iter();
        assert_eq!(
            refused.filter(|one| *one == Outcome::Blocked { cause: Cause::Requests }).count(),
            5 - answered
        );
        renderer.close().await;
    }
}

#[tokio::test]
async fn html_is_cut_at_its_limit_and_flagged() {
    let html = "<html><head></head><body>0123456789</body></html>";
    for (limit, cut) in [(html.len() - 1, true), (html.len(), false), (html.len() + 1, false)] {
        let Some(renderer) = browser!(RenderConfig::default().html_bytes(limit)) else { return };
        let rendered = Memory::default().render(&renderer, page("https://shop.example/", html)).await;
        assert_eq!((rendered.cut, rendered.html.len()), (cut, limit.min(html.len())));
        renderer.close().await;
    }
}

#[tokio::test]
async fn a_page_that_hides_the_documents_own_properties_is_read_all_the_same() {
    let Some(renderer) = browser!() else { return };
    let html = "<title>Shop</title><body><img name=title><img name=body><img name=documentElement><img name=URL>\
        <form name=createTreeWalker><input name=shadowRoot></form><a href=/a>a</a>\
        <script>document.title = 'x'; Element.prototype.getAttribute = () => 'forged'; JSON.stringify = () => ''</script>";
    let rendered = Memory::default().render(&renderer, page("https://shop.example/", html)).await;
    assert_eq!(rendered.url, "https://shop.example/");
    assert_eq!(rendered.title, "Shop");
    assert_eq!((rendered.links.len(), rendered.links[0].rel.as_str()), (1, ""));
    renderer.close().await;
}

#[tokio::test]
async fn half_a_character_in_a_page_does_not_lose_it() {
    let Some(renderer) = browser!() else { return };
    let html =
        "<script>document.title = 'a\\ud800b'; alert('\\udc00'); document.body.append('c\\ud800')</script>";
    let rendered =
        Memory::default().render(&renderer, page("https://shop.example/", &format!("<body>{html}"))).await;
    assert_eq!(rendered.title, "a\u{fffd}b");
    assert!(rendered.text.contains("c\u{fffd}"), "{}", rendered.text);
    renderer.close().await;
}

#[tokio::test]
async fn a_port_that_listens_is_asked_by_the_crawler_alone() {
    let Some(renderer) = browser!() else { return };
    let trap = Trap::set().await;
    let url = format!("http://127.0.0.1:{}/", trap.tcp);
    let html = "<link rel=stylesheet href=/a.css><script src=/a.js></script><script>fetch('/data')</script>";
    let rendered = Memory::default().render(&renderer, page(&url, html)).await;
    for kind in [Kind::Stylesheet, Kind::Script, Kind::Data] {
        assert_eq!(outcomes(&rendered, kind), [Outcome::Answered { status: 404, bytes: 0 }], "{kind}");
    }
    assert_eq!(trap.came(), 0);
    renderer.close().await;
}
