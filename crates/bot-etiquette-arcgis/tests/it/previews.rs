//! Previews: what to ask for, and what to believe.

use bot_etiquette_arcgis::{
    Address, Answer, Extent, Layer, PictureError, Preview, Service, check_picture, plan_preview,
};

fn ways(kind: &str, service: &str, layer: &str) -> Vec<Preview> {
    let url = format!("https://gis.example.org/arcgis/rest/services/A/{kind}")
        .parse::<Address>()
        .unwrap()
        .service
        .unwrap();
    let service = Answer::body(service.as_bytes()).read::<Service>().unwrap().facts;
    let layer = Answer::body(layer.as_bytes()).read::<Layer>().unwrap().facts;
    let place = Extent::new([5.0, 45.0, 5.5, 45.3], 4326).to_wgs84();
    plan_preview(&url, &service, Some(&layer), &place, (400, 300))
}

fn names(ways: &[Preview]) -> Vec<&'static str> {
    ways.iter()
        .map(|way| match way {
            Preview::Picture { .. } => "picture",
            Preview::Tiles { .. } => "tiles",
            Preview::Sample { .. } => "sample",
            _ => "?",
        })
        .collect()
}

const SCHEME: &str = r#""tileInfo":{"rows":256,"cols":256,"origin":{"x":-20037508.342787,"y":20037508.342787},"spatialReference":{"wkid":102100},
    "lods":[{"level":0,"resolution":156543.03392800014,"scale":591657527.591555},{"level":7,"resolution":1222.992452562495,"scale":4622324.434309}]}"#;
const POINTS: &str = r#"{"id":3,"name":"L","geometryType":"esriGeometryPoint","capabilities":"Map,Query"}"#;

