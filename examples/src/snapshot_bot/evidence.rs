//! What search consoles export: that a site is the person's own, and which of its pages are seen in searches.
//!
//! Read are the pages' tables of Google Search Console (the ZIP of an export or its `Pages.csv`, in any language) and of Bing
//! Webmaster Tools, and the answers of both APIs as a person's own tools saved them. What people searched for is never read.

mod json;
mod number;
mod table;

use std::io::{Cursor, Read};

use bot_etiquette::html::Scope;
use url::Url;

pub use self::json::bing_date;
use super::Site;
use crate::exit::Usage;

/// Files in a ZIP at the most.
pub const MAX_ENTRIES: usize = 64;
/// Bytes that all its tables unpack to at the most, and bytes of a file that is no ZIP.
pub const MAX_BYTES: u64 = 64_000_000;
/// How many times a file may be larger unpacked.
pub const MAX_RATIO: u64 = 100;

/// Which pages of a property are seen in searches.
#[derive(Clone, Debug, PartialEq)]
pub struct Export {
    /// Who says so.
    pub source: Source,
    /// The pages, each once.
    pub pages: Vec<PageDemand>,
    /// Rows that name no page.
    pub dropped: usize,
}

/// Who exported it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Google Search Console, its export.
    GoogleTable,
    /// Google Search Console, its API.
    GoogleApi,
    /// Bing Webmaster Tools, its export.
    BingTable,
    /// Bing Webmaster Tools, its API.
    BingApi,
}

impl Source {
    /// In a word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::GoogleTable => "google-export",
            Self::GoogleApi => "google-api",
            Self::BingTable => "bing-export",
            Self::BingApi => "bing-api",
        }
    }
}

/// How often a page is seen in searches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageDemand {
    /// The page; a path where the property names its host.
    pub url: String,
    /// How often it was shown.
    pub impressions: Option<u64>,
    /// How often it was chosen.
    pub clicks: Option<u64>,
    /// Clicks of a hundred impressions.
    pub ctr: Option<f64>,
    /// The mean place among the results, from 1.
    pub position: Option<f64>,
}

/// Why a file is no evidence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EvidenceError {
    /// Of searches, not of pages.
    #[error("this is the table of queries ({0:?}), which is never read; export the table of pages")]
    QuerySheet(String),
    /// Neither.
    #[error(
        "no table of pages: the first column is {0:?}, and its rows are no URLs; export the table of pages as CSV"
    )]
    NoPages(String),
    /// A spreadsheet.
    #[error("this is a spreadsheet; export as CSV instead")]
    Spreadsheet,
    /// Broken, or too large.
    #[error("the file cannot be read: {0}")]
    Unreadable(String),
    /// The API refused.
    #[error("this is an answer that says {0:?}, not one with pages")]
    ApiError(String),
}

impl Export {
    /// Reads a file, whatever of the known ones it is.
    ///
    /// # Errors
    /// [`EvidenceError`] says what it is instead.
    pub fn read(bytes: &[u8]) -> Result<Self, EvidenceError> {
        if bytes.starts_with(b"PK\x03\x04") {
            return zipped(bytes);
        }
        if bytes.len() as u64 > MAX_BYTES {
            return Err(EvidenceError::Unreadable(format!("more than {MAX_BYTES} bytes")));
        }
        let text = bot_etiquette_lenient::text::decode(bytes, None).into_text();
        match text.trim_start().starts_with(['{', '[']) {
            true => json::read(&text),
            false => table::read(&text),
        }
    }

    /// The pages, where all of them are of a property that covers the site.
    ///
    /// # Errors
    /// A [`Usage`] that names the first page of elsewhere, or the property that is too small or another's.
    pub fn of_property(&self, site: &Site, property: Option<&str>) -> Result<Vec<(Url, &PageDemand)>, Usage> {
        let wrong = |why: String| Usage::new(format!("evidence for {}: {why}", site.host()));
        if self.pages.is_empty() {
            return Err(wrong("the file names no page, so it shows nothing".to_owned()));
        }
        let scope = match property {
            Some(property) => covering(property, site).map_err(wrong)?,
            None => site.scope().map_err(|error| wrong(error.to_string()))?,
        };
        let mut pages = Vec::with_capacity(self.pages.len());
        for demand in &self.pages {
            let url =
                site.start.join(&demand.url).map_err(|error| wrong(format!("{:?}: {error}", demand.url)))?;
            if !scope.contains(&url) {
                let hint = "name the property with --property, such as sc-domain:example.com, if it is yours as a whole";
                return Err(wrong(format!("{url} is of another property; {hint}")));
            }
            pages.push((url, demand));
        }
        Ok(pages)
    }
}

/// What a property covers, where that is the whole site.
fn covering(property: &str, site: &Site) -> Result<Scope, String> {
    if let Some(domain) = property.strip_prefix("sc-domain:") {
        let root = Url::parse(&format!("https://{domain}/"))
            .map_err(|error| format!("property {property:?}: {error}"))?;
        let scope = Scope::subdomains(&root).map_err(|error| format!("property {property:?}: {error}"))?;
        return match scope.contains(&at_default_port(&site.start)) {
            true => Ok(scope),
            false => Err(format!("the property {property} is another's")),
        };
    }
    let prefix = Url::parse(property).map_err(|error| {
        format!("property {property:?}: {error}; expected https://example.com/ or sc-domain:example.com")
    })?;
    let scope = Scope::host(&prefix).map_err(|error| format!("property {property:?}: {error}"))?;
    match () {
        () if !scope.contains(&site.start) => Err(format!("the property {property} is another's")),
        () if prefix.path() != "/" => {
            Err(format!("the property {property} is a part of the site, not the whole"))
        }
        () if site.subdomains => {
            Err(format!("the property {property} is one host; with subdomains it takes sc-domain:"))
        }
        () => Ok(scope),
    }
}

fn at_default_port(url: &Url) -> Url {
    let mut url = url.clone();
    // A domain property knows no ports.
    let _ = url.set_port(None);
    url
}

/// The tables of a ZIP, the pages' one chosen by what it holds.
fn zipped(bytes: &[u8]) -> Result<Export, EvidenceError> {
    let unreadable = |error: &dyn std::fmt::Display| EvidenceError::Unreadable(error.to_string());
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| unreadable(&error))?;
    if archive.len() > MAX_ENTRIES {
        return Err(unreadable(&format_args!(
            "a ZIP of {} files, at most {MAX_ENTRIES} are read",
            archive.len()
        )));
    }
    if archive.file_names().flatten().any(|name| name == "[Content_Types].xml") {
        return Err(EvidenceError::Spreadsheet);
    }
    let most = MAX_BYTES.min((bytes.len() as u64).saturating_mul(MAX_RATIO));
    let (mut left, mut found, mut last) = (most, None, None);
    for index in 0..archive.len() {
        let file = archive.by_index(index).map_err(|error| unreadable(&error))?;
        if !file.name().is_ok_and(|name| name.to_ascii_lowercase().ends_with(".csv")) {
            continue;
        }
        let mut table = Vec::new();
        file.take(left + 1).read_to_end(&mut table).map_err(|error| unreadable(&error))?;
        left = left
            .checked_sub(table.len() as u64)
            .ok_or_else(|| unreadable(&format_args!("a ZIP that unpacks to more than {most} bytes")))?;
        match table::read(&bot_etiquette_lenient::text::decode(&table, None).into_text()) {
            Ok(export) => found = found.or(Some(export)),
            Err(error) => last = Some(error),
        }
    }
    let none = || last.unwrap_or_else(|| unreadable(&"a ZIP without a CSV table"));
    found.ok_or_else(none)
}
