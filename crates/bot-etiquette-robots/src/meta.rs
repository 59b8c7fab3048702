//! What a page itself asks of robots: `<meta name="robots">` and the `X-Robots-Tag` header field.

mod value;

use std::borrow::Cow;

pub use value::{ImagePreview, Limit, UnavailableAfter};

use crate::date;

/// Directives this library does not know are kept up to this many; the rest is dropped.
pub const MAX_UNKNOWN_DIRECTIVES: usize = 64;

/// Bytes kept of a text from a page (an unknown directive, a date); the rest is cut.
const MAX_TEXT: usize = 128;

/// The directive whose value is a date.
const DATE: &str = "unavailable_after";

/// Collects the robots meta tags and `X-Robots-Tag` fields of one answer, for one robot.
///
/// Everything that speaks to all robots and everything that names this one adds up, and the most restrictive
/// word wins: a page's own tag for a robot never lifts what the page asks of all.
///
/// ```
/// use bot_etiquette_robots::RobotsTags;
///
/// let mut tags = RobotsTags::new().agent("SiteSnapshot");
/// tags.header(b"otherbot: noindex, nofollow");
/// tags.header(b"SiteSnapshot: unavailable_after: 25 Jun 2027 15:00:00 PST");
/// tags.meta("ROBOTS", "noarchive, max-snippet: 20");
/// let directives = tags.directives();
/// assert!(directives.noarchive && !directives.noindex && !directives.nofollow);
/// assert_eq!(directives.max_snippet.map(|limit| limit.to_string()), Some("20".into()));
/// ```
#[derive(Debug, Clone, Default)]
pub struct RobotsTags {
    agents: Vec<String>,
    directives: RobotsDirectives,
}

impl RobotsTags {
    /// A collection for a robot without a name, which hears only what is said to all.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a name the robot answers to, such as its product token. Case does not matter.
    #[must_use]
    pub fn agent(mut self, name: impl AsRef<str>) -> Self {
        self.agents.push(name.as_ref().trim().to_owned());
        self
    }

    /// Adds one `X-Robots-Tag` field line.
    ///
    /// A word before a colon names a robot unless it is a directive with a value, and holds until the next
    /// such name on the line. Give each line apart where the client lets you: lines that a proxy joined with
    /// commas cannot be told from one line, and the last name then covers what followed it.
    pub fn header(&mut self, value: &[u8]) {
        let text = String::from_utf8_lossy(value);
        self.read(&text, true, true);
    }

    /// Adds one meta tag by its `name` and `content`. Tags that are not for robots, or for other robots, add
    /// nothing.
    pub fn meta(&mut self, name: &str, content: &str) {
        if self.answers_to(name.trim()) {
            self.read(content, false, true);
        }
    }

    /// What was asked, all in all.
    #[must_use]
    pub fn directives(&self) -> &RobotsDirectives {
        &self.directives
    }

    /// The collection's end: what was asked, all in all.
    #[must_use]
    pub fn into_directives(self) -> RobotsDirectives {
        self.directives
    }

    /// A name is ours when it is one of our names, or that name with a version behind it.
    fn answers_to(&self, name: &str) -> bool {
        let product = name.split('/').next().unwrap_or(name).trim_end();
        name == "*"
            || name.eq_ignore_ascii_case("robots")
            || self
                .agents
                .iter()
                .any(|agent| agent.eq_ignore_ascii_case(name) || agent.eq_ignore_ascii_case(product))
    }

    fn read(&mut self, text: &str, scoped: bool, mut ours: bool) {
        let mut items = text.split(is_separator).map(str::trim).peekable();
        while let Some(item) = items.next() {
            let mut rest = item;
            if scoped {
                while let Some((before, name, after)) = agent_prefix(rest) {
                    if ours {
                        self.words(before);
                    }
                    ours = self.answers_to(name);
                    rest = after;
                }
            }
            let Some((before, value)) = unavailable_after(rest) else {
                if ours {
                    self.words(rest);
                }
                continue;
            };
            // A date may hold commas, which are no separators there.
            let mut value = Cow::Borrowed(value);
            while let Some(more) = items.next_if(|next| continues_date(&value, next)) {
                value = Cow::Owned(format!("{value}, {more}"));
            }
            if ours {
                self.words(before);
                self.date(&value);
            }
        }
    }

