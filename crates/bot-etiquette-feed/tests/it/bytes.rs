use bot_etiquette_feed::{Feed, Note, Outage, Verdict};

use crate::{map, only, read, title, titles};

#[test]
fn a_byte_order_mark_is_no_fault() {
    let (event, report) = only("json", b"\xEF\xBB\xBF{\"items\":[{\"id\":1,\"title\":\"A\"}]}");
    assert_eq!((title(&event), report.notes.contains(Note::Bom)), ("A", true));
}

#[test]
fn a_csv_without_a_charset_is_windows_1252() {
    let (event, report) = only("csv", b"ID;TITLE\n1;Meli\xE0 \x80\n");
    assert_eq!((title(&event), report.notes.count(Note::Charset)), ("Melià €", 1));
}

#[test]
fn bytes_that_are_no_utf8_fall_back_once_for_the_file() {
    let (events, report) = read("csv", b"ID;TITLE\n1;Meli\xE0\n2;Caf\xE9 \x93x\x94\n");
    assert_eq!(titles(&events), ["Melià", "Café “x”"]);
    assert_eq!(report.notes.count(Note::Charset), 1);
}

#[test]
fn the_declared_charset_of_xml_is_the_web_one() {
    let xml = b"<?xml version='1.0' encoding='ISO-8859-1'?><list><event id='1'><title>\xF3 \x80</title></event></list>";
    let (event, report) = only("xml", xml);
    assert_eq!((title(&event), report.notes.contains(Note::Charset)), ("ó €", false));
}

#[test]
fn valid_utf8_beats_a_stale_label() {
    for content_type in
        ["application/xml; charset=ISO-8859-1", "application/xml; charset=utf-8; charset=utf-8"]
    {
        let map = map("xml");
        let mut feed = Feed::new(&map);
        feed.content_type(content_type);
        feed.push("<list><event id='1'><title>ñandú</title></event></list>".as_bytes());
        feed.finish();
        assert_eq!(feed.next_event().map(|event| title(&event).to_owned()).as_deref(), Some("ñandú"));
    }
}

#[test]
fn utf16_with_its_mark_is_read() {
    let text = "<?xml version='1.0' encoding='UTF-16'?><list><event id='1'><title>ñ</title></event></list>";
    let mut bytes = vec![0xFF, 0xFE];
    bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    assert_eq!(title(&only("xml", &bytes).0), "ñ");
}

#[test]
fn what_the_publisher_lost_is_told() {
    let (event, report) = only("json", "{\"items\":[{\"id\":1,\"title\":\"Exposici\u{FFFD}n\"}]}".as_bytes());
    assert_eq!((title(&event), report.notes.contains(Note::Lossy)), ("Exposici\u{FFFD}n", true));
}

