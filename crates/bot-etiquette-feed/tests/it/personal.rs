use std::fmt::Write;
use std::time::UNIX_EPOCH;

use bot_etiquette_feed::{Event, Report, SourceMap, write_icalendar};
use proptest::prelude::*;

use crate::{map, read, read_chunks};

/// One address in the ways a feed can write it; the marker is in all of them, or in none once it is decoded.
const ADDRESSES: [&str; 19] = [
    "canary@example.org",
    "canary&#64;example.org",
    "canary&#x40;example.org",
    "canary&commat;example.org",
    "canary%40example.org",
    "canary\u{FF20}example.org",
    "canary\u{200B}@example.org",
    "canary (arroba) example.org",
    "canary[at]example.org",
    "canary ARROBA example PUNTO org",
    "<b>canary</b>@example.org",
    "canary @example.org",
    "canary@ example.org",
    "canary @ example . org",
    "canary(@)example.org",
    "canary at example dot org",
    "c a n a r y@example.org",
    "\"a canary\"@example.org",
    "<a href=\"mailto:canary@example.org\">canary@example.org</a>",
];
const NUMBER: &str = "612 345 678";

fn everything(events: &[Event], report: &Report) -> String {
    let mut all = format!("{events:?}{report:?}");
    for event in events {
        let _ = write!(all, "{}", write_icalendar("-//x//EN", "es", event.publish(), UNIX_EPOCH));
        #[cfg(feature = "serde")]
        all.push_str(&serde_json::to_string(&event.publish().expect("a link")).expect("JSON"));
        for text in event.titles().iter().chain(event.descriptions().iter()) {
            all.push_str(text.text());
        }
        let _ = write!(all, "{:?}", event.place());
    }
    #[cfg(feature = "serde")]
    all.push_str(&serde_json::to_string(report).expect("JSON"));
    all
}

#[track_caller]
fn clean(format: &str, text: &str, canary: &str) {
    let (events, report) = read(format, text.as_bytes());
    let all = everything(&events, &report);
    for trace in ["canary", "612", "345 678", "@example", "example.org"] {
        assert!(!all.contains(trace), "{canary:?} left {trace:?} in {all}");
    }
    assert!(!events.is_empty(), "{report:?}");
}

#[test]
fn canaries_in_elements_without_a_path_appear_nowhere() {
    for canary in ADDRESSES.iter().map(|address| format!("{address} {NUMBER}")) {
        let json = canary.replace('"', "\\\"");
        clean(
            "json",
            &format!(
                "{{\"owner\":\"{json}\",\"items\":[{{\"email\":[\"{json}\"],\"id\":1,\"title\":\"A\",\"org\":{{\"title\":\"{json}\",\"{json}\":1}},\"tel\":612345678}}],\"{json}\":2}}"
            ),
            &canary,
        );
        clean(
            "xml",
            &format!(
                "<list><owner>{canary}</owner><event id='1'><title>A<x>{canary}</x></title><email><![CDATA[{canary}]]></email><attr name='tel'>{canary}</attr><!-- {canary} --><?pi {canary}?></event></list>"
            ),
            &canary,
        );
        clean(
            "csv",
            &format!(
                "ID;MAIL;TITLE;{}\n1;\"{}\";A;\"{NUMBER}\"\n",
                json.replace(';', ","),
                canary.replace('"', "\"\"")
            ),
            &canary,
        );
    }
}

#[test]
fn canaries_in_every_mapped_field_appear_nowhere() {
    let members = [
        "title", "text", "from", "to", "hour", "days", "not", "also", "price", "free", "tags", "url",
        "changed",
    ];
    for canary in ADDRESSES.iter().map(|address| format!("{address}, {NUMBER}")) {
        let json = canary.replace('"', "\\\"");
        for member in members {
            let rest = if member == "title" { String::new() } else { "\"title\":\"A\",".to_owned() };
            let value = if member == "title" { format!("A: {json}") } else { json.clone() };
            clean("json", &format!("{{\"items\":[{{\"id\":1,{rest}\"{member}\":\"{value}\"}}]}}"), &canary);
        }
        for member in ["name", "town", "point", "lat", "lon"] {
            clean(
                "json",
                &format!(
                    "{{\"items\":[{{\"id\":1,\"title\":\"A\",\"place\":{{\"{member}\":\"{json}\"}}}}]}}"
                ),
                &canary,
            );
        }
        let xml = canary.replace('<', "&lt;").replace('"', "&quot;");
        clean(
            "xml",
            &format!(
                "<list><event id='1'><title>A</title><body>{xml}</body><cats><cat>{xml}</cat></cats><attr name='hour'>{xml}</attr></event></list>"
            ),
            &canary,
        );
        clean(
            "csv",
            &format!("ID;TITLE;TEXT;TAGS\n1;A;\"{0}\";\"{0}\"\n", canary.replace('"', "\"\"")),
            &canary,
        );
    }
}