    /// Directives with blanks between them, as `noindex nofollow` or `max-snippet: 20`.
    fn words(&mut self, text: &str) {
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            let at = word.find([':', '=']);
            let (name, rest) = match at.and_then(|at| word.split_at_checked(at)) {
                Some(parts) => parts,
                // A colon may stand apart from its name.
                None => match words.next_if(|next| next.starts_with([':', '='])) {
                    Some(next) => (word, next),
                    None => {
                        if !self.directives.flag(word) {
                            self.directives.add_unknown(word);
                        }
                        continue;
                    }
                },
            };
            let (mark, value) = rest.split_at_checked(1).unwrap_or((rest, ""));
            // The value may stand apart from the colon; `max-snippet: nofollow` has none.
            let value = Some(value)
                .filter(|value| !value.is_empty())
                .or_else(|| words.next_if(|next| !is_restriction(next)))
                .unwrap_or("");
            // `noindex: yes` asks for what `noindex` asks.
            if !self.directives.valued(name, value) && !self.directives.flag(name) {
                self.directives.add_unknown(&format!("{name}{mark}{value}"));
            }
        }
    }

    /// The value of `unavailable_after`, less the directives that follow it without a comma.
    fn date(&mut self, value: &str) {
        let mut value = value.trim();
        while let Some((before, last)) = value.rsplit_once(char::is_whitespace) {
            if !self.directives.flag(last) {
                break;
            }
            value = before.trim_end();
        }
        if value.is_empty() {
            self.directives.add_unknown(DATE);
        } else {
            self.directives.add_date(value);
        }
    }
}

/// What a page asks of a robot, as robots meta tags and `X-Robots-Tag` say it.
///
/// The flags are what was written: `none` sets [`noindex`](Self::noindex) and [`nofollow`](Self::nofollow),
/// `all`, `index` and `follow` set nothing, and Bing's `nocache` is its `noarchive`.
///
/// ```
/// use bot_etiquette_robots::RobotsTags;
///
/// let mut tags = RobotsTags::new();
/// tags.meta("robots", "NONE");
/// let directives = tags.into_directives();
/// assert!(directives.noindex && directives.nofollow);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RobotsDirectives {
    /// Not to be shown in search results.
    pub noindex: bool,
    /// No link of the page is to be followed.
    pub nofollow: bool,
    /// No copy is to be shown.
    pub noarchive: bool,
    /// No piece of its text is to be shown.
    pub nosnippet: bool,
    /// Its images are not to be indexed.
    pub noimageindex: bool,
    /// No translation is to be offered.
    pub notranslate: bool,
    /// Lifts `noindex` where the page is embedded in another; means nothing without `noindex`.
    pub indexifembedded: bool,
    /// The longest piece of text to show, in characters.
    pub max_snippet: Option<Limit>,
    /// The largest preview of an image to show.
    pub max_image_preview: Option<ImagePreview>,
    /// The longest preview of a video to show, in seconds.
    pub max_video_preview: Option<Limit>,
    /// After this time the page is not to be shown.
    pub unavailable_after: Option<UnavailableAfter>,
    /// What was not understood, as written but for blanks, each once, at most [`MAX_UNKNOWN_DIRECTIVES`].
    pub unknown: Vec<String>,
}

impl RobotsDirectives {
    /// Sets what a word without a value asks for; `false` when it is no known word.
    fn flag(&mut self, word: &str) -> bool {
        let lower = word.to_ascii_lowercase();
        match lower.as_str() {
            "all" | "index" | "follow" => {}
            "noindex" => self.noindex = true,
            "nofollow" => self.nofollow = true,
            "none" => (self.noindex, self.nofollow) = (true, true),
            "noarchive" | "nocache" => self.noarchive = true,
            "nosnippet" => self.nosnippet = true,
            "noimageindex" => self.noimageindex = true,
            "notranslate" => self.notranslate = true,
            "indexifembedded" => self.indexifembedded = true,
            _ => return false,
        }
        true
    }

