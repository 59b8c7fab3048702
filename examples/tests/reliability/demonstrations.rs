//! Each bot's demonstration, and a crawl under a key of one's own, as a person runs them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use bot_etiquette::signing::SigningKey;
use bot_etiquette_examples::arcgis_bot::world::{Islands, SERVERS};
use bot_etiquette_examples::bot::Bot;
use bot_etiquette_examples::files::make_folder;
use bot_etiquette_examples::personal;
use bot_etiquette_examples::snapshot_bot::worlds;
use bot_etiquette_examples::world::Demo;

use crate::program::{Running, program};
use crate::traces::{Planted, files, search};

const SEED: [u8; 32] = *b"a key that is planted for search";

/// The longest that a demonstration may take on a busy machine.
const LONG: Duration = Duration::from_secs(400);

/// An empty folder, with one in it for what is temporary.
fn folder(name: &str) -> PathBuf {
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("reliability-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("tmp")).unwrap();
    folder
}

/// A bot whose outputs go to `out` below the folder, and which may write nothing else than there.
fn bot(name: &str, folder: &Path, arguments: &[&str]) -> Running {
    let mut bot = Command::new(program(name));
    bot.current_dir(folder).env("TMPDIR", folder.join("tmp")).args(["--out", "out"]).args(arguments);
    if name == "snapshot_bot" && !arguments.contains(&"--no-render") {
        bot.arg("--no-sandbox");
    }
    Running::start(&mut bot, &folder.join("told.log"))
}

fn personal() -> Vec<Planted> {
    let mut all: Vec<_> = personal::ALL.map(Planted::text).into();
    // Secrets in the forms in which keys are written.
    all.extend(["PRIVATE KEY", "\"d\":\""].map(Planted::text));
    all
}

/// Only the owner reads the folder and what is kept in it.
#[cfg(unix)]
#[track_caller]
fn assert_private(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder.join("out")), 0o700);
    let files = files(&folder.join("out"));
    let kept: Vec<_> = files.iter().filter(|file| file.to_string_lossy().contains(".sqlite")).collect();
    assert!(!kept.is_empty());
    for file in kept {
        assert_eq!(mode(file), 0o600, "{}", file.display());
    }
}

/// The files that it names, and it does name one, are there.
#[track_caller]
fn assert_written(name: &str, told: &str, out: &Path) {
    let words = told.split([' ', '\n', ',', ':']).map(|word| word.trim_start_matches("out/demo/"));
    let ends = [".html", ".json", ".ndjson", ".ics"];
    let is_file = |word: &&str| !word.starts_with("//") && ends.iter().any(|end| word.ends_with(end));
    let named: Vec<_> = words.filter(is_file).collect();
    assert!(!named.is_empty(), "{name}: {told}");
    for file in named {
        assert!(out.join("demo").join(file).exists(), "{name} has not written {file}: {told}");
    }
}

/// What commands keep and write: a demonstration touches none of it.
const REAL: [&str; 8] = [
    "catalogue.sqlite",
    "catalogue.sqlite-wal",
    "catalogue.sqlite-shm",
    "state.sqlite",
    "report.html",
    "politeness.json",
    "events.ndjson",
    "pages.ndjson",
];

