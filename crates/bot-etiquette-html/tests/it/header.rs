//! `srcset`, refresh values and `Link` fields.

use bot_etiquette_html::{MAX_PARAMETERS, link_header, parse_refresh, srcset};

#[track_caller]
fn images(value: &str, expected: &[(&str, &str, bool)]) {
    let found: Vec<_> = srcset(value).map(|image| (image.url, image.descriptors, image.valid)).collect();
    assert_eq!(found, expected, "{value}");
}

#[test]
fn srcset_follows_the_standard() {
    images("/a,b.jpg 1x, /c.jpg 2x", &[("/a,b.jpg", "1x", true), ("/c.jpg", "2x", true)]);
    images(
        "data:image/png;base64,AA== 1x, /r.png 2x",
        &[("data:image/png;base64,AA==", "1x", true), ("/r.png", "2x", true)],
    );
    images(",, a.jpg 100w ,", &[("a.jpg", "100w", true)]);
    images("a.jpg 1x 2x", &[("a.jpg", "1x 2x", false)]);
    images("a.jpg -1w, b.jpg", &[("a.jpg", "-1w", false), ("b.jpg", "", true)]);
    images("a, b", &[("a", "", true), ("b", "", true)]);
    images("a,b", &[("a,b", "", true)]);
    images(
        "a 100w 50h, b 50h, c 1.5x, d .5x, e +1x, f 0w, g 1w 1x, h 1.x, i 1e3x",
        &[
            ("a", "100w 50h", true),
            ("b", "50h", false),
            ("c", "1.5x", true),
            ("d", ".5x", true),
            ("e", "+1x", false),
            ("f", "0w", false),
            ("g", "1w 1x", false),
            ("h", "1.x", false),
            ("i", "1e3x", true),
        ],
    );
    images("a (x, y), b", &[("a", "(x, y)", false), ("b", "", true)]);
    images("", &[]);
    images(" ,\n, ", &[]);
}

#[test]
fn refresh_follows_the_standard() {
    for (value, expected) in [
        ("0; URL='/new'", Some((0, Some("/new")))),
        ("5", Some((5, None))),
        ("0;/n", Some((0, Some("/n")))),
        ("0;url = \"/q\"x", Some((0, Some("/q")))),
        (" 1.5 , url=/a b ", Some((1, Some("/a b")))),
        ("3 /x", Some((3, Some("/x")))),
        ("0;url", Some((0, Some("url")))),
        ("0;urls=/x", Some((0, Some("urls=/x")))),
        ("0;", Some((0, None))),
        (".5;/x", Some((0, Some("/x")))),
        ("99999999999;/x", Some((u32::MAX, Some("/x")))),
        ("0x;/x", None),
        ("-1;/x", None),
        ("", None),
        ("url=/x", None),
        ("0;\u{e9}\u{e9}", Some((0, Some("\u{e9}\u{e9}")))),
    ] {
        assert_eq!(parse_refresh(value), expected, "{value}");
    }
}

#[test]
fn link_fields_are_read_tolerantly() {
    let all = |field: &str| {
        link_header(field)
            .map(|link| (link.target.to_owned(), link.parameter("rel").map(str::to_owned)))
            .collect::<Vec<_>>()
    };
    let some = |target: &str, rel: &str| (target.to_owned(), Some(rel.to_owned()));
    assert_eq!(all("</a>;rel=next, </b> ; REL=\"prev x\""), [some("/a", "next"), some("/b", "prev x")]);
    assert_eq!(all("</a,b;c>; rel=x"), [some("/a,b;c", "x")]);
    assert_eq!(all("</a>; title=\"x, </no>; rel=y\"; rel=z"), [some("/a", "z")]);
    assert_eq!(all("</a>; rel=first; rel=second"), [some("/a", "first")]);
    assert_eq!(all("junk, </a>; rel=x"), [some("/a", "x")]);
    assert_eq!(all("</a>; rel=\"open"), [some("/a", "open")]);
    assert_eq!(all("</a>"), [("/a".to_owned(), None)]);
    assert_eq!(all("</open; rel=x"), []);
    let escaped = link_header(r#"</a>; title="a \"b\" \\""#).next().unwrap();
    assert_eq!(escaped.parameter("TITLE"), Some(r#"a "b" \"#));
}

#[test]
fn parameters_of_a_link_are_bounded() {
    for (given, kept) in [
        (MAX_PARAMETERS - 1, MAX_PARAMETERS - 1),
        (MAX_PARAMETERS, MAX_PARAMETERS),
        (MAX_PARAMETERS + 1, MAX_PARAMETERS),
    ] {
        let field = format!("</a>{}", ";x=y".repeat(given));
        assert_eq!(link_header(&field).next().unwrap().parameters.len(), kept);
    }
}
