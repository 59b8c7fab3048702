//! Shapes that make a careless parser slow, at the size of the largest file that is read: time grows with the
//! bytes, whatever the shape.

use std::time::{Duration, Instant};

use bot_etiquette_fuzz::TARGETS;

/// Bytes of the longest input: beyond the limit of every parser, so that cutting and refusing are timed too.
const LONG: usize = 600_000;
/// An eighth of it takes an eighth of the time, where time grows with the bytes.
const SHORT: usize = LONG / 8;
/// How much longer a long input may take than a short one: eight times, and as much again for a busy machine. Where
/// time grew with the square it would be 64.
const GROWTH: u32 = 24;
/// Below this the clock tells little.
const NOTHING: Duration = Duration::from_millis(200);
/// What one target may take for one long input of any shape, in an unoptimised build.
const BUDGET: Duration = Duration::from_secs(20);

/// What a shape is called, and its bytes.
type Shape = (&'static str, Vec<u8>);

/// Whether time grows with the bytes, for the shapes of a length and each target that reads them.
fn check(shapes: impl Fn(usize) -> Vec<Shape>, targets: &[&str]) {
    for target in targets {
        let (name, run) = TARGETS.iter().find(|(name, _)| name == target).expect("a target");
        for ((shape, long), (_, short)) in shapes(LONG).into_iter().zip(shapes(SHORT)) {
            let time = |data: &[u8]| {
                let start = Instant::now();
                run(data);
                start.elapsed()
            };
            let grown = |some: Duration, all: Duration| all > NOTHING && all > some * GROWTH;
            let (mut some, mut all) = (time(&short), time(&long));
            // A busy machine may halt one run; it does not halt four.
            for _ in 0..3 {
                if grown(some, all) {
                    (some, all) = (some.max(time(&short)), all.min(time(&long)));
                }
            }
            println!("{name:15} {shape:28} {:7.1} ns/byte", all.as_secs_f64() * 1e9 / LONG as f64);
            assert!(all < BUDGET, "{name}: {shape} took {all:?}");
            assert!(!grown(some, all), "{name}: {shape} took {some:?}, and at eight times {all:?}");
        }
    }
}

/// `head`, then `piece` until there are `length` bytes.
fn repeated(head: impl AsRef<[u8]>, piece: &str, length: usize) -> Vec<u8> {
    let mut text = head.as_ref().to_vec();
    while text.len() < length {
        text.extend_from_slice(piece.as_bytes());
    }
    text
}

#[cfg(feature = "robots")]
#[test]
fn no_robots_file_is_slow() {
    // The first line is the target where a target is read.
    let shapes = |length| {
        let head = format!("/{}\nUser-agent: FooBot\n", "a".repeat(2_000));
        let repeated = |head: &str, piece: &str| repeated(head, piece, length);
        let long = |piece: &str| repeated(&head, piece);
        vec![
            ("one line of stars", long("*")),
            ("one rule of stars", repeated(&format!("{head}Disallow: /"), "*a")),
            ("one anchored rule of stars", repeated(&format!("{head}Disallow: /"), "*a*b$")),
            ("rules of stars", long("Disallow: /*a*a*a*a*a*a*a*a*b\n")),
            ("anchored rules", long("Disallow: /*a*aa$\n")),
            ("rules that differ late", long("Allow: /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\n")),
            ("short rules", long("Allow:/a\n")),
            ("no-break spaces", repeated(&head, "\u{a0}")),
            ("no-break spaces in rules", long("Disallow: /\u{a0}\u{a0}\u{a0}\n")),
            ("blanks", long(" ")),
            ("blanks in a value", repeated(&format!("{head}Disallow: /a"), " ")),
            ("line ends", long("\n")),
            ("returns", long("\r")),
            ("NULs", long("\0")),
            ("comments", long("#\n")),
            ("agents", long("User-agent: FooBo\n")),
            ("groups", long("User-agent: FooBot\nAllow: /\n")),
            ("escapes", repeated(&format!("{head}Disallow: /"), "%2")),
            ("broken escapes", repeated(&format!("{head}Disallow: /"), "%%")),
            ("dots", repeated("/", "../")),
            ("a long target", repeated("/", "%2e%2e/")),
            ("colons", long(":")),
            ("delays", long("Crawl-delay: 1\n")),
            ("usage", long("Content-Usage: /a* train-ai=n\n")),
            ("dates", repeated("", "unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT, ")),
            ("names", repeated("", "a:")),
            ("words", repeated("", "x ")),
            ("byte order marks", repeated("", "\u{feff}")),
        ]
    };
    check(shapes, &["robots_parse", "robots_match", "robots_meta", "robots_cache"]);
}

#[cfg(feature = "signing")]
#[test]
fn no_signature_field_is_slow() {
    let shapes = |length| {
        let repeated = |head: &str, piece: &str| repeated(head, piece, length);
        vec![
            ("members", repeated("a=1", ", a=1")),
            ("labels", repeated("sig=()", ", s=()")),
            ("components", repeated("sig1=(\"@method\"", " \"@path\"")),
            ("parameters", repeated("sig1=()", ";a=1")),
            ("one string", repeated("sig1=(\"", "\\\"")),
            ("one byte sequence", repeated("sig1=:", "AAAA")),
            ("open lists", repeated("", "a=(")),
            ("blanks", repeated("a=1,", " ")),
            ("commas", repeated("a=1", ",")),
            ("digits", repeated("a=", "1")),
            ("lines", repeated("sig1=()\nsig1=:AA==:\n", "a=1\n")),
            ("empty lines", repeated("", "\n")),
            ("escapes", repeated("a=%\"", "%c3%bc")),
        ]
    };
    check(shapes, &["signature_input", "sf_dictionary"]);
}

#[cfg(feature = "signing")]
#[test]
fn no_signature_base_is_slow() {
    let shapes = |length| {
        let head = "GET\nhttps://example.com/?a=b\nx-a: b\n\n";
        let url = "GET\nhttps://example.com/";
        let components = "\n\n\"@path\"\n\"@query\"\n\"@target-uri\"\n\"@query-param\";name=\"a\"\n";
        let long = |head: &str, piece: &str, tail: &str| {
            let mut text = repeated(head, piece, length);
            text.extend_from_slice(tail.as_bytes());
            text
        };
        let field = "GET\n/\nhost: a\nx: ";
        vec![
            ("components", long(head, "\"x-a\"\n", "")),
            ("one component", long(head, "\"x-a\";", "")),
            ("query parameters", long(&format!("{url}?"), "a&", components)),
            ("escapes in the query", long(&format!("{url}?a="), "%41", components)),
            ("path segments", long(url, "../", components)),
            ("one field", long(field, "a", "\n\n\"x\"\n\"x\";bs\n")),
            ("one field of members", long(field, "a=1, ", "b\n\n\"x\"\n\"x\";sf\n\"x\";key=\"b\"\n")),
            ("fields", long("GET\n/\nhost: a\n", "x: y\n", "\n\"x\"\n\"x\";bs\n")),
        ]
    };
    check(shapes, &["signature_base"]);
}

#[cfg(feature = "signing")]
#[test]
fn no_key_directory_is_slow() {
    let shapes = |length| {
        let repeated = |head: &str, piece: &str| repeated(head, piece, length);
        vec![
            ("keys without an end", repeated("{\"keys\":[", "{},")),
            ("open lists", repeated("{\"keys\":", "[")),
            ("open objects", repeated("", "{\"keys\":")),
            ("digits", repeated("{\"keys\":[{\"nbf\":", "9")),
            ("one string", repeated("{\"keys\":[{\"x\":\"", "A")),
            ("escapes", repeated("{\"keys\":[{\"x\":\"", "\\u0041")),
            ("blanks", repeated("", " ")),
            ("lines of a key", repeated("-----BEGIN PRIVATE KEY-----\n", "AAAA\n")),
            ("heads of keys", repeated("", "-----BEGIN PRIVATE KEY-----\n")),
            ("one base64url text", repeated("", "A")),
        ]
    };
    check(shapes, &["directory_json"]);
}

#[cfg(feature = "politeness")]
#[test]
fn no_answers_head_is_slow() {
    // A time, the line of the date, then lines.
    let shapes = |length| {
        let long = |head: &str, piece: &str| {
            repeated([b"\0\0\0\0\0\0\0\0", head.as_bytes()].concat(), piece, length)
        };
        vec![
            ("lines of dates", long("\n", "Sat, 01 Jan 2028 00:00:00 GMT\n")),
            ("one line of dates", long("\n", "Sat, 01 Jan 2028 00:00:00 GMT, ")),
            ("lines of seconds", long("\n", "1\n")),
            ("one line of seconds", long("\n", "1, ")),
            ("digits", long("\n", "9")),
            ("blanks", long("\n", " ")),
            ("commas", long("\n", ",")),
            ("empty lines", long("", "\n")),
            ("a long date", long("Sat, 01 Jan", " ")),
            ("policies", long("\n\n", "\"a\";r=0;t=9, ")),
            ("parameters", long("\n\n\"a\"", ";r=0")),
        ]
    };
    check(shapes, &["retry_after"]);
}

#[cfg(feature = "politeness")]
#[test]
fn no_snapshot_is_slow() {
    // Two times, then a text whose end closes what its head opens.
    let shapes = |length| {
        let long = |head: &str, piece: &dyn Fn(usize) -> String, tail: &str| {
            let mut text = [&[0; 16], head.as_bytes()].concat();
            for at in 0.. {
                if text.len() >= length {
                    break;
                }
                text.extend_from_slice(piece(at).as_bytes());
            }
            text.extend_from_slice(tail.as_bytes());
            text
        };
        let (hosts, host) =
            ("[1,{\"saved_at\":1,\"hosts\":{", "[1,{\"saved_at\":1,\"hosts\":{\"h\":{\"rare\":{");
        vec![
            ("hosts", long(hosts, &|at| format!("\"h{at}\":{{}},"), "\"h\":{}}}]")),
            ("one host again and again", long(hosts, &|_| "\"h\":{},".into(), "\"h\":{}}}]")),
            (
                "resources",
                long(&format!("{host}\"resources\":{{"), &|at| format!("\"r{at}\":{{}},"), "\"r\":{}}}}}}]"),
            ),
            (
                "visits",
                long(
                    &format!("{host}\"visits\":{{\"\":{{"),
                    &|at| format!("\"https://h/{at}\":1,"),
                    "\"https://h/x\":1}}}}}}]",
                ),
            ),
            ("starts", long(&format!("{host}\"quotas\":{{\"q\":["), &|_| "1,".into(), "1]}}}}}]")),
            (
                "groups",
                long(
                    "[1,{\"saved_at\":1,\"groups\":{",
                    &|at| format!("\"g{at}\":{{}},"),
                    "\"g\":{}},\"hosts\":{\"h\":{}}}]",
                ),
            ),
            (
                "kills",
                long(
                    "[1,{\"saved_at\":1,\"killed\":[",
                    &|at| format!("\"k{at}\","),
                    "\"k\"],\"hosts\":{\"h\":{}}}]",
                ),
            ),
            ("open lists", long("[7,", &|_| "[".into(), "")),
        ]
    };
    check(shapes, &["snapshot_import"]);
}

/// Shapes of JSON, broken and not; the tail closes what the head opens.
#[cfg(any(feature = "lenient", feature = "arcgis"))]
fn json_shapes(length: usize) -> Vec<Shape> {
    let long = |head: &str, piece: &str, tail: &str| {
        let mut text = repeated(head, piece, length);
        text.extend_from_slice(tail.as_bytes());
        text
    };
    vec![
        ("no numbers", long("[", "NaN,", "1]")),
        ("commas", long("[", ",", "]")),
        ("controls", long("[\"", "\t", "\"]")),
        ("short strings with controls", long("[", "\"\t\",", "1]")),
        ("bad escapes", long("[\"", "\\P", "\"]")),
        ("good escapes", long("[\"", "\\u00fc", "\"]")),
        ("lone surrogates", long("[\"", "\\ud800", "\"]")),
        ("backslashes", long("[\"", "\\", "\"]")),
        ("no quote at the end", long("[\"", "a", "")),
        ("digits", long("[", "9", "]")),
        ("signs", long("[", "-", "]")),
        ("open lists", long("", "[", "")),
        ("open objects", long("", "{\"a\":", "")),
        ("closed lists", long("", "[]", "")),
        ("equal keys", long("{", "\"a\":1,", "\"a\":1}")),
        ("layers", long("{\"layers\":[", "{\"id\":1},", "{\"id\":2}]}")),
        ("broken layers", long("{\"layers\":[", "{\"id\":\"x\"},", "7]}")),
        ("layers of equal keys", long("{\"layers\":[", "{\"id\":1,\"id\":2},", "7]}")),
        ("equal lists", long("{", "\"layers\":[1],", "\"layers\":[]}")),
        ("features", long("{\"features\":[", "{\"geometry\":{\"x\":1,\"y\":NaN}},", "{}]}")),
        ("features cut off", long("{\"features\":[", "{\"attributes\":{\"a\":1}},", "")),
        ("fields", long("{\"id\":1,\"fields\":[", "{\"name\":\"a\"},", "{}]}")),
        ("an error", long("{\"error\":{\"code\":499,\"details\":[", "\"a\",", "\"\"]}}")),
        ("blanks", long("", " ", "")),
        ("names of a call", long("", "a", "({})")),
        ("calls", long("", "a(", "")),
        ("comments", long("{}", "<!-- -->", "")),
        ("an open comment", long("{}<!--", "-", "")),
        ("HTML", long("", "<html>sign i", "")),
        ("byte order marks", long("", "\u{feff}", "")),
        ("no UTF-8", [&b"[\""[..], &vec![0xfc; length], b"\"]"].concat()),
    ]
}

#[cfg(feature = "lenient")]
#[test]
fn no_json_is_slow_to_mend() {
    check(json_shapes, &["lenient_json"]);
}

#[cfg(feature = "arcgis")]
#[test]
fn no_answer_is_slow() {
    check(json_shapes, &["esri_json"]);
}

#[cfg(feature = "arcgis")]
#[test]
fn no_extent_is_slow() {
    let shapes = |length| {
        let wkt = |head: &str, piece: &str| {
            let mut text = repeated(
                format!("{{\"xmin\":1,\"ymin\":1,\"xmax\":2,\"ymax\":2,\"spatialReference\":{{\"wkt\":\"{head}"),
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

#[cfg(feature = "arcgis")]
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
            ("rings of both kinds", long("{\"rings\":[", &format!("{outer},{hole},"), &format!("{outer}]}}"))),
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

#[cfg(feature = "arcgis")]
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
