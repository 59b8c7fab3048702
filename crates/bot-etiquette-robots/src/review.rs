//! A robots.txt that a person has read: what was found then, what is different now, and a valve that lets a
//! change close but never open.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::canonical::{self, Side};
use crate::{Availability, Directive, Origin, ProductToken, Robots, Rules};

/// What a person found in the robots.txt of one origin, to be kept beside the code that asks it.
///
/// [`draft`](Self::draft) writes it from a file; the person reads both and keeps it. Serde reads and writes it;
/// an unknown key is an error.
///
/// ```
/// use bot_etiquette_robots::{Availability, ReviewedPolicy, Robots};
///
/// let seen = Robots::parse(b"User-agent: *\nDisallow: /private/\nCrawl-delay: 2\n");
/// let policy = ReviewedPolicy::draft("https://data.example".parse()?, "MyBot".parse()?, "2027-05-02", &seen)
///     .with_url("https://data.example/feed.json");
///
/// // Another order, a comment, another way to write a path: nothing has changed.
/// let same = Robots::parse(b"# new owner\nuser-agent: mybot\ncrawl-delay: 2.0\ndisallow: /%70rivate/\n");
/// assert!(policy.drift(Availability::Successful, &same).changes.is_empty());
///
/// // What opens is reported and not followed; what closes is followed.
/// let now = Robots::parse(b"User-agent: *\nDisallow: /feed.json\nCrawl-delay: 1\n");
/// let drift = policy.drift(Availability::Successful, &now);
/// assert_eq!(drift.loosened().count(), 2);
/// let valve = policy.valve(Availability::Successful, &now);
/// assert!(!valve.is_allowed("https://data.example/private/x"));
/// assert!(!valve.is_allowed("https://data.example/feed.json"));
/// assert_eq!(valve.crawl_delay(), Some(std::time::Duration::from_secs(2)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ReviewedPolicy {
    /// Whose robots.txt was read.
    pub origin: Origin,
    /// The day it was read, as the person writes it.
    pub reviewed: String,
    /// SHA-256 of the text that was read, in hexadecimal: equal bytes need no second look.
    pub sha256: String,
    /// For which crawler it was read.
    pub token: ProductToken,
    /// The Crawl-delay that was found, in seconds.
    #[serde(default, with = "seconds", skip_serializing_if = "Option::is_none")]
    pub crawl_delay: Option<Duration>,
    /// The patterns that are closed. Each begins with `/` or `*`, as in a robots.txt: serde refuses any other, which would
    /// close nothing.
    #[serde(default, deserialize_with = "patterns::closed")]
    pub closed: Vec<String>,
    /// The patterns that are open within them; likewise.
    #[serde(default, deserialize_with = "patterns::open", skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
    /// The verdict for each exact URL the crawler asks.
    #[serde(default)]
    pub urls: Vec<ReviewedUrl>,
}

/// The verdict a person confirmed for one exact URL.
///
/// ```
/// use bot_etiquette_robots::ReviewedUrl;
///
/// let url: ReviewedUrl = serde_json::from_str(r#"{"url": "https://data.example/a", "allowed": true}"#)?;
/// assert!(url.allowed);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewedUrl {
    /// The URL as the crawler asks it.
    pub url: String,
    /// Whether it may be asked.
    pub allowed: bool,
}

impl ReviewedPolicy {
    /// What a person would write down of this file for this crawler, on this day.
    #[must_use]
    pub fn draft(origin: Origin, token: ProductToken, reviewed: impl Into<String>, robots: &Robots) -> Self {
        let rules = robots.rules_for(&token);
        let patterns = |directive| {
            let own = rules.iter().filter(|rule| rule.directive == directive);
            own.map(|rule| canonical_text(rule.pattern)).collect::<BTreeSet<_>>().into_iter().collect()
        };
        Self {
            origin,
            reviewed: reviewed.into(),
            sha256: hash(robots),
            crawl_delay: rules.crawl_delay(),
            closed: patterns(Directive::Disallow),
            open: patterns(Directive::Allow),
            urls: Vec::new(),
            token,
        }
    }

    /// Adds an exact URL with the verdict that the reviewed rules give.
    #[must_use]
    pub fn with_url(mut self, url: impl Into<String>) -> Self {
        let url = url.into();
        let allowed = self.rules().verdict(&url).is_allowed();
        self.urls.push(ReviewedUrl { url, allowed });
        self
    }

    /// The rules as they were reviewed.
    #[must_use]
    pub fn rules(&self) -> Rules {
        let mut text = b"User-agent: *\n".to_vec();
        for (key, patterns) in [("Allow: ", &self.open), ("Disallow: ", &self.closed)] {
            for pattern in patterns {
                text.extend_from_slice(key.as_bytes());
                text.extend_from_slice(canonical_text(pattern.as_bytes()).as_bytes());
                text.push(b'\n');
            }
        }
        Rules::parse(&text, &self.token)
    }

