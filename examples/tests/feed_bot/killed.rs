//! `kill -9` at any request: the bot goes on where it was, and the hosts see nothing of it.
//!
//! The test starts its own binary again as the bot: `child` does nothing unless it is told what to run.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use bot_etiquette::politeness::Policy;
use bot_etiquette_examples::feed_bot::{cli, demo, kept::Kept};
use bot_etiquette_examples::world::Demo;

use crate::demo::search;
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

fn bot(folder: &Path, command: &[&str]) -> Command {
    let of = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let mut arguments = vec![
        "--sources".to_owned(),
        of("demo/sources.toml"),
        "--out".to_owned(),
        of(""),
        "--world".to_owned(),
        of("demo/world.json"),
    ];
    arguments.extend(command.iter().map(|&word| word.to_owned()));
    let mut bot = Command::new(std::env::current_exe().unwrap());
    bot.args(["killed::child", "--exact", "--nocapture"]).env(ARGUMENTS, arguments.join("\u{1f}"));
    bot.stdout(Stdio::piped()).stderr(Stdio::piped());
    bot
}

async fn world(folder: &Path, scale: u32) -> Demo {
    demo::configure(&folder.join("demo"), None).unwrap();
    // Validators of what came in the last moment before a kill cannot be known: that rule is left to the other tests.
    let promise = demo::promise().conditional(false).revisit(Duration::from_secs(10));
    let world = Demo::start(demo::sites(SystemTime::now()), promise, scale).await.unwrap();
    world.write(&folder.join("demo/world.json")).unwrap();
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_killed_at_any_of_fifteen_requests_goes_on_and_breaks_no_promise() {
    const POINTS: u64 = 15;
    // The whole run is 13 requests and a look at 4 hosts; the last points fall after its end.
    let mut whole: Option<Vec<String>> = None;
    for point in (0..POINTS).rev() {
        let folder = town::folder(&format!("killed-{point}"));
        let world = world(&folder, 400).await;
        let mut running = bot(&folder, &["run", "--once"]).spawn().unwrap();
        while world.report().requests() < point && running.try_wait().unwrap().is_none() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        // SIGKILL.
        running.kill().unwrap();
        running.wait().unwrap();
        let again = tokio::task::spawn_blocking({
            let mut again = bot(&folder, &["run", "--once"]);
            move || again.output().unwrap()
        });
        let again = again.await.unwrap();
        let log = String::from_utf8_lossy(&again.stderr).into_owned();
        assert!(matches!(again.status.code(), Some(0 | 3 | 4)), "{point}: {:?}\n{log}", again.status);
        let held = held(&folder);
        assert_eq!(whole.get_or_insert_with(|| held.clone()), &held, "{point}");
        let report = world.finish().await;
        assert!(report.is_clean(), "{point}: {report}");
        search(&folder);
    }
    assert!(whole.is_some_and(|events| events.len() > 1180));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_held_of_a_source_is_listed_and_no_log_holds_personal_data() {
    let folder = town::folder("held");
    let world = world(&folder, 1000).await;
    let mut said = String::new();
    for command in [
        &["run", "--once"][..],
        &["held", "madrid"],
        &["sources"],
        &["report"],
        &["off", "diba"],
        &["held", "nobody"],
    ] {
        let mut bot = bot(&folder, command);
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
        "nothing is held of \"nobody\"",
        "looser: Crawl-delay was 10 s and is 2 s",
    ] {
        assert!(said.contains(words), "{words:?} is not in:\n{said}");
    }
    fs::write(folder.join("log.txt"), said).unwrap();
    assert!(search(&folder) >= 6);
    assert!(world.finish().await.is_clean());
}
