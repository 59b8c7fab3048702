//! Visits, standing and the job "where", without a network and without a clock.

use std::time::{Duration, SystemTime};

use bot_etiquette_arcgis::{
    Address, Answer, Bbox, Counts, Coverage, Directory, DirectoryWalk, EsriGeometry, Evidence, Facts, Layer,
    LayerWhere, Parsed, Problem, Question, Reason, Service, ServiceState, ServiceUrl, Standing, Step,
    VISIT_LIMIT, Verdict, Visit, WHERE_AGE, WHERE_LIMIT, Where, evidence,
};

fn url(kind: &str) -> ServiceUrl {
    format!("https://gis.example.org/arcgis/rest/services/A/{kind}")
        .parse::<Address>()
        .unwrap()
        .service
        .unwrap()
}

fn read<T: Facts>(body: &str) -> Result<Parsed<T>, Problem> {
    Answer::body(body.as_bytes()).read()
}

fn days(days: u32) -> SystemTime {
    SystemTime::UNIX_EPOCH + days * Duration::from_secs(86_400)
}

/// Walks a visit over these answers; gives the steps and the number of layers.
fn walk(kind: &str, service: &str, layers: &str, counts: &str) -> (Vec<&'static str>, usize) {
    let mut visit = Visit::new(url(kind));
    let mut steps = Vec::new();
    while let Some(step) = visit.next() {
        assert_eq!(visit.next(), Some(step.clone()), "asking again changes nothing");
        match step {
            Step::Description(_) => {
                steps.push("service");
                visit.described(read(service));
            }
            Step::Layers(_) => {
                steps.push("layers");
                visit.layered(read(layers));
            }
            Step::Layer(id, _) => {
                steps.push("layer");
                visit.one_layer(read(&format!(r#"{{"id":{id},"name":"L"}}"#)));
            }
            Step::Counts(request) => {
                steps.push(if request.url.path().ends_with("getEstimates") { "estimates" } else { "counts" });
                visit.counted(read(counts));
            }
            _ => panic!("an unknown step"),
        }
        assert!(steps.len() <= VISIT_LIMIT as usize, "more than three requests");
    }
    let report = visit.finish();
    assert_eq!(report.requests as usize, steps.len());
    (steps, report.layers.len())
}

#[test]
fn a_visit_is_three_requests_at_the_most_however_many_layers() {
    let entries: Vec<_> = (0..200)
        .map(|id| format!(r#"{{"id":{id},"name":"L","type":"Feature Layer","capabilities":"Query"}}"#))
        .collect();
    let list = format!(r#"{{"layers":[{}],"tables":[]}}"#, entries.join(","));
    let feature = format!(
        r#"{{"capabilities":"Query","infoInEstimates":["extent","count"],"layers":[{}]}}"#,
        entries.join(",")
    );
    let plain = feature.replace("infoInEstimates", "x");
    let counts = r#"{"layers":[{"id":0,"count":5}]}"#;
    let refused = r#"{"error":{"code":400,"message":"Invalid URL"}}"#;
    assert_eq!(walk("FeatureServer", &feature, &list, counts), (vec!["service", "layers", "estimates"], 200));
    assert_eq!(walk("FeatureServer", &plain, &list, counts), (vec!["service", "layers", "counts"], 200));
    assert_eq!(walk("MapServer", &plain, &list, counts), (vec!["service", "layers"], 200));
    assert_eq!(
        walk("ImageServer", r#"{"fullExtent":null,"capabilities":"Image"}"#, "", ""),
        (vec!["service"], 0)
    );
    assert_eq!(walk("MapServer", r#"{"mapName":"M","layers":[]}"#, "", ""), (vec!["service"], 0));
    // An old server: two layers one by one, and no more.
    assert_eq!(walk("MapServer", &plain, refused, ""), (vec!["service", "layers", "layer"], 1));
    // A service that asks for a token is left after one request; a broken list is not asked layer by layer.
    assert_eq!(
        walk("MapServer", r#"{"error":{"code":499,"message":"Token Required"}}"#, "", ""),
        (vec!["service"], 0)
    );
    assert_eq!(
        walk("MapServer", &plain, r#"{"error":{"code":500,"message":"x"}}"#, ""),
        (vec!["service", "layers"], 0)
    );
}

#[test]
fn a_directory_is_walked_folder_by_folder_and_one_broken_folder_costs_only_itself() {
    let mut walk = DirectoryWalk::new("https://gis.example.org/arcgis/rest/services".parse().unwrap());
    let mut asked = Vec::new();
    while let Some(request) = walk.next() {
        let path = request.url.path().trim_start_matches("/arcgis/rest/services").to_owned();
        let answer = match path.as_str() {
            "" => {
                r#"{"folders":["A","B","A","Draft"],"services":[{"name":"R","type":"MapServer"},{"name":"R","type":"MapServer"}]}"#
            }
            "/A" => {
                r#"{"folders":["A","deep"],"services":[{"name":"A/S","type":"MapServer"},{"name":"A/S","type":"FeatureServer"}]}"#
            }
            "/B" => r#"{"error":{"code":499,"message":"Token Required"}}"#,
            _ => r#"{"folders":["deep"],"services":[]}"#,
        };
        asked.push(path.clone());
        if path == "/Draft" {
            walk.skip()
        } else {
            walk.answered(read(answer))
        }
        assert!(asked.len() < 20, "{asked:?}");
    }
    assert_eq!(asked, ["", "/A", "/B", "/Draft", "/A/deep", "/A/deep/deep"]);
    assert_eq!(walk.services().len(), 3);
    assert_eq!(walk.problems()[0].0, "B");
}

#[test]
fn three_tokens_on_three_days_drop_a_service_and_one_answer_clears_them() {
    let token = read::<Directory>(r#"{"error":{"code":499,"message":"Token Required"}}"#).unwrap_err();
    let gone = read::<Directory>(r#"{"error":{"code":404,"message":"not found"}}"#).unwrap_err();
    let busy = read::<Directory>(r#"{"error":{"code":503,"message":"no"}}"#).unwrap_err();
    let fresh = || {
        let mut standing = Standing::default();
        assert_eq!(standing.state(), ServiceState::Unchecked);
        standing.succeeded();
        standing
    };
    let mut standing = fresh();
    for (day, state) in [(1, ServiceState::Public), (2, ServiceState::Public), (3, ServiceState::NotPublic)] {
        standing.failed(&token, days(day));
        assert_eq!(standing.state(), state, "day {day}");
    }
    standing.succeeded();
    assert_eq!(standing.state(), ServiceState::Public);

    let mut standing = fresh();
    for seconds in [0, 1, 86_399] {
        standing.failed(&token, days(1) + Duration::from_secs(seconds));
    }
    assert_eq!(standing.state(), ServiceState::Public, "three within a day are one");
    standing.failed(&token, days(2));
    standing.succeeded();
    standing.failed(&token, days(3));
    assert_eq!(standing.state(), ServiceState::Public, "an answer in between clears");

    let mut standing = fresh();
    standing.failed(&gone, days(1));
    assert_eq!(standing.state(), ServiceState::Public);
    standing.failed(&gone, days(2));
    assert_eq!(standing.state(), ServiceState::Gone);

    let mut standing = fresh();
    for day in 1..20 {
        standing.failed(&busy, days(day));
    }
    assert_eq!(standing.state(), ServiceState::Public, "a busy service is no less public");
    standing.closed_by_robots();
    assert_eq!(standing.state(), ServiceState::Unchecked);
}

fn layer(more: &str) -> Layer {
    read::<Layer>(&format!(r#"{{"id":3,"name":"L","type":"Feature Layer","geometryType":"esriGeometryPoint","maxRecordCount":1000{more}}}"#))
        .unwrap()
        .facts
}

const EXTENT: &str = r#","extent":{"xmin":0,"ymin":0,"xmax":10,"ymax":10,"spatialReference":{"wkid":4326}}"#;

#[test]
fn the_job_where_asks_only_what_is_missing() {
    let questions = |layer: Layer, count: &str| {
        let mut job = Where::new(url("MapServer"), vec![(layer, LayerWhere::default())], days(1));
        let mut asked = Vec::new();
        while let Some((id, question, request)) = job.next() {
            assert_eq!(id, 3);
            assert!(request.url.path().ends_with("/3/query"));
            asked.push(question);
            match question {
                Question::Count => job.counted(read(count)),
                Question::Ids => job.counted(read(r#"{"objectIds":[1,2]}"#)),
                Question::Extent => job.placed(read(r#"{"count":2,"extent":{"xmin":1,"ymin":1,"xmax":2,"ymax":2,"spatialReference":{"wkid":4326}}}"#)),
                Question::Outlines => job.outlined(read(r#"{"features":[{"geometry":{"x":1,"y":1}},{"geometry":{"x":2,"y":2}}]}"#)),
                _ => panic!("an unknown question"),
            }
            assert!(asked.len() <= WHERE_LIMIT as usize);
        }
        (asked, job.finish().remove(0).1)
    };
    let (asked, known) = questions(layer(EXTENT), r#"{"count":2}"#);
    assert_eq!(asked, [Question::Count, Question::Outlines]);
    assert!(known.coverage.unwrap().covers(1.0, 1.0) && known.checked == Some(days(1)));
    assert_eq!(questions(layer(EXTENT), r#"{"count":1001}"#).0, [Question::Count]);
    assert_eq!(questions(layer(EXTENT), r#"{"count":1000}"#).0, [Question::Count, Question::Outlines]);
    assert_eq!(questions(layer(EXTENT), r#"{"count":0}"#).0, [Question::Count]);
    assert_eq!(
        questions(layer(EXTENT), r#"{"features":[{"a"#).0,
        [Question::Count, Question::Ids, Question::Outlines]
    );
    let (asked, known) = questions(layer(""), r#"{"count":5000}"#);
    assert_eq!(
        asked,
        [Question::Count, Question::Extent, Question::Outlines],
        "the extent brought the true count of two"
    );
    assert_eq!(known.place.unwrap().verdict, Verdict::Ok);
    let no_extent = layer(r#","advancedQueryCapabilities":{"supportsReturningQueryExtent":false}"#);
    assert_eq!(questions(no_extent, r#"{"count":5000}"#).0, [Question::Count]);
    assert!(
        questions(layer(r#","capabilities":"Map""#), "").0.is_empty(),
        "a layer that takes no queries gets none"
    );
}

#[test]
fn what_a_visit_counted_is_not_counted_again() {
    let counts = read::<Counts>(
        r#"{"layerEstimates":[{"layerId":3,"count":7,"extent":{"xmin":0,"ymin":0,"xmax":1,"ymax":1,"spatialReference":{"wkid":4326}}}]}"#,
    )
    .unwrap()
    .facts;
    let mut known = LayerWhere::default();
    known.learn(&counts.layers[0], days(70));
    known.checked = Some(days(60));
    let job = |known: LayerWhere, now| {
        Where::new(url("FeatureServer"), vec![(layer(""), known)], now)
            .next()
            .map(|(_, question, _)| question)
    };
    assert_eq!(job(known.clone(), days(89)), None, "asked within thirty days");
    assert_eq!(job(known.clone(), days(90)), Some(Question::Outlines), "the estimate told count and extent");
    let kept: LayerWhere = serde_json::from_str(&serde_json::to_string(&known).unwrap()).unwrap();
    assert_eq!(kept, known, "what is known survives being stored");
    assert_eq!(job(kept, days(100)), Some(Question::Count), "thirty days after the visit");
}

#[test]
fn a_layer_without_an_extent_inherits_its_service_s_and_is_asked_all_the_same() {
    let service = read(
        r#"{"mapName":"A","spatialReference":{"wkid":4326},"fullExtent":{"xmin":5,"ymin":45,"xmax":6,"ymax":46,"spatialReference":{"wkid":4326}}}"#,
    );
    let service = service.map(|parsed: Parsed<Service>| parsed.facts).unwrap();
    let job = |layer: Layer| {
        let mut job =
            Where::new(url("MapServer"), vec![(layer, LayerWhere::default())], days(1)).within(&service);
        job.counted(read(r#"{"count":9000}"#));
        job
    };
    let mut inherited = job(layer(""));
    assert_eq!(inherited.next().map(|(_, question, _)| question), Some(Question::Extent));
    inherited.placed(read(r#"{"error":{"code":400,"message":"Unable to complete operation."}}"#));
    let place = inherited.finish().remove(0).1.place.unwrap();
    assert!(place.inherited && place.contains(5.5, 45.5));
    let own = job(layer(EXTENT)).finish().remove(0).1.place.unwrap();
    assert!(!own.inherited && own.contains(1.0, 1.0));
    let no_system = job(layer(r#","extent":{"xmin":500,"ymin":0,"xmax":600,"ymax":1}"#));
    assert_eq!(no_system.finish().remove(0).1.place.unwrap().reason, Some(Reason::OutOfRange));
}

#[test]
fn a_busy_service_has_not_answered_and_a_refused_page_is_asked_for_plainly() {
    let start = || {
        let layers = vec![(layer(EXTENT), LayerWhere::default())];
        Where::new(url("MapServer"), layers, days(1))
    };
    let mut busy = start();
    busy.counted(read(r#"{"error":{"code":503,"message":"no instance"}}"#));
    assert!(busy.next().is_none() && busy.requests() == 1);
    let known = busy.finish().remove(0).1;
    assert_eq!((known.checked, known.count), (None, None));
    let mut again = Where::new(url("MapServer"), vec![(layer(EXTENT), known)], days(2));
    assert_eq!(again.next().map(|(_, question, _)| question), Some(Question::Count));
    again.skip();
    assert!(again.next().is_none() && again.requests() == 0);
    assert_eq!(again.finish().remove(0).1.checked, None);

    let mut refused = start();
    refused.counted(read(r#"{"count":2}"#));
    refused.outlined(read(r#"{"error":{"code":400,"message":"Pagination is not supported."}}"#));
    let (_, question, request) = refused.next().unwrap();
    assert_eq!(question, Question::PlainOutlines);
    assert_eq!(request.url.query(), Some("where=1%3D1&outFields=*&returnGeometry=true&outSR=4326&f=json"));
    refused.outlined(read(r#"{"features":[{"geometry":{"x":1,"y":1}}]}"#));
    let known = refused.finish().remove(0).1;
    assert!(known.checked == Some(days(1)) && known.coverage.is_some());
}

#[test]
fn what_is_passed_over_costs_no_request() {
    let mut visit = Visit::new(url("MapServer"));
    visit.described(read(r#"{"mapName":"A","layers":[{"id":0,"name":"L"}]}"#));
    assert!(matches!(visit.next(), Some(Step::Layers(_))));
    visit.skip();
    assert!(visit.next().is_none());
    assert_eq!(visit.finish().requests, 1);

    let mut old = Visit::new(url("MapServer"));
    old.described(read(r#"{"mapName":"A","layers":[{"id":0,"name":"L"},{"id":4,"name":"M"}]}"#));
    old.layered(read(r#"{"error":{"code":400,"message":"Invalid URL"}}"#));
    old.skip();
    assert!(matches!(old.next(), Some(Step::Layer(4, _))));
    let mut busy = old.clone();
    busy.one_layer(read(r#"{"error":{"code":504,"message":"expired"}}"#));
    assert!(busy.next().is_none(), "a busy service is not asked for its next layer");
}

#[test]
fn the_stalest_layers_come_first_and_each_again_after_thirty_days() {
    let known = |checked| {
        let mut known = LayerWhere::default();
        known.checked = checked;
        known
    };
    let now = days(100);
    let named = |id: u64| {
        read::<Layer>(&format!(r#"{{"id":{id},"name":"L","type":"Table","capabilities":"Query"}}"#))
            .unwrap()
            .facts
    };
    let layers = vec![
        (named(1), known(Some(now - WHERE_AGE + Duration::from_secs(1)))),
        (named(2), known(Some(now - WHERE_AGE))),
        (named(3), known(None)),
        (named(4), known(Some(days(1)))),
    ];
    let mut job = Where::new(url("MapServer"), layers, now);
    let mut order = Vec::new();
    while let Some((id, _, _)) = job.next() {
        order.push(id);
        job.counted(read(r#"{"count":1}"#));
    }
    assert_eq!(order, [3, 4, 2], "never asked, stalest, exactly thirty days; a day younger is left alone");
}

#[test]
fn evidence_is_graded_and_absence_is_no_evidence() {
    let area = Bbox { west: 0.0, south: 0.0, east: 64.0, north: 64.0 };
    let ring: EsriGeometry = serde_json::from_str(
        r#"{"rings":[[[0,0],[0,64],[64,64],[64,0],[0,0]],[[20,20],[40,20],[40,40],[20,40],[20,20]]]}"#,
    )
    .unwrap();
    let coverage = Coverage::of(area, [ring.to_geojson(false)].iter());
    assert!(coverage.covers(10.5, 10.5) && coverage.covers(63.9, 0.1));
    assert!(!coverage.covers(30.5, 30.5), "a hole is not covered");
    assert!(!coverage.covers(70.0, 10.0));
    let hole = Bbox { west: 25.0, south: 25.0, east: 30.0, north: 30.0 };
    let place = layer(EXTENT).place(None, None);
    assert_eq!(evidence(&hole, Some(&coverage), Some(5), Some(&place)), None, "outlines beat counts");
    assert_eq!(evidence(&hole, None, Some(5), None), Some(Evidence::CountInBox));
    assert_eq!(evidence(&hole, None, None, Some(&place)), None);
    assert_eq!(evidence(&hole, None, None, None), Some(Evidence::Unchecked));
    assert!(Evidence::Outlines > Evidence::CountInBox && Evidence::CountInBox > Evidence::ExtentOnly);
}