    /// What the file as it is now means differently, for this crawler.
    ///
    /// Comments, order, the case of keys, groups for others and the ways to write one path mean nothing. A
    /// file that is gone means that everything is open; one that could not be asked for means nothing yet.
    #[must_use]
    pub fn drift(&self, availability: Availability, live: &Robots) -> Drift {
        let text_changed = availability != Availability::Successful || hash(live) != self.sha256;
        let rules = match availability {
            Availability::Successful => live.rules_for(&self.token),
            Availability::Unavailable => Rules::allow_all(),
            Availability::Unreachable(_) => return Drift { text_changed, changes: Vec::new() },
        };
        let mut changes = Vec::new();
        if self.crawl_delay != rules.crawl_delay() {
            changes.push(Change::Delay { reviewed: self.crawl_delay, live: rules.crawl_delay() });
        }
        for (directive, reviewed) in [(Directive::Disallow, &self.closed), (Directive::Allow, &self.open)] {
            let own = rules.iter().filter(|rule| rule.directive == directive);
            let now: BTreeSet<String> = own.map(|rule| canonical_text(rule.pattern)).collect();
            let then: BTreeSet<String> =
                reviewed.iter().map(|pattern| canonical_text(pattern.as_bytes())).collect();
            for pattern in now.difference(&then) {
                changes.push(Change::Added { directive, pattern: pattern.clone() });
            }
            for pattern in then.difference(&now) {
                changes.push(Change::Removed { directive, pattern: pattern.clone() });
            }
        }
        for url in &self.urls {
            let allowed = rules.verdict(&url.url).is_allowed();
            if allowed != url.allowed {
                changes.push(Change::Url { url: url.url.clone(), allowed });
            }
        }
        Drift { text_changed, changes }
    }

    /// The reviewed rules and the file as it is now, both to be kept: what either closes is closed, and the
    /// longer delay holds. A file that is gone, or could not be asked for, changes nothing.
    #[must_use]
    pub fn valve(&self, availability: Availability, live: &Robots) -> Valve {
        let live = match availability {
            Availability::Successful => live.rules_for(&self.token),
            Availability::Unavailable | Availability::Unreachable(_) => Rules::allow_all(),
        };
        let closed = self.urls.iter().filter(|url| !url.allowed).map(|url| url.url.clone());
        Valve { reviewed: self.rules(), crawl_delay: self.crawl_delay, closed: closed.collect(), live }
    }
}

/// What a robots.txt means differently from what was reviewed.
///
/// ```
/// use bot_etiquette_robots::{Availability, ReviewedPolicy, Robots};
///
/// let seen = Robots::parse(b"User-agent: *\nDisallow: /a\n");
/// let policy = ReviewedPolicy::draft("https://data.example".parse()?, "MyBot".parse()?, "2027-05-02", &seen);
/// let drift = policy.drift(Availability::Successful, &Robots::parse(b"User-agent: *\nDisallow: /b\n"));
/// let words: Vec<_> = drift.changes.iter().map(ToString::to_string).collect();
/// assert_eq!(words, ["stricter: Disallow: /b is new", "looser: Disallow: /a is gone"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Drift {
    /// Whether the bytes differ from those reviewed, be it by a comment alone.
    pub text_changed: bool,
    /// What means something else for the crawler.
    pub changes: Vec<Change>,
}

impl Drift {
    /// The changes that would let the crawler do more: a person has to look before they count.
    pub fn loosened(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(|change| !change.is_stricter())
    }
}

/// One thing that means something else than was reviewed.
///
/// ```
/// use bot_etiquette_robots::Change;
///
/// let change = Change::Delay { reviewed: Some(std::time::Duration::from_secs(2)), live: None };
/// assert!(!change.is_stricter());
/// assert_eq!(change.to_string(), "looser: Crawl-delay was 2 s and is gone");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "change")]
#[non_exhaustive]
pub enum Change {
    /// The Crawl-delay is another.
    Delay {
        /// As reviewed.
        #[serde(with = "seconds")]
        reviewed: Option<Duration>,
        /// As it is now.
        #[serde(with = "seconds")]
        live: Option<Duration>,
    },
    /// A rule is new.
    Added {
        /// Allow or disallow.
        directive: Directive,
        /// Its pattern in canonical form.
        pattern: String,
    },
    /// A reviewed rule is gone.
    Removed {
        /// Allow or disallow.
        directive: Directive,
        /// Its pattern in canonical form.
        pattern: String,
    },
    /// The verdict for an exact URL is another.
    Url {
        /// The URL.
        url: String,
        /// What the file says now.
        allowed: bool,
    },
}

