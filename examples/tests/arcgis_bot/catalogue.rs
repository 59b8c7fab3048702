//! What is kept: pictures, standings, places; and what happens when it cannot be.

use std::time::Duration;

use bot_etiquette::arcgis::{PREVIEW_AGE, ServiceState};
use bot_etiquette_examples::arcgis_bot::catalogue::time;
use bot_etiquette_examples::arcgis_bot::config::Config;
use bot_etiquette_examples::arcgis_bot::crawl::crawl;
use bot_etiquette_examples::arcgis_bot::outputs::{self, Contents};
use bot_etiquette_examples::arcgis_bot::report::Story;
use bot_etiquette_examples::arcgis_bot::{check, preview};

use super::helm::{DAY, Isles, contents};

const GIS: &str = "gis.alder-isles.example";
const OLD: &str = "old.hazel-island.example";
const WATER: &str = "water.alder-isles.example";
const ENERGY: &str = "assets.rowan-energy.example";

#[tokio::test]
async fn a_picture_of_exactly_thirty_days_is_kept_and_one_a_moment_older_is_drawn_again() {
    let isles = Isles::serve(&[GIS]).await;
    let (session, _) = isles.crawl().await;
    let contents = Contents::read(&session.catalogue).unwrap();
    let drawn: Vec<_> =
        contents.layers().map(|(_, _, layer)| layer.clone()).filter(|one| one.picture.is_some()).collect();
    assert!(drawn.len() >= 6, "{} pictures", drawn.len());
    for layer in drawn {
        let at = layer.drawn.unwrap();
        let due = |now| preview::due(vec![layer.clone()], now).len();
        assert_eq!(due(at + PREVIEW_AGE), 0);
        assert_eq!(due(at + PREVIEW_AGE + Duration::from_millis(1)), 1);
    }
    isles.kept().await;
}

#[tokio::test]
async fn three_checks_a_day_apart_drop_a_service_that_asks_for_a_token() {
    let isles = Isles::serve(&[ENERGY]).await;
    let (session, _) = isles.crawl().await;
    let states = || -> Vec<_> {
        let contents = Contents::read(&session.catalogue).unwrap();
        contents.servers[0].1.iter().map(|(service, _)| service.state).collect()
    };
    assert_eq!(states(), [ServiceState::Unchecked; 2]);
    for (day, expected) in [(1, ServiceState::Unchecked), (2, ServiceState::NotPublic)] {
        let later = isles.session_in(&isles.days_later(day), Config::default(), DAY);
        check::check(&later).await.unwrap();
        assert_eq!(states(), [expected; 2], "day {day}");
    }
    // It is asked no more, and nothing ever told it a password.
    let before = isles.log.all().len();
    let later = isles.session_in(&isles.days_later(4), Config::default(), DAY);
    assert_eq!(check::check(&later).await.unwrap().read, 0);
    crawl(&later, isles.roots()).await.unwrap();
    let asked = isles.log.all().split_off(before);
    assert!(asked.iter().all(|(_, target)| !target.contains("Server")), "{asked:?}");
    assert!(isles.log.all().iter().all(|(_, target)| !target.contains("token")));
}

#[tokio::test]
async fn a_busy_service_rests_for_an_hour_while_its_neighbours_are_read() {
    let isles = Isles::serve(&[WATER]).await;
    let session = isles.session_in(&isles.world, Config::default(), Duration::from_secs(60));
    let tally = crawl(&session, isles.roots()).await.unwrap();
    let later: Vec<_> =
        tally.left.iter().filter(|left| left.until.is_some()).map(|left| &left.what).collect();
    assert_eq!(later.len(), 2, "the one that said 503 and the one that said 200: {tally:?}");
    let wait = tally.come_back().unwrap().since(session.now().into());
    assert!((Duration::from_secs(3_400)..=Duration::from_secs(3_960)).contains(&wait), "{wait:?}");
    assert!(tally.read >= 1, "{tally:?}");
    isles.kept().await;
}

