//! A long run against hosts that misbehave in every way: no promise is broken, nothing hangs, and memory stays where it was.
//!
//! `BOT_ETIQUETTE_SOAK_MINUTES` says how long, `.ci/soak MINUTES` sets it; without it the run takes seconds, and its
//! memory is told and not judged.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use bot_etiquette::politeness::Policy;
use bot_etiquette::referee::{Asked, Page, RetryAfter, Site};
use bot_etiquette_examples::feed_bot::{config::EVERY, kept::Kept};
use bot_etiquette_examples::world::Demo;

use crate::program::{Running, program};
use crate::town;

/// Seconds of the clock in a real one: a source is due every eleven seconds.
const SCALE: u32 = 1000;

/// How much more memory than before is a leak, in percent.
const DRIFT: f64 = 5.0;

/// A host, and what it answers.
type Host = (&'static str, fn(&Asked<'_>) -> Page);

/// Each misbehaves in its own way, most of them now and then.
const HOSTS: &[Host] = &[
    ("good.example", |asked| page(asked.before).etag(&format!("\"{}\"", asked.before / 3))),
    // Late heads; a body in thirty stalls.
    ("slow.example", |asked| match asked.before % 30 {
        20 => page(asked.before).per_second_bytes(0),
        _ => page(asked.before).delay(Duration::from_secs(800)).per_second_bytes(200),
    }),
    ("reset.example", |asked| match asked.before % 3 {
        0 => page(asked.before),
        1 => Page::new("/feed.json").no_answer(),
        _ => Page::new("/feed.json").raw(b"HTTP/1.1 2"),
    }),
    ("cut.example", |asked| {
        match asked.before % 3 {
        0 => page(asked.before),
        1 => page(asked.before).break_after(50),
        _ => Page::new("/feed.json").raw(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{\"items\":\r\nzz\r\n",
        ),
    }
    }),
    ("busy.example", |asked| match asked.before % 5 {
        0 => page(asked.before),
        1 => Page::new("/feed.json").status(429).retry_after(RetryAfter::Seconds(900)),
        2 => Page::new("/feed.json").status(503).retry_after(RetryAfter::Date(1800)),
        3 => Page::new("/feed.json").status(503).header("Retry-After", "soon"),
        _ => Page::new("/feed.json").status(429),
    }),
    ("lies.example", |asked| {
        match asked.before % 4 {
        0 => page(asked.before),
        1 => Page::new("/feed.json").raw(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{\"items\":[]}",
        ),
        2 => Page::new("/feed.json").raw(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n{\"items\":[{\"id\":1}]}",
        ),
        _ => Page::new("/feed.json").raw(
            b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\nContent-Length: 13\r\n\r\n{\"items\":[]}",
        ),
    }
    }),
    ("circle.example", |asked| match asked.target {
        "/feed.json" => Page::new("/feed.json").redirect("/a"),
        "/a" => Page::new("/a").redirect("/b"),
        _ => Page::new("/b").redirect("/a"),
    }),
    ("bomb.example", |asked| match asked.before % 2 {
        0 => page(asked.before),
        _ => Page::new("/feed.json").header("Content-Type", "application/json").gzip_bomb(1 << 30),
    }),
    ("rubbish.example", |asked| match asked.before % 4 {
        0 => page(asked.before),
        1 => Page::new("/feed.json").header("Content-Type", "application/json").bytes_of(3_000_000),
        2 => Page::new("/feed.json").header("Content-Type", "text/html").body("<title>Maintenance</title>"),
        _ => Page::new("/feed.json")
            .header("Content-Type", "application/json")
            .header("Content-Encoding", "gzip")
            .body("this is no gzip"),
    }),
];

/// What the robots.txt of each host is, in turn.
fn robots(number: usize) -> Page {
    let file = Page::new("/robots.txt");
    match number % 6 {
        0 => file.body("User-agent: *\nAllow: /\n"),
        1 => file.status(404),
        2 => file.header("Content-Type", "text/plain").gzip_bomb(1 << 30),
        3 => file.header("Content-Type", "text/html").body("<html>Disallow: /".repeat(40_000)),
        4 => file.status(503).retry_after(RetryAfter::Seconds(120)),
        _ => file.no_answer(),
    }
}

/// A feed of three hundred events, some of them others each time.
fn page(number: u64) -> Page {
    let titles: Vec<String> = (0..300_u64).map(|at| format!("Danza {}", at + at % 2 * number)).collect();
    let items: Vec<String> = (0..).zip(&titles).map(|(at, title)| town::item(at, title)).collect();
    let body = format!("{{\"items\":[{}]}}", items.join(","));
    Page::new("/feed.json").header("Content-Type", "application/json").body(body)
}

fn configure(folder: &Path) -> Policy {
    let sources = town::configure(folder, "", &["http://datos.madrid.es/feed.json"], &[]);
    let mut policy = include_str!("../../policies/city-vibe.toml").to_owned();
    let mut text = String::from("policy = \"policy.toml\"\nreviews = \"reviews\"\n");
    for (at, (host, _)) in HOSTS.iter().enumerate() {
        town::review(folder, host, "", "");
        policy.push_str(&format!("[host.\"{host}\"]\nmin_delay = 2.0\n"));
        text.push_str(&format!(
            "[[source]]\nid = \"soak-{at}\"\non = true\nmap = \"map.toml\"\nurls = [\"http://{host}/feed.json\"]\n"
        ));
    }
    std::fs::write(sources, text).unwrap();
    std::fs::write(folder.join("policy.toml"), &policy).unwrap();
    Policy::from_toml(&policy).unwrap()
}

#[tokio::test]
async fn a_long_run_against_every_fault_breaks_no_promise_hangs_nowhere_and_grows_not() {
    let minutes: Option<f64> =
        std::env::var("BOT_ETIQUETTE_SOAK_MINUTES").ok().map(|text| text.parse().unwrap());
    let lasting = Duration::from_secs_f64(minutes.map_or(20.0, |minutes| minutes * 60.0));
    let folder = town::folder("soak");
    let policy = configure(&folder);
    let sites = HOSTS.iter().enumerate().map(|(at, &(host, answer))| {
        Site::new(host).robots_answer(robots(at)).handler(move |asked| Some(answer(asked)))
    });
    let promise = town::promise()
        .max_redirects(5)
        .busy_first(Duration::from_secs(60))
        .busy_factor(2.0)
        .unreachable_first(Duration::from_secs(900))
        .unreachable_factor(2.0);
    let world = Demo::start(sites.collect(), promise, SCALE).await.unwrap();
    world.write(&folder.join("world.json")).unwrap();

    let mut bot = Command::new(program("feed_bot"));
    bot.arg("--sources").arg(folder.join("sources.toml")).arg("--out").arg(&folder);
    bot.arg("--world").arg(folder.join("world.json")).arg("run");
    let mut bot = Running::start(&mut bot, &folder.join("told.txt"));
    let (started, mut asked, mut moved, mut longest) = (Instant::now(), 0, Instant::now(), Duration::ZERO);
    let mut resident = Vec::new();
    while started.elapsed() < lasting {
        tokio::time::sleep(Duration::from_millis(250)).await;
        assert!(bot.is_running(), "it ended:\n{}", bot.told());
        resident.extend(bot.resident());
        longest = longest.max(moved.elapsed());
        if world.requests() > asked {
            (asked, moved) = (world.requests(), Instant::now());
        }
        // Something is due every eleven seconds; a request may take thirty.
        assert!(moved.elapsed() < 4 * EVERY / SCALE + Duration::from_secs(30), "it hangs:\n{}", bot.told());
    }
    bot.signal("INT");
    assert_eq!(bot.ended(Duration::from_secs(40)).await, Some(130), "{}", bot.told());

    let report = world.finish().await;
    let quarters = [0, 1, 2, 3].map(|quarter| median(&resident, quarter));
    let drift = 100.0 * (quarters[3] as f64 - quarters[1] as f64) / quarters[1] as f64;
    println!(
        "soak: {:.1} min, {} hosts, {} requests, {} violations, longest silence {:.1} s; resident KiB by quarter \
         {quarters:?}, the last against the second {drift:+.2} %",
        started.elapsed().as_secs_f64() / 60.0,
        HOSTS.len(),
        report.requests(),
        report.violations().len(),
        longest.as_secs_f64(),
    );
    assert!(report.is_clean(), "{report}");
    let kept = Kept::open(&folder.join("state.sqlite"), policy).unwrap();
    for (at, (host, _)) in HOSTS.iter().enumerate() {
        let row = kept.row(&format!("soak-{at}")).unwrap();
        assert!(row.began > 0 && row.ended, "{host} was given up: {row:?}");
    }
    assert!(kept.events("soak-0").unwrap().len() >= 300, "the good host is read");
    if minutes.is_some() {
        assert!(drift < DRIFT, "{drift} %");
    }
}

/// The median of a quarter, counted from 0.
fn median(all: &[u64], quarter: usize) -> u64 {
    let mut part = all[all.len() * quarter / 4..all.len() * (quarter + 1) / 4].to_vec();
    part.sort_unstable();
    part[part.len() / 2]
}
