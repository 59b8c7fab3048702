//! `extract`: the facts of a file, by the library that reads its kind.

use clap::Subcommand;

use crate::exit::{Answer, Failure};
use crate::extract_html;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
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
        Command::Html(options) => extract_html::html(options),
        Command::Sitemap(options) => extract_html::sitemap(options),
        Command::File(options) => extract_html::file(options),
    }
}