#[tokio::test]
async fn odd_answers_of_old_servers_cost_nobody_else() {
    let isles = Isles::serve(&[OLD]).await;
    let (session, _) = isles.crawl().await;
    let contents = Contents::read(&session.catalogue).unwrap();
    let problem = |name: &str| {
        let of = |(service, _): &&(_, _)| -> bool {
            let service: &bot_etiquette_examples::arcgis_bot::records::ServiceRecord = service;
            service.url.name() == name
        };
        contents.servers[0].1.iter().find(of).and_then(|(service, _)| service.problem.clone())
    };
    assert!(problem("Broken").unwrap().contains("no JSON"));
    assert!(problem("Closed_for_now").unwrap().contains("maintenance"));
    let layer = |name: &str| contents.layers().find(|(_, _, layer)| layer.name() == name).unwrap().2;
    // An extent of NaN, and features where a count was asked for: ids told, outlines showed where.
    assert_eq!(layer("Rock outcrops").known.count, Some(12));
    assert!(layer("Rock outcrops").known.coverage.is_some());
    assert_eq!(layer("Soil samples").known.count, Some(240));
    // The server's picture is JSON under the name of a PNG: features are drawn here instead.
    assert_eq!(layer("Soil samples").way.as_deref(), Some("a sample drawn here"));
    isles.kept().await;
}

#[tokio::test]
async fn a_full_disk_or_a_state_that_cannot_be_written_keeps_what_was_stored() {
    let isles = Isles::serve(&[GIS]).await;
    isles.crawl().await;
    let before = contents(&isles.state());
    for trouble in ["PRAGMA query_only = on", "PRAGMA max_page_count = 1"] {
        let session = isles.session_in(&isles.days_later(2), Config::default(), DAY);
        session.catalogue.query(|tables| tables.execute_batch(trouble).or(Ok(()))).unwrap();
        let crawled = crawl(&session, isles.roots()).await;
        let told = crawled.expect_err(trouble).to_string();
        assert!(told.contains("readonly") || told.contains("full"), "{told}");
        assert_eq!(contents(&isles.state()), before, "{trouble}");
    }
    // Outputs are written whole or stay as they were.
    let session = isles.session();
    let out = isles.folder.file("out");
    outputs::write(&out, &session, &Story::default()).unwrap();
    let page = std::fs::read(out.join("report.html")).unwrap();
    std::fs::create_dir(out.join(".services.ndjson.new")).unwrap();
    let error = outputs::write(&out, &session, &Story::default()).unwrap_err().to_string();
    assert!(error.contains("services.ndjson could not be written"), "{error}");
    assert_eq!(std::fs::read(out.join("report.html")).unwrap(), page);
}

#[tokio::test]
async fn the_outputs_hold_every_service_and_layer() {
    let isles = Isles::serve(&[GIS]).await;
    let (session, _) = isles.crawl().await;
    let out = isles.folder.file("out");
    outputs::write(&out, &session, &Story::default()).unwrap();
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    let services: Vec<serde_json::Value> =
        read("services.ndjson").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(services.len(), 4);
    assert!(
        services
            .iter()
            .all(|service| service["server"] == GIS && service["publisher"] == "Alder Isles Council")
    );
    let layers: serde_json::Value = serde_json::from_str(&read("layers.geojson")).unwrap();
    assert_eq!(layers["features"].as_array().unwrap().len(), 8);
    assert_eq!(layers["features"][0]["geometry"]["type"], "Polygon");
    let politeness: serde_json::Value = serde_json::from_str(&read("politeness.json")).unwrap();
    assert!(politeness["hosts"][GIS]["requests"].as_u64() > Some(20), "{politeness}");
    let page = read("report.html");
    for part in ["<svg id=\"map\"", "data:image/png;base64,", "type=\"search\"", "Street trees", "5,200"] {
        assert!(page.contains(part), "{part}");
    }
    // One file: nothing is loaded from elsewhere.
    assert!(!page.contains("src=\"http") && !page.contains("<link"));
    assert!(time(0) < session.now());
}
