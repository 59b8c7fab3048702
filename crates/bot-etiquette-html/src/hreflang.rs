//! Whether pages in several languages name each other.
//!
//! Source: RFC 5646 for the tags; search engines ask for ISO 639-1 languages and ISO 3166-1 regions.

use std::collections::{BTreeMap, BTreeSet};

use url::Url;

use crate::{Alternate, UrlKey, registrable_domain};

/// Why a value of `hreflang` is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HreflangError {
    /// Not a language, a language with a script, a region or both, or `x-default`.
    #[error("{0:?} is no language tag such as de, de-AT or zh-Hant-TW")]
    Malformed(String),
    /// A code that is often written for another.
    #[error("{written:?} means no such language or region; {meant:?} is meant")]
    Mistaken {
        /// What is written.
        written: String,
        /// What is meant.
        meant: String,
    },
}

/// The ISO 639-1 languages.
const LANGUAGES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee \
el en eo es et eu fa ff fi fil fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu iw ja ji jv ka kg \
ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mo mr ms mt my na nb nd ne ng nl nn no nr nv ny oc \
oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt \
tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu";

/// Regions that are often written and do not exist, and what is meant.
const REGIONS: [(&str, &str); 2] = [("uk", "gb"), ("eu", "")];
/// Languages likewise.
const MISTAKEN: [(&str, &str); 6] =
    [("jp", "ja"), ("cn", "zh"), ("gr", "el"), ("dk", "da"), ("cz", "cs"), ("ua", "uk")];

/// Checks a value of `hreflang`.
///
/// # Errors
/// Where it is no tag that search engines know; with what is meant where that can be told.
///
/// ```
/// use bot_etiquette_html::check_hreflang;
///
/// assert!(check_hreflang("x-default").is_ok() && check_hreflang("es-419").is_ok());
/// let error = check_hreflang("en-UK").err().map(|error| error.to_string());
/// assert_eq!(error.as_deref(), Some("\"en-UK\" means no such language or region; \"en-GB\" is meant"));
/// assert!(check_hreflang("en_US").is_err());
/// ```
pub fn check_hreflang(value: &str) -> Result<(), HreflangError> {
    let malformed = || HreflangError::Malformed(value.to_owned());
    let mistaken = |meant: String| HreflangError::Mistaken { written: value.to_owned(), meant };
    let tag = value.to_ascii_lowercase();
    if tag == "x-default" {
        return Ok(());
    }
    let mut parts = tag.split('-');
    let language = parts.next().unwrap_or_default();
    let rest: Vec<_> = parts.collect();
    if let Some((_, meant)) = MISTAKEN.iter().find(|(wrong, _)| *wrong == language) {
        return Err(mistaken(std::iter::once(*meant).chain(rest).collect::<Vec<_>>().join("-")));
    }
    if !LANGUAGES.split_ascii_whitespace().any(|known| known == language) {
        return Err(malformed());
    }
    let is_script = |part: &str| part.len() == 4 && part.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_region = |part: &str| {
        part == "419" || (part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_alphabetic()))
    };
    let region = match rest.as_slice() {
        [] => return Ok(()),
        [script] if is_script(script) => return Ok(()),
        [region] => region,
        [script, region] if is_script(script) => region,
        _ => return Err(malformed()),
    };
    if !is_region(region) {
        return Err(malformed());
    }
    match REGIONS.iter().find(|(wrong, _)| wrong == region) {
        Some((_, "")) => Err(mistaken(language.to_owned())),
        Some((_, meant)) => {
            let before = value.get(..value.len().saturating_sub(2)).unwrap_or_default();
            Err(mistaken(format!("{before}{}", meant.to_ascii_uppercase())))
        }
        None => Ok(()),
    }
}

/// Whether `alternates`, which the page at one end names, lead back to `page`: any language, any source counts.
///
/// Both are compared as [`UrlKey`]: without fragment, and `http://a.com` is `http://a.com/`.
///
/// ```
/// use bot_etiquette_html::{Alternate, LinkSource, names_back};
/// use url::Url;
///
/// let page = Url::parse("https://ex.com/d/p.html")?;
/// let back = Alternate::new("en", Url::parse("https://ex.com/d/p.html#x")?, LinkSource::Element);
/// assert!(names_back(&page, &[back]));
/// # Ok::<(), url::ParseError>(())
/// ```
#[must_use]
pub fn names_back(page: &Url, alternates: &[Alternate]) -> bool {
    let page = UrlKey::new(page);
    alternates.iter().any(|alternate| UrlKey::new(&alternate.url) == page)
}

