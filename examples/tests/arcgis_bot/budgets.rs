//! How much is asked, and of whom.

use std::collections::BTreeMap;
use std::time::Duration;

use bot_etiquette_examples::arcgis_bot::config::Config;
use bot_etiquette_examples::arcgis_bot::crawl::crawl;
use bot_etiquette_examples::arcgis_bot::world::{Islands, SERVERS};
use bot_etiquette_examples::arcgis_bot::{budget, check, crawl as job, discover};

use super::helm::{DAY, Isles};

const GIS: &str = "gis.alder-isles.example";
const OLD: &str = "old.hazel-island.example";
const PORT: &str = "maps.port-hazel.example";

/// The requests of each service by what they ask: its description and layers, or a layer's features, or a picture.
fn by_service(isles: &Isles) -> BTreeMap<String, [usize; 3]> {
    let mut services: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    for (host, target) in isles.log.all() {
        let path = target.split('?').next().unwrap();
        let Some(at) =
            ["MapServer", "FeatureServer"].iter().find_map(|kind| Some(path.find(kind)? + kind.len()))
        else {
            continue;
        };
        let (service, rest) = path.split_at(at);
        let of_layer = rest.trim_start_matches('/').split('/').next().unwrap().parse::<u64>().is_ok();
        let kind = match rest {
            _ if rest.starts_with("/export") || rest.starts_with("/tile") => 2,
            _ if target.contains("outSR=3857") => 2,
            _ if of_layer && rest.ends_with("/query") => 1,
            _ => 0,
        };
        services.entry(format!("{host}{service}")).or_default()[kind] += 1;
    }
    services
}

#[tokio::test]
async fn a_service_costs_three_requests_to_describe_and_three_to_place_however_many_layers() {
    let isles = Isles::serve(&[GIS, OLD, PORT]).await;
    let (session, _) = isles.crawl().await;
    let services = by_service(&isles);
    assert!(services.len() >= 9, "{services:?}");
    for (service, [descriptions, places, _]) in &services {
        assert!((1..=3).contains(descriptions), "{service}: {descriptions} to describe it");
        assert!(*places <= 3, "{service}: {places} about its layers");
    }
    let read = session.catalogue.roots().unwrap().iter().map(|root| root.services.1).sum::<u64>();
    assert_eq!(read, 9, "four of the council, two of the town, three of the survey");
    isles.kept().await;
}

#[tokio::test]
async fn each_folder_is_listed_once_and_a_closed_one_is_named_and_never_asked() {
    let isles = Isles::serve(&[GIS]).await;
    let (session, _) = isles.crawl().await;
    for folder in ["Environment", "Planning"] {
        let listed = |target: &str| target == format!("/arcgis/rest/services/{folder}?f=json");
        assert_eq!(isles.asked(GIS, listed), 1, "{folder}");
    }
    assert_eq!(isles.asked(GIS, |target| target.contains("Internal")), 0);
    let roots = session.catalogue.roots().unwrap();
    assert!(
        roots[0]
            .closed
            .iter()
            .any(|(folder, why)| folder == "Internal" && why.contains("disallowed by line 2")),
        "{roots:?}"
    );
    isles.kept().await;
}

#[tokio::test]
async fn a_second_crawl_within_a_day_asks_nothing() {
    let isles = Isles::serve(&[GIS]).await;
    isles.crawl().await;
    // Pictures that one visit had no room for are no reason to visit again.
    let before = isles.log.all().len();
    isles.crawl().await;
    assert_eq!(isles.log.all().len(), before);
    isles.kept().await;
}

#[tokio::test]
async fn a_dry_run_sends_nothing_and_tells_the_most_that_would_be_asked() {
    let isles = Isles::serve(&[GIS]).await;
    let session = isles.session();
    let unknown = budget::budget(&session, &isles.roots()).unwrap();
    assert!(!unknown[0].known && budget::told(&unknown).contains("3 to describe"), "{unknown:?}");
    assert_eq!(isles.demo.report().requests(), 0);
    isles.crawl().await;
    let later = isles.session_in(&isles.days_later(2), Config::default(), Duration::ZERO);
    let known = budget::budget(&later, &isles.roots()).unwrap();
    assert_eq!((known[0].services, known[0].descriptions, known[0].places), (4, 12, 12), "{known:?}");
}

#[tokio::test]
async fn a_check_asks_for_the_description_alone() {
    let isles = Isles::serve(&[GIS]).await;
    isles.crawl().await;
    let before = isles.log.all().len();
    let later = isles.session_in(&isles.days_later(1), Config::default(), DAY);
    let tally = check::check(&later).await.unwrap();
    assert_eq!((tally.read, tally.left.len()), (4, 0), "{tally:?}");
    let asked: Vec<_> = isles.log.all().split_off(before).into_iter().map(|(_, target)| target).collect();
    assert_eq!(asked.len(), 4, "{asked:?}");
    assert!(asked.iter().all(|target| target.ends_with("Server?f=json")), "{asked:?}");
    // And not again on the same day.
    assert_eq!(check::check(&later).await.unwrap().read, 0);
}

