use bot_etiquette_feed::{Feed, Limits, Note, Verdict};
use proptest::prelude::*;

use crate::{description, map, only, read, read_chunks, title, titles};

fn event_with(title: &str) -> String {
    format!(
        "<list><event id='1'><title>{title}</title></event><event id='2'><title>next</title></event></list>"
    )
}

#[track_caller]
fn reads(title_as_written: &str, expected: &str, note: Option<Note>) {
    let (events, report) = read("xml", event_with(title_as_written).as_bytes());
    assert_eq!(titles(&events), [expected, "next"], "{title_as_written:?} {report:?}");
    if let Some(note) = note {
        assert!(report.notes.contains(note), "{title_as_written:?} {report:?}");
    }
    assert_eq!(report.completeness.verdict, Verdict::Complete);
}

#[test]
fn what_xml_forbids_is_read_all_the_same() {
    reads("A&nbsp;B", "A B", Some(Note::HtmlEntity));
    reads("AT & T", "AT & T", Some(Note::BareAmpersand));
    reads("a&b=1", "a&b=1", Some(Note::BareAmpersand));
    reads("&amp;amp;", "&amp;", None);
    reads("a&#0;b", "ab", Some(Note::BadReference));
    reads("a&#x8;b", "ab", Some(Note::BadReference));
    reads("a&#xD83D;b", "a\u{FFFD}b", Some(Note::BadReference));
    reads("a&#x110000;b", "a\u{FFFD}b", Some(Note::BadReference));
    reads("&#55357;&#56841;", "\u{1F609}", Some(Note::BadReference));
    reads("a\u{8}b", "ab", None);
    reads("a &unknown; b", "a &unknown; b", Some(Note::BadReference));
    reads("<![CDATA[a <b> & c]]>", "a <b> & c", None);
    reads("a<!-- x -->b", "ab", None);
    reads("a <x>hidden</x> c", "a c", None);
    reads("1 < 2", "1 < 2", None);
}

#[test]
fn an_address_keeps_its_bare_ampersands() {
    let (event, _) = only(
        "xml",
        b"<list><event id='1'><title>A</title><url>https://x.example/?a=1&b=2</url></event></list>",
    );
    assert_eq!(event.link().map(|link| link.as_str()), Some("https://x.example/?a=1&b=2"));
}

#[test]
fn html_inside_cdata_is_decoded_twice_where_the_map_says_so() {
    let (event, _) = only("xml", b"<list><event id='1'><title>A</title><body><![CDATA[<p>Caf&eacute; &amp; x</p>\n<p>y</p><script>z()</script>]]></body></event></list>");
    assert_eq!(description(&event), "Café & x\ny");
}

#[test]
fn entities_of_a_document_type_are_never_expanded() {
    let bomb = "<!DOCTYPE list [<!ENTITY a \"0123456789\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;\">]><list><event id='1'><title>x &c; y</title></event></list>";
    let (event, report) = only("xml", bomb.as_bytes());
    assert_eq!((title(&event), report.notes.contains(Note::Doctype)), ("x &c; y", true));
}

#[test]
fn depth_is_bounded_at_the_limit() {
    let limits = Limits { depth: 10, ..Limits::default() };
    for (depth, verdict) in [(9, Verdict::Complete), (10, Verdict::Complete), (11, Verdict::Truncated)] {
        let map = map("xml");
        let mut feed = Feed::with_limits(&map, limits);
        let (open, close) = ("<a>".repeat(depth - 1), "</a>".repeat(depth - 1));
        feed.push(format!("<list>{open}{close}</list>").as_bytes());
        feed.finish();
        assert_eq!(feed.report().completeness.verdict, verdict, "{depth}");
    }
    let (_, report) = read("xml", "<a>".repeat(100_000).as_bytes());
    assert_eq!(report.completeness.verdict, Verdict::Truncated);
}

