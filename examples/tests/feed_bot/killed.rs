//! `kill -9` and Ctrl-C at any request: the bot goes on where it was, and the hosts see nothing of it.
//!
//! The test starts its own binary again as the bot: `child` does nothing unless it is told what to run.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use bot_etiquette::politeness::Policy;
use bot_etiquette::referee::{Page, Site};
use bot_etiquette_examples::feed_bot::{cli, demo, kept::Kept};
use bot_etiquette_examples::personal;
use bot_etiquette_examples::world::Demo;

use crate::demo::search;
use crate::program::{Running, program};
use crate::town;

const ARGUMENTS: &str = "FEED_BOT_ARGUMENTS";

#[tokio::test]
async fn child() {
    let Ok(arguments) = std::env::var(ARGUMENTS) else { return };
    let arguments: Vec<String> = arguments.split('\u{1f}').map(str::to_owned).collect();
    match cli::run_with(&arguments).await {
        Ok(exit) => std::process::exit(exit as i32),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(99)
        }
    }
}

/// The bot in a world that this process serves; its configuration lies in a folder below.
fn bot(folder: &Path, below: &str, command: &[&str]) -> Command {
    let of = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let mut arguments = vec![
        "--sources".to_owned(),
        of(&format!("{below}sources.toml")),
        "--out".to_owned(),
        of(""),
        "--world".to_owned(),
        of(&format!("{below}world.json")),
    ];
    arguments.extend(command.iter().map(|&word| word.to_owned()));
    let mut bot = Command::new(std::env::current_exe().unwrap());
    bot.args(["killed::child", "--exact", "--nocapture"]).env(ARGUMENTS, arguments.join("\u{1f}"));
    bot.stdout(Stdio::piped()).stderr(Stdio::piped());
    bot
}

/// Hosts of the policy, each with a source of four pages.
const HOSTS: [&str; 3] = ["datos.madrid.es", "datosabiertos.jcyl.es", "www.esmadrid.com"];

const PAGES: [&str; 4] = ["/1.json", "/2.json", "/3.json", "/4.json"];

/// A world of 12 pages and 3 robots.txt files, so that there are fifteen requests to be killed at.
async fn small_world(folder: &Path) -> Demo {
    let sources = town::configure(folder, "", &["http://datos.madrid.es/1.json"], &[]);
    let mut text = String::from("policy = \"policy.toml\"\nreviews = \"reviews\"\n");
    let mut sites = Vec::new();
    for (at, host) in HOSTS.into_iter().enumerate() {
        town::review(folder, host, "", "");
        let urls = PAGES.map(|page| format!("http://{host}{page}"));
        text.push_str(&format!(
            "[[source]]\nid = \"town-{at}\"\non = true\nmap = \"map.toml\"\nurls = {urls:?}\n"
        ));
        let page = |(at, path): (usize, &&str)| {
            let item = format!(
                "{{\"items\":[{{\"id\":{at},\"title\":\"Danza, {}\",\"from\":\"2099-05-01\"}}]}}",
                personal::EMAIL
            );
            Page::new(path).header("Content-Type", "application/json").body(item)
        };
        sites.push(PAGES.iter().enumerate().map(page).fold(Site::new(host), Site::page));
    }
    fs::write(sources, text).unwrap();
    // What came in the last moment before a kill cannot be known: its validators are left to the other tests.
    let promise =
        town::promise().conditional(false).group(&["www.esmadrid.com"], 0.1).canary(personal::EMAIL);
    let world = Demo::start(sites, promise, 100).await.unwrap();
    world.write(&folder.join("world.json")).unwrap();
    world
}

/// Every event that is held, by source and key.
fn held(folder: &Path) -> Vec<String> {
    let policy = Policy::from_toml(include_str!("../../policies/city-vibe.toml")).unwrap();
    let kept = Kept::open(&folder.join("state.sqlite"), policy).unwrap();
    let of = |id: String| {
        let events = kept.events(&id).unwrap();
        events.into_iter().map(move |(event, _)| format!("{id} {}", event.key()))
    };
    kept.sources().unwrap().into_iter().flat_map(of).collect()
}

/// Kills the bot when this many requests have come, and starts it again; what is held in the end.
async fn killed_at(point: usize) -> Vec<String> {
    let folder = town::folder(&format!("killed-{point}"));
    let world = small_world(&folder).await;
    let mut running = bot(&folder, "", &["run", "--once"]).spawn().unwrap();
    while world.requests() < point && running.try_wait().unwrap().is_none() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    // SIGKILL.
    running.kill().unwrap();
    running.wait().unwrap();
    // Whatever was open then keeps its host's slot until the longest that an answer may take is over.
    let mut again = bot(&folder, "", &["run", "--once"]);
    let again = tokio::task::spawn_blocking(move || again.output().unwrap()).await.unwrap();
    let log = String::from_utf8_lossy(&again.stderr).into_owned();
    assert_eq!(again.status.code(), Some(0), "{point}: {log}");
    let report = world.finish().await;
    assert!(report.is_clean(), "{point}: {report}");
    assert!((15..=15 + 3).contains(&report.requests()), "at most one a host is lost: {point}: {report}");
    for name in ["events.ndjson", "state.sqlite"] {
        let bytes = fs::read(folder.join(name)).unwrap();
        assert!(
            !bytes.windows(personal::EMAIL.len()).any(|window| window == personal::EMAIL.as_bytes()),
            "{name}"
        );
    }
    held(&folder)
}

