use bot_etiquette_feed::{Calendar, CleanText, Doubt, Note, Translator, Verdict};

use crate::{occurrences, only, read, title, titles};

fn preset(format: &str) -> String {
    format!(
        "source = \"press\"\nformat = \"{format}\"\nzone = \"Europe/Madrid\"\nlanguage = \"es\"\n[attribution]\nsource = \"A town\"\nlicense = \"CC BY 4.0\"\nlicense_url = \"https://creativecommons.org/licenses/by/4.0/\"\n"
    )
}

#[test]
fn rss_needs_no_fields_in_its_map() {
    let feed = br#"<?xml version="1.0"?><rss version="2.0" xmlns:ev="http://purl.org/rss/1.0/modules/event/"><channel><title>no</title><managingEditor>p@example.org</managingEditor>
<item><title>Cine &amp; m&uacute;sica</title><guid isPermaLink="false">x-1</guid><link>https://x.example/1</link><author>persona@example.org</author><dc:creator>A Person</dc:creator><pubDate>Tue, 03 Jun 2025 10:00:00 GMT</pubDate><description><![CDATA[<p>uno</p>]]></description><ev:startdate>2025-07-01T20:00:00</ev:startdate><enclosure url="https://x.example/a.jpg"/></item>
<item><title>Sin guid</title><link>https://x.example/2</link></item></channel></rss>"#;
    let (events, report) = read(&preset("rss"), feed);
    assert_eq!(titles(&events), ["Cine & música", "Sin guid"]);
    assert_eq!(occurrences(&events[0]), ["2025-07-01T20:00:00+02:00"]);
    assert!(occurrences(&events[1]).is_empty(), "a publication date is no event date");
    assert_eq!(events[1].key().as_str(), "press:x.example/2");
    assert_eq!(report.completeness.verdict, Verdict::Complete);
    assert!(!format!("{events:?}").contains("Person"));
}

#[test]
fn atom_needs_no_fields_in_its_map() {
    let feed = br#"<feed xmlns="http://www.w3.org/2005/Atom" xmlns:georss="http://www.georss.org/georss"><title>no</title><author><email>p@example.org</email></author>
<entry><id>tag:x.example,2025:1</id><title type="html">Caf&amp;eacute;</title><link rel="self" href="https://x.example/1.atom"/><link rel="alternate" href="https://x.example/1"/><updated>2025-07-01T20:00:00Z</updated><content type="xhtml"><div><p>uno <b>dos</b></p></div></content><georss:point>40.4 -3.7</georss:point></entry>
<entry><id/><title>no id</title></entry></feed>"#;
    let (events, report) = read(&preset("atom"), feed);
    assert_eq!(titles(&events), ["Café"]);
    let event = &events[0];
    assert_eq!(event.link().map(|link| link.as_str()), Some("https://x.example/1"));
    assert_eq!(event.place().point, Some((40.4, -3.7)));
    assert_eq!(crate::description(event), "uno dos");
    assert_eq!(report.notes.count(Note::NoKey), 1);
}

#[test]
fn atom_texts_are_read_by_their_type_and_language() {
    let feed = "<feed xmlns='http://www.w3.org/2005/Atom'><entry xml:lang='ca'><id>1</id><title type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>Menys: <em>&lt;</em> x</div></title><summary type='text'>a &lt;b&gt; &amp;amp; c</summary></entry><entry><id>2</id><title xml:lang='en' type='html'>&lt;b&gt;A&lt;/b&gt; &amp;amp; B</title></entry><entry><id>3</id><title type='text'>a &lt;b&gt; c</title></entry><entry><id>4</id><title>Caf&amp;eacute;</title></entry></feed>";
    let (events, _) = read(&preset("atom"), feed.as_bytes());
    assert_eq!(titles(&events), ["Menys: < x", "A & B", "a <b> c", "Café"]);
    assert_eq!(crate::description(&events[0]), "a <b> &amp; c");
    let langs: Vec<_> = events.iter().filter_map(|event| Some(event.titles().source()?.lang())).collect();
    assert_eq!(langs, ["ca", "en", "es", "es"]);
}

