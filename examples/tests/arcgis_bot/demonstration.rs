//! What a newcomer sees first.

use bot_etiquette_examples::arcgis_bot::demo;
use bot_etiquette_examples::exit::Exit;
use bot_etiquette_examples::interrupt::Interrupt;
use bot_etiquette_examples::talk::{self, Talk};

use super::helm::Folder;

#[tokio::test]
async fn the_demonstration_reads_searches_reports_and_breaks_no_promise() {
    talk::hush();
    let folder = Folder::new();
    let exit = demo::run(&folder.0, Talk::new(true), true, Interrupt::never()).await.unwrap();
    // Done is said of a clean verdict alone.
    assert_eq!(exit, Exit::Done);
    let read = |name: &str| std::fs::read_to_string(folder.file(&format!("demo/{name}"))).unwrap();
    let politeness: serde_json::Value = serde_json::from_str(&read("politeness.json")).unwrap();
    assert_eq!(politeness["referee"]["violations"].as_array().unwrap().len(), 0);
    // Each trait of the world is in the report: who closed what, who was left alone, who was busy, who never answered.
    let page = read("report.html");
    for part in [
        "Internal",
        "longer Crawl-delay",
        "Token Required",
        "geo.drowned-village.example",
        "found by certificates",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(politeness["hosts"]["data.slowford.example"]["requests"], 1, "its robots.txt alone");
}
