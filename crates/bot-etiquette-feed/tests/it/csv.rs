use bot_etiquette_feed::{Feed, Note, Verdict};

use crate::{description, map, only, read, title, titles};

#[test]
fn names_of_columns_are_trimmed() {
    assert_eq!(title(&only("csv", b" ID;TITLE \n1;A\n").0), "A");
}

#[test]
fn the_delimiter_is_found_or_named() {
    for text in [
        "ID;TITLE\n1;\"A,B\"\n",
        "ID,TITLE\n1,\"A,B\"\n",
        "ID\tTITLE\r\n1\tA,B\r\n",
        "ID|TITLE\n1|A,B\n",
        "sep=;\nID;TITLE\n1;A,B\n",
    ] {
        assert_eq!(title(&only("csv", text.as_bytes()).0), "A,B", "{text:?}");
    }
}

#[test]
fn quotes_hold_line_ends_delimiters_and_quotes() {
    let (event, report) = only("csv", b"ID;TITLE;TEXT\n1;\"A \"\"x\"\"\";\"one;\ntwo\"\n");
    assert_eq!((title(&event), description(&event)), ("A \"x\"", "one;\ntwo"));
    assert!(report.completeness.allows_deletions());
}

#[test]
fn a_quote_that_is_never_closed_costs_one_row() {
    for text in [
        "ID;TITLE;TEXT\n1;\"A\";\"x\"\n2;\"B\";\"y\n3;\"C\";\"z\"\n4;\"D\";\"\"\n",
        "ID;TITLE;TEXT\n1;A;x\n2;\"B;y\n3;C;z\n4;D;\n",
    ] {
        let (events, report) = read("csv", text.as_bytes());
        assert_eq!(titles(&events), ["A", "C", "D"], "{text:?} {report:?}");
        assert!(report.notes.contains(Note::OpenQuote) && !report.completeness.allows_deletions());
    }
}

#[test]
fn an_open_quote_is_found_long_before_a_million_rows() {
    let map = map("csv");
    let mut feed = Feed::new(&map);
    feed.push(b"ID;TITLE;TEXT\n1;A;x\n2;\"B;y\n");
    let mut read = 0_u32;
    for row in 3..200_000 {
        feed.push(format!("{row};C;z\n").as_bytes());
        while feed.next_event().is_some() {
            read += 1;
        }
    }
    feed.finish();
    read += u32::try_from(std::iter::from_fn(|| feed.next_event()).count()).expect("few");
    assert_eq!(read, 199_998);
}

#[test]
fn numbers_have_the_decimals_of_the_map() {
    let (event, _) = only("csv", b"ID;TITLE;LAT;LON\n1;A;40,42;-3,68\n");
    assert_eq!(event.place().point, Some((40.42, -3.68)));
}

#[test]
fn ragged_rows_are_read_and_told() {
    let (events, report) = read("csv", b"ID;TITLE;TEXT\n1;A\n2;B;x;y\n");
    assert_eq!((titles(&events), report.notes.count(Note::Ragged)), (vec!["A", "B"], 2));
}

#[test]
fn one_cell_may_hold_many_values() {
    let (event, _) = only("csv", b"ID,TITLE,TAGS\n1,A,a;b\n");
    let categories: Vec<_> = event.categories().iter().map(|category| category.as_str()).collect();
    assert_eq!(categories, ["a", "b"]);
}

#[test]
fn a_file_of_a_header_alone_is_complete_and_empty() {
    let (events, report) = read("csv", b"ID;TITLE\n");
    assert_eq!((events.len(), report.completeness.verdict), (0, Verdict::Complete));
}

#[test]
fn lines_above_the_names_of_the_columns_are_passed_over() {
    for (above, kept) in [(0, true), (1, true), (9, true), (10, true), (11, false)] {
        let text = format!("{}ID;TITLE\n1;A;B\n", "Exported, on Monday\n".repeat(above));
        let (events, report) = read("csv", text.as_bytes());
        assert_eq!(titles(&events), if kept { vec!["A"] } else { vec![] }, "{above}");
        assert_eq!(report.completeness.verdict == Verdict::Complete, kept);
    }
}

#[test]
fn rows_may_end_with_a_carriage_return_alone() {
    let text = format!("ID;TITLE;TEXT\r{}", (1..=60).map(|id| format!("{id};A;\"x\"\r")).collect::<String>());
    for size in [1, 64, 10_000] {
        let (events, report) = crate::read_chunks(&map("csv"), text.as_bytes().chunks(size));
        assert_eq!((events.len(), report.completeness.allows_deletions()), (60, true), "{size}");
    }
    let crlf = text.replace('\r', "\r\n");
    for size in [1, 2, 255, 256, 257, 10_000] {
        let (events, report) = crate::read_chunks(&map("csv"), crlf.as_bytes().chunks(size));
        assert_eq!((events.len(), report.completeness.allows_deletions()), (60, true), "{size}");
    }
}

