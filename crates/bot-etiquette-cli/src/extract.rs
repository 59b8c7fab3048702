//! `extract`: the facts of a file, by the library that reads its kind.

use clap::Subcommand;

use crate::exit::{Answer, Failure};
use crate::{extract_arcgis, extract_feed, extract_html};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Read an answer of an ArcGIS REST server.
    ///
    /// Exit 0 when FILE holds such facts, 1 when it is an error, a login page, half a file or another kind of answer
    /// (which is then named), 2 when it cannot be read.
    Arcgis(extract_arcgis::Arcgis),
    /// Read a feed of events, field by named field.
    ///
    /// Each record is printed as it comes: an id that the feed repeats is printed again, and joining them is for whoever reads
    /// on (`Calendar` in the library). Exit 0 when FILE ends where a feed should, 1 when it breaks off or is no feed, 2 when
    /// MAP or FILE cannot be read.
    Feed(extract_feed::Options),
    /// Read a page: its facts, links and text.
    Html(extract_html::Html),
    /// Read a sitemap, an index of sitemaps, a feed or a list of URLs.
    ///
    /// Exit 1 when it is none of these.
    Sitemap(extract_html::Sitemap),
    /// Read the size of a picture or the title of a PDF.
    ///
    /// Exit 1 when it is neither.
    File(extract_html::File),
}

pub(crate) fn run(command: &Command) -> Result<Answer, Failure> {
    match command {
        Command::Arcgis(options) => extract_arcgis::arcgis(options),
        Command::Feed(options) => extract_feed::run(options),
        Command::Html(options) => extract_html::html(options),
        Command::Sitemap(options) => extract_html::sitemap(options),
        Command::File(options) => extract_html::file(options),
    }
}
