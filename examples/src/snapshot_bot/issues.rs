//! What a person should look at.

use std::collections::BTreeMap;

use bot_etiquette::html::{FileFinding, FindingKind, HEAVY_IMAGE, HreflangProblem, check_alternates};
use serde::Serialize;

use super::pages::Known;
use super::probes::Probed;
use super::record::PageOutcome;

/// Bytes from which a file is oversized, whatever it is.
pub(crate) const OVERSIZED: u64 = 1_000_000;
/// Bytes for each pixel from which a picture is heavier than it need be.
const BYTES_A_PIXEL: f64 = 0.5;
/// Seconds from which a page is slow.
const SLOW: f64 = 3.0;

/// One thing to look at.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Issue {
    /// What.
    pub kind: IssueKind,
    /// Of which page, file or link.
    pub url: String,
    /// More of it.
    pub detail: String,
    /// On which pages it stands, where it is a file or a link.
    pub on: Vec<String>,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $title:literal,)*) => {
        /// Kinds of issues, the most pressing first.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
        #[serde(rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum IssueKind {
            $($(#[$doc])* $name,)*
        }

        impl IssueKind {
            /// In a few words.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self {
                    $(Self::$name => $title,)*
                }
            }
        }
    };
}

kinds! {
    /// A firewall stands before the page.
    Blocked = "Pages that cannot be read: a firewall answers",
    /// An error status.
    BrokenPage = "Broken pages",
    /// No answer.
    NoAnswer = "Pages without an answer",
    /// A redirect that leads nowhere, in a circle or off the site.
    BrokenRedirect = "Redirects that do not lead to a page of the site",
    /// A link of the site to a page that is broken.
    BrokenInternalLink = "Links to broken pages of the site",
    /// A link to another site that is broken.
    BrokenLink = "Broken links to other sites",
    /// A file that is not there.
    BrokenFile = "Broken files",
    /// A page in the place of a file.
    PageInstead = "Files in whose place a page comes",
    /// More than is read of a page.
    CutPage = "Pages of more than 5 MB, read to there",
    /// A file that is too large.
    OversizedFile = "Oversized files",
    /// A text file without compression.
    NotCompressed = "Text files that are not compressed",
    /// More than one redirect in a row.
    RedirectChain = "Chains of redirects",
    /// A page that was slow.
    SlowPage = "Slow pages",
    /// No title.
    NoTitle = "Pages without a title",
    /// One title for several pages.
    SameTitle = "Pages that share their title",
    /// No description.
    NoDescription = "Pages without a description",
    /// No heading.
    NoHeading = "Pages without a first heading",
    /// No language.
    NoLanguage = "Pages that do not say their language",
    /// Statements of the preferred URL that differ.
    CanonicalConflict = "Pages whose statements of their preferred URL differ",
    /// Languages that are wrong.
    BadLanguages = "Language versions that are written wrong",
    /// A language version that does not name the page back.
    NoReturnLink = "Language versions that do not name the page back",
    /// Data that is no data.
    BadData = "Structured data that cannot be read",
    /// A PDF without a title of use.
    PoorTitle = "PDF files without a title of use",
    /// A page that asks not to be listed, but is in a sitemap or has impressions.
    NoindexListed = "Pages that ask not to be listed, though a sitemap or a search names them",
    /// An address that is not asked.
    NotAsked = "Pages that were not asked for, since their address may not be",
    /// Closed to this bot.
    Closed = "Pages closed by robots.txt",
    /// A link that a firewall answers; nothing is known of it.
    BlockedLink = "Links and files behind a firewall, of which nothing is known",
    /// An answer that was lost.
    Lost = "Pages whose answer was lost; they are read next time",
}

