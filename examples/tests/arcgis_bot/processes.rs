//! Several processes over one state: killed at any point, killed again and again, and two at once.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;

use bot_etiquette::arcgis::VISIT_LIMIT;
use tokio::sync::Semaphore;
use tokio::task::LocalSet;

use super::helm::{Isles, contents};
use crate::program::{Running, program};

const GIS: &str = "gis.alder-isles.example";
const PORT: &str = "maps.port-hazel.example";
const HOSTING: &str = "services3.arcgis.com";

/// The longest that a crawl of these may take.
const LONG: Duration = Duration::from_secs(240);

/// Seconds of the clock in a real one: a service that gave no answer is taken up again within the test.
const SCALE: u32 = 30;

/// By lot, and the same again from the same seed.
struct Lot(u64);

impl Lot {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

async fn isles(hosts: &[&str]) -> Isles {
    use bot_etiquette_examples::arcgis_bot::world::{Islands, SERVERS};
    let islands = Islands::read(SERVERS).unwrap().only(hosts);
    // To the referee a request whose process was killed looks like a host that gave no answer.
    let isles = Isles::held_to(islands, SCALE, |promise| promise.unreachable_first(Duration::ZERO)).await;
    isles.demo.write(&isles.folder.file("world.json")).unwrap();
    // The lease of a request that was killed lasts as long as its time limit, and a little more.
    std::fs::write(isles.folder.file("config.toml"), "connect = 5.0\ntotal = 5.0\npreviews = 1\n").unwrap();
    isles
}

fn start(isles: &Isles, out: &str) -> Running {
    let file = |name: &str| isles.folder.file(name);
    let mut crawl = Command::new(program("arcgis_bot"));
    crawl
        .arg("--identity")
        .arg(file("identity.toml"))
        .arg("--world")
        .arg(file("world.json"))
        .arg("--config")
        .arg(file("config.toml"));
    crawl.arg("--state").arg(isles.state()).arg("--out").arg(file(out));
    crawl.args(["--wait", "7200", "crawl"]).args(isles.islands.addresses());
    Running::start(&mut crawl, &file(out).with_extension("log"))
}

async fn whole(hosts: &[&str]) -> (Vec<String>, u64) {
    let isles = isles(hosts).await;
    assert_eq!(start(&isles, "out").ended(LONG).await, Some(0));
    let kept = contents(&isles.state());
    (kept, isles.kept().await.requests())
}

/// Kills a crawl after this many requests, and lets it go on.
async fn killed_after(requests: u64, expected: &[String]) {
    let isles = isles(&[GIS, PORT]).await;
    let mut crawl = start(&isles, "out");
    while isles.demo.report().requests() < requests && crawl.is_running() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    crawl.kill();
    let mut crawl = start(&isles, "out");
    assert_eq!(crawl.ended(LONG).await, Some(0), "killed after {requests}");
    assert_same(&isles.state(), expected, (requests, &crawl.told()));
    isles.kept().await;
}

#[track_caller]
fn assert_same(state: &Path, expected: &[String], (requests, told): (u64, &str)) {
    let found = contents(state);
    let other = expected.iter().find(|row| !found.contains(row)).map(|row| row.get(..300).unwrap_or(row));
    assert!(
        other.is_none() && found.len() == expected.len(),
        "killed after {requests}: {other:?} is missing\n{told}"
    );
}

#[tokio::test]
async fn a_crawl_killed_at_any_point_goes_on_to_the_same_catalogue_and_asks_nothing_early() {
    let (expected, requests) = whole(&[GIS, PORT]).await;
    assert!(requests >= 35, "{requests}");
    // Fifteen points over the crawl.
    let mut lot = Lot(0x2545_F491_4F6C_DD1D ^ u64::from(std::process::id()));
    let mut point = || 1 + lot.below(requests - 1);
    let expected: Rc<[String]> = expected.into();
    let (together, room) = (LocalSet::new(), Rc::new(Semaphore::new(5)));
    let each = (0..15).map(|_| {
        let (point, expected, room) = (point(), Rc::clone(&expected), Rc::clone(&room));
        together.spawn_local(async move {
            let _room = room.acquire().await.unwrap();
            killed_after(point, &expected).await;
        })
    });
    let each: Vec<_> = each.collect();
    together
        .run_until(async {
            for one in each {
                one.await.unwrap();
            }
        })
        .await;
}

/// `.ci/kill-bot KILLS SEED` says how often and by which lot; without it a few times, each time by another.
#[tokio::test]
async fn a_crawl_killed_again_and_again_loses_nothing_and_does_nothing_twice_but_what_was_under_way() {
    let told = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let kills = told("BOT_ETIQUETTE_KILLS").unwrap_or(4);
    let seed = told("BOT_ETIQUETTE_SEED").unwrap_or_else(|| u64::from(std::process::id()));
    println!("kill -9 x {kills}, seed {seed}");
    let hosts = [GIS, PORT, HOSTING];
    let (expected, requests) = whole(&hosts).await;

    let isles = isles(&hosts).await;
    let mut lot = Lot(0x9E37_79B9_7F4A_7C15 ^ seed.wrapping_mul(0x2545_F491_4F6C_DD1D));
    // How many requests had come when each process died.
    let mut lives = Vec::new();
    let mut crawl = start(&isles, "out");
    for kill in 0..kills {
        // As many requests as are left for each, or at some moment before the first; then a moment of a request or of a pause.
        let before = isles.log.all().len();
        let left = requests.saturating_sub(before as u64) / (kills - kill);
        let until = before + lot.below(2 * left.min(8) + 2) as usize;
        while isles.log.all().len() < until && crawl.is_running() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        tokio::time::sleep(Duration::from_millis(lot.below(120))).await;
        if !crawl.is_running() {
            break; // the lot gave the ones before so many requests that it came to its end
        }
        crawl.kill();
        // What the dead one sent may still be on its way to the site.
        let mut sent = usize::MAX;
        while std::mem::replace(&mut sent, isles.log.all().len()) != sent {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        lives.push(sent);
        assert_eq!(integrity(&isles.state()), "ok", "after kill {kill}");
        crawl = start(&isles, "out");
    }
    assert_eq!(crawl.ended(LONG).await, Some(0), "{}", crawl.told());
    assert!(2 * lives.len() as u64 >= kills, "it ended after {} kills of {kills}", lives.len());
    let kills = lives.len();
    assert_same(&isles.state(), &expected, (kills as u64, &crawl.told()));
    assert_whole(&isles.folder.file("out"));
    let asked = isles.log.all();
    let again = asked_again(&asked, &lives);
    let report = isles.kept().await;
    println!(
        "kill -9 x {kills}: {} requests of which {again} were under way at a kill and asked again, {} violations, \
         the catalogue of a crawl that nobody killed",
        report.requests(),
        report.violations().len(),
    );
}

/// What the database says of itself; one that was never made is as good.
fn integrity(state: &Path) -> String {
    if !state.exists() {
        return "ok".to_owned();
    }
    let connection = rusqlite::Connection::open(state).unwrap();
    connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap()
}

/// The outputs stand whole, and nothing beside them.
#[track_caller]
fn assert_whole(out: &Path) {
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    for line in read("services.ndjson").lines().chain([&*read("layers.geojson"), &*read("politeness.json")]) {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
    assert!(read("report.html").trim_end().ends_with("</html>"));
    let names = std::fs::read_dir(out).unwrap().map(|entry| entry.unwrap().file_name());
    let names: std::collections::BTreeSet<_> = names.collect();
    let expected = ["layers.geojson", "politeness.json", "report.html", "services.ndjson"];
    assert_eq!(names, expected.map(Into::into).into());
}

/// How many requests were made twice: only what was under way when a process died, a visit of each of a host's two workers.
#[track_caller]
fn asked_again(asked: &[(String, String)], lives: &[usize]) -> usize {
    let life = |at: usize| lives.iter().filter(|&&end| end <= at).count();
    let under_way = |at: usize| {
        let later = asked.iter().enumerate().skip(at + 1);
        let same = later.filter(|(other, one)| life(*other) == life(at) && one.0 == asked[at].0);
        same.count() < 2 * VISIT_LIMIT as usize
    };
    let (mut last, mut again, mut late) = (BTreeMap::new(), 0, 0);
    for (at, one) in asked.iter().enumerate() {
        let Some(first) = last.insert(one, at) else { continue };
        if life(first) == life(at) {
            // On a busy machine an answer may come too late for the bot, which then asks once more by its own rules.
            late += 1;
            continue;
        }
        assert!(under_way(first), "{one:?} was asked again long after its answer");
        again += 1;
    }
    assert!(late <= 2, "{late} were asked twice by one process");
    again
}

#[tokio::test]
async fn two_processes_at_once_keep_the_limits_together() {
    let isles = isles(&[GIS, PORT]).await;
    let (mut one, mut other) = (start(&isles, "one"), start(&isles, "other"));
    assert_eq!(tokio::join!(one.ended(LONG), other.ended(LONG)), (Some(0), Some(0)));
    let report = isles.kept().await;
    assert_eq!(report.figures().hosts[GIS].most_open, 2, "{report}");
}

/// The longest from a wish to stop to the end: what is open is finished, within its time limit of five seconds.
const SOON: Duration = Duration::from_secs(8);

#[tokio::test]
async fn ctrl_c_in_the_middle_keeps_what_was_read_and_the_next_crawl_goes_on() {
    let (expected, requests) = whole(&[GIS, PORT]).await;
    for (point, again) in [(1, false), (requests / 2, false), (requests - 4, false), (requests / 3, true)] {
        let isles = isles(&[GIS, PORT]).await;
        let mut crawl = start(&isles, "out");
        while isles.demo.report().requests() < point {
            assert!(crawl.is_running(), "{}", crawl.told());
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        crawl.signal("INT");
        if again {
            crawl.signal("INT");
        }
        assert_eq!(crawl.ended(SOON).await, Some(130), "after {point}: {}", crawl.told());
        assert_eq!(integrity(&isles.state()), "ok");
        let known = contents(&isles.state()).len();
        if !again {
            assert!(
                crawl.told().contains("the same command goes on where this one ended"),
                "{}",
                crawl.told()
            );
            assert_whole(&isles.folder.file("out"));
        }
        let mut crawl = start(&isles, "out");
        assert_eq!(crawl.ended(LONG).await, Some(0), "after {point}: {}", crawl.told());
        assert_same(&isles.state(), &expected, (point, &crawl.told()));
        assert_whole(&isles.folder.file("out"));
        assert!(known < expected.len() || point == 1, "it was stopped in the middle");
        isles.kept().await;
    }
}
