//! What holds for any input, against slow models.

use std::time::{Duration, SystemTime};

use bot_etiquette_arcgis::discover::{PortalWalk, SEARCH_CAP, SearchPage, Window};
use bot_etiquette_arcgis::{
    AUTH_STRIKES, Address, Answer, Bbox, Count, Coverage, Directory, EsriGeometry, Extent, FeaturePage,
    GONE_STRIKES, Geometry, Layer, LayerWhere, Layers, Position, Problem, QueryExtent, Question, Root,
    STRIKE_GAP, Service, ServiceState, ServiceUrl, Standing, Step, TileInfo, URL_LIMIT, VISIT_LIMIT, Verdict,
    Visit, WHERE_LIMIT, Where,
};
use proptest::prelude::*;

fn service(kind: &str) -> ServiceUrl {
    format!("https://gis.example.org/arcgis/rest/services/A/{kind}")
        .parse::<Address>()
        .unwrap()
        .service
        .unwrap()
}

/// Answers of all sorts, of which each reader takes some.
const ANSWERS: [&str; 14] = [
    r#"{"count":0}"#,
    r#"{"count":7}"#,
    r#"{"count":5000}"#,
    r#"{"objectIds":[1,2]}"#,
    r#"{"features":[{"geometry":{"x":1,"y":1}}]}"#,
    r#"{"features":[{"geometry":{"x":1,"y":1}}],"exceededTransferLimit":true}"#,
    r#"{"count":3,"extent":{"xmin":1,"ymin":1,"xmax":2,"ymax":2,"spatialReference":{"wkid":4326}}}"#,
    r#"{"extent":{"xmin":"NaN","ymin":"NaN","xmax":"NaN","ymax":"NaN"}}"#,
    r#"{"error":{"code":400,"message":"Invalid URL"}}"#,
    r#"{"error":{"code":400,"message":"Unable to complete operation."}}"#,
    r#"{"error":{"code":499,"message":"Token Required"}}"#,
    r#"{"error":{"code":504,"message":"expired"}}"#,
    r#"{"mapName":"A","capabilities":"Query","layers":[{"id":0,"name":"a"},{"id":1,"name":"b"},{"id":7,"name":"c"}]}"#,
    "{\"layers\":[{\"id\":0,\"na",
];

