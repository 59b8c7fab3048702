//! The links and facts of a page.

use bot_etiquette_html::{CharsetSource, FindingKind, Limits, LinkKind, LinkSource, Page, PageReader, Place};
use http::{HeaderMap, HeaderName, HeaderValue};
use proptest::prelude::*;
use url::Url;

pub(crate) fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

pub(crate) fn read(body: impl AsRef<[u8]>) -> Page {
    Page::read(&url("https://ex.com/d/p.html"), body.as_ref())
}

pub(crate) fn with_headers(headers: &[(&'static str, &'static str)], body: &[u8]) -> Page {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    PageReader::new(url("https://ex.com/d/p.html")).headers(&map).read(body)
}

fn targets(page: &Page) -> Vec<&str> {
    page.links.iter().map(|link| link.url.as_str()).collect()
}

#[track_caller]
fn check(body: &str, expected: &[&str]) {
    assert_eq!(targets(&read(body)), expected, "{body}");
}

#[test]
fn a_link_is_decoded_trimmed_and_resolved() {
    check(r#"<a href="/x?a=1&amp;b=2">"#, &["https://ex.com/x?a=1&b=2"]);
    check("<a href='/p?x=1&copy=2'>", &["https://ex.com/p?x=1&copy=2"]);
    check("<a href=/x>", &["https://ex.com/x"]);
    check("<A HREF='y'>", &["https://ex.com/d/y"]);
    check("<a href=\" \n/z\t\">", &["https://ex.com/z"]);
    check(r"<a href='http:\\ex.com\q'>", &["http://ex.com/q"]);
    check("<a href='//cdn.ex.com/a'>", &["https://cdn.ex.com/a"]);
    check("<a>", &[]);
    check(
        "<a href><a href=''><a href='#'>",
        &["https://ex.com/d/p.html", "https://ex.com/d/p.html", "https://ex.com/d/p.html#"],
    );
    check("<a href=/a href=/b>", &["https://ex.com/a"]);
    check("<a href=\0/nul>", &["https://ex.com/d/%EF%BF%BD/nul"]);
    check("<a href='/a b'>", &["https://ex.com/a%20b"]);
}

#[test]
fn only_what_a_browser_would_link_is_a_link() {
    check("<script>\"<a href='/no'>\"</script><a href=/yes>", &["https://ex.com/yes"]);
    for raw in ["textarea", "style", "iframe", "xmp", "noembed", "noframes", "title"] {
        check(&format!("<{raw}><a href=/no></a></{raw}><a href=/yes>"), &["https://ex.com/yes"]);
    }
    check("<plaintext><a href=/no>", &[]);
    check("<a href=\"/unterminated>x</a><a href=/z>", &[]);
    check("<!-- <a href=/no> --><a href=/yes>", &["https://ex.com/yes"]);
    check("<![CDATA[<a href=/cd>]]>", &[]);
    check("<svg><![CDATA[<a href=/cd>]]></svg>", &[]);
    check("<q cite=/c><a ping=/p><form action=/s><button formaction=/t>", &[]);
}

#[test]
fn noscript_and_template_are_read_and_marked() {
    let page =
        read("<noscript><a href=/n></a></noscript><template><a href=/t></a></template><a href=/d></a>");
    let places: Vec<_> = page.links.iter().map(|link| (link.url.path(), link.place)).collect();
    assert_eq!(places, [("/n", Place::Noscript), ("/t", Place::Template), ("/d", Place::Document)]);
    let followed: Vec<_> = page.followed(false).map(|link| link.url.path()).collect();
    assert_eq!(followed, ["/n", "/d"]);
}

#[test]
fn the_first_base_counts_for_the_whole_document() {
    check("<a href=x><base href=/b/><base href=/c/>", &["https://ex.com/b/x"]);
    check("<base target=_blank><base href=/k/><a href=x>", &["https://ex.com/k/x"]);
    check("<base href='javascript:1'><a href=x>", &["https://ex.com/d/x"]);
    check("<base href='data:text/html,x'><a href=x>", &["https://ex.com/d/x"]);
    let page = Page::read(
        &url("http://example.com/myself.html"),
        b"<base href='myself.html'><a href='?param=value'>",
    );
    assert_eq!(targets(&page), ["http://example.com/myself.html?param=value"]);
    let kinds: Vec<_> =
        read("<base href=/b/><base href=/c/>").findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::BaseRepeated]);
}

