use std::path::PathBuf;

use bot_etiquette_feed::{Calendar, Event, Note, PriceKind, Report, SourceMap, Verdict};

use crate::{description, occurrences, read_chunks, title};

/// The events of a file of the cases folder, read with the map of the examples.
fn case(map: &str, file: &str) -> Option<(Vec<Event>, Report)> {
    let Some(cases) = std::env::var_os("BOT_ETIQUETTE_CASES") else {
        println!("left out: {file}, since BOT_ETIQUETTE_CASES is not set");
        return None;
    };
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let map = std::fs::read_to_string(root.join("../../examples/feeds").join(map)).expect("a map");
    let map = SourceMap::from_toml(&map).expect("a map");
    let bytes = std::fs::read(PathBuf::from(cases).join("feed").join(file)).expect("a case");
    let (events, report) = read_chunks(&map, bytes.chunks(777));
    let all = format!("{events:?}{report:?}");
    assert!(!all.contains("persona") && !all.contains("900 000 000"), "{file}");
    for event in &events {
        for text in event.titles().iter().chain(event.descriptions().iter()) {
            assert!(
                !text.text().contains("persona@") && !text.text().contains("900 000 000"),
                "{file}: {}",
                text.text()
            );
        }
    }
    Some((events, report))
}

fn by_key<'a>(events: &'a [Event], key: &str) -> &'a Event {
    events.iter().find(|event| event.key().as_str() == key).unwrap_or_else(|| panic!("{key}"))
}

#[test]
fn madrid_in_three_formats_gives_the_same_events() {
    let Some((json, report)) = case("madrid.toml", "madrid_300107_excerpt.json") else { return };
    assert_eq!((json.len(), report.completeness.verdict), (10, Verdict::Complete));
    assert!(
        report.notes.contains(Note::JsonRepair) && report.scrubbed.emails > 0 && report.scrubbed.phones > 0
    );
    let ouka = by_key(&json, "madrid:12546355");
    assert_eq!(
        ouka.place().venue.as_deref(),
        Some("Centro Intergeneracional Ouka Leele. Centro Juvenil-planta 2")
    );
    for (map, file) in
        [("madrid-xml.toml", "madrid_300107_excerpt.xml"), ("madrid-csv.toml", "madrid_300107_excerpt.csv")]
    {
        let (other, report) = case(map, file).expect("a case");
        assert_eq!((other.len(), report.completeness.verdict), (10, Verdict::Complete), "{file} {report:?}");
        for event in &json {
            let twin = by_key(&other, event.key().as_str());
            assert_eq!(occurrences(event), occurrences(twin), "{file} {}", event.key());
            assert_eq!(event.link(), twin.link(), "{file} {}", event.key());
            if !file.ends_with("csv") {
                assert_eq!(title(event), title(twin));
            }
        }
    }
    let weekly = by_key(&json, "madrid:12622331");
    let starts = occurrences(weekly);
    assert_eq!(
        starts,
        [
            "2025-09-16T17:00:00+02:00",
            "2025-10-14T17:00:00+02:00",
            "2025-11-11T17:00:00+01:00",
            "2025-12-16T17:00:00+01:00"
        ]
    );
}

#[test]
fn madrid_of_2018_with_an_escape_that_is_none() {
    let Some((events, _)) = case("madrid.toml", "madrid_206974_2018_invalid_escape.json") else { return };
    assert_eq!(
        events[0].place().venue.as_deref(),
        Some("Parque Lineal del Manzanares (Usera\\Pte de Vallecas)")
    );
    assert_eq!(occurrences(&events[0]), ["2018-06-01T10:00:00+02:00"]);
}

#[test]
fn castilla_y_leon_repeats_an_id_for_each_date() {
    let Some((events, report)) = case("jcyl.toml", "jcyl_agenda_v1_excerpt.json") else { return };
    assert_eq!((events.len(), report.completeness.verdict), (11, Verdict::Complete));
    let mut calendar = Calendar::new();
    for event in events {
        calendar.insert(event);
    }
    assert!(calendar.events().any(|event| event.when().occurrences().count() == 4));
    assert!(
        calendar
            .events()
            .all(|event| event.place().point.is_some_and(|(north, east)| north > 39.0 && east < 0.0))
    );
    assert!(
        calendar
            .events()
            .all(|event| !description(event).contains("&i") && !description(event).contains('<'))
    );
}

#[test]
fn esmadrid_ranges_exclusions_and_inclusions() {
    let Some((events, report)) = case("esmadrid.toml", "esmadrid_agenda_v1_synthetic.xml") else { return };
    assert_eq!((events.len(), report.completeness.verdict), (3, Verdict::Complete));
    let danza = by_key(&events, "esmadrid:900001");
    assert_eq!(occurrences(danza), ["2025-10-24", "2025-10-26", "2025-10-28"]);
    assert_eq!(danza.price().map(|price| price.kind), Some(PriceKind::Euros(18.36)));
    assert_eq!(description(danza), "Espectáculo de prueba & coloquio.");
    assert!(occurrences(by_key(&events, "esmadrid:900002")).is_empty());
    assert_eq!(occurrences(by_key(&events, "esmadrid:900003")), ["2026-08-15"]);
}

#[test]
fn diba_lists_strings_and_empty_values() {
    let Some((events, report)) = case("diba.toml", "diba_actesturisme_synthetic.json") else { return };
    assert_eq!(
        (events.len(), report.completeness.announced, report.completeness.verdict),
        (2, Some(2), Verdict::Complete)
    );
    let first = by_key(&events, "diba:900101");
    assert_eq!(description(first), "Text amb l'apòstrof.");
    assert_eq!(first.place().point, Some((41.54, 2.44)));
    let categories: Vec<_> = first.categories().iter().map(|category| category.as_str()).collect();
    assert_eq!(categories, ["Música", "Mataró", "Concert", "Familiar"]);
    assert_eq!(
        by_key(&events, "diba:900102").link().map(|link| link.as_str()),
        Some("https://example.org/e/2")
    );
}
