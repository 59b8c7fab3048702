//! What a page makes the reader allocate, counted in bytes: no shape of it asks for more than a small multiple of itself.
#![cfg(feature = "html")]

use std::alloc::System;

use bot_etiquette_html::{Page, Sitemap};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use url::Url;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Bytes of an input, about.
const LONG: usize = 1_000_000;

/// Everything that was allocated, also what was given back.
fn allocated<T>(run: impl FnOnce() -> T) -> usize {
    let region = Region::new(ALLOCATOR);
    drop(run());
    region.change().bytes_allocated
}

/// One test alone: others that ran beside it would be counted too.
#[test]
fn what_is_allocated_is_bounded_whatever_the_shape() {
    let base = Url::parse("https://example.com/").expect("a URL");
    let attributes = format!("<a {}>", (0..60_000).map(|n| format!("a{n}=b ")).collect::<String>());
    // In bytes for each 1,000 bytes of the page.
    for (shape, page, bound) in [
        ("parts within each other", "<div>".repeat(LONG / 5), 200),
        ("formatting across paragraphs", "<b><p>".repeat(LONG / 6), 50),
        ("one tag of attributes", attributes, 50),
        ("tags without an end", "<a href=/x".repeat(LONG / 10), 50),
        ("comments that open", "<!--".repeat(LONG / 4), 50),
        ("templates", "<template>".repeat(LONG / 10), 50),
        ("pictures", "<svg>".repeat(LONG / 5), 50),
        ("parts side by side", "<div></div>".repeat(LONG / 11), 12_000),
        ("links", "<a href=/x></a>".repeat(LONG / 15), 12_000),
        ("words", "a b ".repeat(LONG / 4), 2_500),
    ] {
        let bytes = allocated(|| Page::read(&base, page.as_bytes()));
        let share = bytes * 1_000 / page.len();
        println!("{shape:28} {share:6} bytes for 1,000");
        assert!(share <= bound, "{shape}: {bytes} bytes for {}", page.len());
    }
    for (shape, sitemap) in [
        ("entries", format!("<urlset>{}", "<url><loc>https://example.com/</loc></url>".repeat(LONG / 42))),
        ("entries that open", format!("<urlset>{}", "<url>".repeat(LONG / 5))),
        ("elements within each other", format!("<urlset>{}", "<a>".repeat(LONG / 3))),
        ("comments", format!("<urlset>{}", "<!-- comment -->".repeat(LONG / 16))),
        ("lines", "https://example.com/\n".repeat(LONG / 21)),
    ] {
        let most = |count: usize| {
            let text = sitemap.get(..count).expect("a sitemap of ASCII").as_bytes();
            allocated(|| Sitemap::new(base.clone(), text).map(drop).count())
        };
        let (tenth, whole) = (most(sitemap.len() / 10), most(sitemap.len()));
        println!("{shape:28} {tenth:9} bytes for a tenth, {whole:9} for all");
        // The URLs handed out grow with the file; what the reader keeps for itself does not.
        assert!(whole <= 4 * LONG + tenth, "{shape}: {tenth} bytes, then {whole}");
    }
}