#[tokio::test]
async fn the_job_where_asks_a_layer_again_after_thirty_days_and_not_before() {
    let isles = Isles::serve(&[PORT]).await;
    isles.crawl().await;
    let asked = || isles.asked(PORT, |target| target.contains("/query"));
    let mut session = isles.session_in(&isles.days_later(1), Config::default(), DAY);
    while job::places(&session).await.unwrap().read > 0 && asked() < 40 {
        let before = asked();
        job::places(&session).await.unwrap();
        if asked() == before {
            break;
        }
    }
    let all = asked();
    session = isles.session_in(&isles.days_later(29), Config { previews: 0, ..Config::default() }, DAY);
    job::places(&session).await.unwrap();
    assert_eq!(asked(), all, "29 days on nothing is asked");
    session = isles.session_in(&isles.days_later(33), Config { previews: 0, ..Config::default() }, DAY);
    job::places(&session).await.unwrap();
    assert!(asked() > all, "after 30 days it is");
}

#[tokio::test]
async fn shared_hosting_has_more_open_than_two_and_each_organisation_no_more() {
    let organisation = |name: &str| {
        let services: String = (0..6)
            .map(|n| {
                format!(
                    "[[server.service]]\nname = \"S{n}\"\ntype = \"MapServer\"\nlayers = [{{ name = \"L\", shape = \"ferries\" }}]\n"
                )
            })
            .collect();
        format!(
            "[[server]]\nhost = \"services3.arcgis.com\"\npublisher = \"{name}\"\nroot = \"/{name}/arcgis/rest/services\"\nversion = 12.0\n\
             max_open = 8\ndelay = 20.0\n{services}"
        )
    };
    let text: String = ["OrgOne", "OrgTwo", "OrgThree"].map(organisation).concat();
    let isles = Isles::of(Islands::read(&text).unwrap(), super::helm::SCALE).await;
    let session = isles.session_in(&isles.world, Config { previews: 1, ..Config::default() }, DAY);
    crawl(&session, isles.roots()).await.unwrap();
    let report = isles.kept().await;
    let open = report.figures().hosts["services3.arcgis.com"].most_open;
    assert!((3..=6).contains(&open), "three organisations with two each: {open}\n{report}");
}

#[tokio::test]
async fn catalogues_are_asked_under_their_records_and_a_refusal_is_no_empty_result() {
    let isles = Isles::of(Islands::read(SERVERS).unwrap(), super::helm::SCALE).await;
    let config =
        Config { ct_logs: vec!["https://isles2026h2.skylight.geomys.org/".into()], ..Config::default() };
    let session = isles.session_in(&isles.world, config, Duration::from_secs(600));
    let (found, tally) = discover::discover(&session, &discover::LANES).await.unwrap();
    let mut hosts: Vec<_> = found.iter().map(|root| root.authority().to_owned()).collect();
    hosts.sort_unstable();
    // The council's own server is in Wikidata, whose robots.txt closes what its manual invites programs to.
    assert_eq!(hosts, [GIS, "harbour.alder-isles.example", "maps.rowan-school.example"], "{tally:?}");
    assert_eq!(isles.asked("query.wikidata.org", |target| target.starts_with("/sparql")), 3);
    // What does not look like a map server's name is never asked, and a host is not probed again.
    let school = || isles.asked("maps.rowan-school.example", |_| true);
    assert_eq!((school(), isles.asked("vpn.alder-isles.example", |_| true)), (1, 0));
    discover::discover(&session, &["certificates"]).await.unwrap();
    assert_eq!(school(), 1);
    let (found, tally) = discover::discover(&session, &["crt.sh"]).await.unwrap();
    assert!(found.is_empty() && tally.left[0].why.contains("no lane"), "{tally:?}");
    isles.kept().await;
}

#[tokio::test]
async fn a_day_stays_a_day_when_the_clock_is_set_back_between_two_crawls() {
    for back in [DAY / 24, DAY, 365 * DAY] {
        let isles = Isles::serve(&[GIS]).await;
        isles.crawl().await;
        let asked = isles.log.all().len();
        let set = isles.world.clock.now() - back;
        let session = isles.session_in(&isles.at(set), Config::default(), DAY);
        job::crawl(&session, isles.roots()).await.unwrap();
        assert_eq!(isles.log.all().len(), asked, "{back:?} back, the same day");
        // What comes next is signed by a clock that is wrong, as the referee would say.
        assert!(isles.demo.report().is_clean(), "{}", isles.demo.report());
        let session = isles.session_in(&isles.at(set + 2 * DAY), Config::default(), DAY);
        job::crawl(&session, isles.roots()).await.unwrap();
        assert!(isles.log.all().len() > asked, "{back:?} back, two days later");
    }
}
