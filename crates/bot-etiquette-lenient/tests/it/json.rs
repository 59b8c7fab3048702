use bot_etiquette_lenient::json::{
    JsonErrorKind, Limits, RepairKind, Repairs, Step, Stream, Token, Tokens, repair,
};

#[track_caller]
fn mends(case: &str, input: &[u8], json: &str, repairs: &str) {
    let mended = repair(input, Limits::default()).unwrap_or_else(|error| panic!("{case}: {error}"));
    assert_eq!(std::str::from_utf8(mended.json()), Ok(json), "{case}");
    assert_eq!(mended.repairs().to_string(), repairs, "{case}");
    assert!(
        serde_json::from_slice::<serde_json::Value>(mended.json()).is_ok(),
        "{case}: strict parsers read it"
    );
}

#[test]
fn strict_json_needs_no_repair() {
    for json in [
        r#"{"a":[1,-0.5e+3,true,false,null,"x\n\"\u00e9"],"b":{},"c":[]}"#,
        "0",
        r#""text""#,
        " [ ] ",
        "\t{\r\n}",
    ] {
        let mended = repair(json.as_bytes(), Limits::default()).unwrap();
        assert!(mended.repairs().is_empty(), "{json}");
        let (before, after): (serde_json::Value, serde_json::Value) =
            (serde_json::from_str(json).unwrap(), serde_json::from_slice(mended.json()).unwrap());
        assert_eq!(before, after);
    }
}

