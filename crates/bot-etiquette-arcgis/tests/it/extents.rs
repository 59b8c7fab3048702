//! Extents, and what they are worth.

use bot_etiquette_arcgis::{Answer, Extent, Layer, Place, Reason, Service, SpatialReference, Verdict};

#[track_caller]
fn place(extent: &str, count: Option<u64>) -> Place {
    let layer = format!(r#"{{"id":0,"name":"L","extent":{extent}}}"#);
    Answer::body(layer.as_bytes()).read::<Layer>().unwrap().facts.place(None, count)
}

#[track_caller]
fn near(place: &Place, expected: [f64; 4], tolerance: f64) {
    let found: [f64; 4] = place.boxes[0].into();
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= tolerance, "{place:?} is not {expected:?}");
    }
}

#[test]
fn an_extent_without_numbers_has_no_place_and_says_why() {
    let table = [
        ("null", Reason::Null),
        (r#"{"spatialReference":{"wkid":4326}}"#, Reason::Missing),
        ("{}", Reason::Missing),
        (r#"{"xmin":NaN,"ymin":NaN,"xmax":NaN,"ymax":NaN}"#, Reason::NotANumber),
        (
            r#"{"xmin":"NaN","ymin":"NaN","xmax":"NaN","ymax":"NaN","spatialReference":{"wkid":4326}}"#,
            Reason::NotANumber,
        ),
        (r#"{"xmin":null,"ymin":1,"xmax":2,"ymax":3,"spatialReference":{"wkid":4326}}"#, Reason::NotANumber),
        (r#"{"xmin":-1.797e308,"ymin":-1.797e308,"xmax":1.797e308,"ymax":1.797e308}"#, Reason::Huge),
        (r#"{"xmin":10,"ymin":0,"xmax":5,"ymax":1,"spatialReference":{"wkid":102100}}"#, Reason::Inverted),
        (r#"{"xmin":1,"ymin":2,"xmax":2,"ymax":1,"spatialReference":{"wkid":4326}}"#, Reason::Inverted),
        (r#"{"xmin":0,"ymin":0,"xmax":0,"ymax":0,"spatialReference":{"wkid":4326}}"#, Reason::Zero),
        (r#"{"xmin":1e6,"ymin":1e6,"xmax":2e6,"ymax":2e6}"#, Reason::NoReference),
        (
            r#"{"xmin":1e6,"ymin":1e6,"xmax":2e6,"ymax":2e6,"spatialReference":{"wkid":-1}}"#,
            Reason::NoReference,
        ),
        (
            r#"{"xmin":1e6,"ymin":1e6,"xmax":2e6,"ymax":2e6,"spatialReference":{"wkid":0}}"#,
            Reason::NoReference,
        ),
        (
            r#"{"xmin":1,"ymin":1,"xmax":2,"ymax":2,"spatialReference":{"wkid":4000000}}"#,
            Reason::UnknownReference,
        ),
        (
            r#"{"xmin":1,"ymin":1,"xmax":2,"ymax":2,"spatialReference":{"wkt":"PROJCS[nonsense"}}"#,
            Reason::UnknownReference,
        ),
    ];
    for (extent, reason) in table {
        let place = place(extent, None);
        assert_eq!((place.verdict, place.reason), (Verdict::None, Some(reason)), "{extent}");
        assert!(place.boxes.is_empty());
    }
}

#[test]
fn doubtful_extents_keep_their_box_and_their_doubt() {
    let table = [
        (
            r#"{"xmin":0,"ymin":0,"xmax":0,"ymax":0,"spatialReference":{"wkid":4326}}"#,
            Some(1),
            Reason::NullIsland,
        ),
        (
            r#"{"xmin":-180,"ymin":-90,"xmax":180,"ymax":90,"spatialReference":{"wkid":4326}}"#,
            Some(7),
            Reason::WorldExtent,
        ),
        (
            r#"{"xmin":-20037508.342787,"ymin":-20037508.34,"xmax":20037508.342787,"ymax":20037508.34,"spatialReference":{"wkid":102100}}"#,
            None,
            Reason::WorldExtent,
        ),
        (r#"{"xmin":-118,"ymin":33,"xmax":-117,"ymax":34}"#, None, Reason::AssumedWgs84),
        (
            r#"{"xmin":-200,"ymin":-95,"xmax":10,"ymax":10,"spatialReference":{"wkid":4326}}"#,
            None,
            Reason::OutOfRange,
        ),
    ];
    for (extent, count, reason) in table {
        let place = place(extent, count);
        assert_eq!(
            (place.verdict, place.reason, place.boxes.len()),
            (Verdict::Suspect, Some(reason), 1),
            "{extent}"
        );
    }
    let default = place(table[1].0, Some(0));
    assert_eq!((default.verdict, default.reason), (Verdict::None, Some(Reason::Default)));
}

#[test]
fn the_antimeridian_splits_a_box_in_two() {
    let boxes = |extent: &str| {
        let place = place(extent, None);
        assert_eq!(place.verdict, Verdict::Antimeridian, "{place:?}");
        place.boxes.iter().map(|bbox| (bbox.west, bbox.east)).collect::<Vec<_>>()
    };
    let by_degrees = |west: f64, east: f64| {
        boxes(&format!(
            r#"{{"xmin":{west},"ymin":-20,"xmax":{east},"ymax":-10,"spatialReference":{{"wkid":4326}}}}"#
        ))
    };
    assert_eq!(by_degrees(170.0, -170.0), [(170.0, 180.0), (-180.0, -170.0)]);
    assert_eq!(by_degrees(170.0, 190.0), [(170.0, 180.0), (-180.0, -170.0)]);
    assert_eq!(
        place(r#"{"xmin":190,"ymin":0,"xmax":200,"ymax":1,"spatialReference":{"wkid":4326}}"#, None).boxes[0]
            .west,
        -170.0
    );
}

#[test]
fn web_mercator_is_exact_under_all_its_names() {
    for reference in [
        r#"{"wkid":3857}"#,
        r#"{"wkid":102100}"#,
        r#"{"wkid":102100,"latestWkid":3857,"xyTolerance":0.001,"falseX":-20037700}"#,
        r#"{"wkid":102113}"#,
        r#"{"wkid":3785}"#,
        r#"{"wkid":900913}"#,
        r#"{"wkid":"3857"}"#,
        r#"{"wkid":3857.0}"#,
    ] {
        let extent = format!(
            r#"{{"xmin":-13163000,"ymin":4035000,"xmax":-13163000,"ymax":4035000,"spatialReference":{reference}}}"#
        );
        let place = place(&extent, None);
        assert_eq!(place.verdict, Verdict::Ok, "{reference}");
        near(&place, [-118.245_240_8, 34.046_146_1, -118.245_240_8, 34.046_146_1], 1e-7);
    }
    let deep = Extent::new([0.0, -30_241_100.0, 1.0, 0.0], 3857).to_wgs84();
    near(&deep, [0.0, -89.000_021, 1.0 / 111_319.5, 0.0], 1e-6);
}

#[cfg(feature = "proj")]
#[test]
fn grids_and_cones_are_placed_as_proj_places_them() {
    let table = [
        (
            [1_620_818.79, 1_027_740.60, 1_752_279.98, 1_242_953.81],
            102_697,
            [-92.569_20, 38.655_44, -92.105_00, 39.247_02],
        ),
        (
            [6_474_022.0, 1_748_978.0, 6_499_010.0, 1_780_987.0],
            2229,
            [-118.288_77, 33.797_95, -118.206_22, 33.886_08],
        ),
        (
            [6_474_022.0, 1_748_978.0, 6_499_010.0, 1_780_987.0],
            102_645,
            [-118.288_77, 33.797_95, -118.206_22, 33.886_08],
        ),
    ];
    for (edges, wkid, expected) in table {
        let place = Extent::new(edges, wkid).to_wgs84();
        assert_eq!(place.verdict, Verdict::Ok, "{wkid}: {place:?}");
        near(&place, expected, 1e-4);
    }
    // Lambert-93 by its WKT alone, inside France.
    let lambert = r#"PROJCS["RGF93_Lambert_93",GEOGCS["GCS_RGF_1993",DATUM["D_RGF_1993",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Lambert_Conformal_Conic"],PARAMETER["False_Easting",700000.0],PARAMETER["False_Northing",6600000.0],PARAMETER["Central_Meridian",3.0],PARAMETER["Standard_Parallel_1",44.0],PARAMETER["Standard_Parallel_2",49.0],PARAMETER["Latitude_Of_Origin",46.5],UNIT["Meter",1.0]]"#;
    let mut paris = Extent::new([650_000.0, 6_860_000.0, 655_000.0, 6_865_000.0], 1);
    paris.spatial_reference =
        Some(SpatialReference { wkt: Some(lambert.to_owned()), ..SpatialReference::default() });
    near(&paris.to_wgs84(), [2.318, 48.838, 2.387, 48.884], 0.003);
}

#[cfg(feature = "proj")]
#[test]
fn edges_are_followed_and_boxes_far_larger_than_their_system_are_doubted() {
    // Two corners alone would give 87.016, -37.355, 162.099, -6.217.
    let edges = [-4_083_231.0, -4_948_889.0, 3_246_768.0, -1_127_459.0];
    let place = Extent::new(edges, 3112).to_wgs84();
    assert_eq!(
        (place.verdict, place.reason),
        (Verdict::Suspect, Some(Reason::OutsideAreaOfUse)),
        "{place:?}"
    );
    let corner = Extent::new([edges[0], edges[1], edges[0], edges[1]], 3112).to_wgs84();
    assert!(
        place.boxes[0].south < corner.boxes[0].south,
        "the middle of the lower edge lies further south than its ends"
    );
}

#[cfg(feature = "proj")]
#[test]
fn a_box_around_a_pole_spans_all_longitudes() {
    let boxed = |code: u32, edges: [f64; 4]| Extent::new(edges, code).to_wgs84();
    let antarctica = boxed(3031, [-1.0e6, -1.0e6, 1.0e6, 1.0e6]);
    assert_eq!(antarctica.reason, None, "{antarctica:?}");
    near(&antarctica, [-180.0, -90.0, 180.0, -77.04], 0.01);
    // The pole need not lie in the middle, nor at the origin of the numbers.
    near(&boxed(3031, [-1000.0, -2000.0, 2.0e6, 3.0e6]), [-180.0, -90.0, 180.0, -57.667], 0.001);
    let arctic = boxed(3413, [-1.0e6, -1.0e6, 1.0e6, 1.0e6]);
    assert_eq!((arctic.boxes.len(), arctic.boxes[0].west, arctic.boxes[0].east), (1, -180.0, 180.0));
    assert_eq!(arctic.boxes[0].north, 90.0);
    let shifted = boxed(32_661, [1.5e6, 1.5e6, 2.5e6, 2.5e6]);
    assert_eq!((shifted.boxes[0].west, shifted.boxes[0].east, shifted.boxes[0].north), (-180.0, 180.0, 90.0));
    // Beside the pole nothing is widened.
    let beside = boxed(3031, [1.0e5, 1.0e5, 1.0e6, 1.0e6]);
    assert!(beside.boxes[0].west > 5.0 && beside.boxes[0].east < 85.0, "{beside:?}");
    // Where the pole is a line, a box that reaches it has the longitudes that it has.
    let flat = boxed(4087, [0.0, 5.0e6, 1.0e6, 10_018_754.18]);
    assert!(flat.boxes[0].west > -1.0 && flat.boxes[0].east < 10.0, "{flat:?}");
    let france = boxed(2154, [650_000.0, 6_860_000.0, 655_000.0, 6_865_000.0]);
    assert!(france.boxes[0].east < 3.0, "{france:?}");
}

#[cfg(feature = "proj")]
#[test]
fn axes_are_read_the_way_that_lands_where_the_system_is_used() {
    let boxed = |code: u32, edges: [f64; 4]| Extent::new(edges, code).to_wgs84();
    // South Africa's grid around 19 degrees east, counted east and north as ArcGIS does, or west and south as EPSG says.
    let north = boxed(2048, [-50_000.0, -3_763_661.0, -40_000.0, -3_750_000.0]);
    let south = boxed(2048, [40_000.0, 3_750_000.0, 50_000.0, 3_763_661.0]);
    near(&north, [18.459, -34.000, 18.568, -33.874], 0.003);
    let edges: [f64; 4] = north.boxes[0].into();
    near(&south, edges, 1.0e-6);
    assert_eq!((north.reason, south.reason), (None, None));
    // Neither way lands there: the box is kept, and doubted.
    assert_eq!(
        boxed(2048, [900_000.0, -200_000.0, 910_000.0, -190_000.0]).reason,
        Some(Reason::OutsideAreaOfUse)
    );
    // Krovak's grid, whose numbers are negative when counted east and north: the middle of Prague.
    let prague = boxed(5514, [-743_500.0, -1_044_000.0, -742_500.0, -1_043_000.0]);
    near(&prague, [14.41, 50.08, 14.43, 50.09], 0.02);
    assert_eq!(
        boxed(2065, [-743_500.0, -1_044_000.0, -742_500.0, -1_043_000.0]).reason,
        Some(Reason::UnreliableReference)
    );
}

#[test]
fn a_hostile_definition_is_refused_before_it_is_parsed() {
    for wkt in ["[".repeat(8_000), "PROJCS[".repeat(1_100), "x".repeat(100_000)] {
        let mut extent = Extent::new([1.0, 1.0, 2.0, 2.0], 1);
        extent.spatial_reference = Some(SpatialReference { wkt: Some(wkt), ..SpatialReference::default() });
        assert_eq!(extent.to_wgs84().reason, Some(Reason::UnknownReference));
    }
}

#[test]
fn no_prime_meridian_of_a_server_s_own_leads_off_the_globe() {
    let at = |meridian: &str| {
        let wkt = format!(
            r#"GEOGCS["GCS_Own",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Own",{meridian}]]"#
        );
        let mut extent = Extent::new([1.0, 1.0, 2.0, 2.0], 1);
        extent.spatial_reference = Some(SpatialReference { wkt: Some(wkt), ..SpatialReference::default() });
        extent.to_wgs84()
    };
    near(&at("-17.6666666667"), [-16.667, 1.0, -15.667, 2.0], 0.01);
    near(&at("179.5"), [-179.5, 1.0, -178.5, 2.0], 0.01);
    assert_eq!(at("174532925199433").reason, Some(Reason::OutsideDomain));
}

#[test]
fn a_layer_without_an_extent_inherits_its_service_s() {
    let service = br#"{"layers":[{"id":0}],"spatialReference":{"wkid":4326},"fullExtent":{"xmin":1,"ymin":2,"xmax":3,"ymax":4}}"#;
    let service = Answer::body(service).read::<Service>().unwrap().facts;
    let layer = Answer::body(br#"{"id":0,"name":"L"}"#).read::<Layer>().unwrap().facts;
    let place = layer.place(Some(&service), None);
    assert_eq!(
        (place.verdict, place.inherited, <[f64; 4]>::from(place.boxes[0])),
        (Verdict::Ok, true, [1.0, 2.0, 3.0, 4.0])
    );
    // Its own extent without a system takes the service's.
    let layer = Answer::body(br#"{"id":0,"name":"L","extent":{"xmin":1,"ymin":2,"xmax":2,"ymax":4}}"#)
        .read::<Layer>()
        .unwrap()
        .facts;
    let place = layer.place(Some(&service), None);
    assert_eq!((place.verdict, place.inherited), (Verdict::Ok, false));
}

/// Every system against PROJ, where the environment names a file of lines `code x y lon lat`.
#[cfg(feature = "proj")]
#[test]
fn every_system_agrees_with_proj_or_is_known_not_to() {
    let Some(file) = std::env::var_os("BOT_ETIQUETTE_PROJ_POINTS") else {
        println!("left out: BOT_ETIQUETTE_PROJ_POINTS names no file of points");
        return;
    };
    let (mut worst, mut unknown) =
        (std::collections::BTreeMap::<u32, (f64, bool)>::new(), std::collections::BTreeSet::new());
    for line in std::fs::read_to_string(file).unwrap().lines() {
        let numbers: Vec<f64> = line.split('\t').map(|number| number.parse().unwrap()).collect();
        let [code, x, y, lon, lat] = numbers[..] else { panic!("{line}") };
        let code = code as u32;
        let place = Extent::new([x, y, x, y], code).to_wgs84();
        if place.reason == Some(Reason::UnknownReference) {
            unknown.insert(code);
            continue;
        }
        let metres = place.boxes.first().map_or(f64::INFINITY, |bbox| {
            let east = ((bbox.west - lon + 540.0).rem_euclid(360.0) - 180.0) * lat.to_radians().cos();
            east.hypot(bbox.south - lat) * 111_195.0
        });
        let entry = worst.entry(code).or_insert((0.0, false));
        entry.0 = entry.0.max(metres);
        entry.1 |= place.reason == Some(Reason::UnreliableReference);
    }
    let within = |limit: f64| worst.values().filter(|(metres, _)| *metres < limit).count();
    println!(
        "{} systems: {} within 1 m, {} within 200 m, {} within 2 km; {} unknown",
        worst.len(),
        within(1.0),
        within(200.0),
        within(2_000.0),
        unknown.len()
    );
    let silent: Vec<_> = worst
        .iter()
        .filter(|(_, (metres, told))| *metres >= 2_000.0 && !told)
        .map(|(code, _)| code)
        .collect();
    assert!(silent.is_empty(), "{} far off and not listed: {silent:?}", silent.len());
}
