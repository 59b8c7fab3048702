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

#[cfg(feature = "html")]
#[test]
fn no_page_is_slow() {
    let shapes = |length| {
        let long = |piece: &str| repeated("", piece, length);
        let after = |head: &str, piece: &str| repeated(head, piece, length);
        vec![
            ("parts within each other", long("<div>")),
            ("parts that end and never began", long("</nav>")),
            ("parts that end across others", long("<nav><div></nav>")),
            ("formatting across paragraphs", long("<b><p>")),
            ("SVG within SVG", long("<svg>")),
            ("labels within pictures", long("<svg><title>")),
            ("templates", long("<template>")),
            ("hidden parts", long("<div hidden>")),
            ("one tag of attributes", after("<a ", "a=b ")),
            ("one attribute without an end", after("<a href='", "x&amp;")),
            ("tags without an end", long("<a href=/x")),
            ("links", long("<a href=/x>y")),
            ("links that differ", long("<a href='z:1'>")),
            ("comments that open", long("<!--")),
            ("sections that open", after("<svg>", "<![CDATA[")),
            ("blanks", long(" \n")),
            ("references", long("&notit;")),
            ("style sheets", long("<style>a{b:url(/x)}</style>")),
            ("one style sheet", after("<style>", "/*")),
            ("one srcset", after("<img srcset='", "a 1x,")),
            ("frames", long("<iframe srcdoc='<a href=/x>'></iframe>")),
            ("one JSON-LD of lists", after("<script type=application/ld+json>", "[")),
            ("one JSON-LD of items", after("<script type=application/ld+json>[", "{\"@type\":\"A\"},")),
            ("scripts that open comments", long("<script><!--")),
            ("headings", long("<h1>a")),
            ("metas", long("<meta name=a content=b>")),
            ("bases", long("<base href=/a/>")),
            ("forms", long("<form>a</form>")),
        ]
    };
    check(shapes, &["html_page"]);
}

#[cfg(feature = "html")]
#[test]
fn no_attribute_or_field_is_slow() {
    let shapes = |length| {
        let long = |piece: &str| repeated("", piece, length);
        let after = |head: &str, piece: &str| repeated(head, piece, length);
        vec![
            ("images", long("a 1x,")),
            ("brackets", long("a (")),
            ("commas", long(",")),
            ("blanks", after("a", " ")),
            ("one URL", long("a")),
            ("commas after a URL", after("a", ",")),
            ("URLs of a style sheet", long("url('a')")),
            ("URLs that open", long("url(")),
            ("comments", long("/*")),
            ("escapes", after("url(", "\\26 ")),
            ("digits", long("9")),
            ("fields", long("<a>,")),
            ("parameters", after("<a>", ";b=c")),
            ("fields that open", long("</a;")),
            ("quotes", after("<a>;b=\"", "\\\"")),
            ("relations", after("<a>;rel=\"", "x ")),
        ]
    };
    check(shapes, &["srcset", "link_header"]);
}

#[cfg(feature = "html")]
#[test]
fn no_sitemap_is_slow() {
    let shapes = |length| {
        let long = |piece: &str| repeated("", piece, length);
        let within = |piece: &str| repeated("<urlset>", piece, length);
        let entry = |piece: &str| repeated("<urlset><url><loc>", piece, length);
        vec![
            ("entries without a URL", within("<url></url>")),
            ("entries that open", within("<url>")),
            ("elements within each other", within("<a>")),
            ("ends without a start", within("</a>")),
            ("one URL", entry("a")),
            ("one URL of references", entry("&amp;")),
            ("one URL of broken references", entry("&#")),
            ("one URL of sections", entry("<![CDATA[a]]>")),
            ("one section", repeated("<urlset><url><loc><![CDATA[", "]]", length)),
            ("comments that open", within("<!--")),
            ("comments", within("<!---->")),
            ("instructions", within("<?a?>")),
            ("brackets of a document type", repeated("<!DOCTYPE ", "[", length)),
            ("one tag of attributes", repeated("<urlset><url ", "a='b' ", length)),
            ("one tag of quotes", repeated("<urlset><url ", "'\"", length)),
            ("one tag without an end", repeated("<urlset><url ", "a", length)),
            (
                "alternates",
                repeated("<urlset><url>", "<x:link rel='alternate' hreflang='de' href='/'/>", length),
            ),
            ("strays", within("<")),
            ("blanks", within(" ")),
            ("lines", long("https://example.com/\n")),
            ("one line", long("https://")),
            ("empty lines", long("\n")),
            ("items", repeated("<rss>", "<item><guid>a</guid></item>", length)),
        ]
    };
    check(shapes, &["sitemap_xml"]);
}