#[test]
fn an_announced_total_makes_a_short_feed_partial() {
    let (_, report) = read("json", br#"{"total":2345,"items":[{"id":1,"title":"A"}]}"#);
    assert_eq!(
        (report.completeness.verdict, report.completeness.announced, report.completeness.read),
        (Verdict::Partial, Some(2345), 1)
    );
}

fn list(titles: impl IntoIterator<Item = String>) -> Vec<u8> {
    let items: Vec<_> = titles
        .into_iter()
        .enumerate()
        .map(|(id, title)| format!("{{\"id\":{id},\"title\":\"{title}\"}}"))
        .collect();
    format!("{{\"items\":[{}]}}", items.join(",")).into_bytes()
}

#[test]
fn a_round_count_and_an_alphabet_that_stops_are_doubts() {
    for (count, expected) in [
        (99, false),
        (100, true),
        (101, true),
        (102, false),
        (999, false),
        (1000, true),
        (1001, true),
        (1002, false),
    ] {
        let (_, report) =
            read("json", &list((0..count).map(|id| format!("{} x", if id % 2 == 0 { "Z" } else { "A" }))));
        assert_eq!(report.completeness.doubts.contains(&Doubt::RoundCount), expected, "{count}");
        assert_eq!(report.completeness.allows_deletions(), !expected);
    }
    let sorted = |last: char, count: usize| {
        let letters = ('A'..=last).collect::<Vec<_>>();
        let (_, report) =
            read("json", &list((0..count).map(|id| format!("{} {id}", letters[id * letters.len() / count]))));
        report.completeness.doubts.contains(&Doubt::SortedCut)
    };
    assert_eq!(
        [
            sorted('N', 60),
            sorted('R', 60),
            sorted('S', 60),
            sorted('Z', 60),
            sorted('N', 49),
            sorted('N', 50)
        ],
        [true, true, false, false, false, true]
    );
}

#[test]
fn a_great_loss_against_the_last_run_is_a_doubt() {
    let (_, report) = read("json", &list((0..60).map(|_| "Z".to_owned())));
    let against = |last| report.completeness.clone().against_last(last).allows_deletions();
    assert_eq!([against(60), against(100), against(101)], [true, true, false]);
}

#[test]
fn language_files_of_one_source_join_by_id() {
    let spanish = include_str!("../fixtures/json.toml");
    let catalan = spanish.replace("\"es\"", "\"ca\"");
    let mut calendar = Calendar::new();
    for (map, text) in [(spanish, "Teatro"), (&catalan, "Teatre")] {
        let (event, _) = only(
            map,
            format!("{{\"items\":[{{\"id\":1,\"title\":\"{text}\",\"from\":\"2026-05-01\"}}]}}").as_bytes(),
        );
        calendar.insert(event);
    }
    let event = calendar.events().next().expect("one event");
    let texts: Vec<_> = event.titles().iter().map(|title| (title.lang(), title.text().as_str())).collect();
    assert_eq!(texts, [("es", "Teatro"), ("ca", "Teatre")]);
    assert_eq!(occurrences(event), ["2026-05-01"]);
}

#[test]
fn one_event_of_two_sources_is_shown_once() {
    let town = include_str!("../fixtures/json.toml");
    let other = town.replacen("\"town\"", "\"county\"", 1);
    let mut calendar = Calendar::new();
    for (map, id, name) in
        [(town, 1, "Fetén & amigos"), (&other, 9, "FETEN y amigos"), (&other, 8, "FETÉN  amigos!")]
    {
        let text = format!(
            "{{\"items\":[{{\"id\":{id},\"title\":\"{name}\",\"from\":\"2026-05-01\",\"place\":{{\"name\":\"Teatro\"}}}}]}}"
        );
        calendar.insert(only(map, text.as_bytes()).0);
    }
    let groups: Vec<Vec<_>> = calendar
        .distinct()
        .map(|group| group.iter().map(|event| event.key().to_string()).collect())
        .collect();
    assert_eq!(groups, [vec!["county:8".to_owned(), "town:1".to_owned()], vec!["county:9".to_owned()]]);
}

struct Spell;

impl Translator for Spell {
    type Error = String;

    fn name(&self) -> &str {
        "spell"
    }

    fn translate(&mut self, text: &CleanText, from: &str, to: &str) -> Result<Option<String>, String> {
        match to {
            "de" => Err("no German today".to_owned()),
            "pt" => Ok(None),
            _ => Ok(Some(format!("{text} [{from}>{to}] persona arroba example punto org"))),
        }
    }
}

#[test]
fn translations_are_marked_scrubbed_and_never_take_the_place_of_the_source() {
    let (mut event, _) = only("json", br#"{"items":[{"id":1,"title":"Cine"}]}"#);
    let scrubbed = event.titles_mut().translate(&["es", "en", "pt"], &mut Spell).expect("no error");
    assert_eq!(scrubbed.emails, 1);
    let texts: Vec<_> = event
        .titles()
        .iter()
        .map(|title| (title.lang(), title.text().as_str(), title.translated().is_some()))
        .collect();
    assert_eq!(texts, [("es", "Cine", false), ("en", "Cine [es>en]", true)]);
    assert_eq!(event.titles().best("pt").map(|title| title.lang()), Some("es"));
    assert_eq!(event.titles_mut().translate(&["de"], &mut Spell), Err("no German today".to_owned()));
}

#[test]
fn what_has_no_link_cannot_be_published() {
    let map = include_str!("../fixtures/json.toml").replace("link = \"https://town.example/data\"\n", "");
    let (event, _) = only(&map, br#"{"items":[{"id":1,"title":"A"}]}"#);
    assert_eq!(
        event.publish().map(|_| ()).map_err(|error| error.to_string()),
        Err("the event town:1 has no link, and neither has its source: give `link` in `[attribution]`"
            .to_owned())
    );
}

#[test]
fn rss_1_has_its_items_beside_the_channel() {
    let feed = br#"<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:e="http://purl.org/rss/1.0/modules/event/" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="https://x.example/"><title>no</title><dc:publisher>p@example.org</dc:publisher></channel>
<item rdf:about="https://x.example/1"><title>Danza</title><link>https://x.example/1</link><dc:creator>A Person</dc:creator><dc:date>2025-06-03</dc:date><e:startdate>2025-07-01</e:startdate><e:location>Teatro</e:location></item></rdf:RDF>"#;
    let (events, report) = read(&preset("rss"), feed);
    assert_eq!((titles(&events), events[0].key().as_str()), (vec!["Danza"], "press:x.example/1"));
    assert_eq!(occurrences(&events[0]), ["2025-07-01"]);
    assert_eq!(events[0].place().venue.as_deref(), Some("Teatro"));
    assert_eq!(report.completeness.verdict, Verdict::Complete);
}

#[test]
fn a_namespace_counts_whatever_its_prefix() {
    let atom = |feed: &str| read(&preset("atom"), feed.as_bytes()).0;
    let entry = |a: &str| {
        format!(
            "<{a}entry><{a}id>1</{a}id><{a}title>A</{a}title><{a}link href='https://x.example/1'/></{a}entry>"
        )
    };
    let uri = "http://www.w3.org/2005/Atom";
    for feed in [
        format!("<feed xmlns='{uri}'>{}</feed>", entry("")),
        format!("<a:feed xmlns:a='{uri}'>{}</a:feed>", entry("a:")),
        format!("<feed xmlns='http://www.w3.org/2005/&#65;tom'>{}</feed>", entry("")),
        // Never bound: as written, with or without the map's own prefix.
        format!("<feed>{}</feed>", entry("")),
        format!("<atom:feed>{}</atom:feed>", entry("atom:")),
        format!(
            "<feed xmlns='{uri}'>{}</feed>",
            entry("").replace("<entry>", "<entry xmlns:b='urn:b'><b:title>no</b:title>")
        ),
        format!(
            "<feed xmlns='{uri}'>{}</feed>",
            entry("").replace("<title>", "<x xmlns='urn:x'><title>no</title></x><title>")
        ),
    ] {
        let events = atom(&feed);
        assert_eq!(titles(&events), ["A"], "{feed}");
        assert_eq!(events[0].link().map(|link| link.as_str()), Some("https://x.example/1"), "{feed}");
    }
    for feed in [
        format!("<feed xmlns='urn:other'>{}</feed>", entry("")),
        format!("<a:feed xmlns:a='urn:other'>{}</a:feed>", entry("a:")),
        format!("<feed xmlns='{uri}'>{}</feed>", entry("").replace("<entry>", "<entry xmlns='urn:other'>")),
        format!("<feed xmlns='{uri}'>{}</feed>", entry("").replace("<title>", "<title xmlns='urn:other'>")),
    ] {
        assert!(atom(&feed).is_empty(), "{feed}");
    }
}

#[test]
fn a_map_may_name_namespaces_of_its_own() {
    let map = include_str!("../fixtures/xml.toml")
        .replace("title = \"title\"", "title = \"s:name\"")
        .replace("key = \"@id\"", "key = \"@s:id\"")
        .replace("[attribution]", "[namespaces]\ns = \"https://schema.org/\"\n[attribution]");
    let (event, _) = only(
        &map,
        b"<list xmlns:q='https://schema.org/' xmlns:s='urn:not'><event id='7' s:id='8' q:id='9'><s:name>no</s:name><q:name>A</q:name></event></list>",
    );
    assert_eq!((title(&event), event.key().as_str()), ("A", "town:9"));
}

#[test]
fn endless_bindings_are_bounded() {
    let many: String = (0..5_000).map(|at| format!(" xmlns:p{at}='urn:{at}'")).collect();
    let feed = format!("<feed{many}><entry><id>1</id><title>A</title></entry></feed>");
    assert_eq!(titles(&read(&preset("atom"), feed.as_bytes()).0), ["A"]);
}

#[test]
fn json_feed_needs_no_fields_in_its_map() {
    let feed = br#"{"version":"https://jsonfeed.org/version/1.1","title":"no","next_url":"https://x.example/2","authors":[{"name":"p@example.org"}],
"items":[{"id":"1","url":"https://x.example/1","title":"A < B","content_html":"<p>uno &amp; dos</p>","content_text":"other","tags":["x","y"],"date_modified":"2025-07-01T20:00:00Z","authors":[{"name":"A Person"}],"language":"ca","image":"https://x.example/a.jpg"},
{"id":2,"title":"B","content_text":"a & b <c>"}]}"#;
    let (events, report) = read(&preset("jsonfeed"), feed);
    assert_eq!(titles(&events), ["A < B", "B"]);
    assert_eq!([crate::description(&events[0]), crate::description(&events[1])], ["uno & dos", "a & b <c>"]);
    assert_eq!(events[0].titles().source().map(|title| title.lang()), Some("ca"));
    assert_eq!(events[0].updated().map(ToString::to_string).as_deref(), Some("2025-07-01T22:00:00+02:00"));
    assert_eq!((events[0].categories().len(), report.completeness.verdict), (2, Verdict::Complete));
    assert!(!format!("{events:?}").contains("Person"));
}