#[test]
fn a_server_draws_first_then_tiles_then_features_are_drawn_here() {
    let table = [
        ("MapServer", r#"{"mapName":"A","capabilities":"Map,Query"}"#.to_owned(), vec!["picture", "sample"]),
        (
            "MapServer",
            format!(r#"{{"mapName":"A","capabilities":"Map","singleFusedMapCache":false,{SCHEME}}}"#),
            vec!["picture", "sample"],
        ),
        (
            "MapServer",
            format!(r#"{{"mapName":"A","capabilities":"Map","singleFusedMapCache":true,{SCHEME}}}"#),
            vec!["picture", "tiles", "sample"],
        ),
        (
            "MapServer",
            format!(
                r#"{{"mapName":"A","capabilities":"Map,TilesOnly","singleFusedMapCache":true,{SCHEME}}}"#
            ),
            vec!["tiles", "sample"],
        ),
        ("FeatureServer", r#"{"capabilities":"Query"}"#.to_owned(), vec!["sample"]),
        ("ImageServer", r#"{"capabilities":"Image"}"#.to_owned(), vec!["picture"]),
    ];
    for (kind, service, expected) in table {
        assert_eq!(names(&ways(kind, &service, POINTS)), expected, "{kind} {service}");
    }
}

#[test]
fn a_picture_is_asked_for_at_a_scale_where_the_layer_draws() {
    let width = |layer: &str| {
        let ways = ways("MapServer", r#"{"mapName":"A","capabilities":"Map"}"#, layer);
        let Some(Preview::Picture { bbox, .. }) = ways.first() else { panic!("{ways:?}") };
        // Metres a pixel in Web Mercator, as a denominator at 96 dots an inch.
        ((bbox.east - bbox.west) * 111_319.490_793 / 400.0) * 96.0 / 0.0254
    };
    let free = width(POINTS);
    assert!(free > 400_000.0);
    let near = width(r#"{"id":3,"name":"L","geometryType":"esriGeometryPoint","minScale":4000}"#);
    assert!((2_700.0..=4_000.0).contains(&near), "{near}");
    let far = width(r#"{"id":3,"name":"L","geometryType":"esriGeometryPoint","maxScale":5000000}"#);
    assert!(far >= 5_000_000.0, "{far}");
    let band =
        width(r#"{"id":3,"name":"L","geometryType":"esriGeometryPoint","minScale":4000,"maxScale":3500}"#);
    assert!((3_500.0..=4_000.1).contains(&band), "{band}");
    let swapped =
        width(r#"{"id":3,"name":"L","geometryType":"esriGeometryPoint","minScale":1000,"maxScale":4000}"#);
    assert!((1_000.0..=4_000.0).contains(&swapped), "{swapped}");
}

/// A grey JPEG of two blocks, 16 x 8 pixels, with these bits in its scan.
fn jpeg(scan: &[u8]) -> Vec<u8> {
    let mut bytes = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xdb\x00\x43\x00".to_vec();
    bytes.extend([1; 64]);
    bytes.extend(b"\xff\xc0\x00\x0b\x08\x00\x08\x00\x10\x01\x01\x11\x00");
    // Three lengths of a difference (0, 10 and 11 bits), and "the rest of the block is flat".
    bytes.extend(b"\xff\xc4\x00\x16\x00\x00\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x00\x0a\x0b");
    bytes.extend(b"\xff\xc4\x00\x14\x10\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x00");
    bytes.extend(b"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00");
    bytes.extend(scan);
    bytes.extend(b"\xff\xd9");
    bytes
}

/// The first block 1016 below grey, the second 2032 above the first.
const TWO_TONES: &[u8] = &[0b0100_0000, 0b0111_0101, 0b1111_1100, 0b0001_1111];
#[cfg(feature = "draw")]
const ONE_TONE: &[u8] = &[0b0000_0011];

#[test]
fn what_is_no_picture_of_that_size_is_refused() {
    let png = |width: u32, height: u32| {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes
    };
    assert_eq!(check_picture(&jpeg(TWO_TONES), (16, 8)), Ok(()));
    assert_eq!(check_picture(&jpeg(TWO_TONES), (400, 300)), Err(PictureError::Size(16, 8)));
    assert_eq!(check_picture(&png(400, 400), (400, 300)), Err(PictureError::Size(400, 400)));
    for body in [
        &b""[..],
        b"{\"error\":{}}",
        b"<html>",
        b"\xff\xd8",
        b"\xff\xd8\xff\xe0\x00\x00\xff",
        &png(4, 4)[..20],
    ] {
        assert_eq!(check_picture(body, (400, 300)), Err(PictureError::NotAPicture), "{body:?}");
    }
}

#[cfg(feature = "draw")]
#[test]
fn a_picture_of_nothing_is_blank() {
    use bot_etiquette_arcgis::{FeaturePage, draw_features};
    let page = |body: &[u8]| Answer::body(body).read::<FeaturePage>().unwrap().facts;
    let somewhere = page(br#"{"features":[{"geometry":{"paths":[[[0,0],[5,5]]]}},{"geometry":{"x":2,"y":3}},{"geometry":null}]}"#);
    let png = draw_features(&somewhere, [-1.0, -1.0, 9.0, 9.0], (40, 30)).unwrap();
    assert_eq!(check_picture(&png, (40, 30)), Ok(()));
    assert_eq!(check_picture(&png[..png.len() / 2], (40, 30)), Err(PictureError::Broken));
    assert_eq!(check_picture(&jpeg(ONE_TONE), (16, 8)), Err(PictureError::Blank));
    assert_eq!(check_picture(&jpeg(TWO_TONES)[..90], (16, 8)), Err(PictureError::Broken));
    assert_eq!(draw_features(&somewhere, [100.0, 100.0, 109.0, 109.0], (40, 30)), Err(PictureError::Blank));
    assert_eq!(draw_features(&somewhere, [0.0, 0.0, 0.0, 0.0], (40, 30)), Err(PictureError::Blank));
}

#[cfg(feature = "draw")]
#[test]
fn tiles_are_joined_in_their_order_and_missing_ones_leave_a_gap() {
    use bot_etiquette_arcgis::{Tile, join_tiles};
    let tile = |row, col| Tile { level: 9, row, col };
    let (dark, flat) = (jpeg(TWO_TONES), jpeg(ONE_TONE));
    let size = |tiles: &[(Tile, &[u8])]| {
        join_tiles(tiles, (16, 8)).map(|png| {
            [(16, 8), (32, 8), (16, 16), (32, 16), (64, 8)]
                .into_iter()
                .find(|size| check_picture(&png, *size) == Ok(()))
        })
    };
    assert_eq!(size(&[(tile(5, 7), &dark)]), Ok(Some((16, 8))));
    assert_eq!(size(&[(tile(5, 7), &dark), (tile(5, 8), &flat)]), Ok(Some((32, 8))));
    assert_eq!(size(&[(tile(6, 8), &dark), (tile(5, 7), &flat)]), Ok(Some((32, 16))));
    assert_eq!(size(&[(tile(5, 7), &dark), (tile(5, 8), b"<html>")]), Ok(Some((16, 8))));
    assert_eq!(size(&[(tile(5, 7), &dark), (tile(5, 10), &flat)]), Ok(Some((64, 8))));
    assert_eq!(size(&[(tile(5, 7), &dark), (tile(5, 11), &flat)]), Err(PictureError::Broken));
    assert_eq!(size(&[(tile(0, 0), &dark), (tile(u64::MAX, u64::MAX), &dark)]), Err(PictureError::Broken));
    assert_eq!(size(&[(tile(5, 7), &flat)]), Err(PictureError::Blank));
    assert_eq!(size(&[]), Err(PictureError::Blank));
}
