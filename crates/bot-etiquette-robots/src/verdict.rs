//! The answer to "may this be fetched?", and what it rests on.

use std::fmt;

/// Whether a crawler may fetch.
///
/// ```
/// use bot_etiquette_robots::{Access, Rules};
///
/// assert_eq!(Rules::allow_all().verdict("/page").access, Access::Allowed);
/// assert_eq!(Rules::disallow_all().verdict("/page").access, Access::Disallowed);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Access {
    /// It may.
    Allowed,
    /// It may not.
    Disallowed,
}

/// What a [`Verdict`] rests on. [`code`](Self::code) is stable.
///
/// ```
/// use bot_etiquette_robots::{Reason, Rules};
///
/// let rules = Rules::disallow_all();
/// assert_eq!(rules.verdict("/page").reason, Reason::DisallowAll);
/// assert_eq!(rules.verdict("/robots.txt").reason, Reason::RobotsTxtItself);
/// assert_eq!(rules.verdict("page.html").reason.code(), "invalid-target");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Reason {
    /// The longest matching rule decided (RFC 9309, section 2.2.2).
    Rule,
    /// A group was found; none of its rules matches, so the target is allowed.
    NoRule,
    /// Neither a group for this crawler nor one for `*` exists, so everything is allowed.
    NoGroup,
    /// There is no robots.txt (section 2.3.1.3, "unavailable"), so everything is allowed.
    NoFile,
    /// robots.txt could not be had (section 2.3.1.4, "unreachable"), so everything is disallowed.
    DisallowAll,
    /// `/robots.txt` is always allowed (section 2.2.2).
    RobotsTxtItself,
    /// The target is neither an absolute URL nor a path, so nothing can be said for it: disallowed.
    InvalidTarget,
}

/// The two directives that make a rule.
///
/// ```
/// use bot_etiquette_robots::{Access, Directive};
///
/// assert_eq!(Directive::Disallow.access(), Access::Disallowed);
/// assert_eq!((Directive::Allow.as_str(), Directive::Allow.to_string().as_str()), ("allow", "Allow"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Directive {
    /// `Allow`
    Allow,
    /// `Disallow`
    Disallow,
}

/// One rule of a robots.txt: where it stands and what it says.
///
/// ```
/// # use bot_etiquette_robots::{Directive, ProductToken, Robots};
/// let robots = Robots::parse(b"User-agent: ExampleBot/1.0\nDisallow: /caf%c3%a9 # closed\n");
/// let rules = robots.rules_for(&"ExampleBot".parse::<ProductToken>()?);
/// let rule = rules.verdict("/café/menu").rule.unwrap();
/// assert_eq!(rule.line, 2);
/// assert_eq!(rule.directive, Directive::Disallow);
/// assert_eq!(rule.pattern, b"/caf%c3%a9");
/// assert_eq!(rule.group, b"ExampleBot/1.0");
/// # Ok::<(), bot_etiquette_robots::TokenError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Rule<'r> {
    /// The line it stands on, from 1.
    pub line: u32,
    /// Allow or disallow.
    pub directive: Directive,
    /// The pattern as written, without blanks around it and without a comment.
    pub pattern: &'r [u8],
    /// The agent value on the first line of the rule's group, as written.
    pub group: &'r [u8],
}

