//! Evil shapes cost no more than their length, and bytes of any kind are read.

use bot_etiquette_html::{FindingKind, Limits, Page, PageReader, css_urls, link_header, srcset};
use proptest::prelude::*;

use crate::page::{read, url};

#[test]
fn deep_nesting_is_flat() {
    let page = read("<div>".repeat(200_000) + "<a href=/x>end");
    assert_eq!((page.links.len(), page.text.as_str()), (1, "end"));
    let page = read("<svg>".repeat(200_000) + &"</svg>".repeat(200_000) + "<title>T</title><p><img src=/x>");
    assert_eq!((page.title.as_deref(), page.links.len()), (Some("T"), 1));
    let page = read("<template>".repeat(100_000) + &"</template>".repeat(100_000) + "<a href=/x>");
    assert_eq!(page.followed(false).count(), 1);
    assert_eq!(read("<b><p>".repeat(5_000)).text, "");
}

#[test]
fn many_attributes_are_cut() {
    let body = format!("<a {} href=/late>", (0..60_000).map(|n| format!("a{n}=b ")).collect::<String>());
    let page = read(body);
    assert!(page.links.is_empty());
    assert_eq!(page.findings[0].kind, FindingKind::AttributesCut);
    assert_eq!(read("<a href=/x".repeat(100_000)).links.len(), 0);
    assert_eq!(read("<!--".repeat(250_000)).text, "");
}

#[test]
fn what_is_kept_is_bounded_whatever_comes() {
    let limits = Limits::default();
    let page = read("<a href=/x>y".repeat(30_000));
    assert_eq!(page.links.len(), limits.links);
    let page = read(
        "<a href='z:1'>".repeat(1_000)
            + &(0..1_000).map(|n| format!("<a href='s{n}:1'>")).collect::<String>(),
    );
    assert!(page.skipped.len() <= limits.items + 1);
    assert_eq!(page.skipped.values().sum::<u32>(), 2_000);
    let page = read("<iframe srcdoc='<a href=/x>'></iframe>".repeat(30_000));
    assert_eq!(page.links.len(), limits.links);
    let page = read(format!("<script type=application/ld+json>{}</script>", "[".repeat(100_000)));
    assert_eq!(page.findings[0].kind, FindingKind::JsonLdInvalid);
    let page =
        read(format!("<script type=application/ld+json>[{}]</script>", "{\"@type\":\"A\"},".repeat(20_000)));
    assert_eq!(page.json_ld[0].items.len(), 256);
}

#[test]
fn small_languages_pass_over_their_input_once() {
    // Each answer moves on, so that the work grows with the length alone.
    assert_eq!(srcset(&"a (".repeat(100_000)).count(), 1);
    assert_eq!(srcset(&"a 1x,".repeat(100_000)).count(), 100_000);
    assert_eq!(css_urls(&"url(".repeat(100_000)).count(), 1);
    assert_eq!(css_urls(&"url('a')".repeat(100_000)).count(), 100_000);
    assert_eq!(css_urls(&"/*".repeat(100_000)).count(), 0);
    assert_eq!(link_header(&"<a>,".repeat(100_000)).count(), 100_000);
    assert_eq!(link_header(&"</a;".repeat(10_000)).count(), 0);
}

proptest! {
    #[test]
    fn any_bytes_are_a_page(body in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        let _ = read(&body);
    }

    #[test]
    fn any_soup_is_a_page(pieces in proptest::collection::vec(prop::sample::select(SOUP.to_vec()), 0..60), links in 0_usize..4) {
        let body = pieces.concat();
        let limits = Limits { links, ..Limits::default() };
        let page: Page = PageReader::new(url("https://ex.com/")).limits(limits).read(body.as_bytes());
        prop_assert!(page.links.len() <= links);
        let lines = body.lines().count() as u32 + 1;
        for link in &page.links {
            prop_assert!(link.line <= lines && link.span.end <= body.len());
            prop_assert!(matches!(link.url.scheme(), "http" | "https"));
        }
    }
}

const SOUP: [&str; 40] = [
    "<a href=/x>",
    "<a href='",
    "\"",
    "'>",
    "</a>",
    "<svg>",
    "</svg>",
    "<title>",
    "</title>",
    "<math>",
    "<mtext>",
    "<foreignObject>",
    "<desc>",
    "</desc>",
    "<p hidden>",
    "<p>",
    "</p>",
    "<template>",
    "</template>",
    "<noscript>",
    "</noscript>",
    "<script>",
    "</script>",
    "<style>url(",
    "</style>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "text\n",
    "&amp",
    "<base href=/b/>",
    "<img srcset='a 1x, b'>",
    "<iframe srcdoc='<a href=/y>'>",
    "</iframe>",
    "<h1>",
    "</h1>",
    "\u{e9}",
    "<meta http-equiv=refresh content='0;/r'>",
    "<link rel=canonical href=/c>",
];
