//! Catalogues: what is asked, what is believed, who is left alone.

use std::time::{Duration, SystemTime};

use bot_etiquette_arcgis::discover::{
    Finding, HostRefusal, HubPage, PortalWalk, Probe, Review, RobotsRule, SOURCES, SearchPage, Window, ct,
    is_probeable, server_root,
};
use bot_etiquette_arcgis::{Answer, Directory, Problem};

fn page(total: u64, next: i64, items: &[&str]) -> SearchPage {
    let items: Vec<_> = items.iter().map(|id| format!(r#"{{"id":"{id}","type":"Map Service"}}"#)).collect();
    let body = format!(r#"{{"total":{total},"nextStart":{next},"results":[{}]}}"#, items.join(","));
    Answer::body(body.as_bytes()).read::<SearchPage>().unwrap().facts
}

fn walk(from: u64, to: u64) -> PortalWalk {
    PortalWalk::new(&"https://www.arcgis.com".parse().unwrap(), Window { from, to })
}

#[test]
fn a_walk_ends_where_the_portal_says_so_or_repeats_itself() {
    for next in [-1, 0, 1] {
        let mut walk = walk(0, 10);
        assert_eq!(walk.answered(page(2, next, &["a", "b"])).len(), 2);
        assert!(walk.next().is_none(), "next start {next}");
    }
    let mut over = walk(0, 10);
    over.answered(page(300, 101, &["a"]));
    assert!(over.next().unwrap().url.as_str().contains("start=101"));
    // Page one again, past the end.
    assert!(over.answered(page(300, 201, &["a"])).is_empty());
    assert!(over.next().is_none());
}

#[test]
fn windows_are_halved_until_they_can_be_paged_through() {
    let mut halved = walk(0, 3);
    assert!(halved.next().unwrap().url.as_str().contains("created%3A%5B0+TO+3%5D"));
    assert!(halved.answered(page(10_000, 101, &["a"])).is_empty());
    assert!(halved.next().unwrap().url.as_str().contains("created%3A%5B0+TO+1%5D"));
    assert_eq!(halved.answered(page(9_999, -1, &["a"])).len(), 1);
    assert!(halved.next().unwrap().url.as_str().contains("created%3A%5B2+TO+3%5D"));
    let mut single = walk(5, 5);
    assert_eq!(single.answered(page(10_000, 101, &["a"])).len(), 1);
    assert_eq!(single.truncated(), [Window { from: 5, to: 5 }]);
}

#[test]
fn items_are_filtered_by_their_exact_type_and_a_closed_portal_is_an_error() {
    let body = br#"{"total":2,"nextStart":-1,"results":[{"id":"a","type":"Web Mapping Application"},{"id":"b","type":"Map Service","spatialReference":"102100",
        "extent":[[140.999,-37.506],[159.257,-28.125]]},{"id":"c","type":"Map Service","extent":[],"spatialReference":null},{"id":"d","type":"Map Service","extent":[[-180,-90],[180,90]]}]}"#;
    let facts = Answer::body(body).read::<SearchPage>().unwrap().facts;
    let boxes: Vec<_> = facts.items.iter().map(|item| item.bbox().map(<[f64; 4]>::from)).collect();
    assert_eq!(boxes, [None, Some([140.999, -37.506, 159.257, -28.125]), None, None]);
    let kept = walk(0, 1).answered(facts);
    assert_eq!(kept.iter().map(|item| item.id.as_deref().unwrap()).collect::<Vec<_>>(), ["b", "c", "d"]);
    let closed = Answer::body(br#"{"error":{"code":499,"message":"Token Required"}}"#).read::<SearchPage>();
    assert!(matches!(closed, Err(Problem::AuthRequired { .. })));
}

#[test]
fn only_public_servers_are_taken_from_a_catalogue() {
    let table = [
        (
            "https://gis.example.gov/arcgis/rest/services/Parcels/MapServer/0",
            Ok("https://gis.example.gov/arcgis/rest/services"),
        ),
        (
            "https://p.example.org/portal/sharing/servers/9f/rest/services/X/MapServer",
            Err(HostRefusal::Proxy),
        ),
        ("https://utility.arcgis.com/usrsvcs/servers/9f/rest/services/X/MapServer", Err(HostRefusal::Proxy)),
        ("https://services.arcgisonline.com/ArcGIS/rest/services/World/MapServer", Err(HostRefusal::Basemap)),
        ("http://10.1.2.3/arcgis/rest/services", Err(HostRefusal::PrivateHost)),
        ("http://[::1]/arcgis/rest/services", Err(HostRefusal::PrivateHost)),
        ("http://100.64.0.1/arcgis/rest/services", Err(HostRefusal::PrivateHost)),
        ("http://gisprod/arcgis/rest/services", Err(HostRefusal::PrivateHost)),
        ("https://gis.corp.local/arcgis/rest/services", Err(HostRefusal::PrivateHost)),
    ];
    for (url, expected) in table {
        assert_eq!(server_root(url).map(|root| root.to_string()), expected.map(str::to_owned), "{url}");
    }
    assert!(server_root("https://{switch:services,server}.arcgisonline.com/x/rest/services").is_err());
    assert!(server_root("https://maps.example.org/portal/home/item.html?id=0123").is_err());
}

#[test]
fn a_certificate_is_no_invitation() {
    for name in [
        "gis.example.org",
        "maps2.example.org",
        "arcgisserver.example.org",
        "gis.example.org.qa",
        "gis.example.dev",
        "maps.example.int",
    ] {
        assert!(is_probeable(name), "{name}");
    }
    for name in [
        "gis-test.example.org",
        "intranet.gis.example.org",
        "gis.dev.example.org",
        "*.gis.example.org",
        "www.example.org",
        "gis.org",
        "gis123.example.org",
        "vpn.example.org",
        "gis..example.org",
        "gis.qa1.example.org",
        "",
    ] {
        assert!(!is_probeable(name), "{name}");
    }
}

#[test]
fn a_probe_asks_twice_at_the_most_and_only_after_a_plain_404() {
    let answer = |status: u16, body: &str| {
        let status = http::StatusCode::from_u16(status).unwrap();
        Answer::new(status, &http::HeaderMap::new(), body.as_bytes()).read::<Directory>()
    };
    let probe = |answers: &[(u16, &str)]| {
        let mut probe = Probe::new("gis.example.org").unwrap();
        let mut asked = 0;
        while probe.next().is_some() {
            let (status, body) = answers[asked];
            probe.answered(answer(status, body));
            asked += 1;
        }
        (asked, probe.finding().unwrap().clone())
    };
    let found = r#"{"folders":[],"services":[]}"#;
    assert!(matches!(probe(&[(200, found)]), (1, Finding::Server(_))));
    assert!(matches!(probe(&[(404, ""), (200, found)]), (2, Finding::Server(_))));
    assert_eq!(probe(&[(404, ""), (404, "")]), (2, Finding::Nothing));
    assert_eq!(probe(&[(403, "")]), (1, Finding::Closed));
    assert_eq!(probe(&[(200, "<html>Sign In</html>")]), (1, Finding::Closed));
    assert_eq!(probe(&[(200, r#"{"error":{"code":499,"message":"Token Required"}}"#)]), (1, Finding::Closed));
    assert!(Finding::Nothing.holds() > Finding::Closed.holds());
}

#[test]
fn hub_pages_stay_on_their_host_and_go_forward() {
    let page = |href: &str| {
        let body = format!(r#"{{"features":[],"links":[{{"rel":"next","href":"{href}"}}]}}"#);
        Answer::body(body.as_bytes()).read::<HubPage>().unwrap().facts
    };
    let asked = "https://hub.arcgis.com/api/search/v1/collections/all/items?limit=100&startindex=101";
    let next = |href: &str| page(href).next(asked).map(|request| request.url.to_string());
    assert_eq!(
        next("https://hub.arcgis.com/x?startindex=201").unwrap(),
        "https://hub.arcgis.com/api/search/v1/collections/all/items?limit=100&startindex=201"
    );
    assert_eq!(next("https://elsewhere.example/x?startindex=201"), None);
    assert_eq!(next("https://hub.arcgis.com/x?startindex=101"), None);
    assert_eq!(next("not a url"), None);
}

#[test]
fn the_tiles_of_a_log_are_named_as_its_format_says() {
    for (index, path) in [
        (0, "000"),
        (255, "255"),
        (256, "256"),
        (999, "999"),
        (1000, "x001/000"),
        (273, "273"),
        (1_234_067, "x001/x234/067"),
    ] {
        assert_eq!(ct::tile_path(index), path);
    }
    assert_eq!(
        (ct::tiles(70_000, 0), ct::tiles(70_000, 1), ct::tiles(70_000, 2), ct::tiles(u64::MAX, 9)),
        ((273, 112), (1, 17), (0, 1), (0, 0))
    );
    let root = "A".repeat(43);
    let text = format!("log.example/2026\n300\n{root}=\n\n\u{2014} log.example/2026 kVB1JgAAAZtykzgA\n");
    let checkpoint = ct::Checkpoint::parse(&text).unwrap();
    assert_eq!(
        (checkpoint.origin.as_str(), checkpoint.size, checkpoint.signatures[0].key_id.as_str()),
        ("log.example/2026", 300, "91507526")
    );
    for (from, to) in [
        ("\n300\n", "\n+5\n"),
        ("\n300\n", "\n 5\n"),
        ("\n300\n", "\n05\n"),
        ("\n\n", "\n"),
        (root.as_str(), &"A".repeat(40)),
        ("\u{2014} ", "- "),
    ] {
        assert!(ct::Checkpoint::parse(&text.replace(from, to)).is_err(), "{from} -> {to}");
    }
    assert_eq!(ct::names(b"{\"Timestamp\":1}\n", 1).unwrap(), [Vec::<String>::new()]);
    let short = "{\"Timestamp\":1}\n".repeat(255);
    assert_eq!(ct::names(short.as_bytes(), 256), Err(ct::CtError::Count { found: 255, expected: 256 }));
    assert_eq!(ct::names(b"{}\nno\n", 2), Err(ct::CtError::Line(2)));
}

#[test]
fn a_record_that_goes_past_robots_txt_names_the_rule_that_invites() {
    for source in SOURCES {
        if let RobotsRule::Invited { by, reviewed, .. } = source.robots {
            assert!(by.starts_with("https://") && reviewed.len() == 10, "{}", source.id);
        }
        assert!(source.allows(&format!("{}{}", source.origin, source.paths[0])));
        assert!(!source.allows(&format!("{}/elsewhere", source.origin)));
    }
}

#[test]
fn a_reading_of_the_rules_ages() {
    let day = |days: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(days * 86_400);
    let review = |reviewed, now| RobotsRule::Invited { by: "", rule: "", reviewed }.review(day(now));
    // 2024-02-29 is the 19,782nd day, 2026-11-30 the 20,787th.
    for (reviewed, now, expected) in [
        ("2024-02-29", 19_782, Review::Fresh),
        ("2024-02-29", 19_782 + 180, Review::Fresh),
        ("2024-02-29", 19_782 + 181, Review::Due),
        ("2026-11-30", 20_787 + 180, Review::Fresh),
        ("2026-11-30", 20_787 + 365, Review::Due),
        ("2026-11-30", 20_787 + 366, Review::Void),
        ("2026-11-30", 0, Review::Fresh),
        ("last year", 20_000, Review::Void),
        ("", 20_000, Review::Void),
        ("99999999999999999999-01-01", 0, Review::Void),
    ] {
        assert_eq!(review(reviewed, now), expected, "{reviewed} on day {now}");
    }
    assert_eq!(RobotsRule::Obey.review(day(90_000)), Review::Fresh);
}

#[test]
fn a_record_holds_for_its_hosts_and_wants_to_know_who_asks() {
    let find = |url: &str| SOURCES.iter().find(|source| source.allows(url)).map(|source| source.id);
    for (url, expected) in [
        ("https://mon.sycamore.ct.letsencrypt.org/2026h2/tile/names/000", Some("ct-lets-encrypt")),
        ("https://mon.sycamore.ct.letsencrypt.org/robots.txt", None),
        ("https://ct.letsencrypt.org/2026h2/checkpoint", None),
        ("https://mon.ct.letsencrypt.org.example/2026h2/checkpoint", None),
        ("http://mon.sycamore.ct.letsencrypt.org/2026h2/checkpoint", None),
        ("https://mon.sycamore.ct.letsencrypt.org:8443/2026h2/checkpoint", None),
        ("https://city.hub.arcgis.com/api/feed/dcat-us/1.1.json", Some("arcgis-hub-site")),
        ("https://hub.arcgis.com/api/search/v1/collections/all/items", Some("arcgis-hub")),
        ("https://www.gstatic.com/ct/log_list/v3/log_list.json", Some("ct-log-list")),
        ("https://crt.sh/?q=x", None),
        ("https://user@hub.arcgis.com.example/api/search/v1/", None),
    ] {
        assert_eq!(find(url), expected, "{url}");
    }
    let log = SOURCES.iter().find(|source| source.id == "ct-lets-encrypt").unwrap();
    assert!(log.check_user_agent("ExampleBot/1.0 (+https://bots.example.org/)").is_ok());
    assert!(log.check_user_agent("ExampleBot/1.0 (crawl@example.org)").is_ok());
    for nameless in ["ExampleBot/1.0", "ExampleBot/1.0 (+https://example.com/bot)", ""] {
        assert!(log.check_user_agent(nameless).is_err(), "{nameless}");
    }
    let search = SOURCES.iter().find(|source| source.id == "arcgis-online").unwrap();
    assert!(search.check_user_agent("ExampleBot/1.0").is_ok());
}
