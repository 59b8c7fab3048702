//! How long a page may take, and what becomes of one that never rests.

use std::time::Duration;

use bot_etiquette_render::{Cause, Kind, Outcome, RenderConfig, RenderError, Settled};
use bytes::Bytes;
use http::{Request, Response};

use crate::support::{Memory, browser, outcomes, page};

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test]
async fn a_page_that_asks_for_ever_is_read_when_its_time_is_up() {
    let Some(renderer) = browser!(RenderConfig::default().work(2 * SECOND)) else { return };
    let html = "<title>busy</title><script>setInterval(() => fetch('/poll'), 100)</script>";
    let rendered = Memory::default().render(&renderer, page("https://shop.example/", html)).await;
    assert_eq!((rendered.settled, rendered.title.as_str()), (Settled::OutOfWork, "busy"));
    assert!(rendered.timings.work >= 2 * SECOND, "{:?}", rendered.timings);
    renderer.close().await;
}

#[tokio::test]
async fn a_script_that_never_ends_is_stopped_and_what_there_is_is_read() {
    let Some(renderer) = browser!(RenderConfig::default().work(2 * SECOND)) else { return };
    for html in [
        "<title>loop</title><p>text</p><script>for (;;) {}</script>",
        "<title>loop</title><p>text</p><script>setTimeout(() => { for (;;) {} }, 100)</script>",
        "<title>loop</title><p>text</p><script>for (;;) alert(1)</script>",
        "<title>loop</title><p>text</p><script>(function again() { Promise.resolve().then(again) })()</script>",
    ] {
        println!("{html}");
        let rendered = Memory::default().render(&renderer, page("https://shop.example/", html)).await;
        assert_eq!((rendered.settled, rendered.title.as_str()), (Settled::OutOfWork, "loop"));
        assert!(rendered.text.contains("text"));
    }
    let after =
        Memory::default().render(&renderer, page("https://shop.example/", "<title>after</title>")).await;
    assert_eq!((after.settled, after.title.as_str()), (Settled::Quiet, "after"));
    renderer.close().await;
}

#[tokio::test]
async fn a_page_that_still_grows_is_waited_for() {
    let Some(renderer) = browser!() else { return };
    let html = "<body><script>let n = 0; const timer = setInterval(() => { const p = document.createElement('p');\
        p.textContent = 'part ' + ++n; document.body.append(p); if (n === 5) clearInterval(timer) }, 300)</script>";
    let rendered = Memory::default().render(&renderer, page("https://shop.example/", html)).await;
    assert!(rendered.text.contains("part 5"), "{}", rendered.text);
    assert_eq!(rendered.settled, Settled::Quiet);
    renderer.close().await;
}

#[tokio::test]
async fn waiting_for_a_hosts_turn_does_not_count_as_the_browsers_work() {
    let Some(renderer) = browser!(RenderConfig::default().work(2 * SECOND)) else { return };
    let slow = |_: Request<Bytes>| async {
        tokio::time::sleep(3 * SECOND).await;
        Ok(Response::new(Bytes::from_static(b"document.title = 'late'")))
    };
    let rendered =
        renderer.render(page("https://shop.example/", "<script src=/a.js></script>"), slow).await.unwrap();
    assert_eq!((rendered.title.as_str(), rendered.settled), ("late", Settled::Quiet));
    assert!(
        rendered.timings.waited >= 3 * SECOND && rendered.timings.work < 2 * SECOND,
        "{:?}",
        rendered.timings
    );
    renderer.close().await;
}

#[tokio::test]
async fn a_page_that_waited_long_enough_settles_without_what_did_not_come() {
    let Some(renderer) = browser!(RenderConfig::default().wait(SECOND)) else { return };
    let never = |_: Request<Bytes>| std::future::pending();
    let html =
        "<script src=/a.js></script><title>there</title><script>fetch('/late').catch(() => {})</script>";
    let rendered = renderer.render(page("https://shop.example/", html), never).await.unwrap();
    assert_eq!((rendered.title.as_str(), rendered.settled), ("there", Settled::OutOfPatience));
    let waiting = Outcome::Blocked { cause: Cause::Waiting };
    assert_eq!(outcomes(&rendered, Kind::Script), std::slice::from_ref(&waiting));
    assert_eq!(outcomes(&rendered, Kind::Data), [waiting]);
    renderer.close().await;
}

