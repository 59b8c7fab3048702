//! Certificate Transparency logs: entries, tiles, batches, and the names in them.

use std::io::Write;
use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bot_etiquette_arcgis::discover::ct::{
    CtError, DATA_LIMIT, EntryKind, EntryWalk, Leaf, LogList, NAMES_LIMIT, TILE_WIDTH, TileWalk, TreeHead,
    data_names, names,
};
use bot_etiquette_arcgis::{Answer, Problem};
use http::StatusCode;

fn der(tag: u8, parts: &[Vec<u8>]) -> Vec<u8> {
    let inside = parts.concat();
    let mut bytes = vec![tag];
    match inside.len() {
        short @ 0..=127 => bytes.push(short as u8),
        long => bytes.extend([0x82, (long >> 8) as u8, long as u8]),
    }
    bytes.extend(inside);
    bytes
}

/// The signed part of a certificate for these names, with an IP address among them and extensions around.
fn to_sign(names: &[&str]) -> Vec<u8> {
    let mut list: Vec<_> = names.iter().map(|name| der(0x82, &[name.as_bytes().to_vec()])).collect();
    list.push(der(0x87, &[vec![192, 0, 2, 1]]));
    let names = der(0x04, &[der(0x30, &list)]);
    let extension = |id: &[u8], rest: &[Vec<u8>]| der(0x30, &[der(0x06, &[id.to_vec()]), rest.concat()]);
    // The alternative names' id inside another value is no extension.
    let decoy = der(
        0x04,
        &[der(0x06, &[vec![0x55, 0x1d, 0x11]]), der(0x04, &[der(0x30, &[der(0x82, &[b"no".to_vec()])])])],
    );
    let extensions = der(
        0xa3,
        &[der(
            0x30,
            &[
                extension(&[0x55, 0x1d, 0x0e], &[decoy]),
                extension(&[0x55, 0x1d, 0x11], &[vec![0x01, 0x01, 0xff], names]),
            ],
        )],
    );
    der(0x30, &[der(0xa0, &[vec![2, 1, 2]]), der(0x02, &[vec![7]]), der(0x30, &[vec![0; 200]]), extensions])
}

fn certificate(names: &[&str]) -> Vec<u8> {
    der(0x30, &[to_sign(names), der(0x30, &[]), der(0x03, &[vec![0; 9]])])
}

fn sized(width: usize, bytes: &[u8]) -> Vec<u8> {
    [&bytes.len().to_be_bytes()[8 - width..], bytes].concat()
}

/// An entry of a data tile.
fn tile_leaf(kind: u16, names: &[&str]) -> Vec<u8> {
    let mut bytes = [&1_519_407_928_245_u64.to_be_bytes()[..], &kind.to_be_bytes()].concat();
    if kind == 0 {
        bytes.extend(sized(3, &certificate(names)));
    } else {
        bytes.extend([0; 32]);
        bytes.extend(sized(3, &to_sign(names)));
    }
    bytes.extend(sized(2, &[0, 0, 5, 0, 0, 0, 0, 9]));
    if kind == 1 {
        bytes.extend(sized(3, &certificate(names)));
    }
    bytes.extend(sized(2, &[5; 64]));
    bytes
}

fn leaf_input(names: &[&str]) -> Vec<u8> {
    let head = STANDARD.decode("AAAAAAFhw8UTtQAA").unwrap();
    [head, sized(3, &certificate(names)), sized(2, &[])].concat()
}

#[test]
fn names_come_out_of_certificates_and_precertificates() {
    let wanted = ["gis.example.org", "*.example.org"];
    let leaf = Leaf::parse(&leaf_input(&wanted)).unwrap();
    assert_eq!((leaf.timestamp, leaf.kind), (1_519_407_928_245, EntryKind::Certificate));
    assert_eq!(leaf.names, wanted);
    let tile: Vec<u8> =
        [tile_leaf(0, &wanted), tile_leaf(1, &["maps.example.org"]), tile_leaf(1, &[])].concat();
    assert_eq!(data_names(&tile, 3).unwrap(), [wanted.to_vec(), vec!["maps.example.org"], vec![]]);
    // A certificate that is none costs its own names alone.
    let mut broken = tile_leaf(0, &wanted);
    broken[13] = 0x31;
    assert_eq!(
        data_names(&[broken, tile_leaf(1, &["a.example"])].concat(), 2).unwrap(),
        [vec![], vec!["a.example"]]
    );
}