#[test]
fn other_schemes_are_counted_and_not_linked() {
    let page = read(
        "<a href='java&#10;script:alert(1)'><a href='JavaScript:x'><a href='mailto:a@b.c'><a href='tel:1'><a href='data:,x'>",
    );
    assert!(page.links.is_empty());
    let skipped: Vec<_> = page.skipped.iter().map(|(scheme, count)| (scheme.as_str(), *count)).collect();
    assert_eq!(skipped, [("data", 1), ("javascript", 2), ("mailto", 1), ("tel", 1)]);
}

#[test]
fn what_is_no_url_is_told() {
    for (body, kind) in [
        ("<a href='http://['>", FindingKind::MalformedUrl),
        ("<a href='1.\thttps://x.y/'>", FindingKind::MalformedUrl),
        ("<a href='https://me:secret@ex.com/'>", FindingKind::Credentials),
    ] {
        let page = read(body);
        assert!(page.links.is_empty(), "{body}");
        assert_eq!(page.findings[0].kind, kind, "{body}");
        assert!(!page.findings[0].detail.contains("secret"));
    }
    check("<a href='ht\ntps://x.y/'>", &["https://x.y/"]);
}

#[test]
fn rel_is_read_token_by_token() {
    for (rel, nofollow) in [
        ("nofollow", true),
        ("external NoFollow", true),
        ("canonical,nofollow", true),
        ("nofollower", false),
        ("ugc sponsored", false),
        ("", false),
    ] {
        let page = read(format!("<a rel='{rel}' href=/x>"));
        assert_eq!(page.links[0].nofollow, nofollow, "{rel}");
        assert_eq!(page.followed(false).count(), usize::from(!nofollow), "{rel}");
        assert_eq!(page.followed(true).count(), 0);
    }
    assert_eq!(read("<a rel='UGC\tsponsored' href=/x>").links[0].rel, ["ugc", "sponsored"]);
}

#[test]
fn each_element_has_its_kind() {
    for (body, kind) in [
        ("<area href=/x>", LinkKind::Page),
        ("<img src=/x>", LinkKind::Image),
        ("<image src=/x>", LinkKind::Image),
        ("<img data-src=/x>", LinkKind::Image),
        ("<input type=IMAGE src=/x>", LinkKind::Image),
        ("<video poster=/x>", LinkKind::Image),
        ("<body background=/x>", LinkKind::Image),
        ("<td background=/x>", LinkKind::Image),
        ("<div style='background:url(/x)'>", LinkKind::Image),
        ("<style>@import '/x'</style>", LinkKind::Stylesheet),
        ("<style>@font-face{src:url(/x)}</style>", LinkKind::Font),
        ("<script src=/x></script>", LinkKind::Script),
        ("<audio src=/x>", LinkKind::Media),
        ("<track src=/x>", LinkKind::Media),
        ("<iframe src=/x></iframe>", LinkKind::Frame),
        ("<frame src=/x>", LinkKind::Frame),
        ("<object data=/x>", LinkKind::Object),
        ("<embed src=/x>", LinkKind::Object),
        ("<link rel='alternate stylesheet' href=/x>", LinkKind::Stylesheet),
        ("<link rel='shortcut icon' href=/x>", LinkKind::Icon),
        ("<link rel=apple-touch-icon-precomposed href=/x>", LinkKind::Icon),
        ("<link rel=manifest href=/x>", LinkKind::Manifest),
        ("<link rel=preload as=font href=/x>", LinkKind::Preload),
        ("<link rel=preload imagesrcset='/x 2x'>", LinkKind::Preload),
        ("<link rel=prefetch href=/x>", LinkKind::Hint),
        ("<link rel='preconnect dns-prefetch' href=/x>", LinkKind::Origin),
        ("<link rel=canonical href=/x>", LinkKind::Canonical),
        ("<link rel=alternate hreflang=de href=/x>", LinkKind::Alternate),
        ("<link rel=alternate type=application/rss+xml href=/x>", LinkKind::Feed),
        ("<link rel=sitemap href=/x>", LinkKind::Sitemap),
        ("<link rel='next nofollow' href=/x>", LinkKind::Pagination),
        ("<link rel=license href=/x>", LinkKind::Metadata),
        ("<meta property=og:image content=/x>", LinkKind::Image),
        ("<meta property=og:url content=/x>", LinkKind::Metadata),
        ("<svg><use href='/x'></svg>", LinkKind::Image),
        ("<svg><a xlink:href=/no href=/x></svg>", LinkKind::Page),
        ("<svg><image xlink:href=/x></svg>", LinkKind::Image),
        ("<svg><foreignObject><img src=/x></foreignObject></svg>", LinkKind::Image),
        ("<svg><g><p><img src=/x>", LinkKind::Image),
    ] {
        let page = read(body);
        let found: Vec<_> = page.links.iter().map(|link| (link.url.path(), link.kind)).collect();
        assert_eq!(found, [("/x", kind)], "{body}");
    }
    assert!(read("<svg><use href='#icon'></svg>").links.is_empty());
    assert_eq!(read("<svg><use href='/s.svg#i'></svg>").links[0].url.as_str(), "https://ex.com/s.svg#i");
}