#[tokio::test]
async fn a_render_that_is_dropped_leaves_nothing_behind() {
    let Some(renderer) = browser!(RenderConfig::default().pages(1)) else { return };
    let never = |_: Request<Bytes>| std::future::pending();
    let render = renderer.render(page("https://shop.example/", "<script src=/a.js></script>"), never);
    assert!(tokio::time::timeout(2 * SECOND, render).await.is_err());
    let rendered =
        Memory::default().render(&renderer, page("https://shop.example/", "<title>next</title>")).await;
    assert_eq!(rendered.title, "next");
    renderer.close().await;
}

#[tokio::test]
async fn several_pages_are_rendered_at_once_and_do_not_meet() {
    let Some(renderer) = browser!(RenderConfig::default().pages(3)) else { return };
    let renders = ["a", "b", "c"].map(|name| {
        let html = format!("<title>{name}</title><script>fetch('/{name}')</script>");
        let renderer = &renderer;
        async move {
            let crawler = Memory::default();
            let rendered = crawler.render(renderer, page(&format!("https://{name}.example/"), &html)).await;
            assert_eq!(
                (rendered.title.as_str(), crawler.urls()),
                (name, vec![format!("https://{name}.example/{name}")])
            );
        }
    });
    let [a, b, c] = renders;
    tokio::join!(a, b, c);
    renderer.close().await;
}

#[tokio::test]
async fn a_browser_killed_in_the_middle_of_a_page_is_replaced_for_the_next() {
    let Some(renderer) = browser!() else { return };
    let process = renderer.process_id().await.unwrap();
    let kill = move |_: Request<Bytes>| async move {
        std::process::Command::new("kill").args(["-9", &process.to_string()]).status()?;
        std::future::pending().await
    };
    let error = renderer
        .render(page("https://shop.example/", "<script src=/a.js></script>"), kill)
        .await
        .unwrap_err();
    assert!(matches!(error, RenderError::BrowserLost) && error.is_about_the_page(), "{error}");
    let rendered =
        Memory::default().render(&renderer, page("https://shop.example/", "<title>next</title>")).await;
    assert_eq!(rendered.title, "next");
    assert_ne!(renderer.process_id().await, Some(process));
    renderer.close().await;
}

#[tokio::test]
async fn a_page_whose_process_crashes_is_told_of_and_the_browser_goes_on() {
    let Some(renderer) = browser!() else { return };
    let process = renderer.process_id().await;
    let html = "<script>const all = []; for (;;) all.push(new Array(1e7).fill(all.length))</script>";
    match renderer.render(page("https://shop.example/", html), |_| std::future::pending()).await {
        Err(RenderError::PageCrashed) => {}
        // A machine with much memory is still filling it when the time is up.
        Ok(rendered) => assert_eq!(rendered.settled, Settled::OutOfWork),
        Err(error) => panic!("{error}"),
    }
    let rendered =
        Memory::default().render(&renderer, page("https://shop.example/", "<title>next</title>")).await;
    assert_eq!(rendered.title, "next");
    assert_eq!(renderer.process_id().await, process);
    renderer.close().await;
}

#[tokio::test]
async fn a_page_that_grows_without_end_costs_itself_alone() {
    let Some(renderer) = browser!(RenderConfig::default().work(SECOND)) else { return };
    let html = "<body onload=\"for (;;) document.body.append('x')\">";
    match renderer.render(page("https://shop.example/", html), |_| std::future::pending()).await {
        Ok(rendered) => assert_eq!(rendered.settled, Settled::OutOfWork),
        Err(error) => assert!(error.is_about_the_page(), "{error}"),
    }
    let rendered =
        Memory::default().render(&renderer, page("https://shop.example/", "<title>next</title>")).await;
    assert_eq!(rendered.title, "next");
    renderer.close().await;
}
