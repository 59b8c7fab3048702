use bot_etiquette_feed::{Note, PriceKind, Verdict};

use crate::{only, read, title, titles};

#[track_caller]
fn reads(title_as_written: &str, expected: &str) {
    let text = format!(
        "{{\"items\":[{{\"id\":1,\"title\":\"{title_as_written}\"}},{{\"id\":2,\"title\":\"next\"}}]}}"
    );
    let (events, report) = read("json", text.as_bytes());
    assert_eq!(titles(&events), [expected, "next"], "{report:?}");
    assert!(report.notes.contains(Note::JsonRepair) && report.completeness.allows_deletions(), "{report:?}");
}

#[test]
fn broken_strings_are_mended() {
    reads("Centro Ouka.\nPlanta 2", "Centro Ouka. Planta 2");
    reads("(Usera\\Pte de Vallecas)", "(Usera\\Pte de Vallecas)");
    reads("x\\ud83d", "x\u{FFFD}");
}

#[test]
fn commas_too_many_are_mended() {
    let (events, report) = read("json", br#"{"items":[{"id":1,"title":"A",},],}"#);
    assert_eq!((titles(&events), report.notes.count(Note::JsonRepair)), (vec!["A"], 3));
}

#[test]
fn coordinates_that_are_none_are_absent() {
    for (place, expected) in [
        (r#"{"lat":NaN,"lon":-3.7}"#, None),
        (r#"{"lat":1e400,"lon":-3.7}"#, None),
        (r#"{"lat":40.4,"lon":-4.5}"#, Some((40.4, -4.5))),
        (r#"{"position":[40.4,-4.5]}"#, Some((40.4, -4.5))),
        (r#"{"point":"41.54,2.44"}"#, Some((41.54, 2.44))),
        (r#"{"point":""}"#, None),
        (r#"{"point":"0,0"}"#, None),
        (r#"{"lat":91,"lon":0}"#, None),
    ] {
        let (event, report) = only(
            "json",
            format!("{{\"items\":[{{\"id\":1,\"title\":\"A\",\"place\":{place}}}]}}").as_bytes(),
        );
        assert_eq!(event.place().point, expected, "{place}");
        let flagged = report.notes.contains(Note::BadPoint);
        assert_eq!(
            flagged,
            expected.is_none() && !place.contains("\"\"") && !place.contains("NaN"),
            "{place}"
        );
    }
}

#[test]
fn of_a_name_that_stands_twice_the_first_counts() {
    let (event, report) = only("json", br#"{"items":[{"id":1,"title":"first","title":"second"}]}"#);
    assert_eq!((title(&event), report.notes.count(Note::DuplicateName)), ("first", 1));
}

#[test]
fn a_value_may_be_a_string_a_list_or_empty() {
    for (url, expected) in [
        (r#""https://x.example/1""#, Some("https://x.example/1")),
        (r#"["https://x.example/1","https://x.example/2"]"#, Some("https://x.example/1")),
        (r#""""#, None),
        ("[]", None),
        ("null", None),
        (r#"{"no":"https://x.example/1"}"#, None),
    ] {
        let (event, _) =
            only("json", format!("{{\"items\":[{{\"id\":1,\"title\":\"A\",\"url\":{url}}}]}}").as_bytes());
        assert_eq!(event.link().map(|link| link.as_str()), expected, "{url}");
    }
}

#[test]
fn what_no_path_leads_to_is_passed_over_however_deep() {
    let deep = format!("{}1{}", "{\"title\":[".repeat(100), "]}".repeat(100));
    let text = format!(
        "{{\"other\":{{\"items\":[1,{{\"id\":9}}]}},\"items\":[{{\"x\":{deep},\"id\":1,\"title\":\"A\"}}]}}"
    );
    let (events, report) = read("json", text.as_bytes());
    assert_eq!(titles(&events), ["A"], "{report:?}");
}

#[test]
fn a_key_is_the_same_as_a_number_and_as_a_text() {
    let (number, _) = only("json", br#"{"items":[{"id":1285610725478,"title":"A"}]}"#);
    let (text, _) = only("json", br#"{"items":[{"id":"1285610725478","title":"A"}]}"#);
    assert_eq!((number.key(), number.key().as_str()), (text.key(), "town:1285610725478"));
}

#[test]
fn several_documents_are_no_whole_feed() {
    let (_, report) = read("json", b"{\"items\":[{\"id\":1,\"title\":\"A\"}]}\n{\"items\":[]}");
    assert_eq!(report.completeness.verdict, Verdict::Truncated);
}

#[test]
fn null_is_as_good_as_absent() {
    let (with_null, _) = only("json", br#"{"items":[{"id":1,"title":"A","from":"2026-05-01","to":null}]}"#);
    let (absent, _) = only("json", br#"{"items":[{"id":1,"title":"A","from":"2026-05-01"}]}"#);
    assert_eq!(with_null, absent);
}

#[test]
fn a_price_may_be_a_number_and_free_a_flag() {
    let (event, _) = only("json", br#"{"items":[{"id":1,"title":"A","price":1,"free":1}]}"#);
    assert_eq!(event.price().map(|price| price.kind), Some(PriceKind::Free));
}

#[test]
fn a_record_without_key_or_title_is_dropped_alone() {
    let (events, report) = read(
        "json",
        br#"{"items":[{"title":"A"},{"id":2},{"id":3,"title":"C"},{"id":"p@example.org","title":"D"}]}"#,
    );
    assert_eq!(titles(&events), ["C"]);
    assert_eq!(
        (report.dropped, report.notes.count(Note::NoKey), report.notes.count(Note::NoTitle)),
        (3, 2, 1)
    );
}

#[test]
fn a_picture_of_any_size_written_into_the_feed_is_passed_over() {
    let picture = "iVBORw0KGgo\\/".repeat(500_000);
    let text = format!(
        r#"{{"picture":"{picture}","items":[{{"id":1,"picture":{{"data":["{picture}"]}},"title":"A"}},{{"id":2,"title":"B"}}]}}"#
    );
    let (events, report) = read("json", text.as_bytes());
    assert_eq!(titles(&events), ["A", "B"]);
    assert!(!report.notes.contains(Note::TokenTooLarge));
    // What is mapped is still held to the limit.
    let text = format!(r#"{{"items":[{{"id":1,"title":"{picture}"}}]}}"#);
    let (events, report) = read("json", text.as_bytes());
    assert!(events.is_empty() && report.notes.contains(Note::TokenTooLarge));
}