fn layers() -> Vec<(Layer, LayerWhere)> {
    let layer = |id: u64, more: &str| {
        let text = format!(
            r#"{{"id":{id},"name":"L","type":"Feature Layer","geometryType":"esriGeometryPoint","capabilities":"Query"{more}}}"#
        );
        (Answer::body(text.as_bytes()).read::<Layer>().unwrap().facts, LayerWhere::default())
    };
    let known = r#","extent":{"xmin":0,"ymin":0,"xmax":9,"ymax":9,"spatialReference":{"wkid":4326}}"#;
    vec![layer(0, ""), layer(1, known), layer(7, r#","extent":{"xmin":"NaN"}"#)]
}

fn day(days: u32) -> SystemTime {
    SystemTime::UNIX_EPOCH + days * Duration::from_secs(86_400)
}

proptest! {
    #[test]
    fn no_visit_asks_more_than_three_times(kind in 0..3_usize, answers in prop::collection::vec(0..ANSWERS.len(), 12)) {
        let mut visit = Visit::new(service(["MapServer", "FeatureServer", "ImageServer"][kind]));
        let mut asked = 0;
        for answer in answers {
            let body = ANSWERS[answer].as_bytes();
            let Some(step) = visit.next() else { break };
            asked += 1;
            match step {
                Step::Description(_) => visit.described(Answer::body(body).read::<Service>()),
                Step::Layers(_) => visit.layered(Answer::body(body).read::<Layers>()),
                Step::Layer(..) => visit.one_layer(Answer::body(body).read::<Layer>()),
                Step::Counts(_) => visit.counted(Answer::body(body).read()),
                _ => unreachable!(),
            }
        }
        prop_assert!(visit.next().is_none() && asked <= VISIT_LIMIT);
        prop_assert_eq!(visit.finish().requests, asked);
    }

    /// Over many visits: three requests each at the most, no question twice within thirty days, and an end.
    #[test]
    fn the_job_where_comes_to_an_end(answers in prop::collection::vec(0..ANSWERS.len(), 60)) {
        let mut known = layers();
        let mut answered: Vec<(u64, Question)> = Vec::new();
        let mut answers = answers.into_iter();
        for visit in 0..20 {
            let mut job = Where::new(service("MapServer"), known.clone(), day(1 + visit));
            while let Some((id, question, _)) = job.next() {
                let body = ANSWERS[answers.next().unwrap_or(0)].as_bytes();
                prop_assert!(!answered.contains(&(id, question)), "{question:?} of {id} again");
                let problem = match question {
                    Question::Count | Question::Ids => {
                        let read = Answer::body(body).read::<Count>();
                        let problem = read.as_ref().err().cloned();
                        job.counted(read);
                        problem
                    }
                    Question::Extent => {
                        let read = Answer::body(body).read::<QueryExtent>();
                        let problem = read.as_ref().err().cloned();
                        job.placed(read);
                        problem
                    }
                    _ => {
                        let read = Answer::body(body).read::<FeaturePage>();
                        let problem = read.as_ref().err().cloned();
                        job.outlined(read);
                        problem
                    }
                };
                if problem.is_none_or(|problem| !problem.is_of_the_service()) {
                    answered.push((id, question));
                }
            }
            prop_assert!(job.requests() <= WHERE_LIMIT);
            for (id, now_known) in job.finish() {
                let text = serde_json::to_string(&now_known).unwrap();
                prop_assert_eq!(&serde_json::from_str::<LayerWhere>(&text).unwrap(), &now_known);
                known.iter_mut().find(|(layer, _)| layer.id == id).unwrap().1 = now_known;
            }
        }
        prop_assert!(known.iter().all(|(_, known)| known.checked.is_some()), "left open: {known:?}");
    }

    /// Strikes against a list of all that happened.
    #[test]
    fn a_service_stands_as_its_history_says(events in prop::collection::vec((0..4_u8, 0..3_u64), 0..24)) {
        let problem = |body: &str| Answer::body(body.as_bytes()).read::<Directory>().unwrap_err();
        let token = problem(r#"{"error":{"code":499,"message":"Token Required"}}"#);
        let gone = problem(r#"{"error":{"code":404,"message":"not found"}}"#);
        let busy = problem(r#"{"error":{"code":503,"message":"no"}}"#);
        let mut standing = Standing::default();
        let (mut is_known, mut strikes, mut now) = (false, Vec::<(u8, SystemTime)>::new(), day(1));
        for (event, half_days) in events {
            now += Duration::from_secs(half_days * 43_200);
            match event {
                0 => { standing.succeeded(); is_known = true; strikes.clear(); }
                1 => standing.failed(&busy, now),
                kind => {
                    standing.failed(if kind == 2 { &token } else { &gone }, now);
                    strikes.retain(|(other, _)| *other == kind);
                    if strikes.last().is_none_or(|(_, last)| *last + STRIKE_GAP <= now) {
                        strikes.push((kind, now));
                    }
                }
            }
            let count = |kind| strikes.iter().filter(|(other, _)| *other == kind).count();
            let expected = if count(2) >= AUTH_STRIKES as usize {
                ServiceState::NotPublic
            } else if count(3) >= GONE_STRIKES as usize {
                ServiceState::Gone
            } else if is_known {
                ServiceState::Public
            } else {
                ServiceState::Unchecked
            };
            prop_assert_eq!(standing.state(), expected);
        }
    }

    #[test]
    fn a_box_in_degrees_is_placed_as_it_is(west in -179.0..179.0_f64, south in -89.0..89.0_f64, wide in 0.001..170.0_f64, high in 0.001..80.0_f64) {
        let (east, north) = ((west + wide).min(179.5), (south + high).min(89.5));
        let place = Extent::new([west, south, east, north], 4326).to_wgs84();
        prop_assert_eq!(place.verdict, Verdict::Ok);
        prop_assert_eq!(<[f64; 4]>::from(place.boxes[0]), [west, south, east, north]);
    }

    /// Every point of a box lies in the box on the globe, whatever the grid does to its edges.
    #[test]
    fn a_placed_box_holds_the_points_of_its_edges(code in prop::sample::select(vec![3857_u32, 2229, 3435, 27700, 25832, 2154, 3112, 102_003]), x in 0.0..1.0_f64, y in 0.0..1.0_f64, corner in 0..4_usize, part in 0.0..1.0_f64) {
        // A kilometre-wide box somewhere in the middle of each grid.
        let (left, bottom) = match code {
            2229 => (6_400_000.0 + x * 100_000.0, 1_800_000.0 + y * 100_000.0),
            3435 => (1_000_000.0 + x * 100_000.0, 1_800_000.0 + y * 100_000.0),
            27700 => (400_000.0 + x * 100_000.0, 300_000.0 + y * 100_000.0),
            2154 => (600_000.0 + x * 100_000.0, 6_500_000.0 + y * 100_000.0),
            25832 => (500_000.0 + x * 100_000.0, 5_500_000.0 + y * 100_000.0),
            _ => (x * 100_000.0, y * 100_000.0),
        };
        let (right, top) = (left + 1_000.0, bottom + 1_000.0);
        let whole = Extent::new([left, bottom, right, top], code).to_wgs84();
        let along = |from: f64, to: f64| from + (to - from) * part;
        let (px, py) = match corner {
            0 => (along(left, right), bottom),
            1 => (along(left, right), top),
            2 => (left, along(bottom, top)),
            _ => (right, along(bottom, top)),
        };
        let point = Extent::new([px, py, px, py], code).to_wgs84().boxes[0];
        let grown = whole.boxes[0];
        let slack = 1.0e-6;
        prop_assert!(
            grown.west - slack <= point.west && point.east <= grown.east + slack
                && grown.south - slack <= point.south && point.north <= grown.north + slack,
            "{point:?} is outside of {grown:?}"
        );
    }

    /// Rings of any kind come out closed and turned the right way, and no area is made up.
    #[test]
    fn polygons_follow_the_right_hand_rule(rings in prop::collection::vec(prop::collection::vec((0..20_i32, 0..20_i32), 0..7), 0..6)) {
        let text = serde_json::json!({ "rings": rings.iter().map(|ring| ring.iter().map(|(x, y)| [*x, *y]).collect::<Vec<_>>()).collect::<Vec<_>>() });
        let geometry: EsriGeometry = serde_json::from_value(text).unwrap();
        let outline = geometry.to_geojson(false);
        let polygons = match &outline.geometry {
            Some(Geometry::Polygon(rings)) => vec![rings.clone()],
            Some(Geometry::MultiPolygon(polygons)) => polygons.clone(),
            None => vec![],
            other => panic!("{other:?}"),
        };
        let mut count = 0;
        for polygon in &polygons {
            for (index, ring) in polygon.iter().enumerate() {
                count += 1;
                prop_assert!(ring.len() >= 4 && ring.first() == ring.last());
                prop_assert!(if index == 0 { area(ring) > 0.0 } else { area(ring) < 0.0 }, "{ring:?}");
            }
        }
        prop_assert!(count <= rings.len());
    }

    /// A cell is covered when a vertex lies in it, and a box is when one of its points is.
    #[test]
    fn what_an_outline_touches_is_covered(line in prop::collection::vec((0.0..10.0_f64, 0.0..10.0_f64), 2..8), box_at in (0.0..9.0_f64, 0.0..9.0_f64)) {
        let text = serde_json::json!({ "paths": [line.iter().map(|(x, y)| [*x, *y]).collect::<Vec<_>>()] });
        let geometry: EsriGeometry = serde_json::from_value(text).unwrap();
        let area = Bbox { west: 0.0, south: 0.0, east: 10.0, north: 10.0 };
        let coverage = Coverage::of(area, [geometry.to_geojson(false)].iter());
        prop_assert!(line.iter().all(|(x, y)| coverage.covers(*x, *y)));
        let bbox = Bbox { west: box_at.0, south: box_at.1, east: box_at.0 + 1.0, north: box_at.1 + 1.0 };
        let touches = line.iter().any(|(x, y)| bbox.contains(*x, *y));
        prop_assert!(!touches || coverage.covers_some_of(&bbox));
        // No cell further than one cell from the line's own box is covered.
        let low = line.iter().map(|(x, _)| *x).fold(10.0, f64::min);
        prop_assert!(low < 0.5 || !coverage.covers(low - 0.4, box_at.1));
    }

    #[test]
    fn a_point_lies_in_the_tile_that_is_named(origin in (-4.0e7..0.0_f64, 0.0..4.0e7_f64), resolution in 0.1..200_000.0_f64, point in (0.0..4.0e7_f64, 0.0..4.0e7_f64)) {
        let scheme: TileInfo = serde_json::from_value(serde_json::json!({
            "rows": 256, "cols": 512, "origin": { "x": origin.0, "y": origin.1 },
            "lods": [{ "level": 4, "resolution": resolution, "scale": 1.0 }],
        })).unwrap();
        let (x, y) = (origin.0 + point.0, origin.1 - point.1);
        let Some(tile) = scheme.tile(4, x, y) else { return Ok(()) };
        let left = origin.0 + tile.col as f64 * resolution * 512.0;
        let top = origin.1 - tile.row as f64 * resolution * 256.0;
        let slack = 1.0e-3;
        prop_assert!(left - slack <= x && x <= left + resolution * 512.0 + slack);
        prop_assert!(top + slack >= y && y >= top - resolution * 256.0 - slack);
        let cover = scheme.cover([x, y - 10.0, x + 10.0, y], 4, |_| true);
        prop_assert!(cover.len() <= 4 && (cover.is_empty() || cover.contains(&tile)));
    }

    #[test]
    fn questions_about_many_layers_name_each_once(ids in prop::collection::vec(0..1_000_000_u64, 0..300)) {
        let requests = service("FeatureServer").counts(&ids);
        let mut named = Vec::new();
        for request in requests {
            prop_assert!(request.url.as_str().len() <= URL_LIMIT);
            let (_, definitions) = request.url.query_pairs().find(|(name, _)| name == "layerDefs").unwrap();
            let inside = definitions.trim_start_matches('{').trim_end_matches('}').to_owned();
            named.extend(inside.split(',').map(|each| each.split('"').nth(1).unwrap().parse::<u64>().unwrap()));
        }
        prop_assert_eq!(named, ids);
    }

    /// A root's own text is a root again, and scheme and case of the context make no other server of it.
    #[test]
    fn a_root_is_a_fixed_point(host in "[a-z]{1,8}", context in "[A-Za-z]{0,8}", port in prop::option::of(1024..9999_u16), name in "[A-Za-z ]{1,8}", junk in "[a-z=&]{0,8}") {
        let port = port.map(|port| format!(":{port}")).unwrap_or_default();
        let text = format!("https://{host}.example.org{port}/{context}/rest/services/{name}x/MapServer/3?{junk}#top");
        let address: Address = text.parse().unwrap();
        let root: Root = address.root.to_string().parse().unwrap();
        prop_assert_eq!(&root, &address.root);
        let plain: Root = address.root.to_string().replacen("https", "http", 1).parse().unwrap();
        prop_assert_eq!(plain.key(), root.key());
        let again: Address = address.service.clone().unwrap().to_string().parse().unwrap();
        prop_assert_eq!(again.service, address.service);
        prop_assert_eq!(address.layer, Some(3));
    }

    /// Numbers in quotes, as floats and as they are, are one number.
    #[test]
    fn a_number_is_one_however_it_is_written(id in 0..9_000_000_000_000_u64) {
        let read = |id: String| {
            let text = format!(r#"{{"id":{id},"name":"L"}}"#);
            Answer::body(text.as_bytes()).read::<Layer>().map(|layer| layer.facts.id)
        };
        for written in [id.to_string(), format!("\"{id}\""), format!("{id}.0"), format!("\" {id} \"")] {
            prop_assert_eq!(read(written), Ok(id));
        }
    }

    /// Any bytes, as any answer: facts or a problem, and the same twice.
    #[test]
    fn any_bytes_are_facts_or_a_problem(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let read = || Answer::body(&bytes).read::<Layers>();
        prop_assert_eq!(read(), read());
        let told: Result<_, Problem> = Answer::body(&bytes).read::<FeaturePage>();
        if let Err(problem) = told {
            prop_assert!(!problem.code().is_empty() && !problem.to_string().is_empty());
        }
    }
}

fn area(ring: &[Position]) -> f64 {
    ring.windows(2).map(|pair| pair[0].x * pair[1].y - pair[1].x * pair[0].y).sum()
}

/// A portal of thousands of services, most of them made within the same hours.
#[test]
fn a_walk_over_a_crowded_portal_finds_every_service_once() {
    let mut times: Vec<u64> = (0..24_000_u64).map(|n| 500_000 + n * n % 7_919).collect();
    times.extend((0..4_000).map(|n| n * 250));
    times.sort_unstable();
    let mut walk =
        PortalWalk::new(&"https://www.arcgis.com".parse().unwrap(), Window { from: 0, to: 1_000_000 });
    let (mut found, mut requests) = (std::collections::BTreeSet::new(), 0);
    while let Some(request) = walk.next() {
        requests += 1;
        assert!(requests < 1_000, "the walk does not end");
        let value =
            |name: &str| request.url.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
        let query = value("q");
        let (from, to) =
            query.split_once("created:[").unwrap().1.trim_end_matches(']').split_once(" TO ").unwrap();
        let (from, to): (u64, u64) = (from.parse().unwrap(), to.parse().unwrap());
        let start: usize = value("start").parse().unwrap();
        let hits: Vec<usize> = (0..times.len()).filter(|at| (from..=to).contains(&times[*at])).collect();
        let page = hits.iter().skip(start - 1).take(100);
        let items: Vec<_> = page.map(|at| format!(r#"{{"id":"{at}","type":"Map Service"}}"#)).collect();
        let next = if start + 99 < hits.len() { (start + 100) as i64 } else { -1 };
        let body = format!(
            r#"{{"total":{},"nextStart":{next},"results":[{}]}}"#,
            (hits.len() as u64).min(SEARCH_CAP),
            items.join(",")
        );
        for item in walk.answered(Answer::body(body.as_bytes()).read::<SearchPage>().unwrap().facts) {
            assert!(found.insert(item.id.unwrap()), "an item came twice");
        }
    }
    assert_eq!(found.len(), times.len());
    assert!(walk.truncated().is_empty());
}
