//! What search consoles export, in the shapes that people bring it in.

use std::io::Write as _;

use bot_etiquette_examples::snapshot_bot::evidence::{
    EvidenceError, Export, MAX_ENTRIES, PageDemand, Source, bing_date,
};
use bot_etiquette_examples::snapshot_bot::policy::{POLICY, open_state};
use bot_etiquette_examples::snapshot_bot::{Sites, Wish};

use crate::bench::folder;

#[track_caller]
fn read(file: impl AsRef<[u8]>) -> Export {
    Export::read(file.as_ref()).unwrap()
}

#[track_caller]
fn only(file: impl AsRef<[u8]>) -> PageDemand {
    let export = read(file);
    assert_eq!(export.pages.len(), 1, "{export:?}");
    export.pages.into_iter().next().unwrap()
}

fn page(url: &str, clicks: u64, impressions: u64, ctr: f64, position: f64) -> PageDemand {
    PageDemand {
        url: url.to_owned(),
        clicks: Some(clicks),
        impressions: Some(impressions),
        ctr: Some(ctr),
        position: Some(position),
    }
}

fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, body) in files {
        let plain =
            zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        archive.start_file(*name, plain).unwrap();
        archive.write_all(body.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn an_answer_of_googles_api_has_pages_by_their_keys() {
    assert_eq!(read(r#"{"responseAggregationType":"byPage"}"#).pages, []);
    let row = r#"{"rows":[{"keys":["https://e.com/a"],"clicks":1.0,"impressions":10.0,"ctr":0.1,"position":42.5}]}"#;
    assert_eq!(only(row), page("https://e.com/a", 1, 10, 10.0, 42.5));
    let with_query = r#"{"rows":[{"keys":["what people ask","https://e.com/a"],"clicks":1,"impressions":4,"position":0}]}"#;
    let found = only(with_query);
    assert_eq!((found.url.as_str(), found.position), ("https://e.com/a", None));
}

#[test]
fn a_table_is_read_whatever_its_language() {
    for (table, expected) in [
        (
            "\u{feff}上位のページ,クリック数,表示回数,CTR,掲載順位\r\nhttps://e.com/,20,\"1,000\",2%,5.5\r\n",
            page("https://e.com/", 20, 1000, 2.0, 5.5),
        ),
        (
            "Seiten,Klicks,Impressionen,CTR,Position\nhttps://e.de/,\"2.000\",\"20.000\",\"10 %\",\"3,4\"\n",
            page("https://e.de/", 2000, 20000, 10.0, 3.4),
        ),
        (
            "Páginas principais;Cliques;Impressões;CTR;Posição\nhttps://e.br/a/;1;20;\"5,00%\";\"3,5\"\nTOTAL;10;100;10%;1\n",
            page("https://e.br/a/", 1, 20, 5.0, 3.5),
        ),
        (
            "Pages les plus populaires,Clics,Impressions,CTR,Position\nhttps://e.fr/,1,3,\"33,3\u{a0}%\",2\n",
            page("https://e.fr/", 1, 3, 33.3, 2.0),
        ),
        (
            "Page\tVisits\tShown\tRate\tRank\nhttps://e.com/t\t2\t4\t50%\t1.5\n",
            page("https://e.com/t", 2, 4, 50.0, 1.5),
        ),
    ] {
        assert_eq!(only(table), expected, "{table}");
    }
    assert_eq!(read("Páginas;Cliques;Impressões\nhttps://e.br/a/;1;20\nTOTAL;10;100\n").dropped, 1);
}

#[test]
fn of_a_comparison_the_newer_span_counts() {
    let table = "Top pages,Last 28 days Clicks,Previous 28 days Clicks,Last 28 days Impressions,Previous 28 days Impressions,\
                 Last 28 days CTR,Previous 28 days CTR,Last 28 days Position,Previous 28 days Position\n\
                 https://e.com/a,3,1,40,20,7.5%,5%,8,9\n";
    assert_eq!(only(table), page("https://e.com/a", 3, 40, 7.5, 8.0));
}

#[test]
fn bings_columns_are_known_by_name_or_by_what_they_come_to() {
    let named = read("Page,Impressions,Clicks,CTR,Avg. Position\nhttps://e.com/,100,5,5%,2.1\n");
    assert_eq!(
        (named.source, &named.pages),
        (Source::BingTable, &vec![page("https://e.com/", 5, 100, 5.0, 2.1)])
    );
    assert_eq!(
        only("Adresse,X,Y,Z,W\nhttps://e.com/,100,5,5%,2.1\n"),
        page("https://e.com/", 5, 100, 5.0, 2.1)
    );
}

#[test]
fn an_answer_of_bings_api_is_one_row_several_or_none() {
    let row = r#"{"Query":"https://e.com/","Impressions":"100","Clicks":15,"AvgImpressionPosition":17,"Date":"\/Date(1316156400000-0700)\/"}"#;
    for (data, rows) in
        [("null".to_owned(), 0), ("[]".to_owned(), 0), (row.to_owned(), 1), (format!("[{row},{row}]"), 1)]
    {
        let export = read(format!(r#"{{"d":{data}}}"#));
        assert_eq!((export.source, export.pages.len()), (Source::BingApi, rows), "{data}");
    }
    let twice = only(format!(r#"{{"d":[{row},{row}]}}"#));
    assert_eq!((twice.impressions, twice.clicks), (Some(200), Some(30)), "weeks are summed");
    let refused = Export::read(br#"{"ErrorCode":3,"Message":"ERROR!!! InvalidApiKey"}"#).unwrap_err();
    assert_eq!(refused, EvidenceError::ApiError("ERROR!!! InvalidApiKey".to_owned()));
}

#[test]
fn a_date_of_bings_is_not_moved_by_its_zone() {
    assert_eq!(bing_date(r"\/Date(1316156400000-0700)\/"), Some(1_316_156_400_000)); // 2011-09-16T07:00:00Z
    assert_eq!(bing_date("/Date(1316156400000)/"), Some(1_316_156_400_000));
    assert_eq!(bing_date("/Date(-62135568000000)/"), None);
    assert_eq!(bing_date("yesterday"), None);
}

#[test]
fn numbers_are_read_as_people_write_them() {
    for (written, expected) in [
        ("\"1'234\"", Some(1234)),
        ("1\u{202f}234", Some(1234)),
        ("145.000", Some(145_000)),
        ("-", None),
        ("", None),
    ] {
        let found =
            only(format!("Top pages,Clicks,Impressions,CTR,Position\nhttps://e.com/,1,{written},,\n"));
        assert_eq!(found.impressions, expected, "{written}");
    }
    for (written, expected) in [("0", None), ("", None), ("\u{2013}", None), ("\"1.234,5\"", Some(1234.5))] {
        let found =
            only(format!("Top pages,Clicks,Impressions,CTR,Position\nhttps://e.com/,1,2,,{written}\n"));
        assert_eq!(found.position, expected, "{written}");
    }
}

#[test]
fn a_table_of_queries_is_refused() {
    for table in
        ["Top queries,Clicks,Impressions,CTR,Position\napples,1,2,50%,1\n", "クエリ,クリック数\nりんご,1\n"]
    {
        assert!(matches!(Export::read(table.as_bytes()), Err(EvidenceError::QuerySheet(_))), "{table}");
    }
    let mixed = "Reason,Source,Pages\nNot found,Website,12\nRedirect,Website,3\n";
    assert!(matches!(Export::read(mixed.as_bytes()), Err(EvidenceError::NoPages(_))));
}

#[test]
fn of_a_zip_the_table_of_pages_is_chosen_by_what_it_holds() {
    let pages = "上位のページ,クリック数,表示回数,CTR,掲載順位\nhttps://e.com/,1,2,50%,1\n";
    let queries = "上位のクエリ,クリック数,表示回数,CTR,掲載順位\nりんご,1,2,50%,1\n";
    let export = read(zip(&[
        ("クエリ.csv", queries),
        ("Filters.csv", "Filter,Value\nDate,Last 3 months\n"),
        ("ページ.csv", pages),
    ]));
    assert_eq!(export.pages.len(), 1);
    let spreadsheet = Export::read(&zip(&[("[Content_Types].xml", "<x/>")]));
    assert_eq!(spreadsheet, Err(EvidenceError::Spreadsheet));
}

#[test]
fn a_zip_has_sixty_four_files_at_the_most() {
    for (files, is_read) in [(MAX_ENTRIES - 1, true), (MAX_ENTRIES, true), (MAX_ENTRIES + 1, false)] {
        let names: Vec<_> = (0..files).map(|number| format!("{number}.csv")).collect();
        let all: Vec<_> =
            names.iter().map(|name| (name.as_str(), "Page,Clicks\nhttps://e.com/,1\n")).collect();
        assert_eq!(Export::read(&zip(&all)).is_ok(), is_read, "{files}");
    }
}

#[test]
fn evidence_is_of_a_property_that_covers_the_whole_site() {
    let out = folder("evidence");
    let policy = bot_etiquette::politeness::Policy::from_toml(POLICY).unwrap();
    let state = open_state(&out.join("state.sqlite"), &policy).unwrap();
    let sites = Sites(&state);
    let site = sites.add("https://www.e.com/shop", &Wish::default()).unwrap();
    let table = |urls: &[&str]| {
        let rows: String = urls.iter().map(|url| format!("{url},1,2,50%,1\n")).collect();
        read(format!("Top pages,Clicks,Impressions,CTR,Position\n{rows}"))
    };
    let own = table(&["https://www.e.com/a", "https://www.e.com/b"]);
    let whole = table(&["https://www.e.com/a", "https://e.com/b", "https://m.e.com/c"]);
    for (export, property, problem) in [
        (&whole, None, "of another property"),
        (&own, Some("sc-domain:other.com"), "another's"),
        (&own, Some("https://e.com/"), "another's"),
        (&own, Some("https://www.e.com/shop/"), "a part of the site"),
        (&read(r#"{"d":[]}"#), None, "names no page"),
    ] {
        let error = sites.verify(&site, "f", property, export, 0).unwrap_err().to_string();
        assert!(error.contains(problem), "{property:?}: {error}");
        assert!(!sites.named("www.e.com").unwrap().verified);
    }
    assert_eq!(
        sites.verify(&site, "f", Some("sc-domain:e.com"), &whole, 0).unwrap(),
        1,
        "the site's own pages are kept"
    );
    assert!(sites.named("www.e.com").unwrap().verified);
    assert_eq!(sites.verify(&site, "f", None, &own, 0).unwrap(), 2);
}
