//! URLs in style sheets.

use bot_etiquette_html::{CssUrlKind, css_urls};

#[track_caller]
fn check(sheet: &str, expected: &[(&str, CssUrlKind)]) {
    let found: Vec<_> = css_urls(sheet).map(|found| (found.url.into_owned(), found.kind)).collect();
    let expected: Vec<_> = expected.iter().map(|(url, kind)| ((*url).to_owned(), *kind)).collect();
    assert_eq!(found, expected, "{sheet}");
}

#[test]
fn what_a_sheet_loads_is_found_and_nothing_else() {
    use CssUrlKind::{Font, Image, Import};
    check("a{background:url( \"a)b.png\" )}", &[("a)b.png", Image)]);
    check("@import url(x.css) screen; @namespace url(http://n);", &[("x.css", Import)]);
    check("@import 'a.css' layer(\"no\"); b{content:'no'}", &[("a.css", Import)]);
    check("a{b:url(#clip) url() url( ) url(data:x,y) url('')}", &[]);
    check("/* url(no) */ a{b:URL(yes)} /* open url(no)", &[("yes", Image)]);
    check(
        "@font-face{src:url(f.woff2) format('woff2'),url(f.woff);} a{b:url(i)}",
        &[("f.woff2", Font), ("f.woff", Font), ("i", Image)],
    );
    check(
        "a{b:image-set('a.png' 1x, url(b.png) 2x type('image/png')); c:'no'}",
        &[("a.png", Image), ("b.png", Image)],
    );
    check(r"a{b:url(a\26 b\)c.png)}", &[("a&b)c.png", Image)]);
    check("a{b:url('open", &[("open", Image)]);
    check("a{b:curl(no) myurl(no)}", &[]);
}

#[test]
fn a_url_knows_where_it_stands() {
    let sheet = "a{b:url( x.png )}";
    let found = css_urls(sheet).next().unwrap();
    assert_eq!(&sheet[found.span], "x.png");
}