#[test]
fn a_link_knows_where_it_stands() {
    let body =
        "<p>\r\n<a\nhref=/a>A</a>\n\n<a href=/b>B</a><style>\n\na{background:url(/c)}</style>\n<img src=/d>";
    let page = read(body);
    let lines: Vec<_> = page.links.iter().map(|link| (link.url.path(), link.line)).collect();
    assert_eq!(lines, [("/a", 2), ("/b", 5), ("/c", 5), ("/d", 8)]);
    assert_eq!(&body[page.links[0].span.clone()], "<a\nhref=/a>");
    assert_eq!(&body[page.links[1].span.clone()], "<a href=/b>");
    assert_eq!(&body[page.links[3].span.clone()], "<img src=/d>");
}

#[test]
fn the_title_is_the_documents_own() {
    for (body, title) in [
        ("<title>a &amp; b\n c</title>", Some("a & b c")),
        ("<svg><title>X</title></svg><title>Y</title>", Some("Y")),
        ("<svg><g/><title>X</title></svg>", None),
        ("<title>First</title><title>Second</title>", Some("First")),
        ("<template><title>T</title></template><title>D</title>", Some("D")),
        ("<title><b>x</b></title>", Some("<b>x</b>")),
        ("<title>open", Some("open")),
        ("<p>none", None),
    ] {
        assert_eq!(read(body).title.as_deref(), title, "{body}");
    }
}

#[test]
fn headings_description_and_language_are_read() {
    let page = read(
        "<html xml:lang=de lang=en-GB><meta NAME=Description content=' a\n b '><meta name=description content=c>\
         <h1>One <b>big</b>\n<img src=x alt='ignored'></h1><h1>Two<div>Lines</div></h1>",
    );
    assert_eq!(page.lang.as_deref(), Some("en-GB"));
    assert_eq!(page.description.as_deref(), Some("a b"));
    assert_eq!(page.h1, ["One big", "Two Lines"]);
    assert_eq!(with_headers(&[("content-language", "it")], b"").lang.as_deref(), Some("it"));
    assert_eq!(with_headers(&[("content-language", "it, en")], b"").lang, None);
}

#[test]
fn link_texts_hold_words_and_alternatives_of_images() {
    let page = read(
        "<a href=/a> Read\n <b>more</b><img src=/i alt='an arrow'></a><a href=/b>x<a href=/c>y<area href=/d alt=Map>",
    );
    let texts: Vec<_> = page.links.iter().map(|link| (link.url.path(), link.text.as_str())).collect();
    assert_eq!(
        texts,
        [("/a", "Read more an arrow"), ("/i", "an arrow"), ("/b", "x"), ("/c", "y"), ("/d", "Map")]
    );
}

