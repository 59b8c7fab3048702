use bot_etiquette_feed::Verdict;

use crate::{read, title};

const JSON: &str = "\n{\"total\":2,\"items\":[{\"id\":1,\"title\":\"Uno \\u00f1\",\"x\":[1,{\"y\":null}]},{\"id\":2,\"title\":\"Dos\",\"place\":{\"position\":[40.5,-3.25]}}]}";
const XML: &str = "<?xml version='1.0'?><!-- c --><list><total>2</total><event id='1'><title>Uno &#241;</title><x><y/></x></event><event id='2'><title><![CDATA[Dos]]></title><attr name='from'>2026-05-01</attr></event></list>";

#[track_caller]
fn every_cut_is_seen(format: &str, whole: &str) {
    let (events, report) = read(format, whole.as_bytes());
    assert!(report.completeness.allows_deletions(), "{report:?}");
    assert_eq!(events.len(), 2);
    for cut in 0..whole.len() {
        let (part, report) = read(format, &whole.as_bytes()[..cut]);
        assert!(
            !matches!(report.completeness.verdict, Verdict::Complete | Verdict::Partial),
            "at {cut}: {report:?}"
        );
        assert!(!report.completeness.allows_deletions());
        for (event, known) in part.iter().zip(&events) {
            assert_eq!(event, known, "a record before the cut is whole, at {cut}: {}", title(event));
        }
    }
}

#[test]
fn json_cut_at_any_byte_is_seen() {
    every_cut_is_seen("json", JSON);
}

#[test]
fn xml_cut_at_any_byte_is_seen() {
    every_cut_is_seen("xml", XML);
}

#[test]
fn the_formats_that_need_no_fields_cut_at_any_byte_are_seen() {
    let head = |format: &str| crate::icalendar::MAP.replace("\"icalendar\"", &format!("\"{format}\""));
    every_cut_is_seen(
        &head("rss"),
        "<?xml version=\"1.0\"?><rss><channel><title>no</title><item><guid>1</guid><title>Uno &amp; \u{f1}</title></item><item><guid>2</guid><title>Dos</title><description><![CDATA[<p>x</p>]]></description></item></channel></rss>",
    );
    every_cut_is_seen(
        &head("atom"),
        "<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>1</id><title>Uno</title><content type='xhtml'><div>a <b>b</b></div></content></entry><entry><id>2</id><title type='html'>Dos &amp;amp; m\u{e1}s</title></entry></feed>",
    );
    every_cut_is_seen(
        &head("jsonfeed"),
        "{\"version\":\"https://jsonfeed.org/version/1.1\",\"items\":[{\"id\":\"1\",\"title\":\"Uno\"},{\"id\":\"2\",\"title\":\"Dos\",\"tags\":[\"a\"]}]}",
    );
}

#[test]
fn csv_that_ends_in_a_short_row_without_a_line_end_is_cut() {
    let seen = |text: &str| {
        let (events, report) = read("csv", text.as_bytes());
        (report.completeness.verdict, events.len(), report.completeness.read)
    };
    assert_eq!(seen("ID;TITLE;TEXT\n1;A;x\n2"), (Verdict::Truncated, 1, 2));
    assert_eq!(seen("ID;TITLE;TEXT\n1;A;x\n2;B"), (Verdict::Truncated, 1, 2));
    assert_eq!(seen("ID;TITLE;TEXT\n1;A;x\n2;B\n"), (Verdict::Complete, 2, 2));
    assert_eq!(seen("ID;TITLE;TEXT\n1;A;x\n2;B;"), (Verdict::Complete, 2, 2));
}

#[test]
fn csv_cut_inside_a_row_is_doubted() {
    let whole = "ID;TITLE;TEXT\n1;\"Uno\";\"x\ny\"\n2;\"Dos\";\"z\"\n";
    assert!(read("csv", whole.as_bytes()).1.completeness.allows_deletions());
    for cut in 0..whole.len() {
        let at_a_row_end =
            whole[..cut].ends_with('\n') && whole[..cut].matches('"').count().is_multiple_of(2);
        let (_, report) = read("csv", &whole.as_bytes()[..cut]);
        assert_eq!(report.completeness.allows_deletions(), at_a_row_end, "at {cut}: {report:?}");
    }
}