#[test]
fn a_value_over_the_limit_costs_its_record_alone() {
    let limits = Limits { token: 1000, ..Limits::default() };
    for (length, kept) in [(999, true), (1000, true), (1001, false), (300_000, false)] {
        for (open, close) in [("", ""), ("<![CDATA[", "]]>")] {
            let map = map("xml");
            let mut feed = Feed::with_limits(&map, limits);
            let text = event_with(&format!("{open}{}{close}", "x".repeat(length)));
            for chunk in text.as_bytes().chunks(100) {
                feed.push(chunk);
            }
            feed.finish();
            let keys: Vec<_> =
                std::iter::from_fn(|| feed.next_event()).map(|event| event.key().to_string()).collect();
            let expected: &[&str] = if kept { &["town:1", "town:2"] } else { &["town:2"] };
            if length != 1000 || open.is_empty() {
                assert_eq!(keys, expected, "{length} {open}");
            }
            assert!(feed.report().notes.contains(Note::TokenTooLarge) != kept || length == 1000);
        }
    }
}

#[test]
fn elements_may_stand_once_or_often_and_in_two_places() {
    let (event, _) = only("xml", b"<list><event id='1'><title>A</title><cats><cat>one</cat><more><cat>two</cat></more><cat>three</cat><cat>one</cat></cats></event></list>");
    let categories: Vec<_> = event.categories().iter().map(|category| category.as_str()).collect();
    assert_eq!(categories, ["one", "two", "three"]);
}

#[test]
fn fields_are_named_by_an_attribute_and_may_nest() {
    let (event, _) = only("xml", b"<list><event id='1'><title>A</title><attr name='from'>2026-05-01</attr><attr name='place'><attr name='tel'>600123456</attr><attr name='name'>Teatro</attr></attr></event></list>");
    assert_eq!(event.place().venue.as_deref(), Some("Teatro"));
    assert_eq!(crate::occurrences(&event), ["2026-05-01"]);
}

#[test]
fn tags_that_do_not_match_do_not_lose_the_rest() {
    let (events, report) = read(
        "xml",
        b"<list><event id='1'><title>A</b></title></event><event id='2'><title>B<i></title></event></list>",
    );
    assert_eq!(titles(&events), ["A", "B"]);
    assert!(report.notes.contains(Note::Unbalanced));
}

#[test]
fn the_language_of_a_record_beats_that_of_the_map() {
    let (event, report) =
        only("xml", b"<list><event id='1'><title>A</title><body lang='ca'>text</body></event></list>");
    assert_eq!(event.descriptions().source().map(|text| text.lang()), Some("ca"));
    assert!(report.notes.contains(Note::OtherLanguage));
}

const WHOLE: &str = "<?xml version='1.0'?>\n<list><total>2</total><event id='1'><title>A &amp; B &nbsp;&#233; & C</title><email>p@e.org</email><attr name='from'>2026-05-01</attr></event><!-- no --><event id='2'><title><![CDATA[ñ <b>]]></title><body lang='ca'>x &lt;p&gt; y</body></event></list>\n";

#[test]
fn markup_in_a_value_is_read_and_no_other_inner_element() {
    let head = |format: &str| crate::icalendar::MAP.replace("\"icalendar\"", &format!("\"{format}\""));
    for (inside, expected) in [
        ("<b>x</b>", "x"),
        ("A <b>B</b> C", "A B C"),
        (
            "<div xmlns='http://www.w3.org/1999/xhtml'>A <h:b xmlns:h='http://www.w3.org/1999/xhtml'>B</h:b></div>",
            "A B",
        ),
        ("H<sub>2</sub>O<p>a</p><P>b</P><br/>d", "H2O a b d"),
        ("A<b>B<phone>612</phone>C<i>D</i></b>E", "ABCDE"),
        ("A<script>x()</script><email>x</email>", "A"),
        ("A: <b>persona</b>@example.org", "A:"),
    ] {
        let xml = format!("<list><event id='1'><title>{inside}</title></event></list>");
        assert_eq!(title(&only("xml", xml.as_bytes()).0), expected, "{inside}");
        let rss = format!("<rss><channel><item><guid>1</guid><title>{inside}</title></item></channel></rss>");
        assert_eq!(title(&only(&head("rss"), rss.as_bytes()).0), expected, "{inside}");
    }
}

