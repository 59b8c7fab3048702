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