/// Whether a target may be fetched, and why.
///
/// `Display` gives one line fit for a log: control characters are escaped, long patterns shortened.
///
/// ```
/// # use bot_etiquette_robots::{Access, ProductToken, Reason, Robots};
/// let robots = Robots::parse(b"User-agent: *\nDisallow: /private/\n");
/// let rules = robots.rules_for(&"ExampleBot".parse::<ProductToken>()?);
///
/// let verdict = rules.verdict("https://example.com/private/diary");
/// assert_eq!(verdict.access, Access::Disallowed);
/// assert_eq!(verdict.to_string(), "disallowed by line 2: Disallow: /private/ (group *)");
///
/// let verdict = rules.verdict("https://example.com/");
/// assert_eq!(verdict.reason, Reason::NoRule);
/// assert_eq!(verdict.to_string(), "allowed: no rule matches (group *)");
/// # Ok::<(), bot_etiquette_robots::TokenError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Verdict<'r> {
    /// May it be fetched?
    pub access: Access,
    /// What decided.
    pub reason: Reason,
    /// The rule that decided, when [`reason`](Self::reason) is [`Reason::Rule`].
    pub rule: Option<Rule<'r>>,
    /// The agent value on the first line of the group that was consulted, as written.
    pub group: Option<&'r [u8]>,
}

impl Access {
    /// True for [`Access::Allowed`].
    #[must_use]
    pub fn is_allowed(self) -> bool {
        self == Self::Allowed
    }
}

impl Verdict<'_> {
    /// True when the target may be fetched.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        self.access.is_allowed()
    }
}

impl Reason {
    /// Every reason there is.
    pub const ALL: [Self; 7] = [
        Self::Rule,
        Self::NoRule,
        Self::NoGroup,
        Self::NoFile,
        Self::DisallowAll,
        Self::RobotsTxtItself,
        Self::InvalidTarget,
    ];

    /// The stable code, as the command prints it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::NoRule => "no-rule",
            Self::NoGroup => "no-group",
            Self::NoFile => "no-file",
            Self::DisallowAll => "disallow-all",
            Self::RobotsTxtItself => "robots-txt-itself",
            Self::InvalidTarget => "invalid-target",
        }
    }
}

impl Directive {
    /// What a rule with this directive decides.
    #[must_use]
    pub const fn access(self) -> Access {
        match self {
            Self::Allow => Access::Allowed,
            Self::Disallow => Access::Disallowed,
        }
    }

    /// The key in lower case: `allow` or `disallow`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Disallow => "disallow",
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Allowed => "allowed",
            Self::Disallowed => "disallowed",
        })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

impl fmt::Display for Directive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Allow => "Allow",
            Self::Disallow => "Disallow",
        })
    }
}

impl fmt::Display for Rule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}: {}", self.line, self.directive, Shown(self.pattern))
    }
}

impl fmt::Display for Verdict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            Reason::Rule => match &self.rule {
                Some(rule) => write!(f, "{} by {rule} (group {})", self.access, Shown(rule.group)),
                None => write!(f, "{} by a rule", self.access),
            },
            Reason::NoRule => {
                write!(f, "{}: no rule matches (group {})", self.access, Shown(self.group.unwrap_or(b"*")))
            }
            Reason::NoGroup => write!(f, "{}: no group for this agent", self.access),
            Reason::NoFile => write!(f, "{}: there is no robots.txt", self.access),
            Reason::DisallowAll => write!(f, "{}: robots.txt cannot be had for now", self.access),
            Reason::RobotsTxtItself => write!(f, "{}: robots.txt itself", self.access),
            Reason::InvalidTarget => write!(f, "{}: neither an absolute URL nor a path", self.access),
        }
    }
}

/// Untrusted bytes made fit for a log line.
pub(crate) struct Shown<'a>(pub(crate) &'a [u8]);

impl Shown<'_> {
    /// Characters shown at the most.
    const MAX: usize = 200;
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Four bytes hold any character, and one more character tells that something was cut.
        let most = Self::MAX.saturating_mul(4).saturating_add(4);
        let text = String::from_utf8_lossy(self.0.get(..most).unwrap_or(self.0));
        for (at, character) in text.chars().enumerate() {
            if at == Self::MAX {
                return f.write_str("…");
            }
            if character.is_control()
                || matches!(character, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}')
            {
                write!(f, "{}", character.escape_default())?;
            } else {
                write!(f, "{character}")?;
            }
        }
        Ok(())
    }
}
