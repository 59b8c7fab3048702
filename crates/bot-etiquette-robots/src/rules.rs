//! The rules one crawler has to follow.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::document::{Document, Found};
use crate::index::{self, Index, Rank, Walk};
use crate::record::Key;
use crate::{Access, Limits, ProductToken, Reason, Record, Rule, Target, Verdict};

/// The rules one crawler has to follow: owned, cheap to clone, `Send + Sync`.
///
/// Made by [`Robots::rules_for`](crate::Robots::rules_for), or by [`parse`](Self::parse) where one crawler is all that matters.
/// The longest pattern that matches decides, an allow rule wins a tie (RFC 9309, section 2.2.2), and
/// `/robots.txt` itself is always allowed.
///
/// A verdict costs about the same for ten rules and for ten thousand: after the first few verdicts the rules
/// are put in order, once, and shared by all clones.
///
/// ```
/// use bot_etiquette_robots::{ProductToken, Rules};
///
/// let text = b"User-agent: ExampleBot\nDisallow: /*.pdf$\nAllow: /press/*.pdf$\nCrawl-delay: 2.5\n";
/// let rules = Rules::parse(text, &"ExampleBot".parse::<ProductToken>()?);
/// assert!(!rules.verdict("/report.pdf").is_allowed());
/// assert!(rules.verdict("/press/report.pdf").is_allowed());
/// assert_eq!(rules.crawl_delay().unwrap().as_secs_f64(), 2.5);
/// # Ok::<(), bot_etiquette_robots::TokenError>(())
/// ```
#[derive(Clone)]
pub struct Rules(Source);

#[derive(Clone)]
enum Source {
    NoFile,
    Unreachable,
    File(Arc<File>),
}

struct File {
    document: Arc<Document>,
    groups: Box<[u32]>,
    count: usize,
    verdicts: AtomicU32,
    index: OnceLock<Index>,
}

/// Up to this many rules are compared one by one: putting them in order gains nothing.
const FEW: usize = 8;
/// Verdicts given before the rules are put in order, which costs about as much as these.
const BEFORE_INDEX: u32 = 16;

impl Rules {
    pub(crate) fn new(document: Arc<Document>, found: Found) -> Self {
        let groups = found.groups;
        let count = groups.iter().map(|&group| document.rules_of(group).len()).sum();
        let file = File { document, groups, count, verdicts: AtomicU32::new(0), index: OnceLock::new() };
        Self(Source::File(Arc::new(file)))
    }