#[test]
fn marks_of_thousands_are_no_decimals() {
    for coordinates in ["46.815.916;-3,68", "4.042;-3,68"] {
        let (event, report) = only("csv", format!("ID;TITLE;LAT;LON\n1;A;{coordinates}\n").as_bytes());
        assert_eq!(
            (event.place().point, report.notes.contains(Note::BadPoint)),
            (None, true),
            "{coordinates}"
        );
    }
    let dot = include_str!("../fixtures/csv.toml").replace("decimal = \"comma\"", "decimal = \"dot\"");
    let (event, report) = only(&dot, b"ID;TITLE;LAT;LON\n1;A;46.815.916;-3.68\n");
    assert_eq!((event.place().point, report.notes.contains(Note::BadPoint)), (None, true));
}

#[test]
fn marks_of_thousands_are_read_where_the_map_names_them() {
    let with = |decimal: &str, thousands: &str| {
        let rule = format!("decimal = \"{decimal}\", thousands = \"{thousands}\"");
        include_str!("../fixtures/csv.toml").replace("decimal = \"comma\"", &rule)
    };
    for (decimal, thousands, written, expected) in [
        ("comma", "dot", "0.040,42;-3,68", Some((40.42, -3.68))),
        ("comma", "dot", "40,42;-0.003", Some((40.42, -3.0))),
        ("comma", "space", "0 040,42;-3,68", Some((40.42, -3.68))),
        ("comma", "space", "0\u{a0}040,42;-3,68", Some((40.42, -3.68))),
        ("dot", "comma", "0,040.42;-3.68", Some((40.42, -3.68))),
        // 46815916 is a number, and no degree.
        ("comma", "dot", "46.815.916;-3,68", None),
        // Groups of another length are a mark of something else.
        ("comma", "dot", "40.42;-3,68", None),
        ("comma", "dot", "0.0404,2;-3,68", None),
        ("comma", "dot", "0000.040;-3,68", None),
        ("comma", "dot", ".040;-3,68", None),
        ("comma", "dot", "0,040.42;-3,68", None),
    ] {
        let rows = format!("ID;TITLE;LAT;LON\n1;A;{written}\n");
        let (event, report) = only(&with(decimal, thousands), rows.as_bytes());
        assert_eq!(event.place().point, expected, "{written}");
        assert_eq!(report.notes.contains(Note::BadPoint), expected.is_none(), "{written}");
    }
    let error = bot_etiquette_feed::SourceMap::from_toml(&with("comma", "comma")).expect_err("the same mark");
    assert!(error.to_string().contains("fields.latitude: `thousands` and `decimal`"));
}

#[test]
fn question_marks_that_nothing_asks_are_told_and_other_formats_preferred() {
    let told = |text: &str| {
        let (_, report) = only("csv", format!("ID;TITLE;TEXT\n1;A;{text}\n").as_bytes());
        report.notes.contains(Note::LossySource)
    };
    for text in ["por algo será?", "l?art de la llum", "?Nosotros? y las máquinas", "¿Quién? ¿Cómo? y tal?"]
    {
        assert!(told(text), "{text}");
    }
    for text in ["¿Por qué?", "¿Quién? ¿Cómo?", "https://x.example/?a=1", "www.x.example?a=1", "sin más"]
    {
        assert!(!told(text), "{text}");
    }
    let catalan = include_str!("../fixtures/csv.toml").replace("\"es\"", "\"ca\"");
    let (_, report) = only(&catalan, "ID;TITLE\n1;Qui hi ha?\n".as_bytes());
    assert!(!report.notes.contains(Note::LossySource), "a question needs no opening mark there");
    let (_, report) = only("json", "{\"items\":[{\"id\":1,\"title\":\"por algo será?\"}]}".as_bytes());
    assert!(!report.notes.contains(Note::LossySource));

    let lossy = only("csv", "ID;TITLE;TEXT;FROM\n1;por algo será?;x;2026-05-01\n".as_bytes()).0;
    let whole = only("json", "{\"items\":[{\"id\":1,\"title\":\"por algo será…\"}]}".as_bytes()).0;
    for order in [[lossy.clone(), whole.clone()], [whole, lossy]] {
        let calendar: bot_etiquette_feed::Calendar = order.into_iter().collect();
        let event = calendar.events().next().expect("one event");
        assert_eq!(title(event), "por algo será…");
        // What the better one lacks still comes from the other.
        assert_eq!((description(event), crate::occurrences(event)), ("x", vec!["2026-05-01".to_owned()]));
    }
}

#[test]
fn an_open_quote_at_the_end_of_a_chunk_is_not_the_end_of_the_feed() {
    let text = b"ID;TITLE;TEXT\n1;\"A;x\n2;\"B\";\"y\"\n3;C;z\n";
    let whole = read("csv", text);
    assert_eq!(titles(&whole.0), ["B", "C"]);
    for size in 1..text.len() {
        let parts = crate::read_chunks(&map("csv"), text.chunks(size));
        assert_eq!(titles(&parts.0), ["B", "C"], "{size}");
        assert_eq!(parts.1.completeness, whole.1.completeness, "{size}");
    }
}
