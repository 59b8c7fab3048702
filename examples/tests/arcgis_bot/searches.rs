//! Search by word and place, the block, and what a search may ask.

use std::time::Duration;

use bot_etiquette::arcgis::Evidence;
use bot_etiquette_examples::arcgis_bot::config::Config;
use bot_etiquette_examples::arcgis_bot::crawl::crawl;
use bot_etiquette_examples::arcgis_bot::search::{around, ask_live, find};

use super::helm::Isles;

const GIS: &str = "gis.alder-isles.example";
const PORT: &str = "maps.port-hazel.example";

/// On the large island.
const HERE: (f64, f64) = (-7.62, 47.5);

#[tokio::test]
async fn what_was_seen_at_the_place_comes_first_and_every_result_names_its_server() {
    let isles = Isles::serve(&[GIS, PORT]).await;
    let (session, _) = isles.crawl().await;
    let place = around(HERE, 3.0);
    let hits = find(&session.catalogue, "r", Some(&place)).unwrap();
    assert!(hits.len() >= 3, "{hits:?}");
    assert!(hits.windows(2).all(|two| two[0].evidence >= two[1].evidence), "{hits:?}");
    assert_eq!(hits[0].evidence, Some(Evidence::Outlines));
    assert!(hits.iter().all(|hit| [GIS, PORT].contains(&hit.server.as_str()) && hit.publisher.is_some()));
    // Words that do not occur together find nothing, nor does a place in another sea.
    assert!(find(&session.catalogue, "ferry parcels", Some(&place)).unwrap().is_empty());
    assert!(find(&session.catalogue, "parcels", Some(&around((20.0, 40.0), 5.0))).unwrap().is_empty());
    for odd in ["", "\"", "* OR NEAR(", "name:parcels AND"] {
        assert!(find(&session.catalogue, odd, None).is_ok(), "{odd}");
    }
    isles.kept().await;
}

#[tokio::test]
async fn a_search_asks_the_matching_servers_live_one_request_at_a_time() {
    let isles = Isles::serve(&[GIS]).await;
    let (session, _) = isles.crawl().await;
    let place = around(HERE, 3.0);
    let mut hits = find(&session.catalogue, "p", Some(&place)).unwrap();
    let before = isles.log.all().len();
    let tally = ask_live(&session, &mut hits, &place, 4).await.unwrap();
    assert_eq!((tally.read, tally.left.len()), (4, 0), "{tally:?}");
    assert_eq!(hits.iter().filter(|hit| hit.here.is_some()).count(), 4, "{hits:?}");
    let asked = isles.log.all().split_off(before);
    assert!(
        asked.iter().filter(|(_, target)| target.contains("returnCountOnly=true")).count() == 4,
        "{asked:?}"
    );
    isles.kept().await;
}

#[tokio::test]
async fn a_blocked_host_is_left_alone_from_the_next_decision_on() {
    let isles = Isles::serve(&[GIS, PORT]).await;
    let session = isles.session();
    let crawling = tokio::spawn({
        let (session, roots) = (session.clone(), isles.roots());
        async move { crawl(&session, roots).await.map_err(|error| error.to_string()) }
    });
    while isles.asked(PORT, |_| true) < 2 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    // As another process does it: over a connection of its own.
    let other = isles.session_in(&isles.world, Config::default(), Duration::ZERO);
    let host = PORT.parse().unwrap();
    other.asker.state().politeness.kill(&host, other.now().into()).unwrap();
    let asked = isles.asked(PORT, |_| true);
    let tally = crawling.await.unwrap().unwrap();
    assert!(isles.asked(PORT, |_| true) <= asked + 1, "one may have been admitted just before");
    assert!(tally.left.iter().any(|left| left.why.contains("blocked")), "{tally:?}");
    assert!(tally.read >= 4, "{tally:?}");
    isles.kept().await;
}
