//! The targets of the HTML library.

use bot_etiquette_html::{
    ImageHead, Limits, Page, PageDiff, PageReader, Sitemap, SitemapLimits, UrlKey, css_urls, image_head,
    is_poor_title, link_header, parse_refresh, pdf_title, simhash, srcset,
};
use url::Url;

fn base() -> Url {
    Url::parse("https://example.com/a/b.html").expect("a URL")
}

/// Any bytes are a page; what is kept lies within the limits and points into the text.
pub fn page(data: &[u8]) {
    let page = Page::read(&base(), data);
    let lines = data.iter().filter(|byte| **byte == b'\n').count() + 1;
    for link in &page.links {
        assert!(matches!(link.url.scheme(), "http" | "https"));
        assert!(link.url.username().is_empty() && link.url.password().is_none());
        assert!(link.span.start <= link.span.end);
        assert!(page.charset.name != "UTF-8" || link.line as usize <= lines);
        let key = UrlKey::new(&link.url);
        let again = Url::parse(key.as_str()).expect("a key is a URL");
        assert_eq!(UrlKey::new(&again), key, "a key is a fixed point");
    }
    assert!(PageDiff::between(&page, &page).is_empty());
    assert_eq!(page.text_hash(), Page::read(&base(), data).text_hash());
    let _ = simhash(&page.text);
    let limits = Limits {
        links: 3,
        attributes: 4,
        attribute: 64,
        url: 64,
        text: 32,
        parts: 3,
        depth: 2,
        short_text: 8,
        embedded: 64,
        items: 2,
        findings: 2,
    };
    let small = PageReader::new(base()).limits(limits).read(data);
    assert!(
        small.links.len() <= 3
            && small.text.len() <= 32 + 2
            && small.h1.len() <= 2
            && small.findings.len() <= 2
    );
    assert!(small.json_ld.len() <= 2);
}

/// Each image is a piece of the value, in order; the other small languages are read too.
pub fn srcsets(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut rest = text;
    for image in srcset(text) {
        assert!(!image.url.is_empty() && !image.url.ends_with(','));
        let at = rest.find(image.url).expect("a piece of the value, further on");
        rest = &rest[at + image.url.len()..];
    }
    for found in css_urls(text) {
        assert!(found.span.end <= text.len() && text.get(found.span).is_some());
    }
    if let Some((_, Some(target))) = parse_refresh(text) {
        assert!(text.contains(target) && !target.is_empty());
    }
}

/// Any bytes are a list of URLs, or none; never more than the limits.
pub fn sitemap(data: &[u8]) {
    let limits =
        SitemapLimits { entries: 8, bytes: 65_536, alternates: 2, findings: 4, ..SitemapLimits::default() };
    let mut sitemap = Sitemap::with_limits(base(), data, limits);
    let entries: Vec<_> = sitemap.by_ref().map(|entry| entry.expect("memory does not fail")).collect();
    assert!(entries.len() <= 8 && sitemap.findings().len() <= 4 && sitemap.kind().is_some());
    for entry in entries {
        assert!(matches!(entry.url.scheme(), "http" | "https") && entry.alternates.len() <= 2);
        assert!(entry.priority.is_none_or(|priority| (0.0..=1.0).contains(&priority)));
    }
}

/// A size that is known is never zero, and more bytes do not take it back.
pub fn image(data: &[u8]) {
    let whole = image_head(data);
    if let ImageHead::Known(image) = whole {
        assert!(image.width > 0 && image.height > 0 && (1..=8).contains(&image.orientation));
    }
    let half = image_head(&data[..data.len() / 2]);
    if let (ImageHead::Known(half), ImageHead::Known(whole)) = (half, whole) {
        assert!(
            half.format != whole.format
                || (half.width, half.height) == (whole.width, whole.height)
                || data.starts_with(b"<")
        );
    }
}

/// The first half is the start of a PDF, the second its end.
pub fn pdf(data: &[u8]) {
    let (first, last) = data.split_at(data.len() / 2);
    let _ = pdf_title(data, b"");
    if let bot_etiquette_html::PdfTitle::Title(title) = pdf_title(first, last) {
        assert!(title.len() <= 3 * data.len());
        let _ = is_poor_title(&title);
    }
}

/// Targets are pieces of the field, in order.
pub fn links(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut rest = text;
    for link in link_header(text) {
        assert!(link.parameters.len() <= bot_etiquette_html::MAX_PARAMETERS);
        let at = rest.find(link.target).expect("a piece of the field, further on");
        rest = &rest[at + link.target.len()..];
    }
}