#[test]
fn what_is_no_entry_is_refused() {
    let good = leaf_input(&["gis.example.org"]);
    for end in 0..good.len() {
        assert!(Leaf::parse(&good[..end]).is_err(), "{end} bytes");
    }
    assert_eq!(Leaf::parse(&[&good[..], &[0]].concat()), Err(CtError::Leaf("bytes after the end")));
    for (at, byte) in [(0, 1), (1, 1), (10, 0x80), (11, 2)] {
        let mut other = good.clone();
        other[at] = byte;
        assert!(Leaf::parse(&other).is_err(), "byte {at}");
    }
    let tile = tile_leaf(1, &["gis.example.org"]);
    for end in 1..tile.len() {
        assert!(data_names(&tile[..end], 1).is_err(), "{end} bytes");
    }
    assert_eq!(data_names(&tile, 256), Err(CtError::Count { found: 1, expected: 256 }));
}

#[test]
fn compressed_tiles_are_read_up_to_their_limit() {
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let line = b"{\"DNS\":[\"gis.example.org\"]}\n";
    assert_eq!(names(&gzip(line), 1).unwrap().concat(), ["gis.example.org"]);
    assert_eq!(data_names(&gzip(&tile_leaf(0, &["a.example"])), 1).unwrap().concat(), ["a.example"]);
    let padded = |length: usize| {
        let mut tile = line.to_vec();
        tile.resize(length, b'\n');
        gzip(&tile)
    };
    let limit = usize::try_from(NAMES_LIMIT).unwrap();
    for (length, is_read) in [(limit - 1, true), (limit, true), (limit + 1, false)] {
        assert_eq!(names(&padded(length), 1).is_ok(), is_read, "{length} bytes");
    }
    let cut = gzip(line);
    assert_eq!(names(&cut[..cut.len() - 9], 1), Err(CtError::Gzip { limit: NAMES_LIMIT }));
    let bomb = gzip(&vec![0; 5 << 20]);
    assert_eq!(data_names(&bomb, 256), Err(CtError::Gzip { limit: DATA_LIMIT }));
}

#[test]
fn a_log_is_read_by_names_tiles_first_and_by_data_tiles_where_it_has_none() {
    let mut walk = TileWalk::new(&"https://mon.example/2026h2/".parse().unwrap(), [0, 1_000, 1_001, 2]);
    let path = |walk: &TileWalk| walk.next().map(|request| request.url.path().to_owned());
    let line = "{\"DNS\":[\"gis.example.org\"]}\n".repeat(256);
    assert_eq!(path(&walk).unwrap(), "/2026h2/tile/names/000");
    assert_eq!(walk.answered(StatusCode::OK, line.as_bytes()).unwrap().len(), 256);
    assert_eq!(path(&walk).unwrap(), "/2026h2/tile/names/x001/000");
    assert_eq!(walk.answered(StatusCode::NOT_FOUND, b"").unwrap(), Vec::<String>::new());
    assert_eq!(path(&walk).unwrap(), "/2026h2/tile/data/x001/000");
    let tile = tile_leaf(1, &["maps.example.org"]).repeat(usize::try_from(TILE_WIDTH).unwrap());
    assert_eq!(walk.answered(StatusCode::OK, &tile).unwrap().len(), 256);
    assert_eq!(path(&walk).unwrap(), "/2026h2/tile/data/x001/001");
    assert_eq!(walk.answered(StatusCode::NOT_FOUND, b""), Err(CtError::Status(StatusCode::NOT_FOUND)));
    assert_eq!(path(&walk).unwrap(), "/2026h2/tile/data/002", "a missing tile is passed over");
    walk.skip();
    assert_eq!(path(&walk), None);
}