#[test]
fn each_kind_of_fault_is_mended_and_told_with_its_place() {
    for (case, input, json, repairs) in [
        ("mark", &b"\xEF\xBB\xBF{\"a\":1}"[..], r#"{"a":1}"#, "bom at byte 0"),
        ("jsonp", b"cb({\"count\":5});", r#"{"count":5}"#, "jsonp at byte 0"),
        ("jsonp after a guard", b" /**/my.cb_1 ([1]) ", "[1]", "jsonp at byte 1"),
        (
            "NaN and friends",
            b"[NaN,Infinity,-Infinity,undefined]",
            "[null,null,null,null]",
            "not-a-number at byte 1, not-a-number at byte 5, not-a-number at byte 14, not-a-number at byte 24",
        ),
        (
            "odd numbers",
            b"[+1,01,.5,5.,-.5e3]",
            "[1,1,0.5,5,-0.5e3]",
            "number at byte 1, number at byte 4, number at byte 7, number at byte 10, number at byte 13",
        ),
        ("trailing commas", b"{\"a\":[1,],}", r#"{"a":[1]}"#, "extra-comma at byte 7, extra-comma at byte 9"),
        ("doubled commas", b"[,1,,2]", "[1,2]", "extra-comma at byte 1, extra-comma at byte 4"),
        ("a lone comma", b"{,}", "{}", "extra-comma at byte 1"),
        (
            "a missing comma in an object",
            b"{\"a\":1 \"b\":\"x\"\"c\":{}\n\"d\":[]}",
            r#"{"a":1,"b":"x","c":{},"d":[]}"#,
            "missing-comma at byte 7, missing-comma at byte 14, missing-comma at byte 21",
        ),
        (
            "a missing comma in an array",
            b"[{}{} [1][],1[2]]",
            "[{},{},[1],[],1,[2]]",
            "missing-comma at byte 3, missing-comma at byte 6, missing-comma at byte 9, missing-comma at byte 13",
        ),
        ("a missing value at the end", b"{\"a\":}", r#"{"a":null}"#, "missing-value at byte 5"),
        (
            "a missing value before a member",
            b"{\"a\": ,\"b\":1}",
            r#"{"a":null,"b":1}"#,
            "missing-value at byte 6",
        ),
        (
            "a missing value and a comma too many",
            b"{\"a\":,}",
            r#"{"a":null}"#,
            "missing-value at byte 5, extra-comma at byte 5",
        ),
        (
            "one bad item among good ones",
            br#"[{"id":1,"title":"A"},{"id":2,,"title":},{"id":3,"title":"C"}]"#,
            r#"[{"id":1,"title":"A"},{"id":2,"title":null},{"id":3,"title":"C"}]"#,
            "extra-comma at byte 30, missing-value at byte 39",
        ),
        ("raw line end", b"[\"a\nb\"]", r#"["a\nb"]"#, "control-character at byte 3"),
        ("raw NUL", b"[\"a\0b\"]", r#"["a\u0000b"]"#, "control-character at byte 3"),
        ("a path", br#"["DOMAIN\User"]"#, r#"["DOMAIN\\User"]"#, "escape at byte 8"),
        ("an escaped apostrophe", br#"["it\'s"]"#, r#"["it's"]"#, "escape at byte 4"),
        ("a short unit", br#"["\u12"]"#, r#"["\\u12"]"#, "escape at byte 2"),
        ("half a pair", br#"["\ud83d"]"#, "[\"\u{fffd}\"]", "surrogate at byte 2"),
        ("two first halves", br#"["\ud83d\ud83d\ude00"]"#, "[\"\u{fffd}\u{1f600}\"]", "surrogate at byte 2"),
        ("no UTF-8", b"[\"a\xE9b\"]", "[\"a\u{fffd}b\"]", "utf8 at byte 3"),
        ("cut in a string", b"[\"a\",\"b", r#"["a"]"#, "cut-end at byte 7"),
        ("cut in a number", b"[1,23", "[1]", "cut-end at byte 5"),
        ("cut in a word", b"{\"a\":tr", r#"{"a":null}"#, "cut-end at byte 7"),
        ("cut after a key", b"{\"a\"", r#"{"a":null}"#, "cut-end at byte 4"),
        ("cut after a colon", b"{\"a\":{\"b\":", r#"{"a":{"b":null}}"#, "cut-end at byte 10"),
        ("a comment", b"{} <!-- served by b -->\n", "{}", "trailing-comment at byte 3"),
        ("an open comment", b"{}<!--", "{}", "trailing-comment at byte 2"),
    ] {
        mends(case, input, json, repairs);
    }
}

#[test]
fn what_is_no_json_is_an_error_with_its_place() {
    use JsonErrorKind::{Empty, Expected, NotANumber, Trailing, Unbalanced};
    for (input, kind, offset) in [
        (&b"<html>"[..], Expected { what: "a value" }, 0),
        (b"", Empty, 0),
        (b" \n ", Empty, 3),
        (b"\"abc", Empty, 4),
        (b"{a:1}", Expected { what: "a key" }, 1),
        (b"{\"a\" 1}", Expected { what: "a colon" }, 5),
        (b"{\"a\"}", Expected { what: "a colon" }, 4),
        (b"{\"a\",\"b\":1}", Expected { what: "a colon" }, 4),
        (b"{\"a\":]", Expected { what: "a value" }, 5),
        (b"[1 2]", Expected { what: "a comma or the end" }, 3),
        (b"[\"a\" \"b\"]", Expected { what: "a comma or the end" }, 5),
        (b"{\"a\":1 {}}", Expected { what: "a comma or the end" }, 7),
        (b"{\"a\":1 b:2}", Expected { what: "a comma or the end" }, 7),
        (b"{\"a\":\"say \"hi\" now\"}", Expected { what: "a comma or the end" }, 11),
        (b"{\"a\":\"say \"\"\"hi\"\"\" now\"}", Expected { what: "a colon" }, 13),
        (b"[1}", Unbalanced, 2),
        (b"{\"a\":1]", Unbalanced, 6),
        (b"]", Unbalanced, 0),
        (b"[1-2]", NotANumber, 1),
        (b"[1e]", NotANumber, 1),
        (b"[-]", NotANumber, 1),
        (b"[.]", NotANumber, 1),
        (b"[nul]", Expected { what: "a value" }, 1),
        (b"[nullx]", Expected { what: "a value" }, 1),
        (b"[xyz", Expected { what: "a value" }, 1),
        (b"{} {}", Trailing, 3),
        (b"{})", Trailing, 2),
        (b"[1]<p>", Trailing, 3),
        (b"name[1]", Expected { what: "a value" }, 0),
    ] {
        let error = repair(input, Limits::default()).expect_err(&String::from_utf8_lossy(input));
        assert_eq!((error.kind(), error.offset()), (kind, offset), "{}", String::from_utf8_lossy(input));
    }
}

#[test]
fn limits_hold_at_one_below_at_and_one_above() {
    for (depth, fits) in [(6, true), (7, true), (8, false)] {
        let input = [vec![b'['; depth], vec![b']'; depth]].concat();
        let got = repair(&input, Limits { depth: 7, ..Limits::default() });
        assert_eq!(got.is_ok(), fits, "{depth} brackets");
        if let Err(error) = got {
            assert_eq!((error.kind(), error.offset()), (JsonErrorKind::TooDeep { limit: 7 }, 7));
        }
    }
    for (inside, fits) in [(7, true), (8, true), (9, false)] {
        let limits = Limits { token: 10, ..Limits::default() };
        let string = format!("[\"{}\"]", "x".repeat(inside));
        let number = format!("[{}]", "1".repeat(inside + 2));
        for input in [string, number] {
            let got = repair(input.as_bytes(), limits);
            assert_eq!(got.is_ok(), fits, "{input}");
            if let Err(error) = got {
                assert_eq!((error.kind(), error.offset()), (JsonErrorKind::TokenTooLong { limit: 10 }, 1));
            }
        }
    }
    let deep = vec![b'['; 70_000];
    let error = repair(&deep, Limits { depth: usize::MAX, ..Limits::default() }).unwrap_err();
    assert_eq!(error.kind(), JsonErrorKind::TooDeep { limit: 65_536 });
}

#[test]
fn a_stream_refuses_an_endless_token_before_it_holds_more_than_the_limit_and_a_chunk() {
    let mut stream = Stream::new(Limits { token: 100, ..Limits::default() });
    stream.feed(b"[\"");
    let mut fed = 0;
    let error = loop {
        match stream.next_token() {
            Ok(Step::Token(_)) => {}
            Ok(_) => {
                stream.feed(&[b'x'; 10]);
                fed += 10;
            }
            Err(error) => break error,
        }
    };
    assert_eq!((error.kind(), fed), (JsonErrorKind::TokenTooLong { limit: 100 }, 100));
    assert_eq!(stream.next_token(), Err(error), "the error stays");
}

#[test]
fn a_string_that_nobody_wants_may_be_of_any_length() {
    let mut stream = Stream::new(Limits { token: 100, ..Limits::default() });
    stream.want_strings(false);
    stream.feed(b"{\"a\":\"");
    assert_eq!(stream.next_token(), Ok(Step::Token(Token::BeginObject)));
    assert!(matches!(stream.next_token(), Ok(Step::Token(Token::Key(_)))));
    for _ in 0..1_000 {
        assert_eq!(stream.next_token(), Ok(Step::NeedMore));
        stream.feed(br#"a picture's letters, \\ and \" "#);
    }
    stream.feed(b"\"}");
    stream.finish();
    assert!(matches!(stream.next_token(), Ok(Step::Token(Token::String(text))) if text.raw().is_empty()));
    assert_eq!(stream.next_token(), Ok(Step::Token(Token::EndObject)));
    assert_eq!(stream.next_token(), Ok(Step::End));
}

#[test]
fn skipping_a_value_decodes_nothing_and_stops_behind_it() {
    let mut tokens =
        Tokens::new(b"{\"skip\":[{\"a\":\"\\P\"},[1]],\"flat\":1,\"keep\":2}", Limits::default());
    let mut kept = Vec::new();
    while let Some(token) = tokens.next().transpose().unwrap() {
        match token {
            Token::Key(key) if key.is("keep") => kept.push(tokens.next().unwrap().unwrap()),
            Token::Key(_) => tokens.skip_value().unwrap(),
            _ => {}
        }
    }
    assert_eq!(kept, [Token::Number("2")]);
    assert!(tokens.repairs().is_empty(), "an undecoded string is not mended");
}

#[test]
fn all_repairs_are_counted_and_the_first_are_kept() {
    let input = format!("[{}]", "NaN,".repeat(100));
    let mended = repair(input.as_bytes(), Limits::default()).unwrap();
    let repairs = mended.repairs();
    assert_eq!((repairs.count(RepairKind::NotANumber), repairs.total()), (100, 101));
    assert_eq!(repairs.iter().count(), Repairs::KEPT);
    assert!(repairs.to_string().ends_with(" and 37 more"));
}

#[test]
fn names_of_repairs_are_distinct() {
    let names: std::collections::BTreeSet<_> = RepairKind::ALL.iter().map(|kind| kind.as_str()).collect();
    assert_eq!(names.len(), RepairKind::ALL.len());
}

#[test]
fn the_end_of_a_string_is_found_at_each_length_and_behind_each_escape() {
    for length in 0..70 {
        for escape in (0..=length).map(Some).chain([None]) {
            let mut inside = "é".repeat(length / 2) + &"x".repeat(length % 2);
            if let Some(at) = escape.filter(|at| inside.is_char_boundary(*at)) {
                inside.insert_str(at, "\\\"");
            }
            let text = format!("[\"{inside}\",\"next\"]");
            let mut tokens = Tokens::new(text.as_bytes(), Limits::default());
            let strings: Vec<_> = std::iter::from_fn(|| tokens.next().map(|token| token.expect("JSON")))
                .filter_map(|token| match token {
                    Token::String(string) => Some(string.raw()),
                    _ => None,
                })
                .collect();
            assert_eq!(strings, [inside.as_bytes(), b"next"], "{text}");
        }
    }
}