#[cfg(feature = "html")]
#[test]
fn no_part_of_a_file_is_slow() {
    let shapes = |length| {
        let bytes = |head: &[u8], piece: &[u8]| {
            let mut bytes = head.to_vec();
            while bytes.len() < length {
                bytes.extend_from_slice(piece);
            }
            bytes
        };
        vec![
            ("empty segments of a JPEG", bytes(b"\xff\xd8", b"\xff\xe0\0\x02")),
            ("fill of a JPEG", bytes(b"\xff\xd8", b"\xff")),
            ("extensions of a GIF", bytes(b"GIF89a\0\0\0\0\0\0\0", b"\x21\xf9\0")),
            ("empty boxes", bytes(b"\0\0\0\x18ftypavif\0\0\0\0avifmif1\0\0", b"\0\0\0\x08free")),
            ("boxes of no size", bytes(b"\0\0\0\x18ftypavif\0\0\0\0avifmif1\0\0", b"\0\0\0\0free")),
            ("entries of a TIFF", bytes(b"II*\0\x08\0\0\0\xff\xff", b"\0\x01\x03\0\x01\0\0\0\0\0\0\0")),
            ("entries of an icon", bytes(b"\0\0\x01\0\xff\xff", b"\x10\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0")),
            ("comments before an SVG", bytes(b"", b"<!-- -->")),
            ("attributes of an SVG", bytes(b"<svg ", b"a='b' ")),
            ("trailers", bytes(b"%PDF-1.4 ", b"/Info 1 0 R ")),
            ("trailers that name nothing", bytes(b"%PDF-1.4 ", b"/Info ")),
            ("objects", bytes(b"%PDF-1.4 /Info 1 0 R ", b"1 0 obj ")),
            ("objects of like numbers", bytes(b"%PDF-1.4 /Info 1 0 R ", b"11 0 obj ")),
            ("dictionaries", bytes(b"%PDF-1.4 /Info 1 0 R 1 0 obj ", b"<<")),
            ("strings", bytes(b"%PDF-1.4 /Info 1 0 R 1 0 obj <<", b"(a)")),
            ("one string", bytes(b"%PDF-1.4 /Info 1 0 R 1 0 obj <</Title (", b"\\(")),
            ("one string of brackets", bytes(b"%PDF-1.4 /Info 1 0 R 1 0 obj <</Title ", b"(")),
            ("one string of digits", bytes(b"%PDF-1.4 /Info 1 0 R 1 0 obj <</Title <", b"41")),
            ("metadata", bytes(b"%PDF-1.4 ", b"<dc:title><rdf:li>")),
            ("one title of metadata", bytes(b"%PDF-1.4 <dc:title><rdf:li>", b"&amp;")),
            ("encryption", bytes(b"%PDF-1.4 ", b"/Encrypted ")),
        ]
    };
    check(shapes, &["image_head", "pdf_tail"]);
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

/// A feed in chunks of 255 bytes.
#[cfg(feature = "feed")]
fn feed(head: &str, piece: &str, length: usize) -> Vec<u8> {
    repeated([b"\xFF", head.as_bytes()].concat(), piece, length)
}

#[cfg(feature = "feed")]
#[test]
fn no_json_feed_is_slow() {
    let shapes = |length| {
        let long = |head: &str, piece: &str| feed(head, piece, length);
        let title = "{\"items\":[{\"id\":1,\"title\":\"";
        vec![
            // Each is an event, which costs more than its bytes.
            ("records", long("{\"items\":[", &format!("{{\"id\":1,\"title\":\"{}\"}},", "A".repeat(98)))),
            ("records without a key", long("{\"items\":[", "{},")),
            ("open lists", long("{\"items\":", "[")),
            ("open objects", long("", "{\"items\":")),
            ("one title", long(title, "a")),
            ("a title of escapes", long(title, "\\u0041")),
            ("a title of broken escapes", long(title, "\\P")),
            ("a title of tags", long(title, "<p>")),
            ("a title of open tags", long(title, "<a ")),
            ("a title of entities", long(title, "&eacute;")),
            ("members", long("{\"items\":[{\"id\":1", ",\"x\":1")),
            ("one member again and again", long("{\"items\":[{\"id\":1", ",\"title\":1")),
            ("tags", long("{\"items\":[{\"id\":1,\"tags\":[1", ",\"tag\"")),
            ("totals", long("{\"total\":1", ",\"total\":2")),
            ("days", long("{\"items\":[{\"id\":1,\"title\":\"A\",\"not\":\"", "23/9/2025;")),
            ("blanks", long("", " ")),
        ]
    };
    check(shapes, &["feed_json"]);
}

#[cfg(feature = "feed")]
#[test]
fn no_xml_feed_is_slow() {
    let shapes = |length| {
        let long = |head: &str, piece: &str| feed(head, piece, length);
        let title = "<list><event id='1'><title>";
        vec![
            ("records", long("<list>", &format!("<event id='1'><title>{}</title></event>", "A".repeat(98)))),
            ("open elements", long("", "<a>")),
            ("ends", long("<list>", "</a>")),
            ("brackets", long("<list>", "<")),
            ("marks", long("<list>", "<!")),
            ("ampersands", long(title, "&")),
            ("references", long(title, "&#55357;")),
            ("entities", long(title, "&nbsp;")),
            ("one text", long(title, "a ")),
            ("one CDATA", long(&format!("{title}<![CDATA["), "]]")),
            ("many CDATA", long(title, "<![CDATA[a]]>")),
            ("one comment", long("<list><!--", "-")),
            ("one instruction", long("<list><?", "?")),
            ("one tag", long("<list><event ", "a='b' ")),
            ("a tag of quotes", long("<list><event a=", "'")),
            ("bindings", long("<list>", "<event xmlns:a='b'>")),
            ("a document type", long("<!DOCTYPE a [", "<!ENTITY a 'b'>")),
            ("ranges", long("<list><event id='1'><title>A</title><dates>", "<range/>")),
        ]
    };
    check(shapes, &["feed_xml"]);
}

#[cfg(feature = "feed")]
#[test]
fn no_csv_feed_is_slow() {
    let shapes = |length| {
        let long = |head: &str, piece: &str| feed(head, piece, length);
        vec![
            // Each is an event, which costs more than its bytes.
            ("rows", long("ID;TITLE\n", &format!("1;{}\n", "A".repeat(98)))),
            ("a header", long("", "ID;")),
            ("one row", long("ID;TITLE\n", "1;")),
            ("quotes", long("ID;TITLE\n", "\"")),
            ("open quotes", long("ID;TITLE\n", "1;\"A\n")),
            ("a cell of lines", long("ID;TITLE\n1;\"", "a\n")),
            ("a cell of quotes", long("ID;TITLE\n1;\"", "\"\"")),
            ("blanks", long("ID;TITLE\n", " ")),
            ("line ends", long("ID;TITLE\n", "\n")),
        ]
    };
    check(shapes, &["feed_csv"]);
}

#[cfg(feature = "feed")]
#[test]
fn no_icalendar_feed_is_slow() {
    let shapes = |length| {
        let long = |head: &str, piece: &str| feed(head, piece, length);
        let event = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:A\n";
        vec![
            (
                "events",
                long(
                    "BEGIN:VCALENDAR\n",
                    &format!("BEGIN:VEVENT\nUID:1\nSUMMARY:{}\nEND:VEVENT\n", "A".repeat(98)),
                ),
            ),
            ("open components", long("", "BEGIN:VEVENT\n")),
            ("ends", long("BEGIN:VCALENDAR\n", "END:VEVENT\n")),
            ("folds", long(&format!("{event}DESCRIPTION:a"), "\r\n ")),
            ("returns", long(event, "\r")),
            ("one line", long(&format!("{event}DESCRIPTION:"), "\\,")),
            ("categories", long(&format!("{event}CATEGORIES:a"), ",b")),
            ("parameters", long(&format!("{event}DTSTART"), ";A=\"b\"")),
            ("exclusions", long(&format!("{event}EXDATE:20250603"), ",20250603")),
            ("rules", long(event, "RRULE:FREQ=DAILY;COUNT=3660\n")),
            ("a rule", long(&format!("{event}DTSTART:20250603\nRRULE:FREQ=DAILY"), ";WKST=MO")),
        ]
    };
    check(shapes, &["feed_icalendar"]);
}

#[cfg(feature = "feed")]
#[test]
fn no_text_is_slow_to_clean() {
    let shapes = |length| {
        let long = |piece: &str| repeated("", piece, length);
        vec![
            ("addresses", long("a@b.cd ")),
            ("one address", long("a@b.")),
            ("signs", long("@")),
            ("disguises", long("a (arroba) b punto cd ")),
            ("digits", long("6")),
            ("numbers", long("612 345 678 ")),
            ("groups", long("6 ")),
            ("accounts", long("ES91 ")),
            ("links", long("mailto:")),
            ("invisible characters", long("a\u{200B}")),
            ("accents", long("e\u{301}")),
            ("accents alone", long("\u{301}")),
            ("labels", long("tel: ")),
            ("brackets", long("(")),
            ("blanks", long(" ")),
        ]
    };
    check(shapes, &["scrub"]);
}
