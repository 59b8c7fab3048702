//! Esri's geometries become proper GeoJSON.

use bot_etiquette_arcgis::{EsriGeometry, Geometry, Outline, Position};

#[track_caller]
fn outline(json: &str, has_z: bool) -> Outline {
    serde_json::from_str::<EsriGeometry>(json).unwrap().to_geojson(has_z)
}

#[track_caller]
fn geojson(json: &str) -> String {
    outline(json, false)
        .geometry
        .map_or("null".to_owned(), |geometry| serde_json::to_string(&geometry).unwrap().replace(".0", ""))
}

/// A square ring from its lower left corner; clockwise is Esri's outer ring.
fn square(x: i32, y: i32, side: i32, clockwise: bool) -> String {
    let (r, t) = (x + side, y + side);
    if clockwise {
        format!("[[{x},{y}],[{x},{t}],[{r},{t}],[{r},{y}],[{x},{y}]]")
    } else {
        format!("[[{x},{y}],[{r},{y}],[{r},{t}],[{x},{t}],[{x},{y}]]")
    }
}

fn polygon(rings: &[String]) -> String {
    format!(r#"{{"rings":[{}]}}"#, rings.join(","))
}

#[test]
fn points_and_lines_lose_what_is_no_place() {
    let table = [
        (r#"{"x":1,"y":2}"#, r#"{"type":"Point","coordinates":[1,2]}"#),
        (r#"{"x":"1.5","y":2}"#, r#"{"type":"Point","coordinates":[1.5,2]}"#),
        (r#"{"x":"NaN","y":"NaN"}"#, "null"),
        (r#"{"x":null}"#, "null"),
        ("{}", "null"),
        (r#"{"points":[[1,2],["NaN",3]]}"#, r#"{"type":"MultiPoint","coordinates":[[1,2]]}"#),
        (
            r#"{"paths":[[[0,0],[1,1]],[[5,5]],[],null]}"#,
            r#"{"type":"MultiLineString","coordinates":[[[0,0],[1,1]]]}"#,
        ),
        (r#"{"paths":[]}"#, "null"),
        (r#"{"paths":null}"#, "null"),
        (r#"{"rings":[[[0,0],[1,1]]]}"#, "null"),
        (r#"{"rings":[[[0,0],[1,1],[2,2],[0,0]]]}"#, "null"),
        (
            r#"{"xmin":0,"ymin":0,"xmax":1,"ymax":1}"#,
            r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1],[0,0]]]}"#,
        ),
    ];
    for (esri, expected) in table {
        assert_eq!(geojson(esri), expected, "{esri}");
    }
    assert_eq!(outline(r#"{"paths":[[[0,0],[1,1]],[[5,5]]]}"#, false).parts_dropped, 1);
}

#[test]
fn holes_find_the_smallest_outer_ring_around_them() {
    // Two outer rings, one hole in the second.
    let found =
        outline(&polygon(&[square(0, 0, 10, true), square(20, 0, 10, true), square(22, 2, 2, false)]), false);
    let Some(Geometry::MultiPolygon(polygons)) = found.geometry else { panic!("{found:?}") };
    assert_eq!(polygons.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2]);
    // An island in a lake: the hole in the island is the island's.
    let found = outline(
        &polygon(&[
            square(0, 0, 30, true),
            square(5, 5, 20, false),
            square(10, 10, 10, true),
            square(12, 12, 2, false),
        ]),
        false,
    );
    let Some(Geometry::MultiPolygon(polygons)) = found.geometry else { panic!("{found:?}") };
    assert_eq!(polygons.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2]);
    assert_eq!(polygons[1][1][0], Position::new(12.0, 12.0));
    // A hole that touches its outer ring at one corner is a hole still.
    let found = outline(&polygon(&[square(0, 0, 10, true), "[[0,0],[4,2],[2,4],[0,0]]".to_owned()]), false);
    let Some(Geometry::Polygon(rings)) = found.geometry else { panic!("{found:?}") };
    assert_eq!(rings.len(), 2);
    // A hole around which there is nothing is land.
    let found = outline(&polygon(&[square(0, 0, 10, true), square(50, 50, 2, false)]), false);
    assert!(matches!(found.geometry, Some(Geometry::MultiPolygon(polygons)) if polygons.len() == 2));
}

#[test]
fn servers_that_wind_all_rings_one_way_are_read_by_nesting() {
    for clockwise in [true, false] {
        let apart = outline(&polygon(&[square(0, 0, 10, clockwise), square(20, 0, 10, clockwise)]), false);
        assert!(matches!(apart.geometry, Some(Geometry::MultiPolygon(polygons)) if polygons.len() == 2));
        let nested = outline(&polygon(&[square(0, 0, 10, clockwise), square(2, 2, 2, clockwise)]), false);
        assert!(matches!(nested.geometry, Some(Geometry::Polygon(rings)) if rings.len() == 2));
    }
}

#[test]
fn every_outer_ring_turns_counter_clockwise_and_every_hole_clockwise() {
    for (outer, hole) in [(true, false), (true, true), (false, false)] {
        let found = outline(&polygon(&[square(0, 0, 10, outer), square(2, 2, 2, hole)]), false);
        let Some(Geometry::Polygon(rings)) = found.geometry else { panic!("{found:?}") };
        assert!(area(&rings[0]) > 0.0 && area(&rings[1]) < 0.0);
    }
    // GeoJSON from a server that keeps Esri's winding, and from one that keeps the standard's.
    for clockwise in [true, false] {
        let json = format!(
            r#"{{"type":"Polygon","coordinates":[{},{}]}}"#,
            square(0, 0, 10, clockwise),
            square(2, 2, 2, !clockwise)
        );
        let Some(Geometry::Polygon(rings)) = outline(&json, false).geometry else { panic!("{json}") };
        assert!(area(&rings[0]) > 0.0 && area(&rings[1]) < 0.0);
    }
}

fn area(ring: &[Position]) -> f64 {
    ring.windows(2).map(|pair| pair[0].x * pair[1].y - pair[1].x * pair[0].y).sum()
}

#[test]
fn a_measure_is_no_height() {
    let third = |json: &str, page: bool| match outline(json, page).geometry {
        Some(Geometry::MultiLineString(paths)) => paths[0][0].third,
        other => panic!("{other:?}"),
    };
    assert_eq!(third(r#"{"hasM":true,"paths":[[[0,0,7],[1,1,8]]]}"#, false), None);
    assert_eq!(third(r#"{"hasZ":true,"paths":[[[0,0,7],[1,1,8]]]}"#, false), Some(7.0));
    assert_eq!(third(r#"{"paths":[[[0,0,7],[1,1,8]]]}"#, true), Some(7.0));
    assert_eq!(third(r#"{"hasZ":true,"hasM":true,"paths":[[[0,0,7,9],[1,1,8,9]]]}"#, false), Some(7.0));
}

#[test]
fn curves_are_flattened_to_their_ends_and_told() {
    let rings = r#"{"curveRings":[[[0,0],{"c":[[0,10],[-2,5]]},{"b":[[10,10],[3,12],[6,12]]},{"a":[[10,0],[5,5],0,1,0,1]},[0,0]]]}"#;
    let found = outline(rings, false);
    assert!(found.curves_flattened);
    let Some(Geometry::Polygon(rings)) = found.geometry else { panic!("{found:?}") };
    assert_eq!(rings[0].len(), 5);
    assert!(rings[0].contains(&Position::new(10.0, 10.0)));
    assert!(!outline(r#"{"paths":[[[0,0],[1,1]]]}"#, false).curves_flattened);
}

#[test]
fn a_hostile_polygon_costs_bounded_time() {
    // Each hole lies in the bounds of every outer ring and inside none.
    let outers = (0..2_000).map(|n| format!("[[{n},0],[{n},9000],[9000,9000],[{n},0]]"));
    let holes = (0..2_000).map(|n| format!("[[8000,{n}],[8001,{n}],[8001,{}],[8000,{n}]]", n + 1));
    let found = outline(&polygon(&outers.chain(holes).collect::<Vec<_>>()), false);
    assert!(found.geometry.is_some());
}
