//! Evil shapes of answers, extents, geometries and tiles.

use crate::json::json_shapes;
use crate::{check, repeated};

#[test]
fn no_answer_is_slow() {
    check(json_shapes, &["esri_json"]);
}

#[test]
fn no_extent_is_slow() {
    let shapes = |length| {
        let wkt = |head: &str, piece: &str| {
            let mut text = repeated(
                format!(
                    "{{\"xmin\":1,\"ymin\":1,\"xmax\":2,\"ymax\":2,\"spatialReference\":{{\"wkt\":\"{head}"
                ),
                piece,
                length,
            );
            text.extend_from_slice(b"\"}}");
            text
        };
        vec![
            ("brackets", wkt("PROJCS", "[")),
            ("members", wkt("PROJCS[\\\"a\\\"", ",UNIT[\\\"m\\\",1]")),
            ("names", wkt("", "PROJCS[\\\"a\\\",")),
            ("parameters", wkt("PROJCS[\\\"a\\\"", ",PARAMETER[\\\"False_Easting\\\",1]")),
            ("letters", wkt("PROJCS[\\\"", "a")),
            ("digits", repeated("{\"xmin\":", "1", length)),
            ("corners", repeated("[", "[1,2],", length)),
        ]
    };
    check(shapes, &["extent"]);
}

#[test]
fn no_geometry_is_slow() {
    let shapes = |length| {
        let long = |head: &str, piece: &str, tail: &str| {
            let mut text = repeated(head, piece, length);
            text.extend_from_slice(tail.as_bytes());
            text
        };
        let outer = "[[0,0],[0,9],[9,9],[9,0],[0,0]]";
        let hole = "[[1,1],[2,1],[2,2],[1,2],[1,1]]";
        let zigzag = "[1,1],[2,8],";
        vec![
            ("outer rings", long("{\"rings\":[", &format!("{outer},"), &format!("{outer}]}}"))),
            ("holes", long(&format!("{{\"rings\":[{outer}"), &format!(",{hole}"), "]}")),
            (
                "rings of both kinds",
                long("{\"rings\":[", &format!("{outer},{hole},"), &format!("{outer}]}}")),
            ),
            ("one ring", long("{\"rings\":[[", zigzag, "[1,1]]]}")),
            ("a hole in one ring", long(&format!("{{\"rings\":[{hole},["), zigzag, "[1,1]]]}")),
            ("paths", long("{\"paths\":[", "[[0,0],[1,1]],", "[]]}")),
            ("empty paths", long("{\"paths\":[", "[],", "[]]}")),
            ("points", long("{\"points\":[", "[0,0],", "[1,1]]}")),
            ("curves", long("{\"curvePaths\":[[[0,0]", ",{\"c\":[[3,3],[1,4]]}", "]]}")),
            ("open lists", long("{\"rings\":", "[", "")),
            ("long points", long("{\"paths\":[[[", "1,", "1]]]}")),
        ]
    };
    check(shapes, &["esri_geometry"]);
}

#[test]
fn no_tile_is_slow() {
    let shapes = |length| {
        let leaf = [&[0; 10][..], &[0, 0, 0], &[0, 0], &[0, 0]].concat();
        let mut nested = vec![0_u8; 10];
        nested.extend((length as u32).to_be_bytes().into_iter().skip(1));
        nested.extend([0x30, 0x83, 9, 0, 0].repeat(length / 5));
        vec![
            ("empty lines", repeated("", "\n", length)),
            ("lines without names", repeated("", "{}\n", length)),
            ("names", repeated("{\"DNS\":[", "\"a\",", length)),
            ("empty entries", leaf.repeat(length / leaf.len())),
            ("open sequences", nested),
        ]
    };
    check(shapes, &["ct_tile"]);
}