#[tokio::test]
async fn a_bot_killed_at_any_of_fifteen_requests_goes_on_and_breaks_no_promise() {
    let points: Vec<_> = (1..=15).map(|point| tokio::spawn(killed_at(point))).collect();
    let whole = |source| (0..4).map(move |event| format!("town-{source} town:{event}"));
    let whole: Vec<String> = (0..3).flat_map(whole).collect();
    for (point, ended) in points.into_iter().enumerate() {
        assert_eq!(ended.await.unwrap(), whole, "{point}");
    }
}

#[tokio::test]
async fn what_is_held_of_a_source_is_listed_and_no_log_holds_personal_data() {
    let folder = town::folder("held");
    demo::configure(&folder.join("demo"), None).unwrap();
    let world = Demo::start(demo::sites(SystemTime::now()), demo::promise(), demo::SCALE).await.unwrap();
    world.write(&folder.join("demo/world.json")).unwrap();
    let mut said = String::new();
    for command in [
        &["run", "--once"][..],
        &["held", "madrid"],
        &["sources"],
        &["report"],
        &["review", "do.diba.cat"],
        &["review", "elsewhere.example"],
        &["off", "diba"],
        &["held", "nobody"],
    ] {
        let mut bot = bot(&folder, "demo/", command);
        let output = tokio::task::spawn_blocking(move || bot.output().unwrap()).await.unwrap();
        said.push_str(&String::from_utf8_lossy(&output.stdout));
        said.push_str(&String::from_utf8_lossy(&output.stderr));
    }
    for words in [
        "madrid:9001 Cuentacuentos en la biblioteca",
        "ETag \"madrid-1\"",
        "last read",
        "0 e-mail addresses, 0 phone numbers kept",
        "allowed 8640 a day, asked",
        "on  esmadrid-es",
        "diba is off",
        "crawl_delay = 10.0",
        "loosening is a person's act",
        "no source asks \"elsewhere.example\"",
        "nothing is held of \"nobody\"",
        "looser: Crawl-delay was 10 s and is 2 s",
    ] {
        assert!(said.contains(words), "{words:?} is not in:\n{said}");
    }
    fs::write(folder.join("log.txt"), said).unwrap();
    assert!(search(&folder) >= 6, "four outputs, the state and the log");
    assert!(world.finish().await.is_clean());
}

/// The bot as its own program, in the world of the folder.
fn start(folder: &Path, command: &[&str]) -> Running {
    let mut bot = Command::new(program("feed_bot"));
    bot.arg("--sources").arg(folder.join("sources.toml")).arg("--out").arg(folder);
    bot.arg("--world").arg(folder.join("world.json")).args(command);
    Running::start(&mut bot, &folder.join("told.log"))
}

/// The outputs stand whole, and none half written.
#[track_caller]
fn assert_whole(folder: &Path) {
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    for line in read("events.ndjson").lines().chain([&*read("politeness.json")]) {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
    assert!(read("index.html").trim_end().ends_with("</html>"));
    assert!(read("calendar.ics").trim_end().ends_with("END:VCALENDAR"));
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name();
        assert!(!name.to_string_lossy().ends_with(".new"), "{name:?} is half written");
    }
}

#[tokio::test]
async fn ctrl_c_in_the_middle_keeps_what_was_read_and_the_next_run_goes_on() {
    let whole = |source| (0..4).map(move |event| format!("town-{source} town:{event}"));
    let whole: Vec<String> = (0..3).flat_map(whole).collect();
    for (point, command) in [(1, &["run", "--once"][..]), (8, &["run", "--once"]), (8, &["run"])] {
        let folder = town::folder(&format!("stopped-{point}-{}", command.len()));
        let world = small_world(&folder).await;
        let mut bot = start(&folder, command);
        while world.requests() < point {
            assert!(bot.is_running(), "{}", bot.told());
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        bot.signal("INT");
        assert_eq!(bot.ended(Duration::from_secs(8)).await, Some(130), "{point}: {}", bot.told());
        assert_whole(&folder);
        assert!(held(&folder).len() < whole.len(), "it was stopped in the middle");
        // A run that was stopped is taken up again, at once.
        let mut bot = start(&folder, &["run", "--once"]);
        assert_eq!(bot.ended(Duration::from_secs(60)).await, Some(0), "{point}: {}", bot.told());
        assert_whole(&folder);
        assert_eq!(held(&folder), whole);
        let report = world.finish().await;
        assert!(report.is_clean(), "{point}: {report}");
    }
}

#[tokio::test]
async fn a_second_ctrl_c_leaves_at_once_and_loses_nothing() {
    let folder = town::folder("stopped-twice");
    let sources = town::configure(&folder, "", &["http://datos.madrid.es/slow.json"], &[]);
    assert!(sources.exists());
    let late = town::page("/slow.json", &["Danza"]).delay(Duration::from_secs(20));
    let site = Site::new(town::HOST).page(late).page(town::page("/slow.json", &["Danza"]));
    let world = Demo::start(vec![site], town::promise(), 1).await.unwrap();
    world.write(&folder.join("world.json")).unwrap();
    let mut bot = start(&folder, &["run", "--once"]);
    // robots.txt, and the page that takes twenty seconds.
    while world.requests() < 2 {
        assert!(bot.is_running(), "{}", bot.told());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    bot.signal("INT");
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(bot.is_running(), "what is open is finished:\n{}", bot.told());
    bot.signal("INT");
    assert_eq!(bot.ended(Duration::from_secs(2)).await, Some(130), "{}", bot.told());
    // The run was not over: it is taken up again, once the slot of the request that died is free.
    let mut bot = start(&folder, &["run", "--once"]);
    assert_eq!(bot.ended(Duration::from_secs(90)).await, Some(0), "{}", bot.told());
    assert_whole(&folder);
    let report = world.finish().await;
    assert!(report.is_clean(), "{report}");
}
