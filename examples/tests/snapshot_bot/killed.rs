//! `kill -9` and Ctrl-C at many points: nothing is asked twice, nothing too early, and the crawl comes to its end.
//!
//! The test starts its own binary again as the bot: `child` does nothing unless it is told which world to join.

use std::ops::Range;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use bot_etiquette_examples::exit::Exit;
use bot_etiquette_examples::snapshot_bot::bots::Edition;
use bot_etiquette_examples::snapshot_bot::command::{self, Setup};
use bot_etiquette_examples::snapshot_bot::{Look, Wish, worlds};

use crate::bench::{AGENT, Bench, owed};
use crate::program::{Running, program};

/// Requests from one point to the next; the first is always that of robots.txt.
const EVERY: usize = 3;
const HOME: &str = "http://orchard.example/";

#[tokio::test]
async fn child() {
    let Some(out) = std::env::var_os("SNAPSHOT_OUT") else { return };
    let out = std::path::PathBuf::from(out);
    let world = Some(out.join("world.json"));
    let setup = Setup {
        out,
        state: None,
        identity: None,
        policy: None,
        world,
        json: true,
        edition: Edition::Server,
        look: Look { no_render: true, ..Look::default() },
    };
    let exit = command::run(&setup, command::Command::Crawl { site: None }).await.unwrap();
    assert!(matches!(exit, Exit::Done | Exit::Partial), "{exit:?}");
}

// Fifteen points in two crawls, which run side by side: most of the time goes by in waits.

#[tokio::test]
async fn a_crawl_that_is_killed_at_eight_points_asks_nothing_twice_and_nothing_early() {
    killed("killed", 0..8).await;
}

#[tokio::test]
async fn a_crawl_that_is_killed_at_seven_more_points_asks_nothing_twice_and_nothing_early() {
    killed("killed-more", 8..15).await;
}

/// The orchard, watched, and written down for another process.
async fn bench(name: &str) -> Bench {
    let promise = owed().user_agent(AGENT).signed(true).revisit(Duration::from_secs(7 * 86_400));
    let mut sites = worlds::orchard();
    // The shared CDNs have a pace of their own, and a host without an answer a wait of its own.
    sites.retain(|site| !site.name().starts_with("cdn.") && site.name() != "silent.example");
    let bench = Bench::new(name, sites, promise, 25).await;
    bench.add(HOME, &Wish { subdomains: true, ..Wish::default() }).unwrap();
    bench.demo.write(&bench.out.join("world.json")).unwrap();
    bench
}

async fn killed(name: &str, points: Range<u64>) {
    let bench = bench(name).await;
    for point in points.clone() {
        let mut child = spawn(&bench);
        let before = bench.demo.requests();
        while bench.demo.requests() < before + EVERY {
            assert!(child.try_wait().unwrap().is_none(), "it ended before point {point}");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        // Some die while an answer is under way, most at some moment of a wait. The slot of a request that died open is
        // held as long as it could have lasted.
        tokio::time::sleep(Duration::from_millis(if point % 7 == 3 { 0 } else { 20 + point * 4 })).await;
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let mut bot = start(&bench, &["crawl"]);
    let code = bot.ended(Duration::from_secs(240)).await;
    assert!(matches!(code, Some(0 | 4)), "{code:?}: {}", bot.told());
    assert_whole(&bench);
    bench.clean();
    let pages = bench.pages();
    let read = pages.values().filter(|page| page["outcome"] == "read").count();
    let lost = pages.values().filter(|page| page["outcome"] == "lost").count();
    // At each point one page at the most, on each of the two hosts.
    assert!(read >= 12 && lost as u64 <= 2 * (points.end - points.start), "{read} read, {lost} lost");
}

fn spawn(bench: &Bench) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed::child", "--nocapture", "--quiet"])
        .env("SNAPSHOT_OUT", &bench.out)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The bot as its own program, in the world of the bench.
fn start(bench: &Bench, command: &[&str]) -> Running {
    let mut bot = Command::new(program("snapshot_bot"));
    bot.arg("--out").arg(&bench.out).arg("--world").arg(bench.out.join("world.json"));
    bot.arg("--no-render").args(command);
    Running::start(&mut bot, &bench.out.join("told.log"))
}

/// The outputs stand whole, and none half written.
#[track_caller]
fn assert_whole(bench: &Bench) {
    let read = |name: &str| std::fs::read_to_string(bench.out.join(name)).unwrap();
    for line in
        read("pages.ndjson").lines().chain(read("links.ndjson").lines()).chain([&*read("politeness.json")])
    {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
    assert!(read("report.html").trim_end().ends_with("</html>"));
    for entry in std::fs::read_dir(&bench.out).unwrap() {
        let name = entry.unwrap().file_name();
        assert!(!name.to_string_lossy().ends_with(".new"), "{name:?} is half written");
    }
}

#[tokio::test]
async fn ctrl_c_in_the_middle_keeps_what_was_read_and_the_next_crawl_goes_on() {
    let bench = bench("stopped").await;
    let mut asked = 0;
    // The third time it is asked twice: it leaves at once.
    for (points, again) in [(4, false), (4, false), (4, true)] {
        let mut bot = start(&bench, &["crawl"]);
        while bench.demo.requests() < asked + points {
            assert!(bot.is_running(), "{}", bot.told());
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        bot.signal("INT");
        if again {
            bot.signal("INT");
        }
        assert_eq!(bot.ended(Duration::from_secs(20)).await, Some(130), "{}", bot.told());
        assert_whole(&bench);
        asked = bench.demo.requests();
    }
    let mut bot = start(&bench, &["crawl"]);
    let code = bot.ended(Duration::from_secs(240)).await;
    assert!(matches!(code, Some(0 | 4)), "{code:?}: {}", bot.told());
    assert_whole(&bench);
    bench.clean();
    let pages = bench.pages();
    let read = pages.values().filter(|page| page["outcome"] == "read").count();
    let lost = pages.values().filter(|page| page["outcome"] == "lost").count();
    assert!(read >= 12 && lost <= 2, "{read} read, {lost} lost");
}