fn preset(format: &str) -> String {
    crate::icalendar::MAP.replace("\"icalendar\"", &format!("\"{format}\""))
}

#[test]
fn canaries_in_the_formats_that_need_no_fields_appear_nowhere() {
    for canary in ADDRESSES.iter().map(|address| format!("{address} {NUMBER}")) {
        let (json, xml) = (canary.replace('"', "\\\""), canary.replace('&', "&amp;").replace('<', "&lt;"));
        let quoted = canary.replace('"', "'");
        clean(
            &preset("icalendar"),
            &format!(
                "BEGIN:VCALENDAR\nX-OWNER:{canary}\nBEGIN:VEVENT\nUID:1\nSUMMARY:A: {canary}\nDESCRIPTION:{canary}\nLOCATION:{canary}\nCATEGORIES:{canary}\nDTSTART;X-A=\"{quoted}\":{canary}\nDURATION:{canary}\nRRULE:FREQ={canary}\nEXDATE:{canary}\nRDATE:{canary}\nGEO:{canary}\nURL:mailto:{canary}\nORGANIZER;CN=\"{quoted}\":mailto:{canary}\nATTENDEE:mailto:{canary}\nCONTACT:{canary}\nCOMMENT:{canary}\nX-{quoted}:1\nBEGIN:VALARM\nDESCRIPTION:{canary}\nEND:VALARM\nEND:VEVENT\nBEGIN:VEVENT\nUID:2\nSUMMARY:B\nRECURRENCE-ID:{canary}\nEND:VEVENT\nBEGIN:{canary}\nEND:{canary}\nEND:VCALENDAR\n"
            ),
            &canary,
        );
        clean(
            &preset("rss"),
            &format!(
                "<rss><channel><managingEditor>{xml}</managingEditor><webMaster>{xml}</webMaster><item><guid>1</guid><title>A: {xml}</title><description>{xml}</description><author>{xml}</author><dc:creator>{xml}</dc:creator><category>{xml}</category><link>mailto:{xml}</link><ev:startdate>{xml}</ev:startdate><ev:location>{xml}</ev:location><ev:organizer>{xml}</ev:organizer></item></channel></rss>"
            ),
            &canary,
        );
        clean(
            &preset("atom"),
            &format!(
                "<feed><author><email>{xml}</email></author><entry><id>1</id><title>A: {xml}</title><summary>{xml}</summary><content type='xhtml'><div>{xml}</div></content><author><name>{xml}</name></author><contributor>{xml}</contributor><updated>{xml}</updated><category term=\"{}\"/></entry></feed>",
                xml.replace('"', "&quot;")
            ),
            &canary,
        );
        clean(
            &preset("jsonfeed"),
            &format!(
                "{{\"authors\":[{{\"name\":\"{json}\"}}],\"items\":[{{\"id\":1,\"title\":\"A: {json}\",\"content_text\":\"{json}\",\"authors\":\"{json}\",\"tags\":[\"{json}\"],\"url\":\"mailto:{json}\",\"language\":\"{json}\",\"date_modified\":\"{json}\"}}]}}"
            ),
            &canary,
        );
    }
}

#[test]
fn the_words_of_a_wrong_value_are_in_no_message() {
    for text in [
        "{\"items\":[{\"id\":\"canary@example.org\",\"title\":\"A\"},{\"id\":2,\"title\":\"A\"}]}",
        "{\"total\":\"canary@example.org\",\"items\":[{\"id\":2,\"title\":\"A\",\"from\":\"canary@example.org\",\"url\":\"mailto:canary@example.org\"}]}",
        "{\"items\":[{\"id\":2,\"title\":\"A\"}],\"x\":canary@example.org}",
    ] {
        clean("json", text, text);
    }
}

/// JSON of any shape, with the canary in every text and every name.
fn nested(depth: u32) -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("\"canary@example.org\"".to_owned()),
        Just("612345678".to_owned()),
        Just("null".to_owned())
    ];
    leaf.prop_recursive(depth, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(("[a-z]{1,3}", inner), 0..4).prop_map(|members| {
                let members: Vec<_> = members
                    .iter()
                    .map(|(name, value)| format!("\"{name} canary@example.org\":{value}"))
                    .collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn a_canary_anywhere_without_a_path_is_never_read(before in nested(4), after in nested(4), size in 1_usize..40) {
        let text = format!("{{\"other\":{before},\"items\":[{{\"a\":{before},\"id\":1,\"b\":{after},\"title\":\"A\",\"c\":{after}}}]}}");
        let map: SourceMap = map("json");
        let (events, report) = read_chunks(&map, text.as_bytes().chunks(size));
        let all = everything(&events, &report);
        prop_assert!(!all.contains("canary") && !all.contains("612345678"));
        prop_assert_eq!(events.len(), 1);
    }
}
