//! What a person does wrong, and hosts that are not there.

use std::process::{Command, Output};

use super::helm::{Folder, Isles};
use crate::program::program;

fn run(folder: &Folder, arguments: &[&str]) -> Output {
    Command::new(program("arcgis_bot"))
        .args(["--out"])
        .arg(folder.file("out"))
        .args(arguments)
        .output()
        .unwrap()
}

#[track_caller]
fn refused(arguments: &[&str], code: i32, words: &[&str]) {
    let folder = Folder::new();
    let output = run(&folder, arguments);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {told}");
    for word in words {
        assert!(told.contains(word), "{arguments:?}: {word:?} is not in {told}");
    }
}

#[test]
fn off_this_machine_a_name_of_ones_own_is_needed_and_the_template_shown() {
    let crawl = ["crawl", "https://gis.example.org/arcgis/rest/services"];
    refused(&crawl, 2, &["--identity FILE", "user_agent", "key_file"]);
    refused(&["search", "parks", "--at", "5.7,45.2"], 2, &["--identity FILE"]);
    // The name of the demonstration is its operator's.
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/identities/smart-site-plan.toml");
    refused(&["--identity", demo, crawl[0], crawl[1]], 2, &["identity"]);
}

#[test]
fn what_is_written_wrong_is_named() {
    refused(&["crawl", "https://example.org/maps"], 2, &["address 1", "/rest/services"]);
    refused(
        &["crawl", "https://me:secret@gis.example.org/arcgis/rest/services"],
        2,
        &["user name or password"],
    );
    refused(&["search", "parks", "--at", "here"], 2, &["longitude and latitude"]);
    refused(&["crawl"], 2, &["--identity"]);
    let folder = Folder::new();
    std::fs::write(folder.file("config.toml"), "previews = \"many\"").unwrap();
    let config = folder.file("config.toml");
    refused(&["--config", config.to_str().unwrap(), "check"], 2, &["config.toml: line 1: previews: "]);
    refused(&["--config", "/nowhere.toml", "check"], 2, &["/nowhere.toml"]);
    std::fs::write(folder.file("policy.toml"), "[default]\nmax_opn = 2").unwrap();
    let policy = folder.file("policy.toml");
    refused(&["--policy", policy.to_str().unwrap(), "report"], 2, &["policy.toml", "max_opn"]);
    refused(&["--state", "/proc/no/such.sqlite", "report"], 1, &["/proc/no/such.sqlite"]);
}

#[tokio::test]
async fn a_dead_host_is_told_with_the_time_to_come_back_and_nothing_is_lost() {
    let isles = Isles::serve(&["geo.drowned-village.example"]).await;
    let (world, out) = (isles.folder.file("world.json"), isles.folder.file("out"));
    isles.demo.write(&world).unwrap();
    let address = isles.islands.addresses().remove(0);
    let mut crawl = Command::new(program("arcgis_bot"));
    crawl.arg("--world").arg(world).arg("--out").arg(out).args(["--wait", "60", "crawl", &address]);
    let output = tokio::task::spawn_blocking(move || crawl.output().unwrap()).await.unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "nothing could be read: {told}");
    assert!(told.contains("come back at") || told.contains("no answer"), "{told}");
}

#[tokio::test]
async fn a_page_that_is_no_directory_is_no_server() {
    let isles = Isles::serve(&["water.alder-isles.example"]).await;
    let session = isles.session();
    let wrong = bot_etiquette_examples::arcgis_bot::config::roots(&[
        "http://water.alder-isles.example/other/rest/services".into(),
    ]);
    let tally = bot_etiquette_examples::arcgis_bot::crawl::crawl(&session, wrong.unwrap()).await.unwrap();
    assert_eq!(tally.exit(), bot_etiquette_examples::exit::Exit::Nothing, "{tally:?}");
    isles.kept().await;
}
