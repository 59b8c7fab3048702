//! Feeds and older answers of catalogues, and what servers say of their portals.

use bot_etiquette_arcgis::discover::{
    DcatFeed, HostRefusal, HubDatasets, SearchPage, WikidataProperty, WikidataRows, hub_datasets, portal_of,
    wikidata_query,
};
use bot_etiquette_arcgis::{Answer, Directory, Footprints, Problem, RetryAfter, Root, ServerInfo, Verdict};
use http::header::RETRY_AFTER;
use http::{HeaderMap, HeaderValue, StatusCode};

fn dataset(identifier: &str, spatial: &str, ways: &str) -> String {
    format!(
        r#"{{"identifier":"{identifier}","title":"T","spatial":{spatial},"contactPoint":{{"fn":"Somebody","hasEmail":"mailto:somebody@example.org"}},"distribution":[{ways}]}}"#
    )
}

#[test]
fn a_feed_gives_its_services_and_nobody_s_address() {
    let page = r#"{"format":"Web Page","accessURL":"https://city.example/explore"}"#;
    let service = r#"{"format":"ArcGIS GeoServices REST API","accessURL":"https://gis.example.org/arcgis/rest/services/A/MapServer/2"}"#;
    let item = "https://www.arcgis.com/home/item.html?id=23f4&sublayer=2";
    let both = format!("{page},{service}");
    let inner = service.replace("gis.example.org", "10.0.0.1");
    let datasets = [
        dataset(item, r#""-120.4650,33.2081,-114.1332,38.3674""#, &both),
        dataset("x", r#""""#, service),
        dataset("https://h/?id=7", r#""{{extent}}""#, service),
        dataset("https://h/?id=7", r#""-180,-90,180,90""#, service),
        dataset("https://h/?id=7", r#""1,2,3""#, service),
        dataset("https://h/?id=7", "null", &inner),
        dataset(item, "null", page),
        "7".to_owned(),
    ];
    let body = format!(r#"{{"@type":"dcat:Catalog","dataset":[{}]}}"#, datasets.join(","));
    let feed = Answer::body(body.as_bytes()).read::<DcatFeed>().unwrap().facts;
    let boxes: Vec<_> = feed.datasets.iter().map(|one| one.bbox.map(<[f64; 4]>::from)).collect();
    assert_eq!(boxes, [Some([-120.465, 33.2081, -114.1332, 38.3674]), None, None, None, None, None]);
    let ids: Vec<_> = feed.datasets.iter().map(|one| (one.item_id.as_deref(), one.layer)).collect();
    assert_eq!(ids[..3], [(Some("23f4"), Some(2)), (None, None), (Some("7"), None)]);
    assert_eq!(feed.datasets[0].root().unwrap().to_string(), "https://gis.example.org/arcgis/rest/services");
    assert_eq!(feed.datasets[5].root(), Err(HostRefusal::PrivateHost));
    let kept = serde_json::to_string(&feed).unwrap();
    assert!(!kept.to_lowercase().contains("somebody"), "{kept}");
    assert!(matches!(Answer::body(b"{}").read::<DcatFeed>(), Err(Problem::OtherKind { .. })));
    assert!(matches!(Answer::body(&body.as_bytes()[..200]).read::<DcatFeed>(), Err(Problem::BadJson { .. })));
}

#[test]
fn the_older_search_of_hub_is_read_and_its_closed_doors_are_errors() {
    let body = br#"{"data":[{"id":"a_0","attributes":{"name":"N","recordCount":null,"orgId":"o","url":"https://g.example.org/arcgis/rest/services/A/FeatureServer/0"}},{"id":"b"},{"attributes":{"recordCount":"12"}}],"meta":{"stats":{"totalCount":3}}}"#;
    let page = Answer::body(body).read::<HubDatasets>().unwrap().facts;
    let counts: Vec<_> = page.datasets.iter().map(|one| one.record_count).collect();
    assert_eq!((page.total, counts), (Some(3), vec![None, Some(12)]));
    assert!(Answer::body(br#"{"data":[]}"#).read::<HubDatasets>().unwrap().facts.datasets.is_empty());
    let first = hub_datasets(&"https://hub.arcgis.com".parse().unwrap(), "Map Service", 0);
    assert!(first.url.query().unwrap().contains("page%5Bnumber%5D=1"), "pages count from one");
    let code = |status, body: &str| {
        let none = HeaderMap::new();
        Answer::new(status, &none, body.as_bytes()).read::<HubDatasets>().unwrap_err().code()
    };
    let private = r#"{"message":"private org id for city.example is not accessible"}"#;
    assert_eq!(code(StatusCode::UNAUTHORIZED, private), "auth-required");
    assert_eq!(
        code(StatusCode::NOT_FOUND, r#"{"message":"Collection with id \"dataset\" not found"}"#),
        "gone"
    );
    assert_eq!(code(StatusCode::OK, r#"{"error":"Site does not exist"}"#), "service-fault");
}

#[test]
fn a_query_service_s_answer_is_whole_or_an_error() {
    let body = br#"{"head":{"vars":["item","url"]},"results":{"bindings":[{"item":{"type":"uri","value":"http://www.wikidata.org/entity/Q1"},"url":{"type":"literal","xml:lang":"en","value":"https://g.example.org/arcgis/rest/services"}},{"item":{"type":"uri","value":"x"}}]}}"#;
    let rows = Answer::body(body).read::<WikidataRows>().unwrap().facts;
    assert_eq!(rows.urls, ["https://g.example.org/arcgis/rest/services"], "no country, no label: no matter");
    for end in [body.len() - 1, body.len() / 2, 60] {
        let trace = [&body[..end], b"\njava.util.concurrent.TimeoutException\n\tat com.example.A"].concat();
        let read = Answer::body(&trace).read::<WikidataRows>();
        assert!(matches!(read, Err(Problem::BadJson { .. })), "{read:?}");
    }
    let mut headers = HeaderMap::new();
    headers.insert(RETRY_AFTER, HeaderValue::from_static("0"));
    let html = b"<html>Too many requests. Please retry in 0 seconds.</html>";
    let busy = Answer::new(StatusCode::TOO_MANY_REQUESTS, &headers, html).read::<WikidataRows>();
    // The wish is told as it came; that nought is no wait is the pace's business.
    assert!(
        matches!(busy, Err(Problem::Busy { retry_after: Some(RetryAfter::Delay(wait)), .. }) if wait.is_zero())
    );
    let sliced = wikidata_query(
        &"https://query.wikidata.org/sparql".parse().unwrap(),
        WikidataProperty::OfficialWebsite { offset: 250_000 },
    );
    let query = sliced.url.query_pairs().find(|(name, _)| name == "query").unwrap().1.into_owned();
    assert!(query.contains("wdt:P856") && query.contains("bd:slice.offset 250000"), "{query}");
}

#[test]
fn a_server_names_its_portal_and_a_portal_s_page_names_itself() {
    let portal =
        |body: &str| Answer::body(body.as_bytes()).read::<ServerInfo>().map(|info| info.facts.portal());
    let some = portal(r#"{"fullVersion":"11.1","owningSystemUrl":"https://maps.example.org/portal"}"#);
    assert_eq!(some.unwrap().unwrap().as_str(), "https://maps.example.org/portal");
    for owner in [
        r#""https://portal.corp/x""#,
        r#""http://10.1.1.1/portal""#,
        "null",
        r#""""#,
        r#""ftp://a.example.org""#,
    ] {
        assert_eq!(
            portal(&format!(r#"{{"fullVersion":"11.1","owningSystemUrl":{owner}}}"#)),
            Ok(None),
            "{owner}"
        );
    }
    assert!(portal(r#"{"services":[],"currentVersion":11.1}"#).is_err());
    let root: Root = "https://gis.example.org/arcgis/rest/services".parse().unwrap();
    assert_eq!(root.info().url.as_str(), "https://gis.example.org/arcgis/rest/info?f=json");
    for (url, expected) in [
        ("https://maps.example.org/portal/home/item.html?id=0123", Some("https://maps.example.org/portal")),
        ("https://www.arcgis.com/home/item.html?id=0123", Some("https://www.arcgis.com/")),
        ("https://maps.example.org/home/about", None),
        ("https://portal/home/item.html", None),
        ("https://user@maps.example.org/home/item.html", None),
        ("no url", None),
    ] {
        assert_eq!(portal_of(url).map(|url| url.to_string()).as_deref(), expected, "{url}");
    }
    let page = Answer::body(br#"{"nextStart":0,"results":[{"id":"a","orgId":"0123456789ABCDEF","spatialReference":"WGS_1984_Web_Mercator_Auxiliary_Sphere"},{"id":"b"}]}"#);
    let items = page.read::<SearchPage>().unwrap().facts.items;
    let publisher = |portal: &str| items[0].publisher(&portal.parse().unwrap());
    assert_ne!(publisher("https://a.example.org/portal"), publisher("https://b.example.org/portal"));
    assert_eq!(items[1].publisher(&"https://a.example.org".parse().unwrap()), None);
}

#[test]
fn footprints_are_asked_of_servers_that_know_them() {
    let offers = |version: &str| {
        let body = format!(r#"{{"currentVersion":{version},"services":[]}}"#);
        Answer::body(body.as_bytes()).read::<Directory>().unwrap().facts.offers_footprints()
    };
    for (version, expected) in
        [("10.05", false), ("10.1", true), ("10.81", true), ("11", true), ("11.1", false), ("null", false)]
    {
        assert_eq!(offers(version), expected, "{version}");
    }
    let root: Root = "https://gis.example.org/arcgis/rest/services".parse().unwrap();
    assert_eq!(
        root.footprints(Some("Water")).url.as_str(),
        "https://gis.example.org/arcgis/rest/services/Water?option=footprints&outSR=4326&f=json"
    );
    assert_eq!(root.footprints(None).url.path(), "/arcgis/rest/services");
    let body = br#"{"featureCollection":{"layers":[{"layerDefinition":{"extent":{"xmin":5,"ymin":45,"xmax":6,"ymax":46,"spatialReference":{"wkid":4326}}},"featureSet":{"features":[]}},7,{"layerDefinition":{"extent":{"xmin":"NaN"}}}]}}"#;
    let footprints = Answer::body(body).read::<Footprints>().unwrap().facts;
    let verdicts: Vec<_> = footprints.layers.iter().map(|layer| layer.place().verdict).collect();
    assert_eq!(verdicts, [Verdict::Ok, Verdict::None]);
    // A newer server ignores the question.
    let plain = Answer::body(br#"{"currentVersion":11.1,"services":[]}"#).read::<Footprints>();
    assert!(matches!(plain, Err(Problem::OtherKind { .. })));
}
