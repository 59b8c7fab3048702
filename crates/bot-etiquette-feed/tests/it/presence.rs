//! What a report says of the fields, so that a change of the source's own making is seen.

use bot_etiquette_feed::{Drift, Field, Report};

use crate::read;

fn report(text: &str) -> Report {
    read("json", text.as_bytes()).1
}

fn uses(report: &Report, field: Field) -> Vec<(String, u64, u64)> {
    let of_field = report.fields.iter().filter(|usage| usage.field == field);
    of_field.map(|usage| (usage.path.clone(), usage.records, usage.numbers)).collect()
}

#[test]
fn fields_are_counted_by_path() {
    let report = report(
        r#"{"items":[{"id":1,"title":"A","price":1,"tags":["x","y"],"place":{"lat":40.4}},{"id":2,"title":"B","price":"3 euros","url":""},{"id":3,"title":"C","price":null}]}"#,
    );
    assert_eq!(uses(&report, Field::Key), [("id".to_owned(), 3, 3)]);
    assert_eq!(uses(&report, Field::Price), [("price".to_owned(), 2, 1)]);
    assert_eq!(uses(&report, Field::Category), [("tags".to_owned(), 1, 0)], "by record, not by value");
    assert_eq!(uses(&report, Field::Link), [("url".to_owned(), 0, 0)]);
    let latitudes = [("place/position[0]".to_owned(), 0, 0), ("place/lat".to_owned(), 1, 1)];
    assert_eq!(uses(&report, Field::Latitude), latitudes);
}

fn year(price: &str, more: &str) -> Report {
    let items: Vec<_> =
        (0..20).map(|id| format!("{{\"id\":{id},\"title\":\"A\",\"price\":{price}{more}}}")).collect();
    report(&format!("{{\"items\":[{}]}}", items.join(",")))
}

#[test]
fn a_price_that_was_a_flag_and_is_a_text_is_a_drift() {
    let (before, now) = (year("1", ",\"text\":\"x\""), year("\"3 euros\"", ",\"free\":1"));
    let drifts: Vec<_> = now.drift(&before.fields).map(|(usage, drift)| (usage.field, drift)).collect();
    assert_eq!(
        drifts,
        [(Field::Description, Drift::Lost), (Field::Free, Drift::Appeared), (Field::Price, Drift::Retyped),]
    );
    assert_eq!(before.drift(&before.fields).count(), 0);
}

#[test]
fn a_few_records_tell_no_drift() {
    let few = |text: &str| report(&format!("{{\"items\":[{{\"id\":1,\"title\":\"A\"{text}}}]}}"));
    assert_eq!(few(",\"price\":1").drift(&few(",\"free\":1").fields).count(), 0);
}

#[test]
fn a_range_counts_by_its_element() {
    let (_, report) = read("xml", b"<list><event id='1'><title>A</title><dates><range><first>01/09/2026</first></range></dates></event></list>");
    assert_eq!(uses(&report, Field::Range), [("dates/range".to_owned(), 1, 0)]);
}