#[test]
fn the_text_is_what_a_person_sees() {
    for (body, text) in [
        ("<title>T</title><p>one<p>two<br>three", "one\ntwo\nthree"),
        ("a<script>no</script>b<style>no</style>c<!-- no -->d", "abcd"),
        ("<noscript>no</noscript><template>no</template>yes", "yes"),
        ("<div hidden>no<div>no</div>no</div>yes", "yes"),
        ("<p hidden>no<p>yes", "yes"),
        ("<span aria-hidden=true>no</span>yes<img hidden>yes", "yesyes"),
        ("<div hidden/>no</div>yes<svg><g aria-hidden=true/><text>yes</text></svg>", "yesyes"),
        ("<tr><td>a<td>b<tr><td>c", "a b\nc"),
        ("<svg><title>no</title><text>yes</text></svg>", "yes"),
        ("x &lt; y &eacute;", "x < y \u{e9}"),
        ("<textarea>shown</textarea>", "shown"),
        ("1 <\u{e9}2", "1 <\u{e9}2"),
    ] {
        assert_eq!(read(body).text, text, "{body}");
    }
    let same = [read("<p>a  b<script>1</script>"), read("<div nonce=x>a\nb</div>")];
    assert_eq!(same[0].text_hash(), same[1].text_hash());
    assert_ne!(same[0].text_hash(), read("a c").text_hash());
}

proptest! {
    #[test]
    fn white_space_is_collapsed_however_it_comes(pieces in proptest::collection::vec(prop::sample::select(WORDS.to_vec()), 0..40), limit in 0_usize..60) {
        let body = pieces.concat();
        let words = body.replace("<!---->", "");
        let words: Vec<_> = words.split_ascii_whitespace().collect();
        // A comment parts one text into two pieces and changes none of it.
        prop_assert_eq!(&read(&body).text, &words.join(" "));
        let cut = PageReader::new(url("https://ex.com/")).limits(Limits { text: limit, ..Limits::default() }).read(body.as_bytes());
        prop_assert!(read(&body).text.starts_with(&cut.text) && cut.text.len() <= limit);
    }
}

const WORDS: [&str; 10] =
    ["a", "bc", " ", "  ", "\n", "\t", "<!---->", "\u{e9}", "long words stand here", "\x0c "];

#[test]
fn robots_metas_are_kept_raw() {
    let page = PageReader::new(url("https://ex.com/"))
        .robots_token("SiteSnapshot")
        .read(b"<meta name=ROBOTS content=\"NONE\"><body><meta name=siteSnapshot content='noindex, follow'><meta name=googlebot content=none><template><meta name=robots content=x></template>");
    let robots: Vec<_> = page.robots.iter().map(|meta| (meta.name.as_str(), meta.content.as_str())).collect();
    assert_eq!(robots, [("robots", "NONE"), ("sitesnapshot", "noindex, follow")]);
    let page = with_headers(&[("x-robots-tag", "noarchive"), ("x-robots-tag", "nofollow")], b"");
    assert_eq!(page.x_robots_tag, ["noarchive", "nofollow"]);
}

#[test]
fn canonical_statements_must_agree() {
    let page = with_headers(
        &[("link", "<https://ex.com/b>; rel=\"canonical\"")],
        b"<link rel=canonical href=https://ex.com/a>",
    );
    assert!(page.canonical.conflict && page.canonical.url.is_none());
    let page =
        with_headers(&[("link", "<https://ex.com/a>; rel=canonical")], b"<link rel=canonical href=/a>");
    assert_eq!(page.canonical.url, Some(url("https://ex.com/a")));
    assert_eq!(page.findings[0].kind, FindingKind::CanonicalRelative);
    let page = read("<body><link rel=canonical href=https://ex.com/a>");
    assert_eq!((page.canonical.url, page.findings[0].kind), (None, FindingKind::CanonicalInBody));
    let page = with_headers(&[("link", "<https://ex.com/a>; rel=canonical; anchor=\"/other\"")], b"");
    assert!(page.canonical.named.is_empty());
}

#[test]
fn alternates_come_from_the_head_and_the_header() {
    let page = with_headers(
        &[("link", "<https://b.com/>; rel=alternate; hreflang=de; hreflang=\"de-AT\"")],
        b"<link rel=alternate hreflang=fr href=https://c.com><body><link rel=alternate hreflang=es href=https://d.com>",
    );
    let found: Vec<_> = page
        .alternates
        .iter()
        .map(|found| (found.hreflang.as_str(), found.url.as_str(), found.source))
        .collect();
    assert_eq!(
        found,
        [
            ("fr", "https://c.com/", LinkSource::Element),
            ("de", "https://b.com/", LinkSource::Header),
            ("de-AT", "https://b.com/", LinkSource::Header),
        ]
    );
    assert_eq!(page.findings[0].kind, FindingKind::HreflangInBody);
}