/// What came of asking whether an alternate names the page back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum ReturnTag {
    /// It names the page back.
    Confirmed,
    /// It does not.
    Missing,
    /// Not asked: as many other domains were asked as may be, or this one was.
    BudgetUsed,
    /// Not asked: its robots.txt says no.
    Robots,
    /// It could not be read.
    Error,
    /// A firewall stood before it.
    Blocked,
}

/// Which pages of other domains are asked for in one crawl to see whether they name the site back.
///
/// One page on each of so many registrable domains (a host, where it has none), the first that comes up; the same page may
/// be asked about again without another request. Alternates within the site are no part of it: they are crawled anyway.
///
/// ```
/// use bot_etiquette_html::ReturnBudget;
/// use url::Url;
///
/// let site = Url::parse("https://ex.com/")?;
/// let mut budget = ReturnBudget::new(1);
/// assert!(budget.admit(&site, &Url::parse("https://de.ex.org/a")?));
/// assert!(!budget.admit(&site, &Url::parse("https://fr.ex.org/a")?), "the domain was asked");
/// assert!(!budget.admit(&site, &Url::parse("https://ex.net/a")?), "and no more are");
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ReturnBudget {
    domains: usize,
    asked: BTreeMap<String, UrlKey>,
}

impl ReturnBudget {
    /// A budget of so many other domains.
    #[must_use]
    pub fn new(domains: usize) -> Self {
        Self { domains, asked: BTreeMap::new() }
    }

    /// Whether `alternate` may be asked for, which counts it. Only where it is of another domain than `site`.
    pub fn admit(&mut self, site: &Url, alternate: &Url) -> bool {
        let (Some(own), Some(other)) = (domain(site), domain(alternate)) else { return false };
        if own == other {
            return false;
        }
        let key = UrlKey::new(alternate);
        match self.asked.get(&other) {
            Some(asked) => *asked == key,
            None if self.asked.len() < self.domains => {
                self.asked.insert(other, key);
                true
            }
            None => false,
        }
    }

    /// How many other domains were asked.
    #[must_use]
    pub fn asked(&self) -> usize {
        self.asked.len()
    }
}

fn domain(url: &Url) -> Option<String> {
    registrable_domain(url).or_else(|| crate::scope::host_name(url)).map(str::to_owned)
}

/// Something doubtful in the alternates of one page.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum HreflangProblem {
    /// A value that is no tag; with why.
    BadValue(String),
    /// One language for two pages.
    Duplicate(String),
    /// The page does not name itself.
    NoSelf,
    /// There is none for everybody else; a remark.
    NoDefault,
}

/// Looks at all alternates that a page, its header and the sitemap name for it. None for a page that names none.
///
/// ```
/// use bot_etiquette_html::{Alternate, HreflangProblem, LinkSource, check_alternates};
/// use url::Url;
///
/// let page = Url::parse("https://ex.com/")?;
/// let other = Alternate::new("de", Url::parse("https://ex.com/de")?, LinkSource::Element);
/// assert_eq!(check_alternates(&page, &[other]), [HreflangProblem::NoSelf, HreflangProblem::NoDefault]);
/// # Ok::<(), url::ParseError>(())
/// ```
#[must_use]
pub fn check_alternates(page: &Url, alternates: &[Alternate]) -> Vec<HreflangProblem> {
    let mut problems = Vec::new();
    if alternates.is_empty() {
        return problems;
    }
    let mut by_language: BTreeMap<String, BTreeSet<UrlKey>> = BTreeMap::new();
    for alternate in alternates {
        let language = alternate.hreflang.to_ascii_lowercase();
        let pages = by_language.entry(language).or_default();
        if pages.is_empty()
            && let Err(error) = check_hreflang(&alternate.hreflang)
        {
            problems.push(HreflangProblem::BadValue(error.to_string()));
        }
        if pages.insert(UrlKey::new(&alternate.url)) && pages.len() == 2 {
            problems.push(HreflangProblem::Duplicate(alternate.hreflang.clone()));
        }
    }
    if !names_back(page, alternates) {
        problems.push(HreflangProblem::NoSelf);
    }
    if !by_language.contains_key("x-default") {
        problems.push(HreflangProblem::NoDefault);
    }
    problems
}