    /// Sets what a directive with a value asks for; `false` when name or value is not known.
    fn valued(&mut self, name: &str, value: &str) -> bool {
        match name.to_ascii_lowercase().as_str() {
            "max-snippet" => tighten(&mut self.max_snippet, Limit::parse(value)),
            "max-video-preview" => tighten(&mut self.max_video_preview, Limit::parse(value)),
            "max-image-preview" => tighten(&mut self.max_image_preview, ImagePreview::parse(value)),
            _ => false,
        }
    }

    fn add_date(&mut self, text: &str) {
        let new = UnavailableAfter::new(cut(text), date::parse(text));
        let earlier = match &self.unavailable_after {
            None => true,
            Some(old) => match (old.time(), new.time()) {
                (Some(old), Some(new)) => new < old,
                (None, Some(_)) => true,
                (_, None) => false,
            },
        };
        if earlier {
            self.unavailable_after = Some(new);
        }
    }

    fn add_unknown(&mut self, word: &str) {
        let word = cut(word);
        if self.unknown.len() < MAX_UNKNOWN_DIRECTIVES && !self.unknown.iter().any(|known| known == word) {
            self.unknown.push(word.to_owned());
        }
    }
}

/// Whether a word asks for something that must not be lost as another directive's value.
fn is_restriction(word: &str) -> bool {
    !word.eq_ignore_ascii_case("none") && RobotsDirectives::default().flag(word)
}

/// Commas, and what stands for them where they are mistyped.
fn is_separator(c: char) -> bool {
    matches!(c, ',' | ';' | '\u{ff0c}' | '\u{3001}')
}

/// Splits `words name: rest`, when the name can only be a robot's.
fn agent_prefix(item: &str) -> Option<(&str, &str, &str)> {
    let (left, after) = item.split_once(':')?;
    let left = left.trim_end();
    let (before, name) = left.rsplit_once(char::is_whitespace).unwrap_or(("", left));
    // `max-frames: 3` is a directive of a later day, and no robot's name; so is anything with a number.
    let value = after.trim();
    let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let is_directive = name.is_empty()
        || starts_with(name, "max-")
        || name.eq_ignore_ascii_case(DATE)
        || RobotsDirectives::default().flag(name)
        || before.split_whitespace().any(|word| starts_with(word, DATE))
        || is_number;
    (!is_directive).then_some((before, name, after.trim_start()))
}

/// Splits `words unavailable_after: value`.
fn unavailable_after(item: &str) -> Option<(&str, &str)> {
    let at = item.char_indices().map(|(at, _)| at).find(|&at| {
        let before = item.get(..at).unwrap_or("");
        (before.is_empty() || before.ends_with(char::is_whitespace))
            && item.get(at..).is_some_and(|rest| starts_with(rest, DATE))
    })?;
    let (before, rest) = item.split_at_checked(at)?;
    let rest = rest.get(DATE.len()..)?.trim_start();
    let value = rest.strip_prefix([':', '='])?;
    Some((before, value.trim()))
}

fn starts_with(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

/// Whether an item behind a comma is more of the date before it.
fn continues_date(so_far: &str, next: &str) -> bool {
    // Text of a page without end must not be joined without end.
    if so_far.len() > MAX_TEXT {
        return false;
    }
    let mut words = next.split_whitespace();
    let first = words.next().unwrap_or("");
    if date::is_weekday(so_far) && date::month(first).is_some() {
        return true;
    }
    if !first.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    // `360Spider: noindex` begins with a digit too.
    match next.split_once(':') {
        Some((before, _)) => {
            before.contains(char::is_whitespace) || before.bytes().all(|byte| byte.is_ascii_digit())
        }
        None => true,
    }
}

/// The head of a text, at a character's edge.
fn cut(text: &str) -> &str {
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or("")
}

/// Keeps the stricter of two values; `false` when there is no new one.
fn tighten<T: Ord>(place: &mut Option<T>, new: Option<T>) -> bool {
    let Some(new) = new else { return false };
    if place.as_ref().is_none_or(|old| new < *old) {
        *place = Some(new);
    }
    true
}
