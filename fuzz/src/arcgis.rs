//! The targets of the ArcGIS library.

use bot_etiquette_arcgis::discover::{DcatFeed, HubDatasets, HubPage, SearchPage, WikidataRows, ct};
use bot_etiquette_arcgis::{
    Answer, Count, Counts, Directory, EsriGeometry, Extent, FeaturePage, Footprints, Geometry, Layer, Layers,
    Position, QueryExtent, ServerInfo, Service, Verdict,
};

/// An answer as every kind: an error envelope is never data, and what was read can be written.
pub fn json(data: &[u8]) {
    let answer = Answer::body(data);
    macro_rules! read {
        ($($kind:ty),*) => {
            $(if let Ok(parsed) = answer.read::<$kind>() {
                serde_json::to_vec(&parsed).expect("facts can be written");
            })*
        };
    }
    read!(Directory, Service, Layers, Layer, Count, Counts, QueryExtent, FeaturePage, ServerInfo, Footprints);
    read!(SearchPage, HubPage, HubDatasets, DcatFeed, WikidataRows, ct::LogList);
    if let Ok(parsed) = answer.read::<Layers>() {
        let layers = &parsed.facts;
        assert!(layers.iter().count() + layers.bad_items.len() <= data.len());
        for layer in layers.iter() {
            check(&layer.place(None, None));
        }
    }
}

/// An extent as JSON: every box lies on the globe, and no box comes without a verdict that allows one.
pub fn extent(data: &[u8]) {
    if let Ok(extent) = serde_json::from_slice::<Extent>(data) {
        for count in [None, Some(0), Some(1)] {
            check(&extent.to_wgs84_in(&[], count));
        }
    }
}

fn check(place: &bot_etiquette_arcgis::Place) {
    assert_eq!(place.boxes.is_empty(), place.verdict == Verdict::None, "{place:?}");
    assert_eq!(
        place.reason.is_none(),
        matches!(place.verdict, Verdict::Ok | Verdict::Antimeridian),
        "{place:?}"
    );
    for bbox in &place.boxes {
        assert!(bbox.west <= bbox.east && bbox.south <= bbox.north, "{place:?}");
        assert!(
            bbox.west >= -180.001 && bbox.east <= 180.001 && bbox.south >= -90.001 && bbox.north <= 90.001,
            "{place:?}"
        );
    }
}

/// A geometry: rings come out closed, outer ones counter-clockwise and holes clockwise; points are finite.
pub fn geometry(data: &[u8]) {
    let Ok(geometry) = serde_json::from_slice::<EsriGeometry>(data) else { return };
    match geometry.to_geojson(true).geometry {
        Some(Geometry::Polygon(rings)) => polygon(&rings),
        Some(Geometry::MultiPolygon(polygons)) => polygons.iter().for_each(|rings| polygon(rings)),
        Some(Geometry::MultiLineString(lines)) => assert!(lines.iter().all(|line| line.len() >= 2)),
        Some(Geometry::Point(point)) => assert!(point.x.is_finite() && point.y.is_finite()),
        _ => {}
    }
}

fn polygon(rings: &[Vec<Position>]) {
    assert!(!rings.is_empty());
    for ring in rings {
        assert!(ring.len() >= 4 && ring.iter().all(|point| point.x.is_finite() && point.y.is_finite()));
        let (first, last) = (ring[0], ring[ring.len() - 1]);
        assert!(first.x == last.x && first.y == last.y, "an open ring");
    }
}

/// A tile or an entry of a certificate log: names come out of its bytes, and a tile has as many entries as it should.
pub fn tile(data: &[u8]) {
    for width in [1, 2, ct::TILE_WIDTH] {
        for entries in [ct::names(data, width), ct::data_names(data, width)].into_iter().flatten() {
            assert_eq!(entries.len() as u64, width);
        }
    }
    if let Ok(leaf) = ct::Leaf::parse(data) {
        let bytes = leaf.names.iter().map(String::len).sum::<usize>();
        assert!(bytes + leaf.names.len() <= data.len(), "{:?}", leaf.names);
    }
}
