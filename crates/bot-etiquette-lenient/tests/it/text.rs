use bot_etiquette_lenient::text::{Source, charset_parameter, decode, decode_as};

#[test]
fn a_charset_is_chosen_by_mark_then_label_then_validity_then_guess() {
    use Source::{Bom, Declared, Guessed, ValidUtf8};
    for (case, bytes, declared, text, charset, source) in [
        ("mark beats label", &b"\xEF\xBB\xBFa"[..], Some("utf-16le"), "a", "UTF-8", Bom),
        ("UTF-16LE mark", b"\xFF\xFE\xF1\x00", Some("UTF-16"), "\u{f1}", "UTF-16LE", Bom),
        ("UTF-16BE mark", b"\xFE\xFF\x00\xF1", None, "\u{f1}", "UTF-16BE", Bom),
        (
            "latin-1 label means windows-1252",
            b"\x80",
            Some("ISO-8859-1"),
            "\u{20ac}",
            "windows-1252",
            Declared,
        ),
        ("label in capitals and blanks", b"\xE9", Some(" Latin1 "), "\u{e9}", "windows-1252", Declared),
        (
            "a stale label on valid UTF-8",
            "\u{e9}".as_bytes(),
            Some("iso-8859-1"),
            "\u{e9}",
            "UTF-8",
            ValidUtf8,
        ),
        ("ASCII keeps its label", b"abc", Some("iso-8859-1"), "abc", "windows-1252", Declared),
        ("UTF-16 label without a mark", b"a\x00", Some("utf-16le"), "a", "UTF-16LE", Declared),
        ("UTF-8 label on other bytes", b"Meli\xE0", Some("utf-8"), "Meli\u{e0}", "windows-1252", Guessed),
        ("no label, other bytes", b"Meli\xE0", None, "Meli\u{e0}", "windows-1252", Guessed),
        ("unknown label", b"abc", Some("klingon"), "abc", "UTF-8", ValidUtf8),
        ("a label that only replaces", b"abc", Some("iso-2022-kr"), "abc", "UTF-8", ValidUtf8),
        ("nothing", b"", None, "", "UTF-8", ValidUtf8),
    ] {
        let decoded = decode(bytes, declared);
        assert_eq!((decoded.text(), decoded.charset(), decoded.source()), (text, charset, source), "{case}");
        assert!(!decoded.is_lossy(), "{case}");
    }
}

#[test]
fn bytes_that_are_no_text_are_replaced_and_said_so() {
    let decoded = decode(b"a\xFF\xFEb\x00\xD8", Some("utf-16le"));
    assert!(decoded.is_lossy());
    let odd = decode(b"\xFF\xFEa\x00b", None);
    assert_eq!((odd.text(), odd.is_lossy()), ("a\u{fffd}", true));
}

#[test]
fn a_trusted_label_is_beaten_by_a_mark_alone() {
    let strict = decode_as("\u{e9}".as_bytes(), "iso-8859-1").map(|decoded| decoded.into_text().into_owned());
    assert_eq!(strict.as_deref(), Some("\u{c3}\u{a9}"));
    let marked = decode_as(b"\xEF\xBB\xBFx", "iso-8859-1").map(|decoded| decoded.source());
    assert_eq!(marked, Some(Source::Bom));
    assert!(decode_as(b"x", "hz-gb-2312").is_none());
}

#[test]
fn the_charset_parameter_is_read_in_every_spelling() {
    for (value, charset) in [
        ("text/html; charset=utf-8", Some("utf-8")),
        ("text/html;CHARSET='Latin1'", Some("Latin1")),
        ("application/xml; charset=utf-8; charset=iso-8859-1", Some("utf-8")),
        ("text/html; boundary=x; charset = \"utf-8\" ", Some("utf-8")),
        ("text/html; charset=", None),
        ("charset=utf-8", None),
        ("", None),
    ] {
        assert_eq!(charset_parameter(value), charset, "{value}");
    }
}
