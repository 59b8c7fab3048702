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
fn a_wrong_field_is_named_with_the_path_of_the_records() {
    for (fields, words) in [
        ("key = \"@id\"\ntittle = \"x\"", ["field `tittle`", "`list/event`", "no such field"]),
        ("key = \"@id\"\ntitle = 3", ["field `title`", "`list/event`", "found integer"]),
        ("key = \"@id\"\ntitle = \"\"", ["field `title`", "`list/event`", "the path is empty"]),
        ("key = \"@id\"\ntitle = \"a[b\"", ["field `title`", "`list/event`", "a bracket is not closed"]),
        ("key = \"@id\"\ntitle = \"a[1]\"", ["field `title`", "`list/event`", "[@attribute='value']"]),
        (
            "key = \"@id\"\ntitle = \"@a/b\"",
            ["field `title`", "`list/event`", "nothing can follow an attribute"],
        ),
        ("key = \"@id\"\ntitle = \"a//b\"", ["field `title`", "`list/event`", "a step has no name"]),
        ("key = \"@id\"\ntitle = { path = \"a\", htlm = true }", ["field `title`", "`list/event`", "htlm"]),
        ("title = \"a\"", ["field `key`", "`list/event`", "name the path of its id"]),
    ] {
        refused(&format!("{HEAD}[fields]\n{fields}\n"), &words);
    }
}

#[test]
fn a_wrong_key_is_named_with_a_fix() {
    let good = format!("{HEAD}[fields]\nkey = \"@id\"\n");
    assert!(SourceMap::from_toml(&good).is_ok());
    for (from, to, words) in [
        ("Europe/Madrid", "Madrid", ["`zone`", "IANA"]),
        ("\"town\"", "\" \"", ["`source`", "name"]),
        ("\"town\"", "\"a:b\"", ["`source`", "colon"]),
        ("\"A town\"", "\"\"", ["`attribution`", "publisher"]),
        ("\"CC BY 4.0\"", "\"\"", ["`attribution`", "licence"]),
        ("https://creativecommons", "mailto:creativecommons", ["`attribution`", "https://"]),
        ("records = \"list/event\"", "", ["`records`", "path"]),
        ("language = \"es\"", "language = \"es\"\nmax_hosts = 3", ["max_hosts", "unknown field"]),
        ("language = \"es\"", "language = \"es\"\ncharset = \"latin-x\"", ["`charset`", "WHATWG"]),
        (
            "language = \"es\"",
            "language = \"es\"\ndelimiter = \"ab\"",
            ["`delimiter`", "one ASCII character"],
        ),
        ("license =", "licence =", ["licence", "unknown field"]),
    ] {
        refused(&good.replace(from, to), &words);
    }
}

#[test]
fn a_map_is_a_serde_value() {
    let map: SourceMap = toml::from_str(&format!("{HEAD}[fields]\nkey = \"@id\"\n")).expect("a map");
    assert_eq!((map.source(), map.format(), map.records()), ("town", Format::Xml, "list/event"));
}
