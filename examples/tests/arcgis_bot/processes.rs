//! Several processes over one state: killed at any point, and two at once.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::LocalSet;

use super::helm::{Isles, contents};

const GIS: &str = "gis.alder-isles.example";
const PORT: &str = "maps.port-hazel.example";

/// Seconds of the clock in a real one: a service that gave no answer is taken up again within the test.
const SCALE: u32 = 30;

/// The bot as a program: cargo builds the examples beside the tests.
pub fn program() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().unwrap().parent().unwrap().join("examples/arcgis_bot");
    assert!(program.exists(), "{} is not built: run the tests of the whole package", program.display());
    program
}

async fn isles() -> Isles {
    use bot_etiquette_examples::arcgis_bot::world::{Islands, SERVERS};
    let islands = Islands::read(SERVERS).unwrap().only(&[GIS, PORT]);
    // To the referee a request whose process was killed looks like a host that gave no answer.
    let isles = Isles::held_to(islands, SCALE, |promise| promise.unreachable_first(Duration::ZERO)).await;
    isles.demo.write(&isles.folder.file("world.json")).unwrap();
    // The lease of a request that was killed lasts as long as its time limit, and a little more.
    std::fs::write(isles.folder.file("config.toml"), "connect = 5.0\ntotal = 5.0\npreviews = 1\n").unwrap();
    isles
}

fn start(isles: &Isles, out: &str) -> Child {
    let file = |name: &str| isles.folder.file(name);
    let mut crawl = Command::new(program());
    crawl
        .arg("--identity")
        .arg(file("identity.toml"))
        .arg("--world")
        .arg(file("world.json"))
        .arg("--config")
        .arg(file("config.toml"));
    crawl.arg("--state").arg(isles.state()).arg("--out").arg(file(out));
    crawl.args(["--wait", "7200", "crawl"]).args(isles.islands.addresses());
    let told = std::fs::File::create(file(out).with_extension("log")).unwrap();
    crawl.stdout(Stdio::null()).stderr(told).spawn().unwrap()
}

/// Waits for the end without blocking the servers.
async fn ended(mut child: Child) -> Option<i32> {
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn whole() -> (Vec<String>, u64) {
    let isles = isles().await;
    assert_eq!(ended(start(&isles, "out")).await, Some(0));
    let kept = contents(&isles.state());
    (kept, isles.kept().await.requests())
}

/// Kills a crawl after this many requests, and lets it go on.
async fn killed_after(requests: u64, expected: &[String]) {
    let isles = isles().await;
    let mut child = start(&isles, "out");
    while isles.demo.report().requests() < requests && child.try_wait().unwrap().is_none() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let code = ended(start(&isles, "out")).await;
    assert_eq!(code, Some(0), "killed after {requests}");
    let told = std::fs::read_to_string(isles.folder.file("out.log")).unwrap();
    assert_same(&isles.state(), expected, (requests, &told));
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
    let (expected, requests) = whole().await;
    assert!(requests >= 35, "{requests}");
    // Fifteen points over the crawl, by lot.
    let mut lot = 0x2545_F491_4F6C_DD1D_u64 ^ u64::from(std::process::id());
    let mut point = || {
        lot ^= lot << 13;
        lot ^= lot >> 7;
        lot ^= lot << 17;
        1 + lot % (requests - 1)
    };
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

#[tokio::test]
async fn two_processes_at_once_keep_the_limits_together() {
    let isles = isles().await;
    let (one, other) = (start(&isles, "one"), start(&isles, "other"));
    assert_eq!(tokio::join!(ended(one), ended(other)), (Some(0), Some(0)));
    let report = isles.kept().await;
    assert_eq!(report.figures().hosts[GIS].most_open, 2, "{report}");
}