/// Everything that the pages, files and links of a site have to tell.
pub(crate) fn find(
    pages: &[Known],
    probes: &[Probed],
    languages: &[(String, String, &'static str)],
) -> Vec<Issue> {
    let mut issues = Vec::new();
    for known in pages {
        of_page(known, &mut issues);
    }
    same_titles(pages, &mut issues);
    broken_links(pages, &mut issues);
    for probed in probes {
        of_probe(probed, &mut issues);
    }
    for (page, alternate, result) in languages.iter().filter(|(_, _, result)| *result == "missing") {
        let (url, on) = (alternate.clone(), vec![page.clone()]);
        issues.push(Issue { kind: IssueKind::NoReturnLink, url, detail: (*result).to_owned(), on });
    }
    issues.sort_by(|a, b| (a.kind, &a.url).cmp(&(b.kind, &b.url)));
    issues
}

fn of_page(known: &Known, issues: &mut Vec<Issue>) {
    let record = &known.record;
    let mut add = |kind: IssueKind, detail: String| {
        issues.push(Issue { kind, url: record.url.to_string(), detail, on: Vec::new() });
    };
    let note = || record.note.clone().unwrap_or_default();
    match record.outcome {
        PageOutcome::Blocked => add(IssueKind::Blocked, note()),
        PageOutcome::Broken => add(IssueKind::BrokenPage, note()),
        PageOutcome::NoAnswer => add(IssueKind::NoAnswer, note()),
        PageOutcome::Redirect => add(IssueKind::BrokenRedirect, note()),
        PageOutcome::NotAsked => add(IssueKind::NotAsked, note()),
        PageOutcome::Closed => add(IssueKind::Closed, note()),
        PageOutcome::Lost => add(IssueKind::Lost, String::new()),
        PageOutcome::Moved if record.chain.len() > 1 => {
            add(IssueKind::RedirectChain, format!("{} redirects to {}", record.chain.len(), record.last));
        }
        PageOutcome::Moved | PageOutcome::NotAPage | PageOutcome::Read => {}
    }
    if record.cut {
        add(IssueKind::CutPage, format!("{} bytes were read", record.bytes));
    }
    if record.seconds >= SLOW && record.outcome == PageOutcome::Read {
        add(IssueKind::SlowPage, format!("{:.1} s", record.seconds));
    }
    let Some(page) = &known.page else { return };
    let is_listed = matches!(record.source.as_str(), "impressions" | "sitemap");
    if record.noindex && is_listed {
        add(IssueKind::NoindexListed, format!("read for: {}", record.source));
    }
    let is_blank = |text: &Option<String>| text.as_deref().is_none_or(|text| text.trim().is_empty());
    for (is_so, kind) in [
        (is_blank(&page.title), IssueKind::NoTitle),
        (is_blank(&page.description), IssueKind::NoDescription),
        (page.h1.is_empty(), IssueKind::NoHeading),
        (is_blank(&page.lang), IssueKind::NoLanguage),
        (page.canonical.conflict, IssueKind::CanonicalConflict),
    ] {
        if is_so {
            add(kind, String::new());
        }
    }
    for finding in &page.findings {
        if finding.kind == FindingKind::JsonLdInvalid {
            let line = finding.line.map_or(String::new(), |line| format!("line {line}: "));
            add(IssueKind::BadData, format!("{line}{}", finding.detail));
        }
    }
    for problem in check_alternates(&record.last, &page.alternates) {
        let detail = match problem {
            HreflangProblem::BadValue(why) => why,
            HreflangProblem::Duplicate(language) => format!("{language} names two pages"),
            HreflangProblem::NoSelf => "the page does not name itself".to_owned(),
            _ => continue,
        };
        add(IssueKind::BadLanguages, detail);
    }
}

fn same_titles(pages: &[Known], issues: &mut Vec<Issue>) {
    let mut titles: BTreeMap<&str, Vec<&Known>> = BTreeMap::new();
    for known in pages {
        if let Some(title) =
            known.page.as_ref().and_then(|page| page.title.as_deref()).filter(|title| !title.is_empty())
        {
            titles.entry(title).or_default().push(known);
        }
    }
    for (title, sharing) in titles.iter().filter(|(_, sharing)| sharing.len() > 1) {
        for known in sharing {
            let url = known.record.url.to_string();
            let on = sharing
                .iter()
                .map(|other| other.record.url.to_string())
                .filter(|other| *other != url)
                .collect();
            issues.push(Issue { kind: IssueKind::SameTitle, url, detail: (*title).to_owned(), on });
        }
    }
}

/// The pages of the site that are broken, with those that link to them.
fn broken_links(pages: &[Known], issues: &mut Vec<Issue>) {
    let is_broken =
        |known: &&Known| matches!(known.record.outcome, PageOutcome::Broken | PageOutcome::NoAnswer);
    let mut broken: BTreeMap<&str, (&Known, Vec<String>)> =
        pages.iter().filter(is_broken).map(|known| (known.key.as_str(), (known, Vec::new()))).collect();
    for known in pages {
        for link in known.page.iter().flat_map(|page| &page.links).filter(|link| link.kind.is_page()) {
            let key = bot_etiquette::html::UrlKey::without_tracking(&link.url);
            if let Some((_, on)) = broken.get_mut(key.as_str()) {
                let page = known.record.url.to_string();
                if !on.contains(&page) {
                    on.push(page);
                }
            }
        }
    }
    for (known, on) in broken.into_values().filter(|(_, on)| !on.is_empty()) {
        let detail =
            known.record.status.map_or_else(|| "no answer".to_owned(), |status| format!("status {status}"));
        issues.push(Issue {
            kind: IssueKind::BrokenInternalLink,
            url: known.record.url.to_string(),
            detail,
            on,
        });
    }
}

fn of_probe(probed: &Probed, issues: &mut Vec<Issue>) {
    let Some(record) = &probed.record else { return };
    let is_file = probed.what == "file";
    let mut add = |kind: IssueKind, detail: String| {
        issues.push(Issue { kind, url: probed.url.clone(), detail, on: probed.pages.clone() });
    };
    let status = || {
        record
            .status
            .map_or_else(|| record.note.clone().unwrap_or_default(), |status| format!("status {status}"))
    };
    match record.outcome.as_str() {
        "broken" | "no-answer" if is_file => add(IssueKind::BrokenFile, status()),
        "broken" | "no-answer" => add(IssueKind::BrokenLink, status()),
        "blocked" => {
            let vendor = record.wall.as_ref().map_or("", |wall| wall.vendor.as_str());
            add(IssueKind::BlockedLink, format!("{} {vendor}", status()));
        }
        "redirect" => add(
            if is_file { IssueKind::BrokenFile } else { IssueKind::BrokenLink },
            record.note.clone().unwrap_or_default(),
        ),
        _ => {}
    }
    if record.chain.len() > 1 && record.outcome == "present" {
        add(IssueKind::RedirectChain, format!("{} redirects", record.chain.len()));
    }
    if let Some(size) = record.size.filter(|_| is_file) {
        let pixels = record.pixels.map(|(width, height)| f64::from(width) * f64::from(height));
        let is_heavy =
            size >= HEAVY_IMAGE && pixels.is_some_and(|pixels| size as f64 > pixels * BYTES_A_PIXEL);
        if size >= OVERSIZED || is_heavy {
            let shown = record
                .pixels
                .map_or(String::new(), |(width, height)| format!(" for {width} x {height} pixels"));
            add(IssueKind::OversizedFile, format!("{size} bytes{shown}"));
        }
    }
    for finding in &record.findings {
        match finding {
            FileFinding::NotCompressed => {
                add(
                    IssueKind::NotCompressed,
                    record.size.map_or(String::new(), |size| format!("{size} bytes")),
                );
            }
            FileFinding::PageInstead => add(IssueKind::PageInstead, status()),
            FileFinding::PoorTitle => add(IssueKind::PoorTitle, record.title.clone().unwrap_or_default()),
            _ => {}
        }
    }
}