#[test]
fn entries_are_asked_for_from_where_the_last_answer_ended() {
    let body = |count: usize| {
        let leaf = STANDARD.encode(leaf_input(&["gis.example.org"]));
        let entry = format!("{{\"leaf_input\":\"{leaf}\",\"extra_data\":\"\"}}");
        format!("{{\"entries\":[{}]}}", vec![entry; count].join(","))
    };
    let mut walk = EntryWalk::new(&"https://ct.example/log".parse().unwrap(), 0, 1_024);
    let asked = |walk: &EntryWalk| walk.next().map(|request| request.url.query().unwrap().to_owned());
    assert_eq!(walk.tree_head().url.path(), "/log/ct/v1/get-sth");
    assert_eq!(asked(&walk).unwrap(), "start=0&end=255");
    assert_eq!(walk.answered(StatusCode::OK, body(32).as_bytes()).unwrap().len(), 32);
    assert_eq!(asked(&walk).unwrap(), "start=32&end=287", "a log may give fewer");
    walk.answered(StatusCode::BAD_REQUEST, b"").unwrap();
    assert_eq!(asked(&walk).unwrap(), "start=32&end=159", "a log may refuse so many");
    // One broken entry of two costs only itself.
    let two = body(2).replacen("AAAAAAFh", "CAAAAAFh", 1);
    assert_eq!(walk.answered(StatusCode::OK, two.as_bytes()).unwrap().len(), 1);
    assert_eq!(walk.position(), 34);
    assert!(walk.answered(StatusCode::OK, b"{\"entries\":[{\"leaf_input\":\"!\"}]}").is_err());
    assert_eq!(walk.position(), 35);
    assert_eq!(
        walk.answered(StatusCode::SERVICE_UNAVAILABLE, b""),
        Err(CtError::Status(StatusCode::SERVICE_UNAVAILABLE))
    );
    assert_eq!(walk.position(), 163);
    assert_eq!(walk.answered(StatusCode::OK, b"{\"entries\":[]}"), Err(CtError::Empty));
    assert_eq!(asked(&walk), None, "an answer of nothing ends the walk");
    assert!(TreeHead::parse(b"{\"tree_size\":3}").is_err());
    let single = EntryWalk::new(&"https://ct.example/log".parse().unwrap(), 7, 8);
    assert_eq!(asked(&single).unwrap(), "start=7&end=7");
    assert_eq!(asked(&EntryWalk::new(&"https://ct.example".parse().unwrap(), 8, 8)), None);
}

#[test]
fn only_logs_that_can_be_read_and_hold_today_s_certificates_are_worth_it() {
    let log = |state: &str, from: &str, to: &str| {
        format!(
            r#"{{"monitoring_url":"https://m/","state":{{{state}}},"temporal_interval":{{"start_inclusive":"{from}T00:00:00Z","end_exclusive":"{to}T00:00:00Z"}}}}"#
        )
    };
    let usable = r#""usable":{"timestamp":"2025-01-01T00:00:00Z"}"#;
    let logs = [
        (log(usable, "2026-07-01", "2027-01-01"), true),
        (log(r#""readonly":{}"#, "2026-07-01", "2027-01-01"), true),
        (log(r#""retired":{}"#, "2026-07-01", "2027-01-01"), false),
        (log("", "2026-07-01", "2027-01-01"), false),
        (log(usable, "2026-01-01", "2026-10-01"), false),
        (log(usable, "2026-01-01", "2026-10-02"), true),
        // 400 days ahead of 1 October 2026.
        (log(usable, "2027-11-05", "2028-01-01"), true),
        (log(usable, "2027-11-06", "2028-01-01"), false),
        (r#"{"state":{"usable":{}},"url":"https://l/"}"#.to_owned(), true),
        ("{}".to_owned(), false),
    ];
    let texts: Vec<_> = logs.iter().map(|(text, _)| text.clone()).collect();
    let body = format!(
        r#"{{"version":"1","operators":[{{"email":["a@b"],"logs":[{}],"tiled_logs":[{}]}},7]}}"#,
        texts[..4].join(","),
        texts[4..].join(",")
    );
    let list = Answer::body(body.as_bytes()).read::<LogList>().unwrap().facts;
    let october = SystemTime::UNIX_EPOCH + Duration::from_secs(20_727 * 86_400);
    let found: Vec<_> = list.logs.iter().map(|log| log.is_worth_reading(october)).collect();
    assert_eq!(found, logs.iter().map(|(_, expected)| *expected).collect::<Vec<_>>());
    assert!(matches!(Answer::body(b"{}").read::<LogList>(), Err(Problem::OtherKind { .. })));
}