/// Runs it, and searches all but the files `given`.
async fn demonstration(name: &str, given: &[&str]) {
    let folder = folder(name);
    let out = folder.join("out");
    make_folder(&out).unwrap();
    for file in REAL {
        fs::write(out.join(file), "real").unwrap();
        #[cfg(unix)]
        fs::set_permissions(out.join(file), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    }
    let mut bot = bot(name, &folder, &[]);
    assert_eq!(bot.ended(LONG).await, Some(0), "{name}: {}", bot.told());
    let told = bot.told();
    assert!(told.contains("0 violations"), "{name}: {told}");
    let beside: Vec<_> = files(&out).into_iter().filter(|file| !file.starts_with(out.join("demo"))).collect();
    assert_eq!(beside.len(), REAL.len(), "{name} wrote beside its folder: {beside:?}");
    assert!(beside.iter().all(|file| fs::read(file).unwrap() == b"real"), "{name}: {beside:?}");
    assert_written(name, &told, &out);
    assert!(search(&folder, given, &personal()) >= REAL.len() + 5, "{name}: outputs, the state and the log");
    assert_eq!(files(&folder.join("tmp")), Vec::<PathBuf>::new(), "{name} left something");
    #[cfg(unix)]
    assert_private(&folder);
}

#[tokio::test]
async fn the_demonstration_of_arcgis_bot_writes_no_secret_and_no_personal_data() {
    demonstration("arcgis_bot", &[]).await;
}

#[tokio::test]
async fn the_demonstration_of_feed_bot_writes_no_secret_and_no_personal_data() {
    demonstration("feed_bot", &[]).await;
}

#[tokio::test]
async fn the_demonstration_of_snapshot_bot_writes_no_secret_and_no_personal_data() {
    // What a watched page says is kept as it is, to say what changed: the shop's own telephone number too. Who links write to or
    // call is not.
    demonstration("snapshot_bot", &["demo.sqlite", "demo.sqlite-wal"]).await;
}

/// An identity of the folder's own, with the key that is searched for.
fn identify(folder: &Path, identity: &str, key_file: &str) -> Bot {
    fs::write(folder.join(key_file), SigningKey::from_seed(&SEED).to_pkcs8_pem().as_bytes()).unwrap();
    fs::write(folder.join("identity.toml"), identity).unwrap();
    Bot::read_signed(&folder.join("identity.toml")).unwrap()
}

#[tokio::test]
async fn a_key_is_in_nothing_that_is_written_nor_told() {
    let key = [Planted::key(&SEED)];
    let (isles, orchard) = (folder("key-arcgis"), folder("key-snapshot"));

    let islands = Islands::read(SERVERS).unwrap().only(&["maps.port-hazel.example"]);
    let identity = bot_etiquette_examples::arcgis_bot::config::DEMO_IDENTITY;
    let signed = identify(&isles, identity, "smart-site-plan.key");
    let world = Demo::start(islands.sites().0, islands.promise(&signed, 60), 60).await.unwrap();
    world.write(&isles.join("world.json")).unwrap();
    let addresses = islands.addresses();
    let options = ["--identity", "identity.toml", "--world", "world.json"];
    let crawl: Vec<&str> =
        options.into_iter().chain(["crawl"]).chain(addresses.iter().map(String::as_str)).collect();
    for (command, code) in [
        (&crawl[..], 0),
        (&[&options[..], &["search", "harbour", "--at", "-7.6,47.5", "--json"]].concat(), 0),
        (&[&options[..], &["block", "maps.port-hazel.example"]].concat(), 0),
        (&[&options[..], &["crawl", "http://nowhere.example/arcgis/rest/services"]].concat(), 3),
    ] {
        let mut bot = bot("arcgis_bot", &isles, command);
        assert_eq!(bot.ended(LONG).await, Some(code), "{command:?}: {}", bot.told());
        assert!(search(&isles, &["smart-site-plan.key"], &key) >= 5);
    }
    assert!(world.finish().await.is_clean());

    let signed = identify(&orchard, include_str!("../../identities/site-snapshot.toml"), "site-snapshot.key");
    let world = Demo::start(worlds::orchard(), worlds::promise(&signed), 25).await.unwrap();
    world.write(&orchard.join("world.json")).unwrap();
    let options = ["--identity", "identity.toml", "--world", "world.json", "--no-render"];
    for command in
        [&["add", "http://press.example/orchards"][..], &["crawl"], &["report"], &["--json", "crawl"]]
    {
        let mut bot = bot("snapshot_bot", &orchard, &[&options[..], command].concat());
        let code = bot.ended(LONG).await;
        assert!(matches!(code, Some(0 | 3 | 4)), "{command:?}: {code:?} {}", bot.told());
        assert!(search(&orchard, &["site-snapshot.key"], &key) >= 3);
    }
    assert!(world.finish().await.is_clean());
}

#[tokio::test]
async fn ctrl_c_stops_each_demonstration_with_its_exit_code() {
    for (name, again) in
        ["arcgis_bot", "feed_bot", "snapshot_bot"].into_iter().flat_map(|name| [(name, false), (name, true)])
    {
        let folder = folder(&format!("stopped-{name}-{again}"));
        let mut bot = bot(name, &folder, &[]);
        // Late enough for some of it to be known.
        let state = || files(&folder).iter().any(|file| file.to_string_lossy().ends_with(".sqlite-wal"));
        while !state() {
            assert!(bot.is_running(), "{name}: {}", bot.told());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        bot.signal("INT");
        if again {
            bot.signal("INT");
        }
        let limit = Duration::from_secs(if again { 3 } else { 40 });
        assert_eq!(bot.ended(limit).await, Some(130), "{name}: {}", bot.told());
        assert!(!bot.told().contains("panicked"), "{name}: {}", bot.told());
        let half: Vec<_> = files(&folder)
            .into_iter()
            .filter(|file| file.extension().is_some_and(|end| end == "new"))
            .collect();
        assert_eq!(half, Vec::<PathBuf>::new(), "{name}");
        if !again {
            assert_written(name, &bot.told(), &folder.join("out"));
            // The browser's profile among it.
            assert_eq!(files(&folder.join("tmp")), Vec::<PathBuf>::new(), "{name} left something");
        }
    }
}

#[tokio::test]
async fn a_reader_that_went_away_ends_no_bot() {
    let mut running = Vec::new();
    for (name, argument, report) in [
        ("arcgis_bot", None, "report.html"),
        ("feed_bot", None, "index.html"),
        ("snapshot_bot", Some("--no-render"), "report.html"),
    ] {
        let folder = folder(&format!("unread-{name}"));
        let mut bot = Command::new(program(name));
        bot.current_dir(&folder).args(["--out", "out"]).args(argument);
        let mut bot = bot.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // As `| head -0` does.
        drop((bot.stdout.take(), bot.stderr.take()));
        running.push((bot, folder.join("out/demo").join(report)));
    }
    for (mut bot, report) in running {
        assert_eq!(bot.wait().unwrap().code(), Some(0), "{}", report.display());
        assert!(report.exists(), "{}", report.display());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn data_that_could_not_be_written_is_told() {
    let folder = folder("full");
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut bot = Command::new(program("feed_bot"));
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("sources/city-vibe.toml");
    bot.current_dir(&folder).args(["--json", "sources", "--sources"]).arg(sources).stdout(full);
    let ended = bot.output().unwrap();
    let told = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{told}");
    assert!(told.starts_with("feed_bot: the output could not be written: "), "{told}");
}
