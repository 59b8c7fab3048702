//! How much of a robots.txt is read.

/// How much of a robots.txt is read; what lies beyond is left out and [`Robots::is_truncated`](crate::Robots::is_truncated)
/// says so.
///
/// The defaults read all of a file of 500 KiB, the least that RFC 9309, section 2.5, asks for: the counts below
/// cannot be reached within it.
///
/// ```
/// use bot_etiquette_robots::{Limits, Robots};
///
/// let limits = Limits::new().bytes(30);
/// let robots = Robots::parse_with(b"User-agent: *\nAllow: /\nDisallow: /private\n", &limits);
/// assert!(robots.is_truncated());
/// assert_eq!(robots.text(), b"User-agent: *\nAllow: /\n");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    pub(crate) bytes: usize,
    pub(crate) rules: usize,
    pub(crate) agents: usize,
    pub(crate) sitemaps: usize,
}

impl Limits {
    /// Bytes read by default: 500 KiB.
    pub const DEFAULT_BYTES: usize = 512_000;
    /// Bytes read at the most, whatever is asked: 64 MiB.
    pub const MAX_BYTES: usize = 64 << 20;
    /// Rules, agent lines and sitemaps kept by default, each.
    pub const DEFAULT_COUNT: usize = 65_536;

    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self {
            bytes: Self::DEFAULT_BYTES,
            rules: Self::DEFAULT_COUNT,
            agents: Self::DEFAULT_COUNT,
            sitemaps: Self::DEFAULT_COUNT,
        }
    }

    /// Bytes read, at most [`MAX_BYTES`](Self::MAX_BYTES). A line cut by this limit is dropped whole: the rest of a rule must not act
    /// as a shorter one.
    #[must_use]
    pub fn bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes.min(Self::MAX_BYTES);
        self
    }

    /// Rules kept, over all groups. The file ends before the first rule beyond.
    #[must_use]
    pub fn rules(mut self, rules: usize) -> Self {
        self.rules = rules;
        self
    }

    /// `User-agent` lines kept. The file ends before the first one beyond.
    #[must_use]
    pub fn agents(mut self, agents: usize) -> Self {
        self.agents = agents;
        self
    }

    /// Sitemaps kept. Further ones are left out; rules after them still count.
    #[must_use]
    pub fn sitemaps(mut self, sitemaps: usize) -> Self {
        self.sitemaps = sitemaps;
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::new()
    }
}