    /// Parses a robots.txt for one crawler (or the first of several tokens that has a group), and keeps
    /// nothing else of it.
    #[must_use]
    pub fn parse<'t>(text: &[u8], agents: impl IntoIterator<Item = &'t ProductToken>) -> Self {
        Self::parse_with(text, agents, &Limits::new())
    }

    /// Like [`parse`](Self::parse), with [`Limits`].
    #[must_use]
    pub fn parse_with<'t>(
        text: &[u8],
        agents: impl IntoIterator<Item = &'t ProductToken>,
        limits: &Limits,
    ) -> Self {
        let (document, found) = Document::part(text, limits, agents);
        Self::new(Arc::new(document), found)
    }

    /// What holds where there is no robots.txt (RFC 9309, section 2.3.1.3): everything is allowed.
    #[must_use]
    pub fn allow_all() -> Self {
        Self(Source::NoFile)
    }

    /// What holds while robots.txt cannot be had (section 2.3.1.4): everything but `/robots.txt` is disallowed.
    #[must_use]
    pub fn disallow_all() -> Self {
        Self(Source::Unreachable)
    }

    /// May `target` be fetched? It is an absolute URL, or a path with an optional query.
    ///
    /// Anything else (an empty text, `page.html`, `mailto:`) is disallowed with [`Reason::InvalidTarget`]: what cannot be
    /// compared with the rules must not slip past them. See [`Target`] for what is understood.
    #[must_use]
    pub fn verdict(&self, target: impl AsRef<[u8]>) -> Verdict<'_> {
        match Target::parse(target.as_ref()) {
            Ok(target) => self.verdict_of(&target),
            Err(_) => self.plain(Access::Disallowed, Reason::InvalidTarget),
        }
    }

    /// May `target` be fetched?
    #[must_use]
    pub fn verdict_of(&self, target: &Target<'_>) -> Verdict<'_> {
        self.decide(target, &mut Walk::default())
    }

    /// The octets looked at for one verdict: what the bound on hostile files is stated in.
    #[doc(hidden)]
    #[must_use]
    pub fn steps(&self, target: &Target<'_>) -> u64 {
        let mut walk = Walk::default();
        self.decide(target, &mut walk);
        walk.steps.0
    }

    /// The agent value on the first line of the first group that is followed, as written; `None` when the file has
    /// no group for this crawler, or there is no file.
    #[must_use]
    pub fn group(&self) -> Option<&[u8]> {
        let file = self.file()?;
        file.groups.first().map(|&group| file.document.agent_of(group))
    }

    /// Whether there is no rule, so that all targets are allowed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.0 {
            Source::NoFile => true,
            Source::Unreachable => false,
            Source::File(file) => file.count == 0,
        }
    }

    /// How many rules there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.file().map_or(0, |file| file.count)
    }

    /// All rules, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = Rule<'_>> {
        self.file().into_iter().flat_map(|file| file.places().filter_map(|place| file.rule(place)))
    }

    /// The largest [`crawl_delays`](Self::crawl_delays): the politest reading where a group gives several.
    #[must_use]
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delays().max()
    }

    /// All `Crawl-delay` values of the followed groups, in the order of the file.
    ///
    /// A value is a decimal number of seconds. One that is negative, not finite or no number is left out; one beyond
    /// what a [`Duration`] holds becomes [`Duration::MAX`]. What to make of a long delay is the crawler's policy.
    pub fn crawl_delays(&self) -> impl Iterator<Item = Duration> {
        self.records()
            .filter(|record| record.key == Key::CrawlDelay)
            .filter_map(|record| seconds(record.value))
    }

    /// The other records of the followed groups (`Crawl-delay`, `Content-Signal`, `Request-rate`, ..), in the order of
    /// the file. Sitemaps belong to no group and are not among them.
    pub fn records(&self) -> impl Iterator<Item = Record<'_>> {
        self.file()
            .into_iter()
            .flat_map(|file| file.groups.iter().flat_map(|&group| file.document.others_of(group)))
    }

    fn file(&self) -> Option<&File> {
        match &self.0 {
            Source::File(file) => Some(file),
            Source::NoFile | Source::Unreachable => None,
        }
    }

    fn decide(&self, target: &Target<'_>, walk: &mut Walk) -> Verdict<'_> {
        let (path, verbatim) = target.forms();
        if path == b"/robots.txt" {
            return self.plain(Access::Allowed, Reason::RobotsTxtItself);
        }
        let file = match &self.0 {
            Source::NoFile => return self.plain(Access::Allowed, Reason::NoFile),
            Source::Unreachable => return self.plain(Access::Disallowed, Reason::DisallowAll),
            Source::File(file) => file,
        };
        let Some(&group) = file.groups.first() else {
            return self.plain(Access::Allowed, Reason::NoGroup);
        };
        let mut best = None;
        file.search(path, &mut best, walk);
        if let Some(verbatim) = verbatim {
            walk.next_target();
            if target.has_backslash() {
                let mut other = None;
                file.search(verbatim, &mut other, walk);
                // Clients differ in what they make of a backslash, so both forms have to be allowed.
                best = best.filter(|best| !best.is_allow()).or(other).or(best);
            } else {
                file.search(verbatim, &mut best, walk);
            }
        }
        let group = Some(file.document.agent_of(group));
        match best.and_then(|best| file.rule(best.place())) {
            Some(rule) => {
                Verdict { access: rule.directive.access(), reason: Reason::Rule, rule: Some(rule), group }
            }
            None => Verdict { access: Access::Allowed, reason: Reason::NoRule, rule: None, group },
        }
    }

    fn plain(&self, access: Access, reason: Reason) -> Verdict<'_> {
        Verdict { access, reason, rule: None, group: self.group() }
    }
}

impl File {
    fn places(&self) -> impl Iterator<Item = u32> {
        self.groups.iter().flat_map(|&group| self.document.rules_of(group))
    }

    fn rule(&self, place: u32) -> Option<Rule<'_>> {
        let rule = self.document.rule(place)?;
        Some(Rule {
            line: rule.line,
            directive: rule.directive(),
            pattern: self.document.written(rule),
            group: self.document.agent_of(self.document.group_of(place)),
        })
    }

    fn search(&self, target: &[u8], best: &mut Option<Rank>, walk: &mut Walk) {
        match self.index() {
            Some(index) => index.search(&self.document, target, best, walk),
            None => {
                for &group in &self.groups {
                    index::scan(&self.document, self.document.rules_of(group), target, best, walk);
                }
            }
        }
    }

    fn index(&self) -> Option<&Index> {
        if self.count <= FEW {
            return None;
        }
        if let Some(index) = self.index.get() {
            return Some(index);
        }
        if self.verdicts.fetch_add(1, Ordering::Relaxed) < BEFORE_INDEX {
            return None;
        }
        Some(self.index.get_or_init(|| Index::build(&self.document, self.places())))
    }
}

/// The value of a `Crawl-delay`.
pub(crate) fn seconds(value: &[u8]) -> Option<Duration> {
    let text = std::str::from_utf8(value).ok()?;
    if text.starts_with('-') {
        return None;
    }
    let seconds: f64 = text.parse().ok().filter(|seconds: &f64| !seconds.is_nan())?;
    // "inf" and "infinity" are words; 1e999 is a number that is too large.
    if text.bytes().any(|byte| byte.is_ascii_alphabetic() && !byte.eq_ignore_ascii_case(&b'e')) {
        return None;
    }
    Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Source::NoFile => f.write_str("Rules::allow_all()"),
            Source::Unreachable => f.write_str("Rules::disallow_all()"),
            Source::File(file) => f
                .debug_struct("Rules")
                .field("group", &self.group().map(String::from_utf8_lossy))
                .field("rules", &file.count)
                .finish_non_exhaustive(),
        }
    }
}
