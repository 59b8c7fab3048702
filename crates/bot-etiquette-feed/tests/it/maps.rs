use bot_etiquette_feed::{Format, SourceMap};

const HEAD: &str = r#"
source = "town"
format = "xml"
records = "list/event"
zone = "Europe/Madrid"
language = "es"
[attribution]
source = "A town"
license = "CC BY 4.0"
license_url = "https://creativecommons.org/licenses/by/4.0/"
"#;

#[track_caller]
fn refused(text: &str, words: &[&str]) {
    let error = SourceMap::from_toml(text).expect_err("a wrong map").to_string();
    for word in words {
        assert!(error.contains(word), "{error:?} lacks {word:?}");
    }
}

#[test]
fn a_wrong_field_is_named_with_its_line() {
    for (fields, words) in [
        ("key = \"@id\"\ntittle = \"x\"", ["line 13: ", "fields.tittle: ", "no such field"]),
        ("key = \"@id\"\ntitle = 3", ["line 13: ", "fields.title: ", "found integer"]),
        ("key = \"@id\"\ntitle = \"\"", ["line 13: ", "fields.title: ", "the path is empty"]),
        ("key = \"@id\"\ntitle = \"a[b\"", ["line 13: ", "fields.title: ", "a bracket is not closed"]),
        ("key = \"@id\"\ntitle = \"a[1]\"", ["line 13: ", "fields.title: ", "[@attribute='value']"]),
        (
            "key = \"@id\"\ntitle = \"@a/b\"",
            ["line 13: ", "fields.title: ", "nothing can follow an attribute"],
        ),
        ("key = \"@id\"\ntitle = \"a//b\"", ["line 13: ", "fields.title: ", "a step has no name"]),
        ("key = \"@id\"\ntitle = { path = \"a\", htlm = true }", ["line 13: ", "fields.title: ", "htlm"]),
        ("title = \"a\"", ["line 11: ", "fields.key: it is missing", "each record at `list/event`"]),
    ] {
        refused(&format!("{HEAD}[fields]\n{fields}\n"), &words);
    }
}

#[test]
fn a_wrong_key_is_named_with_a_fix() {
    let good = format!("{HEAD}[fields]\nkey = \"@id\"\n");
    assert!(SourceMap::from_toml(&good).is_ok());
    for (from, to, words) in [
        ("Europe/Madrid", "Madrid", ["line 5: zone: ", "IANA"]),
        ("\"town\"", "\" \"", ["line 2: source: ", "name"]),
        ("\"town\"", "\"a:b\"", ["line 2: source: ", "colon"]),
        ("\"A town\"", "\"\"", ["line 8: attribution.source: ", "publisher"]),
        ("\"CC BY 4.0\"", "\"\"", ["line 9: attribution.license: ", "licence"]),
        (
            "https://creativecommons",
            "mailto:creativecommons",
            ["line 10: attribution.license_url: ", "https://"],
        ),
        ("records = \"list/event\"", "", ["line 1: records: ", "path"]),
        ("language = \"es\"", "language = \"es\"\nmax_hosts = 3", ["max_hosts", "unknown field"]),
        ("language = \"es\"", "language = \"es\"\ncharset = \"latin-x\"", ["line 7: charset: ", "WHATWG"]),
        (
            "language = \"es\"",
            "language = \"es\"\ndelimiter = \"ab\"",
            ["line 7: delimiter: ", "one ASCII character"],
        ),
        ("license =", "licence =", ["licence", "unknown field"]),
    ] {
        refused(&good.replace(from, to), &words);
    }
}

#[test]
fn a_wrong_word_and_a_missing_key_are_named_with_their_lines() {
    for (text, error) in [
        (
            format!("{HEAD}[fields]\nkey = [\n  \"@id\",\n  \"a//b\",\n]\n"),
            "line 14: fields.key: the path `a//b` cannot be read",
        ),
        (format!("{HEAD}[fields]\nkey = \"a\"\ntitle = 1\n"), "line 13: fields.title: expected a path"),
        (HEAD.to_owned(), "line 1: fields.key: it is missing (name the path"),
        (HEAD.replace("\"xml\"", "\"xlm\""), "line 3: format: unknown variant `xlm`"),
        (
            HEAD.replace("\"xml\"", "\"csv\"").replace("records = \"list/event\"\n", "")
                + "[fields]\ntitle = \"T\"\n",
            "line 10: fields.key: it is missing (name the path of what identifies each record at its source",
        ),
        (
            format!("{HEAD}[fields]\nkey = {{ path = \"a\", decimal = \"coma\" }}\n"),
            "line 12: fields.key: unknown variant `coma`",
        ),
        (
            format!("total = \"a//b\"\n{HEAD}[fields]\nkey = \"a\"\n"),
            "line 1: total: the path `a//b` cannot be read",
        ),
    ] {
        let found = SourceMap::from_toml(&text).expect_err("a wrong map").to_string();
        assert!(found.starts_with(error), "{found:?} does not begin with {error:?}");
        assert!(!found.contains('\n') && !found.contains("``"), "{found:?}");
    }
    let error = toml::from_str::<SourceMap>(HEAD).expect_err("no key").to_string();
    assert!(error.contains("fields.key: it is missing"), "{error:?}");
}

#[test]
fn a_map_is_a_serde_value() {
    let map: SourceMap = toml::from_str(&format!("{HEAD}[fields]\nkey = \"@id\"\n")).expect("a map");
    assert_eq!((map.source(), map.format(), map.records()), ("town", Format::Xml, "list/event"));
}