impl Change {
    /// Whether it lets the crawler do less, or the same more slowly.
    #[must_use]
    pub fn is_stricter(&self) -> bool {
        match self {
            Self::Delay { reviewed, live } => live > reviewed,
            Self::Added { directive, .. } => *directive == Directive::Disallow,
            Self::Removed { directive, .. } => *directive == Directive::Allow,
            Self::Url { allowed, .. } => !allowed,
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_stricter() { "stricter: " } else { "looser: " })?;
        match self {
            Self::Delay { reviewed, live } => {
                let shown = |delay: &Option<Duration>, none: &str| {
                    delay.map_or_else(|| none.to_owned(), |delay| format!("{} s", delay.as_secs_f64()))
                };
                let (reviewed, live) = (shown(reviewed, "none"), shown(live, "gone"));
                write!(f, "Crawl-delay was {reviewed} and is {live}")
            }
            Self::Added { directive, pattern } => write!(f, "{directive}: {pattern} is new"),
            Self::Removed { directive, pattern } => write!(f, "{directive}: {pattern} is gone"),
            Self::Url { url, allowed: true } => write!(f, "{} is open now", url.escape_debug()),
            Self::Url { url, allowed: false } => write!(f, "{} is closed now", url.escape_debug()),
        }
    }
}

/// Reviewed rules and live ones, both to be kept: a change of the file may close, and never opens.
///
/// ```
/// use bot_etiquette_robots::{Availability, ReviewedPolicy, Robots};
///
/// let seen = Robots::parse(b"User-agent: *\nDisallow: /a\n");
/// let policy = ReviewedPolicy::draft("https://data.example".parse()?, "MyBot".parse()?, "2027-05-02", &seen);
/// let valve = policy.valve(Availability::Unavailable, &Robots::parse(b""));
/// assert!(!valve.is_allowed("https://data.example/a"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Valve {
    reviewed: Rules,
    live: Rules,
    crawl_delay: Option<Duration>,
    closed: BTreeSet<String>,
}

impl Valve {
    /// Whether a target may be asked: by the reviewed rules, by the live ones, and by what was found for this
    /// exact URL.
    #[must_use]
    pub fn is_allowed(&self, target: &str) -> bool {
        !self.closed.contains(target)
            && self.reviewed.verdict(target).is_allowed()
            && self.live.verdict(target).is_allowed()
    }

    /// The longer of the two delays.
    #[must_use]
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay.max(self.live.crawl_delay())
    }
}

/// The form in which two ways to write one pattern are equal; it is ASCII, but for what is no URL anyway.
fn canonical_text(pattern: &[u8]) -> String {
    let mut out = Vec::new();
    canonical::push(pattern, Side::Pattern, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

fn hash(robots: &Robots) -> String {
    Sha256::digest(robots.text()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Patterns of rules: one that no rule can have would silently be none.
mod patterns {
    use serde::{Deserialize, Deserializer, de};

    pub(super) fn closed<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
        read("closed", from)
    }

    pub(super) fn open<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
        read("open", from)
    }

    fn read<'de, D: Deserializer<'de>>(key: &str, from: D) -> Result<Vec<String>, D::Error> {
        let patterns = Vec::<String>::deserialize(from)?;
        for pattern in &patterns {
            check(pattern).map_err(|problem| {
                de::Error::custom(format_args!("{key}: {pattern:?} {problem}, or take it out"))
            })?;
        }
        Ok(patterns)
    }

    /// What is wrong with a pattern, and what to write.
    fn check(pattern: &str) -> Result<(), String> {
        if !pattern.starts_with(['/', '*']) {
            let path = pattern.split_once("://").and_then(|(_, rest)| rest.split_once('/'));
            let path = path.map_or(pattern, |(_, path)| path).trim_start().trim_start_matches('/');
            return Err(format!(
                "begins with neither / nor *, so it matches nothing: write {:?}",
                format!("/{path}")
            ));
        }
        if pattern.contains('#') {
            return Err(format!(
                "holds a #, which begins a comment: write {:?}",
                pattern.replace('#', "%23")
            ));
        }
        Ok(())
    }
}

/// A duration as seconds, a number with an optional fraction.
mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

    pub(super) fn serialize<S: Serializer>(delay: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
        delay.map(|delay| delay.as_secs_f64()).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
        let Some(number) = Option::<f64>::deserialize(from)? else { return Ok(None) };
        Duration::try_from_secs_f64(number).map(Some).map_err(|_| {
            de::Error::custom(format_args!(
                "crawl_delay = {number}: expected seconds from 0 up, such as 2.0 (leave it out for none)"
            ))
        })
    }
}
