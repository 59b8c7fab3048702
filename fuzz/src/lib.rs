//! What each fuzz target does with its input, as plain functions: libFuzzer calls them, and so does the test
//! that replays seeds and regressions on any compiler.
//!
//! Not in here: the fuzzer. A target is a function of bytes that panics when a promise is broken.
#![forbid(unsafe_code)]

#[cfg(feature = "arcgis")]
pub mod arcgis;
#[cfg(feature = "feed")]
pub mod feed;
#[cfg(feature = "html")]
pub mod html;
#[cfg(feature = "lenient")]
pub mod lenient;
#[cfg(feature = "politeness")]
pub mod politeness;
#[cfg(feature = "robots")]
pub mod robots;
#[cfg(feature = "signing")]
pub mod signing;

/// A target's name, which is also that of its folder of seeds, and what it does.
pub type Target = (&'static str, fn(&[u8]));

/// Every target of the enabled features; each subject's lines lie together.
pub const TARGETS: &[Target] = &[
    #[cfg(feature = "arcgis")]
    ("esri_json", arcgis::json),
    #[cfg(feature = "arcgis")]
    ("ct_tile", arcgis::tile),
    #[cfg(feature = "arcgis")]
    ("extent", arcgis::extent),
    #[cfg(feature = "arcgis")]
    ("esri_geometry", arcgis::geometry),
    #[cfg(feature = "feed")]
    ("feed_json", feed::json),
    #[cfg(feature = "feed")]
    ("feed_xml", feed::xml),
    #[cfg(feature = "feed")]
    ("feed_csv", feed::csv),
    #[cfg(feature = "feed")]
    ("feed_icalendar", feed::icalendar),
    #[cfg(feature = "feed")]
    ("scrub", feed::scrub),
    #[cfg(feature = "html")]
    ("html_page", html::page),
    #[cfg(feature = "html")]
    ("srcset", html::srcsets),
    #[cfg(feature = "html")]
    ("sitemap_xml", html::sitemap),
    #[cfg(feature = "html")]
    ("image_head", html::image),
    #[cfg(feature = "html")]
    ("pdf_tail", html::pdf),
    #[cfg(feature = "html")]
    ("link_header", html::links),
    #[cfg(feature = "lenient")]
    ("lenient_json", lenient::json),
    #[cfg(feature = "politeness")]
    ("politeness_events", politeness::events),
    #[cfg(feature = "politeness")]
    ("retry_after", politeness::retry_after),
    #[cfg(feature = "politeness")]
    ("snapshot_import", politeness::snapshot),
    #[cfg(feature = "robots")]
    ("robots_parse", robots::parse),
    #[cfg(feature = "robots")]
    ("robots_match", robots::matching),
    #[cfg(feature = "robots")]
    ("robots_differential", robots::differential),
    #[cfg(feature = "robots")]
    ("robots_meta", robots::meta),
    #[cfg(feature = "robots")]
    ("robots_cache", robots::cache),
    #[cfg(feature = "signing")]
    ("signature_input", signing::fields),
    #[cfg(feature = "signing")]
    ("signature_base", signing::base),
    #[cfg(feature = "signing")]
    ("sf_dictionary", signing::dictionary),
    #[cfg(feature = "signing")]
    ("directory_json", signing::directory),
];