#[test]
fn an_atom_feed_is_read_whatever_its_prefix_and_whoever_writes_the_paths() {
    let head = crate::icalendar::MAP.replace("\"icalendar\"", "\"atom\"");
    let own = format!("{head}\n[fields]\nkey = \"id\"\ntitle = \"title\"\nlink = \"link/@href\"\n");
    let bare = own.replace("format =", "records = \"feed/entry\"\nformat =");
    let xhtml = "<div xmlns='http://www.w3.org/1999/xhtml'>A <b>B</b></div>";
    for map in [head, own, bare] {
        for (prefix, bound) in [("", ""), ("a:", ":a")] {
            let text = format!(
                "<{prefix}feed xmlns{bound}='http://www.w3.org/2005/Atom'><{prefix}entry><{prefix}id>1</{prefix}id><{prefix}title type='xhtml'>{xhtml}</{prefix}title><{prefix}link href='https://x.example/1'/></{prefix}entry></{prefix}feed>"
            );
            let (event, _) = only(&map, text.as_bytes());
            let link = event.link().map(|link| link.as_str());
            assert_eq!((title(&event), link), ("A B", Some("https://x.example/1")), "{text}");
        }
    }
}

proptest! {
    #[test]
    fn chunks_make_no_difference(cuts in prop::collection::vec(0..WHOLE.len(), 0..12)) {
        let whole = read("xml", WHOLE.as_bytes());
        let mut cuts = cuts;
        cuts.sort_unstable();
        let mut chunks = Vec::new();
        let mut from = 0;
        for cut in cuts.into_iter().chain([WHOLE.len()]) {
            chunks.push(&WHOLE.as_bytes()[from..cut]);
            from = cut;
        }
        let parts = read_chunks(&map("xml"), chunks);
        prop_assert_eq!(whole.0, parts.0);
        prop_assert_eq!(whole.1.completeness, parts.1.completeness);
    }

    #[test]
    fn any_bytes_end_in_a_report(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "[<>/&;!a-c='\"\\[\\]? -]{0,120}") {
        for format in ["xml", "json", "csv"] {
            read(format, &bytes);
            read(format, text.as_bytes());
            read(format, format!("<list><event id='1'>{text}").as_bytes());
            read(format, format!("ID;TITLE\n{text}").as_bytes());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_plain_end_tag_ends_what_one_with_a_blank_ends(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "<event id='1'>", "<event id='2' >", "</event>", "<title>", "</title>", "<a>", "</a>", "</titl>",
                "<longer-than-eight>", "</longer-than-eight>", "<longer-than-eighT>", "<a/>", "<title/>", "<a:title>",
                "</a:title>", "Danza ", "&amp;", "<![CDATA[</title>]]>", "<!-- </event> -->", " ", "</a ", "<a'b'>",
                "</a'b'>", "<é>", "</é>", "</>",
            ]),
            0..16,
        ),
        cut in 1_usize..40,
    ) {
        let plain = format!("<list>{}</list>", pieces.concat());
        let blank = |piece: &&str| match piece.strip_prefix("</").and_then(|name| name.strip_suffix('>')) {
            Some(name) => format!("</{name} >"),
            None => (*piece).to_owned(),
        };
        let blank = format!("<list>{}</list >", pieces.iter().map(blank).collect::<String>());
        let read = |text: &str| read_chunks(&map("xml"), text.as_bytes().chunks(cut));
        prop_assert_eq!(read(&plain), read(&blank));
    }
}
