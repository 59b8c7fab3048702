//! Evil shapes of feeds and texts.

use crate::{check, repeated};

/// A feed in chunks of 255 bytes.
fn feed(head: &str, piece: &str, length: usize) -> Vec<u8> {
    repeated([b"\xFF", head.as_bytes()].concat(), piece, length)
}

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