#[test]
fn a_refresh_is_a_link() {
    let page = read(
        "<meta http-equiv=REFRESH content=\"0; URL='/new'\"><meta http-equiv=refresh content='9;/other'>",
    );
    let refresh = page.refresh.unwrap();
    assert_eq!((refresh.seconds, refresh.url.as_str()), (0, "https://ex.com/new"));
    assert_eq!(page.links.iter().map(|link| link.kind).collect::<Vec<_>>(), [LinkKind::Refresh]);
    let refresh = read("<meta http-equiv=refresh content=5>").refresh.unwrap();
    assert_eq!((refresh.seconds, refresh.url.as_str()), (5, "https://ex.com/d/p.html"));
    let page = with_headers(&[("refresh", "0;url=/n")], b"");
    assert_eq!(page.refresh.unwrap().source, LinkSource::Header);
    assert_eq!(page.links[0].url.as_str(), "https://ex.com/n");
}

#[test]
fn the_charset_is_found_in_the_order_of_browsers() {
    let meta = b"<meta charset=windows-1251><title>\xe0</title>";
    let far = [vec![b' '; 1024].as_slice(), b"<meta charset=windows-1251><title>\xe9</title>"].concat();
    for (header, body, name, source) in [
        ("text/html; charset=iso-8859-1", &b"\xef\xbb\xbf\xc3\xa9"[..], "UTF-8", CharsetSource::Bom),
        ("text/html; charset=iso-8859-1", meta, "windows-1252", CharsetSource::Header),
        ("text/html", meta, "windows-1251", CharsetSource::Meta),
        ("text/html", b"<!-- <meta charset=x> --><META http-equiv=Content-Type content='text/html; charset = \"shift_jis\"'>", "Shift_JIS", CharsetSource::Meta),
        ("text/html", b"<meta charset=utf-16le>\xc3\xa9", "UTF-8", CharsetSource::Meta),
        ("text/html", b"<meta charset=x-user-defined>", "windows-1252", CharsetSource::Meta),
        ("text/html", b"<p title='<meta charset=koi8-r>'>\xc3\xa9", "UTF-8", CharsetSource::ValidUtf8),
        ("text/html", b"<?xml version='1.0' encoding='koi8-r'?><html>", "KOI8-R", CharsetSource::XmlDeclaration),
        ("text/html", &far, "windows-1252", CharsetSource::Guess),
        ("text/html; charset=nonsense", b"plain", "UTF-8", CharsetSource::ValidUtf8),
    ] {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", HeaderValue::from_str(header).unwrap());
        let page = PageReader::new(url("https://ex.com/")).headers(&headers).read(body);
        assert_eq!((page.charset.name.as_str(), page.charset.source), (name, source), "{}", body.escape_ascii());
    }
}

#[test]
fn queries_are_written_in_the_charset_of_the_page_and_paths_are_not() {
    let page =
        with_headers(&[("content-type", "text/html; charset=windows-1252")], b"<a href='\xe9?q=\xe9'>");
    assert_eq!(targets(&page), ["https://ex.com/d/%C3%A9?q=%E9"]);
    let page = read("<meta charset=utf-8><a href='?q=\u{e9}'>");
    assert_eq!(targets(&page), ["https://ex.com/d/p.html?q=%C3%A9"]);
}

#[test]
fn srcdoc_is_read_once_and_no_deeper() {
    let page = read(
        "\n<iframe srcdoc=\"<a href=x>i</a><link rel=canonical href=/c><iframe srcdoc='&lt;a href=/deep>'></iframe>\"></iframe>",
    );
    let found: Vec<_> = page.links.iter().map(|link| (link.url.as_str(), link.place, link.line)).collect();
    assert_eq!(found, [("https://ex.com/d/x", Place::Srcdoc, 2), ("https://ex.com/c", Place::Srcdoc, 2)]);
    assert!(page.canonical.url.is_none());
}

