//! What a site says of the use of its pages: `Content-Signal` and `Content-Usage`, as records of robots.txt and
//! as header fields. They never change what may be fetched.

use std::collections::HashMap;

use sfv::{BareItem, Dictionary, ListEntry, Parser};

use crate::canonical::{self, Side};
use crate::{ProductToken, Rules};

/// What a site prefers for one kind of use.
///
/// ```
/// use bot_etiquette_robots::Preference;
///
/// assert_eq!(Preference::Allow.and(Preference::Deny), Preference::Deny);
/// assert_eq!(Preference::Unknown.and(Preference::Allow), Preference::Allow);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Preference {
    /// Nothing is said, or nothing that is understood.
    #[default]
    Unknown,
    /// It is welcome.
    Allow,
    /// It is not wanted.
    Deny,
}

impl Preference {
    /// Two statements together: any denial denies, else any permission allows.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.max(other)
    }
}

/// What a site prefers for the uses that have a name.
///
/// ```
/// use bot_etiquette_robots::{Preference, Usage};
///
/// let usage = Usage::from_content_signal(b"search=yes, ai-train=no");
/// assert_eq!(usage.search, Preference::Allow);
/// assert_eq!(usage.train_ai, Preference::Deny);
/// assert_eq!(usage.ai_input, Preference::Unknown);
/// assert_eq!(Usage::from_content_usage(b"train-ai=n").train_ai, Preference::Deny);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Usage {
    /// To train or tune a model: `ai-train`, `train-ai`.
    pub train_ai: Preference,
    /// To build a search index and show links and excerpts: `search`.
    pub search: Preference,
    /// As input of a model at the time of a question: `ai-input`.
    pub ai_input: Preference,
}

impl Usage {
    /// Reads the value of a `Content-Signal` field, or of a record without its path: `key=yes|no` with commas
    /// between. Of a key given twice, `no` counts.
    #[must_use]
    pub fn from_content_signal(value: &[u8]) -> Self {
        let mut usage = Self::default();
        for signal in value.split(|&byte| byte == b',') {
            let Some(at) = signal.iter().position(|&byte| byte == b'=') else { continue };
            let (key, said) = signal.split_at_checked(at).unwrap_or((signal, b""));
            let said = match said.get(1..).unwrap_or(b"").trim_ascii() {
                said if said.eq_ignore_ascii_case(b"yes") => Preference::Allow,
                said if said.eq_ignore_ascii_case(b"no") => Preference::Deny,
                _ => continue,
            };
            let place = match key.trim_ascii().to_ascii_lowercase().as_slice() {
                b"ai-train" => &mut usage.train_ai,
                b"search" => &mut usage.search,
                b"ai-input" => &mut usage.ai_input,
                _ => continue,
            };
            *place = place.and(said);
        }
        usage
    }

    /// Reads the value of a `Content-Usage` field, or of a record without its path: a dictionary of RFC 9651
    /// with the tokens `y` and `n` (draft-ietf-aipref-attach). What is no dictionary says nothing; several
    /// field lines are one value, joined by commas.
    #[must_use]
    pub fn from_content_usage(value: &[u8]) -> Self {
        let Ok(members) = Parser::new(value).parse::<Dictionary>() else { return Self::default() };
        let said = |key: &str| match members.get(key) {
            Some(ListEntry::Item(item)) => match &item.bare_item {
                BareItem::Token(token) if token.as_str() == "y" => Preference::Allow,
                BareItem::Token(token) if token.as_str() == "n" => Preference::Deny,
                _ => Preference::Unknown,
            },
            _ => Preference::Unknown,
        };
        Self { train_ai: said("train-ai"), search: said("search"), ai_input: Preference::Unknown }
    }

    /// Two statements together: for each use, any denial denies, else any permission allows. So what a file
    /// says of a page and what the answer's own fields say are one.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            train_ai: self.train_ai.and(other.train_ai),
            search: self.search.and(other.search),
            ai_input: self.ai_input.and(other.ai_input),
        }
    }
}

/// What a robots.txt says of the use of pages, for one crawler.
///
/// Either record may begin with a path, which is compared as a rule's pattern is. The longest path that matches
/// decides, apart for each of the two records; what stands under the same path, and what the two records say,
/// is taken [together](Usage::and). A record without a path speaks of the whole site.
///
/// ```
/// use bot_etiquette_robots::{Preference, ProductToken, Robots, UsageRules};
///
/// let robots = Robots::parse(b"
/// User-agent: *
/// Content-Signal: search=yes, ai-train=no
/// Content-Usage: /open/ train-ai=y
/// Allow: /
/// ");
/// let usage = UsageRules::new(&robots.rules_for(&"MyBot".parse::<ProductToken>()?));
/// assert_eq!(usage.usage("https://example.com/").train_ai, Preference::Deny);
/// assert_eq!(usage.usage("https://example.com/").search, Preference::Allow);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct UsageRules {
    signal: Table,
    usage: Table,
}

impl UsageRules {
    /// Reads the records of the groups that the rules come from.
    #[must_use]
    pub fn new(rules: &Rules) -> Self {
        Self {
            signal: Table::read(rules, b"content-signal", Usage::from_content_signal),
            usage: Table::read(rules, b"content-usage", Usage::from_content_usage),
        }
    }

    /// What is said of a target: an absolute URL, or a path with an optional query. It says nothing of whether
    /// the target may be fetched.
    #[must_use]
    pub fn usage(&self, target: impl AsRef<[u8]>) -> Usage {
        let target = target.as_ref();
        self.signal.find(target).and(self.usage.find(target))
    }
}

/// The statements of one record by their paths.
#[derive(Debug, Clone)]
struct Table {
    /// Each path once, as the pattern of a rule: the longest match is found as rules find it.
    paths: Rules,
    /// The statement for the path of each line of `paths`, from its second line on.
    said: Vec<Usage>,
}

impl Table {
    fn read(rules: &Rules, name: &[u8], parse: fn(&[u8]) -> Usage) -> Self {
        let mut text = b"User-agent: *\n".to_vec();
        let mut said: Vec<Usage> = Vec::new();
        let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
        for record in rules.records().filter(|record| record.name.eq_ignore_ascii_case(name)) {
            let (path, value) = split_path(record.value);
            let mut key = Vec::new();
            canonical::push(path, Side::Pattern, &mut key);
            let place = *places.entry(key).or_insert_with(|| {
                text.extend_from_slice(b"Disallow: ");
                text.extend_from_slice(path);
                text.push(b'\n');
                said.push(Usage::default());
                said.len().saturating_sub(1)
            });
            if let Some(so_far) = said.get_mut(place) {
                *so_far = so_far.and(parse(value));
            }
        }
        let everyone: [&ProductToken; 0] = [];
        Self { paths: Rules::parse(&text, everyone), said }
    }

    fn find(&self, target: &[u8]) -> Usage {
        let rule = self.paths.verdict(target).rule;
        let place = rule.and_then(|rule| usize::try_from(rule.line).ok()?.checked_sub(2));
        place.and_then(|place| self.said.get(place)).copied().unwrap_or_default()
    }
}

/// The path a value begins with, and the rest; the whole site where it begins with none.
fn split_path(value: &[u8]) -> (&[u8], &[u8]) {
    if value.first() != Some(&b'/') {
        return (b"/", value);
    }
    let end = value.iter().position(u8::is_ascii_whitespace).unwrap_or(value.len());
    let (path, rest) = value.split_at_checked(end).unwrap_or((value, b""));
    (path, rest.trim_ascii())
}