#[test]
fn what_is_no_feed_is_an_outage() {
    for (format, bytes, outage) in [
        ("json", &b""[..], Outage::Empty),
        ("xml", b" \r\n \n", Outage::Empty),
        ("csv", b"", Outage::Empty),
        ("xml", b"<!DOCTYPE html><html><body>Servicio no disponible</body></html>", Outage::Html),
        ("json", b"\n\n<html lang=es><head></head></html>", Outage::Html),
        ("csv", b"<!doctype HTML>\n<title>x</title>", Outage::Html),
        (
            "json",
            br#"{"help":"https://x.example","success":false,"error":{"message":"persona@example.org"}}"#,
            Outage::Api,
        ),
        ("json", br#"{"error":{"code":500}}"#, Outage::Api),
        ("json", b"\x1f\x8b\x08\x00\x00", Outage::Compressed),
    ] {
        let (events, report) = read(format, bytes);
        assert_eq!(
            report.completeness.verdict,
            Verdict::Outage(outage),
            "{:?}",
            String::from_utf8_lossy(bytes)
        );
        assert!(events.is_empty() && !report.completeness.allows_deletions());
        assert!(!format!("{report:?}").contains("example"));
    }
}

#[test]
fn an_error_is_no_record_where_the_document_itself_may_be_one() {
    let map = include_str!("../fixtures/json.toml").replace("records = \"items\"\n", "");
    let verdict = |text: &str| {
        let (events, report) = read(&map, text.as_bytes());
        (report.completeness.verdict, events.len(), report.completeness.read, report.dropped)
    };
    for (text, outage) in [
        (r#"{"help":"x","success":false}"#, Outage::Api),
        (r#"{"help":"x","success":false,"error":{"message":"x"}}"#, Outage::Api),
        (r#"{"error":{"message":"x"},"success":false}"#, Outage::Api),
        (r#"{"id":1,"title":"A","success":false}"#, Outage::Api),
        (r#"{"error":{"message":"x"}}"#, Outage::Api),
        (r#"{"errors":[{"title":"x"}],"title":"x"}"#, Outage::Api),
        (r#"{"type":"about:blank","title":"Not found","status":404}"#, Outage::Foreign),
    ] {
        assert_eq!(verdict(text), (Verdict::Outage(outage), 0, 0, 0), "{text}");
    }
    for (text, events) in [
        (r#"{"id":1,"title":"A"}"#, 1),
        (r#"{"id":1,"title":"A","success":true,"error":null}"#, 1),
        (r#"[{"id":1,"title":"A","success":false,"error":"x"}]"#, 1),
        ("[]", 0),
    ] {
        assert_eq!(verdict(text), (Verdict::Complete, events, events as u64, 0), "{text}");
    }
}

#[test]
fn an_error_that_is_none_is_no_outage() {
    for error in ["null", "false", "0"] {
        let (_, report) = read("json", format!("{{\"error\":{error},\"items\":[]}}").as_bytes());
        assert_eq!(report.completeness.verdict, Verdict::Complete, "{error}");
    }
}

#[test]
fn a_page_behind_comments_and_declarations_is_an_outage_in_every_format() {
    let head = |format: &str| crate::icalendar::MAP.replace("\"icalendar\"", &format!("\"{format}\""));
    let formats = ["json", "xml", "csv"].map(str::to_owned);
    let formats = formats.into_iter().chain(["rss", "atom", "jsonfeed", "icalendar"].map(head));
    for format in formats {
        for page in [
            "<!-- saved -->\n<html><body>x</body></html>",
            "<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'x'><html/>",
            "\u{feff}\u{feff}<body>x</body>",
        ] {
            for size in [1, 7, 10_000] {
                let (_, report) = crate::read_chunks(&map(&format), page.as_bytes().chunks(size));
                assert_eq!(report.completeness.verdict, Verdict::Outage(Outage::Html), "{format} {page}");
            }
        }
    }
    // A comment does not make a page of a feed, nor a long one.
    let long = format!(
        "<?xml version='1.0'?><!-- {} --><list><event id='1'><title>A</title></event></list>",
        "x".repeat(20_000)
    );
    assert_eq!(title(&only("xml", long.as_bytes()).0), "A");
}

#[test]
fn what_has_no_place_of_records_is_no_empty_feed() {
    let head = |format: &str| crate::icalendar::MAP.replace("\"icalendar\"", &format!("\"{format}\""));
    let (rss, atom) = (head("rss"), head("atom"));
    for (format, text) in [
        ("json", "null"),
        ("json", "{}"),
        ("json", "{\"status\":\"error\",\"message\":\"quota\"}"),
        ("json", "{\"other\":[]}"),
        ("json", "{\"items\":null}"),
        ("json", "{\"items\":\"none\"}"),
        ("xml", "<error><message>quota</message></error>"),
        ("xml", "<center><h1>502 Bad Gateway</h1></center>"),
        ("xml", "<LIST/>"),
        ("csv", "Service temporarily unavailable"),
        ("csv", "a;b\n1;2\n"),
        (&rss, "<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>1</id><title>A</title></entry></feed>"),
        (&atom, "<rss><channel><item><guid>1</guid><title>A</title></item></channel></rss>"),
        (&atom, "<feed xmlns='http://purl.org/atom/ns#'><entry><id>1</id><title>A</title></entry></feed>"),
    ] {
        let (events, report) = read(format, text.as_bytes());
        assert_eq!(report.completeness.verdict, Verdict::Outage(Outage::Foreign), "{text}");
        assert!(events.is_empty() && !report.completeness.allows_deletions());
    }
    for (format, text) in [
        ("json", "{\"items\":[]}"),
        ("json", "{\"items\":{}}"),
        ("xml", "<list/>"),
        ("xml", "<list><total>0</total></list>"),
        ("csv", "ID;TITLE\n"),
        (&rss, "<rss><channel><title>x</title></channel></rss>"),
        (&atom, "<feed xmlns='http://www.w3.org/2005/Atom'><title>x</title></feed>"),
        (crate::icalendar::MAP, "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"),
    ] {
        let verdict = read(format, text.as_bytes()).1.completeness.verdict;
        assert_eq!(verdict, Verdict::Complete, "{text}");
    }
}

#[test]
fn utf16_without_its_mark_is_read() {
    for (format, text) in [
        ("xml", "<list><event id='1'><title>ñ €</title></event></list>"),
        ("json", "{\"items\":[{\"id\":1,\"title\":\"ñ €\"}]}"),
        ("csv", "ID;TITLE\r\n1;ñ €\r\n"),
    ] {
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            let bytes: Vec<u8> = text.encode_utf16().flat_map(order).collect();
            for size in [1, 3, 1000] {
                let (events, report) = crate::read_chunks(&map(format), bytes.chunks(size));
                assert_eq!(titles(&events), ["ñ €"], "{format}");
                assert_eq!(
                    (report.notes.count(Note::Charset), report.completeness.allows_deletions()),
                    (1, true)
                );
            }
        }
    }
}

#[test]
fn a_total_that_is_no_number_is_told() {
    let total = |total: &str| {
        let (_, report) = only(
            "json",
            format!("{{\"total\":{total},\"items\":[{{\"id\":1,\"title\":\"A\"}}]}}").as_bytes(),
        );
        (report.completeness.announced, report.notes.contains(Note::BadTotal))
    };
    for (written, announced) in [
        ("1", Some(1)),
        ("\"2\"", Some(2)),
        ("3.0", Some(3)),
        ("null", None),
        ("-1", None),
        ("\"many\"", None),
    ] {
        assert_eq!(total(written), (announced, announced.is_none() && written != "null"), "{written}");
    }
}

#[test]
fn a_success_that_is_true_is_no_outage() {
    let (_, report) = only("json", br#"{"success":true,"error":null,"items":[{"id":1,"title":"A"}]}"#);
    assert_eq!(report.completeness.verdict, Verdict::Complete);
}

#[test]
fn fewer_bytes_than_announced_are_a_cut() {
    let feed_of = |length| {
        let map = map("json");
        let mut feed = Feed::new(&map);
        feed.expect_bytes(length);
        feed.push(br#"{"items":[{"id":1,"title":"A"}]}"#);
        feed.finish();
        feed.report().completeness.verdict
    };
    assert_eq!((feed_of(32), feed_of(33)), (Verdict::Complete, Verdict::Truncated));
}

#[test]
fn a_record_of_endless_empty_values_is_dropped_alone() {
    let many = "<cat/>".repeat(200_000);
    let text = format!(
        "<list><event id='1'><title>A</title><cats>{many}</cats></event><event id='2'><title>B</title></event></list>"
    );
    let (events, report) = read("xml", text.as_bytes());
    assert_eq!((titles(&events), report.notes.contains(Note::RecordTooLarge)), (vec!["B"], true));
}

#[test]
fn lists_of_one_event_are_bounded() {
    for (count, kept) in [(999, 999), (1000, 1000), (1001, 1000)] {
        let tags: Vec<_> = (0..count).map(|tag| format!("\"tag {tag}\"")).collect();
        let text = format!("{{\"items\":[{{\"id\":1,\"title\":\"A\",\"tags\":[{}]}}]}}", tags.join(","));
        assert_eq!(only("json", text.as_bytes()).0.categories().len(), kept);
    }
}