#[test]
fn json_ld_is_read_whatever_its_form() {
    let page = read(
        "<script type='application/ld+json; charset=utf-8'><!-- {\"@type\":\"WebPage\",\"url\":\"/u\",\"author\":{\"@type\":\"Person\",\"name\":\"N\",\"email\":\"e\"}} --></script>\n\
         <script type=application/ld+json>[{\"@type\":[\"A\",\"B\"],\"image\":[\"1\",{\"url\":\"2\"}],},{\"x\":1}]</script>\
         <script type=application/ld+json>{broken</script>",
    );
    let types: Vec<Vec<_>> = page
        .json_ld
        .iter()
        .map(|block| block.items.iter().flat_map(|item| item.types.iter().map(String::as_str)).collect())
        .collect();
    assert_eq!(types, [vec!["WebPage", "Person"], vec!["A", "B"], vec![]]);
    assert_eq!(page.json_ld[0].items[0].values("url").collect::<Vec<_>>(), ["/u"]);
    assert!(page.json_ld[0].items[1].values.is_empty(), "nothing about a person is kept");
    assert_eq!(page.json_ld[1].items[0].values("image").collect::<Vec<_>>(), ["1", "2"]);
    let kinds: Vec<_> = page.findings.iter().map(|finding| (finding.kind, finding.line)).collect();
    assert_eq!(kinds, [(FindingKind::JsonLdRepaired, Some(2)), (FindingKind::JsonLdInvalid, Some(2))]);
}

#[test]
fn open_graph_stands_apart() {
    let page = read(
        "<meta property='og:title' content='T'><meta name=twitter:card content=c><meta name=viewport content=v>",
    );
    assert_eq!(
        page.open_graph.iter().map(|meta| meta.name.as_str()).collect::<Vec<_>>(),
        ["og:title", "twitter:card"]
    );
    assert_eq!(page.metas[0].name, "viewport");
}

#[test]
fn forms_are_counted_and_lead_nowhere() {
    let page = read("<form method=get action=/s><button formaction=/t></form>");
    assert_eq!((page.forms, page.links.len()), (1, 0));
}

#[test]
fn each_limit_holds_on_both_sides() {
    let limits = Limits {
        links: 2,
        attributes: 2,
        attribute: 4,
        url: 40,
        text: 5,
        parts: 2,
        depth: 2,
        short_text: 3,
        embedded: 6,
        items: 2,
        findings: 2,
    };
    let with =
        |body: &str| PageReader::new(url("https://ex.com/d/p.html")).limits(limits).read(body.as_bytes());
    let kinds = |page: &Page| page.findings.iter().map(|finding| finding.kind).collect::<Vec<_>>();
    for (within, beyond, finding) in [
        ("<a href=1><a href=2>", "<a href=1><a href=2><a href=3>", FindingKind::LinksCut),
        ("<a x y href=1>", "<a x y z href=1>", FindingKind::AttributesCut),
        ("<a href=1234>", "<a href=12345>", FindingKind::LongUrl),
        ("12345", "123456", FindingKind::TextCut),
        ("<style>123456</style>", "<style>1234567</style>", FindingKind::EmbeddedCut),
        (
            "<iframe srcdoc=123></iframe><iframe srcdoc=123></iframe>",
            "<iframe srcdoc=123></iframe><iframe srcdoc=1234></iframe>",
            FindingKind::EmbeddedCut,
        ),
    ] {
        let found = kinds(&with(within));
        assert!(found.is_empty() || found == [FindingKind::AttributesCut], "{within}: {found:?}");
        assert!(kinds(&with(beyond)).contains(&finding), "{beyond}");
    }
    assert_eq!(with("123456").text, "12345");
    assert_eq!(with("\u{e9}\u{e9}\u{e9}").text, "\u{e9}\u{e9}");
    assert_eq!(with("<title>123</title>").title.as_deref(), Some("123"));
    assert_eq!(with("<title>1234</title>").title.as_deref(), Some("123"));
    assert_eq!(with("<h1>1</h1><h1>2</h1><h1>3</h1>").h1, ["1", "2"]);
    assert_eq!(with(&"<base href=/>".repeat(9)).findings.len(), 2);
    let url_of = |length: usize| format!("<a href={}>", "x".repeat(length));
    let wide = |body: &str| {
        PageReader::new(url("https://ex.com/"))
            .limits(Limits { url: 40, ..Limits::default() })
            .read(body.as_bytes())
    };
    assert_eq!(wide(&url_of(40)).links.len(), 1);
    assert_eq!(kinds(&wide(&url_of(41))), [FindingKind::LongUrl]);
}
